//! How far the frames of an arm are from where they are computed, where its controller finds joint
//! values of poses with a model of its own, which differs from the computed one by e.
//!
//! `tool_line/frames.rs` bounds it for a stretch of joint values. Here is what controllers find joint
//! values of, and how far the poses are off that they find them of, as the computed arm has them:
//! - **Lines and arcs** between poses: all along, by e. If an end or the point on the way is stated in
//!   joint values, the controller's own model says where it is, and the poses are off by e themselves:
//!   by 2e then. (So they are on a line whose tool does not turn, for what is off at an end counts by
//!   its share. On other ways it is an assumption.)
//! - **Poses at the ends of joint moves**: by e. The joints in between are off by the mean of what
//!   they are off at both ends.
//! - **Corners**: their strips (`strips.rs`). In space they are lines of poses; beside a joint move
//!   these are off by what the end of the arm is off on that move, too. In joint space, between joint
//!   moves, joints are off by a mean of what they are off at the three points. A move of the tool puts
//!   them off by what it does itself, and of the points beside it by twice the mean.
//!
//! What is driven to poses has the frame that carries the tool, and those that hang on it, where they
//! ought to be.
//!
//! **Frames beside the six joints.** One that hangs on the frame of joint k, by joints that the program
//! does not move, is carried along: it is off by as much, and by the turn times its distance. One that
//! follows a joint of the arm is off by that joint's part, too.

mod carrier;

use rayon::prelude::*;

use super::hull::Hull;
use super::strips::{CELLS, CELLS_AT_ONCE};
use super::{CellMoves, Corner};
use crate::model::moves::{Move, MoveKind, MoveProgram, Target};
use crate::model::{Cell, JointId, RigidError, Segment};
use crate::motion::tool_line::{Arm, PoseError, Stray, Stretch, arm_values};
use crate::report::Location;
use carrier::{Carrier, Worst};

/// Into how many strips a corner is cut, with how many cells of orientations for all of them, until
/// what they are off is proved.
const STRIPS: [(usize, usize); 5] = [
    (4, 4 * CELLS_AT_ONCE),
    (16, 16 * CELLS_AT_ONCE),
    (64, 64 * CELLS_AT_ONCE),
    (16, CELLS),
    (64, CELLS),
];

/// How far frames may be from where they are computed, because a controller finds joint values of
/// poses with a model of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnModel {
    /// Per joint of the cell: its frame, about its origin.
    pub frames: Vec<RigidError>,
    /// The first place for which nothing is proved but that frames stay within reach; none: there
    /// is no such place.
    pub unproved: Option<Location>,
}

impl CellMoves {
    /// How far frames may be off where the controller's model and the cell's differ by this much,
    /// for the frame that carries the tool. `corners`: whether those may be rounded.
    pub fn own_model(
        &self,
        program: &MoveProgram,
        cell: &Cell,
        error: RigidError,
        corners: bool,
    ) -> OwnModel {
        let laid = LaidProgram::new(self, program, cell, error);
        let found = laid.worst(corners);
        let unproved = found.as_ref().err().cloned();
        let off_of = |joint: JointId| {
            let each = laid.carriers.iter().enumerate();
            each.fold(RigidError::default(), |most, (k, carrier)| {
                most.max(match &found {
                    Ok(worst) => carrier.off_of(cell, joint, &worst[k]),
                    Err(_) => carrier.reach_of(cell, joint),
                })
            })
        };
        OwnModel {
            frames: (0..cell.joints.len()).map(off_of).collect(),
            unproved,
        }
    }
}

/// A program on its cell, whose controller has a model of its own.
struct LaidProgram<'p> {
    laid: &'p CellMoves,
    cell: &'p Cell,
    error: RigidError,
    /// The move that ends at each of the ends; none: the start.
    leading: Vec<Option<&'p Move>>,
    /// One for each link that carries a tool.
    carriers: Vec<Carrier>,
}

/// What joint values are off at the ends of moves that are poses: of which carrier, and how.
type EndStray = Option<(usize, Vec<Stray>)>;

impl<'p> LaidProgram<'p> {
    fn new(
        laid: &'p CellMoves,
        program: &'p MoveProgram,
        cell: &'p Cell,
        error: RigidError,
    ) -> Self {
        let start = program.start.iter().map(|_| None);
        let leading = start.chain(program.moves.iter().map(Some)).collect();
        let mut carriers: Vec<Carrier> = Vec::new();
        for step in &program.moves {
            if carriers.iter().all(|known| known.link != step.tool.link) {
                carriers.extend(Carrier::new(cell, &laid.columns, &step.tool.link));
            }
        }
        LaidProgram {
            laid,
            cell,
            error,
            leading,
            carriers,
        }
    }

    fn carrier(&self, step: &Move) -> Option<usize> {
        let mut known = self.carriers.iter();
        known.position(|carrier| carrier.link == step.tool.link)
    }

    /// Whether an end is stated as a pose.
    fn is_pose(&self, end: usize) -> bool {
        self.leading[end].is_some_and(|step| matches!(step.target, Target::Pose { .. }))
    }

