//! Margins against places that are known to twenty digits, whatever the joints' values: angles in
//! whole numbers, and π to 84 binary places.

use std::sync::Arc;

use nalgebra::{Isometry3, Unit, Vector3};

use super::*;
use crate::bvh::SphereTree;
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;
use crate::model::{
    Body, Cell, Interpolation, Joint, JointKind, Limits, Merged, Mimic, Role, Track, Trajectory,
    Waypoint, segment,
};
use crate::numeric::POSITION_ROUNDING;
use crate::pairs::PairTable;

/// Angles are whole multiples of 2⁻³⁶ rad.
const BITS: u32 = 36;
/// 2 π in units of 2⁻⁸⁴.
const TURN: i128 = 121_534_479_156_362_834_585_215_793;
/// Waypoints are multiples of 2⁻¹² rad, shares of a segment of 2⁻⁸.
const OF_WAYPOINTS: i128 = 1 << (BITS - 12);
const SHARES: i128 = 256;

/// The angle, less whole turns.
fn reduced(angle: i128) -> f64 {
    (angle << (84 - BITS)).rem_euclid(TURN) as f64 / 2f64.powi(84)
}

/// An arm of hinges about z, 1 m apart, with a slide along x at its end or none; the last joint
/// carries a small box.
fn arm(hinges: usize, slide: bool, mimic: Option<Mimic>) -> Cell {
    let mut cell = Cell::default();
    for j in 0..hinges + usize::from(slide) {
        let turns = j < hinges;
        let axis = if turns { Vector3::z() } else { Vector3::x() };
        cell.joints.push(Joint {
            name: format!("joint{j}"),
            robot: 0,
            parent: j.checked_sub(1),
            parent_from_joint: Isometry3::translation(f64::from(u8::from(j > 0)), 0.0, 0.0),
            axis: Unit::new_normalize(axis),
            kind: if turns {
                JointKind::Continuous
            } else {
                JointKind::Prismatic
            },
            limits: Limits::default(),
            mimic: if j == 1 { mimic } else { None },
        });
        cell.rest.push(0.0);
    }
    cell.bodies.push(Body {
        name: "tip".into(),
        role: Role::Attached,
        joint: Some(cell.joints.len() - 1),
        joint_from_body: Isometry3::translation(1.0, 0.0, 0.0),
        parent: None,
        shapes: vec![crate::model::Shape {
            name: String::new(),
            body_from_shape: Isometry3::identity(),
            form: crate::model::Form::Box {
                size: Vector3::repeat(0.1),
            },
            solid: None,
            scale: None,
        }],
    });
    cell
}

/// A motion from one whole number to another, one second long.
struct Law {
    /// Positions at both ends, and velocities, in units of 2⁻¹² rad (and per second).
    p: [i128; 2],
    v: Option<[i128; 2]>,
}

impl Law {
    fn new(random: &mut Random, cubic: bool) -> Self {
        let mut number = |most: u32| {
            let most = 2f64.powf(f64::from(most) * random.unit());
            (most * random.signed() * 4096.0) as i128
        };
        let first = number(37);
        let second = [number(37), first + number(3), number(4)][random.below(3)];
        Law {
            p: [first, second],
            v: cubic.then(|| {
                [0, 1].map(|_| {
                    (random.signed() * 2f64.powi(random.below(30) as i32) * 4096.0) as i128
                })
            }),
        }
    }

    /// The value at a share, in units of 2⁻³⁶.
    fn at(&self, k: i128) -> i128 {
        let [p0, p1] = self.p;
        let d = p1 - p0;
        match self.v {
            None => (p0 * SHARES + d * k) * OF_WAYPOINTS / SHARES,
            Some([v0, v1]) => {
                let square = 3 * d - 2 * v0 - v1;
                let cube = v0 + v1 - 2 * d;
                p0 * SHARES.pow(3)
                    + v0 * k * SHARES.pow(2)
                    + square * k * k * SHARES
                    + cube * k * k * k
            }
        }
    }
}

