//! Features of two triangulated parts: a corner of one against a face of the other, or an edge of
//! each.
//!
//! Two surfaces that come to touch do so first in such a pair. Its signed volume, det [u v w],
//! vanishes then: for a corner p and a face with corners f₀ f₁ f₂ with u = f₁ − f₀, v = f₂ − f₀,
//! w = p − f₀; for edges a₀a₁ and b₀b₁ with u = a₁ − a₀, v = b₁ − b₀, w = b₀ − a₀. With cubic paths
//! that is a polynomial of degree 9.

use nalgebra::{Point3, Vector3};

use crate::bvh::SphereTree;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::pose::Pose;
use crate::geometry::triangle::Closest;
use crate::motion::Cubic;
use crate::numeric::bernstein::{self, Bernstein};

/// Two features that can meet. Vertices and triangles are indices into the trees of a pair of parts
/// (a, b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex of a against a triangle of b.
    VertexFace(u32, u32),
    /// A triangle of a against a vertex of b.
    FaceVertex(u32, u32),
    /// An edge of a against an edge of b, both with the smaller index first.
    EdgeEdge([u32; 2], [u32; 2]),
}

/// Appends the features of two triangles: six corners against faces, nine pairs of edges.
pub fn of_triangles([ta, tb]: [&SphereTree; 2], [i, k]: [u32; 2], out: &mut Vec<Feature>) {
    let (a, b) = (ta.triangles[i as usize], tb.triangles[k as usize]);
    // A triangle that uses a corner twice is an edge or a point: its edges stand for it.
    let is_face = |[x, y, z]: [u32; 3]| x != y && y != z && z != x;
    if is_face(b) {
        out.extend(a.map(|v| Feature::VertexFace(v, k)));
    }
    if is_face(a) {
        out.extend(b.map(|v| Feature::FaceVertex(i, v)));
    }
    let edges = |[x, y, z]: [u32; 3]| [[x, y], [y, z], [z, x]].map(|[v, w]| [v.min(w), v.max(w)]);
    for edge_a in edges(a) {
        out.extend(edges(b).map(|edge_b| Feature::EdgeEdge(edge_a, edge_b)));
    }
}

/// The four points of two features, those of part a first: of each something, a place or a path.
#[derive(Debug, Clone, Copy)]
pub struct Points<T> {
    all: [T; 4],
    /// How many of them belong to part a.
    of_a: usize,
}

impl<T> Points<T> {
    /// Those of part a, and those of part b.
    pub fn sides(&self) -> [&[T]; 2] {
        let (a, b) = self.all.split_at(self.of_a);
        [a, b]
    }

    fn map<U>(&self, mut to: impl FnMut(&T, usize) -> U) -> Points<U> {
        let of_a = self.of_a;
        let side = |k: usize| usize::from(k >= of_a);
        Points {
            all: [0, 1, 2, 3].map(|k| to(&self.all[k], side(k))),
            of_a,
        }
    }
}

impl Points<Vector3<f64>> {
    /// In the frames of their parts.
    pub fn of(scene: &Scene, pair: &PartPair, feature: &Feature) -> Self {
        let (ta, tb) = (&scene.parts[pair.a].tree, &scene.parts[pair.b].tree);
        let at = |tree: &SphereTree, v: u32| tree.vertices[v as usize] - tree.origin;
        let (all, of_a) = match *feature {
            Feature::VertexFace(v, t) => {
                let [x, y, z] = tb.triangles[t as usize].map(|w| at(tb, w));
                ([at(ta, v), x, y, z], 1)
            }
            Feature::FaceVertex(t, v) => {
                let [x, y, z] = ta.triangles[t as usize].map(|w| at(ta, w));
                ([x, y, z, at(tb, v)], 3)
            }
            Feature::EdgeEdge([a0, a1], [b0, b1]) => {
                ([at(ta, a0), at(ta, a1), at(tb, b0), at(tb, b1)], 2)
            }
        };
        Points { all, of_a }
    }

    /// In the common frame, from the poses of both parts.
    pub fn placed(&self, poses: &[Pose; 2]) -> Self {
        self.map(|p, side| poses[side].apply(p))
    }

    /// In motion.
    pub fn moving(&self, cubics: [&Cubic; 2]) -> Points<Path3> {
        self.map(|p, side| cubics[side].path(p))
    }

    /// Six times the signed volume.
    pub fn volume(&self) -> f64 {
        let [u, v, w] = spanned(self.of_a, &self.all);
        u.cross(&v).dot(&w)
    }

    /// Distance of the two features, and the direction from b to a between their closest points.
    pub fn distance(&self) -> (f64, Vector3<f64>) {
        let [p, q, r, s] = self.all.map(Point3::from);
        let (closest, turned) = match self.of_a {
            1 => (Closest::of_point(&p, &[q, r, s]), false),
            3 => (Closest::of_point(&s, &[p, q, r]), true),
            _ => (Closest::of_segments(&[p, q], &[r, s]), false),
        };
        let n = closest.point_a - closest.point_b;
        (closest.distance, if turned { -n } else { n })
    }
}

