//! With boxes first and without: the same answers.

use clearance_proof::check::fixture::{Fixture, JOINTS, anywhere, at, cube, random_bench};
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::random::Random;

use super::*;

/// Catches a box that leaves out triangles which count: too small, of another triangle, or beyond
/// the last full row of lanes.
#[test]
fn boxes_change_no_answer() {
    let mut r = Random(163);
    let mut seen = [0; 2];
    for round in 0..150 {
        let fixture = random_bench(&mut r, round % 2 == 0);
        let clearance = [0.0, 0.2][r.below(2)];
        let scene = fixture.scene(clearance);
        let (mut plain, mut boxes) = (Raw::plain(&scene), Raw::new(&scene));
        for _ in 0..4 {
            let mut snapshot = at(&scene, anywhere(&mut r, round % 2 == 0));
            let [plainly, by_boxes] = [&mut plain, &mut boxes].map(|raw| {
                let mut work = Work::default();
                let touches = raw.touching(&mut snapshot, false, &mut work);
                let pairs: Vec<usize> = touches.iter().map(|touch| touch.pair).collect();
                let range = DistanceRange {
                    min: 0.0,
                    max: 0.5 + r.unit(),
                    tolerance: 0.0,
                };
                (pairs, range)
            });
            assert_eq!(plainly.0, by_boxes.0, "round {round}");
            for pair in 0..scene.pairs.len() {
                let [x, y] = [&mut plain, &mut boxes].map(|raw| {
                    raw.lower_bound(pair, &mut snapshot, plainly.1, &mut Work::default())
                });
                assert!((x - y).abs() < 1e-12, "round {round}: {x}, {y}");
                seen[usize::from(x < plainly.1.max)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 200), "{seen:?}");
}

/// Whichever triangle of many it is, it is found: more of them than fit into a row of lanes.
#[test]
fn no_triangle_is_passed_over() {
    const COUNT: usize = 3 * LANES + 5;
    let mut many = Mesh::default();
    for k in 0..COUNT {
        let x = k as f64;
        let corners = [[x, 0.0, 0.0], [x + 0.2, 0.0, 0.0], [x, 0.2, 0.0]];
        many.vertices.extend(corners.map(Point3::from));
        many.triangles.push([0, 1, 2].map(|c| 3 * k as u32 + c));
    }
    let mut fixture = Fixture::new();
    fixture.body(false, &[(many, 0.0)], None);
    fixture.carried(Some(0), &[(cube(0.1), 0.0)], None);
    let scene = fixture.scene(0.0);
    let mut raw = Raw::new(&scene);
    for k in 0..COUNT {
        let mut q = [0.0; JOINTS];
        q[0] = k as f64 + 0.05;
        let mut snapshot = at(&scene, q);
        let touches = raw.touching(&mut snapshot, true, &mut Work::default());
        assert_eq!(touches.len(), 1, "triangle {k}");
    }
}
