//! Geometry files with events: at every instant each body is there once, and each pair is in the
//! list once.

use crate::contact::keeps_shape;
use crate::files::{CellBody, Certificate, During, Geometry, JointMotion, metres};
use crate::numbers::V3;
use crate::shapes::BodyPart;
use crate::statement::statement;
use crate::walk::check;

/// A joint that turns, an arm on it, a cube and a post that stand; the arm takes the cube in
/// segment 3 and puts it down in segment 6.
const BODIES: [&str; 6] = [
    "joint -1 turns 1152921504606846976 0 0 0 0 0 0 0 0 1152921504606846976 axis",
    "body 0 arm",
    "body -1 cube",
    "body -1 post",
    "change 1 3 0",
    "change 3 6 -1",
];

/// Reads a file with these bodies, one triangle each, and these lines behind them; says what is
/// wrong with it, or nothing.
fn read(bodies: &[&str], pairs: &[&str]) -> String {
    read_with([0, 1, 2], 0, (bodies, pairs))
}

/// The same where the last body has another triangle and radius.
fn read_with(last: [u32; 3], radius: i64, lines: (&[&str], &[&str])) -> String {
    Geometry::read(&file(last, radius, lines)).map_or_else(|e| e.to_string(), |_| String::new())
}

fn file(last: [u32; 3], radius: i64, (bodies, pairs): (&[&str], &[&str])) -> Vec<u8> {
    let mut file = b"clearance-geometry 2\n".to_vec();
    let mut line = |text: &str, block: &[u8]| {
        file.extend(text.bytes().chain([b'\n']).chain(block.iter().copied()));
    };
    bodies.iter().for_each(|text| line(text, &[]));
    let count = bodies.len() - 1;
    for body in 0..count {
        let (triangle, radius) = match count - body {
            1 => (last, radius),
            _ => ([0, 1, 2], 0),
        };
        let corners = (0..9i64).flat_map(|k| ((k * k) << 30).to_le_bytes());
        let indices = triangle.iter().flat_map(|k| k.to_le_bytes());
        let block: Vec<u8> = corners.chain(indices).chain([0]).collect();
        line(&format!("part {body} {radius} 3 1"), &block);
    }
    pairs.iter().for_each(|text| line(text, &[]));
    line("end", &[]);
    file
}

const PAIRS: [&str; 6] = [
    "check 0 1 5",
    "check 0 2 5",
    "check 2 3 5",
    "during 6 8",
    "check 0 4 5",
    // To the end of any motion.
    "during 8 1048576\nleave 0 4 it is put down",
];

#[test]
fn at_every_instant_each_pair_is_in_the_list_once() {
    let read = |pairs: &[&str]| read(&BODIES, pairs);
    assert_eq!(read(&PAIRS), "");
    let with = |k: usize, line: &'static str| {
        let mut pairs = PAIRS;
        pairs[k] = line;
        read(&pairs)
    };
    // Without one of them, and with one twice.
    assert!(with(0, "note").contains("1 pairs in segment 0, not 2"));
    assert!(with(2, "note").contains("1 pairs in segment 3, not 2"));
    assert!(with(4, "note").contains("1 pairs in segment 6, not 2"));
    assert!(with(5, "note").contains("1 pairs in segment 8, not 2"));
    assert!(with(3, "note").contains("twice"), "{}", with(3, "note"));
    // A segment that nothing is said of: the first, a middle, the last one.
    assert!(with(3, "during 7 8").contains("1 pairs in segment 6, not 2"));
    assert!(with(3, "during 6 7").contains("1 pairs in segment 7, not 2"));
    let last = "during 8 1048575\nleave 0 4 it is put down";
    assert!(with(5, last).contains("1 pairs in segment 1048575, not 2"));
    // One that two things are said of.
    assert!(with(3, "during 6 9").contains("twice"));
    // Segments in which both are not there.
    assert!(with(0, "during 3 6\ncheck 0 1 5").contains("no pair"));
    assert!(with(2, "check 2 3 5\ncheck 1 3 5").contains("no pair"));
    // No pair: they move together, or stand.
    assert!(with(2, "check 2 3 5\ncheck 0 3 5").contains("no pair"));
    assert!(with(4, "check 0 4 5\ncheck 2 4 5").contains("no pair"));
}

