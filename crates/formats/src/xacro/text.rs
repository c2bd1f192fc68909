//! Texts with `${expressions}` and `$(commands)` in them.

/// A piece of a text.
#[derive(Debug, PartialEq)]
pub(super) enum TextPiece<'t> {
    /// As it stands.
    Plain(&'t str),
    /// Within `${…}`.
    Expression(&'t str),
    /// Within `$(…)`.
    Command(&'t str),
}

/// The pieces of a text; an error names where it cannot be cut.
pub(super) fn pieces(text: &str) -> Result<Vec<TextPiece<'_>>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let dollars = rest.len() - rest.trim_start_matches('$').len();
        let behind = &rest[dollars..];
        let opens = behind.starts_with(['{', '(']);
        // `$${` stands for `${` itself.
        let length = if dollars > 1 && opens {
            pieces.push(TextPiece::Plain(&rest[1..dollars + 1]));
            dollars + 1
        } else if dollars == 1 && opens {
            let close = if behind.starts_with('{') { '}' } else { ')' };
            let Some(end) = behind.find(close) else {
                let shown: String = rest.chars().take(40).collect();
                return Err(format!("`{shown}` has no closing `{close}`"));
            };
            let inside = &behind[1..end];
            pieces.push(match close {
                '}' => TextPiece::Expression(inside),
                _ => TextPiece::Command(inside),
            });
            1 + end + 1
        } else {
            let end = behind.find('$').map_or(rest.len(), |at| dollars + at);
            pieces.push(TextPiece::Plain(&rest[..end]));
            end
        };
        rest = &rest[length..];
    }
    Ok(pieces)
}

/// A parameter of a macro.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MacroParameter {
    pub(super) name: String,
    /// `name:=^`: taken from the caller's property of that name.
    pub(super) forward: bool,
    pub(super) default: Option<String>,
}

/// The parameters of a macro: `name`, `name:=default`, `name:=^`, `name:=^|default`, `*block`,
/// `**blocks`.
pub(super) fn parameters(text: &str) -> Result<Vec<MacroParameter>, String> {
    let mut all: Vec<MacroParameter> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c.is_whitespace() || c == ':' || c == '=')
            .unwrap_or(rest.len());
        let name = &rest[..end];
        let behind = rest[end..].trim_start();
        let value = behind.strip_prefix(":=").or(behind.strip_prefix('='));
        if name.is_empty() || all.iter().any(|p| p.name == name) {
            return Err(format!("`{rest}` is not a list of parameters"));
        }
        let mut parameter = MacroParameter {
            name: name.to_owned(),
            forward: false,
            default: None,
        };
        rest = match value {
            None => {
                if !rest[end..].is_empty() && !rest[end..].starts_with(char::is_whitespace) {
                    return Err(format!("`{rest}` is not a list of parameters"));
                }
                behind
            }
            Some(value) => {
                let value = value.trim_start();
                let (forward, value) = match value.strip_prefix('^') {
                    Some(value) => (true, value.strip_prefix('|').unwrap_or(value)),
                    None => (false, value),
                };
                let length = default_length(value)
                    .ok_or_else(|| format!("`{value}` is not a default value"))?;
                parameter.forward = forward;
                parameter.default = (length > 0).then(|| value[..length].to_owned());
                value[length..].trim_start()
            }
        };
        all.push(parameter);
    }
    Ok(all)
}

/// How long a default value is: up to a space outside of braces and quotes.
fn default_length(text: &str) -> Option<usize> {
    let ends = |at: usize| text[at..].is_empty() || text[at..].starts_with(char::is_whitespace);
    for (open, close) in [("${", '}'), ("$(", ')')] {
        if text.starts_with(open) {
            let closed = text.match_indices(close).map(|(at, _)| at + 1);
            if let Some(end) = closed.into_iter().find(|&at| ends(at)) {
                return Some(end);
            }
        }
    }
    let mut at = 0;
    while let Some(c) = text[at..].chars().next().filter(|c| !c.is_whitespace()) {
        at += match c {
            '\'' | '"' => 2 + text[at + 1..].find(c)?,
            c => c.len_utf8(),
        };
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_as_xacro_cuts_them() {
        use TextPiece::{Command, Expression, Plain};
        for (text, expected) in [
            ("", vec![]),
            ("plain", vec![Plain("plain")]),
            ("a${b}c", vec![Plain("a"), Expression("b"), Plain("c")]),
            ("$(find x)/y", vec![Command("find x"), Plain("/y")]),
            ("${a}${b}", vec![Expression("a"), Expression("b")]),
            ("$${a}", vec![Plain("${"), Plain("a}")]),
            ("$$$(a)", vec![Plain("$$("), Plain("a)")]),
            ("5$", vec![Plain("5"), Plain("$")]),
            ("$5 $", vec![Plain("$5 "), Plain("$")]),
            ("${'$(arg x)'}", vec![Expression("'$(arg x)'")]),
        ] {
            assert_eq!(pieces(text).unwrap(), expected, "{text}");
        }
        assert!(pieces("x ${a").unwrap_err().contains("`${a`"));
    }

    #[test]
    fn parameters_of_macros() {
        let of = |text: &str| -> Vec<(String, bool, Option<String>)> {
            let all = parameters(text).unwrap().into_iter();
            all.map(|p| (p.name, p.forward, p.default)).collect()
        };
        let plain = |name: &str| (name.to_owned(), false, None);
        let with = |name: &str, value: &str| (name.to_owned(), false, Some(value.to_owned()));
        assert_eq!(
            of(" a  b:=1 c:='x y' d=${1 + 2} *e **f "),
            [
                plain("a"),
                with("b", "1"),
                with("c", "'x y'"),
                with("d", "${1 + 2}"),
                plain("*e"),
                plain("**f")
            ]
        );
        assert_eq!(
            of("a:=^ b:=^|${p} c:=$(arg x)_y d:="),
            [
                ("a".into(), true, None),
                ("b".into(), true, Some("${p}".into())),
                // A space ends it, as in xacro: the rest is a parameter of its own.
                with("c", "$(arg"),
                plain("x)_y"),
                plain("d")
            ]
        );
        assert!(parameters("a a").is_err());
        assert!(parameters("a:='open").is_err());
    }
}
