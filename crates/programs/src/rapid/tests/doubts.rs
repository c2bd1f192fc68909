//! Programs of which the motion is another one than a first look says.

use super::*;

#[test]
fn what_a_wait_answers_is_not_known() {
    for wait in [
        "WaitDI di1,1\\MaxTime:=5\\TimeFlag:=late;",
        "WaitUntil di1=1\\MaxTime:=5\\TimeFlag:=late;",
    ] {
        let body = format!("{wait}\nIF late MoveL p,v100,fine,t;\nMoveL r,v100,fine,t;");
        assert!(ways(&module("VAR bool late;\n", &body)).len() > 1, "{wait}");
    }
    let body = "UIMsgBox \"a\"\\Buttons:=btnYesNo\\Result:=n;\nIF n=3 MoveL p,v100,fine,t;";
    assert!(ways(&module("VAR num n:=0;\n", body)).len() > 1);
}

#[test]
fn handlers_of_errors_lead_on() {
    // A function that answers something else after a time-out: both are followed.
    let free = "FUNC bool free()\nWaitDI di1,1\\MaxTime:=1;\nRETURN TRUE;\nERROR\nRETURN FALSE;\nENDFUNC\n";
    assert_eq!(
        ways(&module(free, "IF free() MoveL p,v100,fine,t;")).len(),
        2
    );
    let calc = "VAR num n;\nPROC calc()\nn:=1;\nWaitDI di1,1\\MaxTime:=1;\nn:=2;\nERROR\nRETURN;\nENDPROC\n";
    let told = reason(calc, "calc;\nMoveL Offs(p,0,0,n),v100,fine,t;");
    assert!(told.contains("the error handler of `calc`"), "{told}");
    // At its end a handler goes on where the routine was called.
    for handler in ["", "TPWrite \"late\";"] {
        let one = format!(
            "PROC one()\nMoveL p,v100,fine,t;\nWaitDI di1,1\\MaxTime:=1;\nMoveL r,v100,fine,t;\nERROR\n{handler}\nENDPROC\n"
        );
        let told = reason(&one, "one;");
        assert!(told.contains("error handler of `one`"), "{told}");
    }
}

#[test]
fn functions_run_wherever_they_stand() {
    let asks = "FUNC num seek()\nMoveL r,v100,fine,t;\nRETURN 1;\nENDFUNC\nVAR num n;\n";
    for body in [
        "TPWrite NumToStr(seek(),0);",
        "n:=StrLen(NumToStr(seek(),0));",
    ] {
        let way = known(asks, &format!("MoveL p,v100,fine,t;\n{body}"));
        assert_eq!(short(&way), "L(500 0 600) L(500 100 600)");
    }
    let told = reason(asks, "IF di1=1 AND seek()=1 MoveL p,v100,fine,t;");
    assert!(told.contains("calls this function"), "{told}");
    let told = reason(asks, "MoveLDO p,v100,fine,t,do1,seek();");
    assert!(told.contains("beside a move"), "{told}");
    let poll = "VAR num n;\nFUNC bool poll()\nn:=n+1;\nRETURN di1=1;\nENDFUNC\n";
    let told = reason(poll, "WaitUntil poll();\nMoveL Offs(p,0,0,n),v100,fine,t;");
    assert!(told.contains("how often"), "{told}");
}

