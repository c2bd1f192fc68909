//! What programs of makers and of their inline forms write.

use super::*;

#[test]
fn data_of_inline_forms_that_no_file_declares_are_told() {
    let remedy = "declared in no file that was read; data stand in the `.dat` beside the program, or in a `$config.dat`";
    for (body, name) in [
        (
            "PDAT_ACT=PPDAT1\nFDAT_ACT=FLOST\nBAS(#PTP_PARAMS,100)\nPTP XHOME",
            "`FLOST`",
        ),
        (
            "SPTP XHOME WITH $TOOL = STOOL2(FLOST), $BASE = SBASE(FLOST.BASE_NO), $IPO_MODE = SIPO_MODE(FLOST.IPO_FRAME)",
            "`FLOST`",
        ),
        ("SLIN XP1 WITH $ORI_TYPE = SORI_TYP(LLOST)", "`LLOST`"),
        (
            "LIN XP1\n$IPO_MODE=SIPO_MODE(FLOST.IPO_FRAME)\nLIN XP1",
            "`FLOST`",
        ),
    ] {
        let told = reason(body);
        assert!(
            told.contains(name) && told.contains(remedy),
            "{body}: {told}"
        );
        assert!(!told.contains("#TCP"), "{body}: {told}");
    }
    // Of data that are there, what they say counts.
    let told = reason("FDAT_ACT=FTCP\nBAS(#PTP_PARAMS,100)\nPTP XHOME");
    assert!(told.contains("#TCP"), "{told}");
}

#[test]
fn functions_may_answer_lists() {
    let text = set("DECL CHAR T[8]\nT[]=TXT(3)\nLIN XP1")
        + "DEFFCT CHAR[128] TXT(K:IN)\nDECL INT K\nDECL CHAR S[128]\nS[]=\"a\"\nRETURN S[]\nENDFCT\n\
           GLOBAL DEFFCT REAL[3] THREE( )\nDECL REAL R[3]\nR[1]=5\nRETURN R[]\nENDFCT\n\
           DEFFCT REAL[2,2] MATRIX( )\nDECL REAL R[2,2]\nRETURN R[]\nENDFCT\n";
    assert_eq!(only(&text).moves.len(), 1);
}

#[test]
fn arguments_of_what_stands_still_may_be_left_out() {
    let call = "MsgShow(N,\"x\",H[],,,103)\nLIN XP1";
    let mut cell = cell();
    said(&mut cell).still = vec!["MsgShow".into(), "MsgAsk".into()];
    let told = |body: &str| {
        let ways = ways_in(&cell, &set(body)).unwrap_or_else(|e| panic!("{e}"));
        let unknown = ways[0].unknown.first();
        (ways[0].moves.len(), unknown.map(|u| u.reason.clone()))
    };
    assert_eq!(told(call), (1, None));
    assert_eq!(told("N=MsgAsk(N,,\"x\")\nLIN XP1"), (1, None));
    // What it is handed is not known afterwards, and what moves the arm is not passed over.
    let (_, after) = told(&call.replace("LIN XP1", "FOR N=1 TO N\nLIN XP1\nENDFOR"));
    assert!(after.is_some_and(|why| why.contains("how often")));
    for body in [
        "MsgShow(N,lost(),,1)\nLIN XP1",
        "MsgLost(N,,1)\nLIN XP1",
        "sub(1,)\nLIN XP1",
    ] {
        assert!(told(body).1.is_some(), "{body}");
    }
    let own = set("own(,1)\nLIN XP1") + "DEF own(a:IN,b:IN)\nINT a,b\nEND\n";
    let way = ways_in(&cell, &own).unwrap().remove(0);
    assert!(way.unknown[0].reason.contains("left out"), "{way:?}");
}
