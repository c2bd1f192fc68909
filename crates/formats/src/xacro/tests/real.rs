//! Real files of xacro beside what the `xacro` of Python makes of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::*;

/// Elements, attributes and texts of a document, one a line; a prefix counts as written.
fn canonical(xml: &XmlText) -> Vec<String> {
    let document = xml.document().unwrap();
    let mut lines = Vec::new();
    for node in document.root().descendants() {
        if node.is_element() {
            let source = super::super::tree::SourceElement::read_node(xml, node);
            let attributes: BTreeMap<_, _> = source.attributes.iter().cloned().collect();
            let depth = node.ancestors().count();
            lines.push(format!("{depth} {} {attributes:?}", source.name));
        } else if let Some(text) = node
            .text()
            .filter(|t| node.is_text() && !t.trim().is_empty())
        {
            let words: Vec<&str> = text.split_whitespace().collect();
            match lines.last_mut() {
                Some(last) if last.starts_with("text ") => {
                    *last += &format!(" {}", words.join(" "))
                }
                _ => lines.push(format!("text {}", words.join(" "))),
            }
        }
    }
    lines
}

/// A file that Python expands is expanded to the same, or refused; a file that Python refuses may
/// be expanded only where it is listed.
#[test]
#[ignore = "needs CLEARANCE_XACRO: the folder that tests/xacro/cases.py has made"]
fn files_of_many_makers_are_expanded_as_by_python() {
    let folder =
        PathBuf::from(std::env::var_os("CLEARANCE_XACRO").expect("CLEARANCE_XACRO is not set"));
    let cases = fs::read_to_string(folder.join("cases.txt")).unwrap();
    let rows: Vec<Vec<&str>> = cases.lines().map(|l| l.split('\t').collect()).collect();
    let packages = rows.iter().filter(|r| r[0] == "package");
    let packages = packages
        .map(|r| (r[1].to_owned(), PathBuf::from(r[2])))
        .collect();
    let resolver = Resolver::from_environment(packages);
    let (mut same, mut refused, mut both) = (0, Vec::new(), 0);
    let mut different = Vec::new();
    for row in rows.iter().filter(|r| r[0] == "case") {
        let given: Vec<(String, String)> = row[2]
            .split(';')
            .filter_map(|pair| pair.split_once('='))
            .map(|(n, v)| (n.to_owned(), v.to_owned()))
            .collect();
        let opened = open(Path::new(row[1]), &mut Arguments::new(&given), &resolver);
        match (opened, row[3]) {
            (Ok(opened), expected) if !expected.is_empty() => {
                let theirs = fs::read(folder.join(expected)).unwrap();
                let theirs = XmlText::new(Path::new(row[1]), theirs).unwrap();
                let (ours, theirs) = (canonical(&opened.xml), canonical(&theirs));
                match ours.iter().zip(&theirs).find(|(a, b)| a != b) {
                    None if ours.len() == theirs.len() => same += 1,
                    other => different.push(format!("{}: {other:?}", row[1])),
                }
            }
            (Err(error), "") => {
                let _ = error;
                both += 1;
            }
            (Err(error), _) => refused.push(error.to_string()),
            (Ok(_), _) => different.push(format!("{}: only ours expands; {}", row[1], row[4])),
        }
    }
    #[allow(clippy::print_stdout)]
    {
        println!(
            "{same} the same, {both} refused by both, {} refused here alone",
            refused.len()
        );
        refused.iter().for_each(|error| println!("  {error}"));
    }
    assert!(same > 0, "no case");
    assert!(
        different.is_empty(),
        "{} differ:\n{}",
        different.len(),
        different.join("\n")
    );
}
