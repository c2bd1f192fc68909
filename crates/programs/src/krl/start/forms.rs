//! Modes that `BAS` takes from the data of an inline form.

use super::StartMode;
use crate::block::syntax::{
    BlockProgram, Declaration, Expression, PathPart, Routine, Statement, StatementKind,
};

/// The data from which `BAS` takes a mode.
struct FormData {
    /// Their type.
    kind: &'static str,
    /// The component that states the mode.
    component: &'static str,
}

/// The data from which this command of `BAS` takes a mode, if it sets that at all.
fn data_of(command: &str, mode: &StartMode) -> Option<FormData> {
    let (kind, component) = match (command, mode.name) {
        ("#frames" | "#ptp_params" | "#cp_params", "$ipo_mode") => ("fdat", "ipo_frame"),
        ("#cp_params" | "#cp_dat", "$ori_type") => ("ldat", "ori_typ"),
        ("#cp_params" | "#cp_dat", "$circ_type") => ("ldat", "circ_typ"),
        _ => return None,
    };
    Some(FormData { kind, component })
}

/// Whether this command of `BAS` in a routine may set a mode otherwise: some data that the routine may
/// mean say so.
pub(super) fn sets_otherwise(
    program: &BlockProgram,
    routine: &Routine,
    command: &str,
    mode: &StartMode,
) -> bool {
    let takes_arcs = ["#initmov", "#cp_params", "#cp_dat"].contains(&command);
    if takes_arcs && mode.name == "$circ_type" && arcs_begin_otherwise(program, mode) {
        return true;
    }
    let Some(FormData { kind, component }) = data_of(command, mode) else {
        return false;
    };
    let says = |part: &Expression| match part {
        Expression::Record(_, fields) => {
            let mut fields = fields.iter();
            fields.any(|(name, value)| **name == *component && mode.is_otherwise(value))
        }
        _ => false,
    };
    // Which data a program makes while it runs is not followed.
    let makes = |statement: &Statement| {
        let sets = match &statement.what {
            StatementKind::Assign(path, value) => match path.parts.last() {
                Some(PathPart::Field(field)) => **field == *component && mode.is_otherwise(value),
                _ => false,
            },
            _ => false,
        };
        sets || statement.parts().into_iter().any(says)
    };
    let mut all = program.routines.iter();
    let parts = routine.parts();
    let named: Vec<_> = parts
        .into_iter()
        .filter_map(Expression::as_variable)
        .collect();
    let holds = format!("{kind}_act");
    let mut own = routine.statements().into_iter();
    let chooses = own.any(|statement| match &statement.what {
        StatementKind::Assign(path, _) => *path.name == *holds,
        _ => false,
    });
    // What it is handed, or what others have chosen, may be any.
    let any = !chooses || !routine.parameters.is_empty();
    let may_mean = |d: &&Declaration| *d.kind == *kind && (any || named.contains(&&d.name));
    let lists = program.modules.iter().flat_map(|module| &module.data);
    let local = program.routines.iter().flat_map(|r| &r.data);
    let mut declared = lists.chain(local).filter(may_mean);
    declared.any(|d| d.parts().into_iter().any(says))
        || all.any(|r| r.statements().into_iter().any(makes))
}

/// Whether a list says that arcs turn otherwise where `BAS` sets that.
fn arcs_begin_otherwise(program: &BlockProgram, mode: &StartMode) -> bool {
    let mut data = program.modules.iter().flat_map(|module| &module.data);
    data.any(|d| {
        let mut first = d.first.iter();
        *d.name == *"def_circ_typ" && first.any(|value| mode.is_otherwise(value))
    })
}
