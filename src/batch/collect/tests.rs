use std::fs;

use clearance_formats::program::events::unread;

use super::*;
use crate::batch::{name, not_searched};

fn none() -> Result<Vec<PathBuf>, Error> {
    Ok(Vec::new())
}

fn all(
    arguments: &[String],
    lists: &[PathBuf],
    mut stdin: impl FnMut() -> Result<Vec<PathBuf>, Error>,
) -> Result<Vec<PathBuf>, Error> {
    collect(arguments, lists, &Layout::default(), &mut stdin)
}

fn folder(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    folder
}

/// Names below the folder.
fn names(folder: &tempfile::TempDir, arguments: &[&str]) -> Result<Vec<String>, Error> {
    let root = folder.path().display().to_string();
    let full: Vec<String> = arguments.iter().map(|a| format!("{root}/{a}")).collect();
    Ok(all(&full, &[], none)?
        .iter()
        .map(|p| name(p)[root.len() + 1..].to_owned())
        .collect())
}

/// Names that are no texts among them.
#[test]
fn folders_are_searched_for_programs_only() {
    let batch = folder(&[
        "b/2.YAML",
        "b/1.csv",
        "a.json",
        "readme.md",
        "a.jsonl",
        ".git/x.csv",
        "b/.h.csv",
        "a/z.tsv",
    ]);
    let found = names(&batch, &["."]).unwrap();
    assert_eq!(found, ["./a.json", "./a/z.tsv", "./b/1.csv", "./b/2.YAML"]);
    // The same for patterns, which name what begins with a dot by the dot.
    assert!(
        names(&batch, &["[.]git/*"]).is_err_and(|e| e.to_string().contains("begin with a dot"))
    );
    let found = names(&batch, &["*", "**/*.csv"]).unwrap();
    assert_eq!(
        found,
        [
            "a.json",
            "a.jsonl",
            "a/z.tsv",
            "b/1.csv",
            "b/2.YAML",
            "readme.md"
        ]
    );
    assert_eq!(names(&batch, &["b/.*.csv"]).unwrap(), ["b/.h.csv"]);
}

/// The other programs are verified all the same, and nobody takes the dead one for none.
#[cfg(unix)]
#[test]
fn a_dead_link_is_a_program_that_cannot_be_read() {
    let folder = folder(&["a.csv", "d/b.pq"]);
    for link in ["dead.csv", "d/old", "d/.#b.pq"] {
        std::os::unix::fs::symlink("/nowhere", folder.path().join(link)).unwrap();
    }
    let found = names(&folder, &[""]).unwrap();
    assert_eq!(found, ["a.csv", "d/b.pq", "d/old", "dead.csv"]);
    std::os::unix::fs::symlink(".", folder.path().join("d/circle")).unwrap();
    assert!(names(&folder, &[""]).is_err());
    // Regression: with a second one a pattern did not end.
    std::os::unix::fs::symlink("..", folder.path().join("d/other")).unwrap();
    for pattern in ["**/*.csv", "*/**", "d/**/*.csv"] {
        let said = names(&folder, &[pattern]).unwrap_err().to_string();
        assert!(said.contains("remove the link"), "{pattern}: {said}");
    }
    assert_eq!(names(&folder, &["*.csv"]).unwrap(), ["a.csv", "dead.csv"]);
}

/// Catches a batch that is refused for what lies in a folder beside those that its pattern names.
#[cfg(unix)]
#[test]
fn folders_that_no_part_of_a_pattern_names_are_no_matter() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = folder(&["prog1/a.csv", "prog1/old/b.csv", "venv/lib/c.csv"]);
    let at = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    std::os::unix::fs::symlink("..", at(b"venv/back")).unwrap();
    fs::write(at(b"venv/x\xff.csv"), "x").unwrap();
    let found = |pattern: &str| names(&folder, &[pattern]).map_err(|e| e.to_string());
    assert_eq!(found("prog*/*.csv").unwrap(), ["prog1/a.csv"]);
    assert_eq!(found("[p]rog?/old/*.csv").unwrap(), ["prog1/old/b.csv"]);
    // Where a part may name them they are told: the library would pass over the name, or follow the
    // link.
    for (pattern, said) in [
        ("v*/*.csv", "is not text"),
        ("V*/x?.csv", "is not text"),
        ("*/*.csv", "is not text"),
        ("*/b*/*/a.csv", "remove the link"),
    ] {
        let why = found(pattern).unwrap_err();
        assert!(why.contains(said), "{pattern}: {why}");
    }
    assert_eq!(found("v*/lib/*.csv").unwrap(), ["venv/lib/c.csv"]);
}

