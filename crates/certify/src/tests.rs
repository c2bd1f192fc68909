//! Random scenes: what is clear has a valid certificate, what is not has none, and nothing that was
//! tampered with passes for true.

use clearance_proof::check::Checker;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::model::{Body, Cell, Form, Joint, Segment, Trajectory};
use clearance_proof::report::{Contact, ContactKind, Verdict};
use clearance_recheck::files::{Certificate, Geometry};
use clearance_recheck::walk::check;
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::{CertifyError, ReportedContact, certificate, geometry};

mod errors;
mod events;
mod handed_over;
mod inside;
mod mutants;
mod oracle;

use oracle::least_slack;

/// Numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 11) as usize % n
    }

    fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    fn pose(&mut self, size: f64) -> Isometry3<f64> {
        let turn = UnitQuaternion::from_scaled_axis(self.vector(2.0));
        Isometry3::from_parts(Translation3::from(self.vector(size)), turn)
    }

    fn form(&mut self) -> Form {
        match self.below(5) {
            0 => Form::Sphere {
                radius: self.between(0.02, 0.15),
            },
            1 => Form::Capsule {
                radius: self.between(0.02, 0.08),
                length: self.between(0.1, 0.4),
            },
            2 => Form::Cylinder {
                radius: self.between(0.02, 0.1),
                length: self.between(0.05, 0.4),
            },
            _ => Form::Box {
                size: self.vector(0.2).abs() + Vector3::repeat(0.01),
            },
        }
    }
}

struct Scene {
    cell: Cell,
    trajectory: Trajectory,
    clearance: f64,
}

/// An arm of two to four joints, some of which slide, a branch, and things around it; or two arms.
fn scene(random: &mut Random) -> Scene {
    let mut cell = Cell::with_one_robot();
    let mut parent = None;
    let mut links = Vec::new();
    for k in 0..2 + random.below(3) {
        let axis = Unit::new_normalize(random.vector(1.0) + Vector3::z() * 0.1);
        let from = match k {
            0 => Isometry3::translation(0.0, 0.0, 0.2),
            _ => random.pose(0.3),
        };
        let name = format!("j{k}");
        let joint = match random.below(5) {
            0 => Joint::prismatic(&name, parent, from, axis),
            _ => Joint::revolute(&name, parent, from, axis),
        };
        let id = cell.add_joint(joint);
        let carrier = links.last().copied();
        let form = random.form();
        let at = random.pose(0.15);
        links.push(cell.add_body(Body::link(&format!("link {k}"), form, id, at, carrier)));
        parent = match random.below(6) {
            0 => None,
            1 if id > 0 => Some(id - 1),
            _ => Some(id),
        };
    }
    for k in 0..1 + random.below(4) {
        let mut at = random.pose(0.2);
        at.translation.vector += random.vector(1.0).normalize() * random.between(0.4, 1.2);
        let form = random.form();
        cell.add_body(Body::obstacle(&format!("thing {k}"), form, at));
    }
    let joints = cell.joints.len();
    let degree = [1, 3, 5][random.below(3)];
    let mut at: Vec<f64> = (0..joints).map(|_| random.between(-1.0, 1.0)).collect();
    let mut segments = Vec::new();
    for k in 0..1 + random.below(7) {
        let polynomials = (0..joints).map(|j| {
            let mut c = [at[j], 0.0, 0.0, 0.0, 0.0, 0.0];
            let moves = random.below(6) > 0;
            for c in c[1..=degree].iter_mut().filter(|_| moves) {
                *c = random.between(-0.7, 0.7);
            }
            at[j] = c.iter().sum();
            c
        });
        segments.push(Segment::new(k as f64, (k + 1) as f64, polynomials));
    }
    let line = Trajectory::linear(&cell, &[(0.0, vec![0.0; joints])]).unwrap();
    Scene {
        cell,
        trajectory: Trajectory { segments, ..line },
        clearance: [0.0, 0.001, 0.02][random.below(3)],
    }
}

fn whole(made: &[u8], file: &Geometry) -> Certificate {
    Certificate::read(made, |_| Ok(file.kinds())).unwrap()
}

/// The checker's answer.
fn valid(file: &Geometry, certificate: &Certificate) -> Result<(), clearance_recheck::Invalid> {
    check(file, certificate, &mut |_, _| ()).map(|_| ())
}

