//! KRL (KUKA): text to routines and data (`parse`), which are followed (`motion`, `builtin`,
//! `data`).

mod basis;
mod builtin;
mod correction;
mod data;
mod motion;
mod order;
mod parse;
mod start;
mod structure;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use clearance_formats::{ImportError, Problem, suggestion};
use clearance_proof::report::Location;

use crate::block::follow::{FollowedRoutine, follow, nothing};
use crate::block::interpreter::BlockInterpreter;
use crate::block::syntax::{
    BlockProgram, Call, Expression, Module, Name, Operator, PathStep, Routine, RoutineKind,
    Statement, StatementKind,
};
use crate::block::text::decode;
use crate::block::{Does, Language, WrittenValue};
use crate::controller::ControlledArm;
use crate::neighbour_files::neighbour_file;
use crate::value::{Fault, Value};
use crate::{Dialect, Options, Reading, identity, recognise};

/// The state that KRL keeps from one instruction to the next, beside system variables.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Krl {
    /// Where the last move ended, as it was stated.
    here: motion::Here,
    /// The share of the joints' greatest speed, by the last inline form.
    share: Option<f64>,
    /// The speed of the tool, metres a second, by the last inline form.
    path: Option<f64>,
}

/// Reads a program with its data list.
///
/// # Errors
/// When a file does not follow the language, or has no routine of the name that was asked for.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let mut files = Files {
        program: BlockProgram::default(),
        seen: BTreeSet::new(),
    };
    files.add_module(path, bytes, options)?;
    let own = files.program.routines.clone();
    for file in controller.files() {
        // Their data lists are among them, as they were when the cell was read.
        if recognise(&file.bytes, &file.path) == Some(Dialect::Krl) {
            files.add(&file.path, &file.bytes)?;
        }
    }
    // Routines that are called and not there stand in files of their names.
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    while let Some(name) = files.missing() {
        files.seen.insert(PathBuf::from(&*name));
        let written = files.program.as_written(&name);
        if let Some(file) = neighbour_file(&folder.join(format!("{written}.src")), options)? {
            files.add_module(&file.path, &file.bytes, options)?;
        }
    }
    let has = |name: &str| {
        let mut modules = files.program.modules.iter();
        modules.any(|m| m.data.iter().any(|d| &*d.name == name))
    };
    if !has("tool_data")
        && !has("base_data")
        && let Some(config) = neighbour_file(&folder.join("$config.dat"), options)?
    {
        files.add(&config.path, &config.bytes)?;
    }
    let program = files.program;
    let Some(entry) = entry(path, &own, options)? else {
        return Ok(Reading {
            dialect: Dialect::Krl,
            ways: nothing(path, controller),
            point_differences: Vec::new(),
            assumed: Vec::new(),
            join: false,
        });
    };
    let FollowedRoutine { ways, join } = follow(
        path,
        &program,
        &entry,
        false,
        controller,
        options,
        Krl::default,
    );
    Ok(Reading {
        dialect: Dialect::Krl,
        assumed: start::assumed(&program, &entry, &ways, controller),
        ways,
        point_differences: Vec::new(),
        join,
    })
}

/// Files that were read.
struct Files {
    program: BlockProgram,
    seen: BTreeSet<PathBuf>,
}

impl Files {
    /// Adds a program, and the data list beside it.
    fn add_module(
        &mut self,
        path: &Path,
        bytes: &[u8],
        options: &Options,
    ) -> Result<(), ImportError> {
        self.add(path, bytes)?;
        let is_list = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("dat"));
        if !is_list && let Some(list) = neighbour_file(&path.with_extension("dat"), options)? {
            return self.add(&list.path, &list.bytes);
        }
        Ok(())
    }

    /// Adds a file, unless it is there.
    fn add(&mut self, path: &Path, bytes: &[u8]) -> Result<(), ImportError> {
        // A program and its data list are one module.
        let whole = path.with_extension("");
        let name: Name = whole
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase()
            .into();
        let known = self.program.modules.iter().position(|m| m.name == name);
        if !self.seen.insert(identity(path)) {
            return Ok(());
        }
        let module = known.unwrap_or_else(|| {
            let data = Vec::new();
            self.program.modules.push(Module {
                name: name.clone(),
                data,
            });
            self.program.modules.len() - 1
        });
        let before = self.program.routines.len();
        parse::read(&mut self.program, module, path, &decode(bytes))?;
        // What is asked about itself comes first.
        if before > 0 {
            let known = basis::known(path, &self.program.routines[before..]);
            let all = &mut self.program.routines;
            let added = all.split_off(before).into_iter();
            all.extend(added.filter(|r| !known.contains(&r.name)));
        }
        // Every module sees the declarations of the controller's own list.
        if name.starts_with('$') {
            self.program.modules[module]
                .data
                .iter_mut()
                .for_each(|d| d.local = false);
        }
        Ok(())
    }

    /// A routine that is called, is in no file, and is none of the controller's.
    fn missing(&self) -> Option<Name> {
        for routine in &self.program.routines {
            let seen = |r: &Routine| !r.local || r.module == routine.module;
            let known = |name: &Name| {
                let mut all = self.program.routines.iter();
                all.any(|r| r.name == *name && seen(r)) || self.seen.contains(Path::new(&**name))
            };
            for statement in Statement::within(&routine.body) {
                if let StatementKind::Call(call) = &statement.what
                    && builtin::may_be_file(&call.name)
                    && !known(&call.name)
                {
                    return Some(call.name.clone());
                }
                for part in statement.parts() {
                    if let Expression::Call(call) = part
                        && !builtin::is_operator(&call.name)
                        && !known(&call.name)
                    {
                        return Some(call.name.clone());
                    }
                }
            }
        }
        None
    }
}

