//! Nodes of a program into statements of URScript, as the controller turns them into a script.

mod moves;
mod scripts;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use roxmltree::{Node, NodeId};

use super::super::script::{
    Function, ScriptAction, ScriptBranch, ScriptCall, ScriptExpression, ScriptOperator,
    ScriptScope, ScriptStatement,
};
use super::taught::TaughtPoints;
use super::tree::{Tree, child, children, elements, is_stand_in, resolved, variable};
use crate::Options;
use crate::controller::{ControlledArm, STILL};
use moves::MoveSetting;

/// Nodes that neither move the arm nor change what does.
const HARMLESS: [&str; 4] = ["Comment", "Popup", "Wait", "InitVariablesNode"];

/// Whether a node sets an output, and does nothing else: other such nodes set the tool or the payload.
fn is_output(node: Node) -> bool {
    let is_type = |name| node.attribute("type") == Some(name);
    let parts = ["pin", "digitalValue", "analogValue"];
    node.has_tag_name("Set")
        && (is_type("DigitalOutput") || is_type("AnalogOutput"))
        && elements(node).all(|part| parts.contains(&part.tag_name().name()))
}

/// The move that nodes stand in, if any, and what it says of its points.
type Around<'a> = Option<(Node<'a, 'a>, &'a MoveSetting)>;

/// Turns nodes into statements.
pub(super) struct Translator<'t> {
    pub(super) tree: Tree<'t>,
    pub(super) taught: &'t TaughtPoints,
    /// The arm, whose cell may say where features of the installation are.
    pub(super) controller: &'t ControlledArm<'t>,
    /// How files beside the program are read: scripts that it keeps the text of.
    pub(super) options: &'t Options<'t>,
    pub(super) subprograms: RefCell<Subprograms>,
}

/// Subprograms as they are written out where they are called.
#[derive(Default)]
pub(super) struct Subprograms {
    /// Those within which a call stands.
    open: Vec<NodeId>,
    /// How many were written out.
    count: usize,
}

/// No program has more calls of subprograms, those within subprograms included.
const MOST_CALLS: usize = 1000;

const SUPPRESSED: &str = "a node that is suppressed is not read";

/// Whether a node may be switched off.
fn is_suppressed(node: Node) -> bool {
    let says = |a: &roxmltree::Attribute| a.name().to_lowercase().contains("suppress");
    (node.attributes()).any(|a| says(&a) && a.value() != "false")
}

