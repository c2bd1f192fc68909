//! One pair of parts in one interval: poses in a common frame at both ends, and what can happen
//! between them.

use nalgebra::Vector3;

use super::next::{Next, is_time};
use super::sweep::Sweeps;
use crate::bvh::Node;
use crate::check::Snapshot;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::pose::Pose;
use crate::geometry::segment::segment_distance_squared;
use crate::motion::ChordBound;

impl PartPair {
    /// Poses of a pair of parts in their common frame: that of part b when it is fixed in the
    /// shared frame, else the shared joint's.
    pub fn in_common_frame(&self, scene: &Scene, snapshot: &mut Snapshot) -> [Pose; 2] {
        if self.one_sided {
            let a = snapshot.part(scene, self.a).pose;
            let b = snapshot.part(scene, self.b).pose;
            return [b.seen(&a), Pose::identity()];
        }
        let shared = scene.shared_joint(self);
        [self.a, self.b].map(|part| snapshot.part_seen_from(scene, shared, part))
    }

    /// The common frame itself.
    pub fn common_frame(&self, scene: &Scene, snapshot: &mut Snapshot) -> Pose {
        if self.one_sided {
            snapshot.part(scene, self.b).pose
        } else {
            snapshot.instant().pose(scene.shared_joint(self))
        }
    }
}

/// A pair of parts in an interval.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Poses of part a at both ends, in the common frame.
    pub a: [Pose; 2],
    /// Poses of part b.
    pub b: [Pose; 2],
    /// ChordBound of part a.
    pub chord_bound_a: ChordBound,
    /// ChordBound of part b.
    pub chord_bound_b: ChordBound,
    /// Bound on the error of computed positions, metres.
    pub margin: f64,
    /// How far points of both parts can be off by errors that are allowed for. The search does not
    /// split an interval for them: they are the same in its halves.
    pub off: [ChordBound; 2],
}

impl View {
    /// Looks at a pair between two moments.
    pub fn new(
        scene: &Scene,
        pair: &PartPair,
        sweeps: &mut Sweeps,
        ends: &mut [&mut Snapshot; 2],
    ) -> Self {
        let [first, last] = ends;
        let p0 = pair.in_common_frame(scene, first);
        let p1 = pair.in_common_frame(scene, last);
        View {
            a: [p0[0], p1[0]],
            b: [p0[1], p1[1]],
            chord_bound_a: sweeps.chord_bound(scene, pair.a, pair.shared, ends),
            chord_bound_b: if pair.one_sided {
                ChordBound::default()
            } else {
                sweeps.chord_bound(scene, pair.b, pair.shared, ends)
            },
            margin: sweeps.margin(scene, pair, ends),
            off: [ChordBound::default(); 2],
        }
    }

    /// The data for a look at the whole parts.
    pub fn whole(&self) -> Whole<'_> {
        Whole {
            poses: [self.a.each_ref(), self.b.each_ref()],
            chord_bounds: [self.chord_bound_a, self.chord_bound_b],
            margin: self.margin,
            off: self.off,
        }
    }

    /// Whether errors are allowed for.
    pub fn is_off(&self) -> bool {
        self.off != [ChordBound::default(); 2]
    }

    /// From the origin of b to that of a, at both ends.
    fn between_origins(&self) -> [Vector3<f64>; 2] {
        [0, 1].map(|end| self.a[end].translation - self.b[end].translation)
    }

    /// Whether the balls around both parts (`bounding_radii`, metres) stay `apart` during the whole
    /// interval.
    pub fn balls_apart(&self, bounding_radii: [f64; 2], apart: f64) -> bool {
        // The centres' paths stay within the chord bounds of a straight line.
        let [d0, d1] = self.between_origins();
        let [off_a, off_b] = self.off;
        let need = bounding_radii[0]
            + bounding_radii[1]
            + self.chord_bound_a.base
            + self.chord_bound_b.base
            + apart
            + (off_a.base + off_b.base);
        segment_distance_squared(&d0, &d1) > need * need
    }
}

