//! The largest multiple of the budget of errors for which a program is still clear, by class of
//! pairs.

use std::sync::Arc;

use clearance_proof::ProofError;
use clearance_proof::bvh::SphereTree;
use clearance_proof::check::TimeLimit;
use clearance_proof::check::joined::{MarginOfClass, PhaseQuestion};
use clearance_proof::model::{Cell, Schedule, Timeline, Trajectory, Uncertainty};

use super::Settings;
use super::uncertainty::budgets;
use crate::findings::{ClassMargin, Margin, MarginLimit, Statistics};

/// A motion whose margin is asked for.
pub(super) struct MarginQuestion<'q> {
    pub(super) cell: &'q Cell,
    pub(super) trajectory: &'q Trajectory,
    pub(super) timeline: &'q Timeline,
    pub(super) trees: &'q [Vec<Arc<SphereTree>>],
    pub(super) settings: &'q Settings,
    pub(super) time_limit: &'q TimeLimit,
}

/// The margin of a motion, and the work that it took. Where the cell states no budget it is that of
/// [`Uncertainty::usual`].
///
/// # Errors
/// When an event asks for something that cannot be.
pub(super) fn margin(
    &MarginQuestion {
        cell,
        trajectory,
        timeline,
        trees,
        settings,
        time_limit,
    }: &MarginQuestion,
    progress: &dyn Fn(f64),
) -> Result<(Margin, Statistics), ProofError> {
    let stated = cell.allowed_errors();
    let budget = stated.cloned().unwrap_or_else(|| Uncertainty::usual(cell));
    let asked = Cell {
        uncertainty: Some(budget),
        ..cell.clone()
    };
    let Schedule { phases, .. } = Schedule::new(&asked, trajectory, timeline)?;
    let question = PhaseQuestion {
        phases: &phases,
        trees,
        clearance: settings.clearance,
        resolution: settings.resolution,
        time_limit,
    };
    let (found, work) = question.class_margins(progress);
    let mut margin = Margin {
        times: MarginOfClass::MOST_TIMES,
        unlimited: true,
        budget: match stated {
            Some(_) => Vec::new(),
            None => budgets(&asked),
        },
        by_class: found.iter().map(|class| reported(class, cell)).collect(),
    };
    for class in &margin.by_class {
        margin.times = margin.times.min(class.times);
    }
    margin.unlimited = margin.by_class.iter().all(|c| c.unlimited) && !margin.by_class.is_empty();
    if margin.by_class.is_empty() {
        // Without pairs there is no proof.
        margin.times = 0.0;
    }
    Ok((margin, work))
}

fn reported(found: &MarginOfClass, cell: &Cell) -> ClassMargin {
    let name = |body: usize| cell.bodies[body].name.clone();
    ClassMargin {
        class: found.class,
        times: found.times,
        unlimited: found.times >= MarginOfClass::MOST_TIMES,
        limit: found.limit.map(|place| MarginLimit {
            a: name(place.bodies[0]),
            b: name(place.bodies[1]),
            time: place.time,
            distance: place.distance,
            required_clearance: place.clearance,
            errors: place.shares,
        }),
    }
}
