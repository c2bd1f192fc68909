//! A cell that is ready to be checked, for those who use the proof as a library.

use std::sync::Arc;

use super::Snapshot;
use super::bisection::{CheckOptions, CheckResult, check};
use super::nearest::{StandingPart, standing};
use super::scene::Scene;
use crate::ProofError;
use crate::bvh::SphereTree;
use crate::model::{Cell, Path, Polynomial, Segment};
use crate::pairs::{PairTable, table};
use crate::report::{Severity, Verdict};

fn unsupported<T>(why: &str) -> Result<T, ProofError> {
    Err(ProofError::Unsupported(why.to_owned()))
}

/// A cell with a sphere tree for every shape, and the pairs that are checked.
#[derive(Debug, Clone)]
pub struct Checker {
    cell: Cell,
    trees: Vec<Vec<Arc<SphereTree>>>,
    pairs: PairTable,
}

impl Checker {
    /// Builds the trees.
    pub fn new(cell: Cell) -> Self {
        let trees = (cell.bodies.iter())
            .map(|body| {
                let shapes = body.shapes.iter();
                shapes
                    .map(|shape| Arc::new(SphereTree::of(&shape.form)))
                    .collect()
            })
            .collect();
        let pairs = table(&cell);
        Checker { cell, trees, pairs }
    }

    /// The cell.
    pub fn cell(&self) -> &Cell {
        &self.cell
    }

    /// Which pairs are checked, and for every other one the reason why not.
    pub fn pairs(&self) -> &PairTable {
        &self.pairs
    }

    /// Whether every checked pair stays more than `required_clearance` (metres) apart at every instant of the motion. Pairs
    /// with a threshold of their own keep it. Where there is no pair to check, or the cell says that something which moves is not
    /// checked ([`Severity::Open`]), the answer is never better than `unverified`.
    ///
    /// # Errors
    /// When threshold or resolution are no lengths, or the motion is empty or that of another cell.
    pub fn check(
        &self,
        path: &Path,
        required_clearance: f64,
        options: &CheckOptions,
    ) -> Result<CheckResult, ProofError> {
        let length = |x: f64, least: f64| x.is_finite() && x >= least;
        if !length(required_clearance, 0.0) || !length(options.resolution, f64::MIN_POSITIVE) {
            return unsupported(
                "the required clearance must be 0 m or more, the resolution above 0 m",
            );
        }
        if path.segments.is_empty() {
            return unsupported("the motion has no segment; give it a waypoint");
        }
        if !path.segments.iter().all(|s| self.fits(&s.joints)) {
            return unsupported("every segment must give finite values for all joints of the cell");
        }
        let scene = self.scene(required_clearance);
        let mut result = check(&scene, path, options, &|_| ());
        let mut said = self.cell.unchecked.iter().chain(&self.cell.notices);
        let open = scene.pairs.is_empty() || said.any(|d| d.severity == Severity::Open);
        if open && result.verdict == Verdict::Clear {
            result.verdict = Verdict::Unverified;
        }
        Ok(result)
    }

    /// Whether there is a finite polynomial for every joint.
    fn fits(&self, joints: &[Polynomial]) -> bool {
        joints.len() == self.cell.joints.len() && joints.iter().flatten().all(|c| c.is_finite())
    }