/// A pair of whole parts in an interval.
pub(crate) struct Whole<'v> {
    /// Poses of both parts at both ends, in a frame that they share.
    poses: [[&'v Pose; 2]; 2],
    /// Chord bounds of both, seen from there.
    chord_bounds: [ChordBound; 2],
    /// Bound on the error of computed positions, metres.
    pub margin: f64,
    /// As [`View::off`].
    pub off: [ChordBound; 2],
}

impl<'v> Whole<'v> {
    /// Two parts that share no joint, seen from the world: nothing is computed, nor copied, for
    /// the pair alone.
    pub fn from_world(
        scene: &Scene,
        pair: &PartPair,
        sweeps: &mut Sweeps,
        ends: &'v mut [&mut Snapshot; 2],
    ) -> Self {
        let parts = [pair.a, pair.b];
        let chord_bounds = parts.map(|part| sweeps.chord_bound_in_world(scene, part, ends));
        let margin = sweeps.margin(scene, pair, ends);
        // Whoever knows their chord bounds has placed them at both ends.
        let ends = [&*ends[0], &*ends[1]];
        Whole {
            poses: parts.map(|part| ends.map(|end| &end.placed(part).pose)),
            chord_bounds,
            margin,
            off: [ChordBound::default(); 2],
        }
    }

    /// A closer look at the whole parts by the boxes of their `roots` and `bounding_radii` (of
    /// their farthest point from the origin, metres), with `apart` the distance to prove for their
    /// cores, all margins included, metres.
    ///
    /// `known` is the direction along which their boxes were apart last, and is kept up to date:
    /// from interval to interval it mostly serves again. Parts below the `resolution` are looked at
    /// in space at once: splitting time for them would have no end.
    pub fn roots(
        &self,
        roots: [&Node; 2],
        bounding_radii: [f64; 2],
        apart: f64,
        resolution: f64,
        known: &mut Vector3<f64>,
    ) -> Next {
        let [a, b] = &self.poses;
        let [d0, d1] = [0, 1].map(|end| a[end].translation - b[end].translation);
        let both = bounding_radii[0] + bounding_radii[1];
        let chord_bound = self.chord_bounds[0].base + self.chord_bounds[1].base;
        let boxes = Boxes::new(self, roots, bounding_radii, apart);
        if boxes.separated_by(known) {
            return Next::Apart;
        }
        if is_time(both.max(resolution), chord_bound, (d1 - d0).norm()) {
            return Next::SplitTime;
        }
        match boxes.directions().find(|n| boxes.separated_by(n)) {
            Some(n) => {
                *known = n;
                Next::Apart
            }
            None => Next::SplitSpace,
        }
    }
}

/// The boxes around both parts at both ends of the interval.
struct Boxes<'v> {
    poses: &'v [[&'v Pose; 2]; 2],
    /// Half their edges.
    half: [Vector3<f64>; 2],
    /// From the second one's centre to the first one's, at both ends.
    between: [Vector3<f64>; 2],
    /// The gap that is needed between them along a direction, metres.
    need: f64,
}

impl<'v> Boxes<'v> {
    fn new(whole: &'v Whole<'v>, roots: [&Node; 2], bounding_radii: [f64; 2], apart: f64) -> Self {
        let vector = |v: [f32; 3]| Vector3::from(v.map(f64::from));
        let [a, b] = roots.map(|root| vector(root.box_center));
        let [at_a, at_b] = &whole.poses;
        let Whole {
            chord_bounds, off, ..
        } = whole;
        Boxes {
            poses: &whole.poses,
            half: roots.map(|root| vector(root.box_half)),
            between: [0, 1].map(|end| at_a[end].apply(&a) - at_b[end].apply(&b)),
            need: apart
                + chord_bounds[0].at(bounding_radii[0])
                + chord_bounds[1].at(bounding_radii[1])
                + (off[0].at(bounding_radii[0]) + off[1].at(bounding_radii[1])),
        }
    }

    /// Whether the unit direction `n`, from the second part to the first one, separates them during
    /// the whole interval.
    fn separated_by(&self, n: &Vector3<f64>) -> bool {
        let half_width = |pose: &Pose, half: &Vector3<f64>| pose.rotation.tr_mul(n).abs().dot(half);
        (0..2).all(|end| {
            let wide_a = half_width(self.poses[0][end], &self.half[0]);
            let wide_b = half_width(self.poses[1][end], &self.half[1]);
            n.dot(&self.between[end]) - wide_a - wide_b > self.need
        })
    }

