//! What columns mean, and which are none of joints.

use super::super::super::columns::{ColumnType, TableColumn, meaning};
use super::super::super::parquet::described;
use super::*;

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

/// What pyarrow 22 writes beside a table of `program` (int64), `time` (duration of milliseconds)
/// and `joint_1` (double): the column itself is whole numbers.
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
