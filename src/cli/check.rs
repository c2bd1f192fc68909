//! `clearance check`: the main job.

use std::path::{Path, PathBuf};

use clap::Args;
use clearance_formats::ImportError;

use super::certificate::{geometry_beside, take_away, write_certificate};
use super::exit;
use super::fail_on::with_what_is_idle;
use super::options::{
    CellOptions, ProgramOptions, ReportOptions, are_programs, expand, have_their_events,
};
use super::output::Reports;
use super::outputs::{Outputs, concerned, named};
use super::progress::Progress;
use super::refusal::refuse_in_reports;
use super::sink::write_file;
use super::tree::format_of;
use super::values::delay;
use super::watch::Watch;
use crate::error::Error;
use crate::findings::Outcome;
use crate::run::export::{self, Look, Mark};
use crate::run::{
    Job, Prepared, RobotProgram, files_beside, picture, prepare, refuse, run_in, with_threads,
};

/// Verify programs in a cell.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(super) struct CheckCommand {
    /// Programs: CSV, ROS trajectories as JSON or YAML, programs of controllers; of a file of many
    /// FILE#ID: `plans.parquet#17`, `run.mcap#/joint_states`
    #[arg(value_name = "PROGRAM")]
    programs: Vec<PathBuf>,
    /// Program of one robot; repeatable: all of them run at the same time, on one clock. OFFSET
    /// (`1.5s`, `-250ms`) is the time at which it starts
    #[arg(long = "program", value_name = "[ROBOT=]FILE[@OFFSET]", value_parser = RobotProgram::parse, conflicts_with = "programs")]
    together: Vec<RobotProgram>,
    /// The verdict must hold for every delay of the programs' starts against each other, up to this
    /// (`2s`, `500ms`), or `any`: wherever each program is while the others move
    #[arg(long, value_name = "TIME", value_parser = delay, allow_hyphen_values = true)]
    any_delay: Option<f64>,
    /// Events along the program: what is attached, released, moved, allowed [default:
    /// PROGRAM.events.toml beside it, if there is one]
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    #[command(flatten)]
    cell: CellOptions,
    #[command(flatten)]
    options: ProgramOptions,
    #[command(flatten)]
    report: ReportOptions,
    /// Say what allowed pairs do: which allowances hid a contact along the program, from when to
    /// when, and how deep; the verdict does not depend on it
    #[arg(long)]
    audit_allowed: bool,
    /// Write a certificate of a program that is clear, or of its first contact, for
    /// `clearance-recheck` or another checker; the geometry that it is about goes beside it, into
    /// FILE with `.geometry` in place of `.cert`, or behind another name: `out.csv.geometry`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "any_delay"])]
    certificate: Option<PathBuf>,
    /// With `--method sampling --shape ranked --all`: write the spheres that meet, of all contacts,
    /// as a mesh to be looked at in a viewer (.obj or .ply), in the world
    #[arg(long, value_name = "FILE", conflicts_with_all = ["watch", "certificate"])]
    spheres: Option<PathBuf>,
    /// Check again whenever an input file changes; Ctrl-C ends
    #[arg(long)]
    watch: bool,
    /// No progress bar, and no summary on standard error
    #[arg(long)]
    quiet: bool,
}

/// The first error of several: it is the one that is told.
#[derive(Default)]
struct FirstError(Option<Error>);

impl FirstError {
    fn keep<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|why| self.0.get_or_insert(why)).ok()
    }
}

impl CheckCommand {
    pub(super) fn run(mut self) -> Result<u8, Error> {
        // Why there is nothing to begin with: the reports shall say so.
        let mut refused = FirstError::default();
        let words = self.programs.clone();
        self.expand_programs(&mut refused);
        refused.keep(self.options_agree());
        let events = self.events_are_meant();
        let reports = self.report.read(self.quiet)?;
        refused.keep(self.spheres.as_deref().map_or(Ok(()), can_have_spheres));
        let meant = self.cell.meant();
        let cell = refused.keep(self.cell.job()).unwrap_or(meant);
        refused.keep(events);
        let (job, unknown) = self.options.job(cell, self.programs);
        refused.keep(unknown.map_or(Ok(()), Err));
        let job = Job {
            together: self.together,
            any_delay: self.any_delay,
            events: self.events,
            audit_allowed: self.audit_allowed,
            ..job
        };
        let certificate = self.certificate.as_deref();
        let geometry = certificate.map(|file| geometry_of(file, &job));
        let geometry = geometry.and_then(|geometry| refused.keep(geometry));
        let request = CheckRequest {
            job,
            words,
            reports,
            certificate: self.certificate,
            geometry,
            spheres: self.spheres,
            watch: self.watch,
            quiet: self.quiet,
        };
        match refused.0 {
            Some(why) => request.no_answer(&[], why),
            None => request.answer(),
        }
    }

