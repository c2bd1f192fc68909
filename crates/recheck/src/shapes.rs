//! Parts: triangles in order, and boxes around the ranges of them that the walk halves.

use crate::numbers::{V3, dot, length_up};

/// Of so many triangles, or fewer, the corners are looked at where the box around them does not do.
pub const FEW: u32 = 12;
/// Boxes around more than so many are kept.
pub const KEPT: u32 = 4;

/// Some triangles of a part: those from `from` to before `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// 1 for all of them; 2k and 2k + 1 for the halves of k.
    pub id: u32,
    /// First one.
    pub from: u32,
    /// The one after the last.
    pub to: u32,
}

impl Range {
    /// Both halves, if there are two triangles.
    pub fn halves(&self) -> Option<[Range; 2]> {
        let Range { id, from, to } = *self;
        let middle = from + (to - from) / 2;
        let halves = [(2 * id, from, middle), (2 * id + 1, middle, to)];
        (to - from > 1).then(|| halves.map(|(id, from, to)| Range { id, from, to }))
    }
}

/// A box along the axes of a part's frame, 2⁻⁴⁰ m.
#[derive(Debug, Clone, Copy, Default)]
pub struct Box3 {
    least: V3,
    most: V3,
}

impl Box3 {
    /// The least n·p of its points.
    pub fn least_along(&self, n: &V3) -> i128 {
        let corner = |k: usize| {
            if n[k] < 0 {
                self.most[k]
            } else {
                self.least[k]
            }
        };
        dot(n, &[0, 1, 2].map(corner))
    }

    fn join(&self, other: &Box3) -> Box3 {
        Box3 {
            least: [0, 1, 2].map(|k| self.least[k].min(other.least[k])),
            most: [0, 1, 2].map(|k| self.most[k].max(other.most[k])),
        }
    }

    /// Whether a point lies beside it by more than so much.
    pub fn is_farther(&self, point: &V3, by: i64) -> bool {
        (0..3).any(|k| point[k] + by < self.least[k] || point[k] - by > self.most[k])
    }

    /// No point of it is farther from a point.
    pub fn farthest(&self, point: &V3) -> i64 {
        let along = |k: usize| (self.most[k] - point[k]).max(point[k] - self.least[k]);
        length_up(&[0, 1, 2].map(along))
    }
}

/// The box around some triangles of a part.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    /// The box.
    pub bounds: Box3,
    /// No point of it is farther from the middle of the part.
    pub farthest: i64,
}

/// Triangles that move together.
#[derive(Debug, Clone)]
pub struct BodyPart {
    /// Which body.
    pub body: usize,
    /// All points within so much of the triangles, 2⁻⁴⁰ m.
    pub radius: i64,
    /// Corners in the frame of the body's joint, or in the world, 2⁻⁴⁰ m.
    pub corners: Vec<V3>,
    /// Three corners each, in the order in which they are halved; at least one triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Which of them bound what is solid, each by a bit, the lowest one first.
    pub solid: Vec<u8>,
    /// For each triangle: the lowest number of a triangle that hangs together with it by corners.
    pub pieces: Vec<u32>,
    /// By the number of a range of more than `KEPT` triangles.
    boxes: Vec<Option<Around>>,
    /// The reference point of its chord bound: about its middle.
    pub middle: V3,
    /// No corner is farther from the origin of its frame.
    pub far: i64,
}

impl BodyPart {
    /// A part of a body.
    pub fn new(
        body: usize,
        radius: i64,
        corners: Vec<V3>,
        triangles: Vec<[u32; 3]>,
        solid: Vec<u8>,
    ) -> Self {
        let mut part = BodyPart {
            body,
            radius,
            pieces: pieces(corners.len(), &triangles),
            corners,
            triangles,
            solid,
            boxes: Vec::new(),
            middle: [0; 3],
            far: 0,
        };
        let all = part.build(part.all());
        part.middle = [0, 1, 2].map(|k| (all.least[k] + all.most[k]) >> 1);
        part.far = all.farthest(&[0; 3]);
        // The walk asks for it with every direction.
        for known in part.boxes.iter_mut().flatten() {
            known.farthest = known.bounds.farthest(&part.middle);
        }
        part
    }

    /// Whether a triangle bounds what is solid.
    pub fn is_solid(&self, triangle: usize) -> bool {
        self.solid[triangle / 8] >> (triangle % 8) & 1 == 1
    }

    /// Whether any does.
    pub fn has_solid(&self) -> bool {
        self.solid.iter().any(|&bits| bits != 0)
    }