#[test]
fn what_something_else_sets_is_not_what_the_file_says() {
    let go = "IF n=1 MoveL p,v100,fine,t;";
    for wait in ["WaitUntil n<>0;", "WHILE n=0 DO\nWaitTime 0.1;\nENDWHILE"] {
        let found = ways(&module("PERS num n:=0;\n", &format!("{wait}\n{go}")));
        let moves = found.iter().map(|way| way.moves.len());
        assert_eq!(moves.collect::<Vec<_>>(), [1, 0], "{wait}");
    }
    // A jump back that can go round without a move waits as well.
    let asks = "again:\nWaitTime 0.1;\nIF n=0 GOTO again;";
    let found = ways(&module("PERS num n:=0;\n", &format!("{asks}\n{go}")));
    let moves: Vec<usize> = found.iter().map(|way| way.moves.len()).collect();
    assert!(moves.contains(&1) && moves.contains(&0), "{moves:?}");
    assert!(found.iter().all(|way| way.unknown.is_empty()), "{found:?}");
    let told = reason(
        "VAR num a{2};\nVAR num k;\nPROC put(INOUT num x)\nx:=100;\nENDPROC\n",
        "k:=GInput(g);\nput a{k};\nMoveL Offs(p,0,0,a{1}),v100,fine,t;",
    );
    assert!(told.contains("ginput"), "{told}");
    let two = module("LOCAL RECORD d\nnum x;\nnum y;\nENDRECORD\n", "")
        + "MODULE b\nLOCAL RECORD d\nnum y;\nnum x;\nENDRECORD\nENDMODULE";
    assert!(ways_in(&arm("rapid"), &two).is_err());
    let local = "LOCAL PROC main()\nENDPROC\n";
    let two = module("", "MoveL p,v100,fine,t;").replace("PROC work", "PROC main");
    let two = two + "MODULE b\n" + local + "ENDMODULE";
    let told = ways_in(&arm("rapid"), &two).err().map(|e| e.to_string());
    let told = told.unwrap_or_default();
    assert!(told.contains("another routine `main`"), "{told}\n{two}");
}

#[test]
fn an_index_is_asked_for_once() {
    let data =
        "VAR num n:=0;\nVAR num v{5}:=[0,0,0,0,0];\nFUNC num next()\nn:=n+1;\nRETURN n;\nENDFUNC\n";
    for set in ["Incr v{next()};", "Add v{next()},2;", "Clear v{next()};"] {
        let told = reason(data, &format!("{set}\nIF n=1 MoveL p,v100,fine,t;"));
        assert!(told.contains("index"), "{set}: {told}");
    }
    let way = known(
        data,
        "n:=0;\nv{next()}:=1;\nIF n=1 MoveL p,v100,fine,t;\nn:=0;",
    );
    assert_eq!(way.moves.len(), 1);
}

#[test]
fn decisions_that_rounding_takes_are_not_known() {
    for bounds in ["1 TO 0 STEP 1", "0 TO 1 STEP 0.1"] {
        let body = format!("FOR i FROM {bounds} DO MoveL Offs(p,0,i,0),v100,fine,t; ENDFOR");
        assert!(reason("", &body).contains("this loop counts"));
    }
    let told = reason("", "MoveL Offs(p,0,0,Trunc(100*0.29)),v100,fine,t;");
    assert!(told.contains("32 bits"), "{told}");
    // In 64 bits the second sum is the number, in 32 it is not.
    for sum in ["0.1+0.2=0.3", "0.1+0.6=0.7"] {
        let body = format!("IF {sum} MoveL p,v100,fine,t;\nMoveL r,v100,fine,t;");
        assert_eq!(ways(&module("", &body)).len(), 2, "{sum}");
    }
    let way = known("", "IF 0.25+0.5=0.75 MoveL p,v100,fine,t;");
    assert_eq!(way.moves.len(), 1);
    for (number, says) in [
        ("-1 MOD 4", "round numbers below 0"),
        ("-7 DIV 2", "round numbers below 0"),
        // These are halves in 32 bits too.
        ("Round(2.5)", "takes a half"),
        ("Round(3.5)", "takes a half"),
        ("Round(-3.5)", "takes a half"),
        ("Round(0.25\\Dec:=1)", "takes a half"),
        ("Round(0.35\\Dec:=1)", "32 bits"),
    ] {
        let told = reason("", &format!("MoveL Offs(p,0,0,{number}),v100,fine,t;"));
        assert!(told.contains(says), "{number}: {told}");
    }
    let turned = "MoveL RelTool(p,0,0,0\\Rz:=EulerZYX(\\Z,OrientZYX(10,90,20))),v100,fine,t;";
    assert!(reason("", turned).contains("quarter turn about y"));
    let way = known("", "IF \"\\41\"=\"A\" MoveL p,v100,fine,t;");
    assert_eq!(way.moves.len(), 1);
}

#[test]
fn zones_that_may_be_larger_are_open() {
    let zone = |zone: &str| {
        known("", &format!("MoveL p,v100,{zone},t;\nMoveL r,v100,fine,t;")).moves[0].zone
    };
    assert_eq!(zone("z10"), Zone::Radius(0.015));
    assert_eq!(zone("[FALSE,1,1,1,90,1,1]"), Zone::Unknown);
    assert_eq!(zone("fine\\Z:=50"), Zone::Unknown);
}

