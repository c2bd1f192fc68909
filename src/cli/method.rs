//! Options for other methods than the default one.

use clap::{Args, ValueEnum};
use clearance_formats::units::{parse_angle, parse_length, parse_time};
use clearance_methods::backends::BackendKind;
use clearance_methods::backends::octree::Divided;
use clearance_methods::ranked::{CoverCells, CoverFineness, CoverRanks};
use clearance_methods::sampling::SamplingStep;
use clearance_methods::{Method, TimeMethod};

use super::values::positive_length;
use crate::error::Error;

/// How time and shape are handled.
#[derive(Debug, Args)]
pub(super) struct MethodOptions {
    /// How time is handled
    #[arg(long, value_enum, default_value_t = Time::Bisection)]
    method: Time,
    /// How shape is handled
    #[arg(long, value_enum, default_value_t = ShapeChoice::SphereTree)]
    shape: ShapeChoice,
    /// With `--method sampling`: from one instant to the next, a time (`10ms`), the farthest that a
    /// joint turns (`1deg`), or the farthest that any point of a robot gets (`5mm`) [default: 5mm]
    #[arg(long, value_name = "STEP", value_parser = step)]
    step: Option<SamplingStep>,
    /// Radius of the smallest parts of `--shape ranked` (spheres), `greedy` (tiles) or `octree`
    /// (spheres around cubes) [default: ranked the resolution, or what takes no more than a million
    /// spheres; greedy 1/16 of the part; octree cubes of 1/128 of the cell]
    #[arg(long, value_name = "LEN", value_parser = positive_length, allow_hyphen_values = true)]
    leaf_radius: Option<f64>,
    #[command(flatten)]
    ranks: RankOptions,
    /// With `--shape octree`: which bodies are divided into cubes [default: standing]
    #[arg(long, value_enum, value_name = "WHICH")]
    cubes: Option<CubesOf>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum CubesOf {
    /// Only bodies that stand still
    Standing,
    /// Also moving bodies: of two, the one with more triangles
    All,
}

/// The ranks of ranked covers.
#[derive(Debug, Clone, Args)]
pub(super) struct RankOptions {
    /// With `--shape ranked`: radius of a rank against that of the next, about [default: 2]
    #[arg(long, value_name = "P", value_parser = ratio, conflicts_with = "ranks")]
    ratio: Option<f64>,
    /// With `--shape ranked`: number of ranks, in place of a ratio
    #[arg(long, value_name = "N", value_parser = ranks)]
    ranks: Option<usize>,
    /// With `--shape ranked`: how a cell is divided where the cells of the next rank do not fill it
    /// evenly [default: cut]
    #[arg(long, value_enum, value_name = "KIND")]
    cells: Option<CellsChoice>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum CellsChoice {
    /// Boxes, cut where they would overlap; spheres of several sizes
    Cut,
    /// Cubes of one size, which may overlap; the overlap is divided only once
    Equal,
    /// Cubes of one size, which may overlap; each is divided in full
    Overlapping,
}

impl RankOptions {
    /// The ranks that are meant.
    pub(super) fn ranks(&self) -> CoverRanks {
        let usual = CoverRanks::default();
        CoverRanks {
            ratio: self.ratio.unwrap_or(usual.ratio),
            count: self.ranks,
            cells: match self.cells {
                None | Some(CellsChoice::Cut) => CoverCells::Cut,
                Some(CellsChoice::Equal) => CoverCells::Equal,
                Some(CellsChoice::Overlapping) => CoverCells::Overlapping,
            },
        }
    }

    /// One of these that was given, to be refused where there are no ranks.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--ratio", self.ratio.is_some()),
            ("--ranks", self.ranks.is_some()),
            ("--cells", self.cells.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, given)| *given);
        given.next().map(|(option, _)| option)
    }
}

/// A ratio of radii.
fn ratio(text: &str) -> Result<f64, Error> {
    let known = CoverFineness::RATIOS;
    match text.parse() {
        Ok(ratio) if known.contains(&ratio) => Ok(ratio),
        _ => Err(Error::usage(format!(
            "write a number from {} to {}; the default is {}",
            known.start(),
            known.end(),
            CoverFineness::RATIO
        ))),
    }
}

