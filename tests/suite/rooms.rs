//! Who may use whom. The crates keep the large direction: `clearance-proof` and `clearance-recheck`
//! depend on none of ours, `clearance-formats` and `clearance-methods` on the proof,
//! `clearance-programs` on the proof and on formats, `clearance-certify` on the proof and on
//! recheck, the program on all six. Inside the proof and the program this test keeps it: it reads
//! the sources and fails when a room reaches for one that it may not use. The tables are explained
//! in docs/architecture.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

mod circles;
mod names;

/// The rooms of one crate.
struct House {
    /// Where its sources are, from the top of the repository.
    src: &'static str,
    /// Every room, and the rooms of this crate that it may use.
    may_use: &'static [(&'static str, &'static [&'static str])],
    /// For rooms that may not use all of the other crates: those that they may use.
    crates: &'static [(&'static str, &'static [&'static str])],
}

const PROOF: House = House {
    src: "crates/proof/src",
    may_use: &[
        ("numeric", &[]),
        ("geometry", &["numeric"]),
        ("model", &["report", "geometry", "numeric"]),
        ("bvh", &["model", "geometry", "numeric"]),
        ("motion", &["model", "report", "geometry", "numeric"]),
        (
            "pairs",
            &["motion", "bvh", "model", "report", "geometry", "numeric"],
        ),
        (
            "check",
            &[
                "report", "pairs", "motion", "bvh", "model", "geometry", "numeric",
            ],
        ),
        ("report", &[]),
    ],
    crates: &[],
};

const PROGRAM: House = House {
    src: "src",
    may_use: &[
        ("findings", &[]),
        ("cache", &[]),
        ("run", &["cache", "findings"]),
        ("batch", &["run", "findings"]),
        ("render", &["findings"]),
        ("cli", &["run", "batch", "render", "findings", "cache"]),
    ],
    crates: &[
        ("findings", &["clearance_proof", "clearance_methods"]),
        ("cache", &["clearance_proof"]),
        // Reports know answers only, as plain data.
        ("render", &[]),
    ],
};

const HOUSES: [&House; 2] = [&PROOF, &PROGRAM];

/// Our crates, and those of ours that each may depend on.
const CRATES: [(&str, &[&str]); 6] = [
    ("crates/proof", &[]),
    ("crates/formats", &["clearance-proof"]),
    ("crates/methods", &["clearance-proof"]),
    ("crates/certify", &["clearance-proof", "clearance-recheck"]),
    // Whoever reads it has read all that makes a certificate valid.
    ("crates/recheck", &[]),
    ("crates/programs", &["clearance-proof", "clearance-formats"]),
];

/// The source with comments and string contents blanked, line breaks kept, so that prose does not
/// count as a use.
fn code_only(source: &str) -> String {
    let bytes: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let at = |i: usize| bytes.get(i).copied().unwrap_or('\0');
    let mut i = 0;
    while i < bytes.len() {
        match (at(i), at(i + 1)) {
            ('/', '/') => {
                while i < bytes.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            ('/', '*') => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => {
                            depth += 1;
                            i += 2;
                        }
                        ('*', '/') => {
                            depth -= 1;
                            i += 2;
                        }
                        (c, _) => {
                            if c == '\n' {
                                out.push('\n');
                            }
                            i += 1;
                        }
                    }
                    if depth == 0 || i >= bytes.len() {
                        break;
                    }
                }
            }
            ('r', '"' | '#') if raw_string_hashes(&bytes, i).is_some() => {
                let hashes = raw_string_hashes(&bytes, i).unwrap_or(0);
                i += 2 + hashes;
                while i < bytes.len() && !(at(i) == '"' && (1..=hashes).all(|k| at(i + k) == '#')) {
                    if at(i) == '\n' {
                        out.push('\n');
                    }
                    i += 1;
                }
                i += 1 + hashes;
            }
            ('"', _) => {
                i += 1;
                while i < bytes.len() && at(i) != '"' {
                    if at(i) == '\\' {
                        i += 1;
                    }
                    if at(i) == '\n' {
                        out.push('\n');
                    }
                    i += 1;
                }
                i += 1;
            }
            // A character such as '"', as opposed to a lifetime.
            ('\'', '\\') => {
                i += 3;
                while i < bytes.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            ('\'', _) if at(i + 2) == '\'' => i += 3,
            (c, _) => {
                out.push(c);
                i += 1;
            }
        }
    }
    out
}

