//! Reports: outcome in, bytes out; nothing is printed here.

mod inspection;
mod json;
mod lists;
mod text;
mod units;

pub use inspection::{inspection_json, inspection_text};
pub use json::json;
pub use text::{Style, text};

#[cfg(test)]
mod tests;
