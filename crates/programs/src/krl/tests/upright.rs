//! Frames that are computed and whose B is ±90°: A, B and C belong together there.

use nalgebra::{Rotation3, UnitQuaternion};

use super::*;

/// The rotation of A, B and C, by the three axes.
fn turned(a: f64, b: f64, c: f64) -> UnitQuaternion<f64> {
    let one = |axis: Vector3<f64>, angle: f64| Rotation3::new(axis * angle.to_radians());
    let matrix = one(Vector3::z(), a) * one(Vector3::y(), b) * one(Vector3::x(), c);
    UnitQuaternion::from_rotation_matrix(&matrix)
}

fn frame(x: f64, y: f64, z: f64, rotation: UnitQuaternion<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Vector3::new(x, y, z).scale(1e-3).into(), rotation)
}

/// That the last move ends there, seen from $WORLD.
fn ends_at(body: &str, right: &Isometry3<f64>) {
    let way = known(body);
    let Some(Target::Pose {
        frame,
        frame_from_tool,
        ..
    }) = way.moves.last().map(|step| &step.target)
    else {
        panic!("{body}: a pose is needed");
    };
    let end = frame.link_from_frame * frame_from_tool;
    let off = (end.translation.vector - right.translation.vector).norm();
    assert!(off < 1e-8, "{body}: {off} m");
    let off =
        end.rotation.to_rotation_matrix().matrix() - right.rotation.to_rotation_matrix().matrix();
    assert!(off.norm() < 1e-6, "{body}: {}", off.norm());
}

const P: &str = "DECL E6POS P\nP={X 550,Y 0,Z 600,A 20,B 90,C 55,S 2,T 35}\n";

#[test]
fn computed_frames_keep_their_orientation() {
    let p = frame(550.0, 0.0, 600.0, turned(20.0, 90.0, 55.0));
    let up = |by: f64| p * Isometry3::translation(0.0, 0.0, by * 1e-3);
    // At a B of 90° the tool's z lies along (cos 35°, -sin 35°, 0): 35° is C less A.
    let right = Vector3::new(0.5090424, 0.0286788, 0.6);
    assert!((up(-50.0).translation.vector - right).norm() < 1e-7);
    for body in [
        "LIN P:{X 0,Y 0,Z -50,A 0,B 0,C 0}",
        "LIN P\nLIN_REL {Z -50} #TOOL",
        "P=P:{X 0,Y 0,Z -50,A 0,B 0,C 0}\nLIN P",
        "DECL FRAME F\nF=P\nF=F:{X 0,Y 0,Z -50,A 0,B 0,C 0}\nLIN F",
    ] {
        ends_at(&format!("{P}{body}"), &up(-50.0));
    }
    ends_at(
        &format!("{P}LIN P:{{X 0,Y 0,Z -50,A 0,B 0,C 0}}\nLIN_REL {{Z -30}} #TOOL"),
        &up(-80.0),
    );
    ends_at(
        "LIN INV_POS(INV_POS({X 1,Y 2,Z 3,A 45,B 90,C 9}))",
        &frame(1.0, 2.0, 3.0, turned(45.0, 90.0, 9.0)),
    );
    ends_at(
        "$BASE={X 500,Y 0,Z 600,A 45,B 90,C 9}:{X 0,Y 0,Z -50,A 0,B 0,C 0}\nLIN {X 10,Y 20,Z 30,A 1,B 2,C 3}",
        &(frame(500.0, 0.0, 600.0, turned(45.0, 90.0, 9.0))
            * Isometry3::translation(0.0, 0.0, -0.05)
            * frame(10.0, 20.0, 30.0, turned(1.0, 2.0, 3.0))),
    );
}

#[test]
fn every_a_and_c_come_out_as_they_were() {
    for b in [90.0, -90.0] {
        for k in 0..72 {
            let a = f64::from(k) * 5.0 - 180.0;
            let each = (0..72).map(|k| f64::from(k) * 5.0 - 180.0);
            let lines = each.clone().map(|c| {
                format!("LIN {{X 1,Y 2,Z 3,A {a},B {b},C {c}}}:{{X 0,Y 0,Z -50,A 0,B 0,C 0}}\n")
            });
            let way = known(&lines.collect::<String>());
            for (step, c) in way.moves.iter().zip(each) {
                let end = pose(&step.target).0;
                let right =
                    frame(1.0, 2.0, 3.0, turned(a, b, c)) * Isometry3::translation(0.0, 0.0, -0.05);
                let off = (end.translation.vector - right.translation.vector).norm();
                let turn = end.rotation.to_rotation_matrix().matrix()
                    - right.rotation.to_rotation_matrix().matrix();
                assert!(
                    off < 1e-8 && turn.norm() < 1e-6,
                    "A {a}, B {b}, C {c}: {off}"
                );
            }
            assert_eq!(way.moves.len(), 72);
        }
    }
}

