//! Follows one way through a program.

mod alike;
mod branch;
mod call;
mod effects;
mod elements;
mod joining;
mod repeat;
mod rounds;
mod state;
mod waits;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_proof::model::moves::{Move, MoveKind, Unknown, Zone};
use clearance_proof::report::Location;

use super::effects::{Effects, KnownEffects};
use super::elsewhere::{FunctionEffects, UnknownAtStart};
use super::read_first::read_first;
use super::shared::SharedVariables;
use super::syntax::StatementKind;
use super::syntax::{
    BlockProgram, Call, Expression, For, Name, PathPart, PathStep, Routine, RoutineKind, Statement,
    VariablePath,
};
use super::variables::{Holds, RelevantVariables, RoutineFrame, Scope, Variable, VariablePlace};
use super::{Does, Language, arm};
use crate::answers::KnownAnswers;
use crate::comes_back::{Cycle, JumpsBack};
use crate::controller::ControlledArm;
use crate::flow::{Flow, Nesting};
use crate::most_moves::too_many_moves;
use crate::one_sided::JustSet;
use crate::record::MoveRecord;
use crate::value::{Fault, Known, Value, map_covers};
use crate::ways_join::{JoinState, Joining, KnownState, WayPlace, WaysJoin, ends_way};
use alike::AlikeRounds;
pub(crate) use elements::ListsOf;
pub(crate) use joining::BlockJoinState;
use joining::CountedLoop;
use rounds::LeadsBack;

/// How a statement goes on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StatementEnd {
    /// With the next one.
    On,
    /// After the innermost loop.
    Leave,
    /// At a label.
    Goto(Name),
    /// Where the routine was called.
    Return(Option<Value>),
    /// Not at all.
    End,
}

/// One way through a program while it is followed.
pub(crate) struct BlockInterpreter<'m, L> {
    pub(crate) program: &'m BlockProgram,
    pub(crate) controller: &'m ControlledArm<'m>,
    pub(crate) language: L,
    pub(crate) record: MoveRecord,
    pub(super) flow: &'m mut Flow,
    pub(super) counted: &'m RelevantVariables,
    pub(super) modules: Vec<BTreeMap<Name, Variable>>,
    /// Variables of the controller itself.
    pub(crate) system: BTreeMap<Name, Variable>,
    pub(super) frames: Vec<RoutineFrame>,
    /// The module whose names are seen.
    pub(super) module: usize,
    /// Whether names of the routine that is followed are seen.
    pub(super) inside: bool,
    ended: bool,
    pub(super) nesting: Nesting,
    /// How far the round that leads back is followed: none, where it is not the last one.
    leads_back: Option<LeadsBack>,
    /// Variables of modules that were set as a whole in this round of the program.
    pub(super) written: BTreeSet<(usize, Name)>,
    /// Those that were read before they were set.
    pub(super) read_first: BTreeSet<(usize, Name)>,
    /// Those that are set in each round before anything else decides, and are not read before.
    pub(super) settled: BTreeSet<(usize, Name)>,
    /// How many conditions were not known before this round.
    pub(super) asked_before: usize,
    /// Those that are not known at its start.
    pub(super) changed: &'m UnknownAtStart,
    /// What this way has changed of them so far.
    pub(super) kept: KeptVariables,
    pub(super) answers: KnownAnswers,
    /// Variables of modules.
    pub(super) just_set: JustSet<Name>,
    /// How often a loop has begun again, or a jump has led back.
    pub(super) jumps_back: usize,
    joining: Joining,
    /// Where ways join that parted before.
    ways_join: &'m RefCell<WaysJoin<BlockJoinState<L>>>,
    /// Whether they do.
    may_join: bool,
    /// Whether this one has come to what cannot be compared, and joins no other one.
    pub(super) apart: bool,
    /// When this round of a program began that starts anew, as [`KnownAnswers::now`] counts.
    round_began: Option<usize>,
    /// Loops that count, each within the one before.
    loops: Vec<CountedLoop>,
    /// Functions of the program that are followed for the value of an expression.
    pub(super) functions: usize,
    waiting: waits::Waiting,
    /// Variables that hold the numbers of elements that were chosen on this way.
    chosen: BTreeMap<Name, elements::ChosenNumber>,
    /// Variables of modules that were set and by which ways are compared, though no loop has to come
    /// back to them.
    pub(super) set_beside: BTreeSet<(usize, Name)>,
}

