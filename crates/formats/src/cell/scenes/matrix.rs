//! The allowed collision matrix of a scene: which pairs it takes out, and which it wants checked.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use clearance_proof::model::{Allowance, AllowedBy, BodyId, Role};

use super::{SceneNames, ScenePlacement};
use crate::cell::build::Builder;
use crate::scene::{Matrix, PairRule};
use crate::{ImportError, Location, Problem};

/// Pairs that a matrix may allow: more than any robot has.
const MOST_ALLOWED: usize = 1_000_000;

impl Builder {
    /// The pairs that the allowed collision matrix takes out, each with its line.
    pub(super) fn matrix(
        &mut self,
        file: &Path,
        matrix: &Matrix,
        names: &mut SceneNames,
        placed: &ScenePlacement,
    ) -> Result<(), ImportError> {
        if matrix.names().next().is_none() {
            return Ok(());
        }
        self.links_of_matrix(file, matrix, names, placed)?;
        let asked = matrix.asked();
        let known = names.known.iter().map(|(name, &id)| (name.as_str(), id));
        let known: Vec<(&str, BodyId)> = known.collect();
        let (mut differing, mut checked) = (Vec::new(), Vec::new());
        let named: BTreeSet<&str> = matrix.names().collect();
        let robot_of = |id: BodyId| match self.loaded.cell.bodies[id].role {
            Role::Link { robot } => Some(robot),
            Role::Attached | Role::Obstacle => None,
        };
        let robots: Vec<Option<usize>> = known.iter().map(|&(_, id)| robot_of(id)).collect();
        // The matrix is that of one robot: its defaults say nothing of links of another one.
        let of_other_robot = |i: usize, k: usize| {
            let are_two = robots[i].zip(robots[k]).is_some_and(|(a, b)| a != b);
            are_two && !(named.contains(known[i].0) && named.contains(known[k].0))
        };
        // What the matrix says nothing of, MoveIt checks.
        let mut unsaid = Vec::new();
        let before = self.loaded.cell.allowed.len();
        for (k, (a, id_a)) in known.iter().enumerate() {
            for (i, (b, id_b)) in known.iter().enumerate().skip(k + 1) {
                match asked.pair(a, b) {
                    PairRule::Allowed(_) if of_other_robot(k, i) => checked.push((*id_a, *id_b)),
                    PairRule::Unsaid => unsaid.push((*id_a, *id_b)),
                    PairRule::Checked => checked.push((*id_a, *id_b)),
                    PairRule::Both(line) => {
                        differing.push(format!("`{a}` – `{b}` (line {line})"));
                        checked.push((*id_a, *id_b));
                    }
                    PairRule::Allowed(line) => {
                        let body = |id: BodyId| self.loaded.cell.bodies[id].name.clone();
                        self.loaded.cell.allowed.push(Allowance {
                            a: body(*id_a),
                            b: body(*id_b),
                            reason: "allowed_collision_matrix".to_owned(),
                            by: AllowedBy::Scene(file.to_owned(), line),
                        });
                    }
                }
                if self.loaded.cell.allowed.len() - before > MOST_ALLOWED {
                    return Err(ImportError::file(
                        file,
                        Problem::Unsupported {
                            what: format!("a matrix that allows more than {MOST_ALLOWED} pairs"),
                            remedy: "name the pairs that may touch with [[allow]]".into(),
                        },
                    ));
                }
            }
        }
        if !differing.is_empty() {
            let differing = a_few(differing);
            self.said_of_scene(
                file,
                format!(
                    "its allowed_collision_matrix allows some pairs in one place and not in another; they are checked: {differing}"
                ),
            );
        }
        self.overrule(file, checked, unsaid);
        Ok(())
    }

    /// Looks up the links that a matrix is about.
    fn links_of_matrix(
        &self,
        file: &Path,
        matrix: &Matrix,
        names: &mut SceneNames,
        placed: &ScenePlacement,
    ) -> Result<(), ImportError> {
        let named: BTreeSet<&str> = matrix.names().collect();
        for name in named {
            if names.known.contains_key(name) {
                continue;
            }
            if self.links(name, placed).is_empty() {
                names.stale.insert(name.to_owned());
                continue;
            }
            let place = Location::at(file, matrix.line(name), None);
            let link = self.link(name, placed, &place)?;
            names.known.insert(name.to_owned(), link);
        }
        // Defaults are about links that the matrix does not name, too.
        for id in 0..self.loaded.cell.bodies.len() {
            let body = &self.loaded.cell.bodies[id];
            let Role::Link { robot } = body.role else {
                continue;
            };
            let of = &self.loaded.cell.robots[robot].name;
            let bare = body
                .name
                .strip_prefix(&format!("{of}/"))
                .unwrap_or(&body.name);
            if placed.robot.is_none_or(|name| name == of) && self.links(bare, placed).len() == 1 {
                names.known.entry(bare.to_owned()).or_insert(id);
            }
        }
        Ok(())
    }

    /// Takes back what an SRDF allows of pairs that the matrix of a scene does not allow: in MoveIt
    /// the matrix takes the place of the SRDF. What one scene allows and another one wants checked
    /// is checked, whichever comes first.
    fn overrule(
        &mut self,
        file: &Path,
        checked: Vec<(BodyId, BodyId)>,
        unsaid: Vec<(BodyId, BodyId)>,
    ) {
        let bodies = &self.loaded.cell.bodies;
        let name = |id: BodyId| bodies[id].name.as_str();
        let both = |&(a, b): &(BodyId, BodyId)| [(name(a), name(b)), (name(b), name(a))];
        let unsaid: HashSet<(&str, &str)> = unsaid.iter().flat_map(both).collect();
        self.checked_by_scenes.extend(checked);
        let checked = self.checked_by_scenes.iter().flat_map(both);
        let checked: HashSet<(&str, &str)> = checked.collect();
        let (mut of_srdf, mut of_scenes) = (Vec::new(), Vec::new());
        self.loaded.cell.allowed.retain(|allowed| {
            let pair = (&*allowed.a, &*allowed.b);
            let overruled = match allowed.by {
                AllowedBy::Srdf(_) if checked.contains(&pair) || unsaid.contains(&pair) => {
                    &mut of_srdf
                }
                AllowedBy::Scene(..) if checked.contains(&pair) => &mut of_scenes,
                _ => return true,
            };
            overruled.push(format!("`{}` – `{}`", allowed.a, allowed.b));
            false
        });
        if !of_srdf.is_empty() {
            let overruled = a_few(of_srdf);
            self.said_of_scene(
                file,
                format!(
                    "its allowed_collision_matrix does not allow some pairs that the SRDF allows; they are checked: {overruled}"
                ),
            );
        }
        if !of_scenes.is_empty() {
            let overruled = a_few(of_scenes);
            self.said_of_scene(
                file,
                format!(
                    "of its allowed_collision_matrix and that of another scene one allows some pairs and the other does not; they are checked: {overruled}"
                ),
            );
        }
    }
}

/// Pairs in a sentence; of many the first five.
fn a_few(mut pairs: Vec<String>) -> String {
    let count = pairs.len();
    pairs.truncate(5);
    if count > 5 {
        pairs.push(format!("and {} more", count - 5));
    }
    pairs.join(", ")
}