/// A number of ranks.
fn ranks(text: &str) -> Result<usize, Error> {
    let known = CoverFineness::COUNTS;
    match text.parse() {
        Ok(count) if known.contains(&count) => Ok(count),
        _ => Err(Error::usage(format!(
            "write a number from {} to {}",
            known.start(),
            known.end()
        ))),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Time {
    /// Halve time until every pair is proved apart or found in contact
    Bisection,
    /// Find the first contact as the root of a polynomial, with its kind and exact time; pairs with
    /// a threshold or with balls by bisection
    Intersection,
    /// Look at instants; finds contacts, proves nothing
    Sampling,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShapeChoice {
    /// Compact sphere trees over exact triangles
    SphereTree,
    /// Greedy sphere trees, large triangles tiled
    Greedy,
    /// Ranked covers of the surfaces by spheres; contacts are up to four leaf radii too early
    Ranked,
    /// Uniform grid over triangles
    Grid,
    /// Octree of what stands still, against the faces of what moves
    Octree,
    /// Every triangle against every other
    Raw,
}

impl MethodOptions {
    /// The method that was chosen.
    pub(super) fn method(self) -> Result<Method, Error> {
        let method = match (self.method, self.step) {
            (Time::Sampling, step) => TimeMethod::Sampling(step.unwrap_or_default()),
            (_, Some(_)) => {
                return Err(Error::usage(
                    "`--step` is about looking at instants; use it with `--method sampling`",
                ));
            }
            (Time::Bisection, None) => TimeMethod::Bisection,
            (Time::Intersection, None) => TimeMethod::Intersection,
        };
        let shape = match self.shape {
            ShapeChoice::SphereTree => BackendKind::SphereTree,
            ShapeChoice::Greedy => BackendKind::Greedy,
            ShapeChoice::Ranked => BackendKind::Ranked,
            ShapeChoice::Grid => BackendKind::Grid,
            ShapeChoice::Octree => BackendKind::Octree,
            ShapeChoice::Raw => BackendKind::Raw,
        };
        let method = Method::new(method, shape)?;
        if let (Some(option), true) = (self.ranks.given(), method.backend != BackendKind::Ranked) {
            return Err(Error::usage(format!(
                "`{option}` says what the ranks of ranked covers are; add `--shape ranked`"
            )));
        }
        let method = method.with_ranks(self.ranks.ranks())?;
        let method = method.with_divided(match self.cubes {
            None | Some(CubesOf::Standing) => Divided::Standing,
            Some(CubesOf::All) => Divided::All,
        })?;
        match self.leaf_radius {
            Some(radius) => Ok(method.with_leaf_radius(radius)?),
            None => Ok(method),
        }
    }
}

/// A step: its unit says of what.
pub(super) fn step(text: &str) -> Result<SamplingStep, Error> {
    let unit = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic() || c == 'e' || c == 'E');
    let step = match unit {
        "s" | "ms" | "us" | "min" => SamplingStep::Time(parse_time(text).map_err(Error::usage)?),
        "deg" | "rad" | "mrad" => SamplingStep::Joint(parse_angle(text).map_err(Error::usage)?),
        _ => SamplingStep::Travel(parse_length(text).map_err(Error::usage)?),
    };
    let (SamplingStep::Time(size) | SamplingStep::Joint(size) | SamplingStep::Travel(size)) = step;
    if size > 0.0 {
        Ok(step)
    } else {
        Err(Error::usage(
            "the step must be above 0; write one such as `5mm`, `1deg` or `10ms`",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_a_step_says_of_what() {
        assert_eq!(step("5mm"), Ok(SamplingStep::Travel(0.005)));
        assert_eq!(step("10ms"), Ok(SamplingStep::Time(0.01)));
        assert_eq!(step("0.5rad"), Ok(SamplingStep::Joint(0.5)));
        assert_eq!(step("1e-3"), Ok(SamplingStep::Travel(1e-3)));
        assert!(step("0mm").is_err() && step("-1mm").is_err() && step("3 bananas").is_err());
    }
}
