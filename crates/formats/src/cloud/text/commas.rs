//! Lines of whole numbers between commas that may be decimal numbers with commas: `0,80,0,00,0,00`
//! is 0, 80, 0 or 0.80, 0.00, 0.00.

use std::collections::BTreeSet;

use crate::Problem;

/// The lines of a file, as far as they can be read in both ways.
pub(super) struct Commas {
    /// All lines so far can be.
    possible: bool,
    /// One of them has what is not written in a whole number: `00` behind a comma, or `-0`.
    unusual: bool,
    /// Digits behind the decimal commas.
    widths: BTreeSet<usize>,
}

impl Commas {
    pub(super) fn new() -> Self {
        Self {
            possible: true,
            unusual: false,
            widths: BTreeSet::new(),
        }
    }

    /// Looks at the line of a point.
    pub(super) fn look_at(&mut self, line: &str) {
        if !self.possible {
            return;
        }
        let words: Vec<&str> = line.split(',').map(str::trim).collect();
        let digits = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let fits = |pair: &[&str]| {
            digits(pair[0].strip_prefix(['-', '+']).unwrap_or(pair[0])) && digits(pair[1])
        };
        let pairs = || words.chunks(2).take(3);
        self.possible = words.len() >= 6 && words.len().is_multiple_of(2) && pairs().all(fits);
        if !self.possible {
            return;
        }
        for pair in pairs() {
            let behind = pair[1];
            self.unusual |= pair[0] == "-0" || behind.len() > 1 && behind.starts_with('0');
            self.widths.insert(behind.len());
        }
    }

    /// The problem of a file whose numbers may have decimal commas. Whole numbers with colours
    /// behind them have no zeros in front, nor as many digits everywhere.
    pub(super) fn doubt(&self) -> Option<Problem> {
        let doubtful = self.possible && (self.unusual || self.widths.len() == 1);
        doubtful.then(|| Problem::Syntax {
            cause: "commas between columns, or within numbers: no coordinate of the file has a decimal point".to_owned(),
            remedy: "write decimal points, or separate columns by blanks or semicolons; if these are whole numbers, name \
                     all columns in a line above them: x,y,z,…"
                .to_owned(),
        })
    }
}
