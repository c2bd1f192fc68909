//! Articulated motions whose first contact is known in closed form: the files in
//! `tests/articulated`, which any checker can be run on. `README.md` there describes them.
//!
//! Here: `truth.json` says what the closed forms say, and the program finds every contact where it
//! is.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde::Deserialize;
use serde_json::Value;

/// Resolution, metres.
const EPSILON: f64 = 1e-4;
/// Closed forms and positions are rounded too: this many seconds are less than a nanometre here.
const ROUNDING: f64 = 1e-11;

/// One entry of `truth.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    scene: String,
    robot: String,
    program: String,
    /// Threshold, metres.
    clearance: f64,
    /// First contact, seconds; none if there is none.
    contact: Option<f64>,
    /// Where that comes from, for the reader.
    #[serde(rename = "formula")]
    _formula: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/articulated")
}

fn truth() -> BTreeMap<String, Scene> {
    let text = std::fs::read(folder().join("truth.json")).unwrap();
    let scenes: Vec<Scene> = serde_json::from_slice(&text).unwrap();
    let count = scenes.len();
    let scenes: BTreeMap<_, _> = scenes.into_iter().map(|s| (s.scene.clone(), s)).collect();
    assert_eq!(scenes.len(), count, "a name stands twice");
    scenes
}

/// The root of a function that rises (or falls) through zero between two places.
fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let sign = f(low).signum();
    assert!(f(high).signum() != sign, "no root in the bracket");
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle).signum() == sign {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Every scene with a contact: its time in seconds by its closed form, and the speed of the fastest
/// point, m/s.
fn closed_forms() -> Vec<(&'static str, f64, f64)> {
    let reached = 0.5_f64.asin();
    let cubic = |s: f64| 1.5 * s * s * (3.0 - 2.0 * s) - reached;
    let quintic = |s: f64| 1.5 * s * s * s * (10.0 + s * (6.0 * s - 15.0)) - reached;
    let there_and_back = |s: f64| 6.4 * s * (1.0 - s) - reached;
    let two_joints = |t: f64| t.sin() + (0.2 + 1.8 * t).sin() - 1.2;
    let opposed = |t: f64| (1.2 * t).sin() + (0.6 * t).sin() - 1.1;
    let turn_and_slide = |t: f64| (0.51 + 0.5 * t) * t.sin() + 0.01 * t.cos() - 0.6;
    vec![
        ("tip-to-wall", reached / 1.5, 1.5),
        ("tip-to-wall-far", reached / 1.5, 1.5),
        ("tip-to-wall-threshold", 0.49_f64.asin() / 1.5, 1.5),
        ("down-to-wall", (3.0 - 0.25_f64.acos()) / 3.0, 3.0),
        ("two-joints", root(two_joints, 0.0, 0.8), 2.8),
        ("opposed-joints", root(opposed, 0.0, 1.0), 3.0),
        ("slide-to-plate", 0.7, 2.0),
        ("slide-to-plate-threshold", 1.39 / 2.0, 2.0),
        ("slide-to-touch", 1.0, 1.4),
        ("touch-and-leave", 1.0, 1.4),
        ("two-slides", 1.8 / 2.3, 2.3),
        ("ball-on-arm", 0.45_f64.asin() / 1.5, 1.5),
        (
            "blade-through-plate",
            (3.0 - (5e-5_f64 / 0.9).atan()) / 6.0,
            6.0,
        ),
        (
            "two-turns",
            (2.0 * PI - (2e-4_f64 / 0.9).atan()) / 12.0,
            12.0,
        ),
        ("two-arms", (1.8 - PI / 3.0) / 1.8, 3.6),
        ("cubic", root(cubic, 0.0, 1.0), 2.25),
        ("quintic", root(quintic, 0.0, 1.0), 2.9),
        ("there-and-back", root(there_and_back, 0.0, 0.5), 6.4),
        ("turn-and-slide", root(turn_and_slide, 0.0, 1.0), 1.6),
    ]
}

/// Scenes about the threshold itself, which have tests of their own.
const KISSES: [&str; 2] = ["kiss", "near-kiss"];

/// Runs the program as a user would; its answer to the one program.
fn check(scene: &Scene, resolution: &str, more: &[&str]) -> Value {
    let output = Command::cargo_bin("clearance")
        .unwrap()
        .current_dir(folder())
        .args(["check", "--no-cache", "--quiet", "--report", "json"])
        .args(["--robot", &scene.robot, "--resolution", resolution])
        .args(["--clearance", &format!("{}m", scene.clearance)])
        .args(more)
        .arg(&scene.program)
        .output()
        .unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}: {output:?}", scene.scene));
    outcome["programs"][0].clone()
}

