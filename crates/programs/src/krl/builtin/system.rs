//! System variables that are set: at the start, by the program, and beside it.

use std::collections::BTreeMap;
use std::path::Path;

use clearance_proof::model::moves::Unknown;

use super::*;

/// Those that are kept, because moves depend on them.
const KEPT: &[(&str, &str)] = &[
    ("$tool", "frame"),
    ("$base", "frame"),
    ("$apo", "apo"),
    ("$vel", "velocity"),
    ("fdat_act", "fdat"),
    ("pdat_act", "pdat"),
    ("ldat_act", "ldat"),
];

/// Modes that count for lines, and what each is where nothing has set it.
pub(in crate::krl) const MODES: [(&str, &str); 3] = [
    ("$ipo_mode", "#base"),
    ("$ori_type", "#var"),
    ("$circ_type", "#base"),
];

/// Sets the values that the controller itself holds at the start of a program.
pub(crate) fn system(interpreter: &mut BlockInterpreter<Krl>, place: &Location) {
    for &(name, kind) in KEPT {
        let value = match name {
            "$tool" | "$base" => {
                let shown = name.to_uppercase();
                Value::unknown(place, format!("the program has not set {shown} before"))
            }
            _ => Value::Record(BTreeMap::new()),
        };
        interpreter.keep(name, kind, value);
    }
    for (name, value) in MODES {
        interpreter.keep(name, "", Value::text(value));
    }
    submit(interpreter);
}

/// Programs of the submit interpreter run beside the one that moves the arm: they must not set what
/// that depends on.
fn submit(interpreter: &mut BlockInterpreter<Krl>) {
    for routine in &interpreter.program.routines {
        let extension = Path::new(&routine.place.file).extension();
        if !extension.is_some_and(|e| e.eq_ignore_ascii_case("sub")) {
            continue;
        }
        let body: Vec<_> = routine.body.iter().collect();
        let effects = interpreter.effects_of(routine, &body);
        let counters = interpreter.counters_beside(&body);
        let counts = |name: &Name| interpreter.counts(name) || counters.contains(name);
        // The submit interpreter has errors of its own. Flags and the like that no file declares are
        // not known to conditions anyway.
        let is_its_own = |n: &&Name| {
            let is_signal = n.starts_with('$') && does(n) == Does::Nothing;
            routine.declares(n)
                || ***n == *"$err"
                || is_signal && matches!(interpreter.seen(n), Ok(None))
        };
        let mut set = effects.assigns.iter().filter(|n| !is_its_own(n));
        let set = set.find(|n| counts(n));
        if let Some(name) = set {
            let (written, set) = (&routine.written, interpreter.program.as_written(name));
            let reason = format!(
                "`{written}` runs beside the program and sets `{set}`, on which the motion depends"
            );
            interpreter.doubt(&routine.place, reason);
        }
    }
}

pub(super) const TOOL_STANDS: &str =
    "with $IPO_MODE #TCP the arm holds the work, and the tool stands still: that is not read";

/// After a system variable was set.
pub(crate) fn changed(
    interpreter: &mut BlockInterpreter<Krl>,
    name: &str,
    _: &[PathStep],
    place: &Location,
) -> Result<(), Fault> {
    if KEPT.iter().any(|(kept, _)| *kept == name) || name == "$ori_type" || name == "$circ_type" {
        return Ok(());
    }
    if name == "$ipo_mode" {
        return mode(interpreter, place);
    }
    match does(name) {
        Does::Nothing => {
            let root = name.split(['[', '.']).next().unwrap_or(name);
            interpreter.record.pass_over(&root.to_uppercase());
            Ok(())
        }
        _ => Err(Fault::new(
            place,
            format!(
                "{} is set, and what that changes of the motion is not read",
                name.to_uppercase()
            ),
        )),
    }
}

/// That the tool is not what stands still.
pub(crate) fn mode(interpreter: &mut BlockInterpreter<Krl>, place: &Location) -> Result<(), Fault> {
    match get(interpreter, "$ipo_mode", place)? {
        Value::Text(mode) if &*mode == "#base" => Ok(()),
        Value::Unknown(why) => Err(Fault::new(place, mode_unknown(&why))),
        _ => Err(Fault::new(place, TOOL_STANDS)),
    }
}

/// That it is not known whether the tool stands still, and why.
pub(crate) fn mode_unknown(why: &Unknown) -> String {
    format!(
        "whether the tool stands still ($IPO_MODE) is not known: {} ({})",
        why.reason, why.place
    )
}
