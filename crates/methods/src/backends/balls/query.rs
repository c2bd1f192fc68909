//! The compact sphere trees' distance query of two trees of balls.
//!
//! The search goes depth first, nearer half first, and keeps the least distance of two triangles
//! found so far. Two balls that are farther apart than that are not opened. What is never opened is
//! remembered by the least of its bounds, so that the answer always has a lower end, wherever the
//! search may stop.

use clearance_proof::geometry::pose::Pose;
use clearance_proof::geometry::triangle::Closest;
use clearance_proof::report::Work;
use nalgebra::{Point3, Vector3};

use crate::backends::DistanceRange;
use crate::balls::{BallTree, Below};

/// Options that make a query cheaper; each can be switched for measuring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryOptions {
    /// The α of compact sphere trees, 0 … 1 (not 1 itself): the distance may be told too small by
    /// this share of itself, never too large. The larger one counts, of this and the range's.
    pub tolerance: f64,
    /// Whether the least distance so far bounds the search in the next pair of parts.
    pub carried: bool,
    /// Whether pairs of parts are taken in the order of their distances at a [`glance`].
    pub nearest_first: bool,
    /// Whether the centre of a ball, once seen from the other tree, is kept while that tree is
    /// descended.
    pub kept_centers: bool,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self {
            tolerance: 0.0,
            carried: true,
            nearest_first: true,
            kept_centers: true,
        }
    }
}

/// The work of queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueryTally {
    /// Pairs of balls compared.
    pub sphere_tests: u64,
    /// Pairs of triangles compared.
    pub triangle_tests: u64,
    /// Centres of balls taken into the other tree's frame.
    pub transforms: u64,
}

impl QueryTally {
    /// Adds what counts in every shape.
    pub(super) fn add_to(&self, work: &mut Work) {
        work.sphere_tests += self.sphere_tests;
        work.triangle_tests += self.triangle_tests;
    }
}

/// The result of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryResult {
    /// No more than the true distance, but for the rounding of poses, metres. It falls short of it
    /// by the tolerance at most, if the true distance lies in the range.
    pub at_least: f64,
    /// Least distance of two triangles that was found, metres; `None`: none below the range's upper
    /// end.
    pub attained: Option<Attained>,
}

/// Two points of two parts and how far they are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attained {
    /// Distance of the surfaces, metres.
    pub distance: f64,
    /// Points of the two cores (of balls and capsules: centre or axis), in the frame that both
    /// poses refer to.
    pub points: [Vector3<f64>; 2],
}

/// A part as a query sees it.
#[derive(Debug, Clone, Copy)]
pub struct PlacedBalls<'t> {
    /// Its balls.
    pub tree: &'t BallTree,
    /// Where it is, in a frame that both parts of a query share.
    pub pose: Pose,
    /// How far its surface lies from its triangles, metres.
    pub radius: f64,
}

/// Distance of two parts. The range's upper end is where the search starts: nothing beyond it is
/// looked for. Once something is found that is no farther than its lower end the search stops.
pub fn distance(
    a: PlacedBalls,
    b: PlacedBalls,
    range: DistanceRange,
    options: &QueryOptions,
    tally: &mut QueryTally,
) -> QueryResult {
    let tiled = [&a, &b]
        .iter()
        .any(|p| p.tree.leaves() > p.tree.triangles.len());
    let mut query = Query {
        b_from_a: b.pose.inverse_compose(&a.pose),
        a_from_b: a.pose.inverse_compose(&b.pose),
        radii: a.radius + b.radius,
        a,
        b,
        nearest: range.max,
        enough: range.min,
        attained: None,
        lower: f64::INFINITY,
        worthwhile: 1.0 - options.tolerance.max(range.tolerance),
        kept_centers: options.kept_centers,
        compared: if tiled {
            vec![[u32::MAX; 2]; REMEMBERED]
        } else {
            Vec::new()
        },
        tally,
    };
    if !a.tree.nodes.is_empty() && !b.tree.nodes.is_empty() {
        let bound = query.bound(0, 0);
        query.look(bound, 0, 0, None);
    }
    QueryResult {
        at_least: query.lower.max(0.0),
        attained: query.attained,
    }
}

/// A lower bound of the distance of two parts from their outermost balls, metres.
pub fn root_bound(a: &PlacedBalls, b: &PlacedBalls, tally: &mut QueryTally) -> f64 {
    let (Some(x), Some(y)) = (a.tree.nodes.first(), b.tree.nodes.first()) else {
        return f64::INFINITY;
    };
    tally.sphere_tests += 1;
    let between = a.pose.apply(&x.center) - b.pose.apply(&y.center);
    between.norm() - x.radius - y.radius - a.radius - b.radius
}

/// About how far two parts are apart, never less than they are: the distance of the two triangles
/// at which a way straight down both trees ends, metres.
pub fn glance(a: &PlacedBalls, b: &PlacedBalls, tally: &mut QueryTally) -> f64 {
    if a.tree.nodes.is_empty() || b.tree.nodes.is_empty() {
        return f64::INFINITY;
    }
    let b_from_a = b.pose.inverse_compose(&a.pose);
    let (mut na, mut nb) = (&a.tree.nodes[0], &b.tree.nodes[0]);
    loop {
        let (from_a, first) = match (na.below, nb.below) {
            (Below::Triangle(i), Below::Triangle(k)) => {
                tally.triangle_tests += 1;
                let corners =
                    a.tree.triangles[i as usize].map(|c| Point3::from(b_from_a.apply(&c)));
                let other = b.tree.triangles[k as usize].map(Point3::from);
                let cores = Closest::of_triangles(&corners, &other).distance;
                return (cores - a.radius - b.radius).max(0.0);
            }
            (Below::Nodes(_), Below::Nodes(first)) if na.radius < nb.radius => (false, first),
            (Below::Nodes(first), _) => (true, first),
            (Below::Triangle(_), Below::Nodes(first)) => (false, first),
        };
        tally.sphere_tests += 2;
        tally.transforms += 2;
        let tree = if from_a { a.tree } else { b.tree };
        let children = [first, first + 1].map(|child| &tree.nodes[child as usize]);
        let [x, y] = children.map(|child| {
            let (p, q) = if from_a { (child, nb) } else { (na, child) };
            (b_from_a.apply(&p.center) - q.center).norm() - child.radius
        });
        let nearer = children[usize::from(y < x)];
        if from_a {
            na = nearer;
        } else {
            nb = nearer;
        }
    }
}