/// Variables of modules and parts of them, by module, name and steps, with the statement that changes
/// them.
pub(crate) type KeptVariables = BTreeMap<(usize, Name, Vec<PathStep>), Location>;

/// The values that a loop has to come back to.
type State = Vec<Value>;

impl<'m, L: Language> BlockInterpreter<'m, L> {
    /// At the start of a program.
    pub(crate) fn new(
        program: &'m BlockProgram,
        controller: &'m ControlledArm<'m>,
        language: L,
        flow: &'m mut Flow,
        counted: &'m RelevantVariables,
        changed: &'m UnknownAtStart,
        ways_join: &'m RefCell<WaysJoin<BlockJoinState<L>>>,
    ) -> Self {
        let variable = |declared: &super::syntax::Declaration| Variable {
            kind: declared.kind.clone(),
            holds: Holds::Declared(Rc::new(declared.clone())),
            constant: declared.constant,
        };
        let module = |module: &super::syntax::Module| {
            let data = module.data.iter();
            data.map(|d| (d.name.clone(), variable(d))).collect()
        };
        Self {
            program,
            controller,
            language,
            record: MoveRecord::default(),
            flow,
            counted,
            modules: program.modules.iter().map(module).collect(),
            system: BTreeMap::new(),
            frames: Vec::new(),
            module: 0,
            inside: true,
            ended: false,
            nesting: Nesting::default(),
            leads_back: None,
            written: BTreeSet::new(),
            read_first: BTreeSet::new(),
            settled: BTreeSet::new(),
            asked_before: 0,
            changed,
            kept: KeptVariables::new(),
            answers: KnownAnswers::default(),
            just_set: JustSet::default(),
            jumps_back: 0,
            joining: Joining::default(),
            ways_join,
            may_join: ways_join.borrow().is_on(),
            apart: false,
            round_began: None,
            loops: Vec::new(),
            functions: 0,
            waiting: waits::Waiting::default(),
            chosen: BTreeMap::new(),
            set_beside: BTreeSet::new(),
        }
    }

    /// A variable of the controller itself.
    pub(crate) fn keep(&mut self, name: &str, kind: &str, value: Value) {
        let variable = Variable {
            kind: kind.into(),
            holds: Holds::Value(value),
            constant: false,
        };
        self.system.insert(name.into(), variable);
    }

    /// The type of a variable or a part of it, if it is known.
    pub(crate) fn kind(&self, path: &VariablePath) -> Option<Name> {
        let scope = self.seen(&path.name).ok()??;
        let mut kind = self.variable(scope, &path.name)?.kind.clone();
        for part in &path.parts {
            if let PathPart::Field(name) = part {
                (_, kind) = L::component(self, &kind, name)?;
            }
        }
        Some(kind)
    }

    /// The arm moves.
    pub(crate) fn move_to(&mut self, step: Move) -> Result<(), Fault> {
        if self.ended {
            return Ok(());
        }
        let place = step.place.clone();
        // Half of both moves counts at a corner with a joint move, whichever of the two it is.
        if step.kind == MoveKind::Joint {
            self.record.widen_zones_of_last_point();
        }
        self.record.move_to(step);
        self.ended |= self.has_led_back();
        if arm::too_many(self.record.moves()) {
            Err(Fault::new(
                &place,
                too_many_moves(self.record.moves().len()),
            ))
        } else {
            Ok(())
        }
    }

    /// Something keeps the motion from being known, although the moves are.
    pub(crate) fn doubt(&mut self, place: &Location, reason: impl Into<String>) {
        self.record.unknown(Unknown {
            place: place.clone(),
            reason: reason.into(),
        });
    }

    fn is_over(&self) -> bool {
        self.ended || self.record.is_lost()
    }

