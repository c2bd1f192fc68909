//! Which registers a listing reads and sets, by its text.

use std::collections::BTreeSet;

use super::expression::SIGNALS;
use super::flow::is_branch;
use super::words::{has_another, is_comment, is_of_word, outside_brackets, parted, timed_out};
use super::{block_end, plain};
use crate::fanuc::listing::{Listing, label};
use crate::lines::cursor::LineCursor;
use crate::lines::unread::{LineEffect, LineUse, UsesValues};

/// The registers that a text names, by their numbers; none: also one of which only the controller
/// knows the number.
type NamedRegisters = Option<BTreeSet<u32>>;

impl UsesValues for Listing {
    type Value = u32;

    fn name(&self) -> &str {
        &self.name
    }

    fn uses(&self) -> Vec<LineUse<u32>> {
        let lines = (0..self.lines.len()).map(|at| line_use(self, at));
        // What runs beside moves may do so at any time.
        let beside = self.while_moving.values().flatten();
        let beside = beside.map(|line| LineUse::acts(registers(&line.text)));
        lines.chain(beside).collect()
    }

    fn waits_for(text: &str) -> Option<BTreeSet<u32>> {
        // It may be the action of an IF.
        let (_, text) = text.split_once("WAIT")?;
        let (asked, _) = timed_out(text);
        let is_register = asked.contains(['=', '<', '>']) && !plain(asked).contains("PR[");
        registers(asked).filter(|all| is_register && !all.is_empty())
    }

    /// `IF R[5]=0,JMP LBL[2]`, and behind that label nothing but waits for a time.
    fn polls(&self, line: usize) -> Option<BTreeSet<u32>> {
        let text = self.lines.get(line)?.text.as_str();
        let (asked, action) = parted(text)?;
        let mut jump = LineCursor::new(action);
        let is_jump = LineCursor::new(text).eat_word("IF") && jump.eat_word("JMP");
        let to = is_jump.then(|| leads_to(self, jump)).flatten()?;
        let mut within = self.lines.get(to..line)?.iter();
        let waits = within.all(|line| only_waits(&line.text)) && is_plain(asked);
        registers(asked).filter(|all| waits && !all.is_empty())
    }
}

fn line_use(program: &Listing, at: usize) -> LineUse<u32> {
    let text = program.lines[at].text.as_str();
    let next = at + 1;
    if is_comment(text) {
        return LineUse::leads(next);
    }
    let mut cursor = LineCursor::new(text);
    let word = if is_branch(text) { "" } else { cursor.word() };
    let what = match word {
        "LBL" => is_label(cursor).then_some(LineEffect::Leads(next)),
        "ENDIF" if cursor.is_done() => Some(LineEffect::Leads(next)),
        "ELSE" if cursor.is_done() => {
            let end = block_end(program, at, &["ENDIF"], "IF", "ENDIF").ok();
            end.map(|end| LineEffect::Leads(end + 1))
        }
        "JMP" => leads_to(program, cursor).map(LineEffect::Leads),
        "R" => sets(text).map(LineEffect::Sets),
        "IF" => asks(program, at, text),
        // Nobody knows what a signal is, whatever the program sets it to.
        _ if SIGNALS.contains(&word) && cursor.rest().starts_with('[') && !has_another(text) => {
            return LineUse::acts(Some(BTreeSet::new()));
        }
        _ => None,
    };
    let read = match what {
        // The register that is set is not read.
        Some(LineEffect::Sets(_)) => {
            let asked = if word == "IF" { parted(text) } else { None };
            let (asked, set) = asked.unwrap_or(("", text));
            let value = set.split_once(']').map_or("", |(_, value)| value);
            both(registers(asked), registers(value))
        }
        _ => registers(text),
    };
    LineUse {
        what: what.unwrap_or(LineEffect::Acts),
        reads: read,
    }
}

/// Whether a statement does nothing but wait for a time: `WAIT .10(sec)`.
fn only_waits(text: &str) -> bool {
    let mut cursor = LineCursor::new(text);
    match cursor.word() {
        _ if is_comment(text) => true,
        "LBL" => is_label(cursor),
        "WAIT" => cursor.number().is_some() && cursor.eat("(sec)") && cursor.is_done(),
        _ => false,
    }
}

/// An `IF` that only leads to one line or the other, or only sets a register.
fn asks(program: &Listing, at: usize, text: &str) -> Option<LineEffect<u32>> {
    let Some((asked, action)) = parted(text) else {
        let is_block = outside_brackets(text).trim_end().ends_with("THEN");
        (is_block && is_plain(text)).then_some(())?;
        let words = ["ELSE", "ELSEIF", "ENDIF"];
        let end = block_end(program, at, &words, "IF", "ENDIF").ok()?;
        return Some(LineEffect::Parts([at + 1, end + 1]));
    };
    is_plain(asked).then_some(())?;
    let mut cursor = LineCursor::new(action);
    match cursor.word() {
        "R" => sets(action).map(LineEffect::Sets),
        "JMP" => Some(LineEffect::Parts([leads_to(program, cursor)?, at + 1])),
        _ => None,
    }
}

