//! Two slides that cross: small scenes in which one delay decides.

use clearance::findings::Verdict;

use super::{Lab, named};

/// Blocks on slides along x and y, as `left` and `right`, edges of 0.1 and 0.4 m.
fn slides(lab: &Lab) -> String {
    for (name, edge) in [("small", 0.1), ("large", 0.4)] {
        lab.write(
            &format!("{name}.urdf"),
            &format!(
                r#"<robot name="slide"><link name="rail"/>
  <link name="block"><collision><geometry><box size="{edge} {edge} {edge}"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="block"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint></robot>"#
            ),
        );
    }
    "[[robot]]\nname = \"left\"\nurdf = \"small.urdf\"\n\
     [[robot]]\nname = \"right\"\nurdf = \"large.urdf\"\nbase = { rpy = [0, 0, \"90deg\"] }\n"
        .to_owned()
}

/// Nothing gets near it.
const FAR_POST: &str = "[[obstacle]]\nname = \"far\"\nsphere = 0.05\npose = { xyz = [0, 0, 3] }\n";

/// The left block goes through the crossing and comes back; the right one arrives in between and
/// stays. Without delay they meet when the left one is back; started 0.2 s late it is still there
/// when the right one arrives.
#[test]
fn a_contact_without_delay_does_not_hide_an_earlier_one_at_some_delay() {
    let lab = Lab::new();
    let cell = slides(&lab);
    let left = lab.write("l.csv", "time,slide\n0,-1\n2,1\n4,-1\n");
    let right = lab.write("r.csv", "time,slide\n0,-1.55\n1.3,-0.25\n1.4,0\n9,0\n");
    let programs = [named("left", &left, 0.0), named("right", &right, 0.0)];
    let plain = lab.together(&cell, &programs, None).first_contact.unwrap();
    assert!((plain.time - 2.75).abs() < 2e-3, "{plain:?}");
    let late = lab.together(&cell, &programs, Some(0.2));
    let contact = late.first_contact.unwrap();
    assert!((1.25..1.4).contains(&contact.time), "{contact:?}");
    assert!(contact.free_until <= contact.time, "{contact:?}");
    assert!(
        contact.delays[0] > 0.0 && contact.delays[1] == 0.0,
        "{contact:?}"
    );
    // How deep it gets is told of the motion with that delay.
    assert!(contact.depth.unwrap() > 0.0, "{contact:?}");
    assert!(contact.depth_time.unwrap() < 1.6, "{contact:?}");
    let short = lab.together(&cell, &programs, Some(0.01));
    let contact = short.first_contact.unwrap();
    assert!(
        (contact.time - 2.75).abs() < 2e-3 && contact.free_until > 2.7,
        "{contact:?}"
    );
}

/// A program that is late has not done yet what its events do, not even those at its start.
#[test]
fn a_late_program_waits_before_its_first_event() {
    let lab = Lab::new();
    // The pin stands where both slides cross; the event puts it onto the left block.
    let cell = slides(&lab) + "[[obstacle]]\nname = \"pin\"\nsphere = 0.05\n";
    let left = |from: f64| lab.write("l.csv", &format!("time,slide\n0,{from}\n1,3\n"));
    let right = lab.write("r.csv", "time,slide\n0,-1\n2,1\n");
    lab.write(
        "l.events.toml",
        "[[event]]\nat = 0\nattach = \"pin\"\nto = \"left/block\"\npose = { xyz = [0, 0, 2] }\n",
    );
    let ask = |from: f64, delay: f64| {
        let programs = [named("left", &left(from), 0.0), named("right", &right, 0.0)];
        lab.together(&cell, &programs, Some(delay))
    };
    // The right block is 0.2 m before its centre at 0.75 s.
    assert_eq!(ask(2.5, 0.74).verdict, Verdict::Clear);
    let hit = ask(2.5, 0.8);
    assert_eq!(hit.verdict, Verdict::Collision);
    let contact = hit.first_contact.unwrap();
    assert_eq!(
        (contact.a.as_str(), contact.b.as_str()),
        ("right/block", "pin")
    );
    assert!((contact.time - 0.75).abs() < 2e-3, "{contact:?}");
    assert!(
        (0.748..=0.8 + 1e-9).contains(&contact.delays[0]),
        "{contact:?}"
    );
    // Its own robot stands in it until then, which only a delay makes a place to be.
    let own = ask(0.05, 0.1);
    let contact = own.first_contact.unwrap();
    assert_eq!(
        (contact.a.as_str(), contact.b.as_str(), contact.time),
        ("left/block", "pin", 0.0)
    );
    let programs = [named("left", &left(0.05), 0.0), named("right", &right, 0.0)];
    assert_eq!(lab.together(&cell, &programs, None).verdict, Verdict::Clear);
}

