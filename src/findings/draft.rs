//! A cell file that is to be written: what is known of the cell, and what is only proposed.

/// A robot of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DraftRobot {
    /// Its name, where there are several.
    pub name: Option<String>,
    /// URDF, as the cell file names it.
    pub urdf: String,
    /// SRDF likewise.
    pub srdf: Option<String>,
    /// Joint limits likewise.
    pub joint_limits: Option<String>,
    /// Joints that none of the programs moves, with the values that they keep, radians or metres.
    pub resting: Vec<(String, f64)>,
}

/// An obstacle of it.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftObstacle {
    /// Its name.
    pub name: String,
    /// Mesh, as the cell file names it.
    pub mesh: String,
    /// The factor from the mesh's numbers to metres, where the user has stated it.
    pub scale: Option<f64>,
    /// Whether the user has stated a unit and the file states its own, which counts.
    pub own_unit: bool,
    /// Why the unit of its numbers must be stated.
    pub doubt: Option<String>,
}

/// Two bodies that touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    /// First body.
    pub a: String,
    /// Second body.
    pub b: String,
    /// Proved: so deep they get at least, metres. `None`: that is not known.
    pub depth: Option<f64>,
    /// Whether they touch while the joints have the cell's values.
    pub at_rest: bool,
    /// Programs in which they touch from beginning to end.
    pub throughout: usize,
    /// Programs in which they touch for a part of the time.
    pub partly: usize,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// Robots.
    pub robots: Vec<DraftRobot>,
    /// Obstacles.
    pub obstacles: Vec<DraftObstacle>,
    /// Links with visual geometry only.
    pub visual_only: Vec<String>,
    /// Pairs that touch, by name.
    pub overlaps: Vec<Overlap>,
    /// Programs that were looked at.
    pub programs: usize,
    /// Programs that could not be looked at, and why.
    pub unread: Vec<(String, String)>,
    /// Files of given folders that are neither programs nor named themselves.
    pub not_taken: Vec<String>,
    /// Why nothing was looked at.
    pub refused: Option<String>,
}

impl Draft {
    /// Pairs that touch at rest, or from beginning to end in every program: they may be meant to.
    pub fn proposed(&self) -> impl Iterator<Item = &Overlap> {
        self.overlaps.iter().filter(|pair| self.proposes(pair))
    }

    /// The other pairs that touch: a program brings them together.
    pub fn met(&self) -> impl Iterator<Item = &Overlap> {
        self.overlaps.iter().filter(|pair| !self.proposes(pair))
    }

    fn proposes(&self, pair: &Overlap) -> bool {
        pair.at_rest || self.programs > 0 && pair.throughout == self.programs
    }
}
