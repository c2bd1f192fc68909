//! Lemma 7: a point of each of two triangles, near one another at an instant.

use crate::Invalid;
use crate::files::FirstContact;
use crate::motion::CellMotion;
use crate::numbers::{V3, dot, minus};
use crate::pose::lever;

/// Two surfaces meet where they are at most this farther apart than their distance, 2⁻⁴⁰ m: about a
/// nanometre.
const TOUCH: i64 = 1 << 10;
/// Weights of corners have this sum.
const WHOLE: i64 = 1 << 40;

/// Whether the points of a contact are at most `apart` (2⁻⁴⁰ m) and `TOUCH` from one another.
///
/// # Errors
/// When one of them is a point of no triangle, or the instant is none of the motion.
pub fn meet(motion: &CellMotion, contact: &FirstContact, apart: i64) -> Result<bool, Invalid> {
    let places = motion.at(contact.time)?;
    let (mut points, mut need) = ([[0; 3]; 2], apart + TOUCH);
    for (point, on) in points.iter_mut().zip(&contact.points) {
        let part = &motion.geometry.parts[on.part];
        let corners = part
            .triangles
            .get(on.triangle)
            .ok_or("a point of no triangle")?;
        let [u, v] = on.weights;
        if u < 0 || v < 0 || u > WHOLE || v > WHOLE - u {
            return Err("a point outside its triangle".into());
        }
        let corners = corners.map(|k| part.corners[k as usize]);
        let weights: V3 = [u, v, WHOLE - u - v];
        // Each coordinate is rounded down by less than one.
        *point = [0, 1, 2].map(|k| (dot(&weights, &corners.map(|c| c[k])) >> 40) as i64);
        need -= 2;
        if let Some(joint) = motion.geometry.bodies[part.body].joint {
            let place = &places[joint];
            *point = place.apply(point);
            need -= place.shift + lever(place.turn, part.far) + 2;
        }
    }
    let between = minus(&points[0], &points[1]);
    Ok(need >= 0 && dot(&between, &between) <= i128::from(need).pow(2))
}
