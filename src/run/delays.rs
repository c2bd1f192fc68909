//! `--any-delay`: what programs may do to each other for every delay of their starts.
//!
//! Every program has a clock of its own: its joints, those that its events move, and everything that its events attach,
//! release or allow follow its own time. So each program alone tells what it makes of the cell between any two of its
//! events, and for several of them every such interval of one meets all intervals of the others that a delay brings together.
//!
//! **Which clocks a pair of bodies depends on**: those of the joints between them, those of programs whose events concern
//! one of the two (by attaching or releasing it or what it hangs on), and those of programs by whose events alone the pair
//! comes into the check or leaves it. Where it is one clock, delays change nothing, and the check without delay has looked
//! at it. Where it is several, all their instants within the delay of one another are looked at. No event changes which clocks
//! these are: what an event takes or puts down is moved by its program alone, before and after.
//!
//! That needs bodies which one program's events alone concern, and carriers which that program alone moves: otherwise who
//! holds a body, or where it was put down, would depend on the delay. Such events are refused with their line.

use std::collections::{BTreeMap, BTreeSet};

use clearance_proof::check::delay::{Clocks, DelayOptions, DelayResult, DelayStage, Delays};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{
    BodyId, Cell, Event, EventChange, JointId, Path, PathError, Timeline, Track, on_one_clock,
};
use clearance_proof::motion::Chains;
use clearance_proof::pairs::table;

use super::check_error::CheckError;
use super::classes::{self, by_class};
use super::motion::Motion;
use super::phases::{placed, take_in_pair};
use super::uncovered::{allowing, nothing_left};
use super::world::{Stand, World};
use super::{Job, Prepared, Settings};
use crate::findings::{ClassMinimum, Diagnostic, MinimumClearance};

/// Two bodies, in the order of the cell.
pub(super) type NamedPair = (BodyId, BodyId);

/// A program with its events, by itself.
#[derive(Debug)]
struct Lane {
    /// File, as messages name it.
    name: String,
    /// Its motion on the common clock, without delay, with that of the joints which its events move.
    path: Path,
    joints: Vec<JointId>,
    timeline: Timeline,
    /// When its events change the cell, on the common clock, and all joint values as far as it moves them.
    cuts: Vec<(f64, Stand)>,
    /// What it makes of the cell before, between and after these.
    worlds: Vec<World>,
    /// By body: whether its events have a say about where it is.
    concerns: Vec<bool>,
    /// Pairs that are checked at some of its times and not at others.
    varies: BTreeSet<NamedPair>,
}

/// All programs, each by itself.
#[derive(Debug)]
pub(super) struct Lanes(Vec<Lane>);

/// What a search over delays says.
pub(super) struct Delayed {
    pub result: DelayResult,
    /// The pairs that it is about: those that depend on several programs.
    pub pairs: BTreeSet<NamedPair>,
    /// What is least of them, over all delays.
    pub least: Minimums,
}

/// Least distances of pairs and of their classes.
#[derive(Debug, Default)]
pub(super) struct Minimums {
    pub pairs: Vec<MinimumClearance>,
    pub by_class: Vec<ClassMinimum>,
}

impl Minimums {
    /// Takes in those of a stage, with the cell as it is there.
    fn take_in(&mut self, found: Vec<MinimumClearance>, cell: &Cell) {
        for least in by_class(cell, &found) {
            classes::take_in(&mut self.by_class, least);
        }
        for least in found {
            take_in_pair(&mut self.pairs, least);
        }
    }
}

