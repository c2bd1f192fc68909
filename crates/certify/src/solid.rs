//! Parts in floating point, with boxes around the ranges of triangles that the checker halves.

use clearance_recheck::shapes::{BodyPart, KEPT, Range};
use nalgebra::Vector3;

/// Units of 2⁻⁴⁰ m.
pub(crate) const METRE: f64 = (1u64 << 40) as f64;

/// Exact: no coordinate of a file has more than 53 bits.
pub(crate) fn metres(v: &[i64; 3]) -> Vector3<f64> {
    Vector3::from(v.map(|x| x as f64 / METRE))
}

/// A box along the axes of a part's frame, metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) middle: Vector3<f64>,
    pub(crate) half: Vector3<f64>,
}

impl Block {
    fn around<'c>(mut points: impl Iterator<Item = &'c Vector3<f64>>) -> Block {
        let first = points.next().copied().unwrap_or_default();
        let (least, most) = points.fold((first, first), |(l, m), p| (l.inf(p), m.sup(p)));
        Block {
            middle: (least + most) / 2.0,
            half: (most - least) / 2.0,
        }
    }

    fn join(&self, other: &Block) -> Block {
        let corners = [
            self.middle - self.half,
            other.middle - other.half,
            self.middle + self.half,
            other.middle + other.half,
        ];
        Block::around(corners.iter())
    }

    /// Of its farthest point from a point.
    pub(crate) fn farthest(&self, point: &Vector3<f64>) -> f64 {
        ((self.middle - point).abs() + self.half).norm()
    }

    /// Of its point that is farthest along a vector.
    pub(crate) fn farthest_along(&self, n: &Vector3<f64>) -> Vector3<f64> {
        self.middle
            + self
                .half
                .zip_map(n, |half, n| if n < 0.0 { -half } else { half })
    }
}

/// A part.
#[derive(Debug)]
pub(crate) struct FloatPart {
    pub(crate) body: usize,
    corners: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    /// By the number of a range of more than [`KEPT`] triangles.
    boxes: Vec<Option<Block>>,
    /// The reference point of its bulge.
    pub(crate) middle: Vector3<f64>,
    /// Joints from the world to it.
    pub(crate) chain: Vec<usize>,
    /// All points within this of its triangles, metres.
    pub(crate) radius: f64,
}

impl FloatPart {
    pub(crate) fn new(part: &BodyPart, chain: Vec<usize>) -> Self {
        let mut solid = FloatPart {
            body: part.body,
            corners: part.corners.iter().map(metres).collect(),
            triangles: part.triangles.clone(),
            boxes: Vec::new(),
            middle: Vector3::zeros(),
            chain,
            radius: part.radius as f64 / METRE,
        };
        solid.middle = solid.build(solid.all()).middle;
        solid
    }

    pub(crate) fn all(&self) -> Range {
        Range {
            id: 1,
            from: 0,
            to: self.triangles.len() as u32,
        }
    }

    fn build(&mut self, range: Range) -> Block {
        match range.halves() {
            Some([first, second]) if range.to - range.from > KEPT => {
                let joined = self.build(first).join(&self.build(second));
                let id = range.id as usize;
                self.boxes.resize(self.boxes.len().max(id + 1), None);
                self.boxes[id] = Some(joined);
                joined
            }
            _ => self.around(&range),
        }
    }

    /// The box around a range.
    pub(crate) fn around(&self, range: &Range) -> Block {
        match self.boxes.get(range.id as usize) {
            Some(Some(known)) => *known,
            _ => Block::around(self.corners(range)),
        }
    }

    /// The corners of a range, those of several triangles several times.
    pub(crate) fn corners(&self, range: &Range) -> impl Iterator<Item = &Vector3<f64>> {
        let triangles = &self.triangles[range.from as usize..range.to as usize];
        let corners = triangles.iter().flatten();
        corners.map(|&k| &self.corners[k as usize])
    }

    /// Those of one triangle.
    pub(crate) fn triangle(&self, index: u32) -> [&Vector3<f64>; 3] {
        self.triangles[index as usize].map(|k| &self.corners[k as usize])
    }
}
