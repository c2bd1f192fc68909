//! The proof of nodes from a file: one walk down the tree, in the order in which the builder writes
//! it, at the speed of memory.

use nalgebra::Point3;

use super::bad;
use crate::ProofError;
use crate::bvh::{Node, SphereTree};
use crate::geometry::aabb::Aabb;
use crate::numeric::UNIT;

/// Nodes above this depth are worth a task for each child. Whatever the nodes say, no more than two
/// to this power walks begin, each of which passes over a node once.
const TASKS: usize = 6;

impl SphereTree {
    /// Proves of nodes from anywhere that they fit the triangles of this tree, whose indices are
    /// valid: what [`check`](Self::check) proves of nodes, but cheaply, on all cores, and before
    /// anything is known about the inside. Only nodes that stand as the builder writes them pass:
    /// below two children first all of the one, then all of the other, and triangles likewise.
    pub fn check_nodes(&self) -> Result<(), ProofError> {
        let Some(root) = self.nodes.first() else {
            return if self.triangles.is_empty() {
                Ok(())
            } else {
                bad("there are triangles but no nodes")
            };
        };
        let [center, half] = root.aabb();
        let walk = Walk {
            tree: self,
            slack: 2.0 * UNIT * (1.0 + 8.0 * UNIT) * (center.abs() + half).norm(),
        };
        let start = WalkPosition {
            node: 1,
            triangle: 0,
        };
        let end = WalkPosition {
            node: self.nodes.len(),
            triangle: self.triangles.len(),
        };
        match walk.check_below(0, start, 0) {
            Some((there, _)) if there == end => Ok(()),
            _ => bad("some node does not hold what lies below it, or does not stand in order"),
        }
    }
}

/// How far a walk has come: the first node and the first triangle that it has not passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WalkPosition {
    node: usize,
    triangle: usize,
}

struct Walk<'a> {
    tree: &'a SphereTree,
    /// More than places relative to the origin are off, once the box of the root is proved. Like
    /// everything else here it is believed when the whole walk has ended well, and not before.
    slack: f64,
}

impl Walk<'_> {
    /// Proves a node and all below it, which begins at this place. Where it ends, and the box
    /// around its corners, relative to the origin.
    fn check_below(
        &self,
        index: usize,
        at: WalkPosition,
        depth: usize,
    ) -> Option<(WalkPosition, Aabb)> {
        let nodes = &self.tree.nodes;
        let node = nodes.get(index)?;
        let first = node.first as usize;
        if node.is_leaf() {
            let end = first.checked_add(node.count as usize)?;
            if first != at.triangle || node.count as usize > SphereTree::LEAF {
                return None;
            }
            let triangles = self.tree.triangles.get(first..end)?;
            let around = self.leaf(node, triangles)?;
            let triangle = end;
            return Some((WalkPosition { triangle, ..at }, around));
        }
        if first != at.node || first + 2 > nodes.len() || depth >= SphereTree::DEEPEST {
            return None;
        }
        let begin = WalkPosition {
            node: first + 2,
            ..at
        };
        let second = (depth < TASKS).then(|| self.begin(first + 1)).flatten();
        let (one, two) = match second {
            Some(second) => {
                let (one, two) = rayon::join(
                    || self.check_below(first, begin, depth + 1),
                    || self.check_below(first + 1, second, depth + 1),
                );
                let one = one.filter(|(end, _)| *end == second)?;
                (one, two?)
            }
            None => {
                let one = self.check_below(first, begin, depth + 1)?;
                (one, self.check_below(first + 1, one.0, depth + 1)?)
            }
        };
        let around = joined(&one.1, &two.1);
        let held = is_proper(node)
            && self.box_holds(node, &around)
            && (self.ball_reaches(node, farthest(node, &around))
                || self.ball_holds(node, first) && self.ball_holds(node, first + 1));
        held.then_some((two.0, around))
    }

    /// Where a node says that what is below it begins; `None` for a leaf.
    fn begin(&self, index: usize) -> Option<WalkPosition> {
        let nodes = &self.tree.nodes;
        let first = |index: usize| nodes.get(index).filter(|n| !n.is_leaf()).map(|n| n.first);
        let node = first(index)? as usize;
        let mut lowest = node;
        for _ in 0..SphereTree::DEEPEST {
            let Some(below) = first(lowest) else {
                break;
            };
            lowest = below as usize;
        }
        let triangle = nodes.get(lowest)?.first as usize;
        Some(WalkPosition { node, triangle })
    }

    /// Proves a leaf; the box around its corners.
    fn leaf(&self, node: &Node, triangles: &[[u32; 3]]) -> Option<Aabb> {
        let corners = triangles.as_flattened().iter();
        let around = Aabb::of(corners.map(|&v| {
            let corner = self.tree.vertices[v as usize] - self.tree.origin;
            Point3::from(corner)
        }));
        let held = is_proper(node)
            && self.box_holds(node, &around)
            && (self.ball_reaches(node, farthest(node, &around))
                || self.ball_holds_corners(node, triangles));
        held.then_some(around)
    }

    /// Whether everything below node `below` surely lies in the ball of `node`, if the boxes down
    /// there hold what lies below them.
    fn ball_holds(&self, node: &Node, below: usize) -> bool {
        let below = &self.tree.nodes[below];
        let first = below.first as usize;
        let [center, half] = below.aabb();
        let around = Aabb::around(&center.into(), &half);
        if self.ball_reaches(node, farthest(node, &around)) {
            return true;
        }
        if below.is_leaf() {
            let end = first + below.count as usize;
            return self.ball_holds_corners(node, &self.tree.triangles[first..end]);
        }
        self.ball_holds(node, first) && self.ball_holds(node, first + 1)
    }

    fn ball_holds_corners(&self, node: &Node, triangles: &[[u32; 3]]) -> bool {
        let center = node.ball_center();
        let corners = triangles.as_flattened().iter();
        let farthest = corners.fold(0.0, |most: f64, &v| {
            let corner = self.tree.vertices[v as usize] - self.tree.origin;
            most.max((corner - center).norm_squared())
        });
        self.ball_reaches(node, farthest)
    }

    /// Whether a ball surely reaches so far from its centre; the distance squared.
    ///
    /// Squared, since roots take longer than all else here: 20 units of rounding of the square are
    /// 10 of the distance, of which 2 go into the square of the radius.
    fn ball_reaches(&self, node: &Node, distance_squared: f64) -> bool {
        let radius = f64::from(node.radius) - self.slack;
        radius >= 0.0 && distance_squared * (1.0 + 20.0 * UNIT) <= radius * radius
    }

    /// Whether the box of a node surely holds another one, which is not empty.
    fn box_holds(&self, node: &Node, around: &Aabb) -> bool {
        let [center, half] = node.aabb();
        let holds = |k: usize| {
            let reach = greater(center[k] - around.min[k], around.max[k] - center[k]);
            reach * (1.0 + 4.0 * UNIT) + self.slack <= half[k]
        };
        holds(0) & holds(1) & holds(2)
    }
}