    /// The nearest pair of bodies, and all contacts, where the joints have these values (radians or metres, one per joint).
    ///
    /// # Errors
    /// When there is not one finite value for every joint, or the threshold is no length.
    pub fn distance(
        &self,
        values: &[f64],
        required_clearance: f64,
    ) -> Result<StandingPart, ProofError> {
        let joints: Vec<Polynomial> = (values.iter())
            .map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0])
            .collect();
        if !self.fits(&joints) || !required_clearance.is_finite() || required_clearance < 0.0 {
            return unsupported(
                "give a finite value for every joint, and a required clearance of 0 m or more",
            );
        }
        let scene = self.scene(required_clearance);
        let segment = Segment {
            start: 0.0,
            end: 0.0,
            joints,
            taken_over: Vec::new(),
        };
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &segment, 0.0);
        Ok(standing(&scene, &mut snapshot))
    }

    fn scene(&self, required_clearance: f64) -> Scene<'_> {
        Scene::new(&self.cell, &self.trees, &self.pairs, required_clearance)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Vector3};

    use super::*;
    use crate::model::{Body, Form, Joint};
    use crate::report::{Code, Diagnostic};

    fn beam(obstacle: Option<Body>) -> Checker {
        let mut cell = Cell::with_one_robot();
        let turn = cell.add_joint(Joint::revolute(
            "turn",
            None,
            Isometry3::identity(),
            Vector3::z_axis(),
        ));
        let form = Form::Box {
            size: Vector3::new(1.0, 0.1, 0.1),
        };
        cell.add_body(Body::link(
            "beam",
            form,
            turn,
            Isometry3::translation(0.5, 0.0, 0.0),
            None,
        ));
        if let Some(body) = obstacle {
            cell.add_body(body);
        }
        Checker::new(cell)
    }

    fn ball(y: f64) -> Body {
        let form = Form::Sphere { radius: 0.1 };
        Body::obstacle("ball", form, Isometry3::translation(0.0, y, 0.0))
    }

    /// The beam turns by a quarter: its end is at (0, 1, 0) then, and passes the ball on the way or does not.
    #[test]
    fn a_cell_made_in_code_is_checked() {
        for (y, verdict) in [(0.8, Verdict::Collision), (1.2, Verdict::Clear)] {
            let checker = beam(Some(ball(y)));
            let path =
                Path::linear(checker.cell(), &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
            let result = checker
                .check(&path, 1e-3, &CheckOptions::default())
                .unwrap();
            assert_eq!(result.verdict, verdict, "{y}");
        }
    }

    #[test]
    fn nothing_to_compare_is_never_clear() {
        let checker = beam(None);
        let path = Path::linear(checker.cell(), &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
        let result = checker
            .check(&path, 1e-3, &CheckOptions::default())
            .unwrap();
        assert_eq!(result.verdict, Verdict::Unverified);
    }

    #[test]
    fn distances_at_an_instant() {
        let checker = beam(Some(ball(1.2)));
        let nearest = checker
            .distance(&[std::f64::consts::FRAC_PI_2], 1e-3)
            .unwrap()
            .nearest;
        let distance = nearest.unwrap().nearest.distance;
        assert!((distance - 0.1).abs() < 1e-9, "{distance}");
        let hit = checker.distance(&[0.0], 1.2).unwrap().contacts;
        assert_eq!(hit.len(), 1);
    }

    #[test]
    fn waypoints_that_go_back_in_time_are_refused() {
        let checker = beam(None);
        let back = [(0.0, vec![0.0]), (0.0, vec![1.0])];
        assert_eq!(Path::linear(checker.cell(), &back).unwrap_err().line, 2);
        assert!(Path::linear(checker.cell(), &[(0.0, vec![])]).is_err());
    }

    #[test]
    fn what_the_cell_leaves_open_is_never_clear() {
        let mut cell = beam(Some(ball(1.2))).cell;
        cell.unchecked.push(Diagnostic {
            code: Code::UncheckedLink,
            severity: Severity::Open,
            subject: "camera".to_owned(),
            message: "moves and has no collision geometry".to_owned(),
        });
        let path = Path::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
        let result = Checker::new(cell).check(&path, 1e-3, &CheckOptions::default());
        assert_eq!(result.unwrap().verdict, Verdict::Unverified);
    }

    #[test]
    fn questions_without_a_meaning_are_refused() {
        let checker = beam(Some(ball(1.2)));
        let path = Path::linear(checker.cell(), &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
        let options = CheckOptions::default();
        for clearance in [f64::NAN, -1.0, f64::INFINITY] {
            assert!(checker.check(&path, clearance, &options).is_err());
            assert!(checker.distance(&[0.0], clearance).is_err());
        }
        for resolution in [f64::NAN, 0.0] {
            let options = CheckOptions {
                resolution,
                ..options
            };
            assert!(checker.check(&path, 0.0, &options).is_err());
        }
        let mut other = path.clone();
        other.segments[0].joints.clear();
        assert!(checker.check(&other, 0.0, &options).is_err());
        other.segments.clear();
        assert!(checker.check(&other, 0.0, &options).is_err());
        assert!(checker.distance(&[], 0.0).is_err());
        assert!(checker.distance(&[f64::NAN], 0.0).is_err());
    }
}
