use super::*;
use crate::bvh::SphereTree;
use crate::geometry::made::{moved, together};
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;

/// The tolerance that docs/guarantee.md states, as a share of the farthest coordinate.
const STATED: f64 = 4.768_371_582_031_25e-7;

fn cube() -> Mesh {
    Mesh::cuboid(&Vector3::repeat(2.0))
}

/// A cube of 2 m without the two triangles at its top.
fn lidless() -> Mesh {
    let mut mesh = cube();
    let top = |t: &[u32; 3]| t.iter().all(|&v| cube().vertices[v as usize].z > 0.0);
    mesh.triangles.retain(|t| !top(t));
    assert_eq!(mesh.triangles.len(), 10);
    mesh
}

fn is_closed(mesh: &Mesh) -> bool {
    !Components::new(&mesh.triangles, mesh.vertices.len())
        .closed
        .contains(&false)
}

/// Every triangle with corners of its own.
fn sheets(mesh: &Mesh) -> Mesh {
    let corners = (0..mesh.triangles.len()).flat_map(|t| mesh.corners(t));
    let vertices: Vec<_> = corners.collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    Mesh {
        triangles: triangles.collect(),
        vertices,
    }
}

/// The same with every corner of every triangle up to this far off along each axis.
fn shaken(mesh: &Mesh, by: f64, random: &mut Random) -> Mesh {
    let mut mesh = sheets(mesh);
    for v in &mut mesh.vertices {
        *v += random.vector() * by;
    }
    mesh
}

#[test]
fn a_lid_closes_a_box_and_counts_as_surface() {
    let open = lidless();
    assert!(open.seams_closed().is_none());
    let closed = open.holes_closed().unwrap();
    assert_eq!((closed.added, closed.places), (4, 1));
    assert!((closed.widest - 8f64.sqrt()).abs() < 1e-12);
    assert!(is_closed(&closed.mesh) && closed.mesh.holes_closed().is_none());
    assert_eq!(closed.mesh.triangles[..10], open.triangles);
    // The lid lies in the plane of the rim, and what is below it is inside.
    let lid = &closed.mesh.triangles[10..];
    let corners = lid.iter().flatten();
    assert!(
        corners
            .into_iter()
            .all(|&v| closed.mesh.vertices[v as usize].z == 1.0)
    );
    let tree = SphereTree::new(&closed.mesh, 0.0);
    assert!(tree.closed);
    for (z, inside) in [(0.9, true), (1.1, false)] {
        assert_eq!(tree.contains(&Point3::new(0.1, 0.2, z), None), inside);
    }
}

/// Catches: a rim that is left out, an edge that several triangles leave open, a triangle that was
/// turned and not counted so.
#[test]
fn whatever_is_missing_the_mesh_is_closed_afterwards() {
    let mut random = Random(41);
    let mut holes = 0;
    for case in 0..600 {
        let parts: Vec<Mesh> = (0..1 + random.below(3))
            .map(|_| moved(cube(), random.vector() * [0.3, 9.0][random.below(2)]))
            .collect();
        let mut mesh = together(&parts);
        if case % 10 == 0 {
            mesh = sheets(&mesh);
        }
        for _ in 0..random.below(9) {
            let gone = random.below(mesh.triangles.len());
            mesh.triangles.swap_remove(gone);
        }
        for _ in 0..random.below(3) {
            let flipped = random.below(mesh.triangles.len());
            mesh.triangles[flipped].swap(0, 1);
        }
        if case % 7 == 0 {
            // Three triangles at an edge, or one twice.
            let [a, b, _] = mesh.triangles[0];
            let far = random.below(mesh.vertices.len()) as u32;
            mesh.triangles.push([a, b, far]);
        }
        let count = mesh.triangles.len();
        let closed = match mesh.holes_closed() {
            Some(closed) => closed.mesh,
            None => mesh.clone(),
        };
        holes += usize::from(closed.triangles.len() > count);
        assert!(is_closed(&closed), "case {case}");
        // Each triangle from before is there still, as it was or turned round.
        for (was, is) in mesh.triangles.iter().zip(&closed.triangles) {
            assert!(was == is || [was[0], was[2], was[1]] == *is, "case {case}");
        }
    }
    assert!(holes > 400, "{holes}");
}

