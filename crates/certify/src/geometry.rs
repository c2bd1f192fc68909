//! The geometry file: the cell as integers, and how events change it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;
use clearance_proof::model::{BodyId, Cell, JointKind, Phase, RigidError, Trajectory};
use clearance_proof::pairs::PairTable;
use clearance_recheck::files::{During, END};
use nalgebra::Isometry3;
use rayon::prelude::*;

use crate::CertifyError;
use crate::frames::{FileJoint, FileJoints, Hang, error_line, surfaces};
use crate::integers::{length_up, point, share};
use crate::lines::{index, line, name_line, numbers, one_line};
use crate::triangles::{PartFrame, triangles};

/// The trees of every shape of every body of a cell: they know which triangles bound what is solid.
pub type CellTrees = [Vec<Arc<SphereTree>>];

/// The geometry file of a cell; `clearance` is the distance D of pairs that have none of their own,
/// metres.
///
/// # Errors
/// When a coordinate does not fit into the integers of the file.
pub fn geometry(
    cell: &Cell,
    trees: &CellTrees,
    table: &PairTable,
    clearance: f64,
) -> Result<Vec<u8>, CertifyError> {
    let whole = PhaseCell {
        cell,
        table: Some(table),
        handover_errors: &[],
        during: During::ALL,
    };
    written(&[whole], trees, clearance)
}

/// The geometry file of a motion with events that change what moves along it; its segments are
/// those of [`trajectory_of_phases`].
///
/// # Errors
/// As for [`geometry`].
pub fn geometry_of_phases(
    phases: &[Phase],
    trees: &CellTrees,
    clearance: f64,
) -> Result<Vec<u8>, CertifyError> {
    let (mut phase_cells, mut from) = (Vec::new(), 0);
    for phase in phases {
        let to = from + phase.trajectory.segments.len();
        phase_cells.push(PhaseCell {
            cell: &phase.cell,
            table: None,
            handover_errors: &phase.handover_errors_by_joints,
            during: During { from, to },
        });
        from = to;
    }
    if let Some(last) = phase_cells.last_mut() {
        last.during.to = END;
    }
    written(&phase_cells, trees, clearance)
}

/// The motion of all phases, one after the other. Instants that are phases of their own are
/// segments of it in which nothing moves.
///
/// # Errors
/// When there is no phase.
pub fn trajectory_of_phases(phases: &[Phase]) -> Result<Trajectory, CertifyError> {
    let none = || CertifyError::NotCovered("there is no motion".to_owned());
    let (first, more) = phases.split_first().ok_or_else(none)?;
    let mut trajectory = first.trajectory.clone();
    let segments = more.iter().flat_map(|phase| &phase.trajectory.segments);
    trajectory.segments.extend(segments.cloned());
    Ok(trajectory)
}

/// The cell between two events.
struct PhaseCell<'c> {
    cell: &'c Cell,
    /// Its pairs, if they are known.
    table: Option<&'c PairTable>,
    /// Of each body, what it is off because joints were as events handed it over.
    handover_errors: &'c [RigidError],
    during: During,
}

/// A body for as long as it hangs on one joint.
struct BodyEntry {
    body: BodyId,
    hang: Hang,
    joint_from_body: Isometry3<f64>,
    during: During,
    /// Number of the entry before it.
    before: Option<usize>,
}

/// A line about one pair.
struct PairLine {
    /// `check A B D` or `leave A B reason`.
    text: String,
    during: During,
}

