//! Plain binary trees of balls in double precision, as greedy and compact sphere trees are
//! described.
//!
//! Two ways to combine two nodes into their parent: *greedy* (Quinlan), where the parent's ball
//! holds both balls, and *compact*, where it holds what the surface below consists of and the balls
//! below may stick out. Two kinds of leaves: a ball around each triangle, or *tiles*: large
//! triangles are blanketed with balls of at most one radius.
//!
//! The trees of the default check are others ([`SphereTree`]): single precision, boxes beside the
//! balls, two triangles to a leaf. These here are for comparing.

use clearance_proof::bvh::SphereTree;
use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::enclosing_ball::Ball;
use nalgebra::{Point3, Vector3};

use crate::MethodError;

mod cover;
#[cfg(test)]
mod tests;
mod tile;

use tile::{Tile, affordable, expected, tiles};

/// How a parent's ball comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// The smallest ball around the corners below.
    Compact,
    /// The smallest ball around the two balls below.
    Greedy,
}

/// The content of a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BallLeaves {
    /// A triangle.
    Whole,
    /// A triangle, or of a large one a tile.
    Tiled {
        /// Largest radius of a leaf, metres.
        radius: f64,
    },
}

/// Tiles are no larger than this share of their part, unless a radius is given.
const LEAF_SHARE: f64 = 1.0 / 16.0;

impl BallLeaves {
    /// Tiles of that radius, metres; without one, of a sixteenth of the shape's.
    pub fn of(shape: &SphereTree, radius: Option<f64>) -> Self {
        let share = shape
            .nodes
            .first()
            .map_or(1.0, |root| f64::from(root.radius) * LEAF_SHARE);
        match radius {
            Some(radius) => BallLeaves::Tiled { radius },
            // The core of a ball is a point.
            None if share == 0.0 => BallLeaves::Whole,
            None => BallLeaves::Tiled { radius: share },
        }
    }
}

/// The nodes or the triangle below a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// Two nodes side by side; this is the first one.
    Nodes(u32),
    /// A triangle, or part of it.
    Triangle(u32),
}

/// A ball of the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BallNode {
    /// Centre, relative to the origin of the shape's [`SphereTree`], metres.
    pub center: Vector3<f64>,
    /// Radius, metres.
    pub radius: f64,
    /// The nodes or the triangle below it.
    pub below: Below,
}

/// A tree over the triangles of a shape. Every point of every triangle lies in a leaf of that
/// triangle and in each ball above that leaf: [`BallTree::check`] proves it.
#[derive(Debug, Clone, PartialEq)]
pub struct BallTree {
    /// Nodes; 0 is the root.
    pub nodes: Vec<BallNode>,
    /// Corners of the triangles, relative to the origin of the shape's [`SphereTree`], metres.
    pub triangles: Vec<[Vector3<f64>; 3]>,
}

/// The nodes at one depth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// How many there are.
    pub nodes: usize,
    /// Mean of their radii, metres.
    pub mean_radius: f64,
}

/// Both sides of a cut get at least one of so many leaves: this bounds the depth.
const LEAST_SHARE: usize = 16;

/// Subtrees of more leaves than this are worth a task of their own.
const TASK: usize = 4096;

/// Rounds up what a few operations made.
const ROUND_UP: f64 = 1.0 + 16.0 * f64::EPSILON;

impl BallTree {
    /// Builds a tree over the triangles of a shape.
    ///
    /// # Errors
    /// When there would be too many tiles, or their radius is not a length; the message says which
    /// radius would do.
    pub fn new(
        shape: &SphereTree,
        combine: Combine,
        leaves: BallLeaves,
    ) -> Result<Self, MethodError> {
        let triangles = triangles(shape);
        let mut tiles = match leaves {
            BallLeaves::Whole => (0u32..)
                .zip(&triangles)
                .map(|(t, c)| Tile::whole(t, c))
                .collect(),
            BallLeaves::Tiled { radius } => tiles(&triangles, radius)?,
        };
        let mut nodes = Vec::new();
        if !tiles.is_empty() {
            let root = grow(&mut tiles, combine);
            nodes.push(root.node);
            flatten(root, 0, &mut nodes);
        }
        Ok(Self { nodes, triangles })
    }

