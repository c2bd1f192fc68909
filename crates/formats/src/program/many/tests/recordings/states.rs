//! Joint states as recordings have them.

use super::*;

#[test]
fn recorded_states_are_one_program_by_their_stamps() {
    let stamps = [1000.0, 1000.25, 1000.75];
    let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, states(&stamps))], None));
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert!(program.timed);
    let expected = vec![
        (0.0, vec![0.0, 0.5], 1),
        (0.25, vec![1.0, 0.5], 2),
        (0.75, vec![2.0, 0.5], 3),
    ];
    assert_eq!(taught(&program), expected);
    let said = file.one(Some("/joint_states@1"), &layout()).unwrap_err();
    assert!(said.contains("are the waypoints of one program"), "{said}");
    // A state that is recorded twice is one waypoint.
    let mut again = states(&stamps);
    again.insert(1, again[0].clone());
    let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, again)], None));
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert_eq!(program.waypoints.len(), 3);
}

#[test]
fn states_that_jump_or_change_are_refused_by_their_number() {
    let other = Message::cdr(false).state(3.0, &["slide", "other"], &[0.0, 0.0]);
    let short = Message::cdr(false).state(3.0, &JOINTS, &[0.0]);
    let odd = Message::cdr(false).state(3.0, &JOINTS, &[0.0, f64::NAN]);
    let mut cut = states(&[3.0]).remove(0);
    cut.truncate(40);
    for (last, said) in [
        (
            states(&[1.5]).remove(0),
            "`header.stamp` of message 3 is 0.5 s before",
        ),
        (other, "message 3 has other joints than the first one"),
        (short, "a joint state has 2 names and 1 positions"),
        (odd, "the position of `slide` is NaN"),
        (cut, "message 3 of `/joint_states` is damaged: `name`"),
    ] {
        let mut messages = states(&[1.0, 2.0]);
        messages.push(last);
        let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, messages)], None));
        let why = file.one(Some("/joint_states"), &layout()).unwrap_err();
        assert!(
            why.contains(said) && why.contains("#/joint_states:3:"),
            "{why}: {said}"
        );
    }
}

/// Regression: the same joints in another order were refused as others.
#[test]
fn recorded_values_are_those_of_the_joints_by_name() {
    let state = |stamp: f64, joints: &[&str], positions: &[f64]| {
        Message::cdr(false).state(stamp, joints, positions)
    };
    let messages = vec![
        state(1.0, &["turn", "slide", "wheel"], &[0.25, 0.5, f64::NAN]),
        state(2.0, &["wheel", "slide", "turn"], &[f64::NAN, 1.5, 1.25]),
        // Says again what the one before said of all that is read.
        state(2.0, &["turn", "wheel", "slide"], &[1.25, 9.0, 1.5]),
    ];
    let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, messages)], None));
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert_eq!(
        taught(&program),
        [(0.0, vec![0.25, 0.5], 1), (1.0, vec![1.25, 1.5], 2)]
    );
    for column in &program.columns {
        assert_eq!(column.quantity, clearance_proof::model::Quantity::Measured);
    }
    // A joint that is left out may be no number as well.
    let messages = vec![state(1.0, &JOINTS, &[0.25, f64::NAN])];
    let file = TestFile::new("r.mcap", mcap_bytes(&[(STATES, messages)], None));
    let said = file.one(Some("/joint_states"), &layout()).unwrap_err();
    assert!(said.contains("the position of `slide` is NaN"), "{said}");
    let only = Layout {
        joints: Some(vec!["turn".to_owned()]),
        ..layout()
    };
    let program = file.one(Some("/joint_states"), &only).unwrap();
    assert_eq!(taught(&program), [(0.0, vec![0.25], 1)]);
}

/// A recording of states, the k-th by this publisher.
fn states_of(publishers: &[usize]) -> Vec<u8> {
    let mut writer = WriteOptions::new().create(Cursor::new(Vec::new())).unwrap();
    let (topic, kind, encoding, text, schema) = STATES;
    let schema = writer.add_schema(kind, schema, text.as_bytes()).unwrap();
    let channels = [0, 1].map(|publisher| {
        let about = BTreeMap::from([("publisher".to_owned(), format!("{publisher}"))]);
        writer.add_channel(schema, topic, encoding, &about).unwrap()
    });
    for (n, &publisher) in publishers.iter().enumerate() {
        let header = MessageHeader {
            channel_id: channels[publisher],
            sequence: n as u32,
            log_time: n as u64,
            publish_time: n as u64,
        };
        let state = Message::cdr(false).state(n as f64, &JOINTS, &[publisher as f64, 0.5]);
        writer.write_to_known_channel(&header, &state).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// Catches a path that jumps between a robot and its simulation.
#[test]
fn states_of_two_publishers_in_turns_are_no_path() {
    // The second one came after the first one had gone.
    let file = TestFile::new("r.mcap", states_of(&[0, 0, 1, 1]));
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert_eq!(program.waypoints.len(), 4);
    let file = TestFile::new("r.mcap", states_of(&[0, 1, 1, 0]));
    let said = file.one(Some("/joint_states"), &layout()).unwrap_err();
    assert!(
        said.contains("#/joint_states:4:") && said.contains("several publishers"),
        "{said}"
    );
}

/// The stamp that times are counted from is kept: another program may have been recorded with it.
#[test]
fn the_stamp_of_the_first_state_is_kept() {
    let file = TestFile::new(
        "r.mcap",
        mcap_bytes(&[(STATES, states(&[7.25, 8.0]))], None),
    );
    let program = file.one(Some("/joint_states"), &layout()).unwrap();
    assert_eq!(program.stamp_ns, Some(7_250_000_000));
}
