//! Reports: outcome in, bytes out; nothing is printed here.

mod json;
mod text;
mod units;

pub use json::json;
pub use text::{Style, text};
pub use units::{millimetres, millimetres_down, millimetres_up};

#[cfg(test)]
mod tests;
