use clearance_formats::LoadedCell;
use clearance_proof::model::moves::{Branch, MoveKind, MoveProgram, Speed, Target, Zone};

use crate::lines::testing::{arm, judged, motion, mutants, read_beside, said, short};

mod backup;
mod doubts;
mod headers;
mod one_sided;
mod real;
mod still;
mod unread;
mod waits;
mod ways;

/// Positions of the tests: 10° and more of each joint, in pulses that are all different.
const LIST: &str = "///TOOL 1
///POSTYPE PULSE
///PULSE
C00000=10000,40000,45000,32000,45000,30000
C00001=11000,40000,45000,32000,45000,30000
///TOOL 2
C00002=12000,40000,45000,32000,45000,30000
///USER 1
///POSTYPE USER
///RECTAN
///RCONF 0,0,0,0,0,0
C00003=500.000,100.000,300.000,180.0000,0.0000,90.0000
///POSTYPE ROBOT
P00001=0.000,0.000,50.000,0.0000,0.0000,0.0000
";

fn job(list: &str, body: &str) -> String {
    format!(
        "/JOB\n//NAME A\n//POS\n{list}//INST\n///DATE 2024/01/01 10:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\n{body}\nEND\n"
    )
}

fn ways_in(cell: &LoadedCell, text: &str, files: &[(&str, &str)]) -> Vec<MoveProgram> {
    read_beside(cell, "A.JBI", text, files)
        .unwrap_or_else(|e| panic!("{e}"))
        .ways
}

fn ways(body: &str) -> Vec<MoveProgram> {
    ways_in(&arm("inform"), &job(LIST, body), &[])
}

/// The only way through a job, of which all is known.
fn known(body: &str) -> MoveProgram {
    let [way] = <[_; 1]>::try_from(ways(body)).unwrap_or_else(|w| panic!("{w:?}"));
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    way
}

/// The first reason why a job is not known.
fn reason(text: &str) -> String {
    let ways = ways_in(&arm("inform"), text, &[]);
    let first = ways.iter().find_map(|w| w.unknown.first());
    let first = first.unwrap_or_else(|| panic!("it is known: {text}"));
    assert!(first.place.line.is_some());
    first.reason.clone()
}

/// Labels in Shift-JIS that differ are two labels.
#[test]
fn labels_in_letters_of_another_encoding_are_told_apart() {
    let text = job(LIST, "*LEFT\n*RIGHT").into_bytes();
    let put = |text: Vec<u8>, word: &[u8], letters: &[u8]| {
        let at = text.windows(word.len()).position(|w| w == word).unwrap();
        [&text[..at], letters, &text[at + word.len()..]].concat()
    };
    let text = put(text, b"LEFT", b"\x89\xba");
    let text = put(text, b"RIGHT", b"\x8f\xe3");
    let read = super::job::parse("A.JBI".as_ref(), &text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read.labels.len(), 2, "{:?}", read.labels);
}

/// The pendant writes `COMM` before a line that somebody switched off.
#[test]
fn lines_that_were_commented_out_are_passed_over() {
    let way = known(
        "MOVJ C00000 VJ=10.00\nCOMM MOVJ C00001 VJ=10.00\nCOMM *GONE\nCOMM\nMOVJ C00002 VJ=10.00",
    );
    assert_eq!(
        short(&way),
        short(&known("MOVJ C00000 VJ=10.00\nMOVJ C00002 VJ=10.00"))
    );
    reason(&job(
        LIST,
        "MOVJ C00000 VJ=10.00\nCOMMS MOVJ C00001 VJ=10.00",
    ));
}

#[test]
fn comments_may_stand_among_headers() {
    let plain = job(LIST, "MOVJ C00000 VJ=10.00");
    let noted = plain
        .replace("//NAME A\n", "//NAME A\n'of a colleague\n")
        .replace("///TOOL 2\n", "'the gripper\n///TOOL 2\n");
    assert_ne!(plain, noted);
    let of = |text: &str| motion(&ways_in(&arm("inform"), text, &[]));
    assert_eq!(of(&plain), of(&noted));
}

