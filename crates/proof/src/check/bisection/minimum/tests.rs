//! Proved least distances beside those of instants: all triangles of all pairs, over random scenes
//! with pairs of every class.

use nalgebra::{Point3, Vector3};

use super::{LeastFound, in_stretches};
use crate::check::Snapshot;
use crate::check::bisection::CheckOptions;
use crate::check::bisection::goal::Goal;
use crate::check::bisection::stretches::{SEGMENTS, Stretches};
use crate::check::fixture::{Fixture, JOINTS, cube, moved, surface_distance};
use crate::check::scene::Scene;
use crate::check::time_limit::TimeLimit;
use crate::geometry::made::torus;
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;
use crate::model::{Interpolation, Role, Segment, SegmentErrors, Trajectory};
use crate::report::{MinimumClearance, PairClass};

const RESOLUTION: f64 = 1e-3;
/// Two computations of one distance, metres.
const ROUNDING: f64 = 1e-9;
/// Into stretches of how many segments motions are cut.
const CUTS: [usize; 4] = [SEGMENTS, 1, 2, 5];
/// Instants of each segment that are looked at.
const INSTANTS: usize = 13;

fn tetrahedron(size: f64) -> Mesh {
    Mesh {
        vertices: [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
            .map(|v: [i8; 3]| Point3::from(v.map(|x| size * f64::from(x))))
            .to_vec(),
        triangles: vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]],
    }
}

/// Of 288 triangles: its thresholds fall while its nodes are tested.
fn ring(size: f64) -> Mesh {
    let mut mesh = moved(torus(12), Vector3::new(-3.0, 0.0, 0.0));
    mesh.vertices
        .iter_mut()
        .for_each(|v| v.coords *= 2.0 * size);
    mesh
}

/// A robot of two links with a tool, another one, three things that stand and one that an axis
/// carries; of cubes and tetrahedra, or of rings.
fn bench(r: &mut Random, rings: bool) -> Fixture {
    let mut fixture = Fixture::new();
    let shape = |r: &mut Random, away: f64| {
        let size = 0.05 + 0.3 * r.unit();
        let mesh = match r.one_in(2) {
            _ if rings => ring(size),
            true => cube(2.0 * size),
            false => tetrahedron(size),
        };
        (moved(mesh, r.vector() * away), 0.0)
    };
    let add_body = |fixture: &mut Fixture, role, joint: Option<usize>, shapes: &[(Mesh, f64)]| {
        let body = fixture.body(joint.is_some(), shapes, None);
        let body = &mut fixture.cell.bodies[body];
        (body.role, body.joint) = (role, joint);
    };
    for (role, joint) in [
        (Role::Link { robot: 0 }, JOINTS - 4),
        (Role::Link { robot: 0 }, JOINTS - 1),
        (Role::Attached, JOINTS - 1),
        (Role::Link { robot: 1 }, 2 * JOINTS - 1),
        (Role::Obstacle, JOINTS + 2),
    ] {
        let shapes: Vec<_> = (0..1 + r.below(2)).map(|_| shape(r, 0.7)).collect();
        add_body(&mut fixture, role, Some(joint), &shapes);
    }
    fixture.cell.bodies[2].parent = Some(1);
    for _ in 0..3 {
        let shapes = [shape(r, 3.0)];
        add_body(&mut fixture, Role::Obstacle, None, &shapes);
    }
    fixture
}

