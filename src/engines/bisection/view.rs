//! One pair of parts in one interval: poses in a common frame at both ends, and what can happen between them.

use nalgebra::Vector3;

use super::kernel::{Next, is_time};
use super::sweep::Sweeps;
use crate::engines::Moment;
use crate::engines::scene::{PartPair, Scene};
use crate::motion::{Bulge, Pose};

/// Poses of a pair of parts in their common frame: that of part b when it is fixed in the shared frame, else the
/// shared joint's.
pub fn in_common_frame(scene: &Scene, pair: &PartPair, moment: &mut Moment) -> [Pose; 2] {
    let a = moment.part(scene, pair.a).pose;
    let b = moment.part(scene, pair.b).pose;
    if pair.one_sided {
        return [b.seen(&a), Pose::identity()];
    }
    let shared = moment.instant().pose(scene.shared_joint(pair));
    [shared.seen(&a), shared.seen(&b)]
}

/// The common frame itself.
pub fn common_frame(scene: &Scene, pair: &PartPair, moment: &mut Moment) -> Pose {
    if pair.one_sided {
        moment.part(scene, pair.b).pose
    } else {
        moment.instant().pose(scene.shared_joint(pair))
    }
}

/// A pair of parts in an interval.
#[derive(Debug, Clone)]
pub struct View {
    /// Poses of part a at both ends, in the common frame.
    pub a: [Pose; 2],
    /// Poses of part b.
    pub b: [Pose; 2],
    /// Bulge of part a.
    pub bulge_a: Bulge,
    /// Bulge of part b.
    pub bulge_b: Bulge,
    /// Bound on the error of computed positions, metres.
    pub margin: f64,
}

impl View {
    /// Looks at a pair between two moments.
    pub fn new(
        scene: &Scene,
        pair: &PartPair,
        sweeps: &mut Sweeps,
        ends: &mut [&mut Moment; 2],
    ) -> Self {
        let [first, last] = ends;
        let p0 = in_common_frame(scene, pair, first);
        let p1 = in_common_frame(scene, pair, last);
        View {
            a: [p0[0], p1[0]],
            b: [p0[1], p1[1]],
            bulge_a: sweeps.bulge(scene, pair.a, pair.shared, ends),
            bulge_b: if pair.one_sided {
                Bulge::default()
            } else {
                sweeps.bulge(scene, pair.b, pair.shared, ends)
            },
            margin: sweeps.margin(scene, pair, ends),
        }
    }

    /// A first look at the balls around both parts: their centres' paths stay within the bulges of a straight line.
    /// Parts below the `resolution` are looked at in space at once: splitting time for them would have no end.
    pub fn balls(&self, scene: &Scene, pair: &PartPair, apart: f64, resolution: f64) -> Next {
        let [d0, d1] = [0, 1].map(|i| self.a[i].translation - self.b[i].translation);
        let reach = scene.parts[pair.a].reach + scene.parts[pair.b].reach;
        let bulge = self.bulge_a.base + self.bulge_b.base;
        let need = reach + bulge + apart + self.margin;
        if segment_distance_squared(&d0, &d1) > need * need {
            Next::Apart
        } else if is_time(reach.max(resolution), bulge, (d1 - d0).norm()) {
            Next::SplitTime
        } else {
            Next::SplitSpace
        }
    }
}

/// Squared distance of the origin from the segment between two points.
pub fn segment_distance_squared(from: &Vector3<f64>, to: &Vector3<f64>) -> f64 {
    let u = to - from;
    let uu = u.norm_squared();
    let t = if uu > 1e-200 {
        (-from.dot(&u) / uu).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (from + u * t).norm_squared()
}
