//! One program of a motion, for the cell.

use clearance_formats::program::{refuse_mixed_units, refuse_poses};
use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::model::{
    Cell, CellTrajectory, EventChange, JointId, Program, Timeline, Track, Trajectory,
};
use clearance_proof::motion::programmed::CellMoves;

use super::bare_tool::ProgramTool;
use super::model_difference::ModelDifference;
use super::start::{StartOf, set_start};
use super::wrong::wrong;
use crate::error::Error;
use crate::run::taught::Taught;
use crate::run::{Job, RobotProgram};

/// Reads a program file.
pub(super) type Load<'l> = &'l dyn Fn(&RobotProgram) -> Result<Taught, ImportError>;

/// One program of a motion.
#[derive(Debug, Clone)]
pub(in crate::run) struct ProgramPart {
    /// As the user named it.
    pub named: RobotProgram,
    /// As it was read.
    pub program: Program,
    /// Its trajectory in the cell.
    pub for_cell: CellTrajectory,
    /// So many of its columns are its own; those behind them have what `trajectory_start` states,
    /// as far as no event moves them.
    pub taught: usize,
    /// Joints that it drives: its columns but for those that follow others.
    pub joints: Vec<JointId>,
    /// The moves behind it, where it is a program of moves.
    pub moves: Option<Box<CellMoves>>,
    /// The tool that its moves count with; none: they are joint values of a table.
    pub tool: Option<ProgramTool>,
    /// Whether its times are estimates, for a clock that it shares with others.
    pub estimated: bool,
    /// How far a robot's arm stands beside its model, as the program shows; none: it shows no such
    /// thing.
    pub model_difference: Option<ModelDifference>,
}

impl ProgramPart {
    pub(super) fn read(
        named: &RobotProgram,
        loaded: &LoadedCell,
        job: &Job,
        load: Load,
        together: bool,
    ) -> Result<Self, Error> {
        let mut program = match load(named)? {
            Taught::Waypoints(program) => program,
            Taught::Moves(motion) => return Self::of_moves(named, loaded, job, *motion),
        };
        let cell = &loaded.cell;
        if let Some(robot) = &named.robot {
            qualify(&mut program, robot, cell)?;
        }
        let taught = program.columns.len();
        let of = StartOf {
            robot: named.robot.as_deref(),
            together,
        };
        let said = set_start(&mut program, cell, of)?;
        refuse_poses(&program, cell)?;
        let mut for_cell = CellTrajectory::new(&program, cell, job.interpolation)?;
        refuse_mixed_units(&program, &for_cell.columns, cell)?;
        for_cell.remarks.extend(said);
        fits_the_clock(&program, &for_cell.trajectory, named.offset_s)?;
        let mut joints = for_cell.columns.clone();
        joints.retain(|&j| cell.joints[j].mimic.is_none());
        Ok(ProgramPart {
            named: named.clone(),
            program,
            for_cell,
            taught,
            joints,
            moves: None,
            tool: None,
            estimated: false,
            model_difference: None,
        })
    }

    /// Leaves joints that the message only states the value of, and that events move, to these:
    /// `trajectory_start` says where they begin. Returns them with those values.
    pub(super) fn give_up(
        &mut self,
        timeline: &Timeline,
        cell: &Cell,
        job: &Job,
    ) -> Result<Vec<(JointId, f64)>, Error> {
        let moved = |joint: JointId| {
            let mut events = timeline.events.iter();
            events.any(|e| matches!(e.change, EventChange::Move { joint: j, .. } if j == joint))
        };
        let stated = self.for_cell.columns.iter().enumerate().skip(self.taught);
        let given: Vec<(usize, JointId)> = stated
            .map(|(at, &joint)| (at, joint))
            .filter(|&(_, joint)| moved(joint))
            .collect();
        let Some(first) = self.program.waypoints.first() else {
            return Ok(Vec::new());
        };
        let starts = given
            .iter()
            .map(|&(at, joint)| (joint, first.positions[at]));
        let starts: Vec<(JointId, f64)> = starts.collect();
        if given.is_empty() {
            return Ok(starts);
        }
        for &(at, _) in given.iter().rev() {
            self.program.columns.remove(at);
            for waypoint in &mut self.program.waypoints {
                waypoint.change_columns(|values, _| {
                    values.remove(at);
                });
            }
        }
        let mut for_cell = CellTrajectory::new(&self.program, cell, job.interpolation)?;
        // The remarks about the state itself stay.
        let mut said = std::mem::take(&mut self.for_cell.remarks);
        said.retain(|remark| !for_cell.remarks.contains(remark));
        for_cell.remarks.extend(said);
        self.for_cell = for_cell;
        self.joints
            .retain(|joint| !given.iter().any(|(_, gone)| gone == joint));
        Ok(starts)
    }

    /// The program on the common clock.
    pub fn track(&self) -> Track<'_> {
        Track {
            trajectory: &self.for_cell.trajectory,
            joints: self.joints.clone(),
            shift: self.named.offset_s,
        }
    }
}

/// Refuses a start so late that steps of time are lost in the rounding of the common clock.
fn fits_the_clock(program: &Program, trajectory: &Trajectory, offset_s: f64) -> Result<(), Error> {
    if offset_s == 0.0 {
        return Ok(());
    }
    for (segment, to) in trajectory
        .segments
        .iter()
        .zip(program.waypoints.iter().skip(1))
    {
        let (start, end) = (segment.start + offset_s, segment.end + offset_s);
        let late = start.abs().max(end.abs()) > Trajectory::LATEST_S;
        if late || segment.start < segment.end && start >= end {
            return Err(wrong(
                &program.source,
                to.line,
                format!("with a start at {offset_s:e} s the step of time to this waypoint is lost"),
                "start the program earlier on the common clock".into(),
            ));
        }
    }
    Ok(())
}

/// Bare joint names become those of the robot that the user named.
pub(in crate::run) fn qualify(
    program: &mut Program,
    robot: &str,
    cell: &Cell,
) -> Result<(), Error> {
    let names: Vec<&str> = cell.robots.iter().map(|r| r.name.as_str()).collect();
    if !names.contains(&robot) {
        let known: Vec<String> = names
            .iter()
            .filter(|n| !n.is_empty())
            .map(|n| format!("`{n}`"))
            .collect();
        let remedy = match known.len() {
            0 => "its only robot has no name: leave the name out".to_owned(),
            _ => format!("its robots are {}", known.join(", ")),
        };
        return Err(Error::usage(format!(
            "{}: the cell has no robot `{robot}`; {remedy}",
            program.source.display()
        )));
    }
    for column in &mut program.columns {
        let of = names.iter().find(|n| {
            !n.is_empty()
                && column
                    .joint
                    .strip_prefix(**n)
                    .is_some_and(|r| r.starts_with('/'))
        });
        match of {
            None => column.joint = format!("{robot}/{}", column.joint).into(),
            Some(of) if *of == robot => {}
            Some(of) => {
                let problem = format!(
                    "`{}` belongs to `{of}`, but the program is given for `{robot}`",
                    column.joint
                );
                let remedy = format!("leave out `{robot}=`, or the column");
                return Err(wrong(&program.source, column.line, problem, remedy));
            }
        }
    }
    Ok(())
}