/// Six faces that do not touch: one middle for all gaps, so that the whole box is inside.
#[test]
fn sheets_with_gaps_between_them_are_closed_together() {
    let mut faces = sheets(&cube());
    for (k, v) in faces.vertices.iter_mut().enumerate() {
        // The triangles of a face lie next to one another; faces move outwards.
        let face = k / 6;
        let _ = face;
        *v *= 1.0 + 1e-3 * (k / 6) as f64;
    }
    assert!(faces.seams_closed().is_none());
    let closed = faces.holes_closed().unwrap();
    assert_eq!(closed.places, 1);
    assert!(is_closed(&closed.mesh));
    let tree = SphereTree::new(&closed.mesh, 0.0);
    let mut random = Random(42);
    for _ in 0..200 {
        let p = Point3::from(random.vector());
        let (within, beyond) = (p * 0.9, p * (1.2 / p.coords.amax()));
        assert!(
            tree.contains(&within, None) && !tree.contains(&beyond, None),
            "{p}"
        );
    }
}

/// Two holes far from one another have two lids.
#[test]
fn holes_are_closed_one_by_one() {
    let both = together(&[lidless(), moved(lidless(), Vector3::x() * 5.0)]);
    let closed = both.holes_closed().unwrap();
    assert_eq!((closed.added, closed.places), (8, 2));
    assert!((closed.widest - 8f64.sqrt()).abs() < 1e-12);
}

/// Catches: a tolerance that is wider or narrower than stated, slivers left out, a component that
/// stays open called closed.
#[test]
fn seams_of_rounding_are_closed_and_wider_ones_are_not() {
    let mut random = Random(43);
    for case in 0..300 {
        let size = [1e-3, 1.0, 1e3][random.below(3)];
        let shape = cube().scaled(Vector3::repeat(size));
        // The tolerance is what a corner may be off from its partner; both are off along three
        // axes.
        let most = STATED * size;
        let by = most * random.unit() / 12f64.sqrt();
        let seams = shaken(&shape, by, &mut random);
        assert!(!is_closed(&seams));
        let closed = seams
            .seams_closed()
            .unwrap_or_else(|| panic!("case {case}: {by}"));
        assert!(is_closed(&closed.mesh) && closed.places == 1, "case {case}");
        assert!(closed.widest <= most * 1.0001, "case {case}");
        for t in &closed.mesh.triangles[12..] {
            let [a, b, c] = t.map(|v| closed.mesh.vertices[v as usize]);
            let shortest = (b - a).norm().min((c - b).norm()).min((a - c).norm());
            assert!(shortest <= most * 1.0001, "case {case}: wider than a seam");
        }

        // One corner is off by more than that from all others: all of it stays open.
        let mut wide = seams.clone();
        let off = random.vector().normalize() * most * 3.0;
        let v = random.below(wide.vertices.len());
        wide.vertices[v] += off;
        match wide.seams_closed() {
            None => {}
            Some(closed) => panic!("case {case}: {closed:?}"),
        }
        // A hole is not a seam, and a closed component beside an open one is closed all the same.
        let mut hole = seams.clone();
        hole.triangles.pop();
        assert!(hole.seams_closed().is_none(), "case {case}");
        let aside = moved(seams.clone(), Vector3::x() * 5.0 * size);
        let both = together(&[hole, aside]).seams_closed().unwrap();
        let components = Components::new(&both.mesh.triangles, both.mesh.vertices.len());
        assert!(
            both.places == 1 && components.closed.contains(&true),
            "case {case}"
        );
    }
}

/// The place on the surface of a cube where a seam runs is where rays are easily counted wrong.
#[test]
fn rays_through_seams_are_counted_rightly() {
    let mut random = Random(44);
    let mut through = 0;
    for case in 0..200 {
        let by = SEAM * random.unit() / 12f64.sqrt();
        let seams = shaken(&cube(), by, &mut random);
        let closed = seams.seams_closed().unwrap();
        let tree = SphereTree::new(&closed.mesh, 0.0);
        assert!(tree.closed);
        let without = SphereTree::new(&seams, 0.0);
        for _ in 0..40 {
            // On a line through the gap between two triangles: on the diagonal of a face, or on an
            // edge of the cube, where both of its triangles have a corner.
            let axis = random.below(3);
            let (from, to) = (random.below(36), random.below(36));
            let mut p =
                seams.vertices[from] + (seams.vertices[to] - seams.vertices[from]) * random.unit();
            p[axis] = 3.0 * random.signed();
            let off = p.coords.amax() - 1.0;
            if off.abs() < 1e-5 {
                continue;
            }
            assert_eq!(tree.contains(&p, None), off < 0.0, "case {case}: {p}");
            through += 1;
            assert!(!without.contains(&p, None), "an open mesh has no inside");
        }
    }
    assert!(through > 4000, "{through}");
}

#[test]
fn what_is_closed_stays_as_it_is() {
    for mesh in [
        cube(),
        Mesh::default(),
        together(&[cube(), moved(cube(), Vector3::x())]),
    ] {
        assert!(mesh.seams_closed().is_none() && mesh.holes_closed().is_none());
    }
    // Open, and no corner near another.
    assert!(lidless().seams_closed().is_none());
}
