//! Ways that join, and what only a job itself sets.

use super::*;
use crate::lines::testing::{BESIDE_THE_FOOT, PULSES, ROUND_THE_FOOT};

#[test]
fn main_loops_of_jobs_end_where_they_come_back() {
    let asks: String = (1..=3)
        .map(|k| {
            format!(
                "IFTHENEXP IN#({k})=ON\nMOVJ C0000{} VJ=10.00 PL=0\nENDIF\n",
                k % 3
            )
        })
        .collect();
    let all = ways(&format!("*L\nMOVJ C00000 VJ=10.00 PL=0\n{asks}JUMP *L"));
    assert!(all.len() <= 40, "{}", all.len());
    for way in &all {
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
        assert!(way.goes_round);
    }
    let alarms: String = (1..=9)
        .map(|k| {
            format!("IFTHENEXP IN#({k})=ON\nDOUT OT#({k}) ON\nELSE\nDOUT OT#({k}) OFF\nENDIF\n")
        })
        .collect();
    let way = known(&format!(
        "MOVJ C00000 VJ=10.00\n{alarms}MOVJ C00001 VJ=10.00"
    ));
    assert_eq!(way.moves.len(), 2);
}

#[test]
fn nothing_else_sets_a_variable_of_the_job_itself() {
    let round = |set: &str| {
        let body = format!(
            "SET B000 1\n*A\n{set}\nMOVJ C00000 VJ=10.00 PL=0\nIFTHENEXP LB000=1\nMOVJ C00001 VJ=10.00 PL=0\nENDIF\nJUMP *A"
        );
        let ways = ways(&body);
        assert!(ways.iter().all(|way| way.unknown.is_empty()), "{ways:?}");
        ways.len()
    };
    assert_eq!(round("SET LB000 1"), 1);
    // Of what something else sets, both answers are followed.
    assert!(round("SET LB000 B000") > 1);
}

#[test]
fn a_position_from_elsewhere_concerns_those_of_its_number_alone() {
    let list = format!("{LIST}P00002=10.000,0.000,50.000,0.0000,0.0000,0.0000\n");
    let list = list.replace("C00003", "C00004").replace("RECTAN\n///RCONF 0,0,0,0,0,0\nC00004=500.000,100.000,300.000,180.0000,0.0000,90.0000\n///POSTYPE ROBOT\n", "PULSE\n").replace("P00001=0.000,0.000,50.000,0.0000,0.0000,0.0000", "P00001=11000,40000,45000,32000,45000,30000").replace("P00002=10.000,0.000,50.000,0.0000,0.0000,0.0000", "P00002=12000,40000,45000,32000,45000,30000").replace("///USER 1\n///POSTYPE USER\n", "");
    let of = |body: &str| ways_in(&arm("inform"), &job(&list, body), &[]).remove(0);
    for first in [
        "GETS PX001 $PX000",
        "CNVRT PX001 PX002 BF",
        "SET LP001 P002",
    ] {
        let way = of(&format!("{first}\nMOVJ P002 VJ=10.00"));
        assert!(way.unknown.is_empty(), "{first}: {:?}", way.unknown);
        let way = of(&format!("{first}\nMOVJ P001 VJ=10.00"));
        assert_eq!(way.unknown.is_empty(), first.starts_with("SET"), "{first}");
    }
    // At the next start it is not what the list says.
    let way = of("MOVJ P001 VJ=10.00\nGETS PX001 $PX000");
    assert!(!way.unknown.is_empty());
    let told = reason(&job(LIST, "ARCON ASF#(1)"));
    assert!(told.contains("still = [\"ARCON\", \"ARCOF\"]"), "{told}");
}

