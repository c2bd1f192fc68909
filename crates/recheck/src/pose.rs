//! Rigid motions, with bounds on what they are off by.

use crate::numbers::{ONE, V3, cos_sin, dot, length_roughly, minus};

/// A rigid motion; see the head of the crate for what the bounds mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntPose {
    /// Rows of R̂, 2⁻⁶⁰.
    pub rows: [V3; 3],
    /// t̂, 2⁻⁴⁰ m.
    pub translation: V3,
    /// ‖R̂ − R‖ is at most this, 2⁻⁶⁰.
    pub turn: i64,
    /// |t̂ − t| is at most this, 2⁻⁴⁰ m.
    pub shift: i64,
}

/// How much an error of so many units of 2⁻⁶⁰ moves what is so far away.
pub fn lever(turn: i64, length: i64) -> i64 {
    ((i128::from(turn) * i128::from(length)) >> 60) as i64 + 1
}

impl IntPose {
    /// No motion at all.
    pub const IDENTITY: IntPose = IntPose {
        rows: [[ONE, 0, 0], [0, ONE, 0], [0, 0, ONE]],
        translation: [0; 3],
        turn: 0,
        shift: 0,
    };

    /// The rotation of q/|q| for q = (w, x, y, z), 2⁻⁶⁰, and a translation. `None` unless ½ ≤ |q|²
    /// ≤ 2.
    pub fn new(q: [i64; 4], translation: V3) -> Option<IntPose> {
        if q.iter().any(|x| x.unsigned_abs() > 1 << 61) {
            return None;
        }
        let [w, x, y, z] = q.map(i128::from);
        let square = w * w + x * x + y * y + z * z;
        if !(1i128 << 119..=1 << 121).contains(&square) {
            return None;
        }
        let square = square >> 60;
        let part = |numerator: i128| (numerator / square) as i64;
        Some(IntPose {
            rows: [
                [
                    w * w + x * x - y * y - z * z,
                    2 * (x * y - w * z),
                    2 * (x * z + w * y),
                ]
                .map(part),
                [
                    2 * (x * y + w * z),
                    w * w - x * x + y * y - z * z,
                    2 * (y * z - w * x),
                ]
                .map(part),
                [
                    2 * (x * z - w * y),
                    2 * (y * z + w * x),
                    w * w - x * x - y * y + z * z,
                ]
                .map(part),
            ],
            translation,
            turn: 16,
            shift: 0,
        })
    }

    /// Turning about a unit axis (2⁻⁶⁰, each coordinate off by at most 3), angle in 2⁻⁹⁰ rad.
    pub fn turning(axis: &V3, angle: i128) -> IntPose {
        let (c, s) = cos_sin(angle);
        let product = |a: i64, b: i64| ((i128::from(a) * i128::from(b)) >> 60) as i64;
        let [x, y, z] = *axis;
        let [p, q, r] = axis.map(|a| product(a, ONE - c));
        let [sx, sy, sz] = axis.map(|a| product(a, s));
        IntPose {
            rows: [
                [product(p, x) + c, product(p, y) - sz, product(p, z) + sy],
                [product(q, x) + sz, product(q, y) + c, product(q, z) - sx],
                [product(r, x) - sy, product(r, y) + sx, product(r, z) + c],
            ],
            translation: [0; 3],
            turn: 128,
            shift: 0,
        }
    }

    /// Sliding along such an axis by a length in 2⁻⁹⁰ m (below 2¹⁰³).
    pub fn sliding(axis: &V3, way: i128) -> IntPose {
        let way = (way >> 50) as i64;
        IntPose {
            translation: axis.map(|a| ((i128::from(a) * i128::from(way)) >> 60) as i64),
            shift: lever(6, way.abs()) + 4,
            ..IntPose::IDENTITY
        }
    }

    fn column(&self, k: usize) -> V3 {
        [self.rows[0][k], self.rows[1][k], self.rows[2][k]]
    }

    /// R̂v.
    pub fn turned(&self, v: &V3) -> V3 {
        [0, 1, 2].map(|i| (dot(&self.rows[i], v) >> 60) as i64)
    }

    /// R̂ᵀv.
    pub fn turned_back(&self, v: &V3) -> V3 {
        [0, 1, 2].map(|k| (dot(&self.column(k), v) >> 60) as i64)
    }

    /// R̂p + t̂; off by at most `shift` + `turn`·|p| + 2.
    pub fn apply(&self, p: &V3) -> V3 {
        let turned = self.turned(p);
        [0, 1, 2].map(|i| turned[i] + self.translation[i])
    }