/// Segments in which some joints move, with or without turning back, and others stand. `tubes`:
/// some are not followed exactly.
fn motion(r: &mut Random, tubes: bool) -> Trajectory {
    let mut q: Vec<f64> = (0..2 * JOINTS).map(|_| 2.0 * r.signed()).collect();
    // How many of the joints move: of all of them pairs come near once only.
    let few = 1 + r.below(4);
    let count = 4 + r.below(12);
    let segment = |k: usize| {
        let still = r.one_in(5);
        let joints = q.iter_mut().map(|q| {
            let mut c = [*q, 0.0, 0.0, 0.0, 0.0, 0.0];
            if !still && r.one_in(few) {
                let bump = r.signed();
                (c[1], c[2]) = (r.signed() + bump, -bump);
                *q = c[0] + c[1] + c[2];
            }
            c
        });
        let joints = joints.collect();
        let taken_over = (0..2 * JOINTS).map(|_| {
            if tubes && r.one_in(12) {
                r.spread(1e-4, 2e-2)
            } else {
                0.0
            }
        });
        Segment {
            start: k as f64,
            end: (k + 1) as f64,
            joints,
            errors: SegmentErrors::new(taken_over.collect(), Vec::new()),
        }
    };
    Trajectory {
        segments: (0..count).map(segment).collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

/// The least distance that any instant shows, pair by pair, metres. What is not followed exactly is
/// off by as much as it can be.
fn sampled(r: &mut Random, scene: &Scene, trajectory: &Trajectory) -> Vec<f64> {
    let mut least = vec![f64::INFINITY; scene.pairs.len()];
    for segment in &trajectory.segments {
        for k in 0..INSTANTS {
            let mut segment = segment.clone();
            let tubes = segment.taken_over().to_vec();
            segment.joints.change(|joints| {
                for (joint, tube) in joints.iter_mut().zip(tubes) {
                    joint[0] += tube * (r.below(3) as f64 - 1.0);
                }
            });
            let mut snapshot = Snapshot::default();
            snapshot.set(scene, &segment, k as f64 / (INSTANTS - 1) as f64);
            for (pair, least) in least.iter_mut().enumerate() {
                *least = least.min(distance_at(scene, pair, &mut snapshot));
            }
        }
    }
    least
}

fn distance_at(scene: &Scene, pair: usize, snapshot: &mut Snapshot) -> f64 {
    if scene.is_contained(pair, snapshot) {
        0.0
    } else {
        surface_distance(scene, pair, snapshot)
    }
}

/// A scene, its motion, and what was seen of it.
struct Case<'c> {
    name: String,
    scene: &'c Scene<'c>,
    trajectory: &'c Trajectory,
    sampled: &'c [f64],
    /// Whether all joints follow the trajectory exactly.
    exact: bool,
    /// Into stretches of how many segments the motion is cut.
    longest: usize,
}

impl Case<'_> {
    fn ask(&self, within: Option<f64>) -> LeastFound {
        self.answer(&CheckOptions {
            resolution: RESOLUTION,
            minimum: true,
            minimum_by_class: true,
            minimum_pairs: within,
            ..CheckOptions::default()
        })
    }

    fn ask_overall(&self, within: Option<f64>) -> LeastFound {
        self.answer(&CheckOptions {
            resolution: RESOLUTION,
            minimum: true,
            minimum_pairs: within,
            ..CheckOptions::default()
        })
    }

    fn answer(&self, options: &CheckOptions) -> LeastFound {
        let question = Stretches {
            longest: self.longest,
            ..Stretches::new(self.scene, self.trajectory, Goal::Minimum, RESOLUTION)
        };
        let mut start = Snapshot::default();
        start.set(self.scene, &self.trajectory.segments[0], 0.0);
        let contained = self.scene.contained(&mut start);
        in_stretches(question, options, &contained, &|_| ())
    }

    fn class(&self, pair: usize) -> Option<PairClass> {
        let pair = self.scene.pairs[pair];
        self.scene.cell.pair_class(pair.a, pair.b)
    }

    fn pair(&self, least: &MinimumClearance) -> usize {
        let name = |body: usize| &self.scene.cell.bodies[body].name;
        let mut pairs = self.scene.pairs.iter();
        let pair = pairs.position(|p| (name(p.a), name(p.b)) == (&least.a, &least.b));
        pair.expect("a pair of the scene")
    }

    /// Nothing that was seen of `pairs` is nearer than what is proved of them.
    fn bounds(&self, proved: f64, pairs: impl Fn(usize) -> bool, what: &str) {
        for (pair, &seen) in self.sampled.iter().enumerate() {
            if pairs(pair) {
                let name = &self.name;
                assert!(
                    proved <= seen,
                    "{name}, {what}: {proved} proved, {seen} seen of pair {pair}"
                );
            }
        }
    }

    /// It is attained when and by whom it is said to be, and the bound is as near as is promised.
    /// Returns the pair.
    fn attained(&self, least: &MinimumClearance, nearest: f64) -> usize {
        let pair = self.pair(least);
        let instant = self.trajectory.locate(least.time);
        let mut snapshot = Snapshot::default();
        snapshot.set_at(self.scene, self.trajectory, instant);
        let there = distance_at(self.scene, pair, &mut snapshot);
        let name = &self.name;
        assert!(
            (there - least.distance).abs() < ROUNDING,
            "{name}: {there} at the instant of {least:?}"
        );
        let open = least.distance - least.lower_bound;
        let promised = RESOLUTION.max(0.02 * (least.distance - nearest)) + ROUNDING;
        assert!(
            open >= 0.0 && (open <= promised || !self.exact),
            "{name}: {least:?} is {open} wide"
        );
        pair
    }

    fn classes(&self, found: &LeastFound) {
        let nearest = found.least.as_ref().expect("pairs");
        self.bounds(nearest.lower_bound, |_| true, "all pairs");
        self.attained(nearest, nearest.distance);
        for class in (0..self.sampled.len()).filter_map(|pair| self.class(pair)) {
            let told: Vec<_> = found.by_class.iter().filter(|c| c.class == class).collect();
            assert_eq!(told.len(), 1, "{}: {class:?}", self.name);
            let least = &told[0].least;
            self.bounds(
                least.lower_bound,
                |pair| self.class(pair) == Some(class),
                class.as_str(),
            );
            let pair = self.attained(least, nearest.distance);
            assert_eq!(self.class(pair), Some(class), "{}: {least:?}", self.name);
        }
    }

    /// Without classes the nearest of all pairs is the same, and nothing is told of others.
    fn overall(&self, found: &LeastFound, by_classes: &LeastFound) {
        assert!(found.by_class.is_empty(), "{}", self.name);
        let least = found.least.as_ref().expect("pairs");
        self.bounds(least.lower_bound, |_| true, "all pairs, no class");
        self.attained(least, least.distance);
        let same = by_classes.least.as_ref().expect("pairs").distance;
        let differ = (least.distance - same).abs();
        assert!(differ <= RESOLUTION || !self.exact, "{}", self.name);
    }

    fn pairs(&self, found: &LeastFound, within: f64) {
        self.classes(found);
        self.listed(found, within);
    }

    fn listed(&self, found: &LeastFound, within: f64) {
        assert_eq!(found.others_farther_than, Some(within), "{}", self.name);
        let nearest = found.least.as_ref().expect("pairs").distance;
        let listed = found.pairs.iter().map(|least| {
            let pair = self.attained(least, nearest);
            self.bounds(least.lower_bound, |other| other == pair, "a pair");
            pair
        });
        let listed: Vec<usize> = listed.collect();
        self.bounds(
            within,
            |pair| !listed.contains(&pair),
            "pairs that are not listed",
        );
    }

    /// No time is enough for all: whatever is claimed holds.
    fn hurried(&self, found: &LeastFound) {
        if let Some(least) = &found.least {
            self.bounds(least.lower_bound, |_| true, "all pairs, given up");
        }
        for told in &found.by_class {
            self.bounds(
                told.least.lower_bound,
                |pair| self.class(pair) == Some(told.class),
                "given up",
            );
        }
        let listed = found.pairs.iter().map(|least| {
            let pair = self.pair(least);
            self.bounds(least.lower_bound, |other| other == pair, "a pair, given up");
            pair
        });
        let listed: Vec<usize> = listed.collect();
        if let Some(others) = found.others_farther_than {
            self.bounds(
                others,
                |pair| !listed.contains(&pair),
                "not listed, given up",
            );
        }
    }
}

