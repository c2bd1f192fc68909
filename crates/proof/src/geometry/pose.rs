//! Rigid motions, as inner loops want them.

use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

/// A rigid motion as rotation matrix and translation, for the engine.
///
/// There are two types for a rigid motion: the model and the files keep nalgebra's
/// `Isometry3<f64>`, whose unit quaternion is always a rotation; here a matrix is kept, since a
/// check turns millions of points, and a matrix turns one with fewer operations. What both are off
/// by from one another is in `numeric::POSITION_ROUNDING`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Rotation.
    pub rotation: Matrix3<f64>,
    /// Translation, metres.
    pub translation: Vector3<f64>,
}

impl Pose {
    /// No motion at all.
    pub fn identity() -> Self {
        Pose {
            rotation: Matrix3::identity(),
            translation: Vector3::zeros(),
        }
    }

    /// `self` after `inner`: maps what `inner` maps into, one frame further out.
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose {
            rotation: self.rotation * inner.rotation,
            translation: self.rotation * inner.translation + self.translation,
        }
    }

    /// The image of a point.
    pub fn apply(&self, p: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * p + self.translation
    }

    /// `self⁻¹ ∘ other`: `other` seen from `self`.
    pub fn inverse_compose(&self, other: &Pose) -> Pose {
        let back = self.rotation.transpose();
        Pose {
            rotation: back * other.rotation,
            translation: back * (other.translation - self.translation),
        }
    }

    /// Roll, pitch and yaw of a rotation, radians: Rz(yaw)·Ry(pitch)·Rx(roll) is that rotation, at a
    /// pitch of a quarter turn too, where roll and yaw can be shared out in many ways. There yaw may be
    /// anything, so the roll is taken of what is left once yaw and pitch are turned back.
    pub fn roll_pitch_yaw(rotation: &UnitQuaternion<f64>) -> [f64; 3] {
        let rotation = rotation.to_rotation_matrix();
        let m = rotation.matrix();
        let level = m[(0, 0)].hypot(m[(1, 0)]);
        // Below this the yaw is rounding.
        let yaw = if level < 1e-12 {
            0.0
        } else {
            m[(1, 0)].atan2(m[(0, 0)])
        };
        let (sin, cos) = yaw.sin_cos();
        // The middle row of Ry(pitch)·Rx(roll) is (0, cos roll, -sin roll).
        let roll = (sin * m[(0, 2)] - cos * m[(1, 2)]).atan2(cos * m[(1, 1)] - sin * m[(0, 1)]);
        [roll, (-m[(2, 0)]).atan2(level), yaw]
    }
}

impl From<&Isometry3<f64>> for Pose {
    fn from(iso: &Isometry3<f64>) -> Self {
        Pose {
            rotation: *iso.rotation.to_rotation_matrix().matrix(),
            translation: iso.translation.vector,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    /// Catches a roll and a yaw that do not belong together.
    #[test]
    fn roll_pitch_yaw_make_the_same_rotation_again() {
        let near = |scale: f64| [-scale, 0.0, scale].map(|off| FRAC_PI_2 + off);
        let pitches = [1e-3, 1e-7, 1e-9, 1e-12, 1e-15].into_iter().flat_map(near);
        for pitch in pitches.chain([0.3, -1.2, 2.5]).flat_map(|p| [p, -p]) {
            for k in 0..200 {
                let (roll, yaw) = (0.37 * f64::from(k), 5.1 - 0.23 * f64::from(k));
                let turned = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
                let [r, p, y] = Pose::roll_pitch_yaw(&turned);
                let again = UnitQuaternion::from_euler_angles(r, p, y);
                let off = again.angle_to(&turned);
                // An angle of two quaternions is the root of what rounding leaves.
                assert!(off < 1e-7, "{roll} {pitch} {yaw}: off by {off}");
                assert!(p.abs() <= FRAC_PI_2 + 1e-9);
            }
        }
    }
}
