//! The file of events that belongs to a program, and files that seem to.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::files::{MOST_TEXT, folder_of, read_bytes};
use crate::program::many::{self, Layout};
use crate::program::{self, motion, sequence};
use crate::{ImportError, Problem};

/// The file that holds the events of a program unless another is named: `pick.events.toml` beside
/// `pick.csv`. Of a program in a file of many it is `plans.parquet.events.toml`, which holds for
/// all programs in `plans.parquet`.
pub fn sidecar(program: &Path) -> PathBuf {
    match many::place(program) {
        None => program.with_extension("events.toml"),
        Some(place) => after_all_of(&place.file),
    }
}

/// The bytes of that file, if there is one.
///
/// # Errors
/// When something of that name is there and cannot be read: who took it for absent would take a
/// program with events for one without.
pub fn sidecar_bytes(program: &Path) -> Result<Option<Vec<u8>>, ImportError> {
    let file = sidecar(program);
    // Most programs have none, and an error would look through the folder for a file of nearly this
    // name.
    if file.symlink_metadata().is_err() {
        return Ok(None);
    }
    bytes_of(&file).map(Some)
}

/// The bytes of a file of events.
///
/// # Errors
/// When they cannot be read.
pub fn bytes_of(file: &Path) -> Result<Vec<u8>, ImportError> {
    read_bytes(file, MOST_TEXT)
}

/// Whether there is something beside a program that is, or means to be, its events.
pub fn any_beside(program: &Path) -> bool {
    sidecar(program).symlink_metadata().is_ok() || misnamed(program).is_some()
}

/// The error about a file that means to be the events of a program and has another name than
/// [`sidecar`] gives: nobody would read it, and the program would be checked without its events.
pub fn misnamed(program: &Path) -> Option<ImportError> {
    let own = sidecar(program);
    if own.symlink_metadata().is_ok() {
        return None;
    }
    let file = many::file_of(program);
    if let Some(events) = behind_a_link(program, &file) {
        return Some(ImportError::file(
            &events,
            Problem::Syntax {
                cause: format!(
                    "nobody reads these events: {} is a link to the program beside them, and its own would stand in {}",
                    file.display(),
                    own.display()
                ),
                remedy: "link them as well, or name the program where it really is".to_owned(),
            },
        ));
    }
    let singular = file.with_extension("event.toml");
    let mut meant = vec![after_all_of(&file), singular];
    if file != program {
        // After a program in a file of many, whose events stand in one file for all of them.
        meant.extend(["events.toml", "event.toml"].map(|end| {
            let mut name = program.as_os_str().to_owned();
            name.push(".");
            name.push(end);
            PathBuf::from(name)
        }));
    }
    // What may be the events of a neighbour: `pick.events.toml` beside `pick.motion.json`, which
    // `pick.csv` may have.
    let mut shared = vec![file.with_extension("events.toml")];
    if motion::is_motion(&file) {
        shared.push(file.with_extension("").with_extension("events.toml"));
    }
    shared.retain(|name| !belongs_to_another(name, &file));
    let mut names = meant.into_iter().chain(shared);
    let found = names.find(|name| *name != own && name.symlink_metadata().is_ok())?;
    let problem = Problem::Syntax {
        cause: format!(
            "nobody reads these events: those of {} stand in {}",
            program.display(),
            own.display()
        ),
        remedy: "rename the file, or name it with --events".to_owned(),
    };
    Some(ImportError::file(&found, problem))
}

/// The events beside a file to which a link of the program's name leads, if there are any: beside
/// the first one that has some, where links lead to links.
fn behind_a_link(program: &Path, file: &Path) -> Option<PathBuf> {
    let mut at = file.to_owned();
    for _ in 0..MOST_LINKS {
        // Most programs are no links.
        let target = std::fs::read_link(&at).ok()?;
        at = at.parent().unwrap_or(Path::new("")).join(target);
        let events = if file == program {
            at.with_extension("events.toml")
        } else {
            after_all_of(&at)
        };
        if events.symlink_metadata().is_ok() {
            return Some(events);
        }
    }
    None
}

