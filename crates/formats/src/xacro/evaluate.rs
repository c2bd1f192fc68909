//! Expressions of Python: from a tree to a value. Whatever is not computed exactly as Python does
//! is an error.

use std::rc::Rc;

use super::EvaluationError;
use super::budget::ExpansionBudget;
use super::names::NameLookup;
use super::operators::{binary, compared, unary};
use super::syntax::{ComparisonOperator, PythonExpression};
use super::value::{PythonNumber, PythonValue, Space, insert};
use super::{builtins, functions};

/// Evaluates expressions; names of `for` stand before all others.
pub(super) struct Evaluator<'a> {
    pub(super) names: &'a mut dyn NameLookup,
    pub(super) bound: Vec<(Rc<str>, PythonValue)>,
}

impl Evaluator<'_> {
    pub(super) fn value(
        &mut self,
        expression: &PythonExpression,
    ) -> Result<PythonValue, EvaluationError> {
        self.names.budget().spend(8)?;
        match expression {
            PythonExpression::Value(value) => Ok(value.clone()),
            PythonExpression::Name(name) => {
                match self.bound.iter().rev().find(|(n, _)| n == name) {
                    Some((_, value)) => Ok(value.clone()),
                    None => self.names.lookup(name),
                }
            }
            PythonExpression::Unary(how, value) => unary(*how, &self.value(value)?),
            PythonExpression::Binary(how, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                binary(*how, &a, &b, self.names.budget())
            }
            PythonExpression::Compare(first, rest) => self.compare(first, rest),
            PythonExpression::And(a, b) => {
                let a = self.value(a)?;
                if a.is_true() { self.value(b) } else { Ok(a) }
            }
            PythonExpression::Or(a, b) => {
                let a = self.value(a)?;
                if a.is_true() { Ok(a) } else { self.value(b) }
            }
            PythonExpression::Choice {
                test,
                then,
                otherwise,
            } => {
                let chosen = if self.value(test)?.is_true() {
                    then
                } else {
                    otherwise
                };
                self.value(chosen)
            }
            PythonExpression::Call {
                function,
                arguments,
                named,
            } => {
                let function = self.value(function)?;
                let arguments = self.values(arguments)?;
                let mut by_name = Vec::new();
                for (name, value) in named {
                    by_name.push((name.clone(), self.value(value)?));
                }
                functions::call(self.names, &function, &arguments, &by_name)
            }
            PythonExpression::Index(value, index) => {
                let (value, index) = (self.value(value)?, self.value(index)?);
                element(&value, &index, self.names.budget())
            }
            PythonExpression::Slice(value, [from, to]) => {
                let value = self.value(value)?;
                let mut end = |end: &Option<Box<PythonExpression>>| {
                    end.as_ref().map(|e| self.value(e)).transpose()
                };
                slice(&value, &end(from)?, &end(to)?)
            }
            PythonExpression::Attribute(value, name) => {
                let value = self.value(value)?;
                self.attribute(value, name)
            }
            PythonExpression::List(items) => Ok(PythonValue::List(self.values(items)?.into())),
            PythonExpression::Tuple(items) => Ok(PythonValue::Tuple(self.values(items)?.into())),
            PythonExpression::Dict(entries) => {
                let mut all: Vec<(PythonValue, PythonValue)> = Vec::new();
                for (key, value) in entries {
                    let (key, value) = (self.value(key)?, self.value(value)?);
                    insert(&mut all, key, value, self.names.budget())?;
                }
                Ok(PythonValue::Dict(all.into()))
            }
            PythonExpression::Each {
                item,
                names,
                source,
                conditions,
            } => self.each(item, names, source, conditions),
        }
    }

    fn values(&mut self, items: &[PythonExpression]) -> Result<Vec<PythonValue>, EvaluationError> {
        items.iter().map(|item| self.value(item)).collect()
    }

    fn compare(
        &mut self,
        first: &PythonExpression,
        rest: &[(ComparisonOperator, PythonExpression)],
    ) -> Result<PythonValue, EvaluationError> {
        let mut left = self.value(first)?;
        for (how, right) in rest {
            let right = self.value(right)?;
            if !compared(*how, &left, &right, self.names.budget())? {
                return Ok(PythonValue::Bool(false));
            }
            left = right;
        }
        Ok(PythonValue::Bool(true))
    }

    fn each(
        &mut self,
        item: &PythonExpression,
        names: &[Rc<str>],
        source: &PythonExpression,
        conditions: &[PythonExpression],
    ) -> Result<PythonValue, EvaluationError> {
        let elements = self.value(source)?.elements()?;
        let depth = self.bound.len();
        let mut all = Vec::new();
        for element in elements {
            self.names.budget().spend(8)?;
            match names {
                [name] => self.bound.push((name.clone(), element)),
                _ => {
                    let parts = element.elements()?;
                    if parts.len() != names.len() {
                        return Err(format!("{} values for {} names", parts.len(), names.len()));
                    }
                    self.bound.extend(names.iter().cloned().zip(parts));
                }
            }
            let mut wanted = true;
            for condition in conditions {
                wanted = wanted && self.value(condition)?.is_true();
            }
            if wanted {
                all.push(self.value(item)?);
            }
            self.bound.truncate(depth);
        }
        Ok(PythonValue::List(all.into()))
    }

    fn attribute(
        &mut self,
        value: PythonValue,
        name: &str,
    ) -> Result<PythonValue, EvaluationError> {
        match &value {
            PythonValue::Space(Space::Scope(scope)) => self.names.within(*scope, name),
            PythonValue::Space(space) => functions::of_module(*space, name)
                .ok_or_else(|| format!("the name `{}.{name}`", space.word())),
            PythonValue::Dict(entries) => {
                if let Some(method) = functions::method(&value, name) {
                    return Ok(PythonValue::Method(Box::new(value.clone()), method));
                }
                if builtins::is_of_dict(name) {
                    return Err(format!(
                        "the method `{name}` of {} (a key of this name is had by `['{name}']`)",
                        value.kind()
                    ));
                }
                let found = entries
                    .iter()
                    .find(|(key, _)| matches!(key, PythonValue::Text(t) if **t == *name));
                match found {
                    Some((_, value)) => Ok(value.clone()),
                    None => Err(format!("there is no key `{name}`")),
                }
            }
            _ => match functions::method(&value, name) {
                Some(method) => Ok(PythonValue::Method(Box::new(value), method)),
                None => Err(format!("the attribute `{name}` of {}", value.kind())),
            },
        }
    }
}