/// An edge that turns past a ball, nearer than the maker's reserve is long. Catches a length of the
/// checker that grows with the radius: certificates were made and were not valid.
#[test]
fn certificates_of_tight_passes_of_large_balls_are_valid() {
    let mut made = 0;
    for (radius, threshold) in [
        (0.05, 0.0),
        (0.4, 0.0),
        (0.05, 0.7),
        (3.0, 0.0),
        (30.0, 0.2),
    ] {
        for step in 0..30 {
            let gap = 3e-9 * 1.25_f64.powi(step);
            let mut cell = Cell::with_one_robot();
            let turn = Joint::revolute("turn", None, Isometry3::identity(), Vector3::z_axis());
            let turn = cell.add_joint(turn);
            let size = Vector3::new(0.2, 0.1, 0.1);
            let at = Isometry3::translation(0.5, 0.0, 0.0);
            cell.add_body(Body::link("link", Form::Box { size }, turn, at, None));
            // Where the far edges of the box go.
            let reach = 0.6_f64.hypot(0.05);
            let beyond = Isometry3::translation(reach + radius + threshold + gap, 0.0, 0.0);
            cell.add_body(Body::obstacle("tank", Form::Sphere { radius }, beyond));
            let trajectory =
                Trajectory::linear(&cell, &[(0.0, vec![-0.5]), (1.0, vec![0.7])]).unwrap();
            let checker = Checker::new(cell);
            let options = CheckOptions {
                resolution: 1e-6,
                ..CheckOptions::default()
            };
            let result = checker.check(&trajectory, threshold, &options).unwrap();
            if result.verdict != Verdict::Clear {
                continue;
            }
            let file =
                geometry(checker.cell(), checker.trees(), checker.pairs(), threshold).unwrap();
            let Ok(certificate) = certificate(&file, "geometry", &trajectory, None, &[]) else {
                continue;
            };
            let file = Geometry::read(&file).unwrap();
            valid(&file, &whole(&certificate.bytes, &file))
                .unwrap_or_else(|e| panic!("{radius}, {threshold}, {gap}: {e}"));
            made += 1;
        }
    }
    assert!(made > 100, "{made}");
}

fn scenes() -> usize {
    let asked = std::env::var("CLEARANCE_SCENES").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// A scene's first contact, as a check reports it.
fn reported(cell: &Cell, contact: &Contact) -> ReportedContact {
    let body = |name: &String| cell.bodies.iter().position(|b| b.name == *name).unwrap();
    ReportedContact {
        free_until: contact.free_until,
        time: contact.time,
        bodies: [body(&contact.a), body(&contact.b)],
    }
}

/// Catches a bound of the checker that is too large to be of use, and one of the engine or of both
/// that is too small.
#[test]
#[allow(clippy::print_stdout)] // Figures for docs/certificates.md.
fn what_is_clear_or_a_contact_has_a_valid_certificate_and_nothing_else_has() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut clear, mut contacts, mut inside) = (0, 0, 0);
    for number in 0..scenes() {
        let Scene {
            cell,
            trajectory,
            clearance,
        } = scene(&mut random);
        let checker = Checker::new(cell);
        if checker.pairs().checked.is_empty() {
            continue;
        }
        let result = checker
            .check(&trajectory, clearance, &CheckOptions::default())
            .unwrap();
        let bytes = geometry(checker.cell(), checker.trees(), checker.pairs(), clearance).unwrap();
        let made = |contact: Option<ReportedContact>| {
            certificate(&bytes, "geometry", &trajectory, contact.as_ref(), &[])
        };
        let is_valid = |made: &[u8]| {
            let file = Geometry::read(&bytes).unwrap();
            let certificate = whole(made, &file);
            valid(&file, &certificate).unwrap_or_else(|e| panic!("scene {number}: {e}"));
            let slack = least_slack(&file, &certificate, 8);
            assert!(slack > -1e-9, "scene {number}: {slack}");
        };
        match (result.verdict, &result.first_contact) {
            (Verdict::Clear, _) => {
                clear += 1;
                is_valid(
                    &made(None)
                        .unwrap_or_else(|e| panic!("scene {number}: {e}"))
                        .bytes,
                );
            }
            // Surfaces do not show that a body is inside another one.
            (Verdict::Collision, Some(contact)) if contact.kind == ContactKind::Inside => {
                inside += 1;
            }
            (Verdict::Collision, Some(contact)) => {
                contacts += 1;
                let whole = made(None);
                assert!(
                    matches!(
                        whole,
                        Err(CertifyError::Contradiction(_) | CertifyError::NotFound(_))
                    ),
                    "scene {number}: {whole:?}"
                );
                let met = reported(checker.cell(), contact);
                let made_of = made(Some(met)).unwrap_or_else(|e| panic!("scene {number}: {e}"));
                is_valid(&made_of.bytes);
                // It is free until the contact, and no longer.
                let later =
                    met.time + (trajectory.segments[contact.segment].end - met.time).min(0.1);
                let longer = ReportedContact {
                    free_until: later,
                    time: later,
                    ..met
                };
                let within = result
                    .first_contact
                    .as_ref()
                    .is_some_and(|c| c.distance < clearance - 1e-6);
                if later > met.time + 1e-6 && (within || met.free_until < met.time) {
                    assert!(
                        made(Some(longer)).is_err(),
                        "scene {number}: free after a contact"
                    );
                }
            }
            (verdict, contact) => assert_ne!(verdict, Verdict::Collision, "{contact:?}"),
        }
    }
    println!(
        "{} scenes: {clear} clear, {contacts} contacts, {inside} inside",
        scenes()
    );
    assert!(
        clear * 10 > scenes() && contacts * 10 > scenes(),
        "{clear} clear, {contacts} contacts"
    );
}

