//! How far a point of a body can be from its computed place because the elements that carry it are
//! off theirs.
//!
//! Walk from the body inwards over the elements that carry it, up to the frame from which the pair
//! is looked at (errors of elements before that frame move both bodies alike). Element e may be
//! shifted by up to t_e and turned by up to θ_e about its axis or its origin. Put the errors in one
//! after the other, the outermost element first and all others still exact. Let p be the nominal
//! place of a point, at ρ_e from the nominal axis (or origin) of e, and p + d its place when it is
//! the turn of e, with |d| ≤ D. The error of e is a rigid motion E with rotation R of everything
//! beyond e, about where e should be: only elements beyond it have been put off so far. It takes
//! p + d to E p + R d, so the point is then off by (E p − p) + R d. A turn keeps lengths, so |R d|
//! ≤ D, and it moves p along a chord of at most θ_e ρ_e:
//!
//! > D ← D + t_e + θ_e ρ_e
//!
//! This holds for any sizes of the errors. No higher order is left out, although the levers are
//! those of the nominal places: what outer errors have added to d is turned, not stretched. Over an
//! interval ρ_e ≤ f_e + |c − reference| for the points c of a body
//! ([`super::ChainInterval::axis_distances`]), so D is affine in that distance. With D = b + s·|c −
//! reference|:
//!
//! > b ← b + t_e + θ_e f_e,  s ← s + θ_e
//!
//! A sliding joint is a shift. Errors that change in time need no more: the bound holds at every
//! instant for whatever the errors are then.

use super::ChordBound;

use crate::numeric::ROUND_UP;

/// One element and what it may be off.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ElementError {
    /// Any shift of up to this, metres.
    pub shift: f64,
    /// Any turn of up to this about its axis or its origin, radians.
    pub turn: f64,
    /// Distance of the point (or reference point) from that axis or origin, metres.
    pub lever: f64,
}

impl ChordBound {
    /// Takes in the next element inwards.
    #[inline]
    pub fn add_error(&mut self, step: ElementError) {
        self.base = (self.base + step.shift + step.turn * step.lever) * ROUND_UP;
        self.slope = (self.slope + step.turn) * ROUND_UP;
    }
}
