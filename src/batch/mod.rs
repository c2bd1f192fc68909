//! Batches: thousands of programs in one cell, verified once, continued, split, joined, and
//! compared with earlier runs.
//!
//! Results go to a file as they come, so that no more than the last moment is ever lost and memory
//! does not grow with the number of programs; at the end the file is put into the order of the
//! programs' names. See docs/formats.md.

mod alike;
mod baseline;
mod certificates;
mod claim;
mod collect;
mod identity;
mod line_writer;
mod merge;
mod names;
mod not_searched;
mod program_files;
mod record;
mod result_file;
mod results;
mod run;
mod seal;
mod shard;
mod stdin_programs;

pub use collect::collect;
pub(crate) use collect::{all_can_match, is_pattern, matching, refuse_alike};
pub use identity::cell_hash;
pub use merge::merge;
pub use names::name;
pub(crate) use not_searched::not_searched;
pub use record::{Record, ResultHeader};
pub use results::{AlikePrograms, Results, may_be_replaced};
pub use run::{BatchJob, BatchListener, Failure, run};
pub use shard::Shard;
pub use stdin_programs::{Input, StdinPrograms};
