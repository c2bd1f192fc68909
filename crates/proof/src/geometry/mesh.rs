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
        let used = self.triangles.iter().flatten();
        let corners = used.map(|&v| self.vertices[v as usize]);
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
        let mut hashes: HashTable<u64> = HashTable::with_capacity(self.vertices.len());
        self.vertices.iter().all(|point| {
            let point = point.map(|x| x + 0.0);
            let hash = hasher.hash_one((point.x.to_bits(), point.y.to_bits(), point.z.to_bits()));
            match hashes.entry(hash, |&known| known == hash, |&known| known) {
                Entry::Occupied(_) => false,
                Entry::Vacant(free) => {
                    free.insert(hash);
                    true
                }
            }
        })
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