impl Lanes {
    /// Gets ready to ask for any delay.
    ///
    /// # Errors
    /// When the question makes no sense, or when events make bodies depend on more than one program.
    pub fn new(job: &Job, motion: &Motion, cell: &Cell) -> Result<Self, CheckError> {
        if motion.parts.len() < 2 {
            return Err(
                "--any-delay is about several programs; give one for each robot with --program"
                    .to_owned()
                    .into(),
            );
        }
        if job.audit_allowed {
            return Err(
                "--any-delay does not say what allowed pairs do; leave out --audit-allowed"
                    .to_owned()
                    .into(),
            );
        }
        if let (true, Some(first)) = (motion.by_program.is_empty(), motion.timeline.events.first())
        {
            return Err(first
                .error(
                    "with --any-delay every event belongs to one program, whose delay it shares",
                    "put the events of each program into a file beside it, and leave out --events",
                )
                .into());
        }
        let mut lanes = Vec::with_capacity(motion.parts.len());
        for (k, part) in motion.parts.iter().enumerate() {
            let timeline = motion.by_program.get(k).cloned().unwrap_or_default();
            lanes.push(Lane::laid(
                part.program.source.display().to_string(),
                part.track(),
                timeline,
                cell,
            )?);
        }
        one_program_a_joint(&lanes, cell)?;
        one_program_a_body(&lanes, cell, |lane, body| names(lane, body).is_some())?;
        let tracks: Vec<Track> = lanes.iter().map(Lane::track).collect();
        let (clocks, chains) = (Clocks::new(cell, &tracks), Chains::new(cell));
        let mut worlds = Vec::with_capacity(lanes.len());
        for k in 0..lanes.len() {
            worlds.push(through(&lanes, k, cell, (&clocks, &chains))?);
        }
        drop(tracks);
        for (lane, worlds) in lanes.iter_mut().zip(worlds) {
            lane.take(worlds, cell);
        }
        one_program_a_body(&lanes, cell, |lane, body| lane.concerns[body])?;
        Ok(Lanes(lanes))
    }

    /// Looks at all pairs of bodies that depend on several programs, and says which ones these are. `known` is what pairs
    /// attain without delay.
    ///
    /// # Errors
    /// When the events of two programs together ask for what cannot be.
    pub fn search(
        &self,
        prepared: &Prepared,
        settings: &Settings,
        options: DelayOptions,
        (whole, known): (&Scene, &[MinimumClearance]),
        progress: &dyn Fn(f64),
    ) -> Result<Delayed, CheckError> {
        let tracks: Vec<Track> = self.0.iter().map(Lane::track).collect();
        let mut delays = Delays::new(&prepared.cell, &tracks, options);
        let depend = self.depend(&prepared.cell, delays.clocks());
        let mut looked_at = BTreeSet::new();
        let mut least = Minimums::default();
        for known in known {
            let bodies = [&known.a, &known.b].map(|name| prepared.cell.body(name));
            if let [Some(a), Some(b)] = bodies {
                delays.attains((a, b), known.distance);
            }
        }
        let due = self.due(&depend, &delays);
        let runs = 1.0 + f64::from(u8::from(options.minimum));
        for (k, (which, worlds)) in due.iter().enumerate() {
            let spans = self.spans(which, worlds);
            // Something earlier may have been found since.
            if !delays.is_due(&spans) {
                continue;
            }
            let world = self.together(which, worlds)?;
            let cell = self.cell(which, worlds, &world);
            let scene = Scene::new(&cell, &prepared.trees, &table(&cell), settings.clearance);
            let mut scene = placed(scene, &world.taken_over_m);
            scene.hulls = whole.hulls;
            scene.budget = whole.budget.clone();
            let bodies = |pair: usize| (scene.pairs[pair].a, scene.pairs[pair].b);
            let pairs: Vec<usize> = (0..scene.pairs.len())
                .filter(|&pair| depend.get(&bodies(pair)) == Some(which))
                .collect();
            looked_at.extend(pairs.iter().map(|&pair| bodies(pair)));
            let stage = DelayStage {
                scene: &scene,
                pairs: &pairs,
                which,
                spans: &spans,
            };
            let share = |run: f64, part: f64| {
                progress((k as f64 + (run + part) / runs) / due.len() as f64);
            };
            delays.stage(&stage, &|part| share(0.0, part));
            if options.minimum {
                let found = delays.minimum(&stage, &|part| share(1.0, part));
                least.take_in(found, &cell);
            }
        }
        progress(1.0);
        Ok(Delayed {
            result: delays.result(),
            pairs: looked_at,
            least,
        })
    }

