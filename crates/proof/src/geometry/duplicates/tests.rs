use nalgebra::{Point3, Vector3};

use crate::bvh::SphereTree;
use crate::geometry::components::Components;
use crate::geometry::made::{moved, together};
use crate::geometry::mesh::Mesh;
use crate::geometry::random::Random;

/// A cube of 2 m about a place, without the triangles of some sides: of those all of whose corners
/// are `out` of it.
fn box_without(at: f64, out: impl Fn(&Vector3<f64>) -> bool) -> Mesh {
    let mut mesh = Mesh::cuboid(&Vector3::repeat(2.0));
    let side = |t: &[u32; 3]| t.iter().all(|&v| out(&mesh.vertices[v as usize].coords));
    let kept = mesh.triangles.iter().filter(|t| !side(t)).copied();
    mesh.triangles = kept.collect();
    moved(mesh, Vector3::x() * at)
}

fn bin() -> Mesh {
    let bin = box_without(0.0, |v| v.z > 0.0);
    assert_eq!(bin.triangles.len(), 10);
    bin
}

/// Some triangles once more, the same way round or the other one, anywhere in the list.
fn with_more(mut mesh: Mesh, more: &mut dyn FnMut() -> Option<bool>, r: &mut Random) -> Mesh {
    for [a, b, c] in mesh.triangles.clone() {
        if let Some(other_way) = more() {
            mesh.triangles
                .push(if other_way { [b, a, c] } else { [b, c, a] });
        }
    }
    for k in (1..mesh.triangles.len()).rev() {
        mesh.triangles.swap(k, r.below(k + 1));
    }
    mesh
}

fn contains(mesh: &Mesh, [x, y, z]: [f64; 3]) -> bool {
    SphereTree::new(mesh, 0.0).contains(&Point3::new(x, y, z), None)
}

fn is_closed(mesh: &Mesh) -> bool {
    SphereTree::new(mesh, 0.0).closed
}

/// Regression: a sheet that is written from both sides was closed by the count of its edges, so
/// nothing was inside of a bin that is called solid, nor of a block.
#[test]
fn what_is_written_from_both_sides_is_one_sheet() {
    let mut r = Random(3);
    let block = with_more(box_without(0.0, |_| false), &mut || Some(true), &mut r);
    assert!(is_closed(&block) && block.holes_closed().is_none());
    assert!(contains(&block, [0.1, 0.2, 0.3]) && !contains(&block, [1.1, 0.2, 0.3]));
    let sheet = with_more(bin(), &mut || Some(true), &mut r);
    assert!(!is_closed(&sheet) && !contains(&sheet, [0.1, 0.2, 0.3]));
    let closed = sheet.holes_closed().unwrap();
    assert_eq!((closed.added, closed.places, closed.unclear), (4, 1, 0));
    assert!(is_closed(&closed.mesh));
    assert!(contains(&closed.mesh, [0.1, 0.2, 0.9]) && !contains(&closed.mesh, [0.1, 0.2, 1.1]));
}

/// Regression: of doubled triangles one was turned against the other until their edges balanced,
/// and the hole that was then closed was another one.
#[test]
fn a_bin_with_doubled_triangles_is_full_to_its_rim() {
    let mut r = Random(5);
    let mut doubled = 0;
    for case in 0..200 {
        let more = |r: &mut Random| match r.below(4) {
            0 => Some(false),
            1 => Some(case % 2 == 0),
            _ => None,
        };
        let all: Vec<Option<bool>> = (0..10)
            .map(|_| {
                if case < 2 {
                    Some(case == 0)
                } else {
                    more(&mut r)
                }
            })
            .collect();
        doubled += all.iter().flatten().count();
        let mut all = all.into_iter();
        let mesh = with_more(bin(), &mut || all.next().unwrap(), &mut r);
        assert!(!is_closed(&mesh), "{case}");
        let closed = mesh.holes_closed().unwrap();
        assert!(is_closed(&closed.mesh), "{case}");
        for (z, inside) in [(-0.9, true), (0.95, true), (1.05, false), (-1.05, false)] {
            assert_eq!(contains(&closed.mesh, [0.3, 0.2, z]), inside, "{case}: {z}");
        }
    }
    assert!(doubled > 500);
}

/// Blocks that share a wall, each with its own: all of it counts, whatever way round each is wound.
#[test]
fn walls_that_two_blocks_share_do_not_open_them() {
    let mut r = Random(7);
    let two = together(&[box_without(-1.0, |_| false), box_without(1.0, |_| false)]);
    let two = two.with_shared_corners();
    assert!(is_closed(&two));
    let with_fin = {
        // And a fin that is written from both sides.
        let mut mesh = two.clone();
        let far = mesh.vertices.len() as u32;
        mesh.vertices.push(Point3::new(3.0, 3.0, 3.0));
        let [a, b, _] = mesh.triangles[0];
        mesh.triangles.extend([[a, b, far], [b, a, far]]);
        mesh
    };
    for mesh in [two, with_fin] {
        let mesh = with_more(mesh, &mut || None, &mut r);
        assert!(is_closed(&mesh));
        for (x, inside) in [(-2.1, false), (-1.0, true), (1.0, true), (2.1, false)] {
            assert_eq!(contains(&mesh, [x, 0.1, 0.2]), inside, "{x}");
        }
    }
}

