//! Parts over an interval: what all pairs of a part share, and a first look from the world.

use nalgebra::Vector3;

use super::view::segment_distance_squared;
use crate::check::Moment;
use crate::check::scene::{PartPair, Scene};
use crate::motion::{AxisDistances, Bulge, Stroke, value_margin};

/// One part over an interval.
#[derive(Debug, Clone, Default)]
struct Sweep {
    known: bool,
    /// Bounds on the distance of the part's origin from each axis of its chain, metres.
    axis_distances: AxisDistances,
    /// How far computed positions can be off, metres.
    margin: f64,
    /// Places of the origin at both ends, world.
    ends: [Vector3<f64>; 2],
    /// Radius of the capsule that the ball around the part sweeps: reach, bulge and rounding, metres.
    radius: f64,
    /// Bulge seen from the world.
    bulge: Bulge,
}

/// All parts over one interval; a part is looked at when it is first asked for.
#[derive(Debug, Clone, Default)]
pub struct Sweeps {
    /// What the joints do in the interval.
    pub stroke: Stroke,
    parts: Vec<Sweep>,
}

impl Sweeps {
    /// Forgets the interval before.
    pub fn clear(&mut self, scene: &Scene) {
        self.parts.resize_with(scene.parts.len(), Sweep::default);
        for part in &mut self.parts {
            part.known = false;
        }
    }

    fn part(&mut self, scene: &Scene, part: usize, ends: &mut [&mut Moment; 2]) -> &Sweep {
        let sweep = &mut self.parts[part];
        if !sweep.known {
            sweep.known = true;
            let what = &scene.parts[part];
            let chain = scene.chains.of(what.joint);
            sweep.margin = 0.0;
            for (moment, end) in ends.iter_mut().zip(&mut sweep.ends) {
                *end = moment.part(scene, part).pose.translation;
                sweep.margin = sweep.margin.max(moment.fixed_margin(scene, part));
            }
            if chain.is_empty() {
                sweep.axis_distances.clear();
                sweep.bulge = Bulge::default();
                sweep.radius = what.reach + sweep.margin;
                return &self.parts[part];
            }
            let [first, last] = ends;
            Bulge::axis_distances(
                &scene.chains,
                chain,
                &self.stroke,
                &first.part(scene, part).axis_distances,
                &last.part(scene, part).axis_distances,
                &mut sweep.axis_distances,
            );
            // At both ends the same, and between them too: the distances are bounds for the whole interval.
            let off = |joint| first.instant().value_rounding(joint);
            let (chains, distances) = (&scene.chains, &sweep.axis_distances);
            sweep.margin += value_margin(chains, chain, off, distances, what.reach);
            let bulges =
                Bulge::both_beyond(&scene.chains, chain, 0, &self.stroke, &sweep.axis_distances);
            sweep.bulge = bulges.tighter(what.reach);
            // Only the part's origin is followed: its ball turns with it.
            sweep.radius = what.reach + bulges.tighter(0.0).base + sweep.margin;
        }
        &self.parts[part]
    }

    /// Bulge of a part seen from the frame that the first `shared` joints of its chain carry.
    pub fn bulge(
        &mut self,
        scene: &Scene,
        part: usize,
        shared: usize,
        ends: &mut [&mut Moment; 2],
    ) -> Bulge {
        self.part(scene, part, ends);
        let what = &scene.parts[part];
        let chain = scene.chains.of(what.joint);
        let distances = &self.parts[part].axis_distances;
        Bulge::beyond(
            &scene.chains,
            chain,
            shared,
            &self.stroke,
            distances,
            what.reach,
        )
    }

    /// Bulge of a part seen from the world.
    pub fn bulge_in_world(
        &mut self,
        scene: &Scene,
        part: usize,
        ends: &mut [&mut Moment; 2],
    ) -> Bulge {
        self.part(scene, part, ends).bulge
    }

    /// How far computed positions of a pair can be off, metres.
    pub fn margin(&mut self, scene: &Scene, pair: &PartPair, ends: &mut [&mut Moment; 2]) -> f64 {
        self.part(scene, pair.a, ends).margin + self.part(scene, pair.b, ends).margin
    }

    /// Whether the two parts are farther apart than a threshold during the whole interval, judged by the capsules that
    /// the balls around them sweep.
    pub fn apart(
        &mut self,
        scene: &Scene,
        pair: &PartPair,
        ends: &mut [&mut Moment; 2],
        threshold: f64,
    ) -> bool {
        self.part(scene, pair.a, ends);
        self.part(scene, pair.b, ends);
        let (a, b) = (&self.parts[pair.a], &self.parts[pair.b]);
        let (d0, d1) = (a.ends[0] - b.ends[0], a.ends[1] - b.ends[1]);
        let need = a.radius + b.radius + threshold;
        // The margins in the radii are thousands of times what this line rounds.
        segment_distance_squared(&d0, &d1) > need * need
    }
}