/// Pairs of triangles that are remembered as compared: tiles bring up the same two again and again.
const REMEMBERED: usize = 1024;

/// The ball that stays while the other tree is descended: its centre in that tree's frame.
#[derive(Clone, Copy)]
struct Staying {
    /// Whether it is one of tree a.
    of_a: bool,
    center: Vector3<f64>,
}

struct Query<'q> {
    a: PlacedBalls<'q>,
    b: PlacedBalls<'q>,
    b_from_a: Pose,
    a_from_b: Pose,
    radii: f64,
    /// Least distance found, or the range's upper end.
    nearest: f64,
    /// Range's lower end.
    enough: f64,
    attained: Option<Attained>,
    /// Least bound of everything that was not opened, and of all triangles compared.
    lower: f64,
    /// 1 − α.
    worthwhile: f64,
    kept_centers: bool,
    compared: Vec<[u32; 2]>,
    tally: &'q mut QueryTally,
}

impl Query<'_> {
    /// Whether what was found will do.
    fn done(&self) -> bool {
        self.attained.is_some() && (self.nearest <= self.enough || self.nearest <= 0.0)
    }

    /// Opens a pair of nodes, or remembers why not.
    fn look(&mut self, bound: f64, ia: usize, ib: usize, staying: Option<Staying>) {
        if self.done() || bound >= self.nearest * self.worthwhile {
            self.lower = self.lower.min(bound);
        } else {
            self.open(bound, ia, ib, staying);
        }
    }

    fn open(&mut self, bound: f64, ia: usize, ib: usize, staying: Option<Staying>) {
        let (na, nb) = (&self.a.tree.nodes[ia], &self.b.tree.nodes[ib]);
        let (split_a, first) = match (na.below, nb.below) {
            (Below::Triangle(i), Below::Triangle(k)) => return self.triangles(i, k),
            (Below::Nodes(first), Below::Triangle(_)) => (true, first as usize),
            (Below::Triangle(_), Below::Nodes(first)) => (false, first as usize),
            (Below::Nodes(of_a), Below::Nodes(of_b)) => {
                if na.radius >= nb.radius {
                    (true, of_a as usize)
                } else {
                    (false, of_b as usize)
                }
            }
        };
        let pairs = [first, first + 1].map(|child| if split_a { (child, ib) } else { (ia, child) });
        // The ball that stays is seen from the tree that is descended: its children need no
        // transform then.
        let kept = self.kept_centers.then(|| {
            let known = staying.filter(|staying| staying.of_a != split_a);
            known.unwrap_or_else(|| {
                self.tally.transforms += 1;
                let center = if split_a {
                    self.a_from_b.apply(&nb.center)
                } else {
                    self.b_from_a.apply(&na.center)
                };
                Staying {
                    of_a: !split_a,
                    center,
                }
            })
        });
        let bounds = match &kept {
            None => pairs.map(|(x, y)| self.bound(x, y)),
            Some(staying) => {
                self.tally.sphere_tests += 2;
                let (descended, stays) = if split_a {
                    (&self.a.tree.nodes, nb.radius)
                } else {
                    (&self.b.tree.nodes, na.radius)
                };
                let radii = stays + self.radii;
                [first, first + 1].map(|child| {
                    let child = &descended[child];
                    (child.center - staying.center).norm() - child.radius - radii
                })
            }
        };
        // A child may stick out of its parent, but no surface does.
        let [x, y] = [0, 1].map(|k| (bounds[k].max(bound), pairs[k]));
        let ordered = if y.0 < x.0 { [y, x] } else { [x, y] };
        for (bound, (ia, ib)) in ordered {
            self.look(bound, ia, ib, kept);
        }
    }

    /// A lower bound of what two balls hold.
    fn bound(&mut self, ia: usize, ib: usize) -> f64 {
        self.tally.sphere_tests += 1;
        self.tally.transforms += 1;
        let (na, nb) = (&self.a.tree.nodes[ia], &self.b.tree.nodes[ib]);
        let between = self.b_from_a.apply(&na.center) - nb.center;
        between.norm() - na.radius - nb.radius - self.radii
    }

    fn triangles(&mut self, i: u32, k: u32) {
        if !self.compared.is_empty() {
            let place =
                &mut self.compared[(i.wrapping_mul(31).wrapping_add(k)) as usize % REMEMBERED];
            if *place == [i, k] {
                return;
            }
            *place = [i, k];
        }
        self.tally.triangle_tests += 1;
        let place = |side: &PlacedBalls, t: u32| {
            side.tree.triangles[t as usize].map(|c| Point3::from(side.pose.apply(&c)))
        };
        let closest = Closest::of_triangles(&place(&self.a, i), &place(&self.b, k));
        let distance = (closest.distance - self.radii).max(0.0);
        self.lower = self.lower.min(distance);
        if distance < self.nearest {
            self.nearest = distance;
            self.attained = Some(Attained {
                distance,
                points: [closest.point_a.coords, closest.point_b.coords],
            });
        }
    }
}
