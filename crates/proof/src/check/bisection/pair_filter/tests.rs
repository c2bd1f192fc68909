//! Pairs that hulls tell apart although things may be off.

use std::ops::Range;

use super::{PairFilter, SegmentVisitor};
use crate::check::errors::ErrorBounds;
use crate::check::fixture::{Fixture, JOINTS, cube, moved};
use crate::geometry::random::Random;
use crate::model::{Interpolation, RigidError, Role, Segment, Trajectory};

/// One threshold for all pairs.
struct Threshold(f64);

impl SegmentVisitor for Threshold {
    fn visit(&mut self, _: usize, _: &[usize]) -> bool {
        true
    }

    fn threshold(&self, _: usize) -> f64 {
        self.0
    }
}

/// Catches errors that are kept from another kind of pair, and errors of one part only.
#[test]
fn pairs_are_told_apart_together_as_each_alone() {
    const WHOLE: Range<usize> = 0..4;
    let mut r = Random(61);
    let mut by_errors = 0;
    for case in 0..200 {
        let mut fixture = Fixture::new();
        // SweptBallsByJoint of one robot on several joints of one chain, another arm, and standing things.
        for chain in [Some(0), Some(0), Some(0), Some(1), None, None] {
            let body = fixture.carried(chain, &[(moved(cube(0.1), r.vector() * 2.0), 0.0)], None);
            if chain == Some(0) {
                let joint = r.below(JOINTS + 1).checked_sub(1);
                let body = &mut fixture.cell.bodies[body];
                (body.role, body.joint) = (Role::Link { robot: 0 }, joint);
            }
        }
        let mut budget = fixture.no_errors();
        let mut rigid = || RigidError {
            shift_m: 0.3 * r.unit(),
            turn_rad: 0.1 * r.unit(),
        };
        budget.base.fill_with(&mut rigid);
        budget.model.fill_with(&mut rigid);
        budget.obstacle.fill_with(&mut rigid);
        fixture.cell.uncertainty = Some(budget);
        let scene = fixture.scene(0.0);
        let errors = ErrorBounds::new(&scene, scene.cell.allowed_errors());
        let segments = WHOLE.map(|k| Segment {
            start: k as f64,
            end: (k + 1) as f64,
            joints: (0..2 * JOINTS)
                .map(|_| [0.5 * r.signed(), 0.1 * r.signed(), 0.0, 0.0, 0.0, 0.0])
                .collect(),
            errors: None,
        });
        let trajectory = Trajectory {
            segments: segments.collect(),
            interpolation: Interpolation::Linear,
            timed: true,
        };
        let threshold = Threshold(0.2 * r.unit());
        let near = |errors, pairs: &[usize]| {
            let mut filter = PairFilter::new(&scene, errors);
            filter.first = WHOLE.start;
            let here = trajectory.segments.iter();
            filter.ranges.extend(here.flat_map(super::ranges_of));
            filter.near(WHOLE, pairs, &threshold)
        };
        let all: Vec<usize> = (0..scene.part_pairs.len()).collect();
        let together = near(Some(&errors), &all);
        let each = all.iter().flat_map(|&pair| near(Some(&errors), &[pair]));
        assert_eq!(together, each.collect::<Vec<_>>(), "case {case}");
        // Hulls of both parts are as far apart as both may be off.
        let ideal = near(None, &all);
        for &pair in all.iter().filter(|pair| !together.contains(pair)) {
            let mut filter = PairFilter::new(&scene, None);
            filter
                .ranges
                .extend(trajectory.segments.iter().flat_map(super::ranges_of));
            filter.near(WHOLE, &[pair], &threshold);
            let candidate = &filter.candidates[pair];
            let least = filter.swept.least(&scene.chains, &filter.shapes, candidate);
            let part_pair = &scene.part_pairs[pair];
            let deviation: f64 = [part_pair.a, part_pair.b]
                .map(|part| {
                    let held = filter
                        .swept
                        .in_each_frame(&scene.chains, &filter.shapes, part);
                    errors.deviation_within(errors.counted_elements(part_pair), part, held)
                })
                .iter()
                .sum();
            assert!(
                least > threshold.0 + deviation,
                "case {case}: {least} {deviation}"
            );
        }
        by_errors += usize::from(ideal.len() < together.len());
    }
    assert!(by_errors > 100, "{by_errors}");
}
