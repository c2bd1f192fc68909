//! The scenes in which a motion is checked, and the check itself: contacts first, near misses over
//! the same motion after.

use std::sync::Arc;

use clearance_methods::backends::Prebuilt;
use clearance_methods::{Method, MethodError};
use clearance_proof::bvh::SphereTree;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::check::{SpareThreads, TimeLimit};
use clearance_proof::model::{Cell, Phase, Trajectory};
use clearance_proof::pairs::PairTable;

use super::Settings;
use super::known_corners::KnownCorners;
use super::panics::catch_panic;
use crate::error::Error;
use crate::findings::NearMiss;

/// The scenes in which the programs of a run are checked.
#[derive(Debug, Clone)]
pub(super) struct Scenes<'p> {
    /// With the thresholds.
    pub contact: Scene<'p>,
    /// With the warn distances, if there are any.
    pub near: Option<Scene<'p>>,
    method: Method,
    /// The parts of which the method's shape is built, or why they cannot be built.
    prebuilt: Arc<Result<Prebuilt, Error>>,
    /// Resolution of the search for near misses, metres. Pairs may be near one another all the
    /// time: so fine a search as for contacts would cost minutes and tell nobody more.
    near_resolution: f64,
    /// What was found of corners in these scenes.
    pub known_corners: Arc<KnownCorners>,
}

/// Share of the room between threshold and warn distance at which the search for near misses stops
/// refining.
const NEAR_SHARE: f64 = 0.1;

/// The findings of the check of a motion.
pub(super) struct FoundScene {
    /// Contacts and least distances.
    pub result: CheckResult,
    /// Near misses, by time.
    pub near: Vec<NearMiss>,
}

impl<'p> Scenes<'p> {
    pub fn new(
        cell: &'p Cell,
        trees: &[Vec<Arc<SphereTree>>],
        pairs: &PairTable,
        settings: &Settings,
        prebuilt: Arc<Result<Prebuilt, Error>>,
    ) -> Self {
        let contact = Scene::new(cell, trees, pairs, settings.clearance);
        let warn = warn_distances(pairs, settings);
        let near = warn
            .iter()
            .any(Option::is_some)
            .then(|| contact.at_warn_distances(&warn));
        let room = contact.pairs.iter().zip(&warn);
        let least_room = room
            .filter_map(|(pair, warn)| Some((*warn)? - pair.clearance))
            .fold(f64::INFINITY, f64::min);
        Self {
            contact,
            near,
            method: settings.method,
            prebuilt,
            near_resolution: settings.resolution.max(NEAR_SHARE * least_room),
            known_corners: Arc::default(),
        }
    }

