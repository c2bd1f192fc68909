//! Fields of tables of text: what separates them, quotes, and numbers in them.

use std::path::Path;

use super::column_head::bad;
use crate::ImportError;

/// A finite number in the base unit, or what stands there and what to do. `scale`: the unit as a
/// fraction of the base unit.
pub(super) fn finite(field: &str, scale: (f64, f64)) -> Result<f64, (String, &'static str)> {
    // Only together with its unit is a number known to be finite.
    let remedy = match field.parse::<f64>().map(|x| x * scale.0 / scale.1) {
        Ok(value) if value.is_finite() => return Ok(value),
        Ok(_) => "give a finite number",
        Err(_) if field.is_empty() => "give a number",
        Err(_) if field.replacen(',', ".", 1).parse::<f64>().is_ok() => {
            "decimal commas are not read: write 1.5, not 1,5"
        }
        Err(_) => {
            "give a plain number such as -1.5 or 2e-3; units go into the header, as in `name[deg]`"
        }
    };
    let value = if field.is_empty() {
        "missing".to_owned()
    } else {
        format!("`{}`", field.chars().take(40).collect::<String>())
    };
    Err((value, remedy))
}

/// Whether something stands between a closing quote and the next separator: it would be joined to
/// what stands in the quotes.
pub(super) fn has_text_behind_quotes(line: &[u8], separator: u8) -> bool {
    let ends = |byte: u8| byte == separator || byte == b'\r' || byte == b'\n';
    let (mut starts, mut at) = (true, 0);
    while let Some(&byte) = line.get(at) {
        // Comments stand before the row.
        if byte == b'#'
            && at
                .checked_sub(1)
                .is_none_or(|k| [b'\r', b'\n'].contains(&line[k]))
        {
            let end = line[at..].iter().position(|&byte| byte == b'\n');
            at = end.map_or(line.len(), |end| at + end);
            continue;
        }
        at += 1;
        if !starts || byte != b'"' {
            starts = ends(byte);
            continue;
        }
        // To the closing quote: two of them are one that is meant.
        while let Some(&byte) = line.get(at) {
            at += 1;
            if byte == b'"' && line.get(at) != Some(&b'"') {
                break;
            }
            at += usize::from(byte == b'"');
        }
        let rest = line[at..].iter().find(|&&byte| byte != b' ');
        if rest.is_some_and(|&byte| !ends(byte)) {
            return true;
        }
        starts = false;
    }
    false
}

/// The bytes of a line but for those of quoted fields: a name in quotes may hold any separator.
pub(super) fn outside_quotes(line: &str) -> impl Iterator<Item = u8> {
    let mut quoted = false;
    let mut before = b',';
    line.trim_start_matches('\u{feff}')
        .bytes()
        .filter(move |&byte| {
            // A quote opens a field at its start only; a doubled one inside closes and opens it
            // again.
            let opens = byte == b'"' && matches!(before, b',' | b';' | b'\t' | b'"');
            quoted = if quoted { byte != b'"' } else { opens };
            before = byte;
            !quoted
        })
}

/// The character that separates the columns: the header tells.
pub(super) fn separator(path: &Path, text: &str) -> Result<u8, ImportError> {
    let Some((number, header)) = text
        .lines()
        .enumerate()
        .find(|(_, l)| !l.trim().is_empty() && !l.trim_start().starts_with('#'))
    else {
        return Ok(b',');
    };
    let found: Vec<u8> = [b',', b';', b'\t']
        .into_iter()
        .filter(|s| outside_quotes(header.trim_end()).any(|b| b == *s))
        .collect();
    let blanks = || header.split_whitespace().nth(1).is_some();
    match found.as_slice() {
        [] if blanks() && outside_quotes(header.trim()).any(|b| b == b' ') => Err(ImportError::at(
            path,
            number + 1,
            None,
            bad(
                "the columns are separated by blanks",
                "separate them by commas, semicolons or tabs",
            ),
        )),
        [] => Ok(b','),
        [one] => Ok(*one),
        _ => Err(ImportError::at(
            path,
            number + 1,
            None,
            bad(
                "the header mixes commas, semicolons and tabs",
                "separate all columns by commas",
            ),
        )),
    }
}
