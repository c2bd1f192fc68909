//! Remarks about recorded values.

use super::*;
use crate::report::{Code, Diagnostic, Severity};

/// `spin` (without limits) and `elbow` (with limits) at these times.
fn recorded(quantity: Quantity, rows: &[(f64, &[f64])]) -> Vec<(Code, Severity, Option<usize>)> {
    let mut program = program(&["spin", "elbow"], rows);
    program
        .columns
        .iter_mut()
        .for_each(|c| c.quantity = quantity);
    let (_, remarks) = Trajectory::for_cell(&program, &cell(), None).unwrap();
    let told = remarks.iter().filter(|r| r.code != Code::RestingJoints);
    // A recording has no lines.
    let of_message = |r: &Diagnostic| r.subject.contains(", message ");
    assert!(
        quantity != Quantity::Measured || told.clone().all(of_message),
        "{remarks:?}"
    );
    told.map(|r| (r.code, r.severity, r.place.as_ref().and_then(|p| p.line)))
        .collect()
}

/// A driver that wraps its values jumps by nearly a turn; the joint went the short way round.
#[test]
fn a_measured_step_of_more_than_half_a_turn_is_open() {
    let rows: [(f64, &[f64]); 4] = [
        (0.0, &[2.0, 0.0]),
        (1.0, &[2.9, 0.0]),
        (2.0, &[-2.9, 0.0]),
        (3.0, &[2.9, 0.0]),
    ];
    let open = (Code::FullTurn, Severity::Open, Some(4));
    assert!(recorded(Quantity::Measured, &rows).contains(&open));
    // Commands mean what they say.
    let taught = recorded(Quantity::Message, &rows);
    assert!(
        taught.iter().all(|told| told.1 != Severity::Open),
        "{taught:?}"
    );
    // A joint with limits has one way only, and half a turn may be driven.
    for rows in [
        [(0.0, &[0.0, -1.7][..]), (1.0, &[0.0, 1.7])],
        [(0.0, &[0.0, 0.0]), (1.0, &[3.1, 0.0])],
    ] {
        assert_eq!(recorded(Quantity::Measured, &rows), []);
    }
}

#[test]
fn a_long_gap_in_a_recording_is_told() {
    let rows = |gap: f64| -> Vec<(f64, &[f64])> {
        let time = |k: usize| 0.1 * k as f64 + if k > 5 { gap } else { 0.0 };
        (0..10).map(|k| (time(k), &[0.0, 0.0][..])).collect()
    };
    let told = (Code::RecordingGap, Severity::Notice, Some(8));
    assert_eq!(recorded(Quantity::Measured, &rows(3.0)), [told]);
    assert_eq!(recorded(Quantity::Measured, &rows(0.5)), []);
    assert_eq!(recorded(Quantity::Message, &rows(3.0)), []);
    // One measurement every two seconds has no gap.
    let slow: Vec<(f64, &[f64])> = (0..10).map(|k| (2.0 * k as f64, &[0.0, 0.0][..])).collect();
    assert_eq!(recorded(Quantity::Measured, &slow), []);
}