    /// Refuses tiles of this radius, metres, where all these shapes together would have too many.
    ///
    /// # Errors
    /// With a radius that would do.
    pub fn tiles_fit<'t>(
        shapes: impl Iterator<Item = &'t SphereTree> + Clone,
        radius: f64,
    ) -> Result<(), MethodError> {
        let of = |shape, radius| expected(triangles(shape).iter(), radius);
        affordable(|radius| shapes.clone().map(|s| of(s, radius)).sum(), radius)
    }

    /// How deep every node lies; the root at 0.
    pub fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            if let Below::Nodes(first) = node.below {
                let below = depths[index] + 1;
                depths[first as usize..first as usize + 2].fill(below);
            }
        }
        depths
    }

    /// Number of nodes and mean radius at every depth, from the root down.
    pub fn levels(&self) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        for (node, depth) in self.nodes.iter().zip(self.depths()) {
            let nothing = Level {
                nodes: 0,
                mean_radius: 0.0,
            };
            levels.resize(levels.len().max(depth + 1), nothing);
            levels[depth].nodes += 1;
            levels[depth].mean_radius += node.radius;
        }
        for level in &mut levels {
            level.mean_radius /= level.nodes as f64;
        }
        levels
    }

    /// Number of leaves: more than triangles if some are tiled.
    pub fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Size in memory, bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.triangles[..])
    }
}

/// Corners relative to the shape's origin.
fn triangles(shape: &SphereTree) -> Vec<[Vector3<f64>; 3]> {
    (0..shape.triangles.len())
        .map(|t| shape.corners(t).map(|c| c - shape.origin))
        .collect()
}

/// A node on its way into the tree.
struct GrowingBall {
    node: BallNode,
    /// How far a ball has to reach beyond the corners below, metres.
    slack: f64,
    children: Option<Box<[GrowingBall; 2]>>,
}

fn grow(tiles: &mut [Tile], combine: Combine) -> GrowingBall {
    if let [tile] = tiles {
        return GrowingBall {
            node: BallNode {
                center: tile.ball.center.coords,
                radius: tile.ball.radius,
                below: Below::Triangle(tile.triangle),
            },
            slack: tile.slack,
            children: None,
        };
    }
    let middle = cut(tiles);
    let count = tiles.len();
    let (left, right) = tiles.split_at_mut(middle);
    let (a, b) = if count > TASK {
        rayon::join(|| grow(left, combine), || grow(right, combine))
    } else {
        (grow(left, combine), grow(right, combine))
    };
    let slack = a.slack.max(b.slack);
    let ball = match combine {
        Combine::Greedy => around_both(&a.node, &b.node),
        Combine::Compact => {
            let corners: Vec<Point3<f64>> = tiles
                .iter()
                .flat_map(|t| t.corners.iter().copied())
                .collect();
            let ball = Ball::around(&corners);
            Ball {
                radius: (ball.radius + slack) * ROUND_UP,
                ..ball
            }
        }
    };
    GrowingBall {
        node: BallNode {
            center: ball.center.coords,
            radius: ball.radius,
            // Filled in when the nodes are written.
            below: Below::Nodes(0),
        },
        slack,
        children: Some(Box::new([a, b])),
    }
}

/// Puts the tiles of one side first and returns their number: those before the mean along the
/// longest edge of the box around the centres (Quinlan), or half of them where that leaves hardly
/// any on one side.
fn cut(tiles: &mut [Tile]) -> usize {
    let (mut around, mut sum) = (Aabb::EMPTY, Vector3::zeros());
    for tile in tiles.iter() {
        around = around.with(&tile.ball.center);
        sum += tile.ball.center.coords;
    }
    let axis = around.size().imax();
    let mean = sum[axis] / tiles.len() as f64;
    let mut front = 0;
    for i in 0..tiles.len() {
        if tiles[i].ball.center[axis] < mean {
            tiles.swap(i, front);
            front += 1;
        }
    }
    if front.min(tiles.len() - front) * LEAST_SHARE >= tiles.len() {
        return front;
    }
    let half = tiles.len() / 2;
    tiles.select_nth_unstable_by(half, |a, b| {
        a.ball.center[axis].total_cmp(&b.ball.center[axis])
    });
    half
}

/// The smallest ball around two balls, rounded up.
fn around_both(a: &BallNode, b: &BallNode) -> Ball {
    let between = b.center - a.center;
    let distance = between.norm();
    let center = if distance + b.radius <= a.radius {
        a.center
    } else if distance + a.radius <= b.radius {
        b.center
    } else {
        let share = (distance + b.radius - a.radius) / (2.0 * distance);
        a.center + between * share
    };
    let reach = |n: &BallNode| (n.center - center).norm() + n.radius;
    Ball {
        center: Point3::from(center),
        radius: reach(a).max(reach(b)) * ROUND_UP,
    }
}

/// Writes the children of node `at`, side by side, and what lies below them.
fn flatten(branch: GrowingBall, at: usize, nodes: &mut Vec<BallNode>) {
    let Some(children) = branch.children else {
        return;
    };
    let first = nodes.len();
    nodes[at].below = Below::Nodes(first as u32);
    let [a, b] = *children;
    nodes.extend([a.node, b.node]);
    flatten(a, first, nodes);
    flatten(b, first + 1, nodes);
}
