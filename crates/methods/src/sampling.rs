//! Looking at instants, one step after the other: the honest baseline. It finds contacts; it never
//! proves that there are none.

use std::fmt;

use clearance_proof::check::Snapshot;
use clearance_proof::check::Travels;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{MotionInstant, Segment, Trajectory};
use clearance_proof::report::{Contact, ContactKind, Sampled, Statistics, Verdict, Work};

use crate::backends::{Backend, Touch};

/// How far one instant is from the next; instants are spread evenly over each segment, waypoints
/// are among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SamplingStep {
    /// Time: seconds, or waypoint numbers where the program has no times.
    Time(f64),
    /// No joint turns farther than this, radians (or slides, metres).
    Joint(f64),
    /// No point of a robot or of what it carries gets farther than this, metres.
    Travel(f64),
}

/// Instants of one segment; where a step wants more, the check is given up.
const MOST_INSTANTS: usize = 10_000_000;

impl Default for SamplingStep {
    fn default() -> Self {
        SamplingStep::Travel(0.005)
    }
}

impl fmt::Display for SamplingStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SamplingStep::Time(seconds) => write!(f, "{seconds}s"),
            SamplingStep::Joint(radians) => write!(f, "{radians}rad"),
            SamplingStep::Travel(metres) => write!(f, "{}mm", 1e3 * metres),
        }
    }
}

/// Looks at instants of a motion. Only `all` of the options counts. Once the scene's limit of time is
/// spent, the rest of the motion is left.
pub fn check(
    scene: &Scene,
    trajectory: &Trajectory,
    backend: &mut dyn Backend,
    step: SamplingStep,
    options: &CheckOptions,
    progress: &dyn Fn(f64),
) -> CheckResult {
    let mut snapshot = Snapshot::default();
    snapshot.set(scene, &trajectory.segments[0], 0.0);
    let contained = scene.contained(&mut snapshot);
    let start = trajectory.segments[0].start;
    let mut state = SamplingState {
        scene,
        trajectory,
        first: !options.all,
        entry: vec![None; scene.pairs.len()],
        free: vec![start; scene.pairs.len()],
        seen: Vec::new(),
        given_up: false,
        work: Work::default(),
        sampled: Sampled {
            instants: 0,
            unseen: 0.0,
        },
    };
    for &pair in &contained {
        state.enter(pair, MotionInstant::START);
    }
    for (index, segment) in trajectory.segments.iter().enumerate() {
        let over = |state: &mut SamplingState| {
            state.given_up = state.given_up || scene.time_limit.is_exceeded_now();
            state.given_up || (state.first && !state.seen.is_empty())
        };
        if over(&mut state) {
            break;
        }
        let count = state.count(step, segment, &mut snapshot);
        if count > MOST_INSTANTS {
            state.given_up = true;
            break;
        }
        // The end of one segment is the beginning of the next, unless the program jumps.
        let begins = index == 0 || !follows(&trajectory.segments[index - 1], segment);
        let mut before: Option<f64> = (!begins).then_some(0.0);
        for k in usize::from(!begins)..=count {
            if over(&mut state) {
                break;
            }
            let s = k as f64 / count as f64;
            snapshot.set(scene, segment, s);
            state.instant(index, s, backend, &mut snapshot);
            if let Some(before) = before.replace(s) {
                state.between(segment, before, s);
            }
        }
        progress((index + 1) as f64 / trajectory.segments.len() as f64);
    }
    if let (false, Some(last)) = (state.given_up, trajectory.segments.last()) {
        let lasting: Vec<usize> = state.entry.iter().flatten().copied().collect();
        for entry in lasting {
            state.seen[entry].until = Some(last.end);
        }
    }
    let contacts = state.seen;
    let verdict = if contacts.is_empty() {
        Verdict::Unverified
    } else {
        Verdict::Collision
    };
    CheckResult {
        // Nothing but the very start was proved free.
        first_contact: contacts.first().map(|first| Contact {
            free_until: start,
            until: None,
            ..first.clone()
        }),
        contacts: if options.all { contacts } else { Vec::new() },
        sampled: Some(state.sampled),
        given_up: state.given_up,
        coarseness: backend.coarseness(),
        statistics: Statistics::of_work(state.work, 0, scene.pairs.len()),
        ..CheckResult::new(verdict)
    }
}

/// Whether a segment begins where another one ends.
fn follows(before: &Segment, segment: &Segment) -> bool {
    (0..segment.joints().len()).all(|j| before.position(j, 1.0) == segment.position(j, 0.0))
}

