//! The inner loop: node pairs of one pair of parts against the bounds of one interval, many at a
//! time in f32.
//!
//! All lanes do the same additions and multiplications in the same order whatever the width, and
//! nothing is fused, so every machine gives the same answer to every test.

use super::next_step::{KAPPA_CHORD, KAPPA_CHORD_BOUND, NextStep};
use super::simd::{LaneTest, dispatch, transposed};
use super::view::View;
use crate::bvh::Node;
use crate::check::scene::Scene;
use crate::geometry::pose::Pose;
use crate::numeric::round_up;

/// Bound on the rounding of one test, in units of 2⁻²⁴ times the size of the numbers in it.
///
/// A coordinate of the relative position is a sum of at most 8 products and terms, each no larger
/// than `size` (the distance of the two origins plus both reaches) and each rounded once, with
/// matrix entries rounded once before: fewer than 20 roundings; directions scale this by √3 at
/// most: 35 units. The sum of chord bounds is rounded five times, and nothing is proved where it is
/// more than twice `size`: 10 units; the sum of threshold and errors takes 5 more. What both ends
/// prove between them loses no more than it would with the same error at both ends, and is itself
/// rounded to within 2 units.
const ROUNDINGS: f64 = 64.0;

/// Makes a product with a chord bound of 0 keep its sign; what it adds is far below any rounding.
const TINY: f32 = 1e-20;

/// The answers as the lanes hold them: every answer of a group is one number among others alike,
/// so that the compiler keeps them in one register.
const SEPARATED: u32 = NextStep::Separated as u32;
const SPLIT_SPACE: u32 = NextStep::SplitSpace as u32;
const SPLIT_TIME: u32 = NextStep::SplitTime as u32;

type Vector32 = [f32; 3];

/// One interval of one pair of parts: poses at both ends in a common frame, and chord bounds.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// How many pairs are tested at a time, at most. Answers do not depend on it.
    pub lanes: usize,
    two_sided: bool,
    /// Whether there is a seventh direction.
    has_known_direction: bool,
    /// Rows of the rotation of part a at both ends.
    a: [[Vector32; 3]; 2],
    /// The same of part b; unused when b's own frame is the common one.
    b: [[Vector32; 3]; 2],
    /// a's origin minus b's origin at both ends.
    origin_difference: [Vector32; 2],
    /// Six directions and perhaps the known one, their rows seen from a's axes at both ends
    /// (absolute), and from b's.
    directions: [Vector32; 7],
    from_a: [[Vector32; 2]; 7],
    from_b: [[Vector32; 2]; 7],
    chord_bound: f32,
    slope_a: f32,
    slope_b: f32,
    /// How far points are off by errors: at the origins, and per metre from them.
    deviation_of_origins: f32,
    deviation_slope_a: f32,
    deviation_slope_b: f32,
    /// Whether any of these is above 0.
    has_errors: bool,
    /// Threshold plus rounding, metres.
    required_gap: f32,
    /// The rounding in `required_gap`, metres.
    margin: f64,
    /// The amount that rounding alone can add to κ₂·half the chord.
    noise: f32,
}

