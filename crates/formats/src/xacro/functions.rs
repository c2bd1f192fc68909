//! The functions that expressions of xacro may call, each as Python computes it.

use std::rc::Rc;

use super::EvaluationError;
use super::budget::ExpansionBudget;
use super::names::NameLookup;
use super::value::{PythonNumber, PythonValue, Space, float, insert, int, order, whole};

/// Functions of `math`, known without it too.
const MATH: [&str; 26] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "sqrt", "exp",
    "log", "log10", "log2", "pow", "fabs", "floor", "ceil", "trunc", "degrees", "radians", "hypot",
    "fmod", "copysign", "isnan",
];
/// Functions of Python that are known without a module.
const GLOBAL: [&str; 13] = [
    "list", "dict", "len", "str", "float", "int", "bool", "min", "max", "round", "sorted", "range",
    "dotify",
];
/// Those that are known in `python` only.
const PYTHON: [&str; 8] = [
    "abs",
    "all",
    "any",
    "sum",
    "tuple",
    "zip",
    "enumerate",
    "reversed",
];
const XACRO: [&str; 10] = [
    "load_yaml",
    "abs_filename",
    "dotify",
    "arg",
    "message",
    "warning",
    "error",
    "print_location",
    "fatal",
    "tokenize",
];
const OF_TEXT: [&str; 10] = [
    "lower",
    "upper",
    "strip",
    "lstrip",
    "rstrip",
    "split",
    "join",
    "replace",
    "startswith",
    "endswith",
];
const OF_DICT: [&str; 4] = ["keys", "values", "items", "get"];

