//! The forms of instructions that are passed over. A macro stands in a listing by words that its
//! author chooses, and these may begin like an instruction (`UNLOCK TOOL 2`, `WAIT AT HOME`), so
//! what stands behind the first word counts too.

use super::expression::{SIGNALS, is_edge};
use super::words::ends_call;
use crate::lines::DEEPEST;
use crate::lines::cursor::LineCursor;

/// Whether a statement neither moves the arm nor changes what does, by its first word and the form
/// of what stands behind it.
pub(super) fn is_instruction(word: &str, after: &LineCursor) -> bool {
    let rest = after.rest();
    match word {
        "OVERRIDE" | "LINEAR_MAX_SPEED" | "$WAITTMOUT" => rest.starts_with('='),
        "PAYLOAD" | "MESSAGE" | "UALM" | "PRINT" | "JOINT_MAX_SPEED" | "RSR" => {
            rest.starts_with('[')
        }
        "COL" => {
            let adjusted = rest.strip_prefix("GUARD ADJUST").map(str::trim);
            let is_value =
                |by: &str| by.is_empty() || by.starts_with("R[") || by.parse::<f64>().is_ok();
            ["DETECT ON", "DETECT OFF"].contains(&rest) || adjusted.is_some_and(is_value)
        }
        "LOCK" | "UNLOCK" => rest == "PREG" || rest == "VREG",
        // The arm waits where it is on its path while a condition does not hold.
        "TC_ONLINE" => {
            ["ON", "OFF", "ENABLE", "DISABLE"].contains(&rest)
                || rest.starts_with('(') && ends_call(rest)
        }
        _ => SIGNALS.contains(&word) && rest.starts_with('['),
    }
}

/// Whether a statement ends a mode that it does not begin: `Weave End`, `SOFTFLOAT END`. A program
/// that has begun one is not followed to its end.
pub(super) fn ends_mode(word: &str, after: &LineCursor) -> bool {
    let modes = ["WEAVE", "TRACK", "SOFTFLOAT"];
    modes.iter().any(|mode| mode.eq_ignore_ascii_case(word))
        && after.rest().eq_ignore_ascii_case("END")
}

/// Whether a WAIT, up to its TIMEOUT, waits for a time or a condition.
pub(super) fn is_wait(asked: &str) -> bool {
    let mut cursor = LineCursor::new(asked);
    cursor.eat_word("WAIT") && is_condition(&mut cursor, 0) && {
        cursor.eat("(sec)");
        cursor.is_done()
    }
}

/// Whether nothing but a condition stands behind SKIP CONDITION.
pub(super) fn is_skip(mut after: LineCursor) -> bool {
    after.eat_word("CONDITION") && is_condition(&mut after, 0) && after.is_done()
}

/// Whether a statement is made of words alone, with or without arguments, as macros are: no
/// instruction that takes a condition is.
pub(super) fn is_macro(text: &str) -> bool {
    let words = text.split('(').next().unwrap_or_default();
    let mut behind = LineCursor::new(words);
    behind.word();
    let of_name = |c: char| c.is_alphanumeric() || " _-.#&".contains(c);
    words.chars().all(of_name) && behind.rest().contains(char::is_alphabetic)
}

/// Reads values with signs between them.
fn is_condition(cursor: &mut LineCursor, depth: usize) -> bool {
    const SIGNS: [&str; 10] = ["<>", "<=", ">=", "=", "<", ">", "+", "-", "*", "/"];
    const WORDS: [&str; 4] = ["AND", "OR", "DIV", "MOD"];
    while is_edge(cursor) || is_value(cursor, depth) {
        let goes_on =
            SIGNS.iter().any(|sign| cursor.eat(sign)) || WORDS.iter().any(|w| cursor.eat_word(w));
        if !goes_on {
            return true;
        }
    }
    false
}

fn is_value(cursor: &mut LineCursor, depth: usize) -> bool {
    while cursor.eat("!") || cursor.eat("-") {}
    if cursor.eat("(") {
        return depth < DEEPEST && is_condition(cursor, depth + 1) && cursor.eat(")");
    }
    if cursor.eat("'") {
        cursor.until(|c| c == '\'');
        return cursor.eat("'");
    }
    if cursor.number().is_some() {
        return true;
    }
    let word = cursor.word();
    if word.starts_with('$') {
        cursor.until(|c| " ,=<>()+-*/".contains(c));
        return true;
    }
    let is_named = ["ON", "OFF"].contains(&word) || SIGNALS.contains(&word);
    let mut is_numbered = false;
    while !word.is_empty() && cursor.rest().starts_with('[') {
        if !is_bracketed(cursor) {
            return false;
        }
        is_numbered = true;
    }
    is_named || is_numbered
}

/// Reads brackets with all that is in them.
fn is_bracketed(cursor: &mut LineCursor) -> bool {
    let mut open = 0_usize;
    loop {
        match () {
            () if cursor.eat("[") => open += 1,
            () if cursor.eat("]") => open -= 1,
            () if cursor.is_done() => return false,
            () => {}
        }
        if open == 0 {
            return true;
        }
        cursor.until(|c| c == '[' || c == ']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_told_from_macros() {
        for text in [
            "WAIT   .50(sec)",
            "WAIT 1.00 (sec)",
            "WAIT R[1:time]",
            "WAIT R[1](sec)",
            "WAIT AR[1]",
            "WAIT (DI[1:a (b)] AND !DI[R[2]] OR (TIMER[1]>=2.5))",
            "WAIT DI[1:ON:AT HOME]=ON+",
            "WAIT DO[1]=OFF OR DO[2]=ON- OR ERR_NUM=12",
            "WAIT $MISC[1].$HPD_TRQ[2]>R[3]",
            "WAIT SR[1]='a b'",
            "WAIT GI[1]<>R[2]+-3 MOD 2",
            "WAIT SEMAPHORE[1]",
        ] {
            assert!(is_wait(text) && !is_macro(text), "{text}");
        }
        for text in [
            "WAIT AT HOME",
            "WAIT HOME",
            "WAIT AT HOME(1,R[2])",
            "WAIT 2 SECONDS",
            "WAIT UNTIL DOOR-2 OPEN",
        ] {
            assert!(!is_wait(text) && is_macro(text), "{text}");
        }
        for text in [
            "WAIT",
            "WAIT DI[1]=",
            "WAIT DI[1]=ON DO[1]=ON",
            "WAIT (DI[1]",
        ] {
            assert!(!is_wait(text) && !is_macro(text), "{text}");
        }
    }
}
