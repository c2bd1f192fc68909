//! What the reader of JSON says, in words that do not come from its programming language.

/// Faults of the text, in the reader's words and in plain ones.
const FAULTS: [(&str, &str); 17] = [
    ("EOF while parsing a list", "the text ends within a list"),
    (
        "EOF while parsing an object",
        "the text ends within an object",
    ),
    ("EOF while parsing a string", "the text ends within quotes"),
    (
        "EOF while parsing a value",
        "the text ends where a value belongs",
    ),
    ("expected `:`", "`:` is missing behind a key"),
    ("expected `,` or `]`", "`,` or `]` is missing"),
    ("expected `,` or `}`", "`,` or `}` is missing"),
    ("expected `\"`", "`\"` is missing"),
    (
        "expected ident",
        "this word is not known; texts stand in double quotes",
    ),
    (
        "expected value",
        "this is no value; texts stand in double quotes",
    ),
    ("key must be a string", "a key is not in double quotes"),
    ("trailing comma", "a comma stands behind the last value"),
    (
        "trailing characters",
        "more stands behind the end of the value",
    ),
    ("invalid escape", "what stands behind `\\` is not known"),
    ("invalid number", "this number is not written as in JSON"),
    ("number out of range", "this number is too large"),
    ("recursion limit exceeded", "it is nested too deep"),
];

/// What was found, in the reader's words and in plain ones.
const FOUND: [(&str, &str); 6] = [
    ("integer ", "the number "),
    ("floating point ", "the number "),
    ("string ", "the text "),
    ("boolean ", ""),
    ("sequence", "a list"),
    ("map", "an object"),
];

/// What belongs there, likewise.
const WANTED: [(&str, &str); 9] = [
    ("f64", "a number"),
    ("u32", "a whole number"),
    ("u64", "a whole number"),
    ("usize", "a whole number"),
    ("a sequence", "a list"),
    ("a map", "an object"),
    ("a string", "a text"),
    ("path string", "a text"),
    ("a boolean", "`true` or `false`"),
];

/// The message of an error, without its place.
pub fn json_words(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let said = whole.strip_suffix(&place).unwrap_or(&whole);
    if let Some((_, plain)) = FAULTS.iter().find(|(theirs, _)| *theirs == said) {
        return (*plain).to_owned();
    }
    if said.starts_with("control character") {
        return "a text has a line end, a tab or the like; write it as `\\n` or `\\t`".to_owned();
    }
    if let Some(rest) = said.strip_prefix("unknown field ") {
        return format!("unknown key {rest}");
    }
    if let Some(rest) = said.strip_prefix("unknown variant ") {
        return format!("unknown word {rest}");
    }
    if let Some(key) = said.strip_prefix("missing field ") {
        return format!("the key {key} is missing");
    }
    if let Some(key) = said.strip_prefix("duplicate field ") {
        return format!("the key {key} stands twice");
    }
    let misplaced = said
        .strip_prefix("invalid type: ")
        .or_else(|| said.strip_prefix("invalid value: "));
    match misplaced.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((found, wanted)) => {
            let begins = FOUND
                .iter()
                .find_map(|(theirs, plain)| Some((found.strip_prefix(theirs)?, plain)));
            let found = match begins {
                Some((rest, plain)) => format!("{plain}{rest}"),
                None => found.to_owned(),
            };
            let known = WANTED.iter().find(|(theirs, _)| *theirs == wanted);
            let wanted = known.map_or(wanted, |(_, plain)| plain);
            format!("{found} stands where {wanted} belongs")
        }
        None => said.to_owned(),
    }
}

/// The message of an error in a text of one line, whichever of an input it is: with its column.
pub fn json_words_in_line(error: &serde_json::Error) -> String {
    match error.column() {
        0 => json_words(error),
        column => format!("column {column}: {}", json_words(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::json_words;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Example {
        #[serde(rename = "path")]
        _path: Word,
        #[serde(rename = "rows")]
        _rows: Vec<Vec<f64>>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        Linear,
        Cubic,
    }

    /// Catches words of the library when it says them otherwise.
    #[test]
    fn what_is_wrong_is_said_in_plain_words() {
        for (text, plain) in [
            (
                "nonsense",
                "this word is not known; texts stand in double quotes",
            ),
            ("<x>", "this is no value; texts stand in double quotes"),
            ("", "the text ends where a value belongs"),
            ("{", "the text ends within an object"),
            (r#"{"rows":["#, "the text ends within a list"),
            (r#"{"ro"#, "the text ends within quotes"),
            (r#"{"rows" 1}"#, "`:` is missing behind a key"),
            (r#"{"rows":[[0 1]]}"#, "`,` or `]` is missing"),
            (r#"{"rows":[[0,]]}"#, "a comma stands behind the last value"),
            (
                r#"{"rows":[0]}"#,
                "the number `0` stands where a list belongs",
            ),
            (
                r#"{"rows":[["a"]]}"#,
                r#"the text "a" stands where a number belongs"#,
            ),
            (r#"{"rows":{}}"#, "an object stands where a list belongs"),
            (r#"{"rows":true}"#, "`true` stands where a list belongs"),
            (r#"{rows:1}"#, "a key is not in double quotes"),
            (
                r#"{"rwos":1}"#,
                "unknown key `rwos`, expected `path` or `rows`",
            ),
            (
                r#"{"path":"Cubic"}"#,
                "unknown word `Cubic`, expected `linear` or `cubic`",
            ),
            (r#"{"path":"cubic"}"#, "the key `rows` is missing"),
            (r#"{"rows":[],"rows":[]}"#, "the key `rows` stands twice"),
            (
                "{\"a\tb\":1}",
                "a text has a line end, a tab or the like; write it as `\\n` or `\\t`",
            ),
            (
                r#"{"path":"linear","rows":[]} x"#,
                "more stands behind the end of the value",
            ),
        ] {
            let error = serde_json::from_str::<Example>(text).unwrap_err();
            assert_eq!(json_words(&error), plain, "{text}: {error}");
        }
    }
}
