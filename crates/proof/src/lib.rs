//! The proof on which `clear` rests. To believe a proof of `clearance`, read this crate and nothing
//! else.
//!
//! **The guarantee.** `clear` means: at every instant of the interpolated motion every checked pair
//! of bodies is more than its threshold D apart; every bound behind it is rounded towards contact.
//! `collision` means: at the reported instant a pair was within D, and everything before
//! `free_until` is proved free.
//!
//! ```
//! use clearance_proof::check::{Checker, bisection::CheckOptions};
//! use clearance_proof::model::{Body, Cell, Form, Joint, Trajectory};
//! use clearance_proof::report::Verdict;
//! use nalgebra::{Isometry3, Vector3};
//!
//! // A beam of 1 m on a turning joint, and a post beside it; metres and radians.
//! let mut cell = Cell::with_one_robot();
//! let here = Isometry3::identity();
//! let turn = cell.add_joint(Joint::revolute("turn", None, here, Vector3::z_axis()));
//! let beam = Form::Box { size: Vector3::new(1.0, 0.1, 0.1) };
//! let middle = Isometry3::translation(0.5, 0.0, 0.0);
//! cell.add_body(Body::link("beam", beam, turn, middle, None));
//! let post = Form::Cylinder { radius: 0.02, length: 1.0 };
//! cell.add_body(Body::obstacle("post", post, Isometry3::translation(0.0, 0.8, 0.0)));
//!
//! let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (2.0, vec![3.1])])?;
//! let answer = Checker::new(cell).check(&trajectory, 1e-3, &CheckOptions::default())?;
//! assert_eq!(answer.verdict, Verdict::Collision);
//! assert!(answer.first_contact.unwrap().free_until < 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here reads a file, knows a command line, or writes text. Data goes one way: [`model`] →
//! [`bvh`] → [`pairs`] → [`motion`] → [`check`] → [`report`]; [`geometry`] and `numeric` are the
//! tools of all. The order in which to read them is in docs/architecture.md.

#![deny(unnameable_types)]

pub mod bvh;
pub mod check;
mod error;
pub mod geometry;
pub mod model;
pub mod motion;
mod numeric;
pub mod pairs;
pub mod report;

pub use error::ProofError;
