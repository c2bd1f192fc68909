//! The proof on the example robots: what it answers is compared with sampling and with slower ways
//! to the same answer.

mod hulls;
mod methods;
mod near_misses;
mod nearest;
mod profile;
