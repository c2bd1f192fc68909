//! How a motion is checked: a method in time over a method in shape.

use std::fmt;
use std::time::{Duration, Instant as Clock};

use clearance_proof::check::bisection::{self, CheckOptions, CheckResult};
use clearance_proof::check::intersection;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Path;
use clearance_proof::report::Work;

use crate::Promise;
use crate::error::{MethodError, unsupported};
use crate::halving;
use crate::sampling::{self, Step};
use crate::shapes::{self, ShapeKind, Stock};

/// How time is handled.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Method {
    /// Halving time until every pair is proved apart or found in contact.
    #[default]
    Bisection,
    /// Finding the first contact of two features as the root of a polynomial.
    Intersection,
    /// Looking at instants.
    Sampling(Step),
}

impl Method {
    /// As users write it.
    pub fn word(self) -> &'static str {
        match self {
            Method::Bisection => "bisection",
            Method::Intersection => "intersection",
            Method::Sampling(_) => "sampling",
        }
    }
}

/// The two together. The default is the product's: bisection over sphere trees.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Way {
    /// In time.
    pub method: Method,
    /// In shape.
    pub shape: ShapeKind,
    /// Radius of the smallest parts of a shape that has them, metres; `None`: see [`shapes::build`].
    pub leaf_radius: Option<f64>,
    /// A check that takes longer is given up, and never clear. The default way knows no such limit.
    pub budget: Option<Duration>,
}

impl Way {
    /// A way without limit.
    ///
    /// # Errors
    /// When the two do not go together; the message says what does.
    pub fn new(method: Method, shape: ShapeKind) -> Result<Self, MethodError> {
        match method {
            Method::Bisection if !shape.knows_distances() => unsupported(format!(
                "`--shape {shape}` knows what touches at an instant, but no distances: use it with `--method sampling`"
            )),
            Method::Intersection if shape != ShapeKind::SphereTree => unsupported(format!(
                "`--method intersection` looks at faces, edges and corners, which sphere trees lead to: leave out `--shape {shape}`"
            )),
            _ => Ok(Way {
                method,
                shape,
                leaf_radius: None,
                budget: None,
            }),
        }
    }

    /// With the smallest parts of this radius, metres.
    ///
    /// # Errors
    /// When the shape has none.
    pub fn with_leaf_radius(self, radius: f64) -> Result<Self, MethodError> {
        match self.shape.has_leaf_radius() {
            true => Ok(Way {
                leaf_radius: Some(radius),
                ..self
            }),
            false => unsupported(format!(
                "`--leaf-radius` is the radius of the smallest parts of a shape, and `{}` has none of one size: use it with \
                 `--shape ranked`, `greedy` or `octree`",
                self.shape
            )),
        }
    }

    /// Every way that there is; samplers look at this step.
    pub fn all(step: Step) -> Vec<Way> {
        let methods = [
            Method::Bisection,
            Method::Intersection,
            Method::Sampling(step),
        ];
        let ways = methods
            .into_iter()
            .flat_map(|method| ShapeKind::ALL.map(|shape| Way::new(method, shape)));
        ways.flatten().collect()
    }

    /// The shape, with what its answers depend on.
    pub fn shape_in_words(&self) -> String {
        match self.leaf_radius {
            Some(radius) => format!("{} down to {} mm", self.shape, radius * 1e3),
            None => self.shape.to_string(),
        }
    }

    /// Whether it is the product's own.
    pub fn is_default(&self) -> bool {
        (self.method, self.shape) == (Method::Bisection, ShapeKind::SphereTree)
    }

    /// What its answers are worth.
    pub fn promise(&self) -> Promise {
        match self.method {
            Method::Sampling(_) if self.shape.is_exact() => Promise::Samples,
            Method::Sampling(_) => Promise::RoughSamples,
            Method::Intersection => Promise::Exact,
            Method::Bisection if self.shape.is_exact() => Promise::Exact,
            Method::Bisection => Promise::Conservative,
        }
    }

    /// What its shape is built of, for all motions in a scene.
    ///
    /// # Errors
    /// When the shape cannot be built for this scene; the message says what would help.
    pub fn stock(&self, scene: &Scene, resolution: f64) -> Result<Stock, MethodError> {
        Stock::of(self.shape, scene, self.leaf_radius, resolution)
    }

    /// Checks a motion, with what is in stock for the shape. `progress` is told the share of the work that is done, 0 … 1.
    ///
    /// # Errors
    /// When the shape cannot be built for this scene; the message says what would help.
    pub fn check(
        &self,
        scene: &Scene,
        path: &Path,
        stock: &Stock,
        options: &CheckOptions,
        progress: &dyn Fn(f64),
    ) -> Result<CheckResult, MethodError> {
        if self.is_default() {
            return Ok(bisection::check(scene, path, options, progress));
        }
        let deadline = self.budget.map(|budget| Clock::now() + budget);
        let step = match self.method {
            Method::Intersection => {
                let found = intersection::counted(scene, path, options, deadline, progress)?;
                return Ok(found.0);
            }
            Method::Bisection => None,
            Method::Sampling(step) => Some(step),
        };
        let mut built = Work::default();
        let mut shape = shapes::build(
            self.shape,
            scene,
            self.leaf_radius,
            options.resolution,
            stock,
            &mut built,
        )?;
        let shape = &mut *shape;
        let mut result = match step {
            None => halving::check(scene, path, shape, options, deadline, progress),
            Some(step) => sampling::check(scene, path, shape, step, options, deadline, progress),
        };
        if let Some(work) = &mut result.statistics.work {
            work.add(&built);
            work.given_up = result.given_up;
        }
        Ok(result)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Bisection | Method::Intersection => f.write_str(self.word()),
            Method::Sampling(step) => write!(f, "{} every {step}", self.word()),
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / {}", self.method.word(), self.shape)
    }
}

#[cfg(test)]
mod tests;
