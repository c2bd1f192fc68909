//! Lines of an input that may send anything.

use std::io::{BufRead, ErrorKind, Read};

/// A line as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Its text, without the line end.
    Text(String),
    /// Why it is none.
    Broken(String),
}

/// The next line, or `None` at the end of the input. What is longer than `most` bytes is passed
/// over up to the line end: what sends none would fill the memory.
///
/// # Errors
/// When the input cannot be read.
pub fn next_line(input: &mut impl BufRead, most: u64) -> std::io::Result<Option<Line>> {
    let mut line = Vec::new();
    // One more for the line end.
    input.take(most + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 > most {
        pass_over(input)?;
        return Ok(Some(Line::Broken(format!(
            "the line has more than {most} bytes, the most that is read of one; send less in one line, and end each line with a line end"
        ))));
    }
    Ok(Some(match String::from_utf8(line) {
        Ok(text) => Line::Text(text),
        Err(_) => Line::Broken("the line is not UTF-8; write JSON in UTF-8".to_owned()),
    }))
}

/// The first line of an input without the byte-order mark that some programs put in front.
pub fn without_mark(line: Line) -> Line {
    match line {
        Line::Text(text) => match text.strip_prefix('\u{feff}') {
            Some(rest) => Line::Text(rest.to_owned()),
            None => Line::Text(text),
        },
        broken => broken,
    }
}

/// Takes everything up to the next line end.
fn pass_over(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let held = match input.fill_buf() {
            Ok(held) => held,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let end = held.iter().position(|&byte| byte == b'\n');
        let (taken, done) = match end {
            Some(at) => (at + 1, true),
            None => (held.len(), held.is_empty()),
        };
        input.consume(taken);
        if done {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_none_costs_no_other() {
        let input = b"1\n\n12345\r\n123456789\n\xff\n123456\nlast";
        let mut input = std::io::BufReader::with_capacity(3, &input[..]);
        let mut taken = Vec::new();
        while let Some(line) = next_line(&mut input, 6).unwrap() {
            taken.push(match line {
                Line::Text(text) => text,
                Line::Broken(why) => why[..20].to_owned(),
            });
        }
        assert_eq!(
            taken,
            [
                "1",
                "",
                "12345\r",
                "the line has more th",
                "the line is not UTF-",
                "123456",
                "last"
            ]
        );
    }
}
