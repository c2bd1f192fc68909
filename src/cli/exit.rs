//! Exit codes. Scripts rely on them: their meaning does not change.

use crate::findings::{Outcome, Verdict};

/// Everything is clear, and within its limits.
pub const CLEAR: u8 = 0;
/// At least one collision, undecided stretch or violated limit.
pub const FOUND: u8 = 1;
/// Nothing worse was found, but something could not be verified: unreadable input, missing mesh, unknown joint, no program,
/// wrong usage.
pub const UNVERIFIED: u8 = 2;

/// The lines under `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0  everything is clear
  1  at least one collision, undecided stretch or violated limit
  2  nothing worse found, but something could not be verified (or wrong usage)";

/// The code for an outcome.
pub fn code(outcome: &Outcome) -> u8 {
    let found = outcome
        .programs
        .iter()
        .any(|p| p.verdict >= Verdict::Undecided || !p.limits.is_empty());
    // An answer about no program at all is none.
    let clear = outcome.error.is_none()
        && outcome.verdict == Verdict::Clear
        && !outcome.programs.is_empty()
        && outcome.programs.iter().all(|p| p.verdict == Verdict::Clear);
    match (found, clear) {
        (true, _) => FOUND,
        (false, true) => CLEAR,
        (false, false) => UNVERIFIED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An outcome in shorthand: `c`lear, `u`nverified, undecide`d`, `x` collision, `l` clear but beyond a limit.
    fn outcome(programs: &str) -> Outcome {
        let verdict = |c| match c {
            'c' | 'l' => "clear",
            'u' => "unverified",
            'd' => "undecided",
            _ => "collision",
        };
        let limit = r#"{"joint":"j","what":"position","time":0,"value":2,"limit":1}"#;
        let entries: Vec<String> = programs
            .chars()
            .map(|c| {
                format!(
                    r#"{{"program":"p","verdict":"{}","limits":[{}],"statistics":{{"intervals":0,"distance_tests":0,
                    "triangle_tests":0,"pairs":0,"check_seconds":0}}}}"#,
                    verdict(c),
                    if c == 'l' { limit } else { "" }
                )
            })
            .collect();
        let worst = ['x', 'd', 'u']
            .into_iter()
            .find(|&c| programs.contains(c))
            .unwrap_or('c');
        let json = format!(
            r#"{{"schema":1,"tool":"clearance","version":"0","cell":"c","clearance":0,"resolution":1,"method":"m","shape":"s",
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
            assert_eq!(code(&outcome(programs)), expected, "{programs}");
        }
        let mut refused = outcome("c");
        refused.error = Some("cell".into());
        assert_eq!(code(&refused), UNVERIFIED);
    }
}
