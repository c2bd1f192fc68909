//! Conditions, loops and other modules, and what is refused.

use super::*;

#[test]
fn open_conditions_make_ways_and_harmless_ones_none() {
    let found = ways(&module(
        "VAR num n;\n",
        "MoveAbsJ j,v100,fine,t;\nIF di1=1 THEN\n SetDO do1,1;\n n:=5;\nENDIF\nWaitUntil di2=1;\nIF di3=1 MoveL p,v100,fine,t;\n\
         WHILE di4=0 DO\n WaitTime 0.1;\nENDWHILE\nMoveL r,v100,fine,t;",
    ));
    let told: Vec<_> = found.iter().map(|w| (&*w.name, short(w))).collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].0, "work; line 12: di3 = 1 is true");
    assert_eq!(
        told[0].1,
        "J[10 -20 30 40 50 60] L(500 0 600) L(500 100 600)"
    );
    assert_eq!(told[1].1, "J[10 -20 30 40 50 60] L(500 100 600)");
    assert!(found.iter().all(|w| w.unknown.is_empty()));
    let passed: Vec<_> = found[0]
        .passed_over
        .iter()
        .map(|(w, n)| (&**w, *n))
        .collect();
    assert_eq!(passed, [("setdo", 1), ("waittime", 1), ("waituntil", 1)]);
    // Where moves depend on what such a branch sets, both ways are gone.
    let found = ways(&cycle(
        "VAR num n;\n",
        "IF di1=1 n:=5;\nMoveL Offs(p,0,0,n),v100,fine,t;",
    ));
    let told: Vec<_> = found.iter().map(short).collect();
    // The next round of `main` begins with what the last one has left, and with an answer of its
    // own.
    assert_eq!(
        told,
        [
            "L(500 0 605) L(500 0 605) L(500 0 605)",
            "L(500 0 600) L(500 0 605)",
            "L(500 0 600) L(500 0 600)"
        ]
    );
    let told = reason(
        "VAR num n;\n",
        "TPReadNum n,\"how many\";\nMoveL Offs(p,0,0,n),v100,fine,t;",
    );
    assert!(told.contains("tpreadnum"), "{told}");
}

#[test]
fn loops_end_where_they_come_back() {
    // A counter that is only shown does not keep a loop from coming back.
    let way = known(
        "VAR num n;\n",
        "MoveAbsJ j,v100,fine,t;\nWHILE TRUE DO\n MoveL p,v100,z10,t;\n MoveJ r,v100,fine,t;\n n:=n+1;\n TPWrite \"n\"\\Num:=n;\nENDWHILE",
    );
    assert!(short(&way).starts_with(
        "J[10 -20 30 40 50 60] L(500 0 600) J(500 100 600) L(500 0 600) J(500 100 600)"
    ));
    // Whether the arm then stands as it did is seen where the motion is laid (`rounds.rs`).
    let way = known(
        "",
        "MoveL p,v100,fine,t;\nConfJ\\Off;\nWHILE TRUE DO\n MoveL p,v100,fine,t;\n MoveJ r,v100,fine,t;\nENDWHILE",
    );
    assert!(way.goes_round && way.moves.len() == 5);
    // `main` starts anew, and what it has left behind counts.
    let text = cycle(
        "VAR num state;\n",
        "TEST state\nCASE 0: MoveAbsJ j,v100,fine,t; state:=1;\nCASE 1: MoveL p,v100,fine,t; state:=2;\nCASE 2: Stop; ENDTEST",
    );
    let [way] = <[_; 1]>::try_from(ways(&text)).unwrap();
    assert_eq!(short(&way), "J[10 -20 30 40 50 60] L(500 0 600)");
    // It begins anew with the way back to its first point, unless it ends there. A corner behind
    // that is another one than in the first round.
    for (body, moves) in [
        (
            "MoveL p,v100,z10,t;\nMoveL r,v100,z10,t;\nMoveL Offs(r,0,0,50),v100,z10,t;",
            "L(500 0 600) L(500 100 600) L(500 100 650) L(500 0 600) L(500 100 600)",
        ),
        (
            "MoveAbsJ j,v100,fine,t;\nMoveL p,v100,fine,t;",
            "J[10 -20 30 40 50 60] L(500 0 600) J[10 -20 30 40 50 60]",
        ),
        (
            "MoveL p,v100,fine,t;\nMoveL r,v100,fine,t;\nMoveL p,v100,fine,t;",
            "L(500 0 600) L(500 100 600) L(500 0 600)",
        ),
    ] {
        let [way] = <[_; 1]>::try_from(ways(&cycle("", body))).unwrap();
        assert_eq!(short(&way), moves);
    }
}

