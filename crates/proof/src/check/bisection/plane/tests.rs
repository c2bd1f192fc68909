//! The bound that a plane proves, beside instants along its direction, over random chains.

use nalgebra::Vector3;

use super::side::FollowedErrors;
use super::{ErrorView, PartAlongDirection, PlaneHistory, PlaneTest, PlaneTestPart};
use crate::check::Snapshot;
use crate::check::bisection::cases::Case;
use crate::check::bisection::sweep::Sweeps;
use crate::check::bisection::view::View;
use crate::check::distance::corners;
use crate::check::errors::ErrorBounds;
use crate::check::fixture::{Fixture, JOINTS, cube, moved, two_links};
use crate::check::scene::{PartPair, Scene};
use crate::geometry::made::torus;
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;
use crate::model::{Segment, SegmentErrors, Tubes};
use crate::motion::ChordBound;

/// Instants that are looked at.
const INSTANTS: usize = 40;

/// Two links, each a cube or a ring, with or without its origin in the middle.
fn links(r: &mut Random) -> Fixture {
    two_links(r, 5, |r| {
        let mesh = if r.one_in(3) { torus(6) } else { cube(0.3) };
        moved(mesh, r.vector() * 0.5)
    })
}

/// All joints move, some with a turn back.
fn segment(r: &mut Random) -> Segment {
    let reach = r.spread(0.02, 1.5);
    let joints = (0..2 * JOINTS).map(|_| {
        let bump = reach * r.signed();
        [
            2.0 * r.signed(),
            reach * r.signed() + bump,
            -bump,
            0.0,
            0.0,
            0.0,
        ]
    });
    Segment {
        start: 0.0,
        end: 1.0,
        joints: joints.collect(),
        errors: SegmentErrors::new(vec![0.0; 2 * JOINTS], Vec::new()),
    }
}

/// The frame in which a plane between the two stands.
fn frame(scene: &Scene, pair: &PartPair, snapshot: &mut Snapshot) -> Pose {
    let chain = &scene.chains.of(scene.parts[pair.a].joint)[pair.shared..];
    if pair.one_sided && chain.len() > 1 {
        snapshot.joint_pose(Some(chain[0]))
    } else {
        pair.common_frame(scene, snapshot)
    }
}

