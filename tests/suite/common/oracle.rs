//! The slow oracle: distances by brute force at instants, with the kinematics of the model. It
//! shares nothing with the engine but the distance of two triangles (which has an oracle of its
//! own).

use std::cell::Cell;

use clearance_proof::geometry::triangle::Closest;
use clearance_proof::model::{BodyId, Segment};
use nalgebra::{Isometry3, Point3, Vector3};

use super::{Scenario, core};

struct Facet {
    corners: [Point3<f64>; 3],
    center: Point3<f64>,
    radius: f64,
    thickness: f64,
    bounds: Bounds,
}

/// The box around a triangle.
struct Bounds {
    low: [f64; 3],
    high: [f64; 3],
}

impl Bounds {
    fn new([a, b, c]: &[Point3<f64>; 3]) -> Self {
        Bounds {
            low: [
                a.x.min(b.x).min(c.x),
                a.y.min(b.y).min(c.y),
                a.z.min(b.z).min(c.z),
            ],
            high: [
                a.x.max(b.x).max(c.x),
                a.y.max(b.y).max(c.y),
                a.z.max(b.z).max(c.z),
            ],
        }
    }

    /// Whether two boxes are nearer than `within`.
    fn are_near(&self, other: &Bounds, within: f64) -> bool {
        let mut sum = 0.0;
        let mut k = 0;
        while k < 3 {
            let gap = (self.low[k] - other.high[k]).max(other.low[k] - self.high[k]);
            if gap > 0.0 {
                sum += gap * gap;
            }
            k += 1;
        }
        sum < within * within
    }
}

impl Facet {
    fn new(corners: [Point3<f64>; 3], thickness: f64) -> Self {
        let sum = corners[0].coords + corners[1].coords + corners[2].coords;
        let center = Point3::from(sum / 3.0);
        let far = corners.iter().map(|c| (c - center).norm());
        Facet {
            bounds: Bounds::new(&corners),
            corners,
            center,
            radius: far.fold(0.0, f64::max) + thickness,
            thickness,
        }
    }
}

/// One sampled instant of one pair.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub segment: usize,
    pub s: f64,
    pub time: f64,
    pub distance: f64,
}

pub struct Oracle<'b> {
    scenario: &'b Scenario,
    /// Of every body, in the frame of its joint.
    facets: Vec<Vec<Facet>>,
    /// Of every two bodies, the facets that were nearest last time.
    nearest: Vec<Cell<(usize, usize)>>,
}

impl<'b> Oracle<'b> {
    pub fn new(scenario: &'b Scenario) -> Self {
        let of = |body: &clearance_proof::model::Body| {
            let mut facets = Vec::new();
            for shape in &body.shapes {
                let (mesh, thickness) = core(&shape.form);
                let at = body.joint_from_body * shape.body_from_shape;
                let place = |i| Facet::new(mesh.corners(i).map(|c| at * c), thickness);
                facets.extend((0..mesh.triangles.len()).map(place));
            }
            facets
        };
        let facets: Vec<Vec<Facet>> = scenario.cell.bodies.iter().map(of).collect();
        Oracle {
            scenario,
            nearest: vec![Cell::new((0, 0)); facets.len() * facets.len()],
            facets,
        }
    }

    /// World poses of the joints.
    pub fn poses(&self, segment: usize, s: f64) -> Vec<Isometry3<f64>> {
        let mut q = Vec::new();
        self.scenario.trajectory.segments[segment].configuration(s, &mut q);
        self.scenario.cell.forward(&q)
    }

    fn pose(&self, poses: &[Isometry3<f64>], body: BodyId) -> Isometry3<f64> {
        self.scenario.cell.bodies[body]
            .joint
            .map_or_else(Isometry3::identity, |j| poses[j])
    }

    /// Distance of two bodies and the step from the first to the second, world axes.
    // Plain loops: with little optimisation they are faster.
    #[allow(clippy::explicit_counter_loop)]
    pub fn closest(&self, poses: &[Isometry3<f64>], a: BodyId, b: BodyId) -> (f64, Vector3<f64>) {
        let pose_a = self.pose(poses, a);
        let a_from_b = pose_a.inv_mul(&self.pose(poses, b));
        let turn = a_from_b.rotation.to_rotation_matrix();
        let (turn, shift) = (turn.matrix(), &a_from_b.translation.vector);
        let row = |k: usize, p: &Point3<f64>| {
            turn[(k, 0)] * p.x + turn[(k, 1)] * p.y + turn[(k, 2)] * p.z + shift[k]
        };
        let to_a = |p: &Point3<f64>| Point3::new(row(0, p), row(1, p), row(2, p));
        let moved = |f: &Facet| {
            [
                to_a(&f.corners[0]),
                to_a(&f.corners[1]),
                to_a(&f.corners[2]),
            ]
        };
        let of_pair = |fa: &Facet, fb: &Facet, corners: &[Point3<f64>; 3]| {
            let found: Closest = Closest::of_triangles(&fa.corners, corners);
            let distance = (found.distance - fa.thickness - fb.thickness).max(0.0);
            (distance, found.point_b - found.point_a)
        };
        // Those that were nearest last time are a good guess: most others are farther apart.
        let nearest = &self.nearest[a * self.facets.len() + b];
        let (first_a, first_b) = nearest.get();
        let mut best = match (self.facets[a].get(first_a), self.facets[b].get(first_b)) {
            (Some(fa), Some(fb)) => of_pair(fa, fb, &moved(fb)),
            _ => (f64::INFINITY, Vector3::zeros()),
        };
        // This is where the tests spend most of their time.
        let mut k = 0;
        for fb in &self.facets[b] {
            let center = to_a(&fb.center);
            let mut corners = None;
            let mut i = 0;
            for fa in &self.facets[a] {
                let x = center.x - fa.center.x;
                let y = center.y - fa.center.y;
                let z = center.z - fa.center.z;
                let within = fa.radius + fb.radius + best.0;
                if x * x + y * y + z * z < within * within {
                    let (corners, bounds) = corners.get_or_insert_with(|| {
                        let corners = moved(fb);
                        (corners, Bounds::new(&corners))
                    });
                    // Boxes of turned corners are rounded.
                    let within = best.0 + fa.thickness + fb.thickness + 1e-9;
                    if fa.bounds.are_near(bounds, within) {
                        let found = of_pair(fa, fb, corners);
                        if found.0 < best.0 {
                            best = found;
                            nearest.set((i, k));
                        }
                    }
                }
                i += 1;
            }
            k += 1;
        }
        (best.0, pose_a * best.1)
    }