    /// Whether those that do have each edge as often one way as the other.
    pub fn is_closed(&self) -> bool {
        let (mut up, mut down) = (Vec::new(), Vec::new());
        let all = self.triangles.iter().enumerate();
        for (_, &[a, b, c]) in all.filter(|(t, _)| self.is_solid(*t)) {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let edge = u64::from(from.min(to)) << 32 | u64::from(from.max(to));
                if from < to {
                    up.push(edge);
                } else if to < from {
                    down.push(edge);
                }
            }
        }
        up.sort_unstable();
        down.sort_unstable();
        up == down
    }

    /// All its triangles.
    pub fn all(&self) -> Range {
        Range {
            id: 1,
            from: 0,
            to: self.triangles.len() as u32,
        }
    }

    /// The corners of a range.
    fn corners(&self, range: &Range) -> impl Iterator<Item = &V3> {
        let triangles = &self.triangles[range.from as usize..range.to as usize];
        let corners = triangles.iter().flatten();
        corners.map(|&k| &self.corners[k as usize])
    }

    fn build(&mut self, range: Range) -> Box3 {
        match range.halves() {
            Some([first, second]) if range.to - range.from > KEPT => {
                let joined = self.build(first).join(&self.build(second));
                let id = range.id as usize;
                self.boxes.resize(self.boxes.len().max(id + 1), None);
                // How far it reaches is found when the middle is known.
                self.boxes[id] = Some(Around {
                    bounds: joined,
                    farthest: 0,
                });
                joined
            }
            _ => self.bounds(&range),
        }
    }

    /// The box around a range.
    pub fn around(&self, range: &Range) -> Around {
        if let Some(Some(known)) = self.boxes.get(range.id as usize) {
            return *known;
        }
        let bounds = self.bounds(range);
        Around {
            bounds,
            farthest: bounds.farthest(&self.middle),
        }
    }

    fn bounds(&self, range: &Range) -> Box3 {
        let points = self.corners(range).map(|&p| Box3 { least: p, most: p });
        points.reduce(|x, y| x.join(&y)).unwrap_or_default()
    }

    /// The least n·p of the corners of a range, each less what is said of it.
    pub fn least_along(&self, n: &V3, range: &Range, less: impl Fn(&V3) -> i128) -> i128 {
        let along = self.corners(range).map(|p| dot(n, p) - less(p));
        along.min().unwrap_or(i128::MIN >> 4)
    }
}

/// For each triangle: the lowest number of a triangle that hangs together with it by corners.
fn pieces(corners: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    // Each corner leads to one that hangs together with it and has no higher number.
    let mut lower: Vec<u32> = (0..corners as u32).collect();
    let lowest = |lower: &mut [u32], mut k: u32| {
        while lower[k as usize] != k {
            lower[k as usize] = lower[lower[k as usize] as usize];
            k = lower[k as usize];
        }
        k
    };
    for &[a, b, c] in triangles {
        for other in [b, c] {
            let (p, q) = (lowest(&mut lower, a), lowest(&mut lower, other));
            lower[p.max(q) as usize] = p.min(q);
        }
    }
    let mut first = vec![u32::MAX; corners];
    let piece = |(number, t): (u32, &[u32; 3])| {
        let first = &mut first[lowest(&mut lower, t[0]) as usize];
        *first = number.min(*first);
        *first
    };
    (0..).zip(triangles).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::minus;

    /// Catches a box that is too small, or reaches farther than is said, kept or found anew.
    #[test]
    fn boxes_hold_their_corners_and_reach_no_farther_than_they_say() {
        let mut x = 1u64;
        let mut random = || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (x as i64) >> 24
        };
        let corners: Vec<V3> = (0..300).map(|_| [0; 3].map(|_: i32| random())).collect();
        let triangles = (0..100).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
        let part = BodyPart::new(0, 0, corners, triangles.collect(), vec![0; 13]);
        let (mut ranges, mut kept) = (vec![part.all()], 0);
        while let Some(range) = ranges.pop() {
            let around = part.around(&range);
            for corner in part.corners(&range) {
                assert!(!around.bounds.is_farther(corner, 0), "{range:?}");
                let arm = minus(corner, &part.middle);
                let square = i128::from(around.farthest) * i128::from(around.farthest);
                assert!(dot(&arm, &arm) <= square, "{range:?}");
            }
            kept += u32::from(range.to - range.from > KEPT);
            ranges.extend(range.halves().into_iter().flatten());
        }
        assert!(kept > 20, "{kept}");
    }
}
