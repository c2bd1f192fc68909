//! No circle of files: whoever reads a file reads what it stands on, and comes to an end. A file
//! uses another one when it names, by `use` or by a path, something that is defined there; to pass
//! a name on (`pub use`) is not a use of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{code_only, shipped};

/// A path of names: of a module from the top of its crate, or as a source has it.
type Names = Vec<String>;

/// The names in one file.
#[derive(Default)]
struct File {
    /// Modules in files of their own.
    children: Vec<String>,
    /// Names that it takes in.
    imports: Vec<Names>,
    /// Those, and every path in its code.
    uses: BTreeSet<Names>,
    /// Names that it passes on.
    passed_on: Vec<Names>,
    /// Names that it defines.
    items: BTreeSet<String>,
    /// Every word in its code.
    words: BTreeSet<String>,
}

/// Where a path leads.
#[derive(Clone)]
enum Found {
    Module(Names),
    Item(Names),
}

/// The files of a crate by their modules.
#[derive(Default)]
struct Modules(BTreeMap<Names, File>);

/// Words and signs of a source; `::` is one.
fn tokens(code: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut colon = false;
    for c in code.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            colon = false;
            continue;
        }
        if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        match c {
            ':' if colon => {
                found.pop();
                found.push("::".to_owned());
                colon = false;
            }
            ':' => {
                found.push(":".to_owned());
                colon = true;
            }
            c if c.is_whitespace() => colon = false,
            c => {
                found.push(c.to_string());
                colon = false;
            }
        }
    }
    found
}

/// The paths of a `use` that begins here; returns where it ends.
fn use_tree(tokens: &[String], mut at: usize, prefix: &[String], found: &mut Vec<Names>) -> usize {
    let mut path = prefix.to_vec();
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "::" => {}
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|t| t != "}") {
                    at = use_tree(tokens, at, &path, found);
                    if tokens.get(at).is_some_and(|t| t == ",") {
                        at += 1;
                    }
                }
                return at + 1;
            }
            "as" => at += 1,
            "," | "}" | ";" => break,
            name => path.push(name.to_owned()),
        }
        at += 1;
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    found.push(path);
    at
}

impl File {
    fn read(source: &str) -> Self {
        let tokens = tokens(&code_only(source));
        let mut file = File::default();
        let is = |at: usize, text: &str| tokens.get(at).is_some_and(|t| t == text);
        let word = |at: usize| {
            let token: Option<&String> = tokens.get(at);
            token.filter(|t| t.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        };
        let mut at = 0;
        let mut public = false;
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                // `#[cfg(test)] mod tests;` and what only tests use.
                "cfg" if is(at + 2, "test") => {
                    while at < tokens.len() && !is(at, "]") {
                        at += 1;
                    }
                    if is(at + 1, "mod") || is(at + 1, "use") {
                        while at < tokens.len() && !is(at, ";") {
                            at += 1;
                        }
                    }
                }
                "pub" => {
                    public = true;
                    if is(at + 1, "(") {
                        while !is(at, ")") {
                            at += 1;
                        }
                    }
                    at += 1;
                    continue;
                }
                // Not `impl Trait + use<..>`.
                "use" if !is(at + 1, "<") => {
                    let list = if public {
                        &mut file.passed_on
                    } else {
                        &mut file.imports
                    };
                    at = use_tree(&tokens, at + 1, &[], list);
                }
                "mod" if is(at + 2, ";") => file.children.push(tokens[at + 1].clone()),
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" => {
                    file.items.extend(word(at + 1).cloned());
                }
                "macro_rules" => file.items.extend(word(at + 2).cloned()),
                _ if word(at).is_some() => {
                    let mut path = vec![token.clone()];
                    while is(at + 1, "::") && word(at + 2).is_some() {
                        path.push(tokens[at + 2].clone());
                        at += 2;
                    }
                    file.words.extend(path.iter().cloned());
                    if path.len() > 1 {
                        file.uses.insert(path);
                    }
                }
                _ => {}
            }
            public = false;
            at += 1;
        }
        // A name that is passed on and used here as well is used.
        let own = file.passed_on.iter();
        let own = own.filter(|path| path.last().is_some_and(|name| file.words.contains(name)));
        let own: Vec<Names> = own.cloned().collect();
        file.uses.extend(own);
        file.uses.extend(file.imports.iter().cloned());
        file
    }
}