    /// Says where some delay brings states of the programs together that leave no pair of bodies to compare: each of them alone
    /// may leave some.
    ///
    /// # Errors
    /// When the events of two programs together ask for what cannot be.
    pub fn unpaired(
        &self,
        cell: &Cell,
        options: DelayOptions,
    ) -> Result<Option<Diagnostic>, PathError> {
        // A pair that no event concerns is compared whatever the delays are.
        let by_events = |a: BodyId, b: BodyId| {
            let says = |l: &Lane| l.concerns[a] || l.concerns[b] || l.varies.contains(&(a, b));
            self.0.iter().any(says)
        };
        if (table(cell).checked.iter()).any(|pair| !by_events(pair.a, pair.b)) {
            return Ok(None);
        }
        let tracks: Vec<Track> = self.0.iter().map(Lane::track).collect();
        // What touches earlier makes no difference here.
        let options = DelayOptions {
            all: true,
            ..options
        };
        let delays = Delays::new(cell, &tracks, options);
        let every: Vec<usize> = (0..self.0.len()).collect();
        for worlds in self.met(&every, &delays) {
            let cell = self.cell(&every, &worlds, &self.together(&every, &worlds)?);
            if table(&cell).checked.is_empty() {
                let at = self.0.iter().zip(self.spans(&every, &worlds));
                let at = at.map(|(lane, (from, to))| {
                    let [from, to] = [from.max(options.span.0), to.min(options.span.1)];
                    format!("{} between {from:.3} s and {to:.3} s", lane.name)
                });
                let what = format!("at some delay, {}", at.collect::<Vec<_>>().join(" and "));
                return Ok(Some(nothing_left(what, &allowing(&cell).collect())));
            }
        }
        Ok(None)
    }

    /// The programs, in order, that pairs of bodies depend on, for those that depend on several.
    fn depend(&self, cell: &Cell, clocks: &Clocks) -> BTreeMap<NamedPair, Vec<usize>> {
        let chains = Chains::new(cell);
        let of = |body: BodyId| chains.of(cell.bodies[body].joint);
        let concerned = |body: BodyId| self.0.iter().any(|lane| lane.concerns[body]);
        let mut depend = BTreeMap::new();
        for b in 0..cell.bodies.len() {
            for a in 0..b {
                // What events hang elsewhere shares joints with others for a time only.
                let shared = match concerned(a) || concerned(b) {
                    true => 0,
                    false => of(a).iter().zip(of(b)).take_while(|(x, y)| x == y).count(),
                };
                let between = of(a)[shared..].iter().chain(&of(b)[shared..]);
                let mut programs: BTreeSet<usize> = clocks.of_joints(between).into_iter().collect();
                let says = |lane: &Lane| {
                    lane.concerns[a] || lane.concerns[b] || lane.varies.contains(&(a, b))
                };
                programs.extend((0..self.0.len()).filter(|&k| says(&self.0[k])));
                if programs.len() > 1 {
                    depend.insert((a, b), programs.into_iter().collect());
                }
            }
        }
        depend
    }

    /// Sets of programs that some pair depends on, with an interval between its events for each of them, where some delay brings
    /// these together: the earliest first.
    fn due(
        &self,
        depend: &BTreeMap<NamedPair, Vec<usize>>,
        delays: &Delays,
    ) -> Vec<(Vec<usize>, Vec<usize>)> {
        let sets: BTreeSet<&Vec<usize>> = depend.values().collect();
        let mut due = Vec::new();
        for which in sets {
            let begun = self.met(which, delays);
            let starts = |worlds: &[usize]| {
                let spans = self.spans(which, worlds).into_iter();
                spans.map(|s| s.0).fold(f64::NEG_INFINITY, f64::max)
            };
            due.extend(begun.into_iter().map(|w| (starts(&w), (which.clone(), w))));
        }
        due.sort_by(|x, y| x.0.total_cmp(&y.0));
        due.into_iter().map(|(_, stage)| stage).collect()
    }

