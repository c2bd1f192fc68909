//! Data that is kept about a part in an interval.

use super::Sweeps;
use crate::check::Snapshot;
use crate::check::errors::ErrorBounds;
use crate::check::fixture::{Fixture, JOINTS, cube, moved};
use crate::geometry::random::Random;
use crate::model::{RigidError, Role, Segment, SegmentErrors, Tubes};

/// Catches errors that are kept from another kind of pair (of another shared frame, of the same
/// joint, of the same robot), from another interval, or from another multiple of the budget.
#[test]
fn errors_that_are_kept_are_those_of_a_new_look() {
    let mut r = Random(47);
    let mut different = 0;
    for case in 0..100 {
        let mut fixture = Fixture::new();
        // Links of one robot on several joints of one chain, with another arm and a standing thing.
        for chain in [Some(0), Some(0), Some(0), Some(1), None] {
            let body = fixture.carried(chain, &[(moved(cube(0.2), r.vector() * 0.5), 0.0)], None);
            if chain == Some(0) {
                let joint = r.below(JOINTS + 1).checked_sub(1);
                let body = &mut fixture.cell.bodies[body];
                (body.role, body.joint) = (Role::Link { robot: 0 }, joint);
            }
        }
        let mut budget = fixture.no_errors();
        let mut rigid = || RigidError {
            shift_m: 0.01 * r.unit(),
            turn_rad: 0.01 * r.unit(),
        };
        budget.base.fill_with(&mut rigid);
        budget.model.fill_with(&mut rigid);
        budget.obstacle.fill_with(&mut rigid);
        budget.joint.fill_with(|| 0.01 * r.unit());
        fixture.cell.uncertainty = Some(budget);
        let scene = fixture.scene(0.0);
        let mut errors = ErrorBounds::new(&scene, scene.cell.allowed_errors());
        let segment = Segment {
            start: 0.0,
            end: 1.0,
            joints: (0..2 * JOINTS)
                .map(|_| [r.signed(), r.signed(), r.signed(), 0.0, 0.0, 0.0])
                .collect(),
            errors: SegmentErrors::new(vec![0.0; 2 * JOINTS], Vec::new()),
        };
        let (mut sweeps, mut snapshots) = (Sweeps::without_tubes(), <[Snapshot; 2]>::default());
        let mut seen = Vec::new();
        for s in [[0.0, 1.0], [0.0, 0.5], [0.5, 1.0]] {
            let begin = |sweeps: &mut Sweeps, snapshots: &mut [Snapshot; 2]| {
                sweeps.clear(&scene);
                sweeps.joint_bounds.set(&segment, s[0], s[1]);
                (0..2).for_each(|end| snapshots[end].set(&scene, &segment, s[end]));
            };
            begin(&mut sweeps, &mut snapshots);
            for _ in 0..30 {
                errors.scale = [1.0, 0.5][r.below(2)];
                let pair = &scene.part_pairs[r.below(scene.part_pairs.len())];
                let (mut new, mut at) = (Sweeps::without_tubes(), <[Snapshot; 2]>::default());
                begin(&mut new, &mut at);
                let tubes = Tubes::default();
                let mut ends = snapshots.each_mut();
                let kept = sweeps.deviations(&errors, &scene, pair, &mut ends, &tubes);
                let fresh = new.deviations(&errors, &scene, pair, &mut at.each_mut(), &tubes);
                assert_eq!(kept, fresh, "case {case}");
                seen.push(kept[0]);
            }
        }
        different += usize::from(seen.iter().any(|deviation| *deviation != seen[0]));
    }
    assert!(different > 90, "{different}");
}
