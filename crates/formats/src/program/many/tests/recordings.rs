//! MCAP, and bags of ROS 1.

use std::collections::BTreeMap;
use std::io::Cursor;

use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};

use super::*;

pub(super) const TRAJECTORY: &str = "std_msgs/Header header\nstring[] joint_names\ntrajectory_msgs/JointTrajectoryPoint[] points\n\
================================================================================\nMSG: std_msgs/Header\n\
builtin_interfaces/Time stamp # when\nstring frame_id\n\
================================================================================\nMSG: trajectory_msgs/JointTrajectoryPoint\n\
float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\nbuiltin_interfaces/Duration time_from_start\n";

const STATE: &str = "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n\
================================================================================\nMSG: std_msgs/Header\n\
builtin_interfaces/Time stamp\nstring frame_id\n";

/// Writes CDR (from its head on) or what ROS 1 has.
pub(super) struct Message {
    bytes: Vec<u8>,
    cdr: bool,
    big: bool,
}

impl Message {
    pub(super) fn cdr(big: bool) -> Self {
        let bytes = vec![0, u8::from(!big), 0, 0];
        Self {
            bytes,
            cdr: true,
            big,
        }
    }

    fn ros1() -> Self {
        Self {
            bytes: Vec::new(),
            cdr: false,
            big: false,
        }
    }

    fn put(mut self, number: u64, size: usize) -> Self {
        while self.cdr && !(self.bytes.len() - 4).is_multiple_of(size) {
            self.bytes.push(0);
        }
        let bytes = number.to_le_bytes();
        if self.big {
            self.bytes.extend(bytes[..size].iter().rev())
        } else {
            self.bytes.extend(&bytes[..size])
        }
        self
    }

    fn text(self, text: &str) -> Self {
        let zero = usize::from(self.cdr);
        let mut message = self.put((text.len() + zero) as u64, 4);
        message.bytes.extend(text.as_bytes());
        message.bytes.extend(&[0][..zero]);
        message
    }

    fn texts(self, texts: &[&str]) -> Self {
        let message = self.put(texts.len() as u64, 4);
        texts.iter().fold(message, |m, text| m.text(text))
    }

    fn reals(self, reals: &[f64]) -> Self {
        let message = self.put(reals.len() as u64, 4);
        reals.iter().fold(message, |m, x| m.put(x.to_bits(), 8))
    }

    /// Seconds, and quarters of them.
    fn time(self, seconds: f64) -> Self {
        let nano = (seconds.fract() * 1e9) as u64;
        self.put(seconds as u64, 4).put(nano, 4)
    }

    fn header(self, stamp: f64) -> Self {
        if self.cdr { self } else { self.put(7, 4) }
            .time(stamp)
            .text("")
    }

    pub(super) fn trajectory(self, joints: &[&str], points: &[(f64, [f64; 2])]) -> Vec<u8> {
        let message = self.header(0.0).texts(joints).put(points.len() as u64, 4);
        let point = |m: Message, (time, positions): &(f64, [f64; 2])| {
            m.reals(positions)
                .reals(&[])
                .reals(&[])
                .reals(&[])
                .time(*time)
        };
        points.iter().fold(message, point).bytes
    }

    fn state(self, stamp: f64, joints: &[&str], positions: &[f64]) -> Vec<u8> {
        self.header(stamp)
            .texts(joints)
            .reals(positions)
            .reals(&[])
            .reals(&[])
            .bytes
    }
}

/// A topic: name, type, encoding of its messages, definition and its encoding.
type Channel<'c> = (&'c str, &'c str, &'c str, &'c str, &'c str);

