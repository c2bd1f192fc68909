//! Notices that a reader must see first: one entry for each code, and how it is said in a line.

use crate::findings::{Code, Diagnostic, Outcome};

/// A code and what it stands for.
pub(super) struct NoticeKind {
    pub code: &'static str,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
    /// The remedy.
    pub remedy: &'static str,
}

/// Every code that notices have; what bears none of these is [`OTHER`].
pub(super) const KINDS: [NoticeKind; 23] = [
    NoticeKind {
        code: "up-axis",
        meaning: "A COLLADA mesh states an up axis, and the two ways to read it differ.",
        remedy: "Say in the cell file which one is meant: `dae_up_axis = \"ignore\"` (as RViz and MoveIt do) or `\"apply\"` under [[robot]], or beside the `mesh` of a body.",
    },
    NoticeKind {
        code: "mesh-file",
        meaning: "A mesh file can be read in two ways, and the body is another one by each.",
        remedy: "Do what the message says: state the `scale`, or triangulate the mesh in the program that wrote it.",
    },
    NoticeKind {
        code: "cloud-file",
        meaning: "The balls of a point cloud do not touch one another.",
        remedy: "State a larger `radius`, or use a denser scan.",
    },
    NoticeKind {
        code: "suspicious-scale",
        meaning: "The size of a body does not fit the robot or its neighbours.",
        remedy: "Correct the `scale`, or state it where it is meant.",
    },
    NoticeKind {
        code: "suspicious-place",
        meaning: "A body stands where nothing can reach it.",
        remedy: "Look whether its pose is in metres, and in the frame that is meant.",
    },
    NoticeKind {
        code: "suspicious-rpy",
        meaning: "The angles of a pose are larger than a full turn.",
        remedy: "Angles are radians; write `\"90deg\"` in a cell file where degrees are meant.",
    },
    NoticeKind {
        code: "suspicious-angles",
        meaning: "The joint values of a program look like radians, and its header says degrees.",
        remedy: "Write `[rad]` in the header where radians are meant.",
    },
    NoticeKind {
        code: "misspelt-attribute",
        meaning: "An attribute of a URDF has a slip in its name, and what it states is missing.",
        remedy: "Correct its name, or take it out.",
    },
    NoticeKind {
        code: "misplaced-element",
        meaning: "Shapes or places of the robot stand where a URDF is not read.",
        remedy: "Put them where they belong (a shape into `<collision>`), or take them out.",
    },
    NoticeKind {
        code: "suspicious-limits",
        meaning: "The limits of turning joints look like degrees.",
        remedy: "Write them in radians in the URDF.",
    },
    NoticeKind {
        code: "suspicious-clearance",
        meaning: "The threshold does not fit the robot.",
        remedy: "A number without a unit is metres: write `5mm` where millimetres are meant.",
    },
    NoticeKind {
        code: "suspicious-times",
        meaning: "A table states no unit of its times, and read as seconds they make everything very slow.",
        remedy: "State the unit in the header: `time[ms]`, or `time[s]` if it is as slow as that.",
    },
    NoticeKind {
        code: "idle-pair",
        meaning: "A `[[pair]]` of the cell file holds for no pair that is checked.",
        remedy: "Correct its names, its place among the others, or the allowance of the pair.",
    },
    NoticeKind {
        code: "nothing-checked",
        meaning: "No pair of bodies was checked, in all of a program or in an interval of it.",
        remedy: "Give the links collision geometry, use `--visual-as-collision`, or look which allowance takes all pairs out.",
    },
    NoticeKind {
        code: "unchecked-link",
        meaning: "A link that moves has no collision geometry.",
        remedy: "Use `--visual-as-collision`, give it <collision> geometry, or leave it out with `[[unchecked]]` and a reason.",
    },
    NoticeKind {
        code: "unchecked-body",
        meaning: "A body that stands still has no collision geometry.",
        remedy: "Use `--visual-as-collision`, give it <collision> geometry, or leave it out with `[[unchecked]]` and a reason.",
    },
    NoticeKind {
        code: "unchecked-mass",
        meaning: "A link that moves has a mass and no geometry at all.",
        remedy: "Give it <collision> geometry, or leave it out with `[[unchecked]]` and a reason if it is a frame only.",
    },
    NoticeKind {
        code: "carried-object",
        meaning: "The program counts with a tool that the cell does not have.",
        remedy: "Add what the arm carries to the cell file, as an `[[attach]]`.",
    },
    NoticeKind {
        code: "other-robot",
        meaning: "An SRDF, or a scene of MoveIt that allows pairs, is that of another robot by its name.",
        remedy: "Name the SRDF or the scene of this robot, or correct the name.",
    },
    NoticeKind {
        code: "model-differs",
        meaning: "Joint values and poses of a program differ in the robot's model, and the answer does not allow for it.",
        remedy: "Leave out `model_difference = \"reported\"` if the points were taught on this arm.",
    },
    NoticeKind {
        code: "recording-gap",
        meaning: "For a part of a recording nothing was measured.",
        remedy: "Look at the recording: what was driven in the gap is not known.",
    },
    NoticeKind {
        code: "rounded-corners",
        meaning: "The zone of a corner reaches beyond the other end of a move.",
        remedy: "Make the zone smaller, or stop at the point.",
    },
    OTHER,
];

