//! A sphere tree proves that it covers its mesh. Safe on data from anywhere.

mod nodes;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::inside::MOST;
use super::{Node, SphereTree};
use crate::ProofError;
use crate::numeric::UNIT;

fn bad<T>(why: impl Into<String>) -> Result<T, ProofError> {
    Err(ProofError::BadTree(why.into()))
}

impl SphereTree {
    /// Proves the whole invariant: [`structure`](Self::structure), and every vertex below each node
    /// lies in its ball and in its box, with a margin for the rounding of this very proof. The text
    /// says what is wrong.
    pub fn check(&self) -> Result<(), ProofError> {
        self.structure()?;
        if self.nodes.is_empty() {
            return Ok(());
        }
        // Nodes from the root to the current one, by depth.
        let mut ancestors: Vec<usize> = Vec::new();
        let mut open = vec![(0usize, 0usize)];
        while let Some((index, depth)) = open.pop() {
            ancestors.truncate(depth);
            ancestors.push(index);
            let node = &self.nodes[index];
            let first = node.first as usize;
            if !node.is_leaf() {
                open.extend([(first, depth + 1), (first + 1, depth + 1)]);
                continue;
            }
            for triangle in first..first + node.count as usize {
                for corner in self.corners(triangle) {
                    let p = corner - self.origin;
                    if let Some(n) = ancestors.iter().find(|&&n| !contains(&self.nodes[n], &p)) {
                        return bad(format!(
                            "a corner of triangle {triangle} lies outside node {n} above it"
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// The cheap part of [`check`](Self::check), enough to use the tree without any index out of
    /// range or endless loop: every node but the root has one parent, which stands before it; every
    /// triangle is in exactly one leaf; no node lies deeper than [`SphereTree::DEEPEST`]; all
    /// numbers are finite, all indices valid, and every triangle has a side.
    pub fn structure(&self) -> Result<(), ProofError> {
        if !self.origin.iter().all(|x| x.is_finite())
            || !(0.0..f64::INFINITY).contains(&self.radius)
        {
            return bad("the origin or the radius is not a length");
        }
        let (arrays, nodes) = rayon::join(|| self.arrays(), || self.nodes_in_order());
        arrays.and(nodes)
    }

    /// The part of [`structure`](Self::structure) that is not about nodes.
    fn arrays(&self) -> Result<(), ProofError> {
        let finite = |v: &Point3<f64>| v.iter().all(|x| x.is_finite());
        if let Some(i) = self.vertices.par_iter().position_first(|v| !finite(v)) {
            return bad(format!("vertex {i} is not finite"));
        }
        let known = self.vertices.len();
        let valid = |t: &[u32; 3]| t.iter().all(|&v| (v as usize) < known);
        if let Some(i) = self.triangles.par_iter().position_first(|t| !valid(t)) {
            return bad(format!("triangle {i} refers to a vertex that is not there"));
        }
        let known = self.triangles.len();
        if let Some(component) = self.components.iter().find(|&&t| t as usize >= known) {
            return bad(format!(
                "a component refers to triangle {component}, which is not there"
            ));
        }
        if !self.components.is_sorted() {
            return bad("the components are not in order");
        }
        let known = |side: &i8| (-MOST..=MOST).contains(side);
        if self.sides.len() != self.triangles.len() || !self.sides.iter().all(known) {
            return bad("the sides of the triangles are not known");
        }
        Ok(())
    }

    /// The part of [`structure`](Self::structure) that is about nodes.
    fn nodes_in_order(&self) -> Result<(), ProofError> {
        if self.nodes.is_empty() {
            return if self.triangles.is_empty() {
                Ok(())
            } else {
                bad("there are triangles but no nodes")
            };
        }
        let unseen = u8::MAX;
        let mut depth = vec![unseen; self.nodes.len()];
        depth[0] = 0;
        let mut in_leaf = vec![false; self.triangles.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            let numbers = [node.center, node.box_center, node.box_half];
            let sizes = [
                node.radius,
                node.box_half[0],
                node.box_half[1],
                node.box_half[2],
            ];
            if !numbers.as_flattened().iter().all(|x| x.is_finite())
                || !sizes.iter().all(|x| (0.0..f32::INFINITY).contains(x))
            {
                return bad(format!("node {i} has no proper ball or box"));
            }
            // Parents stand before their children, so the depth is known by now.
            if depth[i] == unseen {
                return bad(format!("node {i} has no parent before it"));
            }
            let first = node.first as usize;
            let below = if node.is_leaf() {
                node.count as usize
            } else {
                2
            };
            let end = first.saturating_add(below);
            if node.is_leaf() {
                let Some(range) = in_leaf.get_mut(first..end) else {
                    return bad(format!("leaf {i} refers to a triangle that is not there"));
                };
                if range.iter().any(|&seen| seen) {
                    return bad(format!("a triangle of leaf {i} is in another leaf too"));
                }
                range.fill(true);
            } else {
                if first <= i || depth[i] as usize >= SphereTree::DEEPEST {
                    return bad(format!("node {i} has children before it or too deep"));
                }
                let below = depth[i] + 1;
                let Some(range) = depth.get_mut(first..end) else {
                    return bad(format!("node {i} refers to a child that is not there"));
                };
                if range.iter().any(|&d| d != unseen) {
                    return bad(format!("a child of node {i} has another parent too"));
                }
                range.fill(below);
            }
        }
        match in_leaf.iter().position(|&seen| !seen) {
            Some(i) => bad(format!("triangle {i} is in no leaf")),
            None => Ok(()),
        }
    }
}

/// Whether the point, relative to the tree's origin and off by one rounding of itself, surely lies
/// in ball and box.
fn contains(node: &Node, p: &Vector3<f64>) -> bool {
    let from_center = p - node.ball_center();
    ball_reaches(node, from_center.norm(), p.norm()) && in_box(node, p)
}

/// Whether a ball surely reaches to a point so far from its centre, and so far from the tree's
/// origin.
fn ball_reaches(node: &Node, distance: f64, from_origin: f64) -> bool {
    distance * (1.0 + 8.0 * UNIT) + 2.0 * UNIT * from_origin <= f64::from(node.radius)
}

/// Whether the box surely holds a point.
fn in_box(node: &Node, p: &Vector3<f64>) -> bool {
    let from_center = p - node.aabb()[0];
    (0..3).all(|k| {
        from_center[k].abs() * (1.0 + 4.0 * UNIT) + 2.0 * UNIT * p[k].abs()
            <= f64::from(node.box_half[k])
    })
}
