//! One name, one type: no two types that more than one file can see have the same name. The checker
//! of certificates is left out: it knows nothing of the rest, so its names are its own. And each file
//! that docs/architecture.md names is there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{code_only, is_test_file, rust_files, shipped};

const SOURCES: [&str; 6] = [
    "crates/proof/src",
    "crates/formats/src",
    "crates/programs/src",
    "crates/methods/src",
    "crates/certify/src",
    "src",
];

/// The types of a source that more files than its own can see.
fn visible_types(source: &str) -> Vec<String> {
    let type_of = |line: &str| {
        let rest = line.trim_start().strip_prefix("pub")?;
        let rest = match rest.strip_prefix('(') {
            Some(within) => within.split_once(')')?.1,
            None => rest,
        };
        let mut words = rest.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let kinds = ["struct", "enum", "trait", "type", "union"];
        let mut words = words.by_ref().filter(|word| !word.is_empty());
        let kind = words.next()?;
        kinds
            .contains(&kind)
            .then(|| words.next().map(str::to_owned))?
    };
    code_only(source).lines().filter_map(type_of).collect()
}

#[test]
fn one_name_stands_for_one_type() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for source in SOURCES {
        rust_files(&top.join(source), &mut files);
    }
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| !is_test_file(file)) {
        let source = fs::read_to_string(file).expect("a readable source file");
        let place = file.strip_prefix(top).unwrap_or(file).display().to_string();
        for name in visible_types(shipped(&source)) {
            places.entry(name).or_default().push(place.clone());
        }
    }
    assert!(places.len() > 400, "{} types were found", places.len());
    places.retain(|_, files| files.len() > 1);
    assert!(places.is_empty(), "rename all but one of each: {places:#?}");
}

#[test]
fn every_file_that_the_architecture_names_is_there() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["crates", "src", "tests", "benches", "fuzz", "python"] {
        rust_files(&top.join(folder), &mut files);
    }
    let page = fs::read_to_string(top.join("docs/architecture.md")).expect("the page");
    // Between every other two backticks stands a name.
    let named = page.split('`').skip(1).step_by(2);
    let named: Vec<&str> = named
        .filter(|name| name.ends_with(".rs") && *name != ".rs")
        .collect();
    assert!(named.len() > 150, "{} files are named", named.len());
    let missing = |name: &&&str| !files.iter().any(|file| file.ends_with(name));
    let missing: Vec<_> = named.iter().filter(missing).collect();
    assert!(missing.is_empty(), "no such files: {missing:?}");
}

#[test]
fn types_are_found_with_every_reach() {
    let source = "pub struct A(u8);\n    pub(in crate::a) enum B<T> {}\nstruct C;\n\
                  /* pub struct D; */ pub(crate) trait E {}\npub fn f() {}\npub type G = u8;\n\
                  \"pub struct H;\"\npub use a::struct_of;\n";
    assert_eq!(visible_types(source), ["A", "B", "E", "G"]);
}