/// The path of a point: control points of a cubic.
pub type Path3 = [Vector3<f64>; 4];

impl Points<Path3> {
    /// The signed volume over the interval, and how far the true one can be from it when the points
    /// of the two parts are off by at most `error` (metres, their sum) – rounding included.
    pub fn determinant(&self, error: f64) -> (Bernstein, f64) {
        let [u, v, w] = spanned_paths(self.of_a, &self.all);
        let size = |path: &Path3| path.iter().map(|p| p.norm()).fold(0.0, f64::max);
        let [a, b, c] = [size(&u), size(&v), size(&w)];
        let most = (a + 2.0 * error) * (b + 2.0 * error) * (c + error);
        (
            determinant(&u, &v, &w),
            (most - a * b * c) * (1.0 + 1e-12) + bernstein::ROUNDING * most,
        )
    }

    /// Where everything is at the share `u` of the interval.
    pub fn at(&self, u: f64) -> Points<Vector3<f64>> {
        self.map(|path, _| {
            let [a, b, c, d] = path;
            let v = 1.0 - u;
            a * (v * v * v) + b * (3.0 * v * v * u) + c * (3.0 * v * u * u) + d * (u * u * u)
        })
    }

    /// The same motion over a part of the interval.
    pub fn over(&self, [u0, u1]: [f64; 2]) -> Self {
        self.map(|path, _| restrict(path, u0, u1))
    }

    /// Bound on how far points of the two move against each other from any instant of the interval
    /// to any other, metres.
    pub fn travel(&self) -> f64 {
        let of = |side: &[Path3]| {
            side.iter()
                .flat_map(|path| path.iter().map(move |p| (p - path[0]).norm()))
                .fold(0.0, f64::max)
        };
        let [a, b] = self.sides();
        2.0 * (of(a) + of(b))
    }
}

/// Least distance that a direction from b to a proves for the whole interval (may be negative), by
/// the control points.
pub fn separation(a: &[Path3], b: &[Path3], n: &Vector3<f64>) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..4 {
        let low = a
            .iter()
            .map(|path| n.dot(&path[i]))
            .fold(f64::INFINITY, f64::min);
        let high = b
            .iter()
            .map(|path| n.dot(&path[i]))
            .fold(f64::NEG_INFINITY, f64::max);
        least = least.min(low - high);
    }
    least
}

/// The three vectors whose determinant is the volume.
fn spanned(of_a: usize, [p, q, r, s]: &[Vector3<f64>; 4]) -> [Vector3<f64>; 3] {
    match of_a {
        1 => [r - q, s - q, p - q],
        3 => [q - p, r - p, s - p],
        _ => [q - p, s - r, r - p],
    }
}

fn spanned_paths(of_a: usize, paths: &[Path3; 4]) -> [Path3; 3] {
    let at = [0, 1, 2, 3].map(|i| spanned(of_a, &paths.map(|path| path[i])));
    [0, 1, 2].map(|k| at.map(|vectors| vectors[k]))
}

fn restrict(path: &Path3, u0: f64, u1: f64) -> Path3 {
    let mut c = *path;
    for level in 1..4 {
        for k in (level..4).rev() {
            c[k] = c[k - 1] * (1.0 - u1) + c[k] * u1;
        }
    }
    let u = if u1 > 0.0 { u0 / u1 } else { 0.0 };
    for level in 1..4 {
        for k in 0..4 - level {
            c[k] = c[k] * (1.0 - u) + c[k + 1] * u;
        }
    }
    c
}

/// det [u v w] for three cubics, in the Bernstein basis of degree 9.
fn determinant(u: &Path3, v: &Path3, w: &Path3) -> Bernstein {
    const OF_3: [f64; 4] = [1.0, 3.0, 3.0, 1.0];
    const OF_9: [f64; 10] = [1.0, 9.0, 36.0, 84.0, 126.0, 126.0, 84.0, 36.0, 9.0, 1.0];
    // Products of scaled coefficients are scaled coefficients of the product: all binomials but the
    // last cancel.
    let mut normal = [Vector3::zeros(); 7];
    for i in 0..4 {
        for j in 0..4 {
            normal[i + j] += u[i].cross(&v[j]) * (OF_3[i] * OF_3[j]);
        }
    }
    let mut out = [0.0; 10];
    for i in 0..7 {
        for j in 0..4 {
            out[i + j] += normal[i].dot(&w[j]) * OF_3[j];
        }
    }
    for (b, n) in out.iter_mut().zip(OF_9) {
        *b /= n;
    }
    out
}