impl File {
    /// Whether it passes on, out of a module of this name, what has the same name.
    fn passes_on(&self, name: &str) -> bool {
        let twice = |path: &&Names| path.iter().rev().take(2).all(|part| part == name);
        self.passed_on
            .iter()
            .any(|path| path.len() > 1 && twice(&path))
    }
}

impl Modules {
    fn read(src: &Path) -> Self {
        let mut modules = Modules::default();
        modules.add(Names::new(), &src.join("lib.rs"));
        modules
    }

    fn add(&mut self, module: Names, path: &Path) {
        let source = fs::read_to_string(path).expect("a readable source file");
        let file = File::read(shipped(&source));
        let folder = path.parent().expect("a folder");
        let stem = path.file_stem().and_then(|s| s.to_str()).expect("a name");
        let below: PathBuf = match stem {
            "lib" | "mod" => folder.to_owned(),
            _ => folder.join(stem),
        };
        for child in &file.children {
            let places = [
                below.join(format!("{child}.rs")),
                below.join(child).join("mod.rs"),
            ];
            let name = [&module[..], std::slice::from_ref(child)].concat();
            if let Some(place) = places.iter().find(|place| place.exists()) {
                self.add(name, place);
            }
        }
        self.0.insert(module, file);
    }

    /// A path from the top of the crate; `None`: it is of another crate, or of what this file has
    /// taken in.
    fn top_path(&self, module: &[String], path: &[String]) -> Option<Names> {
        let mut base = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            _ => {
                base.push(path[0].clone());
                return (self.0.contains_key(&base)).then(|| [module, path].concat());
            }
        }
        Some([&base[..], rest].concat())
    }

    /// Where a path from the top leads, through files that only pass it on.
    fn resolve(&self, path: &[String], depth: usize) -> Option<Found> {
        let mut length = 0;
        while length < path.len() && self.0.contains_key(&path[..=length]) {
            length += 1;
        }
        let (module, rest) = path.split_at(length);
        let file = self.0.get(module)?;
        let Some(name) = rest.first() else {
            return Some(Found::Module(module.to_vec()));
        };
        if depth > 12 || file.items.contains(name) {
            return Some(Found::Item(module.to_vec()));
        }
        let named = file.passed_on.iter().chain(&file.imports);
        for given in named.filter(|given| given.len() > 1 && given.last() == Some(name)) {
            let given = self.top_path(module, given)?;
            if given != path {
                return self.resolve(&[&given, &rest[1..]].concat(), depth + 1);
            }
        }
        for all in file.passed_on.iter().filter(|p| p.ends_with(&["*".into()])) {
            let from = self.top_path(module, &all[..all.len() - 1]);
            if let Some(from) = from.filter(|from| self.0.contains_key(from))
                && self.0[&from].items.contains(name)
            {
                return Some(Found::Item(from));
            }
        }
        Some(Found::Item(module.to_vec()))
    }

    /// The files that this one uses.
    fn used_by(&self, module: &Names) -> BTreeSet<Names> {
        let file = &self.0[module];
        let mut used = BTreeSet::new();
        let mut taken: BTreeMap<&str, Names> = BTreeMap::new();
        for path in &file.uses {
            let top = self.top_path(module, path);
            match top.and_then(|top| self.resolve(&top, 0)) {
                Some(Found::Item(found)) => {
                    used.insert(found);
                }
                Some(Found::Module(found)) => {
                    // A name may be that of a module and of what the module gives:
                    // `use super::prepare;`.
                    let name = path.last().cloned().unwrap_or_default();
                    let given = [found.clone(), vec![name.clone()]].concat();
                    if self.0[&found].items.contains(&name)
                        && let Some((_, parent)) = found.split_last()
                        && self.0[parent].passes_on(&name)
                        && let Some(Found::Item(item)) = self.resolve(&given, 0)
                    {
                        used.insert(item);
                    }
                    taken.insert(path.last().map_or("", String::as_str), found);
                }
                None => {}
            }
        }
        // `words::clock()` behind `use super::words;`.
        for path in file.uses.iter().filter(|path| path.len() > 1) {
            if let Some(from) = taken.get(path[0].as_str())
                && let Some(Found::Item(found)) = self.resolve(&[from, &path[1..]].concat(), 0)
            {
                used.insert(found);
            }
        }
        used.remove(module);
        used
    }

    /// The uses that are left when every file is taken away, again and again, that uses nothing or
    /// is used by nobody.
    fn circles(&self, parts: Parts) -> Vec<String> {
        let modules = self.0.keys();
        let mut left: BTreeMap<&Names, BTreeSet<Names>> = modules
            .map(|module| (module, self.used_by(module)))
            .collect();
        if parts == Parts::MayUseTheWhole {
            for (module, uses) in &mut left {
                uses.retain(|other| !module.starts_with(other));
            }
        }
        loop {
            let before = left.len();
            let names: BTreeSet<Names> = left.keys().map(|name| (*name).clone()).collect();
            let used: BTreeSet<Names> = left.values().flatten().cloned().collect();
            left.retain(|name, uses| {
                uses.retain(|other| names.contains(other));
                !uses.is_empty() && used.contains(*name)
            });
            if left.len() == before {
                break;
            }
        }
        let shown = |module: &Names| {
            if module.is_empty() {
                "lib".to_owned()
            } else {
                module.join("::")
            }
        };
        let uses = left
            .iter()
            .flat_map(|(module, uses)| uses.iter().map(move |other| (*module, other)));
        uses.map(|(module, other)| format!("{} uses {}", shown(module), shown(other)))
            .collect()
    }
}

