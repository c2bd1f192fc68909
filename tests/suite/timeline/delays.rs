//! `--any-delay` against delays that are tried one by one.

use std::fmt::Write as _;
use std::path::PathBuf;

use clearance::findings::{Contact, ProgramOutcome, Verdict};
use clearance::run::Job;
use nalgebra::{Isometry3, Vector3};

use super::{Lab, NAMES, Table, links, named, one, pose, two};
use crate::common::Random;

#[test]
fn any_delay_agrees_with_every_sampled_one() {
    let mut random = Random(23);
    let (mut clear, mut hits, mut only_delayed) = (0, 0, 0);
    for case in 0..40 {
        let lab = Lab::new();
        let size = 0.2 + 0.8 * random.unit();
        let (left, right) = (
            Table::random(&mut random, size),
            Table::random(&mut random, size),
        );
        let files = [left.write(&lab, "l.csv"), right.write(&lab, "r.csv")];
        let offset = random.signed();
        let delay = random.unit();
        let at = |extra: f64| {
            [
                named("left", &files[0], 0.0),
                named("right", &files[1], offset + extra),
            ]
        };
        let answer = lab.together(&two(1.5), &at(0.0), Some(delay));
        assert_eq!(answer.error, None);
        let sampled = |extra: f64| lab.together(&two(1.5), &at(extra), None).verdict;
        let touching =
            (-10..=10).any(|k| sampled(delay * f64::from(k) / 10.0) == Verdict::Collision);
        match answer.verdict {
            Verdict::Clear => {
                clear += 1;
                assert!(
                    !touching,
                    "case {case}: clear for every delay, but a sampled one touches"
                );
            }
            Verdict::Collision => {
                hits += 1;
                let facts = answer.timeline.unwrap();
                let delays: Vec<f64> = facts.programs.iter().filter_map(|p| p.delay).collect();
                if let [l, r] = delays[..] {
                    only_delayed += 1;
                    assert!((l - r).abs() <= delay + 1e-9, "case {case}");
                    assert_eq!(
                        sampled(r - l),
                        Verdict::Collision,
                        "case {case}: {delays:?}"
                    );
                    let contact = answer.first_contact.unwrap();
                    assert!(contact.free_until <= contact.time, "case {case}");
                }
            }
            other => panic!("case {case}: {other:?}"),
        }
    }
    assert!(
        clear > 5 && hits > 10 && only_delayed > 3,
        "{clear} {hits} {only_delayed}"
    );
}

