//! One word of a program changed: nothing panics, and no mutant passes for the original.

use super::*;
use crate::block::testing::{judged, motion, mutants};

const PROGRAM: &str = "DEF a( )
DECL INT i
DECL E6POS q
BAS (#INITMOV,0)
PDAT_ACT=PPDAT1
FDAT_ACT=FP2
BAS(#PTP_PARAMS,100)
PTP XHOME
FOR i=1 TO 2
q=XP1
q.Z=q.Z+20*i
LIN q C_DIS
sub(q,i)
ENDFOR
$APO.CDIS=15
LDAT_ACT=LCPDAT1
FDAT_ACT=FP1
BAS(#CP_PARAMS,0.5)
LIN XP1 C_DIS
$OUT[4]=TRUE
WAIT SEC 0.2
LIN_REL {Z -40} #TOOL
PTP XP2 C_PTP
CIRC XP1:{X 5,Y 0,Z 0,A 0,B 0,C 0},{X 480,Y 60,Z 590,A 90,B 30,C 0}
SWITCH N
CASE 3
PTP {A1 12,A2 -80,A3 85,A4 3,A5 25,A6 -7}
DEFAULT
PTP XHOME
ENDSWITCH
SPTP {A6 30} WITH $TOOL=TOOL_DATA[1]
END
DEF sub(p :OUT,k :IN)
E6POS p
INT k
IF k==1 THEN
$BASE=BASE_DATA[2]
LIN p
$BASE=$NULLFRAME
ELSE
p.Y=p.Y-H[1]
LIN p
ENDIF
END
";

#[test]
fn no_mutant_panics_or_passes_for_the_original() {
    let cell = cell();
    let files = [("a.dat", LIST)];
    let right = ways_in(&cell, PROGRAM).unwrap();
    assert!(right[0].unknown.is_empty(), "{:?}", right[0].unknown);
    assert_eq!(right[0].moves.len(), 11);
    let original = motion(&right);
    let counts = [
        "PTP",
        "LIN",
        "CIRC",
        "SPTP",
        "LIN_REL",
        "XP1",
        "XP2",
        "XHOME",
        "q",
        "p",
        "TOOL_DATA",
        "BASE_DATA",
        "FP1",
        "FP2",
        "sub",
    ];
    let (mut read, mut refused, mut same) = (0, 0, 0);
    for mutant in mutants(PROGRAM, ';') {
        let Some(ways) = judged(&cell, "a.src", &mutant, &files) else {
            refused += 1;
            continue;
        };
        read += 1;
        if ways.iter().any(|w| !w.unknown.is_empty()) || motion(&ways) != original {
            continue;
        }
        same += 1;
        let line = PROGRAM[..mutant.at].lines().count();
        // The last case is not gone through, and of what type an argument is, nothing depends here.
        if mutant.done == "renamed" && ![29, 34].contains(&line) {
            assert!(
                !counts.contains(&&*mutant.word),
                "`{}` in line {line} is the same",
                mutant.word
            );
        }
    }
    // The data list too: a number of a position changes it, and nothing else.
    for mutant in mutants(LIST, ';') {
        let files = [("a.dat", &*mutant.text)];
        match read_beside(&cell, "a.src", PROGRAM.as_bytes(), &files, None) {
            Err(_) => refused += 1,
            Ok(reading) => {
                read += 1;
                let unknown = reading.ways.iter().flat_map(|w| &w.unknown);
                unknown.for_each(|u| assert!(u.place.line.is_some(), "{u:?}"));
            }
        }
    }
    assert!(
        read + refused > 2000 && refused > 400 && read > 200,
        "{read} {refused}"
    );
    assert!(same < read / 2, "{same} of {read}");
}

#[test]
fn a_number_of_a_position_changes_that_position_and_nothing_else() {
    let cell = cell();
    let moves = |list: &str| {
        let files = [("a.dat", list)];
        let reading = read_beside(&cell, "a.src", PROGRAM.as_bytes(), &files, None).unwrap();
        assert!(reading.ways[0].unknown.is_empty());
        reading.ways[0].moves.clone()
    };
    let original = moves(LIST);
    for (number, other) in [
        ("X 500,Y 100", "X 503,Y 100"),
        ("Y 100,", "Y 97,"),
        ("B 30", "B 31"),
        ("S 6", "S 4"),
    ] {
        let changed = moves(&LIST.replacen(number, other, 1));
        let differs = |k: &usize| changed[*k].target != original[*k].target;
        let found: Vec<usize> = (0..original.len()).filter(differs).collect();
        let right: Vec<usize> = (0..original.len())
            .filter(|k| original[*k].label == "XP2")
            .collect();
        assert_eq!(found, right, "{number}");
        assert!(!right.is_empty());
        let rest = |m: &clearance_proof::model::moves::Move| {
            (
                m.zone,
                m.tool.clone(),
                m.place.clone(),
                m.kind == MoveKind::Joint,
            )
        };
        assert!(
            changed
                .iter()
                .zip(&original)
                .all(|(a, b)| rest(a) == rest(b))
        );
    }
}