/// A box that creeps towards another one, ever slower, until they are `deep` nearer than 1 mm at
/// the end: until when the certificate of what is said of it is free, and how many notes say that
/// this is earlier.
fn creeping(
    deep: f64,
    said: impl Fn(f64) -> ReportedContact,
) -> Result<(f64, usize), CertifyError> {
    let mut cell = Cell::with_one_robot();
    let still = Isometry3::identity();
    let id = cell.add_joint(Joint::prismatic("slide", None, still, Vector3::x_axis()));
    let form = || Form::Box {
        size: Vector3::repeat(0.1),
    };
    cell.add_body(Body::link("link", form(), id, still, None));
    let at = Isometry3::translation(0.1 + 0.001 + 0.1 - deep, 0.0, 0.0);
    cell.add_body(Body::obstacle("thing", form(), at));
    let line = Trajectory::linear(&cell, &[(0.0, vec![0.0])]).unwrap();
    let segments = vec![Segment::new(0.0, 1.0, [[0.0, 0.2, -0.1, 0.0, 0.0, 0.0]])];
    let trajectory = Trajectory { segments, ..line };
    let checker = Checker::new(cell);
    let bytes = geometry(checker.cell(), checker.trees(), checker.pairs(), 0.001).unwrap();
    // The gap is 1 mm and 0.1 m·(1 − t)², less what it is deep.
    let touches = 1.0 - (deep / 0.1).sqrt();
    let made = certificate(&bytes, "geometry", &trajectory, Some(&said(touches)), &[])?;
    let file = Geometry::read(&bytes).unwrap();
    let certificate = whole(&made.bytes, &file);
    valid(&file, &certificate).unwrap_or_else(|e| panic!("{e}"));
    assert!(least_slack(&file, &certificate, 64) > -1e-9);
    let free = certificate.contact.as_ref().unwrap().free_until as f64 / (1u64 << 40) as f64;
    let notes = certificate
        .notes
        .iter()
        .filter(|note| note.contains("nanometre"));
    Ok((free, notes.count()))
}

/// Where a pair is within a nanometre of its distance before it is within it, the certificate ends
/// that much earlier and says so. Catches a proof of less than the report that nobody hears of, and
/// one that hides a report that is wrong.
#[test]
fn a_pair_that_creeps_is_free_until_a_nanometre_is_left() {
    let touches = 1.0 - (1e-6f64 / 0.1).sqrt();
    let creeps = |before: f64| {
        creeping(1e-6, |touches| ReportedContact {
            free_until: touches - before,
            time: 1.0,
            bodies: [0, 1],
        })
    };
    // 6 pm are left ten nanoseconds before.
    let (free, notes) = creeps(1e-8).unwrap();
    assert!(free > touches - 1e-5 && free < touches - 1e-7, "{free}");
    assert_eq!(notes, 1);
    // Long before, nothing is lost, and nothing is said.
    let (free, notes) = creeps(1e-4).unwrap();
    assert!((free - touches + 1e-4).abs() < 1e-11, "{free}");
    assert_eq!(notes, 0);
    // A report that says free where they are within their distance is not put right in silence.
    for later in [1e-5, 1e-4, 3e-3] {
        let wrong = creeps(-later);
        assert!(
            matches!(wrong, Err(CertifyError::Contradiction(_))),
            "{later}: {wrong:?}"
        );
    }
}
