//! A contact as it is reported: who, when, where, and how the robots stand then.

use nalgebra::{Point3, Vector3};

use crate::check::Snapshot;
use crate::check::depth::separating_direction;
use crate::check::scene::Scene;
use crate::geometry::triangle::Closest;
use crate::model::{MotionInstant, Trajectory};
use crate::report::{Contact, ContactKind, NearMiss};

/// A pair at an instant of the trajectory, with its exact distance there.
pub fn contact(
    scene: &Scene,
    trajectory: &Trajectory,
    pair: usize,
    instant: MotionInstant,
    kind: ContactKind,
) -> Contact {
    let cell = scene.cell;
    let segment = trajectory.segment_at(instant);
    let mut snapshot = Snapshot::default();
    snapshot.set_at(scene, trajectory, instant);
    let nowhere = Closest {
        distance: f64::INFINITY,
        point_a: Point3::origin(),
        point_b: Point3::origin(),
    };
    // Most contacts are within the threshold or hardly beyond it: to look there first is cheap.
    let near = 1.01 * scene.pairs[pair].clearance + 1e-6;
    let nearest = [near, f64::INFINITY]
        .into_iter()
        .find_map(|below| scene.pair_distance(pair, &mut snapshot, below, &mut 0))
        .unwrap_or(nowhere);
    let time = trajectory.time_at(instant);
    let normal = normal(scene, pair, &mut snapshot, &nearest);
    Contact {
        time,
        free_until: time,
        until: None,
        segment: instant.segment,
        fraction: instant.fraction,
        a: cell.bodies[scene.pairs[pair].a].name.clone(),
        b: cell.bodies[scene.pairs[pair].b].name.clone(),
        kind,
        feature: None,
        exact_time: None,
        distance: nearest.distance,
        point_a: nearest.point_a.coords.into(),
        point_b: nearest.point_b.coords.into(),
        normal: normal.into(),
        joints: (0..cell.joints.len())
            .map(|j| (cell.joint_label(j), segment.position(j, instant.fraction)))
            .collect(),
        depth: None,
        depth_time: None,
        errors: None,
        spheres: None,
        in_corner: false,
        delays: Vec::new(),
    }
}

impl Contact {
    /// Where on the trajectory it is.
    pub fn instant(&self) -> MotionInstant {
        MotionInstant::new(self.segment, self.fraction)
    }

    /// Says where it is on another trajectory.
    pub fn set_instant(&mut self, instant: MotionInstant) {
        (self.segment, self.fraction) = (instant.segment, instant.fraction);
    }
}

impl NearMiss {
    /// Where on the trajectory the pair is nearest.
    pub fn instant(&self) -> MotionInstant {
        MotionInstant::new(self.segment, self.fraction)
    }

    /// Says where it is on another trajectory.
    pub fn set_instant(&mut self, instant: MotionInstant) {
        (self.segment, self.fraction) = (instant.segment, instant.fraction);
    }
}

/// Unit direction from the second body to the first one: along the closest points, and where
/// surfaces cross the way out.
pub(super) fn normal(
    scene: &Scene,
    pair: usize,
    snapshot: &mut Snapshot,
    nearest: &Closest,
) -> Vector3<f64> {
    // Surfaces of balls and capsules that cross have their closest points beyond each other.
    let between = nearest.point_a - nearest.point_b;
    let unit = between
        .try_normalize(0.0)
        .filter(|_| nearest.distance > 0.0);
    unit.unwrap_or_else(|| separating_direction(scene, pair, snapshot, nearest))
}
