//! The front: node pairs that are still unresolved in an interval, handed on to its two halves.

use nalgebra::Vector3;

/// Marks an entry as a pair of triangles rather than of nodes.
const TRIANGLES: u32 = 1 << 31;

/// One unresolved pair of nodes or triangles.
#[derive(Debug, Clone, Copy)]
pub struct FrontEntry {
    a: u32,
    b: u32,
    /// Direction that separated the triangles last, in the common frame; zero if none did yet.
    pub witness: [f32; 3],
}

impl FrontEntry {
    /// A pair of nodes.
    pub fn nodes(a: u32, b: u32) -> Self {
        FrontEntry {
            a,
            b,
            witness: [0.0; 3],
        }
    }

    /// A pair of triangles.
    pub fn triangles(a: u32, b: u32) -> Self {
        FrontEntry {
            a: a | TRIANGLES,
            b,
            witness: [0.0; 3],
        }
    }

    /// The same entry with the direction to try first.
    pub fn separated_by(&self, n: &Vector3<f64>) -> Self {
        FrontEntry {
            witness: [0, 1, 2].map(|k| n[k] as f32),
            ..*self
        }
    }

    /// Whether it is a pair of triangles.
    pub fn is_triangles(&self) -> bool {
        self.a & TRIANGLES != 0
    }

    /// Whether it is the pair of both roots: nothing is known about the parts yet.
    pub fn is_root(&self) -> bool {
        self.a == 0 && self.b == 0
    }

    /// Node or triangle indices.
    pub fn pair(&self) -> [u32; 2] {
        [self.a & !TRIANGLES, self.b]
    }
}

/// Entries of one pair of parts.
#[derive(Debug, Clone, Copy)]
pub struct FrontGroup {
    /// Index into the scene's part pairs.
    pub part_pair: usize,
    /// First entry.
    pub start: usize,
    /// One past the last entry.
    pub end: usize,
}

/// All unresolved entries of an interval, grouped.
#[derive(Debug, Clone, Default)]
pub struct Front {
    /// Groups in the scene's order.
    pub groups: Vec<FrontGroup>,
    /// Their entries.
    pub entries: Vec<FrontEntry>,
}

impl Front {
    /// An empty one with room for what an interval mostly leaves.
    pub fn with_room() -> Self {
        Front {
            groups: Vec::with_capacity(16),
            entries: Vec::with_capacity(64),
        }
    }

    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.entries.clear();
    }

    /// Adds one entry; entries of a group come one after another.
    pub fn push(&mut self, part_pair: usize, entry: FrontEntry) {
        match self.groups.last_mut() {
            Some(group) if group.part_pair == part_pair => group.end += 1,
            _ => {
                let start = self.entries.len();
                self.groups.push(FrontGroup {
                    part_pair,
                    start,
                    end: start + 1,
                });
            }
        }
        self.entries.push(entry);
    }

    /// Whether its last entries are of a pair of parts.
    pub fn ends_with(&self, part_pair: usize) -> bool {
        matches!(self.groups.last(), Some(group) if group.part_pair == part_pair)
    }

    /// Whether nothing closer is known of a group's parts yet.
    #[inline(always)]
    pub fn is_root(&self, group: &FrontGroup) -> bool {
        group.end - group.start == 1 && self.entries[group.start].is_root()
    }

    /// Whether everything is resolved.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
