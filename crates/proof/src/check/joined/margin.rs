//! How many times a budget of errors a motion stands: the least of all phases, by class of pairs.

use super::PhaseQuestion;
use crate::check::bisection::{ErrorMargin, LimitingInstant, error_margin};
use crate::check::scene::Scene;
use crate::model::{BodyId, Trajectory};
use crate::report::{ErrorShares, PairClass, Statistics};

const CLASSES: [PairClass; 4] = [
    PairClass::RobotCell,
    PairClass::Tool,
    PairClass::RobotRobot,
    PairClass::WithinRobot,
];

/// The margin of the pairs of a class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginOfClass {
    /// Which pairs.
    pub class: PairClass,
    /// Multiple of the budget up to which the pairs are proved clear; [`Self::MOST_TIMES`] where
    /// nothing limits it.
    pub times: f64,
    /// The instant that limits the multiple; `None`: nothing does.
    pub limit: Option<MarginInstant>,
}

impl MarginOfClass {
    /// The search starts at this multiple. A cell with more room than this is not limited by
    /// errors.
    pub const MOST_TIMES: f64 = ErrorMargin::MOST_TIMES;
}

/// The instant of a motion that limits a margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginInstant {
    /// The pair.
    pub bodies: [BodyId; 2],
    /// Trajectory time.
    pub time: f64,
    /// Distance there without errors, metres.
    pub distance: f64,
    /// Threshold D of the pair, metres.
    pub clearance: f64,
    /// How much of the distance there each kind of error can use up at one times the budget,
    /// metres.
    pub shares: ErrorShares,
}

/// The margin of every class of pairs that is checked in some phase, and the work that it took.
pub(super) fn class_margins(
    question: &PhaseQuestion,
    progress: &dyn Fn(f64),
) -> (Vec<MarginOfClass>, Statistics) {
    let mut margins: Vec<MarginOfClass> = Vec::new();
    let mut work = Statistics::default();
    let parts = (question.phases.len() * CLASSES.len()) as f64;
    let mut done = 0.0;
    for phase in question.phases {
        let mut scene = Scene::of_phase(phase, question.trees, question.clearance);
        scene.time_limit = question.time_limit.clone();
        let Some(errors) = &phase.cell.uncertainty else {
            continue;
        };
        for class in CLASSES {
            let is_wanted = |pair: usize| {
                let pair = &scene.pairs[pair];
                phase.cell.pair_class(pair.a, pair.b) == Some(class)
            };
            let share = |share: f64| progress((done + share) / parts);
            let resolution = question.resolution;
            let found = error_margin(
                &scene,
                &phase.trajectory,
                errors,
                resolution,
                &is_wanted,
                &share,
            );
            done += 1.0;
            let Some(found) = found else { continue };
            work.add_work(&found.statistics);
            let next = MarginOfClass {
                class,
                times: found.times,
                limit: found
                    .limit
                    .map(|at| in_motion(&scene, &phase.trajectory, &at)),
            };
            match margins.iter_mut().find(|known| known.class == class) {
                Some(known) if next.times < known.times => *known = next,
                Some(_) => {}
                None => margins.push(next),
            }
        }
    }
    progress(1.0);
    (margins, work)
}

fn in_motion(scene: &Scene, trajectory: &Trajectory, limiting: &LimitingInstant) -> MarginInstant {
    let pair = &scene.pairs[limiting.pair];
    MarginInstant {
        bodies: [pair.a, pair.b],
        time: trajectory.time_at(limiting.at),
        distance: limiting.effect.distance,
        clearance: pair.clearance,
        shares: limiting.effect.shares,
    }
}
