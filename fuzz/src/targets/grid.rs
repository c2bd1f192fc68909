//! Whole checks on a grid of small integers: boxes along the axes that slide along the axes. A slow
//! twin in whole numbers knows the exact answer, and the check must give the same.

use clearance::findings::{Contact, Verdict};
use clearance_proof::model::{BodyId, Form, Interpolation, JointKind};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::super::common::{Scenario, form, shapes};
use super::source::Source;

/// Edge of the grid, metres: a power of two, so that every number is exact.
const UNIT: f64 = 1.0 / 32.0;
/// Resolution, metres.
const EPSILON: f64 = 1e-4;
/// The greatest rounding error, in metres and in shares of a segment.
const TINY: f64 = 1e-9;

/// A whole number over one above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ratio(i128, i128);

impl Ratio {
    fn new(over: i128, under: i128) -> Self {
        if under < 0 {
            Ratio(-over, -under)
        } else {
            Ratio(over, under)
        }
    }

    fn value(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }

    fn at_most(self, other: Ratio) -> bool {
        self.0 * other.1 <= other.0 * self.1
    }

    fn least(self, other: Ratio) -> Ratio {
        if self.at_most(other) { self } else { other }
    }

    fn greatest(self, other: Ratio) -> Ratio {
        if self.at_most(other) { other } else { self }
    }
}

/// A box along the axes, in grid units.
struct Brick {
    joint: Option<usize>,
    /// Its centre in the frame of its joint, or the world.
    at: [i64; 3],
    /// Half its edges.
    half: [i64; 3],
    solid: bool,
}

/// A joint that slides along an axis.
struct Slide {
    parent: Option<usize>,
    at: [i64; 3],
    axis: usize,
    sign: i64,
}

struct Scene {
    scenario: Scenario,
    bricks: Vec<Brick>,
    slides: Vec<Slide>,
    /// Of every waypoint, the value of every joint.
    waypoints: Vec<Vec<i64>>,
    /// Threshold, in grid units.
    threshold: i64,
}

fn place(at: [i64; 3]) -> Isometry3<f64> {
    let v = Vector3::from(at.map(|x| x as f64 * UNIT));
    Isometry3::from_parts(Translation3::from(v), nalgebra::UnitQuaternion::identity())
}

impl Scene {
    fn new(s: &mut Source) -> Self {
        let mut scene = Scene {
            scenario: Scenario::new(),
            bricks: Vec::new(),
            slides: Vec::new(),
            waypoints: Vec::new(),
            threshold: [0, 0, 0, 1, 2][s.below(5)],
        };
        let law = s.below(3);
        for k in 0..1 + s.below(4) {
            let slide = Slide {
                parent: k.checked_sub(1).filter(|_| s.below(4) > 0),
                at: point(s, 6),
                axis: s.below(3),
                sign: [1, -1][s.below(2)],
            };
            let mut axis = Vector3::zeros();
            axis[slide.axis] = slide.sign as f64;
            let (at, parent) = (place(slide.at), slide.parent);
            scene.scenario.joint(parent, at, axis, JointKind::Prismatic);
            scene.slides.push(slide);
            let carrier = scene.bricks.len().checked_sub(1).filter(|_| s.flag());
            scene.brick(s, Some(k), carrier);
        }
        for _ in 0..1 + s.below(3) {
            scene.brick(s, None, None);
        }
        for _ in 0..2 + s.below(2) {
            let values = scene.slides.iter().map(|_| s.whole(-9, 9)).collect();
            scene.waypoints.push(values);
        }
        // The same way at another pace: what is met on it, and where, stays the same.
        let trajectory = &mut scene.scenario.trajectory;
        trajectory.interpolation = [
            Interpolation::Linear,
            Interpolation::Cubic,
            Interpolation::Quintic,
        ][law];
        for k in 1..scene.waypoints.len() {
            let joints = (0..scene.slides.len()).map(|j| {
                let (p, q) = (scene.waypoints[k - 1][j], scene.waypoints[k][j]);
                let (p, d) = (p as f64 * UNIT, (q - p) as f64 * UNIT);
                match law {
                    0 => [p, d, 0.0, 0.0, 0.0, 0.0],
                    1 => [p, 0.0, 3.0 * d, -2.0 * d, 0.0, 0.0],
                    _ => [p, 0.0, 0.0, 10.0 * d, -15.0 * d, 6.0 * d],
                }
            });
            let joints = joints.collect();
            scene.scenario.segment(joints);
        }
        scene
    }