/// Catches all that makes a threshold of a class or a pair wrong, or loses a pair, a segment or an
/// instant to it.
#[test]
fn least_distances_of_classes_and_pairs_hold_at_every_instant() {
    let mut r = Random(4242);
    let (mut several, mut far) = (0, 0);
    for case in 0..48 {
        let fixture = bench(&mut r, false);
        let mut scene = fixture.scene(0.0);
        scene.hulls = !r.one_in(4);
        let exact = !r.one_in(3);
        let trajectory = motion(&mut r, !exact);
        let sampled = sampled(&mut r, &scene, &trajectory);
        let case = Case {
            name: format!("scene {case}"),
            scene: &scene,
            trajectory: &trajectory,
            sampled: &sampled,
            exact,
            longest: CUTS[case % CUTS.len()],
        };
        let found = case.ask(None);
        assert!(found.pairs.is_empty() && found.others_farther_than.is_none());
        case.classes(&found);
        several += usize::from(found.by_class.len() == 4);
        far += usize::from(
            found
                .by_class
                .iter()
                .filter(|c| c.least.lower_bound > 0.0)
                .count()
                > 2,
        );
        case.overall(&case.ask_overall(None), &found);
        let within = r.spread(0.01, 3.0);
        case.pairs(&case.ask(Some(within)), within);
        let overall = case.ask_overall(Some(within));
        case.overall(&overall, &found);
        case.listed(&overall, within);
    }
    assert!(several == 48 && far > 15, "{several} {far}");
}

