//! Writes programs of moves.

use clearance_proof::model::moves::{
    ArcTurning, Branch, ConfigurationRange, Frame, Move, MoveKind, MoveProgram, Speed, Target,
    Unknown, Zone,
};
use nalgebra::Isometry3;

use super::text::{
    Angle, AssumedText, BranchText, ConfigurationText, DifferenceText, Kind, Length, MotionFile,
    MoveText, OnLink, PoseText, QuaternionText, SpeedText, TargetText, TurningText, Units,
    UnknownText, ZoneText,
};
use super::{Assumption, ImportedMoves, VERSION};

/// Writes a program of moves, in metres and radians. Equal frames and tools get one name.
pub fn write(motion: &ImportedMoves) -> String {
    let program = &motion.program;
    let mut writer = Writer::default();
    let moves = program
        .moves
        .iter()
        .map(|m| writer.step(m, program))
        .collect();
    let file = MotionFile {
        clearance_motion: VERSION,
        units: Units {
            length: Length::M,
            angle: Angle::Rad,
        },
        robot: program.robot.clone(),
        name: program.name.clone(),
        joints: program.joints.clone(),
        slides: motion.slides.clone().unwrap_or_default(),
        start: program.start.clone(),
        frames: writer.frames.into_iter().map(|(_, n, f)| (n, f)).collect(),
        tools: writer.tools.into_iter().map(|(_, n, f)| (n, f)).collect(),
        model_difference: (!program.model_difference.is_none()).then_some(DifferenceText {
            xyz: program.model_difference.shift_m,
            angle: program.model_difference.turn_rad,
        }),
        moves,
        goes_round: program.goes_round,
        turn_lead: program.turn_lead,
        unknown: program.unknown.iter().map(unknown).collect(),
        assumed: motion.assumed.iter().map(assumed).collect(),
        unproved: motion.unproved,
    };
    // Structures of numbers and texts always can be written.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

fn unknown(unknown: &Unknown) -> UnknownText {
    let place = &unknown.place;
    UnknownText {
        file: Some(place.file.clone()),
        line: place.line,
        reason: unknown.reason.clone(),
    }
}

fn assumed(assumed: &Assumption) -> AssumedText {
    let place = &assumed.place;
    AssumedText {
        file: Some(place.file.clone()),
        line: place.line,
        message: assumed.message.clone(),
        contradicted: assumed.contradicted,
    }
}

#[derive(Default)]
struct Writer {
    frames: Vec<(Frame, String, OnLink)>,
    tools: Vec<(Frame, String, OnLink)>,
}

impl Writer {
    fn step(&mut self, step: &Move, program: &MoveProgram) -> MoveText {
        let (kind, via) = match &step.kind {
            MoveKind::Joint => (Kind::Joint, None),
            MoveKind::Linear => (Kind::Linear, None),
            MoveKind::Circular { via, .. } => (Kind::Circular, Some(self.target(via, program))),
        };
        let turning = match &step.kind {
            MoveKind::Circular {
                turning: ArcTurning::Along,
                ..
            } => Some(TurningText::Along),
            _ => None,
        };
        MoveText {
            kind,
            to: self.target(&step.target, program),
            via,
            turning,
            tool: (!step.tool.link.is_empty()).then(|| named(&mut self.tools, &step.tool, "tool")),
            zone: match step.zone {
                Zone::Stop => ZoneText::Stop,
                Zone::Unknown => ZoneText::Unknown,
                Zone::Radius(r) => ZoneText::Radius(r),
                Zone::Ball(r) => ZoneText::Ball(r),
            },
            speed: match step.speed {
                Speed::Tool(v) => Some(SpeedText::Tool(v)),
                Speed::Joint(v) => Some(SpeedText::Joint(v)),
                Speed::Share(v) => Some(SpeedText::Share(v)),
                Speed::Duration(t) => Some(SpeedText::Seconds(t)),
                Speed::Unknown => None,
            },
            label: step.label.clone(),
            routine: step.routine.clone(),
            file: Some(step.place.file.clone()),
            line: step.place.line,
        }
    }

    fn target(&mut self, target: &Target, program: &MoveProgram) -> TargetText {
        match target {
            Target::Joints(q) => TargetText {
                joints: Some(q.clone()),
                pose: None,
                frame: None,
                branch: None,
            },
            Target::Pose {
                frame,
                frame_from_tool,
                branch,
            } => TargetText {
                joints: None,
                pose: Some(pose_text(frame_from_tool)),
                frame: Some(named(&mut self.frames, frame, "frame")),
                branch: Some(match branch {
                    Branch::Continued => BranchText::Continued,
                    Branch::NearestToStart => BranchText::Nearest,
                    Branch::NearestTo(q) => BranchText::Near(q.clone()),
                    Branch::Configuration(c) => {
                        let range = |r: &ConfigurationRange| {
                            (program.joints[r.joint].clone(), [r.from, r.to])
                        };
                        BranchText::Configuration(ConfigurationText {
                            in_front: c.in_front,
                            elbow_up: c.elbow_up,
                            ranges: c.ranges.iter().map(range).collect(),
                        })
                    }
                }),
            },
        }
    }
}

fn named(known: &mut Vec<(Frame, String, OnLink)>, frame: &Frame, what: &str) -> String {
    if let Some((_, name, _)) = known.iter().find(|(f, ..)| f == frame) {
        return name.clone();
    }
    let name = format!("{what}_{}", known.len() + 1);
    let on = OnLink {
        link: frame.link.clone(),
        pose: pose_text(&frame.link_from_frame),
    };
    known.push((frame.clone(), name.clone(), on));
    name
}

fn pose_text(pose: &Isometry3<f64>) -> PoseText {
    let q = pose.rotation.quaternion();
    PoseText {
        xyz: pose.translation.vector.into(),
        quaternion: Some(QuaternionText {
            w: q.w,
            x: q.i,
            y: q.j,
            z: q.k,
        }),
        ..PoseText::default()
    }
}
