//! Intervals of a segment that are halved, with bounds of the distances of pairs at both ends.

use clearance_proof::check::Snapshot;
use clearance_proof::check::Travels;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Segment;

/// Halvings after which numbers no longer change.
pub(crate) const DEEPEST: u32 = 48;

/// A pair, and lower bounds of its distance at both ends of an interval, metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndDistances {
    pub(crate) pair: usize,
    pub(crate) ends: [f64; 2],
}

/// An interval of a segment, with the pairs that are open in it.
pub(crate) struct OpenInterval<'s> {
    scene: &'s Scene<'s>,
    pub(crate) segment: &'s Segment,
    ends: [Snapshot; 2],
    pub(crate) pairs: Vec<EndDistances>,
    /// How often the segment was halved.
    pub(crate) depth: u32,
}

impl<'s> OpenInterval<'s> {
    /// A whole segment. `distances` bounds a pair's distances at both ends; what is farther than
    /// the travel (the last argument, metres) needs, is not asked for. `None`: the time is spent,
    /// and no further pair is looked at.
    pub(crate) fn whole(
        scene: &'s Scene<'s>,
        segment: &'s Segment,
        mut distances: impl FnMut(usize, &mut [Snapshot; 2], f64) -> Option<[f64; 2]>,
    ) -> Self {
        let mut ends = [Snapshot::default(), Snapshot::default()];
        ends[0].set(scene, segment, 0.0);
        ends[1].set(scene, segment, 1.0);
        let mut whole = Self {
            scene,
            segment,
            ends,
            pairs: Vec::with_capacity(scene.pairs.len()),
            depth: 0,
        };
        let mut travels = whole.travels();
        for pair in 0..scene.pairs.len() {
            let travel = whole.travel(pair, &mut travels);
            let Some(ends) = distances(pair, &mut whole.ends, travel) else {
                break;
            };
            whole.pairs.push(EndDistances { pair, ends });
        }
        whole
    }

    /// Both ends, as shares of the segment.
    pub(crate) fn shares(&self) -> [f64; 2] {
        [self.ends[0].s(), self.ends[1].s()]
    }

    /// For [`OpenInterval::travel`] in this interval.
    pub(crate) fn travels(&self) -> Travels {
        let [from, to] = self.shares();
        let mut travels = Travels::default();
        travels.set(self.scene, self.segment, from, to);
        travels
    }

    /// The farthest that any part of the one body can move against any of the other, metres.
    pub(crate) fn travel(&mut self, pair: usize, travels: &mut Travels) -> f64 {
        let parts = &self.scene.part_pairs[self.scene.part_pairs_of(pair)];
        let travel = parts
            .iter()
            .map(|p| travels.there_and_on(self.scene, p, &mut self.ends));
        // `f64::max` would go on with the others where one is no number.
        travel.fold(0.0, |most: f64, of_part| {
            if most.is_nan() || most > of_part {
                most
            } else {
                of_part
            }
        })
    }

    /// Both halves with the pairs that are still open, each with its travel. `distance` bounds a
    /// pair's distance in the middle.
    pub(crate) fn halved(
        self,
        open: Vec<(EndDistances, f64)>,
        mut distance: impl FnMut(usize, &mut Snapshot, f64) -> f64,
    ) -> [Self; 2] {
        let [from, to] = self.shares();
        let mut middle = Snapshot::default();
        middle.set(self.scene, self.segment, 0.5 * (from + to));
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (EndDistances { pair, ends }, travel) in open {
            let here = distance(pair, &mut middle, travel);
            let (first, last) = ([ends[0], here], [here, ends[1]]);
            before.push(EndDistances { pair, ends: first });
            after.push(EndDistances { pair, ends: last });
        }
        let half = |ends, pairs| Self {
            ends,
            pairs,
            depth: self.depth + 1,
            ..self
        };
        let [first, last] = self.ends;
        [
            half([first, middle.clone()], before),
            half([middle, last], after),
        ]
    }
}