/// The small block is inside the large one when that is no longer allowed; without delay the large
/// one has gone by then.
#[test]
fn a_body_may_be_inside_another_one_when_an_allowance_ends_late() {
    let lab = Lab::new();
    // Something is left to compare while the two are allowed to touch.
    let cell = slides(&lab) + FAR_POST;
    let left = lab.write("l.csv", "time,slide\n0,-1\n1,0\n9,0\n");
    let right = lab.write("r.csv", "time,slide\n0,0\n2,0\n3,5\n4,5\n");
    lab.write(
        "l.events.toml",
        "[[event]]\nat = 0\nallow = [\"left/block\", \"right/block\"]\nuntil = 4\n",
    );
    let programs = [named("left", &left, 0.0), named("right", &right, 0.0)];
    assert_eq!(lab.together(&cell, &programs, None).verdict, Verdict::Clear);
    assert_eq!(
        lab.together(&cell, &programs, Some(0.9)).verdict,
        Verdict::Clear
    );
    // 0.05 s after it has set off, the large one's wall reaches the small one.
    let late = lab
        .together(&cell, &programs, Some(2.5))
        .first_contact
        .unwrap();
    assert_eq!(late.kind, clearance::findings::ContactKind::Inside);
    assert_eq!((late.time, late.free_until), (4.0, 4.0));
    assert!(
        late.delays[0] == 0.0 && (late.delays[1] - 2.5).abs() < 1e-9,
        "{late:?}"
    );
}

/// The left block alone moves past a post, which the events of the right program allow for a while.
/// Whose allowance it is matters: a delay brings the block there before or after that while.
#[test]
fn a_pair_that_the_allowance_of_another_program_lets_in_depends_on_both() {
    let lab = Lab::new();
    let cell = slides(&lab) + "[[obstacle]]\nname = \"post\"\nsphere = 0.05\n";
    // The left block meets the post from 0.9 to 1.1 s on; the right one stays away.
    let left = lab.write("l.csv", "time,slide\n0,-1\n2,1\n");
    let right = lab.write("r.csv", "time,slide\n0,-4\n2,-3\n");
    lab.write(
        "r.events.toml",
        "[[event]]\nat = 0.85\nallow = [\"left/block\", \"post\"]\nuntil = 1.15\n",
    );
    let ask = |delay| {
        let programs = [named("left", &left, 0.0), named("right", &right, 0.0)];
        lab.together(&cell, &programs, delay)
    };
    assert_eq!(ask(None).verdict, Verdict::Clear);
    assert_eq!(ask(Some(0.04)).verdict, Verdict::Clear);
    let late = ask(Some(0.06));
    assert_eq!(late.verdict, Verdict::Collision);
    let contact = late.first_contact.unwrap();
    assert_eq!(
        (contact.a.as_str(), contact.b.as_str()),
        ("left/block", "post")
    );
}

/// Each program leaves some pair to compare at all times; a delay brings together two intervals
/// that leave none.
#[test]
fn a_delay_that_leaves_no_pair_to_compare_is_never_clear() {
    let lab = Lab::new();
    let cell = slides(&lab) + FAR_POST;
    let left = lab.write("l.csv", "time,slide\n0,-4\n9,-3\n");
    let right = lab.write("r.csv", "time,slide\n0,-4\n9,-3\n");
    let allowed = |file: &str, at: f64, a: &str, b: &str, until: f64| {
        let event =
            format!("[[event]]\nat = {at:?}\nallow = [\"{a}\", \"{b}\"]\nuntil = {until:?}\n");
        lab.write(file, &event);
    };
    allowed("l.events.toml", 1.0, "left/block", "*", 2.0);
    allowed("r.events.toml", 5.0, "right/block", "far", 6.0);
    let programs = [named("left", &left, 0.0), named("right", &right, 0.0)];
    for (delay, verdict) in [
        (None, Verdict::Clear),
        (Some(2.9), Verdict::Clear),
        (Some(3.1), Verdict::Unverified),
    ] {
        let outcome = lab.together(&cell, &programs, delay);
        assert_eq!(outcome.verdict, verdict, "{delay:?}: {outcome:?}");
        let codes = outcome.notices.iter().map(|n| n.code.as_str());
        let expected = (verdict == Verdict::Unverified).then_some("nothing-checked");
        assert!(codes.eq(expected), "{outcome:?}");
        if let Some(notice) = outcome.notices.first() {
            for said in ["between 1.000 s and 2.000 s", "between 5.000 s and 6.000 s"] {
                assert!(notice.subject.contains(said), "{notice:?}");
            }
            for said in ["l.events.toml:1", "r.events.toml:1"] {
                assert!(notice.message.contains(said), "{notice:?}");
            }
        }
    }
}
