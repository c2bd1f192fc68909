//! How far the real cell may be off the one that is described: budgets of error that a check is
//! asked to allow for.
//!
//! Every budget is a bound, not a guess of the mean: an error of any direction and any size within
//! it counts, constant or changing in time, each one independent of all others.

mod for_cell;

/// How far something rigid may stand from its stated place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RigidError {
    /// Any shift of up to this length, metres.
    pub shift_m: f64,
    /// Any turn of up to this angle about the origin of its frame, radians.
    pub turn_rad: f64,
}

impl RigidError {
    /// Whether it allows nothing.
    pub fn is_none(&self) -> bool {
        *self == RigidError::default()
    }

    /// The greater of two bounds on the same error.
    pub fn max(self, other: RigidError) -> RigidError {
        RigidError {
            shift_m: self.shift_m.max(other.shift_m),
            turn_rad: self.turn_rad.max(other.turn_rad),
        }
    }

    /// The error of another frame that is carried along, at this distance from its origin (metres).
    pub fn at_distance(self, distance: f64) -> RigidError {
        RigidError {
            shift_m: self.shift_m + self.turn_rad * distance,
            ..self
        }
    }

    /// Both errors, one after the other, about the same origin.
    pub fn and(self, other: RigidError) -> RigidError {
        RigidError {
            shift_m: self.shift_m + other.shift_m,
            turn_rad: self.turn_rad + other.turn_rad,
        }
    }
}

/// Budgets of error for everything in a cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Uncertainty {
    /// Per robot: its base frame in the world.
    pub base: Vec<RigidError>,
    /// Per body: its own frame on the link that carries it. It counts while the body is carried.
    pub tool: Vec<RigidError>,
    /// Per joint: how far its true value may be from the commanded one, radians or metres.
    pub joint: Vec<f64>,
    /// Per joint: how far the frame that it moves may stand from where the model of the arm has it.
    /// It is not an error that adds up along the arm: it is that of the pose of each frame as a
    /// whole.
    pub model: Vec<RigidError>,
    /// Per body: its own frame in the world. It counts while the body stands.
    pub obstacle: Vec<RigidError>,
    /// Per body: how far its true surface may lie outside of the triangles, metres.
    pub mesh: Vec<f64>,
}

impl Uncertainty {
    /// Whether every budget is a bound: finite, and 0 or more.
    pub fn is_bounded(&self) -> bool {
        let rigid = [&self.base, &self.tool, &self.model, &self.obstacle];
        let parts = rigid.into_iter().flatten();
        let mut all = (parts.flat_map(|e| [e.shift_m, e.turn_rad]))
            .chain(self.joint.iter().chain(&self.mesh).copied());
        all.all(|error| error.is_finite() && error >= 0.0)
    }

    /// Whether nothing may be off.
    pub fn is_none(&self) -> bool {
        let rigid = [&self.base, &self.tool, &self.model, &self.obstacle];
        rigid.into_iter().flatten().all(RigidError::is_none)
            && self
                .joint
                .iter()
                .chain(&self.mesh)
                .all(|&error| error == 0.0)
    }
}
