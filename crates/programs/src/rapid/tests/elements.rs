//! Elements of lists where it is not known which, and loops that run nobody knows how often.

use super::*;

const DATA_HERE: &str = "PERS num k:=1;\nPERS bool go:=TRUE;\nVAR num n:=0;\nPERS num most:=3;\n\
    CONST jointtarget pts{3}:=[[[10,0,0,0,90,0],NONE],[[20,0,0,0,90,0],NONE],[[30,0,0,0,90,0],NONE]];\n\
    CONST jointtarget above{3}:=[[[11,0,0,0,90,0],NONE],[[21,0,0,0,90,0],NONE],[[31,0,0,0,90,0],NONE]];\n\
    PROC pick(jointtarget at)\nMoveAbsJ at,v100,fine,t;\nENDPROC\nVAR jointtarget here;\n";

fn read(text: &str) -> Vec<MoveProgram> {
    let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], None);
    reading.unwrap_or_else(|e| panic!("{e}")).ways
}

fn data() -> String {
    DATA_HERE.replace("NONE", "[9E9,9E9,9E9,9E9,9E9,9E9]")
}

/// The moves of each way of a `main`.
fn found(body: &str) -> Vec<String> {
    let text = cycle(&data(), &format!("MoveAbsJ j,v100,fine,t;\n{body}"));
    let ways = read(&text);
    for way in &ways {
        assert!(way.unknown.is_empty(), "{body}: {:?}", way.unknown);
    }
    ways.iter().map(short).collect()
}

/// Each element that a wait may lead to is a way of its own, on which its number stays what it is.
#[test]
fn each_element_is_a_way_of_its_own() {
    for body in [
        "WaitUntil go;\nMoveAbsJ above{k},v100,fine,t;\nMoveAbsJ pts{k},v100,fine,t;",
        "WaitUntil go;\nhere:=above{k};\nMoveAbsJ here,v100,fine,t;\nMoveAbsJ pts{k},v100,fine,t;",
        "WaitUntil go;\npick above{k};\npick pts{k};",
    ] {
        let ways = found(body);
        assert!(ways.len() >= 3, "{body}: {ways:?}");
        for (element, above) in [
            ("J[10 0", "J[11 0"),
            ("J[20 0", "J[21 0"),
            ("J[30 0", "J[31 0"),
        ] {
            let with = ways.iter().filter(|way| way.contains(element));
            let with: Vec<_> = with.collect();
            assert!(
                !with.is_empty() && with.iter().all(|way| way.contains(above)),
                "{ways:?}"
            );
        }
    }
    // A number that is handed over, or computed, is not chosen.
    for body in [
        "WaitUntil go;\nMoveAbsJ pts{k+1},v100,fine,t;",
        "WaitUntil go;\nFOR i FROM 1 TO k DO\nMoveAbsJ pts{i},v100,fine,t;\nENDFOR",
    ] {
        let text = cycle(&data(), &format!("MoveAbsJ j,v100,fine,t;\n{body}"));
        assert!(
            read(&text).iter().any(|way| !way.unknown.is_empty()),
            "{body}"
        );
    }
}

/// A loop up to a limit that is not known comes back although it counts.
#[test]
fn a_counter_up_to_a_limit_that_is_not_known_comes_back() {
    let body = "WaitUntil most>0;\nn:=0;\nWHILE n<most DO\nIncr n;\nMoveAbsJ pts{1},v100,fine,t;\nMoveAbsJ pts{2},v100,fine,t;\nENDWHILE";
    let text = cycle(&data(), &format!("MoveAbsJ j,v100,fine,t;\n{body}"));
    let bounds = crate::Bounds::default();
    let reading =
        crate::testing::read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], None, bounds);
    let ways = reading.unwrap_or_else(|e| panic!("{e}")).ways;
    assert!(
        ways.iter().all(|way| way.unknown.is_empty()),
        "{:?}",
        ways[0].unknown
    );
    // Another point depends on how often it has run.
    let body = body.replace("pts{2}", "pts{n}");
    let text = cycle(&data(), &format!("MoveAbsJ j,v100,fine,t;\n{body}"));
    assert!(read(&text).iter().any(|way| !way.unknown.is_empty()));
}
