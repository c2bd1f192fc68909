//! The HTML report of a batch: a list, and beside it a folder with a page for each program that is
//! worth one.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::output::Reports;
use super::page_progress::PageProgress;
use super::sink::write_file;
use crate::batch::{Record, Results};
use crate::error::Error;
use crate::findings::{AllowanceEffect, Outcome, ProgramOutcome, Verdict};
use crate::render::{Scenery, html, html_list, is_page};
use crate::run::{Job, RobotProgram, Verifier, drawn_cell, replay};

/// Programs that get a page of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Pages {
    /// Those that are not clear, leave a limit, have near misses or notices, or touch where an
    /// allowance hides it
    Findings,
    /// Every one
    All,
    /// None: only the list
    None,
}

impl Pages {
    fn has(self, program: &ProgramOutcome) -> bool {
        let good = program.verdict == Verdict::Clear
            && program.limits.is_empty()
            && program.near_misses.is_empty()
            && program.notices.is_empty()
            && program
                .audit
                .as_ref()
                .is_none_or(|audit| audit.count(AllowanceEffect::Hid) == 0);
        match self {
            Pages::Findings => !good,
            Pages::All => true,
            Pages::None => false,
        }
    }
}

/// Pages that are in memory at once.
const AT_ONCE: usize = 32;

/// The input of pages.
pub(super) struct ForPages<'a> {
    pub job: &'a Job,
    /// Programs that get one.
    pub which: Pages,
    /// Whether nothing is to be told while they are written.
    pub quiet: bool,
    /// Whether the programs came in no files: a file that is called like one of them is not it.
    pub given: bool,
}

/// Writes the list of a batch to a file, and the pages into a folder beside it that is called like
/// it.
pub(super) fn write_pages(
    list: &Path,
    made_of: &ForPages,
    results: &Results,
    outcome: &Outcome,
) -> Result<(), Error> {
    let ForPages {
        job,
        which,
        quiet,
        given,
    } = *made_of;
    let mut pages = vec![None; outcome.programs.len()];
    let wanted = |program: &ProgramOutcome| which.has(program) && program.interpolation.is_some();
    let count = outcome.programs.iter().filter(|p| wanted(p)).count();
    // Not read anew: its files may have changed since.
    let prepared = results.prepared.as_ref().filter(|_| count > 0);
    if let Some(prepared) = prepared {
        let progress = PageProgress::new(count, quiet);
        let (folder, name) = pages_folder(list)?;
        std::fs::create_dir_all(&folder).map_err(|e| {
            Error::unwritable(format!("the folder of pages {}", folder.display()), e)
        })?;
        let back = format!(
            "../{}",
            list.file_name().unwrap_or_default().to_string_lossy()
        );
        let verifier = Verifier::new(job, prepared)?;
        let scenery = Scenery::new(&drawn_cell(&verifier));
        let files: HashMap<String, &PathBuf> = job
            .programs
            .iter()
            .map(|file| (file.display().to_string(), file))
            .collect();
        let write = |index: usize, record: Record| -> Result<(usize, String), Error> {
            let program = record.into_outcome();
            let file = page_name(index, &program.program);
            let file_of = files.get(&program.program).filter(|_| !given);
            let alone = |file: &&PathBuf| [RobotProgram::alone(file)];
            let shown = file_of.and_then(|file| replay(&verifier, &alone(file), &program));
            let alone = Outcome {
                verdict: program.verdict,
                programs: vec![program],
                ..results.report_header()
            };
            let page = html(&alone, Some(&scenery), &[shown], Some(&back));
            write_file(&folder.join(&file), &page)?;
            progress.written();
            Ok((index, format!("{name}/{file}")))
        };
        let mut records = results.records().enumerate();
        loop {
            // With the lines of their waypoints, which the outcome of a batch does not carry.
            let mut some: Vec<(usize, Record)> = Vec::new();
            for (index, record) in records.by_ref() {
                let record = record?;
                if wanted(&record.outcome) {
                    some.push((index, record));
                }
                if some.len() == AT_ONCE {
                    break;
                }
            }
            if some.is_empty() {
                break;
            }
            let written: Vec<Result<(usize, String), Error>> = some
                .into_par_iter()
                .map(|(index, record)| write(index, record))
                .collect();
            for page in written {
                let (index, address) = page?;
                pages[index] = Some(address);
            }
        }
    }
    write_file(list, &html_list(outcome, &pages))?;
    remove_others(list, &pages)
}

