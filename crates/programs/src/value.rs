//! Values of a program that is followed without a controller: known, or unknown with the reason
//! why.
//!
//! An error is a [`Fault`]: the program says something that a controller would stop at, or that is
//! not understood. An unknown value is not an error; it spreads through whatever is computed of it,
//! and matters where the arm or the flow depends on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use clearance_proof::model::moves::Unknown;
use clearance_proof::report::Location;

mod open;
mod rounding;

pub(crate) use open::known_but_for_sign;
pub use open::{OpenChoice, OpenNumber};
pub(crate) use rounding::{
    ROUNDED, computed, computed_of, fits, inexact, is_within_rounding, of_function,
};

/// No value is made of more, those of its parts included.
pub(crate) const MOST_VALUES: usize = 1_000_000;

/// Lists and records within each other.
const MOST_LISTS: usize = 100;

/// A value, all or parts of which may be unknown.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, in the units of the language.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Text.
    Text(Arc<str>),
    /// A list; joint values are one.
    Array(Vec<Value>),
    /// The components of a pose where the language has them as a kind of their own, in its order
    /// and units.
    Pose(Vec<Value>),
    /// Fields by name. Languages that do not tell capitals apart keep names in lower case.
    Record(BTreeMap<Arc<str>, Value>),
    /// A number that is known but for what a controller may choose.
    Open(Arc<OpenNumber>),
    /// Not known.
    Unknown(Arc<Unknown>),
}

/// An error at which a controller would stop, or something that is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands.
    pub place: Location,
    /// The description of the fault.
    pub reason: String,
}

impl Fault {
    /// A fault.
    pub fn new(place: &Location, reason: impl Into<String>) -> Self {
        Self {
            place: place.clone(),
            reason: reason.into(),
        }
    }
}

impl From<Fault> for Unknown {
    fn from(fault: Fault) -> Self {
        Unknown {
            place: fault.place,
            reason: fault.reason,
        }
    }
}

/// Either what is asked for, or why it is not known.
pub type Known<T> = Result<T, Arc<Unknown>>;

/// Whether all that may follow on other values may follow on these.
pub(crate) fn map_covers<K: Ord>(values: &BTreeMap<K, Value>, others: &BTreeMap<K, Value>) -> bool {
    let is_covered = |(key, other): (&K, &Value)| values.get(key).is_some_and(|v| v.covers(other));
    let is_unknown =
        |(key, value): (&K, &Value)| others.contains_key(key) || matches!(value, Value::Unknown(_));
    others.iter().all(is_covered) && values.iter().all(is_unknown)
}

impl Value {
    /// The same with all its numbers rounded by a controller.
    pub(crate) fn rounded(self) -> Self {
        match self {
            Self::Number(x) => Self::Number(inexact(x)),
            Self::Open(open) => Self::Open(open.rounded().into()),
            Self::Array(items) => Self::Array(items.into_iter().map(Self::rounded).collect()),
            Self::Pose(items) => Self::Pose(items.into_iter().map(Self::rounded).collect()),
            Self::Record(fields) => {
                let fields = fields.into_iter();
                Self::Record(
                    fields
                        .map(|(name, value)| (name, value.rounded()))
                        .collect(),
                )
            }
            other => other,
        }
    }

    /// The same beside none of the numbers with which it is known: whoever reads one that a controller
    /// may choose, and then sets it, has another one.
    pub(crate) fn alone(&self) -> Self {
        match self {
            Self::Open(open) => Self::Unknown(open.why.clone()),
            other => other.clone(),
        }
    }

