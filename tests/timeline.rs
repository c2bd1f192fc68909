//! Several programs on one clock, events along a program, and delays: held to the same scenes checked piece by piece.
//!
//! The pieces are built by hand: a cell file and a table per stretch between two events, with poses from forward kinematics
//! of this file's own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clearance::findings::{Contact, ProgramOutcome, Verdict};
use clearance::verify::{CacheFolder, Job, RobotProgram, Silence, run};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use tempfile::TempDir;

mod common;
use common::Random;

/// A turn about z, a turn about y, a slide, and a jaw beside it.
const URDF: &str = r#"<robot name="arm">
  <link name="base"/>
  <link name="upper"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.15 0 0"/><geometry><box size="0.26 0.05 0.05"/></geometry></collision></link>
  <link name="hand"><collision><geometry><box size="0.06 0.06 0.06"/></geometry></collision></link>
  <link name="jaw"><collision><origin xyz="0 0.05 0"/><geometry><box size="0.03 0.02 0.03"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.42 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
  <joint name="reach" type="prismatic"><parent link="fore"/><child link="hand"/><origin xyz="0.33 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
  <joint name="jaw_joint" type="prismatic"><parent link="hand"/><child link="jaw"/><origin xyz="0.05 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
</robot>"#;

/// World pose of `fore` and `hand` by hand; the base stands in the origin.
fn links(q: [f64; 3]) -> [Isometry3<f64>; 2] {
    let turn = |axis: Vector3<f64>, a: f64| {
        Isometry3::from_parts(
            Translation3::identity(),
            UnitQuaternion::from_scaled_axis(axis * a),
        )
    };
    let fore = Isometry3::translation(0.0, 0.0, 0.1)
        * turn(Vector3::z(), q[0])
        * Isometry3::translation(0.42, 0.0, 0.0)
        * turn(Vector3::y(), q[1]);
    [fore, fore * Isometry3::translation(0.33 + q[2], 0.0, 0.0)]
}

/// A folder with a robot in it.
struct Lab(TempDir);

impl Lab {
    fn new() -> Self {
        let lab = Lab(tempfile::tempdir().unwrap());
        lab.write("robot.urdf", URDF);
        lab
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.0.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    }

    /// The answer about one program, everything asked.
    fn ask(&self, cell: &str, program: &str, table: &str) -> ProgramOutcome {
        let cell = self.write(&format!("{program}.cell.toml"), cell);
        let program = self.write(&format!("{program}.csv"), table);
        let mut job = Job::new(cell, vec![program]);
        job.minimum = true;
        one(&mut job)
    }

    fn together(
        &self,
        cell: &str,
        programs: &[RobotProgram],
        delay: Option<f64>,
    ) -> ProgramOutcome {
        let cell = self.write("together.toml", cell);
        let mut job = Job::new(cell, Vec::new());
        job.together = programs.to_vec();
        job.any_delay = delay;
        one(&mut job)
    }
}

fn one(job: &mut Job) -> ProgramOutcome {
    job.cell.cache = CacheFolder::Off;
    job.cell.threads = Some(1);
    job.resolution = Some(1e-4);
    let outcome = run(job, &Silence);
    assert_eq!(outcome.error, None);
    outcome.programs.into_iter().next().unwrap()
}

fn pose(at: &Isometry3<f64>) -> String {
    let (t, r) = (at.translation.vector, at.rotation.coords);
    format!(
        "pose = {{ xyz = [{:?}, {:?}, {:?}], quat = [{:?}, {:?}, {:?}, {:?}] }}",
        t.x, t.y, t.z, r.x, r.y, r.z, r.w
    )
}

const NAMES: [&str; 2] = ["fore", "hand"];

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

    /// What the part is, when it stands at a place or is carried.
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

    /// Without events: every stretch a cell and a program of its own.
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

/// Two robots of the kind above, face to face.
fn two(apart: f64) -> String {
    format!(
        "[[robot]]\nname = \"left\"\nurdf = \"robot.urdf\"\n\
         [[robot]]\nname = \"right\"\nurdf = \"robot.urdf\"\nbase = {{ xyz = [{apart}, 0, 0.05], rpy = [0, 0, 3.1] }}\n"
    )
}

struct Table {
    rows: Vec<(f64, [f64; 3])>,
}

impl Table {
    fn random(random: &mut Random, size: f64) -> Self {
        let mut time = 0.0;
        let mut rows = Vec::new();
        for _ in 0..4 {
            let q = [
                size * random.signed(),
                0.5 * random.signed(),
                0.1 * random.signed(),
            ];
            rows.push((time, q));
            time += 0.3 + random.unit();
        }
        Table { rows }
    }