#[test]
fn pulses_are_divided_by_the_ratio_of_their_axis() {
    let way = known("MOVJ C000 VJ=25.00 PL=0\nMOVL C00002 V=100.0 PL=1\nMOVJ C00001 VJ=I000");
    assert_eq!(
        short(&way),
        "J[10 20 30 40 50 60] L[12 20 30 40 50 60] J[11 20 30 40 50 60]"
    );
    let said: Vec<_> = way.moves.iter().map(|m| (m.zone, m.speed)).collect();
    assert_eq!(said[0], (Zone::Stop, Speed::Share(0.25)));
    assert_eq!(said[1], (Zone::Unknown, Speed::Tool(0.1)));
    assert_eq!(said[2], (Zone::Unknown, Speed::Unknown));
    assert_eq!(
        (&*way.moves[1].label, way.moves[1].place.line),
        ("C00002", Some(24))
    );
    // The tool is that of the position.
    let tool = |k: usize| way.moves[k].tool.link_from_frame.translation.z;
    assert_eq!([tool(0), tool(1), tool(2)], [0.1, 0.2, 0.1]);
}

#[test]
fn without_ratios_pulses_are_not_known() {
    let mut cell = arm("inform");
    said(&mut cell).joints[3].pulses = None;
    let ways = ways_in(&cell, &job(LIST, "MOVJ C000 VJ=25.00"), &[]);
    assert!(ways[0].unknown[0].reason.contains("pulses of `joint_4`"));
    assert!(ways[0].moves.is_empty());
}

#[test]
fn a_pose_has_a_frame_a_tool_and_a_configuration() {
    let way = known("MOVJ C003 VJ=10.0");
    let Target::Pose {
        frame,
        frame_from_tool,
        branch: Branch::Configuration(configuration),
    } = &way.moves[0].target
    else {
        panic!("a pose");
    };
    let at = nalgebra::Vector3::new(0.1, 0.2, 0.3);
    assert_eq!(frame.link_from_frame.translation.vector, at);
    // Half a turn about x, then a quarter about z.
    let z = frame_from_tool.rotation * nalgebra::Vector3::z();
    let x = frame_from_tool.rotation * nalgebra::Vector3::x();
    assert!(
        (z + nalgebra::Vector3::z()).norm() < 1e-9 && (x - nalgebra::Vector3::y()).norm() < 1e-9
    );
    assert_eq!(way.moves[0].tool.link_from_frame.translation.z, 0.2);
    assert_eq!(
        (configuration.in_front, configuration.elbow_up),
        (Some(true), Some(true))
    );
    let joints: Vec<_> = configuration.ranges.iter().map(|r| r.joint).collect();
    assert_eq!(joints, [3, 5, 0]);
    let other = LIST.replace("RCONF 0,0,0,0", "RCONF 0,1,1,0");
    let way = ways_in(&arm("inform"), &job(&other, "MOVJ C003 VJ=10.0"), &[]).remove(0);
    let Target::Pose {
        branch: Branch::Configuration(c),
        ..
    } = &way.moves[0].target
    else {
        panic!("a pose");
    };
    assert_eq!(
        (c.in_front, c.elbow_up, c.ranges.len()),
        (Some(false), Some(false), 3)
    );
}

#[test]
fn incremental_moves_add_to_where_the_arm_is() {
    let way = known(
        "MOVJ C003 VJ=10.0 PL=0\nIMOV P001 V=50.0 RF\nIMOV P001 V=50.0 UF#(1) PL=0\nIMOV P001 V=50.0 TF",
    );
    let poses = short(&way);
    assert_eq!(
        poses,
        "J(600 300 600) L(600 300 650) L(600 300 700) L(600 300 650)"
    );
    assert!(reason(&job(LIST, "IMOV P001 V=50.0 RF")).contains("where the arm is before"));
    let turned = LIST.replace("50.000,0.0000,0.0000,0.0000", "50.000,0.0000,0.0000,5.0000");
    let text = job(&turned, "MOVJ C003 VJ=10.0\nIMOV P001 V=50.0 RF");
    assert!(reason(&text).contains("turns the tool"));
}

#[test]
fn three_points_are_an_arc() {
    let list = LIST.replace("///TOOL 2\n", "");
    let arc = "MOVC C000 V=50.0\nMOVC C001 V=50.0\nTIMER T=1.0\nMOVC C002 V=50.0 PL=0";
    let way = ways_in(&arm("inform"), &job(&list, arc), &[]).remove(0);
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!(
        short(&way),
        "L[10 20 30 40 50 60] C[11 20 30 40 50 60][12 20 30 40 50 60]"
    );
    assert!(matches!(way.moves[1].kind, MoveKind::Circular { .. }));
    for body in [
        "MOVC C000 V=50.0\nMOVC C001 V=50.0",
        "MOVC C000 V=50.0\nMOVL C001 V=50.0",
        &format!("{arc}\nMOVC C000 V=50.0"),
    ] {
        assert!(reason(&job(&list, body)).contains("MOVC"), "{body}");
    }
    assert!(reason(&job(LIST, arc)).contains("different tools"));
}

