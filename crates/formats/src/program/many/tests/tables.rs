//! Parquet and CSV.

mod columns;
mod damage;
mod text;

use std::fs;

use super::*;

fn layout() -> Layout {
    Layout::default()
}

fn plans() -> Vec<(&'static str, Data)> {
    vec![
        (
            "program",
            Data::Text(["a", "a", "b", "b", "b", "c"].map(Some).to_vec()),
        ),
        ("time", real(&[0.0, 1.0, 0.0, 0.5, 2.0, 0.0])),
        ("turn", real(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5])),
        ("slide", real(&[1.0, 1.1, 1.2, 1.3, 1.4, 1.5])),
    ]
}

fn with(
    mut columns: Vec<(&'static str, Data)>,
    name: &'static str,
    data: Data,
) -> Vec<(&'static str, Data)> {
    columns.retain(|c| c.0 != name);
    columns.push((name, data));
    columns
}

#[test]
fn programs_of_a_parquet_table_come_in_its_order_with_their_rows() {
    let file = TestFile::new("p.parquet", parquet_bytes(&plans()));
    assert_eq!(file.ids(&layout()).unwrap(), ["a", "b", "c"]);
    let all = file.programs(None, &layout());
    let all: Vec<Taught> = all.iter().map(|p| taught(p.as_ref().unwrap())).collect();
    let b = vec![
        (0.0, vec![0.2, 1.2], 3),
        (0.5, vec![0.3, 1.3], 4),
        (2.0, vec![0.4, 1.4], 5),
    ];
    assert_eq!(all[0], [(0.0, vec![0.0, 1.0], 1), (1.0, vec![0.1, 1.1], 2)]);
    assert_eq!(all[1], b);
    assert_eq!(all[2], [(0.0, vec![0.5, 1.5], 6)]);
    let one = file.one(Some("b"), &layout()).unwrap();
    assert_eq!(taught(&one), b);
    assert!(one.source.ends_with("p.parquet#b"));
    let said = file.one(Some("d"), &layout()).unwrap_err();
    assert!(
        said.contains("p.parquet: there is no program `d` in it"),
        "{said}"
    );
    let said = file.one(None, &layout()).unwrap_err();
    assert!(said.contains("name one of them, as in"), "{said}");
}

/// A value that cannot be meant spoils its program and no other; what is wrong with ids spoils the
/// file.
#[test]
fn what_cannot_be_meant_is_refused_with_row_and_column() {
    let nulls = |at: usize| (0..6).map(|k| (k != at).then_some(k as f64)).collect();
    for (name, data, program, said) in [
        (
            "turn",
            Data::Real(nulls(3)),
            "b",
            "p.parquet#b:4: `turn` is missing",
        ),
        (
            "turn",
            real(&[0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0]),
            "a",
            "p.parquet#a:2: `turn` is NaN",
        ),
        (
            "slide",
            real(&[0.0, 0.0, 0.0, 0.0, f64::INFINITY, 0.0]),
            "b",
            "p.parquet#b:5: `slide` is inf",
        ),
        (
            "time",
            Data::Real(nulls(5)),
            "c",
            "p.parquet#c:6: `time` is missing",
        ),
        (
            "time",
            real(&[0.0, 1.0, 0.0, 0.0, 2.0, 0.0]),
            "b",
            "p.parquet#b:4: `time` is 0 s, after 0 s in row 3",
        ),
        (
            "turn",
            whole(&[0, 0, 1 << 60, 0, 0, 0]),
            "b",
            "p.parquet#b:3: `turn` is 1152921504606846976",
        ),
    ] {
        let file = TestFile::new("p.parquet", parquet_bytes(&with(plans(), name, data)));
        for (id, found) in ["a", "b", "c"].iter().zip(file.programs(None, &layout())) {
            if *id == program {
                let why = found.unwrap_err();
                assert!(why.contains(said), "{why}: {said}");
            } else {
                assert!(found.is_ok(), "{id}: {found:?}")
            }
        }
    }
    for (data, said) in [
        (
            Data::Text(["a", "a", "b", "a", "b", "c"].map(Some).to_vec()),
            "p.parquet:4: program `a` comes back here after another one; let the rows",
        ),
        (
            Data::Text(vec![
                Some("a"),
                None,
                Some("b"),
                Some("b"),
                Some("b"),
                Some("c"),
            ]),
            "p.parquet:2: `program` is missing",
        ),
        (real(&[0.0; 6]), "has neither whole numbers nor texts"),
    ] {
        let file = TestFile::new("p.parquet", parquet_bytes(&with(plans(), "program", data)));
        let listed = file.ids(&layout()).unwrap_err();
        assert!(listed.contains(said), "{listed}: {said}");
    }
    // Also whoever asks for one program hears that there are two of it.
    let twice = Data::Text(["a", "a", "b", "a", "b", "c"].map(Some).to_vec());
    let file = TestFile::new("p.parquet", parquet_bytes(&with(plans(), "program", twice)));
    let said = file.one(Some("a"), &layout()).unwrap_err();
    assert!(said.contains("comes back here"), "{said}");
}

/// Regression: rows without times were taken as they stand, whatever a column said of their order.
#[test]
fn rows_without_times_stand_in_the_order_of_their_numbers() {
    let untimed = |name: &'static str, data: Data| {
        let mut columns = with(plans(), name, data);
        columns.retain(|c| c.0 != "time");
        TestFile::new("p.parquet", parquet_bytes(&columns))
    };
    let text = |name: &str, numbers: [&str; 3]| {
        let rows = numbers.map(|n| format!("a,{n},0.1,1\n")).concat();
        TestFile::new("p.csv", format!("program,{name},turn,slide\n{rows}"))
    };
    let all = |file: &TestFile| -> Vec<Result<Vec<f64>, String>> {
        let found = file.programs(None, &layout()).into_iter();
        let times = |p: Program| p.waypoints.iter().map(|w| w.time).collect();
        found.map(|p| p.map(times)).collect()
    };
    let [a, b, c] = [vec![0.0, 1.0], vec![0.0, 1.0, 2.0], vec![0.0]].map(Ok);
    let file = untimed("Frame_Index", whole(&[3, 7, 0, 1, 1, 5]));
    assert_eq!(all(&file), [a.clone(), b, c.clone()]);
    let found = all(&untimed("step", whole(&[3, 7, 0, 2, 1, 5])));
    let why = found[1].clone().unwrap_err();
    assert!(
        why.contains("p.parquet#b:5: ") && why.contains("`step` is 1, after 2"),
        "{why}"
    );
    assert_eq!([&found[0], &found[2]], [&a, &c]);
    assert!(all(&text("order", ["1", "3", "2"]))[0].is_err());
    let mixed = all(&text("step", ["1", "x", "2"]))[0].clone().unwrap_err();
    assert!(mixed.contains("in some rows"), "{mixed}");
    // What is no number tells no order.
    assert!(all(&text("step", ["near", "at", "away"]))[0].is_ok());
    // A column that may be the times is not passed over.
    for file in [
        text("time_s", ["0", "1", "0.5"]),
        text("t", ["0", "1", "0.5"]),
        text("elapsed[ms]", ["0", "1", "0.5"]),
        untimed("stamp", whole(&[3, 7, 0, 2, 1, 5])),
    ] {
        let why = all(&file)[0].clone().unwrap_err();
        assert!(why.contains("may be the times"), "{why}");
    }
    for other in ["t_x", "time_limit", "frames"] {
        assert!(all(&text(other, ["2", "1", "0"]))[0].is_ok(), "{other}");
    }
}