/// Whether a condition computes nothing at which a controller may stop, and says nothing else.
fn is_plain(asked: &str) -> bool {
    let bare = outside_brackets(asked);
    let mut words = bare.split(|c: char| !is_of_word(c));
    !has_another(asked)
        && !bare.contains(['/', '\'', '$'])
        && !words.any(|word| ["DIV", "MOD", "PR", "SR"].contains(&word))
}

/// The line to which a jump leads, if it says nothing else.
fn leads_to(program: &Listing, jump: LineCursor) -> Option<usize> {
    let found = program.labels.get(&label(jump)?)?;
    let (_, behind) = jump.rest().split_once(']')?;
    (found.len() == 1 && behind.trim().is_empty()).then(|| found[0])
}

/// The register that a statement sets to a value at whose computing no controller stops; none: it does
/// something else.
fn sets(text: &str) -> Option<u32> {
    let mut cursor = LineCursor::new(text);
    cursor.eat_word("R").then_some(())?;
    let number = number_of(&mut cursor)?;
    (cursor.eat("=") && is_sum(&mut cursor) && cursor.is_done()).then_some(number)
}

/// `[3:name]`, and nothing else.
fn is_label(mut cursor: LineCursor) -> bool {
    number_of(&mut cursor).is_some() && cursor.is_done()
}

/// `[3:name]`, as a number.
fn number_of(cursor: &mut LineCursor) -> Option<u32> {
    let number = cursor.eat("[").then(|| cursor.index()).flatten()?;
    if cursor.eat(":") {
        cursor.until(|c| c == ']');
    }
    cursor.eat("]").then_some(number)
}

/// Numbers, registers and signals, and what is computed of them; divided by numbers alone.
fn is_sum(cursor: &mut LineCursor) -> bool {
    loop {
        if !is_part(cursor) {
            return false;
        }
        let divides = cursor.eat("/") || cursor.eat_word("DIV") || cursor.eat_word("MOD");
        if divides {
            let mut by = *cursor;
            if by.number().is_none_or(|by| by == 0.0) {
                return false;
            }
        } else if !(cursor.eat("+") || cursor.eat("-") || cursor.eat("*")) {
            return true;
        }
    }
}

fn is_part(cursor: &mut LineCursor) -> bool {
    if cursor.eat("(") {
        return is_sum(cursor) && cursor.eat(")");
    }
    if cursor.number().is_some() {
        return true;
    }
    cursor.eat("-");
    let word = cursor.word();
    (["R", "AR"].contains(&word) || SIGNALS.contains(&word)) && number_of(cursor).is_some()
}

fn both(one: NamedRegisters, other: NamedRegisters) -> NamedRegisters {
    let mut all = one?;
    all.extend(other?);
    Some(all)
}

/// The registers that a text names, wherever it does.
fn registers(text: &str) -> NamedRegisters {
    let text = plain(text);
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices('[') {
        let before = text[..at].rsplit(|c| !is_of_word(c)).next();
        if before != Some("R") {
            continue;
        }
        let mut cursor = LineCursor::new(&text[at..]);
        cursor.eat("[");
        let number = cursor.index();
        let is_whole = cursor.rest().starts_with([':', ']']);
        found.insert(number.filter(|_| is_whole)?);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_found_wherever_they_are_named() {
        let numbers = |text: &str| registers(text).map(|all| all.into_iter().collect::<Vec<_>>());
        assert_eq!(numbers("R[1:a]=R [2]+AR[3]"), Some(vec![1, 2]));
        assert_eq!(
            numbers("J P[R[4]] R[5]% CNT R[6] Offset,PR[R[7]]"),
            Some(vec![4, 5, 6, 7])
        );
        assert_eq!(numbers("DO[1]=ON"), Some(vec![]));
        assert_eq!(numbers("R[R[1]]=2"), None);
        assert_eq!(numbers("GO[1]=R[AR[1]]"), None);
    }

    #[test]
    fn only_values_that_stop_no_controller_count_as_set() {
        for text in [
            "R[3]=R[3]+1",
            "R[3:a b]=(R[1]-.5*GI[2])",
            "R[3]=R[1] MOD 10",
            "R[3]=-R[1]/2",
        ] {
            assert_eq!(sets(text), Some(3), "{text}");
        }
        for text in [
            "R[3]=R[3]+1,JMP LBL[1]",
            "R[R[1]]=1",
            "R[3]=1/R[1]",
            "R[3]=R[1] DIV 0",
            "R[3]=PR[1,2]",
            "R[3]=AR[R[1]]",
            "R[3]=(DI[1]=ON)",
            "R[3]=R[R[1]]",
            "PR[3]=LPOS",
        ] {
            assert_eq!(sets(text), None, "{text}");
        }
    }
}