    /// [`Language::is_still`].
    pub(crate) fn is_still(&self, name: &str) -> bool {
        L::is_still(name, self.controller)
    }

    /// The effect of an instruction that is not a routine of the program.
    pub(crate) fn does(&self, call: &Call) -> Does {
        match L::does(call) {
            Does::Moves if self.is_still(&call.name) => Does::Answers,
            does => does,
        }
    }

    /// The same for a function in an expression.
    pub(crate) fn function_does(&self, call: &Call) -> Does {
        match L::function_does(call) {
            Does::Moves if self.is_still(&call.name) => Does::Answers,
            does => does,
        }
    }

    /// Whether a variable is one on which moves or the flow depend.
    pub(crate) fn counts(&self, name: &Name) -> bool {
        self.counted.names.contains(name)
    }

    /// Whether a variable of the controller itself matters to the arm.
    pub(crate) fn matters(&self, name: &Name) -> bool {
        effects::matters::<L>(name)
    }

    /// The routine of that name that is seen from here.
    ///
    /// # Errors
    /// When there are several.
    pub(crate) fn routine(&self, name: &Name) -> Result<Option<Rc<Routine>>, String> {
        self.routine_from(self.module, name)
    }

    /// The routine of that name that is seen from a module.
    fn routine_from(&self, module: usize, name: &Name) -> Result<Option<Rc<Routine>>, String> {
        let named = |r: &&Rc<Routine>| r.name == *name;
        let all = || self.program.routines.iter().filter(named);
        if let Some(own) = all().find(|r| r.module == module) {
            return Ok(Some(own.clone()));
        }
        let mut others = all().filter(|r| !r.local);
        match (others.next(), others.next()) {
            (Some(_), Some(_)) => Err(format!("there are several routines `{name}`")),
            (found, _) => Ok(found.cloned()),
        }
    }

    /// Statements one after another.
    pub(crate) fn block(&mut self, body: &[Statement]) -> Result<StatementEnd, Fault> {
        if let Some(first) = body.first() {
            self.nesting.enter(&first.place)?;
            let end = self.statements(body);
            self.nesting.leave();
            return end;
        }
        Ok(StatementEnd::On)
    }

    fn statements(&mut self, body: &[Statement]) -> Result<StatementEnd, Fault> {
        let mut jumps = JumpsBack::<State>::default();
        let mut rounds: BTreeMap<usize, (usize, AlikeRounds)> = BTreeMap::new();
        self.finds_polled_by_jumps(body);
        let mut k = 0;
        while let Some(statement) = body.get(k) {
            let behind = match self.statement(statement)? {
                StatementEnd::On => k,
                StatementEnd::Goto(label) => {
                    let here = |s: &Statement| s.what == StatementKind::Label(label.clone());
                    let Some(to) = body.iter().position(here) else {
                        return Ok(StatementEnd::Goto(label));
                    };
                    if to <= k {
                        self.jumps_back += 1;
                        let (asked, rounds) = rounds.entry(to).or_default();
                        let before = std::mem::replace(asked, self.flow.decisions());
                        let is_open = self.flow.decisions() > before;
                        if self.begins_round(rounds, is_open, &statement.place) {
                            jumps.begin_anew(to);
                        }
                    }
                    let mark = self.answers.now();
                    if to <= k
                        && let Some(repeated) =
                            jumps.back_to(to, mark, || self.state(), || self.state_at_pose())
                    {
                        repeated.note(&self.answers, &mut self.record);
                        self.ended = true;
                        return Ok(StatementEnd::End);
                    }
                    to
                }
                other => return Ok(other),
            };
            if self.joins_behind(&body[behind]) {
                self.ended = true;
                return Ok(StatementEnd::End);
            }
            k = behind + 1;
        }
        Ok(StatementEnd::On)
    }