    fn at(&self, time: f64) -> [f64; 3] {
        let k = self.rows.partition_point(|r| r.0 <= time);
        if k == 0 {
            return self.rows[0].1;
        }
        let Some(next) = self.rows.get(k) else {
            return self.rows[k - 1].1;
        };
        let (t0, q0) = self.rows[k - 1];
        let s = (time - t0) / (next.0 - t0);
        [0, 1, 2].map(|j| q0[j] + s * (next.1[j] - q0[j]))
    }

    fn write(&self, lab: &Lab, name: &str) -> PathBuf {
        self.write_columns(lab, name, &[0, 1, 2])
    }

    /// Some of the joints only.
    fn write_columns(&self, lab: &Lab, name: &str, joints: &[usize]) -> PathBuf {
        let names = joints.iter().map(|&j| ["turn", "lift", "reach"][j]);
        let mut text = names.fold("time".to_owned(), |text, name| text + "," + name);
        for (t, q) in &self.rows {
            write!(text, "\n{t:?}").unwrap();
            for &j in joints {
                write!(text, ",{:?}", q[j]).unwrap();
            }
        }
        lab.write(name, &(text + "\n"))
    }
}

fn named(robot: &str, file: &Path, offset_s: f64) -> RobotProgram {
    RobotProgram {
        robot: Some(robot.to_owned()),
        file: file.to_owned(),
        offset_s,
    }
}

#[test]
fn two_programs_are_the_one_that_is_written_by_hand() {
    let mut random = Random(5);
    let (mut clear, mut hits) = (0, 0);
    for case in 0..60 {
        let lab = Lab::new();
        let (left, right) = (
            Table::random(&mut random, 1.2),
            Table::random(&mut random, 1.2),
        );
        let offset = 2.0 * random.signed();
        let programs = [
            named("left", &left.write(&lab, "l.csv"), 0.0),
            named("right", &right.write(&lab, "r.csv"), offset),
        ];
        let ours = lab.together(&two(1.15), &programs, None);
        assert_eq!(ours.error, None);
        let mut times: Vec<f64> = left.rows.iter().map(|r| r.0).collect();
        times.extend(right.rows.iter().map(|r| r.0 + offset));
        times.sort_by(f64::total_cmp);
        let mut table =
            "time,left/turn,left/lift,left/reach,right/turn,right/lift,right/reach\n".to_owned();
        for t in times {
            let (l, r) = (left.at(t), right.at(t - offset));
            writeln!(
                table,
                "{t:?},{:?},{:?},{:?},{:?},{:?},{:?}",
                l[0], l[1], l[2], r[0], r[1], r[2]
            )
            .unwrap();
        }
        let theirs = lab.ask(&two(1.15), "by_hand", &table);
        assert_eq!(ours.verdict, theirs.verdict, "case {case}");
        if let (Some(a), Some(b)) = (&ours.first_contact, &theirs.first_contact) {
            hits += 1;
            assert_eq!((&a.a, &a.b), (&b.a, &b.b), "case {case}");
            assert!((a.time - b.time).abs() < 1e-3, "case {case}: {a:?} {b:?}");
            let facts = ours.timeline.as_ref().unwrap();
            for (participant, table) in facts.programs.iter().zip([&left, &right]) {
                let at = participant.at.as_ref().unwrap();
                let clock = (a.time - participant.offset).clamp(table.rows[0].0, table.rows[3].0);
                assert!(
                    (at.time - clock).abs() < 1e-9,
                    "case {case}: {participant:?}"
                );
                // The header is line 1.
                assert_eq!(at.lines, [at.segment + 2, at.segment + 3]);
            }
        } else {
            clear += 1;
        }
    }
    assert!(clear > 8 && hits > 15, "{clear} {hits}");
}

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
        let apart = 1.5 + 0.3 * random.unit();
        let at =
            |extra: [f64; 3]| [0, 1, 2].map(|k| named(robots[k], &files[k], starts[k] + extra[k]));
        let answer = lab.together(&two(apart), &at([0.0; 3]), Some(delay));
        assert_eq!(answer.error, None, "case {case}");
        let sampled = |extra: [f64; 3]| lab.together(&two(apart), &at(extra), None);
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

