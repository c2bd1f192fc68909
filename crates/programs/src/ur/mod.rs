//! Universal Robots: URScript, and the node trees of PolyScope, which are turned into it.

pub(crate) mod polyscope;
mod poses;
#[cfg(test)]
mod real;
pub(crate) mod script;

#[cfg(test)]
pub(crate) use polyscope::Chain;
