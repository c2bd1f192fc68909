//! What programs have that other programs wrote: RobotStudio, makers of tools.

use super::*;

/// RobotStudio and RoboDK write 0 for external axes that are not there.
#[test]
fn an_external_axis_that_is_not_there_may_have_zero() {
    let to = |outer: &str| format!("MoveAbsJ [[10,-20,30,40,50,60],[{outer}]],v100,fine,t;");
    let way = known("", &to("0,0,9E9,0,9E9,9E9"));
    assert_eq!(short(&way), short(&known("", "MoveAbsJ j,v100,fine,t;")));
    for outer in ["0,0.001,9E9,9E9,9E9,9E9", "-1,0,0,0,0,0", "9E8,0,0,0,0,0"] {
        let told = reason("", &to(outer));
        assert!(
            told.contains("no such joint in the cell"),
            "{outer}: {told}"
        );
    }
}

/// Needed arguments may have their names before them; they stand in their places all the same.
#[test]
fn needed_arguments_may_be_named() {
    let plain = known(
        "",
        "MoveL p,v100,fine,t\\WObj:=w;\nMoveC p,r,v100,z10,t;\nMoveAbsJ j,v100,fine,t;",
    );
    let named = known(
        "",
        "MoveL ToPoint:=p,Speed:=v100,Zone:=fine,Tool:=t\\WObj:=w;\n\
         MoveC CirPoint:=p,ToPoint:=r,Speed:=v100,Zone:=z10,Tool:=t;\nMoveAbsJ ToJointPos:=j,v100,Zone:=fine,t;",
    );
    assert_eq!(short(&named), short(&plain));
    let told = reason("", "MoveAbsJ j,Zone:=fine,Speed:=v100,Tool:=t;");
    assert!(told.contains("no argument `zone` in place 2"), "{told}");
    // Routines of the program, and functions of the language.
    let data = "PROC go(num a,num b)\nMoveL Offs(p,a,b,0),v100,fine,t;\nENDPROC\n";
    let call =
        |call: &str| ways(&module("", call).replace("PROC work", &format!("{data}PROC work")));
    let [way] = &call("go a:=10,b:=20;")[..] else {
        panic!("one way")
    };
    assert_eq!(
        short(way),
        short(&known("", "MoveL Offs(Point:=p,10,20,0),v100,fine,t;"))
    );
    let why = &call("go b:=10,a:=20;")[0].unknown[0].reason;
    assert!(why.contains("`b` in the place of `a`"), "{why}");
}

/// A cell names all modules of the task, and the program among them.
#[test]
fn the_program_may_be_among_the_files_by_another_path() {
    let folder = std::env::temp_dir().join(format!("clearance-rapid-{}", std::process::id()));
    let at = |name: &str| folder.join(name);
    std::fs::create_dir_all(at("sub")).unwrap();
    let main = module("", "MoveAbsJ j,v100,fine,t;");
    std::fs::write(at("a.mod"), &main).unwrap();
    let mut cell = arm("rapid");
    said(&mut cell).files.push(ControllerFile {
        path: at("a.mod"),
        bytes: main.as_bytes().into(),
    });
    let read = |path: &str| {
        let path = at(path).display().to_string();
        read_beside(&cell, &path, main.as_bytes(), &[], None).map(|reading| reading.ways.len())
    };
    assert_eq!(read("a.mod").unwrap(), 1);
    assert_eq!(read("sub/../a.mod").unwrap(), 1);
    // A copy is a second module of that name.
    std::fs::write(at("sub/a.mod"), &main).unwrap();
    assert!(
        read("sub/a.mod")
            .unwrap_err()
            .to_string()
            .contains("two modules `m`")
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Their text is hidden: they are told as what they are, also where a cell names them.
#[test]
fn encoded_modules_are_told() {
    let code: Vec<u8> = (0..=255).cycle().take(2000).collect();
    let mut cell = arm("rapid");
    said(&mut cell).files.push(ControllerFile {
        path: "T_ROB1/Locked.sys".into(),
        bytes: code.into(),
    });
    let error = ways_in(&cell, &module("", "MoveAbsJ j,v100,fine,t;")).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("Locked.sys: ") && error.contains("encoded"),
        "{error}"
    );
}
