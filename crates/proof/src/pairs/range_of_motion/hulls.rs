//! Range-of-motion hulls: balls around what links sweep, in the frame of every joint on the way to
//! the world.

use nalgebra::Point3;

use super::{Candidate, PlacedShape};
use crate::geometry::enclosing_ball::Ball;
use crate::model::JointId;
use crate::motion::{Chains, JointRange, SweptBall};

/// The volumes that shapes sweep while the joints take any values of given ranges. A shape is swept
/// when it is first asked for.
///
/// A shape's ball is kept in the moving frame of every joint of its chain, the world first, its own
/// joint last: a step inwards sweeps it over that joint's range.
#[derive(Debug, Clone)]
pub struct SweptBallsByJoint {
    swept_balls: Vec<SweptBall>,
    balls: Vec<Ball>,
    first: Vec<usize>,
    known: Vec<bool>,
}

impl SweptBallsByJoint {
    /// For these shapes; the ranges are yet to be [set](SweptBallsByJoint::set).
    pub fn new(chains: &Chains, shapes: &[PlacedShape]) -> Self {
        let mut first = Vec::with_capacity(shapes.len());
        let mut balls = Vec::new();
        for shape in shapes {
            first.push(balls.len());
            balls.resize(
                balls.len() + chains.of(shape.joint).len() + 1,
                shape.ball(0),
            );
        }
        SweptBallsByJoint {
            swept_balls: Vec::with_capacity(chains.len()),
            balls,
            first,
            known: vec![false; shapes.len()],
        }
    }

    /// Takes other ranges, one per joint.
    pub fn set(&mut self, chains: &Chains, ranges: &[JointRange]) {
        self.swept_balls.clear();
        let ranges = ranges.iter().enumerate();
        self.swept_balls
            .extend(ranges.map(|(joint, range)| SweptBall::new(chains, joint, range)));
        self.known.fill(false);
    }

    /// The volume that a shape sweeps, in the moving frame of the joint at this level of its chain
    /// (0: the world; M_k one level below its own).
    pub fn link(
        &mut self,
        chains: &Chains,
        shapes: &[PlacedShape],
        shape: usize,
        level: usize,
    ) -> &Ball {
        &self.in_each_frame(chains, shapes, shape)[level]
    }

    /// The same at all levels, the world first.
    pub fn in_each_frame(
        &mut self,
        chains: &Chains,
        shapes: &[PlacedShape],
        shape: usize,
    ) -> &[Ball] {
        let first = self.first[shape];
        let last = first + chains.of(shapes[shape].joint).len();
        if !self.known[shape] {
            self.known[shape] = true;
            let chain = chains.of(shapes[shape].joint);
            climb(
                &self.swept_balls,
                chain,
                &mut self.balls[first..=first + chain.len()],
            );
        }
        &self.balls[first..=last]
    }

    /// Distance below which two shapes cannot come, metres; negative or not a number where nothing
    /// can be said.
    pub fn least(&mut self, chains: &Chains, shapes: &[PlacedShape], pair: &Candidate) -> f64 {
        let a = *self.link(chains, shapes, pair.a, pair.shared);
        gap(&a, self.link(chains, shapes, pair.b, pair.shared))
    }
}

/// Sweeps the ball at the end of a chain down to the world.
fn climb(swept_balls: &[SweptBall], chain: &[JointId], balls: &mut [Ball]) {
    for level in (0..chain.len()).rev() {
        balls[level] = swept_balls[chain[level]].sweep(&balls[level + 1]);
    }
}

/// The hulls of shapes and of subtrees for given ranges of the joints.
#[derive(Debug, Clone)]
pub struct Hulls<'h> {
    chains: &'h Chains,
    shapes: &'h [PlacedShape<'h>],
    swept: SweptBallsByJoint,
    /// By joint, as in [`SweptBallsByJoint`]; `None` where nothing has geometry.
    subtrees: Vec<Option<Vec<Ball>>>,
}

impl<'h> Hulls<'h> {
    /// The hulls of all shapes while the joints take any values of these ranges, one per joint.
    pub fn new(chains: &'h Chains, shapes: &'h [PlacedShape<'h>], ranges: &[JointRange]) -> Self {
        let mut swept = SweptBallsByJoint::new(chains, shapes);
        swept.set(chains, ranges);
        // From the outermost link inwards: children stand later in the list.
        let mut around: Vec<Option<Ball>> = vec![None; ranges.len()];
        for shape in shapes {
            if let Some(joint) = shape.joint {
                around[joint] = Some(both(around[joint], shape.ball(0)));
            }
        }
        let mut subtrees = vec![None; ranges.len()];
        for joint in (0..ranges.len()).rev() {
            let Some(ball) = around[joint] else { continue };
            let chain = chains.of(Some(joint));
            let mut balls = vec![ball; chain.len() + 1];
            climb(&swept.swept_balls, chain, &mut balls);
            if let Some(inner) = chain.len().checked_sub(2) {
                around[chain[inner]] = Some(both(around[chain[inner]], balls[inner + 1]));
            }
            subtrees[joint] = Some(balls);
        }
        Hulls {
            chains,
            shapes,
            swept,
            subtrees,
        }
    }

    /// The volume that a shape sweeps, in the moving frame of the joint at this level of its chain
    /// (0: the world; M_k one level below its own).
    pub fn link(&mut self, shape: usize, level: usize) -> &Ball {
        self.swept.link(self.chains, self.shapes, shape, level)
    }

    /// The volume that a joint and everything beyond it sweep, likewise (MR_k in its own frame);
    /// `None` where nothing has geometry.
    pub fn subtree(&self, joint: JointId, level: usize) -> Option<&Ball> {
        self.subtrees[joint].as_ref().map(|balls| &balls[level])
    }

    /// Distance below which two shapes cannot come, metres; negative or not a number where nothing
    /// can be said.
    pub fn least(&mut self, pair: &Candidate) -> f64 {
        self.swept.least(self.chains, self.shapes, pair)
    }
}

/// Distance of two balls, rounded down; not a number or −∞ where one of them is unbounded.
pub(super) fn gap(a: &Ball, b: &Ball) -> f64 {
    let between = (a.center - b.center).norm();
    between * (1.0 - 1e-15) - (a.radius + b.radius) * (1.0 + 1e-15)
}

/// A ball around two balls: the smallest one, but for rounding.
fn both(a: Option<Ball>, b: Ball) -> Ball {
    let Some(a) = a else { return b };
    let step = b.center - a.center;
    let between = step.norm();
    if between + b.radius <= a.radius {
        return a;
    }
    if between + a.radius <= b.radius {
        return b;
    }
    let radius = 0.5 * (between + a.radius + b.radius);
    let share = if between > 0.0 {
        (radius - a.radius) / between
    } else {
        0.0
    };
    let center = if share.is_finite() {
        a.center + step * share
    } else {
        Point3::origin()
    };
    // The farthest points of both from where the centre came to lie.
    let reach = |ball: &Ball| (ball.center - center).norm() + ball.radius;
    Ball {
        center,
        radius: reach(&a).max(reach(&b)) * (1.0 + 1e-15),
    }
}