/// What is said of each segment anew costs each line once: whoever writes such a file does not keep
/// the checker busy for hours.
#[test]
fn many_changes_are_gone_through_once() {
    const MANY: usize = 150_000;
    let pairs = |last: usize| -> Vec<String> {
        let mut all: Vec<String> = (0..MANY)
            .map(|k| format!("during {k} {}\ncheck 0 1 5", k + 1))
            .collect();
        all.push(format!("during {last} 1048576\ncheck 0 1 5"));
        all
    };
    let answer = |last: usize| {
        let pairs = pairs(last);
        let pairs: Vec<&str> = pairs.iter().map(String::as_str).collect();
        read(&BODIES[..3], &pairs)
    };
    assert_eq!(answer(MANY), "");
    assert!(answer(MANY - 1).contains("twice"));
    assert!(answer(MANY + 1).contains("0 pairs in segment 150000, not 1"));
}

#[test]
fn at_every_instant_each_body_is_there_once() {
    let with = |k: usize, line: &'static str| {
        let mut bodies = BODIES;
        bodies[k] = line;
        read(&bodies, &PAIRS)
    };
    let wrong = "no body that goes on until then";
    // Taken twice, taken before it was put down, taken at the start, by nobody, after every end.
    for line in ["change 1 6 -1", "change 3 3 -1", "change 3 2 -1"] {
        assert!(with(5, line).contains(wrong), "{line}: {}", with(5, line));
    }
    for line in ["change 1 0 0", "change -1 3 0", "change 1 1048576 0"] {
        assert!(with(4, line).contains(wrong), "{line}: {}", with(4, line));
    }
    assert!(with(4, "change 1 3 1").contains("no such one before"));
    assert!(with(4, "change 4 3 0").contains("no such one before"));
}

#[test]
fn a_body_that_is_handed_over_stays_what_it_is() {
    let files = (&BODIES[..], &PAIRS[..]);
    assert_eq!(read_with([0, 1, 2], 0, files), "");
    let other = "has other triangles than before";
    assert!(read_with([0, 2, 1], 0, files).contains(other));
    assert!(read_with([0, 1, 2], 1, files).contains(other));
}

/// The checker's answer for a motion in which nothing moves, with this line behind it, and no
/// proof.
/// A pair of bodies is as many pairs of parts as their numbers multiplied.
#[test]
fn parts_of_a_pair_are_no_more_than_can_be_gone_through() {
    let corners: Vec<u8> = (0..9i64)
        .flat_map(|k| ((k * k) << 30).to_le_bytes())
        .collect();
    let indices = [0u32, 1, 2].map(u32::to_le_bytes).concat();
    let read = |parts: usize| {
        let mut file = b"clearance-geometry 2\n".to_vec();
        file.extend(BODIES[..3].join("\n").bytes().chain([b'\n']));
        for body in [0, 1] {
            for _ in 0..parts {
                file.extend(format!("part {body} 0 3 1\n").bytes());
                file.extend([&corners[..], &indices, &[0]].concat());
            }
        }
        file.extend(b"check 0 1 5\nend\n");
        Geometry::read(&file).map_or_else(|e| e.to_string(), |_| String::new())
    };
    assert_eq!(read(20), "");
    assert!(read(2100).contains("too many pairs of parts"));
}

fn still(pairs: &[&str], segments: usize, more: &str) -> String {
    let geometry = Geometry::read(&file([0, 1, 2], 0, (&BODIES, pairs))).unwrap();
    let head = format!("clearance-certificate 3\nmotion 0 {segments}\n");
    // Of each segment: it takes no time, and the joint has no coefficient.
    let motion = vec![0; 2 * segments];
    let end = format!("{more}proof 0\nend\n");
    let bytes = [head.as_bytes(), &motion, end.as_bytes()].concat();
    let certificate = Certificate::read(&bytes, |_| Ok(geometry.kinds())).unwrap();
    let answer = check(&geometry, &certificate, &mut |_, _| ());
    answer.map_or_else(|e| e.to_string(), |cells| cells.to_string())
}

