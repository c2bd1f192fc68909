//! Fewer triangles for the eye. What is checked stays as it is.
//!
//! Vertices within a cell of a grid become one. It is put where it lies closest to the planes of
//! all triangles around it, so that edges and corners stay sharp.

use std::collections::{HashMap, HashSet};

use nalgebra::{Matrix3, Vector3};

/// A mesh to be looked at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shown {
    pub(super) vertices: Vec<[f64; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// How far a vertex was moved at most, metres.
    pub(super) moved_m: f64,
}

/// At most so many triangles that look like these.
pub(super) fn decimate(vertices: &[[f64; 3]], triangles: &[[u32; 3]], most: usize) -> Shown {
    let merged = Clusters::new(vertices, triangles, None).shown(vertices, triangles);
    if merged.triangles.len() <= most {
        return merged;
    }
    let extent = extent(vertices, triangles);
    // The number of triangles grows with the square of the number of cells along an edge.
    let mut cells = (most as f64).sqrt().max(2.0);
    let mut best: Option<Shown> = None;
    for _ in 0..8 {
        let size = extent / cells;
        let shown = Clusters::new(vertices, triangles, Some(size)).shown(vertices, triangles);
        let share = shown.triangles.len() as f64 / most as f64;
        let better = |b: &Shown| b.triangles.len() < shown.triangles.len();
        if share <= 1.0 && best.as_ref().is_none_or(better) {
            best = Some(shown);
        }
        if (0.85..=1.0).contains(&share) {
            break;
        }
        cells *= (0.92 / share.max(1e-3)).sqrt().clamp(0.3, 4.0);
    }
    // A mesh that stays above the budget at every try is shown as a box would be.
    best.unwrap_or_else(|| {
        Clusters::new(vertices, triangles, Some(0.6 * extent)).shown(vertices, triangles)
    })
}

/// Longest edge of the box around all triangles, metres.
fn extent(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let corners = || triangles.iter().flatten().map(|&v| vertices[v as usize]);
    let along = |axis: usize| {
        let values = corners().map(|c| c[axis]);
        let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| {
            (lo.min(x), hi.max(x))
        });
        hi - lo
    };
    (0..3).map(along).fold(0.0, f64::max)
}

/// Which vertices become one.
struct Clusters {
    /// Cluster of each vertex; `u32::MAX` for those that no triangle uses.
    of: Vec<u32>,
    count: usize,
    /// Edge of a cell, metres; `None`: only vertices at the same place are one.
    size: Option<f64>,
}

impl Clusters {
    fn new(vertices: &[[f64; 3]], triangles: &[[u32; 3]], size: Option<f64>) -> Self {
        let mut of = vec![u32::MAX; vertices.len()];
        let mut numbers: HashMap<[i64; 3], u32> = HashMap::new();
        for &v in triangles.iter().flatten() {
            let place = vertices[v as usize].map(|x| match size {
                Some(size) => (x / size).floor() as i64,
                // Adding 0 turns −0 into +0.
                None => (x + 0.0).to_bits() as i64,
            });
            let next = numbers.len() as u32;
            of[v as usize] = *numbers.entry(place).or_insert(next);
        }
        Clusters {
            of,
            count: numbers.len(),
            size,
        }
    }

