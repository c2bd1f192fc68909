//! Every file that is read or refused: files in, model out. Every error says the file, what would
//! be right, and the line where one is at fault.

mod cell;
pub mod cloud;
pub mod controller;
mod error;
mod files;
mod foreign;
pub mod joint_limits;
mod json_words;
mod lines;
mod loaded;
pub mod mesh;
mod message_keys;
mod names;
mod notes;
mod packages;
mod patterns;
pub mod program;
mod resolve;
mod scene;
pub mod srdf;
mod stated_unit;
pub mod units;
mod urdf;
mod xacro;
pub mod xml;

pub use cell::{LoadOptions, load_cell, load_robot, parse_cell, parse_robot, parse_scene};
pub use clearance_proof::report::Location;
pub use error::{ImportError, Problem};
pub use files::folder_of;
pub use json_words::json_words_in_line;
pub use loaded::{
    CheckSettings, LoadedCell, LoadedRobot, NamedState, PackageFolder, StaleAllowance,
    UnitlessPoses, UpAxis,
};
pub use names::suggestion;
pub use patterns::FilePattern;
