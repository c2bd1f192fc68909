//! The `allowed_collision_matrix` of a message.

use super::super::Matrix;
use super::keys::MATRIX;
use super::{Reader, syntax};
use crate::ImportError;
use crate::program::node::{NodeKind, ProgramNode};

impl Reader<'_> {
    pub(super) fn matrix(&self, node: &ProgramNode) -> Result<Matrix, ImportError> {
        self.only(node, "the allowed_collision_matrix", &MATRIX)?;
        let mut matrix = Matrix::default();
        let (names, rows) = (
            self.part(node, "entry_names")?,
            self.part(node, "entry_values")?,
        );
        self.as_many_names(node, names.len(), rows.len())?;
        for (name, row) in names.iter().zip(rows) {
            let enabled = match row.kind {
                NodeKind::Map(_) => {
                    self.only(row, "a row of the allowed_collision_matrix", &["enabled"])?;
                    self.part(row, "enabled")?
                }
                _ => self.list(row)?,
            };
            self.as_many_names(row, names.len(), enabled.len())?;
            let enabled = enabled.iter().map(|value| self.truth(value));
            matrix.enabled.push(enabled.collect::<Result<_, _>>()?);
            matrix
                .entries
                .push((self.text(name)?, row.line.unwrap_or(1)));
        }
        let (names, values) = (
            self.part(node, "default_entry_names")?,
            self.part(node, "default_entry_values")?,
        );
        self.as_many_names(node, names.len(), values.len())?;
        for (name, value) in names.iter().zip(values) {
            let default = (
                self.text(name)?,
                self.truth(value)?,
                value.line.unwrap_or(1),
            );
            matrix.defaults.push(default);
        }
        let mut all: Vec<&String> = matrix.entries.iter().map(|e| &e.0).collect();
        all.sort();
        let mut defaults: Vec<&String> = matrix.defaults.iter().map(|d| &d.0).collect();
        defaults.sort();
        let twice = |names: &[&String]| {
            names
                .windows(2)
                .find(|w| w[0] == w[1])
                .map(|w| w[0].clone())
        };
        match twice(&all).or_else(|| twice(&defaults)) {
            None => Ok(matrix),
            Some(name) => {
                let cause = format!("the allowed_collision_matrix has `{name}` twice");
                Err(self.error(node, syntax(cause, "keep one")))
            }
        }
    }

    fn as_many_names(
        &self,
        node: &ProgramNode,
        names: usize,
        values: usize,
    ) -> Result<(), ImportError> {
        if names == values {
            Ok(())
        } else {
            let cause =
                format!("{names} names and {values} values in the allowed_collision_matrix");
            Err(self.error(node, syntax(cause, "give one value for each name")))
        }
    }

    pub(super) fn truth(&self, node: &ProgramNode) -> Result<bool, ImportError> {
        match &node.kind {
            NodeKind::Bool(truth) => Ok(*truth),
            NodeKind::Number(0.0) => Ok(false),
            NodeKind::Number(1.0) => Ok(true),
            _ => {
                let cause = format!("{} stands where true or false should be", node.word());
                Err(self.error(node, syntax(cause, "write true or false")))
            }
        }
    }
}