/// The square of how far a box reaches from the centre of a ball.
fn farthest(node: &Node, around: &Aabb) -> f64 {
    let center = node.ball_center();
    let squared = |k: usize| {
        let reach = greater(center[k] - around.min[k], around.max[k] - center[k]);
        reach * reach
    };
    squared(0) + squared(1) + squared(2)
}

/// The least box around both.
fn joined(a: &Aabb, b: &Aabb) -> Aabb {
    let lesser = |a: f64, b: f64| if b < a { b } else { a };
    let ends = |k: usize| (lesser(a.min[k], b.min[k]), greater(a.max[k], b.max[k]));
    let [x, y, z] = [0, 1, 2].map(ends);
    Aabb {
        min: Point3::new(x.0, y.0, z.0),
        max: Point3::new(x.1, y.1, z.1),
    }
}

/// Not `f64::max`, which asks after NaN: where there is one, so is there in the answer or in the
/// node, and no comparison with it holds.
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Whether all numbers are finite, and sizes no less than zero.
fn is_proper(node: &Node) -> bool {
    let [x, y, z] = node.box_half;
    let sizes = [node.radius, x, y, z];
    node.center
        .iter()
        .chain(&node.box_center)
        .all(|x| x.is_finite())
        && sizes.iter().all(|x| (0.0..f32::INFINITY).contains(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::made::torus;
    use crate::geometry::mesh::Mesh;
    use crate::geometry::random::Random;

    /// Catches: nodes that pass though one of them does not hold what lies below it, though a
    /// triangle is in no leaf or in two, or though they are not a tree; a walk that does not end.
    #[test]
    fn only_nodes_that_hold_everything_pass() {
        let good = SphereTree::new(&torus(12), 0.0);
        good.check_nodes().unwrap();
        let mut r = Random(5);
        for n in 0..good.nodes.len() {
            for change in 0..9 {
                let mut bad = good.clone();
                let node = &mut bad.nodes[n];
                match change {
                    0 => node.radius *= 0.999,
                    1 => node.box_half[r.below(3)] *= 0.999,
                    2 => node.first = node.first.wrapping_add(1 + r.below(9) as u32),
                    3 => node.first = node.first.wrapping_sub(1 + r.below(2) as u32),
                    4 => node.count += 1,
                    5 => node.count = node.count.wrapping_sub(1),
                    6 => node.center[r.below(3)] = [f32::INFINITY, f32::NAN][r.below(2)],
                    7 => node.box_center[r.below(3)] = [f32::INFINITY, f32::NAN][r.below(2)],
                    _ => node.radius = [f32::INFINITY, f32::NAN][r.below(2)],
                }
                assert!(bad.check_nodes().is_err(), "node {n}, change {change}");
                assert!(bad.check().is_err(), "node {n}, change {change}");
            }
        }
        // A node or a triangle more than the walk passes, or one less.
        let mut bad = good.clone();
        bad.nodes.push(bad.nodes[bad.nodes.len() - 1]);
        assert!(bad.check_nodes().is_err());
        bad.nodes.truncate(good.nodes.len() - 1);
        assert!(bad.check_nodes().is_err());
        bad = good.clone();
        bad.triangles.push(bad.triangles[0]);
        assert!(bad.check_nodes().is_err());
        bad.triangles.truncate(good.triangles.len() - 1);
        assert!(bad.check_nodes().is_err());
        bad.triangles.clear();
        assert!(bad.check_nodes().is_err());
        bad.nodes.clear();
        bad.check_nodes().unwrap();
        bad.triangles.push([0; 3]);
        assert!(bad.check_nodes().is_err());
    }

    /// Catches: a ball that is smaller than the rounding of what it should hold.
    #[test]
    fn a_ball_of_no_size_holds_no_rounded_point() {
        let mesh = Mesh {
            vertices: [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.25, 0.0]]
                .map(Point3::from)
                .to_vec(),
            triangles: vec![[0, 1, 2], [0, 1, 2], [2; 3], [2; 3]],
        };
        let good = SphereTree::new(&mesh, 0.0);
        good.check_nodes().unwrap();
        let is_point = |t: usize| good.triangles[t][0] == good.triangles[t][1];
        let mut points = 0;
        for (n, node) in good.nodes.iter().enumerate() {
            let first = node.first as usize;
            if node.is_leaf() && (first..first + node.count as usize).all(is_point) {
                let mut bad = good.clone();
                bad.nodes[n].radius = 0.0;
                assert!(bad.check().is_err() && bad.check_nodes().is_err());
                points += 1;
            }
        }
        assert!(points > 0);
    }

    /// Catches: a leaf of more triangles than a leaf has; nodes that the walk leaps over.
    #[test]
    fn leaves_are_small_and_no_node_is_passed_over() {
        let good = SphereTree::new(&torus(12), 0.0);
        let inner = || (0..good.nodes.len()).filter(|&n| !good.nodes[n].is_leaf());
        let mut merged = 0;
        for n in inner() {
            let first = good.nodes[n].first as usize;
            // Two nodes more, of which nobody is the parent.
            let mut bad = good.clone();
            let pair = [bad.nodes[first], bad.nodes[first + 1]];
            bad.nodes.splice(first..first, pair);
            for node in bad.nodes.iter_mut().filter(|node| !node.is_leaf()) {
                node.first += 2 * u32::from(node.first as usize >= first);
            }
            assert!(bad.check_nodes().is_err(), "node {n}");
            // A leaf in place of two.
            let count = pair[0].count + pair[1].count;
            if !pair.iter().all(Node::is_leaf) || count as usize <= SphereTree::LEAF {
                continue;
            }
            merged += 1;
            let mut bad = good.clone();
            bad.nodes[n].first = pair[0].first;
            bad.nodes[n].count = count;
            bad.nodes.drain(first..first + 2);
            for node in bad.nodes.iter_mut().filter(|node| !node.is_leaf()) {
                node.first -= 2 * u32::from(node.first as usize > first);
            }
            bad.check().unwrap();
            assert!(bad.check_nodes().is_err(), "node {n}");
        }
        assert!(merged > 5, "{merged}");
    }

    /// Whatever the nodes say, the walk ends without a panic, and what passes is proved by the
    /// plain way too.
    #[test]
    fn whatever_passes_is_proved_by_the_plain_way() {
        let good = SphereTree::new(&torus(12), 0.0);
        let mut r = Random(6);
        let mut passed = 0;
        for _ in 0..3_000 {
            let mut bad = good.clone();
            for _ in 0..1 + r.below(3) {
                let (from, to) = (r.below(bad.nodes.len()), r.below(bad.nodes.len()));
                let other = bad.nodes[from];
                let node = &mut bad.nodes[to];
                match r.below(6) {
                    0 => node.first = r.below(1 << 32) as u32,
                    1 => node.first = other.first,
                    2 => *node = other,
                    3 => node.count = other.count,
                    4 => node.radius *= 1.0 + r.below(3) as f32 * 0.01,
                    _ => bad.nodes.swap(from, to),
                }
            }
            if bad.check_nodes().is_ok() {
                bad.check().unwrap();
                passed += 1;
            }
        }
        assert!(passed > 50, "{passed}");
    }

    /// A subtree may not stand for its neighbour as well, nor for itself, with every bound so large
    /// that it holds all.
    #[test]
    fn no_subtree_stands_for_another_one() {
        let mut good = SphereTree::new(&torus(12), 0.0);
        for node in &mut good.nodes {
            node.radius = 100.0;
            node.box_half = [100.0; 3];
        }
        good.check_nodes().unwrap();
        for n in 0..good.nodes.len() {
            let Node { first, count, .. } = good.nodes[n];
            if count > 0 {
                continue;
            }
            let [a, b] = [first as usize, first as usize + 1];
            for (from, to) in [(a, b), (b, a), (n, a), (n, b)] {
                let mut bad = good.clone();
                bad.nodes[to] = bad.nodes[from];
                assert!(bad.check_nodes().is_err(), "node {n}: {from} for {to}");
            }
        }
    }
}