/// A batch in parts would count them as one.
#[cfg(unix)]
#[test]
fn names_that_are_shown_alike_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = folder(&["a.csv"]);
    let root = folder.path().display().to_string();
    let found = || all(std::slice::from_ref(&root), &[], none);
    for (bytes, well) in [(&b"x\xfe.csv"[..], true), (b"x\xff.csv", false)] {
        fs::write(folder.path().join(OsStr::from_bytes(bytes)), "x").unwrap();
        assert_eq!(found().is_ok(), well, "{bytes:?}");
        // A pattern would pass over either.
        for pattern in ["*.csv", "*", "../*/*.csv", "**/*.csv", "**/x*"] {
            let said = names(&folder, &[pattern]).unwrap_err().to_string();
            assert!(said.contains("is not text"), "{pattern}: {said}");
        }
        assert!(
            names(&folder, &["*.tsv"])
                .unwrap_err()
                .to_string()
                .contains("no program matched")
        );
    }
}

/// Catches two programs that nobody can tell apart in a report: a line break beside `\n`.
#[cfg(unix)]
#[test]
fn names_that_become_one_in_a_report_are_refused() {
    for (other, well) in [("n\\nl.csv", false), ("n\\tl.csv", true), ("nl.csv", true)] {
        let folder = folder(&["n\nl.csv", other]);
        assert_eq!(names(&folder, &["."]).is_ok(), well, "{other:?}");
    }
}

/// Catches events that nobody reads beside a recording whose topic is named.
#[test]
fn events_beside_a_recording_are_told() {
    for events in [
        "run.mcap.event.toml",
        "foo.events.toml",
        "run.mcap#plan.events.toml",
    ] {
        let folder = folder(&["run.mcap", events]);
        let found = names(&folder, &["run.mcap#/plan"]).unwrap();
        assert!(found.contains(&events.to_owned()), "{events}: {found:?}");
    }
}

/// Whoever names files hears of events that may be meant for them; not where they have their own.
#[test]
fn events_of_no_program_are_among_the_programs() {
    let folder = folder(&["a.csv", "old.events.toml"]);
    let both = ["a.csv", "old.events.toml"];
    assert_eq!(names(&folder, &["a.csv"]).unwrap(), both);
    assert_eq!(names(&folder, &["*.csv"]).unwrap(), both);
    let list = || Ok(vec![folder.path().join("a.csv")]);
    assert_eq!(all(&["-".into()], &[], list).unwrap().len(), 2);
    let file = folder.path().join("list.txt");
    let text = folder.path().join("a.csv").display().to_string();
    fs::write(&file, text).unwrap();
    assert_eq!(all(&[], &[file], none).unwrap().len(), 2);
    fs::write(folder.path().join("a.events.toml"), "").unwrap();
    assert_eq!(names(&folder, &["a.csv"]).unwrap(), ["a.csv"]);
    assert_eq!(all(&["-".into()], &[], list).unwrap().len(), 1);
    assert_eq!(
        names(&folder, &["."]).unwrap(),
        ["./a.csv", "old.events.toml"]
    );
}

/// As many as there are: what stands in a folder is looked at once.
#[test]
fn many_renamed_programs_take_no_long_time() {
    let count = 3000;
    let programs = (0..count).map(|k| format!("{k}_v2.csv"));
    let events = (0..count).map(|k| format!("{k}.events.toml"));
    let files: Vec<String> = programs.chain(events).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let folder = folder(&files);
    let found = names(&folder, &["."]).unwrap();
    assert_eq!(found.len(), 2 * count);
    let events = found.iter().filter(|name| name.ends_with("toml"));
    let told = events.filter_map(|name| unread(&folder.path().join(name)));
    assert_eq!(told.count(), count);
}

