//! `--fail-on`: what makes a run fail, and whether anybody looks for it.

use clearance_formats::suggestion;

use crate::error::Error;
use crate::findings::{Code, FailOn, Outcome, Verdict};

/// A list such as `collision,limit`.
pub(super) fn fail_on(text: &str) -> Result<FailOn, Error> {
    let mut chosen = FailOn {
        collision: false,
        near_miss: false,
        limit: false,
        suspicious: false,
        stated: true,
    };
    let words = text.split(',').map(str::trim);
    // Who names nothing else wants more to fail, not less.
    if words.clone().all(|word| word == "unverified") {
        return Ok(FailOn {
            stated: true,
            ..FailOn::default()
        });
    }
    for word in words {
        match word {
            "collision" => chosen.collision = true,
            // Nearer than the threshold is nearer than the warn distance.
            "near-miss" => (chosen.near_miss, chosen.collision) = (true, true),
            "limit" => chosen.limit = true,
            // Who asks for more than usual does not mean to let contacts pass.
            "suspicious" => (chosen.suspicious, chosen.collision) = (true, true),
            // Older scripts name it: it always fails, whether or not it is named.
            "unverified" => {}
            _ => {
                let known = [
                    "collision",
                    "near-miss",
                    "limit",
                    "suspicious",
                    "unverified",
                ];
                return Err(Error::usage(format!(
                    "unknown finding `{word}`; {}",
                    suggestion(word, known)
                )));
            }
        }
    }
    Ok(chosen)
}

/// The outcome, with an error where the user names findings that nobody has looked for: they would
/// pass for absent.
pub(super) fn with_what_is_idle(fail_on: &FailOn, outcome: Outcome) -> Outcome {
    match idle(fail_on, &outcome) {
        Some(why) => Outcome {
            verdict: outcome.verdict.max(Verdict::Unverified),
            error: Some(why),
            ..outcome
        },
        None => outcome,
    }
}

/// What is named and was not looked for, with the remedy.
pub(super) fn idle(fail_on: &FailOn, outcome: &Outcome) -> Option<String> {
    if outcome.error.is_some() {
        return None;
    }
    if fail_on.near_miss && outcome.warn_pairs == 0 {
        return Some(
            "`--fail-on near-miss` asks for near misses, but no pair has a warn distance: give one with `--warn LEN`, or `warn` \
             under [check] in the cell file"
                .to_owned(),
        );
    }
    let mut unchecked = outcome.unchecked.iter();
    let unjudged = unchecked.find(|d| d.code == Code::UnjudgedLimits)?;
    (fail_on.limit && fail_on.stated).then(|| {
        format!(
            "`--fail-on limit` asks for joint limits, but they are not checked ({}): have them checked, or leave `limit` out of \
             the list",
            unjudged.message
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_a_run_fail() {
        let collision = FailOn {
            collision: true,
            near_miss: false,
            limit: false,
            suspicious: false,
            stated: true,
        };
        assert_eq!(fail_on("collision"), Ok(collision));
        let suspicious = FailOn {
            suspicious: true,
            ..collision
        };
        assert_eq!(fail_on("suspicious"), Ok(suspicious));
        let near = FailOn {
            near_miss: true,
            ..collision
        };
        assert_eq!(fail_on("near-miss"), Ok(near));
        let usual = FailOn {
            stated: true,
            ..FailOn::default()
        };
        assert_eq!(fail_on("unverified, limit,collision"), Ok(usual));
        assert_eq!(fail_on("unverified"), Ok(usual));
        let typo = fail_on("colision").unwrap_err().to_string();
        assert!(typo.contains("did you mean `collision`?"), "{typo}");
        assert!(fail_on("").is_err());
    }
}
