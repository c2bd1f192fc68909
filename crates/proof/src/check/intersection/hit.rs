//! Two features that touch, and the work to find them.

use super::features::Feature;
use crate::check::scene::Scene;
use crate::model::MotionInstant;
use crate::report::ContactFeature;

/// Work of a feature intersection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IntersectionWork {
    /// Time intervals in which candidates were looked for.
    pub intervals: u64,
    /// Pairs of nodes compared.
    pub node_tests: u64,
    /// Pairs of triangles compared.
    pub triangle_tests: u64,
    /// Determinants of degree 9.
    pub determinants: u64,
    /// Intervals with roots that were isolated.
    pub roots: u64,
}

/// Two features that touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FeatureHit {
    pub pair: usize,
    pub part_pair: usize,
    pub at: MotionInstant,
    pub feature: Feature,
}

impl FeatureHit {
    /// Kind, seen from the bodies in the pair's order.
    pub fn kind(&self, scene: &Scene) -> ContactFeature {
        let part_pair = &scene.part_pairs[self.part_pair];
        let swapped = scene.parts[part_pair.a].body != scene.pairs[self.pair].a;
        match (self.feature, swapped) {
            (Feature::EdgeEdge(..), _) => ContactFeature::EdgeEdge,
            (Feature::VertexFace(..), false) | (Feature::FaceVertex(..), true) => {
                ContactFeature::VertexFace
            }
            _ => ContactFeature::FaceVertex,
        }
    }
}
