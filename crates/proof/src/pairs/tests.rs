use std::collections::BTreeMap;

use nalgebra::{Isometry3, Vector3};

use super::*;
use crate::model::{
    Body, Form, Joint, JointKind, Limits, Mimic, PairThreshold, Role, Shape, matches,
};

/// A cell in shorthand: `name parent joint`, `-` for none, `name!` for a body without shapes.
fn cell(joints: usize, bodies: &[&str]) -> Cell {
    let mut cell = Cell::default();
    for j in 0..joints {
        cell.joints.push(Joint {
            name: format!("j{j}"),
            robot: 0,
            parent: j.checked_sub(1),
            parent_from_joint: Isometry3::identity(),
            axis: Vector3::z_axis(),
            kind: JointKind::Revolute,
            limits: Limits::default(),
            mimic: None,
        });
    }
    for line in bodies {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words[0].trim_end_matches('!');
        let shape = Shape {
            name: String::new(),
            body_from_shape: Isometry3::identity(),
            form: Form::Sphere { radius: 0.1 },
            solid: None,
            scale: None,
        };
        let parent = cell.body(words[1]);
        cell.bodies.push(Body {
            name: name.to_owned(),
            role: match words.get(3) {
                Some(&"attached") => Role::Attached,
                Some(&"obstacle") => Role::Obstacle,
                _ => Role::Link { robot: 0 },
            },
            joint: words[2].parse().ok(),
            joint_from_body: Isometry3::identity(),
            parent,
            shapes: if words[0].ends_with('!') {
                vec![]
            } else {
                vec![shape]
            },
        });
    }
    cell
}

fn allow(a: &str, b: &str, reason: &str, by: AllowedBy) -> Allowance {
    Allowance {
        a: a.to_owned(),
        b: b.to_owned(),
        reason: reason.to_owned(),
        by,
    }
}

/// `a-b` → state, for every pair of the table.
fn states(cell: &Cell, table: &PairTable) -> BTreeMap<String, String> {
    let name = |a: BodyId, b: BodyId| format!("{}-{}", cell.bodies[a].name, cell.bodies[b].name);
    let checked = table
        .checked
        .iter()
        .map(|p| (name(p.a, p.b), format!("checked {:?}", p.clearance)));
    let all = table.all_excluded();
    let excluded = all.iter().map(|p| (name(p.a, p.b), p.reason.to_string()));
    checked.chain(excluded).collect()
}

/// base – shoulder – (empty) elbow frame – forearm – empty flange – tool; a table.
fn arm() -> Cell {
    cell(
        3,
        &[
            "base - -",
            "shoulder base 0",
            "bare! shoulder 1",
            "forearm bare 2",
            "flange! forearm 2",
            "tool flange 2 attached",
            "table - - obstacle",
        ],
    )
}

#[test]
fn every_reason_that_the_tree_gives() {
    let cell = arm();
    let got = states(&cell, &PairTable::new(&cell));
    let expected = [
        ("base-shoulder", "adjacent"),
        ("base-forearm", "checked None"),
        ("base-tool", "checked None"),
        ("base-table", "both fixed to the world"),
        ("shoulder-forearm", "adjacent"), // through the link without geometry
        ("shoulder-tool", "checked None"),
        ("shoulder-table", "checked None"),
        ("forearm-tool", "rigidly joined"),
        ("forearm-table", "checked None"),
        ("tool-table", "checked None"),
    ];
    assert_eq!(
        got,
        expected.map(|(a, b)| (a.to_owned(), b.to_owned())).into()
    );
}

#[test]
fn fingers_that_follow_one_another_are_checked() {
    let mut cell = cell(2, &["palm - -", "left palm 0", "right palm 1"]);
    cell.joints[1].parent = None;
    cell.joints[1].mimic = Some(Mimic {
        source: 0,
        multiplier: 1.0,
        offset: 0.0,
    });
    let got = states(&cell, &PairTable::new(&cell));
    assert_eq!(got["left-right"], "checked None");
    assert_eq!(got["palm-left"], "adjacent");
}

