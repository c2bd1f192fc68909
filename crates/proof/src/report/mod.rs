//! The answers: verdict, contacts, least distances, and the work that they took.

mod contact;
mod work;

pub use contact::*;
pub use work::*;