/// The same with meshes of some size, at more instants. Catches a threshold that falls too far
/// while a pair is looked at.
#[test]
fn least_distances_of_large_meshes_hold_too() {
    let mut r = Random(7);
    for number in 0..12 {
        let fixture = bench(&mut r, true);
        let scene = fixture.scene(0.0);
        let trajectory = motion(&mut r, false);
        let mut sampled = vec![f64::INFINITY; scene.pairs.len()];
        for segment in &trajectory.segments {
            for k in 0..=60 {
                let mut snapshot = Snapshot::default();
                snapshot.set(&scene, segment, f64::from(k) / 60.0);
                for (pair, least) in sampled.iter_mut().enumerate() {
                    let found = scene.pair_distance(pair, &mut snapshot, *least, &mut 0);
                    *least = found.map_or(*least, |nearest| nearest.distance);
                }
            }
        }
        let case = Case {
            name: format!("rings {number}"),
            scene: &scene,
            trajectory: &trajectory,
            sampled: &sampled,
            exact: true,
            longest: CUTS[number % CUTS.len()],
        };
        for within in [None, Some(0.5)] {
            let found = case.ask(within);
            let least = found.least.as_ref().expect("pairs");
            case.bounds(least.lower_bound, |_| true, "all pairs");
            case.hurried(&found);
        }
    }
}

/// Nothing is claimed of what there was no time for, wherever it ends.
#[test]
fn least_distances_that_are_given_up_claim_nothing() {
    let mut r = Random(99);
    let mut ended = 0;
    for case in 0..12 {
        let fixture = bench(&mut r, false);
        let mut scene = fixture.scene(0.0);
        let trajectory = motion(&mut r, false);
        let sampled = sampled(&mut r, &scene, &trajectory);
        for questions in [0, 1, 20, 50, 150, 400, 1_000, 2_500] {
            for within in [None, Some(0.5)] {
                scene.time_limit = TimeLimit::of_questions(questions);
                let case = Case {
                    name: format!("scene {case}, {questions} questions"),
                    scene: &scene,
                    trajectory: &trajectory,
                    sampled: &sampled,
                    exact: true,
                    longest: CUTS[case % CUTS.len()],
                };
                let found = case.ask(within);
                case.hurried(&found);
                ended += usize::from(scene.time_limit.was_exceeded() && found.by_class.len() == 4);
                if questions == 0 {
                    let bounds = found.by_class.iter().map(|c| &c.least).chain(&found.least);
                    assert!(
                        bounds
                            .chain(&found.pairs)
                            .all(|least| least.lower_bound == 0.0)
                    );
                    assert_eq!(found.others_farther_than, None);
                }
            }
        }
    }
    assert!(ended > 20, "{ended}");
}

