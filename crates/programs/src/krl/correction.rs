//! Corrections of tools and bases that `BAS` and the functions of inline forms apply: variables of
//! `$config.dat`, with a switch each. Technology packages set them, for a part that was measured or a tip
//! that is worn.
//!
//! Where they are on, `$TOOL` is `TOOL_CORR_W : TOOL_DATA[n] : TOOL_CORR`, and `$BASE` is `BASE_CORR :
//! BASE_DATA[n] : M_BASE_CORR`. `BAS(#INITMOV)` switches all of them off.

use clearance_proof::report::Location;

use super::{Krl, data};
use crate::block::interpreter::BlockInterpreter;
use crate::block::syntax::{Expression, VariablePath};
use crate::value::{Fault, Value};

/// A correction, and its switch.
struct Correction {
    on: &'static str,
    frame: &'static str,
}

const fn correction(on: &'static str, frame: &'static str) -> Correction {
    Correction { on, frame }
}

/// Those before and behind a tool.
const OF_TOOLS: [Correction; 2] = [
    correction("tool_corr_w_on", "tool_corr_w"),
    correction("tool_corr_on", "tool_corr"),
];

/// Those before and behind a base.
const OF_BASES: [Correction; 2] = [
    correction("base_corr_on", "base_corr"),
    correction("m_bas_cor_on", "m_base_corr"),
];

/// Whether a name is that of a correction or of its switch.
pub(super) fn is_one(name: &str) -> bool {
    let mut all = OF_TOOLS.iter().chain(&OF_BASES);
    all.any(|correction| [correction.on, correction.frame].contains(&name))
}

/// A tool or a base with its corrections.
pub(super) fn corrected(
    interpreter: &mut BlockInterpreter<Krl>,
    tool: bool,
    frame: Value,
    place: &Location,
) -> Result<Value, Fault> {
    let [before, behind] = if tool { &OF_TOOLS } else { &OF_BASES };
    let mut found = frame;
    for (correction, is_before) in [(before, true), (behind, false)] {
        match held(interpreter, correction.on, place) {
            // No file declares it: the cell has no corrections.
            None | Some(Value::Boolean(false)) => continue,
            Some(Value::Boolean(true)) => {}
            Some(why @ Value::Unknown(_)) => return Ok(why),
            Some(_) => {
                let name = correction.on.to_uppercase();
                return Ok(Value::unknown(
                    place,
                    format!("{name} is neither on nor off"),
                ));
            }
        }
        let by = VariablePath::whole(&correction.frame.into());
        let by = interpreter.value(&Expression::Variable(by), place)?;
        found = if is_before {
            data::compose(&by, &found, place)?
        } else {
            data::compose(&found, &by, place)?
        };
    }
    Ok(found)
}

/// Switches all of them off, as far as a file declares them.
pub(super) fn end(interpreter: &mut BlockInterpreter<Krl>, place: &Location) -> Result<(), Fault> {
    for correction in OF_TOOLS.iter().chain(&OF_BASES) {
        let nothing = data::value(&nalgebra::Isometry3::identity(), place);
        for (name, value) in [
            (correction.on, Value::Boolean(false)),
            (correction.frame, nothing),
        ] {
            if held(interpreter, name, place).is_some() {
                interpreter.assign(&VariablePath::whole(&name.into()), value, place)?;
            }
        }
    }
    Ok(())
}

/// The value of a variable that some file declares.
pub(super) fn held(
    interpreter: &mut BlockInterpreter<Krl>,
    name: &str,
    place: &Location,
) -> Option<Value> {
    let path = VariablePath::whole(&name.into());
    match interpreter.spot(&path, place) {
        Ok(None) => None,
        _ => Some(
            (interpreter.value(&Expression::Variable(path), place))
                .unwrap_or_else(|fault| Value::unknown(place, fault.reason)),
        ),
    }
}