/// A program of a controller in a form that is not read, and not as text beside it: it is one that
/// cannot be read, not one that is not there.
#[test]
fn compiled_programs_without_their_text_are_programs() {
    let folder = folder(&["a.csv", "weld.TP", "pick.tp", "pick.LS"]);
    let found = names(&folder, &["."]).unwrap();
    assert_eq!(found, ["./a.csv", "./pick.LS", "./weld.TP"]);
}

/// Regression: what rosbag2 writes beside a recording was taken for a program that cannot be read.
#[test]
fn what_rosbag2_says_of_its_recording_is_no_program() {
    let folder = folder(&["a.csv", "run/run.mcap", "run/other.yaml", "q/metadata.yaml"]);
    let put = |name: &str| {
        let text = "rosbag2_bagfile_information:\n  version: 9\n";
        fs::write(folder.path().join(name), text).unwrap();
    };
    put("run/metadata.yaml");
    put("run/other.yaml");
    // By its name and by how it begins, and only in a folder.
    let rest = ["./a.csv", "./q/metadata.yaml", "./run/other.yaml"];
    assert_eq!(names(&folder, &["."]).unwrap(), rest);
    let named = ["run/metadata.yaml"];
    assert_eq!(names(&folder, &named).unwrap(), named);
}

/// A pattern that ends in `**` means what lies directly in its folder as well.
#[test]
fn a_pattern_for_all_below_takes_the_folder_itself() {
    let folder = folder(&["p/a.csv", "p/d/b.csv", "p/d/readme.txt", "q/d/c.csv"]);
    let both = ["p/a.csv", "p/d/b.csv"];
    for pattern in ["p/**", "p/**/", "p/**/*.csv"] {
        assert_eq!(names(&folder, &[pattern]).unwrap(), both, "{pattern}");
    }
    let all = ["p/a.csv", "p/d/b.csv", "q/d/c.csv"];
    assert_eq!(names(&folder, &["*/**"]).unwrap(), all);
    fs::write(folder.path().join("top.csv"), "x").unwrap();
    assert_eq!(names(&folder, &["*/**"]).unwrap(), all);
    assert!(names(&folder, &["none/**"]).is_err());
}

#[test]
fn patterns_folders_and_files_may_overlap() {
    let batch = folder(&["a/1.csv", "a/2.csv", "a/c/3.csv", "odd.txt", "x[1].csv"]);
    assert_eq!(
        names(&batch, &["a/*.csv", "a/2.csv", "odd.txt", "x[1].csv"]).unwrap(),
        ["a/1.csv", "a/2.csv", "odd.txt", "x[1].csv"]
    );
    assert_eq!(
        names(&batch, &["**/*.csv", "a"]).unwrap(),
        ["a/1.csv", "a/2.csv", "a/c/3.csv", "x[1].csv"]
    );
}

#[test]
fn whoever_names_nothing_hears_of_it() {
    let batch = folder(&["a/1.csv", "b/readme.md"]);
    for nothing in ["b", "*.yaml", "gone", "gone.csv", "a/[.csv"] {
        assert!(names(&batch, &["a", nothing]).is_err(), "{nothing}");
    }
    assert!(all(&["-".into()], &[], none).is_err());
}

/// Catches programs that a pattern does not stand for, because a shell has made a file of its name.
#[test]
#[cfg(unix)]
fn a_pattern_that_is_a_file_too_is_refused() {
    let alone = folder(&["q/*.csv"]);
    assert_eq!(names(&alone, &["q/*.csv"]).unwrap(), ["q/*.csv"]);
    let both = folder(&["q/*.csv", "q/b.csv"]);
    let said = names(&both, &["q/*.csv"]).unwrap_err().to_string();
    assert!(
        said.contains("is a file, and a pattern that matches"),
        "{said}"
    );
    assert_eq!(names(&both, &["q"]).unwrap(), ["q/*.csv", "q/b.csv"]);
}

