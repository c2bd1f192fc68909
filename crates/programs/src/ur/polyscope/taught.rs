//! The taught points of a program: joint values, tool and kinematics of each, and whether they fit
//! together.

use std::collections::BTreeMap;

use nalgebra::Isometry3;
use roxmltree::Node;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::RigidError;
use clearance_proof::model::moves::Frame;
use clearance_proof::report::Location;

use super::super::poses;
use super::super::script::{ScriptAction, ScriptExpression, ScriptScope, ScriptStatement};
use super::chain::Chain;
use super::tree::{Tree, child, elements, resolved, six, word};
use crate::controller::{ControlledArm, PointDifference, shown};

/// How far two poses of the installation may differ and still be the same: what is left of
/// rounding, metres and radians.
const SAME: f64 = 1e-6;

/// How far a tool that people have typed may be from the one that is meant: what is left where
/// tenths of a millimetre and of a degree are written, metres and radians.
const TYPED_M: f64 = 5e-5;
const TYPED_RAD: f64 = 0.05 * std::f64::consts::PI / 180.0;

/// The element in which PolyScope 3 states a pose in the feature of its move.
pub(super) const OF_FEATURE: &str = "poseInFeatureCoordinates";

/// All taught points.
#[derive(Debug, Default)]
pub(super) struct TaughtPoints {
    points: BTreeMap<String, TaughtPoint>,
    /// The reason why none of them is known, and its place.
    pub(super) failure: Option<(Location, String)>,
    chain: Option<Chain>,
}

/// A taught point.
#[derive(Debug, Clone)]
struct TaughtPoint {
    place: Location,
    joints: [f64; 6],
    /// The tool that it was taught with, in the flange; `None`: the file does not say.
    tool: Option<Isometry3<f64>>,
    /// Where its feature was then, in the base; `None`: the file does not say.
    feature: Option<Isometry3<f64>>,
    /// Its pose in the base, where the file states it beside the joint values.
    stated: Option<Isometry3<f64>>,
    /// Why it is not known.
    failure: Option<String>,
}

impl TaughtPoint {
    /// The cell lacks what it takes to place it.
    fn refused(&self, cause: String) -> ImportError {
        let remedy = "check the robot of the cell".into();
        ImportError {
            place: self.place.clone(),
            problem: Problem::Syntax { cause, remedy },
        }
    }
}

impl TaughtPoints {
    /// The points of a program.
    pub(super) fn read(tree: Tree, root: Node) -> Result<Self, ImportError> {
        let mut all = Self::default();
        let mut header = child(root, "kinematics").map(|n| (n, chain(n)));
        if let Some((node, None)) = header {
            let reason = "the kinematics of the file cannot be read".to_owned();
            all.failure = Some((tree.place(node), reason));
        }
        for node in root.descendants() {
            if !node.has_tag_name("Waypoint") || node.attribute("type") != Some("Fixed") {
                continue;
            }
            let place = tree.place(node);
            let bad = |what: &str| ImportError {
                place: place.clone(),
                problem: Problem::Syntax {
                    cause: format!("the waypoint has no {what} that can be read"),
                    remedy: "save the program again".into(),
                },
            };
            let position = child(node, "position").and_then(resolved);
            let position = position.ok_or_else(|| bad("position"))?;
            // One that is there and has no numbers cannot be read.
            let numbers = |inside: Node, tag: &str, key: &str| {
                let found = child(inside, tag)?;
                Some(resolved(found).and_then(|n| six(n.attribute(key)?)))
            };
            // PolyScope 3 writes them as attributes, and the flange in place of the tool.
            let old = position.attribute("joints").map(six);
            let joints = match old {
                Some(joints) => joints,
                None => numbers(position, "JointAngles", "angles").flatten(),
            };
            let joints = joints.ok_or_else(|| bad("joint angles"))?;
            let pose = |found: Option<Option<[f64; 6]>>, what: &str| match found {
                Some(numbers) => numbers
                    .and_then(|n| poses::transform(&n))
                    .map(Some)
                    .ok_or_else(|| bad(what)),
                None => Ok(None),
            };
            let (tool, feature, stated) = if old.is_some() {
                let stated = pose(position.attribute("pose").map(six), "pose")?;
                let flange = pose(numbers(node, "outputFlangePose", "pose"), "flange")?;
                let inside = pose(numbers(node, OF_FEATURE, "pose"), "pose in its feature")?;
                let tool = flange.zip(stated).map(|(f, stated)| f.inv_mul(&stated));
                let feature = inside.zip(stated).map(|(i, stated)| stated * i.inverse());
                (tool, feature, stated)
            } else {
                let tool = pose(numbers(position, "TCPOffset", "pose"), "tool")?;
                (
                    tool,
                    pose(numbers(node, "BaseToFeature", "pose"), "feature")?,
                    None,
                )
            };
            let name = node
                .attribute("name")
                .and_then(word)
                .ok_or_else(|| bad("name"))?;
            if let Some(own) = child(position, "Kinematics") {
                let chain = resolved(own).and_then(chain);
                let chain = chain.ok_or_else(|| bad("kinematics"))?;
                match &header {
                    None => header = Some((own, Some(chain))),
                    Some((_, Some(known))) if *known == chain => {}
                    Some((at, _)) if all.failure.is_none() => {
                        let reason = format!(
                            "`{name}` was taught on an arm with other kinematics than those at line {}: the file belongs to two arms",
                            tree.line(*at)
                        );
                        all.failure = Some((place.clone(), reason));
                    }
                    Some(_) => {}
                }
            }
            let point = TaughtPoint {
                place,
                joints,
                tool,
                feature,
                stated,
                failure: None,
            };
            all.add(name, point);
        }
        all.chain = header.and_then(|(_, chain)| chain);
        Ok(all)
    }

