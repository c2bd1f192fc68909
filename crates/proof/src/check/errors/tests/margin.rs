//! The margin of a program against checks of multiples of its budget.

use super::*;
use crate::check::bisection::{ErrorMargin, error_margin};

/// Catches a margin above what a check proves, one far below it, and one that leaves out pairs.
#[test]
fn a_margin_is_proved_by_a_check_and_a_little_more_is_not() {
    let mut random = Random(23);
    let (mut limited, mut none, mut less_is_missing) = (0, 0, 0);
    for _ in 0..300 {
        let mut cell = random_cell(&mut random);
        let budget = random_budget(&mut random, &cell, 0.01);
        let trajectory = random_trajectory(&mut random, &cell);
        let trees = trees(&cell);
        let table = PairTable::new(&cell);
        let margin = {
            let scene = Scene::new(&cell, &trees, &table, 0.002);
            error_margin(&scene, &trajectory, &budget, 1e-4, &|_| true, &|_| ()).unwrap()
        };
        let mut verdict = |times: f64| {
            let mut wide = budget.clone();
            widen(&mut wide, times);
            cell.uncertainty = Some(wide);
            let mut scene = Scene::new(&cell, &trees, &table, 0.002);
            // Hulls have bounds of their own, which are better where the budget is huge.
            scene.hulls = false;
            scene
                .check(&trajectory, &CheckOptions::default(), &|_| ())
                .verdict
        };
        if limited == 15 {
            break;
        }
        if margin.times == 0.0 {
            none += 1;
            assert!(verdict(0.02) != Verdict::Clear);
        } else if margin.times < ErrorMargin::MOST_TIMES {
            limited += 1;
            assert_eq!(verdict(margin.times), Verdict::Clear, "{margin:?}");
            let more = verdict(1.06 * margin.times);
            less_is_missing += usize::from(more == Verdict::Possible);
            assert!(margin.limit.is_some());
        }
    }
    assert!(
        4 * less_is_missing >= 3 * limited,
        "{less_is_missing} of {limited} margins are missed by 6 % more"
    );
    assert!(
        limited > 10 && none > 3,
        "{limited} limited, {none} without any"
    );
}
