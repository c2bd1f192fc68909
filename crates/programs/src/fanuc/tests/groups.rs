//! Groups beside the arm that stand still or are left out.

use super::*;

fn leaving_out() -> LoadedCell {
    let mut cell = arm("fanuc");
    said(&mut cell).not_modelled = [("GP2".to_owned(), "a gun".to_owned())].into();
    cell
}

#[test]
fn what_is_set_of_a_group_that_is_left_out_is_passed_over() {
    let mut still = arm("fanuc");
    said(&mut still).still = vec!["GP2".into()];
    for line in [
        "UFRAME_NUM[GP2]=1",
        "UTOOL_NUM[GP2]=R[5]",
        "PR[GP2:10,1]=($PARAM_GROUP[2].$LOWERLIMS[1]+20)",
        "PR[GP2:11,1:open]=(GI[25]*(-.2))",
    ] {
        let text = listing(&format!("UFRAME_NUM=1\n{line}\nJ P[1] 50% FINE"));
        for cell in [&leaving_out(), &still] {
            let way = ways_in(cell, &text, &[]).remove(0);
            assert_eq!(
                (way.moves.len(), way.unknown.len()),
                (1, 0),
                "{line}: {way:?}"
            );
        }
        // Of another group than that it is not known.
        let text = text.replace("GP2", "GP3");
        for (cell, text) in [(leaving_out(), &text), (arm("fanuc"), &text)] {
            assert_eq!(ways_in(&cell, text, &[])[0].unknown.len(), 1, "{line}");
        }
    }
    // The arm's own part is what it was.
    let text =
        listing("UFRAME_NUM=1\nUTOOL_NUM=2\nPR[3]=P[2]\nPR[GP2:3,1]=5\nL PR[3] 50mm/sec FINE");
    let without = text.replace("PR[GP2:3,1]=5", "!");
    let moves = |text: &str| ways_in(&leaving_out(), text, &[]).remove(0);
    assert_eq!(moves(&text).unknown, []);
    assert_eq!(moves(&text).moves, moves(&without).moves);
}

#[test]
fn programs_that_only_move_a_group_that_is_left_out_are_passed_over() {
    let text = listing("J P[1] 50% CNT50\nCALL DRESS\nJ P[1] 50% FINE");
    let dress = |body: &str| {
        listing(body)
            .replace("/PROG  A", "/PROG  DRESS")
            .replace("1,*,*,*,*", "*,1,*,*,*")
    };
    let read = |cell: &LoadedCell, body: &str| {
        ways_in(cell, &text, &[("DRESS.LS", &dress(body))]).remove(0)
    };
    let way = read(&leaving_out(), "DO[1]=ON\nJ P[1] 50% FINE\nR[1]=2");
    assert_eq!((way.moves.len(), way.unknown.len()), (2, 0), "{way:?}");
    let moved = way
        .passed_over
        .contains(&("moves of other groups".into(), 1));
    assert!(moved, "{way:?}");
    assert!(!read(&arm("fanuc"), "J P[1] 50% FINE").unknown.is_empty());
    for body in [
        "J P[1] 50% FINE TB .5sec,CALL A",
        "UTOOL_NUM=2\nJ P[1] 50% FINE",
        "PR[1]=LPOS\nJ P[1] 50% FINE",
    ] {
        assert!(!read(&leaving_out(), body).unknown.is_empty(), "{body}");
    }
}
