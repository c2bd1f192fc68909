//! Where the lines of a listing lead, by their text.

use std::collections::BTreeSet;

use super::flow::{is_branch, names_register};
use super::unread::registers;
use super::words::{is_comment, outside_brackets, parted, timed_out};
use super::{block_end, forms};
use crate::fanuc::listing::{Listing, is_move, label};
use crate::lines::course::{AskedValues, CalledOnTheWay, LineCourse};
use crate::lines::cursor::LineCursor;
use crate::lines::loop_begin;

/// Where each line of a program leads.
pub(super) fn courses(program: &Listing) -> Vec<LineCourse<u32>> {
    (0..program.lines.len())
        .map(|at| course(program, at))
        .collect()
}

fn course(program: &Listing, at: usize) -> LineCourse<u32> {
    let text = program.lines[at].text.as_str();
    let mut line = LineCourse::leads(Vec::new());
    if is_comment(text) {
        line.to.push(at + 1);
        return line;
    }
    line.reads = registers(text);
    line.moves = is_move(text);
    let behind = |words: &[&str], begin: &str, end: &str| {
        let end = block_end(program, at, words, begin, end).ok();
        end.map(|end| end + 1)
    };
    let mut cursor = LineCursor::new(text);
    let word = if is_branch(text) {
        "ELSE"
    } else {
        cursor.word()
    };
    match word {
        "IF" => {
            line.to.push(at + 1);
            match parted(text) {
                Some((asked, action)) => {
                    line.asks = asks(asked);
                    acts(program, action, at + 1, &mut line);
                }
                None => {
                    line.asks = asks(text);
                    line.to
                        .extend(behind(&["ELSE", "ELSEIF", "ENDIF"], "IF", "ENDIF"));
                }
            }
        }
        "SELECT" => {
            let below = program.lines[at + 1..]
                .iter()
                .map(|line| line.text.as_str());
            let branches: Vec<&str> = below.take_while(|text| is_branch(text)).collect();
            let end = at + 1 + branches.len();
            line.asks = parted(text).and_then(|(asked, _)| asks(asked));
            line.to.push(end);
            for branch in [text].into_iter().chain(branches) {
                if let Some((_, action)) = parted(branch) {
                    acts(program, action, end, &mut line);
                }
            }
        }
        // Branches of a SELECT are passed.
        "ELSE" if is_branch(text) => line.to.push(at + 1),
        "ELSE" => line.to.extend(behind(&["ENDIF"], "IF", "ENDIF")),
        "FOR" => {
            line.to.push(at + 1);
            line.to.extend(behind(&["ENDFOR"], "FOR", "ENDFOR"));
            line.sets = set_in(cursor.rest());
        }
        "ENDFOR" => {
            line.to.push(at + 1);
            let begin = loop_begin(&program.lines, at, &["FOR"], "ENDFOR");
            line.to.extend(begin.map(|begin| begin + 1));
            line.sets = begin.and_then(|begin| {
                let mut cursor = LineCursor::new(&program.lines[begin].text);
                cursor.word();
                set_in(cursor.rest())
            });
        }
        _ => acts(program, text, at + 1, &mut line),
    }
    line
}

/// Takes in a statement, or the action of one, behind which the program goes on there.
fn acts(program: &Listing, text: &str, behind: usize, line: &mut LineCourse<u32>) {
    let mut cursor = LineCursor::new(text);
    match cursor.word() {
        "JMP" => jumps(program, cursor, line),
        "CALL" => line.calls.push(CalledOnTheWay {
            program: cursor.word().to_owned(),
            back: behind,
        }),
        "END" => line.to.push(program.lines.len()),
        "ABORT" => {}
        "WAIT" if !forms::is_macro(text) => {
            line.waits = true;
            line.to.push(behind);
            let late = timed_out(text).1.and_then(|late| late.strip_prefix(','));
            if let Some(late) = late {
                let mut jump = LineCursor::new(late);
                jump.eat_word("JMP");
                jumps(program, jump, line);
            }
        }
        "R" => {
            line.sets = set_in(text);
            line.to.push(behind);
        }
        _ => line.to.push(behind),
    }
}

/// Takes in a jump to a label, of which only the controller may know the number.
fn jumps(program: &Listing, jump: LineCursor, line: &mut LineCourse<u32>) {
    let to = label(jump).filter(|_| !names_register(jump.rest()));
    match to {
        Some(label) => line
            .to
            .extend(program.labels.get(&label).into_iter().flatten()),
        None => {
            line.to.extend(program.labels.values().flatten());
            line.asks = line.asks.take().or_else(|| asks(jump.rest()));
        }
    }
}

/// The registers for which a condition asks.
fn asks(asked: &str) -> Option<AskedValues<u32>> {
    let named = registers(asked);
    let bare = outside_brackets(asked);
    let more = named.is_none() || bare.contains("PR") || bare.contains("SR");
    let values: BTreeSet<u32> = named.unwrap_or_default();
    names_register(asked).then_some(AskedValues { values, more })
}

/// The register that a statement sets.
fn set_in(text: &str) -> Option<u32> {
    let mut cursor = LineCursor::new(text);
    cursor.eat_word("R").then_some(())?;
    cursor.eat("[").then(|| cursor.index()).flatten()
}
