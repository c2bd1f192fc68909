//! How far the parts of a pair can move against each other in an interval (max travel): a bound of first order.

use crate::check::Snapshot;
use crate::check::scene::{PartPair, Scene};
use crate::model::Segment;
use crate::motion::{AxisDistances, ChordBound, JointBounds, value_margin};

/// Bounds for one interval; parts are looked at when they are first asked for.
#[derive(Debug, Clone, Default)]
pub struct Travels {
    joint_bounds: JointBounds,
    /// Per part: bounds of its distances from the axes of its chain.
    axes: Vec<Option<AxisDistances>>,
}

impl Travels {
    /// Moves on to the interval [s0, s1] of a segment.
    pub fn set(&mut self, scene: &Scene, segment: &Segment, s0: f64, s1: f64) {
        self.joint_bounds.set(segment, s0, s1);
        self.axes.clear();
        self.axes.resize(scene.parts.len(), None);
    }

    /// The farthest that any point of the one part can move against the other one, metres. `ends` are the interval's.
    pub fn pair(&mut self, scene: &Scene, pair: &PartPair, ends: &mut [Snapshot; 2]) -> f64 {
        self.part(scene, pair.a, pair.shared, ends) + self.part(scene, pair.b, pair.shared, ends)
    }

    /// The farthest that any point of a part can move against the frame of the joint that ends the first `shared` ones of its
    /// chain (0: the world), metres.
    pub fn part(
        &mut self,
        scene: &Scene,
        part: usize,
        shared: usize,
        ends: &mut [Snapshot; 2],
    ) -> f64 {
        let what = &scene.parts[part];
        let chain = scene.chains.of(what.joint);
        let axes = self.axes[part].get_or_insert_with(|| {
            let [first, last] = ends;
            let rho0 = &first.part(scene, part).axis_distances;
            let rho1 = &last.part(scene, part).axis_distances;
            let mut out = AxisDistances::new();
            ChordBound::axis_distances(
                &scene.chains,
                chain,
                &self.joint_bounds,
                rho0,
                rho1,
                &mut out,
            );
            out
        });
        let travel =
            self.joint_bounds
                .travel(&scene.chains, chain, shared, axes, what.bounding_radius);
        // The motion itself is known up to the rounding of the joints' values, at the first instant and at the last one.
        let off = |joint| ends[0].instant().value_rounding(joint);
        travel + 2.0 * value_margin(&scene.chains, chain, off, axes, what.bounding_radius)
    }
}
