//! docs/qualification.md and the tests name each other.

use std::collections::BTreeSet;
use std::path::Path;

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The text between the first two backquotes of a cell of a table.
fn quoted(cell: &str) -> &str {
    cell.split('`').nth(1).unwrap_or("")
}

/// The attributes and the comment above a test, if there is one of this name.
fn above<'t>(text: &'t str, test: &str) -> Option<&'t str> {
    let at = text.find(&format!("fn {test}("))?;
    let before = &text[..at];
    let block = before.rfind("\n\n").map_or(before, |k| &before[k..]);
    block.contains("#[test]").then_some(block)
}

/// Catches a requirement without a test, a test that was renamed or is ignored without a word, and
/// a file of the suite that no requirement knows.
#[test]
fn requirements_and_tests_name_each_other() {
    let page = read("docs/qualification.md");
    let rows = page.lines().filter(|line| line.starts_with("| R"));
    let mut files = BTreeSet::new();
    let mut count = 0;
    for (index, row) in rows.enumerate() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, number, what, test, file, _] = cells[..] else {
            panic!("{row}");
        };
        assert_eq!(number, format!("R{}", index + 1), "{row}");
        let (test, file) = (quoted(test), quoted(file));
        let text = read(file);
        let attributes = above(&text, test).unwrap_or_else(|| panic!("{file} has no test {test}"));
        let ignored = attributes.contains("#[ignore");
        assert_eq!(ignored, what.contains("(ignored: "), "{row}");
        files.insert(file.to_owned());
        count += 1;
    }
    assert!(count >= 60, "{count} requirements");
    for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite")) {
        let entry = entry.unwrap();
        let path = entry
            .path()
            .strip_prefix(env!("CARGO_MANIFEST_DIR"))
            .unwrap();
        let name = path.to_string_lossy().replace('\\', "/");
        if entry.file_type().is_file() && read(&name).contains("\n#[test]") {
            assert!(files.contains(&name), "no requirement names {name}");
        }
    }
}

/// Catches a dependency without its licence in the list.
#[test]
fn every_dependency_is_listed() {
    let page = read("docs/qualification.md");
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("[workspace.dependencies]").unwrap();
    let (list, _) = rest.split_once("\n[").unwrap();
    let names = list.lines().filter_map(|line| line.split_once(" = "));
    let names = names
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with("clearance-"));
    let mut count = 0;
    for name in names.filter(|name| !name.starts_with('#')) {
        assert!(
            page.contains(&format!("| `{name}` | ")),
            "{name} is not listed"
        );
        count += 1;
    }
    assert!(count > 20);
}
