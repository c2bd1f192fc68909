//! What a reader must see first: one entry for each code, and how it is said in a line.

use crate::findings::{Outcome, Unchecked};

/// A code and what it stands for.
pub(super) struct Kind {
    pub code: &'static str,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// Every code; what bears none of these is [`OTHER`].
pub(super) const KINDS: [Kind; 9] = [
    Kind {
        code: "up-axis",
        meaning: "A mesh of a URDF states an up axis, and the two ways to read it differ.",
        remedy: "Say in the cell file which one is meant: `dae_up_axis = \"ignore\"` (as RViz and MoveIt do) or `\"apply\"` under [[robot]].",
    },
    Kind {
        code: "suspicious-scale",
        meaning: "The size of a body does not fit the robot or its neighbours.",
        remedy: "Correct the `scale`, or state it where it is meant.",
    },
    Kind {
        code: "suspicious-place",
        meaning: "A body stands where nothing can reach it.",
        remedy: "Look whether its pose is in metres, and in the frame that is meant.",
    },
    Kind {
        code: "suspicious-rpy",
        meaning: "The angles of a pose are larger than a full turn.",
        remedy: "Angles are radians; write `\"90deg\"` in a cell file where degrees are meant.",
    },
    Kind {
        code: "suspicious-clearance",
        meaning: "The threshold does not fit the robot.",
        remedy: "A number without a unit is metres: write `5mm` where millimetres are meant.",
    },
    Kind {
        code: "nothing-checked",
        meaning: "No pair of bodies was checked, in all of a program or in a stretch of it.",
        remedy: "Give the links collision geometry, use `--visual-as-collision`, or look which allowance takes all pairs out.",
    },
    Kind {
        code: "unchecked-link",
        meaning: "A link that moves has no collision geometry.",
        remedy: "Use `--visual-as-collision`, give it <collision> geometry, or leave it out with `[[unchecked]]` and a reason.",
    },
    Kind {
        code: "unchecked-body",
        meaning: "A body that stands still has no collision geometry.",
        remedy: "Use `--visual-as-collision`, give it <collision> geometry, or leave it out with `[[unchecked]]` and a reason.",
    },
    OTHER,
];

/// Code of the links that the cell file leaves out of the check.
pub(super) const ACCEPTED: &str = "accepted";

/// Those links.
pub(super) fn accepted(outcome: &Outcome) -> impl Iterator<Item = &Unchecked> {
    let list = outcome.unchecked.iter();
    list.filter(|u| u.code.as_deref() == Some(ACCEPTED))
}

const OTHER: Kind = Kind {
    code: "notice",
    meaning: "Something that must be known before the verdict is believed.",
    remedy: "Read the message.",
};

/// The place in [`KINDS`] of what a remark is about.
pub(super) fn kind(notice: &Unchecked) -> usize {
    let code = notice.code.as_deref();
    let known = KINDS.iter().position(|k| Some(k.code) == code);
    known.unwrap_or(KINDS.len() - 1)
}

/// `up-axis: forearm: its mesh …`
pub(super) fn sentence(notice: &Unchecked) -> String {
    let Unchecked { what, why, code } = notice;
    match code {
        Some(code) => format!("{code}: {what}: {why}"),
        None => format!("{what}: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use clearance_proof::model::codes::{
        self, NOTHING_CHECKED, SUSPICIOUS_CLEARANCE, SUSPICIOUS_PLACE, SUSPICIOUS_RPY,
        SUSPICIOUS_SCALE, UNCHECKED_BODY, UNCHECKED_LINK, UP_AXIS,
    };

    use super::*;

    #[test]
    fn every_code_is_known_and_documented() {
        for code in [
            UP_AXIS,
            SUSPICIOUS_SCALE,
            SUSPICIOUS_PLACE,
            SUSPICIOUS_RPY,
            SUSPICIOUS_CLEARANCE,
            NOTHING_CHECKED,
            UNCHECKED_LINK,
            UNCHECKED_BODY,
        ] {
            let notice = Unchecked {
                what: String::new(),
                why: String::new(),
                code: Some(code.to_owned()),
            };
            assert_eq!(KINDS[kind(&notice)].code, code);
        }
        assert_eq!(super::ACCEPTED, codes::ACCEPTED);
        let docs = include_str!("../../docs/findings.md");
        let codes = KINDS.iter().map(|k| k.code).filter(|&c| c != OTHER.code);
        for code in codes.chain([codes::ACCEPTED]) {
            let heading = format!("\n### `{code}`\n");
            assert!(docs.contains(&heading), "docs/findings.md lacks {heading}");
        }
    }
}