#[test]
fn jumps_calls_and_conditions_are_followed() {
    let way = known(
        "SET B000 0\n*AGAIN\nMOVJ C000 VJ=1.0 PL=0\nINC B000\nMOVJ C[B000] VJ=1.0 PL=0\nJUMP *AGAIN IF B000<2\nSET B000 2\n\
         IFTHENEXP B000=1\nMOVJ C003 VJ=1.0\nELSEIFEXP B000=2 AND B000>1\nMOVJ C001 VJ=1.0\nELSE\nMOVJ C003 VJ=1.0\nENDIF\n\
         SET B000 2\nWHILEEXP B000>1\nDEC B000\nENDWHILE\nSET B000 1\nRET IF B000=1\nMOVJ C003 VJ=1.0",
    );
    let first: Vec<_> = (way.moves.iter())
        .map(|m| match &m.target {
            Target::Joints(q) => q[0].to_degrees().round(),
            Target::Pose { .. } => f64::NAN,
        })
        .collect();
    assert_eq!(first, [10.0, 11.0, 10.0, 12.0, 11.0]);
    let called = job(
        "///TOOL 1\n///POSTYPE PULSE\n///PULSE\nC00000=15000,40000,45000,32000,45000,30000\n",
        "MOVJ C000 VJ=1.0",
    )
    .replace("NAME A", "NAME B");
    let text = job(
        LIST,
        "CALL JOB:B\nMOVJ C000 VJ=1.0\nJUMP JOB:B\nMOVJ C003 VJ=1.0",
    );
    let way = ways_in(&arm("inform"), &text, &[("B.JBI", &called)]).remove(0);
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!(way.moves.len(), 3);
    assert_eq!(way.moves[0].place.file, "B.JBI");
    assert!(reason(&text).contains("no `B.JBI`"));
    // Nobody knows what a job goes back to that was called, and jumps to another one.
    let leaves = called.replace("MOVJ C000 VJ=1.0", "JUMP JOB:C");
    let other = called.replace("NAME B", "NAME C");
    let way = ways_in(
        &arm("inform"),
        &text,
        &[("B.JBI", &leaves), ("C.JBI", &other)],
    )
    .remove(0);
    assert!(way.unknown[0].reason.contains("a called job jumps"));
    let mut cell = arm("inform");
    said(&mut cell).still = vec!["B".into()];
    let way = ways_in(&cell, &text, &[]).remove(0);
    assert_eq!((way.unknown.len(), way.moves.len()), (0, 1));
}

#[test]
fn signals_part_the_ways_and_waiting_loops_end() {
    let body = "*WAIT\nJUMP *WAIT IF IN#(1)=OFF\nMOVJ C000 VJ=1.0 PL=0\nIFTHENEXP IN#(2)=ON\nMOVJ C001 VJ=1.0\nENDIF";
    let ways = ways(body);
    let told: Vec<_> = ways
        .iter()
        .map(|w| (w.moves.len(), w.unknown.len()))
        .collect();
    assert_eq!(told, [(0, 0), (2, 0), (1, 0)]);
    assert!(
        ways[1].name.contains("IN#(1)=OFF is false"),
        "{}",
        ways[1].name
    );
    // A loop for ever: its last move back to its first one is there.
    let way = known("*L\nMOVJ C000 VJ=1.0 PL=0\nMOVJ C001 VJ=1.0 PL=0\nJUMP *L");
    assert!(way.moves.len() >= 3 && way.goes_round);
    // One that counts is not taken for it, and ends by the bound.
    let text = job(
        LIST,
        "SET D000 0\n*L\nMOVJ C000 VJ=1.0 PL=0\nINC D000\nSPEED V=D000\nJUMP *L",
    );
    assert!(reason(&text).contains("statements"));
}

/// An instruction of a megabyte must not use up the stack.
#[test]
fn instructions_are_not_nested_without_end() {
    let of_depth = |deep: usize| {
        let index = format!("{}0{}", "B[".repeat(deep), "]".repeat(deep));
        let text = job("", &format!("SET B000 {index}"));
        read_beside(&arm("inform"), "A.JBI", &text, &[])
    };
    assert!(of_depth(20).is_ok());
    let refused = of_depth(200_000).err().map(|e| e.to_string());
    assert!(refused.is_some_and(|e| e.contains("nested more deeply")));
}