fn mcap_bytes(channels: &[(Channel, Vec<Vec<u8>>)], compression: Option<Compression>) -> Vec<u8> {
    let options = WriteOptions::new().compression(compression);
    let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
    for ((topic, kind, encoding, text, schema), messages) in channels {
        let schema = if text.is_empty() {
            0
        } else {
            writer.add_schema(kind, schema, text.as_bytes()).unwrap()
        };
        let channel = writer.add_channel(schema, topic, encoding, &BTreeMap::new());
        let channel_id = channel.unwrap();
        for (n, message) in messages.iter().enumerate() {
            let header = MessageHeader {
                channel_id,
                sequence: n as u32,
                log_time: n as u64,
                publish_time: n as u64,
            };
            writer.write_to_known_channel(&header, message).unwrap();
        }
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

const PLAN: Channel = (
    "/plan",
    "trajectory_msgs/msg/JointTrajectory",
    "cdr",
    TRAJECTORY,
    "ros2msg",
);
const STATES: Channel = (
    "/joint_states",
    "sensor_msgs/msg/JointState",
    "cdr",
    STATE,
    "ros2msg",
);
pub(super) const JOINTS: [&str; 2] = ["turn", "slide"];

fn plans(big: bool) -> Vec<Vec<u8>> {
    [0.0, 0.5]
        .map(|q| {
            let points = [(0.0, [q, 0.0]), (1.5, [q + 0.25, 1.0])];
            Message::cdr(big).trajectory(&JOINTS, &points)
        })
        .to_vec()
}

fn states(stamps: &[f64]) -> Vec<Vec<u8>> {
    let state =
        |(k, stamp): (usize, &f64)| Message::cdr(false).state(*stamp, &JOINTS, &[k as f64, 0.5]);
    stamps.iter().enumerate().map(state).collect()
}

fn layout() -> Layout {
    Layout::default()
}

#[test]
fn messages_of_a_topic_are_programs() {
    for compression in [None, Some(Compression::Lz4), Some(Compression::Zstd)] {
        for big in [false, true] {
            let bytes = mcap_bytes(&[(PLAN, plans(big)), (STATES, states(&[7.0]))], compression);
            let file = TestFile::new("r.mcap", bytes);
            let named = file.path.with_file_name("r.mcap#/plan");
            let listed = names(&named, &layout()).unwrap().unwrap();
            let ids: Vec<_> = listed
                .iter()
                .map(|n| place(n).unwrap().id.unwrap())
                .collect();
            assert_eq!(ids, ["/plan@1", "/plan@2"]);
            let all = file.programs(Some("/plan"), &layout());
            assert_eq!(all.len(), 2);
            let second = taught(all[1].as_ref().unwrap());
            assert_eq!(
                second,
                [(0.0, vec![0.5, 0.0], 1), (1.5, vec![0.75, 1.0], 2)]
            );
            let one = file.one(Some("/plan@2"), &layout()).unwrap();
            assert_eq!(taught(&one), second);
            assert!(
                file.one(Some("/plan@3"), &layout())
                    .unwrap_err()
                    .contains("no program")
            );
        }
    }
}

/// Of two files one behind the other only the first was read.
#[test]
fn nothing_may_stand_behind_the_end_of_a_recording() {
    let whole = mcap_bytes(&[(PLAN, plans(false))], None);
    for more in [&whole[..], b"\n"] {
        let file = TestFile::new("r.mcap", [&whole, more].concat());
        let named = file.path.with_file_name("r.mcap#/plan");
        let listed = names(&named, &layout()).unwrap_err();
        let mut said = vec![file.said(&listed)];
        let all = file.programs(Some("/plan"), &layout());
        said.extend(all.into_iter().filter_map(Result::err));
        said.extend(file.one(None, &layout()).err());
        assert_eq!(said.len(), 3, "{said:?}");
        for said in said {
            let cause = "r.mcap: the recording cannot be read: something stands behind its end; ";
            let remedy = "look whether it was cut off or joined with another";
            assert!(said.starts_with(cause) && said.contains(remedy), "{said}");
        }
    }
}

#[test]
fn recorded_states_are_one_program_by_their_stamps() {
    let stamps = [1000.0, 1000.25, 1000.75];
    let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, states(&stamps))], None));
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert!(program.timed);
    let expected = vec![
        (0.0, vec![0.0, 0.5], 1),
        (0.25, vec![1.0, 0.5], 2),
        (0.75, vec![2.0, 0.5], 3),
    ];
    assert_eq!(taught(&program), expected);
    let said = file.one(Some("/joint_states@1"), &layout()).unwrap_err();
    assert!(said.contains("are the waypoints of one program"), "{said}");
    // A state that is recorded twice is one waypoint.
    let mut again = states(&stamps);
    again.insert(1, again[0].clone());
    let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, again)], None));
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert_eq!(program.waypoints.len(), 3);
}

