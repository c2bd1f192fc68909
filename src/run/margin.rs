//! How many times the budget of errors a program stands, by class of pairs.

use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::Budget;
use clearance_proof::check::bisection::{ErrorMargin, LimitingPlace, error_margin};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Cell, Path, PathError, Schedule, Timeline, Uncertainty};

use super::Settings;
use super::uncertainty::told;
use crate::findings::{ClassMargin, Margin, MarginLimit, PairClass, Statistics};

const CLASSES: [PairClass; 4] = [
    PairClass::RobotCell,
    PairClass::Tool,
    PairClass::RobotRobot,
    PairClass::WithinRobot,
];

/// The margin of a motion, and the work that it took. Where the cell states no budget it is that of [`Uncertainty::usual`].
///
/// # Errors
/// When an event asks for something that cannot be.
pub(super) fn margin(
    cell: &Cell,
    (path, timeline): (&Path, &Timeline),
    trees: &[Vec<Arc<SphereTree>>],
    (settings, time): (&Settings, &Budget),
    progress: &dyn Fn(f64),
) -> Result<(Margin, Statistics), PathError> {
    let stated = cell.uncertainty.as_ref().filter(|u| !u.is_none());
    let budget = stated.cloned().unwrap_or_else(|| Uncertainty::usual(cell));
    let asked = Cell {
        uncertainty: Some(budget),
        ..cell.clone()
    };
    let Schedule { phases, .. } = Schedule::new(&asked, path, timeline)?;
    let mut margin = Margin {
        times: ErrorMargin::MOST_TIMES,
        unlimited: true,
        budget: match stated {
            Some(_) => Vec::new(),
            None => told(&asked),
        },
        by_class: Vec::new(),
    };
    let mut work = Statistics::default();
    let parts = (phases.len() * CLASSES.len()) as f64;
    let mut done = 0.0;
    for phase in &phases {
        let mut scene = Scene::of_phase(phase, trees, settings.clearance);
        scene.budget = time.clone();
        let Some(budget) = &phase.cell.uncertainty else {
            continue;
        };
        for wanted in CLASSES {
            let is_wanted = |pair: usize| {
                let pair = &scene.pairs[pair];
                phase.cell.pair_class(pair.a, pair.b) == Some(wanted)
            };
            let share = |share: f64| progress((done + share) / parts);
            let resolution = settings.resolution;
            let found = error_margin(&scene, &phase.path, budget, resolution, &is_wanted, &share);
            done += 1.0;
            let Some(found) = found else { continue };
            work.intervals += found.statistics.intervals;
            work.distance_tests += found.statistics.distance_tests;
            work.triangle_tests += found.statistics.triangle_tests;
            let next = ClassMargin {
                class: wanted,
                times: found.times,
                unlimited: found.times >= ErrorMargin::MOST_TIMES,
                limit: found.limit.map(|place| named(&scene, &phase.path, &place)),
            };
            match margin.by_class.iter_mut().find(|c| c.class == wanted) {
                Some(known) if next.times < known.times => *known = next,
                Some(_) => {}
                None => margin.by_class.push(next),
            }
        }
    }
    progress(1.0);
    for class in &margin.by_class {
        margin.times = margin.times.min(class.times);
    }
    margin.unlimited = margin.by_class.iter().all(|c| c.unlimited) && !margin.by_class.is_empty();
    if margin.by_class.is_empty() {
        // Nothing is proved about nothing.
        margin.times = 0.0;
    }
    Ok((margin, work))
}

fn named(scene: &Scene, path: &Path, place: &LimitingPlace) -> MarginLimit {
    let pair = &scene.pairs[place.pair];
    let (segment, s) = place.at;
    let name = |body: usize| scene.cell.bodies[body].name.clone();
    MarginLimit {
        a: name(pair.a),
        b: name(pair.b),
        time: path.segments[segment].time(s),
        distance: place.told.distance,
        required_clearance: pair.clearance,
        errors: place.told.shares,
    }
}
