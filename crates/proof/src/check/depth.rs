//! How deep two bodies are in each other: at one instant, and over the time for which they touch.
//!
//! A point of one body that lies inside the other one's solid has to leave it, and the way out is
//! at least as long as its distance from the surface. So that distance is a proved lower bound of
//! the way by which the two would have to be moved apart. Surfaces of balls and capsules lie a
//! radius around their cores: the radii come on top.
//!
//! **The deepest point** is looked for down the tree of the inner body, the most promising node
//! first. The depth is a function of place that changes by no more than one goes, and no point is
//! deeper than its way to a side of the outer body's box: both tell where nothing deeper can be.
//! The search ends with a point that is deep to a share, or when it has looked at enough points;
//! whatever it says is the depth of a point that it has looked at. Where bodies are thin, no point
//! is deep, but the way apart may be long: `displacements.rs` proves more of it, and so do the
//! bodies' convex pieces.

mod convex;
mod displacements;
#[cfg(test)]
mod tests;
mod track;

use nalgebra::{Point3, Vector3};

use crate::bvh::SphereTree;
use crate::check::Snapshot;
use crate::check::scene::{Part, Scene};
use crate::geometry::aabb::Aabb;
use crate::geometry::pose::Pose;
use crate::geometry::triangle::Closest;
use crate::numeric::MinHeap;
pub(crate) use displacements::penetration_depth;
pub(crate) use track::track_depth;

/// Less than this is a touch, metres.
const TOUCH_M: f64 = 1e-6;
/// A deeper point than the deepest so far is looked for only where it may be deeper by more than
/// this share.
const RELATIVE_TOLERANCE: f64 = 0.01;
/// At how many points of one part the depth in another part is computed, at most.
const MOST_POINTS: u64 = 150;
/// The same limit for searches that end at the first point that is deep enough.
const MOST_POINTS_ANY: u64 = 80;

/// A point of one body inside the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PointDepth {
    /// Proved: the two would have to be moved apart by at least this much, metres.
    pub depth: f64,
    /// Unit direction in which the first body has to go to bring this point out the shortest way,
    /// world frame.
    pub exit_direction: Vector3<f64>,
}

/// A surface point of one part that was found inside another part. It is tried again first, as it
/// is likely to be inside after the next displacement too.
#[derive(Clone, Copy)]
struct InsidePoint {
    inner: usize,
    outer: usize,
    /// Relative to the inner part's origin.
    point: Vector3<f64>,
}

impl InsidePoint {
    /// Whether it lies more than `known` metres deep in the other part, with the first body moved
    /// by `displacement` (world frame, metres).
    fn is_deeper(
        &self,
        scene: &Scene,
        pair: usize,
        snapshot: &mut Snapshot,
        (displacement, known): (Vector3<f64>, f64),
    ) -> bool {
        let (inner, outer) = (self.inner, self.outer);
        let margin = snapshot.margin(scene, inner) + snapshot.margin(scene, outer);
        let [from, to] = displaced(scene, pair, snapshot, [inner, outer], displacement);
        let tree = &scene.parts[outer].tree;
        let point = tree.origin + to.inverse_compose(&from).apply(&self.point);
        let floor = known + margin + TOUCH_M - scene.parts[inner].tree.radius - tree.radius;
        tree.depth(&point, scene.parts[outer].may_be_solid, floor) > floor
    }
}

/// Poses of two parts in the world, with those of the first body moved.
fn displaced(
    scene: &Scene,
    pair: usize,
    snapshot: &mut Snapshot,
    parts: [usize; 2],
    displacement: Vector3<f64>,
) -> [Pose; 2] {
    parts.map(|part| {
        let mut pose = snapshot.part(scene, part).pose;
        if scene.parts[part].body == scene.pairs[pair].a {
            pose.translation += displacement;
        }
        pose
    })
}

/// The question about a depth.
struct DepthQuestion {
    /// The first body is moved by this, world frame, metres.
    displacement: Vector3<f64>,
    /// Only deeper points count, metres.
    known: f64,
    /// Whether the search ends at the first point that is deeper than `known`.
    any: bool,
    /// At how many points of one part the depth in another one is computed, at most.
    most: u64,
}

/// The deepest point that one body of a pair has in the other one, if it is deeper than `known`
/// metres (by more than a touch, and by more than a hundredth). `points` counts the points at which
/// the depth was computed.
pub(crate) fn deepest(
    scene: &Scene,
    pair: usize,
    snapshot: &mut Snapshot,
    known: f64,
    points: &mut u64,
) -> Option<PointDepth> {
    deepest_within(scene, pair, snapshot, (known, MOST_POINTS), points)
}

