//! `clearance explain`: what a word of a report means, as the page of findings says it.

use clap::Args;
use clearance_formats::suggestion;

use super::exit;
use super::terminal::print;
use crate::error::Error;

const PAGE: &str = include_str!("../../docs/findings.md");

/// Print what a word of a report means, and what to do
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A verdict or a code, such as `unknown-motion`; without one all of them are listed
    word: Option<String>,
}

impl Explain {
    pub(super) fn run(self) -> Result<u8, Error> {
        let words = || entries().map(|(word, _)| word);
        let said = match self.word.as_deref().map(|word| word.trim_matches('`')) {
            None => words().fold(String::new(), |list, word| list + word + "\n"),
            Some(word) => match entries()
                .chain(sections())
                .find(|(known, _)| means(word, known))
            {
                Some((word, text)) => format!("{word}\n\n{}\n", without_links(text)),
                None => {
                    let known: Vec<&str> = words().collect();
                    let near = suggestion(word, known);
                    return Err(Error::usage(format!(
                        "`{word}` is no verdict and no code of a report; {near}"
                    )));
                }
            },
        };
        print(&said)?;
        Ok(exit::CLEAR)
    }
}

/// The words that have a heading of their own, and the text below each.
fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = PAGE.split("\n### `").skip(1);
    sections.filter_map(|section| {
        let (word, text) = section.split_once("`\n")?;
        let end = text.find("\n#").unwrap_or(text.len());
        Some((word, text[..end].trim()))
    })
}

/// The sections about findings that are no code: `Limits`, `Near misses`, `Notices`.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = PAGE.split("\n## ").skip(1);
    sections.filter_map(|section| {
        let (title, text) = section.split_once('\n')?;
        let end = text.find("\n#").unwrap_or(text.len());
        Some((title, text[..end].trim()))
    })
}

/// Whether a word of a report means what a heading is about: `LIMIT`, `near-miss`.
fn means(word: &str, heading: &str) -> bool {
    let [word, heading] = [word, heading].map(|text| text.to_lowercase().replace(['-', '_'], " "));
    let plural = heading.strip_prefix(&*word);
    plural.is_some_and(|rest| ["", "s", "es"].contains(&rest))
}

/// The text of links without where they go: whoever reads this may not have the pages.
fn without_links(text: &str) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let Some((_, behind)) = after.split_once(')') else {
            break;
        };
        said += before;
        if let Some(begin) = opening_bracket(&said) {
            said.remove(begin);
        }
        rest = behind;
    }
    said + rest
}

/// Where the bracket begins that is open at the end.
fn opening_bracket(text: &str) -> Option<usize> {
    let mut closed = 0;
    text.rmatch_indices(['[', ']']).find_map(|(at, bracket)| {
        match (bracket, closed) {
            ("]", _) => closed += 1,
            (_, 0) => return Some(at),
            _ => closed -= 1,
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_whole_and_leads_nowhere() {
        for (word, text) in entries() {
            let said = without_links(text);
            assert!(!said.is_empty() && !said.contains("]("), "{word}: {said}");
            assert!(!said.contains("\n#"), "{word}: {said}");
        }
    }

    #[test]
    fn brackets_that_are_no_links_stay() {
        let text = "see [`[check]` of\nthe cell](cell.md#check) and `[[pair]]`";
        let said = "see `[check]` of\nthe cell and `[[pair]]`";
        assert_eq!(without_links(text), said);
    }
}
