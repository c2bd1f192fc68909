//! The least clearance of each class of pairs, over several intervals of the motion or several
//! searches.

use std::collections::HashMap;

use crate::model::{BodyId, Cell};
use crate::report::{ClassMinimum, MinimumClearance};

/// The least clearance of every class, from the least clearances of pairs of a cell.
pub fn by_class(cell: &Cell, pairs: &[MinimumClearance]) -> Vec<ClassMinimum> {
    let mut found = Vec::new();
    if pairs.is_empty() {
        return found;
    }
    let bodies = cell.bodies.iter().enumerate();
    let named: HashMap<&str, BodyId> = bodies.map(|(id, b)| (b.name.as_str(), id)).collect();
    let of = |name: &str| named.get(name).copied();
    for least in pairs {
        let bodies = of(&least.a).zip(of(&least.b));
        if let Some(class) = bodies.and_then(|(a, b)| cell.pair_class(a, b)) {
            let least = least.clone();
            merge_class(&mut found, ClassMinimum { class, least });
        }
    }
    found
}

/// Merges in the least clearance of more pairs of a class, or of another interval of the motion.
/// The bound that remains holds for both.
pub fn merge_class(known: &mut Vec<ClassMinimum>, next: ClassMinimum) {
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
    use super::*;
    use crate::report::PairClass;

    #[test]
    fn the_least_bound_of_a_class_is_kept_with_its_least_distance() {
        let least = |class, b: &str, distance, lower_bound| ClassMinimum {
            class,
            least: MinimumClearance {
                distance,
                lower_bound,
                time: 1.0,
                a: "part".to_owned(),
                b: b.to_owned(),
                delays: Vec::new(),
            },
        };
        let mut found = Vec::new();
        for next in [
            least(PairClass::Tool, "table", 0.1, 0.09),
            least(PairClass::RobotCell, "table", 0.2, 0.19),
            // Later it is nearer, or less is proved.
            least(PairClass::Tool, "table", 0.08, 0.079),
            least(PairClass::Tool, "torch", 0.5, 0.0),
        ] {
            merge_class(&mut found, next);
        }
        let stated: Vec<_> = found
            .iter()
            .map(|c| (c.class.as_str(), c.least.distance, c.least.lower_bound))
            .collect();
        assert_eq!(stated, [("robot-cell", 0.2, 0.19), ("tool", 0.08, 0.0)]);
    }
}
