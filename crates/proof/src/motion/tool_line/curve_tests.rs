//! Turning along with an arc, against a twin that turns frames.

use nalgebra::{Unit, UnitQuaternion, Vector3};

use super::curve::{PoseCurve, turn_between};
use super::tests::between;
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;

/// A turn that goes along with an arc about an axis: as the tool turns by the angle of the arc, it
/// turns by `own` besides, as seen from there.
struct Along {
    axis: Unit<Vector3<f64>>,
    arc: f64,
    own: Vector3<f64>,
    start: UnitQuaternion<f64>,
}

impl Along {
    fn at(&self, s: f64) -> Pose {
        let round = UnitQuaternion::from_axis_angle(&self.axis, self.arc * s);
        let turned = round * UnitQuaternion::from_scaled_axis(self.own * s) * self.start;
        Pose {
            rotation: *turned.to_rotation_matrix().matrix(),
            translation: round * Vector3::new(0.2, 0.0, 0.0),
        }
    }

    /// The bound for it, where the point on the way is at a share of it.
    fn beside(&self, share: f64) -> Result<(PoseCurve, f64), String> {
        let via = self.at(share);
        let curve = PoseCurve::arc(&self.at(0.0), &via.translation, &self.at(1.0))?;
        let off = curve.beside_turn_along(&via)?;
        Ok((curve, off))
    }
}

fn about_z(arc: f64, own: Vector3<f64>) -> Along {
    Along {
        axis: Vector3::z_axis(),
        arc: arc.to_radians(),
        own: own.map(f64::to_radians),
        start: UnitQuaternion::from_euler_angles(1.0, 2.0, 3.0),
    }
}

#[test]
fn a_turn_along_an_arc_stays_within_its_bound() {
    let mut random = Random(5);
    let (mut looked, mut worst) = (0, 0.0_f64);
    for _ in 0..20_000 {
        // About the axis by any angle, and a little about others.
        let own = Vector3::z() * between(&mut random, -300.0, 300.0)
            + random.direction().into_inner() * between(&mut random, 0.0, 8.0);
        let along = about_z(between(&mut random, 5.0, 350.0), own);
        let Ok((curve, off)) = along.beside(between(&mut random, 0.2, 0.8)) else {
            continue;
        };
        looked += 1;
        let farthest = (0..=100).map(|k| {
            let s = f64::from(k) / 100.0;
            turn_between(&curve.at(s).rotation, &along.at(s).rotation).1
        });
        let farthest = farthest.fold(0.0, f64::max);
        assert!(farthest <= off, "{farthest} {off}: {:?}", along.own);
        worst = worst.max(farthest / off);
    }
    assert!(looked > 2000 && worst > 0.5, "{looked} {worst}");
}

#[test]
fn which_way_round_the_tool_turns_on_an_arc_is_known_or_told() {
    // The tool does not turn, or it turns with the arc: both turn about its axis.
    for (arc, own) in [
        (90.0, -90.0),
        (170.0, 0.0),
        (170.0, -170.0),
        (200.0, -200.0),
        (180.0, -180.0),
    ] {
        let (_, off) = about_z(arc, Vector3::z() * own).beside(0.5).unwrap();
        assert!(off < 1e-6, "{arc} {own}: {off}");
    }
    // By 200 degrees with the arc is not by 160 degrees against it.
    let told = about_z(200.0, Vector3::zeros()).beside(0.5).unwrap_err();
    assert!(told.contains("turns along with it"), "{told}");
    // A tool that is tilted on its way leaves the even turn.
    let told = about_z(120.0, Vector3::x() * 40.0).beside(0.5).unwrap_err();
    assert!(told.contains("turns along with it"), "{told}");
    // Near an end of the arc both ways round are there at the same time.
    let told = about_z(90.0, Vector3::z() * -90.0)
        .beside(0.02)
        .unwrap_err();
    assert!(told.contains("which way round"), "{told}");
}
