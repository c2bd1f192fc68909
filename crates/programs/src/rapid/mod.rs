//! RAPID (ABB): text to modules (`parse`), which are followed (`motion`, `builtin`, `data`).

mod builtin;
mod data;
mod list;
mod motion;
mod parse;
mod start;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use clearance_formats::{ImportError, Problem, suggestion};
use clearance_proof::report::Location;

use crate::block::elsewhere::roots;
use crate::block::follow::{FollowedRoutine, follow, nothing};
use crate::block::interpreter::BlockInterpreter;
use crate::block::syntax::{
    BlockProgram, Call, Declaration, Expression, Name, Operator, PathStep, Routine, RoutineKind,
    Statement, StatementKind,
};
use crate::block::text::decode;
use crate::block::{Does, Language, WrittenValue};
use crate::controller::ControlledArm;
use crate::value::{Fault, Value};
use crate::{Dialect, Options, Reading, identity, recognise};

/// The state that RAPID keeps from one instruction to the next.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rapid {
    /// Whether a joint move ends in the configuration that its target states.
    choose_stated: bool,
    /// Whether a line that would end in another configuration than its target states is stopped.
    lines_hold: bool,
    /// Whether lines may be left near a singularity.
    bends: bool,
    /// Whether the tool turns on arcs otherwise than from start to end.
    arcs_turn: bool,
}

/// Reads a module, or a list of modules.
///
/// # Errors
/// When a file does not follow the language, or it is not told which routine runs.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let mut program = BlockProgram::default();
    let mut files: BTreeSet<PathBuf> = BTreeSet::new();
    let list = recognise(bytes, path) == Some(Dialect::RapidList);
    let text = decode(bytes);
    if list {
        add_listed(&mut program, &mut files, path, &text, options)?;
    } else {
        parse::read(&mut program, path, &text)?;
        files.insert(identity(path));
    }
    let own = program.routines.len();
    for file in controller.files() {
        let is_module = recognise(&file.bytes, &file.path) == Some(Dialect::Rapid);
        if is_module && files.insert(identity(&file.path)) {
            parse::read(&mut program, &file.path, &decode(&file.bytes))?;
        }
    }
    // Names that the module needs and does not have may stand in other modules of its task: the
    // list beside it names those modules.
    if !list
        && is_missing_something(&program)
        && let Some(folder) = path.parent()
        && let Some(name) = folder.file_name()
    {
        let beside = folder.join(format!("{}.pgf", name.to_string_lossy()));
        if let Some(bytes) = options.optional(&beside)? {
            add_listed(&mut program, &mut files, &beside, &decode(&bytes), options)?;
        }
    }
    twice(path, &program)?;
    let Some(entry) = entry(path, &program, own, list, options)? else {
        let ways = nothing(path, controller);
        return Ok(Reading {
            dialect: Dialect::Rapid,
            ways,
            point_differences: Vec::new(),
            assumed: Vec::new(),
            join: false,
        });
    };
    let start = || Rapid {
        choose_stated: true,
        lines_hold: true,
        bends: false,
        arcs_turn: false,
    };
    let again = &*entry.name == "main";
    let FollowedRoutine { ways, join } =
        follow(path, &program, &entry, again, controller, options, start);
    let assumed = if again {
        start::events(&program, &entry, &ways)
    } else {
        start::assumed(&program, &entry, &ways)
    };
    Ok(Reading {
        dialect: if list {
            Dialect::RapidList
        } else {
            Dialect::Rapid
        },
        ways,
        point_differences: Vec::new(),
        assumed,
        join,
    })
}

/// Adds the modules of a list.
fn add_listed(
    program: &mut BlockProgram,
    files: &mut BTreeSet<PathBuf>,
    path: &Path,
    text: &str,
    options: &Options,
) -> Result<(), ImportError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    for name in list::modules(path, text)? {
        let file = folder.join(name);
        if files.insert(identity(&file)) {
            let bytes = (options.read_neighbour)(&file)?;
            parse::read(program, &file, &decode(&bytes))?;
        }
    }
    Ok(())
}

