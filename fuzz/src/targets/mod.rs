//! The fuzz targets: a function of bytes for every reader, for whole checks, and for result files.
//!
//! A target panics when something is wrong, and says whether it took the bytes for what they should
//! be.

mod chaos;
mod files;
mod grid;
mod many;
mod programs;
mod readers;
mod results;
mod scratch;
mod source;

pub use chaos::chaos;
pub use files::files;
pub use grid::grid;
pub use many::{bag, long_csv, mcap, parquet};
pub use programs::{certificate, fanuc, inform, krl, moves, polyscope, rapid, ur_script};
pub use readers::{
    cell, cloud, csv, dae, events, joint_limits, json, obj, ply, scene, srdf, stl, units, urdf,
    vrml, xacro, yaml,
};
pub use results::{results, resume};