fn known<const N: usize>(all: &[&'static str; N], name: &str) -> Option<&'static str> {
    all.iter().copied().find(|n| *n == name)
}

/// The meaning of a name that no property has.
pub(super) fn global(name: &str) -> Option<PythonValue> {
    if let Some(module) = match name {
        "math" => Some(Space::Math),
        "python" => Some(Space::Python),
        "xacro" => Some(Space::Xacro),
        _ => None,
    } {
        return Some(PythonValue::Space(module));
    }
    let function = known(&GLOBAL, name)
        .or_else(|| known(&["load_yaml", "abs_filename"], name))
        .map(PythonValue::Function);
    function.or_else(|| of_module(Space::Math, name))
}

/// A name of a module.
pub(super) fn of_module(module: Space, name: &str) -> Option<PythonValue> {
    match module {
        Space::Math => match name {
            "pi" => Some(PythonValue::Float(std::f64::consts::PI)),
            "tau" => Some(PythonValue::Float(std::f64::consts::TAU)),
            "e" => Some(PythonValue::Float(std::f64::consts::E)),
            "inf" => Some(PythonValue::Float(f64::INFINITY)),
            "nan" => Some(PythonValue::Float(f64::NAN)),
            _ => known(&MATH, name).map(PythonValue::Function),
        },
        Space::Python => known(&GLOBAL, name)
            .or_else(|| known(&PYTHON, name))
            .map(PythonValue::Function),
        Space::Xacro => known(&XACRO, name).map(PythonValue::Function),
        Space::Scope(_) => None,
    }
}

/// A method of a value.
pub(super) fn method(value: &PythonValue, name: &str) -> Option<&'static str> {
    match value {
        PythonValue::Text(_) => known(&OF_TEXT, name),
        PythonValue::Dict(_) => known(&OF_DICT, name),
        _ => None,
    }
}

/// Calls a function.
pub(super) fn call(
    names: &mut dyn NameLookup,
    function: &PythonValue,
    arguments: &[PythonValue],
    named: &[(Rc<str>, PythonValue)],
) -> Result<PythonValue, EvaluationError> {
    names.budget().spend(16)?;
    match function {
        PythonValue::Function("dict") => dict(names.budget(), arguments, named),
        PythonValue::Function("message" | "warning" | "error" | "print_location") => {
            Ok(PythonValue::text(""))
        }
        PythonValue::Function(name) if !named.is_empty() => {
            Err(format!("arguments with names of `{name}`"))
        }
        PythonValue::Function(name) if known(&MATH, name).is_some() => math(name, arguments),
        PythonValue::Function(name) => of_python(names, name, arguments),
        PythonValue::Method(_, name) if !named.is_empty() => {
            Err(format!("arguments with names of `{name}`"))
        }
        PythonValue::Method(value, name) => match &**value {
            PythonValue::Text(text) => of_text(names.budget(), text, name, arguments),
            PythonValue::Dict(entries) => of_dict(names.budget(), entries, name, arguments),
            other => Err(format!("`{name}` of {}", other.kind())),
        },
        other => Err(format!("a call of {}", other.kind())),
    }
}

fn wrong(name: &str, arguments: &[PythonValue]) -> EvaluationError {
    let kinds: Vec<&str> = arguments.iter().map(PythonValue::kind).collect();
    format!("`{name}` of ({})", kinds.join(", "))
}

fn dict(
    budget: &mut ExpansionBudget,
    arguments: &[PythonValue],
    named: &[(Rc<str>, PythonValue)],
) -> Result<PythonValue, EvaluationError> {
    let mut entries = Vec::new();
    match arguments {
        [] => {}
        [PythonValue::Dict(all)] => entries = all.to_vec(),
        [pairs] => {
            for pair in pairs.elements()? {
                let parts = pair.elements()?;
                let [key, value] = parts.as_slice() else {
                    return Err(wrong("dict", arguments));
                };
                insert(&mut entries, key.clone(), value.clone(), budget)?;
            }
        }
        _ => return Err(wrong("dict", arguments)),
    }
    for (name, value) in named {
        insert(
            &mut entries,
            PythonValue::Text(name.clone()),
            value.clone(),
            budget,
        )?;
    }
    Ok(PythonValue::Dict(entries.into()))
}

fn math(name: &str, arguments: &[PythonValue]) -> Result<PythonValue, EvaluationError> {
    let numbers: Option<Vec<PythonNumber>> = arguments.iter().map(PythonValue::number).collect();
    let numbers = numbers.ok_or_else(|| wrong(name, arguments))?;
    // Python's `floor`, `ceil` and `trunc` make integers, and leave those as they are.
    if let ("floor" | "ceil" | "trunc", [number]) = (name, numbers.as_slice()) {
        return match number {
            PythonNumber::Int(i) => Ok(PythonValue::Int(*i)),
            PythonNumber::Float(x) => whole(match name {
                "floor" => x.floor(),
                "ceil" => x.ceil(),
                _ => x.trunc(),
            }),
        };
    }
    let floats: Vec<f64> = numbers.iter().map(|n| n.float()).collect();
    let value = match (name, floats.as_slice()) {
        ("isnan", [x]) => return Ok(PythonValue::Bool(x.is_nan())),
        ("sin", [x]) => x.sin(),
        ("cos", [x]) => x.cos(),
        ("tan", [x]) => x.tan(),
        ("asin", [x]) => x.asin(),
        ("acos", [x]) => x.acos(),
        ("atan", [x]) => x.atan(),
        ("atan2", [y, x]) => y.atan2(*x),
        ("sinh", [x]) => x.sinh(),
        ("cosh", [x]) => x.cosh(),
        ("tanh", [x]) => x.tanh(),
        ("sqrt", [x]) => x.sqrt(),
        ("exp", [x]) => x.exp(),
        ("log", [x]) => x.ln(),
        ("log", [x, base]) => x.ln() / base.ln(),
        ("log10", [x]) => x.log10(),
        ("log2", [x]) => x.log2(),
        ("pow", [x, y]) => x.powf(*y),
        ("fabs", [x]) => x.abs(),
        // As Python multiplies; Rust's own functions round otherwise.
        ("degrees", [x]) => x * (180.0 / std::f64::consts::PI),
        ("radians", [x]) => x * (std::f64::consts::PI / 180.0),
        ("hypot", [x, y]) => x.hypot(*y),
        ("fmod", [x, y]) => x % y,
        ("copysign", [x, y]) => x.copysign(*y),
        _ => return Err(wrong(name, arguments)),
    };
    if !value.is_finite() && floats.iter().all(|x| x.is_finite()) {
        return Err(format!("`{name}` has no value here"));
    }
    Ok(PythonValue::Float(value))
}

fn of_python(
    names: &mut dyn NameLookup,
    name: &'static str,
    arguments: &[PythonValue],
) -> Result<PythonValue, EvaluationError> {
    let refused = || Err(wrong(name, arguments));
    match (name, arguments) {
        ("load_yaml", [PythonValue::Text(file)]) => names.yaml(file),
        ("abs_filename", [PythonValue::Text(file)]) => names.file_name(file).map(PythonValue::text),
        ("arg", [PythonValue::Text(argument)]) => names.argument(argument),
        ("dotify", [PythonValue::Dict(entries)]) => Ok(PythonValue::Dict(entries.clone())),
        ("fatal", _) => {
            let mut said = Vec::new();
            for argument in arguments {
                said.push(argument.written(names.budget())?.to_string());
            }
            Err(format!("the file gives up: {}", said.join(" ")))
        }
        ("tokenize", [PythonValue::Text(text)]) => {
            names.budget().spend(8 * text.len() as u64)?;
            let words = text.split([',', ';', ' ']).filter(|w| !w.is_empty());
            Ok(PythonValue::List(
                words.map(PythonValue::text).collect::<Vec<_>>().into(),
            ))
        }
        ("len", [value]) => match value {
            PythonValue::Text(t) => Ok(PythonValue::Int(t.chars().count() as i128)),
            PythonValue::List(l) | PythonValue::Tuple(l) => Ok(PythonValue::Int(l.len() as i128)),
            PythonValue::Dict(d) => Ok(PythonValue::Int(d.len() as i128)),
            _ => refused(),
        },
        ("str", [value]) => value.written(names.budget()).map(PythonValue::Text),
        ("bool", [value]) => Ok(PythonValue::Bool(value.is_true())),
        ("float", [PythonValue::Text(text)]) => match float(text) {
            Some(x) if !text.contains('_') => Ok(PythonValue::Float(x)),
            _ => Err(format!("'{text}' is not a number")),
        },
        ("float", [value]) => match value.number() {
            Some(x) => Ok(PythonValue::Float(x.float())),
            None => refused(),
        },
        ("int", [PythonValue::Text(text)]) => int(text)
            .map(PythonValue::Int)
            .ok_or_else(|| format!("'{text}' is not an integer")),
        ("int", [value]) => match value.number() {
            Some(PythonNumber::Int(i)) => Ok(PythonValue::Int(i)),
            Some(PythonNumber::Float(x)) => whole(x.trunc()),
            None => refused(),
        },
        ("abs", [value]) => match value.number() {
            Some(PythonNumber::Int(i)) => Ok(PythonValue::Int(i.abs())),
            Some(PythonNumber::Float(x)) => Ok(PythonValue::Float(x.abs())),
            None => refused(),
        },
        ("round", [value]) => match value.number() {
            Some(PythonNumber::Int(i)) => Ok(PythonValue::Int(i)),
            Some(PythonNumber::Float(x)) => whole(x.round_ties_even()),
            None => refused(),
        },
        ("round", [value, digits]) => match (value.number(), digits.number()) {
            (Some(PythonNumber::Int(i)), Some(PythonNumber::Int(0..=17))) => {
                Ok(PythonValue::Int(i))
            }
            (Some(PythonNumber::Float(x)), Some(PythonNumber::Int(n @ 0..=17)))
                if x.is_finite() =>
            {
                // Both round the exact value of the float, ties to even.
                let text = format!("{x:.*}", n as usize);
                Ok(PythonValue::Float(float(&text).unwrap_or(x)))
            }
            _ => refused(),
        },
        ("range", _) => range(names.budget(), arguments),
        ("list", []) => Ok(PythonValue::List(Rc::default())),
        ("tuple", []) => Ok(PythonValue::Tuple(Rc::default())),
        ("list", [value]) => Ok(PythonValue::List(items(names, value)?.into())),
        ("tuple", [value]) => Ok(PythonValue::Tuple(items(names, value)?.into())),
        ("reversed", [value]) => {
            let mut items = items(names, value)?;
            items.reverse();
            Ok(PythonValue::List(items.into()))
        }
        ("sorted", [value]) => {
            let mut items = items(names, value)?;
            sort(&mut items)?;
            Ok(PythonValue::List(items.into()))
        }
        ("min" | "max", [value]) => extreme(name, &items(names, value)?),
        ("min" | "max", [_, _, ..]) => extreme(name, arguments),
        ("all", [value]) => Ok(PythonValue::Bool(
            items(names, value)?.iter().all(PythonValue::is_true),
        )),
        ("any", [value]) => Ok(PythonValue::Bool(
            items(names, value)?.iter().any(PythonValue::is_true),
        )),
        ("sum", [value]) => {
            let mut sum = PythonNumber::Int(0);
            for item in items(names, value)? {
                sum = match (sum, item.number()) {
                    (PythonNumber::Int(a), Some(PythonNumber::Int(b))) => {
                        let sum = a.checked_add(b);
                        PythonNumber::Int(sum.ok_or("an integer that is too large")?)
                    }
                    // Versions of Python differ in how they add up floats.
                    _ => return Err("`sum` of other values than integers".to_owned()),
                };
            }
            match sum {
                PythonNumber::Int(i) => Ok(PythonValue::Int(i)),
                PythonNumber::Float(x) => Ok(PythonValue::Float(x)),
            }
        }
        ("enumerate", [value]) => {
            let items = items(names, value)?.into_iter().enumerate();
            let pairs =
                items.map(|(i, v)| PythonValue::Tuple(vec![PythonValue::Int(i as i128), v].into()));
            Ok(PythonValue::List(pairs.collect::<Vec<_>>().into()))
        }
        ("zip", [a, b]) => {
            let (a, b) = (items(names, a)?, items(names, b)?);
            let pairs = a.into_iter().zip(b);
            let pairs = pairs.map(|(a, b)| PythonValue::Tuple(vec![a, b].into()));
            Ok(PythonValue::List(pairs.collect::<Vec<_>>().into()))
        }
        _ => refused(),
    }
}

fn items(
    names: &mut dyn NameLookup,
    value: &PythonValue,
) -> Result<Vec<PythonValue>, EvaluationError> {
    let items = value.elements()?;
    names.budget().spend(8 * items.len() as u64)?;
    Ok(items)
}

fn sort(items: &mut [PythonValue]) -> Result<(), EvaluationError> {
    let mut failure = None;
    items.sort_by(|a, b| match order(a, b) {
        Ok(Some(order)) => order,
        Ok(None) => {
            failure = Some("NaN among what is sorted".to_owned());
            std::cmp::Ordering::Equal
        }
        Err(error) => {
            failure = Some(error);
            std::cmp::Ordering::Equal
        }
    });
    failure.map_or(Ok(()), Err)
}

fn extreme(name: &str, items: &[PythonValue]) -> Result<PythonValue, EvaluationError> {
    let (first, rest) = items.split_first().ok_or(format!("`{name}` of nothing"))?;
    let mut best = first;
    for item in rest {
        let order = order(item, best)?.ok_or("NaN among what is compared")?;
        let better = if name == "max" {
            order.is_gt()
        } else {
            order.is_lt()
        };
        if better {
            best = item;
        }
    }
    Ok(best.clone())
}

fn range(
    budget: &mut ExpansionBudget,
    arguments: &[PythonValue],
) -> Result<PythonValue, EvaluationError> {
    let numbers = arguments.iter().map(|a| match a.number() {
        Some(PythonNumber::Int(i)) => i64::try_from(i).ok(),
        _ => None,
    });
    let numbers: Option<Vec<i64>> = numbers.collect();
    let (from, to, step) = match numbers.as_deref() {
        Some([to]) => (0, *to, 1),
        Some([from, to]) => (*from, *to, 1),
        Some([from, to, step]) if *step != 0 => (*from, *to, *step),
        _ => return Err(wrong("range", arguments)),
    };
    let mut items = Vec::new();
    let mut at = from;
    while (step > 0 && at < to) || (step < 0 && at > to) {
        budget.spend(16)?;
        items.push(PythonValue::Int(i128::from(at)));
        match at.checked_add(step) {
            Some(next) => at = next,
            None => break,
        }
    }
    Ok(PythonValue::List(items.into()))
}

fn of_dict(
    budget: &mut ExpansionBudget,
    entries: &[(PythonValue, PythonValue)],
    name: &str,
    arguments: &[PythonValue],
) -> Result<PythonValue, EvaluationError> {
    budget.spend(8 * entries.len() as u64)?;
    let each = |part: fn(&(PythonValue, PythonValue)) -> PythonValue| {
        Ok(PythonValue::List(
            entries.iter().map(part).collect::<Vec<_>>().into(),
        ))
    };
    match (name, arguments) {
        ("keys", []) => each(|(k, _)| k.clone()),
        ("values", []) => each(|(_, v)| v.clone()),
        ("items", []) => each(|(k, v)| PythonValue::Tuple(vec![k.clone(), v.clone()].into())),
        ("get", [key]) | ("get", [key, _]) => {
            for (k, value) in entries {
                if k.equals(key, budget)? {
                    return Ok(value.clone());
                }
            }
            Ok(arguments.get(1).cloned().unwrap_or(PythonValue::None))
        }
        _ => Err(wrong(name, arguments)),
    }
}

fn of_text(
    budget: &mut ExpansionBudget,
    text: &str,
    name: &str,
    arguments: &[PythonValue],
) -> Result<PythonValue, EvaluationError> {
    budget.spend(8 * text.len() as u64)?;
    let list = |words: Vec<PythonValue>| Ok(PythonValue::List(words.into()));
    match (name, arguments) {
        ("lower", []) => Ok(PythonValue::text(text.to_lowercase())),
        ("upper", []) => Ok(PythonValue::text(text.to_uppercase())),
        ("strip", []) => Ok(PythonValue::text(text.trim())),
        ("lstrip", []) => Ok(PythonValue::text(text.trim_start())),
        ("rstrip", []) => Ok(PythonValue::text(text.trim_end())),
        ("split", []) => list(text.split_whitespace().map(PythonValue::text).collect()),
        ("split", [PythonValue::Text(at)]) if !at.is_empty() => {
            list(text.split(&**at).map(PythonValue::text).collect())
        }
        ("join", [parts]) => {
            let mut all = Vec::new();
            for part in parts.elements()? {
                let PythonValue::Text(part) = part else {
                    return Err(wrong(name, arguments));
                };
                budget.spend((part.len() + text.len()) as u64)?;
                all.push(part);
            }
            Ok(PythonValue::text(all.join(text)))
        }
        ("replace", [PythonValue::Text(old), PythonValue::Text(new)]) if !old.is_empty() => {
            let most = (text.len() / old.len()).saturating_mul(new.len());
            budget.spend(most as u64)?;
            Ok(PythonValue::text(text.replace(&**old, new)))
        }
        ("startswith", [PythonValue::Text(part)]) => {
            Ok(PythonValue::Bool(text.starts_with(&**part)))
        }
        ("endswith", [PythonValue::Text(part)]) => Ok(PythonValue::Bool(text.ends_with(&**part))),
        _ => Err(wrong(name, arguments)),
    }
}
