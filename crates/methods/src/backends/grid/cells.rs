//! The cells themselves: lists of triangles in blocks of 8 × 8 × 8, so that empty space is passed
//! over in large steps.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use clearance_proof::geometry::aabb::Aabb;
use nalgebra::{Point3, Vector3};

/// Cells along an edge of a block: 2^3.
const BITS: i32 = 3;
const SIDE: i32 = 1 << BITS;
const CELLS: usize = 1 << (3 * BITS);

/// No triangle.
const NONE: u32 = u32::MAX;

/// More than rounding amounts to where a plane is compared with a cell, relative to the numbers.
const SLACK: f64 = 1e-12;

type PlaceInGrid = [i32; 3];

/// Places are small whole numbers, many and looked for all the time: mixed by multiplication.
#[derive(Debug, Default, Clone, Copy)]
struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for four in bytes.chunks(4) {
            let word = four
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u32::from(byte));
            self.write_u32(word);
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(n)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_i32(&mut self, n: i32) {
        self.write_u32(n as u32);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u32(n as u32);
    }
}

/// Cells from one place to another, both included.
#[derive(Debug, Clone, Copy)]
pub struct CellRange {
    low: PlaceInGrid,
    high: PlaceInGrid,
}

impl CellRange {
    /// The cells that a box reaches into.
    pub fn of(around: &Aabb, edge: &Vector3<f64>) -> Self {
        let number = |p: &Point3<f64>| -> PlaceInGrid {
            std::array::from_fn(|k| (p[k] / edge[k]).floor() as i32)
        };
        Self {
            low: number(&around.min),
            high: number(&around.max),
        }
    }
}

/// One triangle in one cell.
#[derive(Debug, Clone, Copy)]
struct CellEntry {
    triangle: u32,
    /// The next one in the same cell.
    next: u32,
}

/// A cell that has got a triangle since [`Cells::keep`], and what it held before.
#[derive(Debug, Clone, Copy)]
struct CellChange {
    cell: u32,
    head: u32,
}

/// Lists of triangles.
#[derive(Debug)]
pub struct Cells {
    edge: Vector3<f64>,
    blocks: HashMap<PlaceInGrid, u32, BuildHasherDefault<PlaceHasher>>,
    /// First entry of every cell of every block.
    heads: Vec<u32>,
    entries: Vec<CellEntry>,
    kept: usize,
    changes: Vec<CellChange>,
}

impl Cells {
    /// Empty cells of these edges, metres.
    pub fn new(edge: Vector3<f64>) -> Self {
        Self {
            edge,
            blocks: HashMap::default(),
            heads: Vec::new(),
            entries: Vec::new(),
            kept: 0,
            changes: Vec::new(),
        }
    }

    /// Edges of a cell, metres.
    pub fn edge(&self) -> Vector3<f64> {
        self.edge
    }

    /// Keeps everything that is listed now.
    pub fn keep(&mut self) {
        self.kept = self.entries.len();
        self.changes.clear();
    }

    /// Takes out what was listed since [`Cells::keep`].
    pub fn take_out(&mut self) {
        for change in self.changes.drain(..).rev() {
            self.heads[change.cell as usize] = change.head;
        }
        self.entries.truncate(self.kept);
    }

    /// Size in memory, bytes.
    pub fn memory_bytes(&self) -> usize {
        self.heads.capacity() * size_of::<u32>()
            + self.entries.capacity() * size_of::<CellEntry>()
            + self.blocks.capacity() * size_of::<(PlaceInGrid, u32)>()
    }

