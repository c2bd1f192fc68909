//! Certificates of programs that are `clear` and of first contacts, for somebody else to check.

mod statements;

use std::collections::HashMap;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use clearance_certify::{
    AboutGeometry, Made, Maker, ReportedContact, geometry, geometry_of_phases, sha256,
    trajectory_of_phases,
};
use clearance_formats::LoadedCell;
use clearance_formats::program::events::sidecar;
use clearance_formats::program::many;
use clearance_proof::model::Cell;
use clearance_recheck::files::Geometry;

use rayon::prelude::*;

use super::program_hash::hash_of_all;
use super::{Fetched, OpenedProgram, OtherFile, Prepared, RobotProgram, Verifier, wide_clearance};
use crate::error::Error;
use crate::findings::{Contact, ContactKind, ProgramOutcome, Verdict};
use statements::{input, input_of, of_motion, options_of_cell, told};

/// A geometry file, and what is ready to make certificates about it.
#[derive(Debug)]
struct GeometryFile {
    maker: Maker,
    bytes: Vec<u8>,
    /// SHA-256 of the bytes.
    hash: String,
    /// Its name.
    name: String,
}

impl GeometryFile {
    fn new(bytes: Vec<u8>, name: &str) -> Result<Self, Error> {
        Ok(Self {
            maker: Maker::new(Geometry::read(&bytes).map_err(Error::internal)?),
            hash: sha256(&bytes),
            name: name.to_owned(),
            bytes,
        })
    }
}

/// A certificate, and the geometry file that it is about.
#[derive(Debug)]
pub struct Certified {
    /// The certificate.
    pub made: Made,
    /// The geometry file, if it is its own: events change what moves along the program, or it shows
    /// that its arm stands beside the model. `None`: that of the cell.
    pub own_geometry: Option<Vec<u8>>,
}

/// A file of many programs, as it was when it was last looked at.
#[derive(Debug)]
struct KnownTable {
    written: SystemTime,
    length: u64,
    /// The statement about it.
    input: String,
}

/// Makes certificates in one cell.
#[derive(Debug)]
pub struct Certifier<'v, 'p> {
    verifier: &'v Verifier<'p>,
    /// Of the cell without events.
    file: GeometryFile,
    /// The statements about its inputs that every certificate in the cell has.
    notes: Vec<String>,
    /// Files of many programs.
    tables: Mutex<HashMap<PathBuf, KnownTable>>,
}

impl<'v, 'p> Certifier<'v, 'p> {
    /// Makes the geometry file, which will be called `name` and lie beside the certificates.
    ///
    /// # Errors
    /// When the question or the cell is one that certificates do not cover.
    pub fn new(verifier: &'v Verifier<'p>, name: &str) -> Result<Self, Error> {
        if verifier.job().any_delay.is_some() {
            return Err(Error::no_certificate(
                "certificates do not cover --any-delay: one would have to say something about every delay; leave out \
                 --any-delay, or certify the delays that matter one by one (`--program robot=file@OFFSET`)",
            ));
        }
        let prepared = verifier.prepared();
        let loaded = &prepared.loaded;
        let clearance = verifier.settings().clearance;
        let bytes = geometry(&loaded.cell, &prepared.trees, &prepared.pairs, clearance)
            .map_err(Error::no_certificate)?;
        let files = loaded.files.par_iter();
        let inputs: Vec<String> = files.map(|file| input(file)).collect();
        let made_by = format!("made by clearance {}", env!("CARGO_PKG_VERSION"));
        // The geometry file has those of the cell's files already.
        let known = &loaded.cell.notices;
        let notices = prepared.notices.iter().filter(|n| !known.contains(n));
        let wide = wide_clearance(&loaded.cell, clearance);
        // What was taken instead of what a file has, or closed, decides what the triangles are.
        let notes = loaded.cell.notes.iter();
        let told_of_cell = notices.chain(&wide).chain(notes).map(told);
        let options = options_of_cell(&verifier.job().cell);
        let options = (!options.is_empty()).then(|| format!("cell: {}", options.join(" ")));
        Ok(Self {
            file: GeometryFile::new(bytes, name)?,
            notes: std::iter::once(made_by)
                .chain(inputs)
                .chain(options)
                .chain(told_of_cell)
                .collect(),
            tables: Mutex::default(),
            verifier,
        })
    }