/// All bodies are at one place, so wherever a pair is there it has a contact.
#[test]
fn a_contact_is_one_of_a_pair_that_is_there() {
    let pairs = ["check 0 1 5", "check 0 2 5", "check 2 3 5", "check 0 4 5"];
    let at = |a: usize, b: usize, time: u64| {
        let contact = format!("contact 0 {time} {a} 0 7 8 {b} 0 7 8\n");
        still(&pairs, 9, &contact)
    };
    let segment = 1u64 << 40;
    // First and last instant of each pair: those of events are ones.
    for (a, b, from, to) in [(0, 1, 0, 3), (2, 3, 3, 6), (0, 4, 6, 9), (0, 2, 0, 9)] {
        for time in [from * segment, (from + 1) * segment - 1, to * segment] {
            assert_eq!(at(a, b, time), "0", "{a} {b} {time}");
        }
        for time in [(from * segment).wrapping_sub(1), to * segment + 1] {
            let said = at(a, b, time);
            let wrong = ["one of no pair", "after the end of the motion"];
            assert!(
                wrong.iter().any(|w| said.contains(w)),
                "{a} {b} {time}: {said}"
            );
        }
    }
}

/// Segments count from 0, so none is called by the number of all of them.
#[test]
fn a_contact_at_the_end_says_so() {
    let geometry = Geometry::read(&file([0, 1, 2], 0, (&BODIES[..3], &["check 0 1 5"]))).unwrap();
    let contact = "contact 1 1099511627776 0 0 7 8 1 0 7 8\n";
    let bytes = [
        b"clearance-certificate 3\nmotion 0 1\n\0\0",
        contact.as_bytes(),
        b"end\n",
    ]
    .concat();
    let certificate = Certificate::read(&bytes, |_| Ok(geometry.kinds())).unwrap();
    let said = statement(&geometry, &certificate);
    assert!(said.contains(" (segment 0, 1/2^40 of it) "), "{said}");
    assert!(
        said.contains("CONTACT: at 0.000000000 (the end of the motion) surfaces"),
        "{said}"
    );
}

/// A motion that is over before an event would leave open what the file says of it.
#[test]
fn a_motion_goes_on_until_the_last_event() {
    let left = ["leave 0 1 x", "leave 0 2 x", "leave 2 3 x", "leave 0 4 x"];
    let late = ["during 8 1048576", "leave 0 4 x"];
    let valid = |pairs: &[&str], segments: usize| still(pairs, segments, "");
    assert_eq!(valid(&left, 7), "no pair of bodies is checked");
    assert!(valid(&left, 6).contains("a longer motion"));
    let [first, more @ ..] = left;
    let [more @ .., last] = more;
    let pairs = [&[first][..], &more, &["during 6 8", last], &late].concat();
    assert_eq!(valid(&pairs, 9), "no pair of bodies is checked");
    assert!(valid(&pairs, 8).contains("a longer motion"));
}

/// What is wrong with a certificate of joints that turn: no proof, and these lines and bytes.
fn wrong(joints: usize, parts: &[&[u8]]) -> String {
    let bytes = [
        b"clearance-certificate 3\n",
        &parts.concat()[..],
        b"proof 0\nend\n",
    ]
    .concat();
    let read = Certificate::read(&bytes, |_| Ok(vec![JointMotion::Turns; joints]));
    read.map_or_else(|e| e.to_string(), |_| String::new())
}

/// The statement names the file that was proved, and no other one.
#[test]
fn a_certificate_names_its_geometry_once_and_before_the_motion() {
    let [a, b, motion] = [&b"geometry 1 a\n"[..], b"geometry 2 b\n", b"motion 0 0\n"];
    assert_eq!(wrong(0, &[a, motion]), "");
    assert!(wrong(0, &[b"geometry  a\n", b, motion]).contains("no SHA-256"));
    for parts in [[a, b, motion], [a, motion, b], [motion, a, b]] {
        assert!(wrong(0, &parts).contains("no line of a certificate"));
    }
}

