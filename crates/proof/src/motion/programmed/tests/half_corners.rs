//! Corners at the first and at the last point of a program.

use super::*;

/// The corners at the first and the last point of a way through a point `HERE` and one 0.2 m beside
/// it: how much of the move between them each takes, and the number of its point.
fn halves(start: Option<[f64; 6]>, zones: &[Zone]) -> [Option<(usize, f64)>; 2] {
    let cell = ur();
    let beside = at(&shifted(&here(&cell), [0.0, 0.2, 0.0]), Branch::Continued);
    let stays = |zone| {
        let target = Target::Joints(HERE.to_vec());
        step(MoveKind::Joint, target, zone, "here")
    };
    let (last, first) = zones.split_last().unwrap();
    let mut moves: Vec<Move> = first.iter().map(|&zone| stays(zone)).collect();
    moves.push(step(MoveKind::Linear, beside, *last, "beside"));
    let mut program = program(moves);
    program.start = start.map(|q| q.to_vec());
    let moves = for_cell(&program, &cell).unwrap();
    [moves.first_corner, moves.last_corner]
        .map(|corner| corner.map(|corner| (corner.tip, corner.share)))
}

#[test]
fn a_point_that_is_passed_at_the_start_takes_a_share_of_the_way_from_it() {
    let (stop, open) = (Zone::Stop, Zone::Unknown);
    let first = |zones: &[Zone]| halves(None, zones)[0];
    assert_eq!(first(&[open, stop]), Some((0, 0.5)));
    assert_eq!(first(&[stop, stop]), None);
    assert_eq!(first(&[Zone::Ball(0.0), stop]), None);
    // A tenth of the way, by the zone; half of it where a joint move leads there.
    let (_, share) = first(&[Zone::Radius(0.02), stop]).unwrap();
    assert!((0.1..0.11).contains(&share), "{share}");
    assert_eq!(first(&[Zone::Ball(0.02), stop]), Some((0, 0.5)));
    // A point that stands twice is one, and a stop in it is a stop.
    assert_eq!(first(&[Zone::Radius(0.02), open, stop]), Some((1, 0.5)));
    assert_eq!(first(&[open, stop, stop]), None);
    // Where the arm begins there, or comes from a known place, there is none.
    assert_eq!(halves(Some(HERE), &[open, stop])[0], None);
}

#[test]
fn a_point_that_is_passed_at_the_end_takes_a_share_of_the_way_to_it() {
    let (stop, open) = (Zone::Stop, Zone::Unknown);
    for start in [None, Some(HERE)] {
        let last = |zone: Zone| halves(start, &[stop, zone])[1];
        assert_eq!(last(stop), None);
        let number = if start.is_some() { 2 } else { 1 };
        assert_eq!(last(open), Some((number, 0.5)));
        let (_, share) = last(Zone::Radius(0.02)).unwrap();
        assert!((0.1..0.11).contains(&share), "{share}");
        // A joint move may follow.
        assert_eq!(last(Zone::Ball(0.02)), Some((number, 0.5)));
    }
}

/// A program of one point has one corner there, in which nothing moves.
#[test]
fn a_single_point_may_be_passed() {
    let cell = ur();
    for (zone, corner) in [(Zone::Unknown, Some((0, 0.0))), (Zone::Stop, None)] {
        let target = Target::Joints(HERE.to_vec());
        let mut program = program(vec![step(MoveKind::Joint, target, zone, "here")]);
        program.start = None;
        let moves = for_cell(&program, &cell).unwrap();
        for found in [moves.first_corner, moves.last_corner] {
            assert_eq!(found.map(|found| (found.tip, found.share)), corner);
        }
    }
}
