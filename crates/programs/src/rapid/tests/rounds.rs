//! `main` runs again and again: how the arm comes from the end of one round to the next one.

use clearance_proof::motion::programmed::CellMoves;

use super::*;
use crate::testing::ONE_SIDED;

/// All ways through a `main` of these statements, none of which has anything unknown.
fn rounds(body: &str) -> Vec<String> {
    let found = ways(&cycle(POINTS, body));
    let unknown: Vec<_> = found.iter().flat_map(|w| &w.unknown).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    found.iter().map(short).collect()
}

const POINTS: &str = "CONST jointtarget a:=[[-60,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\
    CONST jointtarget b:=[[60,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";

/// The next round may take another branch than the last one: between the two the arm may pass what
/// stands on neither.
#[test]
fn the_next_round_may_have_another_answer() {
    let (a, b) = ("J[-60 0 0 0 90 0]", "J[60 0 0 0 90 0]");
    let found = rounds(
        "IF di1=1 THEN\nMoveAbsJ a,v100,fine,t;\nMoveAbsJ j,v100,fine,t;\nMoveAbsJ a,v100,fine,t;\nELSE\n\
         MoveAbsJ b,v100,fine,t;\nMoveAbsJ j,v100,fine,t;\nMoveAbsJ b,v100,fine,t;\nENDIF",
    );
    let ends: Vec<_> = [(a, a), (a, b), (b, a), (b, b)]
        .map(|(last, next)| format!("J[10 -20 30 40 50 60] {last} {next}"))
        .into();
    assert_eq!(found.len(), 4, "{found:?}");
    let fits = |(way, end): (&String, &String)| way.ends_with(&**end);
    assert!(found.iter().zip(&ends).all(fits), "{found:?}");
    // Rounds of one move each.
    let found =
        rounds("IF di1=1 THEN\nMoveAbsJ a,v100,fine,t;\nELSE\nMoveAbsJ b,v100,fine,t;\nENDIF");
    let right = [(a, a), (a, b), (b, a), (b, b)].map(|(last, next)| format!("{last} {next}"));
    assert_eq!(found, right);
}

/// A point that is reached from another place is reached in another configuration: the way back
/// ends only where joint values are stated.
#[test]
fn the_next_round_goes_on_until_joint_values_are_stated() {
    let found = rounds(
        "ConfJ\\Off;\nMoveJ p,v100,fine,t;\nMoveJ Offs(p,0,50,0),v100,fine,t;\nMoveAbsJ j,v100,fine,t;\n\
         MoveL p,v100,fine,t;",
    );
    let round = "J(500 0 600) J(500 50 600) J[10 -20 30 40 50 60]";
    assert_eq!(found, [format!("{round} L(500 0 600) {round}")]);
    // A stated configuration is as good as joint values.
    let found = rounds(
        "MoveL p,v100,fine,t;\nMoveJ p,v100,z10,t;\nMoveL Offs(p,0,50,0),v100,fine,t;\nMoveAbsJ j,v100,fine,t;",
    );
    assert!(
        found[0].ends_with("J[10 -20 30 40 50 60] L(500 0 600) J(500 0 600) L(500 50 600)"),
        "{found:?}"
    );
    // The arm that stops where the next round begins does not move there.
    let found = rounds("MoveAbsJ j,v100,fine,t;\nMoveL p,v100,fine,t;\nMoveAbsJ j,v100,fine,t;");
    assert_eq!(
        found,
        ["J[10 -20 30 40 50 60] L(500 0 600) J[10 -20 30 40 50 60]"]
    );
    // Without a stop it goes round a corner there.
    let found = rounds("MoveAbsJ j,v100,z10,t;\nMoveL p,v100,fine,t;\nMoveAbsJ j,v100,z10,t;");
    let last = "J[10 -20 30 40 50 60]";
    assert_eq!(
        found,
        [format!("{last} L(500 0 600) {last} {last} L(500 0 600)")]
    );
    let body = "MoveAbsJ j,v100,z10,t;\nMoveL p,v100,z10,t;";
    let found = [
        ways(&cycle(POINTS, body)),
        ways(&cycle(POINTS, &format!("{body}\nEXIT;"))),
    ];
    assert_eq!(found.map(|ways| ways[0].goes_round), [true, false]);
}

