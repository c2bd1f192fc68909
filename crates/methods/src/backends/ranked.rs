//! Ranked sphere covers against each other: the marked search, and lower bounds of distances.
//!
//! Two spheres that meet hand the question to their own smaller spheres. Those of y are first
//! tested against x, and those of x against y; only what is marked by that is tested against each
//! other. A cover with fewer ranks stays in its last one. Surface points that are near each other
//! lie in chains of spheres, one of each rank, all of which meet: nothing near is missed. What is
//! found are two spheres of the last ranks; both meet their surfaces, so the surfaces are at most
//! as far apart as the spheres and their diameters.

use std::collections::HashMap;
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::{PartPair, Scene};
use clearance_proof::geometry::pose::Pose;
use clearance_proof::report::{CollidingSphere, CollidingSpheres, Work};
use nalgebra::Point3;
use rayon::prelude::*;

use super::{Backend, BackendKind, DistanceRange, Prebuilt, ShapeFineness, Touch};
use crate::MethodError;
use crate::ranked::{
    CoverFineness, MeshFaces, RankedCover, SphereBudget, USUAL_SPHERES, least_spheres,
    radius_that_fits,
};

mod marked;
#[cfg(test)]
mod tests;

use marked::{Both, NearestSpheres, Seen, Side};

/// Spheres that a scene may have: about 100 MB.
const MOST_SPHERES: usize = 4_000_000;

/// Colliding spheres of a body that are listed for one contact.
const MOST_LISTED: usize = 2_000;

/// The covers of a scene.
#[derive(Debug, Clone)]
pub struct Ranked<'s> {
    scene: &'s Scene<'s>,
    /// One for every part.
    covers: Vec<Arc<RankedCover>>,
    coarseness: f64,
    memory_bytes: usize,
}

/// Two spheres of last ranks that meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// Index into [`Scene::part_pairs`].
    pub part_pair: usize,
    /// Which spheres of the last ranks of the part pair's a and b.
    pub spheres: [usize; 2],
    /// How far they are apart, metres; 0 where they overlap.
    pub distance: f64,
    /// Their nearest points, in the order of the bodies; where they overlap, a point in both. World
    /// frame, metres.
    pub points: [Point3<f64>; 2],
}

impl<'s> Ranked<'s> {
    /// Covers every part of a scene, unless all covers are prebuilt.
    ///
    /// # Errors
    /// When that takes too many spheres, with a radius that does not.
    pub fn new(
        scene: &'s Scene<'s>,
        fineness: &CoverFineness,
        prebuilt: &Prebuilt,
    ) -> Result<Self, MethodError> {
        let kept = scene
            .parts
            .iter()
            .map(|part| prebuilt.covers.get(&part.tree));
        match kept.map(Option::<&Arc<_>>::cloned).collect() {
            Some(covers) => Ok(Self::of(scene, covers)),
            None => Self::within(scene, fineness, MOST_SPHERES),
        }
    }

    /// The same with the smallest spheres that were asked for; else those of the resolution
    /// (metres), or, where these would be too many, of a radius of 1, 2 or 5 times a power of ten
    /// that takes at most a million.
    ///
    /// # Errors
    /// As for [`Ranked::new`].
    pub fn fine(
        scene: &'s Scene<'s>,
        fineness: &ShapeFineness,
        resolution: f64,
        prebuilt: &Prebuilt,
    ) -> Result<Self, MethodError> {
        let of = |leaf_radius: f64| CoverFineness {
            leaf_radius,
            ranks: fineness.ranks,
        };
        if let Some(radius) = fineness.leaf_radius {
            return Self::new(scene, &of(radius), prebuilt);
        }
        let kept = scene
            .parts
            .iter()
            .all(|part| prebuilt.covers.get(&part.tree).is_some());
        if kept {
            return Self::new(scene, &of(resolution), prebuilt);
        }
        let mut seen = HashMap::new();
        for part in &scene.parts {
            seen.entry(Arc::as_ptr(&part.tree)).or_insert(&*part.tree);
        }
        let meshes: Vec<MeshFaces> = seen.into_values().map(faces).collect();
        // What cannot be enough is not tried.
        if least_spheres(meshes.iter().copied(), resolution) < USUAL_SPHERES as f64
            && let Ok(covered) = Self::within(scene, &of(resolution), USUAL_SPHERES)
        {
            return Ok(covered);
        }
        let radius = radius_that_fits(&meshes, &fineness.ranks, USUAL_SPHERES);
        Self::within(scene, &of(radius.unwrap_or(resolution)), MOST_SPHERES)
    }

