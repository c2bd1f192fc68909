//! Where a controller's program begins, for the eye: it may have no point that would show a wrong
//! frame, tool or sign.

use clearance_formats::LoadedCell;
use clearance_formats::controller::Controller;
use clearance_programs::ControlledArm;
use clearance_programs::controller::{TOLERANCE_M, TOLERANCE_RAD, shown};
use clearance_proof::model::moves::{MoveProgram, Target};
use clearance_proof::model::{BodyId, Cell, Joint, JointId};
use clearance_proof::motion::programmed::CellMoves;
use nalgebra::Isometry3;

use super::robot::{hangs_on, robot_of};
use crate::findings::{Code, Diagnostic, Severity};
use crate::run::draft::BASES;

/// Joint values and pose of the first target of a program.
pub(super) fn notice(
    program: &MoveProgram,
    for_cell: &CellMoves,
    loaded: &LoadedCell,
) -> Option<Diagnostic> {
    let cell = &loaded.cell;
    let robot = robot_of(program, cell)?;
    let first = program.moves.first()?;
    // Before it stands the start, if that is known.
    let before = for_cell.ends.len().checked_sub(program.moves.len())?;
    let target = for_cell.ends.get(before)?;
    let mut q = cell.rest.clone();
    for (&joint, &value) in for_cell.columns.iter().zip(&target.q) {
        q[joint] = value;
    }
    cell.resolve_mimic(&mut q);
    let world_from_joint = cell.forward(&q);
    let place = |body: BodyId| cell.body_pose(&world_from_joint, body);
    let prefix = &cell.robots[robot].name;
    let link = |name: &str| {
        if prefix.is_empty() {
            cell.body(name)
        } else {
            cell.body(&format!("{prefix}/{name}"))
        }
    };
    let said = loaded.robots[robot].controller.as_ref();
    let base = said.and_then(|said| said.base.as_ref());
    let world_from_base: Isometry3<f64> = match (base, link("base")) {
        (Some(base), _) => place(link(&base.link)?) * base.link_from_frame,
        (None, Some(base)) => place(base),
        (None, None) => cell.robots[robot].world_from_base,
    };
    let world_from_tool = place(link(&first.tool.link)?) * first.tool.link_from_frame;
    let joints = for_cell.columns.iter().zip(&target.q);
    let joints: Vec<String> = joints
        .map(|(&joint, &value)| cell.joints[joint].kind.show(value))
        .collect();
    let name = if first.label.is_empty() {
        String::new()
    } else {
        format!("`{}`, ", first.label)
    };
    let message = format!(
        "{name}joints {}, tool at {} in the controller's base: joint values and pose of no point of the program were compared, so hold this \
         against the pendant",
        joints.join(", "),
        shown(&(world_from_base.inverse() * world_from_tool))
    );
    let subject = first.place.to_string();
    Some(Diagnostic::note(Code::FirstTarget, subject, message).at(first.place.clone()))
}

/// Says that the cell file names the joints of a controller in another order than they have in the
/// arm, and nothing shows that this is right.
pub(super) fn order_of_joints(program: &MoveProgram, loaded: &LoadedCell) -> Option<Diagnostic> {
    let cell = &loaded.cell;
    let robot = robot_of(program, cell)?;
    let said = loaded.robots[robot].controller.as_ref()?;
    let id = |name: &String| {
        let own = |j: &Joint| j.robot == robot && j.name == *name;
        cell.joints.iter().position(own)
    };
    let ids: Vec<JointId> = said.joints.iter().filter_map(|j| id(&j.name)).collect();
    // A controller counts the axes that carry the arm behind those of the arm. What neither carries
    // it nor hangs on it has no place in the order.
    let falls = |at: usize| (0..at).any(|before| hangs_on(cell, ids[before], ids[at]));
    let of_arm = (0..ids.len()).find(|&at| falls(at)).unwrap_or(ids.len());
    let (arm, behind) = ids.split_at(of_arm);
    let related = |&joint: &JointId| {
        let mut others = ids.iter();
        others.any(|&other| hangs_on(cell, other, joint) || hangs_on(cell, joint, other))
    };
    let behind: Vec<JointId> = behind.iter().copied().filter(related).collect();
    let carries = |&joint: &JointId| {
        arm.iter()
            .all(|&own| hangs_on(cell, own, joint) || !related(&own))
    };
    let in_order = !(1..behind.len()).any(|at| {
        let mut before = behind[..at].iter();
        before.any(|&before| hangs_on(cell, before, behind[at]))
    });
    let carry = behind.iter().all(carries) && in_order;
    if behind.is_empty() || carry && arm.len() > behind.len() {
        return None;
    }
    let first = behind.first().map_or("", |&joint| &cell.joints[joint].name);
    let why = format!(
        "`joints` of the controller are not in the order of the arm (`{first}` stands behind a joint that it carries), and joint values and \
         pose of no point show that this is right: correct the order, or add a point that the pendant shows to `points`"
    );
    Some(unproved(said, why))
}

/// Says that the cell file counts joint 3 of an arm, or takes a base, as hardly any cell has it, and
/// nothing shows that this is right.
pub(super) fn unusual(program: &MoveProgram, loaded: &LoadedCell) -> Vec<Diagnostic> {
    let cell = &loaded.cell;
    let robot = robot_of(program, cell);
    let said = robot.and_then(|robot| Some((robot, loaded.robots[robot].controller.as_ref()?)));
    let Some((robot, said)) = said else {
        return Vec::new();
    };
    let arm = ControlledArm::of(loaded, Some(&cell.robots[robot].name)).ok();
    let third = arm.and_then(|arm| arm.counts_third_from_second());
    let has_poses = program
        .moves
        .iter()
        .any(|m| matches!(m.target, Target::Pose { .. }));
    let base = other_base(said, robot, cell).filter(|_| has_poses);
    third
        .into_iter()
        .chain(base)
        .map(|why| unproved(said, why))
        .collect()
}

/// Why the base that a cell names is hardly that of the controller: the URDF has a link for that, and
/// it stands elsewhere.
fn other_base(said: &Controller, robot: usize, cell: &Cell) -> Option<String> {
    let stated = said.base.as_ref()?;
    if stated.link_from_frame != Isometry3::identity() {
        return None;
    }
    // Those of several arms in one URDF have names that begin alike (`left_base_link`).
    let of_arm = match &*stated.link {
        "world" => "",
        link => link.strip_suffix("base_link")?,
    };
    let prefix = match cell.robots[robot].name.as_str() {
        "" => String::new(),
        name => format!("{name}/"),
    };
    let standing = |link: &str| {
        let body = &cell.bodies[cell.body(&format!("{prefix}{link}"))?];
        body.joint.is_none().then_some(body.joint_from_body)
    };
    let own = standing(&stated.link)?.inverse();
    BASES.iter().find_map(|base| {
        let meant = format!("{of_arm}{base}");
        let apart = own * standing(&meant)?;
        let is_elsewhere =
            apart.translation.vector.norm() > TOLERANCE_M || apart.rotation.angle() > TOLERANCE_RAD;
        is_elsewhere.then(|| {
            format!(
                "the cell names `{}` as the base of the controller, and the link `{meant}`, which URDFs have for that, stands elsewhere ({}): \
                 write `base = \"{meant}\"`, or add a point that the pendant shows to `points`",
                stated.link,
                shown(&apart)
            )
        })
    })
}

fn unproved(said: &Controller, message: String) -> Diagnostic {
    Diagnostic {
        code: Code::FirstTarget,
        severity: Severity::Open,
        subject: said.place.to_string(),
        message,
        place: Some(said.place.clone()),
    }
}