fn lists() -> Vec<(&'static str, Data)> {
    vec![
        ("episode_index", whole(&[4, 4, 5, 5])),
        (
            "timestamp",
            Data::Single([0.0, 0.1, 0.0, 0.1].map(Some).to_vec()),
        ),
        ("action", Data::List(vec![vec![0.1, 0.2, 9.0]; 4])),
    ]
}

#[test]
fn entries_of_a_list_are_the_joints_that_are_named() {
    let file = TestFile::new("e.parquet", parquet_bytes(&lists()));
    assert_eq!(file.ids(&layout()).unwrap(), ["4", "5"]);
    let said = file.programs(None, &layout())[0].clone().unwrap_err();
    assert!(
        said.contains("nothing says which joints the entries of `action` are"),
        "{said}"
    );
    let stated = |names: &[&str]| Layout {
        joints: Some(names.iter().map(|&n| n.to_owned()).collect()),
        ..layout()
    };
    let found = file
        .one(Some("5"), &stated(&["slide", "turn", "-"]))
        .unwrap();
    assert_eq!(&*found.columns[0].joint, "slide");
    // Single precision is what it is.
    assert_eq!(found.waypoints[1].time, f64::from(0.1f32));
    assert_eq!(
        *found.waypoints[1].positions,
        [f64::from(0.1f32), f64::from(0.2f32)]
    );
    let said = file
        .one(Some("5"), &stated(&["slide", "turn"]))
        .unwrap_err();
    assert!(
        said.contains("e.parquet#5:3: `action` is a list of 3 numbers; give lists of 2"),
        "{said}"
    );
    let said = file
        .one(Some("5"), &stated(&["slide", "elbow", "-"]))
        .unwrap_err();
    assert!(said.contains("unknown joint `elbow`"), "{said}");

    // Names as LeRobot has them, further up.
    let meta = file.folder.path().join("meta");
    fs::create_dir(&meta).unwrap();
    let info = r#"{"features": {"action": {"names": {"motors": ["slide", "turn", "-"]}}}}"#;
    fs::write(meta.join("info.json"), info).unwrap();
    let named = file.one(Some("5"), &layout()).unwrap();
    assert_eq!(&*named.columns[0].joint, "slide");
    // Regression: what the user says was believed although the file says another order.
    let said = file.one(Some("5"), &stated(&["turn[deg]", "slide", "-"]));
    let said = said.unwrap_err();
    assert!(said.contains("has `turn` at another place"), "{said}");
    let same = stated(&["slide[m]", "turn", "-"]);
    assert!(file.one(Some("5"), &same).is_ok());
    // It is among the files that are read, as are places that come before it.
    let deep = file.folder.path().join("data/chunk/e.parquet");
    let infos = [
        deep.parent().unwrap(),
        &file.folder.path().join("data"),
        file.folder.path(),
    ];
    let infos = infos.map(|folder| folder.join("meta/info.json"));
    assert_eq!(crate::program::many::files_read_with(&deep), infos);
    assert!(crate::program::many::files_read_with(&deep.with_extension("csv")).is_empty());
    for (names, says) in [
        (
            r#"{"motors": ["slide"], "gripper": ["turn", "-"]}"#,
            "are in 2 groups, whose order is not known",
        ),
        (r#"["slide", null, "turn"]"#, "is not a text"),
    ] {
        let info = format!(r#"{{"features": {{"action": {{"names": {names}}}}}}}"#);
        fs::write(meta.join("info.json"), info).unwrap();
        let said = file.one(Some("5"), &layout()).unwrap_err();
        assert!(said.contains(says), "{said}");
    }
    fs::remove_dir_all(&meta).unwrap();

    // A column of another type with the name of a joint.
    let text = Data::Text([Some("0.1"); 4].to_vec());
    let file = TestFile::new("e.parquet", parquet_bytes(&with(lists(), "turn", text)));
    let said = file
        .one(Some("5"), &stated(&["slide", "-", "-"]))
        .unwrap_err();
    assert!(
        said.contains("column `turn` has the name of a joint"),
        "{said}"
    );

    let two = with(
        lists(),
        "observation",
        Data::List(vec![vec![0.1, 0.2, 9.0]; 4]),
    );
    let file = TestFile::new("e.parquet", parquet_bytes(&two));
    let said = file.programs(None, &stated(&["slide", "turn", "-"]))[0]
        .clone()
        .unwrap_err();
    assert!(
        said.contains("several columns may hold the joints: action, observation"),
        "{said}"
    );
}
