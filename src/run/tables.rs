//! Programs of a file of many, checked as the file is read: once, from its beginning to its end.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use clearance_formats::program::many;
use rayon::prelude::*;

use super::{Fetched, OpenedProgram, RobotProgram, Verifier};
use crate::findings::ProgramOutcome;

/// Programs of one file (of a recording: of one topic), each the only one of its question.
struct OneFile {
    file: PathBuf,
    whole: Option<String>,
    /// Places of their questions, by name.
    questions: HashMap<PathBuf, usize>,
}

/// Files of which several programs are asked for.
fn files(checks: &[Vec<RobotProgram>]) -> Vec<OneFile> {
    let mut files: BTreeMap<(PathBuf, Option<String>), HashMap<PathBuf, usize>> = BTreeMap::new();
    for (index, programs) in checks.iter().enumerate() {
        let [alone] = &programs[..] else { continue };
        if *alone != RobotProgram::alone(&alone.file) {
            continue;
        }
        let place = many::place(&alone.file).filter(|place| place.id.is_some());
        if let Some(place) = place {
            let whole = place.whole();
            let questions = files.entry((place.file, whole)).or_default();
            // Who is asked for twice is fetched by itself the second time.
            questions.entry(alone.file.clone()).or_insert(index);
        }
    }
    let files = files.into_iter().filter(|(_, q)| q.len() > 1);
    files
        .map(|((file, whole), questions)| OneFile {
            file,
            whole,
            questions,
        })
        .collect()
}

/// Answers to those questions that are about one of several programs of a file, by their places.
/// Whatever is wrong with a file, nothing of it is answered: each program is then asked for by
/// itself, and says why.
pub(super) fn answers(
    checks: &[Vec<RobotProgram>],
    verifier: &Verifier,
    answer: &(dyn Fn(usize, &OpenedProgram) -> ProgramOutcome + Sync),
) -> HashMap<usize, ProgramOutcome> {
    let mut answered = HashMap::new();
    for one in files(checks) {
        answered.extend(streamed(&one, verifier, answer).unwrap_or_default());
    }
    answered
}

fn streamed(
    one: &OneFile,
    verifier: &Verifier,
    answer: &(dyn Fn(usize, &OpenedProgram) -> ProgramOutcome + Sync),
) -> Option<HashMap<usize, ProgramOutcome>> {
    let layout = &verifier.job().layout;
    let cell = &verifier.prepared().loaded.cell;
    let members = many::members(&one.file, one.whole.as_deref(), layout, cell).ok()?;
    let answered: Mutex<HashMap<usize, ProgramOutcome>> = Mutex::default();
    let broken = AtomicBool::new(false);
    members.par_bridge().for_each(|member| {
        let Ok(member) = member else {
            broken.store(true, Ordering::Relaxed);
            return;
        };
        let Some(&index) = one.questions.get(&member.name) else {
            return;
        };
        let fetched = member.program.map(Box::new).map(Fetched::Program);
        let named = RobotProgram::alone(&member.name);
        let outcome = answer(index, &verifier.open_fetched(named, fetched));
        let mut answered = answered.lock().unwrap_or_else(|e| e.into_inner());
        // A name that comes back is an error, which says so.
        if answered.insert(index, outcome).is_some() {
            broken.store(true, Ordering::Relaxed);
        }
    });
    let answered = answered.into_inner().unwrap_or_else(|e| e.into_inner());
    (!broken.into_inner()).then_some(answered)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::findings::Verdict;
    use crate::run::{CacheFolder, CellJob, Job, NoProgress, ProgressEvent, ProgressListener, run};

    fn root(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
    }

    /// A table with the two examples as four programs.
    fn table(file: &Path) {
        let mut text = String::new();
        for (id, name) in ["pick_place", "place_too_low", "pick_place", "place_too_low"]
            .iter()
            .enumerate()
        {
            let program = root(&format!("trajectories/arm6/{name}.csv"));
            let program = std::fs::read_to_string(program).unwrap();
            let mut lines = program.lines().filter(|l| !l.starts_with('#'));
            let header = lines.next().unwrap();
            if text.is_empty() {
                text = format!("program,{header}\n");
            }
            for line in lines {
                text += &format!("p{id},{line}\n");
            }
        }
        std::fs::write(file, text).unwrap();
    }

    fn job(file: &Path) -> Job {
        let cell = CellJob {
            cache: CacheFolder::Off,
            ..CellJob::file(root("robots/arm6/cell.toml"))
        };
        let names = ["p2", "p0", "p3", "p1"];
        let names = names.map(|id| PathBuf::from(format!("{}#{id}", file.display())));
        Job {
            cell,
            ..Job::new("", names.to_vec())
        }
    }

    /// Takes the file away once the first program is done.
    struct RemovesFile(PathBuf);

    impl ProgressListener for RemovesFile {
        fn event(&self, event: &ProgressEvent) {
            if matches!(event, ProgressEvent::ProgramDone { .. }) {
                let _ = std::fs::remove_file(&self.0);
            }
        }
    }

    /// Catches a file that is opened again for each of its programs, and answers that get to
    /// another program's place.
    #[test]
    fn a_file_of_many_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plans.csv");
        table(&file);
        let job = job(&file);
        let plain = |outcome: &ProgramOutcome| {
            let mut outcome = outcome.clone();
            outcome.statistics.check_seconds = 0.0;
            serde_json::to_string(&outcome).unwrap()
        };
        let alone: Vec<String> = (job.programs.iter())
            .map(|name| {
                let job = Job {
                    programs: vec![name.clone()],
                    ..job.clone()
                };
                plain(&run(&job, &NoProgress).programs[0])
            })
            .collect();
        let all = run(&job, &RemovesFile(file.clone()));
        assert!(!file.exists());
        assert_eq!(all.programs.iter().map(plain).collect::<Vec<_>>(), alone);
        let verdicts: Vec<_> = all.programs.iter().map(|p| p.verdict).collect();
        let [clear, hit] = [Verdict::Clear, Verdict::Collision];
        assert_eq!(verdicts, [clear, clear, hit, hit]);
    }

    /// Catches a second program of a name that takes the place of the first, or is passed over.
    #[test]
    fn a_name_that_comes_back_is_an_error_of_that_program() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plans.csv");
        table(&file);
        let text = std::fs::read_to_string(&file).unwrap();
        let first = text.lines().nth(1).unwrap();
        std::fs::write(&file, format!("{text}{first}\n")).unwrap();
        let all = run(&job(&file), &NoProgress);
        let verdicts: Vec<_> = all.programs.iter().map(|p| p.verdict).collect();
        let [clear, hit] = [Verdict::Clear, Verdict::Collision];
        assert_eq!(verdicts, [clear, Verdict::Unverified, hit, hit]);
        let said = all.programs[1].error.as_deref().unwrap_or_default();
        assert!(said.contains("comes back"), "{said}");
    }
}
