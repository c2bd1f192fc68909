//! Exit codes. Scripts rely on them: their meaning does not change.

use super::terminal::say_errors;
use crate::error::Error;
use crate::findings::{FailOn, Outcome, Tally};

/// Everything is clear, and within its limits.
pub const CLEAR: u8 = 0;
/// At least one collision, possible collision, undecided interval or violated limit.
pub const FOUND: u8 = 1;
/// Nothing worse was found, but something could not be verified: unreadable input, missing mesh,
/// unknown joint, no program, wrong usage.
pub const UNVERIFIED: u8 = 2;

/// The lines under `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0  everything is clear
  1  at least one collision, possible collision, undecided interval or violated limit
  2  nothing worse found, but something could not be verified (or wrong usage)
`check --fail-on` chooses which findings count; what is unverified always does.";

/// The code for an outcome. A run that gave no answer at all is never a success, whatever is asked
/// for.
pub fn code(outcome: &Outcome, fail_on: &FailOn) -> u8 {
    if outcome.programs.iter().any(|p| fail_on.found(p, outcome)) {
        FOUND
    } else if FailOn::nothing_answered(outcome) || outcome.programs.iter().any(FailOn::unanswered) {
        UNVERIFIED
    } else {
        CLEAR
    }
}

/// The code for a batch of which `run` is what its programs have in common; `incomplete`: some of
/// it has no results.
pub(super) fn batch_code(tally: &Tally, run: &Outcome, incomplete: bool, fail_on: &FailOn) -> u8 {
    if fail_on.found_among(tally, run) {
        FOUND
    } else if incomplete || tally.programs == 0 || FailOn::unanswered_among(tally) {
        UNVERIFIED
    } else {
        CLEAR
    }
}

/// The code of a run of which something could not be written, which is said here. What was found is
/// worse, and stays.
pub(super) fn despite(errors: impl IntoIterator<Item = Error>, code: u8) -> u8 {
    let mut errors = errors.into_iter().map(|why| why.to_string()).peekable();
    let code = match errors.peek() {
        Some(_) if code != FOUND => UNVERIFIED,
        _ => code,
    };
    say_errors(errors);
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An outcome in shorthand: `c`lear, `u`nverified, undecide`d`, `x` collision, `l` clear but
    /// beyond a limit, `n` clear with a near miss.
    fn outcome(programs: &str) -> Outcome {
        let verdict = |c| match c {
            'c' | 'l' | 'n' => "clear",
            'u' => "unverified",
            'd' => "undecided",
            _ => "collision",
        };
        let limit = r#"{"joint":"j","what":"position","time":0,"value":2,"limit":1}"#;
        let near = r#"{"a":"a","b":"b","warn":1,"entered":0,"left":1,"distance":0.5,"time":0,"segment":0,"fraction":0}"#;
        let entries: Vec<String> = programs
            .chars()
            .map(|c| {
                format!(
                    r#"{{"program":"p","verdict":"{}","limits":[{}],"near_misses":[{}],"statistics":{{"intervals":0,"distance_tests":0,
                    "triangle_tests":0,"pairs":0,"check_seconds":0}}}}"#,
                    verdict(c),
                    if c == 'l' { limit } else { "" },
                    if c == 'n' { near } else { "" }
                )
            })
            .collect();
        let worst = ['x', 'd', 'u']
            .into_iter()
            .find(|&c| programs.contains(c))
            .unwrap_or('c');
        let json = format!(
            r#"{{"schema":3,"tool":"clearance","version":"0","cell":"c","required_clearance":0,"resolution":1,"method":"m","shape":"s",
            "verdict":"{}","unchecked":[],"programs":[{}],"timing":{{"load_seconds":0,"tree_seconds":0,"check_seconds":0}}}}"#,
            verdict(worst),
            entries.join(",")
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn the_worst_finding_decides() {
        for (programs, expected) in [
            ("c", CLEAR),
            ("ccc", CLEAR),
            ("", UNVERIFIED),
            ("cu", UNVERIFIED),
            ("ux", FOUND),
            ("cd", FOUND),
            ("cl", FOUND),
            ("lu", FOUND),
        ] {
            let code = code(&outcome(programs), &FailOn::default());
            assert_eq!(code, expected, "{programs}");
        }
        let mut refused = outcome("c");
        refused.error = Some("cell".into());
        assert_eq!(code(&refused, &FailOn::default()), UNVERIFIED);
    }

    #[test]
    fn what_does_not_fail_does_not_count() {
        let nothing = FailOn {
            collision: false,
            near_miss: false,
            limit: false,
            suspicious: false,
            stated: true,
        };
        let limit = FailOn {
            limit: true,
            ..nothing
        };
        let near = FailOn {
            near_miss: true,
            ..nothing
        };
        for (programs, fail_on, expected) in [
            ("xdul", nothing, UNVERIFIED),
            ("xdl", nothing, CLEAR),
            // A question that could not be answered never passes, whatever was asked for.
            ("cu", nothing, UNVERIFIED),
            ("xdu", limit, UNVERIFIED),
            ("xdul", limit, FOUND),
            ("cn", near, FOUND),
            ("cn", FailOn::default(), CLEAR),
            ("", nothing, UNVERIFIED),
        ] {
            let code = code(&outcome(programs), &fail_on);
            assert_eq!(code, expected, "{programs} {fail_on:?}");
            // A batch is judged by its counts, with the same result.
            let mut tally = Tally::default();
            for program in &outcome(programs).programs {
                tally.add(program);
            }
            let code = batch_code(&tally, &outcome(programs), false, &fail_on);
            assert_eq!(code, expected, "{programs} {fail_on:?} counted");
        }
    }
}
