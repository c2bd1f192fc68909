//! A program with events is the sum of its pieces.

use std::fmt::Write as _;

use clearance::findings::{Contact, ProgramOutcome, Verdict};
use nalgebra::{Isometry3, Vector3};

use super::{Lab, NAMES, links, named, pose, two};
use crate::common::Random;

/// One random timeline: carried from `taken` to `put`, the jaw moves, a touch is allowed.
struct Story {
    rows: Vec<[f64; 3]>,
    obstacles: String,
    part: Isometry3<f64>,
    carrier: usize,
    taken: f64,
    put: f64,
    jaw: (f64, f64, f64),
    touch: (&'static str, f64, f64),
}

const END: f64 = 4.0;

impl Story {
    fn random(random: &mut Random) -> Self {
        let mut rows = Vec::new();
        for _ in 0..5 {
            rows.push([
                2.0 * random.signed(),
                random.signed(),
                0.1 * random.signed(),
            ]);
        }
        let mut obstacles = String::new();
        for k in 0..2 {
            let at = random.direction().into_inner() * (0.5 + 0.5 * random.unit());
            writeln!(
                obstacles,
                "[[obstacle]]\nname = \"o{k}\"\nbox = [0.1, 0.02, 0.15]\n{}",
                pose(&Isometry3::new(at, random.vector()))
            )
            .unwrap();
        }
        let carrier = random.below(2);
        // On the grid of hundredths, so that some fall on waypoints and some on each other.
        let hundredths = |u: f64| (u * 100.0).round() / 100.0;
        let taken = hundredths(0.05 + 0.6 * random.unit());
        let put = hundredths(taken + 0.1 + 3.0 * random.unit());
        let jaw_start = hundredths(3.0 * random.unit());
        let jaw_end = hundredths(jaw_start + 0.1 + 0.8 * random.unit());
        let allowed_from = hundredths(2.0 * random.unit());
        let story = Story {
            part: Isometry3::identity(),
            obstacles,
            carrier,
            taken,
            put,
            jaw: (jaw_start, jaw_end, 0.06 * random.signed()),
            touch: (
                ["o0", "jaw", "fore"][random.below(3)],
                allowed_from,
                hundredths(allowed_from + 2.0 * random.unit()),
            ),
            rows,
        };
        // The part stands a little off the carrier when it is taken.
        let link = links(story.at(taken))[carrier];
        let away = 0.1 * random.unit();
        let off = match carrier {
            0 => Vector3::new(0.15, 0.0, 0.085 + away),
            _ => Vector3::new(0.13 + away, 0.0, 0.0),
        };
        let link_from_part = Isometry3::new(off, random.vector());
        let part = link * link_from_part;
        let mut story = Story { part, ..story };
        if random.one_in(2) {
            // In the way of the part.
            let way = links(story.at(0.5 * (taken + put)))[carrier] * link_from_part;
            let near = Isometry3::from(way.translation.vector + 0.05 * random.vector());
            writeln!(
                story.obstacles,
                "[[obstacle]]\nname = \"in_the_way\"\nsphere = 0.03\n{}",
                pose(&near)
            )
            .unwrap();
            if random.one_in(2) {
                // It may touch that for a time around.
                let middle = 0.5 * (taken + put);
                let from = hundredths((middle - random.unit()).max(0.0));
                let until = hundredths((middle + 0.5 * random.signed()).clamp(from + 0.01, END));
                story.touch = ("in_the_way", from, until);
            }
        }
        story
    }

    fn at(&self, time: f64) -> [f64; 3] {
        let k = (time.floor() as usize).min(self.rows.len() - 2);
        let s = time - k as f64;
        [0, 1, 2].map(|j| self.rows[k][j] + s * (self.rows[k + 1][j] - self.rows[k][j]))
    }

    fn jaw_at(&self, time: f64) -> f64 {
        let (start, end, value) = self.jaw;
        value * ((time - start) / (end - start)).clamp(0.0, 1.0)
    }

