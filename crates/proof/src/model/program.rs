//! A taught program as it was read: waypoints by joint name, before it is put into a cell.

use std::path::PathBuf;
use std::sync::Arc;

use smallvec::SmallVec;

/// How the controller moves between waypoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight in joint space.
    Linear,
    /// Cubic through positions and velocities.
    Cubic,
    /// Quintic through positions, velocities and accelerations.
    Quintic,
}

impl Interpolation {
    /// The word used in reports and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "cubic",
            Interpolation::Quintic => "quintic",
        }
    }

    /// Degree of its polynomials.
    pub fn degree(self) -> usize {
        match self {
            Interpolation::Linear => 1,
            Interpolation::Cubic => 3,
            Interpolation::Quintic => 5,
        }
    }
}

/// The unit that the program states for a column. Values are SI already; the unit says which joints
/// they may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quantity {
    /// Nothing is said: radians or metres, as the joint needs.
    #[default]
    Unstated,
    /// The message format says so: radians or metres, as the joint needs.
    Message,
    /// The same of a message with measured values: nobody can state others.
    Measured,
    /// An angle unit is stated.
    Angle,
    /// A length unit is stated.
    Length,
}

/// One column of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// `joint`, or `robot/joint`; all programs of a table have the same names.
    pub joint: Arc<str>,
    /// Line in the file where the name stands, 1-based; none in a message that is not text.
    pub line: Option<usize>,
    /// The unit that the program states for it.
    pub quantity: Quantity,
}

/// One waypoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Waypoint {
    /// Seconds, or the waypoint number when the program has no times.
    pub time: f64,
    /// Radians or metres, one per column. Those of an arm with up to seven joints stand in the
    /// waypoint itself: batches of small programs have very many of them.
    pub positions: SmallVec<[f64; 7]>,
    /// rad/s or m/s, one per column, where the program states them.
    pub velocities: Option<Box<[f64]>>,
    /// rad/s² or m/s², one per column, where the program states them.
    pub accelerations: Option<Box<[f64]>>,
    /// Line in the file, 1-based; in a message that is not text the number of the point.
    pub line: usize,
}

impl Waypoint {
    /// One of which only time and positions are stated.
    pub fn new(time: f64, positions: impl Into<SmallVec<[f64; 7]>>, line: usize) -> Self {
        Self {
            time,
            positions: positions.into(),
            velocities: None,
            accelerations: None,
            line,
        }
    }

    /// Changes which columns it has, alike in all its lists of values; with each comes the order of
    /// the derivative, 0 for positions.
    pub fn change_columns(&mut self, mut change: impl FnMut(&mut Vec<f64>, usize)) {
        let mut positions = self.positions.to_vec();
        change(&mut positions, 0);
        self.positions = positions.into();
        let derivatives = [&mut self.velocities, &mut self.accelerations];
        for (order, list) in derivatives.into_iter().enumerate() {
            if let Some(list) = list {
                let mut values = std::mem::take(list).into_vec();
                change(&mut values, order + 1);
                *list = values.into();
            }
        }
    }
}

/// The robot's state before a trajectory, as a message gives it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StartState {
    /// Joints that the trajectory does not move: name, value in radians or metres.
    pub joints: Vec<(String, f64)>,
    /// Objects that the robot carries, by name, each with the link that carries it, where that is
    /// stated.
    pub carried: Vec<(String, Option<String>)>,
    /// Line in the file, 1-based; none in a message that is not text.
    pub line: Option<usize>,
}

/// A taught program in SI units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Program {
    /// File.
    pub source: PathBuf,
    /// Joints that it moves.
    pub columns: Vec<Column>,
    /// Waypoints; times increase strictly, except where two trajectories of one message are joined,
    /// or a trajectory with the state before it: the last waypoint of the one and the first of the
    /// next may share their time, and stand (nearly) in the same place.
    pub waypoints: Vec<Waypoint>,
    /// Whether `time` is in seconds (else it is the waypoint number).
    pub timed: bool,
    /// Whether its times stand in a table that states no unit of them: they are read as seconds.
    pub bare_times: bool,
    /// Whether the header of its table says that all its angles are degrees.
    pub in_degrees: bool,
    /// The state of the rest of the robot, where the message gives one.
    pub start: Option<StartState>,
    /// Whether its first waypoint is that state, which stands in front of those of the trajectory.
    pub begins_with_state: bool,
    /// Its time 0 on the clock of the recording or of the controller, nanoseconds, where the file
    /// has such stamps.
    pub stamp_ns: Option<i128>,
}

impl Program {
    /// A turning joint of an unstated unit beyond this many radians (about four turns) may be meant
    /// in degrees.
    pub const MANY_TURNS_RAD: f64 = 25.0;
    /// Two values of a joint that differ by less than this (radians or metres) are the same: files
    /// carry six decimals.
    pub const SAME_VALUE: f64 = 1e-6;
}