/// Removes pages of an earlier run where this one has no answer: none of them is about it.
pub(super) fn remove_pages(reports: &Reports) -> Result<(), Error> {
    let all = reports.pages().map(|list| remove_others(list, &[]));
    // Where one cannot be removed the others are.
    all.fold(Ok(()), Result::and)
}

/// Removes pages of an earlier run: whoever opens one must not take it for this one's. Nothing else
/// in the folder is touched.
fn remove_others(list: &Path, pages: &[Option<String>]) -> Result<(), Error> {
    let (folder, name) = pages_folder(list)?;
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return Ok(());
    };
    let kept: HashSet<&str> = pages.iter().flatten().map(String::as_str).collect();
    for entry in entries.filter_map(Result::ok) {
        let file = entry.file_name().to_string_lossy().into_owned();
        let is_old = is_page_name(&file)
            && !kept.contains(format!("{name}/{file}").as_str())
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && begins_like_a_page(&entry.path());
        if is_old {
            let path = entry.path();
            std::fs::remove_file(&path)
                .map_err(|e| Error::unwritable(format!("the folder of {}", path.display()), e))?;
        }
    }
    Ok(())
}

/// Whether a file is called as [`page_name`] calls pages.
fn is_page_name(file: &str) -> bool {
    let Some((number, rest)) = file.split_once('_') else {
        return false;
    };
    let base = rest.strip_suffix(".html");
    let index = number.parse().ok().and_then(|n: usize| n.checked_sub(1));
    base.zip(index)
        .is_some_and(|(base, index)| page_name(index, base) == file)
}

/// Whether a file of such a name is a page: it may be one of the user's.
fn begins_like_a_page(file: &Path) -> bool {
    // More than the longest name of a program needs.
    const START: u64 = 1 << 16;
    let mut start = Vec::new();
    let read = File::open(file).and_then(|file| file.take(START).read_to_end(&mut start));
    read.is_ok() && is_page(&String::from_utf8_lossy(&start))
}

/// The folder beside a file that is called like it, and its name.
fn pages_folder(list: &Path) -> Result<(PathBuf, String), Error> {
    let stem = list.file_stem().and_then(|s| s.to_str());
    let name = stem.map(|s| format!("{s}_pages")).ok_or_else(|| {
        Error::usage(format!(
            "the name of {} is not UTF-8; choose another one for the report",
            list.display()
        ))
    })?;
    Ok((list.with_file_name(&name), name))
}

/// A file name that every system takes: the program's place in the list keeps it apart from others.
fn page_name(index: usize, program: &str) -> String {
    let base = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let harmless = |c: char| match c {
        c if c.is_ascii_alphanumeric() => c,
        '.' | '-' => c,
        _ => '_',
    };
    let base: String = base.chars().take(60).map(harmless).collect();
    format!("{:06}_{base}.html", index + 1)
}

#[cfg(test)]
mod tests {
    use super::super::batch_progress::BatchProgress;
    use super::super::outputs::Outputs;
    use super::*;
    use crate::batch::{BatchJob, run};
    use crate::run::CacheFolder;

