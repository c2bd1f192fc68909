//! Points at an instant: lemma 7, one of each of two triangles, near one another; and corners of a
//! body before and after it is handed over.

use crate::Invalid;
use crate::cell::INSTANT_BITS;
use crate::files::{FirstContact, Geometry, JointError};
use crate::motion::{CellMotion, GrowingBound};
use crate::numbers::{V3, cross_exact, dot, length_up, minus};
use crate::pose::{IntPose, lever};
use crate::shapes::BodyPart;

/// Two surfaces meet where they are at most this farther apart than their distance, 2⁻⁴⁰ m: about a
/// nanometre.
const TOUCH: i64 = 1 << 10;
/// A body that is given in another frame has corners that are rounded, each by less than this.
const ROUNDED: u128 = 16;
/// A body is where it was if no corner is so far from there, 2⁻⁴⁰ m: two nanometres.
pub const STAYS: i64 = 2 << 10;
/// Weights of corners have this sum.
const WHOLE: i64 = 1 << 40;

/// Whether the points of a contact are at most `gap` (2⁻⁴⁰ m) and `TOUCH` from one another.
///
/// # Errors
/// When one of them is a point of no triangle, or the instant is none of the motion.
pub fn meet(motion: &CellMotion, contact: &FirstContact, gap: i64) -> Result<bool, Invalid> {
    let poses = &motion.at(contact.time)?.ends[0];
    let (mut points, mut need) = ([[0; 3]; 2], gap + TOUCH);
    for (point, on) in points.iter_mut().zip(&contact.points) {
        let part = &motion.geometry.parts[on.part];
        let corners = part.triangles.get(on.triangle);
        let corners = corners.ok_or("a point of no triangle")?;
        let [u, v] = on.weights;
        if u < 0 || v < 0 || u > WHOLE || v > WHOLE - u {
            return Err("a point outside its triangle".into());
        }
        let corners = corners.map(|k| part.corners[k as usize]);
        let weights: V3 = [u, v, WHOLE - u - v];
        // Each coordinate is rounded down by less than one.
        *point = [0, 1, 2].map(|k| (dot(&weights, &corners.map(|c| c[k])) >> 40) as i64);
        let error;
        (*point, error) = placed(motion.geometry, poses, part, point);
        need -= 2 + error;
    }
    let between = minus(&points[0], &points[1]);
    Ok(need >= 0 && dot(&between, &between) <= i128::from(need).pow(2))
}

/// A point of a part in the world, and how far it can be off.
fn placed(geometry: &Geometry, poses: &[IntPose], part: &BodyPart, p: &V3) -> (V3, i64) {
    geometry.bodies[part.body].joint.map_or((*p, 0), |joint| {
        let pose = &poses[joint];
        let error = pose.shift + lever(pose.turn, part.far) + 2;
        (pose.apply(p), error)
    })
}

/// How far a body is moved as it is handed to another joint, 2⁻⁴⁰ m.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandedOver {
    /// No corner of its triangles is farther from where it was until then.
    pub by: i64,
    /// So much of it joints may be off then, beyond what the body's own frame may be (lemma 9).
    pub uncovered: i64,
}

