//! The answers: verdict, contacts, least distances, and the work that they took.

mod contact;
mod diagnostic;
mod location;
mod quote;
mod work;

pub use contact::*;
pub use diagnostic::{Code, Diagnostic, Severity};
pub use location::Location;
pub use work::*;