/// Around joint moves half of both curves counts, and what the tool does within its zone.
#[test]
fn zones_at_joint_moves_are_no_less_than_stated() {
    let zones =
        |body: &str| -> Vec<Zone> { known("", body).moves.iter().map(|step| step.zone).collect() };
    let ball = Zone::Ball(0.015);
    let found = zones(
        "MoveL p,v100,z10,t;\nMoveAbsJ j,v100,z10,t;\nMoveL p,v100,z10,t;\nMoveL r,v100,z10,t;",
    );
    // Behind the last move another routine may go on with a joint move.
    assert_eq!(found, [ball, ball, Zone::Radius(0.015), ball]);
    let found = zones("MoveL p,v100,fine,t;\nMoveJ r,v100,fine,t;");
    assert_eq!(found, [Zone::Stop, Zone::Stop]);
}

/// A controller may leave out a move that moves nothing: then the zone of the one before it, too,
/// is one beside the joint move.
#[test]
fn a_point_that_stands_twice_before_a_joint_move_has_the_wider_zones() {
    let zones =
        |body: &str| -> Vec<Zone> { known("", body).moves.iter().map(|step| step.zone).collect() };
    let (z200, z0) = (0.3, 0.0003);
    let twice = "MoveL r,v100,z200,t;\nMoveL p,v100,z200,t;\nMoveL p,v100,z0,t;\n";
    assert_eq!(
        zones(&format!("{twice}MoveAbsJ j,v100,fine,t;")),
        [
            Zone::Radius(z200),
            Zone::Ball(z200),
            Zone::Ball(z0),
            Zone::Stop
        ]
    );
    assert_eq!(
        zones(&format!("{twice}MoveL r,v100,fine,t;")),
        [
            Zone::Radius(z200),
            Zone::Radius(z200),
            Zone::Radius(z0),
            Zone::Stop
        ]
    );
}

/// A first value is found out when somebody asks for it; by then what it asks for may be another.
#[test]
fn first_values_that_are_not_constant_count() {
    let sub = "PROC sub()\nVAR num n:=g;\nMoveAbsJ j,v100,fine,t;\nMoveL Offs(p,0,0,-n),v100,fine,t;\nMoveAbsJ j,v100,fine,t;\nENDPROC\n";
    let told = reason(
        &format!("VAR num g:=0;\n{sub}"),
        "g:=0;\nWHILE TRUE DO\nsub;\ng:=g+10;\nENDWHILE",
    );
    assert!(told.contains("followed"), "{told}");
    let body = "g:=50;\nMoveL Offs(p,0,0,-n),v100,fine,t;";
    let told = reason("PERS num g:=0;\nVAR num n:=g;\n", body);
    assert!(told.contains("takes constants"), "{told}");
    let told = reason(
        "PERS num g:=0;\nVAR num n{2}:=[1,g];\n",
        &body.replace("-n", "-n{2}"),
    );
    assert!(told.contains("takes constants"), "{told}");
    let way = known("PERS num g:=0;\nCONST num h:=3;\nVAR num n:=h;\n", body);
    assert_eq!(short(&way), "L(500 0 597)");
}

/// Whoever calls a routine may have set its modes.
#[test]
fn modes_of_whoever_calls_a_routine_are_told() {
    let assumed = |data: &str, body: &str| {
        let text = module(data, body);
        let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], Some("work"));
        reading.unwrap().assumed
    };
    let joint = "MoveAbsJ j,v100,fine,t;\nMoveJ p,v100,fine,t;";
    let [taken] = &assumed("", joint)[..] else {
        panic!("the configuration of a joint move");
    };
    assert!(taken.message.contains("ConfJ\\On,"), "{taken:?}");
    assert!(!taken.contradicted && taken.place.line.is_some());
    let main = "PROC main()\nConfJ\\Off;\nwork;\nENDPROC\n";
    let [taken] = &assumed(main, joint)[..] else {
        panic!("it is set elsewhere");
    };
    assert!(taken.contradicted, "{taken:?}");
    // A mode that is set back before anything is called is the same for this routine.
    for (home, contradicted) in [
        ("ConfJ\\Off;\nMoveAbsJ j,v100,fine,t;\nConfJ\\On;", false),
        ("ConfJ\\Off;\nwork;\nConfJ\\On;", true),
        ("ConfJ\\Off;\nIF g THEN\nRETURN;\nENDIF\nConfJ\\On;", true),
    ] {
        let home = format!("VAR bool g;\nPROC home()\n{home}\nENDPROC\n");
        assert_eq!(
            assumed(&home, joint)[0].contradicted,
            contradicted,
            "{home}"
        );
    }
    let line = "MoveAbsJ j,v100,fine,t;\nMoveL p,v100,fine,t;";
    assert!(assumed("", line)[0].message.contains("SingArea\\Off,"));
    for (data, body) in [
        ("", "MoveAbsJ j,v100,fine,t;".to_owned()),
        (main, format!("ConfJ\\On;\n{joint}")),
        ("", format!("SingArea\\Off;\n{line}")),
    ] {
        assert_eq!(assumed(data, &body), [], "{body}");
    }
    // `main` begins as a program does.
    let text = cycle("", joint);
    let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], None);
    assert_eq!(reading.unwrap().assumed, []);
}

