//! From named links and joints to a tree: one root, no loops, mimic chains followed to their
//! source.

use std::collections::HashMap;

use clearance_proof::report::Code;

use super::{Description, UrdfJoint, UrdfNote, UrdfSubject};
use crate::names::suggestion;
use crate::{ImportError, Location, Problem};

/// What a joint follows: value = multiplier · source + offset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FollowedJoint {
    /// The independent joint at the end of the chain.
    pub(crate) source: usize,
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
    /// The joint that its own tag names, and the factor there.
    pub(crate) leader: usize,
    pub(crate) factor: f64,
}

/// The order in which a robot is built up.
#[derive(Debug)]
pub(crate) struct UrdfTree {
    /// Every link with the joint that carries it, parents before children; the root first. Indices
    /// into the description.
    pub(crate) order: Vec<(usize, Option<usize>)>,
    /// By joint: what it follows.
    pub(crate) mimics: Vec<Option<FollowedJoint>>,
    /// Index of a link by its name.
    pub(crate) links: HashMap<String, usize>,
}

impl UrdfTree {
    /// Checks the names and the tree, and follows the mimic chains.
    pub(crate) fn new(robot: &mut Description) -> Result<Self, ImportError> {
        let links = unique("link", robot.links.iter().map(|l| (&l.name, &l.place)))?;
        let joints = unique("joint", robot.joints.iter().map(|j| (&j.name, &j.place)))?;
        let order = order(robot, &links)?;
        let mimics = mimics(robot, &joints)?;
        Ok(Self {
            order,
            mimics,
            links,
        })
    }
}

fn unique<'a>(
    what: &'static str,
    names: impl Iterator<Item = (&'a String, &'a Location)>,
) -> Result<HashMap<String, usize>, ImportError> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (i, (name, place)) in names.enumerate() {
        if seen.insert(name.clone(), i).is_some() {
            return Err(syntax(
                place,
                format!("a second {what} is called `{name}`"),
                "give it a name of its own",
            ));
        }
    }
    Ok(seen)
}

fn syntax(place: &Location, cause: String, remedy: &str) -> ImportError {
    ImportError {
        place: place.clone(),
        problem: Problem::Syntax {
            cause,
            remedy: remedy.into(),
        },
    }
}

fn order(
    robot: &Description,
    links: &HashMap<String, usize>,
) -> Result<Vec<(usize, Option<usize>)>, ImportError> {
    let find = |(name, place): &(String, Location)| {
        links.get(name).copied().ok_or_else(|| ImportError {
            place: place.clone(),
            problem: Problem::UnknownName {
                what: "link",
                name: name.clone(),
                remedy: suggestion(name, robot.links.iter().map(|l| l.name.as_str())),
            },
        })
    };
    let mut carried_by: Vec<Option<usize>> = vec![None; robot.links.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); robot.links.len()];
    let mut child_of = Vec::with_capacity(robot.joints.len());
    for (j, joint) in robot.joints.iter().enumerate() {
        let (parent, child) = (find(&joint.parent)?, find(&joint.child)?);
        if let Some(other) = carried_by[child].replace(j) {
            return Err(syntax(
                &joint.child.1,
                format!(
                    "link `{}` is the child of `{}` and of `{}`",
                    joint.child.0, robot.joints[other].name, joint.name
                ),
                "a urdf is a tree: a link hangs on one joint",
            ));
        }
        children[parent].push(j);
        child_of.push(child);
    }
    let roots: Vec<usize> = (0..robot.links.len())
        .filter(|&l| carried_by[l].is_none())
        .collect();
    let root = match roots[..] {
        [root] => root,
        [] if robot.links.is_empty() => {
            return Err(syntax(
                &robot.root,
                "`<robot>` has no `<link>`".into(),
                "add links and joints",
            ));
        }
        [] => {
            let joint = &robot.joints[0];
            return Err(syntax(
                &joint.place,
                "the joints form a loop: every link is the child of some joint".into(),
                "leave one link, the base, without a joint that carries it",
            ));
        }
        [first, second, ..] => {
            return Err(syntax(
                &robot.links[second].place,
                format!(
                    "`{}` and `{}` are both roots: no joint carries them",
                    robot.links[first].name, robot.links[second].name
                ),
                "join them with a fixed joint",
            ));
        }
    };
    let mut order = Vec::with_capacity(robot.links.len());
    let mut stack = vec![(root, None)];
    let mut reached = vec![false; robot.links.len()];
    while let Some((link, joint)) = stack.pop() {
        reached[link] = true;
        order.push((link, joint));
        stack.extend(children[link].iter().rev().map(|&j| (child_of[j], Some(j))));
    }
    // Every link but the root hangs on one joint, so what the root does not reach goes round in a
    // circle.
    if let Some((l, j)) =
        (0..robot.links.len()).find_map(|l| Some((l, carried_by[l]?)).filter(|_| !reached[l]))
    {
        return Err(syntax(
            &robot.joints[j].place,
            format!(
                "link `{}` is part of a loop that the root `{}` does not reach",
                robot.links[l].name, robot.links[root].name
            ),
            "a urdf is a tree: open the loop",
        ));
    }
    Ok(order)
}

