//! The question of a search over delays: programs, their clocks, and the stages between their
//! events.

use crate::check::scene::Scene;
use crate::model::{Cell, JointId, Track};
use crate::motion::{Chains, JointRange};
use crate::numeric::ROUND_UP;
use crate::numeric::polynomial::range;
use crate::report::Contact;

/// A contact at some delay.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DelayContact {
    /// `time` and `free_until` are those of the program that is not delayed; `segment` and
    /// `fraction` mean nothing.
    pub contact: Contact,
    /// Time of every track on the common clock, without delay; those that the pair does not depend
    /// on are where the latest is.
    pub times: Vec<f64>,
}

/// Several programs at the same time, while none of them is at an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DelayStage<'s, 'c> {
    /// The cell as it is then.
    pub scene: &'s Scene<'c>,
    /// The pairs of the scene that depend on all of these programs and no other one.
    pub pairs: &'s [usize],
    /// The programs, two or more.
    pub which: &'s [usize],
    /// For each of them the times on the common clock, without delay, between which the cell is so.
    pub spans: &'s [(f64, f64)],
}

/// How a search over delays is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayOptions {
    /// Greatest delay S, seconds.
    pub delay_s: f64,
    /// Resolution ε, metres.
    pub resolution: f64,
    /// The earliest contact of every pair rather than the earliest of all.
    pub all: bool,
    /// When the first program starts and the last one ends on the common clock, seconds: outside of
    /// it all of them wait.
    pub span: (f64, f64),
    /// Without `all`: something touches at this time anyway, so what comes later need not be known,
    /// seconds.
    pub until: f64,
    /// Certified least distances too.
    pub minimum: bool,
    /// So many boxes may be looked at in one stage; what is left then is undecided.
    pub most_boxes: u64,
}

impl DelayOptions {
    /// Boxes of one stage, unless somebody asks for fewer.
    pub const MOST_BOXES: u64 = 4_000_000;
}

/// The question of a search over delays: the same for all stages.
#[derive(Debug)]
pub(super) struct DelaySearchQuestion<'t> {
    pub tracks: &'t [Track<'t>],
    pub clocks: Clocks,
    pub options: DelayOptions,
}

impl DelaySearchQuestion<'_> {
    /// S, with what rounding of times can do to it.
    pub fn delay(&self) -> f64 {
        self.options.delay_s * ROUND_UP + 1e-12
    }

    /// Outside of the whole motion everything stands as it does at its ends.
    pub fn within(&self, span: (f64, f64)) -> (f64, f64) {
        (
            span.0.max(self.options.span.0),
            span.1.min(self.options.span.1),
        )
    }

    /// The same of several.
    pub fn all_within(&self, spans: &[(f64, f64)]) -> Vec<(f64, f64)> {
        spans.iter().map(|&span| self.within(span)).collect()
    }
}

/// Which track moves which joint.
#[derive(Debug, Clone)]
pub(crate) struct Clocks {
    pub(super) of_joint: Vec<Option<usize>>,
}

impl Clocks {
    /// For tracks that move no joint twice.
    pub fn new(cell: &Cell, tracks: &[Track]) -> Self {
        let joints = &cell.joints;
        let driver = |joint: JointId| {
            let driven = joints[joint].mimic.map_or(joint, |mimic| mimic.source);
            tracks.iter().position(|t| t.joints.contains(&driven))
        };
        Clocks {
            of_joint: (0..joints.len()).map(driver).collect(),
        }
    }

    /// Tracks that move what hangs on a joint, in order.
    pub fn of_chain(&self, chains: &Chains, joint: Option<JointId>) -> Vec<usize> {
        self.of_joints(chains.of(joint).iter())
    }

    /// Tracks that move any of some joints, in order.
    pub fn of_joints<'j>(&self, joints: impl Iterator<Item = &'j JointId>) -> Vec<usize> {
        let mut clocks: Vec<usize> = joints.filter_map(|&j| self.of_joint[j]).collect();
        clocks.sort_unstable();
        clocks.dedup();
        clocks
    }
}

/// The values that a joint which a track moves takes during an interval of the common clock,
/// radians or metres. Where a trajectory jumps at the end of the interval, the place from which it
/// goes on belongs to the interval that begins there.
pub(super) fn values(track: &Track, joint: JointId, interval: (f64, f64)) -> JointRange {
    let trajectory = track.trajectory;
    let first = trajectory.locate(interval.0 - track.shift);
    let last = trajectory.locate(interval.1 - track.shift);
    // A time belongs to the segment that starts there: segments without duration before it are
    // passed at that instant too.
    let steps = trajectory.segments[..first.segment].iter().rev();
    let begin = match first.fraction {
        0.0 => first.segment - steps.take_while(|s| s.duration() <= 0.0).count(),
        _ => first.segment,
    };
    let mut all = JointRange::EMPTY;
    for (index, segment) in trajectory
        .segments
        .iter()
        .enumerate()
        .take(last.segment + 1)
        .skip(begin)
    {
        // A segment without duration is passed as a whole.
        let lasts = segment.duration() > 0.0;
        if lasts && index == last.segment && last.fraction == 0.0 && index > begin {
            break;
        }
        let s0 = if lasts && index == first.segment {
            first.fraction
        } else {
            0.0
        };
        let s1 = if lasts && index == last.segment {
            last.fraction
        } else {
            1.0
        };
        let (low, high) = range(&segment.joints.of(joint), s0, s1);
        let rounding = segment.value_rounding(joint);
        all = all.with(&JointRange {
            low: low - rounding,
            high: high + rounding,
        });
    }
    all
}

/// How far a joint that a track moves can be from its value at `at` during an interval, radians or
/// metres; `at` lies in it.
pub(super) fn deviation(track: &Track, joint: JointId, interval: (f64, f64), at: f64) -> f64 {
    let instant = track.trajectory.locate(at - track.shift);
    let q = track
        .trajectory
        .segment_at(instant)
        .position(joint, instant.fraction);
    let all = values(track, joint, interval);
    (q - all.low).max(all.high - q).max(0.0)
}