    /// Directions worth a try: between the centres, and along the edges of both boxes half-way.
    fn directions(&self) -> impl Iterator<Item = Vector3<f64>> {
        let sum = self.between[0] + self.between[1];
        let edge = |poses: &[&Pose; 2], k: usize| {
            poses[0].rotation.column(k) + poses[1].rotation.column(k)
        };
        let edges = [&self.poses[1], &self.poses[0]]
            .into_iter()
            .flat_map(move |poses| (0..3).map(move |k| edge(poses, k)));
        std::iter::once(sum)
            .chain(edges)
            .filter_map(|n| n.try_normalize(1e-6))
            .map(move |n| if n.dot(&sum) < 0.0 { -n } else { n })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};

    use super::super::cases::{Case, points_below};
    use super::*;
    use crate::check::distance::corners;
    use crate::check::fixture::{Fixture, JOINTS, cube, moved};
    use crate::geometry::random::Random;
    use crate::model::{Off, Segment};

    /// Two bodies on two chains of joints that stand anywhere; the second chain begins at the world
    /// or at a joint of the first one.
    fn branches(r: &mut Random) -> Fixture {
        let mut fixture = Fixture::new();
        for joint in &mut fixture.cell.joints {
            let turn = UnitQuaternion::from_scaled_axis(r.vector() * 2.0);
            let place = Translation3::from(r.vector() * 0.4);
            joint.parent_from_joint = Isometry3::from_parts(place, turn);
        }
        fixture.cell.joints[JOINTS].parent = r.below(4).checked_sub(1);
        for chain in [0, 1] {
            let mesh = moved(cube(0.3), r.vector() * 0.5);
            fixture.carried(Some(chain), &[(mesh, 0.0)], None);
        }
        fixture
    }

    /// Catches the chord bound of either part left out or halved, and joints between the two that
    /// are not counted.
    #[test]
    fn points_stay_within_their_chord_bounds_in_the_common_frame() {
        let mut r = Random(41);
        let mut nearly = [0; 2];
        for case in 0..400 {
            let fixture = branches(&mut r);
            let scene = fixture.scene(0.0);
            let pair = &scene.part_pairs[0];
            assert!(!pair.one_sided, "case {case}");
            // One joint alone mostly: all that is counted of it shows.
            let alone = (!r.one_in(4)).then(|| r.below(2 * JOINTS));
            let reach = r.spread(0.02, 1.0);
            let joints = (0..2 * JOINTS).map(|joint| {
                let mut c = [2.0 * r.signed(), 0.0, 0.0, 0.0, 0.0, 0.0];
                if alone.is_none_or(|alone| alone == joint) {
                    (c[1], c[2]) = (reach * r.signed(), reach * r.signed());
                }
                c
            });
            let segment = Segment {
                start: 0.0,
                end: 1.0,
                joints: joints.collect(),
                off: Off::new(vec![0.0; 2 * JOINTS], Vec::new()),
            };
            let at = |s: f64| {
                let mut snapshot = Snapshot::default();
                snapshot.set(&scene, &segment, s);
                snapshot
            };
            let mut snapshots = [at(0.0), at(1.0)];
            let mut sweeps = Sweeps::default();
            sweeps.clear(&scene);
            sweeps.joint_bounds.set(&segment, 0.0, 1.0);
            let mut ends = snapshots.each_mut();
            let view = View::new(&scene, pair, &mut sweeps, &mut ends);
            for k in 1..16 {
                let t = f64::from(k) / 16.0;
                let now = pair.in_common_frame(&scene, &mut at(t));
                for (side, part, ends, bound) in [
                    (0, pair.a, &view.a, view.chord_bound_a),
                    (1, pair.b, &view.b, view.chord_bound_b),
                ] {
                    let tree = &scene.parts[part].tree;
                    for c in (0..tree.triangles.len()).flat_map(|i| corners(tree, i)) {
                        let chord = ends[0].apply(&c) * (1.0 - t) + ends[1].apply(&c) * t;
                        let off = (now[side].apply(&c) - chord).norm();
                        let bound = bound.at(c.norm());
                        assert!(
                            off <= bound + 1e-12,
                            "case {case}, part {side}: {off} off its chord, {bound} said"
                        );
                        nearly[side] += usize::from(off > 1e-4 && off > 0.8 * bound);
                    }
                }
            }
        }
        // The bounds are not far larger than the greatest deviations from a chord.
        assert!(nearly.iter().all(|&n| n > 100), "{nearly:?}");
    }

