use super::*;
use crate::geometry::enclosing_ball::Ball;
use crate::geometry::made::torus;
use crate::geometry::random::Random;

fn soup(r: &mut Random, n: usize, size: f64, offset: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..n as u32 {
        let at = r.vector() * [0.0, 1.0, 10.0][r.below(3)] + Vector3::repeat(offset);
        for _ in 0..3 {
            mesh.vertices.push(Point3::from(at + r.vector() * size));
        }
        let i = 3 * i;
        let corners = [[i, i + 1, i + 2], [i, i + 1, i + 1], [i; 3]];
        mesh.triangles.push(corners[r.below(5).min(4) % 3]);
    }
    mesh
}

/// The triangles of a tree, or of a mesh, as a sorted list of coordinates.
fn sorted(corners: impl Iterator<Item = [Point3<f64>; 3]>) -> Vec<[[u64; 3]; 3]> {
    let mut all: Vec<_> = corners
        .map(|t| t.map(|p| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())))
        .collect();
    all.sort();
    all
}

fn oracle(mesh: &Mesh) -> SphereTree {
    let tree = SphereTree::new(mesh, 0.0);
    tree.check().unwrap();
    assert!(
        tree.nodes
            .iter()
            .all(|n| n.count as usize <= SphereTree::LEAF)
    );
    assert_eq!(
        sorted((0..tree.triangles.len()).map(|i| tree.corners(i))),
        sorted((0..mesh.triangles.len()).map(|i| mesh.corners(i)))
    );
    tree
}

fn below(tree: &SphereTree, node: &Node, points: &mut Vec<Point3<f64>>) {
    let first = node.first as usize;
    if node.is_leaf() {
        for t in first..first + node.count as usize {
            points.extend(tree.corners(t));
        }
    } else {
        below(tree, &tree.nodes[first], points);
        below(tree, &tree.nodes[first + 1], points);
    }
}

#[test]
fn every_ball_is_the_smallest_one() {
    let tree = oracle(&torus(24));
    for node in &tree.nodes {
        let mut points = Vec::new();
        below(&tree, node, &mut points);
        let least = Ball::around(&points).radius;
        // Single precision, the radius and the centre, relative to the size of the whole.
        assert!(
            f64::from(node.radius) <= least * (1.0 + 1e-6) + 1e-7,
            "{node:?}"
        );
        for k in 0..3 {
            let lo = points.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
            let hi = points
                .iter()
                .map(|p| p[k])
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(f64::from(node.box_half[k]) <= (hi - lo) / 2.0 + 2e-7);
        }
    }
}

#[test]
fn covers_everything_that_is_thrown_at_it() {
    let mut r = Random(4);
    for case in 0..400 {
        let n = r.below(60);
        let size = [1e-5, 0.1, 3.0][case % 3];
        let offset = [0.0, 100.0, -1e4][case / 3 % 3];
        oracle(&soup(&mut r, n, size, offset));
    }
    oracle(&soup(&mut r, 20_000, 0.01, 100.0));
}

#[test]
fn copies_of_one_triangle_and_points_in_line() {
    let mut mesh = Mesh {
        vertices: (0..3)
            .map(|i| Point3::new(i as f64, 0.0, (i * i) as f64))
            .collect(),
        triangles: vec![[0, 1, 2]; 1000],
    };
    let tree = oracle(&mesh);
    assert!(
        tree.nodes.len() < 1100,
        "halved where nothing tells them apart"
    );
    // Distances that double each time: a cut by surface would peel off one by one.
    mesh.vertices = (0..200)
        .map(|i| Point3::new(2f64.powi(i / 2), 0.0, 0.0))
        .collect();
    mesh.triangles = (0..199).map(|i| [i, i + 1, i]).collect();
    oracle(&mesh);
}

#[test]
fn the_same_tree_from_any_number_of_threads() {
    let mesh = torus(100);
    let with = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| SphereTree::new(&mesh, 0.0))
    };
    let one = with(1);
    assert_eq!(one, with(3));
    assert_eq!(one, SphereTree::new(&mesh, 0.0));
    let bytes = one.nodes.len() * 48 + one.triangles.len() * 12 + one.vertices.len() * 24;
    assert!(bytes < 150 * mesh.triangles.len(), "{bytes} bytes");
}

#[test]
fn an_empty_mesh_and_a_single_point() {
    assert!(SphereTree::new(&Mesh::default(), 0.0).nodes.is_empty());
    SphereTree::new(&Mesh::default(), 0.0).check().unwrap();
    let point = Mesh {
        vertices: vec![Point3::new(1e-3, 2e3, -5.0)],
        triangles: vec![[0; 3]],
    };
    let tree = SphereTree::new(&point, 0.25);
    tree.check().unwrap();
    assert_eq!((tree.nodes[0].radius, tree.radius), (0.0, 0.25));
}

#[test]
fn damage_is_noticed() {
    let good = SphereTree::new(&torus(12), 0.0);
    let mut r = Random(5);
    // Every bound shrunk by a thousandth, every index changed: each on its own must be noticed.
    for i in 0..good.nodes.len() {
        let mut bad = good.clone();
        match r.below(4) {
            0 => bad.nodes[i].radius *= 0.999,
            1 => bad.nodes[i].box_half = bad.nodes[i].box_half.map(|h| h * 0.999),
            2 => bad.nodes[i].first = bad.nodes[i].first.wrapping_add(1 + r.below(9) as u32),
            _ => bad.nodes[i].count = r.below(1 << 32) as u32 | 4,
        }
        assert!(bad.check().is_err(), "node {i}");
    }
    // Whatever the numbers are, the proof ends without a panic.
    for _ in 0..2_000 {
        let mut bad = good.clone();
        for _ in 0..1 + r.below(3) {
            let i = r.below(bad.nodes.len());
            let node = &mut bad.nodes[i];
            match r.below(5) {
                0 => node.first = r.below(1 << 32) as u32,
                1 => node.count = r.below(3) as u32,
                2 => node.radius = f32::NAN,
                3 => node.first = r.below(good.nodes.len()) as u32,
                _ => bad.triangles[i % good.triangles.len()][1] = r.below(1 << 20) as u32,
            }
        }
        if bad.check().is_ok() {
            let in_leaves: u32 = bad.nodes.iter().map(|n| n.count).sum();
            assert_eq!(in_leaves as usize, bad.triangles.len());
            assert!(bad.nodes.iter().all(|n| n.radius.is_finite()));
        }
    }
}