/// Where no move of a round states joint values, the arm has to be seen to come back.
#[test]
fn a_round_of_lines_has_to_come_back() {
    let mut cell = arm("rapid");
    let start = [0.2, 0.3, 0.2, 0.0, 1.0, 0.0];
    cell.robots[0].start = start.into_iter().enumerate().collect();
    let frame = |link: &str| Frame {
        link: link.into(),
        link_from_frame: Isometry3::identity(),
    };
    let controller = crate::ControlledArm::of(&cell, None).unwrap();
    let here = controller.pose(&start, &frame("tool0"), &frame("base"));
    let here = here.unwrap();
    // To the side, and the tool turns by as many eighths of a turn about its last axis.
    let lines = |eighths: &[u8]| -> String {
        let line = |k: &u8| {
            let turn = Vector3::x() * (f64::from(*k) * std::f64::consts::PI / 4.0);
            let at = here * Isometry3::rotation(turn);
            let [x, y, z] = <[f64; 3]>::from(at.translation.vector * 1e3);
            let q = at.rotation;
            format!(
                "MoveL [[{x:.9},{:.9},{z:.9}],[{:.12},{:.12},{:.12},{:.12}],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\n",
                y + 5.0 * f64::from(*k),
                q.w,
                q.i,
                q.j,
                q.k
            )
        };
        eighths.iter().map(line).collect()
    };
    let told = |eighths: &[u8]| -> Vec<String> {
        let text = cycle("", &format!("ConfL\\Off;\n{}", lines(eighths)));
        let [way] = <[_; 1]>::try_from(ways_in(&cell, &text).unwrap()).unwrap();
        // The way back, unless it ends where it begins.
        let back = usize::from(eighths.last() != eighths.first());
        assert_eq!(way.moves.len(), eighths.len() + back);
        // Some ways back turn the tool by more than is proved unless it turns evenly.
        assert!(CellMoves::new(&way, &cell.cell, 0.0).is_ok() || !way.unknown.is_empty());
        way.unknown.into_iter().map(|u| u.reason).collect()
    };
    assert_eq!(told(&[0, 1, 2, 3]), [""; 0]);
    assert_eq!(told(&[0, 1, 2, 3, 2, 1, 0]), [""; 0]);
    // The tool goes on turning until it has made a whole turn.
    for eighths in [&[0, 1, 2, 3, 4, 5, 6, 7][..], &[0, 2, 4, 6, 0]] {
        let told = told(eighths);
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("round before: `joint_6` is 6.28"),
            "{told:?}"
        );
    }
    // Nobody says where another answer leads to then.
    let text = cycle(
        "",
        "IF di1=1 THEN\nMoveL p,v100,fine,t;\nELSE\nMoveL Offs(p,0,50,0),v100,fine,t;\nENDIF",
    );
    let told = ways(&text);
    assert!(
        told.iter()
            .any(|w| w.unknown.iter().any(|u| u.reason.contains("starts anew"))),
        "{told:?}"
    );
}

