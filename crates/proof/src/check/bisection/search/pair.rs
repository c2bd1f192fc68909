//! One pair of parts in one interval: whole parts, then nodes of their trees, then triangles.

use super::IntervalSearch;
use super::interval::{Interval, Leaves, contact_distance};
use super::middle::AtMiddle;
use super::nodes::KnownNodes;
use crate::bvh::Node;
use crate::check::bisection::front::{Front, FrontEntry};
use crate::check::bisection::goal::Goal;
use crate::check::bisection::kernel::Kernel;
use crate::check::bisection::next_step::NextStep;
use crate::check::bisection::plane::PlaneTest;
use crate::check::bisection::view::{View, WholeParts};
use crate::check::errors::ErrorBounds;
use crate::check::scene::PartPair;
use crate::model::Tubes;

/// A body pair with this many unresolved node pairs gains more from a shorter interval than from
/// more nodes.
const CROWDED: usize = 48;

/// So does a pair with this many node pairs at one level of the trees, if that is also `GROWTH`
/// times the number it began with. Without the second condition an interval that begins with many
/// would never be split in space.
const GROWN: usize = 64;
const GROWTH: usize = 4;

/// So few pairs of nodes that come of others are split once more before they are tested: their
/// children fit into the lanes of one test, which costs hardly more than a test of them alone.
const FEW: usize = 8;