/// `ConfL\Off`: nobody holds a line to the configuration that its target states.
#[test]
fn a_first_line_states_a_configuration_only_if_it_is_held_to_it() {
    let branch = |before: &str| {
        let way = known("", &format!("{before}MoveL p,v100,fine,t;"));
        pose(&way.moves[0].target).2.clone()
    };
    for held in ["", "ConfL\\Off;\nConfL\\On;\n", "ConfJ\\Off;\n"] {
        assert!(matches!(branch(held), Branch::Configuration(_)), "{held}");
    }
    assert_eq!(branch("ConfL\\Off;\n"), Branch::Continued);
}

#[test]
fn no_program_takes_for_ever_or_all_memory() {
    let long = module("VAR num n;\n", &format!("n:=1{};", "+1".repeat(40_000)));
    assert!(
        ways_in(&arm("rapid"), &long).is_err_and(|e| e.to_string().contains("a shorter statement"))
    );
    let and = "IF NOT b AND NOT b AND NOT b AND NOT b AND NOT b AND NOT b AND NOT b AND NOT b AND NOT b AND NOT b AND NOT b MoveL p,v100,fine,t;";
    assert!(reason("VAR bool b;\n", and).contains("parentheses"));
    let told = reason(
        "VAR num a{100000,100000};\n",
        "MoveL Offs(p,0,0,a{1,1}),v100,fine,t;",
    );
    assert!(told.contains("elements"), "{told}");
    let grows = "s:=\"a\";\nFOR i FROM 1 TO 60 DO s:=s+s; ENDFOR\nIF s=\"b\" MoveL p,v100,fine,t;";
    assert!(reason("VAR string s;\n", grows).contains("80 characters"));
    let endless = "RECORD a\na x;\na y;\nENDRECORD\nVAR a v;\n";
    assert!(ways(&module(endless, "IF v.x=v.y MoveL p,v100,fine,t;")).len() > 1);
    // A counter that nothing resets, in what runs again and again.
    let text = cycle(
        "VAR num k:=0;\n",
        "k:=k+1;\nIF k=1000000 MoveL p,v100,fine,t;\nMoveL r,v100,fine,t;",
    );
    let told = ways(&text);
    assert!(told[0].unknown[0].reason.contains("followed"));
}

#[test]
fn sums_that_32_bits_round_decide_nothing() {
    let go = "MoveL p,v100,fine,t;";
    // Whether the last round is run, and how often.
    for to in ["0.29*100", "0.2*45", "0.2+0.8+0.9+0.1"] {
        let told = reason("", &format!("FOR i FROM 0.5*2 TO {to} DO {go} ENDFOR"));
        assert!(told.contains("fractions"), "{to}: {told}");
    }
    let falls = format!("z:=0.3;\nWHILE z>0 DO\n{go}\nz:=z-0.1;\nENDWHILE");
    assert_eq!(ways(&module("VAR num z;\n", &falls)).len(), 2);
    for asks in [
        "0.1+0.2-0.3=0",
        "[0.1+0.2,0,0]=[0.3,0,0]",
        "0.2*45=9",
        "[1,2,3]*0.1=[0.1,0.2,0.3]",
        "16777216+1=16777216",
        "4.5/0.5*0.2*5=9",
    ] {
        let body = format!("IF {asks} {go}\nMoveL r,v100,fine,t;");
        assert_eq!(ways(&module("", &body)).len(), 2, "{asks}");
    }
    let sums = format!("z:=0;\nFOR i FROM 1 TO 45 DO z:=z+0.2; ENDFOR\nIF z=9 {go}");
    assert_eq!(ways(&module("VAR num z;\n", &sums)).len(), 2);
    let test = format!("TEST [0.1+0.2,0,0]\nCASE [0.3,0,0]: {go}\nENDTEST\nMoveL r,v100,fine,t;");
    assert_eq!(ways(&module("", &test)).len(), 2);
    // What 32 bits hold is what it is, and what lies apart is not the same.
    for asks in [
        "0.25*4=1",
        "0-0.3<0",
        "Abs(0)<0.0001",
        "[1,2,3]=[1,2,3]",
        "2.5/0.5=5",
    ] {
        let way = known("", &format!("IF {asks} {go}"));
        assert_eq!(way.moves.len(), 1, "{asks}");
    }
}