/// Links that lead to one another, at most: as many as systems follow.
const MOST_LINKS: usize = 40;

/// The events of all programs in a file of many.
fn after_all_of(file: &Path) -> PathBuf {
    let mut events = file.as_os_str().to_owned();
    events.push(".events.toml");
    PathBuf::from(events)
}

/// Whether a program has a file of events of its own, whatever it is and whatever is in it.
pub fn has_own(program: &Path) -> bool {
    let file = many::file_of(program);
    [sidecar(program), after_all_of(&file)]
        .iter()
        .any(|events| events.symlink_metadata().is_ok())
}

/// Ends of names of files that are events, or mean to be, in lower case.
const ENDS: [&str; 4] = [".events.toml", ".event.toml", ".events.tml", ".event.tml"];

/// What stands before such an end; `None`: it is no file of events. Files whose names begin with a
/// dot are those of editors and systems.
fn name_of_events(name: &Path) -> Option<&str> {
    let name = name.file_name()?.to_str()?;
    let lower = name.to_ascii_lowercase();
    let end = ENDS.iter().find(|end| lower.ends_with(*end))?;
    (!name.starts_with('.')).then(|| &name[..name.len() - end.len()])
}

/// Whether a file is named as events are, or mean to be.
pub fn is_named_like_events(file: &Path) -> bool {
    name_of_events(file).is_some()
}

/// Extensions of files that may be programs. What else has the name of a program, such as a report
/// or a copy, does not read its events.
const PROGRAMS: [&str; 18] = [
    "csv", "tsv", "json", "yaml", "yml", "script", "urp", "mod", "modx", "prg", "pgf", "src", "ls",
    "jbi", "parquet", "pq", "mcap", "bag",
];

fn may_be_a_program(name: &Path) -> bool {
    PROGRAMS.contains(&extension(name).as_str())
}

/// Files of events in a folder that belong to no program there: a program was renamed, or its name
/// has capital letters at other places. Whoever checks programs of this folder must hear of them
/// ([`unread`]): nobody reads them.
pub fn unread_in(folder: &Path) -> Vec<PathBuf> {
    let looked_in = match folder.as_os_str() {
        name if name.is_empty() => Path::new("."),
        _ => folder,
    };
    let entries = std::fs::read_dir(looked_in).into_iter().flatten();
    let names = entries.filter_map(|entry| Some(PathBuf::from(entry.ok()?.file_name())));
    let is_events = |name: &PathBuf| name_of_events(name).is_some();
    let (events, others): (HashSet<PathBuf>, HashSet<PathBuf>) = names
        .filter(|name| name_of_events(name).is_some() || may_be_a_program(name))
        .partition(is_events);
    if events.is_empty() {
        return Vec::new();
    }
    let mut by_events: HashMap<PathBuf, Vec<&PathBuf>> = HashMap::new();
    for program in &others {
        for events in [sidecar(program), after_all_of(program)] {
            by_events.entry(events).or_default().push(program);
        }
    }
    let is_read = |events: &PathBuf| {
        let mut programs = by_events.get(events).into_iter().flatten();
        programs.any(|program| seems_to_read(&folder.join(program), events))
    };
    // What means a program beside it is an error of that program.
    let told = others.iter().filter_map(|name| {
        let mut program = folder.join(name).into_os_string();
        if events.contains(&sidecar(name)) && many::is_many(Path::new(&program)) {
            // Any program of the table tells.
            program.push("#");
        }
        misnamed(Path::new(&program))
    });
    let told: HashSet<PathBuf> = told.map(|error| error.place.file.into()).collect();
    // So do programs in a file of many after which one of them is called.
    let is_told = |name: &PathBuf| {
        let called = name_of_events(name).unwrap_or_default();
        let mut places = called.match_indices('#').map(|(at, _)| &called[..at]);
        places.any(|of| {
            let names = many::names(&folder.join(of), &Layout::default());
            let program = folder.join(called);
            others.contains(Path::new(of))
                && names.is_ok_and(|all| all.is_some_and(|all| all.contains(&program)))
        })
    };
    let unread = events
        .iter()
        .filter(|name| !is_read(name) && !is_told(name));
    let mut unread: Vec<PathBuf> = unread
        .map(|name| folder.join(name))
        .filter(|file| !told.contains(file))
        .collect();
    unread.sort();
    unread
}