/// Joints that a mimic chain may go through. Real ones have two or three; each joint of a chain
/// walks to its end.
const LONGEST_CHAIN: usize = 1000;

fn mimics(
    robot: &mut Description,
    joints: &HashMap<String, usize>,
) -> Result<Vec<Option<FollowedJoint>>, ImportError> {
    let mut notes = Vec::new();
    for joint in &robot.joints {
        if joint.kind.is_none() && joint.mimic.is_some() {
            notes.push(UrdfNote {
                code: Code::IgnoredMimic,
                subject: UrdfSubject::Joint(joint.name.clone()),
                message: "is fixed: its <mimic> is ignored".to_owned(),
            });
        }
    }
    robot.notes.append(&mut notes);
    (0..robot.joints.len())
        .map(|j| follow(&robot.joints, joints, j))
        .collect()
}

/// The independent joint at the end of a mimic chain: value = multiplier · source + offset.
fn follow(
    all: &[UrdfJoint],
    by_name: &HashMap<String, usize>,
    start: usize,
) -> Result<Option<FollowedJoint>, ImportError> {
    if all[start].kind.is_none() {
        return Ok(None);
    }
    let (mut multiplier, mut offset) = (1.0, 0.0);
    let (mut at, mut first) = (start, None);
    for _ in 0..=all.len().min(LONGEST_CHAIN) {
        let Some(mimic) = &all[at].mimic else {
            return Ok(first.map(|(leader, factor)| FollowedJoint {
                source: at,
                multiplier,
                offset,
                leader,
                factor,
            }));
        };
        let error = |problem| {
            Err(ImportError {
                place: mimic.place.clone(),
                problem,
            })
        };
        let Some(&next) = by_name.get(&mimic.joint) else {
            return error(Problem::UnknownName {
                what: "joint",
                name: mimic.joint.clone(),
                remedy: suggestion(&mimic.joint, all.iter().map(|j| j.name.as_str())),
            });
        };
        if all[next].kind.is_none() {
            return error(Problem::BadValue {
                what: format!("the joint that `{}` follows", all[at].name),
                value: format!("`{}`, which is fixed", mimic.joint),
                remedy: "follow a joint that moves, or fix this one too".into(),
            });
        }
        first.get_or_insert((next, mimic.multiplier));
        offset += multiplier * mimic.offset;
        multiplier *= mimic.multiplier;
        if !(offset.is_finite() && multiplier.is_finite()) {
            return error(Problem::BadValue {
                what: format!("what `{}` follows", all[start].name),
                value: "beyond all numbers".into(),
                remedy: "check multipliers and offsets".into(),
            });
        }
        at = next;
    }
    let mimic_place = all[start]
        .mimic
        .as_ref()
        .map_or(&all[start].place, |m| &m.place);
    let cause = if all.len() <= LONGEST_CHAIN {
        "follows itself through its <mimic> chain".to_owned()
    } else {
        format!("follows itself, or a chain of more than {LONGEST_CHAIN} <mimic> tags")
    };
    Err(syntax(
        mimic_place,
        format!("joint `{}` {cause}", all[start].name),
        "let one joint of the chain move by itself",
    ))
}