/// What a program does beside its motion: it carries a pin for a while, moves its jaw, and something is allowed.
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
        let taken = match random.one_in(4) {
            true => table.rows[1].0,
            false => share(0.05, 0.6, random),
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

/// Programs with events of their own: whatever a sampled delay shows is known, and what is told happens at the delay that is told.
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
        // Every pair that touches at some delay is listed once for all, and those that are listed touch at theirs.
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

/// Two blocks on crossing slides, 1 m/s each. The left one is in the crossing from 0.8 to 1.2 s, the right one starts a second
/// later: they meet when one is 0.6 to 1.4 s later than that.
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

/// Blocks on slides along x and y, as `left` and `right`, edges of 0.1 and 0.4 m.
fn slides(lab: &Lab) -> String {
    for (name, edge) in [("small", 0.1), ("large", 0.4)] {
        lab.write(
            &format!("{name}.urdf"),
            &format!(
                r#"<robot name="slide"><link name="rail"/>
  <link name="block"><collision><geometry><box size="{edge} {edge} {edge}"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="block"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint></robot>"#
            ),
        );
    }
    "[[robot]]\nname = \"left\"\nurdf = \"small.urdf\"\n\
     [[robot]]\nname = \"right\"\nurdf = \"large.urdf\"\nbase = { rpy = [0, 0, \"90deg\"] }\n"
        .to_owned()
}

/// A program that is late has not done yet what its events do, not even those at its start.
#[test]
fn a_late_program_waits_before_its_first_event() {
    let lab = Lab::new();
    // The pin stands where both slides cross; the event puts it onto the left block.
    let cell = slides(&lab) + "[[obstacle]]\nname = \"pin\"\nsphere = 0.05\n";
    let left = |from: f64| lab.write("l.csv", &format!("time,slide\n0,{from}\n1,3\n"));
    let right = lab.write("r.csv", "time,slide\n0,-1\n2,1\n");
    lab.write(
        "l.events.toml",
        "[[event]]\nat = 0\nattach = \"pin\"\nto = \"left/block\"\npose = { xyz = [0, 0, 2] }\n",
    );
    let ask = |from: f64, delay: f64| {
        let programs = [named("left", &left(from), 0.0), named("right", &right, 0.0)];
        lab.together(&cell, &programs, Some(delay))
    };
    // The right block is 0.2 m before its centre at 0.75 s.
    assert_eq!(ask(2.5, 0.74).verdict, Verdict::Clear);
    let hit = ask(2.5, 0.8);
    assert_eq!(hit.verdict, Verdict::Collision);
    let contact = hit.first_contact.unwrap();
    assert_eq!(
        (contact.a.as_str(), contact.b.as_str()),
        ("right/block", "pin")
    );
    assert!((contact.time - 0.75).abs() < 2e-3, "{contact:?}");
    assert!(
        (0.748..=0.8 + 1e-9).contains(&contact.delays[0]),
        "{contact:?}"
    );
    // Its own robot stands in it until then, which only a delay makes a place to be.
    let own = ask(0.05, 0.1);
    let contact = own.first_contact.unwrap();
    assert_eq!(
        (contact.a.as_str(), contact.b.as_str(), contact.time),
        ("left/block", "pin", 0.0)
    );
    let programs = [named("left", &left(0.05), 0.0), named("right", &right, 0.0)];
    assert_eq!(lab.together(&cell, &programs, None).verdict, Verdict::Clear);
}

/// The small block is inside the large one when that is no longer allowed; without delay the large one has gone by then.
#[test]
fn a_body_may_be_inside_another_one_when_an_allowance_ends_late() {
    let lab = Lab::new();
    let cell = slides(&lab);
    let left = lab.write("l.csv", "time,slide\n0,-1\n1,0\n9,0\n");
    let right = lab.write("r.csv", "time,slide\n0,0\n2,0\n3,5\n4,5\n");
    lab.write(
        "l.events.toml",
        "[[event]]\nat = 0\nallow = [\"left/block\", \"right/block\"]\nuntil = 4\n",
    );
    let programs = [named("left", &left, 0.0), named("right", &right, 0.0)];
    assert_eq!(lab.together(&cell, &programs, None).verdict, Verdict::Clear);
    assert_eq!(
        lab.together(&cell, &programs, Some(0.9)).verdict,
        Verdict::Clear
    );
    // 0.05 s after it has set off, the large one's wall reaches the small one.
    let late = lab
        .together(&cell, &programs, Some(2.5))
        .first_contact
        .unwrap();
    assert_eq!(late.kind, clearance::findings::ContactKind::Inside);
    assert_eq!((late.time, late.free_until), (4.0, 4.0));
    assert!(
        late.delays[0] == 0.0 && (late.delays[1] - 2.5).abs() < 1e-9,
        "{late:?}"
    );
}

/// Both configurations of an event's instant are checked, and nothing is allowed before or after its time.
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
            .any(|u| u.what == "part" && u.why.contains("is not checked"))
    );
}

