//! What `B_AND`, `B_OR`, `B_EXOR` and `B_NOT` make of the bits of whole numbers.

use clearance_proof::report::Location;

use crate::value::Value;

/// Operators of two numbers. The parser writes them as calls: they are no names, so that no routine
/// is called like them.
pub(crate) const BITS: [&str; 3] = ["b_and", "b_or", "b_exor"];

/// The operator of one number.
pub(crate) const NOT: &str = "b_not";

/// The value of such an operator. Whole numbers have 32 bits, in two's complement.
pub(super) fn value(name: &str, given: &[Value], is_real: bool, place: &Location) -> Value {
    if let Some(unknown) = given.iter().find(|v| matches!(v, Value::Unknown(_))) {
        return unknown.clone();
    }
    let all: Option<Vec<i32>> = given.iter().map(whole).collect();
    let found = match (name, all.as_deref()) {
        _ if is_real => None,
        (NOT, Some([x])) => Some(!x),
        ("b_and", Some([x, y])) => Some(x & y),
        ("b_or", Some([x, y])) => Some(x | y),
        ("b_exor", Some([x, y])) => Some(x ^ y),
        _ => None,
    };
    match found {
        Some(x) => Value::Number(f64::from(x)),
        None => {
            let reason = "bits are read of whole numbers of 32 bits only";
            Value::unknown(place, reason)
        }
    }
}

fn whole(value: &Value) -> Option<i32> {
    let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
    match value {
        Value::Number(x) if x.fract() == 0.0 && range.contains(x) => Some(*x as i32),
        _ => None,
    }
}
