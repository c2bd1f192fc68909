//! A moving body goes down the octree: its faces are handed to the eight children of every cube
//! that is not decided yet.

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::report::Work;
use nalgebra::Point3;

use super::cube::{Cube, CubeFace};
use super::cubes::{Cubes, PlacedSolid};
use super::table::{Colour, CubeAnswer, CubeState, answer};

/// The part of a moving body at a cube: a face, or a node of its sphere tree that stands for all
/// faces below it.
#[derive(Debug, Clone, Copy)]
enum Item {
    Node(u32),
    Face(u32),
}

/// Faces of a moving body in the world; made when they are first looked at.
#[derive(Debug, Default)]
pub struct BodyFaces {
    /// For every triangle one more than its place among the prepared ones, or 0.
    place: Vec<u32>,
    prepared: Vec<CubeFace>,
    triangles: Vec<u32>,
}

impl BodyFaces {
    /// Forgets the last pose.
    pub fn reset(&mut self, triangles: usize) {
        for &t in &self.triangles {
            self.place[t as usize] = 0;
        }
        self.place.resize(triangles, 0);
        self.prepared.clear();
        self.triangles.clear();
    }

    /// A triangle of the body.
    pub fn get(&mut self, body: &PlacedSolid, triangle: u32) -> &CubeFace {
        let place = &mut self.place[triangle as usize];
        if *place == 0 {
            self.prepared
                .push(CubeFace::new(body.face(triangle as usize)));
            self.triangles.push(triangle);
            *place = self.prepared.len() as u32;
        }
        &self.prepared[*place as usize - 1]
    }

    /// Size in memory, bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.place[..]) + size_of_val(&self.prepared[..])
    }
}

/// The options of a walk.
#[derive(Debug, Clone, Copy)]
pub struct WalkOptions {
    /// Bodies within this distance are found, rounding included, metres.
    pub within: f64,
    /// The most that rounding may amount to, metres.
    pub margin: f64,
    /// Whether the first hit is enough.
    pub first: bool,
}

/// A shape of a moving body among the cubes.
pub struct Walk<'w> {
    cubes: &'w Cubes,
    body: &'w PlacedSolid,
    faces: &'w mut BodyFaces,
    options: WalkOptions,
    /// Distance of every standing body found so far, metres.
    hits: &'w mut [Option<f64>],
    work: &'w mut Work,
    /// Cubes are taken so much larger, metres: threshold, rounding, and what lies beyond the faces
    /// of balls and capsules.
    grow: f64,
    /// Absolute values of the body's rotation.
    turn: nalgebra::Matrix3<f64>,
    items: Vec<Item>,
    meets: Vec<u8>,
    /// Whether a face came to a mixed cube that is not divided any more.
    near: bool,
    cubes_seen: u64,
    done: bool,
}

impl<'w> Walk<'w> {
    /// Finds all standing bodies within the threshold; `hits` holds how near each is as far as is
    /// known, metres. Tells how many cubes it looked into.
    pub fn run(
        cubes: &'w Cubes,
        body: &'w PlacedSolid,
        faces: &'w mut BodyFaces,
        options: WalkOptions,
        hits: &'w mut [Option<f64>],
        work: &'w mut Work,
    ) -> u64 {
        faces.reset(body.tree.triangles.len());
        let mut walk = Walk {
            cubes,
            body,
            faces,
            options,
            hits,
            work,
            grow: options.within + options.margin + body.tree.radius,
            turn: body.pose.rotation.abs(),
            items: vec![Item::Node(0)],
            meets: Vec::new(),
            near: false,
            cubes_seen: 1,
            done: false,
        };
        let root = cubes.root;
        let reach = walk.grow;
        if walk.bounds(0).gap(&root.bounds().grown(reach)) > 0.0 {
            return 1;
        }
        walk.cube(0, root, 0);
        if walk.near && !walk.done {
            walk.components_in_solids();
        }
        walk.cubes_seen
    }

