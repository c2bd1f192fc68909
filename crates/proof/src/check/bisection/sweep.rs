//! Parts over an interval: what all pairs of a part share, and a first look from the world.

use nalgebra::Vector3;
use smallvec::SmallVec;

use crate::check::Snapshot;
use crate::check::errors::{CountedElements, ErrorBounds, Levers};
use crate::check::scene::{PartPair, Scene};
use crate::geometry::segment::segment_distance_squared;
use crate::model::{JointId, Tubes};
use crate::motion::{
    AxisDistances, ChainInterval, ChordBound, ChordBounds, JointBounds, value_margin,
};
use crate::numeric::max_or_nan;

/// One part over an interval.
#[derive(Debug, Clone, Default)]
struct SweptPart {
    known: bool,
    /// Bounds on the distance of the part's origin from each axis of its chain, metres.
    axis_distances: AxisDistances,
    /// How far computed positions can be off, metres.
    margin: f64,
    /// The part of it that does not come from the values of joints.
    fixed_margin: f64,
    /// Places of the origin at both ends, world.
    ends: [Vector3<f64>; 2],
    /// Radius of the capsule that the ball around the part sweeps: bounding radius, chord bound and
    /// rounding, metres.
    radius: f64,
    /// Chord bound seen from the world.
    chord_bound: ChordBound,
    /// Chord bounds seen from the frame that the first `k` joints of the chain carry, by `k`;
    /// `None` until asked for.
    beyond: SmallVec<[Option<ChordBound>; 8]>,
    /// How far errors can put its points off, for each kind of pair that has asked: most pairs of a
    /// part are alike.
    deviations: SmallVec<[KnownDeviation; 2]>,
}

/// How far the points of a part can be off by errors.
#[derive(Debug, Clone, Copy)]
struct KnownDeviation {
    /// The elements that count.
    counts: CountedElements,
    /// The multiple of the budget.
    scale: f64,
    bound: ChordBound,
}

/// All parts over one interval; a part is looked at when it is first asked for.
#[derive(Debug, Clone, Default)]
pub struct Sweeps {
    /// How the joints move in the interval.
    pub joint_bounds: JointBounds,
    parts: Vec<SweptPart>,
    /// Whether margins leave out the tubes of joints, because [`Sweeps::deviations`] adds them.
    without_tubes: bool,
}

impl Sweeps {
    /// Sweeps whose margins leave out tubes: [`Sweeps::deviations`] adds them.
    pub fn without_tubes() -> Self {
        Sweeps {
            without_tubes: true,
            ..Self::default()
        }
    }

    /// Forgets the interval before.
    pub fn clear(&mut self, scene: &Scene) {
        self.parts
            .resize_with(scene.parts.len(), SweptPart::default);
        for part in &mut self.parts {
            part.known = false;
        }
    }

    // Every pair asks for both of its parts several times.
    #[inline(always)]
    fn part(&mut self, scene: &Scene, part: usize, ends: &mut [&mut Snapshot; 2]) -> &SweptPart {
        if !self.parts[part].known {
            self.look_at(scene, part, ends);
        }
        &self.parts[part]
    }

    /// Looks at a part that nobody asked for in this interval yet.
    #[inline(never)]
    fn look_at(&mut self, scene: &Scene, part: usize, ends: &mut [&mut Snapshot; 2]) {
        let sweep = &mut self.parts[part];
        sweep.known = true;
        sweep.beyond.clear();
        sweep.deviations.clear();
        let what = &scene.parts[part];
        let chain = scene.chains.of(what.joint);
        sweep.margin = 0.0;
        for (snapshot, end) in ends.iter_mut().zip(&mut sweep.ends) {
            *end = snapshot.part(scene, part).pose.translation;
            sweep.margin = max_or_nan(sweep.margin, snapshot.fixed_margin(scene, part));
        }
        sweep.fixed_margin = sweep.margin;
        if chain.is_empty() {
            sweep.axis_distances.clear();
            sweep.chord_bound = ChordBound::default();
            sweep.radius = what.bounding_radius + sweep.margin;
            return;
        }
        let [first, last] = ends;
        let interval = ChainInterval {
            chains: &scene.chains,
            chain,
            joint_bounds: &self.joint_bounds,
        };
        let at_ends = [
            &first.part(scene, part).axis_distances[..],
            &last.part(scene, part).axis_distances[..],
        ];
        interval.axis_distances(at_ends, &mut sweep.axis_distances);
        // `rounding` is the same at both ends and between them, and the distances are bounds for
        // the whole interval.
        let without_tubes = self.without_tubes;
        let rounding = |joint| value_rounding(without_tubes, first, joint);
        let (chains, distances) = (&scene.chains, &sweep.axis_distances);
        sweep.margin += value_margin(chains, chain, rounding, distances, what.bounding_radius);
        let chord_bounds = interval.chord_bounds(0, &sweep.axis_distances);
        sweep.chord_bound = chord_bounds.tighter(what.bounding_radius);
        // The ball turns with the part, so only the path of its centre counts.
        sweep.radius = what.bounding_radius + chord_bounds.tighter(0.0).base + sweep.margin;
    }

    /// Chord bound of a part seen from the frame that the first `shared` joints of its chain carry.
    pub fn chord_bound(
        &mut self,
        scene: &Scene,
        part: usize,
        shared: usize,
        ends: &mut [&mut Snapshot; 2],
    ) -> ChordBound {
        let in_world = self.part(scene, part, ends).chord_bound;
        if shared == 0 {
            return in_world;
        }
        let what = &scene.parts[part];
        let interval = ChainInterval {
            chains: &scene.chains,
            chain: scene.chains.of(what.joint),
            joint_bounds: &self.joint_bounds,
        };
        let sweep = &mut self.parts[part];
        if sweep.beyond.len() <= shared {
            let longest = interval.chain.len().max(shared);
            sweep.beyond.resize(longest + 1, None);
        }
        *sweep.beyond[shared].get_or_insert_with(|| {
            interval.chord_bound(shared, &sweep.axis_distances, what.bounding_radius)
        })
    }