/// The gap between the two along a direction at an instant, with the bodies where the second
/// snapshot has them and the direction in the frame of the first one, or of the second one too if
/// it follows the errors; below 0: so much they overlap.
fn between(
    scene: &Scene,
    pair: &PartPair,
    [nominal, real]: [&mut Snapshot; 2],
    n: &Vector3<f64>,
    way: ErrorView,
) -> f64 {
    let frame = match way {
        ErrorView::Lengths => frame(scene, pair, nominal),
        ErrorView::Followed => frame(scene, pair, real),
    };
    let mut along = |part: usize| -> Vec<f64> {
        let pose = frame.inverse_compose(&real.part(scene, part).pose);
        let tree = &scene.parts[part].tree;
        let all = (0..tree.triangles.len()).flat_map(|t| corners(tree, t));
        all.map(|c| n.dot(&pose.apply(&c))).collect()
    };
    let (a, b) = (along(pair.a), along(pair.b));
    a.into_iter().fold(f64::INFINITY, f64::min) - b.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Catches a chord bound that is left out or halved, an end that is not looked at, the share of a
/// wrong axis, a frame in which more moves than is said, and errors of joints that are left out for
/// either part or count by a share that is not theirs; where the frame follows them also what a
/// turn does to the second order, its lever, and errors of surfaces and bases that are left out.
#[test]
fn a_plane_never_proves_more_than_instants_show() {
    let mut r = Random(77);
    let (mut near, mut across, mut whole, mut tried) = ([0; 2], 0, 0, [0; 2]);
    let (mut followed, mut closely) = (0, 0);
    for case in 0..900 {
        let mut fixture = links(&mut r);
        let with_errors = r.one_in(2);
        if with_errors {
            let mut budget = fixture.no_errors();
            let wide = [0.1, 0.4][r.below(2)];
            budget.joint.fill_with(|| r.spread(0.003, wide));
            if r.one_in(3) {
                budget.mesh.fill_with(|| 0.02 * r.unit());
            }
            if r.one_in(3) {
                budget.base[0].shift_m = 0.3 * r.unit();
            }
            fixture.cell.uncertainty = Some(budget);
        }
        let scene = fixture.scene(0.0);
        let errors = ErrorBounds::new(&scene, scene.cell.allowed_errors());
        let pair = &scene.part_pairs[0];
        let segment = segment(&mut r);
        let [from, to] = [0.4 * r.unit(), 0.6 + 0.4 * r.unit()];
        let mut snapshots = [from, to].map(|s| {
            let mut snapshot = Snapshot::default();
            snapshot.set(&scene, &segment, s);
            snapshot
        });
        let [first, last] = &mut snapshots;
        let mut ends = [first, last];
        let mut sweeps = Sweeps::default();
        sweeps.clear(&scene);
        sweeps.joint_bounds.set(&segment, from, to);
        let mut view = View::new(&scene, pair, &mut sweeps, &mut ends);
        view.deviations = sweeps.deviations(&errors, &scene, pair, &mut ends, &Tubes::default());
        assert_eq!(view.has_errors(), with_errors);
        let tubes = Tubes::default();
        let allowed = with_errors.then_some((&errors, &tubes));
        let sides = PlaneTest::new(&scene, pair, &view, &mut sweeps, &mut ends, allowed);
        // What bodies do not show: their surfaces, and the base of the one of both that moves in
        // the world.
        let unseen = scene.cell.allowed_errors().map_or(0.0, |budget| {
            let base = if pair.shared == 0 {
                budget.base[0].shift_m
            } else {
                0.0
            };
            budget.mesh.iter().sum::<f64>() + base
        });
        let axes = sides.sides.iter().filter_map(|side| side.axis);
        let axes: Vec<Vector3<f64>> = axes
            .flat_map(|axis| [axis, (axis + r.vector() * 0.1).normalize()])
            .collect();
        let others = (0..4).map(|_| r.vector().normalize());
        for n in others.chain(axes.iter().copied()).collect::<Vec<_>>() {
            let mut snapshots: [Snapshot; 2] = Default::default();
            let way = sides.error_view(&n);
            let mut at = |s: f64| {
                let mut real = segment.clone();
                if let Some(budget) = scene.cell.allowed_errors() {
                    // Errors that are common to both do not count.
                    let chain = scene.chains.of(scene.parts[pair.a].joint);
                    for &joint in &chain[pair.shared..] {
                        let by = [1.0, -1.0, r.signed()][r.below(3)];
                        let error = by * budget.joint[joint];
                        real.joints.change(|joints| joints[joint][0] += error);
                    }
                }
                let [nominal, actual] = &mut snapshots;
                nominal.set(&scene, &segment, s);
                actual.set(&scene, &real, s);
                between(&scene, pair, [nominal, actual], &n, way) - unseen
            };
            let share = |k: usize| from + (to - from) * k as f64 / INSTANTS as f64;
            let seen = (0..=INSTANTS)
                .map(|k| at(share(k)))
                .fold(f64::INFINITY, f64::min);
            let proves = |required_gap: f64| sides.separated_by(&n, required_gap, &mut 0);
            assert!(
                !proves(seen + 1e-9),
                "case {case}: more than {seen} along {n}"
            );
            let ends = at(from).min(at(to));
            let radii = [pair.a, pair.b].map(|part| scene.parts[part].bounding_radius);
            let chord_bounds = sides.sides.iter().zip(radii);
            let chord_bound: f64 = chord_bounds
                .map(|(s, radius)| s.chord_bound.at(radius) + s.deviation.at(radius))
                .sum();
            tried[usize::from(with_errors)] += 1;
            near[usize::from(with_errors)] += usize::from(proves(seen - 0.1 * chord_bound));
            if way == ErrorView::Followed {
                let most = |side: &PlaneTestPart| {
                    side.chord_bound.at(side.radius) + side.greatest_deviations(&n)[1]
                };
                let most: f64 = sides.sides.iter().map(most).sum();
                followed += 1;
                closely += usize::from(proves(seen - 0.2 * most));
            }
            if with_errors {
                continue;
            }
            whole += usize::from(proves(ends - chord_bound - 0.01));
            across += usize::from(
                axes.contains(&n) && chord_bound > 0.01 && proves(ends - 0.01 * chord_bound),
            );
        }
    }
    // The proved bounds are worth something, too.
    assert!(near[0] > 50 && across > 10, "{near:?} {across}");
    assert!(near[1] > 5, "{near:?} of {tried:?}");
    assert!(followed > 300 && closely > 5, "{closely} of {followed}");
    assert!(2 * whole > tried[0], "{whole} of {tried:?}");
}

/// Catches an end that is not looked at, a node that is taken for nearer than it is, and a bound of
/// one part that is not proved.
#[test]
fn a_plane_proves_no_more_than_all_corners_do() {
    let mut r = Random(78);
    let (mut proved, mut refused, mut ways) = (0, 0, [0; 2]);
    for case_number in 0..3000 {
        let case = Case::new(&mut r);
        let view = case.view();
        let poses = [view.a, view.b];
        let followed = r.one_in(2);
        let axis = r.vector().normalize();
        let sides = PlaneTest {
            sides: [0, 1].map(|k| PlaneTestPart {
                tree: &case.trees[k],
                poses: poses[k],
                chord_bound: ChordBound {
                    base: 0.1 * r.unit(),
                    slope: r.unit(),
                },
                deviation: ChordBound {
                    base: [0.05, 0.5][usize::from(followed)] * r.unit(),
                    slope: 0.2 * r.unit(),
                },
                axis: followed.then_some(axis),
                radius: 1.0,
                followed: followed.then(|| FollowedErrors {
                    deviation: ChordBound {
                        base: 0.05 * r.unit(),
                        slope: 0.1 * r.unit(),
                    },
                    turn: [0.2, 1.0][r.below(2)] * r.unit(),
                    origin: r.vector(),
                    lever: r.unit(),
                }),
            }),
            margin: 0.0,
        };
        let n = r.vector().normalize();
        let way = sides.error_view(&n);
        let least = |side: &PlaneTestPart, n: Vector3<f64>| {
            let share = side.share_across_axis(&n);
            [0, 1].map(|end| {
                let all = (0..side.tree.triangles.len()).flat_map(|t| corners(side.tree, t));
                let values = all.map(|c| {
                    let (at, far) = (side.poses[end].apply(&c), c.norm());
                    let chord_bound = share * side.chord_bound.at(far);
                    let less = match (way, &side.followed) {
                        (ErrorView::Followed, Some(errors)) => {
                            let beside = n.dot(&axis.cross(&(at - errors.origin))).abs();
                            let second = 0.5 * errors.turn * share * (errors.lever + far);
                            let turned = beside + second + chord_bound;
                            chord_bound + errors.deviation.at(far) + errors.turn * turned
                        }
                        _ => chord_bound + side.deviation.at(far),
                    };
                    n.dot(&at) - less
                });
                values.fold(f64::INFINITY, f64::min)
            })
        };
        let [a, b] = &sides.sides;
        let (a, b) = (least(a, n), least(b, -n));
        let all = (a[0] + b[0]).min(a[1] + b[1]);
        assert!(
            !sides.separated_by(&n, all + 1e-9, &mut 0),
            "case {case_number}"
        );
        proved += usize::from(sides.separated_by(&n, all - 0.1, &mut 0));
        // Each part by itself, at each end.
        let along = PartAlongDirection::new(&sides.sides[0], n, way);
        ways[usize::from(way == ErrorView::Followed)] += 1;
        for end in 0..2 {
            let mut floor = [f64::NEG_INFINITY; 2];
            floor[end] = a[end] + 1e-9;
            refused += usize::from(along.above(floor, &mut 0).is_none());
        }
        let low = along.above(a.map(|a| a - 1e-4), &mut 0);
        let low = low.unwrap_or_else(|| panic!("case {case_number}: less than {a:?}"));
        assert!(
            low[0] <= a[0] + 1e-9 && low[1] <= a[1] + 1e-9,
            "case {case_number}"
        );
    }
    assert!(proved > 1000, "{proved}");
    assert_eq!(refused, 6000);
    assert!(ways[1] > 200, "{ways:?}");
}

/// They are tried where they serve, and not where they do not.
#[test]
fn planes_that_never_serve_are_tried_a_few_times() {
    let mut planes = PlaneHistory::default();
    let mut tried = 0;
    while planes.are_worthwhile() {
        planes.tried += 1;
        tried += 1;
    }
    assert_eq!(tried, PlaneHistory::FIRST_TRIES);
    planes.served += 1;
    assert!(planes.are_worthwhile());
}