#[test]
fn what_cannot_be_is_said_with_its_line() {
    let lab = Lab::new();
    let cell = "[[robot]]\nurdf = \"robot.urdf\"\n[[obstacle]]\nname = \"part\"\nsphere = 0.01\npose = { xyz = [3, 0, 0] }\n";
    let table = "time,turn\n0,0\n1,0\n";
    for (events, line, said) in [
        (
            "[[event]]\nat = 0.5\nrelease = \"part\"",
            1,
            "is not carried",
        ),
        (
            "[[event]]\nat = 0.5\nattach = \"part\"\nto = \"base\"",
            1,
            "does not move",
        ),
        (
            "\n[[event]]\nat = 1.5\nattach = \"part\"\nto = \"hand\"",
            2,
            "outside of the motion",
        ),
        (
            "[[event]]\nat = 0.5\nmove = \"turn\"\nvalue = 1\nduration = 0.1",
            1,
            "moved by",
        ),
        (
            "[[event]]\nat = 0\nmove = \"lift\"\nvalue = 1\nduration = 0.6\n[[event]]\nat = 0.5\nmove = \"lift\"\nvalue = 0\nduration = 0.1",
            6,
            "still on its way",
        ),
    ] {
        lab.write("p.events.toml", events);
        let answer = lab.ask(cell, "p", table);
        let error = answer.error.unwrap_or_else(|| panic!("{events}"));
        assert_eq!(answer.verdict, Verdict::Unverified);
        assert!(
            error.contains(&format!("p.events.toml:{line}: ")) && error.contains(said),
            "{error}"
        );
    }
    // Programs that cannot share a clock.
    let timed = lab.write("timed.csv", "time,turn\n0,0\n1,1\n");
    let untimed = lab.write("untimed.csv", "turn\n0\n1\n");
    let wrong = lab.write("wrong.csv", "time,right/turn\n0,0\n1,1\n");
    for (programs, said) in [
        (
            [named("left", &timed, 0.0), named("right", &untimed, 0.0)],
            "untimed.csv:1: the program has no times",
        ),
        (
            [named("left", &timed, 0.0), named("left", &timed, 0.0)],
            "is moved by",
        ),
        (
            [named("left", &timed, 0.0), named("middle", &timed, 0.0)],
            "no robot `middle`; its robots are `left`, `right`",
        ),
        (
            [named("left", &wrong, 0.0), named("right", &timed, 0.0)],
            "`right/turn` belongs to `right`",
        ),
    ] {
        let error = lab.together(&two(1.15), &programs, None).error.unwrap();
        assert!(error.contains(said), "{error}");
    }
}

/// Whose events they are decides when they happen: what depends on two programs is refused with its line.
#[test]
fn events_of_two_programs_about_one_body_are_refused_with_any_delay() {
    let lab = Lab::new();
    let cell = format!(
        "{}[[obstacle]]\nname = \"part\"\nsphere = 0.01\npose = {{ xyz = [0, 0, 3] }}\n\
         [[obstacle]]\nname = \"box\"\nsphere = 0.01\npose = {{ xyz = [0, 0, 4] }}\n\
         [[attach]]\nname = \"grip\"\nparent = \"left/hand\"\nsphere = 0.01\npose = {{ xyz = [0, 0, 0.2] }}\n",
        two(1.6)
    );
    let table = "time,turn,lift\n0,1.5,0\n2,1.6,0\n";
    let files = [lab.write("l.csv", table), lab.write("r.csv", table)];
    let take =
        |what: &str, to: &str| format!("\n[[event]]\nat = 1\nattach = \"{what}\"\nto = \"{to}\"\n");
    let ask = |left: &str, right: &str, change: &dyn Fn(&mut Job)| {
        lab.write("l.events.toml", left);
        lab.write("r.events.toml", right);
        let cell = lab.write("cell.toml", &cell);
        let mut job = Job::new(cell, Vec::new());
        job.together = vec![
            named("left", &files[0], 0.0),
            named("right", &files[1], 0.0),
        ];
        job.any_delay = Some(0.5);
        change(&mut job);
        one(&mut job)
    };
    let nothing = |_: &mut Job| ();
    let own = take("part", "left/hand");
    let regrip = take("grip", "left/fore");
    assert_eq!(ask(&own, "", &nothing).error, None);
    assert_eq!(ask(&own, &take("box", "right/hand"), &nothing).error, None);
    let jaw = "\n[[event]]\nat = 1\nmove = \"left/jaw_joint\"\nvalue = 0.01\nduration = 0.1\n";
    let release = "[[event]]\nat = 1.5\nrelease = \"part\"\n";
    for (left, right, said) in [
        (
            own.as_str(),
            take("part", "right/hand"),
            &[
                "l.events.toml:2: ",
                "`part` is taken or put down by events of two programs, also in ",
                "r.events.toml:2: who holds it",
            ][..],
        ),
        (
            &own,
            release.to_owned(),
            &["l.events.toml:2: ", "also in ", "r.events.toml:1"],
        ),
        // What is given to a body goes with it.
        (
            &regrip,
            take("box", "grip"),
            &[
                "r.events.toml:2: ",
                "`grip` is taken or put down by events of two programs, also in ",
            ],
        ),
        (
            "",
            take("part", "left/hand"),
            &[
                "r.events.toml:2: ",
                "`left/hand` is moved by ",
                "l.csv",
                "where `part` is then would depend on the delay",
            ],
        ),
        (
            jaw,
            jaw.to_owned(),
            &["events.toml:2: ", "`left/jaw_joint` is "],
        ),
    ] {
        let answer = ask(left, &right, &nothing);
        assert_eq!(answer.verdict, Verdict::Unverified);
        let error = answer.error.unwrap();
        for part in said {
            assert!(error.contains(part), "{error}");
        }
    }
    let file = lab.write("all.toml", &own);
    let error = ask("", "", &|job| job.events = Some(file.clone()))
        .error
        .unwrap();
    assert!(
        error.contains("all.toml:2: ") && error.contains("leave out --events"),
        "{error}"
    );
    for change in [
        &(|job: &mut Job| job.minimum = true) as &dyn Fn(&mut Job),
        &|job| job.audit_allowed = true,
    ] {
        let error = ask("", "", change).error.unwrap();
        assert!(
            error.contains("leave out --minimum and --audit-allowed"),
            "{error}"
        );
    }
}

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// What a user types, and what comes back: exit code and text.
fn clearance(args: &[&str]) -> (i32, String) {
    let output = assert_cmd::Command::cargo_bin("clearance")
        .unwrap()
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["check", "--no-cache", "--quiet"])
        .args(args)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

