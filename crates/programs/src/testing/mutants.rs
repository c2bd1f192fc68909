//! Programs with one word changed.

use clearance_formats::ImportError;
use clearance_proof::model::moves::MoveProgram;

use crate::Reading;

/// A program with one word changed: what was done, where, and the new text.
pub(crate) struct Mutant {
    pub(crate) done: &'static str,
    /// The word as it was.
    pub(crate) word: String,
    /// Where it begins.
    pub(crate) at: usize,
    /// Its line, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// Every word deleted, doubled, renamed (a number: changed by one), and swapped with the next one
/// and with the one after. `words` says where each begins and ends.
pub(crate) fn mutants(text: &str, words: &[(usize, usize)]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (k, &(start, end)) in words.iter().enumerate() {
        let word = &text[start..end];
        let mut add = |done, new: String| {
            mutants.push(Mutant {
                done,
                word: word.to_owned(),
                at: start,
                line: 1 + text[..start].matches('\n').count(),
                text: new,
            });
        };
        let put = |new: &str| format!("{}{new}{}", &text[..start], &text[end..]);
        add("deleted", put(""));
        add("doubled", put(&format!("{word} {word}")));
        match word.parse::<f64>() {
            Ok(number) => add("renamed", put(&(number + 1.0).to_string())),
            Err(_) => add("renamed", put(&format!("{word}X"))),
        }
        for (done, by) in [("swapped", 1), ("swapped far", 2)] {
            if let Some(&(from, to)) = words.get(k + by) {
                let (between, other) = (&text[end..from], &text[from..to]);
                add(
                    done,
                    format!("{}{other}{between}{word}{}", &text[..start], &text[to..]),
                );
            }
        }
    }
    mutants
}

/// What came of reading a mutant: every error says something, and every reason has a line. Answers
/// its ways, if it is a program.
pub(crate) fn judged(
    mutant: &Mutant,
    reading: Result<Reading, ImportError>,
) -> Option<Vec<MoveProgram>> {
    let change = || format!("`{}` {} in\n{}", mutant.word, mutant.done, mutant.text);
    match reading {
        Ok(reading) => {
            for unknown in reading.ways.iter().flat_map(|w| &w.unknown) {
                assert!(unknown.place.line.is_some(), "{unknown:?} of {}", change());
                assert!(!unknown.reason.is_empty());
            }
            Some(reading.ways)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty(), "{}", change());
            None
        }
    }
}