/// One arm is moved by two programs, so that pairs of its hand and the other arm depend on three.
#[test]
fn any_delay_of_three_programs_agrees_with_every_sampled_one() {
    let mut random = Random(41);
    let (mut clear, mut hits, mut of_all_three) = (0, 0, 0);
    for case in 0..30 {
        let lab = Lab::new();
        let size = 0.1 + 0.5 * random.unit();
        let tables = [(); 3].map(|()| Table::random(&mut random, size));
        let files = [
            tables[0].write_columns(&lab, "left_turns.csv", &[0, 1]),
            tables[1].write_columns(&lab, "left_reaches.csv", &[2]),
            tables[2].write(&lab, "right.csv"),
        ];
        let robots = ["left", "left", "right"];
        let starts = [0.0, 0.5 * random.signed(), 0.5 * random.signed()];
        let delay = 0.6 * random.unit();
        let distance = 1.5 + 0.3 * random.unit();
        let at =
            |extra: [f64; 3]| [0, 1, 2].map(|k| named(robots[k], &files[k], starts[k] + extra[k]));
        let answer = lab.together(&two(distance), &at([0.0; 3]), Some(delay));
        assert_eq!(answer.error, None, "case {case}");
        let sampled = |extra: [f64; 3]| lab.together(&two(distance), &at(extra), None);
        match answer.verdict {
            Verdict::Clear => {
                clear += 1;
                // One of the three is not late.
                for late in 0..3 * 36 {
                    let mut extra = [late / 6 % 6, late % 6, 0].map(|k| delay * f64::from(k) / 5.0);
                    extra.rotate_right(late as usize / 36);
                    let there = sampled(extra);
                    assert_eq!(there.verdict, Verdict::Clear, "case {case}: {extra:?}");
                }
            }
            Verdict::Collision => {
                hits += 1;
                let contact = answer.first_contact.unwrap();
                assert!(contact.free_until <= contact.time, "case {case}");
                if let [x, y, z] = contact.delays[..] {
                    let late = [x, y, z];
                    let most = late.into_iter().fold(0.0, f64::max);
                    let least = late.into_iter().fold(f64::INFINITY, f64::min);
                    assert!(
                        least == 0.0 && most <= delay + 1e-9,
                        "case {case}: {late:?}"
                    );
                    let there = sampled(late);
                    assert_eq!(there.verdict, Verdict::Collision, "case {case}: {late:?}");
                    // Bodies touch there at the time that was told, with these joint values.
                    let first = there.first_contact.unwrap();
                    assert!(first.free_until <= contact.time, "case {case}: {contact:?}");
                    let of_hand = ["left/hand", "left/jaw"].contains(&contact.a.as_str());
                    of_all_three += usize::from(of_hand && contact.b.starts_with("right/"));
                    let rows = [(0, 0), (0, 1), (1, 2)];
                    for (joint, (table, column)) in ["turn", "lift", "reach"].iter().zip(rows) {
                        let at = contact.time - late[table] - starts[table];
                        let due = tables[table].at(at)[column];
                        let told = contact.joints[&format!("left/{joint}")];
                        assert!((told - due).abs() < 1e-9, "case {case}: {contact:?}");
                    }
                }
            }
            other => panic!("case {case}: {other:?}"),
        }
    }
    assert!(
        clear > 5 && hits > 8 && of_all_three > 3,
        "{clear} {hits} {of_all_three}"
    );
}

/// The events of a program beside its motion: it carries a pin for a while, moves its jaw, and
/// something is allowed.
struct Errand {
    table: Table,
    /// Where the pin stands at first.
    pin: Isometry3<f64>,
    events: String,
}

impl Errand {
    /// Of `arm`, whose base stands at `base`; `other` is the arm that it may touch for a time.
    fn random(
        random: &mut Random,
        size: f64,
        (arm, other): (&str, &str),
        base: &Isometry3<f64>,
    ) -> Self {
        let table = Table::random(random, size);
        let end = table.rows[3].0;
        let share =
            |from: f64, to: f64, random: &mut Random| (from + (to - from) * random.unit()) * end;
        let taken = if random.one_in(4) {
            table.rows[1].0
        } else {
            share(0.05, 0.6, random)
        };
        let put = taken + 0.1 + (end - taken - 0.2) * random.unit();
        let carrier = random.below(2);
        let away = Vector3::new(0.08 + 0.05 * random.unit(), 0.0, 0.08 * random.signed());
        let pin = base * links(table.at(taken))[carrier] * Isometry3::from(away);
        let mut events = format!(
            "[[event]]\nat = {taken:?}\nattach = \"{arm}_pin\"\nto = \"{arm}/{}\"\n\
             [[event]]\nat = {put:?}\nrelease = \"{arm}_pin\"\n\
             [[event]]\nat = {:?}\nmove = \"jaw_joint\"\nvalue = 0.03\nduration = 0.1\n",
            NAMES[carrier],
            share(0.0, 0.8, random),
        );
        if random.one_in(3) {
            let from = share(0.0, 0.6, random);
            let body = ["hand", "fore", "jaw"][random.below(3)];
            writeln!(
                events,
                "[[event]]\nat = {from:?}\nallow = [\"{arm}/{body}\", \"{other}*\"]\nuntil = {:?}",
                from + 0.3 * random.unit() * end
            )
            .unwrap();
        }
        Errand { table, pin, events }
    }

    fn write(&self, lab: &Lab, name: &str) -> PathBuf {
        lab.write(&format!("{name}.events.toml"), &self.events);
        self.table.write(lab, &format!("{name}.csv"))
    }
}

