//! Round shapes between two surfaces of triangles.
//!
//! Corners on a round surface would leave its chord bounds outside of all triangles, and something
//! could touch a chord bound unseen. So there is a surface around the true one, whatever comes from
//! outside meets it first, and one within it, for what comes from inside where a shape is hollow.
//! The true surface lies between the two.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use clearance_proof::geometry::mesh::Mesh;
use nalgebra::{Point3, Vector3};

/// Sides of the prisms and pyramids.
pub const SIDES: u32 = 128;

/// How often the 20 triangles of an icosahedron are cut in four.
const CUTS: usize = 4;

/// Corners are moved away from the true surface by this share more, for the rounding of their
/// coordinates.
const ROUNDING: f64 = 1e-12;

/// The triangles, and how far at most they stand out of the true shape.
pub struct Round {
    pub mesh: Mesh,
    pub excess: f64,
}

/// A ball around the origin.
pub fn sphere(radius: f64) -> Round {
    let ball = icosphere();
    let nearest = (0..ball.triangles.len())
        .map(|t| {
            let [a, b, c] = ball.corners(t);
            (b - a).cross(&(c - a)).normalize().dot(&a.coords)
        })
        .fold(1.0, f64::min);
    let outer = radius / nearest * (1.0 + ROUNDING);
    let mut mesh = Mesh::default();
    for radius in [outer, radius * (1.0 - ROUNDING)] {
        let first = mesh.vertices.len() as u32;
        mesh.vertices
            .extend(ball.vertices.iter().map(|p| p * radius));
        mesh.triangles
            .extend(ball.triangles.iter().map(|t| t.map(|v| first + v)));
    }
    let excess = (outer - radius) * (1.0 + 1e-9);
    Round { mesh, excess }
}

/// Triangles of about the same size, with their corners on the unit ball.
fn icosphere() -> Mesh {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let mut ball = Mesh::default();
    let corners = [
        (1.0, golden),
        (1.0, -golden),
        (-1.0, golden),
        (-1.0, -golden),
    ];
    for corner in corners.map(|(a, b)| [[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]) {
        let unit = corner.map(|p| Point3::from(Vector3::from(p).normalize()));
        ball.vertices.extend(unit);
    }
    // Edges have a length of 1.05, the other ways from corner to corner are longer.
    let near =
        |i: u32, k: u32| (ball.vertices[i as usize] - ball.vertices[k as usize]).norm() < 1.1;
    for (i, k) in (0..12).flat_map(|i| (i + 1..12).map(move |k| (i, k))) {
        for m in (k + 1..12).filter(|&m| near(i, k) && near(k, m) && near(m, i)) {
            ball.triangles.push([i, k, m]);
        }
    }
    for t in 0..ball.triangles.len() {
        let [a, b, c] = ball.corners(t);
        if (b - a).cross(&(c - a)).dot(&a.coords) < 0.0 {
            ball.triangles[t].swap(1, 2);
        }
    }
    for _ in 0..CUTS {
        let mut known = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *known.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let [p, q] = [a, b].map(|v| ball.vertices[v as usize].coords);
                ball.vertices.push(Point3::from((p + q).normalize()));
                ball.vertices.len() as u32 - 1
            })
        };
        let quarters = ball.triangles.iter().flat_map(|&[a, b, c]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        });
        ball.triangles = quarters.collect();
    }
    ball
}

/// A cylinder along y, centred, or what is left of it.
#[derive(Clone, Copy)]
pub struct Cylinder {
    pub radius: f64,
    pub height: f64,
    pub side: bool,
    pub top: bool,
    pub bottom: bool,
}

impl Cylinder {
    pub fn round(&self) -> Round {
        let mut wall = Wall::new(self.radius);
        let outer = wall.rings(wall.outer, self.height);
        if self.side {
            self.add_side(&mut wall, &outer);
        }
        if self.bottom {
            wall.disk(outer.low, Facing::Down);
        }
        if self.top {
            wall.disk(outer.high, Facing::Up);
        }
        wall.finish()
    }