    /// Whether all that may follow on another value may follow on this one.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let all = |items: &[Self], others: &[Self]| {
            items.len() == others.len() && items.iter().zip(others).all(|(a, b)| a.covers(b))
        };
        match (self, other) {
            (Self::Unknown(_), _) => true,
            (Self::Array(items), Self::Array(others)) | (Self::Pose(items), Self::Pose(others)) => {
                all(items, others)
            }
            (Self::Record(fields), Self::Record(others)) => map_covers(fields, others),
            // Wherever they were computed, they may be the same.
            (Self::Open(open), Self::Open(other)) => {
                open.number == other.number && open.choice == other.choice
            }
            _ => self == other,
        }
    }

    /// How many values it is made of.
    pub fn size(&self) -> usize {
        match self {
            Self::Array(items) | Self::Pose(items) => {
                1 + items.iter().map(Self::size).sum::<usize>()
            }
            Self::Record(fields) => 1 + fields.values().map(Self::size).sum::<usize>(),
            Self::Number(_)
            | Self::Boolean(_)
            | Self::Text(_)
            | Self::Open(_)
            | Self::Unknown(_) => 1,
        }
    }

    /// Whether more lists or records than these lie within each other.
    pub(crate) fn is_deeper_than(&self, levels: usize) -> bool {
        let deeper = |v: &Value| levels == 0 || v.is_deeper_than(levels - 1);
        match self {
            Self::Array(items) | Self::Pose(items) => items.iter().any(deeper),
            Self::Record(fields) => fields.values().any(deeper),
            Self::Number(_)
            | Self::Boolean(_)
            | Self::Text(_)
            | Self::Open(_)
            | Self::Unknown(_) => false,
        }
    }

    /// Sees to it that copies of it fill neither the memory nor the stack.
    ///
    /// # Errors
    /// When it has too many parts, or they lie too deep within each other.
    pub(crate) fn fits(&self, place: &Location) -> Result<(), Fault> {
        if self.size() > MOST_VALUES || self.is_deeper_than(MOST_LISTS) {
            return Err(Fault::new(place, "lists as large as this are not followed"));
        }
        Ok(())
    }

    /// A list of that length with this value everywhere; none: no list is as long.
    pub(crate) fn repeated(self, length: f64) -> Option<Self> {
        let most = (MOST_VALUES / self.size()) as f64;
        let is_length = length.fract() == 0.0 && (1.0..=most).contains(&length);
        is_length.then(|| Self::Array(vec![self; length as usize]))
    }

    /// A value that is not known.
    pub fn unknown(place: &Location, reason: impl Into<String>) -> Self {
        Value::Unknown(Arc::new(Unknown {
            place: place.clone(),
            reason: reason.into(),
        }))
    }

    /// Text.
    pub fn text(text: &str) -> Self {
        Value::Text(text.into())
    }

    /// A list of numbers.
    pub fn numbers(values: &[f64]) -> Self {
        Value::Array(values.iter().map(|&v| Value::Number(v)).collect())
    }

    /// The kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Number(_) | Value::Open(_) => "a number",
            Value::Boolean(_) => "true or false",
            Value::Text(_) => "text",
            Value::Array(_) => "a list",
            Value::Pose(_) => "a pose",
            Value::Record(_) => "a record",
            Value::Unknown(_) => "an unknown value",
        }
    }

    /// The first thing that is unknown in it.
    pub fn first_unknown(&self) -> Option<&Arc<Unknown>> {
        match self {
            Value::Unknown(why) => Some(why),
            Value::Open(open) => Some(&open.why),
            Value::Array(items) | Value::Pose(items) => items.iter().find_map(Value::first_unknown),
            Value::Record(fields) => fields.values().find_map(Value::first_unknown),
            Value::Number(_) | Value::Boolean(_) | Value::Text(_) => None,
        }
    }

    /// The number, or why it is not known.
    ///
    /// # Errors
    /// When it is something else than a number.
    pub fn number(&self, place: &Location) -> Result<Known<f64>, Fault> {
        match self {
            Value::Number(number) => Ok(Ok(*number)),
            Value::Open(open) => Ok(Err(open.why.clone())),
            Value::Unknown(why) => Ok(Err(why.clone())),
            other => Err(Fault::new(
                place,
                format!("{} stands where a number is needed", other.kind()),
            )),
        }
    }

    /// True or false, or why it is not known.
    ///
    /// # Errors
    /// When it is something else.
    pub fn boolean(&self, place: &Location) -> Result<Known<bool>, Fault> {
        match self {
            Value::Boolean(truth) => Ok(Ok(*truth)),
            Value::Unknown(why) => Ok(Err(why.clone())),
            other => Err(Fault::new(
                place,
                format!("{} stands where a condition is needed", other.kind()),
            )),
        }
    }

    /// The numbers of a list or pose, or why one of them is not known.
    ///
    /// # Errors
    /// When it is something else than a list of numbers.
    pub fn list(&self, place: &Location) -> Result<Known<Vec<f64>>, Fault> {
        match self {
            Value::Array(items) | Value::Pose(items) => {
                items.iter().map(|item| item.number(place)).collect()
            }
            Value::Unknown(why) => Ok(Err(why.clone())),
            other => Err(Fault::new(
                place,
                format!("{} stands where numbers are needed", other.kind()),
            )),
        }
    }

    /// A number made of one.
    ///
    /// # Errors
    /// When it is something else than a number.
    pub fn map(&self, place: &Location, f: impl FnOnce(f64) -> f64) -> Result<Value, Fault> {
        Ok(match self.number(place)? {
            Ok(x) => {
                let y = f(x);
                if y.is_finite() {
                    Value::Number(y)
                } else {
                    Value::unknown(place, "this is not a number")
                }
            }
            Err(why) => Value::Unknown(why),
        })
    }

    /// A value made of two numbers; unknown where one of them is.
    ///
    /// # Errors
    /// When one is something else than a number.
    pub fn join(
        &self,
        other: &Value,
        place: &Location,
        f: impl FnOnce(f64, f64) -> Value,
    ) -> Result<Value, Fault> {
        Ok(match (self.number(place)?, other.number(place)?) {
            (Ok(x), Ok(y)) => f(x, y),
            (Err(why), _) | (_, Err(why)) => Value::Unknown(why),
        })
    }

    /// Negation; unknown stays unknown.
    ///
    /// # Errors
    /// When it is not a condition.
    pub fn not(&self, place: &Location) -> Result<Value, Fault> {
        Ok(match self.boolean(place)? {
            Ok(truth) => Value::Boolean(!truth),
            Err(why) => Value::Unknown(why),
        })
    }

    /// Both: known to be false if one of them is.
    ///
    /// # Errors
    /// When one is not a condition.
    pub fn and(&self, other: &Value, place: &Location) -> Result<Value, Fault> {
        Ok(match (self.boolean(place)?, other.boolean(place)?) {
            (Ok(false), _) | (_, Ok(false)) => Value::Boolean(false),
            (Ok(true), Ok(true)) => Value::Boolean(true),
            (Err(why), _) | (_, Err(why)) => Value::Unknown(why),
        })
    }

    /// One of them: known to be true if one of them is.
    ///
    /// # Errors
    /// When one is not a condition.
    pub fn or(&self, other: &Value, place: &Location) -> Result<Value, Fault> {
        self.not(place)?.and(&other.not(place)?, place)?.not(place)
    }

    /// Whether two values are equal: unknown where that depends on what is unknown. Different kinds
    /// are not equal.
    pub fn equals(&self, other: &Value) -> Value {
        self.equals_by(other, &|a, b| Value::Boolean(a == b))
    }

    /// The same for a controller that counts in 32 bits.
    pub(crate) fn equals_rounded(&self, other: &Value, place: &Location) -> Value {
        self.equals_by(other, &|a, b| {
            if is_within_rounding(a, b) {
                Value::unknown(place, ROUNDED)
            } else {
                Value::Boolean(a == b)
            }
        })
    }

    fn equals_by(&self, other: &Value, numbers: &dyn Fn(f64, f64) -> Value) -> Value {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => numbers(*a, *b),
            (Value::Unknown(why), _) | (_, Value::Unknown(why)) => Value::Unknown(why.clone()),
            (Value::Open(open), _) | (_, Value::Open(open)) => Value::Unknown(open.why.clone()),
            (Value::Array(a), Value::Array(b)) | (Value::Pose(a), Value::Pose(b)) => {
                if a.len() == b.len() {
                    all(a.iter().zip(b).map(|(a, b)| a.equals_by(b, numbers)))
                } else {
                    Value::Boolean(false)
                }
            }
            (Value::Record(a), Value::Record(b)) => {
                if a.keys().eq(b.keys()) {
                    all((a.values().zip(b.values())).map(|(a, b)| a.equals_by(b, numbers)))
                } else {
                    Value::Boolean(false)
                }
            }
            (a, b) => Value::Boolean(a == b),
        }
    }
}