/// The routine that runs: the one that was asked for, else the first of the file.
fn entry(
    path: &Path,
    own: &[Rc<Routine>],
    options: &Options,
) -> Result<Option<Rc<Routine>>, ImportError> {
    let procedures = || own.iter().filter(|r| r.sort == RoutineKind::Procedure);
    let Some(name) = options.routine else {
        return Ok(procedures().next().cloned());
    };
    let lower = name.to_lowercase();
    match procedures().find(|r| *r.name == *lower) {
        Some(routine) => Ok(Some(routine.clone())),
        None => Err(ImportError::file(
            path,
            Problem::UnknownName {
                what: "routine",
                name: name.to_owned(),
                remedy: suggestion(name, procedures().map(|r| &*r.written)),
            },
        )),
    }
}

impl Language for Krl {
    const TAUGHT: &'static [&'static str] = &[
        "pos", "e6pos", "e3pos", "axis", "e6axis", "e3axis", "frame", "load", "fdat", "pdat",
        "ldat",
    ];

    const INDICES: &'static [&'static str] = &["int"];

    const ARGUMENTS_MAY_MISS: bool = true;

    const READ_UNNAMED: &'static [&'static str] = &[
        "fdat_act",
        "ldat_act",
        "pdat_act",
        "tool_data",
        "base_data",
        "machine_frame_dat",
        "joint_device_index",
        "def_circ_typ",
        "tool_corr",
        "tool_corr_on",
        "tool_corr_w",
        "tool_corr_w_on",
        "base_corr",
        "base_corr_on",
        "m_base_corr",
        "m_bas_cor_on",
    ];

    const MOST_WHOLE: f64 = 2_147_483_647.0;

    fn does(call: &Call) -> Does {
        builtin::does(&call.name)
    }

    fn function_does(call: &Call) -> Does {
        builtin::function_does(&call.name)
    }

    fn is_motion(name: &str) -> bool {
        builtin::is_motion(name)
    }

    fn only_reads(call: &Call) -> bool {
        builtin::is_motion(&call.name) && *call.name != *"interrupt decl"
    }

    fn prepare(interpreter: &mut BlockInterpreter<Self>, place: &Location) {
        builtin::system(interpreter, place);
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
        builtin::undeclared(interpreter, name, place)
    }

    fn component(
        interpreter: &BlockInterpreter<Self>,
        kind: &str,
        field: &Arc<str>,
    ) -> Option<(PathStep, Arc<str>)> {
        if let Some(fields) = interpreter.program.records.get(kind) {
            let (_, of) = fields.iter().find(|(name, _)| name == field)?;
            return Some((PathStep::Field(field.clone()), of.clone()));
        }
        let of = match kind {
            // An argument whose type is not declared, or a component of no interest.
            "" => "",
            kind => data::component(kind, field)?,
        };
        Some((PathStep::Field(field.clone()), of.into()))
    }

    fn combine(
        operator: Operator,
        left: WrittenValue,
        right: WrittenValue,
        interpreter: &BlockInterpreter<Self>,
        place: &Location,
    ) -> Result<Value, Fault> {
        builtin::combine(operator, left, right, interpreter, place)
    }

    fn aggregate(
        interpreter: &mut BlockInterpreter<Self>,
        written: &Expression,
        place: &Location,
    ) -> Result<Value, Fault> {
        let Expression::Record(_, written) = written else {
            return Err(Fault::new(place, "this is not a structure"));
        };
        let mut fields = BTreeMap::new();
        for (name, value) in written {
            fields.insert(name.clone(), interpreter.value(value, place)?);
        }
        let record = Value::Record(fields);
        record.fits(place).map(|()| record)
    }

    fn convert(
        interpreter: &BlockInterpreter<Self>,
        kind: &str,
        old: Option<&Value>,
        new: Value,
        place: &Location,
    ) -> Value {
        let has_external = interpreter.controller.len() > data::AXES.len();
        let why = match old {
            Some(_) => "the last assignment states nothing for",
            None => "nothing has been stated for",
        };
        let new = structure::with_lists(interpreter.program, kind, new, why, place);
        match (kind, &new) {
            ("signal", _) => Value::unknown(place, "a signal is what the world makes of it"),
            ("int", Value::Number(x)) if x.fract() != 0.0 => {
                Value::unknown(place, "how this is rounded is not read")
            }
            ("int", Value::Number(x)) if x.abs() > Self::MOST_WHOLE => {
                Value::unknown(place, "whole numbers have 32 bits, and this one needs more")
            }
            ("frame" | "pos" | "axis", Value::Record(fields)) => {
                // What the type has no place for is lost.
                let mut fields = fields.clone();
                fields.retain(|name, _| {
                    let turn = kind == "frame" && matches!(&**name, "s" | "t");
                    !turn && !data::EXTERNAL.contains(&&**name)
                });
                data::assigned(old, Value::Record(fields), has_external, place)
            }
            _ => data::assigned(old, new, has_external, place),
        }
    }

    fn initial(interpreter: &BlockInterpreter<Self>, kind: &str, place: &Location) -> Value {
        if data::is_structure(kind) || interpreter.program.records.contains_key(kind) {
            let value = Value::Record(BTreeMap::new());
            let why = "nothing has been stated for";
            structure::with_lists(interpreter.program, kind, value, why, place)
        } else {
            Value::unknown(place, "nothing has been assigned to it")
        }
    }

    fn changed(
        interpreter: &mut BlockInterpreter<Self>,
        name: &str,
        steps: &[PathStep],
        place: &Location,
    ) -> Result<(), Fault> {
        builtin::changed(interpreter, name, steps, place)
    }

    fn state(&self) -> Vec<Value> {
        vec![self.here.value()]
    }
}
