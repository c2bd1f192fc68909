//! Through the same door as a user: cell files and programs on disk in, outcomes out.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clearance::findings::{Contact, ContactKind, ProgramOutcome, Verdict};
use clearance::run::{
    CacheFolder, CellJob, Certifier, Job, MinimumScope, NoProgress, Prepared, Verifier, prepare,
    run, run_in,
};
use clearance_formats::{LoadOptions, load_cell, program};
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::{BodyPair, Scene};
use clearance_proof::geometry::made::cone_cover;
use clearance_proof::model::{Cell, Trajectory};
use clearance_recheck::files::{Certificate, Geometry};
use clearance_recheck::walk::check;
use serde_json::Value;
use tempfile::TempDir;

use super::{number, text};

/// A cell file under construction, in a folder of its own.
pub struct CellFile {
    folder: TempDir,
    text: String,
    programs: usize,
}

/// The options of a check.
#[derive(Clone, Copy)]
pub struct JobOptions<'q> {
    /// Threshold D, metres.
    pub clearance: f64,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// `--all`.
    pub all: bool,
    /// `--minimum`.
    pub minimum: bool,
    /// Another threshold for one pair.
    pub pair: Option<([&'q str; 2], f64)>,
}

/// As a user asks who says nothing.
pub const PLAIN: JobOptions = JobOptions {
    clearance: 0.0,
    resolution: 1e-4,
    all: false,
    minimum: false,
    pair: None,
};

/// Trees are kept from run to run.
fn trees() -> CacheFolder {
    CacheFolder::At(Path::new(env!("CARGO_TARGET_TMPDIR")).join("trees"))
}

fn list(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
    format!("[{}]", values.join(", "))
}

fn numbers(value: &Value) -> String {
    let values = value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value}"));
    list(&values.iter().map(number).collect::<Vec<_>>())
}

/// `pose = …` of an object with `xyz` and `quat_xyzw`.
pub fn pose(object: &Value) -> String {
    format!(
        "pose = {{ xyz = {}, quat = {} }}",
        numbers(&object["xyz"]),
        numbers(&object["quat_xyzw"])
    )
}

/// Has the checker of certificates accept an answer: `clear`, or a first contact of surfaces. What
/// it is about; `None`: the answer is another one.
pub fn certified(job: &Job, prepared: &Prepared, answer: &ProgramOutcome) -> Option<Geometry> {
    let contact = answer.first_contact.as_ref();
    match answer.verdict {
        Verdict::Clear => {}
        Verdict::Collision if contact.is_some_and(|c| c.kind == ContactKind::Contact) => {}
        _ => return None,
    }
    let name = &answer.program;
    let verifier = Verifier::new(job, prepared).unwrap_or_else(|e| panic!("{name}: {e}"));
    let certifier = Certifier::new(&verifier, "cell.geometry").unwrap_or_else(|e| panic!("{e}"));
    let certified = certifier.certificate(&job.checks()[0], answer, "own.geometry");
    let certified = certified.unwrap_or_else(|e| panic!("{e}"));
    let geometry = certified.own_geometry.as_deref();
    let geometry = Geometry::read(geometry.unwrap_or(certifier.geometry()));
    let geometry = geometry.unwrap_or_else(|e| panic!("{name}: {e}"));
    let certificate = Certificate::read(&certified.made.bytes, |_| Ok(geometry.kinds()));
    let certificate = certificate.unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(
        certificate.contact.is_some(),
        answer.verdict == Verdict::Collision
    );
    check(&geometry, &certificate, &mut |_, _| ()).unwrap_or_else(|e| panic!("{name}: {e}"));
    Some(geometry)
}

impl CellFile {
    pub fn new() -> Self {
        CellFile {
            folder: tempfile::tempdir().unwrap(),
            text: String::new(),
            programs: 0,
        }
    }

    /// A robot of the data by its folder's name, with the SRDF that stands beside it.
    pub fn robot(data: &Path, name: &str, joints: &[(String, f64)]) -> Self {
        let folder = data.join("robots").join(name);
        let urdf = [name.to_owned(), name.replace("_vamp", "")]
            .map(|n| folder.join(format!("{n}.urdf")))
            .into_iter()
            .find(|p| p.is_file())
            .unwrap_or_else(|| panic!("no URDF in {}", folder.display()));
        let srdf = folder.join(format!("{name}.srdf"));
        let mut file = Self::new();
        file.add_robot(&urdf, &srdf, joints);
        file
    }

