//! A closer look at one pair: the space of the joint values between the two shapes is halved again
//! and again, and so are the shapes, whichever is the larger term, as in the check of a motion with
//! joint values in place of time.
//!
//! In a box of joint values a node of a tree stays within its ball, swept over the ranges. Where
//! both nodes are leaves, the exact distance of the triangles in the middle of the box, less how
//! far their points can travel from there, is a bound too. What is proved apart in every box is
//! apart for all values: nothing is sampled.

use nalgebra::{Point3, Vector3};

use super::hulls::gap;
use super::{Candidate, PlacedShape, followed};
use crate::geometry::pose::Pose;
use crate::geometry::triangle::Closest;
use crate::model::{Cell, JointId, JointKind};
use crate::motion::{Chains, JointRange, SweptBall};

/// How many pairs of nodes a proof may look at before it is given up: with few joints between the
/// shapes, and with more. A proof in many dimensions either ends soon or takes for ever.
const MOST_TESTS: [usize; 2] = [10_000, 2_000];
const FEW_JOINTS: usize = 3;
/// With more joints than this between them nothing is tried that the hulls have not settled.
const MOST_JOINTS: usize = 8;
/// Boxes in which nothing moves by more than this are not halved further, metres.
const FINE_M: f64 = 2e-4;
/// The search for the least distance ends when its bound is within this share of the truth,
const RELATIVE_TOLERANCE: f64 = 0.05;
/// or within this length, metres,
const ABSOLUTE_TOLERANCE_M: f64 = 1e-3;
/// or after this many proofs.
const MOST_PROOFS: usize = 6;

/// Improves `known`, a distance below which the pair cannot come while the joints take any values
/// of these ranges, metres. `None` when nothing above the pair's threshold can be proved. Where
/// both meet at some values, the answer is soon clear; where it would take too long, less is said
/// than is true.
pub fn least(
    cell: &Cell,
    chains: &Chains,
    shapes: &[PlacedShape],
    ranges: &[JointRange],
    pair: &Candidate,
    known: f64,
) -> Option<f64> {
    let Some(mut look) = JointSpaceSearch::new(cell, chains, shapes, ranges, pair) else {
        return (known > pair.threshold).then_some(known);
    };
    let mut proved = known;
    if proved <= pair.threshold {
        if !look.prove_separation(pair.threshold) {
            return None;
        }
        // Proved to be more than the threshold, and not known to be any more than that.
        proved = pair.threshold.next_up();
    }
    let mut step_fraction = 0.96;
    for _ in 0..MOST_PROOFS {
        let attained = look.attained;
        if attained.is_finite()
            && attained - proved <= ABSOLUTE_TOLERANCE_M.max(RELATIVE_TOLERANCE * attained)
        {
            break;
        }
        let next = if attained.is_finite() {
            proved + step_fraction * (attained - proved)
        } else {
            1.5 * proved + 0.02
        };
        if look.prove_separation(next) {
            proved = next;
        } else if look.attained == attained {
            step_fraction *= 0.6;
        }
    }
    Some(proved)
}

/// A joint between the two shapes.
struct ChainJoint {
    joint: JointId,
    /// Its value is `multiplier · variable + offset`.
    variable: usize,
    multiplier: f64,
    offset: f64,
}

/// One shape with the joints between it and the shared frame, that frame first.
struct ShapeChain<'s> {
    shape: &'s PlacedShape<'s>,
    joints: Vec<ChainJoint>,
}

struct JointSpaceSearch<'s> {
    chains: &'s Chains,
    sides: [ShapeChain<'s>; 2],
    /// Ranges of the variables.
    variables: Vec<JointRange>,
    /// The least distance that was seen, metres.
    attained: f64,
    tests: usize,
    most_tests: usize,
}

/// A side in a box of joint values.
struct SweptShape {
    /// Inner joints first.
    swept_balls: Vec<SweptBall>,
    /// Pose of the part in the middle of the box, in the shared frame.
    middle: Pose,
}

