//! One word of a program changed: nothing panics, and no mutant passes for the original.

use crate::block::testing::{arm, judged, motion, mutants, read_beside};

/// Something of everything.
const PROGRAM: &str = "MODULE Cell
  RECORD place
    robtarget at;
    num high;
  ENDRECORD
  CONST robtarget pPick:=[[512.5,-31,402],[0,0.5,-0.866025404,0],[-1,0,1,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST robtarget pPlace:=[[430,215,380],[0,1,0,0],[0,0,-1,1],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST jointtarget jHome:=[[11,-22,33,44,55,66],[9E9,9E9,9E9,9E9,9E9,9E9]];
  PERS tooldata tGrip:=[TRUE,[[0,3,145],[0.923879533,0,0,0.382683432]],[1,[0,0,50],[1,0,0,0],0,0,0]];
  PERS wobjdata wTable:=[FALSE,TRUE,\"\",[[70,80,90],[1,0,0,0]],[[1,2,3],[0.707106781,0,0,0.707106781]]];
  CONST zonedata zOwn:=[FALSE,7,8,9,1,2,3];
  VAR num nLayer:=0;
  VAR place one;

  PROC main()
    ConfJ\\On;
    nLayer:=0;
    MoveAbsJ jHome\\NoEOffs,v1000,fine,tGrip;
    one.at:=pPlace;
    one.high:=2*25;
    FOR i FROM 1 TO 2 DO
      take Offs(pPick,0,0,20*(i-1))\\up:=60;
      MoveJ RelTool(one.at,0,0,-one.high),v500,z20,tGrip\\WObj:=wTable;
      MoveL one.at,v100,fine,tGrip\\WObj:=wTable;
      SetDO doGrip,0;
      WaitTime 0.3;
      nLayer:=nLayer+1;
      one.high:=high(nLayer);
    ENDFOR
    TEST nLayer
    CASE 0,1:
      MoveL pPick,v100,fine,tool0;
    CASE 2:
      MoveC Offs(one.at,10,10,0),Offs(one.at,20,0,0),v50,zOwn,tGrip\\WObj:=wTable;
    DEFAULT:
      Stop;
    ENDTEST
    WHILE nLayer>1 DO
      nLayer:=nLayer-1;
      IF nLayer=1 MoveL Offs(pPlace,0,0,100),v200,z5,tGrip\\WObj:=wTable;
    ENDWHILE
    TPWrite \"layers \"\\Num:=nLayer;
    MoveAbsJ jHome,v1000,fine,tGrip;
  ENDPROC

  PROC take(robtarget p,\\num up)
    VAR num z:=30;
    IF Present(up) THEN
      z:=up;
    ELSEIF FALSE THEN
      z:=0;
    ENDIF
    MoveJ Offs(p,0,0,z),v800,z50,tGrip;
    MoveL p,v80,fine,tGrip;
    SetDO doGrip,1;
    MoveL Offs(p,0,0,z),v300,z10,tGrip;
  ENDPROC

  FUNC num high(num n)
    RETURN 40+10*n;
  ENDFUNC
ENDMODULE
";

#[test]
fn no_mutant_panics_or_passes_for_the_original() {
    let cell = arm("rapid");
    let right = read_beside(&cell, "a.mod", PROGRAM.as_bytes(), &[], None)
        .unwrap()
        .ways;
    assert!(
        right.iter().all(|w| w.unknown.is_empty()),
        "{:?}",
        right[0].unknown
    );
    assert_eq!(right[0].moves.len(), 14);
    let original = motion(&right);
    // Words without which the motion is another one, or not known. Their mutants never give the
    // original's motion.
    let counts = [
        "MoveAbsJ", "MoveJ", "MoveL", "MoveC", "pPick", "pPlace", "jHome", "tGrip", "wTable",
        "Offs", "RelTool", "take", "one",
    ];
    let (mut read, mut refused, mut same) = (0, 0, 0);
    for mutant in mutants(PROGRAM, '!') {
        let Some(ways) = judged(&cell, "a.mod", &mutant, &[]) else {
            refused += 1;
            continue;
        };
        read += 1;
        let known = ways.iter().all(|w| w.unknown.is_empty());
        if !known || motion(&ways) != original {
            continue;
        }
        same += 1;
        let told = || {
            let line = PROGRAM[..mutant.at].lines().count();
            format!("`{}` {} in line {line}", mutant.word, mutant.done)
        };
        // The first case is not gone through.
        if mutant.done == "renamed"
            && !PROGRAM[mutant.at..]
                .lines()
                .next()
                .unwrap_or("")
                .contains("tool0")
        {
            assert!(!counts.contains(&&*mutant.word), "{} is the same", told());
        }
        // A line that moves, on the way that is gone, is there or not there: deleting or doubling
        // in it shows.
        let line_start = PROGRAM[..mutant.at].rfind('\n').map_or(0, |k| k + 1);
        let line = PROGRAM[line_start..]
            .lines()
            .next()
            .unwrap_or("")
            .trim_start();
        if mutant.done == "deleted" && line.starts_with("Move") && !line.contains("tool0") {
            let harmless = ["\\", "NoEOffs", "v1000", "+"];
            assert!(harmless.contains(&&*mutant.word), "{} is the same", told());
        }
    }
    assert!(read + refused > 2000, "{read} {refused}");
    assert!(refused > 500 && read > 300, "{read} {refused}");
    // Few changes leave the motion the same: those of signals, times, speeds, texts, labels, and
    // names in parts that are not gone through.
    assert!(same < read / 2, "{same} of {read}");
}

#[test]
fn a_number_of_a_target_changes_that_target_and_nothing_else() {
    let cell = arm("rapid");
    let moves = |text: &str| {
        let ways = read_beside(&cell, "a.mod", text.as_bytes(), &[], None)
            .unwrap()
            .ways;
        assert!(ways[0].unknown.is_empty(), "{:?}", ways[0].unknown);
        ways[0].moves.clone()
    };
    let original = moves(PROGRAM);
    // Of each target: its name, where its numbers stand, and by how much the three of its position
    // move.
    for (label, number, other, delta) in [
        ("pPick", "512.5", "515.5", [3.0, 0.0, 0.0]),
        ("pPick", "-31", "-36", [0.0, -5.0, 0.0]),
        ("pPick", "402", "412", [0.0, 0.0, 10.0]),
        ("pPlace", "430", "431", [1.0, 0.0, 0.0]),
        ("pPlace", "215", "205", [0.0, -10.0, 0.0]),
    ] {
        let changed = moves(&PROGRAM.replacen(number, other, 1));
        assert_eq!(changed.len(), original.len());
        let mut met = 0;
        for (new, old) in changed.iter().zip(&original) {
            let takes = old.label == "p" && label == "pPick";
            let puts = ["one.at", "pPlace"].contains(&&*old.label) && label == "pPlace";
            if !takes && !puts {
                assert_eq!(new, old, "{number}");
                continue;
            }
            met += 1;
            let (
                super::Target::Pose {
                    frame_from_tool: a, ..
                },
                super::Target::Pose {
                    frame_from_tool: b, ..
                },
            ) = (&new.target, &old.target)
            else {
                panic!("poses");
            };
            let by = (a.translation.vector - b.translation.vector) * 1e3;
            assert!(
                (by - nalgebra::Vector3::from(delta)).norm() < 1e-9,
                "{number}: {by}"
            );
            assert_eq!(a.rotation, b.rotation);
            assert_eq!(
                (new.tool.clone(), new.zone, new.place.clone()),
                (old.tool.clone(), old.zone, old.place.clone())
            );
        }
        assert_eq!(met, 6, "{label}");
    }
    // A joint value changes the two moves home, in that joint.
    for (k, (number, other)) in [
        ("11", "12"),
        ("-22", "-23"),
        ("33", "34"),
        ("44", "45"),
        ("55", "56"),
        ("66", "67"),
    ]
    .into_iter()
    .enumerate()
    {
        let list = format!(
            "jHome:=[[{}",
            ["11", "-22", "33", "44", "55", "66"].join(",")
        );
        let changed_list = list.replacen(number, other, 1);
        let changed = moves(&PROGRAM.replacen(&list, &changed_list, 1));
        for (new, old) in changed.iter().zip(&original) {
            let (super::Target::Joints(a), super::Target::Joints(b)) = (&new.target, &old.target)
            else {
                assert_eq!(new, old);
                continue;
            };
            for joint in 0..6 {
                let by = (a[joint] - b[joint]).to_degrees();
                let right = if joint == k {
                    other.parse::<f64>().unwrap() - number.parse::<f64>().unwrap()
                } else {
                    0.0
                };
                assert!((by - right).abs() < 1e-9, "{number}: {by}");
            }
        }
    }
}
