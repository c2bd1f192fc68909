//! Jobs at hand that the cell calls still, and that are so by their text: gripper jobs that set
//! signals, wait and branch. What they ask of the cell would make two ways of every call, which differ
//! in nothing that the arm does; so they are passed over, and the variables that they write are
//! unknown afterwards.

use std::collections::BTreeSet;

use super::*;

/// What jobs write that keep the arm still: variables that are not their own.
pub(super) type WrittenVariables = Rc<BTreeSet<InformVariable>>;

/// Written variables, branches and calls of the jobs that were looked at.
#[derive(Default)]
struct JobWalk {
    writes: BTreeSet<InformVariable>,
    /// Whether anything is asked that leads to one line or another.
    branches: bool,
    /// Jobs that it calls.
    calls: Vec<String>,
}

impl InformInterpreter<'_> {
    /// The variables that a job of this name writes, if the cell calls it still, it is so by its text
    /// with all that it may call, and it has branches: one without is followed on one way.
    pub(super) fn passes_by(
        &mut self,
        name: &str,
        job: &Rc<InformJob>,
    ) -> Option<WrittenVariables> {
        if !self.controller.is_still(name) {
            return None;
        }
        let known = known_by(name);
        if let Some(found) = self.still.get(&known) {
            return found.clone();
        }
        let found = self.written_by(job);
        self.still.insert(known, found.clone());
        found
    }

    fn written_by(&mut self, job: &Rc<InformJob>) -> Option<WrittenVariables> {
        let mut walk = JobWalk::default();
        let mut seen = BTreeSet::new();
        let mut left = vec![job.clone()];
        while let Some(job) = left.pop() {
            // What cannot be read for certain, or is cut off, is followed.
            let last = job
                .lines
                .iter()
                .rfind(|line| !line.text.trim().is_empty())?;
            if !job.doubts.is_empty() || last.text.trim() != "END" {
                return None;
            }
            for line in &job.lines {
                self.keeps_still(&job, line, &mut walk)?;
            }
            self.flow.count(job.lines.len());
            for name in std::mem::take(&mut walk.calls) {
                if !seen.insert(known_by(&name)) {
                    continue;
                }
                match self.at_hand(&job, &name).ok()? {
                    Some(called) if known_by(&called.name) != known_by(&name) => return None,
                    Some(called) => left.push(called),
                    None if self.controller.is_still(&name) => {}
                    None => return None,
                }
            }
        }
        walk.branches.then(|| Rc::new(walk.writes))
    }

    /// Takes in an instruction that neither moves the arm nor changes anything but variables, and
    /// leads to no line outside of its job; none: it may do so.
    fn keeps_still(&self, job: &InformJob, line: &SourceLine, walk: &mut JobWalk) -> Option<()> {
        let mut cursor = LineCursor::new(&line.text);
        if let Some(label) = line.text.strip_prefix('*') {
            return (!label.trim().contains(char::is_whitespace)).then_some(());
        }
        if cursor.is_done() {
            return Some(());
        }
        let word = cursor.word();
        let is_plain = match word {
            "END" => cursor.is_done(),
            "RET" | "PAUSE" => ends(cursor, walk),
            "JUMP" if cursor.eat("*") => {
                let label = cursor.until(char::is_whitespace);
                label_at(job, label, &line.place).is_ok() && ends(cursor, walk)
            }
            "CALL" if cursor.eat_word("JOB") && cursor.eat(":") => {
                walk.calls
                    .push(cursor.until(char::is_whitespace).to_owned());
                ends(cursor, walk)
            }
            "IFTHENEXP" | "IFTHEN" | "ELSEIFEXP" | "ELSEIF" | "WHILEEXP" | "WHILE" => {
                walk.branches = true;
                !has_another(word, cursor.rest())
            }
            "ELSE" | "ENDIF" | "ENDWHILE" => cursor.is_done(),
            "SET" | "ADD" | "SUB" | "MUL" | "DIV" | "INC" | "DEC" => writes(cursor, walk),
            _ if FORGETS.contains(&word) => writes(cursor, walk),
            "WAIT" => {
                let asked = cursor.rest().split(" T=").next().unwrap_or("");
                !has_another(word, cursor.rest()) && !names_variable(asked)
            }
            _ if PASSED_OVER.contains(&word) => !has_another(word, cursor.rest()),
            _ => {
                // It may write its answer into the variables that it names.
                let rest = cursor.rest();
                !word.is_empty()
                    && !is_own(word)
                    && self.controller.is_still(word)
                    && !has_another(word, rest)
                    && !names_variable(rest)
            }
        };
        is_plain.then_some(())
    }
}

/// Whether an instruction ends there, or with a condition.
fn ends(mut rest: LineCursor, walk: &mut JobWalk) -> bool {
    if rest.is_done() {
        return true;
    }
    walk.branches = true;
    rest.eat_word("IF") && !has_another("IF", rest.rest())
}

/// Takes in the variable that an instruction writes; it may be no position, and of no number that is
/// itself in a variable.
fn writes(mut rest: LineCursor, walk: &mut JobWalk) -> bool {
    let word = rest.word();
    let Some((kind, digits)) = VariableKind::of(word) else {
        return false;
    };
    let Ok(number) = digits.parse() else {
        return false;
    };
    if !kind.own {
        walk.writes.insert(kind.numbered(number));
    }
    !rest.rest().starts_with('[') && !has_another("SET", rest.rest())
}
