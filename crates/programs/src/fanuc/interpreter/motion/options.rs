//! The part of a move behind its positions: speed, end and options.

use super::*;

/// The arguments of a statement beside its positions.
pub(super) struct MoveOptions {
    pub(super) zone: Zone,
    pub(super) speed: Speed,
    pub(super) offset: Option<Position>,
    pub(super) tool_offset: Option<Position>,
    pub(super) increment: bool,
    /// Reasons why the path is not known, although its end is.
    pub(super) doubts: Vec<String>,
    /// Why it is not known where the arm is afterwards.
    pub(super) lost: Option<String>,
    /// Actions that run shortly before or after its end.
    pub(super) while_moving: Vec<String>,
}

impl FanucInterpreter<'_> {
    pub(super) fn options(
        &mut self,
        word: &str,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<MoveOptions, Fault> {
        let speed = self.speed(cursor, place)?;
        let mut options = MoveOptions {
            zone: self.zone(cursor, place)?,
            speed,
            offset: None,
            tool_offset: None,
            increment: false,
            doubts: Vec::new(),
            lost: None,
            while_moving: Vec::new(),
        };
        while !cursor.is_done() {
            // `ACC50` is one word, `ACC 50` two.
            let option = cursor.word().to_owned();
            match option.as_str() {
                "PTH" | "BREAK" => {}
                "ACC" => _ = self.primary(cursor, place)?,
                _ if option.strip_prefix("ACC").is_some_and(is_number) => {}
                // The path is straight so far before its end or behind its start: the corner there
                // is the smaller for it.
                _ if word == "L" && option.starts_with("AP_LD") | option.starts_with("RT_LD") => {
                    match option[5..].trim_end_matches("mm") {
                        "" => _ = self.primary(cursor, place)?,
                        "R" | "AR" => _ = self.index(cursor, place)?,
                        length if is_number(length) => {}
                        _ => {
                            let reason = format!("`{option}` of a move is not understood");
                            return Err(Fault::new(place, reason));
                        }
                    }
                    cursor.eat_word("mm");
                }
                "Wjnt" if word != "J" => options
                    .doubts
                    .push("Wjnt: the wrist turns in a way that is not known".into()),
                "COORD" | "RTCP" => {
                    options
                        .doubts
                        .push(format!("{option}: the path depends on another arm"));
                }
                "INC" => options.increment = true,
                "TB" | "TA" | "DB" | "TIME" => {
                    let is_short = option != "TIME";
                    if !(is_short || cursor.eat_word("BEFORE") || cursor.eat_word("AFTER")) {
                        let reason = format!("when {option} runs is not understood");
                        return Err(Fault::new(place, reason));
                    }
                    self.primary(cursor, place)?;
                    let unit = if option == "DB" { "mm" } else { "sec" };
                    if !(cursor.eat_word(unit) && cursor.eat(",")) {
                        let reason = format!("when {option} runs is not understood");
                        return Err(Fault::new(place, reason));
                    }
                    // Only P-SPS may have further options behind it.
                    let action = if cursor.eat(P_SPS) {
                        P_SPS
                    } else {
                        cursor.until(|_| false)
                    };
                    options.while_moving.push(action.to_owned());
                }
                "P" if cursor.eat("-SPS") => options.while_moving.push(P_SPS.to_owned()),
                "Skip" => {
                    cursor.until(|_| false);
                    options.lost = Some(
                        "the move may end before its end is reached (Skip): where the arm is afterwards is not known".into(),
                    );
                }
                "Offset" | "Tool_Offset" => {
                    let position = match cursor.eat(",") {
                        true if cursor.eat_word("PR") => {
                            let number = self.known_index(cursor, place)?;
                            self.position_register(number, place)
                        }
                        true => {
                            return Err(Fault::new(place, format!("{option} has no register")));
                        }
                        false => {
                            let held = match option.as_str() {
                                "Offset" => self.way.state.offset.clone(),
                                _ => self.way.state.tool_offset.clone(),
                            };
                            let Some((number, held)) = held else {
                                let reason = format!("no CONDITION says which {option} is meant");
                                return Err(Fault::new(place, reason));
                            };
                            if self.position_register(number, place) != held {
                                let reason =
                                    format!("PR[{number}] has changed since its CONDITION");
                                return Err(Fault::new(place, reason));
                            }
                            held
                        }
                    };
                    let position = position.map_err(|why| {
                        Fault::new(place, format!("the offset is not known: {}", why.reason))
                    })?;
                    match option.as_str() {
                        "Offset" => options.offset = Some(position),
                        _ => options.tool_offset = Some(position),
                    }
                }
                _ => {
                    let unread = cursor.or_rest(&option);
                    let reason = format!("`{unread}` of a move is not understood");
                    return Err(Fault::new(place, reason));
                }
            }
        }
        Ok(options)
    }

    fn speed(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<Speed, Fault> {
        if cursor.eat_word("max_speed") || cursor.eat_word("WELD_SPEED") {
            return Ok(Speed::Unknown);
        }
        let value = self.primary(cursor, place)?.number(place)?.ok();
        let value = value.filter(|v| *v > 0.0);
        let make = |make: fn(f64) -> Speed| value.map_or(Speed::Unknown, make);
        if cursor.eat("%") {
            return Ok(make(|v| Speed::Share(v / 100.0)));
        }
        let unit = cursor.word().to_owned();
        let per = cursor.eat("/").then(|| cursor.word().to_owned());
        Ok(match (unit.as_str(), per.as_deref()) {
            ("mm", Some("sec")) => make(|v| Speed::Tool(v / 1e3)),
            ("cm", Some("min")) => make(|v| Speed::Tool(v / 6e3)),
            ("sec", None) => make(Speed::Duration),
            ("msec", None) => make(|v| Speed::Duration(v / 1e3)),
            ("inch", Some("min")) | ("deg", Some("sec")) => Speed::Unknown,
            _ => {
                return Err(Fault::new(
                    place,
                    format!("`{unit}` is not a unit of a speed"),
                ));
            }
        })
    }

    /// FINE stops. With CNT0 the corner is rounded least, and the arm need not stop; of all others
    /// nothing is said of how far before its end a move is left.
    fn zone(&mut self, cursor: &mut LineCursor, place: &Location) -> Result<Zone, Fault> {
        let word = cursor.word().to_owned();
        let amount = |kind: &str| word.strip_prefix(kind).filter(|d| is_number(d));
        if word == "FINE" {
            return Ok(Zone::Stop);
        }
        if ["CNT", "CD", "CR"].contains(&word.as_str()) {
            self.primary(cursor, place)?.number(place)?.ok();
            return Ok(Zone::Unknown);
        }
        if let Some(amount) = amount("CNT") {
            return match amount.parse::<f64>() {
                Ok(n) if n <= 100.0 => Ok(Zone::Unknown),
                _ => Err(Fault::new(place, format!("`{word}` is not understood"))),
            };
        }
        match amount("CD").or(amount("CR")) {
            Some(_) => Ok(Zone::Unknown),
            None => Err(Fault::new(
                place,
                format!("`{word}` says nothing of how the move ends"),
            )),
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