impl IntervalSearch<'_> {
    /// Whether least distances are asked for of pairs one by one.
    fn one_by_one(&self) -> bool {
        self.least.as_ref().is_some_and(|l| l.within.is_some())
    }

    /// Whether the balls around two whole parts tell them apart in an interval, without errors.
    #[inline(always)]
    pub(super) fn balls_are_separated(&mut self, interval: &Interval, part_pair: usize) -> bool {
        let scene = self.scene;
        let pair = &scene.part_pairs[part_pair];
        let clearance = match self.threshold(pair.pair) {
            Some(clearance) if clearance.is_finite() => clearance,
            _ => return false,
        };
        let mut ends = self
            .snapshots
            .get_disjoint_mut(interval.ends)
            .expect("an interval has two different ends");
        let threshold = clearance + pair.radii;
        self.sweeps.are_separated(scene, pair, &mut ends, threshold)
    }

    /// Resolves what can be resolved of one pair of parts; the rest goes to `later`. Whether the
    /// balls around the parts are known to overlap is told by `balls_overlap`.
    pub(super) fn test_part_pair(
        &mut self,
        interval: Interval,
        (part_pair, entries): (usize, &[FrontEntry]),
        balls_overlap: bool,
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        let scene = self.scene;
        let pair = &scene.part_pairs[part_pair];
        let Some(clearance) = self.threshold(pair.pair) else {
            return;
        };
        if let (Some(least), false) = (&mut self.least, clearance.is_finite()) {
            // No distance of its class was measured yet, so there is no threshold for it.
            return least.record_bound(pair.pair, 0.0);
        }
        if self.is_touching(pair.pair, &interval) {
            return;
        }
        let roots = matches!(entries, [entry] if entry.is_root());
        let mut seen = None;
        let look = FirstLook {
            clearance,
            roots,
            balls_overlap,
        };
        match self.first_look(&interval, part_pair, &look, &mut seen) {
            NextStep::Separated => return,
            NextStep::SplitTime => return later.push(part_pair, FrontEntry::nodes(0, 0)),
            NextStep::SplitSpace => {}
        }
        let seen = seen.as_ref().expect("what is left open was seen");
        if self.plane_separates(&interval, part_pair, seen) {
            return;
        }
        let (view, required_gap, wide) = (&seen.view, seen.required_gap, seen.wide);
        let (a, b) = (&scene.parts[pair.a], &scene.parts[pair.b]);
        let core_clearance = clearance + pair.radii;
        let mut leaves = Leaves {
            interval,
            part_pair,
            required_gap,
            contact_distance: self.contact_distance(core_clearance, pair, view),
            has_errors: view.has_errors(),
            view,
            at_middle: None,
            recent: self.recent[part_pair],
            direction_in_parts: None,
            ends_touch: None,
        };
        if self.goal == Goal::All && !self.allows() && !interval.is_last() {
            let known = entries.first().filter(|entry| entry.is_triangles());
            match self.at_middle(&mut leaves, known.copied(), middle) {
                AtMiddle::Free => {}
                AtMiddle::Settled => return,
                AtMiddle::Touches(met) => {
                    // These two triangles come first, so that both halves test them first.
                    later.push(part_pair, met);
                    let others = entries
                        .iter()
                        .filter(|other| !other.is_triangles() || other.pair() != met.pair());
                    return others.for_each(|entry| later.push(part_pair, *entry));
                }
            }
        }
        let mut work = std::mem::take(&mut self.work);
        work.clear();
        for entry in entries {
            if entry.is_triangles() {
                self.triangles(&mut leaves, entry, middle, later);
            } else {
                work.push(entry.pair());
            }
        }
        if roots && let [[ia, ib]] = work[..] {
            // The roots themselves have just been looked at.
            let (na, nb) = (&a.tree.nodes[0], &b.tree.nodes[0]);
            if !(na.is_leaf() && nb.is_leaf()) {
                work.clear();
                Node::split_larger([ia, ib], [na, nb], &mut work);
            }
        }
        if !work.is_empty() {
            let grown = if self.one_by_one() {
                // Proofs about far pairs come from small nodes, not from short intervals.
                usize::MAX
            } else {
                GROWN.max(GROWTH * entries.len())
            };
            let descent = Descent { wide, grown };
            self.descend(&mut leaves, &descent, &mut work, middle, later);
        }
        self.recent[part_pair] = leaves.recent;
        self.work = work;
    }

    /// The core distance up to which two parts with this core clearance count as touching, metres.
    #[inline]
    fn contact_distance(&self, core_clearance: f64, pair: &PartPair, view: &View) -> f64 {
        let distance = contact_distance(core_clearance, view.margin, self.resolution);
        if self.allows() {
            return distance;
        }
        // A tube narrower than the resolution is no reason to call a contact undecided. With a
        // wider tube, only what touches wherever the motion is in the tube counts as contact.
        let radii = [pair.a, pair.b].map(|part| self.scene.parts[part].bounding_radius);
        let deviation = view.deviations[0].at(radii[0]) + view.deviations[1].at(radii[1]);
        let counts = deviation > self.resolution;
        distance - if counts { deviation } else { 0.0 }
    }

    /// Looks at two whole parts in an interval. What is to be looked at more closely is left in
    /// `seen`: it is large, and returning it would copy it.
    #[inline]
    fn first_look(
        &mut self,
        interval: &Interval,
        part_pair: usize,
        look: &FirstLook,
        seen: &mut Option<SeenPair>,
    ) -> NextStep {
        let scene = self.scene;
        let FirstLook {
            clearance,
            roots,
            balls_overlap,
        } = *look;
        let pair = &scene.part_pairs[part_pair];
        let mut ends = self
            .snapshots
            .get_disjoint_mut(interval.ends)
            .expect("an interval has two different ends");
        let errors = counted_errors(&self.tubes, &self.errors, &self.no_errors);
        let deviations = errors.map(|errors| {
            self.sweeps
                .deviations(errors, scene, pair, &mut ends, &self.tubes)
        });
        let deviation_of_origins = deviations.map_or(0.0, |[a, b]| a.base + b.base);
        let threshold = clearance + pair.radii + deviation_of_origins;
        if roots && !balls_overlap && self.sweeps.are_separated(scene, pair, &mut ends, threshold) {
            return NextStep::Separated;
        }
        let (a, b) = (&scene.parts[pair.a], &scene.parts[pair.b]);
        let nodes = [&a.tree.nodes[0], &b.tree.nodes[0]];
        let bounding_radii = [a.bounding_radius, b.bounding_radius];
        let known = &mut self.separating[part_pair];
        let in_world = roots && pair.shared == 0;
        if in_world {
            // `are_separated` has tested the balls seen from the world already.
            let mut whole = WholeParts::from_world(scene, pair, &mut self.sweeps, &mut ends);
            whole.deviations = deviations.unwrap_or_default();
            let required_gap = clearance + pair.radii + whole.margin;
            match whole.test_roots(nodes, bounding_radii, required_gap, self.resolution, known) {
                NextStep::SplitSpace => {}
                settled => return settled,
            }
        }
        let mut view = View::new(scene, pair, &mut self.sweeps, &mut ends);
        view.deviations = deviations.unwrap_or_default();
        let required_gap = clearance + pair.radii + view.margin;
        if roots && !in_world {
            if view.balls_are_separated(bounding_radii, required_gap) {
                return NextStep::Separated;
            }
            let whole = view.whole_parts();
            match whole.test_roots(nodes, bounding_radii, required_gap, self.resolution, known) {
                NextStep::SplitSpace => {}
                settled => return settled,
            }
        }
        let wide = view.has_wide_errors(bounding_radii);
        *seen = Some(SeenPair {
            view,
            required_gap,
            wide,
        });
        NextStep::SplitSpace
    }

    /// Whether one plane keeps two whole parts apart that a first look has left open.
    ///
    /// Where triangles of the two came near before, one plane often separates the whole parts.
    /// Where errors are wide, trying a plane costs less than testing pairs of nodes.
    #[inline]
    fn plane_separates(&mut self, interval: &Interval, part_pair: usize, seen: &SeenPair) -> bool {
        let SeenPair {
            view,
            required_gap,
            wide,
        } = seen;
        let recent = self.recent[part_pair].as_ref();
        if !(recent.is_some() || *wide) || !self.planes[part_pair].are_worthwhile() {
            return false;
        }
        let (scene, pair) = (self.scene, &self.scene.part_pairs[part_pair]);
        let mut ends = self
            .snapshots
            .get_disjoint_mut(interval.ends)
            .expect("an interval has two different ends");
        let errors = counted_errors(&self.tubes, &self.errors, &self.no_errors);
        let allowed = errors.map(|errors| (errors, &self.tubes));
        let sides = PlaneTest::new(scene, pair, view, &mut self.sweeps, &mut ends, allowed);
        let tests = &mut self.statistics.distance_tests;
        let axes = sides.along_axes().filter(|_| *wide);
        self.planes[part_pair].separate(&sides, view, (recent, axes), *required_gap, tests)
    }

    /// Descends from pairs of nodes, which are `work`, to pairs of leaves, level by level; what is
    /// to wait for a shorter interval goes to `later`.
    #[inline]
    fn descend(
        &mut self,
        leaves: &mut Leaves,
        descent: &Descent,
        work: &mut Vec<[u32; 2]>,
        middle: &mut Option<usize>,
        later: &mut Front,
    ) {
        let scene = self.scene;
        let (interval, part_pair) = (leaves.interval, leaves.part_pair);
        let pair = &scene.part_pairs[part_pair];
        let (a, b) = (&scene.parts[pair.a], &scene.parts[pair.b]);
        let nodes = [&a.tree.nodes[..], &b.tree.nodes[..]];
        // A large distance is proved only along the direction of the closest points; a small one
        // also along the axes of the parts.
        let known = leaves.recent.filter(|_| self.least.is_some());
        let bounding_radii = a.bounding_radius + b.bounding_radius;
        let mut proves = leaves.required_gap;
        let mut kernel = Kernel::new(leaves.view, pair.one_sided, proves, bounding_radii, known);
        kernel.lanes = scene.lanes;
        let mut next_work = std::mem::take(&mut self.next_work);
        let mut answers = std::mem::take(&mut self.answers);
        let waiting_before = later.entries.len();
        let mut known_nodes = KnownNodes::default();
        while !work.is_empty() {
            if scene.time_limit.is_exceeded() {
                let left = work.drain(..);
                left.for_each(|[ia, ib]| later.push(part_pair, FrontEntry::nodes(ia, ib)));
                break;
            }
            if leaves.required_gap < proves {
                // A distance that was seen in it has lowered the threshold.
                proves = leaves.required_gap;
                kernel.set_required_gap(proves);
            }
            answers.clear();
            kernel.test(nodes, work, &mut answers);
            self.statistics.distance_tests += work.len() as u64;
            next_work.clear();
            for (&[ia, ib], &next) in work.iter().zip(&answers) {
                let (na, nb) = (&nodes[0][ia as usize], &nodes[1][ib as usize]);
                if next == NextStep::Separated {
                    continue;
                }
                if descent.wide
                    && self.nodes_are_separated(leaves, [ia, ib], &mut known_nodes, middle)
                {
                    continue;
                }
                if na.is_leaf() && nb.is_leaf() {
                    self.leaf_nodes(leaves, na, nb, middle, later);
                } else if next == NextStep::SplitTime
                    || self.too_late(&interval, interval.middle())
                    || later.entries.len() - waiting_before > CROWDED
                    || next_work.len() > descent.grown
                {
                    later.push(part_pair, FrontEntry::nodes(ia, ib));
                } else {
                    Node::split_larger([ia, ib], [na, nb], &mut next_work);
                }
            }
            std::mem::swap(work, &mut next_work);
            if !descent.wide && !work.is_empty() && work.len() <= FEW {
                split_all(work, nodes, &mut next_work);
                std::mem::swap(work, &mut next_work);
            }
        }
        self.next_work = next_work;
        self.answers = answers;
    }
}

