//! Corners side by side: which of them reaches farthest along a direction is found for several at
//! once.

use nalgebra::Vector3;

use super::pose::Pose;

/// Corners in a row.
const LANES: usize = 4;

/// At least one corner, in the order in which they were given.
#[derive(Debug, Clone)]
pub(crate) struct PackedCorners {
    /// Coordinate by coordinate; the last corner is repeated to fill the last row up.
    rows: Vec<[[f64; LANES]; 3]>,
    /// How many corners there are, without those repeated.
    count: usize,
}

/// The corner that reaches farthest along a direction: the first one of those that do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SupportPoint {
    /// Its place among the corners.
    pub(crate) index: usize,
    /// The corner.
    pub(crate) corner: Vector3<f64>,
    /// How far it reaches, metres.
    pub(crate) reach: f64,
}

impl PackedCorners {
    /// Of these corners, at least one.
    pub(crate) fn new(corners: &[Vector3<f64>]) -> Self {
        let side_by_side = |some: &[Vector3<f64>]| {
            let corner = |lane: usize| some[lane.min(some.len() - 1)];
            [0, 1, 2].map(|axis| std::array::from_fn(|lane| corner(lane)[axis]))
        };
        PackedCorners {
            rows: corners.chunks(LANES).map(side_by_side).collect(),
            count: corners.len(),
        }
    }

    /// How many corners there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The corners, one by one.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Vector3<f64>> {
        (0..self.count).map(|index| self.corner(index))
    }

    fn corner(&self, index: usize) -> Vector3<f64> {
        Vector3::from(self.rows[index / LANES].map(|lanes| lanes[index % LANES]))
    }

    /// The corners at a pose.
    pub(crate) fn placed(&self, pose: &Pose) -> Self {
        let moved = |[x, y, z]: &[[f64; LANES]; 3]| {
            let mut row = [[0.0; LANES]; 3];
            for lane in 0..LANES {
                let there = pose.apply(&Vector3::new(x[lane], y[lane], z[lane]));
                (0..3).for_each(|axis| row[axis][lane] = there[axis]);
            }
            row
        };
        PackedCorners {
            rows: self.rows.iter().map(moved).collect(),
            count: self.count,
        }
    }

    /// The one that reaches farthest.
    pub(crate) fn support(&self, along: &Vector3<f64>) -> SupportPoint {
        let reach = |[x, y, z]: &[[f64; LANES]; 3]| -> [f64; LANES] {
            std::array::from_fn(|lane| along.x * x[lane] + along.y * y[lane] + along.z * z[lane])
        };
        let mut most = [f64::NEG_INFINITY; LANES];
        for row in &self.rows {
            let reach = reach(row);
            for lane in 0..LANES {
                most[lane] = if reach[lane] > most[lane] {
                    reach[lane]
                } else {
                    most[lane]
                };
            }
        }
        let most = most.into_iter().fold(f64::NEG_INFINITY, f64::max);
        // Which one it was is found again, once for all: to keep it for every lane would take as
        // long as the products.
        let at = |row: &[[f64; LANES]; 3]| reach(row).into_iter().position(|reach| reach == most);
        let mut rows = self.rows.iter().map(at).enumerate();
        let found = rows.find_map(|(row, lane)| Some(row * LANES + lane?));
        // A direction without numbers reaches nowhere.
        let index = found.unwrap_or_default();
        SupportPoint {
            index,
            corner: self.corner(index),
            reach: most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    /// Against one look after the other. Catches corners that are left out or repeated, another one
    /// than the first of several that reach as far, and places that are not the pose's.
    #[test]
    fn the_first_corner_that_reaches_farthest_is_found() {
        let mut random = Random(211);
        for case in 0..300 {
            let count = 1 + case % 11;
            let mut corners: Vec<Vector3<f64>> = (0..count).map(|_| random.vector()).collect();
            // Several that reach as far.
            if case % 3 == 0 {
                let again = corners[random.below(count)];
                corners.insert(random.below(count), again);
            }
            let pose = Pose::from(&random.pose(1.0));
            let rows = PackedCorners::new(&corners);
            assert_eq!(rows.len(), corners.len());
            assert!(rows.iter().eq(corners.iter().copied()));
            let placed = rows.placed(&pose);
            assert!(placed.iter().eq(corners.iter().map(|c| pose.apply(c))));
            let along = random.vector();
            let mut first = (0, f64::NEG_INFINITY);
            for (index, corner) in corners.iter().enumerate() {
                let reach = along.dot(corner);
                if reach > first.1 {
                    first = (index, reach);
                }
            }
            let found = rows.support(&along);
            assert_eq!((found.index, found.reach), first, "case {case}");
            assert_eq!(found.corner, corners[first.0], "case {case}");
        }
    }
}
