//! Programs that others call, as far as their files are at hand: read once for all ways, and passed
//! over where the cell calls them still and their text shows it. Such are gripper programs that set
//! signals, wait and branch. What they ask of the cell would make two ways of every call, which differ
//! in nothing that the arm does; so they are passed over, and the variables that they write are unknown
//! afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

use clearance_formats::ImportError;

use super::unread::UsesValues;
use super::{SourceLine, known_by, stored_program};
use crate::Options;
use crate::controller::ControlledArm;
use crate::flow::Flow;

/// What programs write that keep the arm still.
pub(crate) type WrittenVariables<V> = Rc<BTreeSet<V>>;

/// A program whose text may show that it keeps the arm still.
pub(crate) trait CalledProgram: UsesValues {
    fn path(&self) -> &Path;

    /// Whether all of it was read for certain.
    fn is_certain(&self) -> bool;

    /// Takes in a statement that neither moves the arm nor changes anything but variables, and leads
    /// to no line outside of its program; none: it may do so.
    fn keeps_still(
        &self,
        line: &SourceLine,
        controller: &ControlledArm,
        walk: &mut StillWalk<Self::Value>,
    ) -> Option<()>;
}

/// What the statements of programs that keep the arm still were found to do.
pub(crate) struct StillWalk<V> {
    /// The variables that they write.
    pub(crate) writes: BTreeSet<V>,
    /// Whether anything is asked that leads to one line or another.
    pub(crate) branches: bool,
    /// The programs that the last one calls.
    pub(crate) calls: Vec<String>,
}

/// The programs that one and all that it calls may call.
pub(crate) struct ProgramsAtHand<P: CalledProgram> {
    /// Those that were read, by what they are known by; none: it is not there.
    read: BTreeMap<String, Option<Rc<P>>>,
    /// What programs write that the cell calls still; none: they are followed all the same.
    still: BTreeMap<String, Option<WrittenVariables<P::Value>>>,
}

impl<P: CalledProgram> Default for ProgramsAtHand<P> {
    fn default() -> Self {
        Self {
            read: BTreeMap::new(),
            still: BTreeMap::new(),
        }
    }
}

impl<P: CalledProgram> ProgramsAtHand<P> {
    /// A program that is followed first, and all that it may call, as far as they can be read.
    pub(crate) fn all_from(&mut self, program: &Rc<P>, options: &Options) -> Vec<Rc<P>> {
        self.read
            .insert(known_by(program.name()), Some(program.clone()));
        let mut names = BTreeSet::new();
        let mut found = vec![program.clone()];
        let mut next = 0;
        while let Some(program) = found.get(next).cloned() {
            next += 1;
            for name in program.statements().flat_map(|line| P::called(&line.text)) {
                if names.insert(known_by(name)) {
                    // What cannot be read is told where it is called.
                    found.extend(self.find(&program, name, options).ok().flatten());
                }
            }
        }
        found
    }

    /// The program of a name, beside the one that calls it, if it is there.
    pub(crate) fn find(
        &mut self,
        from: &P,
        name: &str,
        options: &Options,
    ) -> Result<Option<Rc<P>>, ImportError> {
        let known = known_by(name);
        if let Some(found) = self.read.get(&known) {
            return Ok(found.clone());
        }
        let found = stored_program::<P>(from.path(), name, options)?.map(Rc::new);
        self.read.insert(known, found.clone());
        Ok(found)
    }

    /// What a program of this name writes, if the cell calls it still, it is so by its text with all
    /// that it may call, and it has branches: one without is followed on one way.
    pub(crate) fn passes_by(
        &mut self,
        name: &str,
        program: &Rc<P>,
        controller: &ControlledArm,
        options: &Options,
        flow: &Flow,
    ) -> Option<WrittenVariables<P::Value>> {
        if !controller.is_still(name) {
            return None;
        }
        let known = known_by(name);
        if let Some(found) = self.still.get(&known) {
            return found.clone();
        }
        let found = self.written_by(program, controller, options, flow);
        self.still.insert(known, found.clone());
        found
    }

    fn written_by(
        &mut self,
        program: &Rc<P>,
        controller: &ControlledArm,
        options: &Options,
        flow: &Flow,
    ) -> Option<WrittenVariables<P::Value>> {
        let mut walk = StillWalk {
            writes: BTreeSet::new(),
            branches: false,
            calls: Vec::new(),
        };
        let mut seen = BTreeSet::new();
        let mut left = vec![program.clone()];
        while let Some(program) = left.pop() {
            // What cannot be read for certain is followed.
            if !program.is_certain() {
                return None;
            }
            for (at, line) in program.statements().enumerate() {
                // What it waits for brings more with it.
                if program.polls(at).is_some() {
                    return None;
                }
                program.keeps_still(line, controller, &mut walk)?;
            }
            flow.count(program.statements().count());
            for name in std::mem::take(&mut walk.calls) {
                if !seen.insert(known_by(&name)) {
                    continue;
                }
                match self.find(&program, &name, options).ok()? {
                    Some(called) if known_by(called.name()) != known_by(&name) => return None,
                    Some(called) => left.push(called),
                    None if controller.is_still(&name) => {}
                    None => return None,
                }
            }
        }
        walk.branches.then(|| Rc::new(walk.writes))
    }
}
