//! Instructions by their words: which are passed over, which change variables, and what is said of
//! those that are not followed.

use clearance_proof::report::Location;

use crate::controller::STILL;
use crate::value::Fault;

/// Instructions that neither move the arm nor change what does.
pub(super) const PASSED_OVER: [&str; 13] = [
    "NOP", "DOUT", "TIMER", "PULSE", "AOUT", "MSG", "ADVINIT", "ADVSTOP", "SPEED", "SFTOF",
    // It ends a weaving that the job has not begun: one that has is not followed to there.
    "WVOF", "PRINT", // Waits for the end of a move with NWAIT.
    "CWAIT",
];

/// Instructions that change the variable or position that they name first.
pub(super) const FORGETS: [&str; 19] = [
    "DIN", "GETS", "GETE", "SETE", "GETPOS", "CNVRT", "GETFILE", "SQRT", "SIN", "COS", "ATAN",
    "AND", "OR", "NOT", "XOR", "MULMAT", "INVMAT", "VAL", "LEN",
];

/// Refuses a line that has more than a label.
pub(super) fn stands_alone(label: &str, place: &Location) -> Result<(), Fault> {
    if label.trim().contains(char::is_whitespace) {
        let reason = "more than a label stands in the line of a label";
        return Err(Fault::new(place, reason));
    }
    Ok(())
}

/// Words with which another instruction begins.
pub(super) const BEGINS: [&str; 22] = [
    "MOVJ", "MOVL", "MOVC", "MOVS", "IMOV", "REFP", "JUMP", "CALL", "RET", "END", "ABORT", "SET",
    "ADD", "SUB", "MUL", "DIV", "INC", "DEC", "CLEAR", "SFTON", "PSTART", "IF",
];

/// Whether an instruction that is to be passed over names a position, as a move by another name
/// would, or another instruction or a label to jump to stands behind it. Texts may say anything.
pub(super) fn has_another(word: &str, rest: &str) -> bool {
    let is_point = |word: &str| {
        let kinds = ["BC", "EC", "BP", "EX", "LP", "C", "P"];
        let number = kinds.iter().find_map(|kind| word.strip_prefix(kind));
        number.is_some_and(|number| {
            number.starts_with('[')
                || number.len() >= 3 && number.bytes().all(|b| b.is_ascii_digit())
        })
    };
    let is_label = |word: &str| word.len() > 1 && word.starts_with('*');
    let mut words = rest.split_whitespace();
    !["MSG", "PRINT"].contains(&word)
        && words.any(|word| is_point(word) || is_label(word) || BEGINS.contains(&word))
}

/// Instructions that are not read, and move the arm, change how it moves or lead elsewhere, whatever
/// their arguments.
pub(super) const CHANGES_MOTION: [&str; 23] = [
    "SMOVJ",
    "SMOVL",
    "SMOVC",
    "SYMOVJ",
    "SYMOVL",
    "SYMOVC",
    "SYSTART",
    "SVSPOTMOV",
    "CVSHIFT",
    "EIMOVL",
    "EIMOVC",
    "MSHIFT",
    "WVON",
    "COMARCON",
    "MFRAME",
    "SETUF",
    "SETTOOL",
    "FOR",
    "NEXT",
    "SWITCH",
    "CASE",
    "DEFAULT",
    "ENDSWITCH",
];

/// Whether an instruction is one of the controller's own that no cell file can call still.
pub(super) fn is_own(word: &str) -> bool {
    [&BEGINS[..], &PASSED_OVER, &FORGETS, &CHANGES_MOTION]
        .into_iter()
        .any(|words| words.contains(&word))
}

/// Why an instruction is not followed.
pub(super) fn why_not_followed(line: &str, word: &str) -> String {
    match word {
        "MOVS" => "the curve of MOVS is not known".to_owned(),
        "SFTON" | "MSHIFT" => "positions that are shifted are not read".to_owned(),
        "PSTART" => "other jobs run at the same time".to_owned(),
        "ARCON" | "ARCOF" => format!(
            "`{word}` may change how the arm moves; if the welding that begins and ends so {STILL}, also where the arc does not begin at once, write `still = [\"ARCON\", \"ARCOF\"]` in the robot's `controller`"
        ),
        "REFP" | "WVON" => format!("`{word}` may change how the arm moves"),
        "SMOVL" | "SMOVC" => "moves of one arm with another are not read".to_owned(),
        "MFRAME" | "SETUF" => "a user frame is made while the program runs".to_owned(),
        _ => {
            let reason = format!(
                "`{line}` is not understood, and could move the arm or change how it moves"
            );
            let rest = line.trim_start().strip_prefix(word).unwrap_or_default();
            if word.is_empty() || is_own(word) || has_another(word, rest) {
                return reason;
            }
            format!(
                "{reason}; if every `{word}` {STILL}, write `still = [\"{word}\"]` in the robot's `controller`"
            )
        }
    }
}

pub(super) fn names_variable(text: &str) -> bool {
    let mut pairs = text.as_bytes().windows(2);
    pairs.any(|two| b"BIDR".contains(&two[0]) && (two[1].is_ascii_digit() || two[1] == b'['))
}