impl Translator<'_> {
    /// The statements of a program.
    pub(super) fn program(&self, root: Node) -> Vec<ScriptStatement> {
        let mut before = Vec::new();
        let mut main = Vec::new();
        let mut threads = Vec::new();
        for node in children(root) {
            match node.tag_name().name() {
                // Whatever it is, it runs only where it is called.
                "SubProgram" => {}
                _ if is_stand_in(node) => before.push(self.stand_in(node)),
                "InitVariablesNode" => {
                    before.extend(self.initial(root, node));
                    before.extend(self.first_values(root, node));
                }
                "SpecialSequence" if node.attribute("type") == Some("BeforeStart") => {
                    before.extend(self.body(&children(node), None));
                }
                "MainProgram" => {
                    let body = self.body(&children(node), None);
                    let what = match node.attribute("runOnlyOnce") {
                        Some("true") => ScriptAction::Block(body),
                        _ => ScriptAction::While(ScriptExpression::Boolean(true), body),
                    };
                    main.push(self.at(node, what));
                }
                "SuppressedNode" => before.push(self.node(node, None)),
                "Thread" => threads.extend(self.thread(node)),
                _ => before.push(self.other(node)),
            }
        }
        before.into_iter().chain(threads).chain(main).collect()
    }

    fn at(&self, node: Node, what: ScriptAction) -> ScriptStatement {
        ScriptStatement {
            place: self.tree.place(node),
            what,
        }
    }

    fn unread(&self, node: Node, why: impl Into<Arc<str>>) -> ScriptStatement {
        self.at(node, ScriptAction::Unread(why.into()))
    }

    /// Values that variables have at the start.
    fn initial(&self, root: Node, at: Node) -> Vec<ScriptStatement> {
        let variables = (root.descendants())
            .filter(|n| n.has_tag_name("variable") && child(*n, "initializeExpression").is_some());
        let mut found = Vec::new();
        for node in variables {
            let Some(first) = child(node, "initializeExpression") else {
                continue;
            };
            let kept = node.attribute("prefersPersistentValue") == Some("true");
            let value = match (kept, elements(first).next()) {
                (false, None) if !is_stand_in(first) => continue,
                (false, _) => self.tree.expression(first),
                (true, _) => ScriptExpression::Unknown(
                    "the controller keeps its value from run to run".into(),
                ),
            };
            found.extend(variable(node).map(|name| self.set(at, name, value)));
        }
        found
    }

    /// Values that the node for them gives to variables, if the main program asks for it.
    fn first_values(&self, root: Node, at: Node) -> Vec<ScriptStatement> {
        let mut main = children(root)
            .into_iter()
            .filter(|n| n.has_tag_name("MainProgram"));
        let counts = main.all(|n| n.attribute("InitVariablesNode") == Some("true"));
        let lists = elements(at).filter(|n| n.has_tag_name("variables"));
        let all = lists.flat_map(|list| {
            let own = elements(list);
            is_stand_in(list).then_some(list).into_iter().chain(own)
        });
        let set = |node: Node| {
            if node.has_tag_name("variables") {
                return self.stand_in(node);
            }
            let Some(name) = variable(node) else {
                return self.unread(node, "a first value of a variable that is not found");
            };
            let value = match child(node, "expression") {
                Some(first) if counts => self.tree.expression(first),
                Some(_) => ScriptExpression::Unknown(
                    "whether its first value is set when the program starts is not told".into(),
                ),
                None => ScriptExpression::Unknown("it has no first value".into()),
            };
            self.set(node, name, value)
        };
        all.map(set).collect()
    }

    fn set(&self, at: Node, name: String, value: ScriptExpression) -> ScriptStatement {
        self.at(
            at,
            ScriptAction::Assign {
                scope: ScriptScope::Global,
                name: name.into(),
                at: Vec::new(),
                value,
            },
        )
    }

    /// A thread starts with the program.
    fn thread(&self, node: Node) -> Vec<ScriptStatement> {
        if is_suppressed(node) {
            return vec![self.unread(node, SUPPRESSED)];
        }
        let name: Arc<str> = format!("thread at line {}", self.tree.line(node)).into();
        let function = Function {
            name: name.clone(),
            parameters: Vec::new(),
            body: self.body(&children(node), None),
            thread: true,
        };
        let run = ScriptCall {
            name,
            arguments: Vec::new(),
        };
        vec![
            self.at(node, ScriptAction::Define(Rc::new(function))),
            self.at(node, ScriptAction::Do(ScriptExpression::Run(run))),
        ]
    }

    /// Nodes in a row.
    fn body(&self, nodes: &[Node], around: Around) -> Vec<ScriptStatement> {
        let mut found = Vec::new();
        let mut k = 0;
        while let Some(&node) = nodes.get(k) {
            k += 1;
            if !node.has_tag_name("If") {
                found.push(self.node(node, around));
                continue;
            }
            // The nodes that belong to an `If` stand behind it.
            let more = nodes[k..].iter();
            let more = more.take_while(|n| {
                n.has_tag_name("If") && matches!(n.attribute("type"), Some("ElseIf" | "Else"))
            });
            let last = k + more.count();
            found.push(self.condition(&nodes[k - 1..last], around));
            k = last;
        }
        found
    }

    fn condition(&self, nodes: &[Node], around: Around) -> ScriptStatement {
        let first = nodes[0];
        let mut arms = Vec::new();
        let mut otherwise = None;
        for (k, &node) in nodes.iter().enumerate() {
            if is_suppressed(node) {
                return self.unread(node, SUPPRESSED);
            }
            if node.attribute("checkContinuously") == Some("true") {
                return self.unread(
                    node,
                    "a condition that is checked all the time may end a motion anywhere",
                );
            }
            let body = self.body(&children(node), around);
            match (node.attribute("type"), child(node, "expression")) {
                (Some("Else"), _) if otherwise.is_none() && k > 0 => otherwise = Some(body),
                (Some("If" | "ElseIf"), Some(expression))
                    if otherwise.is_none()
                        && (k == 0) == (node.attribute("type") == Some("If")) =>
                {
                    arms.push(ScriptBranch {
                        condition: self.tree.expression(expression),
                        body,
                    });
                }
                _ => return self.unread(node, "this `If` is not understood"),
            }
        }
        let otherwise = otherwise.unwrap_or_default();
        self.at(first, ScriptAction::If { arms, otherwise })
    }

    fn node(&self, node: Node, around: Around) -> ScriptStatement {
        let name = node.tag_name().name();
        // Whether the controller leaves it out is not known.
        if is_suppressed(node) {
            return self.unread(node, SUPPRESSED);
        }
        // Points are the only ones that are followed to the node that they stand for.
        if is_stand_in(node) && name != "Waypoint" {
            return self.stand_in(node);
        }
        // It stands around a node that the controller leaves out.
        if name == "SuppressedNode" {
            return self.at(node, ScriptAction::Pass(name.into()));
        }
        if HARMLESS.contains(&name) {
            let action = match child(node, "expression") {
                Some(asked) => ScriptAction::Wait(name.into(), self.tree.expression(asked)),
                None => ScriptAction::Pass(name.into()),
            };
            return self.at(node, action);
        }
        if is_output(node) {
            return self.at(node, ScriptAction::Pass("Set of an output".into()));
        }
        match name {
            "Waypoint" | "CircleMove" => match around {
                Some((outer, setting)) if name == "Waypoint" => self.waypoint(node, outer, setting),
                Some((outer, setting)) => self.arc(node, outer, setting),
                None => self.unread(node, "a point outside of a move"),
            },
            "Folder" => self.at(
                node,
                ScriptAction::Block(self.body(&children(node), around)),
            ),
            "Halt" => self.at(node, ScriptAction::Halt),
            "Assignment" => self.assignment(node),
            "Timer" => match child(node, "variable").and_then(variable) {
                Some(name) => {
                    let value = ScriptExpression::Unknown("it is a clock".into());
                    self.set(node, name, value)
                }
                None => self.unread(node, "a timer whose variable is not found"),
            },
            "Script" => self.script(node),
            "Loop" => self.repeat(node, around),
            "Switch" => self.switch(node, around),
            "Move" => self.moves(node),
            "CallSubProgram" => self.subprogram(node),
            // How often a URCap runs them, and whether, only the URCap knows.
            "Contributed" if !children(node).is_empty() => {
                self.unread(node, "nodes within a node of a URCap are not read")
            }
            "Contributed" => {
                let cap = node.attribute("strategyURCapName").unwrap_or("?");
                let what = node.attribute("strategyProgramNodeType").unwrap_or("?");
                let why = format!(
                    "the node `{what}` of the URCap `{cap}` could move the arm; if each of its nodes {STILL}, write `still = [\"{cap}\"]` in the robot's `controller`"
                );
                self.at(node, ScriptAction::Named(cap.into(), why.into()))
            }
            _ => self.other(node),
        }
    }

    fn stand_in(&self, node: Node) -> ScriptStatement {
        let name = node.tag_name().name();
        self.unread(
            node,
            format!("a node `{name}` that stands for another one is not read"),
        )
    }

    fn other(&self, node: Node) -> ScriptStatement {
        let name = node.tag_name().name();
        self.unread(
            node,
            format!("the node `{name}` could move the arm and is not read"),
        )
    }

    fn assignment(&self, node: Node) -> ScriptStatement {
        let Some(name) = child(node, "variable").and_then(variable) else {
            return self.unread(node, "an assignment to a variable that is not found");
        };
        let value = match (node.attribute("valueSource"), child(node, "expression")) {
            (Some("Expression"), Some(expression)) => self.tree.expression(expression),
            (Some("Operator"), _) => {
                ScriptExpression::Unknown("the operator is asked for it".into())
            }
            _ => return self.unread(node, "an assignment whose value is not understood"),
        };
        self.set(node, name, value)
    }

    fn repeat(&self, node: Node, around: Around) -> ScriptStatement {
        if node.attribute("checkContinuously") == Some("true") {
            return self.unread(
                node,
                "a loop whose condition is checked all the time may end a motion anywhere",
            );
        }
        let body = self.body(&children(node), around);
        let what = match (node.attribute("type"), child(node, "expression")) {
            (Some("Forever" | "Always"), _) => {
                ScriptAction::While(ScriptExpression::Boolean(true), body)
            }
            (Some("While" | "Expression"), Some(condition)) => {
                ScriptAction::While(self.tree.expression(condition), body)
            }
            (Some("Counting"), _) => match self.counting(node, body) {
                Ok(what) => what,
                Err(why) => return self.unread(node, why),
            },
            _ => return self.unread(node, "this loop is not understood"),
        };
        self.at(node, what)
    }

    /// A loop that counts.
    fn counting(
        &self,
        node: Node,
        body: Vec<ScriptStatement>,
    ) -> Result<ScriptAction, &'static str> {
        let count = node.attribute("count").and_then(|c| c.parse().ok());
        let whole = count.filter(|c: &f64| c.fract() == 0.0 && *c >= 0.0);
        let count = whole.ok_or("how often this loop goes round is not found")?;
        let counter = match child(node, "variable") {
            Some(found) => Some(variable(found).ok_or("a loop whose variable is not found")?),
            None => None,
        };
        Ok(ScriptAction::Times {
            count: ScriptExpression::Number(count),
            counter: counter.map(Arc::from),
            body,
        })
    }

    fn switch(&self, node: Node, around: Around) -> ScriptStatement {
        let Some(expression) = child(node, "expression") else {
            return self.unread(node, "a switch without an expression");
        };
        // The value is asked for once: a case may change what it is made of.
        let chosen: Arc<str> = format!("switch at line {}", self.tree.line(node)).into();
        let mut arms = Vec::new();
        let mut otherwise = Vec::new();
        for case in children(node) {
            if is_suppressed(case) {
                return self.unread(case, SUPPRESSED);
            }
            let body = self.body(&children(case), around);
            let value = case.attribute("caseValue");
            match (
                case.tag_name().name(),
                value.and_then(|v| v.trim().parse().ok()),
            ) {
                ("Case", Some(number)) => arms.push(ScriptBranch {
                    condition: ScriptExpression::Binary(
                        ScriptOperator::Equal,
                        Box::new(ScriptExpression::Name(chosen.clone())),
                        Box::new(ScriptExpression::Number(number)),
                    ),
                    body,
                }),
                ("DefaultCase", None) if otherwise.is_empty() && !is_stand_in(case) => {
                    otherwise = body;
                }
                _ => return self.unread(case, "this case is not understood"),
            }
        }
        let value = ScriptAction::Assign {
            scope: ScriptScope::Global,
            name: chosen,
            at: Vec::new(),
            value: self.tree.expression(expression),
        };
        let body = if arms.is_empty() {
            ScriptAction::Block(otherwise)
        } else {
            ScriptAction::If { arms, otherwise }
        };
        self.at(
            node,
            ScriptAction::Block(vec![self.at(node, value), self.at(node, body)]),
        )
    }

    fn subprogram(&self, node: Node) -> ScriptStatement {
        let found = child(node, "subprogram").and_then(resolved);
        let Some(found) = found else {
            return self.unread(node, "a subprogram that is not found");
        };
        let Some(nodes) = child(found, "children") else {
            return self.unread(node, "a subprogram whose nodes are not in the file");
        };
        // Then the nodes here are none, or those of when the program was saved.
        let is_empty =
            resolved(nodes).is_none_or(|nodes| !nodes.children().any(|n| n.is_element()));
        let is_elsewhere = found.attribute("keepSynchronizedWithDisk") == Some("true");
        if child(found, "programFile").is_some() && (is_elsewhere || is_empty) {
            return self.unread(
                node,
                "a subprogram that is kept in a file of its own: the controller takes what stands there",
            );
        }
        // One that is within itself would never end.
        let id = found.id();
        let within = self.subprograms.borrow().open.contains(&id);
        if within || node.ancestors().any(|n| n == found) {
            return self.unread(node, "a subprogram that calls itself is not followed");
        }
        {
            let mut subprograms = self.subprograms.borrow_mut();
            subprograms.count += 1;
            if subprograms.count > MOST_CALLS {
                return self.unread(node, "so many calls of subprograms are not followed");
            }
            subprograms.open.push(id);
        }
        let body = self.body(&children(found), None);
        self.subprograms.borrow_mut().open.pop();
        // It is a function of its own to the controller, and written out here.
        let mut all = Vec::new();
        body.iter().for_each(|s| s.within(&mut all));
        let of_a_function = |action: &ScriptAction| match action {
            ScriptAction::Return(_) => true,
            ScriptAction::Assign { scope, .. } => *scope == ScriptScope::Local,
            _ => false,
        };
        if all.iter().any(|s| of_a_function(&s.what)) {
            return self.unread(node, "`return` and `local` in a subprogram are not read");
        }
        self.at(node, ScriptAction::Block(body))
    }
}