/// As a program with two waypoints is laid, also where a program with such numbers is refused.
fn trajectory_of(cell: &Cell, laws: &[Law]) -> Trajectory {
    let free: Vec<usize> = (0..cell.joints.len())
        .filter(|&j| cell.joints[j].mimic.is_none())
        .collect();
    let number = |x: i128| x as f64 / 4096.0;
    let waypoint = |end: usize| Waypoint {
        time: end as f64,
        positions: laws.iter().map(|law| number(law.p[end])).collect(),
        velocities: laws.iter().map(|law| Some(number(law.v?[end]))).collect(),
        accelerations: None,
        line: 2 + end,
    };
    let interpolation = match laws[0].v {
        Some(_) => Interpolation::Cubic,
        None => Interpolation::Linear,
    };
    let ends = [waypoint(0), waypoint(1)];
    Trajectory {
        segments: vec![segment(cell, interpolation, ends.each_ref(), &free)],
        interpolation,
        timed: true,
    }
}

fn scene(cell: &Cell) -> Scene<'_> {
    let tree = SphereTree::new(&Mesh::cuboid(&Vector3::repeat(0.1)), 0.0);
    Scene::new(cell, &[vec![Arc::new(tree)]], &PairTable::new(cell), 0.0)
}

/// Where the last joint's frame is in the plane: hinges a metre apart, then the slide.
fn truth(angles: &[i128], slide: f64) -> [f64; 3] {
    let (mut x, mut y, mut sum) = (0.0, 0.0, 0i128);
    for (k, angle) in angles.iter().enumerate() {
        sum += angle;
        let last = k + 1 == angles.len();
        let length = if last { 1.0 + slide } else { 1.0 };
        let (sin, cos) = reduced(sum).sin_cos();
        x += length * cos;
        y += length * sin;
    }
    [x, y, reduced(sum)]
}

/// How far the tip is from where it should be, and its margin, with the rounding of the joints'
/// values and without.
fn seen(cell: &Cell, segment: &Segment, s: f64, truth: [f64; 3]) -> [f64; 3] {
    let scene = scene(cell);
    let mut snapshot = Snapshot::default();
    snapshot.set(&scene, segment, s);
    let mut error: f64 = 0.0;
    let tree = &scene.parts[0].tree;
    for corner in &tree.vertices {
        let computed = snapshot.part(&scene, 0).pose.apply(&(corner - tree.origin));
        let (sin, cos) = truth[2].sin_cos();
        let slides = cell.joints.len() > 1
            && cell.joints[cell.joints.len() - 1].kind == JointKind::Prismatic;
        let slide = if slides { 1.0 } else { 0.0 };
        // The box sits a metre beyond its joint.
        let reach = corner.x + slide;
        let (x, y) = (
            truth[0] + cos * reach - sin * corner.y,
            truth[1] + sin * reach + cos * corner.y,
        );
        error = error.max((computed - Vector3::new(x, y, corner.z)).norm());
    }
    [
        error,
        snapshot.margin(&scene, 0),
        snapshot.fixed_margin(&scene, 0),
    ]
}

/// The result of many comparisons.
#[derive(Default)]
struct Tally {
    /// Beyond what a margin without the rounding of values would be.
    needed: usize,
    /// Greatest share of the margin that was used.
    tightest: f64,
}

impl Tally {
    fn take(&mut self, [error, margin, fixed]: [f64; 3], case: &str) {
        // The oracle itself is this exact.
        let oracle = 1e-13;
        assert!(
            error <= margin + oracle,
            "{case}: off by {error}, margin {margin}"
        );
        self.needed += usize::from(error > fixed + oracle);
        if error > oracle {
            self.tightest = self.tightest.max(error / margin);
        }
    }
}

