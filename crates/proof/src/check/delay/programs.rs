//! Programs with events against each other, for every delay of their starts.
//!
//! Every program has a clock of its own: its joints, those that its events move, and everything
//! that its events attach, release or allow follow its own time. So each program alone tells what
//! it makes of the cell between any two of its events, and for several of them every such interval
//! of one meets all intervals of the others that a delay brings together.
//!
//! **Which clocks a pair of bodies depends on**: those of the joints between them, those of
//! programs whose events concern one of the two (by attaching or releasing it or what it hangs on),
//! and those of programs by whose events alone the pair comes into the check or leaves it, or whose
//! events allow the two to touch. Where it is one clock, delays change nothing, and the check
//! without delay has looked at it. Where it is several, all their instants within the delay of one
//! another are looked at. No event changes which clocks these are: what an event takes or puts down
//! is moved by its program alone, before and after.
//!
//! That needs bodies which one program's events alone concern, and carriers which that program
//! alone moves: otherwise who holds a body, or where it was put down, would depend on the delay.
//! Such events are refused with their line.

mod single_program;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use single_program::SingleProgram;

use super::{Clocks, DelayOptions, DelayResult, DelayStage, Delays};
use crate::ProofError;
use crate::bvh::SphereTree;
use crate::check::classes::{self, by_class};
use crate::check::joined::merge_pair;
use crate::check::scene::Scene;
use crate::model::{BodyId, Cell, ChangingCell, Timeline, Track};
use crate::motion::Chains;
use crate::pairs::PairTable;
use crate::report::{ClassMinimum, Contact, MinimumClearance, Verdict};

/// Two bodies, in the order of the cell.
type NamedPair = (BodyId, BodyId);

/// A program that may be late.
#[derive(Debug, Clone)]
pub struct DelayableProgram<'p> {
    /// As messages name it.
    pub name: String,
    /// Its motion on the common clock, without delay.
    pub track: Track<'p>,
    /// Its events, on the same clock.
    pub timeline: Timeline,
}

/// Programs of which each may be late, each by itself.
#[derive(Debug)]
pub struct DelayedPrograms(Vec<SingleProgram>);

/// The cell, whatever events make of it.
pub struct WholeCell<'w> {
    /// As it is without events, with the options and the time limit of searches.
    pub scene: &'w Scene<'w>,
    /// One tree per shape of every body.
    pub trees: &'w [Vec<Arc<SphereTree>>],
    /// Threshold D of pairs that have none of their own, metres.
    pub clearance: f64,
}

/// States of programs, together, without a pair of bodies to compare.
#[derive(Debug)]
pub struct Unpaired {
    /// The cell in these states.
    pub cell: Cell,
    /// Names of the programs, and from when to when on the common clock each is in its state.
    pub spans: Vec<(String, [f64; 2])>,
}

/// The answer of a search over delays.
#[derive(Debug)]
pub struct OverDelays {
    /// Contacts.
    pub(crate) result: DelayResult,
    /// The pairs that it is about: those that depend on several programs.
    pub(crate) pairs: BTreeSet<NamedPair>,
    /// Their least distances, over all delays.
    pub(crate) least: Minimums,
}

/// Least distances of pairs and of their classes.
#[derive(Debug, Default)]
pub(crate) struct Minimums {
    /// Of pairs.
    pub pairs: Vec<MinimumClearance>,
    /// Of classes.
    pub by_class: Vec<ClassMinimum>,
}

impl OverDelays {
    /// The earliest contact over all delays, or else the earliest undecided box; `None`: all is
    /// clear.
    pub fn first(&self) -> Option<(Verdict, &Contact)> {
        let first = self.result.first.as_ref()?;
        Some((self.result.verdict, &first.contact))
    }

    /// Whether the search for least distances ended before they were known to the resolution.
    pub fn minimum_given_up(&self) -> bool {
        self.result.minimum_given_up
    }
}

impl Minimums {
    /// Takes in those of a stage, with the cell as it is there.
    fn merge(&mut self, found: Vec<MinimumClearance>, cell: &Cell) {
        for least in by_class(cell, &found) {
            classes::merge_class(&mut self.by_class, least);
        }
        for least in found {
            merge_pair(&mut self.pairs, least);
        }
    }
}