    /// The geometry file of programs without events.
    pub fn geometry(&self) -> &[u8] {
        &self.file.bytes
    }

    /// The certificate of programs (one, or several on one clock) with this outcome. A geometry
    /// file of their own will be called `own`, and lie beside it.
    ///
    /// # Errors
    /// When they are not clear, when they have something that certificates do not cover, or when
    /// none is found.
    pub fn certificate(
        &self,
        programs: &[RobotProgram],
        outcome: &ProgramOutcome,
        own: &str,
    ) -> Result<Certified, Error> {
        let opened = self.verifier.open_all(programs);
        if outcome.hash.is_some() && hash_of_all(&opened) != outcome.hash {
            return Err(Error::no_certificate(format!(
                "{}: no certificate: its files have changed since it was checked; check it again",
                outcome.program
            )));
        }
        self.certificate_of(&opened, outcome, own)
    }

    /// The same of programs whose files have been read: the certificate names the files as they were
    /// read.
    ///
    /// # Errors
    /// As for [`Certifier::certificate`].
    pub fn certificate_of(
        &self,
        opened: &[OpenedProgram],
        outcome: &ProgramOutcome,
        own: &str,
    ) -> Result<Certified, Error> {
        let refused = |why: &str| {
            Err(Error::no_certificate(format!(
                "{}: no certificate: {why}",
                outcome.program
            )))
        };
        let contact = match (outcome.verdict, &outcome.first_contact) {
            (Verdict::Clear, _) => None,
            (Verdict::Collision, Some(contact)) if contact.kind == ContactKind::Contact => {
                Some(contact)
            }
            (Verdict::Collision, _) => {
                return refused(
                    "a body is inside another one, and certificates of contacts are about surfaces that meet",
                );
            }
            _ => return refused("there are certificates of `clear` and of first contacts only"),
        };
        let Some(motion) = self.verifier.motion_of(opened, &[], outcome) else {
            return refused(
                "its motion cannot be read as one: a program with several ways through it has one for each; or the file has \
                 changed meanwhile",
            );
        };
        if motion.rounds_corners && !self.verifier.job().exact_corners {
            return refused(
                "corners of it may be rounded, and a certificate is about one curve; certify the way through the taught points \
                 with --corners exact",
            );
        }
        let mut notes = self.notes.clone();
        for one in opened {
            for input in self.inputs(one) {
                if !notes.contains(&input) {
                    notes.push(input);
                }
            }
        }
        notes.extend(of_motion(self.verifier.job(), opened, outcome));
        notes.extend(
            outcome
                .interpolation
                .as_ref()
                .map(|interpolation| format!("path law: {}", interpolation.as_str())),
        );
        let contact = contact.map(|contact| self.reported(contact)).transpose()?;
        let none = |e| Error::no_certificate(format!("{}: {e}", outcome.program));
        let clearance = self.verifier.settings().clearance;
        let Prepared {
            loaded: LoadedCell { cell, .. },
            trees,
            pairs,
            ..
        } = self.verifier.prepared();
        let (file, trajectory) = match (&motion.phases, motion.more_errors) {
            (None, None) => (None, motion.trajectory),
            (None, Some(errors)) => {
                let cell = Cell {
                    uncertainty: Some(errors),
                    ..cell.clone()
                };
                let bytes = geometry(&cell, trees, pairs, clearance).map_err(none)?;
                (Some(GeometryFile::new(bytes, own)?), motion.trajectory)
            }
            (Some(phases), _) => {
                let bytes = geometry_of_phases(phases, trees, clearance).map_err(none)?;
                let trajectory = trajectory_of_phases(phases).map_err(none)?;
                (Some(GeometryFile::new(bytes, own)?), trajectory)
            }
        };
        let file_of = file.as_ref().unwrap_or(&self.file);
        let about = AboutGeometry {
            sha256: &file_of.hash,
            name: &file_of.name,
        };
        let made = (file_of.maker).certificate(about, &trajectory, contact.as_ref(), &notes);
        Ok(Certified {
            made: made.map_err(none)?,
            own_geometry: file.map(|file| file.bytes),
        })
    }