/// Like [`deepest`], for depths greater than `known` metres and at most `most` points of one part
/// in another one.
fn deepest_within(
    scene: &Scene,
    pair: usize,
    snapshot: &mut Snapshot,
    (known, most): (f64, u64),
    points: &mut u64,
) -> Option<PointDepth> {
    let question = DepthQuestion {
        displacement: Vector3::zeros(),
        known,
        any: false,
        most,
    };
    deepest_of(scene, pair, snapshot, &question, points).map(|(deep, _)| deep)
}

fn deepest_of(
    scene: &Scene,
    pair: usize,
    snapshot: &mut Snapshot,
    question: &DepthQuestion,
    points: &mut u64,
) -> Option<(PointDepth, InsidePoint)> {
    let mut best = None;
    let mut known = question.known;
    for part_pair in &scene.part_pairs[scene.part_pairs_of(pair)] {
        let (a, b) = (part_pair.a, part_pair.b);
        let margin = snapshot.margin(scene, a) + snapshot.margin(scene, b);
        for (inner, outer) in [(a, b), (b, a)] {
            let poses = displaced(scene, pair, snapshot, [inner, outer], question.displacement);
            let parts = [inner, outer].map(|part| &scene.parts[part]);
            let Some(mut search) = DepthSearch::new(parts, poses, known + margin + TOUCH_M) else {
                continue;
            };
            (search.any, search.most) = (question.any, question.most);
            search.run();
            *points += search.points;
            let Some(deepest) = search.deepest_point else {
                continue;
            };
            known = search.best - margin;
            let out = poses[1].rotation * search.exit_direction(&deepest);
            let is_first = scene.parts[inner].body == scene.pairs[pair].a;
            let deep = PointDepth {
                depth: known,
                exit_direction: if is_first { out } else { -out },
            };
            let inner_from_outer = poses[0].inverse_compose(&poses[1]);
            let inside_point = InsidePoint {
                inner,
                outer,
                point: inner_from_outer.apply(&(deepest - scene.parts[outer].tree.origin)),
            };
            best = Some((deep, inside_point));
            if question.any {
                return best;
            }
        }
    }
    best
}

/// Whether anything can be known about the depth of a pair: one of its parts has an inside.
pub(crate) fn has_inside(scene: &Scene, pair: usize) -> bool {
    let solid = |part: usize| {
        let Part {
            tree, may_be_solid, ..
        } = &scene.parts[part];
        // The inside of a ball or capsule is that of its radius.
        let open = || tree.radius == 0.0 && !tree.closed && tree.has_open_components();
        *may_be_solid != Some(false) && (*may_be_solid == Some(true) || !open())
    };
    let parts = &scene.part_pairs[scene.part_pairs_of(pair)];
    parts.iter().any(|p| solid(p.a) || solid(p.b))
}

/// A unit direction (world frame) from the second body of a pair to the first one, where surfaces
/// cross and the closest points show none: the shortest way out of the deepest point, else across
/// the surface of the second body at `nearest`.
pub(crate) fn separating_direction(
    scene: &Scene,
    pair: usize,
    snapshot: &mut Snapshot,
    nearest: &Closest,
) -> Vector3<f64> {
    if let Some(deep) = deepest(scene, pair, snapshot, 0.0, &mut 0) {
        return deep.exit_direction;
    }
    let pairs = &scene.part_pairs[scene.part_pairs_of(pair)];
    let mut across: Option<(f64, Vector3<f64>, Vector3<f64>)> = None;
    let mut between = Vector3::zeros();
    for part_pair in pairs {
        let is_first = |part: usize| scene.parts[part].body == scene.pairs[pair].a;
        let (a, b) = if is_first(part_pair.a) {
            (part_pair.a, part_pair.b)
        } else {
            (part_pair.b, part_pair.a)
        };
        let center_of_a = center(scene, a, snapshot);
        let pose = snapshot.part(scene, b).pose;
        let tree = &scene.parts[b].tree;
        let back = pose.rotation.transpose() * (nearest.point_b.coords - pose.translation);
        let there = tree.origin + back;
        let Some((on, [p, q, r])) = tree.nearest_on_triangles(&there) else {
            continue;
        };
        let distance = (there - on).norm();
        if across.is_none_or(|(least, ..)| distance < least) {
            let normal = pose.rotation * (q - p).cross(&(r - p));
            between = center_of_a - center(scene, b, snapshot);
            across = Some((distance, normal, center_of_a - nearest.point_b.coords));
        }
    }
    let normal = across.and_then(|(_, normal, towards)| {
        let unit = normal.try_normalize(0.0)?;
        Some(if unit.dot(&towards) < 0.0 {
            -unit
        } else {
            unit
        })
    });
    let unit = normal.or_else(|| between.try_normalize(0.0));
    unit.unwrap_or_else(Vector3::z)
}

