//! Rigid motions, as inner loops want them.

use nalgebra::{Isometry3, Matrix3, Vector3};

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
    pub fn then(&self, inner: &Pose) -> Pose {
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
    pub fn seen(&self, other: &Pose) -> Pose {
        let back = self.rotation.transpose();
        Pose {
            rotation: back * other.rotation,
            translation: back * (other.translation - self.translation),
        }
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