#[test]
fn lists_are_taken_as_they_are() {
    let list = || Ok(listed("# of today\r\n b.csv\r\n#\n\na.txt\nb.csv\n").unwrap());
    let found = all(&["-".into()], &[], list).unwrap();
    assert_eq!(found, [PathBuf::from("a.txt"), PathBuf::from("b.csv")]);
}

/// A list is not a folder: nothing is looked up, and what it names twice is there once.
#[test]
fn lists_may_be_files() {
    let batch = folder(&["a/1.csv", "a/2.csv"]);
    let list = batch.path().join("list.txt");
    fs::write(&list, "\u{feff}a/9.csv\r\na/1.csv\n\na\na/1.csv\n").unwrap();
    let found = all(&[], &[list.clone(), "-".into()], || {
        Ok(listed("z.csv\n").unwrap())
    })
    .unwrap();
    assert_eq!(
        found,
        ["a", "a/1.csv", "a/9.csv", "z.csv"].map(PathBuf::from)
    );
    fs::write(&list, "\n").unwrap();
    assert!(
        all(&[], &[list], none)
            .unwrap_err()
            .to_string()
            .contains("is empty")
    );
    assert!(
        all(&[], &["gone.txt".into()], none)
            .unwrap_err()
            .to_string()
            .contains("gone.txt cannot be read")
    );
}

/// Catches a program that is left out, because its name without its blanks is another one's.
#[test]
fn names_in_a_list_may_have_blanks_at_their_ends() {
    let folder = folder(&["a.csv", "a.csv ", "b.csv"]);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (plain, blank) = (at("a.csv"), at("a.csv "));
    let text = format!("{plain}\n{blank}\n  {}  \n", at("b.csv"));
    let found: Vec<String> = (listed(&text).unwrap().iter())
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(found, [plain, blank, at("b.csv")]);
}

/// Catches a folder of which a part is left out, and nobody hears of it.
#[test]
fn files_that_may_be_programs_and_are_not_taken_are_told() {
    let told = |files: &[&str]| {
        let batch = folder(files);
        not_searched(&[batch.path().display().to_string(), "gone".to_owned()])
    };
    let said = told(&["a.csv", "b.txt", "sub/c.DAT"]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("2 files in the folder `")
            && said[0]
                .contains("` are not taken for programs: b.txt, sub/c.DAT; if they are, name them"),
        "{said:?}"
    );
    let said = told(&["a.csv", "b.xlsx"]);
    assert!(
        said[0].ends_with("` is not taken for a program: b.xlsx; if it is one, name it"),
        "{said:?}"
    );
    let others = [
        "README.txt",
        "p.src",
        "p.dat",
        "$config.dat",
        ".h.txt",
        "a.stl",
    ];
    assert_eq!(told(&others), Vec::<String>::new());
}

/// Catches a pattern that leaves out what differs by capital letters only, and nobody hears of it.
#[test]
fn files_that_a_pattern_leaves_out_by_capital_letters_are_told() {
    let batch = folder(&["a.csv", "B.CSV", "c.Csv", "d.txt", ".e.CSV", "sub/f.CSV"]);
    let at = |name: &str| batch.path().join(name).display().to_string();
    let told = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| at(word)).collect();
        not_searched(&words)
    };
    let said = told(&["*.csv"]);
    assert_eq!(said.len(), 1, "{said:?}");
    let begins = format!("2 files are not taken by `{}`, which", at("*.csv"));
    assert!(said[0].starts_with(&begins), "{said:?}");
    assert!(
        said[0].contains("B.CSV") && said[0].contains("c.Csv; if"),
        "{said:?}"
    );
    let rest = told(&["*.csv", "*.CSV"]);
    assert!(
        rest.len() == 2 && rest.iter().all(|said| said.starts_with("1 file is not")),
        "{rest:?}"
    );
    for all in [
        &["*.csv", "B.CSV", "c.Csv"][..],
        &["*.csv", "*.[cC][sS][vV]"],
        &["*.csv", ""],
        &["*"],
    ] {
        let said = told(all);
        assert!(!said.iter().any(|said| said.contains("by `")), "{said:?}");
    }
}