    /// Programs in place of patterns; where that is an error, those that can be found.
    fn expand_programs(&mut self, refused: &mut FirstError) {
        let layout = self.options.layout();
        let words = std::mem::take(&mut self.programs);
        let each = |word: PathBuf| expand(vec![word.clone()], &layout).unwrap_or(vec![word]);
        let found = refused.keep(expand(words.clone(), &layout));
        self.programs = found.unwrap_or_else(|| words.into_iter().flat_map(each).collect());
    }

    fn options_agree(&self) -> Result<(), Error> {
        are_programs(&self.programs)?;
        if self.programs.is_empty() && self.together.is_empty() {
            return Err(Error::usage(
                "no program given: name at least one, as in `clearance check --cell cell.toml pick.csv`",
            ));
        }
        if self.any_delay.is_some() && self.together.is_empty() {
            return Err(Error::usage(
                "--any-delay is about several programs: give one for each robot with --program, as in `--program left=pick.csv --program right=place.csv`",
            ));
        }
        if self.any_delay.is_some() && self.report.counts_near_misses() {
            return Err(Error::usage(
                "`--fail-on near-miss` asks for near misses, and with --any-delay they are those without delay only: leave `near-miss` \
                 out of the list, or make the warn distance the threshold (`--clearance`)",
            ));
        }
        if self.events.is_some() && self.programs.len() > 1 {
            return Err(Error::usage(
                "--events belongs to one program: name one, or put each program's events beside it, as in `pick.events.toml` beside `pick.csv`",
            ));
        }
        Ok(())
    }

    /// Whether events beside programs are those of the programs, where none are named.
    fn events_are_meant(&self) -> Result<(), Error> {
        if self.events.is_some() {
            return Ok(());
        }
        let together = self.together.iter().map(|one| one.file.as_path());
        have_their_events(self.programs.iter().map(PathBuf::as_path).chain(together))
    }
}

fn can_have_spheres(file: &Path) -> Result<(), Error> {
    format_of(file).map(|_| ())
}

/// The file of the geometry beside a certificate of the one program.
fn geometry_of(certificate: &Path, job: &Job) -> Result<PathBuf, Error> {
    if job.checks().len() != 1 {
        return Err(Error::usage(
            "--certificate belongs to one program: name one, or use `clearance batch --certificates DIR`",
        ));
    }
    if certificate == Path::new("-") {
        return Err(Error::usage(
            "--certificate writes two files, and standard output is one: name a file",
        ));
    }
    geometry_beside(certificate)
}

/// What is asked, and where the answer goes.
struct CheckRequest {
    job: Job,
    /// The programs as the command line names them.
    words: Vec<PathBuf>,
    reports: Reports,
    certificate: Option<PathBuf>,
    /// The file beside the certificate.
    geometry: Option<PathBuf>,
    spheres: Option<PathBuf>,
    watch: bool,
    quiet: bool,
}

