//! Programs that one controller reads otherwise than another one.

use super::*;
use crate::testing::own_ways;

/// How many ways lead through these statements and a choice behind them, all of them known.
fn ways_of(list: &str, body: &str, condition: &str, behind: &str) -> usize {
    let data = LIST.replace("ENDDAT", &format!("{list}ENDDAT"));
    let text = set(&format!(
        "PTP XHOME\n{body}\nIF {condition} THEN\nPTP {{A1 30}}\nELSE\nPTP {{A1 60}}\nENDIF"
    )) + behind;
    let reading = read_beside(&cell(), "a.src", text.as_bytes(), &[("a.dat", &data)], None);
    let ways = reading.unwrap_or_else(|e| panic!("{e}")).ways;
    assert!(ways.iter().all(|way| way.unknown.is_empty()), "{ways:?}");
    own_ways(&ways)
}

/// Regression: `$VEL.CP` stayed what the program had set it to.
#[test]
fn speeds_that_bas_sets_are_not_what_the_program_set() {
    for command in ["#VEL_CP,0.5", "#INITMOV,0"] {
        let body = format!("$VEL.CP=2\nBAS({command})");
        assert_eq!(ways_of("", &body, "$VEL.CP>1", ""), 2, "{command}");
    }
    assert_eq!(
        ways_of("", "BAS(#VEL_CP,0.5)\n$VEL.CP=2", "$VEL.CP>1", ""),
        1
    );
    assert_eq!(ways_of("", "$VEL.CP=2\nBAS(#TOOL,1)", "$VEL.CP>1", ""), 1);
    let speed = |body: &str| known(&format!("{body}\nLIN XP1")).moves[0].speed;
    assert_eq!(speed("BAS(#VEL_CP,0.5)\n$VEL.CP=2"), Speed::Tool(2.0));
    assert_eq!(speed("$VEL.CP=2\nBAS(#VEL_CP,0.5)"), Speed::Tool(0.5));
}

/// Regression: `'HFFFFFFFF'` was taken for 4294967295; controllers may take it for -1.
#[test]
fn constants_beyond_32_bits_are_not_known() {
    for number in [
        "'HFFFFFFFF'",
        "'B11111111111111111111111111111111'",
        "4294967295",
    ] {
        assert_eq!(
            ways_of("", "N=-1", &format!("N=={number}"), ""),
            2,
            "{number}"
        );
    }
    for number in ["'H7FFFFFFF'", "2147483647"] {
        assert_eq!(
            ways_of("", "N=-1", &format!("N=={number}"), ""),
            1,
            "{number}"
        );
    }
}

/// Regression: what is handed over in parentheses was taken to come back changed.
#[test]
fn a_variable_in_parentheses_may_be_a_value() {
    let routine = |sort: &str| format!("DEF sub(x :{sort})\nINT x\nx=x+1\nEND\n");
    let text = set("PTP XHOME\nN=3\nsub((N))\nPTP {A1 N}") + &routine("OUT");
    let told = &ways_in(&cell(), &text).unwrap()[0].unknown[0].reason;
    assert!(told.contains("in parentheses"), "{told}");
    assert_eq!(ways_of("", "N=3\nsub((N))", "N==3", &routine("IN")), 1);
    assert_eq!(ways_of("", "N=3\nsub(N)", "N==3", &routine("OUT")), 1);
    let reads = "DEF sub(x :OUT)\nINT x\n$OUT[x]=TRUE\nEND\n";
    assert_eq!(ways_of("", "N=3\nsub((N))", "N==3", reads), 1);
}

/// Regression: numbers that functions and `:` compute were taken for exact.
#[test]
fn what_functions_compute_is_rounded() {
    let list = "DECL FRAME F\n";
    for (body, condition) in [
        ("", "SIN(90)==1"),
        ("", "SQRT(0.1*0.1+0.2)>=0"),
        (
            "F={X 0.1,Y 0,Z 0,A 0,B 0,C 0}\nF=F:{X 2.9,Y 0,Z 0,A 0,B 0,C 0}",
            "F.X>=3",
        ),
    ] {
        let count = if condition.starts_with("SQRT") { 1 } else { 2 };
        assert_eq!(ways_of(list, body, condition, ""), count, "{condition}");
    }
    assert_eq!(ways_of(list, "", "SQRT(16.0)==4", ""), 1);
}

/// Regression: words of enumerations, records, indices and bounds were not among what a wait brings.
#[test]
fn a_wait_brings_what_chooses_in_any_way() {
    let list = "ENUM MTYP PARTA,PARTB\nDECL MTYP MODE=#PARTA\nSTRUC OTYP INT NR, BOOL OK\n\
        DECL OTYP ORDR={NR 0,OK FALSE}\nDECL BOOL START=FALSE\nDECL INT K=1\n";
    for condition in ["MODE==#PARTB", "ORDR.NR==1", "H[K]>15"] {
        assert_eq!(
            ways_of(list, "WAIT FOR START", condition, ""),
            2,
            "{condition}"
        );
        assert_eq!(ways_of(list, "", condition, ""), 1, "{condition}");
    }
    let data = LIST.replace("ENDDAT", &format!("{list}ENDDAT"));
    let text = set("PTP XHOME\nWAIT FOR START\nFOR N=1 TO K\nPTP {A1 N*30}\nENDFOR");
    let reading = read_beside(&cell(), "a.src", text.as_bytes(), &[("a.dat", &data)], None);
    assert!(
        reading
            .unwrap()
            .ways
            .iter()
            .any(|way| !way.unknown.is_empty())
    );
}

/// Regression: the last value of a loop was asked for before its first one was set.
#[test]
fn a_loop_to_its_own_counter_is_not_certain() {
    let told = reason("N=0\nFOR N=2 TO N\nPTP {A1 N*30}\nENDFOR");
    assert!(told.contains("a bound of this loop"), "{told}");
}
