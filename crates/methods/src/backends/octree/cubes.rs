//! The octree of what stands still: cubes that are white, black or mixed, down to a least edge.
//!
//! Colours are exact. A cube is mixed if a surface meets it, and a mixed cube of the least edge
//! lists the faces that do: they decide what the cube leaves open, so that nothing depends on how
//! small the cubes are. Any other cube lies wholly inside or wholly outside each solid, which one
//! point of it tells.

use std::collections::BTreeMap;
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::pose::Pose;
use clearance_proof::geometry::ray::AxisRay;
use nalgebra::Point3;

use super::cube::{Cube, CubeFace};
use super::table::Colour;

/// A shape at its place: a standing one that the octree holds, or a moving one at an instant.
#[derive(Debug, Clone)]
pub struct PlacedSolid {
    /// Its surface.
    pub tree: Arc<SphereTree>,
    /// Where it stands: from the tree's origin and axes to the world.
    pub pose: Pose,
    /// Whether its inside is solid, if the cell says so; `None`: closed components are solid.
    pub solid: Option<bool>,
    /// Number of its body among those that the octree holds.
    pub slot: usize,
}

/// The very same tree, not one of the same contents.
impl PartialEq for PlacedSolid {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tree, &other.tree)
            && (self.pose, self.solid, self.slot) == (other.pose, other.solid, other.slot)
    }
}

impl PlacedSolid {
    /// Whether the point of the world lies in the solid, by a ray through the sphere tree.
    pub fn contains(&self, p: &Point3<f64>) -> bool {
        let inner = self
            .pose
            .rotation
            .tr_mul(&(p.coords - self.pose.translation));
        self.tree.contains(&(self.tree.origin + inner), self.solid)
    }

    /// A triangle in the world.
    pub fn face(&self, triangle: usize) -> [Point3<f64>; 3] {
        self.tree.corners(triangle).map(|v| self.place(&v))
    }

    /// One point of everything that hangs together, in the world.
    pub fn components(&self) -> impl Iterator<Item = Point3<f64>> {
        let triangles = self.tree.components.iter();
        triangles.map(|&t| self.face(t as usize)[0])
    }

    fn place(&self, v: &Point3<f64>) -> Point3<f64> {
        self.pose.apply(&(v - self.tree.origin)).into()
    }
}

/// One cube of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CubeNode {
    /// The first of its eight children, which follow one another; 0: it has none.
    pub children: u32,
    /// Faces that meet it, a range of [`Cubes::listed`]; only in cubes without children.
    pub first: u32,
    /// Number of these.
    pub count: u32,
    /// Solids that it lies wholly inside, an index into [`Cubes::sets`]; only in cubes without
    /// children.
    pub within: u32,
}

/// An octree of standing shapes.
#[derive(Debug, Clone)]
pub struct Cubes {
    /// The cube around everything.
    pub root: Cube,
    /// The box around everything.
    pub bounds: Aabb,
    /// Its cubes; 0 is the root.
    pub nodes: Vec<CubeNode>,
    /// Faces of the smallest cubes.
    pub listed: Vec<u32>,
    /// Sets of solids; 0 is the empty one.
    pub sets: Vec<Vec<u32>>,
    /// The shapes that the octree holds.
    pub solids: Vec<PlacedSolid>,
    /// All triangles of these in the world, solid by solid.
    pub faces: Vec<[Point3<f64>; 3]>,
    /// The solid of each of them.
    pub solid_of: Vec<u32>,
    /// The first face of each solid.
    pub first_face: Vec<usize>,
    /// One point of everything that hangs together, with its solid, by the smallest mixed cube that
    /// it lies in.
    pub components: BTreeMap<u32, Vec<(u32, Point3<f64>)>>,
    /// Whether the greatest number of cubes was reached: mixed cubes larger than the least edge are
    /// left, which changes no answer and makes some slower.
    pub cut_short: bool,
}

impl Cubes {
    /// The colour of a cube, by its content.
    pub fn colour(&self, node: &CubeNode) -> Colour {
        if node.children > 0 || node.count > 0 {
            Colour::Mixed
        } else if node.within > 0 {
            Colour::Black
        } else {
            Colour::White
        }
    }

