//! Each of two parts in the frame in which a plane is looked for between them.

use nalgebra::Vector3;

use crate::bvh::SphereTree;
use crate::check::Snapshot;
use crate::check::bisection::sweep::Sweeps;
use crate::check::bisection::view::View;
use crate::check::errors::ErrorBounds;
use crate::check::scene::{PartPair, Scene};
use crate::geometry::pose::Pose;
use crate::model::Tubes;
use crate::motion::ChordBound;

/// Errors that are allowed for: budgets, and what the segment says.
pub(in crate::check::bisection) type Allowed<'e, 's> = (&'e ErrorBounds<'s>, &'e Tubes);

/// One part of the two.
#[derive(Debug, Clone)]
pub(super) struct PlaneTestPart<'s> {
    pub(super) tree: &'s SphereTree,
    /// Poses at both ends, in the frame of the test.
    pub(super) poses: [Pose; 2],
    /// How far points leave their chords.
    pub(super) chord_bound: ChordBound,
    /// How far they can be off by errors, in whatever direction.
    pub(super) deviation: ChordBound,
    /// The axis about which it turns in that frame, if there is one.
    pub(super) axis: Option<Vector3<f64>>,
    /// Distance of its farthest point from its origin, metres.
    pub(super) radius: f64,
    /// The same errors seen from where the frame really is.
    pub(super) followed: Option<FollowedErrors>,
}

/// Errors of a part seen from the frame that the first joint between the two really carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct FollowedErrors {
    /// How far they put its points off, in whatever direction.
    pub(super) deviation: ChordBound,
    /// Besides, they turn it about its axis by up to this, radians.
    pub(super) turn: f64,
    /// A point of that axis.
    pub(super) origin: Vector3<f64>,
    /// Distance of the part's origin from it, metres.
    pub(super) lever: f64,
}

impl PlaneTestPart<'_> {
    /// Sees its errors from where the frame of the test really is: of the joint that turns it, by
    /// up to an angle about its axis through `origin`, and all others as lengths.
    pub(super) fn follow(&mut self, deviation: ChordBound, turn: f64, origin: Vector3<f64>) {
        let axis = self.axis.unwrap_or_default();
        let levers = self
            .poses
            .map(|pose| axis.cross(&(pose.translation - origin)).norm());
        self.followed = Some(FollowedErrors {
            deviation,
            turn: turn * (1.0 + 1e-9),
            origin,
            // Both are the same but for rounding.
            lever: levers[0].max(levers[1]) * (1.0 + 1e-9) + 1e-12,
        });
    }

    /// The share of what goes across its axis that counts along a direction.
    pub(super) fn share_across_axis(&self, n: &Vector3<f64>) -> f64 {
        self.axis
            .map_or(1.0, |axis| (n.cross(&axis).norm() + 1e-12).min(1.0))
    }

    /// How far errors can put its points off along a direction, at most: as lengths, and as seen
    /// from the frame that follows them.
    pub(super) fn greatest_deviations(&self, n: &Vector3<f64>) -> [f64; 2] {
        let followed = self.followed.map_or(f64::INFINITY, |errors| {
            let reach = errors.lever + self.radius;
            errors.deviation.at(self.radius) + errors.turn * self.share_across_axis(n) * reach
        });
        [self.deviation.at(self.radius), followed]
    }
}

/// A pair of parts over an interval, as the search sees it.
pub(super) struct PairInView<'v, 's> {
    pub(super) scene: &'s Scene<'s>,
    pub(super) pair: &'v PartPair,
    pub(super) view: &'v View,
}

impl<'s> PairInView<'_, 's> {
    /// One of its parts, 0 or 1, without axis and errors that follow it.
    fn side(&self, k: usize, poses: [Pose; 2], chord_bound: ChordBound) -> PlaneTestPart<'s> {
        let part = &self.scene.parts[[self.pair.a, self.pair.b][k]];
        PlaneTestPart {
            tree: &part.tree,
            poses,
            chord_bound,
            deviation: self.view.deviations[k],
            axis: None,
            radius: part.bounding_radius,
            followed: None,
        }
    }

    /// Seen from the frame that the first joint between the two carries; `beyond`: the joints from
    /// there to the first part.
    pub(super) fn seen_from_joint(
        &self,
        between: usize,
        beyond: &[usize],
        sweeps: &mut Sweeps,
        ends: &mut [&mut Snapshot; 2],
        errors: Option<Allowed>,
    ) -> [PlaneTestPart<'s>; 2] {
        let Self { scene, pair, view } = *self;
        let frames = [0, 1].map(|end| ends[end].joint_pose(Some(between)));
        let mut seen = |part: usize| {
            [0, 1].map(|end| frames[end].inverse_compose(&ends[end].part(scene, part).pose))
        };
        let poses = [seen(pair.a), seen(pair.b)];
        let axis = |joint: usize| {
            let axis = scene.chains.axis(joint);
            let seen = frames[0].inverse_compose(&ends[0].joint_pose(Some(joint)));
            (!scene.chains.is_prismatic(joint)).then(|| seen.rotation * axis)
        };
        let axes = [
            if beyond.len() == 1 {
                axis(beyond[0])
            } else {
                None
            },
            axis(between),
        ];
        let chord_bounds = [
            sweeps.chord_bound(scene, pair.a, pair.shared + 1, ends),
            sweeps.chord_bound_about(scene, between, pair.b, ends),
        ];
        let mut sides = [0, 1].map(|k| PlaneTestPart {
            axis: axes[k],
            ..self.side(k, poses[k], chord_bounds[k])
        });
        if let (Some((errors, tubes)), Some(_)) = (errors, axes[1]) {
            // Where the first part turns about no single axis in this frame, all the errors beyond
            // count as lengths.
            let own = axes[0].map(|_| beyond[0]);
            let first = pair.shared + 1 + usize::from(own.is_some());
            let deviation = sweeps.deviation_from((errors, tubes), scene, pair, first, ends);
            if let Some(deviation) = deviation {
                let turn = own.map_or(0.0, |joint| errors.joint_error(joint, tubes));
                let origin = frames[0]
                    .inverse_compose(&ends[0].joint_pose(own))
                    .translation;
                sides[0].follow(deviation, turn, origin);
                let turn = errors.joint_error(between, tubes);
                sides[1].follow(view.deviations[1], turn, Vector3::zeros());
            }
        }
        sides
    }

    /// Seen from the frame of the search; `chain`: the joints from there to the first part.
    pub(super) fn seen_from_common_frame(
        &self,
        chain: &[usize],
        ends: &mut [&mut Snapshot; 2],
    ) -> [PlaneTestPart<'s>; 2] {
        let Self { scene, pair, view } = *self;
        let axis = match chain {
            [only] if pair.one_sided && !scene.chains.is_prismatic(*only) => {
                let joint = ends[0].joint_pose(Some(*only));
                let frame = pair.common_frame(scene, ends[0]);
                Some(frame.inverse_compose(&joint).rotation * scene.chains.axis(*only))
            }
            _ => None,
        };
        [
            PlaneTestPart {
                axis,
                ..self.side(0, view.a, view.chord_bound_a)
            },
            self.side(1, view.b, view.chord_bound_b),
        ]
    }
}