impl CheckRequest {
    fn answer(&self) -> Result<u8, Error> {
        let outputs = match self.outputs() {
            Ok(outputs) => outputs,
            Err(why) => return self.no_answer(&[], why),
        };
        if self.watch {
            let watch = Watch {
                job: self.job.clone(),
                words: &self.words,
                reports: &self.reports,
                quiet: self.quiet,
            };
            return watch.run();
        }
        // Only now: a command line that is refused must not touch any file.
        self.certificate.as_deref().map(take_away).transpose()?;
        let job = &self.job;
        let progress = Progress::new(job.checks().len(), self.quiet);
        let prepared = match with_threads(job.cell.threads, || prepare(&job.cell, &progress)) {
            Ok(prepared) => prepared,
            Err(error) => {
                progress.finish();
                return self.without_cell(&outputs, &error);
            }
        };
        // Which other files programs call is known only once the programs are opened.
        if !outputs.is_new() {
            let mut read: Vec<PathBuf> = files_beside(job, &prepared).into_iter().collect();
            read.extend(prepared.loaded.files.iter().cloned());
            if let Err(why) = outputs.refuse_if_read(&read) {
                return self.no_answer(&read, why);
            }
        }
        self.verify(&prepared, &progress)
    }

    /// The files that are written; none of them is one that is named as input.
    fn outputs(&self) -> Result<Outputs, Error> {
        let more = [&self.certificate, &self.geometry, &self.spheres];
        let more = more.into_iter().flatten().map(PathBuf::as_path);
        let outputs = Outputs::of(self.reports.files().chain(more))?;
        outputs.refuse_if_read(&named(&self.job))?;
        Ok(outputs)
    }

    fn verify(&self, prepared: &Prepared, progress: &Progress) -> Result<u8, Error> {
        let job = &self.job;
        let outcome = run_in(job, prepared, progress);
        let picture = (self.reports.want_picture()).then(|| picture(job, prepared, &outcome));
        let certificate = self.certificate.as_deref();
        let written = certificate.map(|file| write_certificate(job, prepared, &outcome, file));
        progress.finish();
        let outcome = with_what_is_idle(self.reports.fail_on(), outcome);
        let reported = self.reports.write(&outcome, picture.flatten().as_ref());
        let reported = reported.map(|_| ());
        let spheres = self.spheres.as_deref();
        let spheres = spheres.map(|file| write_spheres(file, &outcome));
        let results = [Some(reported), spheres, written];
        let wrong = results.into_iter().flatten().filter_map(Result::err);
        Ok(exit::despite(
            wrong,
            exit::code(&outcome, self.reports.fail_on()),
        ))
    }

    /// The answer where the cell cannot be read.
    fn without_cell(&self, outputs: &Outputs, error: &ImportError) -> Result<u8, Error> {
        let read: Vec<PathBuf> = concerned(error).into_iter().collect();
        if let Err(why) = outputs.refuse_if_read(&read) {
            return self.no_answer(&read, why);
        }
        let outcome = refuse(&self.job, error);
        let unwritten = self.reports.write(&outcome, None).err();
        Ok(exit::despite(
            unwritten,
            exit::code(&outcome, self.reports.fail_on()),
        ))
    }

    /// The answer where nothing is verified.
    fn no_answer(&self, also_read: &[PathBuf], why: Error) -> Result<u8, Error> {
        let code = refuse_in_reports(&self.reports, &self.job, also_read, why)?;
        // The reports say that there is no answer: a certificate must not say that there is. What
        // is read stays, whatever is in it.
        if let Some(file) = &self.certificate {
            let read = named(&self.job);
            let is_free = |outputs: Outputs| outputs.refuse_if_read(read.iter().chain(also_read));
            if Outputs::of([file.as_path()]).and_then(is_free).is_ok() {
                take_away(file)?;
            }
        }
        Ok(code)
    }
}

/// Spheres of all contacts as a mesh.
fn write_spheres(file: &Path, outcome: &Outcome) -> Result<(), Error> {
    let contacts = outcome.programs.iter().flat_map(|p| &p.contacts);
    let spheres = contacts.filter_map(|contact| contact.spheres.as_ref());
    let marks: Vec<Mark> = spheres
        .flat_map(|met| met.a.iter().chain(&met.b))
        .map(|sphere| Mark {
            center: sphere.center.into(),
            radius: sphere.radius,
        })
        .collect();
    if marks.is_empty() {
        return Err(Error::usage(format!(
            "{}: there are no spheres to write: they belong to contacts that `--method sampling --shape ranked --all` finds",
            file.display()
        )));
    }
    write_file(
        file,
        &export::picture(&marks, Look::Spheres, format_of(file)?),
    )
}
