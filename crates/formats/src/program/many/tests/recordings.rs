//! MCAP, and bags of ROS 1.

mod damage;
mod states;

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
