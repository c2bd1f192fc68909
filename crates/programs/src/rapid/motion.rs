//! Instructions that move the arm, or that change how it moves.

mod configuration;
mod frames;
mod target;

use clearance_proof::model::moves::{ArcTurning, Frame, Move, MoveKind, Speed, Target, Zone};
use clearance_proof::report::Location;

use super::Rapid;
use super::{builtin, data};
use crate::block::doubts::unknown_point;
use crate::block::interpreter::{BlockInterpreter, ListsOf};
use crate::block::syntax::{Call, Expression};
use crate::controller::STILL;
use crate::value::{Fault, Known, Value};
use frames::{base, frame, tool};
use target::targets;

/// In what arms of ABB differ.
const COUNTED: &str = "some arms of ABB count joint 3 from the ground";

/// How an instruction moves: its name, what it reaches for, and how many arguments it has beyond
/// the usual.
struct MoveForm {
    kind: RapidMove,
    /// Positions: two for arcs.
    points: usize,
    /// Where the zone stands.
    zone: usize,
    /// How many arguments there are in all.
    count: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RapidMove {
    AbsJ,
    J,
    L,
    C,
}

/// Arguments by name that change nothing of where the arm goes.
const HARMLESS: &[&str] = &[
    "conc", "id", "noeoffs", "t", "v", "z", "inpos", "wobj", "tload", "t2", "t3", "t4", "t5", "t6",
    "t7", "t8", "dodelay",
];

impl MoveForm {
    /// The names of an argument by its place, counted from 0.
    fn names(&self, place: usize) -> &'static [&'static str] {
        match place {
            0 if self.kind == RapidMove::C => &["cirpoint"],
            k if k < self.points => &["topoint", "tojointpos"],
            k if k == self.points => &["speed"],
            k if k == self.zone => &["zone"],
            k if k == self.zone + 1 => &["tool"],
            k if k < self.zone => &["trigg_1"],
            k if k == self.zone + 2 => &["signal"],
            _ => &["value"],
        }
    }
}

/// Whether an instruction of this name moves the arm.
pub(super) fn is_move(name: &str) -> bool {
    form(name).is_some()
}

fn form(name: &str) -> Option<MoveForm> {
    let (kind, rest) = match name.split_at_checked(5)? {
        ("movea", "bsj") => (RapidMove::AbsJ, ""),
        ("movej", rest) => (RapidMove::J, rest),
        ("movel", rest) => (RapidMove::L, rest),
        ("movec", rest) => (RapidMove::C, rest),
        ("trigg", "j") => (RapidMove::J, "trigg"),
        ("trigg", "l") => (RapidMove::L, "trigg"),
        ("trigg", "c") => (RapidMove::C, "trigg"),
        _ => return None,
    };
    let points = if kind == RapidMove::C { 2 } else { 1 };
    let (before_zone, after) = match rest {
        "" => (1, 0),
        // A signal and its value.
        "do" | "ao" | "go" => (1, 2),
        // An event on the way.
        "trigg" => (2, 0),
        _ => return None,
    };
    Some(MoveForm {
        kind,
        points,
        zone: points + before_zone,
        count: points + before_zone + 2 + after,
    })
}

/// Follows an instruction that is not a routine of the program.
pub(crate) fn instruct(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    place: &Location,
) -> Result<(), Fault> {
    if let Some(form) = form(&call.name) {
        return moves(interpreter, call, &form, place);
    }
    let switch = |names: &[&'static str]| {
        let one = call.arguments.len() == 1;
        let found = names.iter().find(|n| call.named(n) == Some(None));
        found.filter(|_| one).copied()
    };
    match &*call.name {
        "confj" | "confl" => {
            let on = match switch(&["on", "off"]) {
                Some(which) => which == "on",
                None => return Err(not_read(interpreter, call, place)),
            };
            // A line leads where it leads: there the controller only stops where it would end
            // otherwise.
            match &*call.name {
                "confj" => interpreter.language.choose_stated = on,
                // Only the first move of all asks for it: a loop has nothing to come back to then.
                _ if interpreter.record.moves().is_empty() => interpreter.language.lines_hold = on,
                _ => {}
            }
            Ok(())
        }
        "singarea" => {
            interpreter.language.bends = switch(&["off"]).is_none();
            Ok(())
        }
        "cirpathmode" => {
            interpreter.language.arcs_turn = switch(&["pathframe"]).is_none();
            Ok(())
        }
        "add" | "clear" | "decr" | "incr" => builtin::compute(interpreter, call, place),
        _ => Err(not_read(interpreter, call, place)),
    }
}

