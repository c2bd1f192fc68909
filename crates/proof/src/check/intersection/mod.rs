//! Feature intersection: the first contact as the root of a polynomial, with its exact time and
//! kind.
//!
//! The motion of two parts is taken as cubic over short intervals, four true poses each, with a
//! bound on what that is off. Two polyhedra meet first with a corner on a face or with two edges;
//! either makes a determinant of degree 9 vanish. Sphere trees leave few such pairs; their roots
//! are isolated, narrowed and polished on the true motion.
//!
//! **What it promises.** `clear` is a proof, as the default check's: every pair of features that is
//! not shown to miss each other keeps its interval unresolved. It knows surfaces that touch, not
//! clearances: it refuses thresholds above 0 and round shapes.
//!
//! **Degenerate cases.** Coplanar faces, parallel edges, a face that slides in its own plane: the
//! determinant vanishes all along. The contact then shows with neighbouring features too (an end of
//! the edge on the other face, a corner on the border), and the interval of the degenerate pair is
//! halved until the closest points keep it apart.

mod features;
mod hit;
mod narrow;
mod search;
#[cfg(test)]
mod tests;

use crate::ProofError;
use crate::check::Snapshot;
use crate::check::contact::contact;
use crate::check::options::{CheckOptions, CheckResult};
use crate::check::scene::Scene;
use crate::model::{MotionInstant, Segment, Trajectory};
use crate::report::{Contact, ContactFeature, ContactKind, Statistics, Verdict};
pub use hit::IntersectionWork;
use narrow::touch;
use search::FeatureSearch;

impl Scene<'_> {
    /// Checks a motion by feature intersection. `progress` is told the share of the work that is
    /// done, 0 … 1. Once the scene's limit of time is spent it gives up: without a contact nothing is known then.
    ///
    /// # Errors
    /// A question that it cannot answer, with a remedy: thresholds above 0, balls and capsules, all
    /// contacts, least clearances.
    pub fn intersect_features(
        &self,
        trajectory: &Trajectory,
        options: &CheckOptions,
        progress: &dyn Fn(f64),
    ) -> Result<CheckResult, ProofError> {
        Ok(self
            .intersect_features_counted(trajectory, options, progress)?
            .0)
    }

    /// The same, and what work that took in its own terms.
    #[cfg(feature = "testing")]
    pub fn intersection_work(
        &self,
        trajectory: &Trajectory,
        options: &CheckOptions,
    ) -> Result<(CheckResult, IntersectionWork), ProofError> {
        self.intersect_features_counted(trajectory, options, &|_| ())
    }

    fn intersect_features_counted(
        &self,
        trajectory: &Trajectory,
        options: &CheckOptions,
        progress: &dyn Fn(f64),
    ) -> Result<(CheckResult, IntersectionWork), ProofError> {
        refuse(self, trajectory, options)?;
        let mut search = FeatureSearch::new(self, trajectory, options.resolution);
        let start = at_start(self, trajectory);
        if start.is_none() {
            let count = trajectory.segments.len();
            for index in 0..count {
                if search.hit.is_some() || search.late {
                    break;
                }
                search.search_interval(index, [0.0, 1.0], 0..self.part_pairs.len());
                progress((index + 1) as f64 / count as f64);
            }
        }
        let first_unresolved = search
            .unresolved
            .iter()
            .min_by(|x, y| x.start.total_cmp(&y.start));
        let (verdict, first_contact) = match (start, search.hit, first_unresolved) {
            (Some(contact), ..) => (Verdict::Collision, Some(contact)),
            (None, Some(hit), unresolved) => {
                let found = contact(self, trajectory, hit.pair, hit.at, ContactKind::Contact);
                let contact = Contact {
                    free_until: unresolved.map_or(found.time, |o| o.start.min(found.time)),
                    feature: Some(hit.kind(self)),
                    exact_time: Some(found.time),
                    ..found
                };
                (Verdict::Collision, Some(contact))
            }
            (None, None, unresolved) if search.late => (
                Verdict::Unverified,
                unresolved.map(|unresolved| unresolved.contact(self, trajectory)),
            ),
            (None, None, Some(unresolved)) => (
                Verdict::Undecided,
                Some(unresolved.contact(self, trajectory)),
            ),
            (None, None, None) => (Verdict::Clear, None),
        };
        let work = search.work;
        let result = CheckResult {
            first_contact,
            given_up: search.late,
            statistics: Statistics {
                intervals: work.intervals,
                distance_tests: work.node_tests + work.triangle_tests + work.determinants,
                triangle_tests: work.triangle_tests,
                pairs: self.pairs.len() as u64,
                ..Statistics::default()
            },
            ..CheckResult::new(verdict)
        };
        Ok((result, work))
    }

    /// Whether the first contact of a pair can be found by its features: its threshold is 0, and
    /// both bodies have faces only.
    pub fn has_features_only(&self, pair: usize) -> bool {
        let parts = &self.part_pairs[self.part_pairs_of(pair)];
        self.pairs[pair].clearance == 0.0 && parts.iter().all(|p| p.radii == 0.0)
    }
}

