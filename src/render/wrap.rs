//! Lines no longer than a terminal is wide.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::printable::no_command;

/// Narrower than this nothing is readable any more: such a width is taken for this one.
const LEAST: usize = 40;

/// The line, broken at spaces where it is wider than `width` columns; what follows is moved in by
/// `inset` columns. Words that are longer than a line are cut.
pub(super) fn wrap(line: &str, width: Option<usize>, inset: usize) -> String {
    let Some(width) = width.map(|w| w.max(LEAST)) else {
        return line.to_owned();
    };
    if line.width() <= width {
        return line.to_owned();
    }
    let mut done: Vec<String> = Vec::new();
    // The space in front of the first word, and columns that stand apart, stay as they are.
    let mut now = String::new();
    let mut wide = 0;
    for word in line.split_inclusive(' ') {
        let bare = word.trim_end();
        if wide + bare.width() > width && !now.trim().is_empty() {
            let next = " ".repeat(inset);
            done.push(std::mem::replace(&mut now, next));
            wide = inset;
        }
        for c in word.chars() {
            let columns = c.width().unwrap_or(0);
            if wide + columns > width && c != ' ' {
                let next = " ".repeat(inset);
                done.push(std::mem::replace(&mut now, next));
                wide = inset;
            }
            now.push(c);
            wide += columns;
        }
    }
    done.push(now);
    let lines = done.iter().map(|l| no_command(l.trim_end().to_owned()));
    lines
        .filter(|l| !l.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// A text of paragraphs and tables: paragraphs are wrapped, tables (their lines are indented) stay
/// as they are.
pub fn wrap_paragraphs(text: &str, width: Option<usize>) -> String {
    let lines = text.lines().map(|line| {
        if line.starts_with(' ') {
            line.to_owned()
        } else {
            wrap(line, width, 4)
        }
    });
    lines.map(|l| l + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_spaces_and_lose_nothing() {
        let line = "  near miss  arm/link_4 – gripper: nearer than 20 mm from 1.200 s until 1.900 s, 箱 12.3 mm at 1.500 s";
        assert_eq!(wrap(line, None, 13), line);
        assert_eq!(wrap(line, Some(200), 13), line);
        for width in [40, 57, 80] {
            let text = wrap(line, Some(width), 13);
            assert!(text.lines().count() > 1);
            for (k, part) in text.lines().enumerate() {
                assert!(part.width() <= width, "{width}: {part}");
                assert_eq!(part.starts_with("             "), k > 0, "{part}");
            }
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(words(&text), words(line));
        }
    }

    #[test]
    fn a_word_that_is_longer_than_a_line_is_cut() {
        let line = format!("why        {}", "x".repeat(100));
        let text = wrap(&line, Some(60), 4);
        assert!(text.lines().all(|l| l.width() <= 60), "{text}");
        assert_eq!(text.matches('x').count(), 100);
    }

    #[test]
    fn no_break_makes_a_command_of_a_name() {
        let line = format!("{} ::error file=x::boo", "x".repeat(36));
        let text = wrap(&line, Some(40), 4);
        assert!(text.contains("\n    \\x3a:error"), "{text}");
    }

    #[test]
    fn tables_stay_whole() {
        let row = format!("  body  {}", "1 ".repeat(60));
        let text = wrap_paragraphs(&format!("{row}\n{}\n", "word ".repeat(30)), Some(60));
        assert_eq!(text.lines().next(), Some(row.trim_end_matches('\n')));
        assert!(text.lines().skip(1).all(|l| l.width() <= 60), "{text}");
    }
}
