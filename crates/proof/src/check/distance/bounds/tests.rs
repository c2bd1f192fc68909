use super::*;
use crate::bvh::SphereTree;
use crate::geometry::made::torus;
use crate::geometry::random::Random;
use crate::geometry::triangle::Closest;

/// Triangles below a node, relative to the tree's origin.
fn below(tree: &SphereTree, node: &Node) -> Vec<[nalgebra::Point3<f64>; 3]> {
    let first = node.first as usize;
    if node.is_leaf() {
        let triangles = first..first + node.count as usize;
        return triangles
            .map(|t| tree.corners(t).map(|c| c - tree.origin.coords))
            .collect();
    }
    let children = [first, first + 1].map(|child| below(tree, &tree.nodes[child]));
    children.concat()
}

/// Bounds against all pairs of triangles, near and so far away that f32 is coarse, with and without
/// a direction.
#[test]
fn bounds_are_below_the_distance_and_not_far_below() {
    let mut random = Random(17);
    let tree = SphereTree::new(&torus(6), 0.0);
    let reach = {
        let root = &tree.nodes[0];
        2.0 * (root.ball_center().norm() + f64::from(root.radius))
    };
    let mut close = 0;
    for case in 0..400 {
        let step = [0.5, 1.5, 30.0, 1e4][case % 4];
        let pose = Pose::from(&random.pose(step));
        let mut bounds = NodeBounds::new(&pose, 0.0, reach);
        let direction = random.direction().into_inner();
        if random.one_in(2) {
            bounds.look_along(&pose.rotation.tr_mul(&direction), &direction);
        }
        let mut node = |_| &tree.nodes[random.below(tree.nodes.len())];
        let nodes = [[0; LANES].map(&mut node), [0; LANES].map(&mut node)];
        for (l, bound) in bounds.of(nodes).into_iter().enumerate() {
            let [a, b] = nodes.map(|side| below(&tree, side[l]));
            let mut least = f64::INFINITY;
            for a in &a {
                let a = a.map(|p| nalgebra::Point3::from(pose.apply(&p.coords)));
                for b in &b {
                    least = least.min(Closest::of_triangles(&a, b).distance);
                }
            }
            assert!(
                f64::from(bound) <= least,
                "case {case}: {bound} is above {least}"
            );
            let radii = f64::from(nodes[0][l].radius + nodes[1][l].radius);
            let coarse = 1e-5 * (step + reach);
            assert!(
                f64::from(bound) >= least - 2.0 * radii - coarse,
                "case {case}: {bound} is far below {least}"
            );
            close += usize::from(f64::from(bound) > least - 0.5 * radii - coarse);
        }
    }
    assert!(close > 400, "{close}");
}