    /// The box around a node of the body's tree, in the world.
    fn bounds(&self, node: u32) -> Aabb {
        let node = &self.body.tree.nodes[node as usize];
        let [center, half] = node.aabb();
        let center = Point3::from(self.body.pose.apply(&center));
        let half = self.turn * half;
        Aabb::around(&center, &half)
    }

    /// Looks at a cube that the items from `from` on may meet.
    fn cube(&mut self, index: u32, cube: Cube, from: usize) {
        let node = self.cubes.nodes[index as usize];
        if node.children == 0 {
            return self.leaf(index, &cube, from);
        }
        let colours: [Colour; 8] = std::array::from_fn(|k| {
            self.cubes
                .colour(&self.cubes.nodes[node.children as usize + k])
        });
        // White cubes are free whatever is in them.
        let wanted = (0..8)
            .filter(|&k| colours[k] != Colour::White)
            .fold(0u8, |bits, k| bits | 1 << k);
        let start = self.items.len();
        self.open(from..start, cube.edge / 2.0);
        let end = self.items.len();
        self.meets.resize(end, 0);
        for i in start..end {
            self.work.cell_tests += 1;
            self.meets[i] = match self.items[i] {
                Item::Node(n) => cube.met_by(&self.bounds(n), self.grow) & wanted,
                Item::Face(t) => {
                    let face = self.faces.get(self.body, t);
                    face.children(&cube, self.grow, wanted)
                }
            };
        }
        for k in (0..8).filter(|&k| wanted >> k & 1 == 1) {
            if self.done {
                break;
            }
            let child = node.children + k;
            self.cubes_seen += 1;
            let its = self.items.len();
            for i in start..end {
                if self.meets[i] >> k & 1 == 1 {
                    self.items.push(self.items[i]);
                }
            }
            // Deeper cubes overwrite what lies beyond `end` only.
            if self.items.len() > its {
                self.cube(child, cube.child(k as usize), its);
            } else {
                self.lower_bound(child, &cube.child(k as usize), colours[k as usize]);
            }
            self.items.truncate(its);
        }
        self.items.truncate(start);
    }

    /// Appends the items of a range, nodes that are large for cubes of this edge opened.
    fn open(&mut self, range: std::ops::Range<usize>, edge: f64) {
        for i in range {
            match self.items[i] {
                Item::Node(n) => self.open_node(n, edge),
                face => self.items.push(face),
            }
        }
    }

    fn open_node(&mut self, node: u32, edge: f64) {
        let what = &self.body.tree.nodes[node as usize];
        if 2.0 * f64::from(what.radius) <= edge {
            self.items.push(Item::Node(node));
        } else if what.is_leaf() {
            let faces = what.first..what.first + what.count;
            self.items.extend(faces.map(Item::Face));
        } else {
            let first = what.first;
            self.open_node(first, edge);
            self.open_node(first + 1, edge);
        }
    }

    /// A cube that no face comes near: all of it is inside the body, or all outside.
    fn lower_bound(&mut self, index: u32, cube: &Cube, colour: Colour) {
        self.work.cell_tests += 1;
        if answer(colour, self.state_without_faces(cube)) == CubeAnswer::Interference {
            self.everything_in(index);
        }
    }

    fn state_without_faces(&self, cube: &Cube) -> CubeState {
        if self.body.contains(&cube.center()) {
            CubeState::Inside
        } else {
            CubeState::Outside
        }
    }

    /// A cube that is not divided any more.
    fn leaf(&mut self, index: u32, cube: &Cube, from: usize) {
        let mut near = Vec::new();
        for i in from..self.items.len() {
            match self.items[i] {
                Item::Node(n) => self.faces_near(n, cube, &mut near),
                Item::Face(t) => self.face_near(t, cube, &mut near),
            }
        }
        let cubes = self.cubes;
        let node = cubes.nodes[index as usize];
        let meets = near.iter().any(|&t| {
            let face = self.faces.get(self.body, t);
            face.meets(cube, 0.0)
        });
        let state = if meets {
            CubeState::Intersecting
        } else {
            self.state_without_faces(cube)
        };
        match (answer(cubes.colour(&node), state), state) {
            (CubeAnswer::Interference, CubeState::Inside) => self.everything_in(index),
            // A surface that meets the cube is inside every solid that holds the cube, be it black
            // or mixed.
            (_, CubeState::Intersecting) => {
                cubes.around(&node).iter().for_each(|&s| self.hit(s, 0.0))
            }
            _ => {}
        }
        if node.count > 0 && !near.is_empty() {
            self.near = true;
            self.compare(index, &near);
        }
    }

