//! Certificates of `clear` and of first contacts that `clearance-recheck` checks: the cell and the
//! motion as integers, and how the question is taken apart.
//!
//! Nothing here is part of what makes a certificate valid, and nothing here knows the search of the
//! default check: a certificate is found anew, from the triangles, pairs and polynomials of the
//! model. So a `clear` that no certificate can be made for is a fault of one of the two.

mod contact;
mod drive;
mod error;
mod float_part;
mod frames;
mod geometry;
mod hash;
mod hull_points;
mod inside;
mod integers;
mod lines;
mod look;
mod maker;
mod motion;
mod order;
mod sides;
mod triangles;
mod walk;

pub use contact::ReportedContact;
pub use error::CertifyError;
pub use geometry::{CellTrees, geometry, geometry_of_phases, trajectory_of_phases};
pub use hash::sha256;
pub use maker::{AboutGeometry, Made, Maker, certificate};

#[cfg(test)]
mod tests;
