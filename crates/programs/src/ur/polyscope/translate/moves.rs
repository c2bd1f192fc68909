//! `Move` nodes, their waypoints and arcs.

use std::collections::BTreeMap;

use nalgebra::Isometry3;
use roxmltree::Node;

use super::super::super::poses;
use super::super::super::script::{
    ScriptAction, ScriptArgument, ScriptCall, ScriptExpression, ScriptScope, ScriptStatement,
};
use super::super::taught::{OF_FEATURE, near};
use super::super::tree::{child, children, elements, resolved, variable, waypoint, word};
use super::{SUPPRESSED, Translator, is_suppressed};

impl Translator<'_> {
    pub(super) fn moves(&self, node: Node) -> ScriptStatement {
        let setting = match MoveSetting::of(node) {
            Ok(setting) => setting,
            Err(why) => return self.unread(node, why),
        };
        let body = self.body(&children(node), Some((node, &setting)));
        self.at(node, ScriptAction::Block(body))
    }

    /// Where the feature of a move is now, in the base; `None`: it is the base.
    ///
    /// # Errors
    /// When the cell does not say.
    fn feature(&self, around: Node) -> Result<Option<Isometry3<f64>>, String> {
        let node = child(around, "feature").and_then(resolved);
        let name = node.and_then(|f| f.attribute("referencedName"));
        let (Some(node), Some(name)) = (node, name) else {
            return Err("a move whose feature is not found".to_owned());
        };
        if name == "Joint_0_name" {
            return Ok(None);
        }
        if node.attribute("class") != Some("GeomFeatureReference") {
            return Err(changes(name));
        }
        self.placed(name).map(Some)
    }

    /// Where a feature of the installation is now, in the base.
    ///
    /// # Errors
    /// When the cell does not say.
    fn placed(&self, name: &str) -> Result<Isometry3<f64>, String> {
        // Features that a program changes while it runs, and frames that go along with the tool,
        // are not in the cell file.
        if name.ends_with("_var") {
            return Err(changes(name));
        }
        if name.starts_with("Joint_") && name.ends_with("_name") {
            return Err(format!(
                "the feature `{name}` goes along with the arm: where it is when the program comes there is not read; teach the point in the base"
            ));
        }
        let Some(frame) = self.controller.frame(name) else {
            return Err(format!(
                "where the feature `{name}` of the installation is now, the program does not say; write `frames = {{ {name} = \
                 {{ link = \"base\", xyz = […], rpy = […] }} }}` in the robot's `controller`, or teach the point in the base"
            ));
        };
        let base = self.controller.base(Some("base"))?;
        if frame.link == base.link {
            Ok(base.link_from_frame.inverse() * frame.link_from_frame)
        } else {
            Err(format!(
                "the cell states the feature `{name}` on the link `{}`; state it on `{}`",
                frame.link, base.link
            ))
        }
    }

    /// Features that are waypoints, as variables: the controller has them as poses in the base.
    pub(in super::super) fn features(&self, root: Node) -> Vec<ScriptStatement> {
        let mut named = BTreeMap::new();
        for node in root.descendants().filter(|n| n.has_tag_name("variable")) {
            if let Some(name) = node.attribute("featureName").and_then(word) {
                named.entry(name).or_insert(node);
            }
        }
        let assign = |(name, node): (String, Node)| {
            let value = match self.placed(&name) {
                _ if self.taught.has_variable(&name) => ScriptExpression::Unknown(
                    format!("`{name}` is a feature, and a variable of a point too").into(),
                ),
                Ok(pose) => posed(&pose),
                Err(why) => ScriptExpression::Unknown(why.into()),
            };
            let what = ScriptAction::Assign {
                scope: ScriptScope::Global,
                name: name.into(),
                at: Vec::new(),
                value,
            };
            self.at(node, what)
        };
        named.into_iter().map(assign).collect()
    }

    /// The variable or the taught point that a waypoint stands for, and its corner. As a controller
    /// makes it: a variable is a pose in the move's feature, and a taught point goes along with it:
    /// `pose_trans(now, pose_trans(inverse of when it was taught, point))`.
    fn point(
        &self,
        node: Node,
        around: Node,
        by_joints: bool,
    ) -> Result<(ScriptExpression, Option<ScriptExpression>, f64), String> {
        // A node that stands for another one is that node, with its corner.
        let own = node;
        let node = resolved(own).ok_or("a waypoint that is not found")?;
        if own != node && elements(own).next().is_some() {
            return Err("a waypoint that stands for another one and says more is not read".into());
        }
        if is_suppressed(node) {
            return Err(SUPPRESSED.to_owned());
        }
        let mut radius = 0.0;
        for part in elements(node).filter(|n| n.has_tag_name("motionParameters")) {
            for attribute in part.attributes() {
                match attribute.name() {
                    "blendRadius" => radius = corner(attribute.value())?,
                    name if name.to_lowercase().ends_with("speed") => {}
                    name if name.to_lowercase().ends_with("acceleration") => {}
                    name if name.to_lowercase().ends_with("time") => {}
                    name => return Err(format!("`{name}` of a waypoint is not read")),
                }
            }
            if elements(part).next().is_some() {
                return Err("what a waypoint says of its motion is not read".to_owned());
            }
        }
        if !children(node).is_empty() {
            return Err(
                "a waypoint with nodes of its own, such as `Until`, is not read".to_owned(),
            );
        }
        match node.attribute("type") {
            Some("Fixed") => {
                let name = waypoint(node).ok_or("a waypoint whose name is not read")?;
                let taught = self.taught.feature(&name)?;
                let part = |what: &str| ScriptExpression::Name(format!("{name}_{what}").into());
                let mut pose = part("p");
                // Joint values do not depend on features.
                if !by_joints {
                    // Joint moves of PolyScope 3 have no feature.
                    let none = child(around, "feature").is_none()
                        && around.attribute("motionType") == Some("MoveJ")
                        && child(node, OF_FEATURE).is_some();
                    let now = match taught {
                        Some(then) if none && near(&then, &Isometry3::identity()) => None,
                        _ => self.feature(around)?,
                    };
                    match (now, taught) {
                        (None, None) => {}
                        (None, Some(then)) if near(&then, &Isometry3::identity()) => {}
                        (None, Some(_)) => {
                            return Err(format!(
                                "`{name}` was taught in a feature of the installation, and the move is in the base"
                            ));
                        }
                        (Some(_), None) => {
                            return Err(format!(
                                "the program does not say where the feature was when `{name}` was taught"
                            ));
                        }
                        (Some(now), Some(then)) => {
                            pose = seen_from(&now, seen_from(&then.inverse(), pose));
                        }
                    }
                }
                Ok((pose, Some(part("q")), radius))
            }
            Some("Variable") => {
                let of = child(node, "variable").and_then(resolved);
                let feature = of.and_then(|of| of.attribute("featureName"));
                let name = match feature {
                    Some(feature) => word(feature),
                    None => of.and_then(variable),
                };
                let name = name.ok_or("a waypoint whose variable is not found")?;
                let pose = ScriptExpression::Name(name.as_str().into());
                Ok(match self.feature(around)? {
                    Some(_) if feature.is_some() => {
                        return Err(format!(
                            "the waypoint is the feature `{name}`, and the move is in another one: teach the point, or move in the base"
                        ));
                    }
                    Some(now) => (seen_from(&now, pose), None, radius),
                    None => (pose, None, radius),
                })
            }
            Some("Relative") => Err(
                "a waypoint of the kind `Relative` is not read: how a program stores it is not known".to_owned(),
            ),
            other => Err(format!(
                "a waypoint of the kind `{}` is not read",
                other.unwrap_or("?")
            )),
        }
    }

    pub(super) fn waypoint(
        &self,
        node: Node,
        around: Node,
        setting: &MoveSetting,
    ) -> ScriptStatement {
        let by_joints = setting.kind == "movej" && setting.by_joints;
        let (pose, joints, radius) = match self.point(node, around, by_joints) {
            Ok(point) => point,
            Err(why) => return self.unread(node, why),
        };
        let target = match (setting.kind, joints, setting.by_joints) {
            ("movej", Some(joints), true) => joints,
            ("movej", Some(joints), false) => call(
                "get_inverse_kin",
                vec![argument(None, pose), argument(Some("qnear"), joints)],
            ),
            _ => pose,
        };
        let mut arguments = vec![argument(None, target)];
        arguments.extend(setting.arguments(radius));
        self.at(node, ScriptAction::Do(call(setting.kind, arguments)))
    }

    pub(super) fn arc(&self, node: Node, around: Node, setting: &MoveSetting) -> ScriptStatement {
        if node.attribute("OrientationMode") != Some("UNCONSTRAINED") || setting.kind != "movep" {
            return self.unread(node, "an arc whose orientation is fixed to it is not read");
        }
        let points: Result<Vec<_>, String> = (children(node).into_iter())
            .map(|n| {
                if is_suppressed(n) {
                    Err(SUPPRESSED.to_owned())
                } else if n.has_tag_name("Waypoint") {
                    self.point(n, around, false)
                } else {
                    Err("an arc with something else than its two points is not read".into())
                }
            })
            .collect();
        match points.map(<[_; 2]>::try_from) {
            Ok(Ok([via, to])) => {
                let mut arguments = vec![argument(None, via.0), argument(None, to.0)];
                arguments.extend(setting.arguments(to.2));
                self.at(node, ScriptAction::Do(call("movec", arguments)))
            }
            Ok(Err(_)) => self.unread(node, "an arc has two points"),
            Err(why) => self.unread(node, why),
        }
    }
}

