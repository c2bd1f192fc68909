//! How a tree is cut into clusters.

use std::ops::Range;

use nalgebra::Vector3;

use super::{Cluster, Clusters, NONE};
use crate::bvh::SphereTree;

/// Most triangles of a cluster.
pub(super) const MOST: usize = 64;
/// Trees of more triangles have no clusters: to find them would take longer than many a question.
pub(super) const MOST_OF_TREE: usize = 20_000;

impl SphereTree {
    /// Its clusters; none where it is too large for them. Found once for each tree.
    pub(crate) fn clusters(&self) -> &Clusters {
        self.clusters.get_or_compute(|| {
            let mut clusters = Clusters::default();
            if !self.nodes.is_empty() && self.triangles.len() <= MOST_OF_TREE {
                clusters.cluster_of_node = vec![NONE; self.nodes.len()];
                cut(&mut clusters, self, 0);
            }
            clusters
        })
    }
}

fn cut(clusters: &mut Clusters, tree: &SphereTree, node: usize) {
    let triangles = below(tree, node);
    if triangles.len() > MOST && !tree.nodes[node].is_leaf() {
        let first = tree.nodes[node].first as usize;
        cut(clusters, tree, first);
        cut(clusters, tree, first + 1);
        return;
    }
    clusters.cluster_of_node[node] = clusters.clusters.len() as u32;
    let of_triangles = tree.triangles[triangles.clone()].iter();
    let mut vertices: Vec<u32> = of_triangles.flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let from_origin = |&v: &u32| tree.vertices[v as usize] - tree.origin;
    let corners: Vec<Vector3<f64>> = vertices.iter().map(from_origin).collect();
    let cluster = Cluster::new(vertices, &corners, triangles);
    clusters.clusters.push(cluster);
}

/// The triangles below a node: those of its leaves lie side by side.
pub(super) fn below(tree: &SphereTree, node: usize) -> Range<usize> {
    let (mut low, mut high) = (&tree.nodes[node], &tree.nodes[node]);
    while !low.is_leaf() {
        low = &tree.nodes[low.first as usize];
    }
    while !high.is_leaf() {
        high = &tree.nodes[high.first as usize + 1];
    }
    low.first as usize..(high.first + high.count) as usize
}
