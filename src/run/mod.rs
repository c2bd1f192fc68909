//! From a job to its outcome. Where to begin to read:
//!
//! - the cell: `load` reads it, `prepare` makes it ready (trees, pairs), `suspicious`, `extent`,
//!   `several_shapes`, `up_axis` and `uncovered` say what can hardly be meant or is not checked;
//! - a program: `opened` and `controller_program` read it, `program_hash` (with `digest`) tells it from
//!   another one of its name, `taught` is what it says, `motion` lays it onto the
//!   cell, on one clock with other programs and events;
//! - the task: `job`, with `cell_job`, `robot_program` and `settings`;
//! - the question: `verify` takes a job, `verifier` its programs, `check` one of them; `answer` asks
//!   `scenes` (the search), `corners`, `delays`, `margin`, `depth`, `audit` and `limits`;
//! - other commands: `compare`, `configurations` (`distance`), `convert`, `draft` (`init`),
//!   `inspect`, `pack`, `replay` and `curves` (pages), `self_test`, `serve`.

mod answer;
mod audit;
mod cell_job;
mod certificates;
mod check;
mod compare;
mod configurations;
mod controller_program;
mod convert;
mod corners;
mod curves;
mod delays;
mod depth;
mod digest;
mod draft;
pub mod export;
mod extent;
mod inspect;
mod job;
mod known_corners;
pub mod limits;
mod load;
mod loose_links;
mod margin;
mod motion;
mod opened;
mod pack;
mod panics;
mod prepare;
mod program_hash;
mod progress;
mod replay;
mod report_header;
mod robot_program;
mod scenes;
mod self_test;
mod serve;
mod settings;
mod several_shapes;
mod shape_tree;
mod suspicious;
mod suspicious_places;
mod tables;
mod taught;
mod threads;
mod trees;
mod uncertainty;
mod uncovered;
mod unpack;
mod unreachable;
mod up_axis;
mod urdf_unit;
mod verifier;
mod verify;

pub use cell_job::{CacheFolder, CellJob, CellSource};
pub use certificates::{Certified, Certifier};
pub use compare::{CompareOptions, compare};
pub use configurations::Configurations;
pub use convert::{Converted, convert, convert_controller_program, needs_cell};
pub(crate) use digest::Digest;
pub use draft::{DraftJob, complete};
pub use extent::{Consequence, Suspicion, bounds, reach};
pub use inspect::inspect;
pub use job::{Job, MinimumScope};
pub use load::Fetched;
pub use opened::{OpenedProgram, OtherFile, files_beside};
pub use pack::{Packed, pack};
pub use prepare::{Prepared, prepare};
pub(crate) use program_hash::hash_of;
pub use progress::{NoProgress, ProgressEvent, ProgressListener};
pub use replay::{CellPicture, Picture, cell_picture, drawn_cell, picture, replay};
pub use report_header::refuse;
pub(crate) use report_header::refused;
pub use robot_program::RobotProgram;
pub use self_test::{SelfTest, SelfTestRecord, Suite};
pub use serve::{Line, Pump, Served, Service, next_line, program_of_line, without_mark};
pub use settings::Settings;
pub(crate) use suspicious::wide_clearance;
pub(crate) use threads::with_threads;
pub use trees::{SphereKind, TreeKind, TreeRequest, TreeSource};
pub use unreachable::least_possible;
pub use verifier::Verifier;
pub use verify::{run, run_in};

#[cfg(test)]
mod tests;
