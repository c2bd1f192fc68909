//! Words with which statements begin, and what stands outside brackets.

use clearance_proof::report::Location;

use crate::value::Fault;

/// Statements that are not read, and move the arm, change how it moves or let something else do so.
pub(super) const CHANGES_MOTION: [&str; 22] = [
    "RUN",
    "MONITOR",
    "ERROR_PROG",
    "RESUME_PROG",
    "SOFTFLOAT",
    "TRACK",
    "WEAVE",
    "FORCE",
    "SIMULTANEOUS",
    "INDEPENDENT",
    "AVC",
    "TOUCH START",
    "TOUCH OFFSET",
    "SEARCH START",
    // Of conveyors and cameras.
    "SELBOUND",
    "STOP_TRACKING",
    "VOFFSET",
    "$GROUP",
    "$MNUFRAME",
    "$MNUFRAMENUM",
    "$MNUTOOL",
    "$MNUTOOLNUM",
];

/// Whether a statement, which begins with this word, is one of the controller's own that no cell
/// file can call still.
pub(super) fn is_own(word: &str, text: &str) -> bool {
    let changes = |own: &&str| {
        let words = text.split(|c: char| !(is_of_word(c) || c == '$'));
        let mut words = words.filter(|word| !word.is_empty());
        let mut own = own.split(' ');
        own.all(|own| {
            words
                .next()
                .is_some_and(|word| own.eq_ignore_ascii_case(word))
        })
    };
    BEGINS.contains(&word) || CHANGES_MOTION.iter().any(changes) || FOREIGN.contains(&word)
}

/// Words of listings that controllers write in German, French, Spanish or Italian.
pub(super) const FOREIGN: [&str; 14] = [
    "BENUTZER_NUM",
    "WKZ_NUM",
    "TRAGLST",
    "AUFRUF",
    "WENN",
    "WARTE",
    "SPRINGE",
    "ENDE",
    "APPEL",
    "SI",
    "SAUT",
    "LLAMAR",
    "CHIAMA",
    "ATTESA",
];

/// Why a word of another language is not read.
pub(super) fn foreign(word: &str, place: &Location) -> Fault {
    let reason = format!(
        "`{word}`: the listing is written in another language than English; set the controller to English and save it again"
    );
    Fault::new(place, reason)
}

pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words with which another statement begins; none of them belongs behind one that is passed over.
const BEGINS: [&str; 24] = [
    "J",
    "L",
    "C",
    "A",
    "S",
    "JMP",
    "CALL",
    "RUN",
    "UFRAME_NUM",
    "UTOOL_NUM",
    "UFRAME",
    "UTOOL",
    "PR",
    "P",
    "OFFSET",
    "TOOL_OFFSET",
    "SKIP",
    "IF",
    "SELECT",
    "FOR",
    "LBL",
    "ABORT",
    "END",
    "ENDIF",
];

/// Whether another statement stands behind the first word of one.
pub(super) fn has_another(text: &str) -> bool {
    // The value that is assigned may be a position's number.
    let bare = outside_brackets(text);
    let bare = bare
        .split('=')
        .map(|part| part.trim_start().trim_start_matches("PR"));
    let bare: Vec<&str> = bare.collect();
    let bare = bare.join("=");
    let mut words = bare
        .split(|c: char| !is_of_word(c))
        .filter(|w| !w.is_empty());
    words.next();
    words.any(|word| BEGINS.contains(&word))
}

/// A statement without what stands in square brackets and quotes: names, texts and numbers.
pub(super) fn outside_brackets(text: &str) -> String {
    let (mut open, mut quoted) = (0_usize, false);
    let is_outside = |sign: &char| {
        match sign {
            '\'' if open == 0 => quoted = !quoted,
            '[' if !quoted => open += 1,
            ']' if !quoted => open = open.saturating_sub(1),
            _ => return open == 0 && !quoted,
        }
        // So that words before and behind are two.
        *sign == ']' || *sign == '\''
    };
    text.chars().filter(is_outside).collect()
}

/// A statement up to the first comma outside of brackets and quotes, and what stands behind it: names
/// of registers and texts may have commas.
pub(super) fn parted(text: &str) -> Option<(&str, &str)> {
    let (mut open, mut quoted) = (0_usize, false);
    let at = text.find(|sign: char| {
        match sign {
            '\'' if open == 0 => quoted = !quoted,
            '[' if !quoted => open += 1,
            ']' if !quoted => open = open.saturating_sub(1),
            _ => return sign == ',' && open == 0 && !quoted,
        }
        false
    })?;
    Some((&text[..at], text[at + 1..].trim()))
}

/// A WAIT up to the TIMEOUT outside of brackets and quotes, and what stands behind that word.
pub(super) fn timed_out(text: &str) -> (&str, Option<&str>) {
    const WORD: &str = "TIMEOUT";
    let mut words = text.match_indices(WORD);
    // Before one within brackets or quotes these are open.
    let found = words.find(|(at, _)| is_outside(&text[..*at]));
    match found {
        Some((at, _)) => (&text[..at], Some(text[at + WORD.len()..].trim_start())),
        None => (text, None),
    }
}

/// Whether brackets and quotes are closed at the end of a text.
fn is_outside(text: &str) -> bool {
    let (mut open, mut quoted) = (0_usize, false);
    for sign in text.chars() {
        match sign {
            '\'' if open == 0 => quoted = !quoted,
            '[' if !quoted => open += 1,
            ']' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open == 0 && !quoted
}

/// Whether nothing but arguments in parentheses stands behind the name of a program that is called.
pub(super) fn ends_call(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() {
        return true;
    }
    let mut open = 0_usize;
    let signs = text
        .char_indices()
        .filter(|(at, _)| is_outside(&text[..*at]));
    for (at, sign) in signs {
        match sign {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return sign == ')' && at + 1 == text.len();
        }
    }
    false
}

/// Whether a statement is for those who read the program.
pub(super) fn is_comment(text: &str) -> bool {
    text.is_empty() || text.starts_with(['!', '/']) || text.starts_with("--")
}