    fn add(&mut self, name: String, point: TaughtPoint) {
        let Some(known) = self.points.get_mut(&name) else {
            self.points.insert(name, point);
            return;
        };
        let same = known.joints == point.joints
            && is_same(&known.tool, &point.tool)
            && is_same(&known.feature, &point.feature)
            && is_same(&known.stated, &point.stated);
        if !same && known.failure.is_none() {
            known.failure = Some(format!(
                "the file has two different points `{name}`, here and at line {}",
                point.place.line.unwrap_or(0)
            ));
        }
    }

    /// Whether a point has a variable of this name.
    pub(super) fn has_variable(&self, name: &str) -> bool {
        let point = name.strip_suffix("_p").or_else(|| name.strip_suffix("_q"));
        point.is_some_and(|point| self.points.contains_key(point))
    }

    /// Where the feature was that a point was taught in, in the base; `None`: the file does not
    /// say.
    ///
    /// # Errors
    /// When there is no such point, or it is not known.
    pub(super) fn feature(&self, name: &str) -> Result<Option<Isometry3<f64>>, String> {
        let point = (self.points.get(name)).ok_or_else(|| format!("there is no point `{name}`"))?;
        match &point.failure {
            Some(failure) => Err(failure.clone()),
            None => Ok(point.feature),
        }
    }

    /// The tool that counts where the program begins: what the cell says, unless that is the tool
    /// of all points but for rounding. Then the joint values of points are those that were taught.
    pub(super) fn active(
        &self,
        controller: &ControlledArm,
    ) -> Option<Result<Isometry3<f64>, (Location, String)>> {
        let taught = self.tool();
        let Some(active) = controller.tool("active") else {
            return taught;
        };
        Some(Ok(match taught {
            Some(Ok(taught)) if is_typed(&active, &taught) => taught,
            _ => active,
        }))
    }

    /// How far the arm may be off because the tool of the cell is rounded, or that of a point is
    /// not the one that counts now: whichever of the two it is.
    ///
    /// # Errors
    /// When the cell lacks what it takes.
    pub(super) fn rounding(&self, controller: &ControlledArm) -> Result<RigidError, ImportError> {
        let mut most = RigidError::default();
        let Some(active) = controller.tool("active") else {
            return Ok(most);
        };
        for (name, point) in &self.points {
            let Some(tool) = &point.tool else { continue };
            if near(&active, tool) || !is_typed(&active, tool) {
                continue;
            }
            let fail = |cause: String| point.refused(cause);
            let joints = controller
                .to_urdf(&point.joints, crate::controller::JointUnit::Radians)
                .map_err(fail)?;
            let (taught, base) = frames(tool, controller).map_err(fail)?;
            let stated = controller.pose(&joints, &taught, &base).map_err(fail)?;
            let (active, base) = frames(&active, controller).map_err(fail)?;
            let off = controller.compare(&point.place, name, &joints, &active, &base, &stated)?;
            most = most.max(off.frames);
        }
        Ok(most)
    }

    /// The tool of all points, if it is the same: it was active when they were taught.
    fn tool(&self) -> Option<Result<Isometry3<f64>, (Location, String)>> {
        let mut points = self.points.iter();
        let (name, first) = points.next()?;
        let other = points.find(|(_, p)| !is_same(&p.tool, &first.tool));
        Some(match (other, first.tool) {
            (None, Some(tool)) => Ok(tool),
            (None, None) => Err((first.place.clone(), no_tool(name))),
            (Some((other, point)), _) => {
                let reason = format!(
                    "`{name}` and `{other}` were taught with different tools, and which one counts is not known"
                );
                Err((point.place.clone(), reason))
            }
        })
    }

    /// The pose of a point in the base, by the kinematics of the file, or of the model where the
    /// file has none.
    fn pose(
        &self,
        point: &TaughtPoint,
        tool: &Isometry3<f64>,
        controller: &ControlledArm,
    ) -> Result<Isometry3<f64>, String> {
        if let Some(chain) = &self.chain {
            return Ok(chain.flange(&point.joints) * tool);
        }
        let (tool, base) = frames(tool, controller)?;
        controller.pose(&point.joints, &tool, &base)
    }