#[test]
fn states_that_jump_or_change_are_refused_by_their_number() {
    let other = Message::cdr(false).state(3.0, &["slide", "other"], &[0.0, 0.0]);
    let short = Message::cdr(false).state(3.0, &JOINTS, &[0.0]);
    let odd = Message::cdr(false).state(3.0, &JOINTS, &[0.0, f64::NAN]);
    let mut cut = states(&[3.0]).remove(0);
    cut.truncate(40);
    for (last, said) in [
        (
            states(&[1.5]).remove(0),
            "`header.stamp` of message 3 is 0.5 s before",
        ),
        (other, "message 3 has other joints than the first one"),
        (short, "a joint state has 2 names and 1 positions"),
        (odd, "the position of `slide` is NaN"),
        (cut, "message 3 of `/joint_states` is damaged: `name`"),
    ] {
        let mut messages = states(&[1.0, 2.0]);
        messages.push(last);
        let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, messages)], None));
        let why = file.one(Some("/joint_states"), &layout()).unwrap_err();
        assert!(
            why.contains(said) && why.contains("#/joint_states:3:"),
            "{why}: {said}"
        );
    }
}

/// Regression: the same joints in another order were refused as others.
#[test]
fn recorded_values_are_those_of_the_joints_by_name() {
    let state = |stamp: f64, joints: &[&str], positions: &[f64]| {
        Message::cdr(false).state(stamp, joints, positions)
    };
    let messages = vec![
        state(1.0, &["turn", "slide", "wheel"], &[0.25, 0.5, f64::NAN]),
        state(2.0, &["wheel", "slide", "turn"], &[f64::NAN, 1.5, 1.25]),
        // Says again what the one before said of all that is read.
        state(2.0, &["turn", "wheel", "slide"], &[1.25, 9.0, 1.5]),
    ];
    let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, messages)], None));
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert_eq!(
        taught(&program),
        [(0.0, vec![0.25, 0.5], 1), (1.0, vec![1.25, 1.5], 2)]
    );
    for column in &program.columns {
        assert_eq!(column.quantity, clearance_proof::model::Quantity::Measured);
    }
    // A joint that is left out may be no number as well.
    let messages = vec![state(1.0, &JOINTS, &[0.25, f64::NAN])];
    let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, messages)], None));
    let said = file.one(Some("/joint_states"), &layout()).unwrap_err();
    assert!(said.contains("the position of `slide` is NaN"), "{said}");
    let only = Layout {
        joints: Some(vec!["turn".to_owned()]),
        ..layout()
    };
    let program = file.one(Some("/joint_states"), &only).unwrap();
    assert_eq!(taught(&program), [(0.0, vec![0.25], 1)]);
}

/// What rosbag2 writes beside MCAP.
#[test]
fn databases_of_recordings_are_refused_by_name() {
    let bytes = b"SQLite format 3\0\x10\0\x01\x01";
    for (name, id) in [
        ("r.db3", None),
        ("r.db3", Some("/plan")),
        ("r.mcap", Some("/plan")),
    ] {
        let file = TestFile::new(name, bytes);
        let said = file.one(id, &layout()).unwrap_err();
        for part in [
            &format!("{name}: this is an SQLite database"),
            "ros2 bag convert",
        ] {
            assert!(said.contains(part), "{said}");
        }
        let named = file.path.with_file_name("r.db3#/plan");
        assert_eq!(file_of(&named), file.path.with_file_name("r.db3"));
    }
    let said = crate::program::parse(Path::new("r"), bytes).unwrap_err();
    assert!(said.to_string().contains("ros2 bag convert"), "{said}");
}