/// The settings of a `Move` for all its points.
pub(super) struct MoveSetting {
    pub(super) kind: &'static str,
    pub(super) by_joints: bool,
    pub(super) speed: Option<f64>,
    pub(super) radius: f64,
}

impl MoveSetting {
    pub(super) fn of(node: Node) -> Result<Self, String> {
        let kind = match node.attribute("motionType") {
            Some("MoveJ") => "movej",
            Some("MoveL") => "movel",
            Some("MoveP") => "movep",
            other => {
                return Err(format!(
                    "a move of the kind `{}` is not read",
                    other.unwrap_or("?")
                ));
            }
        };
        if node.attribute("useActiveTCP").is_some_and(|v| v != "true") {
            return Err(
                "a move with a tool of its own, which the installation has, is not read".to_owned(),
            );
        }
        let by_joints = match node.attribute("positionType") {
            Some("JointAngles") => true,
            Some("CartesianPose") | None => false,
            Some(other) => return Err(format!("points of the kind `{other}` are not read")),
        };
        if node.attribute("optimoveEnabled") == Some("true") {
            return Err("a move with OptiMove is not read".to_owned());
        }
        let known = [
            "motionType",
            "positionType",
            "useActiveTCP",
            "optimoveEnabled",
            "optiMoveSpeed",
            "optiMoveAcceleration",
            "speed",
            "acceleration",
            "blendRadius",
        ];
        if let Some(other) = (node.attributes()).find(|a| !known.contains(&a.name())) {
            return Err(format!("`{}` of a move is not read", other.name()));
        }
        let parts = ["feature", "children"];
        if let Some(other) = elements(node).find(|n| !parts.contains(&n.tag_name().name())) {
            return Err(format!(
                "`{}` of a move is not read",
                other.tag_name().name()
            ));
        }
        let number = |name: &str| node.attribute(name).map(|v| v.trim().parse::<f64>());
        let radius = node.attribute("blendRadius").map_or(Ok(0.0), corner)?;
        Ok(Self {
            kind,
            by_joints,
            speed: number("speed").and_then(Result::ok),
            radius,
        })
    }

