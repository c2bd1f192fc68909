//! Which pairs of parts a search must look at: those that the range-of-motion hulls cannot tell
//! apart over an interval of the motion.
//!
//! The hulls are built for the values that the joints really take (the range of the polynomials,
//! not of their ends), first over all segments, then over halves, quarters and so on: what is told
//! apart over an interval is looked at in none of its segments. What is saved are first looks at
//! whole parts, which is most of the work in a cell of many bodies that are far from one another.

use std::ops::Range;

use smallvec::SmallVec;

use crate::check::errors::{CountedElements, ErrorBounds};
use crate::check::scene::Scene;
use crate::model::Trajectory;
use crate::motion::JointRange;
use crate::pairs::range_of_motion::{Candidate, PlacedShape, SweptBallsByJoint, ranges_of};

/// Intervals of fewer segments are not looked at: there the search's own first look is as cheap.
const FEWEST: usize = 3;

/// A visitor that is told which pairs may come within their thresholds, segment by segment.
pub(super) trait SegmentVisitor {
    /// Takes the pairs of a segment; segments come in order. Returns whether more is wanted.
    fn visit(&mut self, index: usize, pairs: &[usize]) -> bool;

    /// The threshold that holds for a pair of bodies from here on, metres, where it is not that of
    /// the scene. It may fall from one segment to the next but never rise: pairs are proved apart
    /// over many segments at once.
    fn threshold(&self, pair: usize) -> f64;
}

/// Pairs of parts along a motion.
pub(super) struct PairFilter<'s> {
    scene: &'s Scene<'s>,
    shapes: Vec<PlacedShape<'s>>,
    candidates: Vec<Candidate>,
    /// Per segment and joint, from the segment `first` on.
    ranges: Vec<JointRange>,
    first: usize,
    swept: SweptBallsByJoint,
    /// Errors that are allowed for.
    errors: Option<&'s ErrorBounds<'s>>,
    /// Pairs of bodies that are told apart over all segments that were visited, in order.
    pub proved_separated: Vec<usize>,
}

impl<'s> PairFilter<'s> {
    pub fn new(scene: &'s Scene<'s>, errors: Option<&'s ErrorBounds<'s>>) -> Self {
        let shapes = scene.placed_shapes();
        PairFilter {
            swept: SweptBallsByJoint::new(&scene.chains, &shapes),
            shapes,
            candidates: scene.candidates(),
            ranges: Vec::new(),
            first: 0,
            scene,
            errors,
            proved_separated: Vec::new(),
        }
    }

    /// Tells every one of these segments in order, with the pairs that may come within their
    /// thresholds there, until no more is wanted. `begins`: whether a search begins there.
    pub fn visit(
        &mut self,
        trajectory: &Trajectory,
        segments: Range<usize>,
        begins: bool,
        visitor: &mut dyn SegmentVisitor,
    ) {
        let all: Vec<usize> = (0..self.candidates.len()).collect();
        let mut rest = segments.clone();
        // Programs that hit something at once are common enough: they need no hulls.
        if begins || segments.len() == 1 {
            if !visitor.visit(segments.start, &all) || segments.len() == 1 {
                return;
            }
            rest.start += 1;
        }
        self.first = segments.start;
        self.ranges.clear();
        let here = trajectory.segments[segments.clone()].iter();
        self.ranges.extend(here.flat_map(ranges_of));
        let near = self.near(segments, &all, visitor);
        let near_bodies = self.bodies(&near);
        self.proved_separated = self.bodies(&all);
        self.proved_separated
            .retain(|pair| near_bodies.binary_search(pair).is_err());
        self.halves(rest, near, visitor);
    }

    fn halves(
        &mut self,
        interval: Range<usize>,
        pairs: Vec<usize>,
        visitor: &mut dyn SegmentVisitor,
    ) -> bool {
        if interval.len() == 1 {
            return visitor.visit(interval.start, &pairs);
        }
        let middle = interval.start + interval.len() / 2;
        [interval.start..middle, middle..interval.end]
            .into_iter()
            .all(|half| {
                let near = if half.len() >= FEWEST {
                    self.near(half.clone(), &pairs, visitor)
                } else {
                    pairs.clone()
                };
                self.halves(half, near, visitor)
            })
    }

    /// The pairs of the list that the hulls over an interval cannot tell apart.
    fn near(
        &mut self,
        interval: Range<usize>,
        pairs: &[usize],
        visitor: &dyn SegmentVisitor,
    ) -> Vec<usize> {
        let joints = self.scene.chains.len();
        let mut ranges = vec![JointRange::EMPTY; joints];
        let [from, to] = [interval.start, interval.end].map(|k| (k - self.first) * joints);
        for here in self.ranges[from..to].chunks_exact(joints.max(1)) {
            for (range, here) in ranges.iter_mut().zip(here) {
                *range = range.with(here);
            }
        }
        let chains = &self.scene.chains;
        self.swept.set(chains, &ranges);
        let mut near = Vec::with_capacity(pairs.len());
        // Most pairs of a part ask for the same.
        let mut known: Vec<SmallVec<[(CountedElements, f64); 2]>> = Vec::new();
        if self.errors.is_some() {
            known.resize(self.shapes.len(), SmallVec::new());
        }
        for &pair in pairs {
            let threshold = visitor.threshold(self.scene.part_pairs[pair].pair);
            let candidate = &self.candidates[pair];
            let least = self.swept.least(chains, &self.shapes, candidate);
            let deviation = match self.errors {
                Some(errors) if least > threshold => {
                    let part_pair = &self.scene.part_pairs[pair];
                    let counts = errors.counted_elements(part_pair);
                    [part_pair.a, part_pair.b]
                        .map(|part| {
                            let known = &mut known[part];
                            if let Some((_, deviation)) = known.iter().find(|(of, _)| *of == counts)
                            {
                                return *deviation;
                            }
                            let held = self.swept.in_each_frame(chains, &self.shapes, part);
                            let deviation = errors.deviation_within(counts, part, held);
                            known.push((counts, deviation));
                            deviation
                        })
                        .iter()
                        .sum()
                }
                _ => 0.0,
            };
            // A NaN proves nothing: the comparison is false.
            let separated = least > threshold + deviation;
            if !separated {
                near.push(pair);
            }
        }
        near
    }

    /// Body pairs of a list of part pairs, in order.
    fn bodies(&self, pairs: &[usize]) -> Vec<usize> {
        let of = |&p: &usize| self.scene.part_pairs[p].pair;
        let mut bodies: Vec<usize> = pairs.iter().map(of).collect();
        bodies.dedup();
        bodies
    }
}

#[cfg(test)]
mod tests;
