//! Inline forms: calls of `BAS`, which sets for the next move what its data say.

use super::*;

/// Applies the settings that an inline form makes before its move.
pub(super) fn form(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    place: &Location,
) -> Result<(), Fault> {
    let mut given = Vec::new();
    for argument in call.positional() {
        given.push(interpreter.value(argument, place)?);
    }
    let fault = || Fault::new(place, "what this call of `BAS` sets is not read");
    let command = match given.first() {
        Some(Value::Text(command)) => command.clone(),
        _ => return Err(fault()),
    };
    let number = |k: usize| -> Result<Option<f64>, Fault> {
        match given.get(k) {
            Some(value) => Ok(value.number(place)?.ok()),
            None => Ok(None),
        }
    };
    if let "#initmov" | "#cp_params" | "#cp_dat" | "#vel_cp" = &*command {
        forget_speeds(interpreter, place)?;
    }
    match &*command {
        "#initmov" => {
            for name in ["$tool", "$base"] {
                let reason = format!(
                    "what `BAS(#INITMOV)` leaves in {} is not read",
                    name.to_uppercase()
                );
                interpreter.keep(name, "frame", Value::unknown(place, reason));
            }
            interpreter.keep("$ipo_mode", "", Value::text("#base"));
            interpreter.keep("$ori_type", "", Value::text("#var"));
            let arcs = arcs_at_start(interpreter, place);
            interpreter.keep("$circ_type", "", arcs);
            correction::end(interpreter, place)?;
            interpreter.keep("$apo", "apo", Value::Record(BTreeMap::new()));
            interpreter.record.pass_over("BAS");
        }
        "#frames" => frames_of_move(interpreter, place)?,
        "#ptp_params" | "#cp_params" => {
            frames_of_move(interpreter, place)?;
            let line = &*command == "#cp_params";
            if line {
                interpreter.language.path = number(1)?;
            } else {
                interpreter.language.share = number(1)?.map(|percent| percent / 100.0);
            }
            data_of_move(interpreter, line, place)?;
        }
        "#ptp_dat" | "#cp_dat" => data_of_move(interpreter, &*command == "#cp_dat", place)?,
        "#vel_ptp" => interpreter.language.share = number(1)?.map(|percent| percent / 100.0),
        "#vel_cp" => interpreter.language.path = number(1)?,
        "#tool" | "#base" => {
            let tool = &*command == "#tool";
            let value = given.get(1).cloned().ok_or_else(fault)?;
            let value = numbered(interpreter, tool, &value, place)?;
            interpreter.keep(if tool { "$tool" } else { "$base" }, "frame", value);
        }
        "#acc_ptp" | "#acc_cp" | "#acc_glue" | "#out_sync" | "#out_async" => {
            interpreter.record.pass_over("BAS")
        }
        _ => return Err(fault()),
    }
    Ok(())
}

/// How the tool turns on arcs as the controller is set.
fn arcs_at_start(interpreter: &mut BlockInterpreter<Krl>, place: &Location) -> Value {
    let stated = correction::held(interpreter, "def_circ_typ", place);
    stated.unwrap_or_else(|| Value::text("#base"))
}

/// `BAS` sets the speeds of the tool too: what the program has set them to counts no more.
fn forget_speeds(interpreter: &mut BlockInterpreter<Krl>, place: &Location) -> Result<(), Fault> {
    if let Value::Record(fields) = builtin::get(interpreter, "$vel", place)?
        && !fields.is_empty()
    {
        let unknown = Value::unknown(place, "`BAS` sets it, and to what is not read");
        let fields = fields.into_keys().map(|name| (name, unknown.clone()));
        interpreter.keep("$vel", "velocity", Value::Record(fields.collect()));
        interpreter.language.path = None;
    }
    Ok(())
}

/// Takes tool, base and which of them is carried from the data of a move.
fn frames_of_move(interpreter: &mut BlockInterpreter<Krl>, place: &Location) -> Result<(), Fault> {
    let tool = field(interpreter, "fdat_act", "tool_no", place)?;
    let base = field(interpreter, "fdat_act", "base_no", place)?;
    let tool = numbered(interpreter, true, &tool, place)?;
    let base = numbered(interpreter, false, &base, place)?;
    interpreter.keep("$tool", "frame", tool);
    interpreter.keep("$base", "frame", base);
    let mode = field(interpreter, "fdat_act", "ipo_frame", place)?;
    interpreter.keep("$ipo_mode", "", mode);
    builtin::mode(interpreter, place)
}

/// Takes what `BAS` takes from the data of a move: its zone, and how the tool turns on a line.
fn data_of_move(
    interpreter: &mut BlockInterpreter<Krl>,
    line: bool,
    place: &Location,
) -> Result<(), Fault> {
    let mut apo = BTreeMap::new();
    if line {
        let distance = field(interpreter, "ldat_act", "apo_dist", place)?;
        apo.insert(Name::from("cdis"), distance);
        let data = builtin::get(interpreter, "ldat_act", place)?;
        for (of, to) in [("ori_typ", "$ori_type"), ("circ_typ", "$circ_type")] {
            match &data {
                Value::Record(fields) => match fields.get(of) {
                    Some(value) => interpreter.keep(to, "", value.clone()),
                    // Data of older controllers have no such components. Some versions of `BAS` leave
                    // the mode then, and others set it to what it is at the start.
                    None => {
                        let first = match to {
                            "$circ_type" => arcs_at_start(interpreter, place),
                            _ => Value::text("#var"),
                        };
                        if builtin::get(interpreter, to, place)? != first {
                            let reason = format!(
                                "versions of `BAS` differ in what {} is behind data without it",
                                to.to_uppercase()
                            );
                            interpreter.keep(to, "", Value::unknown(place, reason));
                        }
                    }
                },
                unknown => interpreter.keep(to, "", unknown.clone()),
            }
        }
    }
    interpreter.keep("$apo", "apo", Value::Record(apo));
    Ok(())
}

fn numbered(
    interpreter: &mut BlockInterpreter<Krl>,
    tool: bool,
    number: &Value,
    place: &Location,
) -> Result<Value, Fault> {
    Ok(match number.number(place)? {
        Ok(number) => {
            let frame = builtin::numbered(interpreter, tool, number, place);
            correction::corrected(interpreter, tool, frame, place)?
        }
        Err(why) => Value::Unknown(why),
    })
}