/// A body inside another one, or surfaces that touch or cross, at the first instant.
fn at_start(scene: &Scene, trajectory: &Trajectory) -> Option<Contact> {
    let mut start = Snapshot::default();
    start.set(scene, &trajectory.segments[0], 0.0);
    if let Some(&pair) = scene.contained(&mut start).first() {
        return Some(scene.met(trajectory, pair, MotionInstant::START));
    }
    (0..scene.pairs.len()).find_map(|pair| {
        let parts = &scene.part_pairs[scene.part_pairs_of(pair)];
        let margins = parts.iter().map(|p| touch(scene, p, &mut start));
        let touch = margins.fold(0.0, f64::max);
        let nearest = scene.pair_distance(pair, &mut start, 2.0 * touch, &mut 0)?;
        (nearest.distance <= touch).then(|| {
            contact(
                scene,
                trajectory,
                pair,
                MotionInstant::START,
                ContactKind::Contact,
            )
        })
    })
}

fn unsupported<T>(why: String) -> Result<T, ProofError> {
    Err(ProofError::Unsupported(why))
}

fn refuse(
    scene: &Scene,
    trajectory: &Trajectory,
    options: &CheckOptions,
) -> Result<(), ProofError> {
    const REMEDY: &str = "or use --method bisection";
    if options.all || options.minimum {
        return unsupported(format!(
            "--method intersection finds the first contact only; leave out --all and --minimum, {REMEDY}"
        ));
    }
    if trajectory.has_tubes() {
        return unsupported(
            "--method intersection knows when surfaces meet on an exact curve: the joint values of this motion are only known \
             to lie near one (straight moves of the tool, arcs, very large values); use --method bisection"
                .to_owned(),
        );
    }
    let name = |body: usize| scene.cell.bodies[body].name.as_str();
    if let Some(pair) = scene.pairs.iter().find(|pair| pair.clearance > 0.0) {
        return unsupported(format!(
            "--method intersection knows surfaces that touch, not clearances: `{}` and `{}` are to keep {} m apart; \
             set their clearance to 0, {REMEDY}",
            name(pair.a),
            name(pair.b),
            pair.clearance
        ));
    }
    let checked = scene.part_pairs.iter().flat_map(|p| [p.a, p.b]);
    let mut round = checked.filter(|&part| scene.parts[part].tree.radius > 0.0);
    if let Some(part) = round.next() {
        return unsupported(format!(
            "--method intersection knows faces, edges and corners: `{}` has a ball or a capsule, which has none; \
             give it a mesh, {REMEDY}",
            name(scene.parts[part].body)
        ));
    }
    Ok(())
}

/// The answer of [`refine`] about a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Refined {
    /// The features that touch, seen from the bodies in the pair's order.
    pub feature: ContactFeature,
    /// When, trajectory time.
    pub exact_time: f64,
}

/// More determinants than this are not worth the answer to [`refine`].
const MOST_DETERMINANTS: u64 = 50_000;

/// Kind and exact time of the contact of a body pair that some check has found at `to`,
/// having proved the pair free until `free_until` (trajectory time). `None` where
/// that cannot be told: thresholds above 0, round shapes, surfaces that cross from the start, joint
/// values that are not exact.
pub(crate) fn refine(
    scene: &Scene,
    trajectory: &Trajectory,
    pair: usize,
    free_until: f64,
    to: MotionInstant,
    resolution: f64,
) -> Option<Refined> {
    let part_pairs = scene.part_pairs_of(pair);
    let round = |p: usize| scene.part_pairs[p].radii > 0.0;
    if scene.pairs[pair].clearance > 0.0 || part_pairs.clone().any(round) {
        return None;
    }
    let from = trajectory.locate(free_until);
    if from >= to
        || trajectory.segments[from.segment..=to.segment]
            .iter()
            .any(Segment::has_tube)
    {
        return None;
    }
    let mut search = FeatureSearch::new(scene, trajectory, resolution);
    search.most_determinants = MOST_DETERMINANTS;
    for index in from.segment..=to.segment {
        let start = if index == from.segment {
            from.fraction
        } else {
            0.0
        };
        let end = if index == to.segment {
            to.fraction
        } else {
            1.0
        };
        if search.hit.is_none() && !search.late {
            search.search_interval(index, [start, end], part_pairs.clone());
        }
    }
    let hit = search.hit.filter(|_| !search.late)?;
    Some(Refined {
        feature: hit.kind(scene),
        exact_time: trajectory.time_at(hit.at).max(free_until),
    })
}
