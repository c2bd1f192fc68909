//! `clearance check`: the main job.

use std::path::{Path, PathBuf};

use clap::Args;

use super::certificate::{geometry_beside, take_away, write_certificate};
use super::exit;
use super::fail_on::with_what_is_idle;
use super::options::{
    CellOptions, ProgramOptions, ReportOptions, are_programs, expand, have_their_events,
};
use super::outputs::{Outputs, concerned};
use super::progress::Progress;
use super::refusal::refuse_in_reports;
use super::sink::write_file;
use super::tree::format_of;
use super::values::delay;
use super::watch::{named, watch};
use crate::error::Error;
use crate::findings::Outcome;
use crate::run::export::{self, Look, Mark};
use crate::run::{Job, RobotProgram, files_beside, picture, prepare, refuse, run_in, with_threads};

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
    /// FILE with `.geometry` in place of its extension
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

impl CheckCommand {
    pub(super) fn run(mut self) -> Result<u8, Error> {
        // Why there is nothing to begin with: the reports shall say so.
        let mut refused = None;
        let layout = self.options.layout();
        let named_so = self.programs.clone();
        self.programs = expand(self.programs, &layout).unwrap_or_else(|why| {
            refused = Some(why);
            let each = named_so.into_iter();
            each.flat_map(|one| expand(vec![one.clone()], &layout).unwrap_or(vec![one]))
                .collect()
        });
        let mut keep = |why: Error| {
            refused.get_or_insert(why);
        };
        if let Err(why) = are_programs(&self.programs) {
            keep(why);
        }
        if self.programs.is_empty() && self.together.is_empty() {
            keep(Error::usage(
                "no program given: name at least one, as in `clearance check --cell cell.toml pick.csv`",
            ));
        }
        if self.any_delay.is_some() && self.together.is_empty() {
            keep(Error::usage(
                "--any-delay is about several programs: give one for each robot with --program, as in `--program left=pick.csv --program right=place.csv`",
            ));
        }
        if self.events.is_some() && self.programs.len() > 1 {
            keep(Error::usage(
                "--events belongs to one program: name one, or put each program's events beside it, as in `pick.events.toml` beside `pick.csv`",
            ));
        }
        let (reports, fail_on) = self.report.read(self.quiet)?;
        if let Some(file) = &self.spheres
            && let Err(why) = format_of(file)
        {
            keep(why);
        }
        let meant = self.cell.meant();
        let cell = self.cell.job().unwrap_or_else(|why| {
            keep(why);
            meant
        });
        if self.events.is_none() {
            let together = self.together.iter().map(|one| one.file.as_path());
            let all = self.programs.iter().map(PathBuf::as_path).chain(together);
            if let Err(error) = have_their_events(all) {
                keep(error);
            }
        }
        let (job, unknown) = self.options.job(cell, self.programs);
        let job = Job {
            together: self.together,
            any_delay: self.any_delay,
            events: self.events,
            audit_allowed: self.audit_allowed,
            ..job
        };
        if let Some(why) = unknown {
            keep(why);
        }
        let certificate = self.certificate.as_deref();
        if certificate.is_some() && job.checks().len() != 1 {
            keep(Error::usage(
                "--certificate belongs to one program: name one, or use `clearance batch --certificates DIR`",
            ));
        }
        if certificate.is_some_and(|file| file == Path::new("-")) {
            keep(Error::usage(
                "--certificate writes two files, and standard output is one: name a file",
            ));
        }
        let geometry = certificate.map(geometry_beside).transpose();
        let geometry = geometry.unwrap_or_else(|why| {
            keep(why);
            None
        });
        let no_answer = |also_read: &[PathBuf], why: Error| {
            let code = refuse_in_reports(&reports, &job, also_read, why)?;
            // The reports say that there is no answer: a certificate must not say that there is. What
            // is read stays, whatever is in it.
            if let Some(file) = certificate {
                let is_free =
                    |outputs: Outputs| outputs.refuse_if_read(named(&job).iter().chain(also_read));
                if Outputs::of([file]).and_then(is_free).is_ok() {
                    take_away(file)?;
                }
            }
            Ok(code)
        };
        if let Some(why) = refused {
            return no_answer(&[], why);
        }
        let more = [certificate, geometry.as_deref(), self.spheres.as_deref()];
        let outputs = match Outputs::of(reports.files().chain(more.into_iter().flatten())) {
            Ok(outputs) => outputs,
            Err(why) => return no_answer(&[], why),
        };
        if let Err(why) = outputs.refuse_if_read(&named(&job)) {
            return no_answer(&[], why);
        }
        if self.watch {
            return watch(&job, &reports, &fail_on, self.quiet);
        }
        // Only now: a command line that is refused must not touch any file.
        certificate.map(take_away).transpose()?;
        let progress = Progress::new(job.checks().len(), self.quiet);
        let prepared = match with_threads(job.cell.threads, || prepare(&job.cell, &progress)) {
            Ok(prepared) => prepared,
            Err(error) => {
                progress.finish();
                let read: Vec<PathBuf> = concerned(&error).into_iter().collect();
                if let Err(why) = outputs.refuse_if_read(&read) {
                    return no_answer(&read, why);
                }
                let outcome = refuse(&job, &error);
                let unwritten = reports.write(&outcome, None).err();
                return Ok(exit::despite(unwritten, exit::code(&outcome, &fail_on)));
            }
        };
        // Which other files programs call is known only once the programs are opened.
        if !outputs.is_new() {
            let mut read: Vec<PathBuf> = files_beside(&job, &prepared).into_iter().collect();
            read.extend(prepared.loaded.files.iter().cloned());
            if let Err(why) = outputs.refuse_if_read(&read) {
                return no_answer(&read, why);
            }
        }
        let outcome = run_in(&job, &prepared, &progress);
        let picture = (reports.want_picture()).then(|| picture(&job, &prepared, &outcome));
        let written = certificate.map(|file| write_certificate(&job, &prepared, &outcome, file));
        progress.finish();
        let outcome = with_what_is_idle(&fail_on, outcome);
        let reported = reports.write(&outcome, picture.flatten().as_ref()).err();
        let spheres = self.spheres.as_deref();
        let spheres = spheres.and_then(|file| write_spheres(file, &outcome).err());
        let wrong = [reported, spheres, written.and_then(Result::err)];
        let code = exit::code(&outcome, &fail_on);
        Ok(exit::despite(wrong.into_iter().flatten(), code))
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
