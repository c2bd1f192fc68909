//! A tree cut into clusters of few triangles, with their corners side by side.
//!
//! How far a cluster reaches along a direction is the greatest product with one of its corners:
//! that many corners are looked at faster than boxes around some of them are opened.

use std::ops::Range;

use nalgebra::Vector3;

use crate::geometry::packed_corners::{PackedCorners, SupportPoint};

mod cut;

/// No cluster.
const NONE: u32 = u32::MAX;

/// Every leaf of the tree lies below the first node of exactly one cluster.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    /// By node: the cluster that begins there.
    cluster_of_node: Vec<u32>,
    clusters: Vec<Cluster>,
}

/// The corners of some triangles, relative to the tree's origin.
#[derive(Debug)]
pub(crate) struct Cluster {
    corners: PackedCorners,
    /// Which of the tree's corners they are, in the same order.
    vertices: Vec<u32>,
    /// Which of the tree's triangles they belong to.
    triangles: Range<usize>,
    /// Somewhere between the corners.
    pub(crate) middle: Vector3<f64>,
}

/// The corner that reaches farthest along a direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SupportVertex {
    /// The corner.
    pub(crate) corner: Vector3<f64>,
    /// Which of the tree's corners it is.
    pub(crate) vertex: u32,
    /// How far it reaches, metres.
    pub(crate) reach: f64,
}

impl Clusters {
    /// Whether there are some.
    pub(crate) fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// The cluster of everything below this node, if one begins there.
    pub(crate) fn at_node(&self, node: u32) -> Option<&Cluster> {
        self.clusters
            .get(self.cluster_of_node[node as usize] as usize)
    }
}

impl Cluster {
    /// A cluster of at least one corner: the corners' numbers in the tree, their places, and the
    /// triangles that they belong to.
    fn new(vertices: Vec<u32>, corners: &[Vector3<f64>], triangles: Range<usize>) -> Self {
        Cluster {
            corners: PackedCorners::new(corners),
            middle: corners.iter().sum::<Vector3<f64>>() / corners.len() as f64,
            vertices,
            triangles,
        }
    }

    /// The triangle of this cluster that has the first of `vertices` and the most of the others.
    /// `triangles` are those of the tree, `vertices` numbers of its corners.
    pub(crate) fn triangle_with(&self, triangles: &[[u32; 3]], vertices: &[u32]) -> usize {
        let mut best = self.triangles.start;
        let mut most = 0;
        for triangle in self.triangles.clone() {
            let corners = &triangles[triangle];
            // Few triangles have the first one: the others need not be looked for in the rest.
            if !vertices.first().is_some_and(|v| corners.contains(v)) {
                continue;
            }
            let count = vertices.iter().filter(|v| corners.contains(v)).count();
            if count > most {
                (best, most) = (triangle, count);
                if most == vertices.len() {
                    break;
                }
            }
        }
        best
    }

    /// The end along a direction.
    pub(crate) fn support(&self, along: &Vector3<f64>) -> SupportVertex {
        let SupportPoint {
            index,
            corner,
            reach,
        } = self.corners.support(along);
        SupportVertex {
            corner,
            vertex: self.vertices[index],
            reach,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cut::{MOST, MOST_OF_TREE, below};
    use super::*;
    use crate::bvh::SphereTree;
    use crate::check::fixture::{cube, shape};
    use crate::geometry::made::{together, torus};
    use crate::geometry::random::Random;

    /// Nodes above a leaf at which a cluster begins, and the leaves below them.
    fn leaves(tree: &SphereTree, node: usize, above: usize, seen: &mut Vec<usize>) {
        let above = above + usize::from(tree.clusters().at_node(node as u32).is_some());
        let here = &tree.nodes[node];
        if here.is_leaf() {
            seen.push(above);
        } else {
            leaves(tree, here.first as usize, above, seen);
            leaves(tree, here.first as usize + 1, above, seen);
        }
    }

    /// Catches a corner that is left out of its cluster or of the end, a leaf without a cluster or
    /// with two, the end along another direction, and another corner's number or triangle.
    #[test]
    fn every_corner_counts_for_the_end_of_its_cluster() {
        let mut random = Random(61);
        for case in 0..200 {
            let mesh = match case % 4 {
                0 => torus(5 + (case % 9) as u32),
                1 => together(&[cube(1.0), torus(6)]),
                _ => shape(&mut random, 1.0, case % 8 < 4).0,
            };
            let tree = SphereTree::new(&mesh, 0.0);
            let mut seen = Vec::new();
            leaves(&tree, 0, 0, &mut seen);
            assert!(
                seen.iter().all(|&above| above == 1),
                "case {case}: {seen:?}"
            );
            let along = random.direction().into_inner();
            for (node, _) in tree.nodes.iter().enumerate() {
                let Some(cluster) = tree.clusters().at_node(node as u32) else {
                    continue;
                };
                let triangles = below(&tree, node);
                assert!((1..=MOST).contains(&triangles.len()));
                let corners = triangles
                    .flat_map(|t| tree.corners(t))
                    .map(|c| c - tree.origin);
                let truth = corners.fold(f64::NEG_INFINITY, |most, c| most.max(along.dot(&c)));
                let end = cluster.support(&along);
                assert!(
                    (end.reach - truth).abs() < 1e-15,
                    "case {case}: {end:?}, {truth}"
                );
                assert!(
                    (along.dot(&end.corner) - truth).abs() < 1e-15,
                    "case {case}"
                );
                let own = |v: u32| tree.vertices[v as usize] - tree.origin;
                assert_eq!(own(end.vertex), end.corner, "case {case}");
                // Every corner of every triangle, and the whole triangle.
                for t in below(&tree, node) {
                    let vertices = tree.triangles[t];
                    let with = cluster.triangle_with(&tree.triangles, &vertices);
                    let shared = vertices.iter().all(|v| tree.triangles[with].contains(v));
                    assert!(shared && below(&tree, node).contains(&with), "case {case}");
                }
                let with = cluster.triangle_with(&tree.triangles, &[end.vertex]);
                assert!(tree.triangles[with].contains(&end.vertex), "case {case}");
            }
        }
    }

    /// Catches clusters that are kept by a copy, whose corners may be changed, and clusters of a
    /// tree that is too large.
    #[test]
    fn clusters_are_those_of_the_tree_as_it_is() {
        let tree = SphereTree::new(&cube(1.0), 0.0);
        let end = |tree: &SphereTree| {
            let cluster = tree.clusters().at_node(0).expect("a small tree");
            cluster.support(&Vector3::x()).reach
        };
        assert_eq!(end(&tree), 0.5);
        let mut copy = tree.clone();
        copy.vertices.iter_mut().for_each(|v| v.coords *= 2.0);
        assert_eq!(end(&copy), 1.0);
        let large = SphereTree::new(&torus(101), 0.0);
        assert!(large.triangles.len() > MOST_OF_TREE && large.clusters().is_empty());
    }
}
