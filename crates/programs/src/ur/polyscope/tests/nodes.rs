//! Nodes as PolyScope stores them beside moves: what is suppressed, first values, inputs.

use super::*;

/// The labels of the moves of each way; every way is known.
fn labels(text: &str) -> Vec<String> {
    let reading = read(text);
    let label = |m: &clearance_proof::model::moves::Move| m.label.clone();
    (reading.ways.iter())
        .map(|way| {
            assert!(way.unknown.is_empty(), "{:?}", way.unknown);
            way.moves.iter().map(label).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

fn to(name: &str, k: f64) -> String {
    let joints = [k, -1.2, 1.4, -1.7, -1.5, 0.3];
    moves("MoveJ", &point(name, joints, "", -0.6127))
}

fn condition(text: &str, inside: &str) -> String {
    format!(
        "<If type=\"If\" checkContinuously=\"false\"><expression>{text}</expression><children>{inside}</children></If>"
    )
}

#[test]
fn what_stands_in_a_suppressed_node_does_not_run() {
    let out = "<SuppressedNode><suppressedNode class=\"Halt\"/></SuppressedNode>";
    let text = program(&[&to("A", 0.1), out, &to("B", 0.2)].concat());
    assert_eq!(labels(&text), ["A B"]);
    let main = "<MainProgram";
    assert_eq!(
        labels(&text.replacen(main, &format!("{out}{main}"), 1)),
        ["A B"]
    );
    // An `Else` whose `If` is suppressed belongs to nothing.
    let lonely = condition("", &to("C", 0.3)).replace("type=\"If\"", "type=\"Else\"");
    assert!(told(&[out, &lonely].concat()).contains("not understood"));
}

/// A waypoint that stands for another node is that node: its corner, and whether it is suppressed.
#[test]
fn a_waypoint_that_stands_for_another_has_its_corner() {
    let rounded = to("A", 0.1).replace(
        "<motionParameters/>",
        "<motionParameters blendRadius=\"0.01\"/>",
    );
    let again = moves(
        "MoveJ",
        "<Waypoint reference=\"../../../Move/children/Waypoint\"/>",
    );
    let text = program(&[rounded, to("B", 0.5), again, to("C", 1.0)].join("\n"));
    let reading = read(&text);
    let zones: Vec<Zone> = reading.ways[0].moves.iter().map(|m| m.zone).collect();
    assert_eq!(
        zones,
        [Zone::Ball(0.01), Zone::Stop, Zone::Ball(0.01), Zone::Stop]
    );
    let off = text.replace(
        "<Waypoint type=\"Fixed\" name=\"A\"",
        "<Waypoint suppressed=\"true\" type=\"Fixed\" name=\"A\"",
    );
    let reading = read(&off);
    assert_eq!(
        reading.ways[0].unknown.len(),
        2,
        "{:?}",
        reading.ways[0].unknown
    );
}

/// An input has two values, whatever name the installation gives it.
#[test]
fn inputs_in_expressions_have_two_ways() {
    let input = format!(
        "<ExpressionIO><pin referencedName=\"part ready\"/></ExpressionIO>{}",
        spelled("≟True")
    );
    let text = program(&[to("A", 0.1), condition(&input, &to("B", 0.2))].concat());
    assert_eq!(labels(&text), ["A B", "A"]);
}

#[test]
fn first_values_count_if_the_program_asks_for_them() {
    let first = format!(
        "<InitVariablesNode><variables><variable name=\"k\"><expression>{}</expression></variable></variables></InitVariablesNode>",
        spelled("2")
    );
    let text = program(&condition(&spelled("k≟2"), &to("B", 0.2))).replacen(
        "<SpecialSequence",
        &format!("{first}<SpecialSequence"),
        1,
    );
    let asked = text.replace("<MainProgram ", "<MainProgram InitVariablesNode=\"true\" ");
    assert_eq!(labels(&asked), ["B"]);
    let not = text.replace("<MainProgram ", "<MainProgram InitVariablesNode=\"false\" ");
    assert_eq!(labels(&not), ["B", ""]);
}

/// Wherever a node may be switched off, by whatever attribute says so.
#[test]
fn suppressed_threads_cases_and_points_of_arcs_are_told() {
    let a = || point("A", HOME, "", -0.6127);
    let thread = program(&to("A", 0.1)).replace(
        "<MainProgram",
        "<Thread suppressed=\"true\"><children/></Thread><MainProgram",
    );
    let case = program(&format!(
        "<Switch><expression>{}</expression><children><Case suppressed=\"true\" caseValue=\"1\"><children/></Case></children></Switch>",
        spelled("1")
    ));
    let arc = format!(
        "<CircleMove OrientationMode=\"UNCONSTRAINED\"><children>{}{}</children></CircleMove>",
        a().replace("<Waypoint ", "<Waypoint suppressed=\"true\" "),
        point("B", [0.5, -1.2, 1.4, -1.7, -1.5, 0.3], "", -0.6127)
    );
    let arc = program(&moves(
        "MoveP",
        &format!(
            "{}{arc}",
            point("C", [0.9, -1.2, 1.4, -1.7, -1.5, 0.3], "", -0.6127)
        ),
    ));
    for text in [thread, case, arc] {
        let reading = read(&text);
        let mut reasons = reading.ways.iter().flat_map(|w| &w.unknown);
        assert!(reasons.any(|u| u.reason.contains("suppressed")), "{text}");
        let on = read(&text.replace("suppressed=\"true\"", "suppressed=\"false\""));
        assert!(
            on.ways.iter().all(|w| w.unknown.is_empty()),
            "{:?}",
            on.ways
        );
    }
}

/// A thread that sets what a loop counts with may end it, or make it longer.
#[test]
fn a_counter_that_a_thread_sets_is_told() {
    let thread =
        "<Thread name=\"t\"><children><Timer><variable name=\"k\"/></Timer></children></Thread>";
    let repeat = format!(
        "<Loop type=\"Counting\" count=\"2\"><variable name=\"k\"/><children>{}</children></Loop>",
        to("A", 0.1)
    );
    let text = program(&repeat);
    assert_eq!(labels(&text), ["A A"]);
    let reading = read(&text.replacen("<MainProgram", &format!("{thread}<MainProgram"), 1));
    let told = &reading.ways[0].unknown;
    assert!(
        told.iter().any(|u| u.reason.contains("own variable")),
        "{told:?}"
    );
}

/// A clock or an answer of the operator is a value; an expression that is not understood may call a
/// function that moves the arm.
#[test]
fn values_that_are_not_known_move_nothing_and_unread_expressions_may() {
    let set = |more: &str, expression: &str| {
        format!(
            "<Assignment valueSource=\"{more}\"><variable name=\"m\"/><expression>{expression}</expression></Assignment>"
        )
    };
    let thread = "<Thread><children><Timer><variable name=\"k\"/></Timer></children></Thread>";
    let asked = set("Operator", "");
    let text = program(&[&asked, &to("A", 0.1)].map(String::as_str).concat());
    assert_eq!(
        labels(&text.replacen("<MainProgram", &format!("{thread}<MainProgram"), 1)),
        ["A"]
    );
    let unread = set(
        "Expression",
        &format!("{}<ExpressionOther/>", spelled("go()+")),
    );
    assert!(
        told(&[&unread, &to("A", 0.1)].map(String::as_str).concat()).contains("ExpressionOther")
    );
}

/// What a wait asks for is computed again and again: a function in it may move the arm.
#[test]
fn a_wait_for_what_a_function_does_is_told() {
    let file = "<Script type=\"File\"><cachedContents>def go():\n  movej([1,0,0,0,0,0])\n  return True\nend\n</cachedContents></Script>";
    let wait = |text: &str| {
        format!(
            "<Wait type=\"Condition\"><expression>{}</expression></Wait>",
            spelled(text)
        )
    };
    let main = |text: &str| [file, &wait(text), &to("A", 0.1)].concat();
    assert!(told(&main("go()")).contains("more than to compute"));
    assert_eq!(
        labels(&program(&main("installed ≟ get_digital_in(2)"))),
        ["A"]
    );
}