#[test]
fn what_is_not_known_is_told() {
    for (body, says) in [
        ("MOVJ C000 VJ=1.0\nMOVS C001 V=1.0", "MOVS"),
        ("SFTON P001\nMOVJ C000 VJ=1.0", "shifted"),
        ("MOVL C000 V=1.0 UNTIL IN#(1)=ON", "UNTIL"),
        ("MOVJ C000 VJ=1.0 +MOVJ C001 VJ=1.0", "another group"),
        ("MOVJ C000 VJ=1.0 SPIN=3", "SPIN"),
        ("MOVJ C009 VJ=1.0", "not in the job's list"),
        ("MOVJ P002 VJ=1.0", "not in the job's list"),
        ("GETPOS P001 STEP#(1)\nMOVJ P001 VJ=1.0", "computed"),
        ("MOVJ C[B005] VJ=1.0", "which variable"),
        ("PSTART JOB:X SUB1", "same time"),
        ("JUMP *NOWHERE", "no label"),
        ("IFTHENEXP B000=1 AND B001=1 OR B002=1\nENDIF", "AND and OR"),
        ("MOVEJ C000", "not understood"),
        ("MOVJ C000 PL=9", "not a level"),
        ("MOVJ C000 C001 VJ=1.0", "several positions"),
        ("MFRAME UF#(1) C000 C001 C002", "user frame"),
        (
            "SET B000 2\nIFTHENEXP B000=1\nELSE IF B000=9\nMOVJ C000 VJ=1.0\nENDIF",
            "`ELSE IF B000=9` is not understood",
        ),
        (
            "SET B000 2\nWHILEEXP B000=1\nENDWHILE B000=9\nMOVJ C000 VJ=1.0",
            "`ENDWHILE B000=9` is not understood",
        ),
    ] {
        assert!(
            reason(&job(LIST, body)).contains(says),
            "{body}: {}",
            reason(&job(LIST, body))
        );
    }
    let moves = "MOVL C000 V=1.0 PL=0";
    for (from, to, says) in [
        ("///TOOL 1\n", "", "which TOOL counts"),
        ("///TOOL 1\n", "///TOOL 7\n", "TOOL 7"),
        ("///PULSE\n", "", "how positions are stated"),
        ("///PULSE\n", "///PULSE\n///SPUN 3\n", "not understood"),
        ("///POSTYPE PULSE\n", "///POSTYPE MTOOL\n", "MTOOL"),
        ("C00001=", "C00000=", "stated twice"),
        ("///GROUP1 RB1\n", "", "which control group"),
        ("///GROUP1 RB1\n", "///GROUP1 RB2\n", "`RB2`"),
        ("///GROUP1 RB1\n", "///GROUP1 RB1,ST1\n", "`ST1`"),
        ("SC,RW\n", "SC,RW,RJ\n", "relative job"),
        ("//POS\n", "//POS\n///NPOS 5,0,0,1,0,0\n", "NPOS"),
        ("END\n", "", "no END"),
    ] {
        let text = job(LIST, moves).replacen(from, to, 1);
        assert!(reason(&text).contains(says), "{from}: {}", reason(&text));
    }
    // A station that the cell holds still, and one that does not stand.
    let list = format!("{LIST}///POSTYPE PULSE\n///PULSE\nEC00000=1,2\nEC00001=1,2\nEC00002=1,3\n");
    let text = |last: &str| {
        let body = format!("MOVJ C000 EC000 VJ=1.0\nMOVJ C001 {last} VJ=1.0");
        job(&list, &body).replacen("RB1\n", "RB1,ST1\n", 1)
    };
    let mut cell = arm("inform");
    said(&mut cell).still = vec!["ST1".into()];
    let unknown = |last| ways_in(&cell, &text(last), &[]).remove(0).unknown;
    assert_eq!(unknown("EC001"), []);
    assert!(unknown("EC002")[0].reason.contains("a station moves"));
    assert!(reason(&text("EC001")).contains("ST1"));
}

