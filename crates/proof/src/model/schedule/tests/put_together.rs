//! Bodies that an event puts beside others on one joint: nobody has seen them there.

use super::*;

/// Nobody has seen the part beside the tool that hangs on the same joint.
#[test]
fn what_is_put_onto_a_joint_meets_what_hangs_there() {
    let put = EventChange::Attach {
        bodies: vec![PART],
        link: OUTER,
        link_from_body: Some(Isometry3::identity()),
        touch: vec![],
    };
    let release = EventChange::Release { bodies: vec![PART] };
    let timeline = timeline(&[(0.5, put), (0.7, release), (0.9, attach(PART, OUTER))]);
    let Schedule { phases, .. } =
        Schedule::new(&cell(), &trajectory(&timeline), &timeline).unwrap();
    let together = phases.iter().map(|phase| phase.cell.put_together.clone());
    let expected = [[OUTER, PART], [GRIPPER, PART]].into();
    let none = BTreeSet::new();
    // Where it keeps the place at which it was checked, there is nothing new.
    assert_eq!(
        together.collect::<Vec<_>>(),
        [none.clone(), expected, none.clone(), none]
    );
}

/// The part is put onto the gripper, beside a camera, and at the same instant the gripper is given
/// to another link. Catches a pair that is forgotten before anybody has seen it.
#[test]
fn what_is_put_and_handed_on_at_one_instant_meets_what_is_there() {
    let mut cell = cell();
    let camera = Body {
        name: "camera".into(),
        parent: Some(GRIPPER),
        ..cell.bodies[GRIPPER].clone()
    };
    cell.bodies.push(camera);
    let put = EventChange::Attach {
        bodies: vec![PART],
        link: GRIPPER,
        link_from_body: Some(Isometry3::identity()),
        touch: vec![],
    };
    let timeline = timeline(&[(0.5, put), (0.5, attach(GRIPPER, 0))]);
    let Schedule { phases, .. } = Schedule::new(&cell, &trajectory(&timeline), &timeline).unwrap();
    let expected = [[0, 2], [0, 3], [0, 4], [2, 3], [3, 4]].into();
    assert_eq!(phases[1].cell.put_together, expected);
}

/// A body like the part, called `other`, behind all others.
fn with_other() -> (Cell, BodyId) {
    let mut cell = cell();
    let other = Body {
        name: "other".into(),
        ..cell.bodies[PART].clone()
    };
    cell.bodies.push(other);
    (cell, 4)
}

/// Whether the pair of the part and the other body is put together in each phase.
fn together(cell: &Cell, events: &[(f64, EventChange)]) -> Vec<bool> {
    let timeline = timeline(events);
    let phases = Schedule::new(cell, &trajectory(&timeline), &timeline).unwrap();
    let phases = phases.phases.iter();
    let pair = |phase: &Phase| phase.cell.put_together.contains(&[PART, 4]);
    phases.map(pair).collect()
}

fn put(link: BodyId) -> EventChange {
    EventChange::Attach {
        bodies: vec![PART],
        link,
        link_from_body: Some(Isometry3::identity()),
        touch: vec![],
    }
}

/// Regression: the part is put onto a joint, and another body is hung there at the same instant,
/// where it is. The second event took the pair out of the check, which nobody had looked at.
#[test]
fn a_pair_is_seen_whichever_body_comes_last() {
    let (cell, other) = with_other();
    for link in [OUTER, GRIPPER] {
        let events = [(0.5, put(link)), (0.5, attach(other, OUTER))];
        assert_eq!(together(&cell, &events), [false, true]);
        let [first, second] = events;
        assert_eq!(together(&cell, &[second, first]), [false, true]);
    }
    // It hangs there already, and is hung there again.
    let events = [
        (0.2, attach(other, OUTER)),
        (0.5, put(OUTER)),
        (0.5, attach(other, GRIPPER)),
    ];
    assert_eq!(together(&cell, &events), [false, false, true]);
    // Let go and taken again at that instant.
    let release = EventChange::Release {
        bodies: vec![other],
    };
    let events = [
        (0.2, attach(other, OUTER)),
        (0.5, put(OUTER)),
        (0.5, release),
        (0.5, attach(other, OUTER)),
    ];
    assert_eq!(together(&cell, &events), [false, false, true]);
}

/// Regression: while a pair is allowed nobody looks at it. When it hangs on one joint by then, it
/// was never checked; a pair that was checked before it came to hang there is not checked again.
#[test]
fn a_pair_that_is_allowed_is_not_seen() {
    let (cell, other) = with_other();
    let with = |allowed: Option<[&str; 2]>, until: f64| {
        let allow = allowed.map(|[a, b]| EventChange::Allow {
            a: a.into(),
            b: b.into(),
            until: Some(until),
            reason: String::new(),
        });
        let events = [(0.5, put(OUTER)), (0.8, attach(other, OUTER))];
        let allow = allow.map(|change| (0.5, change));
        let events: Vec<_> = allow.into_iter().chain(events).collect();
        together(&cell, &events)
    };
    assert_eq!(with(None, 1.0), [false, false, false]);
    for names in [["part", "other"], ["oth*", "*"], ["*", "*"]] {
        // The last phase begins where the allowance ends.
        assert_eq!(
            with(Some(names), 1.0),
            [false, false, true, true],
            "{names:?}"
        );
    }
    // Between the end of the allowance and the attachment the pair was checked.
    assert_eq!(
        with(Some(["part", "other"]), 0.7),
        [false, false, false, false]
    );
    assert_eq!(
        with(Some(["part", "gripper"]), 1.0),
        [false, false, false, false]
    );
}

/// Catches a body and its carrier that count as seen: neighbours are not checked. Links farther
/// down are.
#[test]
fn a_body_and_its_carrier_have_not_been_seen() {
    let cell = solid(&[0, OUTER, GRIPPER, PART]);
    let last = |link: BodyId| {
        let timeline = timeline(&[(0.5, put(GRIPPER)), (0.8, attach(PART, link))]);
        let schedule = Schedule::new(&cell, &trajectory(&timeline), &timeline).unwrap();
        schedule.phases.last().unwrap().cell.put_together.clone()
    };
    assert_eq!(last(OUTER), [[GRIPPER, PART]].into());
    // Regression: what had been checked against the link before the last joint was checked again
    // when it was put down there.
    assert_eq!(last(0), BTreeSet::new());
}

/// The cell with shapes of some of its bodies.
fn solid(bodies: &[BodyId]) -> Cell {
    let mut cell = cell();
    for &body in bodies {
        cell.bodies[body].shapes.push(crate::model::Shape {
            name: String::new(),
            scale: None,
            solid: None,
            form: crate::model::Form::Sphere { radius: 0.1 },
            body_from_shape: Isometry3::identity(),
        });
    }
    cell
}

/// Regression: of an empty link the report said that the body may stand inside of it.
#[test]
fn the_link_that_a_body_may_stand_in_is_named() {
    let told = |bodies: &[BodyId]| {
        let cell = solid(bodies);
        let timeline = timeline(&[(0.5, put(GRIPPER))]);
        let schedule = Schedule::new(&cell, &trajectory(&timeline), &timeline).unwrap();
        schedule.moved[0].message.clone()
    };
    assert!(told(&[0, OUTER, GRIPPER]).ends_with("inside of `gripper`, which carries it"));
    assert!(told(&[0, OUTER]).ends_with("inside of `outer`, which carries it"));
    // The next link moves with another joint: it is checked.
    assert!(told(&[0]).ends_with("its way there is not checked"));
}
