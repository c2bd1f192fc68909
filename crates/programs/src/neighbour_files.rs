//! Files that belong to a program and lie beside it: its data list, programs that it calls.
//! Controllers take capitals and small letters of their names for the same; folders may not.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clearance_formats::controller::ControllerFile;
use clearance_formats::{ImportError, Problem, folder_of};

use crate::{Options, is_missing};

/// The file of this name, however it is written; `None` if there is none.
///
/// # Errors
/// When one is there and cannot be read, or when two differ: without it, or with the wrong one, the
/// program would be another one.
pub(crate) fn neighbour_file(
    path: &Path,
    options: &Options,
) -> Result<Option<ControllerFile>, ImportError> {
    ControllerFile::only(spellings(path)?.into_iter().filter_map(|path| {
        let bytes = options.optional(&path).transpose()?;
        Some(bytes.map(|bytes| ControllerFile {
            path,
            bytes: bytes.into(),
        }))
    }))
}

/// Names that the file may have. Those that are asked for whether they are there or not come first.
fn spellings(path: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let [small, large] = [str::to_lowercase, str::to_uppercase].map(|f| f(&extension));
    let mut first_large = small.clone();
    if let Some(first) = first_large.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let extensions = [extension.to_string(), small, large, first_large];
    let mut names: Vec<String> = Vec::new();
    for stem in [stem.to_string(), stem.to_lowercase(), stem.to_uppercase()] {
        for extension in &extensions {
            let name = format!("{stem}.{extension}");
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let same = format!("{stem}.{extension}").to_lowercase();
    let listed = listing(folder_of(path))?;
    let others = listed.get(&same).into_iter().flatten();
    let others: Vec<String> = others
        .filter(|name| !names.contains(name))
        .cloned()
        .collect();
    names.extend(others);
    Ok(names.iter().map(|name| path.with_file_name(name)).collect())
}

/// Names of files, by what they are in small letters.
type FolderNames = BTreeMap<String, Vec<String>>;

thread_local! {
    /// Folders that were looked into for the program that is read: it may call many others, and a
    /// folder may hold many.
    static LISTED: RefCell<BTreeMap<PathBuf, Rc<FolderNames>>> = const { RefCell::new(BTreeMap::new()) };
}

/// Forgets the folders, before another program is read.
pub(crate) fn look_anew() {
    LISTED.with_borrow_mut(BTreeMap::clear);
}

/// The files of a folder; none where there is no such folder.
///
/// # Errors
/// When it cannot be listed: the file that is looked for may be in it.
fn listing(folder: &Path) -> Result<Rc<FolderNames>, ImportError> {
    if let Some(known) = LISTED.with_borrow(|listed| listed.get(folder).cloned()) {
        return Ok(known);
    }
    let unreadable = |error: std::io::Error| {
        let cause = format!("the folder cannot be listed: {error}");
        let remedy = "allow this: files that the program takes may be in it".to_owned();
        ImportError::file(folder, Problem::Unreadable { cause, remedy })
    };
    let mut found = FolderNames::new();
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                let name = entry.map_err(unreadable)?.file_name();
                if let Ok(name) = name.into_string() {
                    found.entry(name.to_lowercase()).or_default().push(name);
                }
            }
        }
        Err(_) if is_missing(folder) => {}
        Err(error) => return Err(unreadable(error)),
    }
    found.values_mut().for_each(|names| names.sort());
    let found = Rc::new(found);
    LISTED.with_borrow_mut(|listed| listed.insert(folder.to_owned(), found.clone()));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, ControlledArm, block, lines};

    const LISTING: &str = "/PROG SUB\n/ATTR\nDEFAULT_GROUP = 1,*,*,*,*;\n/MN\n1:J P[1] 50% FINE ;\n/POS\nP[1]{\n GP1:\n UF : 1, UT : 1,\n J1= 10 deg, J2= 0 deg, J3= 0 deg, J4= 0 deg, J5= -60 deg, J6= 0 deg\n};\n/END\n";
    const JOB: &str = "/JOB\n//NAME SUB\n//POS\n///NPOS 1,0,0,0,0,0\n///TOOL 1\n///POSTYPE PULSE\n///PULSE\nC00000=10000,0,0,0,-45000,0\n//INST\n///DATE 2024/01/01 10:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\nMOVJ C00000 VJ=25.00 PL=0\nEND\n";
    const KRL: &str = "DEF sub( )\nPTP {A1 10,A2 -90,A3 90,A4 0,A5 5,A6 0}\nEND\n";

    #[derive(Clone, Copy)]
    struct Asked<'t> {
        dialect: &'t str,
        /// Name of the program, and its text, which calls the other one.
        main: [&'t str; 2],
        called: &'t str,
        names: [&'t str; 4],
        /// A joint value of the program that is called, and another one.
        value: [&'t str; 2],
    }

    const ASKED: [Asked<'static>; 3] = [
        Asked {
            dialect: "fanuc",
            main: [
                "MAIN.LS",
                "/PROG MAIN\n/ATTR\nDEFAULT_GROUP = 1,*,*,*,*;\n/MN\n1:CALL SUB ;\n/POS\n/END\n",
            ],
            called: LISTING,
            names: ["SUB.LS", "SUB.ls", "sub.ls", "Sub.lS"],
            value: ["J1= 10", "J1= 11"],
        },
        Asked {
            dialect: "inform",
            main: [
                "MAIN.JBI",
                "/JOB\n//NAME MAIN\n//POS\n///NPOS 0,0,0,0,0,0\n//INST\n///DATE 2024/01/01 10:00\n///ATTR SC,RW\n///GROUP1 RB1\nNOP\nCALL JOB:SUB\nEND\n",
            ],
            called: JOB,
            names: ["SUB.JBI", "SUB.jbi", "sub.jbi", "Sub.jBi"],
            value: ["=10000", "=11000"],
        },
        Asked {
            dialect: "krl",
            main: ["main.src", "DEF main( )\nBAS(#INITMOV,0)\nsub( )\nEND\n"],
            called: KRL,
            names: ["sub.src", "SUB.SRC", "Sub.src", "sUb.sRc"],
            value: ["A1 10", "A1 11"],
        },
    ];

    /// What is said of the first way, or why nothing is; in a folder with these files, of which
    /// those without a text are folders.
    fn told(asked: &Asked, files: &[(&str, Option<&str>)]) -> String {
        static FOLDERS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = FOLDERS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let folder = format!("clearance-beside-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            match text {
                Some(text) => std::fs::write(folder.join(name), text).unwrap(),
                None => std::fs::create_dir(folder.join(name)).unwrap(),
            }
        }
        let cell = match asked.dialect {
            "krl" => block::testing::arm("krl"),
            other => lines::testing::arm(other),
        };
        let controller = ControlledArm::of(&cell, None).unwrap();
        let options = Options {
            routine: None,
            bounds: Bounds::default(),
            read_neighbour: &crate::testing::on_disk,
            orientation_tube: 0.1,
        };
        let [name, text] = asked.main;
        let read = crate::read(&folder.join(name), text.as_bytes(), &controller, &options);
        _ = std::fs::remove_dir_all(&folder);
        match read {
            Err(error) => error.to_string(),
            Ok(reading) => match reading.ways[0].unknown.first() {
                Some(unknown) => unknown.reason.clone(),
                None => lines::testing::short(&reading.ways[0]),
            },
        }
    }

    /// Catches one of two files that is taken unseen, one that cannot be read and is passed over
    /// for another one, and one that is there and is said not to be there.
    #[test]
    fn called_programs_are_found_however_they_are_written() {
        for asked in &ASKED {
            let text = asked.called;
            for name in asked.names {
                let found = told(asked, &[(name, Some(text))]);
                assert!(found.starts_with("J[10 "), "{name}: {found}");
                // A carriage return alone, and a folder.
                let cut = text.replacen('\n', "\r", 1);
                for unreadable in [Some(&*cut), None] {
                    let alone = told(asked, &[(name, unreadable)]);
                    assert!(alone.contains(name), "{name}: {alone}");
                    let other = asked.names.into_iter().find(|other| *other != name);
                    // Where the folder takes both for one, there cannot be two.
                    if !cfg!(any(windows, target_os = "macos")) {
                        let files = [(other.unwrap(), Some(text)), (name, unreadable)];
                        let both = told(asked, &files);
                        assert!(both.contains(name), "{name}: {both}");
                    }
                }
            }
        }
    }

    /// Controllers take capitals and small letters for the same in calls and in the names that
    /// programs give themselves, too; what is said names the file that is there.
    #[test]
    fn calls_and_names_may_be_written_with_other_letters() {
        for asked in &ASKED[..2] {
            let [name, text] = asked.main;
            for (call, own, file) in [
                ("sub", "SUB", asked.names[0]),
                ("SUB", "sub", asked.names[2]),
                ("Sub", "sUb", asked.names[3]),
            ] {
                let asked = Asked {
                    main: [
                        name,
                        &text
                            .replace("CALL SUB", &format!("CALL {call}"))
                            .replace("JOB:SUB", &format!("JOB:{call}")),
                    ],
                    ..*asked
                };
                let called = asked.called.replacen("SUB", own, 1);
                let found = told(&asked, &[(file, Some(&called))]);
                assert!(found.starts_with("J[10 "), "{call} {own} {file}: {found}");
                let other = told(
                    &asked,
                    &[(file, Some(&asked.called.replacen("SUB", "OTHER", 1)))],
                );
                let says = format!("in `{file}` calls itself `OTHER`");
                assert!(other.contains(&says), "{other}");
            }
            // One that calls itself with other letters is the same program, and goes on for ever.
            let again = asked.called.replacen("NOP\n", "NOP\nCALL JOB:sub\n", 1);
            let again = again.replacen("1:J", "1:CALL sub ;\n2:J", 1);
            let found = told(asked, &[(asked.names[0], Some(&again))]);
            assert!(found.contains("calls"), "{found}");
        }
    }

    /// A folder that cannot be listed may hold the file by another spelling.
    #[test]
    fn folders_that_cannot_be_listed_are_errors() {
        assert!(listing(Path::new("no/such/folder")).unwrap().is_empty());
        let error = listing(Path::new(&"x".repeat(5000))).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("the folder cannot be listed"), "{said}");
    }

    /// A name of a job may have a point.
    #[test]
    fn jobs_with_a_point_in_their_name_are_found() {
        let asked = &ASKED[1];
        let [name, text] = asked.main;
        let text = text.replace("JOB:SUB", "JOB:A.B");
        let asked = Asked {
            main: [name, &text],
            ..*asked
        };
        let called = asked.called.replacen("SUB", "A.B", 1);
        let found = told(&asked, &[("A.B.JBI", Some(&called))]);
        assert!(found.starts_with("J[10 "), "{found}");
        let missing = told(&asked, &[("A.JBI", Some(&called))]);
        assert!(missing.contains("there is no `A.B.JBI`"), "{missing}");
    }

    /// Where the folder tells them apart there may be two.
    #[test]
    #[cfg(not(any(windows, target_os = "macos")))]
    fn two_programs_of_one_name_have_to_be_the_same() {
        for asked in &ASKED {
            let [value, other] = asked.value;
            let differs = asked.called.replace(value, other);
            for name in &asked.names[1..] {
                let files = |second| [(asked.names[0], Some(asked.called)), (*name, Some(second))];
                let both = told(asked, &files(&differs));
                assert!(both.contains("which of the two"), "{name}: {both}");
                let same = told(asked, &files(asked.called));
                assert!(same.starts_with("J[10 "), "{name}: {same}");
            }
        }
    }
}