/// Whether `a/b.rs`, a part of the module `a`, may use what `a.rs` defines, which uses its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    MayUseTheWhole,
    StandAlone,
}

/// Our crates, and how many files they have at least.
const CRATES: [(&str, usize, Parts); 7] = [
    ("src", 150, Parts::StandAlone),
    ("crates/certify/src", 5, Parts::StandAlone),
    ("crates/recheck/src", 5, Parts::StandAlone),
    ("crates/proof/src", 140, Parts::MayUseTheWhole),
    ("crates/formats/src", 100, Parts::MayUseTheWhole),
    ("crates/methods/src", 30, Parts::MayUseTheWhole),
    ("crates/programs/src", 80, Parts::MayUseTheWhole),
];

#[test]
fn no_files_use_each_other_in_a_circle() {
    for (src, least, parts) in CRATES {
        let modules = Modules::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(src));
        assert!(modules.0.len() >= least, "{src}: {} files", modules.0.len());
        let circles = modules.circles(parts);
        assert!(circles.is_empty(), "{src}:\n{}", circles.join("\n"));
    }
}

/// A crate of these files.
fn planted(files: &[(&str, &str)]) -> Modules {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    Modules::read(folder.path())
}

#[test]
fn planted_circles_are_found() {
    // Through what the parent passes on, through a module's name, and between a parent and its
    // child.
    let lib = "mod a;\nmod b;\nmod c;\npub use b::B;\n";
    let circle = planted(&[
        ("lib.rs", lib),
        ("a.rs", "use crate::B;\npub fn a(_: B) {}\n"),
        ("b.rs", "use super::c;\npub struct B;\nfn b() { c::c(); }\n"),
        ("c.rs", "pub fn c() { crate::a::a(crate::B) }\n"),
    ]);
    let circle = circle.circles(Parts::MayUseTheWhole);
    assert_eq!(circle, ["a uses b", "b uses c", "c uses a", "c uses b"]);
    let below = planted(&[
        ("lib.rs", "mod a;\n"),
        (
            "a/mod.rs",
            "mod b;\npub struct A;\npub fn a() { b::b(A) }\n",
        ),
        ("a/b.rs", "use super::A;\npub fn b(_: A) {}\n"),
    ]);
    assert_eq!(
        below.circles(Parts::StandAlone),
        ["a uses a::b", "a::b uses a"]
    );
    assert!(below.circles(Parts::MayUseTheWhole).is_empty());
    // A function that has the name of its module.
    let named = planted(&[
        ("lib.rs", "mod a;\nmod b;\npub use a::a;\n"),
        ("a.rs", "use super::b::b;\npub fn a() { b() }\n"),
        ("b.rs", "use super::a;\npub fn b() { a() }\n"),
    ]);
    assert_eq!(
        named.circles(Parts::MayUseTheWhole),
        ["a uses b", "b uses a"]
    );
}

#[test]
fn passing_a_name_on_and_tests_are_no_circle() {
    let none = planted(&[
        ("lib.rs", "mod a;\npub use a::b::{B, b};\n"),
        (
            "a.rs",
            "pub mod b;\npub struct A;\n#[cfg(test)]\nuse b::B;\n",
        ),
        (
            "a/b.rs",
            "use super::A;\n//! crate::a\npub struct B(A);\npub fn b() {}\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n",
        ),
    ]);
    assert_eq!(none.circles(Parts::StandAlone), Vec::<String>::new());
}
