//! Joints of a program of moves that follow others.

use std::iter;

use clearance_proof::model::moves::{
    Branch, ConfigurationRange, Move, MoveKind, MoveProgram, Target,
};
use clearance_proof::model::{Cell, JointId, Mimic};

/// As far as a stated value may be off the one that the joint has then: files carry six decimals.
const SAME: f64 = 1e-6;

/// Takes joints out that follow others, where all values that are stated of them are those that they
/// have anyway: recorded states of a robot name all its joints. One of which another value is stated
/// stays, and is refused as a joint that no program moves.
pub(super) fn leave_out_followers(program: &mut MoveProgram, cell: &Cell) {
    // From the last one on, so that the others keep their places.
    for k in followers(program, cell).into_iter().rev() {
        program.joints.remove(k);
        if let Some(values) = &mut program.start {
            values.remove(k);
        }
        for step in &mut program.moves {
            leave_out(step, k);
        }
    }
}

/// Such joints, by their places in the program.
fn followers(program: &MoveProgram, cell: &Cell) -> Vec<usize> {
    let robot = program.robot.clone();
    let joint = |name: &String| -> Option<JointId> {
        let of_robot = |joint: &JointId| {
            let own = cell.robots.get(cell.joints[*joint].robot);
            robot.is_none() || own.is_some_and(|own| robot.as_ref() == Some(&own.name))
        };
        let mut found = cell.joints_named(name).into_iter().filter(of_robot);
        found.next().filter(|_| found.next().is_none())
    };
    let joints: Vec<Option<JointId>> = program.joints.iter().map(joint).collect();
    let followed = |k: usize| -> Option<(Mimic, usize)> {
        let mimic = cell.joints[joints[k]?].mimic?;
        let source = joints.iter().position(|j| *j == Some(mimic.source))?;
        Some((mimic, source))
    };
    let follows = |values: &[f64], k: usize, (mimic, source): &(Mimic, usize)| {
        let law = mimic.multiplier * values[*source] + mimic.offset;
        (values[k] - law).abs() <= SAME * law.abs().max(1.0)
    };
    let targets = program.moves.iter().flat_map(targets);
    let stated: Vec<&Vec<f64>> = targets
        .clone()
        .filter_map(|target| match target {
            Target::Joints(values) => Some(values),
            Target::Pose { .. } => None,
        })
        .chain(&program.start)
        .collect();
    let near = targets.clone().filter_map(near);
    if (stated.iter().copied().chain(near)).any(|values| values.len() != joints.len()) {
        return Vec::new();
    }
    // A range of a configuration says more of it than its law.
    let has_range = |k: usize| {
        let mut ranges = targets.clone().flat_map(ranges);
        ranges.any(|range| range.joint == k)
    };
    let obeys = |k: &usize| {
        let law = followed(*k).filter(|_| !has_range(*k));
        law.is_some_and(|law| stated.iter().all(|values| follows(values, *k, &law)))
    };
    (0..joints.len()).filter(obeys).collect()
}

/// Where a move leads, and what it passes.
fn targets(step: &Move) -> impl Iterator<Item = &Target> + Clone {
    let via = match &step.kind {
        MoveKind::Circular { via, .. } => Some(via),
        MoveKind::Joint | MoveKind::Linear => None,
    };
    iter::once(&step.target).chain(via)
}

/// Joint values near which a pose is meant.
fn near(target: &Target) -> Option<&Vec<f64>> {
    match target {
        Target::Pose {
            branch: Branch::NearestTo(values),
            ..
        } => Some(values),
        _ => None,
    }
}

/// The ranges of the configuration that a pose is meant with.
fn ranges(target: &Target) -> &[ConfigurationRange] {
    match target {
        Target::Pose {
            branch: Branch::Configuration(wanted),
            ..
        } => &wanted.ranges,
        _ => &[],
    }
}