/// Who touches whom.
fn pairs_of(contacts: &[Contact]) -> Vec<(String, String)> {
    let mut pairs: Vec<_> = contacts
        .iter()
        .map(|c| (c.a.clone(), c.b.clone()))
        .collect();
    pairs.sort();
    pairs.dedup();
    pairs
}

/// Programs with events of their own: whatever a sampled delay shows is known, and what is told
/// happens at the delay that is told.
#[test]
fn any_delay_with_events_agrees_with_every_sampled_one() {
    let mut random = Random(31);
    let (mut clear, mut hits, mut of_pins, mut only_delayed) = (0, 0, 0, 0);
    for case in 0..50 {
        let lab = Lab::new();
        let size = 0.15 + 0.6 * random.unit();
        let right_base = Isometry3::new(Vector3::new(1.6, 0.0, 0.05), Vector3::new(0.0, 0.0, 3.1));
        let left = Errand::random(&mut random, size, ("left", "right"), &Isometry3::identity());
        let right = Errand::random(&mut random, size, ("right", "left"), &right_base);
        let mut cell = two(1.6);
        for (name, errand) in [("left", &left), ("right", &right)] {
            writeln!(
                cell,
                "[[obstacle]]\nname = \"{name}_pin\"\nsphere = 0.04\n{}\n[[allow]]\na = \"{name}_pin\"\nb = \"{name}/*\"",
                pose(&errand.pin)
            )
            .unwrap();
        }
        let files = [left.write(&lab, "l"), right.write(&lab, "r")];
        let offset = random.signed();
        let delay = random.unit();
        let ask = |extra: f64, delay: Option<f64>, all: bool| {
            let cell = lab.write("cell.toml", &cell);
            let mut job = Job::new(cell, Vec::new());
            job.together = vec![
                named("left", &files[0], 0.0),
                named("right", &files[1], offset + extra),
            ];
            job.any_delay = delay;
            job.all = all;
            let answer = one(&mut job);
            assert_eq!(answer.error, None, "case {case}");
            answer
        };
        let answer = ask(0.0, Some(delay), false);
        let sampled: Vec<ProgramOutcome> = (-10..=10)
            .map(|k| ask(delay * f64::from(k) / 10.0, None, true))
            .collect();
        let touching = sampled.iter().find(|s| s.verdict == Verdict::Collision);
        if let Some(told) = &answer.first_contact {
            for (k, seen) in (-10..=10).zip(&sampled) {
                // On the clock of the program that is not late.
                let late = delay * f64::from(-k).max(0.0) / 10.0;
                let Some(seen) = &seen.first_contact else {
                    continue;
                };
                let time = seen.time + late;
                assert!(
                    told.free_until <= time + 1e-9,
                    "case {case}: {told:?} {time}"
                );
            }
        }
        match answer.verdict {
            Verdict::Clear => {
                clear += 1;
                let seen = touching.and_then(|t| t.first_contact.as_ref());
                assert_eq!(seen, None, "case {case}: clear for every delay");
            }
            Verdict::Collision => {
                hits += 1;
                let contact = answer.first_contact.unwrap();
                of_pins += usize::from(contact.a.contains("_pin") || contact.b.contains("_pin"));
                assert!(contact.free_until <= contact.time, "case {case}");
                if let [l, r] = contact.delays[..] {
                    only_delayed += 1;
                    assert!(
                        (l - r).abs() <= delay + 1e-9 && l.min(r) == 0.0,
                        "case {case}"
                    );
                    let there = ask(r - l, None, true);
                    let pair = (contact.a.clone(), contact.b.clone());
                    assert!(
                        pairs_of(&there.contacts).contains(&pair),
                        "case {case}: {contact:?}"
                    );
                }
            }
            other => panic!("case {case}: {other:?}"),
        }
        // Every pair that touches at some delay is listed once for all, and those that are listed
        // touch at theirs.
        let all = ask(0.0, Some(delay), true);
        assert_eq!(all.verdict, answer.verdict, "case {case}");
        let listed = pairs_of(&all.contacts);
        for pair in sampled.iter().flat_map(|s| pairs_of(&s.contacts)) {
            assert!(
                listed.contains(&pair),
                "case {case}: {pair:?} is not listed"
            );
        }
        for contact in &all.contacts {
            if let [l, r] = contact.delays[..] {
                let there = ask(r - l, None, true);
                let pair = (contact.a.clone(), contact.b.clone());
                assert!(
                    pairs_of(&there.contacts).contains(&pair),
                    "case {case}: {contact:?}"
                );
            }
        }
    }
    assert!(
        clear > 8 && hits > 15 && of_pins > 5 && only_delayed > 4,
        "{clear} {hits} {of_pins} {only_delayed}"
    );
}