    /// The files that the motion of a program was read from: its own, those that it asked for, such
    /// as data lists and programs that it calls, and its events.
    fn inputs(&self, opened: &OpenedProgram) -> Vec<String> {
        let file = &opened.named.file;
        let mut inputs = Vec::new();
        match (many::place(file), opened.fetched()) {
            // It holds no program of a controller.
            (Some(place), _) => {
                inputs.push(self.input_of_many(&place.file));
                let beside = many::files_read_with(&place.file);
                let beside = beside.iter().filter(|file| file.is_file());
                inputs.extend(beside.map(|f| input(f)));
            }
            (None, Some(Fetched::Bytes(bytes))) => inputs.push(input_of(file, bytes)),
            (None, _) => inputs.push(input(file)),
        }
        inputs.extend(opened.others().filter_map(|(file, other)| match other {
            OtherFile::Read(bytes) => Some(input_of(file, bytes)),
            OtherFile::Missing | OtherFile::Unreadable => None,
        }));
        if let Some(Some(bytes)) = opened.events() {
            let stated = self.verifier.job().events.clone();
            inputs.push(input_of(&stated.unwrap_or_else(|| sidecar(file)), bytes));
        }
        inputs
    }

    /// The statement about a file of many programs. It is large, and each of them asks for it: it is
    /// read again only when it was written anew.
    fn input_of_many(&self, file: &FilePath) -> String {
        let stamp = std::fs::metadata(file).and_then(|m| Ok((m.modified()?, m.len())));
        let Ok((written, length)) = stamp else {
            return input(file);
        };
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&KnownTable| (known.written, known.length) == (written, length);
        if let Some(known) = tables.get(file).filter(same) {
            return known.input.clone();
        }
        let table = KnownTable {
            written,
            length,
            input: input(file),
        };
        let said = table.input.clone();
        tables.insert(file.to_owned(), table);
        said
    }