fn not_read(interpreter: &BlockInterpreter<Rapid>, call: &Call, place: &Location) -> Fault {
    let written = interpreter
        .program
        .written
        .get(&call.name)
        .unwrap_or(&call.name);
    if builtin::is_motion(&call.name) {
        let reason =
            format!("`{written}` is not read, and could move the arm or change how it moves");
        return Fault::new(place, reason);
    }
    // A pattern does not mean it.
    let by = if builtin::may_be_motion(&call.name) {
        " by its full name"
    } else {
        ""
    };
    Fault::new(
        place,
        format!(
            "`{written}` is not read, and could move the arm or change how it moves; if it is a routine, name its module's file in `files` of the robot's `controller`, and if it {STILL}, name it in `still`{by}"
        ),
    )
}

/// The arguments of a move that say where the arm goes, and how.
struct Given<'c> {
    /// Positions: two for arcs.
    points: Vec<&'c Expression>,
    speed: &'c Expression,
    zone: &'c Expression,
    tool: &'c Expression,
}

/// Those of a call, once all its arguments are seen to be understood.
fn given<'c>(
    interpreter: &BlockInterpreter<Rapid>,
    call: &'c Call,
    form: &MoveForm,
    place: &Location,
) -> Result<Given<'c>, Fault> {
    let given: Vec<&Expression> = call.positional().collect();
    if given.len() != form.count {
        let reason = format!(
            "`{}` has {} arguments, and {} are given",
            call.name,
            form.count,
            given.len()
        );
        return Err(Fault::new(place, reason));
    }
    let by_place = call.arguments.iter().filter(|a| a.name.is_none());
    for (k, argument) in by_place.enumerate() {
        if let Some(label) = &argument.label
            && !form.names(k).contains(&&**label)
        {
            let reason = format!(
                "`{}` has no argument `{label}` in place {}",
                call.name,
                k + 1
            );
            return Err(Fault::new(place, reason));
        }
    }
    for argument in &call.arguments {
        let Some(name) = &argument.name else {
            continue;
        };
        if !HARMLESS.contains(&&**name) {
            let reason = format!("what `\\{name}` changes of the move is not read");
            return Err(Fault::new(place, reason));
        }
        if argument.value.is_none() && !["conc", "noeoffs"].contains(&&**name) {
            return Err(Fault::new(place, format!("`\\{name}` has no value")));
        }
    }
    // A signal's value or an event may come from a function of the program, which may do anything.
    let beside = |k: &usize| *k > form.zone + 1 || *k > form.points && *k < form.zone;
    let others = (0..given.len()).filter(beside).map(|k| given[k]);
    let named = ["id", "tload", "inpos", "dodelay"];
    let named = named.iter().filter_map(|name| call.named(name).flatten());
    if others.chain(named).any(|value| interpreter.calls(value)) {
        let reason = "a function that is called beside a move is not read";
        return Err(Fault::new(place, reason));
    }
    Ok(Given {
        points: given[..form.points].to_vec(),
        speed: given[form.points],
        zone: given[form.zone],
        tool: given[form.zone + 1],
    })
}

fn moves(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    form: &MoveForm,
    place: &Location,
) -> Result<(), Fault> {
    let given = given(interpreter, call, form, place)?;
    interpreter.doubt_joint_count("rapid", COUNTED, place);
    // A function that answers a position may set frames: they count as it leaves them.
    let mut values = Vec::new();
    for point in &given.points {
        interpreter.choose_elements(point, ListsOf::Anything, place)?;
        values.push(interpreter.value(point, place)?);
    }
    let tool = tool(interpreter, given.tool, place)?;
    let wobj = match option(interpreter, call, "wobj") {
        Some(wobj) => frame(interpreter, wobj, place)?,
        None => base(interpreter),
    };
    let targets = targets(interpreter, form.kind, &values, &wobj, place)?;
    interpreter.language.lines_hold = true;
    let zone = zone(interpreter, call, given.zone, form.kind, place)?;
    let speed = speed(interpreter, call, given.speed, place)?;
    let label = interpreter.label(given.points[form.points - 1]);
    let tool = match (tool, form.kind) {
        (Ok(tool), _) => tool,
        // Where the joints go does not depend on it.
        (Err(why), RapidMove::AbsJ) => match interpreter.controller.flange(Some("tool0")) {
            Ok(flange) => {
                interpreter.record.unknown((*why).clone());
                flange
            }
            Err(reason) => return Err(Fault::new(place, reason)),
        },
        (Err(why), _) => {
            interpreter.record.lose((*why).clone());
            return Ok(());
        }
    };
    doubt_turning(interpreter, form.kind, place);
    let mut targets = match targets {
        Ok(targets) => targets,
        Err(why) => {
            interpreter.record.lose(unknown_point(&label, &why, place));
            return Ok(());
        }
    };
    let Some(target) = targets.pop() else {
        return Ok(());
    };
    let kind = match (form.kind, targets.pop()) {
        (RapidMove::AbsJ | RapidMove::J, _) => MoveKind::Joint,
        (RapidMove::L, _) | (_, None) => MoveKind::Linear,
        (RapidMove::C, Some(via)) => MoveKind::Circular {
            via,
            turning: ArcTurning::Along,
        },
    };
    interpreter.move_to(Move {
        kind,
        target,
        tool,
        zone,
        speed,
        label,
        routine: interpreter.routine_name(),
        place: place.clone(),
    })
}

