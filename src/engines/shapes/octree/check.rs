//! An octree proves on demand that it says the truth about every cube. Slow: all faces against all cubes.

use nalgebra::Point3;

use super::clip::clipped;
use super::cube::Cube;
use super::cubes::Cubes;
use super::table::Colour;
use crate::geometry::triangle::distance_point_triangle;

impl Cubes {
    /// Proves that every cube but the root is the child of one other; that a cube lists exactly the faces that lie in it
    /// (found by cutting them, not by the sieves); that centre and corners of every other cube lie in the solids that are
    /// said to be around it, and in none else; and that every piece is noted where it lies. The text says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![(0usize, self.root)];
        while let Some((index, cube)) = open.pop() {
            let first = self
                .nodes
                .get(index)
                .ok_or("a cube has children that are not there")?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(format!("cube {index} has two parents"));
            }
            if first.children > 0 {
                open.extend((0..8).map(|k| (first.children as usize + k, cube.child(k))));
            } else {
                self.check_leaf(index, &cube)?;
            }
        }
        if let Some(index) = seen.iter().position(|seen| !seen) {
            return Err(format!("cube {index} has no parent"));
        }
        let noted: usize = self.pieces.values().map(Vec::len).sum();
        let pieces: usize = self.solids.iter().map(|s| s.tree.pieces.len()).sum();
        if noted != pieces {
            return Err(format!("{noted} of {pieces} pieces are noted"));
        }
        Ok(())
    }

    fn check_leaf(&self, index: usize, cube: &Cube) -> Result<(), String> {
        let node = &self.nodes[index];
        let (listed, around) = (self.faces_in(node), self.around(node));
        let near = 1e-9 * cube.edge;
        for face in 0..self.faces.len() as u32 {
            let corners = &self.faces[face as usize];
            let rounding = self.solid(face).tree.rounding;
            let (surely, perhaps) = if rounding > 0.0 {
                let distance = cube.distance(corners);
                (distance < rounding - near, distance <= rounding + near)
            } else {
                let meets = |grow| !clipped(corners, cube, grow).is_empty();
                (meets(-near), meets(near))
            };
            let is_listed = listed.contains(&face);
            // The core of a ball that holds the cube is not listed.
            let swallowed = rounding > 0.0 && around.contains(&self.solid_of[face as usize]);
            if (surely && !is_listed && !swallowed) || (is_listed && !perhaps) {
                return Err(format!("cube {index}: face {face} is listed: {is_listed}"));
            }
        }
        let mut probes = vec![cube.center()];
        if self.colour(node) != Colour::Mixed {
            probes.extend(cube.corners());
        }
        for solid in 0..self.solids.len() as u32 {
            let said = around.contains(&solid);
            if !said && listed.iter().any(|&f| self.solid_of[f as usize] == solid) {
                continue;
            }
            if probes.iter().any(|p| self.in_solid(solid, p) != said) {
                return Err(format!("cube {index}: within solid {solid}: {said}"));
            }
        }
        Ok(())
    }

    /// Whether the point lies in a solid or in what thickens it.
    fn in_solid(&self, solid: u32, p: &Point3<f64>) -> bool {
        let placed = &self.solids[solid as usize];
        let first = self.first_face[solid as usize];
        let faces = &self.faces[first..first + placed.tree.triangles.len()];
        let rounding = placed.tree.rounding;
        placed.contains(p)
            || (rounding > 0.0
                && faces
                    .iter()
                    .any(|face| distance_point_triangle(p, face).distance < rounding))
    }
}
