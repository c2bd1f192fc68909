//! A robot's controller, as a cell states it: how it counts joints, and from where it states poses.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::Isometry3;

use clearance_proof::model::moves::Frame;
use clearance_proof::report::Location;

use crate::{ImportError, Problem};

/// A robot's controller, as a cell states it. Nothing that is not stated is guessed.
#[derive(Debug, Clone, PartialEq)]
pub struct Controller {
    /// Where the cell says it.
    pub place: Location,
    /// Language of its programs: `ur`, `rapid`, `krl`, `fanuc`, `inform`.
    pub dialect: String,
    /// Its joints in its own order; empty: not said.
    pub joints: Vec<ControllerJoint>,
    /// The frame that it takes for the robot's own.
    pub base: Option<Frame>,
    /// The frame that it takes for the end of the arm; tools are stated in it.
    pub flange: Option<Frame>,
    /// Frames by number or name; each is fixed to a link, mostly that of `base`.
    pub frames: BTreeMap<String, Frame>,
    /// Tools by number or name, in `flange`.
    pub tools: BTreeMap<String, Isometry3<f64>>,
    /// Files of the controller's own that say more, as they are.
    pub files: Vec<ControllerFile>,
    /// Functions, jobs and nodes (patterns with `*`) that neither move the arm nor change what it
    /// does.
    pub still: Vec<String>,
    /// Groups of axes beside the arm's (`GP2`) that move what the cell does not move, with the
    /// reason why that is left out.
    pub not_modelled: BTreeMap<String, String>,
    /// Points that were read at the controller: joint values and pose at once. They prove that its
    /// joints are counted as it does.
    pub points: Vec<ControllerPoint>,
    /// Whether a difference between joint values and poses of a program is allowed for as an error
    /// of the robot's model. If not, it is only told.
    pub books_model_difference: bool,
    /// Its home: joint values of the URDF (radians or metres), in the order of `joints`.
    pub home: Option<Vec<f64>>,
}

/// A point that was read at the controller.
#[derive(Debug, Clone, PartialEq)]
pub struct ControllerPoint {
    /// Where the cell says it.
    pub place: Location,
    /// Joint values as the controller's programs count them: degrees and millimetres; radians and
    /// metres in `ur`; pulses in `inform`.
    pub joints: Vec<f64>,
    /// The tool's pose in the frame.
    pub frame_from_tool: Isometry3<f64>,
    /// The tool in the flange.
    pub tool: Isometry3<f64>,
    /// The frame; none: the controller's base.
    pub frame: Option<Frame>,
}

/// A file of the controller's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Arc<[u8]>,
}

impl ControllerFile {
    /// The one that files of one name have in common; `None` if there is none. A folder may take
    /// capitals and small letters for the same, and then it holds one file by several names.
    ///
    /// # Errors
    /// When one cannot be read, or when two differ: without it, or with the wrong one, a program
    /// would be another one.
    pub fn only(
        files: impl Iterator<Item = Result<Self, ImportError>>,
    ) -> Result<Option<Self>, ImportError> {
        let mut found: Option<Self> = None;
        for file in files {
            let Self { path, bytes } = file?;
            match &found {
                None => found = Some(Self { path, bytes }),
                Some(first) if first.bytes == bytes => {}
                Some(first) => {
                    let cause = format!(
                        "it differs from {}, and which of the two is meant is not known",
                        first.path.display()
                    );
                    let remedy = "keep the one that the controller has".into();
                    return Err(ImportError::file(&path, Problem::Syntax { cause, remedy }));
                }
            }
        }
        Ok(found)
    }
}

/// How a controller counts one joint. With its values c in radians or metres, r = sign · (c −
/// offset), and the joint of the URDF is at r plus the sum of factor · r over the joints that it is
/// coupled to.
#[derive(Debug, Clone, PartialEq)]
pub struct ControllerJoint {
    /// The joint's name in the URDF.
    pub name: String,
    /// 1 or −1.
    pub sign: f64,
    /// The controller's value where the URDF's is 0, radians or metres.
    pub offset: f64,
    /// Pulses per degree, or per millimetre.
    pub pulses: Option<f64>,
    /// Other joints that move it along: place in the list of joints, and factor.
    pub coupled: Vec<Coupling>,
}

/// A joint that moves another one along.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coupling {
    /// Place in the controller's joints.
    pub joint: usize,
    /// How far the other one goes with it.
    pub factor: f64,
}
