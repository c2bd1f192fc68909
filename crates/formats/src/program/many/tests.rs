//! Files of many programs that are made here: what is read of them, and what is refused with its
//! row.

mod blocks;
mod cut;
mod numbers;
mod recordings;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::ByteArray;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use ::parquet::schema::types::SchemaDescriptor;
use clearance_proof::model::{Cell, Joint, JointKind, Limits, Program, Robot};
use nalgebra::{Isometry3, Vector3};

use super::*;

/// A robot with a joint that turns and one that slides.
pub(super) fn cell() -> Cell {
    let mut cell = Cell::default();
    cell.robots.push(Robot {
        name: "arm".into(),
        urdf: "robot.urdf".into(),
        world_from_base: Isometry3::identity(),
    });
    for (name, kind) in [
        ("turn", JointKind::Revolute),
        ("slide", JointKind::Prismatic),
    ] {
        cell.joints.push(Joint {
            name: name.into(),
            robot: 0,
            parent: None,
            parent_from_joint: Isometry3::identity(),
            axis: Vector3::z_axis(),
            kind,
            limits: Limits::default(),
            mimic: None,
        });
        cell.rest.push(0.0);
    }
    cell
}

/// A column to be written; `None` is a null.
pub(super) enum Data {
    Real(Vec<Option<f64>>),
    Single(Vec<Option<f32>>),
    Whole(Vec<Option<i64>>),
    Text(Vec<Option<&'static str>>),
    List(Vec<Vec<f32>>),
}

pub(super) fn real(values: &[f64]) -> Data {
    Data::Real(values.iter().map(|&x| Some(x)).collect())
}

pub(super) fn whole(values: &[i64]) -> Data {
    Data::Whole(values.iter().map(|&x| Some(x)).collect())
}

/// The bytes of a Parquet file with these columns, in row groups of three rows.
pub(super) fn parquet_bytes(columns: &[(&str, Data)]) -> Vec<u8> {
    parquet_bytes_of(columns, None)
}

/// The same, with what Arrow says of the columns.
pub(super) fn parquet_bytes_of(columns: &[(&str, Data)], arrow: Option<&str>) -> Vec<u8> {
    let fields = columns.iter().map(|(name, data)| match data {
        Data::Real(_) => format!("optional double {name};"),
        Data::Single(_) => format!("optional float {name};"),
        Data::Whole(_) => format!("optional int64 {name};"),
        Data::Text(_) => format!("optional binary {name} (UTF8);"),
        Data::List(_) => {
            format!("optional group {name} (LIST) {{ repeated group list {{ optional float element; }} }}")
        }
    });
    let text = format!("message m {{ {} }}", fields.collect::<String>());
    let schema = Arc::new(parse_message_type(&text).unwrap());
    let arrow = arrow.map(|text| KeyValue::new("ARROW:schema".to_owned(), text.to_owned()));
    let properties = WriterProperties::builder()
        .set_key_value_metadata(arrow.map(|entry| vec![entry]))
        .build();
    let properties = Arc::new(properties);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let rows = match &columns[0].1 {
        Data::Real(v) => v.len(),
        Data::Single(v) => v.len(),
        Data::Whole(v) => v.len(),
        Data::Text(v) => v.len(),
        Data::List(v) => v.len(),
    };
    for from in (0..rows).step_by(3) {
        let to = (from + 3).min(rows);
        let mut group = writer.next_row_group().unwrap();
        for (_, data) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            macro_rules! flat {
                ($out:expr, $values:expr, $map:expr) => {{
                    let part = &$values[from..to];
                    let levels: Vec<i16> = part.iter().map(|v| i16::from(v.is_some())).collect();
                    let values: Vec<_> = part.iter().flatten().map($map).collect();
                    $out.write_batch(&values, Some(&levels), None).unwrap();
                }};
            }
            match (column.untyped(), data) {
                (ColumnWriter::DoubleColumnWriter(out), Data::Real(v)) => flat!(out, v, |x| *x),
                (ColumnWriter::FloatColumnWriter(out), Data::Single(v)) => flat!(out, v, |x| *x),
                (ColumnWriter::Int64ColumnWriter(out), Data::Whole(v)) => flat!(out, v, |x| *x),
                (ColumnWriter::ByteArrayColumnWriter(out), Data::Text(v)) => {
                    flat!(out, v, |x: &&str| ByteArray::from(*x));
                }
                (ColumnWriter::FloatColumnWriter(out), Data::List(v)) => {
                    let (mut values, mut def, mut rep) = (vec![], vec![], vec![]);
                    for list in &v[from..to] {
                        values.extend_from_slice(list);
                        if list.is_empty() {
                            def.push(1);
                            rep.push(0);
                        }
                        for k in 0..list.len() {
                            def.push(3);
                            rep.push(i16::from(k > 0));
                        }
                    }
                    out.write_batch(&values, Some(&def), Some(&rep)).unwrap();
                }
                _ => unreachable!(),
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

/// A file in a folder that goes away with it.
pub(super) struct TestFile {
    pub(super) folder: tempfile::TempDir,
    pub(super) path: PathBuf,
}

impl TestFile {
    pub(super) fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        Self { folder, path }
    }

    /// Names behind the `#`, in the order of the file.
    pub(super) fn ids(&self, layout: &Layout) -> Result<Vec<String>, String> {
        let names = names(&self.path, layout).map_err(|e| self.said(&e))?;
        let id = |name: PathBuf| place(&name).unwrap().id.unwrap();
        Ok(names.unwrap_or_default().into_iter().map(id).collect())
    }

    /// All programs, or what was said instead of each; the error that ends the file counts as the
    /// last one.
    pub(super) fn programs(
        &self,
        only: Option<&str>,
        layout: &Layout,
    ) -> Vec<Result<Program, String>> {
        match members(&self.path, only, layout, &cell()) {
            Err(error) => vec![Err(self.said(&error))],
            Ok(members) => members
                .map(|member| member.and_then(|m| m.program).map_err(|e| self.said(&e)))
                .collect(),
        }
    }

    pub(super) fn one(&self, id: Option<&str>, layout: &Layout) -> Result<Program, String> {
        let place = ProgramInFile {
            file: self.path.clone(),
            id: id.map(str::to_owned),
        };
        one(&place, layout, &cell()).map_err(|e| self.said(&e))
    }

    /// An error without the folder.
    pub(super) fn said(&self, error: &ImportError) -> String {
        let folder = format!("{}/", self.folder.path().display());
        error.to_string().replace(&folder, "")
    }
}

/// Times, positions and rows of a program.
pub(super) type Taught = Vec<(f64, Vec<f64>, usize)>;

pub(super) fn taught(program: &Program) -> Taught {
    let waypoints = program.waypoints.iter();
    waypoints
        .map(|w| (w.time, w.positions.to_vec(), w.line))
        .collect()
}

#[test]
fn names_are_taken_apart_at_the_file() {
    for (name, expected) in [
        ("a.parquet#7", Some(("a.parquet", Some("7")))),
        ("a.PARQUET", Some(("a.PARQUET", None))),
        ("d#1/a.csv#x#y", Some(("d#1/a.csv", Some("x#y")))),
        ("r.mcap#/plan@2", Some(("r.mcap", Some("/plan@2")))),
        ("r.bag", Some(("r.bag", None))),
        ("a.csv", None),
        ("a.json#7", None),
        ("pick#1.csv", None),
    ] {
        let found = place(Path::new(name));
        let expected = expected.map(|(file, id)| ProgramInFile {
            file: file.into(),
            id: id.map(str::to_owned),
        });
        assert_eq!(found, expected, "{name}");
    }
    // A file of that very name is itself.
    let file = TestFile::new("a.csv#b", "time,turn\n0,1\n");
    assert_eq!(place(&file.path), None);
}

/// The file would be taken for the program, and what the table says of it would be checked by
/// nobody.
#[test]
fn a_file_named_like_a_program_of_a_table_is_told() {
    let table = TestFile::new("plans.csv", "program,time,turn\na,0,1\nb,0,1\nb/c,0,2\n");
    let all = || names(&table.path, &Layout::default());
    let beside = |name: &str| table.folder.path().join(name);
    assert_eq!(all().unwrap().unwrap().len(), 3);
    // Of no program of it.
    fs::write(beside("plans.csv#d"), "").unwrap();
    fs::write(beside("plans.csv#a.txt"), "").unwrap();
    assert_eq!(all().unwrap().unwrap().len(), 3);
    for name in ["plans.csv#b", "plans.csv#a"] {
        fs::write(beside(name), "time,turn\n0,0\n").unwrap();
        let said = all().unwrap_err().to_string();
        assert!(said.contains(name) && said.contains("rename"), "{said}");
        let said = shadowed(&beside(name)).map(|e| e.to_string());
        assert!(said.is_some_and(|said| said.contains(name)));
        fs::remove_file(beside(name)).unwrap();
        assert!(shadowed(&beside(name)).is_none());
    }
    fs::create_dir(beside("plans.csv#b")).unwrap();
    fs::write(beside("plans.csv#b/c"), "time,turn\n0,0\n").unwrap();
    assert!(all().is_err());
}

/// Damaged copies end with programs or an error, and never with a panic; `calmly` would hide one,
/// so none may be said.
pub(super) fn survive(name: &str, bytes: &[u8], only: Option<&str>, rounds: usize) {
    let mut seed = bytes.len() as u64;
    let mut below = |n: usize| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n.max(1)
    };
    let file = TestFile::new(name, bytes);
    let mut refused = 0;
    for round in 0..rounds {
        let mut copy = bytes.to_vec();
        let at = below(copy.len());
        match below(5) {
            0 => copy.truncate(at),
            1 => copy[at] = below(256) as u8,
            2 => copy[at] ^= 1 << below(8),
            3 => drop(copy.drain(at..(at + 1 + below(20)).min(bytes.len()))),
            _ => {
                let forged = [[0xff, 0xff, 0xff, 0x7f], [0xff; 4], [0; 4], [0, 0, 0, 0x40]];
                let forged = forged[below(4)];
                let end = (at + 4).min(copy.len());
                copy[at..end].copy_from_slice(&forged[..end - at]);
            }
        }
        fs::write(&file.path, &copy).unwrap();
        let listed = match only {
            None => file.ids(&Layout::default()).err(),
            Some(_) => None,
        };
        let said: Vec<String> = (file.programs(only, &Layout::default()).into_iter())
            .filter_map(Result::err)
            .chain(listed)
            .collect();
        refused += usize::from(!said.is_empty());
        let broke = said.iter().find(|why| why.contains("broke off"));
        assert!(
            broke.is_none(),
            "round {round}: {broke:?}: {}",
            copy.escape_ascii()
        );
    }
    assert!(refused > rounds / 20, "{refused} of {rounds} refused");
}