/// The links that the cell file leaves out of the check.
pub(super) fn accepted(outcome: &Outcome) -> impl Iterator<Item = &Diagnostic> {
    let list = outcome.unchecked.iter();
    list.filter(|d| d.code == Code::Accepted)
}

const OTHER: NoticeKind = NoticeKind {
    code: "notice",
    meaning: "Something that must be known before the verdict is believed.",
    remedy: "Read the message.",
};

/// The place in [`KINDS`] of what a notice is about.
pub(super) fn kind(notice: &Diagnostic) -> usize {
    let known = KINDS.iter().position(|k| k.code == notice.code.as_str());
    known.unwrap_or(KINDS.len() - 1)
}

/// `up-axis: forearm: its mesh … (arm.urdf:12:5)`; the place is left out where it is the subject.
pub(super) fn sentence(notice: &Diagnostic) -> String {
    let Diagnostic {
        code,
        subject,
        message,
        place,
        ..
    } = notice;
    let place = place.as_ref().filter(|place| place.line.is_some());
    let place = match place.map(ToString::to_string) {
        Some(place) if place != *subject => format!(" ({place})"),
        _ => String::new(),
    };
    format!("{}: {subject}: {message}{place}", code.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::findings::Severity;

    /// Headings of findings.md that are a code.
    fn headings() -> Vec<&'static str> {
        let docs = include_str!("../../docs/findings.md");
        let begin = docs.find("\n## Diagnostics\n").unwrap();
        let end = docs.find("\n## Limits\n").unwrap();
        let lines = docs[begin..end].lines();
        lines
            .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
            .collect()
    }

    #[test]
    fn every_code_has_a_heading_and_every_heading_a_code() {
        let codes: Vec<&str> = Code::ALL.iter().map(|c| c.as_str()).collect();
        let set = |list: &[&'static str]| list.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(set(&codes), set(&headings()));
        assert_eq!(headings().len(), codes.len(), "a heading stands twice");
    }

    #[test]
    fn codes_are_written_as_their_words_and_read_back() {
        for &code in Code::ALL {
            let word = serde_json::json!(code.as_str());
            assert_eq!(serde_json::to_value(code).unwrap(), word);
            assert_eq!(serde_json::from_value::<Code>(word).unwrap(), code);
            let plain = |c: char| c == '-' || c.is_ascii_lowercase();
            assert!(code.as_str().chars().all(plain), "{code:?}");
        }
        for severity in [
            Severity::Note,
            Severity::Unchecked,
            Severity::Notice,
            Severity::Open,
        ] {
            let word = serde_json::json!(severity.as_str());
            assert_eq!(serde_json::to_value(severity).unwrap(), word);
        }
    }

    #[test]
    fn every_kind_of_notice_is_a_code() {
        let known = KINDS.iter().filter(|k| k.code != OTHER.code);
        for kind in known {
            assert!(headings().contains(&kind.code), "{}", kind.code);
        }
    }
}
