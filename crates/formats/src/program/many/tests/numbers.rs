//! Recordings of which a name, a number or a form can be meant in two ways.

use super::recordings::{JOINTS, Message, TRAJECTORY};
use super::*;

/// A recording in MCAP, record by record, as no library writes it.
struct Raw(Vec<u8>);

const MAGIC: [u8; 8] = *b"\x89MCAP0\r\n";

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

impl Raw {
    fn new() -> Self {
        Self(MAGIC.to_vec()).record(1, &[text("ros2"), text("")])
    }

    fn record(mut self, kind: u8, parts: &[Vec<u8>]) -> Self {
        let data = parts.concat();
        self.0.push(kind);
        self.0.extend((data.len() as u64).to_le_bytes());
        self.0.extend(data);
        self
    }

    fn schema(self, definition: &str) -> Self {
        let id = 1u16.to_le_bytes().to_vec();
        let name = text("trajectory_msgs/msg/JointTrajectory");
        self.record(3, &[id, name, text("ros2msg"), text(definition)])
    }

    fn channel(self, id: u16, topic: &str) -> Self {
        let ids = [id.to_le_bytes(), 1u16.to_le_bytes()].concat();
        self.record(4, &[ids, text(topic), text("cdr"), vec![0; 4]])
    }

    fn message(self, channel: u16, logged: u64, data: Vec<u8>) -> Self {
        let times = [logged.to_le_bytes(), logged.to_le_bytes()].concat();
        let head = [&channel.to_le_bytes()[..], &[0; 4], &times].concat();
        self.record(5, &[head, data])
    }

    fn file(self) -> TestFile {
        let ended = self.record(15, &[vec![0; 4]]).record(2, &[vec![0; 20]]);
        TestFile::new("r.mcap", [&ended.0[..], &MAGIC].concat())
    }
}

/// A plan that goes to this position.
fn plan(to: f64) -> Vec<u8> {
    Message::cdr(false).trajectory(&JOINTS, &[(0.0, [0.0, 0.0]), (1.0, [to, 0.0])])
}

fn goes_to(program: &Program) -> f64 {
    taught(program).last().unwrap().1[0]
}

/// Regression: the first of two definitions with one number counted. A reader that begins with the
/// summary at the end of a file has the last one.
#[test]
fn a_definition_that_comes_again_is_the_same() {
    let other = TRAJECTORY.replace(
        "float64[] positions\nfloat64[] velocities",
        "float64[] velocities\nfloat64[] positions",
    );
    assert_ne!(other, TRAJECTORY);
    let recording = |again: &str| {
        let begun = Raw::new().schema(TRAJECTORY).channel(1, "/plan");
        begun.message(1, 0, plan(0.5)).schema(again).file()
    };
    let program = recording(TRAJECTORY).one(Some("/plan@1"), &Layout::default());
    assert_eq!(goes_to(&program.unwrap()), 0.5);
    let said = recording(&other).one(Some("/plan@1"), &Layout::default());
    let said = said.unwrap_err();
    assert!(said.contains("schema 1 has two meanings"), "{said}");
}

/// Regression: `/plan@2` was the second message of `/plan`, also beside a topic of that name.
#[test]
fn a_topic_with_the_name_of_a_message_is_told() {
    let recording = |other: &str| {
        let begun = Raw::new().schema(TRAJECTORY);
        let begun = begun.channel(1, "/plan").channel(2, other);
        let begun = begun.message(1, 0, plan(0.25)).message(1, 1, plan(0.5));
        begun.message(2, 2, plan(0.75)).file()
    };
    let file = recording("/plan@2");
    let first = file.one(Some("/plan@1"), &Layout::default()).unwrap();
    assert_eq!(goes_to(&first), 0.25);
    let said = file.one(Some("/plan@2"), &Layout::default()).unwrap_err();
    assert!(
        said.contains("`/plan@2` is message 2 of a topic, and a topic of its own"),
        "{said}"
    );
    let program = recording("/other").one(Some("/plan@2"), &Layout::default());
    assert_eq!(goes_to(&program.unwrap()), 0.5);
    // A number is written in one way: others are names of topics.
    for name in ["/plan@02", "/plan@+2"] {
        let program = recording(name).one(Some(name), &Layout::default());
        assert_eq!(goes_to(&program.unwrap()), 0.75, "{name}");
        let said = recording("/other").one(Some(name), &Layout::default());
        assert!(said.is_err(), "{name}");
    }
}

/// Regression: a number counted in the order of the file, without a word where tools that count by
/// the times of logging mean another message.
#[test]
fn a_number_that_times_of_logging_give_to_another_message_is_told() {
    let file = |times: [u64; 4]| {
        let begun = Raw::new().schema(TRAJECTORY).channel(1, "/plan");
        let logged = times.iter().zip(1..);
        let done = logged.fold(begun, |raw, (&time, n)| {
            raw.message(1, time, plan(f64::from(n) / 8.0))
        });
        done.file()
    };
    let layout = Layout::default();
    for times in [[1, 2, 3, 4], [5, 5, 5, 5]] {
        let all = file(times).programs(Some("/plan"), &layout);
        assert!(all.iter().all(Result::is_ok), "{all:?}");
    }
    let swapped = file([1, 3, 2, 4]);
    for sound in ["/plan@1", "/plan@4"] {
        assert!(swapped.one(Some(sound), &layout).is_ok(), "{sound}");
    }
    let said = swapped.one(Some("/plan@2"), &layout).unwrap_err();
    for part in [
        "message 2 of `/plan` in the order of the file",
        "message 3 in the order of the times",
        "r.mcap#/plan@2",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

/// Regression: messages in another form of CDR were called damaged.
#[test]
fn a_form_of_cdr_that_is_not_read_is_told_by_name() {
    let file = |head: u8| {
        let mut message = plan(0.5);
        message[1] = head;
        let begun = Raw::new().schema(TRAJECTORY).channel(1, "/plan");
        begun.message(1, 0, message).file()
    };
    for (head, name) in [
        (3, "(PL_CDR)"),
        (7, "PLAIN_CDR2"),
        (9, "DELIMITED_CDR2"),
        (11, "PL_CDR2"),
    ] {
        let said = file(head).one(Some("/plan@1"), &Layout::default());
        let said = said.unwrap_err();
        assert!(
            said.contains(name) && said.contains("plain CDR is read") && !said.contains("damaged"),
            "{said}"
        );
    }
    let said = file(99).one(Some("/plan@1"), &Layout::default());
    let said = said.unwrap_err();
    assert!(said.contains("message 1 of `/plan` is damaged"), "{said}");
}