    /// Catches a bound, a pose or a margin that is kept from an interval or an instant before, or of
    /// another frame, and a look from the world that leaves something out.
    #[test]
    fn what_is_kept_of_parts_is_what_a_new_look_gives() {
        let mut r = Random(43);
        let (mut shared, mut several, mut in_world) = (0, 0, 0);
        for case in 0..200 {
            let fixture = branches(&mut r);
            let scene = fixture.scene(0.0);
            let pair = &scene.part_pairs[0];
            shared += usize::from(pair.shared > 0);
            let mut sweeps = Sweeps::default();
            let mut snapshots: [Snapshot; 2] = Default::default();
            for interval in [[0.0, 1.0], [0.0, 0.5], [0.5, 1.0], [0.5, 0.6]] {
                let joints =
                    (0..2 * JOINTS).map(|_| [r.signed(), r.signed(), r.signed(), 0.0, 0.0, 0.0]);
                let segment = Segment {
                    start: 0.0,
                    end: 1.0,
                    joints: joints.collect(),
                    off: Off::new(vec![0.0; 2 * JOINTS], Vec::new()),
                };
                let [from, to] = interval;
                let begin = |sweeps: &mut Sweeps, snapshots: &mut [Snapshot; 2]| {
                    sweeps.clear(&scene);
                    sweeps.joint_bounds.set(&segment, from, to);
                    snapshots[0].set(&scene, &segment, from);
                    snapshots[1].set(&scene, &segment, to);
                };
                begin(&mut sweeps, &mut snapshots);
                for _ in 0..12 {
                    let part = [pair.a, pair.b][r.below(2)];
                    let chain = scene.chains.of(scene.parts[part].joint);
                    let beyond = r.below(chain.len() + 1);
                    let (mut new, mut new_snapshots) = (Sweeps::default(), Default::default());
                    begin(&mut new, &mut new_snapshots);
                    let bound = |sweeps: &mut Sweeps, snapshots: &mut [Snapshot; 2]| {
                        sweeps.chord_bound(&scene, part, beyond, &mut snapshots.each_mut())
                    };
                    let (kept, anew) = (
                        bound(&mut sweeps, &mut snapshots),
                        bound(&mut new, &mut new_snapshots),
                    );
                    assert_eq!(
                        kept, anew,
                        "case {case}, part {part} beyond {beyond} joints"
                    );
                    several += usize::from(0 < beyond && kept.slope > 0.0);

                    let joint = r.below(4).checked_sub(1);
                    let poses = [0, 1].map(|end: usize| {
                        let kept = snapshots[end].part_seen_from(&scene, joint, part);
                        let at = new_snapshots[end].part(&scene, part).pose;
                        (kept, new_snapshots[end].joint_pose(joint).seen(&at))
                    });
                    for (kept, anew) in poses {
                        assert_eq!(kept, anew, "case {case}, part {part} from joint {joint:?}");
                    }
                    let margins = [&mut sweeps, &mut new]
                        .into_iter()
                        .zip([&mut snapshots, &mut new_snapshots])
                        .map(|(sweeps, ends)| sweeps.margin(&scene, pair, &mut ends.each_mut()));
                    let margins: Vec<f64> = margins.collect();
                    assert!(margins[0] == margins[1], "case {case}: {margins:?}");
                }
                if pair.shared > 0 {
                    continue;
                }
                let mut ends = snapshots.each_mut();
                let view = View::new(&scene, pair, &mut sweeps, &mut ends);
                let (seen, of_view) = (
                    Whole::from_world(&scene, pair, &mut sweeps, &mut ends),
                    view.whole(),
                );
                assert_eq!(seen.poses, of_view.poses, "case {case}");
                assert_eq!(seen.chord_bounds, of_view.chord_bounds, "case {case}");
                assert!(seen.margin == of_view.margin, "case {case}");
                in_world += 1;
            }
        }
        assert!(
            shared > 50 && several > 1000 && in_world > 100,
            "{shared} {several} {in_world}"
        );
    }

