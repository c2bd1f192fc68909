//! Building the octree of what stands still: level by level, from the cube around everything down.

use std::collections::{BTreeMap, HashMap};

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::Closest;
use nalgebra::Point3;
use rayon::prelude::*;

use super::cube::{ALL, Cube};
use super::cubes::{CubeNode, Cubes, PlacedSolid};

/// Deepest level below the root: cubes there measure a millionth of it.
const DEEPEST: i32 = 20;

/// Level of the least cubes when nobody says how large they may be: that of the experiments of
/// Noborio, Fukuda and Arimoto.
const LEVELS: i32 = 7;

/// How fine an octree is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CubeFineness {
    /// Mixed cubes are divided until their edge is no longer than this, metres. `None`: a 128th of
    /// the cube around everything. However small, nothing is divided into less than a millionth of
    /// that.
    pub edge: Option<f64>,
    /// Most cubes of all. Where they do not suffice, mixed cubes stay larger, the last level's
    /// first; they list their faces as all others do, so that no answer changes.
    pub cubes: usize,
}

impl Default for CubeFineness {
    fn default() -> Self {
        CubeFineness {
            edge: None,
            cubes: 1 << 20,
        }
    }
}

impl CubeFineness {
    /// Spheres around the least cubes have this radius at most, metres, if there is one.
    pub fn of(leaf_radius: Option<f64>) -> Self {
        CubeFineness {
            edge: leaf_radius.map(|radius| 2.0 * radius / f64::sqrt(3.0)),
            ..CubeFineness::default()
        }
    }
}

/// A cube on its way into the tree: it is mixed if it has faces.
#[derive(Default)]
struct GrowingCube {
    faces: Vec<u32>,
    within: Vec<u32>,
}

/// A mixed cube that may still be divided.
struct Open {
    node: usize,
    cube: Cube,
    branch: GrowingCube,
}

impl Cubes {
    /// Builds the octree of these shapes; there is at least one, and each has a triangle.
    pub fn new(solids: Vec<PlacedSolid>, fineness: &CubeFineness) -> Self {
        let mut cubes = Self::undivided(solids);
        let edge = fineness
            .edge
            .unwrap_or(cubes.root.edge * 0.5f64.powi(LEVELS));
        let all = GrowingCube {
            faces: (0..cubes.faces.len() as u32).collect(),
            within: Vec::new(),
        };
        let mut sets = HashMap::from([(Vec::new(), 0)]);
        let mut level = vec![Open {
            node: 0,
            cube: cubes.root,
            branch: all,
        }];
        let mut depth = 0;
        while !level.is_empty() {
            let fine = depth == DEEPEST || level[0].cube.edge <= edge;
            let room = fineness.cubes.saturating_sub(cubes.nodes.len()) / 8;
            let divided = if fine { 0 } else { room.min(level.len()) };
            cubes.cut_short |= !fine && divided < level.len();
            for open in level.drain(divided..) {
                cubes.close(open.node, &open.branch, &mut sets);
            }
            let children: Vec<[GrowingCube; 8]> =
                level.par_iter().map(|open| cubes.divided(open)).collect();
            let mut next = Vec::new();
            for (open, children) in level.into_iter().zip(children) {
                let first = cubes.nodes.len();
                cubes.nodes[open.node].children = first as u32;
                cubes.nodes.resize(first + 8, CubeNode::EMPTY);
                for (k, branch) in children.into_iter().enumerate() {
                    let node = first + k;
                    if branch.faces.is_empty() {
                        cubes.close(node, &branch, &mut sets);
                    } else {
                        let cube = open.cube.child(k);
                        next.push(Open { node, cube, branch });
                    }
                }
            }
            level = next;
            depth += 1;
        }
        cubes.sets = vec![Vec::new(); sets.len()];
        for (set, index) in sets {
            cubes.sets[index as usize] = set;
        }
        cubes.place_components();
        cubes
    }

    /// Everything but the cubes below the root.
    fn undivided(solids: Vec<PlacedSolid>) -> Self {
        let mut faces = Vec::new();
        let mut solid_of = Vec::new();
        let mut first_face = Vec::new();
        let mut bounds: Option<Aabb> = None;
        for (index, solid) in solids.iter().enumerate() {
            first_face.push(faces.len());
            for triangle in 0..solid.tree.triangles.len() {
                let face = solid.face(triangle);
                let around = Aabb::of(face).grown(solid.tree.radius);
                bounds = Some(bounds.map_or(around, |b| b.join(&around)));
                faces.push(face);
                solid_of.push(index as u32);
            }
        }
        let origin = Aabb::at(&Point3::origin());
        let bounds = bounds.unwrap_or(origin);
        Cubes {
            root: root(&bounds),
            bounds,
            nodes: vec![CubeNode::EMPTY],
            listed: Vec::new(),
            sets: Vec::new(),
            solids,
            faces,
            solid_of,
            first_face,
            components: BTreeMap::new(),
            cut_short: false,
        }
    }