/// Inside is asked once, so nothing may get there by a jump.
#[test]
fn a_segment_begins_where_the_one_before_ends() {
    let motion = |step: u8| wrong(1, &[b"motion 0 2\n", &[0, 2, 10, 4], &[0, 1, step]]);
    assert_eq!(motion(0), "");
    assert!(motion(2).contains("does not start where"), "{}", motion(2));
}

#[test]
fn a_motion_takes_no_more_memory_than_its_file_pays_for() {
    let all = vec![0; 1 << 20];
    assert!(wrong(1 << 10, &[b"motion 0 1048575\n", &all]).contains("too many segments"));
    assert!(wrong(1, &[b"motion 0 1048576\n", &all]).contains("too many segments"));
    // A million segments of two arms are read, and end too early here; of 17 joints they are not.
    let most = |joints| wrong(joints, &[b"motion 0 1048575\n", &all[..14]]);
    assert!(!most(16).contains("too many segments"), "{}", most(16));
    assert!(most(17).contains("too many segments"), "{}", most(17));
}

#[test]
fn what_says_nothing_or_two_things_is_refused() {
    let pairs = ["leave 0 1 x", "leave 0 2 x", "leave 2 3 x", "leave 0 4 x"];
    assert_eq!(still(&pairs, 9, ""), "no pair of bodies is checked");
    let mut twice = BODIES;
    twice[3] = "body -1 cube";
    assert!(read(&twice, &PAIRS).contains("two bodies \"cube\""));
    let joints = [BODIES[0], BODIES[0], BODIES[1], BODIES[2]];
    let said = Geometry::read(
        &[
            b"clearance-geometry 2\n",
            joints[..2].join("\n").as_bytes(),
            b"\nend\n",
        ]
        .concat(),
    );
    assert!(
        said.unwrap_err()
            .to_string()
            .contains("two joints \"axis\"")
    );
    // Nothing is off; no segments; and numbers that another reader may take for others.
    let with = |line| read(&BODIES[..3], &["check 0 1 5", line]);
    assert_eq!(with("off 0 0 1"), "");
    for line in [
        "off 0 0 0",
        "during 5 3",
        "during 5 5",
        "during 0 1048577",
        "off 0 0 +1",
        "off 0 0 1_0",
    ] {
        assert_ne!(with(line), "", "{line}");
    }
    for digit in ["\u{661}", "1\r", "\t1", "+1", "-0", "-01", "01", "00"] {
        let line = format!("off 0 0 {digit}");
        assert_ne!(read(&BODIES[..3], &["check 0 1 5", &line]), "", "{digit:?}");
    }
}

#[test]
fn a_contact_with_errors_is_refused() {
    let pairs = [
        "off 0 0 1",
        "check 0 1 5",
        "check 0 2 5",
        "check 2 3 5",
        "check 0 4 5",
    ];
    let said = still(&pairs, 9, "contact 0 0 0 1 0 7 8 0 7 8\n");
    assert!(said.contains("something may be off"), "{said}");
}