/// Regression: they were line 0 and column 0.
#[test]
fn messages_have_no_lines_and_no_columns() {
    let bad = Message::cdr(false).header(0.0).texts(&["turn"]).put(1, 4);
    let bad = bad.reals(&[0.0]).reals(&[]).reals(&[0.0]).reals(&[]);
    let mut messages = plans(false);
    messages.push(bad.time(0.0).bytes);
    let file = TestFile::new("r.mcap", mcap_bytes(&[(PLAN, messages)], None));
    let program = file.one(Some("/plan@1"), &layout()).unwrap();
    assert!(program.columns.iter().all(|column| column.line.is_none()));
    let said = file.one(Some("/plan@3"), &layout()).unwrap_err();
    let place = "r.mcap#/plan@3:1: point 1 has accelerations but no velocities";
    assert!(said.contains(place), "{said}");
}

#[test]
fn a_recording_says_its_topics_and_only_known_messages_are_read() {
    let text = (
        "/talk",
        "std_msgs/msg/String",
        "cdr",
        "string data\n",
        "ros2msg",
    );
    let bytes = mcap_bytes(
        &[(text, vec![vec![0, 1, 0, 0]]), (PLAN, plans(false))],
        None,
    );
    let file = TestFile::new("r.mcap", bytes);
    let topics = "its topics are /plan (trajectory_msgs/JointTrajectory, 2 messages), /talk (std_msgs/String, 1 messages)";
    for (id, said) in [
        (None, "it is a recording of many topics"),
        (Some("/plon"), "there is no topic `/plon` in it"),
        (
            Some("/talk"),
            "has messages of type `std_msgs/String`, which are not programs",
        ),
    ] {
        let why = file.one(id, &layout()).unwrap_err();
        assert!(why.contains(said) && why.contains(topics), "{why}: {said}");
    }
    let odd = TRAJECTORY.replace("float64[] positions", "float32[] positions");
    let more = TRAJECTORY.replace(
        "string[] joint_names",
        "string[] joint_names\nfloat64 scale",
    );
    let without = TRAJECTORY.split("MSG: traj").next().unwrap();
    // Regression: bytes were read in the order of the definition, whatever that was.
    let swapped = TRAJECTORY.replace(
        "float64[] positions\nfloat64[] velocities",
        "float64[] velocities\nfloat64[] positions",
    );
    assert_ne!(swapped, TRAJECTORY);
    let point = swapped
        .split("====\n")
        .find(|part| part.starts_with("MSG: trajectory_msgs/JointTrajectoryPoint"));
    let twice = format!(
        "{}\n{}\n{}",
        TRAJECTORY.trim_end(),
        "=".repeat(80),
        point.unwrap()
    );
    let (kind, cdr) = (PLAN.1, "cdr");
    for (channel, said) in [
        (
            ("/plan", kind, cdr, &*odd, "ros2msg"),
            "`positions` of trajectory_msgs/JointTrajectoryPoint is `float32[]` there",
        ),
        (
            ("/plan", kind, cdr, &*swapped, "ros2msg"),
            "`velocities` of trajectory_msgs/JointTrajectoryPoint stands at another place there",
        ),
        (
            ("/plan", kind, cdr, &*twice, "ros2msg"),
            "trajectory_msgs/JointTrajectoryPoint is defined twice there",
        ),
        (
            ("/plan", kind, cdr, &*more, "ros2msg"),
            "has a field `scale` there that is not known",
        ),
        (
            ("/plan", kind, cdr, without, "ros2msg"),
            "the definition of trajectory_msgs/JointTrajectoryPoint is missing",
        ),
        (
            ("/plan", kind, cdr, "struct", "ros2idl"),
            "defined by `ros2idl`",
        ),
        (
            ("/plan", kind, "json", TRAJECTORY, "jsonschema"),
            "encoded as `json`",
        ),
    ] {
        let file = TestFile::new("r.mcap", mcap_bytes(&[(channel, plans(false))], None));
        let why = file.one(Some("/plan@1"), &layout()).unwrap_err();
        assert!(why.contains(said), "{why}: {said}");
    }
}

