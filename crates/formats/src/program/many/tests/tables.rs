//! Parquet and CSV.

use std::fs;

use ::parquet::file::metadata::{FileMetaData, ParquetMetaDataBuilder, ParquetMetaDataWriter};
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use super::super::columns::{ColumnType, TableColumn, meaning};
use super::super::parquet::described;
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

/// A slip in a name must not make a joint stand still; what is not a number, or said to be no
/// joint, is named.
#[test]
fn columns_that_are_no_joints_are_told_and_slips_are_refused() {
    let columns = with(plans(), "frame_index", whole(&[0, 1, 2, 3, 4, 5]));
    let columns = with(columns, "task", Data::Text([Some("t"); 6].to_vec()));
    let columns = with(columns, "reward", real(&[0.0; 6]));
    let file = TestFile::new("p.parquet", parquet_bytes(&columns));
    let opened = members(&file.path, None, &layout(), &cell()).unwrap();
    assert_eq!(opened.passed_over, ["frame_index", "task", "reward"]);

    let mut slip = plans();
    slip[3].0 = "slid";
    let file = TestFile::new("p.parquet", parquet_bytes(&slip));
    let said = file.programs(None, &layout())[0].clone().unwrap_err();
    assert!(
        said.contains("`slid`; these joints have no column: `slide`"),
        "{said}"
    );
    let stated = Layout {
        joints: Some(vec!["turn[deg]".into()]),
        ..layout()
    };
    let found = file.programs(None, &stated)[0].clone().unwrap();
    assert_eq!(found.columns.len(), 1);
    assert_eq!(
        *found.waypoints[1].positions,
        [0.1 * (std::f64::consts::PI / 180.0)]
    );
    for (joints, said) in [
        (vec!["trun"], "there is no column `trun`"),
        (vec!["time"], "unknown joint `time`"),
        (vec!["turn", "turn"], "joint `turn` has two columns"),
    ] {
        let stated = Layout {
            joints: Some(joints.iter().map(|&j| j.to_owned()).collect()),
            ..layout()
        };
        let why = file.programs(None, &stated)[0].clone().unwrap_err();
        assert!(why.contains(said), "{why}: {said}");
    }
}

/// What is stored as whole numbers need not mean them: decimals of DuckDB, numbers without a sign.
#[test]
fn columns_are_what_their_schema_says_in_lists_too() {
    let list = |element: &str| {
        let end = if element.ends_with('}') { "" } else { ";" };
        format!("optional group x (LIST) {{ repeated group list {{ optional {element}{end} }} }}")
    };
    let map = |is: &str, number: &str| {
        format!(
            "optional group x ({is}) {{ repeated group key_value {{ required {number} key; optional double value; }} }}"
        )
    };
    for (column, expected) in [
        ("optional double x;".to_owned(), ColumnType::Number),
        (
            "optional int32 x (DECIMAL(9,2));".to_owned(),
            ColumnType::Unread,
        ),
        (
            "optional binary x (DECIMAL(9,2));".to_owned(),
            ColumnType::Unread,
        ),
        (
            "optional fixed_len_byte_array(2) x (FLOAT16);".to_owned(),
            ColumnType::Unread,
        ),
        (
            "optional int32 x (INTEGER(32,false));".to_owned(),
            ColumnType::Other,
        ),
        (
            "optional int64 x (INTEGER(64,true));".to_owned(),
            ColumnType::Whole,
        ),
        (list("double element"), ColumnType::List),
        (list("int64 element"), ColumnType::List),
        (list("int32 element (DECIMAL(9,2))"), ColumnType::Unread),
        (list("int32 element (INTEGER(32,false))"), ColumnType::Other),
        (list("int32 element (DATE)"), ColumnType::Other),
        (list("int32 element (TIME(MILLIS,true))"), ColumnType::Other),
        (
            list("int64 element (TIMESTAMP(NANOS,true))"),
            ColumnType::Other,
        ),
        (
            list("group element { optional double x; }"),
            ColumnType::Unread,
        ),
        (
            "optional group x { optional double y; }".to_owned(),
            ColumnType::Unread,
        ),
        (
            "optional group x { optional int64 y; }".to_owned(),
            ColumnType::Other,
        ),
        ("optional binary x (UTF8);".to_owned(), ColumnType::Text),
        (map("MAP", "int64"), ColumnType::Other),
        (map("MAP", "double"), ColumnType::Unread),
        (map("MAP_KEY_VALUE", "int64"), ColumnType::Other),
        (
            "optional group x { repeated group list { optional double element; } }".to_owned(),
            ColumnType::Unread,
        ),
    ] {
        let schema = parse_message_type(&format!("message m {{ {column} }}")).unwrap();
        let schema = SchemaDescriptor::new(Arc::new(schema));
        assert_eq!(described(&schema)[0].what, expected, "{column}");
    }
}

