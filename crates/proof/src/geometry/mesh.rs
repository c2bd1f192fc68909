//! Triangle meshes: the exact shape that everything else bounds.

use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use nalgebra::{Point3, Vector3};

use super::aabb::Aabb;

/// A triangle mesh in metres, in the frame of its shape.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Corner points.
    pub vertices: Vec<Point3<f64>>,
    /// Corner indices, counter-clockwise seen from outside where the mesh has an outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The three corners of one triangle.
    pub fn corners(&self, triangle: usize) -> [Point3<f64>; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// The box around the vertices that triangles use, or `None` without triangles.
    pub fn bounds(&self) -> Option<Aabb> {
        // Each vertex once, in its order: triangles would ask for them here and there, six times.
        let mut used = vec![false; self.vertices.len()];
        for triangle in &self.triangles {
            for &v in triangle {
                used[v as usize] = true;
            }
        }
        let corners = self.vertices.iter().zip(&used).filter(|(_, used)| **used);
        let corners = corners.map(|(corner, _)| *corner);
        (!self.triangles.is_empty()).then(|| Aabb::of(corners))
    }

    /// The mesh scaled along its axes. A mirroring scale turns every triangle round, so that
    /// outside stays outside.
    pub fn scaled(mut self, scale: Vector3<f64>) -> Mesh {
        for v in &mut self.vertices {
            v.coords.component_mul_assign(&scale);
        }
        if scale.x * scale.y * scale.z < 0.0 {
            for t in &mut self.triangles {
                t.swap(1, 2);
            }
        }
        self
    }

    /// The same triangles, with one index for all corners at exactly the same place.
    pub fn with_shared_corners(&self) -> Mesh {
        let first = self.welded();
        let shared = |t: &[u32; 3]| t.map(|v| first[v as usize]);
        Mesh {
            vertices: self.vertices.clone(),
            triangles: self.triangles.iter().map(shared).collect(),
        }
    }

    /// Whether no two vertices are surely at the same place (+0 and −0 are the same). By chance
    /// (one in billions of meshes) it says no of a mesh whose vertices all differ.
    pub fn corners_differ(&self) -> bool {
        let hasher = DefaultHashBuilder::default();
        let hash = |point: &Point3<f64>| {
            let point = point.map(|x| x + 0.0);
            hasher.hash_one((point.x.to_bits(), point.y.to_bits(), point.z.to_bits()))
        };
        // One bit of a small table for each hash, so that all of it stays at hand. Where a bit is
        // set already there may be a point for the second time: that is one in thirty, and of all
        // points with such a bit the whole hashes are held against each other.
        let mut seen = BitsOfHashes::new(self.vertices.len());
        let hashes = || self.vertices.iter().map(hash);
        let again: Vec<u64> = hashes().filter(|&hash| seen.insert(hash)).collect();
        let mut few = BitsOfHashes::new(4 * again.len());
        for hash in again {
            few.insert(hash);
        }
        let mut suspects: Vec<u64> = hashes().filter(|&hash| few.contains(hash)).collect();
        suspects.sort_unstable();
        suspects.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// For each vertex the first one at exactly the same place (+0 and −0 are the same).
    pub fn welded(&self) -> Vec<u32> {
        if self.corners_differ() {
            return (0..self.vertices.len() as u32).collect();
        }
        let mut welder = Welder::with_capacity(self.vertices.len());
        let mut first = Vec::with_capacity(self.vertices.len());
        let mut index = Vec::with_capacity(self.vertices.len());
        for (v, point) in (0u32..).zip(&self.vertices) {
            let here = welder.add(*point);
            if here as usize == first.len() {
                first.push(v);
            }
            index.push(first[here as usize]);
        }
        index
    }
}

/// A bit for each hash, which some have in common.
struct BitsOfHashes {
    words: Vec<u64>,
    /// The bits of a hash above these say which bit is its own.
    unused: u32,
}

impl BitsOfHashes {
    /// Room for so many hashes: sixteen bits and more for each.
    fn new(hashes: usize) -> Self {
        let words = hashes.div_ceil(4).next_power_of_two();
        Self {
            words: vec![0; words],
            unused: u64::BITS - 6 - words.ilog2(),
        }
    }

    fn place(&self, hash: u64) -> (usize, u64) {
        let bit = hash >> self.unused;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// Sets the bit; whether it was set.
    fn insert(&mut self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        let was = self.words[word] & bit != 0;
        self.words[word] |= bit;
        was
    }

    fn contains(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.words[word] & bit != 0
    }
}

/// Collects points that are all different: a mesh has one index for all corners at the same place.
#[derive(Debug, Default)]
pub struct Welder {
    /// The points, in the order in which they came.
    points: Vec<Point3<f64>>,
    /// Indices of them, by their bits. Hashed with a key of this process, so that no file can
    /// choose what collides.
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Welder {
    /// One that has room for so many points.
    pub fn with_capacity(points: usize) -> Self {
        Welder {
            points: Vec::with_capacity(points),
            index: HashTable::with_capacity(points),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// The index of the point at exactly this place, which is a new one if there was none (+0 and
    /// −0 are the same).
    pub fn add(&mut self, point: Point3<f64>) -> u32 {
        // Adding 0 turns −0 into +0.
        let point = point.map(|x| x + 0.0);
        // A tuple: an array would be hashed as bytes, which takes much longer.
        let bits = |p: &Point3<f64>| (p.x.to_bits(), p.y.to_bits(), p.z.to_bits());
        let hash = |p: &Point3<f64>| self.hasher.hash_one(bits(p));
        let wanted = bits(&point);
        let points = &self.points;
        let found = self.index.entry(
            hash(&point),
            |&known| bits(&points[known as usize]) == wanted,
            |&known| hash(&points[known as usize]),
        );
        match found {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let new = points.len() as u32;
                free.insert(new);
                self.points.push(point);
                new
            }
        }
    }

    /// The points, all different.
    pub fn into_points(self) -> Vec<Point3<f64>> {
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    /// Catches: two corners at one place that are not seen, wherever they stand, and a mesh that is
    /// said to have such though it has none.
    #[test]
    fn corners_at_one_place_are_seen() {
        let mut r = Random(31);
        for case in 0..400 {
            let count = [1, 2, 3, 63, 64, 65, 1000, 5000][case % 8];
            let vertices = (0..count).map(|_| Point3::from(r.vector())).collect();
            let mut mesh = Mesh {
                vertices,
                triangles: Vec::new(),
            };
            assert!(mesh.corners_differ(), "case {case}");
            if count == 1 {
                continue;
            }
            let one = r.below(count);
            let other = (one + 1 + r.below(count - 1)) % count;
            mesh.vertices[one][case % 3] = 0.0;
            mesh.vertices[other] = mesh.vertices[one];
            mesh.vertices[other][case % 3] = -0.0;
            assert!(!mesh.corners_differ(), "case {case}: {one} and {other}");
            assert_eq!(mesh.welded()[one.max(other)], one.min(other) as u32);
        }
        assert!(Mesh::default().corners_differ());
    }

    /// Catches: a box around corners that no triangle has, and one that leaves out a corner.
    #[test]
    fn bounds_are_those_of_the_triangles() {
        let mut r = Random(32);
        for _ in 0..100 {
            let vertices = (0..9).map(|_| Point3::from(r.vector())).collect();
            let triangles = (0..1 + r.below(3)).map(|_| [(); 3].map(|()| r.below(9) as u32));
            let mesh = Mesh {
                vertices,
                triangles: triangles.collect(),
            };
            let corners = (0..mesh.triangles.len()).flat_map(|t| mesh.corners(t));
            assert_eq!(mesh.bounds(), Some(Aabb::of(corners)));
        }
        assert_eq!(Mesh::default().bounds(), None);
    }
}