/// Whether all are true: one that is false decides, whatever else is unknown.
pub(crate) fn all(truths: impl Iterator<Item = Value>) -> Value {
    let mut open = None;
    for truth in truths {
        match truth {
            Value::Boolean(true) => {}
            Value::Unknown(why) => open = open.or(Some(why)),
            _ => return Value::Boolean(false),
        }
    }
    open.map_or(Value::Boolean(true), Value::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Location {
        Location::at("a.script".as_ref(), 3, None)
    }

    #[test]
    fn what_is_not_known_covers_what_is() {
        let place = Location::at("a.ls".as_ref(), 1, None);
        let (one, two, unknown) = (
            Value::Number(1.0),
            Value::Number(2.0),
            Value::unknown(&place, "x"),
        );
        assert!(one.covers(&one) && unknown.covers(&one));
        assert!(!one.covers(&two) && !one.covers(&unknown));
        let list = |a: &Value, b: &Value| Value::Array(vec![a.clone(), b.clone()]);
        assert!(list(&unknown, &two).covers(&list(&one, &two)));
        assert!(!list(&unknown, &two).covers(&list(&one, &one)));
        assert!(!list(&unknown, &two).covers(&Value::Array(vec![one.clone()])));
        let map = |values: &[(u32, &Value)]| -> BTreeMap<u32, Value> {
            values.iter().map(|(k, v)| (*k, (*v).clone())).collect()
        };
        let known = map(&[(1, &one), (2, &two)]);
        assert!(map_covers(&map(&[(1, &unknown), (2, &two)]), &known));
        assert!(map_covers(
            &map(&[(1, &one), (2, &two), (3, &unknown)]),
            &known
        ));
        // What one of them does not hold may be what it always is.
        assert!(!map_covers(&map(&[(2, &two)]), &known));
        assert!(!map_covers(
            &map(&[(1, &one), (2, &two), (3, &two)]),
            &known
        ));
    }

    #[test]
    fn what_is_unknown_spreads_only_as_far_as_it_decides() {
        let open = Value::unknown(&place(), "an input");
        let (yes, no) = (Value::Boolean(true), Value::Boolean(false));
        assert_eq!(open.and(&no, &place()), Ok(no.clone()));
        assert_eq!(open.and(&yes, &place()), Ok(open.clone()));
        assert_eq!(yes.or(&open, &place()), Ok(yes.clone()));
        assert_eq!(open.or(&no, &place()), Ok(open.clone()));
        let list = |items: &[&Value]| Value::Array(items.iter().map(|&v| v.clone()).collect());
        let (one, two) = (Value::Number(1.0), Value::Number(2.0));
        assert_eq!(list(&[&open, &one]).equals(&list(&[&open, &two])), no);
        assert_eq!(list(&[&open, &one]).equals(&list(&[&one, &one])), open);
        assert_eq!(list(&[&one]).equals(&list(&[&one, &one])), no);
        let sum = one.join(&open, &place(), |a, b| Value::Number(a + b));
        assert_eq!(sum, Ok(open.clone()));
        assert!(one.and(&yes, &place()).is_err());
        assert!(list(&[&one, &yes]).list(&place()).is_err());
        assert_eq!(list(&[&one, &two]).list(&place()), Ok(Ok(vec![1.0, 2.0])));
    }
}