    fn brick(&mut self, s: &mut Source, joint: Option<usize>, carrier: Option<BodyId>) {
        let mut brick = Brick {
            joint,
            at: point(s, 8),
            half: [s.whole(1, 5), s.whole(1, 5), s.whole(1, 5)],
            solid: true,
        };
        let half = Vector3::from(brick.half.map(|x| x as f64 * UNIT));
        // A primitive, a closed mesh, or the shell of one.
        let kind = s.below(3);
        let shape = match kind {
            0 => Form::Box { size: half * 2.0 },
            _ => form(shapes::block(half)),
        };
        // Thresholds in a hollow would need a twin of their own.
        brick.solid = kind != 2 || self.threshold > 0;
        let body = self
            .scenario
            .body(joint, carrier, vec![(place(brick.at), shape)]);
        self.scenario.cell.bodies[body].shapes[0].solid =
            if brick.solid { None } else { Some(false) };
        self.bricks.push(brick);
    }

    /// Centre of a brick at a waypoint.
    fn centre(&self, body: BodyId, waypoint: usize) -> [i64; 3] {
        let brick = &self.bricks[body];
        let mut at = brick.at;
        let mut joint = brick.joint;
        while let Some(j) = joint {
            let slide = &self.slides[j];
            for k in 0..3 {
                at[k] += slide.at[k];
            }
            at[slide.axis] += slide.sign * self.waypoints[waypoint][j];
            joint = slide.parent;
        }
        at
    }

    /// How two bricks move against each other in a segment.
    fn meeting(&self, (a, b): (BodyId, BodyId), segment: usize) -> Meeting {
        let between = |w| {
            let (a, b) = (self.centre(a, w), self.centre(b, w));
            [0, 1, 2].map(|k| i128::from(b[k] - a[k]))
        };
        let (from, to) = (between(segment), between(segment + 1));
        let (a, b) = (&self.bricks[a], &self.bricks[b]);
        Meeting {
            from,
            step: [0, 1, 2].map(|k| to[k] - from[k]),
            halves: [0, 1, 2].map(|k| i128::from(a.half[k] + b.half[k])),
            rooms: [0, 1, 2].map(|k| i128::from(a.half[k] - b.half[k])),
            solid: [a.solid, b.solid],
        }
    }
}

fn point(s: &mut Source, size: i64) -> [i64; 3] {
    [0; 3].map(|_| s.whole(-size, size))
}

/// Two boxes of which one moves straight by the other.
struct Meeting {
    from: [i128; 3],
    step: [i128; 3],
    /// Sum of the half edges.
    halves: [i128; 3],
    /// Difference of the half edges.
    rooms: [i128; 3],
    solid: [bool; 2],
}

impl Meeting {
    /// Shares of the segment in which |from + s·step| ≤ bound along every axis (the ends are
    /// exact).
    fn within(&self, bounds: [i128; 3]) -> Option<(Ratio, Ratio)> {
        let mut span = (Ratio(0, 1), Ratio(1, 1));
        for k in 0..3 {
            let (a, b, h) = (self.from[k], self.step[k], bounds[k]);
            if h < 0 || b == 0 && a.abs() > h {
                return None;
            }
            if b != 0 {
                let (x, y) = (Ratio::new(-h - a, b), Ratio::new(h - a, b));
                span = (span.0.greatest(x.least(y)), span.1.least(x.greatest(y)));
            }
        }
        span.0.at_most(span.1).then_some(span)
    }

    /// Shares of the segment in which one is wholly in the hollow of the other, without their ends.
    fn hidden(&self) -> Option<(Ratio, Ratio)> {
        // The one that is larger along every axis is around the other.
        let outer = match (
            self.rooms.iter().all(|&r| r > 0),
            self.rooms.iter().all(|&r| r < 0),
        ) {
            (true, _) => 0,
            (_, true) => 1,
            _ => return None,
        };
        if self.solid[outer] {
            return None;
        }
        let span = self.within(self.rooms.map(i128::abs))?;
        // Where it only touches the wall from within, at one instant or all along, it is no room.
        let still = |k: usize| self.step[k] == 0 && self.from[k].abs() == self.rooms[k].abs();
        (span.0 != span.1 && !(0..3).any(still) && !span.1.at_most(span.0)).then_some(span)
    }

