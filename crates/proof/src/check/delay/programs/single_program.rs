//! One program with its events, on a clock of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::{DelayableProgram, NamedPair};
use crate::ProofError;
use crate::check::delay::Clocks;
use crate::model::{
    BodyId, Cell, ChangingCell, Event, EventChange, JointId, JointState, Merged, Timeline, Track,
    Trajectory, matches,
};
use crate::motion::Chains;
use crate::pairs::PairTable;

/// A program with its events, by itself.
#[derive(Debug)]
pub(super) struct SingleProgram {
    /// File, as messages name it.
    pub name: String,
    /// Its motion on the common clock, without delay, with that of the joints which its events
    /// move.
    pub trajectory: Trajectory,
    pub joints: Vec<JointId>,
    pub timeline: Timeline,
    /// When its events change the cell, on the common clock, and all joint values as far as it
    /// moves them.
    pub cuts: Vec<(f64, JointState)>,
    /// The cell as it changes it: before, between and after these.
    pub states: Vec<ChangingCell>,
    /// By body: whether its events have a say about where it is.
    pub concerns: Vec<bool>,
    /// Pairs that are checked at some of its times and not at others.
    pub varies: BTreeSet<NamedPair>,
}

impl SingleProgram {
    /// Without its states.
    pub fn new(given: DelayableProgram, cell: &Cell) -> Result<Self, ProofError> {
        let DelayableProgram {
            name,
            track,
            timeline,
        } = given;
        let by_events = timeline.joint_trajectories(cell, &[], true)?;
        let mut joints = track.joints.clone();
        joints.extend(by_events.iter().map(|(joint, _)| *joint));
        let mut tracks = vec![track];
        tracks.extend(by_events.iter().map(|(joint, trajectory)| Track {
            trajectory,
            joints: vec![*joint],
            shift: 0.0,
        }));
        let times = timeline.cuts();
        let trajectory = Merged::on_one_clock(cell, &tracks, &times).trajectory;
        let at = |&time: &f64| {
            // A segment without duration comes after the events of its instant.
            let next = trajectory.segments.iter().find(|s| s.start >= time);
            let joints = match (next, trajectory.segments.last()) {
                (Some(next), _) => JointState::new(next, 0.0),
                (None, Some(last)) => JointState::new(last, 1.0),
                (None, None) => JointState::default(),
            };
            (time, joints)
        };
        Ok(SingleProgram {
            name,
            cuts: times.iter().map(at).collect(),
            trajectory,
            joints,
            timeline,
            states: Vec::new(),
            concerns: Vec::new(),
            varies: BTreeSet::new(),
        })
    }

    pub fn track(&self) -> Track<'_> {
        Track {
            trajectory: &self.trajectory,
            joints: self.joints.clone(),
            shift: 0.0,
        }
    }

    /// Times of one of its states.
    pub fn span(&self, state: usize) -> (f64, f64) {
        let cut = |k: usize| self.cuts.get(k).map(|(time, _)| *time);
        (
            state
                .checked_sub(1)
                .and_then(cut)
                .unwrap_or(f64::NEG_INFINITY),
            cut(state).unwrap_or(f64::INFINITY),
        )
    }

    pub fn take(&mut self, states: Vec<ChangingCell>, cell: &Cell) {
        let differs = |body: BodyId| {
            let known = &cell.bodies[body];
            states.iter().map(|w| &w.cell.bodies[body]).any(|now| {
                (now.joint, now.parent, now.role, now.joint_from_body)
                    != (known.joint, known.parent, known.role, known.joint_from_body)
            })
        };
        let concerns = |body| self.handles(body).is_some() || differs(body);
        self.concerns = (0..cell.bodies.len()).map(concerns).collect();
        let mut times: BTreeMap<NamedPair, usize> = BTreeMap::new();
        for (k, state) in states.iter().enumerate() {
            let (from, to) = self.span(k);
            let checked = PairTable::new(&state.between(&[(&self.timeline, from, to)])).checked;
            for pair in checked {
                *times.entry((pair.a, pair.b)).or_default() += 1;
            }
        }
        let varies = times.into_iter().filter(|(_, n)| *n < states.len());
        self.varies = varies.map(|(pair, _)| pair).collect();
        self.states = states;
    }

    /// Whether its events have a say about two bodies: where they are, or whether they are
    /// compared.
    pub fn concerns_pair(&self, cell: &Cell, a: BodyId, b: BodyId) -> bool {
        let varies = self.varies.contains(&(a, b));
        self.concerns[a] || self.concerns[b] || varies || self.allows(cell, a, b)
    }

    /// Whether an event of it allows two bodies to touch: also where no state of it alone checks the
    /// pair, because another program's events bring it into the check.
    fn allows(&self, cell: &Cell, a: BodyId, b: BodyId) -> bool {
        let [a, b] = [a, b].map(|body| cell.bodies[body].name.as_str());
        self.timeline
            .events
            .iter()
            .any(|event| match &event.change {
                EventChange::Allow {
                    a: one, b: other, ..
                } => matches(one, a) && matches(other, b) || matches(one, b) && matches(other, a),
                _ => false,
            })
    }

    /// The first of its events that takes or puts down a body.
    pub fn handles(&self, body: BodyId) -> Option<&Event> {
        let mut events = self.timeline.events.iter();
        events.find(|event| handled(event).0.contains(&body))
    }
}