    /// A robot by its files; the SRDF may be missing.
    pub fn add_robot(&mut self, urdf: &Path, srdf: &Path, joints: &[(String, f64)]) {
        self.line("[[robot]]");
        self.line(&format!("urdf = {urdf:?}"));
        if srdf.is_file() {
            self.line(&format!("srdf = {srdf:?}"));
        }
        let values: Vec<String> = joints.iter().map(|(n, v)| format!("{n} = {v:?}")).collect();
        self.line(&format!("joints = {{ {} }}", values.join(", ")));
    }

    pub fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").unwrap();
    }

    /// Two bodies may touch.
    pub fn allow(&mut self, a: &str, b: &str) {
        self.line(&format!("[[allow]]\na = {a:?}\nb = {b:?}"));
    }

    /// Leaves out links that have visual geometry only.
    pub fn leave_out(&mut self, link: &str, reason: &str) {
        self.line(&format!(
            "[[unchecked]]\nlink = {link:?}\nreason = {reason:?}"
        ));
    }

    /// Obstacles of a scene, named `world::…` as the reference names them; mesh files stand
    /// relative to `folder`.
    pub fn obstacles(&mut self, objects: &Value, folder: &Path) {
        for object in objects.as_array().unwrap() {
            self.line("[[obstacle]]");
            self.line(&format!("name = \"world::{}\"", text(&object["id"])));
            let form = self.form(object, folder);
            self.line(&form);
            self.line(&pose(object));
        }
    }

    /// A shape as cell files write it. They know no cones: such a one is written as a mesh around
    /// it.
    pub fn form(&self, shape: &Value, folder: &Path) -> String {
        let radius = || number(&shape["radius"]);
        let length = || number(&shape["length"]);
        match text(&shape["type"]) {
            "box" => format!("box = {}", numbers(&shape["size"])),
            "sphere" => format!("sphere = {:?}", radius()),
            kind @ ("cylinder" | "capsule") => {
                format!(
                    "{kind} = {{ radius = {:?}, length = {:?} }}",
                    radius(),
                    length()
                )
            }
            "mesh" => format!("mesh = {:?}", folder.join(text(&shape["file"]))),
            "cone" => {
                let cover = cone_cover(radius(), length());
                let mut obj = String::new();
                for v in &cover.vertices {
                    writeln!(obj, "v {:?} {:?} {:?}", v.x, v.y, v.z).unwrap();
                }
                for t in &cover.triangles {
                    writeln!(obj, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap();
                }
                std::fs::write(self.folder.path().join("cone.obj"), obj).unwrap();
                "mesh = \"cone.obj\"".to_owned()
            }
            other => panic!("no shape is called {other}"),
        }
    }

    /// Writes a file beside the cell file.
    pub fn beside(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Writes a program without times: one waypoint per row.
    pub fn program(&mut self, names: &[String], rows: &[Vec<f64>]) -> PathBuf {
        let mut csv = names.join(",");
        for row in rows {
            let row: Vec<String> = row.iter().map(|v| format!("{v:?}")).collect();
            csv.push('\n');
            csv.push_str(&row.join(","));
        }
        csv.push('\n');
        self.programs += 1;
        self.beside(&format!("program{}.csv", self.programs), &csv)
    }

    /// A program that stands still in one configuration.
    pub fn state(&mut self, joints: &[(String, f64)]) -> PathBuf {
        let (names, values): (Vec<_>, Vec<_>) = joints.iter().cloned().unzip();
        self.program(&names, &[values])
    }

    /// The cell as it is now.
    pub fn cell(&self) -> Cell {
        let file = self.beside("cell.toml", &self.text);
        let loaded = load_cell(&file, &LoadOptions::default());
        loaded.unwrap_or_else(|e| panic!("{e}")).cell
    }

    /// The pairs that are within a distance while a program stands in its first waypoint, and how
    /// far apart they are.
    pub fn pairs_within(&self, program: &Path, distance: f64) -> Vec<([String; 2], f64)> {
        let mut job = CellJob::file(self.beside("cell.toml", &self.text));
        job.cache = trees();
        let prepared = prepare(&job, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
        let scene = Scene::new(&prepared.loaded.cell, &prepared.trees, &prepared.pairs, 0.0);
        let program = program::load(program).unwrap_or_else(|e| panic!("{e}"));
        let (motion, _) = Trajectory::for_cell(&program, &prepared.loaded.cell, None)
            .unwrap_or_else(|e| panic!("{e:?}"));
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &motion.segments[0], 0.0);
        let name = |body: usize| prepared.loaded.cell.bodies[body].name.clone();
        (0..scene.pairs.len())
            .filter_map(|pair| {
                let nearest = scene.pair_distance(pair, &mut snapshot, distance, &mut 0)?;
                let BodyPair { a, b, .. } = scene.pairs[pair];
                Some(([name(a), name(b)], nearest.distance))
            })
            .collect()
    }

    /// Verifies a program, and has its answer certified; tells of those that take long.
    pub fn ask(&self, program: &Path, options: JobOptions) -> ProgramOutcome {
        let mut text = self.text.clone();
        if let Some(([a, b], clearance)) = options.pair {
            writeln!(
                text,
                "[[pair]]\na = {a:?}\nb = {b:?}\nclearance = {clearance:?}"
            )
            .unwrap();
        }
        let mut job = Job::new(self.beside("cell.toml", &text), vec![program.to_owned()]);
        job.cell.cache = trees();
        job.clearance = Some(options.clearance);
        job.resolution = Some(options.resolution);
        job.all = options.all;
        job.minimum = options.minimum.then_some(MinimumScope::Classes);
        let prepared = prepare(&job.cell, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
        let mut outcome = run_in(&job, &prepared, &NoProgress);
        let answer = outcome.programs.pop().unwrap();
        if let Some(error) = &answer.error {
            panic!("{}: {error}", program.display());
        }
        certified(&job, &prepared, &answer);
        if answer.statistics.check_seconds > 2.0 {
            eprintln!("slow: {}: {:?}", program.display(), answer.statistics);
        }
        answer
    }

    /// A run in the cell as it is now.
    pub fn job(&self, programs: Vec<PathBuf>) -> Job {
        let mut job = Job::new(self.beside("cell.toml", &self.text), programs);
        job.cell.cache = trees();
        job
    }

    /// Why a cell is not answered for, and what was noticed in it.
    pub fn refusal(&self, program: &Path) -> (Option<String>, Vec<String>) {
        let mut job = Job::new(
            self.beside("cell.toml", &self.text),
            vec![program.to_owned()],
        );
        job.cell.cache = trees();
        let outcome = run(&job, &NoProgress);
        let refused = outcome.error.is_some();
        assert_eq!(
            refused,
            outcome.verdict == Verdict::Unverified,
            "{:?}",
            outcome.error
        );
        let notes = outcome.notes.into_iter();
        (
            outcome.error,
            notes
                .map(|n| format!("{}: {}", n.subject, n.message))
                .collect(),
        )
    }

    /// Holds a motion that passes a pair at a distance to it: the pair comes as near as
    /// `distance + room`. The answer is that contact.
    pub fn comes_near(&self, program: &Path, pair: [&str; 2], distance: f64, room: f64) -> Contact {
        let answer = self.ask(
            program,
            JobOptions {
                resolution: room / 10.0,
                pair: Some((pair, distance + room)),
                ..PLAIN
            },
        );
        assert_eq!(
            answer.verdict,
            Verdict::Collision,
            "{}: {pair:?} at {distance}",
            program.display()
        );
        let contact = answer.first_contact.unwrap();
        let mut found = [&*contact.a, &*contact.b];
        found.sort_unstable();
        let mut pair = pair;
        pair.sort_unstable();
        assert_eq!(found, pair, "{}: {contact:?}", program.display());
        assert!(
            contact.distance <= distance + room + 1e-9,
            "{}: {contact:?}",
            program.display()
        );
        contact
    }

    /// Holds a motion to keep a pair farther apart than a distance.
    pub fn stays_beyond(&self, program: &Path, pair: [&str; 2], distance: f64, resolution: f64) {
        let answer = self.ask(
            program,
            JobOptions {
                resolution,
                pair: Some((pair, distance)),
                ..PLAIN
            },
        );
        let found = answer.first_contact;
        assert_eq!(
            answer.verdict,
            Verdict::Clear,
            "{}: {pair:?} beyond {distance}: {found:?}",
            program.display()
        );
    }
}