    /// The worst of the whole program, for each carrier.
    fn worst(&self, corners: bool) -> Result<Vec<Worst>, Location> {
        let ends: Vec<EndStray> = (0..self.laid.ends.len())
            .into_par_iter()
            .map(|end| self.stray_of_end(end))
            .collect::<Result<_, _>>()?;
        let count = self.laid.kinds.len().max(1);
        let moves: Vec<Found> = (0..count)
            .into_par_iter()
            .map(|number| self.worst_of_move(number, &ends))
            .collect::<Result<_, _>>()?;
        let in_corners: Vec<Found> = self
            .laid
            .corners
            .par_iter()
            .filter(|_| corners)
            .map(|corner| self.worst_of_corner(corner, &ends, &moves))
            .collect::<Result<_, _>>()?;
        let mut worst = vec![Worst::default(); self.carriers.len()];
        for (carrier, off) in moves.iter().chain(&in_corners).flatten() {
            worst[*carrier] = worst[*carrier].max(off);
        }
        Ok(worst)
    }

    /// What joint values are off at an end that is a pose.
    fn stray_of_end(&self, number: usize) -> Result<EndStray, Location> {
        let end = &self.laid.ends[number];
        let Some(step) = self.leading[number].filter(|_| self.is_pose(number)) else {
            return Ok(None);
        };
        let stray = self.carrier(step).and_then(|carrier| {
            let arm = &self.carriers[carrier].arm;
            let q = arm_values(arm, &end.q).ok()?;
            let off = arm.columns.map(|column| end.off[column]);
            let stray = Stray::at(arm, &q, &off, pose_error(self.error))?;
            Some((carrier, vec![stray]))
        });
        stray.map(Some).ok_or_else(|| end.place.clone())
    }

