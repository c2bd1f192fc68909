//! Answers about allowed pairs, against closed forms, the examples, and the same cells without
//! their allowances.

use std::fmt::Write as _;

use clearance_proof::geometry::random::Random;
use tempfile::TempDir;

use crate::findings::*;
use crate::run::{CacheFolder, Job, NoProgress, run};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn one(job: &mut Job) -> ProgramOutcome {
    job.cell.cache = CacheFolder::Off;
    job.cell.threads = Some(1);
    let outcome = run(job, &NoProgress);
    assert_eq!(outcome.error, None);
    let program = outcome.programs.into_iter().next().unwrap();
    assert_eq!(program.error, None);
    program
}

fn audit_of(mut job: Job) -> (ProgramOutcome, Audit) {
    job.audit_allowed = true;
    let mut program = one(&mut job);
    let audit = program.audit.take().unwrap();
    (program, audit)
}

/// A folder with a robot: a slide along x that carries a cube of 0.1 m, a turn on it, and an arm of
/// 0.3 m on that.
struct Lab(TempDir);

const URDF: &str = r#"<robot name="r">
  <link name="base"/>
  <link name="cart"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="arm"><collision><origin xyz="0.15 0 0.1"/><geometry><box size="0.3 0.04 0.04"/></geometry></collision></link>
  <link name="hand"><collision><origin xyz="0 0 0.02"/><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
  <joint name="turn" type="continuous"><parent link="cart"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit velocity="99" effort="1"/></joint>
  <joint name="tilt" type="continuous"><parent link="arm"/><child link="hand"/><origin xyz="0.34 0 0.1"/><axis xyz="0 1 0"/>
    <limit velocity="99" effort="1"/></joint>
</robot>"#;

impl Lab {
    fn new() -> Self {
        let lab = Lab(tempfile::tempdir().unwrap());
        lab.write("r.urdf", URDF);
        lab
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn job(&self, cell: &str, table: &str) -> Job {
        self.write("cell.toml", cell);
        self.write("p.csv", table);
        let at = |name: &str| self.0.path().join(name);
        Job::new(at("cell.toml"), vec![at("p.csv")])
    }
}

fn pair<'a>(audit: &'a Audit, a: &str, b: &str) -> &'a AuditedPair {
    let mut pairs = audit.pairs().map(|(_, pair)| pair);
    let found = pairs.find(|p| (p.a.as_str(), p.b.as_str()) == (a, b));
    found.unwrap_or_else(|| panic!("no {a} – {b} in {audit:#?}"))
}

/// A cube of 0.1 m slides at 1 m/s through a solid block of 1 m, allowed: it goes in at 0.45 s and
/// out at 1.55 s, and in between it is wholly inside, which surfaces do not show.
#[test]
fn through_a_block_and_out_again() {
    let lab = Lab::new();
    let cell = "[[robot]]\nurdf = 'r.urdf'\n[[obstacle]]\nname = 'block'\nbox = [1, 1, 1]\npose = { xyz = [1, 0, 0] }\n\
        [[obstacle]]\nname = 'far'\nsphere = 0.1\npose = { xyz = [0, 0, 4] }\n\
        [[allow]]\na = 'cart'\nb = 'block'\nreason = 'a test'\n[[allow]]\na = '*'\nb = 'far'\n\
        [[allow]]\na = 'arm'\nb = 'hand'\n[[allow]]\na = 'cart'\nb = 'blok'\n[[allow]]\na = 'arm'\nb = 'block'\n[[allow]]\na = 'hand'\nb = 'block'\n";
    let (program, audit) = audit_of(lab.job(cell, "time,slide\n0,0\n2,2\n"));
    // The verdict is that of the pairs that are checked.
    assert_eq!(program.verdict, Verdict::Clear);
    let effects: Vec<_> = audit.allowances.iter().map(|x| x.effect).collect();
    use AllowanceEffect::{Hid, Idle, Nothing, Stale};
    assert_eq!(effects, [Hid, Nothing, Idle, Stale, Hid, Hid]);
    assert_eq!(audit.allowances[0].reason, "a test");
    assert_eq!(audit.allowances[1].pairs.len(), 3);
    let why = audit.allowances[2].why.as_deref().unwrap();
    assert!(why.contains("adjacent"), "{why}");
    assert_eq!(audit.allowances[3].missing, ["blok"]);
    let through = pair(&audit, "cart", "block");
    assert_eq!(through.touches, Touches::Here);
    let [contact] = &through.contacts[..] else {
        panic!("{through:?}");
    };
    assert!((contact.entered - 0.45).abs() < 2e-4, "{contact:?}");
    assert!((contact.left - 1.55).abs() < 2e-4, "{contact:?}");
    assert!(contact.entered <= 0.45 && contact.left >= 1.55);
    assert_eq!(
        (contact.kind, contact.distance),
        (ContactKind::Contact, 0.0)
    );
    // A corner in the middle lies 0.45 m below the nearest side; to be parted the two must move by
    // 0.55 m.
    let depth = contact.depth.unwrap();
    assert!(depth > 0.40 && depth <= 0.55, "{contact:?}");
    assert!((contact.time - 1.0).abs() < 0.06, "{contact:?}");
}