/// Says where the tool may turn otherwise than along the way.
fn doubt_turning(interpreter: &mut BlockInterpreter<Rapid>, kind: RapidMove, place: &Location) {
    if interpreter.language.bends && matches!(kind, RapidMove::L | RapidMove::C) {
        interpreter.doubt(
            place,
            "`SingArea` lets the wrist turn otherwise than along the line, and how is not known",
        );
    }
    if interpreter.language.arcs_turn && kind == RapidMove::C {
        interpreter.doubt(
            place,
            "how the tool turns on this arc is set by `CirPathMode`, and not read",
        );
    }
}

/// An argument by name, unless it stands for one that was left out.
fn option<'c>(
    interpreter: &BlockInterpreter<Rapid>,
    call: &'c Call,
    name: &str,
) -> Option<&'c Expression> {
    let value = call.named(name).flatten()?;
    match value {
        Expression::Variable(path) if interpreter.is_absent(&path.name) => None,
        value => Some(value),
    }
}

fn zone(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    expression: &Expression,
    kind: RapidMove,
    place: &Location,
) -> Result<Zone, Fault> {
    let value = interpreter.value(expression, place)?;
    // A stop with conditions of its own stops all the same.
    if option(interpreter, call, "inpos").is_some() {
        return Ok(Zone::Stop);
    }
    let Ok([fine, tcp, ori, _, turned, ..]) = data::parts::<7>(&value, "a zonedata", place)? else {
        return Ok(Zone::Unknown);
    };
    let changed = option(interpreter, call, "z").is_some();
    match fine.boolean(place)? {
        // Whether the option makes a zone of it is not known.
        Ok(true) if changed => return Ok(Zone::Unknown),
        Ok(true) => return Ok(Zone::Stop),
        Ok(false) => {}
        Err(_) => return Ok(Zone::Unknown),
    }
    let leads = match (tcp.number(place)?, ori.number(place)?) {
        _ if changed => 0.5,
        // A zone of the orientation is no smaller than that of the point.
        (Ok(tcp), Ok(ori)) if ori <= tcp => 0.0,
        (Ok(tcp), Ok(ori)) => 0.5 * (1.0 - tcp.max(0.0) / ori),
        _ => 0.5,
    };
    interpreter.record.turn_leads_by(leads);
    // Where the tool may turn far within its zone, that may be larger than what is stated in
    // millimetres. Those that are predefined turn by a tenth of a degree for each.
    let turned = match (turned.number(place)?, ori.number(place)?) {
        (Ok(turned), Ok(ori)) => turned > 0.1 * ori + 1e-9,
        _ => true,
    };
    match (tcp.number(place)?, ori.number(place)?) {
        (Ok(tcp), Ok(ori)) if !changed => match (tcp.max(ori), kind) {
            (radius, RapidMove::L | RapidMove::C) if radius >= 0.0 && turned => Ok(Zone::Unknown),
            (radius, RapidMove::L | RapidMove::C) if radius >= 0.0 => {
                Ok(Zone::Radius(radius / 1e3))
            }
            // Between joint values the zone may differ from what is stated in millimetres: half of
            // both moves counts, and what the tool does within that radius.
            (radius, _) if radius >= 0.0 => Ok(Zone::Ball(radius / 1e3)),
            _ => Err(Fault::new(place, "a zone is not less than 0")),
        },
        _ => Ok(Zone::Unknown),
    }
}

fn speed(
    interpreter: &mut BlockInterpreter<Rapid>,
    call: &Call,
    expression: &Expression,
    place: &Location,
) -> Result<Speed, Fault> {
    let stated = interpreter.value(expression, place)?;
    for (name, speed) in [
        ("t", Speed::Duration as fn(f64) -> Speed),
        ("v", |v| Speed::Tool(v / 1e3)),
    ] {
        if let Some(value) = option(interpreter, call, name) {
            let value = interpreter.value(value, place)?.number(place)?;
            return Ok(value
                .ok()
                .filter(|v| *v > 0.0)
                .map_or(Speed::Unknown, speed));
        }
    }
    let Ok([v, ..]) = data::parts::<4>(&stated, "a speeddata", place)? else {
        return Ok(Speed::Unknown);
    };
    let v = v.number(place)?.ok().filter(|v| *v > 0.0);
    Ok(v.map_or(Speed::Unknown, |v| Speed::Tool(v / 1e3)))
}
