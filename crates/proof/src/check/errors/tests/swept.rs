//! Swept boxes against bodies that are really off.

use super::*;

/// Catches errors of joints, tools, models, obstacles and bases, and tubes of segments, that are
/// left out of swept boxes.
#[test]
fn swept_boxes_hold_bodies_wherever_errors_put_them() {
    let mut random = Random(17);
    let (mut points, mut beyond) = (0, [0; 2]);
    for round in 0..40 {
        let mut cell = random_cell(&mut random);
        // Kinds of errors one by one, so that none hides that another one is missing.
        let all = random_budget(&mut random, &cell, 0.05);
        let mut budget = Uncertainty::none(&cell);
        match round % 5 {
            0 => budget.joint = vec![0.03; cell.joints.len()],
            1 => budget.tool = all.tool,
            2 => budget.model = all.model,
            3 => budget = all,
            _ => {}
        }
        let tube = if round % 2 == 1 { 0.0 } else { 0.02 };
        cell.uncertainty = Some(budget.clone());
        let mut trajectory = random_trajectory(&mut random, &cell);
        for segment in &mut trajectory.segments {
            segment.errors =
                crate::model::SegmentErrors::new(vec![tube; cell.joints.len()], Vec::new());
        }
        let trees = trees(&cell);
        let scene = Scene::new(&cell, &trees, &PairTable::new(&cell), 0.0);
        let boxes = scene.swept_boxes(&trajectory);
        let moving = scene.moving_bodies();
        let nominal = {
            let mut plain = cell.clone();
            plain.uncertainty = None;
            let mut trajectory = trajectory.clone();
            trajectory.segments.iter_mut().for_each(|s| s.errors = None);
            Scene::new(&plain, &trees, &PairTable::new(&plain), 0.0).swept_boxes(&trajectory)
        };
        for _ in 0..30 {
            let instant = trajectory.locate(2.0 * random.unit());
            let random_errors = RandomErrors::random(&mut random, &budget);
            let mut q = Vec::new();
            trajectory
                .segment_at(instant)
                .configuration(instant.fraction, &mut q);
            let sides = q.iter().zip(&random_errors.joint);
            let q: Vec<f64> = sides
                .map(|(q, error)| q + error + tube * [-1.0, 1.0][random.below(2)])
                .collect();
            let real = random_errors.cell(&cell);
            let real_scene = Scene::new(&real, &trees, &PairTable::new(&real), 0.0);
            let mut snapshot = Snapshot::default();
            snapshot.set(&real_scene, &at_rest(&q), 0.0);
            for (index, part) in real_scene.parts.iter().enumerate() {
                let Some(k) = moving.iter().position(|&body| body == part.body) else {
                    continue;
                };
                let pose = snapshot.part(&real_scene, index).pose;
                let radius = Vector3::repeat(part.tree.radius - 1e-9);
                for t in 0..part.tree.triangles.len() {
                    for corner in part.tree.corners(t) {
                        let at = pose.apply(&(corner - part.tree.origin));
                        let within = |held: &crate::geometry::aabb::Aabb| {
                            let (low, high) = (at - radius, at + radius);
                            (0..3).all(|i| held.min[i] <= low[i] && high[i] <= held.max[i])
                        };
                        assert!(within(&boxes[k]), "round {round}: {at} of {}", part.body);
                        beyond[usize::from(tube > 0.0)] += usize::from(!within(&nominal[k]));
                        points += 1;
                    }
                }
            }
        }
    }
    // Without errors the boxes would be too small.
    assert!(
        points > 10_000 && beyond.iter().all(|&n| n > 100),
        "{points}, {beyond:?}"
    );
}