    pub fn distance(&self, segment: usize, s: f64, (a, b): (BodyId, BodyId)) -> f64 {
        self.closest(&self.poses(segment, s), a, b).0
    }

    /// How far a world point is from the surface of a body.
    pub fn off_surface(&self, segment: usize, s: f64, body: BodyId, p: [f64; 3]) -> f64 {
        let pose = self.pose(&self.poses(segment, s), body);
        let p = pose.inverse_transform_point(&Point3::from(p));
        // Of balls and capsules that overlap others, points within are as good.
        let off = |f: &Facet| (Closest::of_point(&p, &f.corners).distance - f.thickness).max(0.0);
        self.facets[body]
            .iter()
            .map(off)
            .fold(f64::INFINITY, f64::min)
    }

    /// Whether the surface of one of the bodies lies off its triangles.
    pub fn rounded(&self, (a, b): (BodyId, BodyId)) -> bool {
        let mut facets = self.facets[a].iter().chain(&self.facets[b]);
        facets.any(|f| f.thickness > 0.0)
    }

    fn segments(&self) -> &[Segment] {
        &self.scenario.trajectory.segments
    }

    fn sample(&self, segment: usize, s: f64, pair: (BodyId, BodyId)) -> Sample {
        Sample {
            segment,
            s,
            time: self.segments()[segment].time(s),
            distance: self.distance(segment, s, pair),
        }
    }

    /// Samples of every pair: evenly spread instants, and a search around the lowest of them.
    pub fn watch(&self, pairs: &[(BodyId, BodyId)], count: usize) -> Vec<Vec<Sample>> {
        let mut all = vec![Vec::new(); pairs.len()];
        for segment in 0..self.segments().len() {
            for i in 0..=count {
                let s = i as f64 / count as f64;
                let poses = self.poses(segment, s);
                for (samples, &(a, b)) in all.iter_mut().zip(pairs) {
                    samples.push(Sample {
                        segment,
                        s,
                        time: self.segments()[segment].time(s),
                        distance: self.closest(&poses, a, b).0,
                    });
                }
            }
            for (samples, &pair) in all.iter_mut().zip(pairs) {
                let coarse = samples[samples.len() - count - 1..].to_vec();
                self.search(samples, &coarse, pair);
            }
        }
        all
    }

    /// Golden sections around the two lowest local minima, and around the first sample in contact.
    fn search(&self, samples: &mut Vec<Sample>, at: &[Sample], pair: (BodyId, BodyId)) {
        let last = at.len() - 1;
        let mut low: Vec<usize> = (0..=last)
            .filter(|&i| {
                at[i].distance > 0.0
                    && at[i].distance <= at[i.saturating_sub(1)].distance
                    && at[i].distance <= at[(i + 1).min(last)].distance
            })
            .collect();
        low.sort_by(|&i, &k| at[i].distance.total_cmp(&at[k].distance));
        for &i in low.iter().take(2) {
            let (mut s0, mut s1) = (at[i.saturating_sub(1)].s, at[(i + 1).min(last)].s);
            const GOLD: f64 = 0.618_033_988_749_894_8;
            let segment = at[i].segment;
            let mut x = self.sample(segment, s1 - GOLD * (s1 - s0), pair);
            let mut y = self.sample(segment, s0 + GOLD * (s1 - s0), pair);
            for _ in 0..24 {
                samples.extend([x, y]);
                if x.distance < y.distance {
                    s1 = y.s;
                    y = x;
                    x = self.sample(segment, s1 - GOLD * (s1 - s0), pair);
                } else {
                    s0 = x.s;
                    x = y;
                    y = self.sample(segment, s0 + GOLD * (s1 - s0), pair);
                }
            }
        }
        // The instant at which contact begins: nothing may be called free beyond it.
        let touching = at
            .windows(2)
            .position(|w| w[0].distance > 0.0 && w[1].distance == 0.0);
        if let Some(i) = touching {
            let (mut s0, mut s1) = (at[i].s, at[i + 1].s);
            for _ in 0..24 {
                let middle = self.sample(at[i].segment, 0.5 * (s0 + s1), pair);
                samples.push(middle);
                if middle.distance == 0.0 {
                    s1 = middle.s;
                } else {
                    s0 = middle.s;
                }
            }
        }
    }
}
