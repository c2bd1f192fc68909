//! The least clearance of each class of pairs: a gripper's own 7 mm must not hide how near the robot comes to the cell.

use std::collections::HashMap;

use clearance_proof::model::{BodyId, Cell, Role};

use crate::findings::{ClassMinimum, MinimumClearance, PairClass};

/// The robot that a body belongs to or hangs on, and whether it is carried rather than a link of it.
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

/// The class of a pair; two things of the cell have none.
pub(super) fn class(cell: &Cell, a: BodyId, b: BodyId) -> Option<PairClass> {
    Some(match (carrier(cell, a), carrier(cell, b)) {
        (None, None) => return None,
        (Some((x, _)), Some((y, _))) if x == y => PairClass::WithinRobot,
        (Some((_, false)), Some((_, false))) => PairClass::RobotRobot,
        (Some((_, false)), None) | (None, Some((_, false))) => PairClass::RobotCell,
        _ => PairClass::Tool,
    })
}

/// The least of every class, of pairs as they are in a cell.
pub(super) fn by_class(cell: &Cell, pairs: &[MinimumClearance]) -> Vec<ClassMinimum> {
    let mut found = Vec::new();
    if pairs.is_empty() {
        return found;
    }
    let bodies = cell.bodies.iter().enumerate();
    let named: HashMap<&str, BodyId> = bodies.map(|(id, b)| (b.name.as_str(), id)).collect();
    let of = |name: &str| named.get(name).copied();
    for least in pairs {
        let bodies = of(&least.a).zip(of(&least.b));
        if let Some(class) = bodies.and_then(|(a, b)| class(cell, a, b)) {
            let least = least.clone();
            take_in(&mut found, ClassMinimum { class, least });
        }
    }
    found
}

/// Takes in the least of more pairs, or of another interval of the motion: what is proved of a class holds for all of them.
pub(super) fn take_in(known: &mut Vec<ClassMinimum>, next: ClassMinimum) {
    let Some(same) = known.iter_mut().find(|k| k.class == next.class) else {
        known.push(next);
        known.sort_by_key(|k| k.class);
        return;
    };
    let lower_bound = same.least.lower_bound.min(next.least.lower_bound);
    if next.least.distance < same.least.distance {
        same.least = next.least;
    }
    same.least.lower_bound = lower_bound;
}

#[cfg(test)]
mod tests {
    use clearance_proof::model::Body;

    use super::*;

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
            assert_eq!(class(&cell, a, b), class(&cell, b, a));
            class(&cell, a, b)
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

    #[test]
    fn the_least_bound_of_a_class_is_kept_with_its_least_distance() {
        let cell = cell();
        let least = |a: &str, b: &str, distance, lower_bound| MinimumClearance {
            distance,
            lower_bound,
            time: 1.0,
            a: a.to_owned(),
            b: b.to_owned(),
            delays: Vec::new(),
        };
        let pairs = [
            least("gripper", "part", 0.007, 0.0069),
            least("left/b", "table", 0.2, 0.1999),
            least("left/a", "table", 0.21, 0.15),
            least("part", "table", 0.1, 0.09),
        ];
        let mut found = by_class(&cell, &pairs);
        let stated: Vec<_> = found
            .iter()
            .map(|c| (c.class.as_str(), c.least.distance, c.least.lower_bound))
            .collect();
        let expected = [
            ("robot-cell", 0.2, 0.15),
            ("tool", 0.1, 0.09),
            ("within-robot", 0.007, 0.0069),
        ];
        assert_eq!(stated, expected);
        // Later it is nearer, or less is proved.
        let class = PairClass::Tool;
        let nearer = least("part", "table", 0.08, 0.079);
        take_in(
            &mut found,
            ClassMinimum {
                class,
                least: nearer,
            },
        );
        let open = least("part", "torch", 0.5, 0.0);
        take_in(&mut found, ClassMinimum { class, least: open });
        assert_eq!(
            (found[1].least.distance, found[1].least.lower_bound),
            (0.08, 0.0)
        );
    }
}