    /// Square of the distance at a share of the segment, exact.
    fn square(&self, s: Ratio) -> Ratio {
        let gap = |k: usize| {
            let off = (self.from[k] * s.1 + self.step[k] * s.0).abs() - self.halves[k] * s.1;
            off.max(0)
        };
        Ratio((0..3).map(|k| gap(k) * gap(k)).sum(), s.1 * s.1)
    }

    /// Where the distance is least, and its square: it is a parabola between the shares at which an
    /// axis begins to count.
    fn least(&self) -> (Ratio, Ratio) {
        let mut bends = vec![Ratio(0, 1), Ratio(1, 1)];
        for k in (0..3).filter(|&k| self.step[k] != 0) {
            for h in [self.halves[k], -self.halves[k]] {
                let s = Ratio::new(h - self.from[k], self.step[k]);
                if s.0 > 0 && s.0 < s.1 {
                    bends.push(s);
                }
            }
        }
        bends.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
        let mut all = bends.clone();
        for w in bends.windows(2) {
            let middle = Ratio(w[0].0 * w[1].1 + w[1].0 * w[0].1, 2 * w[0].1 * w[1].1);
            let (mut first, mut second) = (0, 0);
            for k in 0..3 {
                let off = self.from[k] * middle.1 + self.step[k] * middle.0;
                if off.abs() > self.halves[k] * middle.1 {
                    let e = self.from[k] - off.signum() * self.halves[k];
                    first += e * self.step[k];
                    second += self.step[k] * self.step[k];
                }
            }
            if second > 0 {
                let s = Ratio(-first, second);
                all.push(w[0].greatest(s).least(w[1]));
            }
        }
        let mut best = (all[0], self.square(all[0]));
        for s in all {
            let square = self.square(s);
            if !best.1.at_most(square) {
                best = (s, square);
            }
        }
        best
    }

    /// Distance at a share of the segment, metres.
    fn distance(&self, s: f64) -> f64 {
        let gap = |k: usize| {
            let off = (self.from[k] as f64 + s * self.step[k] as f64).abs();
            (off - self.halves[k] as f64).max(0.0)
        };
        (0..3).map(|k| gap(k) * gap(k)).sum::<f64>().sqrt() * UNIT
    }

    /// Shares of the segment in which the two are within `threshold` (grid units): closed spans.
    fn spans(&self, threshold: i64) -> Vec<(f64, f64)> {
        let threshold = i128::from(threshold);
        if threshold == 0 {
            let Some((from, to)) = self.within(self.halves) else {
                return Vec::new();
            };
            return match self.hidden() {
                None => vec![(from.value(), to.value())],
                // At the ends of the way in a hollow the wall may not be there.
                Some((low, high)) => {
                    let touches = |s: Ratio| {
                        (0..3).any(|k| {
                            (self.from[k] * s.1 + self.step[k] * s.0).abs()
                                == self.rooms[k].abs() * s.1
                        })
                    };
                    let before =
                        (!low.at_most(from) || touches(low)).then(|| (from.value(), low.value()));
                    let after =
                        (!to.at_most(high) || touches(high)).then(|| (high.value(), to.value()));
                    before.into_iter().chain(after).collect()
                }
            };
        }
        let (at, square) = self.least();
        if square.0 > threshold * threshold * square.1 {
            return Vec::new();
        }
        // The distance falls and then rises: halve between the least and the ends.
        let reach = |mut out: f64| {
            let d = threshold as f64 * UNIT;
            let mut within = at.value();
            if self.distance(out) <= d {
                return out;
            }
            for _ in 0..60 {
                let middle = 0.5 * (within + out);
                if self.distance(middle) <= d {
                    within = middle;
                } else {
                    out = middle;
                }
            }
            within
        };
        vec![(reach(0.0), reach(1.0))]
    }
}