/// The middle of a part, world frame.
fn center(scene: &Scene, part: usize, snapshot: &mut Snapshot) -> Vector3<f64> {
    let center = scene.parts[part].tree.nodes[0].center.map(f64::from);
    snapshot
        .part(scene, part)
        .pose
        .apply(&Vector3::from(center))
}

/// A node or a piece that is still to be looked at: no point of it is deeper than `at_most`.
struct DepthItem {
    at_most: f64,
    what: NodeOrPiece,
}

enum NodeOrPiece {
    /// A node of the inner tree.
    Node(usize),
    /// A piece of a triangle: its corners, in the frame of the outer shape, with their depths or
    /// more.
    Piece([(Point3<f64>, f64); 3]),
}

/// What may have the deepest point comes first.
type DeepestFirst = MinHeap<1, DepthItem>;

/// The search for the deepest point of one part in another one.
struct DepthSearch<'s> {
    inner: &'s SphereTree,
    outer: &'s SphereTree,
    solid: Option<bool>,
    outer_from_inner: Pose,
    /// Sum of the radii of both parts, metres.
    radii: f64,
    /// The deepest so far, metres; `deepest_point`: where it is, in the frame of the outer shape.
    best: f64,
    deepest_point: Option<Point3<f64>>,
    /// Whether any point that is deep enough will do.
    any: bool,
    most: u64,
    points: u64,
}

