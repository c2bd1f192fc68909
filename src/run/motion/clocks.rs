//! Programs that run together and carry stamps of one clock: how far apart they begin.

use super::part::ProgramPart;
use crate::findings::{Code, Diagnostic, Location, Severity};
use crate::run::Job;

/// Open questions about when programs begin: two recordings with stamps 4 s apart may have run 4 s
/// apart, or be meant to begin together. Where somebody states an offset, or the delays that are
/// asked about cover the difference, nothing is.
pub(super) fn unstated_offsets(parts: &[ProgramPart], job: &Job) -> Vec<Diagnostic> {
    // One whose offset nobody states is what the others are held against.
    let asked: Vec<(&ProgramPart, i128)> = (parts.iter())
        .filter(|part| !part.named.offset_is_stated)
        .filter_map(|part| Some((part, part.program.stamp_ns?)))
        .collect();
    let stamps = || asked.iter().map(|(_, stamp)| *stamp);
    let (Some(&(first, begins)), Some(earliest), Some(latest)) =
        (asked.first(), stamps().min(), stamps().max())
    else {
        return Vec::new();
    };
    // A delay is one of any two of them against each other.
    if (latest - earliest) as f64 / 1e9 <= job.any_delay.unwrap_or(0.0) {
        return Vec::new();
    }
    let mut open = Vec::new();
    for (part, stamp) in asked {
        let later_s = (stamp - begins) as f64 / 1e9;
        if later_s == 0.0 {
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