struct SamplingState<'l> {
    scene: &'l Scene<'l>,
    trajectory: &'l Trajectory,
    /// One contact is enough.
    first: bool,
    /// By pair, the entry of `seen` that has not ended: it was in contact at the last instant.
    entry: Vec<Option<usize>>,
    /// By pair, the last instant at which it was seen apart; the first one before that.
    free: Vec<f64>,
    /// Contacts, by time: bounded by the instants that saw the pair apart, and not proved.
    seen: Vec<Contact>,
    given_up: bool,
    work: Work,
    sampled: Sampled,
}

impl SamplingState<'_> {
    /// Number of steps in a segment.
    fn count(&self, step: SamplingStep, segment: &Segment, snapshot: &mut Snapshot) -> usize {
        let (length, most) = match step {
            SamplingStep::Time(most) => (segment.end - segment.start, most),
            SamplingStep::Joint(most) => {
                let mut travels = Travels::default();
                travels.set(self.scene, segment, 0.0, 1.0);
                (travels.joints(), most)
            }
            SamplingStep::Travel(most) => {
                let mut travels = Travels::default();
                travels.set(self.scene, segment, 0.0, 1.0);
                let mut ends = [snapshot.clone(), snapshot.clone()];
                ends[0].set(self.scene, segment, 0.0);
                ends[1].set(self.scene, segment, 1.0);
                let parts = 0..self.scene.parts.len();
                let travel = parts.map(|p| travels.part(self.scene, p, 0, &mut ends));
                (travel.fold(0.0, f64::max), most)
            }
        };
        (length / most).ceil().max(1.0) as usize
    }

    fn instant(
        &mut self,
        index: usize,
        s: f64,
        backend: &mut dyn Backend,
        snapshot: &mut Snapshot,
    ) {
        self.sampled.instants += 1;
        let touches = backend.touching(snapshot, self.first, &mut self.work);
        let mut now = vec![false; self.scene.pairs.len()];
        for Touch { pair, .. } in touches {
            now[pair] = true;
        }
        let time = self.trajectory.segments[index].time(s);
        for (pair, touches) in now.into_iter().enumerate() {
            let Some(entry) = self.entry[pair] else {
                if touches {
                    self.enter(pair, MotionInstant::new(index, s));
                    // The spheres that touch at the instant are part of the answer where all of it
                    // is asked for.
                    if !self.first
                        && let Some(entry) = self.entry[pair]
                    {
                        self.seen[entry].spheres =
                            backend.colliding(pair, snapshot, &mut self.work);
                    }
                } else {
                    self.free[pair] = time
                }
                continue;
            };
            let inside = self.seen[entry].kind == ContactKind::Inside;
            if touches && !inside {
                continue;
            }
            // Not every shape tells of bodies that are inside others.
            let stays = inside && self.scene.is_contained(pair, snapshot);
            if stays && !(touches && self.crosses(pair, snapshot)) {
                continue;
            }
            self.seen[entry].until = Some(time);
            self.entry[pair] = None;
            if touches {
                self.enter(pair, MotionInstant::new(index, s))
            } else {
                self.free[pair] = time
            }
        }
    }

    /// A contact that begins here, after the last instant that saw the pair apart.
    fn enter(&mut self, pair: usize, at: MotionInstant) {
        self.entry[pair] = Some(self.seen.len());
        self.seen.push(Contact {
            free_until: self.free[pair],
            ..self.scene.met(self.trajectory, pair, at)
        });
    }

    /// Whether the surfaces of a pair meet.
    fn crosses(&self, pair: usize, snapshot: &mut Snapshot) -> bool {
        self.scene
            .pair_distance(pair, snapshot, f64::MIN_POSITIVE, &mut 0)
            .is_some()
    }

    /// Notes how far bodies move from one instant to the next.
    fn between(&mut self, segment: &Segment, s0: f64, s1: f64) {
        let mut travels = Travels::default();
        travels.set(self.scene, segment, s0, s1);
        let mut ends = [Snapshot::default(), Snapshot::default()];
        ends[0].set(self.scene, segment, s0);
        ends[1].set(self.scene, segment, s1);
        for pair in &self.scene.part_pairs {
            let travel = travels.pair(self.scene, pair, &mut ends);
            self.sampled.unseen = self.sampled.unseen.max(travel);
        }
    }
}