    fn of(scene: &'s Scene<'s>, covers: Vec<Arc<RankedCover>>) -> Self {
        let diameters = scene
            .part_pairs
            .iter()
            .map(|p| 2.0 * (covers[p.a].leaf_radius() + covers[p.b].leaf_radius()));
        // The same mesh may stand in several places.
        let different: HashMap<_, _> = covers.iter().map(|c| (Arc::as_ptr(c), c)).collect();
        Self {
            coarseness: diameters.fold(0.0, f64::max),
            memory_bytes: different.values().map(|c| c.memory_bytes()).sum(),
            scene,
            covers,
        }
    }

    fn within(
        scene: &'s Scene<'s>,
        fineness: &CoverFineness,
        most: usize,
    ) -> Result<Self, MethodError> {
        // The same mesh may stand in several places.
        let mut place = HashMap::new();
        let mut trees: Vec<&SphereTree> = Vec::new();
        let of_part: Vec<usize> = scene
            .parts
            .iter()
            .map(|part| {
                *place.entry(Arc::as_ptr(&part.tree)).or_insert_with(|| {
                    trees.push(&part.tree);
                    trees.len() - 1
                })
            })
            .collect();
        let faces: Vec<MeshFaces> = trees.iter().map(|tree| faces(tree)).collect();
        let budget = SphereBudget::new(most);
        let build = |f: &MeshFaces| RankedCover::build(*f, fineness, &budget).map(Arc::new);
        let built: Result<Vec<Arc<RankedCover>>, _> = faces.par_iter().map(build).collect();
        let built = built.map_err(|_| MethodError::Unsupported(fineness.refusal(&faces, most)))?;
        let covers = of_part.iter().map(|&t| built[t].clone()).collect();
        Ok(Self::of(scene, covers))
    }

    /// The covers, one for every part of the scene.
    pub fn covers(&self) -> &[Arc<RankedCover>] {
        &self.covers
    }

    /// Every two spheres of last ranks by which a pair is within its threshold at an instant: every
    /// colliding part of two bodies. Their number goes with the square of how fine the covers are.
    pub fn colliding_parts(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        work: &mut Work,
    ) -> Vec<Meeting> {
        let mut all = Vec::new();
        self.search(pair, snapshot, work, &mut |meeting| {
            all.push(meeting);
            false
        });
        all
    }

    /// A sphere of the last rank of a part, at an instant.
    fn sphere(&self, part: usize, index: usize, snapshot: &mut Snapshot) -> CollidingSphere {
        let side = self.side(part, snapshot);
        let rank = side.cover.ranks.len() - 1;
        let seen = side.seen(rank, index);
        CollidingSphere {
            rank: rank + 1,
            center: seen.center.into(),
            radius: seen.radius,
        }
    }

    fn side(&self, part: usize, snapshot: &mut Snapshot) -> Side<'_> {
        let what = &self.scene.parts[part];
        let cover = &*self.covers[part];
        let pose = snapshot.part_pose(self.scene, part);
        Side {
            cover,
            thickness: what.tree.radius,
            world_from_cover: Pose {
                translation: pose.apply(&(cover.origin - what.tree.origin)),
                ..pose
            },
        }
    }

    /// Shows `found` what meets, until it has seen enough.
    fn search(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        work: &mut Work,
        found: &mut dyn FnMut(Meeting) -> bool,
    ) -> bool {
        work.interference_queries += 1;
        for index in self.scene.part_pairs_of(pair) {
            let Some((mut both, x, y)) = self.roots(index, snapshot) else {
                continue;
            };
            let limit = self.scene.pairs[pair].clearance + both.margin;
            let mut show = |x: &Seen, y: &Seen, gap: f64| {
                found(Meeting {
                    part_pair: index,
                    spheres: [x.index, y.index],
                    distance: gap.max(0.0),
                    points: self.points(index, x, y),
                })
            };
            let stop = both.gap(&x, &y) <= limit && both.refine(&x, &y, limit, &mut show);
            work.sphere_tests += both.tests;
            if stop {
                return true;
            }
        }
        false
    }

    /// Two parts at an instant with their largest spheres; `None` if there is no surface.
    fn roots(&self, part_pair: usize, snapshot: &mut Snapshot) -> Option<(Both<'_>, Seen, Seen)> {
        let PartPair { a, b, .. } = self.scene.part_pairs[part_pair];
        let margin = snapshot.margin(self.scene, a) + snapshot.margin(self.scene, b);
        let both = Both {
            sides: [self.side(a, snapshot), self.side(b, snapshot)],
            margin,
            tests: 0,
        };
        let root = |side: &Side| (!side.cover.ranks.is_empty()).then(|| side.seen(0, 0));
        let (x, y) = (root(&both.sides[0])?, root(&both.sides[1])?);
        Some((both, x, y))
    }

    /// Nearest points of two spheres, in the order of the bodies; where they overlap, a point that
    /// both contain.
    fn points(&self, part_pair: usize, x: &Seen, y: &Seen) -> [Point3<f64>; 2] {
        let PartPair { a, pair, .. } = self.scene.part_pairs[part_pair];
        let between = y.center - x.center;
        let (distance, reach) = (between.norm(), x.radius + y.radius);
        let mut points = if distance > reach {
            [
                x.center + between * (x.radius / distance),
                y.center - between * (y.radius / distance),
            ]
        } else {
            let share = if reach > 0.0 { x.radius / reach } else { 0.0 };
            [x.center + between * share; 2]
        };
        // Part pairs may name the bodies the other way round.
        if self.scene.parts[a].body != self.scene.pairs[pair].a {
            points.swap(0, 1);
        }
        points.map(Point3::from)
    }
}