    /// The cell with this text for the part, which stands at a place or is carried.
    fn cell(&self, part: &str, allow: &str) -> String {
        format!(
            "[[robot]]\nurdf = \"robot.urdf\"\n{}{part}\nsphere = 0.05\n{allow}",
            self.obstacles
        )
    }

    fn standing(at: &Isometry3<f64>) -> String {
        format!("[[obstacle]]\nname = \"part\"\n{}", pose(at))
    }

    /// With events.
    fn whole(&self, lab: &Lab) -> ProgramOutcome {
        let mut table = "time,turn,lift,reach\n".to_owned();
        for (k, row) in self.rows.iter().enumerate() {
            writeln!(table, "{k},{:?},{:?},{:?}", row[0], row[1], row[2]).unwrap();
        }
        let (start, end, value) = self.jaw;
        let (other, from, until) = self.touch;
        let carrier = NAMES[self.carrier];
        let events = format!(
            "[[event]]\nat = {from:?}\nallow = [\"part\", \"{other}\"]\nuntil = {until:?}\n\
             [[event]]\nat = {start:?}\nmove = \"jaw_joint\"\nvalue = {value:?}\nduration = {:?}\n\
             [[event]]\nat = {:?}\nattach = \"part\"\nto = \"{carrier}\"\ntouch = [\"upper\"]\n\
             [[event]]\nat = {:?}\nrelease = \"part\"\n",
            end - start,
            self.taken,
            self.put,
        );
        lab.write("whole.events.toml", &events);
        lab.ask(&self.cell(&Self::standing(&self.part), ""), "whole", &table)
    }

