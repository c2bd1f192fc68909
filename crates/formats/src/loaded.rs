//! A cell as its files state it: what is verified, and what readers of programs and reports take
//! from the same files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clearance_proof::model::{Allowance, BodyId, Cell, Form, JointId, Robot};
use nalgebra::Vector3;

use crate::controller::Controller;
use crate::patterns::FilePattern;

/// By how much two values of a joint may differ that mean the same place, radians or metres or their
/// share: numbers in files are rounded.
const SAME_PLACE: f64 = 1e-4;

/// A cell that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadedCell {
    /// What is verified.
    pub cell: Cell,
    /// What the files say of its robots besides, in the order of [`Cell::robots`].
    pub robots: Vec<LoadedRobot>,
    /// Every file that was read, in the order of reading.
    pub files: Vec<PathBuf>,
    /// Names in the cell file that stand for all files that they match, and those files.
    pub patterns: Vec<(FilePattern, Vec<PathBuf>)>,
    /// Poses of the cell file in numbers that may be meant as millimetres.
    pub unitless: UnitlessPoses,
    /// Files of packages that are not there, and may count in the place of others once they are.
    pub absent: BTreeSet<PathBuf>,
    /// Folders that the names of packages in URDFs and files of xacro turned out to mean, each
    /// once.
    pub packages: Vec<PackageFolder>,
    /// Settings from the cell file.
    pub settings: CheckSettings,
    /// Pairs of SRDFs that name a link which the robot lacks: they allow nothing.
    pub stale: Vec<StaleAllowance>,
    /// Meshes of URDFs that can be read in two ways, and about which nobody has said which one is
    /// meant.
    pub up_axes: Vec<UpAxis>,
}

impl LoadedCell {
    /// A cell that was built in code: no file says anything besides.
    pub fn of(cell: Cell) -> Self {
        let robots = vec![LoadedRobot::default(); cell.robots.len()];
        Self {
            cell,
            robots,
            ..Self::default()
        }
    }

    /// The tips of the planning groups that a program may name: those of its robot, or what all robots
    /// that have a group of this name say of it.
    pub fn planning_tips(&self, robot: Option<&str>) -> BTreeMap<String, String> {
        let named = self.cell.robots.iter().zip(&self.robots);
        let asked = named.filter(|(known, _)| robot.is_none_or(|robot| known.name == robot));
        let mut found = BTreeMap::new();
        let mut differ = Vec::new();
        for (group, tip) in asked.flat_map(|(_, robot)| &robot.tips) {
            if found
                .insert(group.clone(), tip.clone())
                .is_some_and(|other| other != *tip)
            {
                differ.push(group);
            }
        }
        differ.into_iter().for_each(|group| _ = found.remove(group));
        found
    }

    /// Adds a robot of which nothing is said besides; returns its index.
    pub(crate) fn add_robot(&mut self, robot: Robot) -> usize {
        self.cell.robots.push(robot);
        self.robots.push(LoadedRobot::default());
        self.robots.len() - 1
    }
}

/// How far poses of the cell file shift what they place by numbers without a unit: metres, though they
/// may be meant as millimetres. What states its units is not in here.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnitlessPoses {
    /// Of obstacles.
    pub obstacles: BTreeMap<BodyId, Vector3<f64>>,
    /// Of bases of robots.
    pub robots: BTreeMap<usize, Vector3<f64>>,
}

/// What the files say of a robot besides its model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadedRobot {
    /// Name in its URDF; empty: none.
    pub urdf_name: String,
    /// Whether the cell file says that its URDF is in metres, as URDFs are: the robot really is as
    /// large as that.
    pub urdf_in_metres: bool,
    /// Named joint values of its SRDF (`group_state`).
    pub states: Vec<NamedState>,
    /// The tip of the chain of each planning group of its SRDF that is one chain.
    pub tips: BTreeMap<String, String>,
    /// Where its programs begin: joint values before the first move, radians or metres; empty: not
    /// said.
    pub start: Vec<(JointId, f64)>,
    /// Its controller, as the cell states it.
    pub controller: Option<Controller>,
}

/// A named state of an SRDF group.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedState {
    /// Group.
    pub group: String,
    /// State.
    pub name: String,
    /// Joint values, radians or metres.
    pub values: Vec<(JointId, f64)>,
    /// What it says of joints that follow others, radians or metres.
    pub followers: Vec<(JointId, f64)>,
    /// Joints of which it has values, and which the robot does not have as joints that move.
    pub unknown: Vec<String>,
}

impl NamedState {
    /// What it says of a joint that follows another one, where that is not where its joint puts it;
    /// `value_of` is where the joints are that are followed.
    pub(crate) fn follower_elsewhere(
        &self,
        cell: &Cell,
        value_of: impl Fn(JointId) -> f64,
    ) -> Option<String> {
        self.followers.iter().find_map(|&(id, said)| {
            let joint = &cell.joints[id];
            let mimic = joint.mimic?;
            let follows = mimic.multiplier * value_of(mimic.source) + mimic.offset;
            let differs = (said - follows).abs() > SAME_PLACE * said.abs().max(1.0);
            differs.then(|| {
                let [said, follows] = [said, follows].map(|value| joint.kind.show(value));
                let (name, source) = (&joint.name, &cell.joints[mimic.source].name);
                format!("the state has `{name}` at {said}, but it follows `{source}` to {follows}")
            })
        })
    }
}

/// A pair in an SRDF that names links which the robot lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleAllowance {
    /// The entry itself.
    pub allowance: Allowance,
    /// Line in the SRDF, 1-based.
    pub line: usize,
    /// The names that nothing has.
    pub missing: Vec<String>,
}

/// `[check]` of the cell file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CheckSettings {
    /// Threshold D, metres.
    pub clearance: Option<f64>,
    /// Warn distance, metres: nearer than it is a near miss.
    pub warn: Option<f64>,
    /// Resolution, metres.
    pub resolution: Option<f64>,
    /// Whether joint limits are checked too.
    pub limits: Option<bool>,
}

/// A mesh of a URDF whose COLLADA file states an up axis other than z. It stands in its body as it
/// is written, not turned.
#[derive(Debug, Clone, PartialEq)]
pub struct UpAxis {
    /// The link.
    pub body: BodyId,
    /// Which of its shapes.
    pub shape: usize,
    /// The axis, as the file names it.
    pub axis: &'static str,
    /// The mesh as COLLADA's own rule reads it: turned upright.
    pub turned: Form,
}

/// The folder that the name of a ROS package means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFolder {
    /// As `package://name/…` and `$(find name)` have it.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// It was found beside the file that names it, or above: another file may mean another folder.
    pub nearby: bool,
}
