//! What a controller may do beside arcs in a corner, sampled, against the bent lines of its strips.

use super::super::arcs::CornerArcs;
use super::super::strips::{CELLS, Strip};
use super::corners::lies_in;
use super::*;
use crate::model::moves::ArcTurning;
use crate::motion::tool_line::{ArcFromTip, Bend};

/// A move beside a corner at the world's origin: how far it gets from there at a share of its part
/// in the corner.
struct Side {
    curve: PoseCurve,
    share: f64,
    backwards: bool,
}

impl Side {
    /// A line, or an arc of any angle up to 350°, in any plane.
    fn random(random: &mut Random, backwards: bool) -> Self {
        let tip = Pose::identity();
        let along = random.direction().into_inner();
        let out = along.cross(&random.direction()).normalize();
        let radius = 0.01 + 0.2 * random.unit();
        let angle = 0.1 + 6.0 * random.unit();
        let on_circle = |angle: f64| Pose {
            translation: (along * angle.sin() + out * (1.0 - angle.cos())) * radius,
            ..tip
        };
        let (via, far) = (on_circle(0.4 * angle), on_circle(angle));
        let [from, to] = if backwards { [far, tip] } else { [tip, far] };
        let curve = if random.unit() < 0.2 {
            PoseCurve::line(&from, &to)
        } else {
            PoseCurve::arc(&from, &via.translation, &to)
        };
        Side {
            curve: curve.unwrap(),
            // All of it only within a ball that is as large.
            share: [0.5, 0.5 * random.unit(), random.unit()][(3.0 * random.unit()) as usize],
            backwards,
        }
    }

    fn away(&self, share: f64) -> Vector3<f64> {
        let at = |share: f64| {
            let share = if self.backwards { 1.0 - share } else { share };
            self.curve.at(share).translation
        };
        at(self.share * share) - at(0.0)
    }

    /// μ d(a / μ): with μ = 1 the arc, with μ = a its chord.
    fn weighted(&self, a: f64, random: &mut Random) -> Vector3<f64> {
        let mu = match (3.0 * random.unit()) as usize {
            0 => 1.0,
            1 => a.max(1e-9),
            _ => (a + (1.0 - a) * random.unit()).max(1e-9),
        };
        self.away((a / mu).min(1.0)) * mu
    }

    fn arc(&self) -> Option<ArcFromTip> {
        self.curve.arc_from_tip(self.share, self.backwards)
    }
}

/// A point of the corner at the shares λ(1 − t) and λ t, and how far it is beside the layers of a
/// strip, as a share of the bound.
fn share_of_bound(
    sides: &[Side; 2],
    strip: Strip,
    least_layers: usize,
    random: &mut Random,
) -> f64 {
    let Some(arcs) = CornerArcs::of([sides[0].arc(), sides[1].arc()]) else {
        return 0.0;
    };
    let reach = sides.each_ref().map(|side| side.away(1.0));
    let wide = strip.half * reach[0].norm().max(reach[1].norm()).max(arcs.length());
    let layers = arcs.layers(strip, wide / least_layers as f64);
    let lambda = (strip.middle + strip.half * (2.0 * random.unit() - 1.0)).clamp(0.0, 1.0);
    let t = random.unit();
    let shares = [lambda * (1.0 - t), lambda * t];
    let [v, w] = [0, 1].map(|k| sides[k].weighted(shares[k], random));
    let point = v + w;
    let mut nearest = f64::INFINITY;
    for layer in layers {
        for part in arcs.parts(layer, strip) {
            let [s0, s1] = part.span;
            if !(s0..=s1).contains(&t) {
                continue;
            }
            let flat = |s: f64| Pose {
                translation: (reach[0] * (1.0 - s) + reach[1] * s) * strip.middle,
                ..Pose::identity()
            };
            let curve = PoseCurve::bent_line(&flat(s0), &flat(s1), part.bends).unwrap();
            let nominal = curve.at((t - s0) / (s1 - s0)).translation;
            let bound = part.beside + wide + 1e-12;
            nearest = nearest.min((point - nominal).norm() / bound);
        }
    }
    nearest
}