    /// A contact by the numbers of its bodies.
    fn reported(&self, contact: &Contact) -> Result<ReportedContact, Error> {
        let bodies = &self.verifier.prepared().loaded.cell.bodies;
        let of = |name: &String| {
            let found = bodies.iter().position(|body| body.name == *name);
            found.ok_or_else(|| Error::internal(format!("no body is called {name}")))
        };
        Ok(ReportedContact {
            free_until: contact.free_until,
            time: contact.time,
            bodies: [of(&contact.a)?, of(&contact.b)?],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Code, Diagnostic};
    use crate::run::{CacheFolder, CellSource, Job, NoProgress, prepare, run_in};

    /// Whoever reads the proof must know what the report says first of the cell.
    #[test]
    fn a_statement_has_the_notices_of_the_run() {
        let root = FilePath::new(env!("CARGO_MANIFEST_DIR"));
        let mut job = Job::new(root.join("robots/arm6/cell.toml"), Vec::new());
        job.cell.cache = CacheFolder::Off;
        job.clearance = Some(5.0);
        let mut prepared = prepare(&job.cell, &NoProgress).unwrap();
        let small = Diagnostic::notice(Code::SuspiciousScale, "table", "it is a grain".to_owned());
        prepared.notices.push(small);
        let verifier = Verifier::new(&job, &prepared).unwrap();
        let certifier = Certifier::new(&verifier, "cell.geometry").unwrap();
        let notes = certifier.notes.join("\n");
        assert!(notes.contains("table: it is a grain"), "{notes}");
        assert!(
            notes.contains("clearance: the clearance is 5.0 m"),
            "{notes}"
        );
    }

    /// Catches two robots of the same files that a reader could not tell apart.
    #[test]
    fn a_statement_has_what_makes_the_cell_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let urdf = folder.path().join("r.urdf.xacro");
        std::fs::write(
            &urdf,
            r#"<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="l" default="0.1"/><link name="base"/>
            <link name="s"><visual><geometry><box size="$(arg l) 0.1 0.1"/></geometry></visual></link>
            <joint name="j" type="prismatic"><parent link="base"/><child link="s"/><axis xyz="1 0 0"/>
            <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#,
        )
        .unwrap();
        let mut job = Job::new("", Vec::new());
        job.cell.cache = CacheFolder::Off;
        job.cell.visual_as_collision = true;
        job.cell.source = CellSource::Robot {
            urdf,
            srdf: None,
            joint_limits: None,
            xacro_args: vec![("l".to_owned(), "0.5".to_owned())],
            obstacles: Vec::new(),
        };
        let prepared = prepare(&job.cell, &NoProgress).unwrap();
        let verifier = Verifier::new(&job, &prepared).unwrap();
        let notes = Certifier::new(&verifier, "cell.geometry")
            .unwrap()
            .notes
            .join("\n");
        let options = "cell: --xacro-arg l=0.5 --visual-as-collision";
        assert!(notes.contains(options), "{notes}");
        let taken = "s: its visual geometry is used as collision geometry";
        assert!(notes.contains(taken), "{notes}");
    }

    /// Catches a note that names the hash of other files than the motion is of.
    #[test]
    fn a_certificate_is_about_the_files_as_they_were_read() {
        let root = FilePath::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("take_and_insert.csv");
        let events = folder.path().join("take_and_insert.events.toml");
        let ours = root.join("trajectories/scara_events");
        std::fs::copy(ours.join("take_and_insert.csv"), &file).unwrap();
        std::fs::copy(ours.join("take_and_insert.events.toml"), &events).unwrap();
        let mut job = Job::new(root.join("robots/scara/pick.toml"), vec![file.clone()]);
        job.cell.cache = CacheFolder::Off;
        let prepared = prepare(&job.cell, &NoProgress).unwrap();
        let verifier = Verifier::new(&job, &prepared).unwrap();
        let certifier = Certifier::new(&verifier, "cell.geometry").unwrap();
        let opened = [verifier.open(&file)];
        let outcome = verifier.verify_opened(&opened[0], &|_| ());
        let made = || certifier.certificate_of(&opened, &outcome, "own.geometry");
        let before = made().unwrap();
        let notes = String::from_utf8_lossy(&before.made.bytes).into_owned();
        for read in [&file, &events] {
            let hash = sha256(&std::fs::read(read).unwrap());
            let note = format!("note input {} (SHA-256 {hash})", read.display());
            assert!(notes.contains(&note), "{note}: {notes}");
        }
        std::fs::write(&file, "another program").unwrap();
        std::fs::remove_file(&events).unwrap();
        assert_eq!(made().unwrap().made, before.made);
    }

    /// Regression: `check --certificate` certified what stood in the file after the check.
    #[test]
    fn a_certificate_is_about_the_program_that_was_checked() {
        let root = FilePath::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.csv");
        std::fs::copy(root.join("trajectories/arm6/pick_place.csv"), &file).unwrap();
        let mut job = Job::new(root.join("robots/arm6/cell.toml"), vec![file.clone()]);
        job.cell.cache = CacheFolder::Off;
        let prepared = prepare(&job.cell, &NoProgress).unwrap();
        let outcome = run_in(&job, &prepared, &NoProgress);
        let verifier = Verifier::new(&job, &prepared).unwrap();
        let certifier = Certifier::new(&verifier, "cell.geometry").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text + "\n").unwrap();
        let programs = [RobotProgram::alone(&file)];
        let refused = certifier.certificate(&programs, &outcome.programs[0], "own.geometry");
        let why = refused.unwrap_err().to_string();
        assert!(why.contains("files have changed"), "{why}");
    }
}