const ARMS: &str = "robots/two_arms/cell.toml";
const VISIT: &str = "trajectories/two_arms/visit.csv";

#[test]
fn two_arms_at_one_fixture() {
    assert!(example(VISIT).is_file());
    let left = format!("left={VISIT}");
    let right = |offset: &str| format!("right={VISIT}@{offset}");
    let run = |offset: &str, more: &[&str]| {
        let right = right(offset);
        let mut args = vec![
            "--cell",
            ARMS,
            "--program",
            left.as_str(),
            "--program",
            right.as_str(),
        ];
        args.extend(more);
        clearance(&args)
    };
    // At the fixture at the same time.
    let (exit, text) = run("0.5", &[]);
    assert_eq!(exit, 1, "{text}");
    assert!(text.contains("right: trajectories/two_arms/visit.csv (4.600 s, 8 waypoints, its clock starts at 0.500 s)"), "{text}");
    // One after the other; but not if the right one may be much earlier.
    assert_eq!(run("3.5s", &[]).0, 0);
    let (exit, text) = run("3.5s", &["--any-delay", "0.5s"]);
    assert_eq!(exit, 0, "{text}");
    assert!(
        text.contains("every delay of their starts against each other, up to 0.500 s"),
        "{text}"
    );
    let (exit, text) = run("3.5s", &["--any-delay", "1.5s"]);
    assert_eq!(exit, 1, "{text}");
    assert!(text.contains("s late, at its "), "{text}");
    // What cannot be asked.
    for (args, said) in [
        (
            vec!["--cell", ARMS, "--program", left.as_str(), VISIT],
            "cannot be used with",
        ),
        (
            vec!["--cell", ARMS, "--any-delay", "1s", VISIT],
            "--program",
        ),
        (
            vec![
                "--cell",
                ARMS,
                "--any-delay",
                "1s",
                "--program",
                left.as_str(),
            ],
            "--any-delay is about several programs",
        ),
        (
            vec![
                "--cell",
                ARMS,
                "--any-delay",
                "-1s",
                "--program",
                left.as_str(),
            ],
            "negative",
        ),
        (
            vec!["--cell", ARMS, "--events", "x.toml", VISIT, VISIT],
            "--events belongs to one program",
        ),
        (
            vec![
                "--cell",
                ARMS,
                "--events",
                "gone.toml",
                "--program",
                left.as_str(),
            ],
            "gone.toml",
        ),
    ] {
        let (exit, text) = clearance(&args);
        assert_eq!(exit, 2, "{args:?}: {text}");
        assert!(text.contains(said), "{args:?}: {text}");
    }
}
