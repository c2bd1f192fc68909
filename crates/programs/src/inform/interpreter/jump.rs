//! Where a job goes on.

use super::*;
use crate::lines::loop_begin;

/// Words that begin and end what is skipped as a whole.
pub(super) struct Nested {
    begin: [&'static str; 2],
    end: &'static str,
}

pub(super) const IF: Nested = Nested {
    begin: ["IFTHENEXP", "IFTHEN"],
    end: "ENDIF",
};

pub(super) const WHILE: Nested = Nested {
    begin: ["WHILEEXP", "WHILE"],
    end: "ENDWHILE",
};

/// Whether a jump or a call leads to another job.
pub(super) fn is_job(cursor: &mut LineCursor) -> bool {
    cursor.eat_word("JOB") && cursor.eat(":")
}

impl InformInterpreter<'_> {
    /// Goes on in another job, and does not come back.
    pub(super) fn jump_to_job(
        &mut self,
        job: &InformJob,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<NextLine, Fault> {
        let name = cursor.until(char::is_whitespace).to_owned();
        if self.calls > 0 {
            let reason = "a called job jumps to another job: what is gone back to is not known";
            return Err(Fault::new(place, reason));
        }
        self.when(cursor, place, |interpreter| {
            interpreter.jumps_to = interpreter.other_job(&name, job, place)?;
            Ok(NextLine::End)
        })
    }

    /// Follows another job, and comes back unless the program ends there.
    pub(super) fn call_job(
        &mut self,
        job: &InformJob,
        cursor: &mut LineCursor,
        place: &Location,
    ) -> Result<NextLine, Fault> {
        let name = cursor.until(char::is_whitespace).to_owned();
        self.when(cursor, place, |interpreter| {
            interpreter.calls += 1;
            let next = interpreter.call(&name, job, place)?;
            interpreter.calls -= 1;
            Ok(match next {
                NextLine::End => NextLine::End,
                _ => NextLine::Line,
            })
        })
    }
}

/// [`block_end`].
pub(super) fn skip(
    flow: &Flow,
    job: &InformJob,
    from: usize,
    words: &[&str],
    nested: &Nested,
) -> Result<usize, Fault> {
    let at = block_end(job, from, words, nested)?;
    flow.count(at - from);
    Ok(at)
}

/// The next line that begins with one of these words, of the same block.
pub(super) fn block_end(
    job: &InformJob,
    from: usize,
    words: &[&str],
    nested: &Nested,
) -> Result<usize, Fault> {
    let mut depth = 0_usize;
    for (at, line) in job.lines.iter().enumerate().skip(from + 1) {
        let word = LineCursor::new(&line.text).word();
        if depth == 0 && words.contains(&word) {
            let has_condition = word.starts_with("ELSEIF");
            if !has_condition && line.text.trim() != word {
                let reason = format!("`{}` is not understood", line.text);
                return Err(Fault::new(&line.place, reason));
            }
            return Ok(at);
        }
        if nested.begin.contains(&word) {
            depth += 1;
        } else if word == nested.end {
            depth = depth.saturating_sub(1);
        }
    }
    let reason = format!("there is no {} for it", words[words.len() - 1]);
    Err(Fault::new(&job.lines[from].place, reason))
}

/// The line in which the loop begins that ends here.
pub(super) fn back(flow: &Flow, job: &InformJob, end: usize) -> Result<usize, Fault> {
    let begin = loop_begin(&job.lines, end, &WHILE.begin, WHILE.end);
    let why = || Fault::new(&job.lines[end].place, "there is no WHILEEXP for it");
    let begin = begin.ok_or_else(why)?;
    flow.count(end - begin);
    Ok(begin)
}

pub(super) fn label_at(job: &InformJob, label: &str, place: &Location) -> Result<usize, Fault> {
    match job.labels.get(label).map(Vec::as_slice) {
        Some([at]) => Ok(*at),
        None => Err(Fault::new(place, format!("there is no label `*{label}`"))),
        Some(_) => Err(Fault::new(
            place,
            format!("there are several labels `*{label}`"),
        )),
    }
}
