//! Cells of orientations that the strips of a corner may use.

use super::super::hull::Hull;
use super::super::strips::{CELLS, Template, share_of_cells};
use super::super::tool_hull::ToolHull;
use super::*;
use crate::motion::tool_line::{PoseError, SIX};

/// Catches shares of which there are more than cells, and cells that nobody may use.
#[test]
fn strips_of_a_hull_share_all_its_cells() {
    let shares = |counts: &[usize]| -> usize {
        let halves = counts.iter().map(|&count| 0.5 / count as f64);
        // As strips are widened for rounding.
        halves
            .map(|h| share_of_cells(h * (1.0 + 1e-9) + 1e-12, CELLS))
            .sum()
    };
    for count in [1, 2, 4, 7, 8, 16, 32, 64, 1000] {
        let all = shares(&vec![count; count]);
        assert!(all <= CELLS && all + count > CELLS, "{count}: {all}");
    }
    // Of different widths, which cover the hull together.
    let all = shares(&[2, 4, 8, 16, 32, 64, 64]);
    assert!(all <= CELLS && all + 7 > CELLS, "{all}");
}

/// The hull of a corner of a tool that keeps its orientation but for an error.
fn hull(cell: &Cell, turn: f64) -> Hull {
    let stays = step(
        MoveKind::Joint,
        Target::Joints(HERE.to_vec()),
        Zone::Stop,
        "here",
    );
    let moves = CellMoves::new(&program(vec![stays]), cell, 0.0).unwrap();
    let tip = here(cell);
    let [e, x] = [[-0.01, 0.0, 0.0], [0.0, 0.01, 0.0]].map(|by| shifted(&tip, by));
    Hull::Tool(ToolHull {
        corners: Box::new([e, tip, x]),
        tip: Vector6::from(HERE),
        off: [1e-12; SIX],
        error: PoseError {
            position: 1e-6,
            turn,
        },
        lead: None,
        arcs: None,
        arm: Box::new(arm(cell)),
        template: Template {
            standing: moves.trajectory.segments[0].clone(),
            columns: moves.columns,
            mimics: Vec::new(),
            tube: 0.0,
            beside_tool: Vec::new(),
        },
    })
}

/// Catches a strip that may use cells of others, and one that is taken for proved when it has none
/// left: a narrow strip has an easier proof than a wide one about the same middle, but no cells.
#[test]
fn a_strip_without_cells_is_refused_where_it_needs_some() {
    let cell = ur();
    let narrow = 1e-6;
    assert_eq!(share_of_cells(narrow, CELLS), 0);
    let mut outcomes = [0; 3];
    for n in 1..=40 {
        let hull = hull(&cell, 0.01 * f64::from(n));
        let [wide, narrow] = [0.1, narrow].map(|half| hull.strip([0.5, half], CELLS, &[]));
        match (wide, narrow) {
            (Ok(_), Ok(_)) => outcomes[0] += 1,
            (Ok(_), Err(why)) => {
                assert!(why.contains("too loosely"), "{why}");
                outcomes[1] += 1;
            }
            (Err(_), narrow) => {
                assert!(narrow.is_err());
                outcomes[2] += 1;
            }
        }
    }
    // Small errors need no cells, and no number of them is enough for the largest.
    assert!(outcomes.iter().all(|&n| n > 0), "{outcomes:?}");
}
