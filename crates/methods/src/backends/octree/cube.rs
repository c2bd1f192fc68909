//! Cubes, and which of its eight children a face meets: by bounding box, then by plane, then by
//! three projections.
//!
//! Together the three are all directions that can separate a triangle from a cube: the cube's three
//! axes, the normal of the triangle, and (in the projections along the axes) the perpendiculars of
//! its edges. So the answer is exact, but for a slack in favour of "meets" that is larger than
//! rounding.

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::Closest;
use nalgebra::{Point3, Vector3};

/// More than what rounding amounts to in the tests of this file, relative to the greatest
/// coordinate.
const SLACK: f64 = 64.0 * f64::EPSILON;

/// Children with the upper half of the cube in x, y, z; child k has bit k.
const UPPER: [u8; 3] = [0b1010_1010, 0b1100_1100, 0b1111_0000];

/// All eight children.
pub const ALL: u8 = 0xFF;

/// An axis-parallel cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cube {
    /// Least coordinates, metres.
    pub low: Point3<f64>,
    /// Edge length, metres.
    pub edge: f64,
}

impl Cube {
    /// One of the eight children: bits 0, 1, 2 of `k` choose the upper half in x, y, z.
    pub fn child(&self, k: usize) -> Cube {
        let edge = self.edge / 2.0;
        let upper = |axis: usize| if k >> axis & 1 == 1 { edge } else { 0.0 };
        Cube {
            low: self.low + Vector3::new(upper(0), upper(1), upper(2)),
            edge,
        }
    }

    /// Its middle.
    pub fn center(&self) -> Point3<f64> {
        self.low.map(|x| x + self.edge / 2.0)
    }

    /// Greatest coordinates, metres.
    pub fn high(&self) -> Point3<f64> {
        self.low.map(|x| x + self.edge)
    }

    /// Whether the point lies in the cube; of its borders only the lower ones belong to it.
    pub fn holds(&self, p: &Point3<f64>) -> bool {
        let high = self.high();
        (0..3).all(|k| (self.low[k]..high[k]).contains(&p[k]))
    }

    /// Which child holds a point of this cube.
    pub fn child_of(&self, p: &Point3<f64>) -> usize {
        let middle = self.center();
        (0..3).map(|k| usize::from(p[k] >= middle[k]) << k).sum()
    }

    /// The eight corners.
    pub fn corners(&self) -> [Point3<f64>; 8] {
        std::array::from_fn(|k| {
            let side = |axis: usize| (k >> axis & 1) as f64 * self.edge;
            self.low + Vector3::new(side(0), side(1), side(2))
        })
    }

    /// The box that the cube is.
    pub fn bounds(&self) -> Aabb {
        Aabb {
            min: self.low,
            max: self.high(),
        }
    }

    /// Which of its children a box meets when each of them is `grow` larger on every side: the
    /// source's first sieve.
    pub fn met_by(&self, around: &Aabb, grow: f64) -> u8 {
        let grow = grow + SLACK * around.largest_coordinate();
        let (middle, high) = (self.center(), self.high());
        let mut meets = ALL;
        for axis in 0..3 {
            let (least, most) = (around.min[axis] - grow, around.max[axis] + grow);
            let mut along = 0;
            if least <= middle[axis] && most >= self.low[axis] {
                along |= !UPPER[axis];
            }
            if most >= middle[axis] && least <= high[axis] {
                along |= UPPER[axis];
            }
            meets &= along;
        }
        meets
    }

    /// Distance of the cube (with its inside) from a triangle, which may be degenerate, metres.
    /// Slow.
    pub fn distance(&self, corners: &[Point3<f64>; 3]) -> f64 {
        if CubeFace::new(*corners).meets(self, 0.0) {
            return 0.0;
        }
        let c = self.corners();
        let sides = [
            [0, 1, 3, 2],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 3, 7, 6],
            [0, 2, 6, 4],
            [1, 3, 7, 5],
        ];
        let halves = sides
            .iter()
            .flat_map(|s| [[c[s[0]], c[s[1]], c[s[2]]], [c[s[0]], c[s[2]], c[s[3]]]]);
        halves
            .map(|half| Closest::of_triangles(&half, corners).distance)
            .fold(f64::INFINITY, f64::min)
    }
}

/// A triangle, prepared for tests against cubes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CubeFace {
    /// Its corners, metres.
    pub corners: [Point3<f64>; 3],
    /// The box around it.
    pub bounds: Aabb,
    /// Normal of its plane, of any length; 0 if it has none.
    normal: Vector3<f64>,
    /// Least and greatest of its corners along the normal.
    along: [f64; 2],
    /// The most that rounding may amount to, metres.
    slack: f64,
}

impl CubeFace {
    /// Prepares a triangle, which may be degenerate.
    pub fn new(corners: [Point3<f64>; 3]) -> Self {
        let [a, b, c] = corners;
        let bounds = Aabb::of(corners);
        let normal = (b - a).cross(&(c - a));
        let [x, y, z] = corners.map(|p| normal.dot(&p.coords));
        CubeFace {
            corners,
            bounds,
            normal,
            along: [x.min(y).min(z), x.max(y).max(z)],
            slack: SLACK * bounds.largest_coordinate(),
        }
    }

    /// Which of the `wanted` children of a cube the face meets when each of them is `grow` larger
    /// on every side.
    pub fn children(&self, cube: &Cube, grow: f64, wanted: u8) -> u8 {
        let mut left = wanted & cube.met_by(&self.bounds, grow);
        let mut meets = left;
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let child = cube.child(k);
            if !self.crosses(&child, grow) {
                meets &= !(1 << k);
            }
        }
        meets
    }

    /// Whether the face meets the cube when that is `grow` larger on every side, metres.
    pub fn meets(&self, cube: &Cube, grow: f64) -> bool {
        self.bounds.gap(&cube.bounds().grown(grow + self.slack)) <= 0.0 && self.crosses(cube, grow)
    }

    /// The second and the third sieve, for a cube that the face's box meets.
    fn crosses(&self, cube: &Cube, grow: f64) -> bool {
        let half = cube.edge / 2.0 + grow + self.slack;
        let center = cube.center();
        self.plane_meets(&center, half) && (0..3).all(|axis| self.shadow_meets(&center, half, axis))
    }

    /// The second sieve: does the plane go through the cube?
    fn plane_meets(&self, center: &Point3<f64>, half: f64) -> bool {
        let middle = self.normal.dot(&center.coords);
        let reach = half * self.normal.abs().sum();
        self.along[0] <= middle + reach && self.along[1] >= middle - reach
    }

    /// The third sieve: seen along an axis, do triangle and square overlap?
    fn shadow_meets(&self, center: &Point3<f64>, half: f64, axis: usize) -> bool {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let flat = self.corners.map(|p| [p[u] - center[u], p[v] - center[v]]);
        (0..3).all(|i| {
            let ([pu, pv], [qu, qv]) = (flat[i], flat[(i + 1) % 3]);
            let across = [pv - qv, qu - pu];
            let [x, y, z] = flat.map(|p| across[0] * p[0] + across[1] * p[1]);
            let reach = half * (across[0].abs() + across[1].abs());
            x.min(y).min(z) <= reach && x.max(y).max(z) >= -reach
        })
    }
}

#[cfg(test)]
mod tests;
