//! Geometry files with events: at every instant each body is there once, and each pair is in the
//! list once.

use crate::files::{Certificate, Geometry};
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
fn still(pairs: &[&str], segments: usize, more: &str) -> String {
    let geometry = Geometry::read(&file([0, 1, 2], 0, (&BODIES, pairs))).unwrap();
    let head = format!("clearance-certificate 2\nmotion 0 {segments}\n");
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

/// A motion that is over before an event would leave open what the file says of it.
#[test]
fn a_motion_goes_on_until_the_last_event() {
    let left = ["leave 0 1 x", "leave 0 2 x", "leave 2 3 x", "leave 0 4 x"];
    let late = ["during 8 1048576", "leave 0 4 x"];
    let valid = |pairs: &[&str], segments: usize| still(pairs, segments, "");
    assert_eq!(valid(&left, 7), "0");
    assert!(valid(&left, 6).contains("a longer motion"));
    let [first, more @ ..] = left;
    let [more @ .., last] = more;
    let pairs = [&[first][..], &more, &["during 6 8", last], &late].concat();
    assert_eq!(valid(&pairs, 9), "0");
    assert!(valid(&pairs, 8).contains("a longer motion"));
}
