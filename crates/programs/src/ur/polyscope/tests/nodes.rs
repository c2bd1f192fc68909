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
        [Zone::Unknown, Zone::Stop, Zone::Unknown, Zone::Stop]
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
