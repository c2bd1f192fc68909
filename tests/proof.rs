//! The proof on the example robots: what it answers is compared with sampling and with slower ways to the same answer.

#[path = "proof/hulls.rs"]
mod hulls;
#[path = "proof/methods.rs"]
mod methods;
#[path = "proof/near_misses.rs"]
mod near_misses;
#[path = "proof/nearest.rs"]
mod nearest;
#[path = "proof/profile.rs"]
mod profile;
