//! Which variables a job reads and sets, by its text.

use std::collections::BTreeSet;

use super::jump::{IF, WHILE, block_end};
use super::variable::{InformVariable, VariableKind, named};
use super::words::has_another;
use crate::inform::job::InformJob;
use crate::lines::cursor::LineCursor;
use crate::lines::unread::{LineEffect, LineUse, UsesValues};

impl UsesValues for InformJob {
    type Value = InformVariable;

    fn name(&self) -> &str {
        &self.name
    }

    fn uses(&self) -> Vec<LineUse<InformVariable>> {
        (0..self.lines.len()).map(|at| line_use(self, at)).collect()
    }

    fn waits_for(text: &str) -> Option<BTreeSet<InformVariable>> {
        let mut cursor = LineCursor::new(text);
        cursor.eat_word("WAIT").then_some(())?;
        let asked = variables(cursor.rest().split(" T=").next().unwrap_or_default())?;
        set_by_others(asked)
    }

    /// `JUMP *A IF B005=0` or `WHILEEXP B005=0`, and nothing but timers in the loop.
    fn polls(&self, line: usize) -> Option<BTreeSet<InformVariable>> {
        let mut cursor = LineCursor::new(&self.lines.get(line)?.text);
        let within = match cursor.word() {
            "JUMP" => match jumps(self, line, cursor)? {
                LineEffect::Parts([to, _]) => to..line,
                _ => return None,
            },
            word @ ("WHILEEXP" | "WHILE") if !has_another(word, cursor.rest()) => {
                line + 1..block_end(self, line, &["ENDWHILE"], &WHILE).ok()?
            }
            _ => return None,
        };
        let mut within = self.lines.get(within)?.iter();
        within.all(|line| only_waits(&line.text)).then_some(())?;
        set_by_others(variables(cursor.rest())?)
    }
}

fn line_use(job: &InformJob, at: usize) -> LineUse<InformVariable> {
    let text = job.lines[at].text.as_str();
    let mut cursor = LineCursor::new(text);
    let is_label = text.starts_with('*') && !text.trim().contains(char::is_whitespace);
    if is_label || cursor.is_done() {
        return LineUse::leads(at + 1);
    }
    let word = cursor.word();
    let behind = || block_end(job, at, &["ENDIF"], &IF).ok();
    let what = match word {
        "NOP" | "ENDIF" if cursor.is_done() => Some(LineEffect::Leads(at + 1)),
        // The branch before has been gone through.
        "ELSE" | "ELSEIFEXP" | "ELSEIF" => behind().map(|end| LineEffect::Leads(end + 1)),
        "IFTHENEXP" | "IFTHEN" => otherwise(job, at).map(|no| LineEffect::Parts([at + 1, no])),
        "JUMP" => jumps(job, at, cursor),
        "SET" | "ADD" | "SUB" | "MUL" | "DIV" | "INC" | "DEC" => {
            sets(word, cursor).map(LineEffect::Sets)
        }
        // Nobody knows what a signal is, whatever the job sets it to; a text names no variable.
        "DOUT" | "AOUT" | "MSG" if !has_another(word, cursor.rest()) => {
            return LineUse::acts(Some(BTreeSet::new()));
        }
        _ => None,
    };
    LineUse {
        what: what.unwrap_or(LineEffect::Acts),
        reads: variables(match word {
            // The variable that is set is not read.
            "SET" => text.trim().split_once(' ').map_or(text, |(_, set)| {
                set.trim_start()
                    .split_once(' ')
                    .map_or(set, |(_, value)| value)
            }),
            _ => text,
        }),
    }
}

/// Variables that something else may set, all of them: not those of the job itself.
fn set_by_others(all: BTreeSet<InformVariable>) -> Option<BTreeSet<InformVariable>> {
    let is_shared = all.iter().all(|variable| variable.shared().is_some());
    (is_shared && !all.is_empty()).then_some(all)
}