    /// The segments of a move between two shares of it.
    fn segments(&self, number: usize, [from, to]: [f64; 2]) -> impl Iterator<Item = &'p Segment> {
        let spans = &self.laid.spans;
        let first = spans.partition_point(|span| span.segment < number);
        let own = self.laid.trajectory.segments[first..]
            .iter()
            .zip(&spans[first..]);
        let own = own.take_while(move |(_, span)| span.segment == number);
        own.filter(move |(_, span)| span.from <= to && from <= span.to)
            .map(|(segment, _)| segment)
    }

    /// By how much the poses are off that a line or an arc is driven to.
    fn error_of_poses(&self, number: usize) -> RigidError {
        let own = self.leading[number + 1];
        let via_joints = own.is_some_and(|step| {
            matches!(&step.kind, MoveKind::Circular { via, .. } if matches!(via, Target::Joints(_)))
        });
        if via_joints || !self.is_pose(number) || !self.is_pose(number + 1) {
            self.error.and(self.error)
        } else {
            self.error
        }
    }

    /// The worst of one move, and of which carrier. A program of one point has one that stands.
    fn worst_of_move(&self, number: usize, ends: &[EndStray]) -> Result<Found, Location> {
        let last = (number + 1).min(ends.len() - 1);
        let unproved = || self.laid.ends[last].place.clone();
        if self.is_joint_move(number) {
            let sides = [&ends[number], &ends[last]];
            let carrier = self.of_one_arm(&sides).ok_or_else(unproved)?;
            let [start, end] = sides.map(strays_of);
            return Ok(carrier.map(|carrier| {
                let arm = &self.carriers[carrier].arm;
                let mut worst = Worst::default();
                for segment in self.segments(number, [0.0, 1.0]) {
                    let groups = |[from, to]: [f64; 2]| vec![(1.0 - from, start), (to, end)];
                    let off = stretch(arm, segment).between(arm, groups);
                    worst.to_joints = worst.to_joints.max(&off);
                }
                (carrier, worst)
            }));
        }
        let carrier = self.leading[last].and_then(|step| self.carrier(step));
        let carrier = carrier.ok_or_else(unproved)?;
        let arm = &self.carriers[carrier].arm;
        let error = pose_error(self.error_of_poses(number));
        let mut worst = Worst::default();
        for segment in self.segments(number, [0.0, 1.0]) {
            let off = stretch(arm, segment).driven_to_poses(arm, error);
            worst.to_poses = worst.to_poses.max(&off.ok_or_else(unproved)?);
        }
        Ok(Some((carrier, worst)))
    }

    fn is_joint_move(&self, number: usize) -> bool {
        let kind = self.laid.kinds.get(number);
        kind.is_none_or(|kind| *kind == MoveKind::Joint)
    }

    /// The carrier of what is off; none inside: nothing is. `None`: not all of it are of one arm.
    fn of_one_arm(&self, strays: &[&EndStray]) -> Option<Option<usize>> {
        let mut carriers = strays.iter().filter_map(|stray| Some(stray.as_ref()?.0));
        let Some(first) = carriers.next() else {
            return Some(None);
        };
        let joints = |carrier: usize| self.carriers[carrier].arm.joints;
        let one = carriers.all(|other| joints(other) == joints(first));
        one.then_some(Some(first))
    }

    /// The worst of one corner, and of which carrier.
    fn worst_of_corner(
        &self,
        corner: &Corner,
        ends: &[EndStray],
        moves: &[Found],
    ) -> Result<Found, Location> {
        let unproved = || corner.place.clone();
        let numbers = [corner.tip - 1, corner.next];
        let mut found: Found = None;
        for hull in &corner.hulls {
            let of_hull = match hull {
                Hull::Joints(_) => self.worst_in_joints(corner, hull, ends),
                Hull::Sum(_) | Hull::Tool(_) => self.worst_in_space(numbers, hull, moves),
            };
            let Some((carrier, worst)) = of_hull.ok_or_else(unproved)? else {
                continue;
            };
            let before = found.map_or_else(Worst::default, |(_, before)| before);
            found = Some((carrier, before.max(&worst)));
        }
        Ok(found)
    }

    /// The worst of a corner's triangle in joint space. `None`: it is not proved.
    fn worst_in_joints(&self, corner: &Corner, hull: &Hull, ends: &[EndStray]) -> Option<Found> {
        let [first, second] = [corner.tip - 1, corner.next];
        let mut points: Vec<&EndStray> = ends[corner.tip..=corner.next].iter().collect();
        let mut way = Vec::new();
        let mut weight = 1.0;
        let mut carrier = None;
        let [to, from] = corner.shares;
        for (number, other, share) in [
            (first, first, [1.0 - to, 1.0]),
            (second, second + 1, [0.0, from]),
        ] {
            if self.is_joint_move(number) {
                points.push(&ends[other]);
                continue;
            }
            let its = self.carrier(self.leading[number + 1]?)?;
            let arm = &self.carriers[its].arm;
            let error = pose_error(self.error_of_poses(number));
            for segment in self.segments(number, share) {
                way.extend(stretch(arm, segment).strays(arm, error)?);
            }
            (carrier, weight) = (Some(its), 2.0);
        }
        let of_points = self.of_one_arm(&points)?;
        let Some(carrier) = carrier.or(of_points) else {
            return Some(None);
        };
        let arm = &self.carriers[carrier].arm;
        if of_points.is_some_and(|other| self.carriers[other].arm.joints != arm.joints) {
            return None;
        }
        let points: Vec<Stray> = points
            .iter()
            .flat_map(|of| strays_of(of))
            .cloned()
            .collect();
        let groups = |_| vec![(1.0, &way[..]), (weight, &points[..])];
        let mut worst = Worst::default();
        for segment in strips(hull, STRIPS[0]).ok()?.iter() {
            let off = stretch(arm, segment).between(arm, groups);
            worst.to_joints = worst.to_joints.max(&off);
        }
        Some(Some((carrier, worst)))
    }

    /// The worst of a corner's triangle or sums in space. `None`: it is not proved.
    fn worst_in_space(&self, numbers: [usize; 2], hull: &Hull, moves: &[Found]) -> Option<Found> {
        let mut tool_moves = numbers
            .iter()
            .filter(|&&number| !self.is_joint_move(number));
        let step = self.leading[tool_moves.next()? + 1]?;
        let carrier = self.carrier(step)?;
        let Carrier { arm, joint, .. } = &self.carriers[carrier];
        let error = numbers.into_iter().fold(self.error, |most, number| {
            if !self.is_joint_move(number) {
                return most.max(self.error_of_poses(number));
            }
            // Where the end of the arm is on that move is off itself.
            let on_move = moves[number].map_or_else(Worst::default, |(_, worst)| worst);
            let end = self.carriers[carrier].off_of(self.cell, *joint, &on_move);
            most.max(self.error.and(self.error).and(end))
        });
        let error = pose_error(error);
        STRIPS.into_iter().find_map(|count| {
            let mut worst = Worst::default();
            for segment in &strips(hull, count).ok()? {
                let off = stretch(arm, segment).driven_to_poses(arm, error)?;
                worst.to_poses = worst.to_poses.max(&off);
            }
            Some(Some((carrier, worst)))
        })
    }
}

/// What is off, and of which carrier; none: nothing is.
type Found = Option<(usize, Worst)>;

fn strays_of(end: &EndStray) -> &[Stray] {
    end.as_ref().map_or(&[], |(_, strays)| strays)
}

fn pose_error(error: RigidError) -> PoseError {
    PoseError {
        position: error.shift_m,
        turn: error.turn_rad,
    }
}

/// The joint values of an arm in a segment.
fn stretch(arm: &Arm, segment: &Segment) -> Stretch {
    Stretch {
        joints: arm.joints.map(|joint| segment.joint(joint)),
        off: arm.joints.map(|joint| segment.taken_over()[joint]),
    }
}

/// A hull in so many strips, with so many cells.
fn strips(hull: &Hull, (count, cells): (usize, usize)) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    for number in 0..count {
        let middle = (number as f64 + 0.5) / count as f64;
        let layers = hull.strip([middle, 0.5 / count as f64], cells, &[])?;
        segments.extend(layers.into_iter().flat_map(|layer| layer.segments));
    }
    Ok(segments)
}
