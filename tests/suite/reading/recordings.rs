//! Recordings of ROS: messages that are not text have no lines.

use std::collections::BTreeMap;
use std::io::Cursor;

use mcap::records::MessageHeader;
use serde_json::Value;

use super::{POST, Shop, arm};

/// A plan with the state before it, as MoveIt shows it. What is not looked at is shorter than it is.
const PLAN: &str = "string model_id\nRobotTrajectory[] trajectory\nRobotState trajectory_start\n\
    ==========\nMSG: moveit_msgs/RobotTrajectory\n\
    trajectory_msgs/JointTrajectory joint_trajectory\n\
    trajectory_msgs/MultiDOFJointTrajectory multi_dof_joint_trajectory\n\
    ==========\nMSG: trajectory_msgs/JointTrajectory\n\
    Header header\nstring[] joint_names\nJointTrajectoryPoint[] points\n\
    ==========\nMSG: trajectory_msgs/JointTrajectoryPoint\n\
    float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\n\
    builtin_interfaces/Duration time_from_start\n\
    ==========\nMSG: trajectory_msgs/MultiDOFJointTrajectory\n\
    Header header\nstring[] joint_names\nfloat64[] points\n\
    ==========\nMSG: moveit_msgs/RobotState\n\
    sensor_msgs/JointState joint_state\nsensor_msgs/MultiDOFJointState multi_dof_joint_state\n\
    AttachedCollisionObject[] attached_collision_objects\nbool is_diff\n\
    ==========\nMSG: sensor_msgs/JointState\n\
    Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n\
    ==========\nMSG: sensor_msgs/MultiDOFJointState\n\
    Header header\nstring[] joint_names\nfloat64[] transforms\n\
    ==========\nMSG: moveit_msgs/AttachedCollisionObject\n\
    string link_name\nCollisionObject object\n\
    ==========\nMSG: moveit_msgs/CollisionObject\nstring id\n\
    ==========\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n";

/// A message in CDR, little end first.
struct Cdr(Vec<u8>);

impl Cdr {
    fn new() -> Self {
        Self(vec![0, 1, 0, 0])
    }

    fn put(mut self, bytes: &[u8]) -> Self {
        while !(self.0.len() - 4).is_multiple_of(bytes.len()) {
            self.0.push(0);
        }
        self.0.extend(bytes);
        self
    }

    fn count(self, count: usize) -> Self {
        self.put(&(count as u32).to_le_bytes())
    }

    fn text(self, text: &str) -> Self {
        let mut cdr = self.count(text.len() + 1);
        cdr.0.extend(text.as_bytes());
        cdr.0.push(0);
        cdr
    }

    fn texts(self, texts: &[&str]) -> Self {
        let cdr = self.count(texts.len());
        texts.iter().fold(cdr, |cdr, text| cdr.text(text))
    }

    fn reals(self, reals: &[f64]) -> Self {
        let cdr = self.count(reals.len());
        reals.iter().fold(cdr, |cdr, x| cdr.put(&x.to_le_bytes()))
    }

    fn header(self) -> Self {
        self.count(0).count(0).text("")
    }
}

/// A plan of one trajectory.
#[derive(Default)]
struct Plan<'p> {
    joints: &'p [&'p str],
    /// Whole seconds with positions and accelerations.
    points: &'p [(usize, &'p [f64], &'p [f64])],
    start: &'p [(&'p str, f64)],
    carried: &'p [&'p str],
}

impl Plan<'_> {
    fn bytes(&self) -> Vec<u8> {
        let cdr = Cdr::new().text("r").count(1).header().texts(self.joints);
        let cdr = cdr.count(self.points.len());
        let points = self.points.iter();
        let cdr = points.fold(cdr, |cdr, (time, positions, accelerations)| {
            let cdr = cdr.reals(positions).reals(&[]).reals(accelerations);
            cdr.reals(&[]).count(*time).count(0)
        });
        let cdr = cdr.header().texts(&[]).reals(&[]);
        let (names, values): (Vec<&str>, Vec<f64>) = self.start.iter().copied().unzip();
        let cdr = cdr.header().texts(&names).reals(&values);
        let cdr = cdr.reals(&[]).reals(&[]);
        let cdr = cdr.header().texts(&[]).reals(&[]);
        let cdr = cdr.count(self.carried.len());
        let carried = self.carried.iter();
        let cdr = carried.fold(cdr, |cdr, name| cdr.text("arm").text(name));
        cdr.put(&[0]).0
    }
}

