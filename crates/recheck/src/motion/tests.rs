use super::*;
use crate::numbers::ONE;
use crate::shapes::BodyPart;

/// A part of the first body.
fn triangle() -> BodyPart {
    BodyPart::new(0, 0, vec![[0; 3]; 3], vec![[0, 1, 2]], vec![0])
}

/// Joints by the thousand that no part hangs on would cost as much as those that matter.
#[test]
fn joints_that_carry_no_part_are_not_followed() {
    let joint = |parent, name| format!("joint {parent} turns {ONE} 0 0 0 0 0 0 0 0 {ONE} {name}\n");
    let joints = joint(-1, "carries") + &joint(0, "idle") + &joint(0, "carries_too");
    let text = format!("clearance-geometry 2\n{joints}body 2 a\nbody 1 bare\nend\n");
    let mut geometry = Geometry::read(text.as_bytes()).unwrap();
    geometry.parts.push(triangle());
    let segment = MotionSegment {
        duration: 0,
        joints: vec![[0, 1 << 50, 1 << 40, 0, 0, 0]; 3],
        value_errors: vec![0; 3],
    };
    let segments = [segment.clone(), segment];
    let motion = CellMotion::new(&geometry, &segments);
    let both = motion.first(2);
    let one = motion.first(1);
    let [_, half] = motion.halves(&one).unwrap();
    for span in [both, one, half] {
        let stands = |j: usize| span.drives[j] == Drive::default();
        assert_eq!([0, 1, 2].map(stands), [false, true, false]);
        let moves = |j: usize| {
            let rows = span.ends.iter().map(|poses| poses[j].rows);
            rows.fold(0, |at, rows| at.max(rows[0][1].abs())) > 0
        };
        assert_eq!([0, 1, 2].map(moves), [true, false, true]);
    }
}

/// A point at 1 m from the axis, which turns by 0.2 rad, is 1 − cos 0.1 = 4.9958 mm from its
/// chord half-way. Catches half a chord bound.
#[test]
fn the_chord_bound_of_an_arc_is_no_less_than_its_height_and_hardly_more() {
    let text = format!(
        "clearance-geometry 2\njoint -1 turns {ONE} 0 0 0 0 0 0 0 0 {ONE} j\nbody 0 a\nend\n"
    );
    let mut geometry = Geometry::read(text.as_bytes()).unwrap();
    geometry.parts.push(triangle());
    let turn = (0.2 * (1u64 << 50) as f64) as i64;
    let segment = MotionSegment {
        duration: 0,
        joints: vec![[0, turn, 0, 0, 0, 0]],
        value_errors: vec![0],
    };
    let segments = [segment];
    let motion = CellMotion::new(&geometry, &segments);
    let span = motion.first(1);
    let metre = (1u64 << 40) as f64;
    let distances = motion.axis_distances(&span, motion.chain(0), &[1 << 40, 0, 0]);
    let chord_bound = motion.chord_bound(&span, motion.chain(0), 0, &distances);
    let at = chord_bound.at(0) as f64 / metre;
    assert!((0.004_995_8..0.005_000_1).contains(&at), "{at}");
    // A metre farther out it is twice as high.
    let at = chord_bound.at(1 << 40) as f64 / metre;
    assert!((0.009_991_6..0.010_000_1).contains(&at), "{at}");
}