    /// For these programs the states, one of each, that some delay brings together.
    fn met(&self, which: &[usize], delays: &Delays) -> Vec<Vec<usize>> {
        let mut begun: Vec<Vec<usize>> = vec![Vec::new()];
        for &lane in which {
            let longer = begun.iter().flat_map(|worlds| {
                let next = 0..self.0[lane].worlds.len();
                next.map(|world| [worlds.as_slice(), &[world]].concat())
            });
            let reached = |worlds: &Vec<usize>| delays.is_due(&self.spans(which, worlds));
            begun = longer.filter(reached).collect();
        }
        begun
    }

    /// The cell in what these worlds are together, with what each program allows then.
    fn cell(&self, which: &[usize], worlds: &[usize], together: &World) -> Cell {
        let said = which.iter().zip(self.spans(which, worlds));
        let said: Vec<_> = said
            .map(|(&lane, (from, to))| (&self.0[lane].timeline, from, to))
            .collect();
        together.between(&said)
    }

    /// The times of programs in these of their worlds.
    fn spans(&self, which: &[usize], worlds: &[usize]) -> Vec<(f64, f64)> {
        let worlds = which.iter().zip(worlds);
        worlds
            .map(|(&lane, &world)| self.0[lane].span(world))
            .collect()
    }

    /// What programs, each in one of its worlds, make of the cell together.
    fn together(&self, which: &[usize], worlds: &[usize]) -> Result<World, PathError> {
        let (first, others) = (which[0], &which[1..]);
        let mut together = self.0[first].worlds[worlds[0]].clone();
        for (&lane, &world) in others.iter().zip(&worlds[1..]) {
            let lane = &self.0[lane];
            for (time, stand) in &lane.cuts[..world] {
                together.change(&lane.timeline, *time, stand)?;
            }
        }
        Ok(together)
    }
}

impl Lane {
    /// Without its worlds.
    fn laid(
        name: String,
        track: Track,
        timeline: Timeline,
        cell: &Cell,
    ) -> Result<Self, PathError> {
        let by_events = timeline.joint_paths(cell, true)?;
        let mut joints = track.joints.clone();
        joints.extend(by_events.iter().map(|(joint, _)| *joint));
        let mut tracks = vec![track];
        tracks.extend(by_events.iter().map(|(joint, path)| Track {
            path,
            joints: vec![*joint],
            shift: 0.0,
        }));
        let times = timeline.cuts();
        let path = on_one_clock(cell, &tracks, &times).path;
        let at = |&time: &f64| {
            // What has no duration comes after the events of its instant.
            let next = path.segments.iter().find(|s| s.start >= time);
            let stand = match (next, path.segments.last()) {
                (Some(next), _) => Stand::new(next, 0.0),
                (None, Some(last)) => Stand::new(last, 1.0),
                (None, None) => Stand::default(),
            };
            (time, stand)
        };
        Ok(Lane {
            name,
            cuts: times.iter().map(at).collect(),
            path,
            joints,
            timeline,
            worlds: Vec::new(),
            concerns: Vec::new(),
            varies: BTreeSet::new(),
        })
    }

