//! How far two parts can move towards each other in a box of times.

use super::DelaySearch;
use crate::check::scene::PartPair;
use crate::numeric::ROUND_UP;

/// How far points of a pair can move towards each other in a box, metres.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Travel {
    /// Anywhere in the box.
    pub all: f64,
    /// The part that remains when the box shrinks to its point: tubes of joints.
    pub tubes: f64,
}

impl Travel {
    /// The part that shrinks with the box.
    pub fn by_box(self) -> f64 {
        (self.all - self.tubes) * ROUND_UP
    }

    fn add(&mut self, more: Self) {
        self.all += more.all;
        self.tubes += more.tubes;
    }
}

impl DelaySearch<'_, '_> {
    /// Whether the balls around two parts keep apart in the whole box.
    pub(super) fn balls_are_separated(&mut self, pair: &PartPair, required_gap: f64) -> bool {
        self.statistics.distance_tests += 1;
        let travel = self.travels(pair, false).all;
        let a = self.snapshot.part(self.scene, pair.a).pose.translation;
        let b = self.snapshot.part(self.scene, pair.b).pose.translation;
        let radii =
            self.scene.parts[pair.a].bounding_radius + self.scene.parts[pair.b].bounding_radius;
        (a - b).norm() > (radii + required_gap + travel) * ROUND_UP
    }

    /// How far points of the two parts can move towards each other in the box; of all points, or of
    /// the parts' origins only.
    pub(super) fn travels(&mut self, pair: &PartPair, all: bool) -> Travel {
        self.travel.fill(0.0);
        let mut sum = Travel::default();
        for part in [pair.a, pair.b] {
            let what = &self.scene.parts[part];
            let radius = if all { what.bounding_radius } else { 0.0 };
            let chain = self.scene.chains.of(what.joint);
            let rho = &self.snapshot.part(self.scene, part).axis_distances;
            let mut total = Travel::default();
            for (k, &joint) in chain.iter().enumerate().skip(pair.shared).rev() {
                let (delta, axis) = (self.delta[joint], self.axes[joint]);
                let Some(axis) = axis.filter(|_| delta != 0.0) else {
                    continue;
                };
                let slides = self.scene.chains.is_prismatic(joint);
                let step = |delta: f64, beyond: f64| {
                    if slides {
                        delta
                    } else {
                        delta * (rho[k] + radius + beyond)
                    }
                };
                let step = Travel {
                    all: step(delta, total.all),
                    tubes: step(self.tube[joint], total.tubes),
                };
                total.add(step);
                self.travel[axis] += step.by_box();
            }
            sum.add(total);
        }
        sum
    }
}