/// Catches: a joint's rounding left out, taken without its lever, or of one end only; sums of large
/// coefficients that cancel.
#[test]
fn places_are_no_farther_off_than_their_margins_whatever_the_angles() {
    let mut random = Random(61);
    let mut tally = Tally::default();
    for case in 0..3000 {
        let hinges = 1 + random.below(3);
        let cubic = random.below(2) == 0;
        let cell = arm(hinges, false, None);
        let laws: Vec<Law> = (0..hinges).map(|_| Law::new(&mut random, cubic)).collect();
        let trajectory = trajectory_of(&cell, &laws);
        assert_eq!(trajectory.interpolation == Interpolation::Cubic, cubic);
        let k = random.below(257) as i128;
        let angles: Vec<i128> = laws.iter().map(|law| law.at(k)).collect();
        let found = seen(
            &cell,
            &trajectory.segments[0],
            k as f64 / SHARES as f64,
            truth(&angles, 0.0),
        );
        tally.take(found, &format!("case {case}"));
    }
    assert!(tally.needed > 300, "{}", tally.needed);
    assert!(tally.tightest > 0.02, "{}", tally.tightest);
}

/// A slide and a mimic joint may have large numbers that cancel.
#[test]
fn margins_hold_with_slides_and_mimic_joints() {
    let mut random = Random(62);
    let mut needed = [0; 2];
    for case in 0..2000 {
        let law = Law::new(&mut random, case % 3 == 0);
        let k = random.below(257) as i128;
        let s = k as f64 / SHARES as f64;
        if case % 2 == 0 {
            let cell = arm(1, true, None);
            let still = Law {
                p: [0, 0],
                v: law.v.map(|_| [0, 0]),
            };
            // To and from the origin, so that places stay small there and numbers do not.
            let to = Law {
                p: [law.p[0] << 12, 4096],
                v: law.v,
            };
            let k = SHARES;
            let slide = to.at(k) as f64 / 2f64.powi(BITS as i32);
            let trajectory = trajectory_of(&cell, &[still, to]);
            let found = seen(&cell, &trajectory.segments[0], 1.0, truth(&[0], slide));
            let mut tally = Tally::default();
            tally.take(found, &format!("case {case}, slide"));
            needed[0] += tally.needed;
        } else {
            let multiplier = [1.0, -1.0, 2.0, -3.0][random.below(4)];
            let at_start = law.p[0] as f64 / 4096.0;
            let mimic = Mimic {
                source: 0,
                multiplier,
                offset: -multiplier * at_start + 0.5,
            };
            let cell = arm(2, false, Some(mimic));
            let angle = law.at(k);
            let offset = (mimic.offset * 4096.0) as i128 * OF_WAYPOINTS;
            let other = multiplier as i128 * angle + offset;
            let trajectory = trajectory_of(&cell, &[law]);
            let found = seen(
                &cell,
                &trajectory.segments[0],
                s,
                truth(&[angle, other], 0.0),
            );
            let mut tally = Tally::default();
            tally.take(found, &format!("case {case}, mimic"));
            needed[1] += tally.needed;
        }
    }
    assert!(needed[0] > 20 && needed[1] > 100, "{needed:?}");
}

/// A piece of a long segment is small where the segment is not: it takes over what the whole is
/// off.
#[test]
fn margins_hold_on_pieces_of_segments() {
    let mut random = Random(63);
    let mut tally = Tally::default();
    for case in 0..1500 {
        let cell = arm(1, false, None);
        let mut law = Law::new(&mut random, case % 2 == 0);
        law.p[1] = random.below(4096) as i128;
        let trajectory = trajectory_of(&cell, std::slice::from_ref(&law));
        // Cut at a share, and looked at where the second piece begins or ends.
        let k = 1 + random.below(255) as i128;
        let cut = k as f64 / SHARES as f64;
        let track = Track {
            trajectory: &trajectory,
            joints: vec![0],
            shift: 0.0,
        };
        let pieces = Merged::on_one_clock(&cell, &[track], &[cut]).trajectory;
        assert_eq!(pieces.segments.len(), 2);
        for (s, at) in [(0.0, k), (1.0, SHARES)] {
            let found = seen(&cell, &pieces.segments[1], s, truth(&[law.at(at)], 0.0));
            tally.take(found, &format!("case {case}"));
        }
    }
    assert!(tally.needed > 300, "{}", tally.needed);
}