/// A loop that is counted, and lines that come to the same point.
#[test]
fn ways_join_in_counted_loops_and_from_other_lines() {
    let grip = "IFTHENEXP IN#(3)=ON\nDOUT OT#(1) ON\nENDIF\n";
    let by_jump = format!(
        "SET B000 0\n*A\nMOVJ C00001 VJ=50.00 PL=0\n{grip}MOVJ C00002 VJ=50.00 PL=0\nINC B000\nJUMP *A IF B000<10"
    );
    let by_while = format!(
        "SET B000 0\nWHILEEXP B000<10\nMOVJ C00001 VJ=50.00 PL=0\n{grip}MOVJ C00002 VJ=50.00 PL=0\nINC B000\nENDWHILE"
    );
    for body in [by_jump, by_while] {
        assert_eq!(known(&body).moves.len(), 20, "{body}");
    }
    // The arm stands elsewhere at the end of a round, and is asked for the same count.
    let all = ways(
        "SET B000 0\nWHILEEXP B000<10\nIFTHENEXP IN#(3)=ON\nMOVJ C00001 VJ=50.00 PL=0\nELSE\nMOVJ C00002 VJ=50.00 PL=0\nENDIF\nINC B000\nENDWHILE",
    );
    assert!(all.iter().all(|way| way.unknown.is_empty()), "{all:?}");
    let asks: String = (1..=6)
        .map(|k| format!("IFTHENEXP IN#({k})=ON\nMOVJ C00001 VJ={k}0.00 PL=0\nMOVJ C00000 VJ={k}0.00 PL=0\nENDIF\n"))
        .collect();
    let all = ways(&format!("MOVJ C00000 VJ=10.00 PL=0\n*L\n{asks}JUMP *L"));
    for way in &all {
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    }
}

/// A wrist that turns on leaves the configuration that its points state, which is seen where the motion
/// is laid.
#[test]
fn a_loop_of_lines_comes_back() {
    // Only the last joint turns between them.
    let position = |(number, turned): (usize, usize)| {
        format!("C0000{number}=886.603,0.000,1050.000,{turned}.0000,30.0000,0.0000\n")
    };
    let positions: String = [(1, 0), (2, 60)].map(position).concat();
    let list = format!(
        "///TOOL 0\n///POSTYPE PULSE\n///PULSE\nC00000=0,0,0,0,{},0\n///POSTYPE ROBOT\n///RECTAN\n///RCONF 0,0,0,0,0,0\n{positions}",
        -30.0 * PULSES[4]
    );
    let looped = |points: &[usize], end: &str| {
        let line = |k: &usize| format!("MOVL C0000{k} V=9.0 PL={end}\n");
        let lines: String = points.iter().map(line).collect();
        let body = format!(
            "MOVJ C00000 VJ=10.00 PL=0\n*L\n{lines}JUMP *L IF IN#(1)=ON\nMOVL C00001 V=9.0 PL=0"
        );
        ways_in(&arm("inform"), &job(&list, &body), &[])
    };
    for end in ["0", "3"] {
        let ways = looped(&[1, 2], end);
        let moves: usize = ways.iter().map(|way| way.moves.len()).sum();
        assert!(moves < 30, "{moves}");
        assert!(ways.iter().all(|way| way.unknown.is_empty()), "{ways:?}");
    }
}

/// Incremental moves state no configuration: a loop of them that leads round the foot of the arm comes
/// back to its pose with the first joint a turn further.
#[test]
fn a_loop_of_increments_comes_back_if_the_arm_stands_the_same() {
    let read = |steps: &[[i32; 3]]| {
        // The tool points down all the time.
        let mut list = format!(
            "///TOOL 0\n///POSTYPE PULSE\n///PULSE\nC00000=0,0,0,0,{},0\n///POSTYPE ROBOT\n///RECTAN\n///RCONF 0,0,0,0,0,0\n\
             C00001=800.000,0.000,1000.000,0.0000,90.0000,0.0000\n",
            -90.0 * PULSES[4]
        );
        let mut lines = String::new();
        for ([x, y, z], number) in steps.iter().zip(1..) {
            list += &format!("P0000{number}={x}.000,{y}.000,{z}.000,0.0000,0.0000,0.0000\n");
            lines += &format!("IMOV P00{number} V=9.0 RF PL=0\n");
        }
        let body = format!("MOVJ C00000 VJ=10.00 PL=0\nMOVL C00001 V=9.0 PL=0\n*L\n{lines}JUMP *L");
        let [way] = <[_; 1]>::try_from(ways_in(&arm("inform"), &job(&list, &body), &[])).unwrap();
        assert!(way.goes_round && way.moves.len() < 30, "{way:?}");
        way.unknown.first().map(|first| first.reason.clone())
    };
    assert_eq!(read(&BESIDE_THE_FOOT), None);
    let told = read(&ROUND_THE_FOOT).unwrap_or_default();
    assert!(told.contains("does not stand as it did"), "{told}");
}
