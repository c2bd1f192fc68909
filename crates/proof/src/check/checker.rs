//! A cell that is ready to be checked, for those who use the proof as a library.

use std::sync::Arc;

use super::Snapshot;
use super::bisection::{CheckOptions, CheckResult, check};
use super::nearest::{Standing, standing};
use super::scene::Scene;
use crate::bvh::SphereTree;
use crate::model::{Cell, Path, Segment};
use crate::pairs::{PairTable, table};
use crate::report::Verdict;

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
    /// with a threshold of their own keep it. Where there is no pair to check the answer is `unverified`.
    pub fn check(
        &self,
        path: &Path,
        required_clearance: f64,
        options: &CheckOptions,
    ) -> CheckResult {
        let scene = self.scene(required_clearance);
        let mut result = check(&scene, path, options, &|_| ());
        if scene.pairs.is_empty() && result.verdict == Verdict::Clear {
            result.verdict = Verdict::Unverified;
        }
        result
    }

    /// The nearest pair of bodies, and all contacts, where the joints have these values (radians or metres, one per joint).
    pub fn distance(&self, values: &[f64], required_clearance: f64) -> Standing {
        let scene = self.scene(required_clearance);
        let segment = Segment {
            start: 0.0,
            end: 0.0,
            joints: values
                .iter()
                .map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0])
                .collect(),
            taken_over: Vec::new(),
        };
        let mut snapshot = Snapshot::default();
        snapshot.set(&scene, &segment, 0.0);
        standing(&scene, &mut snapshot)
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
            let result = checker.check(&path, 1e-3, &CheckOptions::default());
            assert_eq!(result.verdict, verdict, "{y}");
        }
    }

    #[test]
    fn nothing_to_compare_is_never_clear() {
        let checker = beam(None);
        let path = Path::linear(checker.cell(), &[(0.0, vec![0.0]), (1.0, vec![1.57])]).unwrap();
        let result = checker.check(&path, 1e-3, &CheckOptions::default());
        assert_eq!(result.verdict, Verdict::Unverified);
    }

    #[test]
    fn distances_at_an_instant() {
        let checker = beam(Some(ball(1.2)));
        let nearest = checker
            .distance(&[std::f64::consts::FRAC_PI_2], 1e-3)
            .nearest;
        let distance = nearest.unwrap().nearest.distance;
        assert!((distance - 0.1).abs() < 1e-9, "{distance}");
        let hit = checker.distance(&[0.0], 1.2).contacts;
        assert_eq!(hit.len(), 1);
    }

    #[test]
    fn waypoints_that_go_back_in_time_are_refused() {
        let checker = beam(None);
        let back = [(0.0, vec![0.0]), (0.0, vec![1.0])];
        assert_eq!(Path::linear(checker.cell(), &back).unwrap_err().line, 2);
        assert!(Path::linear(checker.cell(), &[(0.0, vec![])]).is_err());
    }
}
