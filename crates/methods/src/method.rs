//! How a motion is checked: a method in time over a method in shape.

use std::fmt;

use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;
use clearance_proof::report::Work;

use crate::Promise;
use crate::backends::octree::Divided;
use crate::backends::{self, BackendKind, Prebuilt, ShapeFineness};
use crate::error::{MethodError, unsupported};
use crate::features;
use crate::halving;
use crate::least::least;
use crate::ranked::{CoverCells, CoverRanks};
use crate::sampling::{self, SamplingStep};

/// How time is handled.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum TimeMethod {
    /// Halving time until every pair is proved apart or found in contact.
    #[default]
    Bisection,
    /// Finding the first contact of two features as the root of a polynomial.
    Intersection,
    /// Looking at instants.
    Sampling(SamplingStep),
}

impl TimeMethod {
    /// As users write it.
    pub fn as_str(self) -> &'static str {
        match self {
            TimeMethod::Bisection => "bisection",
            TimeMethod::Intersection => "intersection",
            TimeMethod::Sampling(_) => "sampling",
        }
    }
}

/// The two together. The default is the product's: bisection over sphere trees.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Method {
    /// In time.
    pub time: TimeMethod,
    /// In shape.
    pub backend: BackendKind,
    /// Radius of the smallest parts of a shape that has them, metres; `None`: see
    /// [`backends::build`].
    pub leaf_radius: Option<f64>,
    /// The ranks of ranked covers.
    pub ranks: CoverRanks,
    /// Which bodies octrees divide.
    pub divided: Divided,
}

impl Method {
    /// The two together.
    ///
    /// # Errors
    /// When the two do not go together; the message says what does.
    pub fn new(time: TimeMethod, backend: BackendKind) -> Result<Self, MethodError> {
        match time {
            TimeMethod::Bisection if !backend.knows_distances() => unsupported(format!(
                "`--shape {backend}` knows what touches at an instant, but no distances: use it with `--method sampling`"
            )),
            TimeMethod::Intersection if backend != BackendKind::SphereTree => unsupported(format!(
                "`--method intersection` looks at faces, edges and corners, which sphere trees lead to: leave out `--shape {backend}`"
            )),
            _ => Ok(Method {
                time,
                backend,
                leaf_radius: None,
                ranks: CoverRanks::default(),
                divided: Divided::default(),
            }),
        }
    }

    /// With the smallest parts of this radius, metres.
    ///
    /// # Errors
    /// When the shape has none.
    pub fn with_leaf_radius(self, radius: f64) -> Result<Self, MethodError> {
        if self.backend.has_leaf_radius() {
            Ok(Method {
                leaf_radius: Some(radius),
                ..self
            })
        } else {
            unsupported(format!(
                "`--leaf-radius` is the radius of the smallest parts of a shape, and `{}` has none of one size: use it with \
                 `--shape ranked`, `greedy` or `octree`",
                self.backend
            ))
        }
    }

    /// With these ranks.
    ///
    /// # Errors
    /// When the shape has none.
    pub fn with_ranks(self, ranks: CoverRanks) -> Result<Self, MethodError> {
        if self.backend == BackendKind::Ranked || ranks == CoverRanks::default() {
            Ok(Method { ranks, ..self })
        } else {
            unsupported(format!(
                "`--ratio`, `--ranks` and `--cells` say what the ranks of ranked covers are, and `{}` has none: use them with \
                 `--shape ranked`",
                self.backend
            ))
        }
    }

    /// With these bodies divided into cubes.
    ///
    /// # Errors
    /// When the shape has none.
    pub fn with_divided(self, divided: Divided) -> Result<Self, MethodError> {
        if self.backend == BackendKind::Octree || divided == Divided::default() {
            Ok(Method { divided, ..self })
        } else {
            unsupported(format!(
                "`--cubes` says which bodies are divided into cubes, and `{}` has none: use it with `--shape octree`",
                self.backend
            ))
        }
    }

    fn fineness(&self) -> ShapeFineness {
        ShapeFineness {
            leaf_radius: self.leaf_radius,
            ranks: self.ranks,
            divided: self.divided,
        }
    }