impl Backend for Ranked<'_> {
    fn kind(&self) -> BackendKind {
        BackendKind::Ranked
    }

    /// Twice the radii of both leaf spheres: each meets its surface, which may be on the far side.
    fn coarseness(&self) -> f64 {
        self.coarseness
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    fn lower_bound(
        &mut self,
        pair: usize,
        snapshot: &mut Snapshot,
        range: DistanceRange,
        work: &mut Work,
    ) -> f64 {
        work.distance_queries += 1;
        let mut at_least = range.max;
        for index in self.scene.part_pairs_of(pair) {
            let Some((mut both, x, y)) = self.roots(index, snapshot) else {
                continue;
            };
            // Distances are off by the margin; what is left after it counts.
            let start = at_least + both.margin;
            let mut nearest = NearestSpheres {
                gap: start,
                enough: range.min + both.margin,
            };
            let gap = both.gap(&x, &y);
            let enough = gap < start && both.nearer(&x, &y, &mut nearest);
            work.sphere_tests += both.tests;
            if enough {
                // Nearer than anybody wants to know; what was not looked at may be nearer still.
                return 0.0;
            }
            if nearest.gap < start {
                at_least = (nearest.gap - both.margin).max(0.0);
            }
        }
        at_least
    }

    fn touching(&mut self, snapshot: &mut Snapshot, first: bool, work: &mut Work) -> Vec<Touch> {
        let mut touches = Vec::new();
        for pair in 0..self.scene.pairs.len() {
            self.search(pair, snapshot, work, &mut |meeting| {
                touches.push(Touch {
                    pair,
                    distance: meeting.distance,
                });
                true
            });
            if first && !touches.is_empty() {
                break;
            }
        }
        touches
    }

    /// Every sphere of the last ranks that meets one of the other body.
    fn colliding(
        &mut self,
        pair: usize,
        snapshot: &mut Snapshot,
        work: &mut Work,
    ) -> Option<CollidingSpheres> {
        let first = self.scene.pairs[pair].a;
        let mut found = [Found::new(), Found::new()];
        for meeting in self.colliding_parts(pair, snapshot, work) {
            let PartPair { a, b, .. } = self.scene.part_pairs[meeting.part_pair];
            for (part, sphere) in [a, b].into_iter().zip(meeting.spheres) {
                let side = usize::from(self.scene.parts[part].body != first);
                found[side].insert((part, sphere));
            }
        }
        let count = found.each_ref().map(Found::len);
        let [a, b] = found.map(|side| {
            let first = side.into_iter().take(MOST_LISTED);
            first
                .map(|(part, sphere)| self.sphere(part, sphere, snapshot))
                .collect::<Vec<_>>()
        });
        Some(CollidingSpheres { count, a, b })
    }
}

/// Spheres of the last ranks, each by its part and its place there.
type Found = std::collections::BTreeSet<(usize, usize)>;

fn faces(tree: &SphereTree) -> MeshFaces<'_> {
    MeshFaces {
        vertices: &tree.vertices,
        triangles: &tree.triangles,
    }
}