/// The text as ROS 1 writes it: with a sequence number in the header, and times as numbers of their
/// own.
fn old(text: &str) -> String {
    text.replace("builtin_interfaces/Time stamp", "uint32 seq\ntime stamp")
        .replace("builtin_interfaces/Duration", "duration")
}

#[test]
fn messages_of_ros_1_are_the_same_programs() {
    let points = [(0.0, [0.5, 0.0]), (1.5, [0.75, 1.0])];
    let plan = Message::ros1().trajectory(&JOINTS, &points);
    let text = old(TRAJECTORY);
    let channel = (
        "/plan",
        "trajectory_msgs/JointTrajectory",
        "ros1",
        &*text,
        "ros1msg",
    );
    let expected = vec![(0.0, vec![0.5, 0.0], 1), (1.5, vec![0.75, 1.0], 2)];
    let file = TestFile::new("r.mcap", mcap_bytes(&[(channel, vec![plan.clone()])], None));
    let program = file.one(Some("/plan@1"), &layout()).unwrap();
    assert_eq!(taught(&program), expected);
    for compression in ["none", "lz4", "bz2"] {
        let file = TestFile::new("r.bag", bag_bytes(&plan, compression));
        let program = file.one(Some("/plan@1"), &layout()).unwrap();
        assert_eq!(taught(&program), expected, "{compression}");
    }
    // Regression: a message that damage has made an index was passed over, and the index was not asked.
    let mut flipped = bag_bytes(&plan, "none");
    let message = b"op=\x02";
    let at = flipped.windows(4).position(|w| w == message).unwrap();
    flipped[at + 3] = 4;
    let said = TestFile::new("r.bag", flipped)
        .one(Some("/plan@1"), &layout())
        .unwrap_err();
    assert!(said.contains("an index stands in a chunk"), "{said}");
    let mut fewer = bag_bytes(&plan, "none");
    let count = b"count=\x01";
    // The last one is that of the index behind the chunk.
    let at = fewer.windows(7).rposition(|w| w == count).unwrap();
    fewer[at + 6] = 2;
    let said = TestFile::new("r.bag", fewer)
        .one(Some("/plan@1"), &layout())
        .unwrap_err();
    assert!(
        said.contains("counts 2 messages of connection 0, and there are 1"),
        "{said}"
    );
    let file = TestFile::new("r.bag", bag_bytes(&plan, "zip"));
    let said = file.one(Some("/plan@1"), &layout()).unwrap_err();
    assert!(
        said.contains("compressed by `zip`, which is not read"),
        "{said}"
    );
}

/// A record of a bag.
fn record(fields: &[(&str, &[u8])], data: &[u8]) -> Vec<u8> {
    let mut head = Vec::new();
    for (name, value) in fields {
        head.extend(((name.len() + 1 + value.len()) as u32).to_le_bytes());
        head.extend(format!("{name}=").as_bytes());
        head.extend(*value);
    }
    let mut bytes = (head.len() as u32).to_le_bytes().to_vec();
    bytes.extend(head);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    bytes
}