    /// Catches: a direction tried at one end only, a chord bound or a half-width left out, a
    /// remembered direction believed.
    #[test]
    fn parts_that_are_apart_at_a_first_look_never_meet() {
        let mut random = Random(9);
        let (mut proved, mut by_boxes) = (0, 0);
        for case_number in 0..6000 {
            let case = Case::new(&mut random);
            let roots = [0, 1].map(|side| &case.trees[side].nodes[0]);
            let mut points = [Vec::new(), Vec::new()];
            for side in 0..2 {
                points_below(
                    &mut random,
                    &case.trees[side],
                    roots[side],
                    &mut points[side],
                );
            }
            let bounding_radii = [0, 1].map(|side| {
                let far = points[side].iter().map(|p| p.norm());
                far.fold(0.0, f64::max) * (1.0 + 1e-6)
            });
            let nearest = case.nearest(&points);
            let view = case.view();
            for share in [1.0 + 1e-9, 0.8, 0.3] {
                let apart = nearest * share;
                let mut known = random.vector().normalize();
                let first = known;
                let next = if view.balls_apart(bounding_radii, apart) {
                    Next::Apart
                } else {
                    view.whole()
                        .roots(roots, bounding_radii, apart, 0.0, &mut known)
                };
                assert!(
                    share < 1.0 || next != Next::Apart,
                    "case {case_number}: points come to {nearest}, \"apart\" at {apart}"
                );
                proved += usize::from(next == Next::Apart);
                if known != first {
                    by_boxes += 1;
                    let again = view
                        .whole()
                        .roots(roots, bounding_radii, apart, 0.0, &mut known);
                    assert_eq!(again, Next::Apart, "a direction that was kept serves again");
                }
            }
        }
        assert!(proved > 4000 && by_boxes > 1000, "{proved} {by_boxes}");
    }

    /// Parts that stand 1 m apart at both ends, and may leave their chords by this much.
    fn still(chord_bound_a: ChordBound, chord_bound_b: ChordBound) -> View {
        let at = |x: f64| Pose {
            translation: Vector3::x() * x,
            ..Pose::identity()
        };
        View {
            a: [at(1.2); 2],
            b: [at(0.0); 2],
            chord_bound_a,
            chord_bound_b,
            margin: 0.0,
            off: [ChordBound::default(); 2],
        }
    }

    /// Catches the chord bound of either part left out of a look at balls or boxes, or taken
    /// without its slope.
    #[test]
    fn both_chord_bounds_count_at_a_first_look() {
        // Boxes of 0.1 m around the origins, so 1 m between them along x.
        let node = Node {
            center: [0.0; 3],
            radius: 0.1,
            box_center: [0.0; 3],
            first: 0,
            box_half: [0.1; 3],
            count: 1,
        };
        let none = ChordBound::default();
        let base = ChordBound {
            base: 0.4,
            slope: 0.0,
        };
        let slope = ChordBound {
            base: 0.0,
            slope: 4.0,
        };
        for (a, b, sum) in [
            (none, none, 0.0),
            (base, none, 0.4),
            (none, base, 0.4),
            (base, base, 0.8),
            (slope, none, 0.4),
            (none, slope, 0.4),
            (slope, base, 0.8),
        ] {
            let view = still(a, b);
            let bounding_radii = [0.1, 0.1];
            for (apart, proved) in [(1.0 - sum - 1e-6, true), (1.0 - sum + 1e-6, false)] {
                let next = view.whole().roots(
                    [&node, &node],
                    bounding_radii,
                    apart,
                    0.0,
                    &mut Vector3::x(),
                );
                assert_eq!(next == Next::Apart, proved, "{a:?} {b:?} {apart}");
            }
            // Of balls only the centres' paths count.
            let centres = a.base + b.base;
            for (apart, proved) in [(1.0 - centres - 1e-6, true), (1.0 - centres + 1e-6, false)] {
                assert_eq!(
                    view.balls_apart(bounding_radii, apart),
                    proved,
                    "{a:?} {b:?} {apart}"
                );
            }
        }
    }
}