impl DelayedPrograms {
    /// Gets ready to ask for any delay.
    ///
    /// # Errors
    /// When events make bodies depend on more than one program.
    pub fn new(given: Vec<DelayableProgram>, cell: &Cell) -> Result<Self, ProofError> {
        let prepared = given.into_iter().map(|one| SingleProgram::new(one, cell));
        let mut programs = prepared.collect::<Result<Vec<_>, _>>()?;
        single_program::one_program_per_joint(&programs, cell)?;
        single_program::one_program_per_body(&programs, cell, |program, body| {
            program.handles(body).is_some()
        })?;
        let tracks: Vec<Track> = programs.iter().map(SingleProgram::track).collect();
        let (clocks, chains) = (Clocks::new(cell, &tracks), Chains::new(cell));
        let through = |k| single_program::states(&programs, k, cell, (&clocks, &chains));
        let states = (0..programs.len()).map(through);
        let states = states.collect::<Result<Vec<_>, _>>()?;
        drop(tracks);
        for (program, states) in programs.iter_mut().zip(states) {
            program.take(states, cell);
        }
        single_program::one_program_per_body(&programs, cell, |program, body| {
            program.concerns[body]
        })?;
        Ok(DelayedPrograms(programs))
    }

    /// Looks at all pairs of bodies that depend on several programs, and says which ones these are.
    /// `known` is what pairs attain without delay. `progress` is told the share that is done, 0
    /// … 1.
    ///
    /// # Errors
    /// When the events of two programs together ask for what cannot be.
    pub fn search(
        &self,
        whole: &WholeCell,
        options: DelayOptions,
        known: &[MinimumClearance],
        progress: &dyn Fn(f64),
    ) -> Result<OverDelays, ProofError> {
        let tracks: Vec<Track> = self.0.iter().map(SingleProgram::track).collect();
        let everything = whole.scene.cell;
        let mut delays = Delays::new(everything, &tracks, options);
        let depend = self.dependent_pairs(everything, delays.clocks());
        let mut looked_at = BTreeSet::new();
        let mut least = Minimums::default();
        for known in known {
            let bodies = [&known.a, &known.b].map(|name| everything.body(name));
            if let [Some(a), Some(b)] = bodies {
                delays.record_distance((a, b), known.distance);
            }
        }
        let stages = self.stages_to_search(&depend, &delays);
        let runs = 1.0 + f64::from(u8::from(options.minimum));
        for (k, (which, states)) in stages.iter().enumerate() {
            let spans = self.spans(which, states);
            // Something earlier may have been found since.
            if !delays.needs_search(&spans) {
                continue;
            }
            let state = self.together(which, states)?;
            let cell = self.cell(which, states, &state);
            let scene = Scene::new(&cell, whole.trees, &PairTable::new(&cell), whole.clearance);
            let mut scene = scene.placed_by_events(&state.taken_over_m, &state.handover_errors);
            scene.hulls = whole.scene.hulls;
            scene.time_limit = whole.scene.time_limit.clone();
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
                progress((k as f64 + (run + part) / runs) / stages.len() as f64);
            };
            delays.stage(&stage, &|part| share(0.0, part));
            if options.minimum {
                let found = delays.minimum(&stage, &|part| share(1.0, part));
                least.merge(found, &cell);
            }
        }
        progress(1.0);
        Ok(OverDelays {
            result: delays.result(),
            pairs: looked_at,
            least,
        })
    }

    /// States of the programs that some delay brings together and that leave no pair of bodies to
    /// compare: each of them alone may leave some.
    ///
    /// # Errors
    /// When the events of two programs together ask for what cannot be.
    pub fn unpaired(
        &self,
        cell: &Cell,
        options: DelayOptions,
    ) -> Result<Option<Unpaired>, ProofError> {
        // A pair that no event concerns is compared whatever the delays are.
        let by_events = |a: BodyId, b: BodyId| self.0.iter().any(|p| p.concerns_pair(cell, a, b));
        if (PairTable::new(cell).checked.iter()).any(|pair| !by_events(pair.a, pair.b)) {
            return Ok(None);
        }
        let tracks: Vec<Track> = self.0.iter().map(SingleProgram::track).collect();
        // Contacts at earlier times make no difference here.
        let options = DelayOptions {
            all: true,
            ..options
        };
        let delays = Delays::new(cell, &tracks, options);
        let every: Vec<usize> = (0..self.0.len()).collect();
        for states in self.reachable_states(&every, &delays) {
            let cell = self.cell(&every, &states, &self.together(&every, &states)?);
            if PairTable::new(&cell).checked.is_empty() {
                let spans = self.0.iter().zip(self.spans(&every, &states));
                let spans = spans.map(|(program, (from, to))| {
                    let span = [from.max(options.span.0), to.min(options.span.1)];
                    (program.name.clone(), span)
                });
                let spans = spans.collect();
                return Ok(Some(Unpaired { cell, spans }));
            }
        }
        Ok(None)
    }

    /// For every pair of bodies that depends on several programs: these programs, in order.
    fn dependent_pairs(&self, cell: &Cell, clocks: &Clocks) -> BTreeMap<NamedPair, Vec<usize>> {
        let chains = Chains::new(cell);
        let of = |body: BodyId| chains.of(cell.bodies[body].joint);
        let concerned = |body: BodyId| self.0.iter().any(|program| program.concerns[body]);
        let mut depend = BTreeMap::new();
        for b in 0..cell.bodies.len() {
            for a in 0..b {
                // A body that events attach elsewhere shares joints with others for a time only.
                let shared = if concerned(a) || concerned(b) {
                    0
                } else {
                    of(a).iter().zip(of(b)).take_while(|(x, y)| x == y).count()
                };
                let between = of(a)[shared..].iter().chain(&of(b)[shared..]);
                let mut programs: BTreeSet<usize> = clocks.of_joints(between).into_iter().collect();
                programs.extend((0..self.0.len()).filter(|&k| self.0[k].concerns_pair(cell, a, b)));
                if programs.len() > 1 {
                    depend.insert((a, b), programs.into_iter().collect());
                }
            }
        }
        depend
    }

    /// Sets of programs that some pair depends on, with an interval between its events for each of
    /// them, where some delay brings these together: the earliest first.
    fn stages_to_search(
        &self,
        depend: &BTreeMap<NamedPair, Vec<usize>>,
        delays: &Delays,
    ) -> Vec<(Vec<usize>, Vec<usize>)> {
        let sets: BTreeSet<&Vec<usize>> = depend.values().collect();
        let mut stages = Vec::new();
        for which in sets {
            let reachable = self.reachable_states(which, delays);
            let starts = |states: &[usize]| {
                let spans = self.spans(which, states).into_iter();
                spans.map(|s| s.0).fold(f64::NEG_INFINITY, f64::max)
            };
            stages.extend(
                reachable
                    .into_iter()
                    .map(|w| (starts(&w), (which.clone(), w))),
            );
        }
        stages.sort_by(|x, y| x.0.total_cmp(&y.0));
        stages.into_iter().map(|(_, stage)| stage).collect()
    }

    /// The combinations of states, one of each of these programs, that some delay brings together.
    fn reachable_states(&self, which: &[usize], delays: &Delays) -> Vec<Vec<usize>> {
        let mut reachable: Vec<Vec<usize>> = vec![Vec::new()];
        for &program in which {
            let longer = reachable.iter().flat_map(|states| {
                let next = 0..self.0[program].states.len();
                next.map(|state| [states.as_slice(), &[state]].concat())
            });
            let is_reachable =
                |states: &Vec<usize>| delays.needs_search(&self.spans(which, states));
            reachable = longer.filter(is_reachable).collect();
        }
        reachable
    }

    /// The cell while the programs are in these states, with what each of them allows then.
    fn cell(&self, which: &[usize], states: &[usize], together: &ChangingCell) -> Cell {
        let said = which.iter().zip(self.spans(which, states));
        let said: Vec<_> = said
            .map(|(&program, (from, to))| (&self.0[program].timeline, from, to))
            .collect();
        together.between(&said)
    }

    /// The times of programs in these of their states.
    fn spans(&self, which: &[usize], states: &[usize]) -> Vec<(f64, f64)> {
        let states = which.iter().zip(states);
        states
            .map(|(&program, &state)| self.0[program].span(state))
            .collect()
    }

    /// The cell as programs change it together, each in one of its states.
    fn together(&self, which: &[usize], states: &[usize]) -> Result<ChangingCell, ProofError> {
        let (first, others) = (which[0], &which[1..]);
        let mut together = self.0[first].states[states[0]].clone();
        for (&program, &state) in others.iter().zip(&states[1..]) {
            let program = &self.0[program];
            for (time, joints) in &program.cuts[..state] {
                together.change(&program.timeline, *time, joints)?;
            }
        }
        Ok(together)
    }
}
