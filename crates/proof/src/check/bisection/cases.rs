//! Random pairs of parts in motion, for the tests of everything that calls node pairs apart.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::kernel::Kernel;
use super::view::View;
use crate::bvh::{Node, SphereTree};
use crate::geometry::mesh::Mesh;
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;
use crate::motion::ChordBound;

pub fn spread(random: &mut Random, low: f64, high: f64) -> f64 {
    low * (high / low).powf(random.unit())
}

/// Triangles strewn over a cube or a plate of the given size about the origin.
fn tree(random: &mut Random, size: f64) -> SphereTree {
    let grain = spread(random, 0.01, 1.0);
    let flat = Vector3::new(1.0, 1.0, [1.0, 1e-3][random.below(2)]);
    let mut mesh = Mesh::default();
    for i in 0..4 + random.below(12) as u32 {
        let center = random.vector() * size;
        for _ in 0..3 {
            let corner = center + random.vector() * size * grain;
            mesh.vertices.push(corner.component_mul(&flat).into());
        }
        mesh.triangles.push([3 * i, 3 * i + 1, 3 * i + 2]);
    }
    SphereTree::new(&mesh, 0.0)
}

fn rotation(random: &mut Random, most: f64) -> Matrix3<f64> {
    *Rotation3::from_scaled_axis(random.vector() * most).matrix()
}

/// A rigid motion: a turn about an axis of the part that itself moves straight on.
pub struct PairMotion {
    pub start: Matrix3<f64>,
    /// Axis times angle, in the part's axes.
    pub turn: Vector3<f64>,
    /// Point of the part that moves straight.
    pub pivot: Vector3<f64>,
    pub from: Vector3<f64>,
    pub step: Vector3<f64>,
}

impl PairMotion {
    pub fn new(random: &mut Random, away: f64) -> Self {
        let turns = random.below(3) > 0;
        let turn = if turns {
            random.vector() * spread(random, 1e-3, 1.5)
        } else {
            Vector3::zeros()
        };
        let tilt = [0.01, 3.0][random.below(2)];
        let pivot = [0.0, 0.5][random.below(2)];
        PairMotion {
            // Plates that face each other are told apart by their boxes only.
            start: rotation(random, tilt),
            turn,
            pivot: random.vector() * pivot,
            from: random.vector() * away,
            step: random.vector() * spread(random, 1e-4, 0.5),
        }
    }

    pub fn none() -> Self {
        PairMotion {
            start: Matrix3::identity(),
            turn: Vector3::zeros(),
            pivot: Vector3::zeros(),
            from: Vector3::zeros(),
            step: Vector3::zeros(),
        }
    }

    pub fn at(&self, t: f64) -> Pose {
        let rotation = self.start * Rotation3::from_scaled_axis(self.turn * t).matrix();
        Pose {
            rotation,
            translation: self.from + self.step * t - rotation * self.pivot,
        }
    }

    pub fn ends(&self) -> [Pose; 2] {
        [self.at(0.0), self.at(1.0)]
    }

    /// By accelerations, as the search knows it. An arc leaves the middle of its chord by less, but
    /// beside the ends this is what it leaves.
    pub fn chord_bound(&self) -> ChordBound {
        let slope = self.turn.norm_squared() / 8.0 * (1.0 + 1e-12);
        ChordBound {
            base: slope * self.pivot.norm(),
            slope,
        }
    }
}

/// Points of the triangles below a node, relative to the tree's origin: corners and some in
/// between.
pub fn points_below(
    random: &mut Random,
    tree: &SphereTree,
    node: &Node,
    out: &mut Vec<Vector3<f64>>,
) {
    if !node.is_leaf() {
        let first = node.first as usize;
        for child in [first, first + 1] {
            points_below(random, tree, &tree.nodes[child], out);
        }
        return;
    }
    for i in node.first..node.first + node.count {
        let corners: [Vector3<f64>; 3] = tree.corners(i as usize).map(|c| c - tree.origin);
        out.extend(corners);
        let (x, y) = (random.unit(), random.unit());
        out.push(corners[0] * x + (corners[1] * y + corners[2] * (1.0 - y)) * (1.0 - x));
    }
}

/// Two parts with the given poses at both ends, and chord bounds.
pub fn view([a, b]: [[Pose; 2]; 2], [chord_bound_a, chord_bound_b]: [ChordBound; 2]) -> View {
    View {
        a,
        b,
        chord_bound_a,
        chord_bound_b,
        margin: 0.0,
        deviations: [ChordBound::default(); 2],
    }
}

pub struct Case {
    pub trees: [SphereTree; 2],
    motions: [PairMotion; 2],
    one_sided: bool,
    bounding_radii: f64,
    /// A direction to try: none, one about right, any.
    known: Option<Vector3<f64>>,
}

impl Case {
    pub fn new(random: &mut Random) -> Self {
        let sizes = [0, 1].map(|_| spread(random, 0.01, 1.0));
        let trees = sizes.map(|size| tree(random, size));
        let one_sided = random.below(2) == 0;
        let distance = spread(random, 0.1, 4.0) * (sizes[0] + sizes[1]);
        let other = if one_sided {
            PairMotion::none()
        } else {
            PairMotion::new(random, 0.1)
        };
        let bounding_radii = trees
            .iter()
            .flat_map(|t| t.vertices.iter().map(|v| (v - t.origin).norm()))
            .fold(0.0, f64::max);
        let motions = [PairMotion::new(random, distance), other];
        let between = motions[0].at(0.5).translation - motions[1].at(0.5).translation;
        let known = match random.below(4) {
            0 => Vector3::zeros(),
            1 => random.vector(),
            _ => between.normalize() + random.vector() * 0.2,
        };
        Case {
            trees,
            motions,
            one_sided,
            bounding_radii: 2.0 * bounding_radii,
            known: known.try_normalize(0.0),
        }
    }

    pub fn kernel(&self, required_gap: f64) -> Kernel {
        Kernel::new(
            &self.view(),
            self.one_sided,
            required_gap,
            self.bounding_radii,
            self.known,
        )
    }

    /// The two parts in the interval.
    pub fn view(&self) -> View {
        let [a, b] = &self.motions;
        view([a.ends(), b.ends()], [a.chord_bound(), b.chord_bound()])
    }

    pub fn nodes(&self) -> [&[Node]; 2] {
        [&self.trees[0].nodes, &self.trees[1].nodes]
    }

    /// How near points of a and of b come at sampled instants.
    pub fn nearest(&self, points: &[Vec<Vector3<f64>>; 2]) -> f64 {
        let mut nearest2 = f64::INFINITY;
        for i in 0..=32 {
            let poses = [0, 1].map(|side| self.motions[side].at(f64::from(i) / 32.0));
            let placed = [0, 1].map(|side| {
                let placed = |p| poses[side].apply(p);
                points[side].iter().map(placed).collect::<Vec<_>>()
            });
            for p in &placed[0] {
                for q in &placed[1] {
                    nearest2 = (p - q).norm_squared().min(nearest2);
                }
            }
        }
        nearest2.sqrt()
    }

    pub fn all_pairs(&self) -> Vec<[u32; 2]> {
        let [a, b] = self.nodes().map(|n| n.len() as u32);
        (0..a).flat_map(|i| (0..b).map(move |k| [i, k])).collect()
    }
}
