//! What reports say of a program of moves: what of its way is not checked, and how it is modelled.

use clearance_proof::model::moves::MoveProgram;
use clearance_proof::motion::programmed::{CellMoves, HalfCorner};

use crate::findings::{Code, Diagnostic, Severity};
use crate::run::Job;

pub(super) fn remarks(
    program: &MoveProgram,
    for_cell: &CellMoves,
    job: &Job,
) -> impl Iterator<Item = Diagnostic> {
    let all = [
        first_way(for_cell),
        corners(for_cell, job),
        zones_beyond(for_cell),
        last_corner(program, for_cell),
        orientation(for_cell, job),
    ];
    all.into_iter().flatten()
}

/// The way to the first point, where it is not known.
fn first_way(for_cell: &CellMoves) -> Option<Diagnostic> {
    if !for_cell.from_first_target {
        return None;
    }
    // Half of this corner lies on a way that is not known, so it is not checked.
    let rounded = |corner: &HalfCorner| corner.share > 0.0;
    let corner = if for_cell.first_corner.as_ref().is_some_and(rounded) {
        ", nor the corner there, which the controller may round"
    } else {
        ""
    };
    Some(Diagnostic {
        code: Code::LateStart,
        severity: Severity::Unchecked,
        place: for_cell.ends.first().map(|s| s.place.clone()),
        subject: "way to the first target".to_owned(),
        message: format!(
            "the way to the program's first point is not checked{corner}; `start` (in the cell file, or in a file of moves) \
             says where the arm comes from"
        ),
    })
}

/// How corners are modelled that the controller may round.
fn corners(for_cell: &CellMoves, job: &Job) -> Option<Diagnostic> {
    let first = for_cell.corners.first()?;
    let all = for_cell.corners.len();
    let subject = match all {
        1 => "1 corner".to_owned(),
        n => format!("{n} corners"),
    };
    let (severity, message) = if job.exact_corners {
        let message = "the way through them is not proved, as --corners exact asks: only the way through the taught points is";
        (Severity::Unchecked, message.to_owned())
    } else {
        let sized = for_cell.corners.iter().filter(|c| c.sized).count();
        let model = match (sized, all - sized) {
            (_, 0) => "hull of the stated zones".to_owned(),
            (0, _) => "hull of half of both moves, as no zone is stated".to_owned(),
            (_, n) => format!(
                "hull of the stated zones; of half of both moves at {n} of them, where none is stated"
            ),
        };
        let message = format!(
            "{model}; findings, margins and least clearances are those of the way through the taught points"
        );
        (Severity::Note, message)
    };
    Some(Diagnostic {
        code: Code::RoundedCorners,
        severity,
        place: Some(first.place.clone()),
        subject,
        message,
    })
}

/// Zones that are larger than a move. One remark for all such corners: a program may have hundreds.
fn zones_beyond(for_cell: &CellMoves) -> Option<Diagnostic> {
    let mut beyond = for_cell.corners.iter().filter(|corner| corner.holds_a_move);
    let first = beyond.next()?;
    let label = match first.label.as_str() {
        "" => "corner".to_owned(),
        label => format!("corner at `{label}`"),
    };
    let subject = match beyond.count() {
        0 => label,
        more => format!("{label} and {more} more"),
    };
    Some(Diagnostic {
        code: Code::RoundedCorners,
        severity: Severity::Notice,
        place: Some(first.place.clone()),
        subject,
        message: "its zone reaches beyond the other end of a move: a controller may refuse it, or pass without rounding".to_owned(),
    })
}

/// The corner at the last point, of which the program has only one move.
fn last_corner(program: &MoveProgram, for_cell: &CellMoves) -> Option<Diagnostic> {
    let corner = for_cell.last_corner.as_ref()?;
    // One that the program comes back to was checked before.
    if corner.share <= 0.0 || program.goes_round {
        return None;
    }
    let tip = for_cell.ends.get(corner.tip);
    Some(Diagnostic {
        code: Code::RoundedCorners,
        severity: Severity::Unchecked,
        place: tip.map(|tip| tip.place.clone()),
        subject: "corner at the last point".to_owned(),
        message: "the program does not stop there, and what follows is not part of it: the corner between its last move and \
                  whatever follows, which the controller may round, is not checked"
            .to_owned(),
    })
}

/// How the tool turns on its lines.
fn orientation(for_cell: &CellMoves, job: &Job) -> Option<Diagnostic> {
    if for_cell.greatest_turn <= 1e-9 {
        return None;
    }
    let message = match job.orientation_tube {
        0.0 => "on the way the tool is taken to turn at an even pace about one axis".to_owned(),
        share => {
            let tube = CellMoves::orientation_tube(share, for_cell.greatest_turn);
            format!(
                "on the way the tool may be off an even turn about one axis by {:.3}° at most ({:.0} % of the greatest turn)",
                tube.to_degrees(),
                100.0 * tube / for_cell.greatest_turn
            )
        }
    };
    Some(Diagnostic {
        code: Code::ToolOrientation,
        severity: Severity::Note,
        place: None,
        subject: "orientation of the tool".to_owned(),
        message,
    })
}