/// That of a body; `None`: nobody hands it over.
///
/// # Errors
/// When the motion is over by then.
pub fn moved(motion: &CellMotion, body: usize) -> Result<Option<HandedOver>, Invalid> {
    let (geometry, is) = (motion.geometry, &motion.geometry.bodies[body]);
    let Some(before) = is.before else {
        return Ok(None);
    };
    let span = motion.at((is.during.from as u64) << INSTANT_BITS)?;
    let own = is.joint.filter(|&frame| geometry.carries_no_joint(frame));
    let cover = own.map_or_else(JointError::default, |frame| geometry.joints[frame].error);
    let chains = [before, body].map(|body| motion.chain(body));
    let counted = [chains[0], &chains[1][..chains[1].len() - own.iter().len()]];
    let both = counted[0].iter().zip(counted[1]);
    let shared = both.take_while(|(x, y)| x == y).count();
    let errors = |side: usize, distances: &[i64]| {
        let bounds = motion.chord_bound(&span, counted[side], shared, distances);
        bounds.by_errors
    };
    let exact = [0, 1].map(|side| errors(side, &vec![0; counted[side].len()]));
    let exact = exact == [GrowingBound::default(); 2];
    let of = |body: usize| geometry.parts.iter().filter(move |part| part.body == body);
    let (mut most, mut uncovered) = (0, 0);
    for (was, is) in of(before).zip(of(body)) {
        for &k in is.triangles.iter().flatten() {
            let corners = [was, is].map(|part| &part.corners[k as usize]);
            let [(p, a), (q, b)] =
                [0, 1].map(|k| placed(geometry, &span.ends[0], [was, is][k], corners[k]));
            most = most.max(length_up(&minus(&p, &q)) + a + b);
            if !exact {
                let corner_errors = [0, 1]
                    .map(|k| errors(k, &motion.axis_distances(&span, chains[k], corners[k])).at(0));
                // A turn moves a corner by no less than this, seen from the frame.
                let turned = (i128::from(cover.turn) * i128::from(length_up(corners[1]) - 4)) >> 40;
                let left = i128::from(corner_errors[0] + corner_errors[1] - cover.shift) - turned;
                uncovered = uncovered.max(i64::try_from(left).unwrap_or(0));
            }
        }
    }
    let by = most + uncovered;
    Ok(Some(HandedOver { by, uncovered }))
}

/// Whether a body that is handed over keeps its shape, as far as can be told by the distances of its
/// corners from three of them, and by the side of their plane on which they lie: a corner near that
/// plane is told less exactly, to some micrometres.
pub fn keeps_shape(geometry: &Geometry, body: usize) -> bool {
    let Some(before) = geometry.bodies[body].before else {
        return true;
    };
    let parts = |body: usize| geometry.parts.iter().filter(move |part| part.body == body);
    // The same triangles of both: corners that belong to none may be others.
    let both = parts(before).zip(parts(body)).flat_map(|(was, is)| {
        let corners = is.triangles.iter().flatten().map(|&k| k as usize);
        corners.map(|k| [&was.corners[k], &is.corners[k]])
    });
    let both: Vec<[&V3; 2]> = both.collect();
    let Some(&a) = both.first() else {
        return true;
    };
    // Before and then: the vector from the first corner, and its cross product with the farthest.
    let from_a = |p: [&V3; 2]| [0, 1].map(|side| minus(p[side], a[side]));
    let farthest = |far: &dyn Fn([&V3; 2]) -> i64| both.iter().copied().max_by_key(|&p| far(p));
    let b = farthest(&|p| length_up(&from_a(p)[0])).unwrap_or(a);
    let across = |p: [&V3; 2]| [0, 1].map(|side| cross_exact(&from_a(b)[side], &from_a(p)[side]));
    let c = farthest(&|p| length_up(&across(p)[0].map(|x| (x >> 50) as i64))).unwrap_or(a);
    // Both cut to 60 bits, by as much.
    let sizes = across(c).into_iter().flatten().map(i128::unsigned_abs);
    let cut = 68u32.saturating_sub(sizes.max().unwrap_or(0).leading_zeros());
    let normal = across(c).map(|n| n.map(|x| (x >> cut) as i64));
    let hardly = i128::from(length_up(&normal[0])) * ROUNDED as i128;
    both.iter().all(|&p| {
        let is_as_far = [a, b, c].into_iter().all(|from| {
            let way = [0, 1].map(|side| minus(p[side], from[side]));
            let [was, is] = way.map(|way| dot(&way, &way).unsigned_abs().isqrt());
            was.abs_diff(is) <= ROUNDED
        });
        let [was, is] = [0, 1].map(|side| dot(&normal[side], &from_a(p)[side]));
        is_as_far && (was - is).abs() <= (was + is).abs().max(hardly)
    })
}