    /// The pose of a point, for moves to it.
    ///
    /// # Errors
    /// When the file does not say with which tool it was taught, or the cell says that another one
    /// counts: then the installation was changed, or the cell is wrong.
    fn taught(
        &self,
        name: &str,
        point: &TaughtPoint,
        controller: &ControlledArm,
    ) -> Result<Isometry3<f64>, String> {
        let tool = point.tool.ok_or_else(|| no_tool(name))?;
        match controller.tool("active") {
            Some(active) if !is_typed(&active, &tool) => Err(format!(
                "`{name}` was taught with another tool than `active` of the cell, {:.4} mm and {:.4}° apart: {} in the cell, {} in the file; take `active` out of the robot's `tools`, and where the tool was changed since, set it in the program (`set_tcp`)",
                (active.translation.vector - tool.translation.vector).norm() * 1e3,
                active.rotation.angle_to(&tool.rotation).to_degrees(),
                shown(&active),
                shown(&tool)
            )),
            _ => {
                let pose = self.pose(point, &tool, controller)?;
                // Without kinematics of the file the model's are meant, which are off by a little.
                match &point.stated {
                    Some(stated) if self.chain.is_some() && !near(stated, &pose) => Err(format!(
                        "the joint values and the pose of `{name}` differ, and which of them counts is not known"
                    )),
                    _ => Ok(pose),
                }
            }
        }
    }

    /// Each point as variables: `NAME_p` and `NAME_q`, as the controller has them.
    pub(super) fn variables(&self, controller: &ControlledArm) -> Vec<ScriptStatement> {
        let mut found = Vec::new();
        for (name, point) in &self.points {
            let list = |numbers: [f64; 6]| numbers.map(ScriptExpression::Number).to_vec();
            let pose = match (&point.failure, self.taught(name, point, controller)) {
                (None, Ok(pose)) => ScriptExpression::Pose(list(poses::numbers(&pose))),
                (Some(why), _) => ScriptExpression::Unknown(why.as_str().into()),
                (None, Err(why)) => ScriptExpression::Unknown(why.into()),
            };
            let joints = match &point.failure {
                None => ScriptExpression::List(list(point.joints)),
                Some(why) => ScriptExpression::Unknown(why.as_str().into()),
            };
            for (ending, value) in [("p", pose), ("q", joints)] {
                found.push(ScriptStatement {
                    place: point.place.clone(),
                    what: ScriptAction::Assign {
                        scope: ScriptScope::Global,
                        name: format!("{name}_{ending}").into(),
                        at: Vec::new(),
                        value,
                    },
                });
            }
        }
        found
    }

    /// Holds the poses by the file's kinematics against the robot's model.
    ///
    /// # Errors
    /// When they are so far apart that the model is not that of the arm.
    pub(super) fn differences(
        &self,
        controller: &ControlledArm,
    ) -> Result<Vec<PointDifference>, ImportError> {
        let mut found = Vec::new();
        if self.chain.is_none() || self.failure.is_some() {
            return Ok(found);
        }
        for (name, point) in self.points.iter().filter(|(_, p)| p.failure.is_none()) {
            let fail = |cause: String| point.refused(cause);
            // How far the arm is off is seen at the flange where the tool is not known.
            let tool = point.tool.unwrap_or_default();
            let stated = self.pose(point, &tool, controller).map_err(fail)?;
            let joints = controller
                .to_urdf(&point.joints, crate::controller::JointUnit::Radians)
                .map_err(fail)?;
            let (tool, base) = frames(&tool, controller).map_err(fail)?;
            found.push(controller.compare(&point.place, name, &joints, &tool, &base, &stated)?);
        }
        Ok(found)
    }
}

/// Why the pose of a point is not known.
fn no_tool(name: &str) -> String {
    format!("with which tool `{name}` was taught, the file does not say")
}

/// A tool at the flange, and the base.
fn frames(tool: &Isometry3<f64>, controller: &ControlledArm) -> Result<(Frame, Frame), String> {
    let flange = controller.flange(Some("tool0"))?;
    let tool = Frame {
        link_from_frame: flange.link_from_frame * tool,
        link: flange.link,
    };
    Ok((tool, controller.base(Some("base"))?))
}

/// Whether both are not said, or the same.
fn is_same(a: &Option<Isometry3<f64>>, b: &Option<Isometry3<f64>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => near(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

pub(super) fn near(a: &Isometry3<f64>, b: &Isometry3<f64>) -> bool {
    (a.translation.vector - b.translation.vector).norm() <= SAME
        && a.rotation.angle_to(&b.rotation) <= SAME
}

/// Whether two tools are the same but for the rounding of what people type.
fn is_typed(a: &Isometry3<f64>, b: &Isometry3<f64>) -> bool {
    (a.translation.vector - b.translation.vector).norm() <= TYPED_M
        && a.rotation.angle_to(&b.rotation) <= TYPED_RAD
}

/// The chain that an element states.
fn chain(node: Node) -> Option<Chain> {
    let row = |name: &str| {
        let found = elements(node).find(|n| n.has_tag_name(name))?;
        six(found.attribute("value")?)
    };
    Some(Chain {
        theta: row("deltaTheta")?,
        a: row("a")?,
        d: row("d")?,
        alpha: row("alpha")?,
    })
}
