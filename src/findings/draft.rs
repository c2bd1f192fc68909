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
    /// Arguments of xacro, by name.
    pub xacro_args: Vec<(String, String)>,
    /// Named states of its SRDF.
    pub states: Vec<String>,
    /// The language of its controller, as the programs have it.
    pub dialect: Option<&'static str>,
    /// How the controller counts its joints, as the cell file has it.
    pub counted: String,
    /// The link that the controller takes for the robot's own frame.
    pub base: String,
    /// The link that it takes for the end of the arm.
    pub flange: String,
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
    /// The same file as the user names it.
    pub given: String,
    /// Whether a URDF has a mesh of such a name: it may be meant to be a part of the robot.
    pub is_called_like_own: bool,
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
    /// Whether they touch at every other posture that was looked at too.
    pub in_all_postures: bool,
    /// What the cell does not state yet of where they stand; then nobody can say whether they are
    /// meant to touch.
    pub unplaced: Option<UnstatedPlace>,
    /// Programs in which they touch from beginning to end.
    pub throughout: usize,
    /// Programs in which they touch for a part of the time.
    pub partly: usize,
}

/// What is not stated of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnstatedPlace {
    /// The `pose` of the obstacle of that name.
    Pose(String),
    /// The `base` of two robots.
    Base,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// Folders of packages by name, as the cell file names them.
    pub packages: Vec<(String, String)>,
    /// Links without collision geometry are looked at by their visual geometry. A cell file has no
    /// word for that.
    pub visual_as_collision: bool,
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
    /// Given meshes that are checked as parts of the robots already.
    pub own_meshes: Vec<String>,
    /// Files of given folders that are neither programs nor named themselves.
    pub not_taken: Vec<String>,
    /// Why nothing was looked at.
    pub refused: Option<String>,
}

impl Draft {
    /// Pairs that touch at rest, at other postures, and from beginning to end in every program: it
    /// may be how the robot is drawn.
    pub fn proposed(&self) -> impl Iterator<Item = &Overlap> {
        self.overlaps.iter().filter(|pair| self.proposes(pair))
    }

    /// Pairs that touch at rest or all the time, while it is not stated where they stand.
    pub fn unplaced(&self) -> impl Iterator<Item = &Overlap> {
        self.overlaps.iter().filter(|pair| Self::is_unplaced(pair))
    }

    /// The other pairs that touch: a posture or a program brings them together.
    pub fn met(&self) -> impl Iterator<Item = &Overlap> {
        let other = |pair: &&Overlap| !self.proposes(pair) && !Self::is_unplaced(pair);
        self.overlaps.iter().filter(other)
    }

    fn is_unplaced(pair: &Overlap) -> bool {
        pair.unplaced.is_some() && (pair.at_rest || pair.throughout > 0)
    }

    fn proposes(&self, pair: &Overlap) -> bool {
        let always = pair.at_rest && pair.in_all_postures && pair.throughout == self.programs;
        pair.unplaced.is_none() && always
    }
}