/// Whether modules use names that none of them declares, and that are none of the language.
fn is_missing_something(program: &BlockProgram) -> bool {
    let mut known: BTreeSet<&Name> = program.routines.iter().map(|r| &r.name).collect();
    known.extend(
        program
            .modules
            .iter()
            .flat_map(|m| m.data.iter().map(|d| &d.name)),
    );
    program.routines.iter().any(|routine| {
        let own: BTreeSet<&Name> = (routine.data.iter().map(|d| &d.name))
            .chain(routine.parameters.iter().map(|p| &p.name))
            .collect();
        let missing = |name: &Name| {
            !known.contains(name) && !own.contains(name) && data::predefined(name).is_none()
        };
        let all = Statement::within(&routine.body);
        let counters: BTreeSet<&Name> = (all.iter())
            .filter_map(|s| match &s.what {
                StatementKind::For(counting) => Some(&counting.name),
                _ => None,
            })
            .collect();
        all.iter().any(|statement| {
            let parts = statement.parts();
            let called = match &statement.what {
                StatementKind::Call(call) => {
                    builtin::does(call) == Does::Moves && missing(&call.name)
                }
                _ => false,
            };
            called
                || parts.iter().any(|part| match part {
                    Expression::Variable(path) => {
                        missing(&path.name) && !counters.contains(&path.name)
                    }
                    Expression::Call(call) => {
                        builtin::function_does(&call.name) == Does::Moves && missing(&call.name)
                    }
                    _ => false,
                })
        })
    })
}

/// Two modules of one name are two versions of one module: which of them runs is not told.
fn twice(path: &Path, program: &BlockProgram) -> Result<(), ImportError> {
    let mut seen = BTreeSet::new();
    match program.modules.iter().find(|m| !seen.insert(&m.name)) {
        None => Ok(()),
        Some(module) => Err(ImportError::file(
            path,
            Problem::Syntax {
                cause: format!("there are two modules `{}`", module.name),
                remedy: "name the files of one task only".into(),
            },
        )),
    }
}

