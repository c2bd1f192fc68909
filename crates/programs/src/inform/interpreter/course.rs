//! Where the lines of a job lead, by their text.

use super::jump::{IF, Nested, WHILE, block_end};
use super::unread::variables;
use super::variable::InformVariable;
use super::words::names_variable;
use crate::inform::job::InformJob;
use crate::lines::course::{AskedValues, CalledOnTheWay, LineCourse};
use crate::lines::cursor::LineCursor;
use crate::lines::{known_by, loop_begin};

/// Where each line of a job leads.
pub(super) fn courses(job: &InformJob) -> Vec<LineCourse<InformVariable>> {
    (0..job.lines.len()).map(|at| course(job, at)).collect()
}

fn course(job: &InformJob, at: usize) -> LineCourse<InformVariable> {
    let text = job.lines[at].text.as_str();
    let mut line = LineCourse::leads(vec![at + 1]);
    let mut cursor = LineCursor::new(text);
    if text.starts_with('*') {
        return line;
    }
    line.reads = variables(text);
    let behind = |words: &[&str], nested: &Nested| {
        let end = block_end(job, at, words, nested).ok();
        end.map(|end| end + 1)
    };
    match cursor.word() {
        "MOVJ" | "MOVL" | "MOVC" | "IMOV" => line.moves = true,
        "TIMER" | "WAIT" | "PULSE" => line.waits = true,
        "END" => line.to = vec![job.lines.len()],
        "ABORT" => line.to.clear(),
        "RET" => when(cursor, Some(job.lines.len()), &mut line),
        "JUMP" if cursor.eat("*") => {
            let label = cursor.until(char::is_whitespace);
            let to = job.labels.get(label).and_then(|all| all.first().copied());
            when(cursor, to, &mut line);
        }
        word @ ("JUMP" | "CALL") if cursor.eat_word("JOB") && cursor.eat(":") => {
            let name = cursor.until(char::is_whitespace);
            if word == "CALL" {
                line.calls.push(CalledOnTheWay {
                    program: name.to_owned(),
                    back: at + 1,
                });
                when(cursor, None, &mut line);
            } else {
                // A job that jumps to itself goes round.
                let is_itself = known_by(name) == known_by(&job.name);
                when(cursor, is_itself.then_some(0), &mut line);
            }
        }
        "IFTHENEXP" | "IFTHEN" => {
            line.asks = asks(cursor.rest());
            let mut from = at;
            let words = ["ELSEIFEXP", "ELSEIF", "ELSE", "ENDIF"];
            while let Ok(end) = block_end(job, from, &words, &IF) {
                line.to.push(end + 1);
                let mut cursor = LineCursor::new(&job.lines[end].text);
                if !cursor.word().starts_with("ELSEIF") {
                    break;
                }
                line.asks = both(line.asks.take(), asks(cursor.rest()));
                from = end;
            }
        }
        // The branch before has been gone through.
        "ELSEIFEXP" | "ELSEIF" | "ELSE" => line.to = behind(&["ENDIF"], &IF).into_iter().collect(),
        "WHILEEXP" | "WHILE" => {
            line.asks = asks(cursor.rest());
            line.to.extend(behind(&["ENDWHILE"], &WHILE));
        }
        "ENDWHILE" => {
            let begin = loop_begin(&job.lines, at, &["WHILEEXP", "WHILE"], "ENDWHILE");
            line.to = begin.into_iter().collect();
        }
        "SET" | "ADD" | "SUB" | "MUL" | "DIV" | "INC" | "DEC" => {
            let first = cursor.rest().split_whitespace().next().unwrap_or_default();
            line.sets = variables(first).and_then(|all| all.into_iter().next());
        }
        _ => {}
    }
    line
}

/// Takes in the condition with which an instruction may end, and where it leads if that holds.
fn when(mut rest: LineCursor, to: Option<usize>, line: &mut LineCourse<InformVariable>) {
    if rest.eat_word("IF") {
        line.asks = asks(rest.rest());
    } else {
        line.to.clear();
    }
    line.to.extend(to);
}

/// The variables of all jobs for which a condition asks.
fn asks(asked: &str) -> Option<AskedValues<InformVariable>> {
    let named = variables(asked);
    let more = named.is_none();
    let mut values = named.unwrap_or_default();
    values.retain(|variable| variable.shared().is_some());
    let is_asked = more || !values.is_empty();
    (is_asked && names_variable(asked)).then_some(AskedValues { values, more })
}

fn both(
    one: Option<AskedValues<InformVariable>>,
    other: Option<AskedValues<InformVariable>>,
) -> Option<AskedValues<InformVariable>> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            one.values.extend(other.values);
            one.more |= other.more;
            Some(one)
        }
        (one, other) => one.or(other),
    }
}