#[test]
fn columns_that_are_not_read_are_named_where_one_is_missed() {
    let found = [
        ("program", ColumnType::Text),
        ("pos.list.element", ColumnType::Unread),
    ];
    let found = found.map(|(name, what)| TableColumn {
        name: name.to_owned(),
        what,
    });
    let asked = Layout {
        joints: Some(vec!["slide".to_owned()]),
        ..layout()
    };
    let names = |_: &str| Ok(None);
    let said = meaning(Path::new("p.parquet"), &found, &asked, &cell(), &names).unwrap_err();
    let expected = "are not read, which are pos.list.element: write them as float64 (DOUBLE)";
    assert!(said.to_string().contains(expected), "{said}");
}

/// Whatever may be a joint under another name keeps a joint without a column from standing still.
#[test]
fn a_column_that_may_be_the_joint_is_no_stranger() {
    let asked = |layout: Layout, name: &str, what: ColumnType, list: bool| {
        let of = |name: &str, what| TableColumn {
            name: name.to_owned(),
            what,
        };
        let turn = if list {
            of("state", ColumnType::List)
        } else {
            of("turn", ColumnType::Number)
        };
        let found = [
            of("program", ColumnType::Text),
            of("time", ColumnType::Number),
            turn,
            of(name, what),
        ];
        let names = |_: &str| Ok(list.then(|| vec!["turn".to_owned()]));
        meaning(Path::new("p.parquet"), &found, &layout, &cell(), &names)
            .map(|meaning| meaning.passed_over)
            .map_err(|e| e.to_string())
    };
    let meaning_of = |name: &str, what, list| asked(layout(), name, what, list);
    use ColumnType::{Instant, List, Number, Other, Text, Unread, Whole};
    for (name, what) in [
        ("Slide", Number),
        ("Slide", Unread),
        ("arm.slide", Unread),
        ("position.list.element", Unread),
        ("x[mm]", Whole),
        ("Slide", Whole),
        ("slide_mm", Whole),
        ("SLIDE", Text),
        ("arm.slide", Other),
    ] {
        for list in [false, true] {
            let said = meaning_of(name, what, list).unwrap_err();
            assert!(
                said.contains("these joints have no column: `slide`"),
                "{said}"
            );
            assert!(said.contains(name), "{said}");
        }
    }
    // Who names the list has chosen among lists, and said nothing of other columns.
    let named = || Layout {
        list: Some("state".to_owned()),
        ..layout()
    };
    assert!(asked(named(), "Slide", Number, true).is_err());
    assert_eq!(asked(named(), "action", List, true).unwrap(), ["action"]);
    let said = meaning_of("positions", List, false).unwrap_err();
    assert!(
        said.contains("these joints have no column: `slide`"),
        "{said}"
    );
    for (name, what) in [
        ("frame_index", Whole),
        ("slides", Whole),
        ("task", Text),
        ("made", Instant(1000)),
        ("picture.bytes", Other),
    ] {
        for list in [false, true] {
            assert_eq!(meaning_of(name, what, list).unwrap(), [name]);
        }
    }
}

/// What pyarrow 22 writes beside a table of `program` (int64), `time` (duration of milliseconds) and
/// `joint_1` (double): the column itself is whole numbers.
const TIME_IS_A_DURATION: &str = "\
/////+gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAMAAAB8AAAAPAAAAAQAAACg////\
AAABAxAAAAAgAAAABAAAAAAAAAAHAAAAam9pbnRfMQAAAAYACAAGAAYAAAAAAAIA1P///wAAARIQAAAAHAAAAAQAAAAAAAAA\
BAAAAHRpbWUAAAAABAAEAAQAAAAQABQACAAGAAcADAAAABAAEAAAAAAAAQIQAAAAIAAAAAQAAAAAAAAABwAAAHByb2dyYW0A\
CAAMAAgABwAIAAAAAAAAAUAAAAAAAAAA";

