//! All integration tests, in one program: it links once. `cargo test --test suite NAME` runs a
//! part.
//!
//! Tests that need data from outside this repository are marked `#[ignore]`: CONTRIBUTING.md says
//! how to run them.

#[cfg(unix)]
mod action;
mod articulated;
mod batch;
mod certificates;
mod ci_formats;
mod cli;
mod common;
mod dialects;
mod examples;
mod fuzz;
mod growth;
mod motion_programs;
mod no_miss;
mod page_examples;
mod proof;
mod qualification;
mod reading;
mod real_cases;
mod real_programs;
mod real_robots;
mod regression;
#[cfg(unix)]
mod release;
mod results;
mod rooms;
mod self_test;
mod solid;
mod timeline;
mod work_counts;
