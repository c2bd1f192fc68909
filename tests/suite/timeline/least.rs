//! `--any-delay --minimum` against a grid of delays and instants, and against delays that are tried
//! one by one.

use std::path::{Path, PathBuf};

use clearance::findings::{DistanceAnswer, ProgramOutcome, Verdict};
use clearance::run::{
    CacheFolder, CellJob, Configurations, Job, MinimumScope, NoProgress, Settings, prepare,
};

use super::{Lab, Table, named, one, two};
use crate::common::Random;

/// Instants of each program that the grid has.
const INSTANTS: usize = 40;

/// Two arms of which only the pairs of one with the other are checked.
fn two_arms(distance: f64) -> String {
    let own = |arm: &str| format!("[[allow]]\na = \"{arm}/*\"\nb = \"{arm}/*\"\n");
    two(distance) + &own("left") + &own("right")
}

struct Run {
    tables: [Table; 2],
    starts: [f64; 2],
    delay: f64,
}

impl Run {
    fn ask(&self, lab: &Lab, cell: &Path, late: [f64; 2], delay: Option<f64>) -> ProgramOutcome {
        let robots = ["left", "right"];
        let mut job = Job::new(cell.to_owned(), Vec::new());
        job.together = (0..2)
            .map(|k| {
                let file = self.tables[k].write(lab, &format!("{k}.csv"));
                named(robots[k], &file, self.starts[k] + late[k])
            })
            .collect();
        job.any_delay = delay;
        job.minimum_pairs = Some(f64::INFINITY);
        one(&mut job)
    }

    /// The answer for the configuration at these times of the programs, each on the common clock
    /// without delay.
    fn at(&self, configurations: &mut Configurations, times: [f64; 2]) -> DistanceAnswer {
        let mut joints = serde_json::Map::new();
        for (k, arm) in ["left", "right"].into_iter().enumerate() {
            let q = self.tables[k].at(times[k] - self.starts[k]);
            for (joint, q) in ["turn", "lift", "reach"].into_iter().zip(q) {
                joints.insert(format!("{arm}/{joint}"), q.into());
            }
        }
        let answer = configurations.answer(1, &serde_json::Value::Object(joints).to_string());
        assert_eq!(answer.error, None);
        answer
    }

    fn span(&self, k: usize) -> [f64; 2] {
        let rows = &self.tables[k].rows;
        [rows[0].0, rows[rows.len() - 1].0].map(|t| t + self.starts[k])
    }
}

#[test]
fn no_delay_comes_nearer_than_the_least_over_all_delays() {
    let mut random = Random(77);
    let (mut delayed, mut touching, mut nearest_seen) = (0, 0, f64::INFINITY);
    for case in 0..14 {
        let lab = Lab::new();
        let cell = lab.write("cell.toml", &two_arms(1.5 + 0.2 * random.unit()));
        let size = 0.2 + 0.6 * random.unit();
        let run = Run {
            tables: [(); 2].map(|()| Table::random(&mut random, size)),
            starts: [0.0, random.signed()],
            delay: 0.8 * random.unit(),
        };
        let answer = run.ask(&lab, &cell, [0.0; 2], Some(run.delay));
        assert_eq!(answer.error, None, "case {case}");
        let least = answer.minimum_clearance.as_ref().unwrap();
        assert!(
            least.lower_bound <= least.distance,
            "case {case}: {least:?}"
        );
        // As near as is promised.
        let open = least.distance - least.lower_bound;
        assert!(
            open <= 0.0101 * least.distance + 1.01e-4,
            "case {case}: {least:?}"
        );
        assert_eq!(least.distance == 0.0, answer.verdict == Verdict::Collision);

        let mut job = CellJob::file(cell.clone());
        job.cache = CacheFolder::Off;
        let prepared = prepare(&job, &NoProgress).unwrap();
        let settings = Settings::of(
            &Job::new(cell.clone(), Vec::new()),
            Some(&prepared.loaded.settings),
        );
        let mut configurations = Configurations::new(&prepared, settings.unwrap());

        // The least distance is attained, by the pair that is told.
        let late = match least.delays[..] {
            [l, r] => [l, r],
            _ => [0.0; 2],
        };
        assert!(late[0].min(late[1]) == 0.0, "case {case}: {late:?}");
        assert!(
            late[0].max(late[1]) <= run.delay + 1e-9,
            "case {case}: {late:?}"
        );
        let there = run.at(&mut configurations, late.map(|late| least.time - late));
        let near = there.nearest.unwrap();
        assert!(
            (near.distance - least.distance).abs() < 1e-9,
            "case {case}: {near:?} {least:?}"
        );
        if least.distance > 0.0 {
            assert_eq!((&near.a, &near.b), (&least.a, &least.b), "case {case}");
        }
        delayed += usize::from(late != [0.0; 2]);
        touching += usize::from(least.distance == 0.0);

        // The grid: all instants of both that some delay brings together.
        let [[u0, u1], [v0, v1]] = [run.span(0), run.span(1)];
        let (from, to) = (u0.min(v0), u1.max(v1));
        let instant = |k: usize| from + (to - from) * k as f64 / (INSTANTS - 1) as f64;
        for (i, j) in (0..INSTANTS).flat_map(|i| (0..INSTANTS).map(move |j| (i, j))) {
            let times = [instant(i), instant(j)];
            if (times[0] - times[1]).abs() > run.delay {
                continue;
            }
            let seen = run.at(&mut configurations, times).nearest.unwrap().distance;
            assert!(
                seen >= least.lower_bound,
                "case {case}: {seen} at {times:?}, {least:?}"
            );
            nearest_seen = nearest_seen.min((seen - least.distance).abs());
        }
        // Every pair, at every instant of a few delays.
        for k in [-3, -1, 0, 2, 3] {
            let extra = run.delay * f64::from(k) / 3.0;
            let there = run.ask(&lab, &cell, [0.0, extra], None);
            for seen in &there.pair_minimums {
                let mut pairs = answer.pair_minimums.iter();
                let told = pairs.find(|m| (&m.a, &m.b) == (&seen.a, &seen.b)).unwrap();
                assert!(
                    seen.distance >= told.lower_bound,
                    "case {case}: {seen:?} {told:?}"
                );
                assert!(told.lower_bound <= told.distance, "case {case}: {told:?}");
            }
        }
    }
    assert!(
        delayed > 4 && touching > 1 && touching < 10,
        "{delayed} {touching}"
    );
    assert!(nearest_seen < 2e-3, "{nearest_seen}");
}