#[test]
fn durations_are_not_taken_for_seconds() {
    let columns = [
        ("program", whole(&[1, 1])),
        ("time", whole(&[0, 1500])),
        ("turn", real(&[0.0, 0.1])),
    ];
    let read = |arrow| {
        let file = TestFile::new("p.parquet", parquet_bytes_of(&columns, arrow));
        file.programs(None, &layout())
    };
    let refused = "p.parquet: column `time`, the time, has no numbers; give seconds as numbers, or \
                   timestamps";
    assert_eq!(read(Some(TIME_IS_A_DURATION)), [Err(refused.to_owned())]);
    // Seconds where nobody says otherwise, or nothing that can be read.
    let seconds = read(None);
    assert_eq!(taught(seconds[0].as_ref().unwrap())[1].0, 1500.0);
    let torn = (0..TIME_IS_A_DURATION.len()).map(|n| &TIME_IS_A_DURATION[..n]);
    for arrow in torn.chain(["?", "/////wAAAAD/////"]) {
        assert_eq!(read(Some(arrow)).len(), 1, "{arrow}");
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

/// Rows that look like comments, or stand behind the end of one: a program would be gone, and nobody
/// would hear of it.
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

#[test]
fn damaged_tables_never_panic() {
    survive("p.parquet", &parquet_bytes(&plans()), None, 1500);
    let numbered = with(plans(), "program", whole(&[1, 1, 2, 2, 2, 3]));
    survive("p.parquet", &parquet_bytes(&numbered), None, 1500);
    survive(
        "p.csv",
        b"program,time,turn,slide\na,0,0,0\na,1,1,1\nb,0,0,0\n",
        None,
        500,
    );
}

/// Rows are read ahead, but what is wrong with them is said behind the programs before them.
#[test]
fn programs_before_a_damaged_row_group_come_all_the_same() {
    let mut bytes = parquet_bytes(&plans());
    let file = TestFile::new("p.parquet", &bytes);
    let reader = SerializedFileReader::new(fs::File::open(&file.path).unwrap()).unwrap();
    let turn = reader.metadata().row_group(1).column(2).clone();
    let start = (turn.dictionary_page_offset()).unwrap_or(turn.data_page_offset()) as usize;
    bytes[start..start + 8].fill(0xff);
    fs::write(&file.path, &bytes).unwrap();
    let all = file.programs(None, &layout());
    assert_eq!(taught(all[0].as_ref().unwrap()).len(), 2);
    let said = all[1].as_ref().unwrap_err();
    assert!(
        said.contains("p.parquet: the Parquet file cannot be read: column `turn`"),
        "{said}"
    );
    assert_eq!(all.len(), 2);
}

/// Catches rows, and whole programs, that a damaged footer does not tell of.
#[test]
fn rows_that_the_footer_does_not_tell_of_are_damage() {
    let bytes = parquet_bytes(&plans());
    let file = TestFile::new("p.parquet", &bytes);
    let open = || SerializedFileReader::new(fs::File::open(&file.path).unwrap()).unwrap();
    let whole = open().metadata().clone();
    let said = || {
        let all = file.programs(None, &layout());
        let said: Vec<String> = all.into_iter().filter_map(Result::err).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        said.into_iter().collect::<String>()
    };
    // Of the second row group, which has three.
    for rows in [0, 2] {
        let mut groups = whole.row_groups().to_vec();
        let last = groups.pop().unwrap().into_builder();
        groups.push(last.set_num_rows(rows).build().unwrap());
        let of_file = whole.file_metadata();
        let schema = of_file.schema_descr_ptr();
        let about = FileMetaData::new(of_file.version(), 3 + rows, None, None, schema, None);
        let forged = ParquetMetaDataBuilder::new(about)
            .set_row_groups(groups)
            .build();
        let mut written = bytes.clone();
        let writer = ParquetMetaDataWriter::new(&mut written, &forged);
        writer.finish().unwrap();
        fs::write(&file.path, &written).unwrap();
        let said = said();
        assert!(
            said.contains("a column has more rows than its row group"),
            "{rows}: {said}"
        );
    }
    // The third field of the footer is a number, 6 rows (twice as much in the file), and the fourth a
    // list.
    let mut forged = bytes.clone();
    let at = forged
        .windows(3)
        .rposition(|w| w == [0x16, 12, 0x19])
        .unwrap();
    forged[at + 1] = 14;
    fs::write(&file.path, &forged).unwrap();
    let said = said();
    let says = "it says that it has 7 rows, and its row groups have 6";
    assert!(said.contains(says), "{said}");
}

/// A page may have a sum of its bytes. The file is of pyarrow (`write_page_checksum=True`).
#[test]
fn pages_whose_sum_is_another_one_are_damage() {
    let mut bytes = include_bytes!("page_sums.parquet").to_vec();
    let file = TestFile::new("p.parquet", &bytes);
    let whole = file.one(Some("a"), &layout()).unwrap();
    assert_eq!(taught(&whole)[1], (1.0, vec![0.0, 1.6], 2));
    let number = 1.6_f64.to_le_bytes();
    let at = bytes.windows(8).position(|w| w == number).unwrap();
    bytes[at + 1] ^= 1;
    fs::write(&file.path, &bytes).unwrap();
    let said = file.one(Some("a"), &layout()).unwrap_err();
    assert!(said.contains("column `turn`"), "{said}");
}

/// The size that a page states is believed up to a limit only: a snappy page of 2 GB would be
/// filled with zeros first.
#[test]
fn forged_pages_are_refused_before_they_are_unpacked() {
    let bytes = parquet_bytes(&plans());
    let file = TestFile::new("p.parquet", &bytes);
    let mut forged = 0;
    // Type, then the unpacked size as a number of variable length: `15 00 15 xx` begins a data
    // page.
    for at in 4..bytes.len() - 8 {
        if !matches!(bytes[at..at + 3], [0x15, 0 | 4, 0x15]) {
            continue;
        }
        let mut copy = bytes.clone();
        let end = (at + 3..).find(|&k| copy[k] & 0x80 == 0).unwrap();
        // The bytes behind move: the file is broken anyway, and must be refused for this reason
        // first.
        copy.splice(at + 3..=end, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
        fs::write(&file.path, &copy).unwrap();
        let said = match file.ids(&layout()) {
            Err(said) => said,
            Ok(_) => {
                let all = file.programs(None, &layout());
                let said = all.into_iter().find_map(Result::err);
                said.expect("it is refused")
            }
        };
        forged += usize::from(said.contains("more than the 64 MiB that are read of one"));
    }
    assert!(forged > 0, "no page was forged");
}

/// Nothing that is said of columns is left out: a unit that a table of one program would not heed
/// is another motion.
#[test]
fn what_is_said_of_columns_is_heeded_or_refused() {
    let file = TestFile::new("one.csv", b"time,turn,slide\n0,0,0\n1,2.9,0\n");
    assert_eq!(names(&file.path, &layout()).unwrap(), None);
    let some = || Some("turn".to_owned());
    for said in [
        Layout {
            joints: Some(vec!["turn[deg]".into()]),
            ..layout()
        },
        Layout {
            time: some(),
            ..layout()
        },
        Layout {
            list: some(),
            ..layout()
        },
    ] {
        let why = names(&file.path, &said).unwrap_err().to_string();
        assert!(why.contains("are about tables of many programs"), "{why}");
    }
}

/// Two robots have a joint `turn`: a bare column names one of them, and the other column may be the
/// other's.
#[test]
fn a_bare_name_of_two_robots_names_one_of_them() {
    let mut cell = cell();
    let mut right = cell.robots[0].clone();
    right.name = "right".into();
    cell.robots.push(right);
    let joints = cell.joints.clone();
    cell.joints
        .extend(joints.into_iter().map(|joint| Joint { robot: 1, ..joint }));
    cell.rest.extend([0.0, 0.0]);
    let table = |column: &str| {
        let bytes = parquet_bytes(&[
            ("program", whole(&[1, 1])),
            ("time", real(&[0.0, 1.0])),
            ("turn", real(&[0.0, 1.0])),
            ("slide", real(&[0.0, 1.0])),
            (column, real(&[0.0, 1.0])),
        ]);
        let file = TestFile::new("t.parquet", bytes);
        members(&file.path, None, &Layout::default(), &cell).map(|_| ())
    };
    let said = table("right_turn").unwrap_err().to_string();
    assert!(
        said.contains("`right_turn`") && said.contains("`right/turn`"),
        "{said}"
    );
}
