//! The picture of programs of moves: the tool's lines, and the corners that may be rounded.

use clearance_proof::model::moves::MoveKind;
use clearance_proof::model::{BodyId, Cell, Segment, Trajectory};
use clearance_proof::motion::programmed::{CellMoves, Corner};
use nalgebra::Isometry3;

use super::part::ProgramPart;
use crate::findings::{ReplayCorner, ReplayMoves};

/// No more moves and corners than these are drawn: nobody sees thousands of lines.
const MOST: usize = 500;
/// Places on a segment, and one more.
const STEPS: usize = 8;
/// Strips that stand for each hull of a corner.
const STRIPS: usize = 3;
/// Into how many times as many it is cut, until all are known.
const FINER: [usize; 5] = [1, 3, 5, 11, 21];

/// The tool's lines and, if they are checked, the corners of programs.
pub(in crate::run) fn drawn(parts: &[ProgramPart], cell: &Cell, with_corners: bool) -> ReplayMoves {
    let mut drawn = ReplayMoves::default();
    for for_cell in parts.iter().filter_map(|p| p.moves.as_deref()) {
        let all = lines(for_cell, cell);
        drawn.left_out[0] += all.len().saturating_sub(MOST);
        drawn.lines.extend(all.into_iter().take(MOST));
        if with_corners {
            let corners = for_cell.corners.iter().take(MOST);
            drawn
                .corners
                .extend(corners.map(|c| corner(c, for_cell, cell)));
            drawn.left_out[1] += for_cell.corners.len().saturating_sub(MOST);
        }
    }
    drawn
}

/// The tool's way along every straight move and arc.
fn lines(for_cell: &CellMoves, cell: &Cell) -> Vec<Vec<[f64; 3]>> {
    let mut lines: Vec<(usize, Vec<[f64; 3]>)> = Vec::new();
    for (segment, span) in for_cell.trajectory.segments.iter().zip(&for_cell.spans) {
        let k = span.segment;
        let is_own = for_cell
            .kinds
            .get(k)
            .is_some_and(|kind| *kind != MoveKind::Joint);
        let Some((body, body_from_tool)) = for_cell.tool(cell, k).filter(|_| is_own) else {
            continue;
        };
        if lines.last().is_none_or(|(last, _)| *last != k) {
            lines.push((k, Vec::new()));
        }
        // Moves that are not drawn are only counted.
        let drawn = lines.len() <= MOST;
        if let Some((_, line)) = lines.last_mut().filter(|_| drawn) {
            line.extend(places(segment, body, &body_from_tool, cell));
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

fn corner(corner: &Corner, for_cell: &CellMoves, cell: &Cell) -> ReplayCorner {
    // The move that leads to its tip has its tool.
    let tool = for_cell.tool(cell, corner.tip.saturating_sub(1));
    let strips = tool.map_or(Vec::new(), |(body, body_from_tool)| {
        let along = |strip: &Trajectory| -> Vec<[f64; 3]> {
            let segments = strip.segments.iter();
            segments
                .flat_map(|s| places(s, body, &body_from_tool, cell))
                .collect()
        };
        let of_strips = |finer| corner.strips_at_once(finer * STRIPS, &[]).ok();
        let found = FINER
            .iter()
            .find_map(|&finer| Some((finer, of_strips(finer)?)));
        let (finer, strips) = found.unwrap_or_default();
        // The middle one of so many has the middle of the wider one.
        let middles = strips.iter().skip(finer / 2).step_by(finer.max(1));
        middles.map(along).collect()
    });
    ReplayCorner {
        waypoint: corner.tip,
        sized: corner.sized,
        strips,
    }
}

/// Where a tool is along a segment, both ends included.
fn places(
    segment: &Segment,
    body: BodyId,
    body_from_tool: &Isometry3<f64>,
    cell: &Cell,
) -> Vec<[f64; 3]> {
    let mut q = Vec::new();
    let mut place = |k: usize| {
        segment.configuration(k as f64 / STEPS as f64, &mut q);
        let world_from_tool = cell.body_pose(&cell.forward(&q), body) * body_from_tool;
        world_from_tool.translation.vector.into()
    };
    (0..=STEPS).map(&mut place).collect()
}
