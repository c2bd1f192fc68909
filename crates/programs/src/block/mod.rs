//! The common part of RAPID and KRL: routines of statements in blocks, variables with components,
//! and calls that keep, read or write the values that are handed to them. A language parses into
//! [`syntax`] and says what its own instructions do ([`Language`]); [`interpreter`] follows one way
//! through the program.

pub(crate) mod arm;
pub(crate) mod at_start;
pub(crate) mod cursor;
pub(crate) mod doubts;
mod effects;
pub(crate) mod elsewhere;
pub(crate) mod expression;
pub(crate) mod follow;
pub(crate) mod interpreter;
pub(crate) mod lex;
mod memory;
#[cfg(test)]
mod random_ways;
mod read_first;
mod shared;
pub(crate) mod syntax;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod text;
mod variables;

use std::sync::Arc;

use clearance_proof::report::Location;

use crate::controller::ControlledArm;
use crate::value::{Fault, Value};
use interpreter::BlockInterpreter;
use syntax::{Call, Declaration, Expression, Operator, PathStep};

/// The effect of an instruction of the language itself, as far as it is known without following it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    /// It cannot move the arm, nor change what moves it, nor any variable.
    Nothing,
    /// The same, but variables handed to it may be changed.
    Answers,
    /// It changes variables handed to it, and nothing else; the machine follows it.
    Computes,
    /// It moves the arm, changes a frame, a tool or the flow, or it is not known.
    Moves,
}

/// An operand as the program writes it, with its value: what an operator does may depend on both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrittenValue<'v> {
    pub(crate) written: &'v Expression,
    pub(crate) value: &'v Value,
}

/// The functions of a language that the interpreter calls.
pub(crate) trait Language: Clone + PartialEq {
    /// Variables that instructions of the language read without being handed them: what moves do
    /// depends on them wherever they are set.
    const READ_UNNAMED: &'static [&'static str] = &[];

    /// Types of taught points and of what moves are made with: they are not what another task hands
    /// over before it ends a wait.
    const TAUGHT: &'static [&'static str];

    /// Functions that ask whether their first argument was given, or how long it is, and not for its
    /// value.
    const ASK_DECLARATION: &'static [&'static str] = &[];

    /// Types of variables that hold whole numbers where they say which element of a list is meant.
    const INDICES: &'static [&'static str];

    /// Whether a call may leave out any argument: the parameter then holds nothing.
    const ARGUMENTS_MAY_MISS: bool = false;

    /// The largest whole number that is computed as one.
    const MOST_WHOLE: f64 = f64::INFINITY;

    /// Sets up what the controller itself holds at the start.
    fn prepare(interpreter: &mut BlockInterpreter<Self>, place: &Location);

    /// The effect of an instruction that is not a routine of the program.
    fn does(call: &Call) -> Does;

    /// The same for a function in an expression.
    fn function_does(call: &Call) -> Does;

    /// Whether an instruction of this name is one of the controller's own that moves the arm, or
    /// changes how it moves or which statement comes next: no cell file can call it still.
    fn is_motion(name: &str) -> bool;

    /// Whether an instruction of this name may be such a one of which it is not known what it does:
    /// the cell file calls it still only by its full name.
    fn may_be_motion(_name: &str) -> bool {
        false
    }

    /// Whether the cell says that a routine that is not at hand keeps the arm still. What it says
    /// by a pattern does not mean instructions of the controller that happen to fit.
    fn is_still(name: &str, controller: &ControlledArm) -> bool {
        let is_said = if Self::may_be_motion(name) {
            controller.is_still_in_full(name)
        } else {
            controller.is_still(name)
        };
        is_said && !Self::is_motion(name)
    }

    /// Whether an instruction of the controller's own that moves the arm only reads what it is
    /// handed.
    fn only_reads(call: &Call) -> bool;

    /// Whether an instruction may set a variable of a module that it is not handed, but whose name
    /// it finds out.
    fn sets_by_name(_: &Call, _: &Declaration) -> bool {
        false
    }

    /// Follows such an instruction, unless it does [`Does::Nothing`].
    fn instruct(
        interpreter: &mut BlockInterpreter<Self>,
        call: &Call,
        place: &Location,
    ) -> Result<(), Fault>;

    /// The value of a function that is not a routine of the program.
    fn function(
        interpreter: &mut BlockInterpreter<Self>,
        call: &Call,
        place: &Location,
    ) -> Result<Value, Fault>;

    /// The value of a name that nothing declares.
    fn undeclared(
        interpreter: &mut BlockInterpreter<Self>,
        name: &Arc<str>,
        place: &Location,
    ) -> Value;

    /// Where a component stands, seen from a variable of this type: a field by name may be a place
    /// in a list.
    fn component(
        interpreter: &BlockInterpreter<Self>,
        kind: &str,
        field: &Arc<str>,
    ) -> Option<(PathStep, Arc<str>)>;

    /// Two operands, where the language has a rule of its own.
    fn combine(
        operator: Operator,
        left: WrittenValue,
        right: WrittenValue,
        interpreter: &BlockInterpreter<Self>,
        place: &Location,
    ) -> Result<Value, Fault>;

    /// A list or record as the program writes it.
    fn aggregate(
        interpreter: &mut BlockInterpreter<Self>,
        written: &Expression,
        place: &Location,
    ) -> Result<Value, Fault>;

    /// The value of a variable of this type once a value is assigned to it.
    fn convert(
        interpreter: &BlockInterpreter<Self>,
        kind: &str,
        old: Option<&Value>,
        new: Value,
        place: &Location,
    ) -> Value;

    /// The value of a variable of this type before anything is assigned.
    fn initial(interpreter: &BlockInterpreter<Self>, kind: &str, place: &Location) -> Value;

    /// After a component of a variable has been changed that the language itself looks at.
    fn changed(
        interpreter: &mut BlockInterpreter<Self>,
        name: &str,
        steps: &[PathStep],
        place: &Location,
    ) -> Result<(), Fault>;

    /// Other values on which the way through a loop depends, beside variables and the place of the
    /// arm.
    fn state(&self) -> Vec<Value>;
}