    /// Lists a triangle in the cells that it touches: those of its box that its plane goes through.
    pub fn list(&mut self, triangle: u32, corners: &[Point3<f64>; 3], around: &Aabb) {
        // In units of cells, where a cell is a cube of edge 1.
        let [a, b, c] = corners.map(|p| p.coords.component_div(&self.edge));
        let normal = (b - a).cross(&(c - a));
        let offset = normal.dot(&a);
        let half = normal.abs().sum() / 2.0;
        let size = normal.abs().dot(&a.abs()) + half;
        // A cell that a triangle only touches at its border counts.
        let grown = around.grown(SLACK * around.largest_coordinate());
        let CellRange { low, high } = CellRange::of(&grown, &self.edge);
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let middle = Vector3::new(x, y, z).map(|k| f64::from(k) + 0.5);
                    let reach = half + SLACK * (size + normal.abs().dot(&middle.abs()));
                    if (normal.dot(&middle) - offset).abs() <= reach {
                        self.push([x, y, z], triangle);
                    }
                }
            }
        }
    }

    fn push(&mut self, place: PlaceInGrid, triangle: u32) {
        let block = place.map(|k| k >> BITS);
        let next_block = (self.heads.len() / CELLS) as u32;
        let block = *self.blocks.entry(block).or_insert(next_block);
        if block == next_block {
            self.heads.resize(self.heads.len() + CELLS, NONE);
        }
        let cell = block as usize * CELLS + within_block(place);
        self.changes.push(CellChange {
            cell: cell as u32,
            head: self.heads[cell],
        });
        self.entries.push(CellEntry {
            triangle,
            next: self.heads[cell],
        });
        self.heads[cell] = self.entries.len() as u32 - 1;
    }

    /// Shows what is listed in some cells, and tells how many cells and blocks were looked into.
    pub fn look(&self, range: &CellRange, mut seen: impl FnMut(u32)) -> u64 {
        let mut looked = 0;
        let block_range = |k: usize| range.low[k] >> BITS..=range.high[k] >> BITS;
        for bx in block_range(0) {
            for by in block_range(1) {
                for bz in block_range(2) {
                    looked += 1;
                    let block = [bx, by, bz];
                    let Some(&at) = self.blocks.get(&block) else {
                        continue;
                    };
                    let cells = |k: usize| {
                        let first = block[k] << BITS;
                        range.low[k].max(first)..=range.high[k].min(first + SIDE - 1)
                    };
                    for x in cells(0) {
                        for y in cells(1) {
                            for z in cells(2) {
                                looked += 1;
                                let cell = at as usize * CELLS + within_block([x, y, z]);
                                let mut entry = self.heads[cell];
                                while entry != NONE {
                                    let CellEntry { triangle, next } = self.entries[entry as usize];
                                    seen(triangle);
                                    entry = next;
                                }
                            }
                        }
                    }
                }
            }
        }
        looked
    }
}

fn within_block(place: PlaceInGrid) -> usize {
    let [x, y, z] = place.map(|k| (k & (SIDE - 1)) as usize);
    (x << BITS | y) << BITS | z
}

#[cfg(test)]
mod tests {
    use clearance_proof::geometry::random::Random;

    use super::*;

    /// Every point of a triangle lies in a cell that lists it. Catches a plane that is taken too
    /// thin (tried with 0.8 of it).
    #[test]
    fn a_triangle_is_listed_wherever_it_has_a_point() {
        let mut r = Random(167);
        for case in 0..400 {
            let edge = Vector3::from_fn(|_, _| 0.1 + r.unit());
            let mut cells = Cells::new(edge);
            let flat = r.below(4);
            let corners = [(); 3].map(|()| {
                let mut corner = r.point() * 3.0;
                if flat < 3 {
                    corner[flat] = edge[flat];
                }
                corner
            });
            cells.list(7, &corners, &Aabb::of(corners));
            for _ in 0..60 {
                let (mut u, mut v) = (r.unit(), r.unit());
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let [a, b, c] = corners;
                let mut at = a + (b - a) * u + (c - a) * v;
                if flat < 3 {
                    at[flat] = edge[flat];
                }
                let mut seen = 0;
                cells.look(&CellRange::of(&Aabb::at(&at), &edge), |triangle| {
                    assert_eq!(triangle, 7);
                    seen += 1;
                });
                assert_eq!(seen, 1, "case {case}: {corners:?}, {at}");
            }
        }
    }
}
