use std::path::Path;

use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::geometry::random::Random;

use super::*;

const BOTH: [Combine; 2] = [Combine::Compact, Combine::Greedy];

/// Any triangles: round ones, needles, points, large and small, some far from the others.
fn any_triangles(random: &mut Random, count: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..count {
        let size = 10f64.powf(-4.0 * random.unit());
        let thin = [1.0, 1e-3, 1e-9, 0.0][random.below(4)];
        let place = random.vector();
        let (along, across) = (random.vector() * size, random.vector() * size * thin);
        for k in 0..3 {
            let share = if random.below(20) == 0 {
                0.0
            } else {
                random.signed()
            };
            let aside = [0.0, 1.0, random.signed()][k];
            mesh.vertices
                .push(Point3::from(place + along * share + across * aside));
        }
        mesh.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
    }
    mesh
}

/// One right triangle with legs of that length.
fn corner(length: f64) -> SphereTree {
    let mesh = Mesh {
        vertices: vec![
            Point3::origin(),
            Point3::new(length, 0.0, 0.0),
            Point3::new(0.0, length, 0.0),
        ],
        triangles: vec![[0, 1, 2]],
    };
    SphereTree::new(&mesh, 0.0)
}

#[test]
fn trees_of_our_robots_cover_their_meshes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robots");
    let mut seen = 0;
    for robot in ["arm6", "scara"] {
        for entry in std::fs::read_dir(root.join(robot).join("meshes")).unwrap() {
            let file = entry.unwrap().path();
            let mesh = clearance_formats::mesh::load(&file, Vector3::repeat(1.0))
                .unwrap()
                .mesh;
            let shape = SphereTree::new(&mesh, 0.0);
            let size = f64::from(shape.nodes[0].radius);
            for combine in BOTH {
                let whole = BallTree::new(&shape, combine, BallLeaves::Whole).unwrap();
                assert_eq!(whole.check(), Ok(()), "{}", file.display());
                assert_eq!(whole.leaves(), mesh.triangles.len());
                let radius = size / 24.0;
                let tiled = BallTree::new(&shape, combine, BallLeaves::Tiled { radius }).unwrap();
                assert_eq!(tiled.check(), Ok(()), "{}", file.display());
                for node in &tiled.nodes {
                    let leaf = matches!(node.below, Below::Triangle(_));
                    assert!(!leaf || node.radius <= radius * (1.0 + 1e-12));
                }
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 21, "meshes of our robots");
}

#[test]
fn any_triangles_are_covered() {
    let mut random = Random(31);
    let mut tiles = 0;
    for case in 0..400 {
        let count = 1 + random.below(12) as u32;
        let shape = SphereTree::new(&any_triangles(&mut random, count), 0.0);
        let size = f64::from(shape.nodes[0].radius);
        for combine in BOTH {
            let whole = BallTree::new(&shape, combine, BallLeaves::Whole).unwrap();
            assert_eq!(whole.check(), Ok(()), "case {case}");
            let radius = size.max(1e-6) * 10f64.powf(-1.7 * random.unit());
            let tiled = BallTree::new(&shape, combine, BallLeaves::Tiled { radius }).unwrap();
            assert_eq!(tiled.check(), Ok(()), "case {case}, leaf radius {radius}");
            tiles += tiled.leaves() - whole.leaves();
        }
    }
    assert!(tiles > 3000, "{tiles}");
}

#[test]
fn a_ball_that_is_too_small_is_found() {
    let mut random = Random(32);
    let mesh = clearance_proof::geometry::made::torus(12);
    let shape = SphereTree::new(&mesh, 0.0);
    let compact = BallTree::new(&shape, Combine::Compact, BallLeaves::Whole).unwrap();
    let greedy = BallTree::new(&shape, Combine::Greedy, BallLeaves::Whole).unwrap();
    for n in 0..compact.nodes.len() {
        // Every compact ball is tight, inner ones too.
        let mut broken = compact.clone();
        broken.nodes[n].radius *= 1.0 - 1e-9;
        assert!(
            broken
                .check()
                .unwrap_err()
                .to_string()
                .contains("not covered"),
            "node {n}"
        );
        // So are the leaves of a greedy tree; what is above them has room to spare, but not for a
        // ball somewhere else.
        let mut broken = greedy.clone();
        broken.nodes[n].center += random.vector().normalize() * 2.5;
        assert!(
            broken
                .check()
                .unwrap_err()
                .to_string()
                .contains("not covered"),
            "node {n}"
        );
    }
}

#[test]
fn a_hole_between_tiles_is_found() {
    let radius = 0.05;
    let tree = BallTree::new(&corner(1.0), Combine::Greedy, BallLeaves::Tiled { radius }).unwrap();
    assert_eq!(tree.check(), Ok(()));
    let mut holes = 0;
    for n in 0..tree.nodes.len() {
        let node = tree.nodes[n];
        if matches!(node.below, Below::Triangle(_)) && node.radius > 0.9 * radius {
            let mut broken = tree.clone();
            broken.nodes[n].radius *= 0.6;
            assert!(
                broken
                    .check()
                    .unwrap_err()
                    .to_string()
                    .contains("not covered"),
                "node {n}"
            );
            holes += 1;
        }
    }
    // Half the area is 0.5 m², a square of a tile 0.005 m².
    assert!((80..130).contains(&holes), "{holes}");
}

#[test]
fn a_tree_out_of_order_is_found() {
    let tree = BallTree::new(
        &corner(1.0),
        Combine::Greedy,
        BallLeaves::Tiled { radius: 0.2 },
    )
    .unwrap();
    let changed = |n: usize, below: Below| {
        let mut broken = tree.clone();
        broken.nodes[n].below = below;
        broken.check().unwrap_err().to_string()
    };
    assert!(changed(0, Below::Nodes(0)).contains("cannot be below"));
    assert!(changed(1, Below::Nodes(1)).contains("cannot be below"));
    assert!(changed(0, Below::Nodes(tree.nodes.len() as u32)).contains("cannot be below"));
    assert!(changed(0, Below::Triangle(0)).contains("no parent"));
    let last = tree.nodes.len() - 1;
    assert!(changed(last, Below::Triangle(1)).contains("not there"));
    let mut broken = tree.clone();
    broken.nodes[last].center.x = f64::NAN;
    assert!(
        broken
            .check()
            .unwrap_err()
            .to_string()
            .contains("not a ball")
    );
}

#[test]
fn levels_count_every_node_once() {
    let shape = SphereTree::new(&clearance_proof::geometry::made::torus(20), 0.0);
    let [compact, greedy] =
        BOTH.map(|combine| BallTree::new(&shape, combine, BallLeaves::Whole).unwrap());
    let (c, g) = (compact.levels(), greedy.levels());
    assert_eq!(c.iter().map(|l| l.nodes).sum::<usize>(), 2 * 800 - 1);
    assert_eq!(c[0].nodes, 1);
    assert_eq!(c[0].mean_radius, compact.nodes[0].radius);
    assert_eq!(c.len(), g.len(), "both are cut alike");
    // The claim for compact trees, on every level.
    for (depth, (c, g)) in c.iter().zip(&g).enumerate() {
        assert_eq!(c.nodes, g.nodes);
        assert!(
            c.mean_radius <= g.mean_radius * (1.0 + 1e-12),
            "level {depth}"
        );
    }
    assert!(c[0].mean_radius < 0.95 * g[0].mean_radius);
}

#[test]
fn too_many_tiles_are_refused_with_a_remedy() {
    let shape = corner(100.0);
    let error = |radius| {
        BallTree::new(&shape, Combine::Greedy, BallLeaves::Tiled { radius })
            .unwrap_err()
            .to_string()
    };
    let refused = error(0.001);
    let (_, advised) = refused.split_once("`--leaf-radius ").unwrap();
    let (advised, _) = advised.split_once("mm` fits").unwrap();
    let advised = advised.parse::<f64>().unwrap() * 1e-3;
    assert!((0.02..0.05).contains(&advised), "{refused}");
    let fit = |radius, shapes: &[&SphereTree]| BallTree::tiles_fit(shapes.iter().copied(), radius);
    assert_eq!(fit(advised, &[&shape]), Ok(()));
    // Every shape takes its share.
    assert!(fit(advised, &[&shape, &shape]).is_err());
    assert!(error(0.0).contains("above 0"));
    assert!(error(f64::NAN).contains("above 0"));
}

#[test]
fn an_empty_shape_has_no_nodes() {
    let shape = SphereTree::new(&Mesh::default(), 0.0);
    for leaves in [BallLeaves::Whole, BallLeaves::Tiled { radius: 1.0 }] {
        let tree = BallTree::new(&shape, Combine::Greedy, leaves).unwrap();
        assert_eq!(tree.check(), Ok(()));
        assert!(tree.nodes.is_empty() && tree.levels().is_empty());
    }
}