impl Kernel {
    /// Prepares an interval (for a one-sided pair the poses of b are the identity). `required_gap`:
    /// the threshold, metres; `bounding_radii`: sum of both parts' reaches, metres; `known`: a
    /// direction that may separate them, of length 1.
    pub fn new(
        view: &View,
        one_sided: bool,
        required_gap: f64,
        bounding_radii: f64,
        known: Option<nalgebra::Vector3<f64>>,
    ) -> Self {
        let (a, b) = (&view.a, &view.b);
        let origin_difference = [0, 1].map(|i| a[i].translation - b[i].translation);
        let size = origin_difference[0].norm().max(origin_difference[1].norm())
            + bounding_radii
            + (view.deviations[0].at(bounding_radii) + view.deviations[1].at(bounding_radii));
        let margin = ROUNDINGS * f64::from(f32::EPSILON) / 2.0 * size;
        let rows = |p: &Pose| [0, 1, 2].map(|r| [0, 1, 2].map(|c| p.rotation[(r, c)] as f32));
        let ra = [rows(&a[0]), rows(&a[1])];
        let rb = [rows(&b[0]), rows(&b[1])];
        let mut directions = [[0.0; 3]; 7];
        let mut from_a = [[[0.0; 3]; 2]; 7];
        let mut from_b = [[[0.0; 3]; 2]; 7];
        for k in 0..6 {
            if one_sided && k < 3 {
                // The common frame is b's own: its axes are the coordinate axes.
                directions[k][k] = 1.0;
                from_b[k] = [directions[k]; 2];
                from_a[k] = [0, 1].map(|i| ra[i][k].map(|x| x.abs().next_up()));
                continue;
            }
            let (pose, axis) = if k < 3 { (b, k) } else { (a, k - 3) };
            // Any direction of length 1 is right; the axis half-way between the two ends is the
            // tightest.
            let sum = pose[0].rotation.column(axis) + pose[1].rotation.column(axis);
            let length = sum.norm();
            let n = if length > 1e-6 {
                sum / length
            } else {
                pose[0].rotation.column(axis).into_owned()
            };
            directions[k] = [n.x as f32, n.y as f32, n.z as f32];
            for i in 0..2 {
                from_a[k][i] = outward(&a[i].rotation.tr_mul(&n));
                from_b[k][i] = if one_sided {
                    outward(&n)
                } else {
                    outward(&b[i].rotation.tr_mul(&n))
                };
            }
        }
        if let Some(n) = &known {
            directions[6] = [n.x as f32, n.y as f32, n.z as f32];
            from_a[6] = [0, 1].map(|i| outward(&a[i].rotation.tr_mul(n)));
            from_b[6] = [0, 1].map(|i| outward(&b[i].rotation.tr_mul(n)));
        }
        Kernel {
            lanes: Scene::MOST_LANES,
            two_sided: !one_sided,
            has_known_direction: known.is_some(),
            a: ra,
            b: rb,
            origin_difference: origin_difference.map(|v| [v.x as f32, v.y as f32, v.z as f32]),
            directions,
            from_a,
            from_b,
            chord_bound: round_up(view.chord_bound_a.base + view.chord_bound_b.base),
            slope_a: round_up(view.chord_bound_a.slope),
            slope_b: round_up(view.chord_bound_b.slope),
            deviation_of_origins: round_up(view.deviations[0].base + view.deviations[1].base),
            deviation_slope_a: round_up(view.deviations[0].slope),
            deviation_slope_b: round_up(view.deviations[1].slope),
            has_errors: view.has_errors(),
            required_gap: round_up(required_gap + margin),
            margin,
            noise: KAPPA_CHORD * round_up(margin),
        }
    }

    /// Changes the threshold, metres.
    pub fn set_required_gap(&mut self, required_gap: f64) {
        self.required_gap = round_up(required_gap + self.margin);
    }

    /// Tests every pair of nodes and appends one answer per pair.
    pub fn test(&self, nodes: [&[Node]; 2], pairs: &[[u32; 2]], out: &mut Vec<NextStep>) {
        dispatch(self, nodes, pairs, out);
    }

    /// One answer for the nodes in each lane.
    #[inline(always)]
    fn chunk<const L: usize, const TWO: bool, const DIRECTIONS: usize, const ERRORS: bool>(
        &self,
        lanes: &Lanes<L>,
        next: &mut [u32; L],
    ) {
        let (na, nb) = (&lanes.a, &lanes.b);
        for l in 0..L {
            let (ca, cb) = (lane(&na.center, l), lane(&nb.center, l));
            let d0 = self.relative::<TWO>(0, &ca, &cb);
            let d1 = self.relative::<TWO>(1, &ca, &cb);
            let u = [d1[0] - d0[0], d1[1] - d0[1], d1[2] - d0[2]];
            let uu = dot(&u, &u);
            let t = -dot(&d0, &u) / if uu > 1e-30 { uu } else { 1.0 };
            let t = if t > 0.0 { t } else { 0.0 };
            let t = if t < 1.0 { t } else { 1.0 };
            let p = [d0[0] + t * u[0], d0[1] + t * u[1], d0[2] + t * u[2]];
            let far_a = dot(&ca, &ca).sqrt();
            let far_b = dot(&cb, &cb).sqrt();
            let radii = na.radius[l] + nb.radius[l];
            let chord_bound = self.chord_bound + self.slope_a * far_a + self.slope_b * far_b;
            let mut gap = dot(&p, &p).sqrt() - radii - chord_bound;

            // The box may use the points' chord bound rather than the centre's: no point is farther
            // out than the ball.
            let point_bound = self.chord_bound
                + self.slope_a * (far_a + na.radius[l])
                + self.slope_b * (far_b + nb.radius[l]);
            let mut need = self.required_gap;
            if ERRORS {
                gap -= self.deviation_of_origins
                    + self.deviation_slope_a * far_a
                    + self.deviation_slope_b * far_b;
                need += self.deviation_of_origins
                    + self.deviation_slope_a * (far_a + na.radius[l])
                    + self.deviation_slope_b * (far_b + nb.radius[l]);
            }
            let gaps = self.gaps_of_boxes::<L, TWO, DIRECTIONS>(lanes, l);
            // As `least_between_ends`, without a division:
            // low − B (1 − (high − low) / 4 B)² > need.
            let left = max(0.0, 4.0 * point_bound - (gaps.high - gaps.low));
            let spare = (gaps.low - need) * (16.0 * point_bound + TINY);
            let separated = gap > self.required_gap || spare > left * left;
            // Rounding must not count as motion: such a node would be split in time without end.
            let time = radii + self.noise
                < KAPPA_CHORD_BOUND * chord_bound + KAPPA_CHORD * 0.5 * uu.sqrt();
            next[l] = if separated {
                SEPARATED
            } else if time {
                SPLIT_TIME
            } else {
                SPLIT_SPACE
            };
        }
    }