    /// The page of the program of a batch in a cell of its own, whose files are edited by `meanwhile`
    /// between the check and the page.
    fn page(meanwhile: &dyn Fn(&Path)) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("meshes")).unwrap();
        let robot = root.join("robots/arm6");
        let meshes = std::fs::read_dir(robot.join("meshes")).unwrap();
        let meshes = meshes.map(|entry| Path::new("meshes").join(entry.unwrap().file_name()));
        let files = ["cell.toml", "robot.urdf"].map(PathBuf::from);
        for file in files.into_iter().chain(meshes) {
            std::fs::copy(robot.join(&file), folder.path().join(&file)).unwrap();
        }
        let program = root.join("trajectories/arm6/pick_place.csv");
        std::fs::copy(program, at("p.csv")).unwrap();
        let mut job = Job::new(at("cell.toml"), vec![at("p.csv")]);
        job.cell.cache = CacheFolder::Off;
        let batch = BatchJob {
            job,
            given: None,
            shard: None,
            results: None,
            resume: false,
            baseline: None,
            timings: false,
            certificates: None,
        };
        let outputs = Outputs::of([] as [&Path; 0]).unwrap();
        let results = run(&batch, &BatchProgress::new(true, outputs)).unwrap();
        meanwhile(folder.path());
        let pages = ForPages {
            job: &batch.job,
            which: Pages::All,
            quiet: true,
            given: false,
        };
        let outcome = results.outcome().unwrap();
        write_pages(&at("list.html"), &pages, &results, &outcome).unwrap();
        std::fs::read_to_string(at("list_pages/000001_p.csv.html")).unwrap()
    }

    /// How the cell stands in a page, and what follows: the motion.
    fn model_and_rest(page: &str) -> [&str; 2] {
        let (_, model) = page.split_once("\"model\":{").unwrap();
        model.split_once(",\"programs\":[").unwrap().into()
    }

    /// Regression: a file that was written anew while pages were written had its new motion beside
    /// the answer for the old one.
    #[test]
    fn a_page_shows_the_motion_that_was_checked() {
        let edited = page(&|folder| {
            let file = folder.join("p.csv");
            let text = std::fs::read_to_string(&file).unwrap();
            // As long, with as many waypoints.
            let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
            let (time, values) = last.split_once(',').unwrap();
            let moved = values.replacen(values.split(',').next().unwrap(), "0.123", 1);
            std::fs::write(&file, format!("{rest}\n{time},{moved}\n")).unwrap();
        });
        let has_motion = |page: &str| !model_and_rest(page)[1].starts_with("null");
        assert!(has_motion(&page(&|_| ())) && !has_motion(&edited));
    }

    /// Regression: the cell was read anew for the pages, and one that was edited meanwhile stood beside
    /// the answers in the old one.
    #[test]
    fn a_page_shows_the_cell_that_was_checked() {
        let edited = page(&|folder| {
            let file = folder.join("cell.toml");
            let text = std::fs::read_to_string(&file).unwrap();
            let raised = text.replace("xyz = [0.42, 0.16, 0.80]", "xyz = [0.42, 0.16, 0.85]");
            assert_ne!(raised, text);
            std::fs::write(&file, raised).unwrap();
        });
        assert!(model_and_rest(&page(&|_| ()))[0] == model_and_rest(&edited)[0]);
    }

    #[test]
    fn names_of_pages_are_known() {
        for (index, program) in [(0, "a/b/pick place.csv"), (1_234_567, "ä_b.csv"), (7, "")] {
            let name = page_name(index, program);
            assert!(is_page_name(&name), "{name}");
        }
        let long = format!("000001_{}.html", "a".repeat(61));
        for name in [
            "000000_a.html",
            "00001_a.html",
            "0000001_a.html",
            "+00001_a.html",
            "000001_a b.html",
            "000001_a.htm",
            "000001.html",
            "mine_000002.html",
            &long,
        ] {
            assert!(!is_page_name(name), "{name}");
        }
    }

    #[test]
    fn pages_have_names_that_every_system_takes() {
        assert_eq!(
            page_name(0, "a/b/pick place.csv"),
            "000001_pick_place.csv.html"
        );
        assert_eq!(
            page_name(41, "c:\\x\\</script>.csv"),
            "000042_script_.csv.html"
        );
        let (folder, name) = pages_folder(Path::new("out/report.html")).unwrap();
        assert_eq!(
            (folder, name.as_str()),
            (PathBuf::from("out/report_pages"), "report_pages")
        );
    }
}