impl<'s> JointSpaceSearch<'s> {
    fn new(
        cell: &Cell,
        chains: &'s Chains,
        shapes: &'s [PlacedShape],
        ranges: &[JointRange],
        pair: &Candidate,
    ) -> Option<Self> {
        let mut leaders: Vec<JointId> = Vec::new();
        let mut variables = Vec::new();
        let mut side = |shape: usize| {
            let mut joints = Vec::new();
            for &joint in &chains.of(shapes[shape].joint)[pair.shared..] {
                let mimic = cell.joints[joint].mimic;
                let leader = mimic.map_or(joint, |m| m.source);
                let variable = leaders
                    .iter()
                    .position(|&l| l == leader)
                    .unwrap_or_else(|| {
                        leaders.push(leader);
                        variables.push(ranges[leader]);
                        leaders.len() - 1
                    });
                joints.push(ChainJoint {
                    joint,
                    variable,
                    multiplier: mimic.map_or(1.0, |m| m.multiplier),
                    offset: mimic.map_or(0.0, |m| m.offset),
                });
            }
            ShapeChain {
                shape: &shapes[shape],
                joints,
            }
        };
        let sides = [side(pair.a), side(pair.b)];
        let full = JointRange {
            low: -std::f64::consts::PI - 1e-9,
            high: std::f64::consts::PI + 1e-9,
        };
        for (variable, range) in variables.iter_mut().enumerate() {
            // All that turn with this variable come round with it if they turn as fast.
            let mut movers = sides
                .iter()
                .flat_map(|s| &s.joints)
                .filter(|j| j.variable == variable);
            let comes_round = movers.all(|j| {
                cell.joints[j.joint].kind != JointKind::Prismatic && j.multiplier.abs() == 1.0
            });
            if comes_round && (range.half() > full.half() || range.half().is_nan()) {
                *range = full;
            }
            if !(range.low.is_finite() && range.high.is_finite()) {
                return None;
            }
        }
        if leaders.len() > MOST_JOINTS {
            return None;
        }
        // A mimic joint that rests elsewhere than its leader says is out of step with it.
        let in_step = |j: &ChainJoint| {
            let follows = followed(&ranges[leaders[j.variable]], j.multiplier, j.offset);
            follows.holds(&ranges[j.joint])
        };
        sides
            .iter()
            .flat_map(|s| &s.joints)
            .all(in_step)
            .then_some(JointSpaceSearch {
                chains,
                sides,
                variables,
                attained: f64::INFINITY,
                tests: 0,
                most_tests: MOST_TESTS[usize::from(leaders.len() > FEW_JOINTS)],
            })
    }

    /// Whether the shapes are proved to stay farther apart than this for all values, metres.
    fn prove_separation(&mut self, threshold: f64) -> bool {
        self.tests = 0;
        if self.attained <= threshold {
            return false;
        }
        let mut variables = self.variables.clone();
        self.are_separated_in(&mut variables, &[[0, 0]], threshold)
    }

    fn held(&self, side: usize, variables: &[JointRange]) -> SweptShape {
        let side = &self.sides[side];
        let swept_balls: Vec<SweptBall> = side
            .joints
            .iter()
            .map(|j| {
                let range = followed(&variables[j.variable], j.multiplier, j.offset);
                SweptBall::new(self.chains, j.joint, &range)
            })
            .collect();
        let middle = swept_balls
            .iter()
            .rev()
            .fold(side.shape.joint_from_part, |pose, s| {
                s.parent_from_middle.compose(&pose)
            });
        SweptShape {
            swept_balls,
            middle,
        }
    }

