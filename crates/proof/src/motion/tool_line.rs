//! Lines and arcs of the tool: joint polynomials, and the proof that the true joint values run near
//! them.
//!
//! X(s) is the demanded pose: its point on a line or an arc, its orientation turning at an even
//! pace about one axis. The arm has six joints, in any arrangement. On a piece \[s0, s1\], mapped
//! to \[0, 1\], let q̂ be the cubics through joint values that reach both ends (found by Newton's
//! method, with slopes J⁻¹·X'). How they were found does not matter; what follows is proved about
//! them.
//!
//! **The equation.** With p the tool's point and E = R·R_Xᵀ the turn from the demanded orientation
//! to that of the tool, F(q, s) = (p − p_X, v(E)), where v(M) is the vector of the skew part ½(M −
//! Mᵀ); v(E) is sin θ times the axis of E. While θ < π, F = 0 means that the pose is the demanded
//! one, so there is no chart to be left. ‖v(M)‖ ≤ ‖M‖ for every M.
//!
//! **Its derivative.** ∂p/∂q_j = J_p,j, of length ρ_j (distance of the point from axis j; 1 for a
//! slide). ∂E/∂q_j = \[a_j\]E, and v(\[a\]E) = C(E)·a with C(E) = ½(tr E − E): because Mᵀ\[a\] +
//! \[a\]M = \[(tr M − M)a\] for every M. C has the eigenvalue cos θ on the axis of E, so ‖C − 1‖ =
//! max(1 − cos θ, sin ½θ), which is ≤ ½θ while θ ≤ 60°.
//!
//! **The map.** A is the inverse of J at q̂(½), as numbers. T(e) = e − A·F(q̂(s) + e, s) has DT = 1
//! − A·DF. Let the box be |e_k| ≤ δ_k, d_k = δ_k plus how far q̂_k goes from q̂_k(½). On the way
//! from q̂(½) to any q̂(s) + e each q_k stays within d_k, so with levers f_k = ρ_k + Σ_{i beyond k} d_i f_i (from the outermost inwards):
//! - to first order, joint i off by x_i moves column j of J_p by x_i P_ij, P_ij = ∂²p/∂q_i∂q_j =
//!   a_inner × ∂p/∂q_outer (0 where the inner one slides), and axis j by x_i a_i × a_j if i is
//!   inside of j. The rest is at most ½ Σ_i Σ_l d_i d_l f_outermost for the column, because the
//!   third derivatives are two such products, and ½ (Σ_{i inside j} d_i)² for the axis;
//! - C(E) = 1 − ½\[v(E)\] + κ, ‖κ‖ = 1 − cos θ ≤ ½θ²: from Rodrigues' formula C = cos θ − ½ sin θ K
//!   − ½(1 − cos θ)K². At q̂(s) + e v(E) is Σ e_i a_i and something of length at most w = θ(q̂) +
//!   Σ_i δ_i (½θ + Σ_{l inside i} d_l), because its derivative is C·a_i; θ ≤ θ(q̂) + Σ δ_i.
//!
//! So joint i turns axis j, as C·a_j shows it, by x_i (a_i × a_j) if it is inside, less ½ e_i (a_i
//! × a_j). x_i = h_i + e_i: how far q̂_i is from its middle, and how far off q_i is. With the rows
//! A_k = (A_k,p, A_k,r) this gives M with |1 − A·DF|_kj ≤ M_kj over the whole box and piece, \[i <
//! j\] being 1 where i is inside of j and else 0:
//!
//! > M_kj = |1 − A·J(q̂(½))|_kj + Σ_i |h_i| |A_k,p·P_ij + \[i < j\] A_k,r·(a_i × a_j)|
//! > + Σ_i δ_i |A_k,p·P_ij + (\[i < j\] − ½) A_k,r·(a_i × a_j)| + ‖A_k,p‖ ½ Σ_i Σ_l d_i d_l f_outermost
//! > + ‖A_k,r‖ ½ ((Σ_{i<j} d_i)² + w + Σ δ_i · Σ_{i<j} d_i + θ²)
//!
//! **The residual.** r_k ≥ |A·F(q̂(s), s)|_k on the whole piece, from samples and a bound of the
//! fourth derivative (`residual.rs`); θ ≥ the angle of E likewise.
//!
//! **Poses near the demanded one.** If the true demand is off by at most e_p and e_r, F changes by
//! at most that much (‖1 − Q‖ ≤ e_r for a turn Q by e_r), and θ by e_r: r_k grows by ‖A_k,p‖ e_p +
//! ‖A_k,r‖ e_r. Larger errors have a bound of their own (`spread.rs`), and where M is too large for
//! that too, the orientations are cut into cells (`wide.rs`).
//!
//! **Rounding.** Computed poses are off by [`POSITION_ROUNDING`](crate::numeric::POSITION_ROUNDING)
//! of the size of their numbers; samples at shares that are sums of few powers of two are exact.
//! Both go into r and M; all other numbers are sums of positive ones and carry a factor.
//!
//! **The conclusion.** If M·δ + r < δ in every component, T takes the box into itself and contracts
//! it (in the greatest of
//! |e_k|/δ_k). By Banach there is exactly one fixed point for each s and each continuous pose near X(s), and it depends on it
//! continuously. A·DF is invertible, so A is, and a fixed point is a zero of F. So: *exactly one
//! continuous solution runs within δ of q̂*. From piece to piece it is the same one: the test also
//! holds for the box that covers both where they meet. Nothing is claimed where the test fails:
//! pieces are halved, and at last the move is refused.

mod arm;
mod certify;
mod choose;
mod cubics;
mod curve;
mod follow;
mod frames;
mod inverse;
mod middle;
mod piece;
mod point;
mod residual;
mod spread;
mod wide;

pub(crate) use arm::{Arm, link};
pub(crate) use choose::{
    NO_SIDES, SolutionsAround, arm_values, choose_solution, has_configuration,
};
pub(crate) use curve::{ArcFromTip, Bend, PoseCurve, turn_between};
pub(crate) use follow::{Effort, LostCurve, LostReason, follow_curve, follow_curve_with};
pub(crate) use frames::{FramesOff, Stray, Stretch};
pub(crate) use inverse::InverseKinematics;
pub(crate) use middle::PoseError;
pub(crate) use piece::{CurvePiece, SIX};
pub(crate) use point::solution_enclosure;

#[cfg(test)]
pub(crate) use point::reach;

#[cfg(test)]
mod certify_tests;
#[cfg(test)]
mod choose_tests;
#[cfg(test)]
mod curve_tests;
#[cfg(test)]
mod frames_tests;
#[cfg(test)]
mod inverse_tests;
#[cfg(test)]
mod spread_tests;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod wide_tests;
