//! Nodes, and their fields with the defaults that the standard gives them.

use std::collections::HashSet;

use super::VrmlFault;
use super::words::place_of;
use crate::mesh::checks::{shown, syntax};
use crate::mesh::count;
use crate::{Problem, names};

/// Index of a node in its document.
pub type NodeId = usize;

pub struct Document<'a> {
    pub text: &'a str,
    pub nodes: Vec<VrmlNode<'a>>,
    /// The nodes of the scene that are in no other node.
    pub top: Vec<NodeId>,
    /// Names of all prototypes.
    pub prototypes: HashSet<&'a str>,
    pub routes: usize,
    pub scripts: usize,
}

pub struct VrmlNode<'a> {
    pub kind: &'a str,
    /// The name that `DEF` gives it; empty: none.
    pub name: &'a str,
    /// Byte of the text where it starts.
    pub at: usize,
    pub fields: Vec<VrmlField<'a>>,
}

pub struct VrmlField<'a> {
    pub name: &'a str,
    pub at: usize,
    pub value_at: usize,
    pub value: VrmlValue,
}

pub enum VrmlValue {
    /// A list without anything in it, of whatever kind.
    Empty,
    Numbers(Vec<f64>),
    Flag(bool),
    Nodes(Vec<NodeId>),
    /// Texts, and what prototypes pass on: nothing of them has a shape.
    Other,
}

impl<'a> VrmlNode<'a> {
    /// Refuses fields that the node does not have, and those that are there twice: a misspelt
    /// `translation` must not be passed over.
    pub fn only(&self, known: &[&'static str]) -> Result<(), VrmlFault> {
        let mut seen = vec![false; known.len()];
        for field in &self.fields {
            let Some(which) = known.iter().position(|k| *k == field.name) else {
                let what = "field";
                let remedy = format!(
                    "for `{}`, {}",
                    self.kind,
                    names::suggestion(field.name, known.iter().copied())
                );
                let name = shown(field.name);
                return Err(VrmlFault::new(
                    field.at,
                    Problem::UnknownName { what, name, remedy },
                ));
            };
            if std::mem::replace(&mut seen[which], true) {
                let cause = format!("`{}` is there twice in one `{}`", field.name, self.kind);
                return Err(VrmlFault::new(
                    field.at,
                    syntax(cause, "remove one of them"),
                ));
            }
        }
        Ok(())
    }

    fn field(&self, name: &str) -> Option<&VrmlField<'a>> {
        self.fields.iter().find(|f| f.name == name)
    }

    fn wrong(&self, field: &VrmlField<'a>, expected: &str) -> VrmlFault {
        let cause = format!("`{}` of `{}` is not {expected}", field.name, self.kind);
        let remedy = "correct the value, or export the mesh again";
        VrmlFault::new(field.value_at, syntax(cause, remedy))
    }

    fn bad(&self, field: &VrmlField<'a>, value: f64, remedy: &str) -> VrmlFault {
        let problem = Problem::BadValue {
            what: format!("`{}` of `{}`", field.name, self.kind),
            value: format!("`{value}`"),
            remedy: remedy.to_owned(),
        };
        VrmlFault::new(field.value_at, problem)
    }

    /// A list of numbers, and the field that it is in; nothing when the field is not there or
    /// empty.
    pub fn list(&self, name: &str) -> Result<Option<(&[f64], &VrmlField<'a>)>, VrmlFault> {
        match self.field(name) {
            None => Ok(None),
            Some(field) => match &field.value {
                VrmlValue::Numbers(numbers) => Ok(Some((numbers, field))),
                VrmlValue::Empty => Ok(None),
                _ => Err(self.wrong(field, "a list of numbers")),
            },
        }
    }

    /// Exactly `N` numbers.
    pub fn numbers<const N: usize>(
        &self,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], VrmlFault> {
        let Some(field) = self.field(name) else {
            return Ok(default);
        };
        let numbers = match &field.value {
            VrmlValue::Numbers(numbers) => <[f64; N]>::try_from(numbers.as_slice()).ok(),
            _ => None,
        };
        let numbers = numbers.ok_or_else(|| self.wrong(field, &count(N, "number")))?;
        match numbers.iter().find(|x| !x.is_finite()) {
            Some(&x) => Err(self.bad(field, x, "it must be finite")),
            None => Ok(numbers),
        }
    }

    /// Numbers that are lengths, so that they must be above zero.
    pub fn lengths<const N: usize>(
        &self,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], VrmlFault> {
        let lengths = self.numbers(name, default)?;
        match (lengths.iter().find(|x| **x <= 0.0), self.field(name)) {
            (Some(&x), Some(field)) => Err(self.bad(field, x, "it must be greater than zero")),
            _ => Ok(lengths),
        }
    }

    /// Three factors that keep a body a body.
    pub fn scale(&self, name: &str) -> Result<[f64; 3], VrmlFault> {
        let scale = self.numbers(name, [1.0; 3])?;
        match (scale.contains(&0.0), self.field(name)) {
            (true, Some(field)) => Err(self.bad(field, 0.0, "no factor of a scale may be zero")),
            _ => Ok(scale),
        }
    }

    /// A whole number.
    pub fn whole(&self, name: &str, default: i64) -> Result<i64, VrmlFault> {
        let [x] = self.numbers(name, [default as f64])?;
        match (x.fract() == 0.0, self.field(name)) {
            (false, Some(field)) => Err(self.bad(field, x, "write a whole number")),
            _ => Ok(x as i64),
        }
    }

    pub fn flag(&self, name: &str, default: bool) -> Result<bool, VrmlFault> {
        match self.field(name) {
            None => Ok(default),
            Some(field) => match field.value {
                VrmlValue::Flag(flag) => Ok(flag),
                _ => Err(self.wrong(field, "TRUE or FALSE")),
            },
        }
    }

    pub fn nodes(&self, name: &str) -> Result<&[NodeId], VrmlFault> {
        match self.field(name) {
            None => Ok(&[]),
            Some(field) => match &field.value {
                VrmlValue::Nodes(nodes) => Ok(nodes),
                VrmlValue::Empty => Ok(&[]),
                _ => Err(self.wrong(field, "a node or a list of nodes")),
            },
        }
    }

    /// The only node of a field, if there is one.
    pub fn node(&self, name: &str) -> Result<Option<NodeId>, VrmlFault> {
        match (self.nodes(name)?, self.field(name)) {
            ([], _) => Ok(None),
            ([one], _) => Ok(Some(*one)),
            (_, Some(field)) => Err(self.wrong(field, "a single node")),
            (_, None) => Ok(None),
        }
    }
}

impl Document<'_> {
    /// Where the number at an index of a field's list stands.
    pub fn place_in(&self, field: &VrmlField, index: usize) -> usize {
        place_of(self.text, field.value_at, index)
    }

    /// Refuses a list that holds something else than finite numbers.
    pub fn finite(&self, numbers: &[f64], field: &VrmlField) -> Result<(), VrmlFault> {
        let Some(index) = numbers.iter().position(|x| !x.is_finite()) else {
            return Ok(());
        };
        let problem = Problem::BadValue {
            what: "a coordinate".to_owned(),
            value: format!("`{}`", numbers[index]),
            remedy: "every coordinate must be finite".to_owned(),
        };
        Err(VrmlFault::new(self.place_in(field, index), problem))
    }
}