/// The cell as a program alone changes it: before its first event, after it, and so on.
pub(super) fn states(
    programs: &[SingleProgram],
    which: usize,
    cell: &Cell,
    (clocks, chains): (&Clocks, &Chains),
) -> Result<Vec<ChangingCell>, ProofError> {
    let program = &programs[which];
    let mut state = ChangingCell::new(cell);
    let mut states = vec![state.clone()];
    for (time, joints) in &program.cuts {
        for event in program.timeline.at(*time) {
            let (bodies, link) = handled(event);
            for &body in bodies.iter().chain(&link) {
                let moving = clocks.of_chain(chains, state.cell.bodies[body].joint);
                if let Some(&other) = moving.iter().find(|&&clock| clock != which) {
                    let name = |b: BodyId| cell.bodies[b].name.as_str();
                    let moved = format!("`{}` is moved by {}", name(body), programs[other].name);
                    let problem = format!(
                        "{moved}, and this is an event of {}: where `{}` is then would depend on the delay",
                        program.name,
                        name(bodies.first().copied().unwrap_or(body))
                    );
                    return Err(event.error(problem, ON_THEIR_OWN));
                }
            }
        }
        // Nothing is taken for seen: with delays another program may allow a pair meanwhile.
        state.change(&program.timeline, *time, joints)?;
        states.push(state.clone());
    }
    Ok(states)
}

/// The remedy for events that depend on two programs.
const ON_THEIR_OWN: &str = "state the delays that can happen as offsets, as in `--program left=pick.csv@0.5s`, without --any-delay";

/// The bodies that an event takes or puts down, and who is to carry them.
fn handled(event: &Event) -> (&[BodyId], Option<BodyId>) {
    match &event.change {
        EventChange::Attach { bodies, link, .. } => (bodies, Some(*link)),
        EventChange::Release { bodies } => (bodies, None),
        EventChange::Move { .. } | EventChange::Allow { .. } => (&[], None),
    }
}

/// No joint is moved by the events of two programs.
pub(super) fn one_program_per_joint(
    programs: &[SingleProgram],
    cell: &Cell,
) -> Result<(), ProofError> {
    for (k, program) in programs.iter().enumerate() {
        for event in &program.timeline.events {
            let EventChange::Move { joint, .. } = event.change else {
                continue;
            };
            if let Some(other) = programs[..k].iter().find(|p| p.joints.contains(&joint)) {
                let problem = format!(
                    "`{}` is moved by {} and its events already: where it is would depend on the delay",
                    cell.joint_label(joint),
                    other.name
                );
                return Err(event.error(problem, "let one program move it"));
            }
        }
    }
    Ok(())
}

/// No body is concerned by the events of two programs, and nothing is given to a body that another
/// one's concern.
pub(super) fn one_program_per_body(
    programs: &[SingleProgram],
    cell: &Cell,
    concerns: impl Fn(&SingleProgram, BodyId) -> bool,
) -> Result<(), ProofError> {
    for program in programs {
        for event in &program.timeline.events {
            let (bodies, link) = handled(event);
            for &body in bodies.iter().chain(&link) {
                let others = programs
                    .iter()
                    .filter(|other| !std::ptr::eq(*other, program));
                if let Some(other) = others.into_iter().find(|other| concerns(other, body)) {
                    let also = match other.handles(body) {
                        Some(also) => format!("{}:{}", also.file.display(), also.line),
                        None => other.name.clone(),
                    };
                    let problem = format!(
                        "`{}` is taken or put down by events of two programs, also in {also}: who holds it would depend on the delay",
                        cell.bodies[body].name
                    );
                    return Err(event.error(problem, ON_THEIR_OWN));
                }
            }
        }
    }
    Ok(())
}