/// The number of `#` of a raw string that starts at `i`, if one does.
fn raw_string_hashes(text: &[char], i: usize) -> Option<usize> {
    let before = i.checked_sub(1).map(|k| text[k]);
    if before.is_some_and(|c| c.is_alphanumeric() && c != 'b' || c == '_') {
        return None;
    }
    let hashes = text[i + 1..].iter().take_while(|&&c| c == '#').count();
    (text.get(i + 1 + hashes) == Some(&'"')).then_some(hashes)
}

/// The names that a source text uses through `crate::`, or from our other crates: the line and the
/// name.
fn uses(source: &str) -> Vec<(usize, String)> {
    let code = code_only(source);
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    let starts_word =
        |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    let mut found = Vec::new();
    let ours = [
        "clearance_proof",
        "clearance_formats",
        "clearance_methods",
        "clearance_programs",
    ];
    for other in ours {
        let places = code.match_indices(other).filter(|(at, _)| starts_word(*at));
        found.extend(places.map(|(at, _)| (line(at), other.to_owned())));
    }
    // `$crate::` and `crate::` count; `my_crate::` does not.
    let places = code
        .match_indices("crate::")
        .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    for (start, _) in places {
        let rest = code[start + "crate::".len()..].trim_start();
        let Some(list) = rest.strip_prefix('{') else {
            found.push((line(start), head(rest)));
            continue;
        };
        let mut depth = 0usize;
        let mut first = String::new();
        for c in list.chars() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 && c == ',' {
                found.push((line(start), head(&first)));
                first.clear();
            } else {
                first.push(c);
            }
        }
        found.push((line(start), head(&first)));
    }
    found.retain(|(_, name)| !name.is_empty());
    found
}

