//! The orientation of the tool ahead of its point, or behind it, in a corner: in layers.
//!
//! With a zone of the orientation that is larger than that of the point, the point may be at the
//! shares (a, b) of the two moves while the orientation is at (a′, b′), where |a′ − a| ≤ L and
//! |b′ − b| ≤ L, 0 ≤ a′ ≤ 1 and 0 ≤ b′ ≤ 1: L is the lead that the program states. As an error of
//! the orientation in every direction this is L (θ + κ), with θ and κ the turns of both moves within
//! the corner. Beside a joint move θ is a radian or so, and L a sixth: joint values are not certain
//! any more. But what is ahead is still on its own turn. So the range of a′ − a is cut into layers,
//! each with a nominal orientation of its own and an error of half of its width.
//!
//! **A triangle in space**, of which one side turns the tool by θ, and the other one by κ, which is
//! small. In a strip (`strips.rs`) a = λ(1 − t) on the side that turns. The layer of the middle α
//! goes from the share λ + α of the turn θ evenly to α. Of the points with λ′ within h of λ, and a
//! lead within w of α, the orientation is at the share λ′(1 − t) + α′, so by no more than (h + w) θ
//! from that of the layer at the same t. α ranges from −L, but not from below −(λ + h), for a′ ≥ 0
//! and a ≤ λ + h, to L. The other turn is all in the error, whatever its share ([`Lead::of`]).
//! Where both moves turn the tool by much, there are no layers, and the error is L (θ + κ).
//!
//! **Sums** of a joint move and a move of the tool (`sum_hull.rs`): with the point at the share b
//! of the joint move, within h of the strip's, the orientation is at some b′ from b − h − L to b +
//! h + L, within the corner: these are cut into layers, whose error is how far the tool turns on
//! the joint move from the middle of one to its end. The lead of the tool's own move is in the
//! error.
//!
//! **The same joint values.** From where the strip itself begins, a curve that only turns the tool
//! leads to where the layer begins. For all layers of a strip these are parts of one curve. So what
//! is proved of the one layer and of the next one is the same where they meet; and it is the same
//! as in the next strip's layers, because it is so where nothing is ahead.

use super::strips::MOST_BETWEEN;

/// Layers that turn the tool by less than this to either side of their middles are not made
/// narrower, radians.
const NARROW: f64 = 0.005;

/// How far the orientation may be ahead of the tool's point, or behind it, where the tool turns on
/// one of the two moves only (on the other one by less than the error has room for).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lead {
    /// Share of the turn within the corner.
    pub(super) share: f64,
    /// Whether the tool turns on the second move.
    pub(super) on_second: bool,
}

impl Lead {
    /// That of a triangle whose sides turn the tool by these angles, for orientations that may be
    /// ahead by a share of both turns; and what it adds to the error of orientations, radians.
    ///
    /// The smaller turn κ is all in the error: orientations of the triangle are on the way from a
    /// share λ of the larger turn to something that is within κ of the tip, so within κ / cos ¼θ of
    /// the way to the tip (`strips.rs`; θ < 175°: less than 1.4 κ). Where this is more than a ball
    /// of both leads is, there are no layers.
    pub(super) fn of(share: f64, turns: [f64; 2]) -> (Option<Lead>, f64) {
        let (small, large) = (turns[0].min(turns[1]), turns[0].max(turns[1]));
        let beside = 1.4 * small + 4e-9;
        if small + large < MOST_BETWEEN && beside < share * large {
            let on_second = turns[1] > turns[0];
            (Some(Lead { share, on_second }), beside)
        } else {
            (None, share * (small + large))
        }
    }
}

/// A range of shares, cut evenly.
pub(super) struct Layers {
    range: [f64; 2],
    /// Half of the width of each.
    pub(super) half: f64,
    pub(super) count: usize,
}

impl Layers {
    /// A range in layers that are as wide as `half` to either side of their middles, or a little
    /// less; wider ones where these turn the tool by little. `turn`: that of the whole range from 0
    /// to 1, radians.
    pub(super) fn new(range: [f64; 2], half: f64, turn: f64) -> Self {
        let wide = range[1] - range[0];
        let half = half.max(NARROW / turn.max(1e-9));
        let count = (wide / (2.0 * half) * (1.0 - 1e-6)).ceil().max(1.0);
        Layers {
            range,
            // Middles are rounded.
            half: 0.5 * wide / count * (1.0 + 1e-9) + 1e-12,
            count: count as usize,
        }
    }

    pub(super) fn middles(&self) -> impl Iterator<Item = f64> {
        let ([from, to], count) = (self.range, self.count as f64);
        (0..self.count).map(move |n| from + (to - from) * (n as f64 + 0.5) / count)
    }
}
