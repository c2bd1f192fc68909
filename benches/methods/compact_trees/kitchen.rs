//! Distance queries of an arm in a kitchen of about 170,000 triangles: which trees, which range,
//! which tolerance, which of the switches.

use clearance_methods::backends::DistanceRange;
use clearance_methods::backends::balls::{BallLeast, Balls, QueryOptions, QueryTally};
use clearance_methods::balls::{BallLeaves, Combine};
use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::random::Random;
use clearance_proof::model::Segment;

use super::row;
use crate::common::{Workload, milliseconds};

mod tables;

/// Distances that count as near, metres.
const NEAR: DistanceRange = DistanceRange {
    min: 1e-4,
    max: 0.010,
    tolerance: 0.0,
};
/// Configurations of the arm that a row asks about.
const STATIONS: usize = 20;
/// Leaves of the trees by which all but the first table are made.
const TILED: BallLeaves = BallLeaves::Tiled { radius: 0.02 };
/// The arm in the kitchen.
pub struct Cell<'s> {
    scene: &'s Scene<'s>,
    /// Compact and tiled: the best of the trees.
    compact: Balls<'s>,
    free: Vec<Segment>,
    near: Vec<Segment>,
    /// Pairs of parts: of the arm with the kitchen, of the arm with itself.
    outside: Vec<usize>,
    within: Vec<usize>,
    triangles: [usize; 2],
}

/// The arm at rest.
fn station(values: &[f64]) -> Segment {
    Segment::instant(values)
}

/// Means over queries.
struct Cost {
    queries: usize,
    tally: QueryTally,
    ms: f64,
    answers: Vec<BallLeast>,
}

impl<'s> Cell<'s> {
    /// Builds the trees and looks for configurations.
    pub fn new(
        workload: &Workload,
        scene: &'s Scene<'s>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let compact = Balls::new(scene, Combine::Compact, TILED)?;
        let moves = |part: usize| scene.parts[part].joint.is_some();
        let moving = |index: &usize| {
            let pair = &scene.part_pairs[*index];
            moves(pair.a) || moves(pair.b)
        };
        let robot = |part: usize| {
            scene.cell.bodies[scene.parts[part].body]
                .name
                .starts_with("ground_")
        };
        let (outside, within) = (0..scene.part_pairs.len())
            .filter(moving)
            .partition(|&index| {
                let pair = &scene.part_pairs[index];
                robot(pair.a) || robot(pair.b)
            });
        let count = |kitchen: bool| {
            let parts = (0..scene.parts.len()).filter(|&p| robot(p) == kitchen);
            parts.map(|p| scene.parts[p].tree.triangles.len()).sum()
        };
        let mut cell = Cell {
            scene,
            compact,
            free: Vec::new(),
            near: Vec::new(),
            outside,
            within,
            triangles: [count(false), count(true)],
        };
        let mut random = Random(3);
        let anywhere = |random: &mut Random| {
            let joints = workload.prepared.loaded.cell.joints.iter().map(|joint| {
                let (low, high) = joint.limits.position.unwrap_or((-3.0, 3.0));
                low + (high - low) * random.unit()
            });
            joints.collect::<Vec<f64>>()
        };
        let mut touching = Vec::new();
        let mut free = Vec::new();
        while free.len() < STATIONS || touching.len() < STATIONS {
            let values = anywhere(&mut random);
            let distance = cell.distance(&values);
            if distance > 0.001 && free.len() < STATIONS {
                cell.free.push(station(&values));
                free.push(values);
            } else if distance < NEAR.min && touching.len() < STATIONS {
                touching.push(values);
            }
        }
        // Near ones are rare: on the way from a free one to a contact there is one.
        for (mut far, mut hit) in free.into_iter().zip(touching) {
            for _ in 0..60 {
                let middle: Vec<f64> = far.iter().zip(&hit).map(|(p, q)| 0.5 * (p + q)).collect();
                let distance = cell.distance(&middle);
                if distance > NEAR.min && distance < NEAR.max {
                    cell.near.push(station(&middle));
                    break;
                }
                *(if distance >= NEAR.max {
                    &mut far
                } else {
                    &mut hit
                }) = middle;
            }
        }
        if cell.near.len() < STATIONS {
            return Err("no near configurations on the way to contacts".into());
        }
        Ok(cell)
    }

    /// About the least distance of all in a configuration: exact where it is near, metres.
    fn distance(&self, values: &[f64]) -> f64 {
        let all = [&self.outside[..], &self.within].concat();
        self.cost(&self.compact, &all, &[station(values)], NEAR, 1)
            .answers[0]
            .at_least
    }

    /// Asks for the least distance over some pairs of parts in every configuration.
    fn cost(
        &self,
        balls: &Balls,
        pairs: &[usize],
        stations: &[Segment],
        range: DistanceRange,
        runs: usize,
    ) -> Cost {
        let mut snapshot = Snapshot::default();
        let mut cost = Cost {
            queries: stations.len(),
            tally: QueryTally::default(),
            ms: f64::INFINITY,
            answers: Vec::new(),
        };
        for _ in 0..runs {
            let mut tally = QueryTally::default();
            let (ms, answers) = milliseconds(|| {
                let ask = |station: &Segment| {
                    snapshot.set(self.scene, station, 0.0);
                    balls.least(pairs.iter().copied(), &mut snapshot, range, &mut tally)
                };
                stations.iter().map(ask).collect()
            });
            cost = Cost {
                queries: stations.len(),
                tally,
                ms: cost.ms.min(ms / stations.len() as f64),
                answers,
            };
        }
        cost
    }

    fn with(&self, options: QueryOptions) -> Balls<'s> {
        let mut balls = self.compact.clone();
        balls.options = options;
        balls
    }
}

impl Cost {
    /// Per configuration.
    fn each(&self, count: impl Fn(&QueryTally) -> u64) -> String {
        format!("{:.1}", count(&self.tally) as f64 / self.queries as f64)
    }

    fn row(&self, out: &mut String, label: String, base: &Cost) {
        row(
            out,
            &[
                label,
                self.each(|t| t.sphere_tests),
                self.each(|t| t.triangle_tests),
                format!("{:.3}", self.ms),
                format!("{:.3}", self.ms / base.ms),
            ],
        );
    }
}
