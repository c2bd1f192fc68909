//! Expressions of Python: from text to tokens.

use std::rc::Rc;

use super::EvaluationError;
use super::value::float;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PythonToken {
    Word(Rc<str>),
    Int(i128),
    Float(f64),
    Text(Rc<str>),
    Sign(&'static str),
    End,
}

/// Longest first.
const SIGNS: [&str; 25] = [
    "**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", "{",
    "}", ",", ":", ".", "=", "|", "&",
];
/// Words that are not names.
pub(super) const KEYWORDS: [&str; 12] = [
    "and", "or", "not", "if", "else", "in", "is", "for", "lambda", "await", "yield", "async",
];

/// As an error names it.
pub(super) fn shown(token: &PythonToken) -> String {
    match token {
        PythonToken::Word(word) => format!("`{word}`"),
        PythonToken::Int(i) => format!("`{i}`"),
        PythonToken::Float(x) => format!("`{x}`"),
        PythonToken::Text(text) => format!("the text '{text}'"),
        PythonToken::Sign(sign) => format!("`{sign}`"),
        PythonToken::End => "the end".to_owned(),
    }
}

/// The tokens of an expression, the end among them.
pub(super) fn tokens(text: &str) -> Result<Vec<PythonToken>, EvaluationError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if c.is_alphabetic() || c == '_' {
            let end = text[at..]
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .map_or(text.len(), |n| at + n);
            // `r'…'`, `f'…'`: other rules than those of a plain text.
            if matches!(bytes.get(end), Some(b'\'' | b'"')) {
                return Err(format!("a text with the prefix `{}`", &text[at..end]));
            }
            tokens.push(PythonToken::Word(text[at..end].into()));
            at = end;
        } else if c.is_ascii_digit()
            || c == '.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        {
            let (token, length) = number(&text[at..])?;
            tokens.push(token);
            at += length;
        } else if c == '\'' || c == '"' {
            let (string, length) = quoted(&text[at..], c)?;
            // Python joins texts that stand side by side.
            match tokens.last_mut() {
                Some(PythonToken::Text(before)) => *before = format!("{before}{string}").into(),
                _ => tokens.push(PythonToken::Text(string.into())),
            }
            at += length;
        } else if let Some(sign) = SIGNS.iter().find(|s| text[at..].starts_with(**s)) {
            tokens.push(PythonToken::Sign(sign));
            at += sign.len();
        } else {
            return Err(format!("`{c}` is not known here"));
        }
    }
    tokens.push(PythonToken::End);
    Ok(tokens)
}

/// A number at the start of a text, and its length.
fn number(text: &str) -> Result<(PythonToken, usize), EvaluationError> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        from + bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut end = digits(0);
    let mut whole = true;
    if bytes.get(end) == Some(&b'.') {
        whole = false;
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let last = digits(end + 1 + sign);
        if last > end + 1 + sign {
            whole = false;
            end = last;
        }
    }
    let behind = text[end..].chars().next();
    if behind.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return Err(format!("`{text}` begins with a number of another form"));
    }
    let written = &text[..end];
    if !whole {
        let value = float(written).ok_or_else(|| format!("`{written}` is not a number"))?;
        return Ok((PythonToken::Float(value), end));
    }
    if written.len() > 1 && written.starts_with('0') && written.bytes().any(|b| b != b'0') {
        return Err(format!("`{written}` has zeros in front"));
    }
    let value = written.parse();
    let value = value.map_err(|_| format!("`{written}` is too large"))?;
    Ok((PythonToken::Int(value), end))
}

/// A text in quotes at the start of a text, and the length with them.
fn quoted(text: &str, quote: char) -> Result<(String, usize), EvaluationError> {
    let triple: String = [quote; 3].iter().collect();
    if text.starts_with(&triple) {
        return Err("a text in triple quotes".to_owned());
    }
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, e @ ('\\' | '\'' | '"'))) => out.push(e),
                Some((_, 'n')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                _ => return Err("an escape in a text other than \\\\, \\', \\\", \\n, \\t".into()),
            },
            c if c == quote => return Ok((out, at + c.len_utf8())),
            c => out.push(c),
        }
    }
    Err(format!("a text has no closing {quote}"))
}

/// Whether a property may have this name: no word of Python.
pub(super) fn is_name(name: &str) -> bool {
    const WORDS: [&str; 26] = [
        "True", "False", "None", "as", "assert", "break", "class", "continue", "def", "del",
        "elif", "except", "finally", "from", "global", "import", "nonlocal", "pass", "raise",
        "return", "try", "while", "with", "lambda", "await", "yield",
    ];
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with("__")
        && !KEYWORDS.contains(&name)
        && !WORDS.contains(&name)
}
