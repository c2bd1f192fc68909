//! Arcs beside a corner: how far the tool may be from lines across it.
//!
//! Let d(a) be how far a move of the tool gets from the corner's tip at the share a of its part in
//! the corner, M ≥ |d″|, and w(a) = d(a) − a d(1): how far it is beside its chord. w(0) = w(1) = 0,
//! so w(a) = −∫ G(a, ξ) d″(ξ) dξ over 0 to 1 with G(a, ξ) = min(a, ξ) (1 − max(a, ξ)) ≥ 0, and ∫
//! G(a, ξ) dξ = ½ a (1 − a). With S = ⅛ M, for an arc of the angle φ and the radius r ⅛ r φ², that
//! is |w(a)| ≤ 4 a (1 − a) S.
//!
//! **What the tool may do.** It may be at every B + a (E − B) + b (X − B) + v₁ + v₂ for a + b ≤ 1,
//! where v₁ = μ w₁(a/μ) for some μ from a to 1, and v₂ the same of the second move. μ = a are the
//! points of the triangle, μ = 1 the sums of both moves. If a controller mixes points of both
//! moves, (1 − σ) d₁(a) + σ d₂(b), as the planner of Pilz does, that is one of these as well, with
//! μ = 1 − σ and μ = σ.
//!
//! **One layer.** μ w(a/μ) = −∫ μ G(a/μ, ξ) d″(ξ) dξ, and 0 ≤ μ G(a/μ, ξ) ≤ G(a, ξ): beyond a/μ
//! both are a (1 − ξ); before a they are ξ (μ − a) and ξ (1 − a); between ξ (μ − a) ≤ a (1 − ξ),
//! because μ ξ ≤ a. So |v − ½ w(a)| ≤ ½ M ∫ G(a, ξ) dξ = 2 a (1 − a) S. The middle of a strip is
//! bent by half of what the arcs are beside their chords, and S and T count only by half of 4 a (1
//! − a) and 4 b (1 − b): ½ (S + T) at most, and nothing at the corners of the triangle.
//!
//! **More layers.** For an arc of φ ≤ 180° let β be the part of w across its chord, and τ the part
//! along it. β is concave, so μ β(a/μ) is from 0 to β(a) ≤ 4 a (1 − a) S. τ is 0 at 0, ½ and 1, and
//! |τ‴| ≤ r φ³, so |τ(a)| ≤ ⅙ a |a − ½| (1 − a) r φ³, which is no more than 0.0642 φ S and no more than
//! ⅔ a (1 − a) φ S; μ τ(a/μ) is no more than these bounds either. So layer i of n, bent by
//! (i + ½)/n w(a), has all v with β from i/n to (i + 1)/n of β(a) within 2 a (1 − a) S / n + twice
//! the bound of τ.
//!
//! **Parts.** A strip is followed in parts of its length, each with the bound of its own shares a
//! and b. On the way from one strip to the next, a and b being λ(1 − t) and λ t, the bent line
//! moves by no more than the greater of the arcs' lengths in the corner times the step in λ.
//!
//! **The same joint values.** A line leads from where the strip begins on the straight side to
//! where the bent one does: for all layers it is the same one, or part of it.

use super::strips::Strip;
use crate::motion::tool_line::{ArcFromTip, Bend};

/// In so many parts a strip beside arcs is followed.
const PARTS: usize = 4;
/// No more layers than this for each arc.
const MOST_LAYERS: usize = 4;
/// |τ| of an arc of φ with the sagitta S is within this times φ S.
const ALONG_CHORD: f64 = 0.0642;

/// The parts of two arcs that lie in a corner; [`ArcFromTip::none`] for a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CornerArcs(pub(super) [ArcFromTip; 2]);

/// A layer of a strip beside two arcs.
#[derive(Debug, Clone, Copy)]
pub(super) struct BentLayer {
    /// By which part of what each arc is beside its chord the layer is bent.
    factors: [f64; 2],
    /// Into how many layers each is cut.
    counts: [usize; 2],
}

