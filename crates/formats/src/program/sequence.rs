//! `moveit_msgs/MotionSequenceRequest` as YAML or JSON: what the planner of Pilz (`PTP`, `LIN`,
//! `CIRC`) is asked for, with blend radii. What of it is not understood, or what the planner would
//! refuse, makes the motion unknown from there on.

mod goal;
mod keys;
mod unread;

use std::collections::BTreeMap;
use std::path::Path;

use clearance_proof::model::RigidError;
use clearance_proof::model::moves::{
    ArcTurning, Branch, Frame, Move, MoveKind, MoveProgram, Speed, Target, Unknown, Zone,
};
use nalgebra::{Isometry3, Vector3};

use super::goal_scene::says_nothing;
use super::motion::ImportedMoves;
use super::node::{NodeKind, ProgramNode};
use super::ros::{at, document, finite, list, syntax};
use crate::{ImportError, Location};
use goal::{ItemGoal, PoseGoal};

/// The name of the planner of Pilz.
const PIPELINE: &str = "pilz_industrial_motion_planner";

/// Reads a request; nothing where the bytes are none. `tips` are the links at which planning groups
/// end, as far as they are known.
///
/// # Errors
/// When it has a value that makes no sense.
pub fn read(
    path: &Path,
    bytes: &[u8],
    tips: &BTreeMap<String, String>,
) -> Option<Result<ImportedMoves, ImportError>> {
    let text = super::text(path, bytes).ok()?;
    // Few texts have these words.
    let words = ["items", "blend_radius", "req", "goal_constraints"];
    if !words.iter().all(|word| text.contains(word)) {
        return None;
    }
    // JSON is YAML but for tabs, which texts of JSON do not hold.
    let text = if text.trim_start().starts_with('{') {
        text.replace('\t', " ")
    } else {
        text.to_owned()
    };
    let root = document(path, &text).ok()?;
    let items = items(&root)?;
    let mut reader = Reader {
        path,
        joints: Vec::new(),
        group: None,
        start: None,
        moved: Vec::new(),
        tips,
    };
    let program = reader.program(&root, items);
    Some(program.map(|program| ImportedMoves {
        program,
        unproved: false,
        assumed: Vec::new(),
        slides: None,
        in_radians: true,
    }))
}

/// The items of a request, or of the goal of an action or the call of a service that holds one.
fn items(root: &ProgramNode) -> Option<&[ProgramNode]> {
    let request = root.get("request").unwrap_or(root);
    match &request.get("items")?.kind {
        NodeKind::List(items) if items.first().is_some_and(|i| i.get("req").is_some()) => {
            Some(items)
        }
        _ => None,
    }
}

struct Reader<'r> {
    path: &'r Path,
    /// Joints whose values are stated, in the order of the first statement.
    joints: Vec<String>,
    /// The planning group of the first item.
    group: Option<String>,
    /// Joint values at the start, where they are stated.
    start: Option<Vec<f64>>,
    /// Joints that goals name: the others stay where the start has them.
    moved: Vec<String>,
    /// The links at which planning groups end.
    tips: &'r BTreeMap<String, String>,
}

/// Why a request cannot be read: it is broken, or it does not say what the motion is.
enum Stopped {
    Broken(ImportError),
    Unknown(Unknown),
}

impl From<ImportError> for Stopped {
    fn from(error: ImportError) -> Self {
        Stopped::Broken(error)
    }
}

