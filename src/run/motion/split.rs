//! A recording that was split into several files: each is checked by itself, and the way from one to
//! the next by nobody.

use std::path::Path;

use clearance_formats::program::many;

use crate::findings::{Code, Diagnostic, Location, Severity};

/// What is not checked of a program that is a later part of a recording.
pub(super) fn way_between(program: &Path) -> Option<Diagnostic> {
    let part = many::later_part(program)?;
    Some(Diagnostic {
        code: Code::LateStart,
        severity: Severity::Unchecked,
        subject: "way from the part before".to_owned(),
        place: Some(Location::file(program)),
        message: format!(
            "part {} of a split recording: the way from the last state of `{}` to the first of this file is not checked; join \
             the files to check it",
            part.number, part.before
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_between_two_parts_is_said_not_to_be_checked() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["run_0.mcap", "run_1.mcap"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let said = |name: &str| way_between(&folder.path().join(name));
        assert_eq!(said("run_0.mcap#/joint_states"), None);
        let said = said("run_1.mcap#/joint_states").unwrap();
        assert_eq!(
            (said.code, said.severity),
            (Code::LateStart, Severity::Unchecked)
        );
        let start = "part 2 of a split recording: the way from the last state of `run_0.mcap`";
        assert!(said.message.starts_with(start), "{said:?}");
    }
}