#[test]
fn allowances_say_who_and_why_and_the_first_one_counts() {
    let mut cell = arm();
    cell.allowed = vec![
        allow(
            "table",
            "forearm",
            "Never",
            AllowedBy::Srdf("arm.srdf".into()),
        ),
        allow("forearm", "t*", "second", AllowedBy::Cell), // the tool is rigid, the table said already: idle
        allow("tool", "table", "", AllowedBy::Touch),
        allow("gone", "table", "stale", AllowedBy::Cell),
        allow("shoulder", "*", "all of it", AllowedBy::Cell),
    ];
    let table = PairTable::new(&cell);
    let got = states(&cell, &table);
    assert_eq!(got["forearm-table"], "allowed by arm.srdf: Never");
    assert_eq!(got["tool-table"], "allowed by touch of the attachment");
    assert_eq!(got["shoulder-tool"], "allowed by [[allow]]: all of it");
    assert_eq!(got["base-shoulder"], "adjacent");
    assert_eq!(got["base-tool"], "checked None");
    assert_eq!(table.idle, [1, 3]);
}

#[test]
fn the_last_threshold_that_matches_counts() {
    let mut cell = arm();
    let threshold = |a: &str, b: &str, clearance| PairThreshold {
        a: a.to_owned(),
        b: b.to_owned(),
        clearance,
        warn: None,
        place: None,
    };
    cell.thresholds = vec![
        threshold("*", "table", 0.05),
        threshold("table", "to*l", 0.01),
        threshold("base", "table", 0.5),
        threshold("base", "nothing", 0.5),
        threshold("base", "tool", 0.2),
        threshold("tool", "base", 0.1),
    ];
    cell.allowed = vec![allow("base", "forearm", "", AllowedBy::Cell)];
    cell.thresholds.push(threshold("base", "forearm", 0.5));
    let table = PairTable::new(&cell);
    let got = states(&cell, &table);
    assert_eq!(got["forearm-table"], "checked Some(0.05)");
    assert_eq!(got["tool-table"], "checked Some(0.01)");
    assert_eq!(got["base-tool"], "checked Some(0.1)");
    let notes: Vec<_> = table
        .notes
        .iter()
        .filter(|n| n.code == Code::IdlePair)
        .map(|n| (n.subject.as_str(), n.severity, n.message.as_str()))
        .collect();
    assert_eq!(
        notes,
        [
            (
                "base – table",
                Severity::Note,
                "[[pair]] has no effect, the pair is not checked: both fixed to the world"
            ),
            (
                "base – nothing",
                Severity::Notice,
                "[[pair]] matches no two bodies with geometry: no distance is held by it"
            ),
            (
                "base – tool",
                Severity::Notice,
                "[[pair]] has no effect, later ones name all its pairs: put it behind them"
            ),
            (
                "base – forearm",
                Severity::Notice,
                "[[pair]] has no effect, the pair is not checked: allowed by [[allow]]"
            ),
        ]
    );
}

/// Ten thousand obstacles: what is listed grows with the pairs of which one moves, the rest is
/// counted.
#[test]
fn what_stands_still_is_not_listed_pair_by_pair() {
    let listed = |obstacles: usize| {
        let mut lines = vec![
            "base - -".to_owned(),
            "arm base 0".into(),
            "hand arm 1".into(),
        ];
        lines.extend((0..obstacles).map(|i| format!("o{i} - - obstacle")));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut cell = cell(2, &lines);
        cell.allowed = vec![allow("hand", "o1*", "", AllowedBy::Cell)];
        cell.thresholds = ["o*", "*"]
            .map(|a| PairThreshold {
                a: a.into(),
                b: "o*".into(),
                clearance: 0.1,
                warn: None,
                place: None,
            })
            .into();
        let table = PairTable::new(&cell);
        let bodies = obstacles + 3;
        let all = table.checked.len() + table.excluded_count();
        assert_eq!(all, bodies * (bodies - 1) / 2);
        assert_eq!(table.standing.len(), obstacles + 1);
        // The first threshold names standing pairs only.
        let pairs = obstacles * (obstacles - 1) / 2;
        assert!(
            table.notes[0]
                .message
                .contains(&format!("none of its {pairs} pairs"))
        );
        assert_eq!(table.notes.len(), 1);
        table.checked.len() + table.excluded.len()
    };
    assert_eq!(listed(100), 2 * 100 + 3);
    assert_eq!(listed(3000), 2 * 3000 + 3);
}