#[test]
fn modes_that_main_leaves_behind_count_in_its_next_round() {
    let branch = |way: &MoveProgram, k: usize| pose(&way.moves[k].target).2.clone();
    let text = cycle(
        "",
        "MoveJ p,v100,fine,t;\nMoveJ r,v100,fine,t;\nConfJ\\Off;",
    );
    let [way] = <[_; 1]>::try_from(ways(&text)).unwrap();
    assert!(matches!(branch(&way, 0), Branch::Configuration(_)));
    assert_eq!(branch(&way, 3), Branch::NearestToStart);
    let text = cycle(
        "",
        "MoveAbsJ j,v100,fine,t;\nMoveL p,v100,fine,t;\nSingArea\\Wrist;",
    );
    let told = ways(&text);
    assert!(told[0].unknown[0].reason.contains("SingArea"), "{told:?}");
}

#[test]
fn arguments_and_numbers_are_read_however_they_are_written() {
    let data =
        "PROC go(\\switch high | switch low, num x)\nMoveL Offs(p,0,0,x),v100,fine,t;\nENDPROC\n";
    let way = known(data, "go\\high,0x1F;\ngo\\low,0b101;\ngo 0O17;");
    assert_eq!(short(&way), "L(500 0 631) L(500 0 605) L(500 0 615)");
    let told = reason("", "MoveL p,v100,fine,t\\WObj;");
    assert!(told.contains("no value"), "{told}");
    let text = "MODULE m\nPROC a()\nPERS num n:=0;\nENDPROC\nENDMODULE";
    assert!(ways_in(&arm("rapid"), text).is_err());
    assert!(ways_in(&arm("rapid"), &module("VAR num n:=0xG;", "")).is_err());
}

#[test]
fn other_modules_are_found_by_the_list_and_by_the_cell() {
    let main = format!(
        "MODULE main1\n{DATA}PROC main()\n sub;\n MoveL p,v100,fine,grip;\nENDPROC\nENDMODULE"
    );
    let sub = "MODULE sub1\nPROC sub()\n MoveL p,v100,fine,grip;\nENDPROC\nLOCAL PROC p()\nENDPROC\nENDMODULE";
    let calib = "MODULE calib\nPERS tooldata grip:=[TRUE,[[0,0,50],[1,0,0,0]],load0];\nENDMODULE";
    let list = "<?xml version=\"1.0\"?>\n<Program>\n<!-- <Module>old.mod</Module> -->\n<Module>main.mod</Module>\n<Module>sub.mod</Module>\n\
        <Module>calib.mod</Module>\n</Program>";
    let files = [
        ("T_ROB1/T_ROB1.pgf", list),
        ("T_ROB1/main.mod", &main),
        ("T_ROB1/sub.mod", sub),
        ("T_ROB1/calib.mod", calib),
    ];
    let cell = arm("rapid");
    for (file, text) in [("T_ROB1/main.mod", &*main), ("T_ROB1/T_ROB1.pgf", list)] {
        let reading = read_beside(&cell, file, text.as_bytes(), &files, None).unwrap();
        assert_eq!(
            short(&reading.ways[0]),
            "L(500 0 600) L(500 0 600)",
            "{file}"
        );
        assert!(
            reading.ways[0].unknown.is_empty(),
            "{:?}",
            reading.ways[0].unknown
        );
        assert_eq!(reading.ways[0].moves[0].place.file, "T_ROB1/sub.mod");
        assert_eq!(
            reading.ways[0].moves[0].tool.link_from_frame.translation.z,
            0.05
        );
    }
    let mut told = cell.clone();
    for (path, text) in &files[2..] {
        said(&mut told).files.push(ControllerFile {
            path: path.into(),
            bytes: text.as_bytes().into(),
        });
    }
    let ways = ways_in(&told, &main).unwrap();
    assert!(ways[0].unknown.is_empty(), "{:?}", ways[0].unknown);
    // Tools and work objects of the cell; a routine that it vouches for.
    let mut told = cell;
    let tool = Isometry3::translation(0.0, 0.0, 0.2);
    said(&mut told).tools.insert("Grip".into(), tool);
    said(&mut told).still.push("sub".into());
    let frame = Frame {
        link: "base".into(),
        link_from_frame: Isometry3::translation(1.0, 0.0, 0.0),
    };
    said(&mut told).frames.insert("Table".into(), frame);
    let text = main.replace("fine,grip;", "fine,grip\\WObj:=table;");
    let ways = ways_in(&told, &text).unwrap();
    assert!(ways[0].unknown.is_empty(), "{:?}", ways[0].unknown);
    assert_eq!(short(&ways[0]), "L(1500 0 600)");
    assert_eq!(ways[0].moves[0].tool.link_from_frame.translation.z, 0.2);
}