#[test]
fn an_a_or_c_of_such_a_frame_means_nothing_alone() {
    let made = format!("{P}P=P:{{X 0,Y 0,Z -50,A 0,B 0,C 0}}\n");
    for body in [
        "LIN {X 1,Y 2,Z 3,A P.A,B 0,C 0}",
        "LIN {X 1,Y 2,Z 3,A 0,B 0,C P.C}",
        "P.A=10\nLIN P",
        "P.B=80\nLIN P",
        "P.C=10\nLIN P",
        "P.A=P.A+45\nLIN P",
        "P.C=-P.C\nLIN P",
        "W=P.A*2\nP.A=W\nLIN P",
        "N=P.A\nP.A=N\nLIN P",
        "Q=P\nQ.A=Q.A+45\nLIN Q",
    ] {
        let body = format!("DECL REAL W\nDECL INT N\nDECL FRAME Q\n{body}");
        let told = reason(&format!("{made}{body}"));
        assert!(
            told.contains("can be shared out in many ways"),
            "{body}: {told}"
        );
    }
    let p = frame(550.0, 0.0, 600.0, turned(20.0, 90.0, 55.0))
        * Isometry3::translation(0.0, 0.0, -0.05);
    for (axis, k) in [("X", 0), ("Y", 1), ("Z", 2)] {
        let mut right = p;
        right.translation.vector[k] = 0.7;
        ends_at(&format!("{made}P.{axis}=700\nLIN P"), &right);
    }
    // Another unknown value is none of those that were computed.
    let told = reason(&format!("{made}P.A=$ANIN[1]\nLIN P"));
    assert!(told.contains("only the controller knows"), "{told}");
    // Whoever sets all three knows what they mean.
    let mut right = p;
    right.rotation = turned(1.0, 2.0, 3.0);
    ends_at(&format!("{made}P.A=1\nP.B=2\nP.C=3\nLIN P"), &right);
    // Taught ones are what they are.
    known(&format!("{P}LIN {{X 1,Y 2,Z 3,A P.A,B 0,C P.C}}"));
}

/// With 32 bits half a turn comes out to either side: an angle of it decides nothing, and the frame
/// is known all the same.
#[test]
fn half_a_turn_of_a_computed_frame_has_no_sign() {
    let made = "DECL FRAME F\nF={X 500,Y 0,Z 600,A 180,B 10,C 20}:{X 0,Y 0,Z 50,A 0,B 0,C 0}\n";
    let told = reason(&format!("{made}LIN {{X F.A,Y 2,Z 3,A 0,B 0,C 0}}"));
    assert!(told.contains("half a turn"), "{told}");
    let ways = ways_in(
        &cell(),
        &set(&format!("{made}PTP XP1\nIF F.A>0 THEN\nLIN XP2\nENDIF")),
    );
    assert_eq!(ways.unwrap().len(), 2);
    let right = frame(500.0, 0.0, 600.0, turned(180.0, 10.0, 20.0))
        * Isometry3::translation(0.0, 0.0, 0.05);
    ends_at(&format!("{made}LIN F"), &right);
    known(&format!("{made}LIN {{X F.X,Y 2,Z 3,A 0,B F.B,C F.C}}"));
}

/// An angle that is computed of one that means nothing alone is another one.
#[test]
fn an_angle_of_half_a_turn_that_is_turned_on_is_not_the_old_one() {
    let made = "DECL FRAME F\nF={X 450,Y 0,Z 600,A 0,B 170,C 0}:{X 0,Y 0,Z 0,A 0,B 10,C 0}\n";
    let right = frame(450.0, 0.0, 600.0, turned(0.0, 180.0, 0.0));
    ends_at(&format!("{made}LIN F"), &right);
    for body in [
        "F.A=F.A+45",
        "F.C=F.C-20",
        "F.A=-F.A",
        "F.A=ABS(F.A)",
        "F.B=F.B+10",
    ] {
        let told = reason(&format!("{made}{body}\nLIN F"));
        assert!(told.contains("half a turn"), "{body}: {told}");
    }
}