/// How many pairs two patterns name, counted and by the definition.
#[test]
fn named_pairs_are_counted_as_they_are() {
    let cell = cell(0, &["a - -", "ab - -", "b - -", "ba - -", "c - -"]);
    let names = Names::new(&cell);
    let bodies: Vec<BodyId> = (0..5).collect();
    for a in ["*", "a*", "*b", "a", "c", "x"] {
        for b in ["*", "b*", "*a", "a", "c", "a*"] {
            let meant = NamedPairs::new(&cell, &names, a, b);
            let pairs = bodies
                .iter()
                .flat_map(|&x| bodies[x + 1..].iter().map(move |&y| (x, y)));
            let counted = pairs.filter(|&(x, y)| meant.pair(x, y)).count();
            assert_eq!(meant.count(&bodies), counted, "{a} {b}");
        }
    }
}

/// Every pair of bodies with shapes is in the table exactly once, whatever the patterns say.
#[test]
fn no_pair_is_lost() {
    let lines: Vec<String> = (0..60)
        .map(|i| match i % 7 {
            0 => format!("o{i} - - obstacle"),
            1 => format!("l{i}! o0 {}", i % 5),
            _ => format!("l{i} l{} {}", i - 1, i % 5),
        })
        .collect();
    let mut cell = cell(5, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    cell.allowed = (0..200)
        .map(|k| {
            allow(
                &format!("l{}*", k % 6),
                &format!("*{}", k % 10),
                "",
                AllowedBy::Cell,
            )
        })
        .collect();
    let table = PairTable::new(&cell);
    let solid = cell.bodies.iter().filter(|b| !b.shapes.is_empty()).count();
    let seen = states(&cell, &table);
    assert_eq!(seen.len(), solid * (solid - 1) / 2);
    assert_eq!(table.checked.len() + table.excluded_count(), seen.len());
    // Against the definition, pair by pair.
    for pair in &table.checked {
        let (a, b) = (&cell.bodies[pair.a].name, &cell.bodies[pair.b].name);
        let said = |x: &Allowance| {
            (matches(&x.a, a) && matches(&x.b, b)) || (matches(&x.a, b) && matches(&x.b, a))
        };
        assert!(!cell.allowed.iter().any(said), "{a} {b}");
    }
    for pair in &table.excluded {
        if let Reason::Allowed(x) = &pair.reason {
            let (a, b) = (&cell.bodies[pair.a].name, &cell.bodies[pair.b].name);
            let first = cell.allowed.iter().find(|x| {
                (matches(&x.a, a) && matches(&x.b, b)) || (matches(&x.a, b) && matches(&x.b, a))
            });
            assert_eq!(Some(x), first);
        }
    }
}

/// Whether base and tool, balls of 0.1 m about the origin of what they move with, are neighbours that
/// are joined by such joints, over links without geometry: kind, place in the one before, and axis.
fn are_neighbours(joints: &[(JointKind, [f64; 3], [f64; 3])]) -> bool {
    let mut lines = vec!["base - -".to_owned()];
    let last = joints.len() - 1;
    let mut parent = "base".to_owned();
    for k in 0..last {
        lines.push(format!("bare{k}! {parent} {k}"));
        parent = format!("bare{k}");
    }
    lines.push(format!("tool {parent} {last}"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut cell = cell(joints.len(), &lines);
    for (joint, &(kind, at, axis)) in cell.joints.iter_mut().zip(joints) {
        joint.kind = kind;
        joint.parent_from_joint = Isometry3::translation(at[0], at[1], at[2]);
        joint.axis = nalgebra::Unit::new_normalize(Vector3::from(axis));
    }
    let table = PairTable::new(&cell);
    let state = states(&cell, &table)["base-tool"].clone();
    assert!(
        state == "adjacent" || state.starts_with("checked"),
        "{state}"
    );
    // What is taken for one joint is told where it is several.
    let told = table.notes.iter().any(|n| n.code == Code::BallJoint);
    assert_eq!(told, state == "adjacent" && joints.len() > 1);
    state == "adjacent"
}

/// Regression: any number of joints over bare links made neighbours, so an arm drawn by its base
/// and its tool alone was not checked against itself.
#[test]
fn neighbours_are_joined_by_one_joint() {
    use JointKind::{Prismatic, Revolute};
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let o = [0.0; 3];
    assert!(are_neighbours(&[(Revolute, [0.3, 0.0, 0.0], z)]));
    // A ball joint is one, with frames that lie along its axes too.
    assert!(are_neighbours(&[
        (Revolute, o, z),
        (Revolute, o, y),
        (Revolute, o, x)
    ]));
    assert!(are_neighbours(&[
        (Revolute, o, z),
        (Revolute, [0.0, 0.0, 0.1], y),
        (Revolute, [0.1, 0.0, 0.0], x),
    ]));
    // A bare wrist is none: where its axes meet lies before the hand, or behind the arm.
    assert!(!are_neighbours(&[
        (Revolute, o, z),
        (Revolute, [0.0, 0.0, 0.1], y),
        (Revolute, [0.2, 0.0, 0.0], x),
    ]));
    assert!(!are_neighbours(&[
        (Revolute, [0.0, 0.0, 0.2], z),
        (Revolute, o, y)
    ]));
    // So is a quill, which turns and slides along one line.
    assert!(are_neighbours(&[
        (Prismatic, o, z),
        (Revolute, [0.0, 0.0, 0.1], z)
    ]));
    // An elbow over a bare link is none, nor an arm of them.
    assert!(!are_neighbours(&[
        (Revolute, o, z),
        (Revolute, [0.4, 0.0, 0.0], z)
    ]));
    assert!(!are_neighbours(&[
        (Revolute, o, z),
        (Revolute, o, y),
        (Revolute, [0.4, 0.0, 0.0], y),
    ]));
    // Nor is a gantry: where its axes meet moves.
    assert!(!are_neighbours(&[(Prismatic, o, x), (Prismatic, o, y)]));
    assert!(!are_neighbours(&[(Prismatic, o, z), (Revolute, o, x)]));
}

/// Regression: a link with the floor and the posts of a cell was the neighbour of the first link of an
/// arm whose own base has no geometry, and the arm went through the posts.
#[test]
fn what_carries_a_bare_base_is_checked_unless_it_is_at_the_joint() {
    let state = |height: f64, limits: Option<(f64, f64)>, lines: &[&str]| {
        let mut cell = cell(1, lines);
        cell.joints[0].parent_from_joint = Isometry3::translation(0.0, 0.0, height);
        cell.joints[0].limits.position = limits;
        if limits.is_some() {
            cell.joints[0].kind = JointKind::Prismatic;
            cell.joints[0].axis = Vector3::z_axis();
        }
        let table = PairTable::new(&cell);
        let told = table.notes.iter().any(|n| n.code == Code::BallJoint);
        let state = states(&cell, &table)["cell-arm"].clone();
        assert!(!told || state == "adjacent", "{state}");
        (state, told)
    };
    let bare = ["cell - -", "base! cell -", "arm base 0"];
    let adjacent = |told: bool| ("adjacent".to_owned(), told);
    let checked = || ("checked None".to_owned(), false);
    assert_eq!(state(0.15, None, &bare), adjacent(true));
    assert_eq!(state(0.25, None, &bare), checked());
    // Where the joint may be.
    assert_eq!(state(0.0, Some((0.1, 0.5)), &bare), adjacent(true));
    assert_eq!(state(0.0, Some((0.25, 0.5)), &bare), checked());
    // A link that the joint itself moves changes nothing, nor does no link at all.
    let moved = ["cell - -", "base! cell 0", "arm base 0"];
    assert_eq!(state(0.25, None, &moved), adjacent(false));
    assert_eq!(
        state(0.25, None, &["cell - -", "arm cell 0"]),
        adjacent(false)
    );
}

/// Regression: a hand behind a bare wrist folded into its forearm, and a post of the link that carries a
/// bare base was gone through: that both are housings of one joint is a guess.
#[test]
fn neighbours_by_a_guess_leave_the_question_open_until_somebody_says_so() {
    let open = |cell: &Cell| {
        let notes = PairTable::new(cell).notes;
        notes
            .iter()
            .any(|n| n.code == Code::BallJoint && n.severity == Severity::Open)
    };
    let mut wrist = cell(2, &["base - -", "bare! base 0", "hand bare 1"]);
    wrist.joints[1].axis = Vector3::y_axis();
    assert!(open(&wrist));
    // A quill.
    let mut quill = wrist.clone();
    quill.joints[0].kind = JointKind::Prismatic;
    quill.joints[1].axis = Vector3::z_axis();
    assert!(!open(&quill));
    let mut shop = cell(1, &["base - -", "bare! base -", "hand bare 0"]);
    assert!(!open(&shop));
    let mut post = shop.bodies[0].shapes[0].clone();
    post.body_from_shape = Isometry3::translation(1.0, 0.0, 0.0);
    shop.bodies[0].shapes.push(post);
    assert!(open(&shop));
    for mut cell in [wrist, shop] {
        let mut named = cell.clone();
        let pair = PairThreshold {
            a: "hand".to_owned(),
            b: "base".to_owned(),
            clearance: 0.0,
            warn: None,
            place: None,
        };
        named.thresholds.push(pair);
        let checked = PairTable::new(&named);
        assert_eq!(states(&named, &checked)["base-hand"], "checked Some(0.0)");
        assert!(!open(&named));
        cell.allowed
            .push(allow("base", "hand", "a ball", AllowedBy::Cell));
        let table = PairTable::new(&cell);
        let state = &states(&cell, &table)["base-hand"];
        assert!(state.contains("a ball") && table.idle.is_empty(), "{state}");
        assert!(!open(&cell));
    }
}

/// Regression: a tool on a bare wrist was the neighbour of the forearm that it can reach, and ended
/// inside of it.
#[test]
fn what_is_carried_is_checked_against_every_link_that_moves_against_it() {
    for (lines, expected) in [
        (&["base - -", "tool base 0 attached"][..], "checked None"),
        (
            &["base - -", "bare! base 0", "tool bare 1 attached"],
            "checked None",
        ),
        (
            &["base - -", "last base 0", "tool last 0 attached"],
            "checked None",
        ),
    ] {
        let cell = cell(2, lines);
        let states = states(&cell, &PairTable::new(&cell));
        assert_eq!(states["base-tool"], expected, "{lines:?}");
    }
}

/// A body that an event has put beside another one on the same joint was not there before.
#[test]
fn bodies_that_an_event_has_put_together_are_checked() {
    let lines = [
        "base - -",
        "hand base 0",
        "tool hand 0 attached",
        "part hand 0 attached",
    ];
    let mut cell = cell(1, &lines);
    assert_eq!(PairTable::new(&cell).checked.len(), 2);
    // What carries it may touch it.
    cell.put_together = [[2, 3], [1, 3]].into();
    // Regression: not where somebody asks to check the two while they move against each other.
    for asked in [vec![], vec![["hand".to_owned(), "part".to_owned()]]] {
        cell.enabled = asked;
        let states = states(&cell, &PairTable::new(&cell));
        assert_eq!(states["tool-part"], "checked None");
        assert_eq!(states["hand-part"], "adjacent");
    }
}

/// Somebody asks for it: an SRDF with `enable_collisions`.
#[test]
fn neighbours_are_checked_where_somebody_asks_for_it() {
    let mut cell = cell(2, &["base - -", "upper base 0", "hand upper 1"]);
    assert_eq!(PairTable::new(&cell).checked.len(), 1);
    cell.enabled = vec![["upper".to_owned(), "base".to_owned()]];
    let checked = PairTable::new(&cell).checked;
    let pairs: Vec<(BodyId, BodyId)> = checked.iter().map(|p| (p.a, p.b)).collect();
    assert_eq!(pairs, [(0, 1), (0, 2)]);
}