    /// The composition: first `inner`, then this one, so that its places are mapped one frame
    /// further out.
    pub fn compose(&self, inner: &IntPose) -> IntPose {
        let columns = [0, 1, 2].map(|k| self.turned(&inner.column(k)));
        IntPose {
            rows: [0, 1, 2].map(|i| [columns[0][i], columns[1][i], columns[2][i]]),
            translation: self.apply(&inner.translation),
            turn: self.turn + inner.turn + lever(self.turn, inner.turn) + 3,
            shift: self.shift
                + inner.shift
                + lever(self.turn, length_roughly(&inner.translation))
                + 2,
        }
    }

    /// `other` as it is seen from here: self⁻¹ after `other`.
    pub fn inverse_compose(&self, other: &IntPose) -> IntPose {
        let columns = [0, 1, 2].map(|k| self.turned_back(&other.column(k)));
        let between = minus(&other.translation, &self.translation);
        IntPose {
            rows: [0, 1, 2].map(|i| [columns[0][i], columns[1][i], columns[2][i]]),
            translation: self.turned_back(&between),
            turn: self.turn + other.turn + lever(self.turn, other.turn) + 3,
            shift: self.shift + other.shift + lever(self.turn, length_roughly(&between)) + 2,
        }
    }
}

/// The unit vector along v (2⁻⁶⁰), each coordinate off by at most 3. `None` unless ½ ≤ |v|² ≤ 2.
pub fn unit(v: &V3) -> Option<V3> {
    if v.iter().any(|x| x.unsigned_abs() > 1 << 61) {
        return None;
    }
    let square = dot(v, v);
    let fits = (1i128 << 119..=1 << 121).contains(&square);
    let length = square.unsigned_abs().isqrt() as i128;
    fits.then(|| v.map(|x| ((i128::from(x) << 60) / length) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far R̂R̂ᵀ is from 1, in units: twice the error along the rotation's own stretch, so an
    /// error bound that is far off shows.
    fn skew(pose: &IntPose) -> i64 {
        let mut most = 0;
        for i in 0..3 {
            for k in 0..3 {
                let product = dot(&pose.rows[i], &pose.rows[k]) >> 60;
                let one = if i == k { i128::from(ONE) } else { 0 };
                most = most.max((product - one).unsigned_abs() as i64);
            }
        }
        most
    }

    fn some(k: i128) -> IntPose {
        let axis = unit(&[ONE / 3, -ONE / 2, (ONE / 4) * 3]).unwrap();
        let turn = IntPose::turning(&axis, (k * 17) << 82);
        let pose = IntPose::new(
            [ONE / 2, ONE / 3, -ONE / 2, ONE / 2],
            [1 << 40, 5 << 38, -3 << 39],
        );
        pose.unwrap().compose(&turn)
    }

    #[test]
    fn rotations_stay_rotations_within_what_they_say() {
        let mut chain = IntPose::IDENTITY;
        for k in 0..60 {
            chain = chain.compose(&some(k));
            assert!(
                skew(&chain) <= 3 * chain.turn,
                "{k}: {} {}",
                skew(&chain),
                chain.turn
            );
        }
        assert!(chain.turn < 20_000 && chain.shift < 10_000, "{chain:?}");
    }

    #[test]
    fn what_is_seen_from_a_pose_and_mapped_by_it_is_where_it_was() {
        let (a, b) = (some(3), some(8).compose(&some(5)));
        let back = a.compose(&a.inverse_compose(&b));
        for k in 0..3 {
            assert!((back.translation[k] - b.translation[k]).abs() <= back.shift + b.shift);
            for i in 0..3 {
                assert!((back.rows[k][i] - b.rows[k][i]).abs() <= back.turn + b.turn);
            }
        }
    }

    #[test]
    fn known_rotations() {
        // A quarter about z takes x to y, by quaternion and by angle.
        let half = 815_238_614_083_298_944i64; // √½
        let quaternion = IntPose::new([half, 0, 0, half], [0; 3]).unwrap();
        let angle = IntPose::turning(&[0, 0, ONE], 1_944_551_666_501_805_353_363_452_692);
        for pose in [quaternion, angle] {
            let image = pose.turned(&[1 << 50, 0, 0]);
            assert!(
                (image[1] - (1 << 50)).abs() < 4 && image[0].abs() < 4 && image[2] == 0,
                "{image:?}"
            );
        }
        let slid = IntPose::sliding(&[0, ONE, 0], 3 << 90);
        assert_eq!(slid.translation, [0, 3 << 40, 0]);
        // |q|² is 2 and a little more.
        let one = 1_630_477_228_166_597_777i64;
        assert!(IntPose::new([one, 0, 0, 0], [0; 3]).is_none());
        assert!(IntPose::new([one - 1, 0, 0, 0], [0; 3]).is_some());
        assert!(IntPose::new([0; 4], [0; 3]).is_none() && unit(&[0; 3]).is_none());
    }
}