    pub(super) fn arguments(&self, radius: f64) -> Vec<ScriptArgument> {
        // A point's own corner counts before that of its move.
        let radius = if radius > 0.0 { radius } else { self.radius };
        let speed = self
            .speed
            .map(|v| argument(Some("v"), ScriptExpression::Number(v)));
        let radius = argument(Some("r"), ScriptExpression::Number(radius));
        speed.into_iter().chain([radius]).collect()
    }
}

/// The radius of a corner.
fn corner(text: &str) -> Result<f64, String> {
    let radius = text.trim().parse().ok();
    let radius = radius.filter(|r: &f64| r.is_finite() && *r >= 0.0);
    radius.ok_or_else(|| "a corner whose radius is not a number of metres".to_owned())
}

/// A pose that is stated in a frame.
fn seen_from(frame: &Isometry3<f64>, pose: ScriptExpression) -> ScriptExpression {
    let frame = argument(None, posed(frame));
    call("pose_trans", vec![frame, argument(None, pose)])
}

fn posed(pose: &Isometry3<f64>) -> ScriptExpression {
    let numbers = poses::numbers(pose).map(ScriptExpression::Number);
    ScriptExpression::Pose(numbers.to_vec())
}

/// Why a feature is not read.
fn changes(name: &str) -> String {
    format!("the feature `{name}` is not read: a program may change it")
}

fn call(name: &str, arguments: Vec<ScriptArgument>) -> ScriptExpression {
    ScriptExpression::Call(ScriptCall {
        name: name.into(),
        arguments,
    })
}

fn argument(name: Option<&str>, value: ScriptExpression) -> ScriptArgument {
    ScriptArgument {
        name: name.map(Into::into),
        value,
    }
}