/// The errors that count in a segment with these tubes: those that the search allows for, else the
/// tubes alone.
fn counted_errors<'e, 's>(
    tubes: &Tubes,
    errors: &'e Option<ErrorBounds<'s>>,
    no_errors: &'e Option<ErrorBounds<'s>>,
) -> Option<&'e ErrorBounds<'s>> {
    if tubes.is_empty() {
        errors.as_ref()
    } else {
        errors.as_ref().or(no_errors.as_ref())
    }
}

/// Splits each pair of nodes once; pairs of leaves stay.
pub(super) fn split_all(pairs: &[[u32; 2]], nodes: [&[Node]; 2], out: &mut Vec<[u32; 2]>) {
    out.clear();
    for &[ia, ib] in pairs {
        let (na, nb) = (&nodes[0][ia as usize], &nodes[1][ib as usize]);
        if na.is_leaf() && nb.is_leaf() {
            out.push([ia, ib]);
        } else {
            Node::split_larger([ia, ib], [na, nb], out);
        }
    }
}

/// A pair of parts whose nodes are to be looked at in an interval.
struct SeenPair {
    view: View,
    /// Points that are farther apart, at the ends of the interval and chord bounds taken off, are
    /// farther apart than the threshold.
    required_gap: f64,
    /// Errors are wide beside the parts and their motion.
    wide: bool,
}

/// What is known of a pair that is looked at.
struct FirstLook {
    /// Its threshold, metres.
    clearance: f64,
    /// Nothing closer is known of it than its whole parts.
    roots: bool,
    /// The balls around these do not tell them apart.
    balls_overlap: bool,
}

/// How two trees are descended.
struct Descent {
    /// Errors are wide: what the kernel leaves is looked at once more.
    wide: bool,
    /// Pairs of nodes at one level, above which all others wait.
    grown: usize,
}