/// A scene of bricks, checked and compared with the exact answer. Says whether there was anything
/// to check.
pub fn grid(data: &[u8]) -> bool {
    let s = &mut Source(data);
    let extras = s.flag();
    let scene = Scene::new(s);
    let scenario = &scene.scenario;
    let pairs: Vec<_> = scenario
        .table()
        .checked
        .iter()
        .map(|p| (p.a, p.b))
        .collect();
    if pairs.is_empty() {
        return false;
    }
    let d = scene.threshold as f64 * UNIT;
    let result = scenario.check(d, EPSILON, extras);
    let name = |body: BodyId| &scenario.cell.bodies[body].name;
    let segments = scenario.trajectory.segments.len();
    // Place on the way: segment and the share of its length.
    let way = |time: f64| {
        let segment = (time.floor() as usize).min(segments - 1);
        let t = time - segment as f64;
        segment as f64
            + match scenario.trajectory.interpolation {
                Interpolation::Linear => t,
                Interpolation::Cubic => t * t * (3.0 - 2.0 * t),
                Interpolation::Quintic => t * t * t * (10.0 + t * (6.0 * t - 15.0)),
            }
    };
    let mut first = f64::INFINITY;
    let mut nearest = f64::INFINITY;
    for &(a, b) in &pairs {
        let found: Vec<&Contact> = result
            .contacts
            .iter()
            .filter(|c| &c.a == name(a) && &c.b == name(b))
            .collect();
        let mut least = f64::INFINITY;
        let mut hollow = false;
        for segment in 0..segments {
            let meeting = scene.meeting((a, b), segment);
            least = least.min(meeting.least().1.value().sqrt() * UNIT);
            // Between surfaces the distance of what is in a hollow, or in a solid, is another one.
            hollow |= meeting.within(meeting.rooms.map(i128::abs)).is_some();
            for (from, to) in meeting.spans(scene.threshold) {
                let (from, to) = (segment as f64 + from, segment as f64 + to);
                first = first.min(from);
                let covered = |x: f64| {
                    found.iter().any(|c| {
                        way(c.free_until) <= x + TINY
                            && x <= c.until.map_or(f64::INFINITY, way) + TINY
                    })
                };
                for x in [from, 0.5 * (from + to), to] {
                    assert!(
                        !extras || covered(x),
                        "{} and {} touch at {x}: {found:?}",
                        name(a),
                        name(b)
                    );
                }
            }
        }
        if extras && !hollow {
            let m = result
                .pair_minimums
                .iter()
                .find(|m| &m.a == name(a) && &m.b == name(b))
                .expect("a minimum of every pair");
            assert!(m.lower_bound <= least + TINY, "{m:?}, but {least}");
            assert!(m.distance >= least - TINY, "{m:?}, but {least}");
            assert!(
                m.distance <= least + EPSILON.max(0.02 * least) + TINY,
                "{m:?}, but {least}"
            );
        }
        nearest = nearest.min(least);
    }
    if first.is_finite() {
        assert_eq!(result.verdict, Verdict::Collision, "they touch at {first}");
        let contact = result.first_contact.as_ref().expect("a contact");
        let (free, time) = (way(contact.free_until), way(contact.time));
        assert!(free <= first + TINY, "free until {free}, touch at {first}");
        let [a, b] = [&contact.a, &contact.b].map(|n| scenario.cell.body(n).expect("a body"));
        // Who comes near sideways is within rounding of the threshold well before it is reached.
        let grazes = |segment: usize| {
            let share = time - segment as f64;
            let inside = scene.threshold > 0 && (0.0..=1.0).contains(&share);
            inside && scene.meeting((a, b), segment).distance(share) <= d + TINY
        };
        assert!(
            time >= first - TINY || (0..segments).any(grazes),
            "contact at {time}, touch at {first}"
        );
        let there = (0..segments).any(|segment| {
            let spans = scene.meeting((a, b), segment).spans(scene.threshold);
            let held = |&(from, to): &(f64, f64)| {
                segment as f64 + from - TINY <= time && time <= segment as f64 + to + TINY
            };
            spans.iter().any(held) || grazes(segment)
        });
        assert!(there, "they do not touch at {time}: {contact:?}");
    } else if nearest > d + EPSILON || scene.threshold == 0 {
        assert_eq!(result.verdict, Verdict::Clear, "{nearest} apart");
    } else {
        assert_ne!(result.verdict, Verdict::Collision, "{nearest} apart");
    }
    true
}