impl<'s> DepthSearch<'s> {
    /// `None` where no point can be deeper than `known`.
    fn new([inner, outer]: [&'s Part; 2], [from, to]: [Pose; 2], known: f64) -> Option<Self> {
        let between = (from.translation - to.translation).norm();
        if outer.may_be_solid == Some(false)
            || between > inner.bounding_radius + outer.bounding_radius
        {
            return None;
        }
        Some(DepthSearch {
            inner: &inner.tree,
            outer: &outer.tree,
            solid: outer.may_be_solid,
            outer_from_inner: to.inverse_compose(&from),
            radii: inner.tree.radius + outer.tree.radius,
            best: known,
            deepest_point: None,
            any: false,
            most: MOST_POINTS,
            points: 0,
        })
    }

    fn run(&mut self) {
        let mut open = DeepestFirst::new();
        self.node(0, &mut open);
        while let Some(DepthItem { at_most, what }) = open.pop() {
            let found = self.any && self.deepest_point.is_some();
            if found || at_most <= self.enough() || self.points >= self.most {
                return;
            }
            match what {
                NodeOrPiece::Node(index) => self.open(index, &mut open),
                NodeOrPiece::Piece(corners) => self.halve(corners, &mut open),
            }
        }
    }

    /// Points that may be no deeper than this are not worth a look, metres.
    fn enough(&self) -> f64 {
        self.best * (1.0 + RELATIVE_TOLERANCE) + TOUCH_M
    }

    /// The depth of a point; exact where it is deeper than all before, else it may be anything up
    /// to `matters`.
    fn depth(&mut self, point: &Point3<f64>, matters: f64) -> f64 {
        self.points += 1;
        let floor = matters.min(self.best) - self.radii;
        let found = self.outer.depth(point, self.solid, floor);
        let depth = self.radii + found;
        // Where `floor` comes back, the true depth may be less: such a point does not count, even
        // if rounding makes the sum greater than `best`.
        if found > floor && depth > self.best {
            self.best = depth;
            self.deepest_point = Some(*point);
        }
        depth
    }

    /// Takes in a node, if it may have deeper points.
    fn node(&mut self, index: usize, open: &mut DeepestFirst) {
        let node = &self.inner.nodes[index];
        let [middle, half] = node.aabb();
        let center = self.outer_from_inner.apply(&node.ball_center());
        let middle = self.outer_from_inner.apply(&middle);
        let half = self.outer_from_inner.rotation.abs() * half;
        let ball = Vector3::repeat(f64::from(node.radius));
        let at_most = self
            .within_box(&center, &ball)
            .min(self.within_box(&middle, &half));
        if at_most <= self.enough() {
            return;
        }
        // A corner of a triangle below: nothing else in the ball is farther from it than this.
        let mut leaf = node;
        while !leaf.is_leaf() {
            leaf = &self.inner.nodes[leaf.first as usize];
        }
        let corner = self.inner.corners(leaf.first as usize)[0];
        let point = self.outer_from_inner.apply(&(corner - self.inner.origin));
        let spread = (point - center).norm() + f64::from(node.radius);
        let matters = self.enough() - spread;
        let depth = self.depth(&(self.outer.origin + point), matters);
        let at_most = at_most.min(depth + spread);
        if at_most > self.enough() {
            let what = NodeOrPiece::Node(index);
            open.push([-at_most], DepthItem { at_most, what });
        }
    }

    /// The greatest depth that a point has by the sides of the outer body's box, within so far of a
    /// position (relative to the outer shape's origin, along its axes).
    fn within_box(&self, point: &Vector3<f64>, far: &Vector3<f64>) -> f64 {
        let root = &self.outer.nodes[0];
        let [middle, half] = root.aabb();
        (half + far - (point - middle).abs()).min() + self.radii
    }

    fn open(&mut self, index: usize, open: &mut DeepestFirst) {
        let node = &self.inner.nodes[index];
        let first = node.first as usize;
        if !node.is_leaf() {
            self.node(first, open);
            self.node(first + 1, open);
            return;
        }
        for triangle in first..first + node.count as usize {
            let corners = self
                .inner
                .corners(triangle)
                .map(|c| self.outer.origin + self.outer_from_inner.apply(&(c - self.inner.origin)));
            let edge = |k: usize| (corners[k] - corners[(k + 1) % 3]).norm();
            let longest = edge(0).max(edge(1)).max(edge(2));
            let corners = corners.map(|corner| {
                let matters = self.enough() - longest;
                (corner, self.depth(&corner, matters))
            });
            self.piece(corners, open);
        }
    }

    /// Takes in a piece of a triangle, if it may have deeper points.
    fn piece(&self, corners: [(Point3<f64>, f64); 3], open: &mut DeepestFirst) {
        let from_corner = |k: usize| {
            let others = [corners[(k + 1) % 3].0, corners[(k + 2) % 3].0];
            let far = others.map(|other| (other - corners[k].0).norm());
            corners[k].1 + far[0].max(far[1])
        };
        let root = &self.outer.nodes[0];
        let [middle, half] = root.aabb();
        let from_middle = corners.map(|(p, _)| p - self.outer.origin - middle);
        let around = Aabb::of(from_middle.map(Point3::from));
        let (low, high) = (around.min.coords, around.max.coords);
        let sides = (half - low).inf(&(half + high)).min() + self.radii;
        let at_most = (0..3).map(from_corner).fold(sides, f64::min);
        if at_most > self.enough() {
            let what = NodeOrPiece::Piece(corners);
            open.push([-at_most], DepthItem { at_most, what });
        }
    }

    /// Cuts a piece through the middle of its longest edge.
    fn halve(&mut self, corners: [(Point3<f64>, f64); 3], open: &mut DeepestFirst) {
        let length = |k: usize| (corners[k].0 - corners[(k + 1) % 3].0).norm();
        let longest = (0..3).max_by(|&x, &y| length(x).total_cmp(&length(y)));
        let k = longest.unwrap_or(0);
        let (from, to, other) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
        let middle = nalgebra::center(&from.0, &to.0);
        let matters = self.enough() - length(k);
        let middle = (middle, self.depth(&middle, matters));
        self.piece([from, middle, other], open);
        self.piece([middle, to, other], open);
    }

    /// In which direction a point gets out of the outer body the shortest way, as a unit vector of
    /// its frame.
    fn exit_direction(&self, point: &Point3<f64>) -> Vector3<f64> {
        let from_middle = || {
            let middle = self.outer.nodes[0].ball_center();
            (point - self.outer.origin - middle).try_normalize(0.0)
        };
        let Some((on, [p, q, r])) = self.outer.nearest_on_triangles(point) else {
            return Vector3::z();
        };
        let out = if self.outer.contains(point, self.solid) {
            on - point
        } else {
            point - on
        };
        let across = || (q - p).cross(&(r - p)).try_normalize(0.0);
        let unit = out.try_normalize(TOUCH_M).or_else(across);
        unit.or_else(from_middle).unwrap_or_else(Vector3::z)
    }
}