    /// Chord bound of a part that stands in the frame before a joint, seen from the joint's moving
    /// frame: seen from there it turns about this joint alone.
    pub fn chord_bound_about(
        &self,
        scene: &Scene,
        joint: JointId,
        part: usize,
        ends: &mut [&mut Snapshot; 2],
    ) -> ChordBound {
        let distances = [0, 1].map(|end: usize| {
            let origin = ends[end].part(scene, part).pose.translation;
            ends[end].instant().axis_distance(joint, &origin)
        });
        // Both are the same but for rounding.
        let distance = distances[0].max(distances[1]) * (1.0 + 1e-9) + 1e-12;
        let radius = scene.parts[part].bounding_radius;
        ChordBounds::about(&scene.chains, joint, &self.joint_bounds, distance).tighter(radius)
    }

    /// How far the value of a joint can be off at an instant, without what
    /// [`Sweeps::deviations`] is asked for, radians or metres.
    pub fn value_rounding(&self, snapshot: &Snapshot, joint: JointId) -> f64 {
        value_rounding(self.without_tubes, snapshot, joint)
    }

    /// Chord bound of a part seen from the world.
    pub fn chord_bound_in_world(
        &mut self,
        scene: &Scene,
        part: usize,
        ends: &mut [&mut Snapshot; 2],
    ) -> ChordBound {
        self.part(scene, part, ends).chord_bound
    }

    /// How far computed positions of a pair can be off, metres.
    pub fn margin(&mut self, scene: &Scene, pair: &PartPair, ends: &mut [&mut Snapshot; 2]) -> f64 {
        self.part(scene, pair.a, ends).margin + self.part(scene, pair.b, ends).margin
    }

    /// How far points of both parts can be off by errors in the interval, seen from the frame that
    /// they share. `tubes` says how far each joint may be off by what the segment states. Within
    /// one interval every call must pass the same errors (except for their scale) and the same
    /// tubes.
    pub fn deviations(
        &mut self,
        errors: &ErrorBounds,
        scene: &Scene,
        pair: &PartPair,
        ends: &mut [&mut Snapshot; 2],
        tubes: &Tubes,
    ) -> [ChordBound; 2] {
        let counts = errors.counted_elements(pair);
        [pair.a, pair.b].map(|part| self.deviation((errors, tubes), scene, (part, counts), ends))
    }

    /// How far points of the first part can be off by the errors from a joint of its chain on, seen
    /// from the frame before it; `None` where more than joints would be left out.
    pub fn deviation_from(
        &mut self,
        errors: (&ErrorBounds, &Tubes),
        scene: &Scene,
        pair: &PartPair,
        joint: usize,
        ends: &mut [&mut Snapshot; 2],
    ) -> Option<ChordBound> {
        let counts = errors.0.counted_elements_from(pair, joint)?;
        Some(self.deviation(errors, scene, (pair.a, counts), ends))
    }

    /// How far points of a part can be off by the errors that count.
    fn deviation(
        &mut self,
        (errors, tubes): (&ErrorBounds, &Tubes),
        scene: &Scene,
        (part, counts): (usize, CountedElements),
        ends: &mut [&mut Snapshot; 2],
    ) -> ChordBound {
        let scale = errors.scale;
        let mut known = self.part(scene, part, ends).deviations.iter();
        let known = known.find(|known| known.counts == counts && known.scale == scale);
        if let Some(known) = known {
            return known.bound;
        }
        let (sweep, what) = (&self.parts[part], &scene.parts[part]);
        let chain = scene.chains.of(what.joint);
        let distances = &sweep.axis_distances;
        // From both ends: what the origin can travel in between counts half.
        let interval = ChainInterval {
            chains: &scene.chains,
            chain,
            joint_bounds: &self.joint_bounds,
        };
        let travel = interval.travel(0, distances, 0.0);
        let root = errors.root_origin(part);
        let [from, to] = sweep.ends.map(|end| (end - root).norm());
        // The tool's point likewise: only joints beyond it move the part against it.
        let shared = counts.from_joint;
        let tool = tubes.tool_on(chain, shared).map_or(0.0, |(_, _, last)| {
            let [first, second] = [0, 1]
                .map(|k| errors.tool_distance((part, shared), ends[k], &sweep.ends[k], tubes));
            let beyond = interval.travel(last + 1, distances, 0.0);
            0.5 * (first + second + beyond)
        });
        let levers = Levers {
            axis_distances: distances,
            root: 0.5 * (from + to + travel),
            rounding: sweep.fixed_margin,
            tool,
            tubes,
        };
        let bound = errors.deviation(counts, part, &levers);
        self.parts[part].deviations.push(KnownDeviation {
            counts,
            scale,
            bound,
        });
        bound
    }

    /// Whether the two parts are farther apart than a threshold during the whole interval, judged
    /// by the capsules that the balls around them sweep.
    #[inline(always)]
    pub fn are_separated(
        &mut self,
        scene: &Scene,
        pair: &PartPair,
        ends: &mut [&mut Snapshot; 2],
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

fn value_rounding(without_tubes: bool, snapshot: &Snapshot, joint: JointId) -> f64 {
    if without_tubes {
        snapshot.instant().value_rounding_without_tube(joint)
    } else {
        snapshot.instant().value_rounding(joint)
    }
}

#[cfg(test)]
mod tests;