#[test]
fn variables_that_are_handed_over_are_what_an_error_leaves() {
    let go = "n:=0;\ncalc n;\nMoveL Offs(p,0,0,n),v100,fine,t;";
    for (body, handler) in [
        ("x:=1;\nWaitDI di1,1\\MaxTime:=1;\nx:=2;", "RETURN;"),
        ("WaitDI di1,1\\MaxTime:=1;", "x:=5;\nTRYNEXT;"),
        ("put x;\nWaitDI di1,1\\MaxTime:=1;\nx:=2;", "RETURN;"),
    ] {
        let data = format!(
            "VAR num n;\nPROC put(INOUT num y)\ny:=7;\nENDPROC\nPROC calc(INOUT num x)\n{body}\nERROR\n{handler}\nENDPROC\n"
        );
        let told = reason(&data, go);
        assert!(told.contains("error"), "{body}: {told}");
    }
    // What it only reads stays.
    let reads = "PROC calc(INOUT num x)\nWaitDI di1,1\\MaxTime:=x;\nERROR\nTRYNEXT;\nENDPROC\n";
    known(&format!("VAR num n;\n{reads}"), go);
}

#[test]
fn another_routine_than_main_finds_what_it_has_left() {
    let body = "n:=n+1;\nMoveL Offs(p,0,0,n),v100,fine,t;";
    let told = reason("VAR num n:=0;\n", body);
    assert!(told.contains("at the next start"), "{told}");
    let way = known("VAR num n:=0;\n", &format!("n:=0;\n{body}"));
    assert_eq!(short(&way), "L(500 0 601)");
    // `reg1` is every controller's own.
    let way = known(
        "",
        &format!("n:=0;\n{body}")
            .replace("n:", "reg1:")
            .replace(",n)", ",reg1)")
            .replace("=n+", "=reg1+"),
    );
    assert_eq!(short(&way), "L(500 0 601)");
    let told = reason("", "MoveL Offs(p,0,0,reg1),v100,fine,t;");
    assert!(told.contains("value from before"), "{told}");
    let text = cycle(
        "",
        "IF reg1=1 THEN\nMoveL p,v100,fine,t;\nreg1:=2;\nELSE\nMoveL r,v100,fine,t;\nreg1:=1;\nENDIF",
    );
    let found: Vec<_> = ways(&text).iter().map(short).collect();
    assert!(
        found
            .iter()
            .all(|w| w.contains("(500 0 600)") && w.contains("(500 100 600)")),
        "{found:?}"
    );
}

#[test]
fn what_only_asks_keeps_what_it_is_handed() {
    let body = "n:=1;\ns:=NumToStr(n,0);\nq:=CRobT(\\Tool:=t\\WObj:=w);\nSocketSend sock\\Str:=s;\nSpeedRefresh 50;\n\
        MoveL Offs(p,0,0,NumToDnum(n)),v100,fine,t\\WObj:=w;";
    let data = "VAR num n;\nVAR string s;\nVAR robtarget q;\nVAR socketdev sock;\n";
    known(data, body);
    for sets in ["StrToVal(s,n)", "TestAndSet(n)"] {
        let body = format!("n:=1;\nIF {sets} Stop;\nMoveL Offs(p,0,0,n),v100,fine,t;");
        assert!(
            reason(data, &body).contains("only the controller knows"),
            "{sets}"
        );
    }
    for sets in [
        "BookErrNo n;",
        "SocketReceive sock\\Str:=s\\NoRecBytes:=n;",
        "BitSet n,1;",
    ] {
        let body = format!("n:=1;\n{sets}\nMoveL Offs(p,0,0,n),v100,fine,t;");
        assert!(
            reason(data, &body).contains("only the controller knows"),
            "{sets}"
        );
    }
}