#[test]
fn what_no_controller_loads_is_refused_with_line_and_column() {
    for (text, line, column, says) in [
        ("MODULE m\nVAR num ;\nENDMODULE", 2, 9, "a name"),
        ("MODULE m(SYSMODULE READONLY) ENDMODULE", 1, 20, "`,`"),
        ("MODULE MODULE ENDMODULE", 1, 8, "the module's name"),
        ("MODULE m\nPROC a b ENDPROC\nENDMODULE", 2, 8, "`(`"),
        (
            "MODULE m\nPROC a()\n IF TRUE THEN\nENDPROC\nENDMODULE",
            4,
            1,
            "a statement",
        ),
        (
            "MODULE m\nPROC a()\n MoveL p v100;\nENDPROC\nENDMODULE",
            3,
            10,
            "`,` or `;`",
        ),
        (
            "MODULE m\nPROC a()\n x := \"y;\nENDPROC\nENDMODULE",
            3,
            7,
            "no end",
        ),
        (
            "MODULE m\nPROC a()\nENDPROC\nPROC a()\nENDPROC\nENDMODULE",
            4,
            1,
            "another routine",
        ),
        ("MODULE m\n", 2, 1, "data, a routine"),
    ] {
        let error = ways_in(&arm("rapid"), text).unwrap_err();
        let place = (error.place.line, error.place.column);
        assert_eq!(place, (Some(line), Some(column)), "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    let two = "MODULE m\nPROC a()\nENDPROC\nPROC b()\nENDPROC\nENDMODULE";
    let error = ways_in(&arm("rapid"), two).unwrap_err().to_string();
    assert!(error.contains("`a`, `b`"), "{error}");
    let read = |routine| read_beside(&arm("rapid"), "a.mod", two.as_bytes(), &[], Some(routine));
    assert_eq!(read("B").unwrap().ways[0].name, "b");
    assert!(read("c").is_err());
    // Comments, old headers and encodings are no matter; data alone move nothing.
    let text = b"%%%\n VERSION:1\n LANGUAGE:ENGLISH\n%%%\n! gr\xf6\xdfer\nmodule M\n var num n; ! x\nendmodule\n";
    let reading = read_beside(&arm("rapid"), "a.mod", text, &[], None).unwrap();
    assert!(reading.ways[0].moves.is_empty() && reading.ways[0].unknown.is_empty());
    let deep = module(
        "",
        &format!("x := {}1{};", "(".repeat(5000), ")".repeat(5000)),
    );
    assert!(ways_in(&arm("rapid"), &deep).is_err());
}

#[test]
fn lists_are_as_long_as_a_list_can_be() {
    // Without a bound on each length, the first of these would take all memory.
    for lengths in [
        "1000000000000,0",
        "0",
        "2,0,2",
        "1000,1001",
        "1,1,1,1",
        "2.5",
        "-1",
    ] {
        let told = reason(
            &format!("VAR num a{{{lengths}}};\n"),
            "MoveL Offs(p,0,0,a{1}),v100,fine,t;",
        );
        assert!(told.contains("cannot have"), "{lengths}: {told}");
    }
    let way = known("VAR num a{2,3};\n", "MoveL Offs(p,0,0,a{2,3}),v100,fine,t;");
    assert_eq!(short(&way), "L(500 0 600)");
}

#[test]
fn long_lists_of_large_records_are_refused() {
    let field = |kind: &str, k: usize| format!("{kind} f{k};\n");
    let record = |name: &str, kind: &str| {
        let fields: String = (0..100).map(|k| field(kind, k)).collect();
        format!("RECORD {name}\n{fields}ENDRECORD\n")
    };
    let records = record("small", "num") + &record("large", "small");
    let told = reason(
        &format!("{records}VAR large a{{1000}};\nVAR num n;\n"),
        "a{1}:=a{2};\nMoveL Offs(p,0,0,a{1}.f1.f1),v100,fine,t;",
    );
    assert!(told.contains("cannot have 1000 elements"), "{told}");
}

#[test]
fn lists_within_lists_have_an_end() {
    for (list, grows) in [("a", "a:=[a];"), ("a{1}", "a{1}:=a;")] {
        let grow = format!(
            "PROC grow()\nVAR num {list};\nVAR num n:=0;\nWHILE n<200 DO\n{grows}\nn:=n+1;\nENDWHILE\nENDPROC\n"
        );
        let told = reason(&grow, "grow;\nMoveL p,v100,fine,t;");
        assert!(told.contains("lists as large as this"), "{told}");
    }
}