    /// The gaps between the boxes in a lane along the direction in which the lesser one is
    /// greatest.
    #[inline(always)]
    fn gaps_of_boxes<const L: usize, const TWO: bool, const DIRECTIONS: usize>(
        &self,
        lanes: &Lanes<L>,
        l: usize,
    ) -> EndGaps {
        let (ba, bb) = (lane(&lanes.a.box_center, l), lane(&lanes.b.box_center, l));
        let (ha, hb) = (lane(&lanes.a.box_half, l), lane(&lanes.b.box_half, l));
        let e0 = self.relative::<TWO>(0, &ba, &bb);
        let e1 = self.relative::<TWO>(1, &ba, &bb);
        let (mut low, mut high) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
        for k in 0..DIRECTIONS {
            // In b's own frame the first three directions are the coordinate axes.
            let own = !TWO && k < 3;
            let (s0, s1) = if own {
                (e0[k], e1[k])
            } else {
                (dot(&self.directions[k], &e0), dot(&self.directions[k], &e1))
            };
            let wb0 = if own {
                hb[k]
            } else {
                dot(&self.from_b[k][0], &hb)
            };
            let wb1 = if TWO {
                dot(&self.from_b[k][1], &hb)
            } else {
                wb0
            };
            let w0 = dot(&self.from_a[k][0], &ha) + wb0;
            let w1 = dot(&self.from_a[k][1], &ha) + wb1;
            let sense = 1f32.copysign(s0 + s1);
            let (g0, g1) = (sense * s0 - w0, sense * s1 - w1);
            // With the arguments in this order, a NaN at one end stays in `least` or `most`, and
            // proves nothing.
            let (least, most) = (min(g0, g1), max(g1, g0));
            let better = least > low;
            low = if better { least } else { low };
            high = if better { most } else { high };
        }
        EndGaps { low, high }
    }

    /// Position of a point of a relative to a point of b at one end.
    #[inline(always)]
    fn relative<const TWO: bool>(&self, end: usize, a: &Vector32, b: &Vector32) -> Vector32 {
        let m = &self.a[end];
        let s = &self.origin_difference[end];
        let mut d = [0.0; 3];
        for k in 0..3 {
            let from_b = if TWO { dot(&self.b[end][k], b) } else { b[k] };
            d[k] = (dot(&m[k], a) - from_b) + s[k];
        }
        d
    }
}

impl LaneTest for Kernel {
    #[inline(always)]
    fn most_lanes(&self) -> usize {
        self.lanes
    }

