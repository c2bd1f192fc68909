//! Functions that change what stands beside them.

use super::*;

/// Functions with one argument, which they set or not, or a variable of the list, or the arm.
const FUNCTIONS: &str = "DEFFCT INT f(x :OUT)\nINT x\nx=x+10\nRETURN 1\nENDFCT\n\
DEFFCT INT g(x :IN)\nINT x\nx=x+10\nRETURN x\nENDFCT\n\
DEFFCT INT h2(x)\nINT x\nRETURN x\nENDFCT\n\
DEFFCT INT outer(x :IN)\nINT x\nN=N+x\nRETURN x\nENDFCT\n\
DEFFCT INT deep(x :OUT)\nINT x\nRETURN f(x)\nENDFCT\n\
DEFFCT INT wide(x :IN)\nINT x\nsetn()\nRETURN x\nENDFCT\nDEF setn()\nN=7\nEND\n\
DEFFCT INT two(x :IN,y :IN)\nINT x,y\nRETURN x+y\nENDFCT\n\
DEFFCT INT asks(x :IN)\nINT x\nRETURN N+x\nENDFCT\n\
DEFFCT INT fact(x :IN)\nINT x\nIF x<2 THEN\nRETURN 1\nENDIF\nRETURN x*fact(x-1)\nENDFCT\n\
DEFFCT INT goes(x :IN)\nINT x\nLIN XP1\nRETURN x\nENDFCT\n\
DEF within(p :OUT)\nINT p,J\nJ=p+outer(1)\nPTP {A1 J,A2 0,A3 0,A4 0,A5 0,A6 0}\nEND\n";

const AXIS: &str = "PTP {A1 J,A2 0,A3 0,A4 0,A5 0,A6 0}";

fn text(body: &str) -> String {
    set(&format!("INT J\nN=3\n{body}")) + FUNCTIONS
}

fn told(body: &str) -> String {
    let ways = ways_in(&cell(), &text(body)).unwrap_or_else(|e| panic!("{body}: {e}"));
    let first = ways.iter().find_map(|w| w.unknown.first());
    first.map_or(String::new(), |why| why.reason.clone())
}

#[test]
fn the_order_of_parts_that_depend_on_each_other_is_not_certain() {
    for value in [
        "N+f(N)",
        "f(N)+N",
        "2*(N+1)-f(N)",
        "f(N)*N/2",
        "N+deep(N)",
        "N+outer(1)",
        "N+wide(1)",
        "H[N-2]+f(N)",
        "ABS(N)+f(N)",
        "N B_AND f(N)",
        "1+ATAN2(N,f(N))",
        "two(N,f(N))",
        "-N+f(N)",
        "f(N)+outer(1)",
        "asks(1)+f(N)",
        "g(N)+f(N)",
        "g(N+f(N))",
        "goes(1)+goes(2)",
    ] {
        let told = told(&format!("J={value}\n{AXIS}"));
        assert!(
            told.contains("comes first is not certain"),
            "{value}: {told}"
        );
    }
    for body in [
        "IF N+f(N)==4 THEN\nLIN XP1\nENDIF",
        "IF N==f(N) THEN\nLIN XP1\nENDIF",
    ] {
        assert_eq!(ways_in(&cell(), &text(body)).unwrap().len(), 2, "{body}");
    }
    for body in [
        "within(N)",
        "H[N-2]=f(N)\nLIN XP1",
        "H[f(N)]=N\nLIN XP1",
        "LIN {X N,Y f(N),Z 0,A 0,B 0,C 0}",
        "LIN XP1\nLIN {X N,Y f(N)}",
    ] {
        let told = told(body);
        assert!(
            told.contains("comes first is not certain"),
            "{body}: {told}"
        );
    }
}

#[test]
fn functions_beside_what_they_leave_alone_are_computed() {
    for (value, right) in [
        ("f(N)", "1"),
        ("f(N)+2", "3"),
        ("N+g(N)", "16"),
        ("N+h2(N)", "6"),
        ("N+g(4)*2", "31"),
        ("N+asks(1)", "7"),
        ("g(1)+g(N)", "24"),
        ("N*fact(4)", "72"),
        ("two(N,g(2))", "15"),
        ("two(f(N),4)", "5"),
    ] {
        let way = only(&text(&format!("J={value}\n{AXIS}")));
        assert_eq!(short(&way), format!("J[{right} 0 0 0 0 0]"), "{value}");
    }
    // What a function does counts, whatever comes of its value.
    let way = only(&text("J=N+f(N)\nPTP {A1 N,A2 0,A3 0,A4 0,A5 0,A6 0}"));
    assert_eq!(short(&way), "J[13 0 0 0 0 0]");
    let way = only(&text("J=N+goes(1)"));
    assert_eq!(short(&way), "L(500 0 600)");
    // A quotient is that of whole numbers all the same.
    let way = only(&text(&format!("J=(N+g(N))/3\n{AXIS}")));
    assert_eq!(short(&way), "J[5 0 0 0 0 0]");
    let way = only(&text("LIN XP1\nLIN {X g(N),Z N}"));
    assert_eq!(short(&way), "L(500 0 600) L(13 0 3)");
}