fn written(
    phase_cells: &[PhaseCell],
    trees: &CellTrees,
    clearance: f64,
) -> Result<Vec<u8>, CertifyError> {
    let mut file = b"clearance-geometry 2\n".to_vec();
    let Some(PhaseCell { cell, .. }) = phase_cells.first() else {
        return Err(CertifyError::NotCovered("there is no motion".to_owned()));
    };
    let mut joints = FileJoints::new(cell)?;
    let entries = bodies(phase_cells, &mut joints)?;
    write_joints(&mut file, cell, &joints)?;
    for entry in &entries {
        let joint = index(entry.hang.joint);
        let text = match entry.before {
            None => format!("body {joint} {}", name_line(&cell.bodies[entry.body].name)?),
            Some(before) => format!("change {before} {} {joint}", entry.during.from),
        };
        line(&mut file, &text);
    }
    // The entries of the first phase are the bodies, by their numbers.
    let first = entries[..cell.bodies.len()].par_iter();
    let triangles = first
        .zip(trees)
        .map(|(entry, trees)| triangles(&cell.bodies[entry.body], trees, &entry.joint_from_body));
    let triangles = triangles.collect::<Result<Vec<_>, _>>()?;
    for (number, entry) in entries.iter().enumerate() {
        let frame = PartFrame {
            body: number,
            joint_from_body: entry.joint_from_body,
            origin: entry.hang.origin,
        };
        for part in &triangles[entry.body] {
            part.write(&mut file, &frame)?;
        }
    }
    let mut said = During::ALL;
    for PairLine { text, during } in pairs(phase_cells, &entries, clearance)? {
        if during != said {
            line(&mut file, &format!("during {} {}", during.from, during.to));
            said = during;
        }
        line(&mut file, &text);
    }
    let meshes = cell.allowed_errors().map_or(&[][..], |u| &u.mesh);
    for (body, mesh_error) in cell
        .bodies
        .iter()
        .zip(meshes)
        .filter(|(_, mesh_error)| **mesh_error > 0.0)
    {
        let name = one_line(&body.name);
        let why = "so much is added to the distances of its pairs";
        let said =
            format!("the true surface of {name} may lie {mesh_error} m outside of its triangles");
        line(&mut file, &format!("note {said}; {why}"));
    }
    let together = phase_cells
        .iter()
        .flat_map(|phase| &phase.cell.put_together);
    for &[a, b] in together.collect::<BTreeSet<_>>() {
        let [a, b] = [a, b].map(|body| one_line(&cell.bodies[body].name));
        let said = "hang on one joint since an event has put them there: nothing is claimed about this pair";
        line(&mut file, &format!("note {a} and {b} {said}"));
    }
    for said in cell.unchecked.iter().chain(&cell.notices) {
        let text = one_line(&format!("{}: {}", said.subject, said.message));
        line(&mut file, &format!("note {text}"));
    }
    line(&mut file, "end");
    Ok(file)
}

/// The joints of the cell, and the frames that may be off.
fn write_joints(file: &mut Vec<u8>, cell: &Cell, joints: &FileJoints) -> Result<(), CertifyError> {
    let (mut error_lines, mut names) = (Vec::new(), HashSet::new());
    // A body that is handed over has a frame of the same name again.
    let mut own = |name: &str| {
        let more = (2..).map(|k| format!("{name} ({k})"));
        let mut all = std::iter::once(name.to_owned()).chain(more);
        all.find(|name| names.insert(name.clone()))
            .unwrap_or_default()
    };
    for (number, joint) in joints.all.iter().enumerate() {
        let (text, error) = match joint {
            FileJoint::Moves { joint: id, base } => {
                let joint = &cell.joints[*id];
                let parent = index(joint.parent.map(|p| joints.of(p)).or(*base));
                let kind = match joint.kind {
                    JointKind::Prismatic => "slides",
                    JointKind::Revolute | JointKind::Continuous => "turns",
                };
                let q = joint.parent_from_joint.rotation;
                let q = numbers(&[q.w, q.i, q.j, q.k].map(share));
                let at = point(&joint.parent_from_joint.translation.vector)?;
                let origin = base.map_or([0; 3], |base| joints.origin(base));
                let at = numbers(&[0, 1, 2].map(|k| at[k] - origin[k]));
                let axis = numbers(&[joint.axis.x, joint.axis.y, joint.axis.z].map(share));
                let label = cell.joint_label(*id);
                let name = own(name_line(&label)?);
                let own = cell.allowed_errors().map_or(0.0, |u| u.joint[*id]);
                let error = match joint.kind {
                    JointKind::Prismatic => RigidError {
                        shift_m: own,
                        ..RigidError::default()
                    },
                    JointKind::Revolute | JointKind::Continuous => RigidError {
                        turn_rad: own,
                        ..RigidError::default()
                    },
                };
                (format!("{parent} {kind} {q} {at} {axis} {name}"), error)
            }
            FileJoint::Stands(frame) => {
                let (one, at) = (share(1.0), numbers(&frame.at));
                let (parent, name) = (index(frame.parent), own(name_line(&frame.name)?));
                let text = format!("{parent} stands {one} 0 0 0 {at} 0 0 {one} {name}");
                (text, frame.error)
            }
        };
        line(file, &format!("joint {text}"));
        if !error.is_none() {
            error_lines.push(format!("off {number} {}", error_line(&error)?));
        }
    }
    error_lines.iter().for_each(|text| line(file, text));
    Ok(())
}