    /// A cube that is not divided (any more).
    fn close(&mut self, node: usize, branch: &GrowingCube, sets: &mut HashMap<Vec<u32>, u32>) {
        let known = sets.len() as u32;
        self.nodes[node] = CubeNode {
            children: 0,
            first: self.listed.len() as u32,
            count: branch.faces.len() as u32,
            within: *sets.entry(branch.within.clone()).or_insert(known),
        };
        self.listed.extend(&branch.faces);
    }

    /// The content of the eight children of a mixed cube.
    fn divided(&self, open: &Open) -> [GrowingCube; 8] {
        let mut children: [GrowingCube; 8] = Default::default();
        for &face in &open.branch.faces {
            let radius = self.solid(face).tree.radius;
            if radius > 0.0 {
                let candidates = open.cube.met_by(&self.prepared(face).bounds, radius);
                for (k, child) in children.iter_mut().enumerate() {
                    let cube = open.cube.child(k);
                    let near = candidates >> k & 1 == 1
                        && cube.distance(&self.faces[face as usize]) <= radius + self.slack();
                    if near {
                        child.faces.push(face);
                    }
                }
            } else {
                let meets = self.prepared(face).children(&open.cube, 0.0, ALL);
                for (k, child) in children.iter_mut().enumerate() {
                    if meets >> k & 1 == 1 {
                        child.faces.push(face);
                    }
                }
            }
        }
        let mut near: Vec<u32> = open
            .branch
            .faces
            .iter()
            .map(|&f| self.solid_of[f as usize])
            .collect();
        near.sort_unstable();
        near.dedup();
        for (k, child) in children.iter_mut().enumerate() {
            child.within.clone_from(&open.branch.within);
            let cube = open.cube.child(k);
            for &solid in &near {
                if self.is_within(&cube, solid, &child.faces) {
                    child.within.push(solid);
                    child.faces.retain(|&f| self.solid_of[f as usize] != solid);
                }
            }
            child.within.sort_unstable();
        }
        children
    }

    /// Whether a cube lies wholly inside a solid, of which it meets these faces.
    fn is_within(&self, cube: &Cube, solid: u32, faces: &[u32]) -> bool {
        let placed = &self.solids[solid as usize];
        let mut its_faces = faces
            .iter()
            .filter(|&&f| self.solid_of[f as usize] == solid)
            .peekable();
        if its_faces.peek().is_none() {
            return placed.contains(&cube.center());
        }
        let deep = placed.tree.radius - self.slack();
        // All points within a length of a triangle form a convex set: it holds a cube if it holds
        // the cube's corners.
        deep > 0.0
            && its_faces.any(|&f| {
                let face = &self.faces[f as usize];
                let held = |p: &Point3<f64>| Closest::of_point(p, face).distance < deep;
                cube.corners().iter().all(held)
            })
    }

    /// More than the rounding of distances between cubes and faces, metres.
    pub(super) fn slack(&self) -> f64 {
        let far = self.bounds.largest_coordinate();
        256.0 * f64::EPSILON * (far + self.root.edge)
    }

    fn place_components(&mut self) {
        let mut components: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        for (solid, placed) in (0u32..).zip(&self.solids) {
            for p in placed.components() {
                if let Some((node, _)) = self.locate(&p) {
                    components.entry(node).or_default().push((solid, p));
                }
            }
        }
        self.components = components;
    }
}

impl CubeNode {
    /// A cube that holds nothing.
    const EMPTY: CubeNode = CubeNode {
        children: 0,
        first: 0,
        count: 0,
        within: 0,
    };
}

/// A cube around a box. Its edge is a power of two and its corner stands on a multiple of the least
/// cubes' edge, so that halving it is exact.
fn root(bounds: &Aabb) -> Cube {
    let extent = bounds.size().amax().max(f64::MIN_POSITIVE);
    let size = bounds.largest_coordinate();
    // No smaller than what coordinates of this size can tell apart.
    let least = extent.max(size * 1e-9).max(1e-12);
    let mut edge = 2f64.powi(least.log2().ceil() as i32);
    loop {
        let step = edge * 0.5f64.powi(DEEPEST);
        let low = bounds.min.map(|x| ((x / step).floor() - 1.0) * step);
        let cube = Cube { low, edge };
        let high = cube.high();
        if (0..3).all(|k| high[k] > bounds.max[k]) {
            return cube;
        }
        edge *= 2.0;
    }
}
