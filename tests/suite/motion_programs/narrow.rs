//! Straight moves whose tool turns far: where the joints are is told more exactly where a check asks
//! for it.

use std::cell::RefCell;
use std::f64::consts::PI;
use std::time::Duration;

use clearance::run::{Certifier, RobotProgram, Verifier, prepare, replay};

use super::*;

/// What is said of a program.
#[derive(Debug, PartialEq)]
struct Said {
    verdict: Verdict,
    /// Whether the joints' ranges were made narrower for it.
    narrow: bool,
    certified: bool,
    /// Whether its motion can be shown.
    shown: bool,
}

/// The example arm turns its tool by some 37° on the spot, beside a ball.
fn beside_a_ball(ball: [f64; 3], set: impl Fn(&mut Job)) -> Said {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let robot = root().join("robots/arm6/robot.urdf");
    let cell = format!(
        "[[robot]]\nurdf = {:?}\n[[obstacle]]\nname = \"ball\"\nsphere = 0.02\npose = {{ xyz = {ball:?} }}\n",
        robot.display().to_string()
    );
    put("cell.toml", &cell);
    let stop = json!("stop");
    let place = |turn: f64| {
        let pose = json!({"xyz": [420, 160, 175], "rpy": [PI, 0, turn - 2.841_592_65]});
        json!({
            "move": "linear", "tool": "tip", "zone": "stop",
            "to": {"pose": pose, "frame": "base", "branch": "continued"},
        })
    };
    let start = step("joint", &ABOVE, &stop, "above", 3);
    let mut program = arm6(&[start, place(0.0), place(0.65)]);
    program["frames"]["base"] = json!({"link": "base_link", "pose": {"xyz": [0, 0, 0]}});
    put("a.motion.json", &program.to_string());
    let file = folder.path().join("a.motion.json");
    let mut job = Job::new(folder.path().join("cell.toml"), vec![file.clone()]);
    job.cell.cache = CacheFolder::Off;
    job.exact_corners = true;
    set(&mut job);
    let prepared = prepare(&job.cell, &NoProgress).unwrap();
    let verifier = Verifier::new(&job, &prepared).unwrap();
    let programs = [RobotProgram::alone(&file)];
    let shares = RefCell::new(Vec::new());
    let answer = verifier.verify_together(&programs, &|share| shares.borrow_mut().push(share));
    // Nobody sees the bar go back.
    assert!(shares.borrow().is_sorted(), "{shares:?}");
    let certifier = Certifier::new(&verifier, "cell.geometry").unwrap();
    let certificate = certifier.certificate(&programs, &answer, "own.geometry");
    Said {
        verdict: answer.verdict,
        narrow: answer.narrow_joint_ranges,
        certified: certificate.is_ok(),
        shown: replay(&verifier, &programs, &answer).is_some(),
    }
}

/// The usual ranges of the joints leave the ball within reach, narrower ones do not. Catches a
/// program that stays undecided, and a second look that takes for clear what is not.
#[test]
fn a_check_that_is_undecided_looks_more_closely() {
    let near = [0.22, 0.203_82, 0.35];
    let clear = |narrow| Said {
        verdict: Verdict::Clear,
        narrow,
        certified: true,
        shown: true,
    };
    let usual = |_: &mut Job| ();
    assert_eq!(beside_a_ball(near, usual), clear(true));
    assert_eq!(beside_a_ball([0.25, 0.4, 0.45], usual), clear(false));
    // The search for narrower ranges would not end in time.
    let limited = |job: &mut Job| job.time_limit = Some(Duration::from_secs(60));
    let answer = beside_a_ball(near, limited);
    assert_eq!((answer.verdict, answer.narrow), (Verdict::Undecided, false));
    let even = |job: &mut Job| job.orientation_tube = 0.0;
    assert_eq!(beside_a_ball(near, even), clear(false));
    // Where the ball is in the way for some of the orientations, nothing helps.
    let nearer = beside_a_ball([0.25, 0.2, 0.4], usual);
    assert_eq!((nearer.verdict, nearer.narrow), (Verdict::Undecided, false));
    let within = beside_a_ball([0.25, 0.13, 0.45], usual);
    assert_eq!(within.verdict, Verdict::Collision);
}