    #[inline(always)]
    fn test_lanes<const L: usize, const SPREADS: bool>(
        &self,
        nodes: [&[Node]; 2],
        pairs: &[[u32; 2]],
        out: &mut Vec<NextStep>,
    ) {
        let mut lanes = Lanes::<L>::default();
        for chunk in pairs.chunks(L) {
            // Most calls have one chunk. Left alone, the compiler spreads every number of the
            // kernel over a register and stores it before the first one, for chunks that never
            // come; where instructions spread numbers themselves that is waste.
            let kernel = if SPREADS {
                std::hint::black_box(self)
            } else {
                self
            };
            for (four, pairs) in chunk.chunks(4).enumerate() {
                // A group of fewer than four is filled up with its last pair.
                let pair = |i: usize| pairs[i.min(pairs.len() - 1)];
                let fours = [0, 1, 2, 3].map(pair);
                lanes
                    .a
                    .put(4 * four, fours.map(|p| &nodes[0][p[0] as usize]));
                lanes
                    .b
                    .put(4 * four, fours.map(|p| &nodes[1][p[1] as usize]));
            }
            let mut next = [0u32; L];
            match (
                kernel.two_sided,
                kernel.has_known_direction,
                kernel.has_errors,
            ) {
                (true, true, false) => kernel.chunk::<L, true, 7, false>(&lanes, &mut next),
                (true, false, false) => kernel.chunk::<L, true, 6, false>(&lanes, &mut next),
                (false, true, false) => kernel.chunk::<L, false, 7, false>(&lanes, &mut next),
                (false, false, false) => kernel.chunk::<L, false, 6, false>(&lanes, &mut next),
                (true, true, true) => kernel.chunk::<L, true, 7, true>(&lanes, &mut next),
                (true, false, true) => kernel.chunk::<L, true, 6, true>(&lanes, &mut next),
                (false, true, true) => kernel.chunk::<L, false, 7, true>(&lanes, &mut next),
                (false, false, true) => kernel.chunk::<L, false, 6, true>(&lanes, &mut next),
            }
            out.extend(next[..chunk.len()].iter().map(|&n| match n {
                SEPARATED => NextStep::Separated,
                SPLIT_SPACE => NextStep::SplitSpace,
                _ => NextStep::SplitTime,
            }));
        }
    }
}

/// Absolute values of a direction, rounded up.
fn outward(v: &nalgebra::Vector3<f64>) -> Vector32 {
    [v.x, v.y, v.z].map(|x| (x.abs() as f32).next_up())
}

/// The gaps between two boxes at both ends of the interval: the lesser and the greater one.
struct EndGaps {
    low: f32,
    high: f32,
}

/// The vector in one lane.
#[inline(always)]
fn lane<const L: usize>(lanes: &[[f32; L]; 3], l: usize) -> Vector32 {
    [lanes[0][l], lanes[1][l], lanes[2][l]]
}

#[inline(always)]
fn dot(a: &Vector32, b: &Vector32) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

// Written as comparisons: they compile to one instruction each, unlike f32::min with its care for
// NaN: the second of two is the answer where one is none.
#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The numbers of L nodes, one lane for each node.
struct NodeLanes<const L: usize> {
    center: [[f32; L]; 3],
    radius: [f32; L],
    box_center: [[f32; L]; 3],
    box_half: [[f32; L]; 3],
}

struct Lanes<const L: usize> {
    a: NodeLanes<L>,
    b: NodeLanes<L>,
}

impl<const L: usize> Default for Lanes<L> {
    #[inline(always)]
    fn default() -> Self {
        Lanes {
            a: NodeLanes::default(),
            b: NodeLanes::default(),
        }
    }
}

impl<const L: usize> Default for NodeLanes<L> {
    #[inline(always)]
    fn default() -> Self {
        NodeLanes {
            center: [[0.0; L]; 3],
            radius: [0.0; L],
            box_center: [[0.0; L]; 3],
            box_half: [[0.0; L]; 3],
        }
    }
}

impl<const L: usize> NodeLanes<L> {
    /// Puts four nodes into lanes l … l + 3.
    #[inline(always)]
    fn put(&mut self, l: usize, nodes: [&Node; 4]) {
        // A node is three rows of four numbers: centre and radius, box and first, half edges and
        // count.
        let rows = nodes.map(bytemuck::cast_ref::<Node, [[f32; 4]; 3]>);
        let put = |lanes: &mut [f32; L], four: [f32; 4]| lanes[l..l + 4].copy_from_slice(&four);
        let [x, y, z, radius] = transposed(rows.map(|r| r[0]));
        put(&mut self.center[0], x);
        put(&mut self.center[1], y);
        put(&mut self.center[2], z);
        put(&mut self.radius, radius);
        let [x, y, z, _] = transposed(rows.map(|r| r[1]));
        put(&mut self.box_center[0], x);
        put(&mut self.box_center[1], y);
        put(&mut self.box_center[2], z);
        let [x, y, z, _] = transposed(rows.map(|r| r[2]));
        put(&mut self.box_half[0], x);
        put(&mut self.box_half[1], y);
        put(&mut self.box_half[2], z);
    }
}

#[cfg(test)]
mod tests;