fn recording(plans: &[Plan]) -> Vec<u8> {
    let options = mcap::WriteOptions::new().compression(None);
    let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
    let kind = "moveit_msgs/msg/DisplayTrajectory";
    let schema = writer.add_schema(kind, "ros2msg", PLAN.as_bytes()).unwrap();
    let channel = writer.add_channel(schema, "/plan", "cdr", &BTreeMap::new());
    let channel_id = channel.unwrap();
    for plan in plans {
        let header = MessageHeader {
            channel_id,
            sequence: 0,
            log_time: 0,
            publish_time: 0,
        };
        let written = writer.write_to_known_channel(&header, &plan.bytes());
        written.unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// The places that a report names and that no file has.
fn zeros(value: &Value, found: &mut Vec<String>) {
    const PLACES: [&str; 5] = ["line", "column", "startLine", "startColumn", "lines"];
    match value {
        Value::Array(items) => items.iter().for_each(|item| zeros(item, found)),
        Value::Object(entries) => {
            for (key, entry) in entries {
                let is_zero = |v: &Value| v.as_u64() == Some(0);
                let any = is_zero(entry) || entry.as_array().is_some_and(|a| a.iter().any(is_zero));
                if PLACES.contains(&key.as_str()) && any {
                    found.push(format!("{key}: {entry}"));
                }
                zeros(entry, found);
            }
        }
        _ => {}
    }
}

/// Regression: SARIF with a column 0 is refused by its schema, and texts spoke of line 0.
#[test]
fn reports_about_recordings_name_no_line_or_column_zero() {
    let shop = Shop::new(&arm(), POST);
    let good: [(usize, &[f64], &[f64]); 2] = [(0, &[0.0], &[]), (2, &[0.5], &[])];
    let plan = |joints, points| Plan {
        joints,
        points,
        ..Plan::default()
    };
    let plans = [
        plan(&["turn"], &[(0, &[0.0], &[0.0]), (1, &[0.5], &[0.0])]),
        plan(&["trun"], &good),
        plan(&["turn", "turn"], &good),
        plan(&["turn"], &[]),
        Plan {
            start: &[("wheel", 4.0)],
            ..plan(&["turn"], &good)
        },
        Plan {
            carried: &["part"],
            ..plan(&["turn"], &good)
        },
        Plan {
            start: &[("turn", 0.1)],
            ..plan(&["turn"], &[(1, &[0.0], &[]), (2, &[0.5], &[])])
        },
        Plan {
            start: &[("turn", 0.1)],
            ..plan(&["turn"], &good)
        },
    ];
    std::fs::write(shop.0.path().join("r.mcap"), recording(&plans)).unwrap();
    let said = [
        "r.mcap#/plan@1:1: point 1 has accelerations but no velocities",
        "r.mcap#/plan@2: unknown joint `trun`",
        "r.mcap#/plan@3: joint `turn` occurs twice",
        "r.mcap#/plan@4: the program is empty",
        "note: the program (`trajectory_start` states values of joints that the cell does not",
        "not settled: the program (the robot carries `part` on `arm`",
        "CLEAR      r.mcap#/plan@7",
        "r.mcap#/plan@8: `turn` in `trajectory_start` is 0.1, but the trajectory begins at 0",
    ];
    for (k, said) in said.iter().enumerate() {
        let check = format!("check --cell cell.toml r.mcap#/plan@{}", k + 1);
        let (_, text, error) = shop.run(&check);
        assert!((text.clone() + &error).contains(said), "{text}{error}");
        for zero in [":0:", ":0 ", "line 0"] {
            assert!(!text.contains(zero) && !error.contains(zero), "{text}");
        }
        let (_, github, _) = shop.run(&format!("{check} --report github"));
        let zero = ["line=0", "col=0"].iter().any(|zero| github.contains(zero));
        assert!(!zero, "{github}");
        for form in ["json", "sarif"] {
            let (_, report, error) = shop.run(&format!("{check} --report {form}"));
            let report: Value = serde_json::from_str(&report).expect(&error);
            let mut found = Vec::new();
            zeros(&report, &mut found);
            assert!(found.is_empty(), "{check} --report {form}: {found:?}");
        }
    }
}