/// A part of a layer.
pub(super) struct BentPart {
    /// Shares of the line across the corner between which it goes.
    pub(super) span: [f64; 2],
    pub(super) bends: [Bend; 2],
    /// How far the tool may be beside it because of the arcs, metres.
    pub(super) beside: f64,
}

impl CornerArcs {
    /// Those of two moves of the tool; none: both are lines.
    pub(super) fn of(arcs: [Option<ArcFromTip>; 2]) -> Option<Self> {
        let is_arc = arcs.iter().any(Option::is_some);
        is_arc.then(|| CornerArcs(arcs.map(|arc| arc.unwrap_or_else(ArcFromTip::none))))
    }

    /// The greater of their lengths in the corner, metres.
    pub(super) fn length(&self) -> f64 {
        let [first, second] = &self.0;
        first.length().max(second.length())
    }

    /// The sum of their sagittas, metres.
    pub(super) fn sagittas(&self) -> f64 {
        self.0.iter().map(ArcFromTip::sagitta).sum()
    }

    /// The layers of a strip: none needs to be much narrower than the strip is.
    pub(super) fn layers(&self, strip: Strip, wide: f64) -> Vec<BentLayer> {
        let greatest = (strip.middle + strip.half).min(1.0);
        let counts = self.0.map(|arc| {
            let own = 2.0 * most_product([0.0, greatest]) * arc.sagitta();
            let wanted = (own / wide.max(1e-6)).ceil().clamp(1.0, MOST_LAYERS as f64) as usize;
            // Where the arc's way along its chord makes up for what is won, one is better.
            let better = |n: &usize| beside(&arc, [0.0, greatest], *n) < own;
            if better(&wanted) { wanted } else { 1 }
        });
        let factors = counts.map(|n| (0..n).map(move |i| (i as f64 + 0.5) / n as f64));
        let [first, second] = factors;
        first
            .flat_map(|a| second.clone().map(move |b| [a, b]))
            .map(|factors| BentLayer { factors, counts })
            .collect()
    }

    /// The parts in which a layer is followed.
    pub(super) fn parts(&self, layer: BentLayer, strip: Strip) -> impl Iterator<Item = BentPart> {
        let Strip { middle, half, .. } = strip;
        let [least, greatest] = [(middle - half).max(0.0), (middle + half).min(1.0)];
        (0..PARTS).map(move |n| {
            let [s0, s1] = [n, n + 1].map(|n| n as f64 / PARTS as f64);
            // Shares of the first move, and of the second one.
            let along = [[1.0 - s0, 1.0 - s1], [s0, s1]];
            let mut apart = 0.0;
            let bends = [0, 1].map(|k| {
                let [from, to] = along[k];
                let shares = [least * from.min(to), greatest * from.max(to)];
                apart += beside(&self.0[k], shares, layer.counts[k]);
                let own = [middle * from, middle * to];
                Bend::new(self.0[k], layer.factors[k], own)
            });
            BentPart {
                span: [s0, s1],
                bends,
                beside: apart * (1.0 + 1e-9),
            }
        })
    }
}

/// How far the tool is from the middle of one of so many layers, for shares of the arc in a range.
fn beside(arc: &ArcFromTip, shares: [f64; 2], layers: usize) -> f64 {
    let product = most_product(shares);
    let sagitta = arc.sagitta();
    if layers == 1 {
        return 2.0 * product * sagitta;
    }
    if arc.angle > std::f64::consts::PI {
        return f64::INFINITY;
    }
    let along = ALONG_CHORD.min(product * 2.0 / 3.0) * arc.angle * sagitta;
    2.0 * product * sagitta / layers as f64 + 2.0 * along
}

/// The most of a (1 − a) in a range.
fn most_product([from, to]: [f64; 2]) -> f64 {
    if from <= 0.5 && to >= 0.5 {
        0.25
    } else {
        (from * (1.0 - from)).max(to * (1.0 - to))
    }
}
