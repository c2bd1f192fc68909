//! Parts in floating point, with boxes around the ranges of triangles that the checker halves.

use clearance_recheck::shapes::{BodyPart, FEW, Range};
use nalgebra::Vector3;

/// Units of 2⁻⁴⁰ m.
pub(crate) const METRE: f64 = (1u64 << 40) as f64;

/// Exact: no coordinate of a file has more than 53 bits.
pub(crate) fn metres(v: &[i64; 3]) -> Vector3<f64> {
    Vector3::from(v.map(|x| x as f64 / METRE))
}

/// So many corners are looked at together.
pub(crate) const LANES: usize = 4;

/// The coordinates of some corners: all x, all y, all z.
pub(crate) type CornerLanes = [[f64; LANES]; 3];

/// A box along the axes of a part's frame around a range of its triangles, metres.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    pub(crate) middle: Vector3<f64>,
    pub(crate) half: Vector3<f64>,
    /// From the middle of the part to the farthest point of the box.
    pub(crate) far: f64,
    /// Half its diagonal.
    pub(crate) radius: f64,
    /// The corners of a range of few triangles: which ones of `few`.
    few: [u32; 2],
}

impl Block {
    fn around<'c>(mut points: impl Iterator<Item = &'c Vector3<f64>>) -> Block {
        let first = points.next().copied().unwrap_or_default();
        let (least, most) = points.fold((first, first), |(l, m), p| (l.inf(p), m.sup(p)));
        Block {
            middle: (least + most) / 2.0,
            half: (most - least) / 2.0,
            ..Block::default()
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

    /// The least n·p of its points.
    pub(crate) fn least_along(&self, n: &Vector3<f64>) -> f64 {
        n.dot(&self.middle) - n.abs().dot(&self.half)
    }

    /// Where that is.
    pub(crate) fn lowest(&self, n: &Vector3<f64>) -> Vector3<f64> {
        self.middle - self.half.zip_map(n, f64::copysign)
    }
}

/// A part.
#[derive(Debug)]
pub(crate) struct FloatPart {
    pub(crate) body: usize,
    corners: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    /// By the number of a range.
    boxes: Vec<Block>,
    /// CornerLanes of all ranges of few triangles. Where a range does not fill the last ones, its last
    /// corner is there several times.
    few: Vec<CornerLanes>,
    /// The reference point of its chord bound.
    pub(crate) middle: Vector3<f64>,
    /// Joints from the world to it.
    pub(crate) chain: Vec<usize>,
    /// All points within this of its triangles, metres.
    pub(crate) radius: f64,
}

impl FloatPart {
    pub(crate) fn new(part: &BodyPart, chain: Vec<usize>) -> Self {
        let mut made = FloatPart {
            body: part.body,
            corners: part.corners.iter().map(metres).collect(),
            triangles: part.triangles.clone(),
            boxes: vec![Block::default(); 2 * part.triangles.len().next_power_of_two()],
            few: Vec::new(),
            middle: Vector3::zeros(),
            chain,
            radius: part.radius as f64 / METRE,
        };
        let middle = made.build(made.all()).middle;
        for block in &mut made.boxes {
            block.far = ((block.middle - middle).abs() + block.half).norm();
            block.radius = block.half.norm();
        }
        made.middle = middle;
        made
    }

    pub(crate) fn all(&self) -> Range {
        Range {
            id: 1,
            from: 0,
            to: self.triangles.len() as u32,
        }
    }

    fn build(&mut self, range: Range) -> Block {
        let mut block = match range.halves() {
            Some([first, second]) => self.build(first).join(&self.build(second)),
            None => Block::around(self.corners(&range)),
        };
        if range.to - range.from <= FEW {
            let triangles = &self.triangles[range.from as usize..range.to as usize];
            let (mut corners, mut count) = ([0; 3 * FEW as usize], 0);
            for k in triangles.iter().flatten() {
                if !corners[..count].contains(k) {
                    corners[count] = *k;
                    count += 1;
                }
            }
            corners[..count].sort_unstable();
            let from = self.few.len() as u32;
            for some in corners[..count].chunks(LANES) {
                let place = |lane: usize| self.corners[some[lane.min(some.len() - 1)] as usize];
                let places: [_; LANES] = std::array::from_fn(place);
                self.few.push([0, 1, 2].map(|axis| places.map(|p| p[axis])));
            }
            block.few = [from, self.few.len() as u32];
        }
        self.boxes[range.id as usize] = block;
        block
    }

    /// The box around a range.
    pub(crate) fn around(&self, range: &Range) -> &Block {
        &self.boxes[range.id as usize]
    }

    /// The corners of a range of few triangles; none of a longer one.
    pub(crate) fn few(&self, block: &Block) -> &[CornerLanes] {
        &self.few[block.few[0] as usize..block.few[1] as usize]
    }

    /// The corners of a range, those of several triangles several times.
    fn corners(&self, range: &Range) -> impl Iterator<Item = &Vector3<f64>> {
        let triangles = &self.triangles[range.from as usize..range.to as usize];
        let corners = triangles.iter().flatten();
        corners.map(|&k| &self.corners[k as usize])
    }

    /// Those of one triangle.
    pub(crate) fn triangle(&self, index: u32) -> [&Vector3<f64>; 3] {
        self.triangles[index as usize].map(|k| &self.corners[k as usize])
    }
}