/// A closed mesh with triangles doubled at random stays what it is.
#[test]
fn doubled_triangles_open_nothing() {
    let mut r = Random(11);
    for case in 0..100 {
        let whole = Mesh::cuboid(&Vector3::new(1.0, 2.0, 3.0));
        let mut dice = Random(case);
        let mut more = || (dice.below(3) == 0).then_some(dice.below(2) == 0);
        let mesh = with_more(whole, &mut more, &mut r);
        assert!(is_closed(&mesh), "{case}");
        assert!(contains(&mesh, [0.4, 0.9, 1.4]) && !contains(&mesh, [0.6, 0.9, 1.4]));
        let found = Components::new(&mesh.triangles, mesh.vertices.len());
        let counted = found.of.iter().filter(|&&c| c != Components::NONE).count();
        assert_eq!((found.closed, counted), (vec![true], 12));
    }
}

/// Regression: a sheet that divides a bin made one rim of its own and that of the bin, with a
/// middle deep in it, and the bin was not full.
#[test]
fn how_full_a_divided_bin_is_cannot_be_told() {
    // Corners at x −1, 0, 1, then y −1, 1, then z −1, 1: what divides it hangs on the walls.
    let corner = |x: u32, y: u32, z: u32| 4 * x + 2 * y + z;
    let point = |v: u32| {
        let [x, y, z] = [v / 4, v / 2 % 2, v % 2].map(f64::from);
        Point3::new(x - 1.0, 2.0 * y - 1.0, 2.0 * z - 1.0)
    };
    let side = |[x, y]: [u32; 2], [u, v]: [u32; 2]| {
        [
            corner(x, y, 0),
            corner(u, v, 0),
            corner(u, v, 1),
            corner(x, y, 1),
        ]
    };
    let floor = |x: u32| {
        let [a, b] = [[x, 0], [x + 1, 1]];
        [
            corner(a[0], 0, 0),
            corner(a[0], 1, 0),
            corner(b[0], 1, 0),
            corner(b[0], 0, 0),
        ]
    };
    let walls = [
        floor(0),
        floor(1),
        side([0, 0], [1, 0]),
        side([1, 0], [2, 0]),
        side([2, 0], [2, 1]),
        side([2, 1], [1, 1]),
        side([1, 1], [0, 1]),
        side([0, 1], [0, 0]),
    ];
    let mesh = |sides: &[[u32; 4]]| Mesh {
        vertices: (0..12).map(point).collect(),
        triangles: sides
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect(),
    };
    let plain = mesh(&walls).holes_closed().unwrap();
    assert_eq!((plain.places, plain.unclear), (1, 0));
    assert!(contains(&plain.mesh, [0.3, 0.2, 0.95]));
    let divided = [&walls[..], &[side([1, 0], [1, 1])]].concat();
    assert_eq!(mesh(&divided).holes_closed().unwrap().unclear, 1);
    // Likewise where it stands off the walls by little: both rims are closed together.
    let off = |free: &mut Mesh, [low, high]: [f64; 2]| {
        let first = free.vertices.len() as u32;
        let corners = [[low, -high], [high, -high], [high, high], [low, high]];
        free.vertices
            .extend(corners.map(|[y, z]| Point3::new(0.0, y, z)));
        free.triangles
            .extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    let mut near = mesh(&walls);
    off(&mut near, [-0.995, 0.995]);
    let near = near.holes_closed().unwrap();
    assert_eq!((near.places, near.unclear), (1, 1));
    // A sheet that hangs in it by nothing is closed by itself.
    let mut free = mesh(&walls);
    off(&mut free, [-0.5, 0.3]);
    let free = free.holes_closed().unwrap();
    assert_eq!((free.places, free.unclear), (2, 0));
    assert!(contains(&free.mesh, [0.3, 0.2, 0.95]));
}

/// Two triangles alone: no third one meets their edges.
#[test]
fn a_triangle_written_twice_is_no_solid() {
    for other in [[0, 1, 2], [0, 2, 1]] {
        let pair = Mesh {
            vertices: vec![
                Point3::origin(),
                Point3::new(1.0, 0.0, 0.0),
                Point3::new(0.0, 1.0, 2.0),
            ],
            triangles: vec![[0, 1, 2], other],
        };
        let tree = SphereTree::new(&pair, 0.0);
        assert!(!tree.closed && !tree.has_closed_components());
        let closed = pair.holes_closed();
        assert!(closed.is_none_or(|c| c.mesh.flat_components() > 0));
    }
}

/// Regression: a sheet that is drawn from both sides, by other triangles on each, was solid and
/// enclosed nothing.
#[test]
fn what_encloses_nothing_is_not_solid() {
    let mut r = Random(13);
    for case in 0..40 {
        // Far from the origin, as single precision has it: what is left between the sides is
        // rounding.
        let far = [0.0, 30.0][case % 2];
        let turn = r.pose(1.0).rotation;
        let point = |x: f64, y: f64| {
            let p = turn * Vector3::new(x, y, 0.0) + Vector3::repeat(far);
            Point3::from(p.map(|x| f64::from(x as f32)))
        };
        let sheet = Mesh {
            vertices: vec![
                point(0.0, 0.0),
                point(1.0, 0.0),
                point(1.0, 2.0),
                point(0.0, 2.0),
            ],
            triangles: vec![[0, 1, 2], [0, 2, 3], [1, 0, 3], [1, 3, 2]],
        };
        let tree = SphereTree::new(&sheet, 0.0);
        assert!(!tree.closed && tree.has_open_components() && !tree.has_closed_components());
        assert_eq!(sheet.flat_components(), 1);
        let mut plate = Mesh::cuboid(&Vector3::new(1.0, 2.0, 1e-4 + 1e-3 * far));
        for v in &mut plate.vertices {
            *v = point(v.x, v.y) + turn * Vector3::z() * v.z;
        }
        assert!(SphereTree::new(&plate, 0.0).closed && plate.flat_components() == 0);
    }
}
