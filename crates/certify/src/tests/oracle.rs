//! Judges what a certificate states, by poses and distances that share nothing with the checker:
//! forward kinematics in floating point, all triangles against all.

use super::Random;
use clearance_proof::geometry::triangle::Closest;
use clearance_recheck::files::{Certificate, FirstContact, Geometry, JointMotion};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

const METRE: f64 = (1u64 << 40) as f64;
/// 2⁻⁴⁰ of a segment.
const SEGMENT: f64 = METRE;

fn metres(p: &[i64; 3]) -> Vector3<f64> {
    Vector3::from(p.map(|x| x as f64 / METRE))
}

/// By how much a certificate's statement is wrong, at most 0: by how much a checked pair is nearer
/// than stated at one of some instants of each segment, and by how much the points of a contact are
/// too far apart.
pub(super) fn least_slack(file: &Geometry, certificate: &Certificate, instants: usize) -> f64 {
    let mut oracle = Oracle::new(file);
    let last = certificate.segments.len() as f64;
    let until = certificate
        .contact
        .as_ref()
        .map_or(last, |c| c.free_until as f64 / SEGMENT);
    for (number, _) in certificate.segments.iter().enumerate() {
        for k in 0..=instants {
            let at = number as f64 + k as f64 / instants as f64;
            if at < until || certificate.contact.is_none() {
                let share = k as f64 / instants as f64;
                let poses = poses(file, certificate, number, share);
                oracle.look(&poses, number);
            }
        }
    }
    if let Some(contact) = &certificate.contact {
        let at = |instant: u64| {
            let number = ((instant as f64 / SEGMENT) as usize).min(certificate.segments.len() - 1);
            poses(
                file,
                certificate,
                number,
                instant as f64 / SEGMENT - number as f64,
            )
        };
        // Just before it as well: there is most to be seen.
        if contact.free_until > 0 {
            let segment = (contact.free_until - 1) / SEGMENT as u64;
            oracle.look(&at(contact.free_until), segment as usize);
        }
        oracle.contact(&at(contact.time), contact);
        if contact.time < contact.free_until {
            oracle.slack = f64::NEG_INFINITY;
        }
    }
    oracle.slack
}

/// The same of all instants, with errors as large as they may be.
pub(super) fn least_slack_with_errors(
    file: &Geometry,
    certificate: &Certificate,
    instants: usize,
    random: &mut Random,
) -> f64 {
    let mut oracle = Oracle::new(file);
    for number in 0..certificate.segments.len() {
        for k in 0..=instants {
            let s = k as f64 / instants as f64;
            oracle.look(&poses_with(file, certificate, number, s, random), number);
        }
    }
    oracle.slack
}

/// Poses of all joints at a share of a segment, each off by some error that the file allows.
fn poses_with(
    file: &Geometry,
    certificate: &Certificate,
    number: usize,
    s: f64,
    random: &mut Random,
) -> Vec<Isometry3<f64>> {
    let exact = poses(file, certificate, number, s);
    let mut with_errors: Vec<Isometry3<f64>> = Vec::new();
    for (k, joint) in file.joints.iter().enumerate() {
        let before = joint.parent.map_or(Isometry3::identity(), |p| exact[p]);
        let moved = before.inverse() * exact[k];
        let mut direction = || {
            let v = random.vector(1.0);
            v / v.norm().max(1e-3)
        };
        let value = certificate.segments[number].value_errors[k] as f64 / METRE;
        let [shift, turn] = [joint.error.shift, joint.error.turn].map(|x| x as f64 / METRE);
        let axis = Vector3::from(joint.axis.map(|x| x as f64 / (1u64 << 60) as f64));
        // All of it is said in the moving frame of the joint.
        let error = match joint.kind {
            JointMotion::Turns => Isometry3::new(
                Vector3::zeros(),
                axis * (turn + value) * direction().x.signum(),
            ),
            JointMotion::Slides | JointMotion::Stands => Isometry3::new(
                direction() * shift + axis * value * direction().x.signum(),
                direction() * turn,
            ),
        };
        with_errors.push(joint.parent.map_or(moved, |p| with_errors[p] * moved) * error);
    }
    with_errors
}