    fn faces_near(&mut self, node: u32, cube: &Cube, near: &mut Vec<u32>) {
        self.work.cell_tests += 1;
        if self.bounds(node).gap(&cube.bounds()) > self.grow {
            return;
        }
        let what = self.body.tree.nodes[node as usize];
        if what.is_leaf() {
            for t in what.first..what.first + what.count {
                self.face_near(t, cube, near);
            }
        } else {
            self.faces_near(what.first, cube, near);
            self.faces_near(what.first + 1, cube, near);
        }
    }

    fn face_near(&mut self, triangle: u32, cube: &Cube, near: &mut Vec<u32>) {
        self.work.cell_tests += 1;
        let grow = self.grow;
        if self.faces.get(self.body, triangle).meets(cube, grow) {
            near.push(triangle);
        }
    }

    /// Settles a mixed cube of the least edge: compares faces with faces, and tests components of
    /// the cell that may lie in the body.
    fn compare(&mut self, index: u32, near: &[u32]) {
        let cubes = self.cubes;
        let node = &cubes.nodes[index as usize];
        for &t in near {
            let face = *self.faces.get(self.body, t);
            for &other in cubes.faces_in(node) {
                if self.done {
                    return;
                }
                let solid = cubes.solid_of[other as usize];
                let radii = self.body.tree.radius + cubes.solid(other).tree.radius;
                let corners = &cubes.faces[other as usize];
                let reach = self.limit(solid) + radii;
                if face.bounds.gap(&Aabb::of(*corners)) > reach {
                    continue;
                }
                self.work.triangle_tests += 1;
                let closest = Closest::of_triangles(&face.corners, corners);
                if closest.distance <= reach {
                    self.hit(solid, (closest.distance - radii).max(0.0));
                }
            }
        }
        for &(solid, point) in cubes.components.get(&index).into_iter().flatten() {
            self.work.cell_tests += 1;
            if self.body.contains(&point) {
                self.hit(solid, 0.0);
            }
        }
    }

    /// Only what is no farther than this changes what is known of a standing body, metres.
    fn limit(&self, solid: u32) -> f64 {
        let threshold = self.options.within + self.options.margin;
        let slot = self.cubes.solids[solid as usize].slot;
        self.hits[slot].map_or(threshold, |known| known.min(threshold))
    }

    /// Everything in a cube that lies inside the body.
    fn everything_in(&mut self, index: u32) {
        let cubes = self.cubes;
        let mut open = vec![index];
        while let Some(index) = open.pop() {
            let node = &cubes.nodes[index as usize];
            if node.children > 0 {
                open.extend(node.children..node.children + 8);
            }
            for &solid in cubes.around(node) {
                self.hit(solid, 0.0);
            }
            for &face in cubes.faces_in(node) {
                self.hit(cubes.solid_of[face as usize], 0.0);
            }
            if self.done {
                return;
            }
        }
    }

    /// Components of the body that may lie wholly in a solid, in cubes that are mixed.
    fn components_in_solids(&mut self) {
        let cubes = self.cubes;
        for point in self.body.components() {
            self.work.cell_tests += 1;
            for solid in cubes.holding(&point) {
                self.hit(solid, 0.0);
            }
        }
    }

    fn hit(&mut self, solid: u32, distance: f64) {
        let slot = &mut self.hits[self.cubes.solids[solid as usize].slot];
        *slot = Some(slot.map_or(distance, |known| known.min(distance)));
        self.done |= self.options.first;
    }
}