impl Reader<'_> {
    fn program(
        &mut self,
        root: &ProgramNode,
        items: &[ProgramNode],
    ) -> Result<MoveProgram, ImportError> {
        let mut program = MoveProgram {
            source: self.path.to_owned(),
            name: String::new(),
            robot: None,
            joints: Vec::new(),
            start: None,
            moves: Vec::new(),
            goes_round: false,
            turn_lead: 0.0,
            model_difference: RigidError::default(),
            unknown: Vec::new(),
            passed_over: Vec::new(),
        };
        // Values are in the order of the joints that are named first: the start's, else those of
        // the first goal.
        let found = self.only_the_cell(root).and_then(|()| {
            self.start = self.start(&items[0])?;
            program.start = self.start.clone();
            items.iter().enumerate().try_for_each(|(k, item)| {
                let step = self.item(item, k == 0, &program.moves)?;
                program.moves.push(step);
                Ok(())
            })
        });
        match found.and_then(|()| self.blends(items, &program.moves)) {
            Ok(()) => {}
            Err(Stopped::Broken(error)) => return Err(error),
            Err(Stopped::Unknown(unknown)) => program.unknown.push(unknown),
        }
        if self.joints.is_empty() && program.unknown.is_empty() {
            let problem = syntax(
                "no joint is named",
                "state `start_state` of the first item, or joint values of its goal",
            );
            return Err(at(self.path, &items[0], problem));
        }
        program.joints = self.joints.clone();
        Ok(program)
    }

    fn unknown<T>(&self, node: &ProgramNode, reason: impl Into<String>) -> Result<T, Stopped> {
        Err(Stopped::Unknown(Unknown {
            place: self.place(node),
            reason: reason.into(),
        }))
    }

    fn place(&self, node: &ProgramNode) -> Location {
        Location::at(self.path, node.line.unwrap_or(1), None)
    }

    /// Joint values before the first move, if they are stated.
    fn start(&mut self, item: &ProgramNode) -> Result<Option<Vec<f64>>, Stopped> {
        let state = item.get("req").and_then(|req| req.get("start_state"));
        let Some(state) = state else {
            return Ok(None);
        };
        let Some(joints) = state.get("joint_state").filter(|j| {
            // A state without names is the one in which the robot then is.
            j.get("name").is_some_and(|names| !says_nothing(names))
        }) else {
            return Ok(None);
        };
        let (names, values) = (
            list(self.path, joints, "name")?,
            list(self.path, joints, "position")?,
        );
        if names.len() != values.len() {
            let problem = syntax(
                format!("{} names and {} positions", names.len(), values.len()),
                "give one of each for every joint",
            );
            return Err(at(self.path, joints, problem).into());
        }
        let mut start = Vec::new();
        for (name, value) in names.iter().zip(values) {
            let name = self.text(name)?;
            if self.joints.contains(&name) {
                let problem = syntax(format!("joint `{name}` occurs twice"), "name it once");
                return Err(at(self.path, joints, problem).into());
            }
            start.push(finite(self.path, value, &format!("`{name}`"))?);
            self.joints.push(name);
        }
        Ok(Some(start))
    }

    fn text(&self, node: &ProgramNode) -> Result<String, ImportError> {
        match &node.kind {
            NodeKind::Text(text) => Ok(text.clone()),
            _ => {
                let problem = syntax(
                    format!("{} stands where a name should be", node.word()),
                    "write a name",
                );
                Err(at(self.path, node, problem))
            }
        }
    }

    /// One item, after those that came before it.
    fn item(&mut self, item: &ProgramNode, first: bool, before: &[Move]) -> Result<Move, Stopped> {
        let Some(req) = item.get("req") else {
            let problem = syntax("an item without `req`", "every item has one");
            return Err(at(self.path, item, problem).into());
        };
        self.keys(item, "item", &keys::ITEM)?;
        self.keys(req, "req", &keys::REQUEST)?;
        self.only_what_is_read(req, first)?;
        let goals = match req.get("goal_constraints") {
            Some(_) => list(self.path, req, "goal_constraints")?,
            None => &[],
        };
        let [constraints] = goals else {
            return self.unknown(req, format!("{} goals, and not one", goals.len()));
        };
        let goal = self.goal(constraints)?;
        let planner = req.get("planner_id").map(|node| self.text(node));
        let planner = planner.transpose()?.unwrap_or_default();
        let node = req.get("planner_id").unwrap_or(req);
        let joint = match planner.as_str() {
            "PTP" => true,
            "LIN" | "CIRC" => false,
            other => {
                return self.unknown(
                    node,
                    format!("the path that the planner `{other}` finds is not known before; `PTP`, `LIN` and `CIRC` are"),
                );
            }
        };
        let path = req.get("path_constraints");
        if let Some(path) = path {
            self.keys(path, "path_constraints", &keys::CONSTRAINTS)?;
        }
        let constrained = path.is_some_and(|path| {
            ["joint", "position", "orientation", "visibility"]
                .iter()
                .any(|of| {
                    path.get(&format!("{of}_constraints"))
                        .is_some_and(|c| !says_nothing(c))
                })
        });
        if constrained && planner != "CIRC" {
            return self.unknown(
                node,
                format!("a `{planner}` with path constraints is not read"),
            );
        }
        if let ItemGoal::Pose(goal) = &goal
            && !joint
            && !goal.has_one_path(before.last())
        {
            return self.unknown(
                constraints,
                "a `target_point_offset` where the tool may turn: versions of the planner differ in which point follows the path; state the goal of a link at that point, without an offset",
            );
        }
        let (target, tool) = match (&goal, joint) {
            (ItemGoal::Joints(values), true) => (Target::Joints(values.clone()), None),
            (ItemGoal::Joints(_), false) => {
                return self.unknown(
                    node,
                    format!("a `{planner}` to joint values does not say which link follows the line: state its goal as a pose"),
                );
            }
            (ItemGoal::Pose(_), true) => {
                return self.unknown(
                    node,
                    "a `PTP` to a pose goes to whichever joint values the kinematics of the robot find: state its goal as joint values",
                );
            }
            (ItemGoal::Pose(goal), false) => (goal.target(), Some(goal.tool.clone())),
        };
        let kind = match (planner.as_str(), &goal) {
            ("CIRC", ItemGoal::Pose(goal)) => MoveKind::Circular {
                via: self.via(path.unwrap_or(req), goal, before)?,
                turning: ArcTurning::Still,
            },
            ("LIN", _) => MoveKind::Linear,
            _ => MoveKind::Joint,
        };
        let radius = match item.get("blend_radius") {
            Some(node) => finite(self.path, node, "`blend_radius`")?,
            None => 0.0,
        };
        if radius < 0.0 {
            return self.unknown(item, "a blend radius below 0");
        }
        let share = match req.get("max_velocity_scaling_factor") {
            Some(node) => finite(self.path, node, "`max_velocity_scaling_factor`")?,
            None => 0.0,
        };
        Ok(Move {
            kind,
            target,
            tool: tool.unwrap_or_else(|| Frame {
                link: String::new(),
                link_from_frame: Isometry3::identity(),
            }),
            zone: if radius > 0.0 {
                Zone::Ball(radius)
            } else {
                Zone::Stop
            },
            speed: if joint && share > 0.0 && share <= 1.0 {
                Speed::Share(share)
            } else {
                Speed::Unknown
            },
            label: match constraints.get("name").map(|n| &n.kind) {
                Some(NodeKind::Text(name)) => name.clone(),
                _ => String::new(),
            },
            routine: String::new(),
            place: self.place(item),
        })
    }

    /// A point of an arc.
    fn via(&self, path: &ProgramNode, goal: &PoseGoal, before: &[Move]) -> Result<Target, Stopped> {
        let name = path.get("name").map(|node| self.text(node)).transpose()?;
        let points = match path.get("position_constraints") {
            Some(_) => list(self.path, path, "position_constraints")?,
            None => &[],
        };
        let (Some(name), [point]) = (name, points) else {
            return self.unknown(
                path,
                "a `CIRC` needs one position in `path_constraints`, with the name `interim` or `center`",
            );
        };
        let (frame, place) = self.position(point)?;
        if frame != goal.frame.link {
            return self.unknown(point, "a point of an arc in another frame than its goal");
        }
        let place = goal.place_of_link(&place);
        let place = match name.as_str() {
            "interim" => place,
            "center" => {
                let start = before.last().map(|m| &m.target);
                let Some(Target::Pose {
                    frame: from,
                    frame_from_tool: start,
                    ..
                }) = start
                else {
                    return self.unknown(
                        path,
                        "an arc by its centre, whose start is stated as joint values: state a point of it (`interim`)",
                    );
                };
                let same_tool = before.last().is_some_and(|m| m.tool == goal.tool);
                if from.link != goal.frame.link || !same_tool {
                    return self.unknown(
                        path,
                        "an arc by its centre, whose start is stated in another frame or of another link",
                    );
                }
                match middle_of_arc(
                    &start.translation.vector,
                    &goal.pose.translation.vector,
                    &place,
                ) {
                    Some(middle) => middle,
                    None => {
                        return self.unknown(
                            path,
                            "an arc by its centre that is not as far from its start as from its end, or is half a circle",
                        );
                    }
                }
            }
            other => {
                return self.unknown(path, format!("`{other}` is neither `interim` nor `center`"));
            }
        };
        Ok(Target::Pose {
            frame: goal.frame.clone(),
            frame_from_tool: Isometry3::translation(place.x, place.y, place.z),
            branch: Branch::Continued,
        })
    }

    /// Blends are made in space, between moves of the tool.
    fn blends(&self, items: &[ProgramNode], moves: &[Move]) -> Result<(), Stopped> {
        for (k, (item, step)) in items.iter().zip(moves).enumerate() {
            if step.zone == Zone::Stop {
                continue;
            }
            let Some(next) = moves.get(k + 1) else {
                return self.unknown(
                    item,
                    "the last item has a blend radius, which the planner refuses",
                );
            };
            if [step, next].iter().any(|m| m.kind == MoveKind::Joint) {
                return self.unknown(
                    item,
                    "a blend with a `PTP`: the planner mixes both paths in space, and that of a `PTP` is not a line there; stop between \
                     them",
                );
            }
            if step.tool != next.tool {
                return self.unknown(item, "a blend between moves of two links");
            }
            let before = k.checked_sub(1).map(|k| &moves[k]);
            if !(goal::stays_turned(before, step) && goal::stays_turned(Some(step), next)) {
                self.is_about_the_tip(item, &step.tool.link)?;
            }
        }
        Ok(())
    }

    /// The planner rounds a corner where the tip of the group comes near it, whatever link the goals
    /// name: where the tool turns, another link is elsewhere then.
    fn is_about_the_tip(&self, item: &ProgramNode, link: &str) -> Result<(), Stopped> {
        let group = self.group.as_deref().unwrap_or_default();
        match self.tips.get(group) {
            Some(tip) if tip == link => Ok(()),
            Some(tip) => self.unknown(
                item,
                format!("a blend while the tool may turn is about the tip of `{group}`, which is `{tip}`: state goals of that link in place of `{link}`"),
            ),
            None => self.unknown(
                item,
                format!("a blend while the tool may turn is about the tip of the planning group `{group}`: name an SRDF for the robot whose group of this name is a chain with the tip `{link}`"),
            ),
        }
    }
}

/// The middle of the shorter arc about a centre.
fn middle_of_arc(
    start: &Vector3<f64>,
    end: &Vector3<f64>,
    centre: &Vector3<f64>,
) -> Option<Vector3<f64>> {
    let (a, b) = (start - centre, end - centre);
    let radius = a.norm();
    // As far as the planner lets the two radii differ.
    if (radius - b.norm()).abs() > 1e-6 {
        return None;
    }
    // Of half a circle the plane is not known.
    let toward = (a + b).try_normalize(1e-3 * radius)?;
    Some(centre + toward * radius)
}

#[cfg(test)]
mod tests;