    /// Shows every cube with its depth below the root (0), parents first.
    pub fn each(&self, mut show: impl FnMut(usize, &Cube, &CubeNode)) {
        let mut open = vec![(0, self.root, 0)];
        while let Some((index, cube, depth)) = open.pop() {
            let node = &self.nodes[index];
            show(depth, &cube, node);
            if node.children > 0 {
                let child = |k| (node.children as usize + k, cube.child(k), depth + 1);
                open.extend((0..8).map(child));
            }
        }
    }

    /// The faces that meet a cube without children.
    pub fn faces_in(&self, node: &CubeNode) -> &[u32] {
        &self.listed[node.first as usize..(node.first + node.count) as usize]
    }

    /// The solids that a cube without children lies wholly inside.
    pub fn around(&self, node: &CubeNode) -> &[u32] {
        &self.sets[node.within as usize]
    }

    /// The solid of a face.
    pub fn solid(&self, face: u32) -> &PlacedSolid {
        &self.solids[self.solid_of[face as usize] as usize]
    }

    /// The smallest cube that holds a point, and its index; `None` outside the root.
    pub fn locate(&self, p: &Point3<f64>) -> Option<(u32, Cube)> {
        if !self.root.holds(p) {
            return None;
        }
        let (mut index, mut cube) = (0, self.root);
        loop {
            let node = &self.nodes[index as usize];
            if node.children == 0 {
                return Some((index, cube));
            }
            let k = cube.child_of(p);
            index = node.children + k as u32;
            cube = cube.child(k);
        }
    }

    /// The solids that hold a point of the world, in order: the colour of its cube says so, and in
    /// a mixed cube a ray through the cubes. It shares nothing with the sphere trees' answer but
    /// the question whether a ray goes through a triangle.
    ///
    /// Thickened cores (balls and capsules) are left to distances.
    pub fn holding(&self, p: &Point3<f64>) -> Vec<u32> {
        let Some((index, _)) = self.locate(p) else {
            return Vec::new();
        };
        let node = &self.nodes[index as usize];
        let mut found = self.around(node).to_vec();
        let mut near: Vec<u32> = self
            .faces_in(node)
            .iter()
            .map(|&f| self.solid_of[f as usize])
            .collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&solid| self.turns(solid, p) != 0);
        found.extend(near);
        found.sort_unstable();
        found
    }

    /// How often the closed surface of a solid goes round a point of the root cube: a ray runs from
    /// cube to cube until one that lies outside the solid, or out of the root, and counts the faces
    /// on its way.
    fn turns(&self, solid: u32, p: &Point3<f64>) -> i32 {
        let placed = &self.solids[solid as usize];
        if placed.solid == Some(false) {
            return 0;
        }
        const AXIS: usize = 0;
        let mut met: Vec<u32> = Vec::new();
        let mut at = *p;
        let outside = loop {
            let Some((index, cube)) = self.locate(&at) else {
                break None;
            };
            let node = &self.nodes[index as usize];
            let before = met.len();
            let of_solid = |&&f: &&u32| self.solid_of[f as usize] == solid;
            met.extend(self.faces_in(node).iter().filter(of_solid));
            if met.len() == before && !self.around(node).contains(&solid) {
                break Some(at);
            }
            // The upper border belongs to the next cube.
            at[AXIS] = cube.high()[AXIS];
        };
        met.sort_unstable();
        met.dedup();
        let ray = |from: Point3<f64>| AxisRay {
            from,
            axis: AXIS,
            upwards: true,
        };
        met.iter()
            .map(|&f| {
                let face = &self.faces[f as usize];
                let side = placed.tree.sides[f as usize - self.first_face[solid as usize]];
                if side.abs() != 1 {
                    return 0;
                }
                // Crossings beyond the end are not on the way.
                let beyond = outside.map_or(0, |end| ray(end).crossing(face));
                i32::from(side) * (ray(*p).crossing(face) - beyond)
            })
            .sum()
    }

    /// Size in memory, bytes.
    pub fn bytes(&self) -> usize {
        let sets: usize = self.sets.iter().map(|s| size_of_val(&s[..])).sum();
        let components: usize = self.components.values().map(|p| size_of_val(&p[..])).sum();
        size_of_val(&self.nodes[..])
            + size_of_val(&self.listed[..])
            + size_of_val(&self.faces[..])
            + size_of_val(&self.solid_of[..])
            + sets
            + components
    }

    /// A face prepared for tests against cubes.
    pub(super) fn prepared(&self, face: u32) -> CubeFace {
        CubeFace::new(self.faces[face as usize])
    }
}
