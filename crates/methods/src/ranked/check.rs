//! A ranked cover proves that it covers its mesh.

use clearance_proof::geometry::triangle::Closest;
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::{MeshFaces, RankedCover};

use crate::rounding::UNIT;

/// Pieces smaller than this share of the smallest sphere are not cut any further.
const SMALLEST: f64 = 1.0 / 65536.0;

/// A place on a mesh that is not known to be covered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncovered {
    /// Triangle that it lies on.
    pub triangle: usize,
    /// The place, in the mesh's frame, metres.
    pub point: Point3<f64>,
}

/// A piece of a triangle, relative to the cover's origin.
type Piece = [Vector3<f64>; 3];

/// Rank and index of a sphere.
type At = (usize, usize);

pub(super) fn prove(cover: &RankedCover, faces: MeshFaces) -> Result<(), Uncovered> {
    let MeshFaces {
        vertices,
        triangles,
    } = faces;
    let reach = triangles.iter().flatten();
    let reach = reach
        .map(|&v| (vertices[v as usize] - cover.origin).norm())
        .fold(0.0, f64::max);
    let leaves = cover.ranks.last().into_iter().flatten();
    let least = leaves
        .map(|s| f64::from(s.radius))
        .fold(f64::INFINITY, f64::min);
    // Corners of pieces are halves of sums, and distances to them are rounded.
    let slack = 16.0 * UNIT * reach;
    let proof = Proof {
        cover,
        slack,
        smallest: (least * SMALLEST).max(slack),
    };
    let start: Vec<At> = match cover.ranks.first() {
        Some(first) => (0..first.len()).map(|i| (0, i)).collect(),
        None => Vec::new(),
    };
    let uncovered = triangles
        .par_iter()
        .enumerate()
        .find_map_first(|(triangle, corners)| {
            let piece = corners.map(|v| vertices[v as usize] - cover.origin);
            let place = proof.uncovered(&piece, &start)?;
            let point = cover.origin + place;
            Some(Uncovered { triangle, point })
        });
    uncovered.map_or(Ok(()), Err)
}

struct Proof<'c> {
    cover: &'c RankedCover,
    slack: f64,
    smallest: f64,
}

impl Proof<'_> {
    /// A place of the piece for which no chain of spheres was found. All spheres above those in
    /// `open` contain the piece.
    fn uncovered(&self, piece: &Piece, open: &[At]) -> Option<Vector3<f64>> {
        let last = self.cover.ranks.len().saturating_sub(1);
        let mut queue = open.to_vec();
        let mut open = Vec::new();
        while let Some((rank, index)) = queue.pop() {
            let sphere = &self.cover.ranks[rank][index];
            let (center, radius) = (sphere.place(), f64::from(sphere.radius));
            let farthest = piece.map(|c| (c - center).norm()).into_iter();
            if farthest.fold(0.0, f64::max) + self.slack <= radius {
                if rank == last {
                    return None;
                }
                queue.extend(self.cover.below(rank, index).map(|i| (rank + 1, i)));
            } else if meets(piece, &center, radius) {
                open.push((rank, index));
            }
        }
        // A sphere that contains the whole piece contains its parts, so only the other spheres are
        // left to look at.
        let (longest, start) = (0..3)
            .map(|k| ((piece[k] - piece[(k + 1) % 3]).norm(), k))
            .fold((-1.0, 0), |m, e| if e.0 > m.0 { e } else { m });
        if open.is_empty() || longest <= self.smallest {
            return Some((piece[0] + piece[1] + piece[2]) / 3.0);
        }
        let [a, b, c] = [0, 1, 2].map(|k| piece[(start + k) % 3]);
        let middle = (a + b) / 2.0;
        self.uncovered(&[a, middle, c], &open)
            .or_else(|| self.uncovered(&[middle, b, c], &open))
    }
}

/// Whether a piece comes near a sphere at all. Wrong answers would cost time or the proof, never
/// its truth.
fn meets(piece: &Piece, center: &Vector3<f64>, radius: f64) -> bool {
    let [a, b, c] = piece;
    let middle = (a + b + c) / 3.0;
    let size2 = piece
        .map(|c| (c - middle).norm_squared())
        .into_iter()
        .fold(0.0, f64::max);
    let size = size2.sqrt();
    let reach = radius + size;
    if (middle - center).norm_squared() > reach * reach {
        return false;
    }
    // Only of pieces that are larger than the sphere does the exact distance say much more.
    size < radius
        || Closest::of_point(&Point3::from(*center), &piece.map(Point3::from)).distance <= radius
}