/// The first name of a path.
fn head(path: &str) -> String {
    path.trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

impl House {
    /// Errors in the uses of one file, one sentence each.
    fn violations(&self, room: &str, file: &Path, source: &str) -> Vec<String> {
        let of = |table: &[(&str, &'static [&'static str])]| {
            let row = table.iter().find(|(name, _)| *name == room);
            row.map(|(_, allowed)| *allowed)
        };
        let rooms: BTreeSet<&str> = self.may_use.iter().map(|(name, _)| *name).collect();
        let allowed = of(self.may_use).unwrap_or(&[]);
        let crates = of(self.crates);
        let wrong = |used: &str| {
            if used.starts_with("clearance_") {
                crates.is_some_and(|c| !c.contains(&used))
            } else {
                used != room && rooms.contains(used) && !allowed.contains(&used)
            }
        };
        let mut found: Vec<_> = (uses(source).into_iter())
            .filter(|(_, used)| wrong(used))
            .collect();
        found.sort();
        let file = file.display();
        (found.iter())
            .map(|(line, used)| format!("{file}:{line}: {room} must not use {used}"))
            .collect()
    }

    /// Room and path of every source file inside a room. Tests of a room are free to use others as
    /// oracles.
    fn files(&self) -> Vec<(String, PathBuf)> {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join(self.src);
        let mut files = Vec::new();
        rust_files(&src, &mut files);
        files
            .into_iter()
            .filter(|path| !is_test_file(path))
            .filter_map(|path| {
                let inside = path.strip_prefix(&src).ok()?;
                let room = inside.components().next()?.as_os_str().to_str()?;
                let room = room.trim_end_matches(".rs").to_owned();
                (!["lib", "main", "error"].contains(&room.as_str())).then_some((room, path.clone()))
            })
            .collect()
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder of sources")
        .map(|entry| entry.expect("an entry of a folder").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn is_test_file(path: &Path) -> bool {
    path.components()
        .any(|c| c.as_os_str() == "tests" || c.as_os_str() == "tests.rs")
}

/// The part of a file that ships: everything before its `#[cfg(test)] mod … {`, which stands last
/// by habit.
fn shipped(source: &str) -> &str {
    match source.find("#[cfg(test)]\nmod tests {") {
        Some(end) => &source[..end],
        None => source,
    }
}

#[test]
fn rooms_use_only_the_rooms_that_they_may() {
    let mut wrong = Vec::new();
    for house in HOUSES {
        let files = house.files();
        assert!(
            files.len() >= house.may_use.len(),
            "{} was not found",
            house.src
        );
        for (room, path) in files {
            let source = fs::read_to_string(&path).expect("a readable source file");
            wrong.extend(house.violations(&room, &path, shipped(&source)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_room_is_in_its_table() {
    for house in HOUSES {
        let known: BTreeSet<String> = (house.may_use.iter())
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let built: BTreeSet<String> = house.files().into_iter().map(|(room, _)| room).collect();
        assert_eq!(known, built);
    }
}

#[test]
fn no_table_has_a_circle() {
    for house in HOUSES {
        // Take away, again and again, every room that uses nothing that is left. A circle would
        // stay.
        let mut left = house.may_use.to_vec();
        loop {
            let names: BTreeSet<&str> = left.iter().map(|(name, _)| *name).collect();
            let before = left.len();
            left.retain(|(_, uses)| uses.iter().any(|used| names.contains(used)));
            if left.len() == before {
                break;
            }
        }
        assert!(left.is_empty(), "rooms in a circle: {left:?}");
    }
}

/// Whoever reads `crates/proof` reads all that the proof rests on: it uses no crate of ours and no
/// crate that reads files or draws.
#[test]
fn crates_depend_only_on_those_that_they_may() {
    for (folder, may) in CRATES {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(folder)
            .join("Cargo.toml");
        let text = fs::read_to_string(&file).expect("a manifest");
        let manifest: toml::Table = text.parse().expect("TOML");
        let names: Vec<&String> = manifest["dependencies"]
            .as_table()
            .expect("a table of dependencies")
            .keys()
            .collect();
        assert_eq!(
            names.is_empty(),
            folder == "crates/recheck",
            "{folder}: {names:?}"
        );
        for name in names {
            let ours = name.starts_with("clearance");
            assert!(
                !ours || may.contains(&name.as_str()),
                "{folder} uses {name}"
            );
            let outside = ["clap", "serde_json", "csv", "toml", "indicatif", "console"];
            let proof = folder == "crates/proof";
            assert!(
                !proof || !outside.contains(&name.as_str()),
                "{folder} uses {name}"
            );
        }
    }
}

#[test]
fn a_planted_violation_is_found() {
    let planted = "use crate::numeric::up;\n\nuse crate::{\n    check::{bisection, scene},\n    model::Cell,\n};\nfn f() { crate::pairs::table(); }\n";
    assert_eq!(
        PROOF.violations("geometry", Path::new("planted.rs"), planted),
        [
            "planted.rs:3: geometry must not use check",
            "planted.rs:3: geometry must not use model",
            "planted.rs:7: geometry must not use pairs",
        ]
    );
    let planted =
        "use clearance_proof::model::Cell;\nfn f() -> clearance_formats::ImportError {}\n";
    assert_eq!(
        PROGRAM.violations("render", Path::new("planted.rs"), planted),
        [
            "planted.rs:1: render must not use clearance_proof",
            "planted.rs:2: render must not use clearance_formats",
        ]
    );
    assert!(
        PROGRAM
            .violations("run", Path::new("planted.rs"), planted)
            .is_empty()
    );
}

#[test]
fn prose_strings_and_own_room_are_no_violation() {
    let harmless = "//! See [`crate::check`].\n/* crate::pairs /* crate::pairs */ crate::pairs */\nuse crate::geometry::mesh::Mesh;\nconst A: &str = \"crate::report\";\nconst B: &str = r#\"\"crate::report\"#;\nconst C: char = '\"';\nuse my_crate::check;\nfn f<'a>(x: &'a str) -> &'a str { x }\n";
    assert_eq!(
        PROOF.violations("geometry", Path::new("harmless.rs"), harmless),
        Vec::<String>::new()
    );
    // The blanking must not swallow what follows.
    let after = format!("{harmless}use crate::check::run;\n");
    assert_eq!(
        PROOF.violations("geometry", Path::new("harmless.rs"), &after),
        ["harmless.rs:9: geometry must not use check"]
    );
}
