//! The task of a run: what is verified, and how. It is the command line in plain data.

use std::path::PathBuf;
use std::time::Duration;

use clearance_formats::program::events::sidecar;
use clearance_formats::program::many::{Layout, file_of};
use clearance_methods::Method;
use clearance_proof::model::Interpolation;
use clearance_proof::motion::programmed::CellMoves;

use super::cell_job::CellJob;
use super::robot_program::RobotProgram;

/// A run: programs to be verified in a cell. `None` leaves a setting to the cell file, and then to
/// the default.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The cell.
    pub cell: CellJob,
    /// Programs, each for itself.
    pub programs: Vec<PathBuf>,
    /// Programs that run at the same time: one more question, about all of them together.
    pub together: Vec<RobotProgram>,
    /// Their starts may be delayed against each other by up to this, seconds; infinity: each may be
    /// anywhere on its way while the others move.
    pub any_delay: Option<f64>,
    /// Events file in place of the one beside the program.
    pub events: Option<PathBuf>,
    /// How the columns of files of many programs are to be understood.
    pub layout: Layout,
    /// Threshold D, metres; by default 0.
    pub clearance: Option<f64>,
    /// Warn distance, metres: pairs that come nearer than it are listed as near misses; by default
    /// none.
    pub warn: Option<f64>,
    /// Resolution ε, metres; by default 0.1 mm.
    pub resolution: Option<f64>,
    /// Whether joint limits are checked; by default yes.
    pub limits: Option<bool>,
    /// Every contact interval of every pair rather than the first contact.
    pub all: bool,
    /// Certified least clearance too, over which pairs.
    pub minimum: Option<MinimumScope>,
    /// That of every pair that comes nearer than this too, metres; asks for `minimum` of classes
    /// where nothing else is said.
    pub minimum_pairs: Option<f64>,
    /// Whether the largest multiple of the budget of errors is asked for, too, for which the program
    /// is still clear.
    pub margin: bool,
    /// Whether allowed pairs are audited, too.
    pub audit_allowed: bool,
    /// Another path law than the one that belongs to the program's fields.
    pub interpolation: Option<Interpolation>,
    /// How far the tool may be off an even turn on a straight move, as a share of the angle.
    pub orientation_tube: f64,
    /// Whether rounded corners are left out.
    pub exact_corners: bool,
    /// Method in time and in shape.
    pub method: Method,
    /// The routine of a controller's program that runs, where a file has several.
    pub routine: Option<String>,
    /// How long the check of one program may take; what is open then is undecided.
    pub time_limit: Option<Duration>,
    /// Whether nothing is allowed for that programs show of errors: methods are compared over the
    /// ideal motion.
    pub ideal: bool,
}

/// Over which pairs a least clearance is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MinimumScope {
    /// Over all together, for little more than the price of a check.
    Overall,
    /// Over those of each class, too.
    Classes,
}

impl Job {
    /// Over which pairs least clearances are asked for.
    pub fn minimum_scope(&self) -> Option<MinimumScope> {
        let of_pairs = self.minimum_pairs.map(|_| MinimumScope::Classes);
        self.minimum.or(of_pairs)
    }

    /// Programs in a cell file, everything else by default.
    pub fn new(cell: impl Into<PathBuf>, programs: Vec<PathBuf>) -> Self {
        Self {
            cell: CellJob::file(cell),
            programs,
            together: Vec::new(),
            any_delay: None,
            events: None,
            layout: Layout::default(),
            clearance: None,
            warn: None,
            resolution: None,
            limits: None,
            all: false,
            minimum: None,
            minimum_pairs: None,
            margin: false,
            audit_allowed: false,
            interpolation: None,
            orientation_tube: CellMoves::USUAL_TUBE,
            exact_corners: false,
            method: Method::default(),
            routine: None,
            time_limit: None,
            ideal: false,
        }
    }

    /// The files of all programs and of their events, also of events that are not there (yet).
    pub fn files(&self) -> Vec<PathBuf> {
        let programs: Vec<RobotProgram> = self.checks().into_iter().flatten().collect();
        let files = programs.iter().map(|program| file_of(&program.file));
        let mut files: Vec<PathBuf> = files.collect();
        match &self.events {
            Some(events) => files.push(events.clone()),
            None => files.extend(programs.iter().map(|program| sidecar(&program.file))),
        }
        files
    }

    /// The questions: the programs of each one, in the order of the answers.
    pub fn checks(&self) -> Vec<Vec<RobotProgram>> {
        let alone = self.programs.iter();
        let mut checks: Vec<_> = alone.map(|file| vec![RobotProgram::alone(file)]).collect();
        if !self.together.is_empty() {
            checks.push(self.together.clone());
        }
        checks
    }
}