/// Two slides that cross, and a pin far above them.
fn crossing(lab: &Lab) -> PathBuf {
    lab.write(
        "robot.urdf",
        r#"<robot name="slide"><link name="rail"/>
  <link name="block"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="block"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint></robot>"#,
    );
    let cell = "[[robot]]\nname = \"left\"\nurdf = \"robot.urdf\"\n\
        [[robot]]\nname = \"right\"\nurdf = \"robot.urdf\"\nbase = { rpy = [0, 0, \"90deg\"] }\n\
        [[obstacle]]\nname = \"pin\"\nbox = [0.1, 0.1, 0.1]\npose = { xyz = [0, 0, 5] }\n";
    lab.write("cell.toml", cell)
}

/// Events cut the motion into stages, and the least of all delays may lie in any of them: taking up
/// a pin that is far away, or putting it down, changes nothing. Catches the least of a stage that
/// is not counted.
#[test]
fn the_least_may_lie_between_any_two_events() {
    let lab = Lab::new();
    let cell = crossing(&lab);
    let file = lab.write("l.csv", "time,slide\n0,-1\n2,1\n");
    let ask = |events: &str| {
        lab.write("l.events.toml", events);
        let mut job = Job::new(cell.clone(), Vec::new());
        let right = lab.write("r.csv", "time,slide\n0,-1\n2,1\n");
        job.together = vec![named("left", &file, 0.0), named("right", &right, 1.0)];
        job.any_delay = Some(0.5);
        job.minimum = Some(MinimumScope::Classes);
        let answer = one(&mut job);
        assert_eq!(answer.error, None, "{events}");
        answer.minimum_clearance.unwrap()
    };
    // The least is at 1.4 s of the left program's clock: before, between and after the events.
    let due = 0.05 * 2.0_f64.sqrt();
    for [take, put] in [[0.2, 0.3], [0.3, 1.8], [1.8, 1.9]] {
        let least = ask(&format!(
            "[[event]]\nat = {take}\nattach = \"pin\"\nto = \"left/block\"\n\
             [[event]]\nat = {put}\nrelease = \"pin\"\n"
        ));
        assert!(
            least.lower_bound <= due && (due - 1e-9..due + 1e-3).contains(&least.distance),
            "{take} {put}: {least:?}"
        );
    }
}

/// Two blocks of 0.2 m on crossing slides, 1 m/s each, that miss each other by delays up to 0.5 s:
/// at 0.5 s, by what is left of the 0.6 s at which they touch.
#[test]
fn crossing_slides_come_as_near_as_the_delay_lets_them() {
    let lab = Lab::new();
    let cell = crossing(&lab);
    let file = lab.write("slide.csv", "time,slide\n0,-1\n2,1\n");
    let ask_of = |scope: MinimumScope, delay: f64, limit: Option<f64>| {
        let mut job = Job::new(cell.clone(), Vec::new());
        job.together = vec![named("left", &file, 0.0), named("right", &file, 1.0)];
        job.any_delay = Some(delay);
        job.minimum = Some(scope);
        job.time_limit = limit.map(std::time::Duration::from_secs_f64);
        one(&mut job)
    };
    let ask = |delay, limit| ask_of(MinimumScope::Classes, delay, limit);
    // Apart along both slides when the right block is 0.5 s behind: by x and y with x + y = 0.5 −
    // 0.4 s.
    let answer = ask(0.5, None);
    assert_eq!(answer.verdict, Verdict::Clear);
    let least = answer.minimum_clearance.unwrap();
    let due = 0.05 * 2.0_f64.sqrt();
    assert!(
        least.lower_bound <= due && due <= least.distance + 1e-9,
        "{least:?}"
    );
    assert!(least.distance - least.lower_bound < 1e-3, "{least:?}");
    assert!(
        least.delays[0] > 0.49 && least.delays[1] == 0.0,
        "{least:?}"
    );
    // Of classes nothing is told where nobody asks for them.
    let overall = ask_of(MinimumScope::Overall, 0.5, None);
    assert!(!answer.minimum_by_class.is_empty() && overall.minimum_by_class.is_empty());
    let overall = overall.minimum_clearance.unwrap();
    assert!(
        (overall.distance - least.distance).abs() < 1e-3,
        "{overall:?}"
    );
    // Farther than that they do not come, and nothing is claimed when there is no time to look.
    let touching = ask(0.7, None).minimum_clearance.unwrap();
    assert_eq!((touching.distance, touching.lower_bound), (0.0, 0.0));
    let hasty = ask(0.5, Some(0.0));
    assert_eq!(hasty.verdict, Verdict::Undecided);
    assert!(
        hasty
            .minimum_clearance
            .is_none_or(|least| least.lower_bound == 0.0)
    );
}