    /// The same for a cell that differs in its errors only.
    pub fn again<'c>(
        &self,
        cell: &'c Cell,
        trees: &[Vec<Arc<SphereTree>>],
        pairs: &PairTable,
        settings: &Settings,
    ) -> Scenes<'c> {
        let mut scenes = Scenes::new(cell, trees, pairs, settings, self.prebuilt.clone());
        scenes.set_hulls(self.contact.hulls);
        scenes.set_threads(&self.contact.threads);
        scenes
    }

    /// Builds what the method's backend needs, once for all motions.
    pub fn prebuild(&mut self, settings: &Settings) {
        let built = catch_panic(|| self.method.prebuilt(&self.contact, settings.resolution));
        self.prebuilt = Arc::new(built.and_then(|prebuilt| Ok(prebuilt?)));
    }

    /// The same, in which searches share this limit.
    pub fn within(&self, time_limit: &TimeLimit) -> Self {
        let mut scenes = self.clone();
        scenes.contact.time_limit = time_limit.clone();
        if let Some(near) = &mut scenes.near {
            near.time_limit = time_limit.clone();
        }
        scenes
    }

    /// Whether searches leave out what range-of-motion hulls tell apart.
    pub fn set_hulls(&mut self, hulls: bool) {
        for scene in [Some(&mut self.contact), self.near.as_mut()]
            .into_iter()
            .flatten()
        {
            scene.hulls = hulls;
        }
    }

    /// Who may help to search a long motion.
    pub fn set_threads(&mut self, threads: &SpareThreads) {
        for scene in [Some(&mut self.contact), self.near.as_mut()]
            .into_iter()
            .flatten()
        {
            scene.threads = threads.clone();
        }
    }

    /// Checks a motion. `progress` is told the share that is done, 0 … 1.
    ///
    /// # Errors
    /// When the method that was chosen cannot be used in this cell.
    pub fn check(
        &self,
        trajectory: &Trajectory,
        options: &CheckOptions,
        progress: &dyn Fn(f64),
    ) -> Result<FoundScene, Error> {
        // Near misses are a search of their own, over the same motion.
        let searches = 1.0 + f64::from(u8::from(self.near.is_some()));
        let prebuilt = self.prebuilt.as_ref().as_ref().map_err(Clone::clone)?;
        if self.contact.cell.allowed_errors().is_some() && !self.method.is_default() {
            return Err(MethodError::Unsupported(
                "errors within [uncertainty] are allowed for by the default method only: leave out --method and --shape, or \
                 [uncertainty]"
                    .to_owned(),
            )
            .into());
        }
        let share = |share: f64| progress(share / searches);
        let mut result = self
            .method
            .check(&self.contact, trajectory, prebuilt, options, &share)?;
        let mut near = Vec::new();
        if let Some(scene) = &self.near {
            let (misses, work) = scene.near_misses(trajectory, self.near_resolution, &|share| {
                progress((1.0 + share) / searches);
            });
            result.statistics.add_work(&work);
            near = misses;
        }
        Ok(FoundScene { result, near })
    }

    /// Checks a motion with events: its phases in order, in scenes like this one. `trees` are those
    /// of the cell: events change no shape.
    ///
    /// # Errors
    /// When the method that was chosen cannot be used in this cell.
    pub fn check_phases(
        &self,
        phases: &[Phase],
        trees: &[Vec<Arc<SphereTree>>],
        settings: &Settings,
        options: &CheckOptions,
        progress: &dyn Fn(f64),
    ) -> Result<FoundScene, Error> {
        let first_only = !options.all && !options.minimum && self.near.is_none();
        let time_limit = &self.contact.time_limit;
        let (result, near) =
            CheckResult::of_phases(phases, first_only, time_limit, progress, |phase, share| {
                let scenes = self.of_phase(phase, trees, settings);
                let found = scenes.check(&phase.trajectory, options, share)?;
                Ok::<_, Error>((found.result, found.near))
            })?;
        Ok(FoundScene { result, near })
    }

    /// The same without the search for near misses.
    pub fn for_contacts(&self) -> Self {
        Self {
            near: None,
            ..self.clone()
        }
    }

    /// The same for the cell as it is between two events.
    pub fn of_phase<'q>(
        &self,
        phase: &'q Phase,
        trees: &[Vec<Arc<SphereTree>>],
        settings: &Settings,
    ) -> Scenes<'q> {
        let pairs = PairTable::new(&phase.cell);
        let mut scenes = Scenes::new(&phase.cell, trees, &pairs, settings, self.prebuilt.clone());
        let (sizes, errors) = (&phase.taken_over_m, &phase.handover_errors);
        scenes.contact = scenes.contact.placed_by_events(sizes, errors);
        let near = scenes.near.take();
        scenes.near = near.map(|scene| scene.placed_by_events(sizes, errors));
        scenes.set_hulls(self.contact.hulls);
        scenes.set_threads(&self.contact.threads);
        scenes.within(&self.contact.time_limit)
    }
}

/// The warn distance of every checked pair: its own, else that of the run where it lies above the
/// pair's threshold.
pub(super) fn warn_distances(pairs: &PairTable, settings: &Settings) -> Vec<Option<f64>> {
    let pairs = pairs.checked.iter();
    pairs
        .map(|pair| {
            let threshold = pair.clearance.unwrap_or(settings.clearance);
            pair.warn.or(settings.warn).filter(|&warn| warn > threshold)
        })
        .collect()
}