/// Triangles, sums, and mixtures of points of both moves, of arcs of all sizes: none is farther
/// from all layers than the bound, and some are nearly as far. Catches half of the bound, a bend to
/// the other side, or none, a layer or a part left out.
#[test]
fn points_beside_arcs_are_near_the_bent_lines() {
    let mut random = Random(21);
    for least_layers in [1, 8] {
        let mut most = 0.0_f64;
        for n in 0..20_000 {
            let sides = [true, false].map(|backwards| Side::random(&mut random, backwards));
            // Narrow ones, so that the arcs count.
            let half = [0.1, 0.01, 0.001][n % 3];
            let strip = Strip {
                middle: half + (1.0 - 2.0 * half) * random.unit().sqrt(),
                half,
                cells: CELLS,
                moved: &[],
            };
            let share = share_of_bound(&sides, strip, least_layers, &mut random);
            assert!(share <= 1.0, "{share}: {n}");
            most = most.max(share);
        }
        assert!(most > 0.9, "{most}");
    }
}

/// The values and slopes of a bent line, against the arcs and against steps.
#[test]
fn a_bent_line_goes_as_the_arcs_leave_their_chords() {
    let mut random = Random(22);
    for _ in 0..300 {
        let backwards = random.unit() < 0.5;
        let side = Side::random(&mut random, backwards);
        let Some(arc) = side.arc() else { continue };
        let span = [random.unit(), random.unit()];
        let bends = [
            Bend::new(arc, 0.5, span),
            Bend::new(ArcFromTip::none(), 0.5, span),
        ];
        let (from, to) = (
            Pose::identity(),
            shifted(&Pose::identity(), [0.1, 0.0, 0.2]),
        );
        let curve = PoseCurve::bent_line(&from, &to, bends).unwrap();
        let s = random.unit();
        let share = span[0] + (span[1] - span[0]) * s;
        let beside = side.away(share) - side.away(1.0) * share;
        let flat = to.translation * s;
        assert!((curve.at(s).translation - flat - beside * 0.5).norm() < 1e-12);
        let step = 1e-5;
        let [before, after] = [s - step, s + step].map(|s| curve.at(s).translation);
        let slope = (after - before) / (2.0 * step);
        assert!((curve.twist(s).0 - slope).norm() < 1e-6);
        let bend = (after + before - curve.at(s).translation * 2.0) / (step * step);
        assert!(bend.norm() <= curve.derivative(2) + 1e-4);
        assert!(slope.norm() <= curve.length() + 1e-6);
    }
}

/// Sums of two arcs, their mixtures and what lies between, in joint values: all within the strips.
#[test]
fn what_arcs_do_in_a_corner_lies_in_its_strips() {
    let cell = ur();
    let arm = arm(&cell);
    let a = here(&cell);
    let mut random = Random(23);
    for (bow, other, zone) in [
        ([0.0, 0.05, -0.02], [0.03, 0.05, 0.0], Zone::Unknown),
        ([0.04, 0.05, 0.0], [-0.04, 0.05, 0.0], Zone::Ball(0.06)),
        ([0.0, 0.04, 0.03], [0.0, 0.04, 0.03], Zone::Unknown),
    ] {
        let (b, c) = (shifted(&a, [0.0, 0.1, 0.0]), shifted(&a, [0.0, 0.2, 0.0]));
        let vias = [shifted(&a, bow), shifted(&b, other)];
        let arc = |k: usize, to: &Pose, zone| {
            let kind = MoveKind::Circular {
                via: at(&vias[k], Branch::Continued),
                turning: ArcTurning::Still,
            };
            step(kind, at(to, Branch::Continued), zone, "arc")
        };
        let moves = program(vec![arc(0, &b, zone), arc(1, &c, Zone::Stop)]);
        let moves = CellMoves::new(&moves, &cell, 0.0).unwrap();
        let corner = &moves.corners[0];
        let strips = corner.strips(32, &[]).unwrap();
        let arcs = [
            PoseCurve::arc(&a, &vias[0].translation, &b).unwrap(),
            PoseCurve::arc(&b, &vias[1].translation, &c).unwrap(),
        ];
        let sides = [0, 1].map(|k| Side {
            curve: arcs[k],
            share: corner.shares[k],
            backwards: k == 0,
        });
        let tip = Vector6::from_iterator(moves.ends[1].q.iter().copied());
        for n in 0..60 {
            // The sums farthest out among them.
            let lambda = if n % 2 == 0 { 1.0 } else { random.unit() };
            let t = random.unit();
            let shares = [lambda * (1.0 - t), lambda * t];
            let [v, w] = [0, 1].map(|k| sides[k].weighted(shares[k], &mut random));
            let pose = Pose {
                translation: b.translation + v + w,
                ..b
            };
            let q = reach(&arm, &pose, &tip, 30).unwrap();
            assert!(lies_in(&strips, q.as_slice()), "{lambda} {t}");
        }
    }
}