#[test]
fn what_cannot_move_the_arm_is_counted() {
    let way = known(
        "' MOVJ C001 VJ=1.0\nDOUT OT#(1) ON\nTIMER T=1.00\nDOUT OT#(1) OFF 'MOVL\nMOVJ C000 VJ=1.0",
    );
    assert_eq!(way.moves.len(), 1);
    let passed: Vec<_> = way.passed_over.iter().map(|(w, n)| (&**w, *n)).collect();
    assert_eq!(passed, [("DOUT", 2), ("NOP", 1), ("TIMER", 1)]);
}

/// A program with something of everything.
const BODY: &str = "SET B000 0
*AGAIN
MOVJ C00000 VJ=20.00 PL=0
MOVL C00001 V=100.0
INC B000
DOUT OT#(1) ON
MOVL C00002 V=50.0 PL=2
JUMP *AGAIN IF B000<2
IFTHENEXP IN#(3)=ON
MOVJ C00003 VJ=10.00 PL=0
IMOV P001 V=10.0 UF#(1)
ENDIF
TIMER T=0.50
MOVJ C00000 VJ=20.00 PL=0";

#[test]
fn no_mutant_panics_or_passes_for_the_original() {
    let cell = arm("inform");
    let text = job(&format!("///NPOS 4,0,0,1,0,0\n{LIST}"), BODY);
    let right = ways_in(&cell, &text, &[]);
    assert!(
        right.len() == 2 && right.iter().all(|w| w.unknown.is_empty()),
        "{right:?}"
    );
    let original = motion(&right);
    let counts = [
        "MOVJ", "MOVL", "IMOV", "TOOL", "USER", "POSTYPE", "PULSE", "RECTAN", "RCONF", "C00000",
        "C00001", "C00002",
    ];
    let (mut open, mut same, mut other) = (0, 0, 0);
    for mutant in mutants(&text) {
        let told = format!("{} {} in line {}", mutant.word, mutant.done, mutant.line);
        let Some(ways) = judged(&cell, "A.JBI", &mutant, &[]) else {
            open += 1;
            continue;
        };
        if motion(&ways) == original {
            same += 1;
            assert!(
                !(counts.contains(&&*mutant.word) && mutant.done == "renamed"),
                "{told} is the same"
            );
        } else {
            other += 1;
            // Numbers, variables and signs are what a program means.
            let named = counts.contains(&&*mutant.word) && mutant.done == "renamed";
            assert!(!named, "{told} is another motion, and nothing is unknown");
        }
    }
    assert!(
        open > 400 && same > 30 && other > 30,
        "{open} {same} {other}"
    );
}

#[test]
fn a_number_of_a_position_changes_that_position_only() {
    let cell = arm("inform");
    let text = job(LIST, BODY);
    let right = ways_in(&cell, &text, &[]).remove(0);
    for (axis, value) in ["12000", "40000", "45000", "32000", "45000", "30000"]
        .iter()
        .enumerate()
    {
        let line = "C00002=12000,40000,45000,32000,45000,30000";
        let mut values: Vec<String> = line[7..].split(',').map(str::to_owned).collect();
        assert_eq!(values[axis], *value);
        values[axis] = format!("{}", value.parse::<f64>().unwrap() + 100.0);
        let changed = text.replace(line, &format!("C00002={}", values.join(",")));
        let way = ways_in(&cell, &changed, &[]).remove(0);
        assert_eq!(way.moves.len(), right.moves.len());
        let mut hits = 0;
        for (new, old) in way.moves.iter().zip(&right.moves) {
            let (Target::Joints(a), Target::Joints(b)) = (&new.target, &old.target) else {
                assert_eq!(new, old);
                continue;
            };
            for joint in 0..6 {
                let by = (a[joint] - b[joint]).to_degrees();
                let hit = joint == axis && new.label == "C00002";
                hits += usize::from(hit);
                let right = if hit {
                    100.0 / crate::lines::testing::PULSES[axis]
                } else {
                    0.0
                };
                assert!((by - right).abs() < 1e-9, "axis {axis}: {by}");
            }
        }
        assert!(hits > 0, "axis {axis}");
    }
}

#[test]
fn the_example_of_the_page_has_the_moves_that_it_tells() {
    let page = include_str!("../../../../docs/programs/inform.md");
    let example = page
        .split("```inform\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let way = ways_in(&arm("inform"), example, &[]).remove(0);
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let kinds: String = short(&way)
        .chars()
        .filter(char::is_ascii_uppercase)
        .collect();
    assert_eq!(kinds, "JLLJ");
    assert_eq!(way.moves[1].zone, Zone::Unknown);
    assert_eq!(way.moves[2].zone, Zone::Stop);
}