    fn statement(&mut self, statement: &Statement) -> Result<StatementEnd, Fault> {
        let place = &statement.place;
        if self.is_over() {
            return Ok(StatementEnd::End);
        }
        self.flow.step(place)?;
        let outcome = match &statement.what {
            StatementKind::Assign(path, value) => {
                if self.counts(&path.name) {
                    self.choose_elements(value, ListsOf::TaughtPoints, place)?;
                }
                let parts: Vec<_> = path.indices().chain([value]).collect();
                let uncertain = self.set_beside(&parts);
                let value = self.value(value, place)?;
                self.assign(path, value, place)?;
                // Another element may have been set.
                if let Some(name) = uncertain {
                    let unknown = Value::unknown(place, set_beside_reason(&name));
                    self.forget(&BTreeSet::from([path.name.clone()]), &unknown);
                }
                StatementEnd::On
            }
            StatementKind::If(arms, otherwise) => self.branch(statement, arms, otherwise)?,
            StatementKind::Switch(value, cases, otherwise) => {
                self.switch(statement, value, cases, otherwise)?
            }
            StatementKind::For(counting) => self.count(statement, counting)?,
            StatementKind::While(condition, body) => {
                self.repeat(statement, Some(condition), body, None)?
            }
            StatementKind::Repeat(body, until) => {
                self.repeat(statement, None, body, Some(until))?
            }
            StatementKind::Loop(body) => self.repeat(statement, None, body, None)?,
            StatementKind::Leave => StatementEnd::Leave,
            StatementKind::Label(_) => StatementEnd::On,
            StatementKind::Goto(label) => StatementEnd::Goto(label.clone()),
            StatementKind::Return(None) => StatementEnd::Return(None),
            StatementKind::Return(Some(value)) => {
                StatementEnd::Return(Some(self.value(value, place)?))
            }
            StatementKind::End => StatementEnd::End,
            StatementKind::Call(call) => {
                self.call(call, place)?;
                StatementEnd::On
            }
            StatementKind::Pass(word) => {
                self.record.pass_over(word);
                StatementEnd::On
            }
            StatementKind::Aside(body) => {
                self.aside(body, place);
                StatementEnd::On
            }
            StatementKind::Unread(reason, _) => return Err(Fault::new(place, reason.to_string())),
        };
        if outcome == StatementEnd::End {
            self.ended = true;
        }
        Ok(if self.is_over() {
            StatementEnd::End
        } else {
            outcome
        })
    }

    /// The routine that is followed, as the program writes it.
    pub(crate) fn here(&self) -> Option<&Rc<Routine>> {
        self.frames.last().map(|f| &f.routine)
    }

    /// Its name, as the program writes it.
    pub(crate) fn routine_name(&self) -> String {
        let here = self.here();
        here.map_or(String::new(), |routine| routine.written.to_string())
    }

    /// The taught point of a move as the program writes it: the first variable in what says where
    /// it ends.
    pub(crate) fn label(&self, point: &Expression) -> String {
        let parts = point.parts();
        let named = parts.into_iter().find_map(|part| match part {
            Expression::Variable(path) => Some(path),
            _ => None,
        });
        named.map_or(String::new(), |path| {
            let whole = path.shown();
            match self.program.written.get(&path.name) {
                Some(written) => format!("{written}{}", &whole[path.name.len()..]),
                None => whole,
            }
        })
    }
}

/// Why a value is not certain that depends on the order of functions.
pub(crate) fn set_beside_reason(name: &Name) -> String {
    format!(
        "a function sets `{name}`, on which something beside it depends, and which of them comes first is not certain: write a statement for each"
    )
}

/// Variables on which moves or the flow of a program depend that begins with this routine.
pub(crate) fn counted<L: Language>(
    program: &BlockProgram,
    entry: &Routine,
    controller: &ControlledArm,
) -> RelevantVariables {
    let shared = SharedVariables::of::<L>(program);
    // What the cell calls still does nothing by what it is handed.
    let does = |call: &Call| match L::does(call) {
        Does::Moves if L::is_still(&call.name, controller) => Does::Answers,
        does => does,
    };
    let effects::CountedNames { names, compared } = effects::counted::<L>(program, &shared, does);
    RelevantVariables {
        names,
        compared,
        shared,
        read_first: read_first::<L>(program, entry),
        functions: FunctionEffects::of::<L>(program),
        effects: KnownEffects::of(program),
    }
}
