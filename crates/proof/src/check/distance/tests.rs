use nalgebra::Vector3;

use crate::check::fixture::{Fixture, at, moved, surfaces_apart};
use crate::geometry::made::torus;
use crate::geometry::random::Random;

/// Curved surfaces at random poses, where many triangles are nearly as near as the nearest. Catches
/// a triangle or a node that is passed over and holds what is nearest.
#[test]
fn no_triangles_are_nearer_than_what_is_found() {
    let ring = |n| moved(torus(n), Vector3::new(-3.0, 0.0, 0.0));
    let mut fixture = Fixture::new();
    fixture.body(false, &[(ring(7), 0.0)], Some(false));
    fixture.body(true, &[(ring(6), 0.01)], Some(false));
    let scene = fixture.scene(0.0);
    let mut random = Random(41);
    let mut apart = 0;
    for case in 0..300 {
        let by = random.direction().into_inner() * (1.0 + random.unit());
        let turns = [(); 3].map(|()| 3.0 * random.signed());
        let q = [by.x, by.y, by.z, turns[0], turns[1], turns[2]];
        let mut snapshot = at(&scene, q);
        let truth = surfaces_apart(&scene, 0, &mut snapshot).max(0.0);
        let mut tests = 0;
        let found = scene.pair_distance(0, &mut snapshot, f64::INFINITY, &mut tests);
        let found = found.expect("two surfaces").distance.max(0.0);
        assert!(
            (found - truth).abs() < 1e-12,
            "case {case}: {found}, but {truth}"
        );
        apart += usize::from(truth > 0.0);
    }
    assert!(apart > 200, "{apart}");
}
