//! Lemma 8: no piece of a body lies inside what another one closes round.

use crate::Invalid;
use crate::cell::INSTANT_BITS;
use crate::motion::{CellMotion, Span};
use crate::numbers::{V3, cross_exact, dot, minus};
use crate::pairs::PartsToProve;
use crate::pose::{IntPose, lever};
use crate::shapes::BodyPart;

/// A piece that has a corner so far beside the box around another part needs no ray, 2⁻⁴⁰ m: about
/// a micrometre, and no length that anybody chooses, so that all checkers ask for the same rays
/// however exact they are. Corners that are off by more decide nothing.
const BESIDE: i64 = 1_234_567;

/// A corner of a piece, seen from a part that may go round it.
#[derive(Debug)]
pub struct PieceCorner<'g> {
    outer: &'g BodyPart,
    /// In the frame of that part, in or near the box around it.
    at: V3,
    /// It is off by at most this.
    error: i64,
}

impl PieceCorner<'_> {
    /// How often the solid triangles go round the corner, counted along a ray in this direction;
    /// `None`: the ray comes too near to an edge.
    pub fn turns(&self, along: &[i8; 3]) -> Option<i64> {
        let d = along.map(i64::from);
        let across = [[0, d[2], -d[1]], [-d[2], 0, d[0]], [d[1], -d[0], 0]];
        // No product of the corner with one of these four is off by more.
        let slack = i128::from(self.error) * d.iter().map(|&x| i128::from(x.abs())).sum::<i128>();
        // Then it is near the box too: what is far away makes products that are too large.
        if self.error >= BESIDE {
            return None;
        }
        let (mut turns, mut open) = (0, vec![self.outer.all()]);
        while let Some(range) = open.pop() {
            let around = self.outer.around(&range).bounds;
            let below = |n: &V3| -around.least_along(&n.map(|x| -x)) < dot(n, &self.at) - slack;
            if below(&d) || (across.iter()).any(|n| below(n) || below(&n.map(|x| -x))) {
                continue;
            }
            if let Some(halves) = range.halves() {
                open.extend(halves);
                continue;
            }
            let triangle = range.from as usize;
            if !self.outer.is_solid(triangle) {
                continue;
            }
            let corners = self.outer.triangles[triangle]
                .map(|k| minus(&self.outer.corners[k as usize], &self.at));
            let sides = [0, 1, 2].map(|k| {
                let (p, q) = (&corners[k], &corners[(k + 1) % 3]);
                let volume: i128 = (0..3)
                    .map(|i| i128::from(d[i]) * cross_exact(p, q)[i])
                    .sum();
                let longest = minus(p, q).map(i64::abs).into_iter().max().unwrap_or(0);
                let sure = volume.abs() > 2 * slack * i128::from(longest);
                if sure { volume.signum() as i64 } else { 0 }
            });
            let behind = corners.iter().all(|q| dot(&d, q) < -slack);
            if sides.contains(&1) && sides.contains(&-1) || behind {
                continue;
            }
            if sides.contains(&0) {
                return None;
            }
            // The line goes through it: where, along the triangle's normal?
            let [p, q, r] = &corners;
            let normal = cross_exact(&minus(q, p), &minus(r, p));
            let bits = normal.map(|x| 128 - x.unsigned_abs().leading_zeros());
            let cut = bits.into_iter().max().unwrap_or(0).saturating_sub(60);
            let normal = normal.map(|x| (x >> cut) as i64);
            let height = dot(&normal, p);
            let error = |k: usize| {
                i128::from(p[k].abs()) + i128::from(normal[k].abs() + 1) * i128::from(self.error)
            };
            if height.abs() <= (0..3).map(error).sum() {
                return None;
            }
            if (height > 0) == (sides[0] > 0) {
                turns += sides[0];
            }
        }
        Some(turns)
    }
}

/// Asks of every pair of parts that is not known to have been parted whole, as it begins to be
/// checked, if that is before `until`: is each piece of the one outside what the other one closes
/// round? `choose` gives the direction of a ray for each that needs one.
///
/// # Errors
/// The first piece of which this is not shown.
pub fn none_inside(
    motion: &CellMotion,
    pairs: &[PartsToProve],
    parted: &[bool],
    until: u64,
    choose: &mut dyn FnMut(&PieceCorner) -> Result<[i8; 3], Invalid>,
) -> Result<(), Invalid> {
    let (geometry, mut known) = (motion.geometry, None::<(u64, Span)>);
    for (pair, _) in pairs.iter().zip(parted).filter(|(_, parted)| !**parted) {
        let start = (pair.during.from as u64) << INSTANT_BITS;
        if start >= until {
            continue;
        }
        let poses = match &known {
            Some((at, span)) if *at == start => &span.ends[0],
            _ => &known.insert((start, motion.at(start)?)).1.ends[0],
        };
        for parts in [[pair.a, pair.b], [pair.b, pair.a]] {
            let [inner, outer] = parts.map(|part| &geometry.parts[part]);
            if !outer.has_solid() {
                continue;
            }
            let [inner_at, outer_at] = [inner, outer].map(|part| {
                let joint = geometry.bodies[part.body].joint;
                joint.map_or(IntPose::IDENTITY, |joint| poses[joint])
            });
            let outer_from_inner = outer_at.inverse_compose(&inner_at);
            let error = outer_from_inner.shift + lever(outer_from_inner.turn, inner.far) + 2;
            let corner = |triangle: usize| PieceCorner {
                outer,
                at: outer_from_inner.apply(&inner.corners[inner.triangles[triangle][0] as usize]),
                error,
            };
            let around = outer.around(&outer.all()).bounds;
            // By the number of a piece.
            let mut outside = vec![false; inner.triangles.len()];
            for (triangle, &piece) in inner.pieces.iter().enumerate() {
                let outside = &mut outside[piece as usize];
                *outside =
                    *outside || error < BESIDE && around.is_farther(&corner(triangle).at, BESIDE);
            }
            for (triangle, &piece) in inner.pieces.iter().enumerate() {
                if triangle == piece as usize && !outside[triangle] {
                    let corner = corner(triangle);
                    let along = choose(&corner)?;
                    if corner.turns(&along) != Some(0) {
                        let [inner, outer] = [inner, outer]
                            .map(|part| geometry.bodies[part.body].name.escape_debug());
                        let (segment, part) = (pair.during.from, parts[0]);
                        return Err(format!(
                            "{inner}, triangle {triangle} of part {part}, is not shown to be outside {outer} as segment {segment} begins"
                        )
                        .into());
                    }
                }
            }
        }
    }
    Ok(())
}