/// Regression: `main` began with what the file says of a PERS that it changes itself. The last run may
/// have ended anywhere, and the controller keeps what it left.
#[test]
fn a_persistent_variable_that_main_changes_is_not_known_at_its_start() {
    let data = |kind: &str| format!("{POINTS}{kind} bool done:=FALSE;\n");
    let first = "MoveAbsJ a,v100,fine,t;\nIF NOT done THEN\nMoveAbsJ b,v100,fine,t;\ndone:=TRUE;\nELSE\n\
                 MoveAbsJ j,v100,fine,t;\nENDIF\n";
    let (a, b, j) = (
        "J[-60 0 0 0 90 0]",
        "J[60 0 0 0 90 0]",
        "J[10 -20 30 40 50 60]",
    );
    for end in [
        "EXIT;",
        "WHILE TRUE DO\nMoveAbsJ a,v100,fine,t;\nWaitDI di1,1;\nENDWHILE",
    ] {
        let all = |kind: &str| {
            let found = ways(&cycle(&data(kind), &format!("{first}{end}")));
            assert!(found.iter().all(|way| way.unknown.is_empty()), "{found:?}");
            found.iter().map(short).collect::<Vec<_>>()
        };
        let begins = |found: &[String], with: &str| {
            found
                .iter()
                .any(|way| way.starts_with(&format!("{a} {with}")))
        };
        let found = all("PERS");
        assert!(begins(&found, b) && begins(&found, j), "{end}: {found:?}");
        // A start by hand gives others their first values.
        let found = all("VAR");
        assert!(begins(&found, b) && !begins(&found, j), "{end}: {found:?}");
    }
    // What stops between pick and place is found by the next start.
    let stopped = "IF done THEN\nMoveAbsJ j,v100,fine,t;\nENDIF\nMoveAbsJ a,v100,fine,t;\ndone:=TRUE;\n\
                   MoveAbsJ b,v100,fine,t;\ndone:=FALSE;";
    let found = ways(&cycle(&data("PERS"), stopped));
    assert!(
        found.iter().any(|way| short(way).starts_with(j)),
        "{found:?}"
    );
    // Set before it is used it is known; where a number is wanted, the motion is not.
    let found = ways(&cycle(&data("PERS"), &format!("done:=FALSE;\n{first}")));
    let own = found
        .iter()
        .filter(|way| !way.name.contains(&format!("{ONE_SIDED} is false")));
    assert!(
        own.clone()
            .all(|way| short(way).starts_with(&format!("{a} {b}"))),
        "{found:?}"
    );
    assert!(own.count() > 0);
    let found = ways(&cycle(
        "PERS num n:=0;\n",
        "MoveL Offs(p,0,0,n),v100,fine,t;\nn:=n+1;\nEXIT;",
    ));
    let told = found.iter().find_map(|way| way.unknown.first());
    assert!(
        told.is_some_and(|why| why.reason.contains("at the next start")),
        "{found:?}"
    );
}

/// A loop that passes its last point twice comes back only where it came to it in the same way: the
/// corner there is another one where it came from elsewhere. Catches a move that moves nothing, to
/// joint values or to the pose that these have, and is taken for one that leads on.
#[test]
fn a_point_that_stands_twice_does_not_hide_where_the_arm_came_from() {
    let data = "CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\
                CONST jointtarget up:=[[0,0,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\
                CONST robtarget pose:=[[530,0,990],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";
    let (joints, pose) = ("MoveAbsJ up,v100,z200,t;\n", "MoveL pose,v100,z200,t;\n");
    let (at_joints, at_pose) = (" J[0 0 0 0 0 0]", " L(530 0 990)");
    for (moves, told) in [
        (vec![joints], vec![at_joints]),
        (vec![joints; 2], vec![at_joints; 2]),
        (vec![joints; 3], vec![at_joints; 3]),
        (vec![joints, pose], vec![at_joints, at_pose]),
        (
            vec![joints, pose, joints],
            vec![at_joints, at_pose, at_joints],
        ),
    ] {
        let there = moves.concat();
        let asks = "IF di1=1 MoveAbsJ side,v100,fine,t;\n";
        // In a loop, and in rounds of `main`.
        for body in [
            format!(
                "MoveAbsJ j,v100,fine,t;\n{there}WHILE TRUE DO\nMoveL p,v100,fine,t;\n{asks}{there}ENDWHILE"
            ),
            format!("{there}MoveL p,v100,fine,t;\n{asks}"),
        ] {
            let found = ways(&cycle(data, &body));
            let from_aside = format!("J[90 0 0 0 90 0]{} L(500 0 600)", told.concat());
            let follows = |way: &MoveProgram| short(way).contains(&from_aside);
            let unknown = found.iter().any(|way| !way.unknown.is_empty());
            let text: Vec<_> = found.iter().map(short).collect();
            assert!(unknown || found.iter().any(follows), "{body} {text:?}");
            assert!(!unknown, "{body} {:?}", found[0].unknown);
        }
    }
}