/// The bodies of the cell, by their numbers, and behind them what becomes of those that events hand
/// over.
fn bodies(
    phase_cells: &[PhaseCell],
    joints: &mut FileJoints,
) -> Result<Vec<BodyEntry>, CertifyError> {
    let mut entries: Vec<BodyEntry> = Vec::new();
    // The entry of each body that holds.
    let mut now: Vec<usize> = Vec::new();
    for stretch in phase_cells {
        for (body, is) in stretch.cell.bodies.iter().enumerate() {
            let before = now.get(body).copied();
            let handover_error = stretch
                .handover_errors
                .get(body)
                .copied()
                .unwrap_or_default();
            let hang = joints.hang(stretch.cell, body, by_events(handover_error))?;
            let during = During {
                from: stretch.during.from,
                to: END,
            };
            if let Some(was) = before.map(|k| &mut entries[k]) {
                let same = (was.hang, was.joint_from_body) == (hang, is.joint_from_body);
                // A body without surface is in no pair.
                if same || is.shapes.is_empty() {
                    continue;
                }
                was.during.to = during.from;
                now[body] = entries.len();
            } else {
                now.push(entries.len());
            }
            entries.push(BodyEntry {
                body,
                hang,
                joint_from_body: is.joint_from_body,
                during,
                before,
            });
        }
    }
    Ok(entries)
}

/// Nothing where that is rounding of joint values only, which the checker of certificates counts by
/// itself.
fn by_events(handover_error: RigidError) -> RigidError {
    if handover_error.shift_m > 1e-9 {
        handover_error
    } else {
        RigidError::default()
    }
}

/// The lines about all pairs, each with its segments. First come the lines that hold as long as
/// both bodies are there.
fn pairs(
    phase_cells: &[PhaseCell],
    entries: &[BodyEntry],
    clearance: f64,
) -> Result<Vec<PairLine>, CertifyError> {
    let mut lines: Vec<PairLine> = Vec::new();
    // Of each pair of entries, what was said of it last.
    let mut last: HashMap<[usize; 2], usize> = HashMap::new();
    let mut now: Vec<usize> = Vec::new();
    for PhaseCell {
        cell,
        table,
        during,
        ..
    } in phase_cells
    {
        let own;
        let table = match table {
            Some(table) => table,
            None => {
                own = PairTable::new(cell);
                &own
            }
        };
        let begun = entries.iter().enumerate();
        for (number, entry) in begun.filter(|(_, e)| e.during.from == during.from) {
            match now.get_mut(entry.body) {
                Some(of) => *of = number,
                None => now.push(number),
            }
        }
        let mut say = |word: &str, bodies: [BodyId; 2], rest: &str| {
            let mut of = bodies.map(|body| now[body]);
            of.sort_unstable();
            let [a, b] = of;
            let text = format!("{word} {a} {b} {rest}");
            if let Some(line) = last.get(&of).map(|&k| &mut lines[k])
                && line.text == text
                && line.during.to == during.from
            {
                line.during.to = during.to;
            } else {
                last.insert(of, lines.len());
                let during = *during;
                lines.push(PairLine { text, during });
            }
        };
        let hangs_on = |body: BodyId| cell.bodies[body].joint;
        for pair in &table.checked {
            // Events have put these together, and to the checker bodies on one joint are no pair.
            if hangs_on(pair.a) == hangs_on(pair.b) {
                continue;
            }
            let stated = pair.clearance.unwrap_or(clearance);
            let surfaces = surfaces(cell.allowed_errors(), [pair.a, pair.b]);
            let to_prove = length_up(stated + surfaces)?;
            say("check", [pair.a, pair.b], &to_prove.to_string());
        }
        for pair in &table.excluded {
            // These keep their distance, and the checker knows that by itself.
            if hangs_on(pair.a) != hangs_on(pair.b) {
                let reason = one_line(&pair.reason.to_string());
                say("leave", [pair.a, pair.b], &reason);
            }
        }
    }
    for ([a, b], &k) in &last {
        let both = entries[*a].during.and(&entries[*b].during);
        if lines[k].during == both {
            lines[k].during = During::ALL;
        }
    }
    lines.sort_by_key(|line| (line.during != During::ALL, line.during.from, line.during.to));
    Ok(lines)
}
