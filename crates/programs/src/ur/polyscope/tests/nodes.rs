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
    // Values that stand elsewhere in the file.
    let elsewhere = asked.replacen(
        "<InitVariablesNode>",
        "<InitVariablesNode><variables reference=\"../variables[2]\"/>",
        1,
    );
    let reading = read(&elsewhere);
    let told = &reading.ways[0].unknown;
    assert!(
        told.iter().any(|u| u.reason.contains("`variables`")),
        "{told:?}"
    );
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

/// Regression: the text that the program keeps was believed beside another one in the file.
#[test]
fn a_script_that_differs_from_its_file_is_told() {
    let folder = std::env::temp_dir().join(format!("clearance-script-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let kept = "def go():\n  movej([1,0,0,0,0,0])\nend\ngo()\n";
    let node = format!(
        "<Script type=\"File\"><cachedContents>{kept}</cachedContents><file>/programs/go.script</file></Script>"
    );
    let text = program(&[to("A", 0.1), node].concat());
    let said = |file: &str| {
        std::fs::write(folder.join("go.script"), file).unwrap();
        let options = Options {
            routine: None,
            bounds: Bounds::default(),
            read_neighbour: &crate::testing::on_disk,
            orientation_tube: 0.1,
        };
        let cell = arm();
        let controller = ControlledArm::of(&cell, None).unwrap();
        let read = super::super::read(
            &folder.join("a.urp"),
            text.as_bytes(),
            &controller,
            &options,
        );
        let told = read.unwrap().ways.remove(0).unknown;
        told.iter().map(|u| u.reason.clone()).collect::<String>()
    };
    let same = said(&kept.replace('\n', "\r\n"));
    // Blanks before lines, and empty lines, are no difference; less than a whole text is one.
    let indented = said(&kept.replace("\n", "\n\n    "));
    let less = said("def go():\nend\ngo()\n");
    let other = said(&kept.replace("[1,", "[2,"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(!same.contains("says something else"), "{same}");
    assert!(!indented.contains("says something else"), "{indented}");
    assert!(less.contains("says something else"), "{less}");
    assert!(other.contains("go.script` says something else"), "{other}");
}

/// What a node stands for may move the arm: it is told, or followed, and never left out.
#[test]
fn nodes_that_stand_for_others_are_not_left_out() {
    let folder = format!("<Folder><children>{}</children></Folder>", to("A", 0.1));
    let switch = format!(
        "<Switch><expression>{}</expression><children><DefaultCase reference=\"../../../Folder\"/></children></Switch>",
        spelled("1")
    );
    for (more, says) in [
        ("<Folder reference=\"../Folder\"/>", "`Folder`"),
        (
            "<Folder><children reference=\"../../Folder/children\"/></Folder>",
            "`children`",
        ),
        ("<Wait reference=\"../Folder\"/>", "`Wait`"),
        (
            "<SuppressedNode reference=\"../Folder\"/>",
            "`SuppressedNode`",
        ),
        (&switch, "case is not understood"),
        (
            "<CallSubProgram><subprogram><children reference=\"../../../Folder/children\"/></subprogram></CallSubProgram>",
            "`children`",
        ),
        // Regression: one that is kept in a file of its own moved nothing, or as it once did.
        (
            "<CallSubProgram><subprogram keepSynchronizedWithDisk=\"true\"><programFile>sub.urp</programFile><children/></subprogram></CallSubProgram>",
            "a file of its own",
        ),
        (
            "<CallSubProgram><subprogram><programFile>sub.urp</programFile><children></children></subprogram></CallSubProgram>",
            "a file of its own",
        ),
        (
            "<CallSubProgram><subprogram keepSynchronizedWithDisk=\"true\"><programFile>sub.urp</programFile><children><Comment/></children></subprogram></CallSubProgram>",
            "a file of its own",
        ),
        (
            "<Script type=\"File\"><cachedContents> </cachedContents><file>go.script</file></Script>",
            "whose text is not in the program",
        ),
        (
            "<Script type=\"Line\"><expression reference=\"../../nowhere\"/></Script>",
            "not found",
        ),
        (
            "<Script type=\"File\"><cachedContents reference=\"../../nowhere\"/></Script>",
            "not found",
        ),
    ] {
        let told = told(&[&folder, more, &to("B", 0.2)].concat());
        assert!(told.contains(says), "{more}: {told}");
    }
    let text = program(&to("A", 0.1));
    for node in ["Thread", "MainProgram", "InitVariablesNode", "Folder"] {
        let more = format!("<{node} reference=\"../MainProgram\"/><MainProgram");
        let reading = read(&text.replacen("<MainProgram", &more, 1));
        let told = &reading.ways[0].unknown;
        let says = format!("`{node}`");
        assert!(
            told.iter().any(|u| u.reason.contains(&says)),
            "{node}: {told:?}"
        );
    }
    // A line of a script that stands for another one is that line.
    let line = format!(
        "<Script type=\"Line\"><expression>{}</expression></Script>\
         <Script type=\"Line\"><expression reference=\"../../Script/expression\"/></Script>",
        spelled("movej(A_q)")
    );
    let text = program(&[to("A", 0.1), line, to("B", 0.2)].concat());
    assert_eq!(labels(&text), ["A A A B"]);
}

/// A carriage return alone ends a line for some and not for others.
#[test]
fn carriage_returns_alone_in_a_script_are_told() {
    let file = |text: &str| {
        format!("<Script type=\"File\"><cachedContents>{text}</cachedContents></Script>")
    };
    let line = format!(
        "<Script type=\"Line\"><expression>{}<ExpressionChar character=\"&#13;\"/>{}</expression></Script>",
        spelled("# note"),
        spelled("movej(A_q)")
    );
    for script in [file("# note&#13;movej(A_q)"), line] {
        let told = told(&[to("A", 0.1), script].concat());
        assert!(told.contains("carriage return"), "{told}");
    }
    let text = program(&[to("A", 0.1), file("# note&#13;\nmovej(A_q)&#13;\n")].concat());
    assert_eq!(labels(&text), ["A A"]);
}

/// The tool of a taught point, as the file or a part of it that it names says; one that is not said
/// is not known.
#[test]
fn a_point_has_the_tool_that_its_file_says() {
    const SAID: &str = "<TCPOffset pose=\"0, 0, 0.1, 0, 0, 0\"/>";
    let first = to("A", 0.1);
    let again = to("B", 0.2).replace(
        SAID,
        "<TCPOffset reference=\"../../../../../Move/children/Waypoint/position/TCPOffset\"/>",
    );
    let reading = read(&program(&[first.clone(), again].concat()));
    let way = &reading.ways[0];
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!(way.moves[1].tool.link_from_frame.translation.z, 0.1);
    // It stands for itself.
    let round = to("B", 0.2).replace(SAID, "<TCPOffset reference=\"../TCPOffset\"/>");
    let text = program(&[first.clone(), round].concat());
    let error = read_in(&arm(), text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("no tool that can be read"), "{error}");
    // Joint values do not depend on it.
    let silent = to("A", 0.1).replace(SAID, "");
    assert!(
        told(&silent).contains("with which tool `A` was taught"),
        "{}",
        told(&silent)
    );
    let by_joints = silent.replace("CartesianPose", "JointAngles");
    assert_eq!(labels(&program(&by_joints)), ["A"]);
}

/// The cell says that another tool counts than that with which points were taught.
#[test]
fn points_of_another_tool_than_that_of_the_cell_are_told() {
    let reasons = |z: f64, main: &str| {
        let mut cell = still(&[]);
        let tool = Isometry3::translation(0.0, 0.0, z);
        said(&mut cell).tools.insert("active".into(), tool);
        let reading = read_in(&cell, program(main).as_bytes()).unwrap();
        let found = reading.ways.iter().flat_map(|w| w.unknown.clone());
        found.map(|u| u.reason).collect::<Vec<_>>().join("; ")
    };
    let main = to("A", 0.1);
    assert_eq!(reasons(0.1, &main), "");
    let told = reasons(0.05, &main);
    assert!(
        told.contains("`A` was taught with another tool than `active`"),
        "{told}"
    );
    let by_joints = main.replace("CartesianPose", "JointAngles");
    assert_eq!(reasons(0.05, &by_joints), "");
}

/// People type tools with two decimals: the joint values of a point are those that were taught, and
/// how far the arm is off if the tool of the cell is the right one is booked.
#[test]
fn a_tool_of_the_cell_that_is_rounded_is_that_of_the_points() {
    let silent = kinematics("Kinematics", -0.6127);
    let no_chain = |text: String| {
        let text = text.replace(&silent, "");
        text.replace(&kinematics("kinematics", -0.6127), "")
    };
    let moves_to = |z: f64, turn: f64, text: &str| {
        let mut cell = still(&[]);
        let turned = nalgebra::UnitQuaternion::from_euler_angles(0.0, turn.to_radians(), 0.0);
        let tool = Isometry3::from_parts(nalgebra::Translation3::new(0.0, 0.0, z), turned);
        said(&mut cell).tools.insert("active".into(), tool);
        whole_reading(&cell, text).ways.remove(0)
    };
    let whole = program(&to("A", 0.1));
    for text in [whole.clone(), no_chain(whole)] {
        for (z, turn, shift) in [(0.10004, 0.0, 0.00004), (0.1, 0.04, 0.00006)] {
            let way = moves_to(z, turn, &text);
            assert_eq!(way.unknown, [], "{z} {turn}");
            let step = &way.moves[0];
            assert_eq!(step.tool.link_from_frame.translation.z, 0.1, "{z} {turn}");
            let Target::Pose {
                frame_from_tool, ..
            } = &step.target
            else {
                panic!("a pose");
            };
            let flange = frame_from_tool * step.tool.link_from_frame.inverse();
            let taught = nominal().flange(&[0.1, -1.2, 1.4, -1.7, -1.5, 0.3]);
            let off = flange.translation.vector - taught.translation.vector;
            assert!(off.norm() < 1e-9, "{z} {turn}: {off}");
            let booked = way.model_difference;
            assert!(booked.shift_m >= 0.99 * shift, "{z} {turn}: {booked:?}");
            assert!(booked.turn_rad >= 0.99 * turn.to_radians(), "{booked:?}");
        }
        let exact = moves_to(0.1, 0.0, &text).model_difference;
        assert!(exact.is_none(), "{exact:?}");
        for (z, turn, apart) in [
            (0.10006, 0.0, "0.0600 mm and 0.0000° apart"),
            (0.1, 0.06, "0.0000 mm and 0.0600° apart"),
        ] {
            let told = &moves_to(z, turn, &text).unknown[0].reason;
            assert!(told.contains(apart), "{told}");
        }
    }
}

/// Grippers hang on outputs. Another node of the name sets the tool.
#[test]
fn a_node_that_sets_an_output_is_passed_over() {
    let set = |kind: &str, more: &str| {
        format!(
            "<Set type=\"{kind}\"><pin referencedName=\"digital_out[0]\"/><digitalValue>1</digitalValue>{more}</Set>"
        )
    };
    let with = |set: &str| [&to("A", 0.1), set, &to("B", 0.2)].concat();
    let text = program(&with(&set("DigitalOutput", "")));
    assert_eq!(labels(&text), ["A B"]);
    for other in [
        set("NoAction", ""),
        set("DigitalOutput", "<tcp referencedName=\"TCP_1\"/>"),
    ] {
        assert!(told(&with(&other)).contains("the node `Set`"), "{other}");
    }
}