/// Begins inside and stays there: there is no surface contact at all.
#[test]
fn inside_from_beginning_to_end() {
    let lab = Lab::new();
    let cell = "[[robot]]\nurdf = 'r.urdf'\n[[obstacle]]\nname = 'hall'\nbox = [9, 9, 9]\n[[allow]]\na = '*'\nb = 'hall'\n";
    let (program, audit) = audit_of(lab.job(cell, "time,slide,turn\n0,0,0\n2,1,1\n"));
    assert_eq!(program.verdict, Verdict::Clear);
    for name in ["cart", "arm", "hand"] {
        let inside = pair(&audit, name, "hall");
        assert_eq!(inside.touches, Touches::Always);
        let contact = &inside.contacts[0];
        assert_eq!((contact.entered, contact.left), (0.0, 2.0));
        assert_eq!(contact.kind, ContactKind::Inside);
        assert!((3.0..4.6).contains(&contact.depth.unwrap()), "{contact:?}");
    }
    assert_eq!(audit.allowances[0].effect, AllowanceEffect::Standing);
}

/// Two balls in each other: the depth is known, and so is what a threshold does to the interval.
#[test]
fn balls_pass_each_other() {
    let lab = Lab::new();
    let cell = "[[robot]]\nurdf = 'r.urdf'\n[[obstacle]]\nname = 'ball'\nsphere = 0.05\npose = { xyz = [1.34, 0.06, 0.12] }\n\
        [[allow]]\na = 'hand'\nb = 'ball'\n[[allow]]\na = 'arm'\nb = 'ball'\n[[pair]]\na = 'hand'\nb = 'ball'\nclearance = '40mm'\n";
    let (_, audit) = audit_of(lab.job(cell, "time,slide\n0,0\n2,2\n"));
    let contact = &pair(&audit, "hand", "ball").contacts[0];
    // Centres pass 60 mm apart; radii and threshold make 140 mm.
    let half = (0.14f64.powi(2) - 0.06f64.powi(2)).sqrt();
    assert!((contact.entered - (1.0 - half)).abs() < 2e-4, "{contact:?}");
    assert!((contact.left - (1.0 + half)).abs() < 2e-4, "{contact:?}");
    // Looked at 16 times in 0.25 s: at most 8 mm from the deepest place, where the centres are
    // √(60² + 8²) mm apart.
    let depth = contact.depth.unwrap();
    assert!((0.0394..=0.04).contains(&depth), "{contact:?}");
    assert_eq!(pair(&audit, "hand", "ball").required_clearance, 0.04);
}

/// The examples: a pin in the fingers that hold it, a joint between two bodies that never meet.
#[test]
fn examples() {
    let example = |cell: &str, program: &str| {
        let at = |file: &str| format!("{ROOT}/{file}");
        Job::new(at(cell), vec![at(program).into()])
    };
    let (_, arm) = audit_of(example(
        "robots/arm6/cell.toml",
        "trajectories/arm6/pick_place.csv",
    ));
    assert_eq!(pair(&arm, "arm/link_5", "gripper").touches, Touches::Never);
    assert_eq!(arm.count(AllowanceEffect::Nothing), arm.allowances.len());
    let (_, scara) = audit_of(example(
        "robots/scara/cell.toml",
        "trajectories/scara/insert_pin.csv",
    ));
    assert_eq!(pair(&scara, "finger_left", "pin").touches, Touches::Fixed);
    let (program, events) = audit_of(example(
        "robots/scara/pick.toml",
        "trajectories/scara_events/take_and_insert.csv",
    ));
    assert_eq!(program.verdict, Verdict::Clear);
    let opening = events
        .allowances
        .iter()
        .find(|x| x.reason == "the fingers open")
        .unwrap();
    assert_eq!(opening.by, AllowanceSource::Event);
    assert_eq!(opening.effect, AllowanceEffect::Hid);
    for pair in &opening.pairs {
        let contact = &pair.contacts[0];
        // Allowed from 2.8 s on; the fingers open by 8 mm in 0.15 s, until they are 0.2 mm away.
        assert_eq!(contact.entered, 2.8);
        assert!(
            (contact.left - 2.8 - 0.15 * 0.2 / 8.0).abs() < 5e-4,
            "{contact:?}"
        );
    }
}