/// Takes a joint out of all that a move counts by the program's joints.
fn leave_out(step: &mut Move, k: usize) {
    let via = match &mut step.kind {
        MoveKind::Circular { via, .. } => Some(via),
        MoveKind::Joint | MoveKind::Linear => None,
    };
    for target in iter::once(&mut step.target).chain(via) {
        match target {
            Target::Joints(values)
            | Target::Pose {
                branch: Branch::NearestTo(values),
                ..
            } => _ = values.remove(k),
            Target::Pose {
                branch: Branch::Configuration(wanted),
                ..
            } => {
                let beyond = wanted.ranges.iter_mut().filter(|range| range.joint > k);
                beyond.for_each(|range| range.joint -= 1);
            }
            Target::Pose { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use clearance_formats::{LoadOptions, load_robot};
    use clearance_proof::model::RigidError;
    use clearance_proof::model::moves::{ArcTurning, Configuration, Frame, Speed, Zone};
    use clearance_proof::report::Location;
    use nalgebra::Isometry3;

    use super::*;

    /// `right` follows `left`; both stand before the joint `arm`.
    fn cell() -> Cell {
        let joint = |name: &str, follows: &str| {
            format!(
                "<link name='l_{name}'/><joint name='{name}' type='prismatic'><parent link='base'/><child link='l_{name}'/>\
                 <limit lower='-1' upper='1' velocity='1' effort='1'/>{follows}</joint>"
            )
        };
        let joints = ["left", "arm"].map(|name| joint(name, "")).concat()
            + &joint("right", "<mimic joint='left' multiplier='-1'/>");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r.urdf");
        fs::write(
            &file,
            format!("<robot name='r'><link name='base'/>{joints}</robot>"),
        )
        .unwrap();
        let loaded = load_robot(&file, &[], &LoadOptions::default());
        loaded.unwrap().cell
    }

    fn program(targets: Vec<Target>, via: Option<Target>) -> MoveProgram {
        let frame = Frame {
            link: "base".into(),
            link_from_frame: Isometry3::identity(),
        };
        let kind = |via: &Option<Target>| match via {
            None => MoveKind::Joint,
            Some(via) => MoveKind::Circular {
                via: via.clone(),
                turning: ArcTurning::Still,
            },
        };
        let moves = targets.into_iter().map(|target| Move {
            kind: kind(&via),
            target,
            tool: frame.clone(),
            zone: Zone::Stop,
            speed: Speed::Unknown,
            label: String::new(),
            routine: String::new(),
            place: Location::file(Path::new("a.motion.json")),
        });
        MoveProgram {
            joints: ["left", "right", "arm"].map(String::from).into(),
            start: Some(vec![0.1, -0.1, 0.5]),
            moves: moves.collect(),
            source: "a.motion.json".into(),
            name: String::new(),
            robot: None,
            goes_round: false,
            turn_lead: 0.0,
            model_difference: RigidError::default(),
            unknown: Vec::new(),
            passed_over: Vec::new(),
        }
    }

    fn pose(branch: Branch) -> Target {
        Target::Pose {
            frame: Frame {
                link: "base".into(),
                link_from_frame: Isometry3::identity(),
            },
            frame_from_tool: Isometry3::identity(),
            branch,
        }
    }

    fn configuration(joint: usize) -> Target {
        let (from, to) = (0.0, 1.0);
        pose(Branch::Configuration(Configuration {
            ranges: vec![ConfigurationRange { joint, from, to }],
            ..Configuration::default()
        }))
    }

    /// Regression: only joint values of targets lost the follower's, and a range of `joint_5` counted
    /// for `joint_6`.
    #[test]
    fn all_that_is_counted_by_joints_goes_along() {
        let cell = cell();
        let left_out = |targets: Vec<Target>, via| {
            let mut program = program(targets, via);
            leave_out_followers(&mut program, &cell);
            program
        };
        let near = |values: &[f64]| pose(Branch::NearestTo(values.to_vec()));
        let targets = vec![
            Target::Joints(vec![0.2, -0.2, 0.6]),
            near(&[0.3, 7.0, 0.7]),
            configuration(0),
            configuration(2),
        ];
        let program = left_out(targets, Some(Target::Joints(vec![0.4, -0.4, 0.8])));
        assert_eq!(program.joints, ["left", "arm"]);
        assert_eq!(program.start, Some(vec![0.1, 0.5]));
        let found: Vec<&Target> = program.moves.iter().map(|step| &step.target).collect();
        let expected = [
            Target::Joints(vec![0.2, 0.6]),
            near(&[0.3, 0.7]),
            configuration(0),
            configuration(1),
        ];
        assert_eq!(found, expected.iter().collect::<Vec<_>>());
        let MoveKind::Circular { via, .. } = &program.moves[0].kind else {
            panic!("{program:?}")
        };
        assert_eq!(*via, Target::Joints(vec![0.4, 0.8]));
        // One of which more is said than its law stays.
        for (targets, via) in [
            (vec![configuration(1)], None),
            (vec![Target::Joints(vec![0.2, 0.0, 0.6])], None),
            (
                vec![configuration(0)],
                Some(Target::Joints(vec![0.4, 0.0, 0.8])),
            ),
        ] {
            assert_eq!(left_out(targets, via).joints.len(), 3);
        }
    }
}