/// The error about a file of events that is taken for a program; `None`: it is no such file.
pub fn unread(file: &Path) -> Option<ImportError> {
    let name = name_of_events(file)?;
    let as_read = file.to_string_lossy().ends_with(".events.toml");
    let is_read = |program: &PathBuf| as_read && seems_to_read(program, file);
    let called = PROGRAMS.map(|extension| format!("{name}.{extension}"));
    let beside = called.iter().map(|name| file.with_file_name(name));
    let beside: Vec<PathBuf> = beside.filter(|program| program.exists()).collect();
    // Of one program in a file of many, or of all.
    let before = name
        .match_indices('#')
        .map(|(at, _)| file.with_file_name(&name[..at]));
    let mut of_many = before
        .filter(|of| may_be_a_program(of) && of.exists())
        .chain(beside.iter().filter(|of| many::is_many(of)).cloned());
    let (cause, remedy) = if beside.iter().any(is_read) {
        (
            "these are the events of a program, and no program",
            "name the program; it is checked with the events beside it".to_owned(),
        )
    } else if let Some(all) = of_many.next() {
        (
            "nobody reads these events: those of many programs in one file stand in one file for all of them",
            format!("name it {}, or remove it", after_all_of(&all).display()),
        )
    } else {
        (
            "nobody reads these events: no program beside them has this name",
            "rename the file like its program, as in `pick.events.toml` beside `pick.csv`, or remove it; keep events that you name with \
             --events in a folder of their own"
                .to_owned(),
        )
    };
    let problem = Problem::Syntax {
        cause: cause.to_owned(),
        remedy,
    };
    Some(ImportError::file(file, problem))
}

/// Whether a file of events is there, and belongs by its name to another file of the folder.
fn belongs_to_another(events: &Path, file: &Path) -> bool {
    // Most programs have none, and no folder is looked through for them.
    if events.symlink_metadata().is_err() {
        return false;
    }
    let folder = folder_of(events);
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    let mut names = entries.filter_map(|entry| Some(PathBuf::from(entry.ok()?.file_name())));
    names.any(|name| {
        let is_another = Some(name.as_os_str()) != file.file_name();
        let program = folder.join(name);
        is_another && reads(&program, events) && is_a_program(&program)
    })
}

/// Whether a file is named like a program that reads events of this name beside it, or like many
/// that do.
fn reads(program: &Path, events: &Path) -> bool {
    let is_called = |own: PathBuf| own.file_name() == events.file_name();
    may_be_a_program(program)
        && (is_called(after_all_of(program))
            || is_called(sidecar(program)) && !many::is_many(program))
}

/// The same, unless it is a report. A table that is no program is told where it is verified: to read
/// all tables of a folder twice would take long.
fn seems_to_read(program: &Path, events: &Path) -> bool {
    reads(program, events) && (is_table(program) || is_a_program(program))
}

fn extension(file: &Path) -> String {
    let extension = file.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// Whether a file is named as a table of text is.
fn is_table(file: &Path) -> bool {
    ["csv", "tsv"].contains(&extension(file).as_str())
}

/// Whether a file that has the name of a program is one, and no report or other table: of a program
/// of a controller, and of many in one file, the name is believed.
fn is_a_program(file: &Path) -> bool {
    let is_text = is_table(file) || ["json", "yaml", "yml"].contains(&extension(file).as_str());
    if !is_text || many::is_many(file) {
        return true;
    }
    let Ok(bytes) = program::read(file) else {
        return false;
    };
    if motion::is_motion(file) {
        return motion::parse(file, &bytes).is_ok();
    }
    match sequence::read(file, &bytes, &BTreeMap::new()) {
        Some(moves) => moves.is_ok(),
        None => program::parse(file, &bytes).is_ok(),
    }
}