    fn are_separated_in(
        &mut self,
        variables: &mut [JointRange],
        front: &[[u32; 2]],
        threshold: f64,
    ) -> bool {
        let held = [self.held(0, variables), self.held(1, variables)];
        let trees = [self.sides[0].shape.tree, self.sides[1].shape.tree];
        let mut open: Vec<[u32; 2]> = front.to_vec();
        let mut later = Vec::new();
        // The pair of nodes that is proved least.
        let mut worst = (f64::INFINITY, [0, 0]);
        while let Some(nodes) = open.pop() {
            self.tests += 1;
            if self.tests > self.most_tests {
                return false;
            }
            let node = [0, 1].map(|i| &trees[i].nodes[nodes[i] as usize]);
            let balls = [0, 1].map(|i| self.sides[i].shape.ball(nodes[i] as usize));
            let swept = [0, 1].map(|i| {
                held[i]
                    .swept_balls
                    .iter()
                    .rev()
                    .fold(balls[i], |ball, swept_ball| swept_ball.sweep(&ball))
            });
            let mut bound = gap(&swept[0], &swept[1]);
            if bound > threshold {
                continue;
            }
            let grown: f64 = (0..2).map(|i| swept[i].radius - balls[i].radius).sum();
            let leaves = node[0].is_leaf() && node[1].is_leaf();
            if leaves {
                let distance = self.distance_in_middle(nodes, &held);
                self.attained = self.attained.min(distance);
                if distance <= threshold {
                    return false;
                }
                let moved: f64 = (0..2).map(|i| self.travel(i, &balls[i], &held[i])).sum();
                bound = distance - moved - self.slack(&held);
                if bound > threshold {
                    continue;
                }
                if moved <= FINE_M {
                    return false;
                }
            } else if balls[0].radius + balls[1].radius >= grown {
                let first =
                    !node[0].is_leaf() && (node[1].is_leaf() || node[0].radius >= node[1].radius);
                let [a, b] = nodes;
                if first {
                    open.extend([[node[0].first, b], [node[0].first + 1, b]]);
                } else {
                    open.extend([[a, node[1].first], [a, node[1].first + 1]]);
                }
                continue;
            }
            if bound < worst.0 {
                worst = (bound, nodes);
            }
            later.push(nodes);
        }
        if later.is_empty() {
            return true;
        }
        let Some(split) = self.widest(variables, worst.1, &held) else {
            return false;
        };
        let whole = variables[split];
        let middle = whole.middle();
        if !(whole.low < middle && middle < whole.high) {
            return false;
        }
        let halves = [
            JointRange {
                low: whole.low,
                high: middle,
            },
            JointRange {
                low: middle,
                high: whole.high,
            },
        ];
        let mut separated = true;
        for half in halves {
            variables[split] = half;
            separated = self.are_separated_in(variables, &later, threshold);
            if !separated {
                break;
            }
        }
        variables[split] = whole;
        separated
    }

    /// Exact distance of two leaves in the middle of a box, metres.
    fn distance_in_middle(&self, nodes: [u32; 2], held: &[SweptShape; 2]) -> f64 {
        let corners = |i: usize| {
            let tree = self.sides[i].shape.tree;
            let node = &tree.nodes[nodes[i] as usize];
            let triangles = node.first as usize..(node.first + node.count) as usize;
            triangles.map(move |t| {
                tree.corners(t)
                    .map(|p| Point3::from(held[i].middle.apply(&(p - tree.origin))))
            })
        };
        let mut least = f64::INFINITY;
        for a in corners(0) {
            for b in corners(1) {
                least = least.min(Closest::of_triangles(&a, &b).distance);
            }
        }
        let radii: f64 = self.sides.iter().map(|s| s.shape.tree.radius).sum();
        (least - radii).max(0.0)
    }

    /// How far points of a ball get from where they are in the middle of a box, metres.
    fn travel(
        &self,
        side: usize,
        ball: &crate::geometry::enclosing_ball::Ball,
        held: &SweptShape,
    ) -> f64 {
        let mut center = ball.center.coords;
        let mut moved = 0.0;
        for swept_ball in held.swept_balls.iter().rev() {
            moved = swept_ball.travel(&center, ball.radius, moved);
            center = swept_ball.parent_from_middle.apply(&center);
        }
        moved + self.sides[side].shape.slack
    }

    /// How far computed distances can be off, metres.
    fn slack(&self, held: &[SweptShape; 2]) -> f64 {
        let size: f64 = held.iter().map(|h| h.middle.translation.norm()).sum();
        let reach: f64 = self
            .sides
            .iter()
            .map(|s| f64::from(s.shape.tree.nodes[0].radius))
            .sum();
        4096.0 * f64::EPSILON * (size + reach)
    }

    /// The variable that moves a pair of nodes most.
    fn widest(
        &self,
        variables: &[JointRange],
        nodes: [u32; 2],
        held: &[SweptShape; 2],
    ) -> Option<usize> {
        let mut moves = vec![0.0; variables.len()];
        for i in 0..2 {
            let ball = self.sides[i].shape.ball(nodes[i] as usize);
            let mut center: Vector3<f64> = ball.center.coords;
            for (between, swept_ball) in self.sides[i].joints.iter().zip(&held[i].swept_balls).rev()
            {
                moves[between.variable] += swept_ball.travel(&center, ball.radius, 0.0);
                center = swept_ball.parent_from_middle.apply(&center);
            }
        }
        (0..moves.len()).max_by(|&x, &y| moves[x].total_cmp(&moves[y]))
    }
}
