//! A tree cut into clusters of few triangles, with their corners side by side.
//!
//! How far a cluster reaches along a direction is the greatest product with one of its corners:
//! that many corners are looked at faster than boxes around some of them are opened.

use nalgebra::Vector3;

mod cut;

/// Corners side by side.
const LANES: usize = 4;
/// No cluster.
const NONE: u32 = u32::MAX;

/// Every leaf of the tree lies below the first node of exactly one cluster.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    /// By node: the cluster that begins there.
    begins: Vec<u32>,
    clusters: Vec<Cluster>,
}

/// The corners of some triangles, relative to the tree's origin.
#[derive(Debug)]
pub(crate) struct Cluster {
    /// Coordinate by coordinate; the last corner is repeated to fill them up.
    rows: Vec<[[f64; LANES]; 3]>,
    /// Somewhere between the corners.
    pub(crate) middle: Vector3<f64>,
}

/// The corner that reaches farthest along a direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    /// The corner.
    pub(crate) corner: Vector3<f64>,
    /// How far it reaches, metres.
    pub(crate) reach: f64,
}

impl Clusters {
    /// Whether there are some.
    pub(crate) fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// The cluster of everything below this node, if one begins there.
    pub(crate) fn beginning_at(&self, node: u32) -> Option<&Cluster> {
        self.clusters.get(self.begins[node as usize] as usize)
    }
}

impl Cluster {
    /// Of these corners, at least one.
    fn new(corners: impl Iterator<Item = Vector3<f64>>) -> Self {
        let corners: Vec<Vector3<f64>> = corners.collect();
        let side_by_side = |some: &[Vector3<f64>]| {
            let corner = |lane: usize| some[lane.min(some.len() - 1)];
            [0, 1, 2].map(|axis| std::array::from_fn(|lane| corner(lane)[axis]))
        };
        Cluster {
            rows: corners.chunks(LANES).map(side_by_side).collect(),
            middle: corners.iter().sum::<Vector3<f64>>() / corners.len() as f64,
        }
    }

    /// The end along a direction.
    #[allow(clippy::needless_range_loop)] // five arrays are gone through side by side
    pub(crate) fn end(&self, along: &Vector3<f64>) -> End {
        let mut most = [f64::NEG_INFINITY; LANES];
        let mut at = [0_u64; LANES];
        for (row, [x, y, z]) in (0..).zip(&self.rows) {
            for lane in 0..LANES {
                let reach = along.x * x[lane] + along.y * y[lane] + along.z * z[lane];
                let farther = reach > most[lane];
                most[lane] = if farther { reach } else { most[lane] };
                at[lane] = if farther { row } else { at[lane] };
            }
        }
        let lane = (1..LANES).fold(0, |best, k| if most[k] > most[best] { k } else { best });
        let row = &self.rows[at[lane] as usize];
        End {
            corner: Vector3::from(row.map(|lanes| lanes[lane])),
            reach: most[lane],
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
        let above = above + usize::from(tree.clusters().beginning_at(node as u32).is_some());
        let here = &tree.nodes[node];
        if here.is_leaf() {
            seen.push(above);
        } else {
            leaves(tree, here.first as usize, above, seen);
            leaves(tree, here.first as usize + 1, above, seen);
        }
    }

    /// Catches a corner that is left out of its cluster or of the end, a leaf without a cluster or
    /// with two, and the end along another direction.
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
                let Some(cluster) = tree.clusters().beginning_at(node as u32) else {
                    continue;
                };
                let triangles = below(&tree, node);
                assert!((1..=MOST).contains(&triangles.len()));
                let corners = triangles
                    .flat_map(|t| tree.corners(t))
                    .map(|c| c - tree.origin);
                let truth = corners.fold(f64::NEG_INFINITY, |most, c| most.max(along.dot(&c)));
                let end = cluster.end(&along);
                assert!(
                    (end.reach - truth).abs() < 1e-15,
                    "case {case}: {end:?}, {truth}"
                );
                assert!(
                    (along.dot(&end.corner) - truth).abs() < 1e-15,
                    "case {case}"
                );
            }
        }
    }

    /// Catches clusters that are kept by a copy, whose corners may be changed, and clusters of a
    /// tree that is too large.
    #[test]
    fn clusters_are_those_of_the_tree_as_it_is() {
        let tree = SphereTree::new(&cube(1.0), 0.0);
        let end = |tree: &SphereTree| {
            let cluster = tree.clusters().beginning_at(0).expect("a small tree");
            cluster.end(&Vector3::x()).reach
        };
        assert_eq!(end(&tree), 0.5);
        let mut copy = tree.clone();
        copy.vertices.iter_mut().for_each(|v| v.coords *= 2.0);
        assert_eq!(end(&copy), 1.0);
        let large = SphereTree::new(&torus(101), 0.0);
        assert!(large.triangles.len() > MOST_OF_TREE && large.clusters().is_empty());
    }
}