/// The routine that runs: the one that was asked for, else `main`, else the only one that no other
/// one calls.
fn entry(
    path: &Path,
    program: &BlockProgram,
    own: usize,
    list: bool,
    options: &Options,
) -> Result<Option<Rc<Routine>>, ImportError> {
    let procedures = || {
        let all = program.routines.iter();
        all.filter(|r| r.sort == RoutineKind::Procedure)
    };
    let names = || procedures().map(|r| &*r.written);
    let only_one = |name: &str| {
        let mut found = procedures().filter(|r| *r.name == *name);
        match (found.next(), found.next()) {
            (Some(first), Some(second)) => Err(ImportError {
                place: second.place.clone(),
                problem: Problem::Syntax {
                    cause: format!(
                        "there is another routine `{}`, in {}",
                        second.written, first.place
                    ),
                    remedy: "name the modules of one of them only".into(),
                },
            }),
            (found, _) => Ok(found),
        }
    };
    if let Some(name) = options.routine {
        let found = only_one(&name.to_lowercase())?;
        let found = found.ok_or_else(|| {
            ImportError::file(
                path,
                Problem::UnknownName {
                    what: "routine",
                    name: name.to_owned(),
                    remedy: suggestion(name, names()),
                },
            )
        })?;
        return Ok(Some(found.clone()));
    }
    if let Some(main) = only_one("main")? {
        return Ok(Some(main.clone()));
    }
    let mine = |r: &&Rc<Routine>| {
        let first = program.routines[..own].iter();
        list || first.into_iter().any(|o| Rc::ptr_eq(o, r))
    };
    let found: Vec<_> = roots(program).into_iter().filter(mine).collect();
    match found[..] {
        [only] => Ok(Some(only.clone())),
        [] if procedures().all(|r| !mine(&r)) => Ok(None),
        _ => Err(ImportError::file(
            path,
            Problem::Syntax {
                cause: "the module has no `main`, and several routines that could run".into(),
                remedy: format!(
                    "name one by `--routine`: {}",
                    procedures()
                        .map(|r| format!("`{}`", r.written))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            },
        )),
    }
}

impl Language for Rapid {
    const TAUGHT: &'static [&'static str] = &[
        "robtarget",
        "jointtarget",
        "tooldata",
        "wobjdata",
        "loaddata",
        "speeddata",
        "zonedata",
        "stoppointdata",
    ];

    const INDICES: &'static [&'static str] = &["num", "dnum"];

    const ASK_DECLARATION: &'static [&'static str] = &["present", "dim"];

    fn does(call: &Call) -> Does {
        builtin::does(call)
    }

    fn function_does(call: &Call) -> Does {
        builtin::function_does(&call.name)
    }

    fn is_motion(name: &str) -> bool {
        builtin::is_motion(name)
    }

    fn may_be_motion(name: &str) -> bool {
        builtin::may_be_motion(name)
    }

    fn only_reads(call: &Call) -> bool {
        builtin::only_reads(call)
    }

    fn sets_by_name(call: &Call, declared: &Declaration) -> bool {
        let is = |name: &Name| match call.positional().next() {
            Some(Expression::Text(text)) => text.eq_ignore_ascii_case(name),
            _ => true,
        };
        match &*call.name {
            "setdataval" => is(&declared.name),
            // All of a type.
            "setalldataval" => is(&declared.kind),
            _ => false,
        }
    }

    fn prepare(interpreter: &mut BlockInterpreter<Self>, place: &Location) {
        // Every controller has these in its module `user`.
        for name in ["reg1", "reg2", "reg3", "reg4", "reg5"] {
            let reason = format!("`{name}` has a value from before: set it before it is used");
            interpreter.keep(name, "num", Value::unknown(place, reason));
        }
    }

    fn instruct(
        interpreter: &mut BlockInterpreter<Self>,
        call: &Call,
        place: &Location,
    ) -> Result<(), Fault> {
        motion::instruct(interpreter, call, place)
    }

    fn function(
        interpreter: &mut BlockInterpreter<Self>,
        call: &Call,
        place: &Location,
    ) -> Result<Value, Fault> {
        builtin::function(interpreter, call, place)
    }

    fn undeclared(
        interpreter: &mut BlockInterpreter<Self>,
        name: &Arc<str>,
        place: &Location,
    ) -> Value {
        if let Some(value) = data::predefined(name) {
            return value;
        }
        let settings = interpreter.controller.settings();
        let mut tools = settings.into_iter().flat_map(|s| &s.tools);
        if let Some((_, tool)) = tools.find(|(key, _)| *key.to_lowercase() == **name) {
            let load = Value::Array(Vec::new());
            return Value::Array(vec![
                Value::Boolean(true),
                data::pose_of_cell(tool, place),
                load,
            ]);
        }
        let written = interpreter.program.as_written(name);
        // The words for an expression that can be read in two ways: no name has a blank.
        if name.contains(' ') {
            let reason = format!("`{name}` can be read in two ways: write parentheses");
            return Value::unknown(place, reason);
        }
        Value::unknown(
            place,
            format!(
                "`{written}` is declared in no module that was read; a tool or work object stands in `tools` or `frames` of the robot's `controller`, another module in its `files`"
            ),
        )
    }

    fn component(
        interpreter: &BlockInterpreter<Self>,
        kind: &str,
        field: &Arc<str>,
    ) -> Option<(PathStep, Arc<str>)> {
        let fields = data::components(interpreter.program, kind)?;
        let k = fields.iter().position(|(name, _)| name == field)?;
        Some((PathStep::Index(k), fields[k].1.clone()))
    }

    fn combine(
        operator: Operator,
        left: WrittenValue,
        right: WrittenValue,
        _: &BlockInterpreter<Self>,
        place: &Location,
    ) -> Result<Value, Fault> {
        builtin::combine(operator, left.value, right.value, place)
    }

    fn aggregate(
        interpreter: &mut BlockInterpreter<Self>,
        written: &Expression,
        place: &Location,
    ) -> Result<Value, Fault> {
        let Expression::List(items) = written else {
            return Err(Fault::new(place, "this is not a list"));
        };
        let items = items.iter().map(|e| interpreter.value(e, place));
        let items: Result<Vec<_>, Fault> = items.collect();
        let list = Value::Array(items?);
        list.fits(place).map(|()| list)
    }

    fn convert(
        _: &BlockInterpreter<Self>,
        _: &str,
        _: Option<&Value>,
        new: Value,
        _: &Location,
    ) -> Value {
        new
    }

    fn initial(interpreter: &BlockInterpreter<Self>, kind: &str, place: &Location) -> Value {
        data::initial(interpreter.program, kind, place, 0)
    }

    fn changed(
        _: &mut BlockInterpreter<Self>,
        _: &str,
        _: &[PathStep],
        _: &Location,
    ) -> Result<(), Fault> {
        Ok(())
    }

    fn state(&self) -> Vec<Value> {
        let flags = [
            self.choose_stated,
            self.lines_hold,
            self.bends,
            self.arcs_turn,
        ];
        flags.map(Value::Boolean).to_vec()
    }
}