/// Poses of all joints at a share of a segment.
pub(super) fn poses(
    file: &Geometry,
    certificate: &Certificate,
    number: usize,
    s: f64,
) -> Vec<Isometry3<f64>> {
    let mut poses: Vec<Isometry3<f64>> = Vec::new();
    for (joint, c) in file.joints.iter().zip(&certificate.segments[number].joints) {
        let value = c.iter().rev().fold(0.0, |v, &c| v * s + c as f64) / (1u64 << 50) as f64;
        let rows = joint
            .parent_from_joint
            .rows
            .map(|r| r.map(|x| x as f64 / (1u64 << 60) as f64));
        let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_fn(|i, k| rows[i][k]));
        let parent_from_joint = Isometry3::from_parts(
            Translation3::from(metres(&joint.parent_from_joint.translation)),
            UnitQuaternion::from_rotation_matrix(&rotation),
        );
        let axis = Vector3::from(joint.axis.map(|x| x as f64 / (1u64 << 60) as f64));
        let moved = parent_from_joint
            * match joint.kind {
                JointMotion::Turns => Isometry3::new(Vector3::zeros(), axis * value),
                JointMotion::Slides | JointMotion::Stands => {
                    Isometry3::new(axis * value, Vector3::zeros())
                }
            };
        poses.push(joint.parent.map_or(moved, |p| poses[p] * moved));
    }
    poses
}

struct Oracle<'f> {
    file: &'f Geometry,
    /// Around each body, in the frame of its joint.
    balls: Vec<(Point3<f64>, f64)>,
    /// As [`least_slack`] gives it, of what was looked at so far.
    slack: f64,
}

impl<'f> Oracle<'f> {
    fn new(file: &'f Geometry) -> Self {
        let balls = (0..file.bodies.len()).map(|body| {
            let parts = || file.parts.iter().filter(|p| p.body == body);
            let corners =
                || parts().flat_map(|p| p.corners.iter().map(move |c| (metres(c), p.radius)));
            let count = corners().count().max(1) as f64;
            let middle = corners().map(|(c, _)| c).sum::<Vector3<f64>>() / count;
            let far = corners().map(|(c, r)| (c - middle).norm() + r as f64 / METRE);
            (Point3::from(middle), far.fold(0.0, f64::max))
        });
        Oracle {
            balls: balls.collect(),
            file,
            slack: 0.0,
        }
    }

    fn pose(&self, body: usize, poses: &[Isometry3<f64>]) -> Isometry3<f64> {
        let joint = self.file.bodies[body].joint;
        joint.map_or(Isometry3::identity(), |j| poses[j])
    }

    /// Triangles of a body with their radii, in the world.
    fn triangles(&self, body: usize, poses: &[Isometry3<f64>]) -> Vec<([Point3<f64>; 3], f64)> {
        let pose = self.pose(body, poses);
        let parts = self.file.parts.iter().filter(|p| p.body == body);
        let moved = parts.flat_map(|p| {
            let corners = p.corners.iter().map(|c| pose * Point3::from(metres(c)));
            let (corners, radius) = (corners.collect::<Vec<_>>(), p.radius as f64 / METRE);
            let triangles = p.triangles.iter();
            triangles
                .map(move |t| (t.map(|k| corners[k as usize]), radius))
                .collect::<Vec<_>>()
        });
        moved.collect()
    }