/// Two blocks on crossing slides, 1 m/s each. The left one is in the crossing from 0.8 to 1.2 s,
/// the right one starts a second later: they meet when one is 0.6 to 1.4 s later than that.
#[test]
fn crossing_slides_meet_from_a_delay_of_six_tenths_on() {
    let lab = Lab::new();
    lab.write(
        "robot.urdf",
        r#"<robot name="slide"><link name="rail"/>
  <link name="block"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="block"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint></robot>"#,
    );
    let cell = "[[robot]]\nname = \"left\"\nurdf = \"robot.urdf\"\n\
        [[robot]]\nname = \"right\"\nurdf = \"robot.urdf\"\nbase = { rpy = [0, 0, \"90deg\"] }\n";
    let file = lab.write("slide.csv", "time,slide\n0,-1\n2,1\n");
    let programs = [named("left", &file, 0.0), named("right", &file, 1.0)];
    for (delay, verdict) in [
        (0.0, Verdict::Clear),
        (0.599, Verdict::Clear),
        (0.601, Verdict::Collision),
    ] {
        let answer = lab.together(cell, &programs, Some(delay));
        assert_eq!(answer.verdict, verdict, "{delay}");
    }
    let answer = lab.together(cell, &programs, Some(0.7));
    let contact = answer.first_contact.unwrap();
    // The left block, 0.6 to 0.7 s late, is still there when the right one arrives at 1.8 s.
    assert!((contact.time - 1.8).abs() < 2e-3, "{contact:?}");
    assert!(
        contact.free_until > 1.79 && contact.free_until <= 1.8 + 1e-9,
        "{contact:?}"
    );
    let facts = answer.timeline.unwrap();
    let left = facts.programs[0].delay.unwrap();
    assert!((0.598..=0.7 + 1e-9).contains(&left), "{facts:?}");
    assert_eq!(facts.any_delay, Some(0.7));
}

/// A jaw that follows another one, opening the other way, reaches what its leader does not: with
/// several programs it is followed too, at the delays that were asked for as at those of the
/// programs.
#[test]
fn what_follows_a_joint_follows_it_beside_other_programs() {
    let lab = Lab::new();
    lab.write(
        "jaws.urdf",
        r#"<robot name="jaws"><link name="rail"/>
  <link name="one"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="two"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="open" type="prismatic"><parent link="rail"/><child link="one"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
  <joint name="also" type="prismatic"><parent link="rail"/><child link="two"/><axis xyz="-1 0 0"/><mimic joint="open" multiplier="2" offset="0.3"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint></robot>"#,
    );
    // The second jaw goes to x = −0.5 to −2.5 (and a rail across stands or passes at −1.5), the
    // first one to 0.1 to 1.1.
    let cell = "[[robot]]\nname = \"left\"\nurdf = \"jaws.urdf\"\n\
        [[robot]]\nname = \"right\"\nurdf = \"slide.urdf\"\nbase = { xyz = [-1.5, 0, 0], rpy = [0, 0, \"90deg\"] }\n";
    lab.write(
        "slide.urdf",
        r#"<robot name="slide"><link name="rail"/>
  <link name="block"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="block"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint></robot>"#,
    );
    let jaws = lab.write("jaws.csv", "time,open\n0,0.1\n1,1.1\n");
    let slide = lab.write("slide.csv", "time,slide\n0,-1\n2,1\n");
    let at = |late: f64| [named("left", &jaws, late), named("right", &slide, 0.0)];
    // The jaw is at −1.5 halfway, 0.5 s after its start; the block passes there at 1 s.
    for (late, delay, due) in [
        (0.0, None, Verdict::Clear),
        (0.5, None, Verdict::Collision),
        (0.0, Some(0.2), Verdict::Clear),
        (0.0, Some(0.6), Verdict::Collision),
    ] {
        let answer = lab.together(cell, &at(late), delay);
        assert_eq!(answer.verdict, due, "{late} {delay:?}");
        if let Some(contact) = answer.first_contact {
            assert_eq!(
                (contact.a.as_str(), contact.b.as_str()),
                ("left/two", "right/block")
            );
        }
    }
}

