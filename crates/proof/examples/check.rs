//! A beam turns in its cell: does it hit the post, where does it come nearest, and what is near at
//! one instant?
//!
//! `cargo run -p clearance-proof --example check`
#![allow(clippy::print_stdout)] // an example shows its answers

use clearance_proof::check::Checker;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::model::{Body, Cell, Form, Joint, Trajectory};
use nalgebra::{Isometry3, Vector3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A robot of one joint, metres and radians throughout.
    let mut cell = Cell::with_one_robot();
    let turn = cell.add_joint(Joint::revolute(
        "turn",
        None,
        Isometry3::identity(),
        Vector3::z_axis(),
    ));
    let beam = Form::Box {
        size: Vector3::new(1.0, 0.1, 0.1),
    };
    let in_joint = Isometry3::translation(0.5, 0.0, 0.0);
    cell.add_body(Body::link("beam", beam, turn, in_joint, None));
    let post = Form::Cylinder {
        radius: 0.02,
        length: 1.0,
    };
    let in_world = Isometry3::translation(0.0, 1.1, 0.0);
    cell.add_body(Body::obstacle("post", post, in_world));

    let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (2.0, vec![3.1])])?;
    let checker = Checker::new(cell);
    let options = CheckOptions {
        minimum: true,
        minimum_by_class: true,
        ..CheckOptions::default()
    };

    let answer = checker.check(&trajectory, 1e-3, &options)?;
    println!("required clearance  1 mm: {:?}", answer.verdict);
    if let Some(least) = answer.minimum {
        println!(
            "least clearance: {:.1} mm at {:.3} s, {} and {}; proved never below {:.1} mm",
            least.distance * 1e3,
            least.time,
            least.a,
            least.b,
            least.lower_bound * 1e3,
        );
    }
    let answer = checker.check(&trajectory, 0.1, &CheckOptions::default())?;
    if let Some(contact) = answer.first_contact {
        println!(
            "required clearance 100 mm: {:?} at {:.3} s",
            answer.verdict, contact.time
        );
    }
    let standing = checker.distance(&[1.0], 1e-3)?;
    if let Some(near) = standing.nearest {
        println!("at 1 rad: {:.1} mm apart", near.nearest.distance * 1e3);
    }
    Ok(())
}