/// A loop that waits at a point with a zone comes back to where it was; other zones there, and the
/// move that led there, count.
#[test]
fn a_loop_that_waits_at_a_point_with_a_zone_comes_back() {
    let side = "CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";
    for moves in [
        "MoveAbsJ side,v100,z10,t;",
        "MoveAbsJ side,v100,z10,t;\nMoveAbsJ side,v100,z50,t;",
        "MoveL p,v100,z10,t;",
    ] {
        let body = format!(
            "MoveAbsJ j,v100,fine,t;\nWHILE di1=0 DO\n{moves}\nENDWHILE\nMoveAbsJ j,v100,fine,t;"
        );
        let found = ways(&module(side, &body));
        assert!(found.iter().all(|way| way.unknown.is_empty()), "{moves}");
        assert!((2..6).contains(&found.len()), "{moves}: {}", found.len());
    }
    let cell = arm("rapid");
    let controller = crate::ControlledArm::of(&cell, None).unwrap();
    let passed = |body: &str| {
        let steps = body.split(' ').map(|step| match step {
            "side" => "MoveAbsJ side,v100,z10,t;",
            "wide" => "MoveAbsJ side,v100,z50,t;",
            "line" => "MoveL p,v100,z10,t;",
            "joint" => "MoveJ p,v100,z10,t;",
            _ => "MoveAbsJ j,v100,fine,t;",
        });
        let way = known(side, &steps.collect::<Vec<_>>().join("\n"));
        crate::block::arm::passed(&controller, &way.moves)
    };
    let same = |a: &str, b: &str| passed(a) == passed(b);
    assert!(same("home side side", "home side"));
    assert!(same(
        "home side wide side wide side wide",
        "home side wide side wide"
    ));
    assert!(same("home line line line", "home line"));
    for (a, b) in [
        ("home side wide", "home side"),
        ("home side wide", "home wide"),
        ("home line joint", "home joint line"),
        ("home side line side", "home side"),
        ("home line side line", "home line"),
    ] {
        assert!(!same(a, b), "{a} / {b}");
    }
}

/// Loops of lines alone come back where the arm stands as it did, which a wrist that turns on does not.
#[test]
fn loops_of_lines_come_back_if_the_arm_stands_the_same() {
    // Only the last joint turns between them.
    let turned = |k: usize| {
        let (sin, cos) = (k as f64 * 30_f64.to_radians()).sin_cos();
        let (s, c) = 15_f64.to_radians().sin_cos();
        format!(
            "CONST robtarget t{k}:=[[519.282032,0,850],[{},{},{},{}],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n",
            c * cos,
            c * sin,
            s * cos,
            -s * sin
        )
    };
    let home = "CONST jointtarget home:=[[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";
    let data = home.to_owned() + &(0..6).map(turned).collect::<String>();
    let round = |points: usize, zone: &str| -> String {
        let line = |k: usize| format!("MoveL t{k},v100,{zone},tool0;\n");
        (0..points).map(line).collect()
    };
    for (round, same) in [
        (round(2, "fine"), true),
        (round(2, "z10"), true),
        (round(6, "fine"), false),
    ] {
        for looped in [
            format!("WHILE TRUE DO\n{round}ENDWHILE"),
            format!("WHILE di1=1 DO\n{round}ENDWHILE\nMoveL t0,v100,fine,tool0;"),
            format!("WHILE TRUE DO\n{round}IF di1=1 THEN\n{round}ENDIF\nENDWHILE"),
            format!("again:\n{round}GOTO again;"),
            format!("again:\n{round}IF di1=1 GOTO again;\nMoveL t0,v100,fine,tool0;"),
        ] {
            let body = format!("MoveAbsJ home,v100,fine,tool0;\n{looped}");
            let found = ways(&module(&data, &body));
            let moves: usize = found.iter().map(|way| way.moves.len()).sum();
            assert!(moves < 120, "{looped}: {moves}");
            let unknown: Vec<_> = found.iter().flat_map(|way| &way.unknown).collect();
            assert_eq!(unknown.is_empty(), same, "{looped}: {unknown:?}");
        }
    }
}

/// At a corner that is rounded it matters where the arm comes from, also where only its pose is known.
#[test]
fn a_loop_of_lines_does_not_come_back_to_a_corner_from_elsewhere() {
    let body = "MoveL p,v100,fine,t;\nn:=0;\nWHILE TRUE DO\nIF n=0 THEN\nMoveL Offs(p,0,100,0),v100,fine,t;\n\
                ELSE\nMoveL Offs(p,0,0,50),v100,fine,t;\nENDIF\nMoveL p,v100,z10,t;\nn:=1;\nENDWHILE";
    let way = known("VAR num n;\n", body);
    let corner = "L(500 0 650) L(500 0 600) L(500 0 650)";
    assert!(short(&way).contains(corner), "{}", short(&way));
}