    /// Every method that there is; samplers look at this step.
    pub fn all(step: SamplingStep) -> Vec<Method> {
        let times = [
            TimeMethod::Bisection,
            TimeMethod::Intersection,
            TimeMethod::Sampling(step),
        ];
        let methods = times
            .into_iter()
            .flat_map(|time| BackendKind::ALL.map(|backend| Method::new(time, backend)));
        methods.flatten().collect()
    }

    /// The shape, with what its answers depend on.
    pub fn backend_in_words(&self) -> String {
        let mut words = match self.leaf_radius {
            Some(radius) => format!("{} down to {} mm", self.backend, radius * 1e3),
            None => self.backend.to_string(),
        };
        let CoverRanks {
            ratio,
            count,
            cells,
        } = self.ranks;
        if ratio != CoverRanks::default().ratio {
            words += &format!(", ratio {ratio}");
        }
        if self.divided == Divided::All {
            words += ", all bodies divided";
        }
        if let Some(count) = count {
            words += &format!(", {count} ranks");
        }
        if cells != CoverCells::default() {
            words += &format!(", {} cells", cells.as_str());
        }
        words
    }

    /// Whether it is the product's own.
    pub fn is_default(&self) -> bool {
        (self.time, self.backend) == (TimeMethod::Bisection, BackendKind::SphereTree)
    }

    /// The worth of its answers.
    pub fn promise(&self) -> Promise {
        match self.time {
            TimeMethod::Sampling(_) if self.backend.is_exact() => Promise::Samples,
            TimeMethod::Sampling(_) => Promise::RoughSamples,
            TimeMethod::Intersection => Promise::Exact,
            TimeMethod::Bisection if self.backend.is_exact() => Promise::Exact,
            TimeMethod::Bisection => Promise::Conservative,
        }
    }

    /// The message for a scene where another method looks at some pairs; `None`: this one looks at
    /// all.
    pub fn fallback(&self, scene: &Scene) -> Option<String> {
        match self.time {
            TimeMethod::Intersection => features::fallback(scene),
            TimeMethod::Bisection | TimeMethod::Sampling(_) => None,
        }
    }

    /// The parts of which its shape is built, for all motions in a scene.
    ///
    /// # Errors
    /// When the shape cannot be built for this scene; the message says what would help.
    pub fn prebuilt(&self, scene: &Scene, resolution: f64) -> Result<Prebuilt, MethodError> {
        Prebuilt::of(self.backend, scene, &self.fineness(), resolution)
    }

    /// Checks a motion, with what is prebuilt for the shape. `progress` is told the share of the
    /// work that is done, 0 … 1.
    ///
    /// # Errors
    /// When the shape cannot be built for this scene; the message says what would help.
    pub fn check(
        &self,
        scene: &Scene,
        trajectory: &Trajectory,
        prebuilt: &Prebuilt,
        options: &CheckOptions,
        progress: &dyn Fn(f64),
    ) -> Result<CheckResult, MethodError> {
        if self.is_default() {
            return Ok(scene.check(trajectory, options, progress));
        }
        let step = match self.time {
            TimeMethod::Intersection => {
                return features::check(scene, trajectory, options, progress);
            }
            TimeMethod::Bisection => None,
            TimeMethod::Sampling(step) => Some(step),
        };
        let mut built = Work::default();
        let mut backend = backends::build(
            self.backend,
            scene,
            &self.fineness(),
            options.resolution,
            prebuilt,
            &mut built,
        )?;
        let backend = &mut *backend;
        let mut result = match step {
            None => halving::check(scene, trajectory, backend, options, progress),
            Some(step) => sampling::check(scene, trajectory, backend, step, options, progress),
        };
        // A pair in contact has the least distance 0, which its contact reports.
        if options.minimum && step.is_none() {
            let mut work = Work::default();
            result.minimum = least(scene, trajectory, backend, options, &mut work);
            if let Some(all) = &mut result.statistics.work {
                all.add(&work);
            }
        }
        if let Some(work) = &mut result.statistics.work {
            work.add(&built);
            work.given_up = result.given_up;
        }
        Ok(result)
    }
}

impl fmt::Display for TimeMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeMethod::Bisection | TimeMethod::Intersection => f.write_str(self.as_str()),
            TimeMethod::Sampling(step) => write!(f, "{} every {step}", self.as_str()),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", self.time.as_str(), self.backend)
    }
}

#[cfg(test)]
mod tests;
