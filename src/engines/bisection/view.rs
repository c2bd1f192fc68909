//! One pair of parts in one interval: poses in a common frame at both ends, and what can happen between them.

use crate::engines::Moment;
use crate::engines::scene::{PartPair, Scene};
use crate::motion::{Bulge, Pose, Stroke};

/// Rounding of positions, relative to the size of the numbers: a chain of up to 100 joints with a few dozen roundings
/// each, 2⁻⁵³ a rounding.
const POSITION_ROUNDING: f64 = 4096.0 * f64::EPSILON;

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

/// How far computed positions of a pair can be off, metres: an a-priori bound from the size of the numbers.
///
/// Positions pass through the joints and the world, so a cell far from the world's origin is rounded more.
pub fn position_margin(scene: &Scene, pair: &PartPair, moment: &mut Moment) -> f64 {
    let mut size = moment.instant().size;
    for part in [pair.a, pair.b] {
        let what = &scene.parts[part];
        size += moment.part(scene, part).pose.translation.norm() + what.offset + what.reach;
    }
    POSITION_ROUNDING * size
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

/// Working memory for views.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    axis_distances: Vec<f64>,
}

impl View {
    /// Looks at a pair between two moments.
    pub fn new(
        scene: &Scene,
        pair: &PartPair,
        stroke: &Stroke,
        ends: [&mut Moment; 2],
        scratch: &mut Scratch,
    ) -> Self {
        let [first, last] = ends;
        let p0 = in_common_frame(scene, pair, first);
        let p1 = in_common_frame(scene, pair, last);
        let margin = position_margin(scene, pair, first).max(position_margin(scene, pair, last));
        let mut bulge = |part: usize| {
            let chain = scene.chains.of(scene.parts[part].joint);
            if stroke.is_still(&chain[pair.shared..]) {
                return Bulge::default();
            }
            Bulge::axis_distances(
                &scene.chains,
                chain,
                stroke,
                &first.part(scene, part).axis_distances,
                &last.part(scene, part).axis_distances,
                &mut scratch.axis_distances,
            );
            Bulge::beyond(
                &scene.chains,
                chain,
                pair.shared,
                stroke,
                &scratch.axis_distances,
                scene.parts[part].reach,
            )
        };
        View {
            a: [p0[0], p1[0]],
            b: [p0[1], p1[1]],
            bulge_a: bulge(pair.a),
            bulge_b: if pair.one_sided {
                Bulge::default()
            } else {
                bulge(pair.b)
            },
            margin,
        }
    }
}