/// What `left` does with a part that touches a wall: it takes it at 1 s, and goes on. `right` does
/// something else for as long; it is late by `late`, or by any delay up to `delay`.
struct AtWall {
    /// What `left` and `right` allow, and until when.
    allowed: [Option<f64>; 2],
    /// How far `left` draws the part from the wall from 2 to 4 s, metres.
    drawn: f64,
}

impl AtWall {
    fn verdict(&self, late: f64, delay: Option<f64>) -> Verdict {
        let lab = Lab::new();
        let cell = format!(
            "{}[[obstacle]]\nname = \"part\"\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [5, 0, 3] }}\n\
             [[obstacle]]\nname = \"wall\"\nbox = [0.1, 1, 1]\npose = {{ xyz = [5.1, 0, 3] }}\n",
            two(9.0)
        );
        let left = format!("time,reach\n0,0\n2,0\n4,{}\n", -self.drawn);
        let files = [
            lab.write("l.csv", &left),
            lab.write("r.csv", "time,turn\n0,1.5\n4,1.6\n"),
        ];
        let [own, other] = self.allowed.map(|until| match until {
            Some(until) => format!(
                "[[event]]\nat = 0.5\nallow = [\"p*\", \"wall\"]\nuntil = {until}\nreason = \"drawn\"\n"
            ),
            None => String::new(),
        });
        let take = "[[event]]\nat = 1\nattach = \"part\"\nto = \"left/hand\"\n";
        lab.write("l.events.toml", &format!("{take}{own}"));
        lab.write("r.events.toml", &other);
        let mut job = Job::new(lab.write("cell.toml", &cell), Vec::new());
        job.together = vec![
            named("left", &files[0], 0.0),
            named("right", &files[1], late),
        ];
        job.any_delay = delay;
        let answer = one(&mut job);
        assert_eq!(answer.error, None);
        answer.verdict
    }
}

/// Regression: the pair was looked at without delay alone, since no state of `right` by itself checks
/// it; there what `right` allows holds, and with a delay it does not.
#[test]
fn what_one_program_allows_of_what_another_one_takes_is_late_with_it() {
    let other = AtWall {
        allowed: [None, Some(3.0)],
        drawn: 0.1,
    };
    assert_eq!(other.verdict(0.0, None), Verdict::Clear);
    assert_eq!(other.verdict(1.0, None), Verdict::Collision);
    assert_eq!(other.verdict(0.0, Some(0.2)), Verdict::Clear);
    assert_eq!(other.verdict(0.0, Some(1.0)), Verdict::Collision);
    // Allowed by the program that takes it, it is so whatever the other one does.
    let own = AtWall {
        allowed: [Some(3.0), None],
        ..other
    };
    assert_eq!(own.verdict(0.0, Some(1.0)), Verdict::Clear);
}

/// Regression: what is allowed until the end was allowed at the last instant, also where a program
/// waits there for one that is late.
#[test]
fn what_is_allowed_until_the_end_ends_where_a_program_may_wait() {
    let stays = AtWall {
        allowed: [Some(4.0), None],
        drawn: 0.0,
    };
    assert_eq!(stays.verdict(0.0, None), Verdict::Clear);
    assert_eq!(stays.verdict(1.0, None), Verdict::Collision);
    assert_eq!(stays.verdict(0.0, Some(1.0)), Verdict::Collision);
    let drawn = AtWall {
        drawn: 0.1,
        ..stays
    };
    assert_eq!(drawn.verdict(0.0, Some(1.0)), Verdict::Clear);
}