/// A bag with one message on `/plan`.
fn bag_bytes(message: &[u8], compression: &str) -> Vec<u8> {
    use std::io::Write;
    let text = old(TRAJECTORY);
    let fields = [
        ("topic", "/plan"),
        ("type", "trajectory_msgs/JointTrajectory"),
        ("md5sum", "*"),
        ("message_definition", &*text),
    ];
    let mut about = Vec::new();
    for (name, value) in fields {
        about.extend(((name.len() + 1 + value.len()) as u32).to_le_bytes());
        about.extend(format!("{name}={value}").as_bytes());
    }
    let zero = 0u32.to_le_bytes();
    let connection = record(
        &[("op", &[7]), ("conn", &zero), ("topic", b"/plan")],
        &about,
    );
    let mut chunk = connection.clone();
    chunk.extend(record(
        &[("op", &[2]), ("conn", &zero), ("time", &[0; 8])],
        message,
    ));
    let size = (chunk.len() as u32).to_le_bytes();
    let packed = match compression {
        "lz4" => {
            let mut out = lz4_flex::frame::FrameEncoder::new(Vec::new());
            out.write_all(&chunk).unwrap();
            out.finish().unwrap()
        }
        "bz2" => {
            let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            out.write_all(&chunk).unwrap();
            out.finish().unwrap()
        }
        _ => chunk,
    };
    let one = 1u32.to_le_bytes();
    let index = 99u64.to_le_bytes();
    let mut bytes = b"#ROSBAG V2.0\n".to_vec();
    bytes.extend(record(
        &[
            ("op", &[3]),
            ("index_pos", &index),
            ("conn_count", &one),
            ("chunk_count", &one),
        ],
        b"    ",
    ));
    let fields: [(&str, &[u8]); 3] = [
        ("op", &[5]),
        ("compression", compression.as_bytes()),
        ("size", &size),
    ];
    bytes.extend(record(&fields, &packed));
    bytes.extend(record(
        &[
            ("op", &[4]),
            ("ver", &one),
            ("conn", &zero),
            ("count", &one),
        ],
        b"",
    ));
    bytes.extend(connection);
    bytes
}

#[test]
fn recordings_that_were_cut_off_are_refused() {
    let points = [(0.0, [0.5, 0.0]), (1.5, [0.75, 1.0])];
    let plan = Message::ros1().trajectory(&JOINTS, &points);
    let bag = bag_bytes(&plan, "none");
    let recording = mcap_bytes(&[(PLAN, plans(false))], Some(Compression::Zstd));
    for (name, bytes) in [("r.bag", &bag), ("r.mcap", &recording)] {
        for end in 0..bytes.len() - 1 {
            let file = TestFile::new(name, &bytes[..end]);
            let found = file.one(Some("/plan@1"), &layout());
            // The records behind the chunks of a bag may go: what it has is counted.
            let behind = name == "r.bag" && end > bytes.len() - 1000;
            assert!(found.is_err() || behind, "{name} up to {end}");
        }
    }
}

#[test]
fn damaged_recordings_never_panic() {
    let points = [(0.0, [0.5, 0.0]), (1.5, [0.75, 1.0])];
    let plan = Message::ros1().trajectory(&JOINTS, &points);
    for compression in ["none", "lz4", "bz2"] {
        survive("r.bag", &bag_bytes(&plan, compression), Some("/plan"), 300);
    }
    for compression in [None, Some(Compression::Lz4), Some(Compression::Zstd)] {
        let bytes = mcap_bytes(&[(PLAN, plans(false))], compression);
        survive("r.mcap", &bytes, Some("/plan"), 200);
        let bytes = mcap_bytes(&[(STATES, states(&[1.0, 2.0, 3.0]))], compression);
        survive("r.mcap", &bytes, Some("/joint_states"), 200);
    }
}