#[test]
fn large_lists_are_counted_wherever_they_are_copied() {
    for (data, body) in [
        ("PROC one()\nVAR num c{100000};\nENDPROC\n", "one;"),
        ("PROC two(num c{*})\nENDPROC\n", "two a;"),
        ("VAR num b{100000};\n", "b:=a;"),
    ] {
        let data = format!("CONST num n:=100000;\nVAR num a{{n}};\n{data}");
        let body = format!("FOR i FROM 1 TO 1500 DO {body} ENDFOR\nMoveL p,v100,fine,t;");
        let told = reason(&data, &body);
        assert!(told.contains("so much was computed"), "{body}: {told}");
    }
}

/// An error handler moves wherever in it a function does: in the head of a statement that has
/// others in it, in what it answers, in the first value of a variable of what it calls.
#[test]
fn functions_in_an_error_handler_may_move() {
    let told = |handler: &str, moves: &str| {
        let data = format!(
            "PROC grip()\nWaitDI di1,1\\MaxTime:=2;\nERROR\n{handler}\nENDPROC\n\
             FUNC num lift()\n{moves}\nRETURN 1;\nENDFUNC\n\
             PROC tell()\nVAR num k:=lift();\nTPWrite \"x\";\nENDPROC\n"
        );
        let found = ways(&cycle(&data, "MoveAbsJ j,v100,fine,t;\ngrip;"));
        let mut unknown = found.iter().flat_map(|way| &way.unknown);
        unknown.any(|why| why.reason.contains("error handler"))
    };
    for handler in [
        "IF lift()=1 THEN\nTPWrite \"x\";\nENDIF",
        "IF di1=0 THEN\nTPWrite \"x\";\nELSEIF lift()=1 THEN\nTPWrite \"y\";\nENDIF",
        "WHILE lift()=2 DO\nTPWrite \"x\";\nENDWHILE",
        "TEST lift()\nCASE 1:\nTPWrite \"x\";\nENDTEST",
        "TEST 1\nCASE lift():\nTPWrite \"x\";\nENDTEST",
        "FOR i FROM 1 TO lift() DO\nTPWrite \"x\";\nENDFOR",
        "IF lift()=1 EXIT;\nRAISE;",
        "RAISE lift();",
        "tell;",
    ] {
        assert!(told(handler, "MoveAbsJ j,v100,fine,t;"), "{handler}");
        assert!(!told(handler, "TPWrite \"z\";"), "{handler}");
    }
    // A function answers in its handler.
    let data = "FUNC num ask()\nRETURN 1;\nERROR\nRETURN lift();\nENDFUNC\n\
        FUNC num lift()\nMoveAbsJ j,v100,fine,t;\nRETURN 1;\nENDFUNC\nVAR num n;\n";
    let told = reason(data, "n:=ask();\nMoveAbsJ j,v100,fine,t;");
    assert!(told.contains("error handler"), "{told}");
}

/// The first values of a routine's own variables are computed in each call.
#[test]
fn functions_in_first_values_may_move() {
    let data = |first: &str| {
        format!(
            "VAR num n:=0;\nPROC tell()\nVAR num k:={first};\nTPWrite \"x\";\nENDPROC\n\
             FUNC num lift()\nMoveAbsJ side,v100,fine,t;\nRETURN 1;\nENDFUNC\n\
             CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n"
        )
    };
    let of = |first: &str, call: &str| {
        let found = ways(&module(
            &data(first),
            &format!("MoveAbsJ j,v100,fine,t;\n{call}"),
        ));
        let known = found.iter().all(|way| way.unknown.is_empty());
        known.then_some(found.len())
    };
    assert_eq!(of("1", "IF di1=1 tell;"), Some(1));
    assert_eq!(of("lift()", "IF di1=1 tell;"), Some(2));
    // Within another choice, too.
    let nested = "IF di2=1 THEN\nIF n=0 tell;\nENDIF";
    assert_eq!(of("1", nested), Some(1));
    assert_eq!(of("lift()", nested), Some(2));
}
