//! An octree proves on demand that it says the truth about every cube.
//!
//! Nothing that built it is asked again: faces come down by their boxes alone and are then cut at
//! the cube's sides, and every point is asked about by a ray of its own.

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::Closest;
use nalgebra::Point3;

use super::clip::clipped;
use super::cube::Cube;
use super::cubes::Cubes;
use super::table::Colour;
use crate::error::{MethodError, bad_cover};

/// A proof on its way.
struct Check<'c> {
    cubes: &'c Cubes,
    /// The box around each face, with what thickens it.
    face_boxes: Vec<Aabb>,
    /// The box around each solid.
    solid_boxes: Vec<Aabb>,
    seen: Vec<bool>,
}

impl Cubes {
    /// Proves that every cube but the root is the child of one other; that a cube lists exactly the
    /// faces that lie in it (found by cutting them, not by the sieves); that centre and corners of
    /// every other cube lie in the solids that are said to be around it, and in none else; and that
    /// every component is noted where it lies. The text says what is wrong.
    pub fn check(&self) -> Result<(), MethodError> {
        let around = |face: u32| {
            let radius = self.solid(face).tree.radius;
            Aabb::of(self.faces[face as usize]).grown(radius)
        };
        let face_boxes: Vec<Aabb> = (0..self.faces.len() as u32).map(around).collect();
        let together = |solid: usize| {
            let first = self.first_face[solid];
            let boxes = &face_boxes[first..first + self.solids[solid].tree.triangles.len()];
            boxes.iter().copied().reduce(|a, b| a.join(&b))
        };
        let solid_boxes = (0..self.solids.len()).filter_map(together).collect();
        let mut check = Check {
            cubes: self,
            face_boxes,
            solid_boxes,
            seen: vec![false; self.nodes.len()],
        };
        let all: Vec<u32> = (0..self.faces.len() as u32).collect();
        check.below(0, &self.root, &all)?;
        if let Some(index) = check.seen.iter().position(|seen| !seen) {
            return bad_cover(format!("cube {index} has no parent"));
        }
        let noted: usize = self.components.values().map(Vec::len).sum();
        let components: usize = self.solids.iter().map(|s| s.tree.components.len()).sum();
        if noted != components {
            return bad_cover(format!("{noted} of {components} components are noted"));
        }
        Ok(())
    }
}

impl Check<'_> {
    /// A cube and all below it, of which no faces but these can come near.
    fn below(&mut self, index: usize, cube: &Cube, faces: &[u32]) -> Result<(), MethodError> {
        let cubes = self.cubes;
        let node = cubes.nodes.get(index).ok_or_else(|| {
            MethodError::BadCover("a cube has children that are not there".to_owned())
        })?;
        if std::mem::replace(&mut self.seen[index], true) {
            return bad_cover(format!("cube {index} has two parents"));
        }
        let here = cube.bounds().grown(2.0 * tolerance(cube));
        let near = |&&f: &&u32| here.gap(&self.face_boxes[f as usize]) <= 0.0;
        let faces: Vec<u32> = faces.iter().filter(near).copied().collect();
        if node.children == 0 {
            return self.leaf(index, cube, &faces);
        }
        (0..8).try_for_each(|k| self.below(node.children as usize + k, &cube.child(k), &faces))
    }

    fn leaf(&self, index: usize, cube: &Cube, near: &[u32]) -> Result<(), MethodError> {
        let cubes = self.cubes;
        let node = &cubes.nodes[index];
        let (listed, around) = (cubes.faces_in(node), cubes.around(node));
        if let Some(face) = listed.iter().find(|face| !near.contains(face)) {
            return bad_cover(format!("cube {index}: face {face} is listed: true"));
        }
        let within = tolerance(cube);
        for &face in near {
            let corners = &cubes.faces[face as usize];
            let radius = cubes.solid(face).tree.radius;
            let (surely, perhaps) = if radius > 0.0 {
                let distance = cube.distance(corners);
                (distance < radius - within, distance <= radius + within)
            } else {
                let meets = |grow| !clipped(corners, cube, grow).is_empty();
                (meets(-within), meets(within))
            };
            let is_listed = listed.contains(&face);
            // The core of a ball that holds the cube is not listed.
            let swallowed = radius > 0.0 && around.contains(&cubes.solid_of[face as usize]);
            if (surely && !is_listed && !swallowed) || (is_listed && !perhaps) {
                return bad_cover(format!("cube {index}: face {face} is listed: {is_listed}"));
            }
        }
        let mut probes = vec![cube.center()];
        if cubes.colour(node) != Colour::Mixed {
            probes.extend(cube.corners());
        }
        for solid in 0..cubes.solids.len() as u32 {
            let said = around.contains(&solid);
            if !said && listed.iter().any(|&f| cubes.solid_of[f as usize] == solid) {
                continue;
            }
            if probes.iter().any(|p| self.in_solid(solid, p) != said) {
                return bad_cover(format!("cube {index}: within solid {solid}: {said}"));
            }
        }
        Ok(())
    }

    /// Whether the point lies in the solid or in what thickens it.
    fn in_solid(&self, solid: u32, p: &Point3<f64>) -> bool {
        let point = Aabb::at(p);
        if self.solid_boxes[solid as usize].gap(&point) > 0.0 {
            return false;
        }
        let placed = &self.cubes.solids[solid as usize];
        let first = self.cubes.first_face[solid as usize];
        let faces = &self.cubes.faces[first..first + placed.tree.triangles.len()];
        let radius = placed.tree.radius;
        placed.contains(p)
            || (radius > 0.0
                && faces
                    .iter()
                    .any(|face| Closest::of_point(p, face).distance < radius))
    }
}

/// How near to a cube's side cutting cannot tell, metres.
fn tolerance(cube: &Cube) -> f64 {
    1e-9 * cube.edge
}