    /// All pairs that are there at an instant of a segment.
    fn look(&mut self, poses: &[Isometry3<f64>], segment: usize) {
        for pair in (self.file.pairs.iter()).filter(|pair| pair.during.holds(segment)) {
            let Ok(clearance) = pair.clearance else {
                continue;
            };
            let clearance = clearance as f64 / METRE;
            // Most pairs are far apart as a whole.
            let whole = [pair.a, pair.b].map(|body| {
                let (middle, far) = self.balls[body];
                (self.pose(body, poses) * middle, far)
            });
            if (whole[0].0 - whole[1].0).norm() - whole[0].1 - whole[1].1 - clearance > self.slack {
                continue;
            }
            if self.is_inside([pair.a, pair.b], poses) || self.is_inside([pair.b, pair.a], poses) {
                self.slack = f64::NEG_INFINITY;
            }
            let b = self.triangles(pair.b, poses);
            let b: Vec<_> = b.iter().map(|(u, q)| (u, q, ball(u))).collect();
            for (t, r) in self.triangles(pair.a, poses) {
                let (c, far) = ball(&t);
                for (u, q, (d, wide)) in &b {
                    let more = r + *q + clearance;
                    // The exact distance only where it can be less.
                    if (c - d).norm() - far - wide - more < self.slack {
                        let distance = Closest::of_triangles(&t, u).distance;
                        self.slack = self.slack.min(distance - more);
                    }
                }
            }
        }
    }

    /// Whether a corner of the one body is inside what some part of the other one closes round: by
    /// the angles that its solid triangles take up, seen from there.
    fn is_inside(&self, [inner, outer]: [usize; 2], poses: &[Isometry3<f64>]) -> bool {
        let pose = self.pose(outer, poses);
        let corners = self.triangles(inner, poses);
        let mut parts = self.file.parts.iter().filter(|p| p.body == outer);
        parts.any(|part| {
            let solid = (part.triangles.iter().enumerate()).filter(|(t, _)| part.is_solid(*t));
            let solid: Vec<_> = solid
                .map(|(_, t)| t.map(|k| pose * Point3::from(metres(&part.corners[k as usize]))))
                .collect();
            let goes_round = |p: &Point3<f64>| {
                let angles = solid.iter().map(|t| {
                    let [a, b, c] = t.map(|q| q - p);
                    let [x, y, z] = [a.norm(), b.norm(), c.norm()];
                    let below = x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y;
                    2.0 * a.dot(&b.cross(&c)).atan2(below)
                });
                angles.sum::<f64>().abs() > 2.0 * std::f64::consts::PI
            };
            corners.iter().any(|(t, _)| goes_round(&t[0]))
        })
    }

    /// Points of a contact at its instant.
    fn contact(&mut self, poses: &[Isometry3<f64>], contact: &FirstContact) {
        let FirstContact { points, time, .. } = contact;
        let at = *time as f64 / SEGMENT;
        let bodies = points.map(|on| self.file.parts[on.part].body);
        let mut pairs = self.file.pairs.iter();
        let pair = pairs.find(|p| {
            let there = (p.during.from as f64..=p.during.to as f64).contains(&at);
            [p.a, p.b] == bodies && there && p.clearance.is_ok()
        });
        let Some(clearance) = pair.and_then(|p| p.clearance.as_ref().ok()) else {
            self.slack = f64::NEG_INFINITY;
            return;
        };
        let mut between = *clearance as f64 / METRE;
        let [p, q] = points.map(|on| {
            let part = &self.file.parts[on.part];
            between += part.radius as f64 / METRE;
            let [u, v] = on.weights.map(|w| w as f64 / METRE);
            let weights = [u, v, 1.0 - u - v];
            if weights.iter().any(|w| *w < 0.0) {
                self.slack = f64::NEG_INFINITY;
            }
            let corners = part.triangles[on.triangle].map(|k| metres(&part.corners[k as usize]));
            let point: Vector3<f64> = corners.iter().zip(weights).map(|(c, w)| c * w).sum();
            self.pose(part.body, poses) * Point3::from(point)
        });
        // A nanometre of its own, as it says.
        self.slack = self.slack.min(between + 1e-9 - (p - q).norm());
    }
}

/// A ball around a triangle.
fn ball(t: &[Point3<f64>; 3]) -> (Point3<f64>, f64) {
    let middle = Point3::from((t[0].coords + t[1].coords + t[2].coords) / 3.0);
    let far = t.iter().map(|p| (p - middle).norm());
    (middle, far.fold(0.0, f64::max))
}