/// Whether an instruction does nothing but wait for a time: `TIMER T=0.10`.
fn only_waits(text: &str) -> bool {
    let mut cursor = LineCursor::new(text);
    if text.starts_with('*') {
        return !text.trim().contains(char::is_whitespace);
    }
    match cursor.word() {
        "" | "NOP" => cursor.is_done(),
        "TIMER" => cursor.eat("T=") && cursor.number().is_some() && cursor.is_done(),
        _ => false,
    }
}

/// Where a job goes on if the condition in this line does not hold; none: that is another condition.
fn otherwise(job: &InformJob, at: usize) -> Option<usize> {
    let end = block_end(job, at, &["ELSEIFEXP", "ELSEIF", "ELSE", "ENDIF"], &IF).ok()?;
    let asks = LineCursor::new(&job.lines[end].text)
        .word()
        .starts_with("ELSEIF");
    (!asks).then_some(end + 1)
}

/// A jump to a label of the job, with a condition or without.
fn jumps(job: &InformJob, at: usize, mut cursor: LineCursor) -> Option<LineEffect<InformVariable>> {
    cursor.eat("*").then_some(())?;
    let [target] = job.labels.get(cursor.until(char::is_whitespace))?[..] else {
        return None;
    };
    if cursor.is_done() {
        return Some(LineEffect::Leads(target));
    }
    (cursor.eat_word("IF") && !has_another("IF", cursor.rest()))
        .then_some(LineEffect::Parts([target, at + 1]))
}

/// The variable that an instruction sets to a value at whose computing no controller stops; none: it
/// does something else.
fn sets(word: &str, mut cursor: LineCursor) -> Option<InformVariable> {
    let variable = variable(&mut cursor)?;
    if ["INC", "DEC"].contains(&word) {
        return cursor.is_done().then_some(variable);
    }
    match cursor.number() {
        Some(number) => (word != "DIV" || number != 0.0).then_some(())?,
        None => {
            (word != "DIV").then_some(())?;
            self::variable(&mut cursor)?;
        }
    }
    cursor.is_done().then_some(variable)
}

/// `B000`, and not `B[B000]`.
fn variable(cursor: &mut LineCursor) -> Option<InformVariable> {
    let (kind, digits) = VariableKind::of(cursor.word())?;
    let number = digits.parse().ok()?;
    (!cursor.rest().starts_with('[')).then_some(kind.numbered(number))
}

/// The variables that a text names, wherever it does; none: also one of which only the controller
/// knows the number.
fn variables(text: &str) -> Option<BTreeSet<InformVariable>> {
    let mut found = BTreeSet::new();
    for name in named(text) {
        if name.in_brackets {
            return None;
        }
        found.extend(name.variable());
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_wherever_they_are_named() {
        let names = |text: &str| {
            let all = variables(text)?;
            Some(
                all.iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        let told = |text: &str| names(text).unwrap_or_else(|| "?".into());
        assert_eq!(
            told("MOVL P[B001] V=I002 PL=B003 CR=R004"),
            "B001 B003 I002 R004"
        );
        assert_eq!(told("JUMP *A IF LB000<D010"), "D010 LB000");
        assert_eq!(told("DOUT OT#(1) ON"), "");
        assert_eq!(told("SET B[B001] 5"), "?");
        assert_eq!(told("SET D001 LD[2]"), "?");
    }

    #[test]
    fn only_values_that_stop_no_controller_count_as_set() {
        let set = |text: &str| {
            let mut cursor = LineCursor::new(text);
            let word = cursor.word();
            sets(word, cursor).map(|variable| variable.to_string())
        };
        for text in [
            "SET B003 1",
            "ADD B003 D001",
            "INC B003",
            "DIV B003 2",
            "SUB B003 -4.5",
        ] {
            assert_eq!(set(text).as_deref(), Some("B003"), "{text}");
        }
        for text in [
            "SET B003 1 IF B001=1",
            "DIV B003 B001",
            "DIV B003 0",
            "SET B[B003] 1",
            "SET B003 B[1]",
            "SET P003 P001",
            "SET B003 ON",
            "SET B003 (B001 + 1)",
        ] {
            assert_eq!(set(text), None, "{text}");
        }
    }
}