/// A recording of states, the k-th by this publisher.
fn states_of(publishers: &[usize]) -> Vec<u8> {
    let mut writer = WriteOptions::new().create(Cursor::new(Vec::new())).unwrap();
    let (topic, kind, encoding, text, schema) = STATES;
    let schema = writer.add_schema(kind, schema, text.as_bytes()).unwrap();
    let channels = [0, 1].map(|publisher| {
        let about = BTreeMap::from([("publisher".to_owned(), format!("{publisher}"))]);
        writer.add_channel(schema, topic, encoding, &about).unwrap()
    });
    for (n, &publisher) in publishers.iter().enumerate() {
        let header = MessageHeader {
            channel_id: channels[publisher],
            sequence: n as u32,
            log_time: n as u64,
            publish_time: n as u64,
        };
        let state = Message::cdr(false).state(n as f64, &JOINTS, &[publisher as f64, 0.5]);
        writer.write_to_known_channel(&header, &state).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// Catches a path that jumps between a robot and its simulation.
#[test]
fn states_of_two_publishers_in_turns_are_no_path() {
    // The second one came after the first one had gone.
    let file = TestFile::new("r.mcap", states_of(&[0, 0, 1, 1]));
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert_eq!(program.waypoints.len(), 4);
    let file = TestFile::new("r.mcap", states_of(&[0, 1, 1, 0]));
    let said = file.one(Some("/joint_states"), &layout()).unwrap_err();
    assert!(
        said.contains("#/joint_states:4:") && said.contains("several publishers"),
        "{said}"
    );
}

/// The stamp that times are counted from is kept: another program may have been recorded with it.
#[test]
fn the_stamp_of_the_first_state_is_kept() {
    let file = TestFile::new(
        "r.mcap",
        mcap_bytes(&[(STATES, states(&[7.25, 8.0]))], None),
    );
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert_eq!(program.stamp_ns, Some(7_250_000_000));
}

/// Catches a message that was changed on the disk, outside of any chunk.
#[test]
fn the_sum_of_all_records_is_checked() {
    let options = WriteOptions::new().use_chunks(false);
    let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
    let (topic, kind, encoding, text, schema) = PLAN;
    let schema = writer.add_schema(kind, schema, text.as_bytes()).unwrap();
    let channel_id = writer
        .add_channel(schema, topic, encoding, &BTreeMap::new())
        .unwrap();
    let header = MessageHeader {
        channel_id,
        sequence: 0,
        log_time: 0,
        publish_time: 0,
    };
    writer
        .write_to_known_channel(&header, &plans(false)[1])
        .unwrap();
    writer.finish().unwrap();
    let mut bytes = writer.into_inner().into_inner();
    let read = |bytes: &[u8]| TestFile::new("r.mcap", bytes).one(Some("/plan@1"), &layout());
    assert!(read(&bytes).is_ok());
    let half = 0.5f64.to_le_bytes();
    let at = bytes.windows(8).position(|eight| eight == half).unwrap();
    bytes[at + 6] ^= 1;
    let said = read(&bytes).unwrap_err();
    assert!(said.contains("cannot be read"), "{said}");
}

/// Catches messages that are passed over, because nobody looks into a chunk within a chunk.
#[test]
fn a_chunk_in_a_chunk_is_refused() {
    let record = |op: u8, data: &[u8]| {
        let mut bytes = vec![op];
        bytes.extend((data.len() as u64).to_le_bytes());
        bytes.extend(data);
        bytes
    };
    let chunk = |inside: &[u8]| {
        let mut data = vec![0; 16];
        data.extend((inside.len() as u64).to_le_bytes());
        // No sum, no compression.
        data.extend([0; 8]);
        data.extend((inside.len() as u64).to_le_bytes());
        data.extend(inside);
        record(6, &data)
    };
    let whole = mcap_bytes(&[(PLAN, plans(false))], None);
    let magic = &whole[..8];
    let recording = |content: &[u8]| {
        let head = record(1, &[0; 8]);
        let tail = [record(15, &[0; 4]), record(2, &[0; 20])].concat();
        [magic, &head, content, &tail, magic].concat()
    };
    let said = |content: &[u8]| {
        let file = TestFile::new("r.mcap", recording(content));
        file.one(Some("/plan@1"), &layout()).unwrap_err()
    };
    assert!(said(&chunk(&[])).contains("no topic `/plan`"));
    let nested = said(&chunk(&chunk(&[])));
    assert!(nested.contains("a chunk stands in a chunk"), "{nested}");
}
