//! Programs that run together and carry stamps of one clock: how far apart they begin.

use super::part::ProgramPart;
use crate::findings::{Code, Diagnostic, Location, Severity};
use crate::run::Job;

/// What is open about when programs begin: two recordings with stamps 4 s apart may have run 4 s
/// apart, or be meant to begin together. Where somebody states an offset, or the delays that are
/// asked about cover the difference, nothing is.
pub(super) fn unstated_offsets(parts: &[ProgramPart], job: &Job) -> Vec<Diagnostic> {
    let stamped = |part: &'_ ProgramPart| part.program.stamp_ns;
    let Some(first) = parts.iter().find(|part| stamped(part).is_some()) else {
        return Vec::new();
    };
    let begins = stamped(first).unwrap_or_default();
    let covered_s = job.any_delay.unwrap_or(0.0);
    let mut open = Vec::new();
    for part in parts {
        let Some(stamp) = stamped(part) else {
            continue;
        };
        let later_s = (stamp - begins) as f64 / 1e9;
        let is_stated = first.named.offset_is_stated || part.named.offset_is_stated;
        if is_stated || later_s.abs() <= covered_s {
            continue;
        }
        let (early, late) = if later_s > 0.0 {
            (first, part)
        } else {
            (part, first)
        };
        open.push(Diagnostic {
            subject: late.program.source.display().to_string(),
            message: format!(
                "begins {} s after {} by its stamps, and together they are run from one instant: state which is meant, as in `--program {late}@{}s` or `--program {late}@0s`",
                later_s.abs(),
                early.program.source.display(),
                later_s.abs(),
                late = late.named,
            ),
            place: Some(Location::file(&late.program.source)),
            severity: Severity::Open,
            code: Code::UnstatedOffset,
        });
    }
    open
}
