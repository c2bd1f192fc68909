//! Who may use whom. Data goes one way through the crate; this test reads `src/` and fails when a room reaches for one that it may
//! not use. The table is explained in docs/architecture.md.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every room, and the rooms that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("cli", &ALL),
    (
        "verify",
        &[
            "engines", "findings", "geometry", "import", "model", "motion", "pairs", "rigor",
            "spheres",
        ],
    ),
    (
        "library",
        &[
            "verify", "import", "model", "engines", "findings", "geometry",
        ],
    ),
    ("import", &["model", "geometry"]),
    ("model", &["geometry", "rigor"]),
    ("spheres", &["geometry", "rigor"]),
    (
        "pairs",
        &["motion", "spheres", "model", "geometry", "rigor"],
    ),
    ("motion", &["model", "geometry", "rigor"]),
    (
        "engines",
        &[
            "spheres", "motion", "model", "geometry", "rigor", "findings", "pairs",
        ],
    ),
    ("findings", &[]),
    ("report", &["findings"]),
    ("geometry", &["rigor"]),
    ("rigor", &[]),
];

const ALL: [&str; 12] = [
    "library", "verify", "import", "model", "spheres", "pairs", "motion", "engines", "findings",
    "report", "geometry", "rigor",
];

/// The source with comments and string contents blanked, line breaks kept, so that prose does not count as a use.
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

/// The rooms that a source text names through `crate::`, with the line of each.
fn uses(source: &str) -> Vec<(usize, String)> {
    let code = code_only(source);
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        // `$crate::` and `crate::` count; `my_crate::` does not.
        if code[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let line = code[..start].matches('\n').count() + 1;
        let rest = code[start + "crate::".len()..].trim_start();
        match rest.strip_prefix('{') {
            Some(list) => {
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
                        found.push((line, head(&first)));
                        first.clear();
                    } else {
                        first.push(c);
                    }
                }
                found.push((line, head(&first)));
            }
            None => found.push((line, head(rest))),
        }
    }
    found.retain(|(_, room)| !room.is_empty());
    found
}

/// The first name of a path.
fn head(path: &str) -> String {
    path.trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// What is wrong with the uses of one file, one sentence each.
fn violations(room: &str, file: &Path, source: &str) -> Vec<String> {
    let rooms: BTreeSet<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    let allowed = MAY_USE
        .iter()
        .find(|(name, _)| *name == room)
        .map(|(_, allowed)| *allowed)
        .unwrap_or(&[]);
    uses(source)
        .into_iter()
        .filter(|(_, used)| {
            used != room && rooms.contains(used.as_str()) && !allowed.contains(&used.as_str())
        })
        .map(|(line, used)| format!("{}:{line}: {room} must not use {used}", file.display()))
        .collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder of src/")
        .map(|entry| entry.expect("an entry of src/").path())
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

/// Room and path, relative to `src/`, of every source file inside a room. Tests of a room are free to use others as judges.
fn room_files() -> Vec<(String, PathBuf)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    files
        .into_iter()
        .filter(|path| !is_test_file(path))
        .filter_map(|path| {
            let inside = path.strip_prefix(&src).ok()?;
            let room = inside.components().next()?.as_os_str().to_str()?;
            let room = room.trim_end_matches(".rs").to_owned();
            (room != "lib" && room != "main").then_some((room, path.clone()))
        })
        .collect()
}

fn is_test_file(path: &Path) -> bool {
    path.components()
        .any(|c| c.as_os_str() == "tests" || c.as_os_str() == "tests.rs")
}

/// The part of a file that ships: everything before its `#[cfg(test)] mod … {`, which stands last by habit.
fn shipped(source: &str) -> &str {
    match source.find("#[cfg(test)]\nmod tests {") {
        Some(end) => &source[..end],
        None => source,
    }
}

#[test]
fn rooms_use_only_the_rooms_that_they_may() {
    let mut wrong = Vec::new();
    let files = room_files();
    assert!(files.len() >= MAY_USE.len(), "src/ was not found");
    for (room, path) in files {
        let source = fs::read_to_string(&path).expect("a readable source file");
        wrong.extend(violations(&room, &path, shipped(&source)));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_room_of_the_house_is_in_the_table() {
    let known: BTreeSet<String> = MAY_USE.iter().map(|(name, _)| (*name).to_owned()).collect();
    let built: BTreeSet<String> = room_files().into_iter().map(|(room, _)| room).collect();
    assert_eq!(known, built);
}

#[test]
fn the_table_has_no_circle() {
    // Take away, again and again, every room that uses nothing that is left. A circle would stay.
    let mut left: Vec<(&str, &[&str])> = MAY_USE.to_vec();
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

#[test]
fn a_planted_violation_is_found() {
    let planted = "use crate::rigor::up;\n\nuse crate::{\n    engines::{bisection, sampling},\n    model::Cell,\n};\nfn f() { crate::report::text(); }\n";
    assert_eq!(
        violations("geometry", Path::new("planted.rs"), planted),
        [
            "planted.rs:3: geometry must not use engines",
            "planted.rs:3: geometry must not use model",
            "planted.rs:7: geometry must not use report",
        ]
    );
}

#[test]
fn prose_strings_and_own_room_are_no_violation() {
    let harmless = "//! See [`crate::engines`].\n/* crate::cli /* crate::cli */ crate::cli */\nuse crate::geometry::mesh::Mesh;\nconst A: &str = \"crate::report\";\nconst B: &str = r#\"\"crate::report\"#;\nconst C: char = '\"';\nuse my_crate::engines;\nfn f<'a>(x: &'a str) -> &'a str { x }\n";
    assert_eq!(
        violations("geometry", Path::new("harmless.rs"), harmless),
        Vec::<String>::new()
    );
    // The blanking must not swallow what follows.
    let after = format!("{harmless}use crate::cli::run;\n");
    assert_eq!(
        violations("geometry", Path::new("harmless.rs"), &after),
        ["harmless.rs:9: geometry must not use cli"]
    );
}