    fn track(&self) -> Track<'_> {
        Track {
            path: &self.path,
            joints: self.joints.clone(),
            shift: 0.0,
        }
    }

    /// Times of one of its worlds.
    fn span(&self, world: usize) -> (f64, f64) {
        let cut = |k: usize| self.cuts.get(k).map(|(time, _)| *time);
        (
            world
                .checked_sub(1)
                .and_then(cut)
                .unwrap_or(f64::NEG_INFINITY),
            cut(world).unwrap_or(f64::INFINITY),
        )
    }

    fn take(&mut self, worlds: Vec<World>, cell: &Cell) {
        let differs = |body: BodyId| {
            let known = &cell.bodies[body];
            worlds.iter().map(|w| &w.cell.bodies[body]).any(|now| {
                (now.joint, now.parent, now.role, now.joint_from_body)
                    != (known.joint, known.parent, known.role, known.joint_from_body)
            })
        };
        let concerns = |body| names(self, body).is_some() || differs(body);
        self.concerns = (0..cell.bodies.len()).map(concerns).collect();
        let mut times: BTreeMap<NamedPair, usize> = BTreeMap::new();
        for (k, world) in worlds.iter().enumerate() {
            let (from, to) = self.span(k);
            let checked = table(&world.between(&[(&self.timeline, from, to)])).checked;
            for pair in checked {
                *times.entry((pair.a, pair.b)).or_default() += 1;
            }
        }
        let varies = times.into_iter().filter(|(_, n)| *n < worlds.len());
        self.varies = varies.map(|(pair, _)| pair).collect();
        self.worlds = worlds;
    }
}

/// What a program alone makes of the cell: before its first event, after it, and so on.
fn through(
    lanes: &[Lane],
    which: usize,
    cell: &Cell,
    (clocks, chains): (&Clocks, &Chains),
) -> Result<Vec<World>, PathError> {
    let lane = &lanes[which];
    let mut world = World::new(cell);
    let mut worlds = vec![world.clone()];
    for (time, stand) in &lane.cuts {
        for event in lane.timeline.events.iter().filter(|e| e.time == *time) {
            let (bodies, link) = handled(event);
            for &body in bodies.iter().chain(&link) {
                let moving = clocks.of_chain(chains, world.cell.bodies[body].joint);
                if let Some(&other) = moving.iter().find(|&&clock| clock != which) {
                    let name = |b: BodyId| cell.bodies[b].name.as_str();
                    let moved = format!("`{}` is moved by {}", name(body), lanes[other].name);
                    let problem = format!(
                        "{moved}, and this is an event of {}: where `{}` is then would depend on the delay",
                        lane.name,
                        name(bodies.first().copied().unwrap_or(body))
                    );
                    return Err(event.error(problem, ON_THEIR_OWN));
                }
            }
        }
        world.change(&lane.timeline, *time, stand)?;
        worlds.push(world.clone());
    }
    Ok(worlds)
}

/// What can be done about events that depend on two programs.
const ON_THEIR_OWN: &str = "state the delays that can happen as offsets, as in `--program left=pick.csv@0.5s`, without --any-delay";

/// The bodies that an event takes or puts down, and who is to carry them.
fn handled(event: &Event) -> (&[BodyId], Option<BodyId>) {
    match &event.change {
        EventChange::Attach { bodies, link, .. } => (bodies, Some(*link)),
        EventChange::Release { bodies } => (bodies, None),
        EventChange::Move { .. } | EventChange::Allow { .. } => (&[], None),
    }
}

/// The first event of a program that takes or puts down a body.
fn names(lane: &Lane, body: BodyId) -> Option<&Event> {
    let mut events = lane.timeline.events.iter();
    events.find(|event| handled(event).0.contains(&body))
}

/// No joint is moved by the events of two programs.
fn one_program_a_joint(lanes: &[Lane], cell: &Cell) -> Result<(), PathError> {
    for (k, lane) in lanes.iter().enumerate() {
        for event in &lane.timeline.events {
            let EventChange::Move { joint, .. } = event.change else {
                continue;
            };
            if let Some(other) = lanes[..k].iter().find(|l| l.joints.contains(&joint)) {
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

/// No body is concerned by the events of two programs, and nothing is given to a body that another one's concern.
fn one_program_a_body(
    lanes: &[Lane],
    cell: &Cell,
    concerns: impl Fn(&Lane, BodyId) -> bool,
) -> Result<(), PathError> {
    for lane in lanes {
        for event in &lane.timeline.events {
            let (bodies, link) = handled(event);
            for &body in bodies.iter().chain(&link) {
                let others = lanes.iter().filter(|other| !std::ptr::eq(*other, lane));
                if let Some(other) = others.into_iter().find(|other| concerns(other, body)) {
                    let also = match names(other, body) {
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