    fn shown(&self, vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Shown {
        let places = self.places(vertices, triangles);
        let mut seen = HashSet::new();
        let mut kept = Vec::new();
        for t in triangles {
            let [a, b, c] = t.map(|v| self.of[v as usize]);
            let mut key = [a, b, c];
            key.sort_unstable();
            if a != b && b != c && a != c && (self.size.is_none() || seen.insert(key)) {
                kept.push([a, b, c]);
            }
        }
        let moved = |v: u32| {
            let place = places[self.of[v as usize] as usize];
            (Vector3::from(vertices[v as usize]) - place).norm()
        };
        Shown {
            moved_m: triangles
                .iter()
                .flatten()
                .map(|&v| moved(v))
                .fold(0.0, f64::max),
            vertices: places.iter().map(|p| (*p).into()).collect(),
            triangles: kept,
        }
    }

    /// Where each cluster's vertex goes.
    fn places(&self, vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Vec<Vector3<f64>> {
        let mut means = vec![(Vector3::zeros(), 0.0); self.count];
        for (v, &cluster) in vertices.iter().zip(&self.of) {
            if let Some(mean) = means.get_mut(cluster as usize) {
                mean.0 += Vector3::from(*v);
                mean.1 += 1.0;
            }
        }
        let means: Vec<Vector3<f64>> = means
            .iter()
            .map(|(sum, n)| sum / f64::max(*n, 1.0))
            .collect();
        let Some(size) = self.size else {
            return means;
        };
        // Sum of squared distances from the planes of the triangles, weighted by their areas: xᵀAx
        // − 2bᵀx, x from the mean.
        let mut planes = vec![(Matrix3::zeros(), Vector3::zeros()); self.count];
        for t in triangles {
            let [a, b, c] = t.map(|v| Vector3::from(vertices[v as usize]));
            let normal = (b - a).cross(&(c - a));
            for v in t {
                let cluster = self.of[*v as usize] as usize;
                let (matrix, vector) = &mut planes[cluster];
                *matrix += normal * normal.transpose();
                *vector += normal * normal.dot(&(a - means[cluster]));
            }
        }
        let best = means.iter().zip(&planes).map(|(mean, (matrix, vector))| {
            let steady = matrix + Matrix3::identity() * (1e-3 * matrix.trace());
            let step = steady
                .try_inverse()
                .map_or(Vector3::zeros(), |i| i * vector);
            let usable = step.iter().all(|x| x.is_finite()) && step.norm() <= size;
            if usable { mean + step } else { *mean }
        });
        best.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit cube whose faces are grids of n × n squares.
    fn cube(n: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for face in 0..6 {
            let (axis, side) = (face / 2, (face % 2) as f64);
            let first = vertices.len() as u32;
            for i in 0..=n {
                for k in 0..=n {
                    let mut v = [0.0; 3];
                    v[axis] = side;
                    v[(axis + 1) % 3] = i as f64 / n as f64;
                    v[(axis + 2) % 3] = k as f64 / n as f64;
                    vertices.push(v);
                }
            }
            let row = n as u32 + 1;
            for i in 0..n as u32 {
                for k in 0..n as u32 {
                    let a = first + i * row + k;
                    triangles.push([a, a + row, a + 1]);
                    triangles.push([a + 1, a + row, a + row + 1]);
                }
            }
        }
        (vertices, triangles)
    }

    #[test]
    fn a_small_mesh_keeps_every_triangle() {
        let (vertices, triangles) = cube(4);
        let shown = decimate(&vertices, &triangles, triangles.len());
        assert_eq!(shown.triangles.len(), triangles.len());
        assert_eq!(shown.moved_m, 0.0);
        // Seams are closed: 6·16 quads on a closed surface have 98 corners.
        assert_eq!(shown.vertices.len(), 98);
    }

    /// The budget holds and is used, no vertex moves farther than is said, and flat faces stay
    /// flat.
    #[test]
    fn a_large_mesh_stays_within_its_budget_and_its_shape() {
        let (vertices, triangles) = cube(64);
        for most in [100, 1000, 10_000] {
            let shown = decimate(&vertices, &triangles, most);
            let n = shown.triangles.len();
            assert!(n <= most && n * 4 >= most, "{n} of {most}");
            for v in &shown.vertices {
                let off_face = v.iter().map(|x| x.abs().min((x - 1.0).abs()));
                let off = off_face.fold(f64::INFINITY, f64::min);
                assert!(off < 0.02, "{v:?} of {most}");
                let distance = |w: &[f64; 3]| (Vector3::from(*w) - Vector3::from(*v)).norm();
                let near = vertices.iter().map(distance).fold(f64::INFINITY, f64::min);
                assert!(near <= shown.moved_m + 1e-12);
            }
        }
    }

    #[test]
    fn what_cannot_be_told_apart_does_no_harm() {
        for (vertices, triangles) in [
            (vec![], vec![]),
            (vec![[1.0; 3]; 3], vec![[0, 1, 2]; 50]),
            (
                vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
                vec![[0, 1, 2]; 50],
            ),
        ] {
            assert!(decimate(&vertices, &triangles, 10).triangles.len() <= 10);
        }
    }
}