/// Degrees: what is read is rounded before anything is computed.
#[test]
fn margins_hold_for_angles_in_degrees() {
    let mut random = Random(64);
    let mut tally = Tally::default();
    for case in 0..1000 {
        let cell = arm(1, false, None);
        let degrees = (2f64.powf(40.0 * random.unit()) * random.signed() * 4096.0).trunc() / 4096.0;
        let segment = Segment {
            start: 0.0,
            end: 0.0,
            joints: vec![[degrees.to_radians(), 0.0, 0.0, 0.0, 0.0, 0.0]].into(),
            errors: None,
        };
        let (sin, cos) = (degrees % 360.0).to_radians().sin_cos();
        let found = seen(&cell, &segment, 0.0, [cos, sin, sin.atan2(cos)]);
        tally.take(found, &format!("case {case}: {degrees}°"));
    }
    assert!(tally.needed > 200, "{}", tally.needed);
}

/// The bound of positions is argued for a number of joints, and grows with them beyond it.
#[test]
fn long_chains_have_wider_margins() {
    let factor = |joints: usize| {
        let chains = crate::motion::Chains::new(&arm(joints, false, None));
        chains.rounding() / POSITION_ROUNDING
    };
    assert_eq!((factor(1), factor(95)), (1.0, 1.0));
    assert!((factor(950) - 10.0).abs() < 1e-12);
    // 84 roundings a joint, each of half an ε.
    for joints in [1, 50, 95, 96, 500, 3000] {
        assert!(factor(joints) * POSITION_ROUNDING >= 42.0 * joints as f64 * f64::EPSILON);
    }
    // The moment uses it.
    let cell = arm(950, false, None);
    let scene = scene(&cell);
    let still = Segment {
        start: 0.0,
        end: 0.0,
        joints: vec![[0.0; 6]; 950].into(),
        errors: None,
    };
    let mut snapshot = Snapshot::default();
    snapshot.set(&scene, &still, 0.0);
    let size = 949.0 + 950.0 + scene.parts[0].offset + scene.parts[0].bounding_radius;
    let margin = snapshot.margin(&scene, 0);
    assert!(
        (margin / (10.0 * POSITION_ROUNDING * size) - 1.0).abs() < 1e-9,
        "{margin}"
    );
}

/// Catches a pose or a margin that is kept when the record goes on to another instant.
#[test]
fn a_record_that_went_on_says_what_a_new_one_does() {
    let cell = arm(3, false, None);
    let scene = scene(&cell);
    let mut kept = Snapshot::default();
    let mut margins = Vec::new();
    for turn in [0.0, 1e6, 3.0] {
        let segment = crate::model::Segment {
            start: 0.0,
            end: 1.0,
            joints: [[turn, 0.0, 0.0, 0.0, 0.0, 0.0]; 3].into_iter().collect(),
            errors: None,
        };
        kept.set(&scene, &segment, 0.0);
        let mut fresh = Snapshot::default();
        fresh.set(&scene, &segment, 0.0);
        for _ in 0..2 {
            assert_eq!(kept.margin(&scene, 0), fresh.margin(&scene, 0), "{turn}");
        }
        assert_eq!(kept.part(&scene, 0).pose, fresh.part(&scene, 0).pose);
        margins.push(kept.margin(&scene, 0));
    }
    assert!(margins[1] > 10.0 * margins[0] && margins[1] > 10.0 * margins[2]);
}
