//! Long tables of text.

use super::*;

/// Catches ids that are compared as paths: these would be one.
#[test]
fn ids_are_told_apart_by_every_character() {
    let text = "program,time,turn,slide\na/b,0,0,0\na//b,0,0,0\na/./b,0,0,0\n";
    let file = TestFile::new("p.csv", text);
    assert_eq!(file.ids(&layout()).unwrap(), ["a/b", "a//b", "a/./b"]);
}

#[test]
fn a_long_table_of_text_is_the_same_programs() {
    let text = "\u{feff}# plans\nprogram;time[ms];turn[deg];slide\n\na;0;0;1\na;1000;90;1.1\n\"b;c\";0;1;1\n";
    let file = TestFile::new("p.csv", text);
    assert_eq!(file.ids(&layout()).unwrap(), ["a", "b;c"]);
    let all = file.programs(None, &layout());
    let a = taught(all[0].as_ref().unwrap());
    assert_eq!(
        a,
        [
            (0.0, vec![0.0, 1.0], 4),
            (1.0, vec![std::f64::consts::FRAC_PI_2, 1.1], 5)
        ]
    );
    assert_eq!(taught(all[1].as_ref().unwrap())[0].2, 6);
    // The reader of single programs does not take it for one.
    let said = crate::program::load(&file.path).unwrap_err().to_string();
    assert!(
        said.contains("`program` tells many programs apart"),
        "{said}"
    );
    for (text, said) in [
        (
            "program,time,turn,slide\na,0,0,0\na,0,1,1\n",
            "p.csv#a:3: `time` is 0 s",
        ),
        (
            "program,time,turn,slide\na,0,x,0\n",
            "p.csv#a:2: `turn` is `x`",
        ),
        (
            "program,time,turn[deg],slide\na,0,1e308,0\n",
            "p.csv#a:2: `turn[deg]` is `1e308`",
        ),
        (
            "program,time,turn,slide\na,0,0\n",
            "p.csv:2: 3 values where the header has 4",
        ),
        (
            "program,time,turn,slide\n,0,0,0\n",
            "p.csv:2: `program` is missing",
        ),
        (
            "program,time,turn,slid\na,0,0,0\n",
            "these joints have no column: `slide`",
        ),
        ("program,time,turn,vel:turn\na,0,0,0\n", "is not supported"),
    ] {
        let file = TestFile::new("p.csv", text);
        let why = file.programs(None, &layout())[0].clone().unwrap_err();
        assert!(why.contains(said), "{why}: {said}");
    }
    let back = TestFile::new("p.csv", "program,turn,slide\na,0,0\nb,0,0\na,1,1\n");
    let said = back.ids(&layout()).unwrap_err();
    assert!(
        said.contains("p.csv:4: program `a` comes back here"),
        "{said}"
    );
    // Who states a column that is not there must not get one program in place of many.
    let stated = Layout {
        id: Some("plan".into()),
        ..layout()
    };
    let plain = TestFile::new("p.csv", "turn,slide\n0,0\n");
    let said = plain.ids(&stated).unwrap_err();
    assert!(said.contains("there is no column `plan`"), "{said}");
    assert_eq!(names(&plain.path, &layout()).unwrap(), None);
}

/// Rows that look like comments, or stand behind the end of one: a program would be gone, and
/// nobody would hear of it.
#[test]
fn no_row_is_taken_for_a_comment() {
    const HEADER: &str = "program,time,turn,slide\n";
    let gone = "a comment has as many fields as the header";
    let within = "a line end of old Macs stands within the line";
    for (rows, line, said) in [
        ("a,0,0,0\n#b,0,0,0\nc,0,0,0\n", 3, gone),
        ("a,0,0,0\n #b, 0, 0, 0\r\n", 3, gone),
        ("#\"b,0,0,\"0\n", 2, gone),
        ("a,0,0,0\n# next\rb,0,0,0\nc,0,0,0\n", 3, within),
        (" # next\rb,0,0\n", 2, within),
    ] {
        let file = TestFile::new("p.csv", format!("{HEADER}{rows}"));
        let all = file.programs(None, &layout());
        let why = all.last().unwrap().clone().unwrap_err();
        let place = format!("p.csv:{line}: {said}");
        for why in [why, file.ids(&layout()).unwrap_err()] {
            assert!(why.starts_with(&place) && why.contains("; "), "{why}");
        }
    }
    // Before the header as well.
    let file = TestFile::new("p.csv", format!("# plans\rprogram,turn\n{HEADER}a,0,0,0\n"));
    let all = file.programs(None, &layout());
    assert!(all[0].clone().unwrap_err().starts_with("p.csv:1: a line"));
    let said = crate::program::load(&file.path).unwrap_err().to_string();
    assert!(said.contains("p.csv:1: a carriage return"), "{said}");
    // What is a comment, and what is an id.
    let rows = "# a,b\r\na,0,0,0\n#, from the, third, cell, on\n\"#b\",0,0,0\n##\n";
    let file = TestFile::new("p.csv", format!("# one,two,three,four\n{HEADER}{rows}"));
    assert_eq!(file.ids(&layout()).unwrap(), ["a", "#b"]);
    let all = file.programs(None, &layout());
    assert_eq!(all.into_iter().map(Result::unwrap).count(), 2);
    assert!(file.one(Some("#b"), &layout()).is_ok());
}