    /// The two surfaces of the side. The inner one is closed where the cylinder is; where it is
    /// open, they are joined.
    fn add_side(&self, wall: &mut Wall, outer: &Rings) {
        let inner = wall.rings(wall.inner, self.height);
        wall.band(outer.low, outer.high);
        // Solid: two bodies, one in the other. A pipe or a cup: the wall between the two surfaces is
        // a body, and the inner one faces the axis.
        let solid = self.top && self.bottom;
        let (from, to, below, above) = if solid {
            (inner.low, inner.high, Facing::Down, Facing::Up)
        } else {
            (inner.high, inner.low, Facing::Up, Facing::Down)
        };
        wall.band(from, to);
        if self.bottom {
            wall.disk(inner.low, below);
        } else {
            wall.band(inner.low, outer.low);
        }
        if self.top {
            wall.disk(inner.high, above);
        } else {
            wall.band(outer.high, inner.high);
        }
    }
}

/// A cone along y, centred, tip up, or what is left of it.
#[derive(Clone, Copy)]
pub struct Cone {
    pub radius: f64,
    pub height: f64,
    pub side: bool,
    pub bottom: bool,
}

impl Cone {
    pub fn round(&self) -> Round {
        let mut wall = Wall::new(self.radius);
        let low = -self.height / 2.0;
        let outer = wall.ring(wall.outer, low);
        if self.side {
            let inner = wall.ring(wall.inner, low);
            let tip = wall.mesh.vertices.len() as u32;
            let top = Point3::new(0.0, self.height / 2.0, 0.0);
            wall.mesh.vertices.push(top);
            wall.fan(outer, tip, Facing::Up);
            if self.bottom {
                wall.fan(inner, tip, Facing::Up);
                wall.disk(inner, Facing::Down);
            } else {
                wall.fan(inner, tip, Facing::Down);
                wall.band(inner, outer);
            }
        }
        if self.bottom {
            wall.disk(outer, Facing::Down);
        }
        wall.finish()
    }
}

/// The rings at both ends of a cylinder.
struct Rings {
    low: u32,
    high: u32,
}

/// To which side triangles turn their front.
#[derive(Clone, Copy)]
enum Facing {
    Up,
    Down,
}

/// A surface built from rings of [`SIDES`] corners. A ring is named by its first corner.
struct Wall {
    mesh: Mesh,
    /// Radius of corners whose polygon is around the circle.
    outer: f64,
    /// Radius of corners whose polygon is within it.
    inner: f64,
    excess: f64,
}

impl Wall {
    fn new(radius: f64) -> Self {
        let outer = radius / (PI / f64::from(SIDES)).cos() * (1.0 + ROUNDING);
        Self {
            mesh: Mesh::default(),
            outer,
            inner: radius * (1.0 - ROUNDING),
            excess: (outer - radius) * (1.0 + 1e-9),
        }
    }

    /// Counter-clockwise seen from above.
    fn ring(&mut self, radius: f64, y: f64) -> u32 {
        let first = self.mesh.vertices.len() as u32;
        self.mesh.vertices.extend((0..SIDES).map(|i| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(SIDES)).sin_cos();
            Point3::new(radius * sin, y, radius * cos)
        }));
        first
    }

    /// At both ends of a cylinder.
    fn rings(&mut self, radius: f64, height: f64) -> Rings {
        Rings {
            low: self.ring(radius, -height / 2.0),
            high: self.ring(radius, height / 2.0),
        }
    }

    /// Between two rings, seen from where the way from one to two goes up and that round the ring
    /// to the right.
    fn band(&mut self, one: u32, two: u32) {
        for i in 0..SIDES {
            let j = (i + 1) % SIDES;
            self.mesh
                .triangles
                .extend([[one + i, one + j, two + j], [one + i, two + j, two + i]]);
        }
    }

    /// From a ring to a tip above it.
    fn fan(&mut self, ring: u32, tip: u32, facing: Facing) {
        self.mesh.triangles.extend((0..SIDES).map(|i| {
            let (a, b) = (ring + i, ring + (i + 1) % SIDES);
            match facing {
                Facing::Up => [a, b, tip],
                Facing::Down => [b, a, tip],
            }
        }));
    }

    fn disk(&mut self, ring: u32, facing: Facing) {
        let corners = ring..ring + SIDES;
        let corners = match facing {
            Facing::Up => corners.collect(),
            Facing::Down => corners.rev().collect(),
        };
        self.mesh.cap(corners);
    }

    fn finish(self) -> Round {
        Round {
            mesh: self.mesh,
            excess: self.excess,
        }
    }
}
