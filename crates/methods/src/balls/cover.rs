//! A tree of balls proves that it covers its triangles.

use crate::error::{MethodError, bad_cover};
use crate::rounding::UNIT;
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::{BallTree, Below};

/// Triangles are halved at most so often: a piece of 1 m is then far below a nanometre.
const DEEPEST: usize = 96;

impl BallTree {
    /// Proves that every node has one parent, which stands before it, and that every point of every
    /// triangle lies in a leaf of that triangle and in each ball above that leaf. It knows nothing
    /// of how the tree was built: a triangle that is in no leaf as a whole is halved until its
    /// pieces are. The text says what is wrong.
    pub fn check(&self) -> Result<(), MethodError> {
        let parents = self.parents()?;
        let mut leaves = vec![Vec::new(); self.triangles.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            if let Below::Triangle(t) = node.below {
                leaves[t as usize].push(n);
            }
        }
        let corners = self.triangles.iter().flatten();
        let proof = Proof {
            tree: self,
            parents: &parents,
            rounding: 4.0 * UNIT * corners.map(Vector3::norm).fold(0.0, f64::max),
        };
        self.triangles
            .par_iter()
            .zip(leaves)
            .enumerate()
            .try_for_each(|(t, (corners, leaves))| {
                proof.covered(corners, &leaves, 0).map_err(|p| {
                    let p = Point3::from(p);
                    MethodError::BadCover(format!("triangle {t} is not covered near {p}"))
                })
            })
    }

    /// The parent of every node; of the root, itself.
    fn parents(&self) -> Result<Vec<usize>, MethodError> {
        const NONE: usize = usize::MAX;
        let mut parents = vec![NONE; self.nodes.len()];
        if let Some(root) = parents.first_mut() {
            *root = 0;
        }
        for (n, node) in self.nodes.iter().enumerate() {
            if parents[n] == NONE {
                return bad_cover(format!("node {n} has no parent before it"));
            }
            if !(node.center.iter().all(|x| x.is_finite()) && node.radius.is_finite()) {
                return bad_cover(format!("node {n} is not a ball"));
            }
            match node.below {
                Below::Triangle(t) if t as usize >= self.triangles.len() => {
                    return bad_cover(format!("node {n} holds triangle {t}, which is not there"));
                }
                Below::Triangle(_) => {}
                Below::Nodes(first) => {
                    let first = first as usize;
                    for child in [first, first + 1] {
                        if child <= n || parents.get(child) != Some(&NONE) {
                            return bad_cover(format!("node {child} cannot be below node {n}"));
                        }
                        parents[child] = n;
                    }
                }
            }
        }
        Ok(parents)
    }
}

struct Proof<'t> {
    tree: &'t BallTree,
    parents: &'t [usize],
    /// How far a corner is moved by one halving at most, metres.
    rounding: f64,
}

impl Proof<'_> {
    /// Whether a piece of a triangle, `halvings` after the whole, lies in the `leaves` given; else
    /// a point near which it does not.
    fn covered(
        &self,
        piece: &[Vector3<f64>; 3],
        leaves: &[usize],
        halvings: usize,
    ) -> Result<(), Vector3<f64>> {
        if leaves.iter().any(|&leaf| self.holds(leaf, piece, halvings)) {
            return Ok(());
        }
        let middle = (piece[0] + piece[1] + piece[2]) / 3.0;
        let reach = piece
            .iter()
            .map(|p| (p - middle).norm())
            .fold(0.0, f64::max);
        let near: Vec<usize> = leaves
            .iter()
            .copied()
            .filter(|&leaf| {
                let node = &self.tree.nodes[leaf];
                (node.center - middle).norm() <= node.radius + reach * 1.001
            })
            .collect();
        if near.is_empty() || halvings == DEEPEST {
            return Err(middle);
        }
        let length = |k: usize| (piece[(k + 1) % 3] - piece[k]).norm_squared();
        let k = (0..3).fold(0, |best, k| if length(k) > length(best) { k } else { best });
        let [a, b, c] = [0, 1, 2].map(|i| piece[(k + i) % 3]);
        let half = (a + b) / 2.0;
        self.covered(&[a, half, c], &near, halvings + 1)?;
        self.covered(&[half, b, c], &near, halvings + 1)
    }

    /// Whether a piece lies in a leaf and in everything above it; balls are convex, so the corners
    /// tell.
    fn holds(&self, leaf: usize, piece: &[Vector3<f64>; 3], halvings: usize) -> bool {
        let rounding = self.rounding * halvings as f64;
        let mut n = leaf;
        loop {
            let node = &self.tree.nodes[n];
            let within = |p: &Vector3<f64>| {
                (p - node.center).norm() * (1.0 + 6.0 * UNIT) + rounding <= node.radius
            };
            if !piece.iter().all(within) {
                return false;
            }
            if n == 0 {
                return true;
            }
            n = self.parents[n];
        }
    }
}
