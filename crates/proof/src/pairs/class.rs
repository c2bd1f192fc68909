//! The class of a pair of bodies. Least clearances are reported per class: the 7 mm between a
//! gripper's own fingers must not hide how near the robot comes to the cell.

use crate::model::{BodyId, Cell, Role};
use crate::report::PairClass;

/// The robot that a body belongs to or hangs on, and whether it is carried rather than a link of
/// it.
fn carrier(cell: &Cell, body: BodyId) -> Option<(usize, bool)> {
    let mut at = Some(body);
    // Parents may be given in any order, but never in a circle: no more steps than bodies.
    for _ in 0..cell.bodies.len() {
        let here = &cell.bodies[at?];
        if let Role::Link { robot } = here.role {
            return Some((robot, at != Some(body)));
        }
        if here.role == Role::Obstacle {
            return None;
        }
        at = here.parent;
    }
    None
}

impl Cell {
    /// The class of a pair; two things of the cell have none.
    pub fn pair_class(&self, a: BodyId, b: BodyId) -> Option<PairClass> {
        Some(match (carrier(self, a), carrier(self, b)) {
            (None, None) => return None,
            (Some((x, _)), Some((y, _))) if x == y => PairClass::WithinRobot,
            (Some((_, false)), Some((_, false))) => PairClass::RobotRobot,
            (Some((_, false)), None) | (None, Some((_, false))) => PairClass::RobotCell,
            _ => PairClass::Tool,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Body;

    fn cell() -> Cell {
        let body = |name: &str, role, parent| Body {
            name: name.to_owned(),
            role,
            joint: None,
            joint_from_body: nalgebra::Isometry3::identity(),
            parent,
            shapes: Vec::new(),
        };
        let link = |robot| Role::Link { robot };
        Cell {
            bodies: vec![
                body("left/a", link(0), None),
                body("left/b", link(0), Some(0)),
                body("right/a", link(1), None),
                body("gripper", Role::Attached, Some(1)),
                body("part", Role::Attached, Some(3)),
                body("torch", Role::Attached, Some(2)),
                body("table", Role::Obstacle, None),
                body("put down", Role::Obstacle, Some(1)),
            ],
            ..Cell::default()
        }
    }

    #[test]
    fn every_pair_has_its_class() {
        let cell = cell();
        let of = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|name| cell.body(name).unwrap());
            assert_eq!(cell.pair_class(a, b), cell.pair_class(b, a));
            cell.pair_class(a, b)
        };
        use PairClass::{RobotCell, RobotRobot, Tool, WithinRobot};
        for (a, b, expected) in [
            ("left/a", "left/b", Some(WithinRobot)),
            ("left/a", "gripper", Some(WithinRobot)),
            ("gripper", "part", Some(WithinRobot)),
            ("left/b", "right/a", Some(RobotRobot)),
            ("part", "right/a", Some(Tool)),
            ("part", "torch", Some(Tool)),
            ("part", "table", Some(Tool)),
            ("left/b", "table", Some(RobotCell)),
            ("left/b", "put down", Some(RobotCell)),
            ("table", "put down", None),
        ] {
            assert_eq!(of(a, b), expected, "{a} {b}");
        }
    }
}