#[test]
fn the_truth_is_what_closed_forms_say() {
    let truth = truth();
    for (name, time, _) in closed_forms() {
        let stated = truth[name].contact.unwrap();
        assert!(
            (stated - time).abs() < 1e-14,
            "{name}: {stated}, by its form {time}"
        );
    }
    assert_eq!(truth["kiss"].contact, Some(0.5));
    assert_eq!(truth["near-kiss"].contact, None);
    assert_eq!(truth.len(), closed_forms().len() + KISSES.len());
}

#[test]
fn every_contact_is_found_where_it_is() {
    let truth = truth();
    for (name, _, speed) in closed_forms() {
        let scene = &truth[name];
        let contact = scene.contact.unwrap();
        let answer = check(scene, "0.1mm", &["--all", "--minimum"]);
        assert_eq!(answer["verdict"], "collision", "{name}");
        let number = |of: &Value, key: &str| of[key].as_f64().unwrap();

        let first = &answer["first_contact"];
        let (free, time) = (number(first, "free_until"), number(first, "time"));
        assert!(
            free <= contact + ROUNDING && contact <= time + ROUNDING,
            "{name}: t* = {contact} is not in {free} … {time}"
        );
        let bracket = (time - free) * speed;
        assert!(bracket <= 3.0 * EPSILON, "{name}: a bracket of {bracket} m");
        let distance = number(first, "distance");
        assert!(
            distance <= scene.clearance + 1e-8,
            "{name}: {distance} m apart"
        );

        let begins = &answer["contacts"][0];
        let (free, until) = (number(begins, "free_until"), number(begins, "until"));
        assert!(
            free <= contact + ROUNDING && contact <= until + ROUNDING,
            "{name}: the first interval, {free} … {until}, does not hold {contact}"
        );
        let bound = number(&answer["minimum_clearance"], "lower_bound");
        assert_eq!(bound, 0.0, "{name}: contact was found");
    }
}

/// Bodies that come into contact and leave it have one contact, and for as long as it lasts.
#[test]
fn contacts_end_where_they_end() {
    let truth = truth();
    let mut both = closed_forms();
    both.retain(|(name, ..)| ["blade-through-plate", "there-and-back"].contains(name));
    assert_eq!(both.len(), 2);
    for (name, begin, speed) in both {
        let answer = check(&truth[name], "0.1mm", &["--all"]);
        let contacts = answer["contacts"].as_array().unwrap();
        let until = contacts.last().unwrap()["until"].as_f64().unwrap();
        // Both motions are the same backwards.
        let end = 1.0 - begin;
        assert!(
            until >= end - ROUNDING && (until - end) * speed < 3.0 * EPSILON,
            "{name}: until {until}, not {end}"
        );
        assert_eq!(contacts.len(), 1, "{name}: {contacts:?}");
    }
}

#[test]
fn the_threshold_itself_is_no_clear_and_a_micrometre_more_is() {
    let truth = truth();
    let [kiss, near_kiss] = KISSES.map(|name| &truth[name]);
    let answer = check(kiss, "0.1mm", &[]);
    let verdict = answer["verdict"].as_str().unwrap();
    assert!(["collision", "undecided"].contains(&verdict), "{verdict}");
    let first = &answer["first_contact"];
    assert!(first["free_until"].as_f64().unwrap() <= 0.5, "{first}");
    assert!(
        first["distance"].as_f64().unwrap() <= kiss.clearance + EPSILON,
        "{first}"
    );
    if verdict == "undecided" {
        assert_eq!(first["kind"], "unresolved");
        assert!(first["until"].as_f64().unwrap() >= 0.5, "{first}");
    }
    assert_eq!(check(near_kiss, "1um", &[])["verdict"], "clear");
}