/// A cube with corners that are not its triangles' before those that are, handed over as it is,
/// mirrored, smaller, and with other corners that nothing uses.
#[test]
fn another_shape_is_told() {
    let size = 1 << 40;
    let cube: Vec<V3> = (0..8)
        .map(|k| [0, 1, 2].map(|a| size * (k >> a & 1)))
        .collect();
    let triangles: Vec<[u32; 3]> = (1..7).map(|k| [k, k + 1, k + 2]).collect();
    let with = |body: usize, corners: &[V3]| {
        // The first corner belongs to no triangle.
        let first = vec![[7 * size, 0, body as i64]];
        let all = [first, corners.to_vec()].concat();
        BodyPart::new(body, 0, all, triangles.clone(), vec![0])
    };
    let keeps = |is: &[V3]| {
        let body = |before| CellBody {
            name: "cube".into(),
            joint: None,
            during: During::ALL,
            before,
        };
        let geometry = Geometry {
            bodies: vec![body(None), body(Some(0))],
            parts: vec![with(0, &cube), with(1, is)],
            ..Geometry::default()
        };
        keeps_shape(&geometry, 1)
    };
    // Turned about an axis by a rounded sine, and moved.
    let (c, s) = (0.6f64.cos(), 0.6f64.sin());
    let turned = |p: &V3| {
        let [x, y, z] = p.map(|x| x as f64);
        [c * x - s * y, s * x + c * y, z + 12345.0].map(|x| x.round() as i64)
    };
    let turned: Vec<V3> = cube.iter().map(turned).collect();
    assert!(keeps(&turned));
    let mirrored: Vec<V3> = turned.iter().map(|[x, y, z]| [*x, *y, -z]).collect();
    assert!(!keeps(&mirrored));
    let smaller: Vec<V3> = turned.iter().map(|p| p.map(|x| x / 2)).collect();
    assert!(!keeps(&smaller));
    for k in 0..8 {
        let mut bent = turned.clone();
        bent[k][2] += 1 << 20;
        assert!(!keeps(&bent), "corner {k}");
    }
}

/// What is said to be apart is no more than what was proved.
#[test]
fn lengths_are_cut_to_nanometres() {
    assert_eq!(metres(550), "0 m");
    assert_eq!(metres(1100), "0.000000001 m");
    assert_eq!(metres((1 << 40) + 1), "1 m");
}

/// Catches two names that are read as one, and a name of a file that is read as another one.
#[test]
fn names_are_read_as_they_are() {
    let names = [
        "my table",
        "my  table",
        " my table",
        "my table ",
        "my\ttable",
        "",
    ];
    let bodies: Vec<String> = names.iter().map(|name| format!("body -1 {name}")).collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let bodies = [&BODIES[..1], &bodies].concat();
    let geometry = Geometry::read(&file([0, 1, 2], 0, (&bodies, &[]))).unwrap();
    let read: Vec<&str> = geometry.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(read, names);
    let bytes = b"clearance-certificate 3\ngeometry 1  a  b \nmotion 0 0\nend\n";
    let certificate = Certificate::read(bytes, |_| Ok(Vec::new())).unwrap();
    assert_eq!(certificate.geometry_file, " a  b ");
}

#[test]
fn a_line_says_no_more_than_it_has_to() {
    let with = |line| read(&BODIES[..3], &[line]);
    assert_eq!(with("check 0 1 5"), "");
    for line in [
        "check 0 1 5 7",
        "check 0 1 5 ",
        "check 0 1  5",
        " check 0 1 5",
        "check 0 1",
    ] {
        assert_ne!(with(line), "", "{line:?}");
    }
    assert_eq!(read(&BODIES[..3], &["leave 0 1"]), "");
    assert!(read(&BODIES[..3], &["leave 0 1 x\nend more"]).contains("no line of"));
}

/// Catches a reason, or the name of a file, that poses as what the checker has shown.
#[test]
fn texts_of_the_maker_stay_in_their_quotes() {
    let reason = "at rest, in segments 0 to 0 (0.000000000 to 0.100000000 s, both included)";
    let leave = format!("leave 0 1 {reason}");
    let geometry = Geometry::read(&file([0, 1, 2], 0, (&BODIES[..3], &[&leave]))).unwrap();
    let certificate = Certificate {
        geometry_file: "a (SHA-256 0).geometry".into(),
        ..Certificate::default()
    };
    let said = statement(&geometry, &certificate);
    let pair = format!("  \"arm\" and \"cube\": \"{reason}\"\n");
    assert!(said.contains(&pair), "{said}");
    assert!(
        said.contains("geometry: \"a (SHA-256 0).geometry\" (SHA-256 )\n"),
        "{said}"
    );
    assert!(
        said.contains("keep their distance (but for those that are PUT ELSEWHERE)"),
        "{said}"
    );
}
