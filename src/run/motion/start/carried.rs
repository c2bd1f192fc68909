//! What a robot carries by a state, beside what it carries in the cell.

use clearance_proof::model::{BodyId, Cell, Role};

use crate::findings::{Code, Diagnostic, Location, Severity};

/// One finding for each object that the robot carries by the state and not in the cell. `carried`:
/// a name and a link each, with a line feed between them.
pub(super) fn said<'s>(
    carried: &'s [String],
    robot: Option<&'s str>,
    cell: &'s Cell,
    place: &'s Location,
) -> impl Iterator<Item = Diagnostic> + 's {
    carried.iter().filter_map(move |object| {
        let (name, link) = object.split_once('\n').unwrap_or((object, ""));
        let why = not_carried(name, link, robot, cell)?;
        let on = match link {
            "" => String::new(),
            link => format!(" on `{link}`"),
        };
        Some(Diagnostic {
            code: Code::CarriedObject,
            place: Some(place.clone()),
            severity: Severity::Open,
            subject: place.to_string(),
            message: format!("the robot carries `{name}`{on} by `trajectory_start`, {why}"),
        })
    })
}

/// Why the cell does not have that link carry that object; nothing where it does.
fn not_carried(name: &str, link: &str, robot: Option<&str>, cell: &Cell) -> Option<String> {
    let Some(body) = cell.body(name) else {
        return Some(
            "and the cell has no body of that name: add it as [[attach]] to the cell file".into(),
        );
    };
    let body = &cell.bodies[body];
    let Some(parent) = body.parent else {
        return Some(
            "and in the cell it stands still: make it an [[attach]] of that link in the cell file"
                .into(),
        );
    };
    if link.is_empty() {
        return Some("without the `link_name` that says what carries it: add it".into());
    }
    let carrier = match links(link, robot, cell)[..] {
        [carrier] => carrier,
        [] => return Some("and the cell has no link of that name: correct `link_name`".into()),
        _ => {
            return Some(
                "and several robots have such a link: write `robot/link`, or name the robot of the program (ROBOT=FILE)"
                    .into(),
            );
        }
    };
    // Another link that is fixed to this one carries it alike.
    let alike = body.joint.is_some() && body.joint == cell.bodies[carrier].joint;
    (parent != carrier && !alike).then(|| {
        format!(
            "and in the cell `{}` carries it: correct the [[attach]] of the cell file, or the message",
            cell.bodies[parent].name
        )
    })
}

/// The links that a name in a message can mean.
fn links(name: &str, robot: Option<&str>, cell: &Cell) -> Vec<BodyId> {
    let all = || {
        let bodies = cell.bodies.iter().enumerate();
        bodies.filter_map(|(id, body)| match body.role {
            Role::Link { robot } => Some((id, body.name.as_str(), robot)),
            _ => None,
        })
    };
    let named = |full: &str| all().find(|link| link.1 == full).map(|link| link.0);
    if let Some(robot) = robot {
        let own = named(&format!("{robot}/{name}"));
        return own.or_else(|| named(name)).into_iter().collect();
    }
    if let Some(full) = named(name) {
        return vec![full];
    }
    let bare = all().filter(|&(_, full, robot)| {
        let robot = cell.robots.get(robot).map_or("", |r| r.name.as_str());
        let rest = full.strip_prefix(robot);
        rest.and_then(|rest| rest.strip_prefix('/')) == Some(name)
    });
    bare.map(|link| link.0).collect()
}