/// Random cells and motions: what the audit says of an allowed pair is what `--all` says once the
/// allowance is gone.
#[test]
fn agrees_with_the_check_without_the_allowances() {
    let lab = Lab::new();
    let (mut intervals, mut always) = (0, 0);
    for seed in 0..24 {
        let mut random = Random(seed);
        let mut cell =
            "[[robot]]\nurdf = 'r.urdf'\n[check]\nclearance = '3mm'\nresolution = '0.2mm'\n"
                .to_owned();
        for k in 0..4 {
            let place = random.vector() * 0.4;
            let size = 0.02 + 0.15 * random.unit();
            let form = match random.below(3) {
                0 => format!("sphere = {size}"),
                1 => format!("capsule = {{ radius = {}, length = {size} }}", 0.4 * size),
                _ => format!("box = [{size}, {}, {size}]", 1.5 * size),
            };
            let [x, y] = [place.x, place.y];
            write!(cell, "[[obstacle]]\nname = 'o{k}'\n{form}\npose = {{ xyz = [{x}, {y}, 0.1], rpy = [0.3, {y}, {x}] }}\n").unwrap();
        }
        // A pair that is not allowed: without any, nothing would be checked.
        cell += "[[obstacle]]\nname = 'pillar'\nbox = [0.1, 0.1, 0.1]\npose = { xyz = [1.5, 0, 0.1] }\n";
        let mut table = "time,slide,turn,tilt\n".to_owned();
        for k in 0..4 {
            let q = random.vector();
            writeln!(table, "{k},{},{},{}", 0.2 * q.x, 2.0 * q.y, q.z).unwrap();
        }
        let mut bare = lab.job(&cell, &table);
        bare.all = true;
        let bare = one(&mut bare);
        let allowed =
            format!("{cell}[[allow]]\na = '*'\nb = 'o*'\n[[allow]]\na = 'cart'\nb = 'hand'\n");
        let (program, audit) = audit_of(lab.job(&allowed, &table));
        assert_eq!(program.verdict, Verdict::Clear);
        for (_, pair) in audit.pairs() {
            let of_pair = |c: &&Contact| (&c.a, &c.b) == (&pair.a, &pair.b);
            let known: Vec<&Contact> = bare.contacts.iter().filter(of_pair).collect();
            always += usize::from(matches!(pair.touches, Touches::Always));
            let around = |c: &Contact| {
                let until = c.until.unwrap_or(c.free_until);
                pair.contacts
                    .iter()
                    .any(|x| x.entered <= c.free_until && until <= x.left)
            };
            assert!(known.iter().all(|c| around(c)), "{seed} {pair:?} {known:?}");
            for contact in &pair.contacts {
                intervals += 1;
                // Both ends are those of the finer search, unless one body is inside the other
                // there.
                let begins = |c: &&&Contact| (c.free_until - contact.entered).abs() < 1e-9;
                let ends = |c: &&&Contact| c.until.is_some_and(|u| (u - contact.left).abs() < 1e-9);
                let inside = known.iter().any(|c| c.kind == ContactKind::Inside);
                assert!(
                    inside || known.iter().any(|c| begins(&c)) && known.iter().any(|c| ends(&c)),
                    "{seed} {pair:?} {known:?}"
                );
                let least = known
                    .iter()
                    .map(|c| c.distance)
                    .fold(f64::INFINITY, f64::min);
                assert!(contact.distance <= least.max(3.3e-3), "{contact:?} {least}");
            }
        }
    }
    assert!(intervals > 40 && always > 1, "{intervals} {always}");
}