impl Space {
    pub(super) fn word(self) -> &'static str {
        match self {
            Space::Math => "math",
            Space::Python => "python",
            Space::Xacro => "xacro",
            Space::Scope(_) => "…",
        }
    }
}

/// An index as Python counts it: from the end, where it is negative.
fn place(index: &PythonValue, length: usize) -> Result<usize, EvaluationError> {
    let Some(PythonNumber::Int(index)) = index.number() else {
        return Err(format!("{} as an index", index.kind()));
    };
    let length = length as i128;
    let from_start = if index < 0 { index + length } else { index };
    if (0..length).contains(&from_start) {
        Ok(from_start as usize)
    } else {
        Err(format!("an index {index} of {length} elements"))
    }
}

fn element(
    value: &PythonValue,
    index: &PythonValue,
    budget: &mut ExpansionBudget,
) -> Result<PythonValue, EvaluationError> {
    match value {
        PythonValue::List(items) | PythonValue::Tuple(items) => {
            Ok(items[place(index, items.len())?].clone())
        }
        PythonValue::Text(text) => {
            let chars: Vec<char> = text.chars().collect();
            budget.spend(chars.len() as u64)?;
            Ok(PythonValue::text(
                chars[place(index, chars.len())?].to_string(),
            ))
        }
        PythonValue::Dict(entries) => {
            for (key, value) in entries.iter() {
                if key.equals(index, budget)? {
                    return Ok(value.clone());
                }
            }
            Err(format!("there is no key `{}`", index.written(budget)?))
        }
        other => Err(format!("an index of {}", other.kind())),
    }
}

fn slice(
    value: &PythonValue,
    from: &Option<PythonValue>,
    to: &Option<PythonValue>,
) -> Result<PythonValue, EvaluationError> {
    let bounds = |length: usize| -> Result<(usize, usize), EvaluationError> {
        let end = |end: &Option<PythonValue>, otherwise: usize| match end.as_ref() {
            None | Some(PythonValue::None) => Ok(otherwise),
            Some(end) => match end.number() {
                Some(PythonNumber::Int(i)) => {
                    let length = length as i128;
                    let i = if i < 0 { i + length } else { i };
                    Ok(i.clamp(0, length) as usize)
                }
                _ => Err(format!("{} as an end of a slice", end.kind())),
            },
        };
        let (from, to) = (end(from, 0)?, end(to, length)?);
        Ok((from, to.max(from)))
    };
    match value {
        PythonValue::Text(text) => {
            let chars: Vec<char> = text.chars().collect();
            let (from, to) = bounds(chars.len())?;
            Ok(PythonValue::text(
                chars[from..to].iter().collect::<String>(),
            ))
        }
        PythonValue::List(items) => {
            let (from, to) = bounds(items.len())?;
            Ok(PythonValue::List(Rc::new(items[from..to].to_vec())))
        }
        other => Err(format!("a slice of {}", other.kind())),
    }
}
