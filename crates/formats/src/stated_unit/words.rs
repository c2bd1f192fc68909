//! The words of a line.

/// What has a unit of its own, which is not that of the points: how these words begin.
const OTHER_QUANTITIES: [&str; 37] = [
    "accura",
    "amplitud",
    "angl",
    "angul",
    "color",
    "colour",
    "deviat",
    "diamet",
    "error",
    "genauigkeit",
    "grid",
    "intens",
    "noise",
    "normal",
    "orient",
    "precis",
    "radius",
    "reflect",
    "resol",
    "rms",
    "rotat",
    "sigma",
    "size",
    "spacing",
    "speed",
    "std",
    "step",
    "temperat",
    "thick",
    "time",
    "toleran",
    "uncertain",
    "veloc",
    "voxel",
    "weight",
    "winkel",
    "zeit",
];

/// A word, and where it stands in its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Word<'_> {
    pub(super) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }
}

/// The words of a text: `us-ft` is one, so is `0.001`, and `length_unit` are two.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '.';
    let mut found = Vec::new();
    let mut from = 0;
    for run in text.split(|c: char| !is_part(c)) {
        let word = run.trim_matches(['-', '.']);
        let start = from + (run.len() - run.trim_start_matches(['-', '.']).len());
        if !word.is_empty() {
            found.push(Word {
                text: word,
                start,
                end: start + word.len(),
            });
        }
        let behind = from + run.len();
        from = behind + text[behind..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

pub(super) fn is_one_of(word: &str, known: &[&str]) -> bool {
    let word = word.to_lowercase();
    known.contains(&word.as_str())
}

/// Whether one of the words names something else than lengths of the points.
pub(super) fn has_other_quantity(words: &[Word]) -> bool {
    words.iter().any(|word| {
        let word = word.text.to_lowercase();
        OTHER_QUANTITIES.iter().any(|other| word.starts_with(other))
    })
}