    /// Without events: every interval a cell and a program of its own.
    fn pieces(&self, lab: &Lab) -> Vec<ProgramOutcome> {
        let (other, from, until) = self.touch;
        let mut bounds = vec![0.0, self.taken, self.put, from, until, END];
        bounds.retain(|t| (0.0..=END).contains(t));
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        let carrier_from_part = links(self.at(self.taken))[self.carrier].inverse() * self.part;
        let put_down = links(self.at(self.put))[self.carrier] * carrier_from_part;
        let mut answers = Vec::new();
        for (k, w) in bounds.windows(2).enumerate() {
            let (start, end) = (w[0], w[1]);
            let (part, mut allow) = if end <= self.taken {
                (Self::standing(&self.part), String::new())
            } else if start >= self.put {
                (Self::standing(&put_down), String::new())
            } else {
                let carrier = NAMES[self.carrier];
                (
                    format!(
                        "[[attach]]\nname = \"part\"\nparent = \"{carrier}\"\n{}",
                        pose(&carrier_from_part)
                    ),
                    "[[allow]]\na = \"part\"\nb = \"upper\"\n".to_owned(),
                )
            };
            if from <= start && end <= until {
                write!(allow, "[[allow]]\na = \"part\"\nb = \"{other}\"\n").unwrap();
            }
            let mut times = vec![start, end, self.jaw.0, self.jaw.1, 1.0, 2.0, 3.0];
            times.retain(|t| (start..=end).contains(t));
            times.sort_by(f64::total_cmp);
            times.dedup();
            let mut table = "time,turn,lift,reach,jaw_joint\n".to_owned();
            for t in times {
                let q = self.at(t);
                writeln!(
                    table,
                    "{t:?},{:?},{:?},{:?},{:?}",
                    q[0],
                    q[1],
                    q[2],
                    self.jaw_at(t)
                )
                .unwrap();
            }
            answers.push(lab.ask(&self.cell(&part, &allow), &format!("piece{k}"), &table));
        }
        answers
    }
}

fn has_part(contact: &Contact) -> bool {
    contact.a == "part" || contact.b == "part"
}

#[test]
fn a_timeline_is_its_pieces() {
    let mut random = Random(11);
    let (mut clear, mut hits, mut carried) = (0, 0, 0);
    for case in 0..120 {
        let story = Story::random(&mut random);
        let lab = Lab::new();
        let whole = story.whole(&lab);
        assert_eq!(whole.error, None, "case {case}");
        let pieces = story.pieces(&lab);
        let worst = pieces.iter().map(|p| p.verdict).max().unwrap();
        assert_eq!(
            whole.verdict, worst,
            "case {case}: {:?}",
            whole.first_contact
        );
        match worst {
            Verdict::Clear => {
                clear += 1;
                let minimums = pieces.iter().filter_map(|p| p.minimum_clearance.as_ref());
                let least = minimums.map(|m| m.distance).fold(f64::INFINITY, f64::min);
                let ours = whole.minimum_clearance.unwrap();
                assert!(
                    (ours.distance - least).abs() < 2e-4,
                    "case {case}: {ours:?}, {least}"
                );
                assert!(ours.lower_bound <= least + 1e-9, "case {case}");
            }
            Verdict::Collision => {
                hits += 1;
                let theirs = pieces
                    .iter()
                    .find(|p| p.verdict == Verdict::Collision)
                    .unwrap();
                let theirs = theirs.first_contact.as_ref().unwrap();
                let ours = whole.first_contact.unwrap();
                // Bodies of a pair stand in the order of the cell file.
                let sorted = |c: &Contact| {
                    let mut pair = [c.a.clone(), c.b.clone()];
                    pair.sort();
                    (pair, c.kind)
                };
                assert_eq!(
                    sorted(&ours),
                    sorted(theirs),
                    "case {case}: {ours:?}\n{theirs:?}"
                );
                assert!(
                    (ours.time - theirs.time).abs() < 1e-3,
                    "case {case}: {ours:?}\n{theirs:?}"
                );
                // Where it is in the program's own segments.
                assert!(
                    (ours.segment as f64 + ours.fraction - ours.time).abs() < 1e-9,
                    "case {case}: {ours:?}"
                );
                carried += usize::from(
                    has_part(&ours) && ours.time > story.taken && ours.time < story.put,
                );
            }
            other => panic!("case {case}: {other:?}"),
        }
    }
    assert!(
        clear > 15 && hits > 30 && carried > 3,
        "{clear} {hits} {carried}"
    );
}

/// Both configurations of an event's instant are checked, and nothing is allowed before or after
/// its time.
#[test]
fn events_are_closed_at_both_ends() {
    let lab = Lab::new();
    let cell = |x: f64| {
        format!(
            "[[robot]]\nurdf = \"robot.urdf\"\n[[obstacle]]\nname = \"part\"\nbox = [0.02, 0.02, 0.02]\n\
             pose = {{ xyz = [{x}, 0, 0.1] }}\n"
        )
    };
    // The hand stands at x = 0.75 … 0.81 and comes forward by 0.2 m in the second second.
    let table = "time,turn,lift,reach\n0,0,0,0\n1,0,0,0\n2,0,0,0.2\n3,0,0,0.2\n";
    let ask = |x: f64, events: &str| {
        lab.write("p.events.toml", events);
        lab.ask(&cell(x), "p", table)
    };
    // The hand, 30 mm half, reaches the part at 0.9 when it has come 0.11 m: at 1.55 s.
    let hit = ask(0.9, "");
    assert!((hit.first_contact.unwrap().time - 1.55).abs() < 1e-3);
    // Allowed just too short: then the hand is in it.
    let allow = |until: &str| {
        format!(
            "[[event]]\nat = 1\nallow = [\"part\", \"hand\"]\n{until}\n[[event]]\nat = 1\nallow = [\"part\", \"jaw\"]\n[[event]]\nat = 1\nallow = [\"part\", \"fore\"]\n"
        )
    };
    let late = ask(0.9, &allow("until = 1.6"));
    let contact = late.first_contact.unwrap();
    assert_eq!((contact.time, contact.free_until), (1.6, 1.6));
    assert_eq!(ask(0.9, &allow("")).verdict, Verdict::Clear);
    assert_eq!(ask(0.9, &allow("until = 3")).verdict, Verdict::Clear);
    // Released at the very end, where the jaw stands in it: the last instant is checked as well.
    let end = "[[event]]\nat = 0\nattach = \"part\"\nto = \"hand\"\npose = { xyz = [0.05, 0.05, 0] }\ntouch = [\"jaw\"]\n";
    assert_eq!(ask(5.0, end).verdict, Verdict::Clear);
    let released = ask(
        5.0,
        &format!("{end}[[event]]\nat = 3\nrelease = \"part\"\n"),
    );
    let contact = released.first_contact.unwrap();
    assert_eq!(
        (contact.time, contact.segment, contact.fraction),
        (3.0, 2, 1.0)
    );
    assert_eq!((contact.a.as_str(), contact.b.as_str()), ("jaw", "part"));
    // It was put there from 4 m away, and the report says so.
    assert!(
        released
            .unchecked
            .iter()
            .any(|u| u.subject == "part" && u.message.contains("is not checked"))
    );
}

/// A touch that is allowed until the end of the motion is allowed at its last instant too, as
/// without `until`; where another program goes on, it is over at that instant.
#[test]
fn an_allowance_until_the_end_holds_for_the_last_instant() {
    let lab = Lab::new();
    let cell = "[[robot]]\nurdf = \"robot.urdf\"\n[[obstacle]]\nname = \"part\"\nbox = [0.02, 0.02, 0.02]\n\
        pose = { xyz = [0.925, 0, 0.1] }\n[[obstacle]]\nname = \"far\"\nsphere = 0.1\npose = { xyz = [0, 0, 9] }\n";
    // The hand ends within the part.
    let table = "time,turn,lift,reach\n0,0,0,0\n1,0,0,0\n2,0,0,0.2\n3,0,0,0.2\n";
    let ask = |events: &str| {
        lab.write("p.events.toml", events);
        lab.ask(cell, "p", table)
    };
    let allow = |until: &str| {
        ["hand", "jaw", "fore"]
            .map(|link| format!("[[event]]\nat = 1\nallow = [\"part\", \"{link}\"]\n{until}\n"))
            .concat()
    };
    assert_eq!(ask(&allow("until = 3")).verdict, Verdict::Clear);
    assert_eq!(ask(&allow("until_waypoint = 4")).verdict, Verdict::Clear);
    // Something else that happens at the end does not end it.
    let more = "[[event]]\nat = 3\nattach = \"far\"\nto = \"hand\"\n";
    assert_eq!(ask(&(allow("until = 3") + more)).verdict, Verdict::Clear);
    let short = ask(&allow("until = 2.999")).first_contact.unwrap();
    assert_eq!((short.time, short.free_until), (2.999, 2.999));
    let late = ask(&allow("until = 3.001")).error.unwrap();
    assert!(late.contains("3.001 s is outside of the motion"), "{late}");

    // Two programs: the first one ends where the other one stands in it, and the other one goes on.
    let cell = two(9.0)
        + "[[obstacle]]\nname = \"part\"\nbox = [0.02, 0.02, 0.02]\npose = { xyz = [0.925, 0, 0.1] }\n";
    let left = lab.write("l.csv", table);
    let allow = ["hand", "jaw", "fore"]
        .map(|link| format!("[[event]]\nat = 1\nallow = [\"part\", \"left/{link}\"]\nuntil = 3\n"));
    lab.write("l.events.toml", &allow.concat());
    for (end, verdict) in [(3.0, Verdict::Clear), (4.0, Verdict::Collision)] {
        let right = lab.write("r.csv", &format!("time,turn\n0,0\n{end},0.1\n"));
        let programs = [named("left", &left, 0.0), named("right", &right, 0.0)];
        let answer = lab.together(&cell, &programs, None);
        assert_eq!(answer.verdict, verdict, "{end}: {:?}", answer.error);
        let time = answer.first_contact.map(|c| c.time);
        assert_eq!(time, (end > 3.0).then_some(3.0));
    }
}