/// A body that is hidden in another one from the start on is at distance 0, however far the
/// surfaces are.
#[test]
fn least_distances_know_what_is_hidden_at_the_start() {
    let mut fixture = Fixture::new();
    fixture.body(true, &[(cube(0.1), 0.0)], None);
    fixture.body(false, &[(cube(4.0), 0.0)], Some(true));
    fixture.body(
        false,
        &[(moved(cube(0.1), Vector3::repeat(0.3)), 0.0)],
        None,
    );
    let scene = fixture.scene(0.0);
    let mut trajectory = motion(&mut Random(1), false);
    for segment in &mut trajectory.segments {
        segment.joints = vec![[0.01, 0.02, -0.02, 0.0, 0.0, 0.0]; 2 * JOINTS].into();
    }
    let sampled = sampled(&mut Random(2), &scene, &trajectory);
    let case = Case {
        name: "hidden".to_owned(),
        scene: &scene,
        trajectory: &trajectory,
        sampled: &sampled,
        exact: true,
        longest: 2,
    };
    let found = case.ask(None);
    case.classes(&found);
    let least = found.least.expect("pairs");
    assert_eq!(
        (least.distance, least.lower_bound, least.time),
        (0.0, 0.0, 0.0)
    );
    assert_eq!((least.a.as_str(), least.b.as_str()), ("body0", "body1"));
    case.pairs(&case.ask(Some(0.2)), 0.2);
}

/// A cube of 0.2 m, 0.5 m from another one, in segments in which nothing moves.
fn standing(taken_over: &[f64]) -> (Fixture, Trajectory) {
    let mut fixture = Fixture::new();
    fixture.body(true, &[(cube(0.2), 0.0)], None);
    let other = moved(cube(0.2), Vector3::new(0.7, 0.0, 0.0));
    fixture.body(false, &[(other, 0.0)], None);
    let mut trajectory = motion(&mut Random(3), false);
    trajectory.segments.truncate(taken_over.len());
    for (segment, &tube) in trajectory.segments.iter_mut().zip(taken_over) {
        segment.joints = vec![[0.0; 6]; 2 * JOINTS].into();
        segment.errors = SegmentErrors::new(vec![0.0; 2 * JOINTS], Vec::new());
        *segment.taken_over_of(0) = tube;
    }
    (fixture, trajectory)
}

/// A body that stands where it stood is not looked at again, unless its place is less certain.
/// Catches a tube that is skipped.
#[test]
fn least_distances_allow_for_a_tube_about_what_stands() {
    for (tubes, due) in [
        ([0.0, 0.0, 0.02], 0.48),
        ([0.02, 0.0, 0.0], 0.48),
        ([0.0; 3], 0.5),
    ] {
        let (fixture, trajectory) = standing(&tubes);
        let scene = fixture.scene(0.0);
        let case = Case {
            name: format!("{tubes:?}"),
            scene: &scene,
            trajectory: &trajectory,
            sampled: &[due],
            exact: due == 0.5,
            longest: CUTS[1],
        };
        for within in [None, Some(0.6)] {
            let found = case.ask(within);
            case.classes(&found);
            let least = found.least.expect("a pair");
            assert!(
                least.lower_bound > due - 2.0 * RESOLUTION,
                "{tubes:?}: {least:?}"
            );
        }
    }
}
