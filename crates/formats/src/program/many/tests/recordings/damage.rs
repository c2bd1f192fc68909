//! Recordings that are damaged, cut off or of another kind.

use super::*;

/// Of two files one behind the other only the first was read.
#[test]
fn nothing_may_stand_behind_the_end_of_a_recording() {
    let whole = mcap_bytes(&[(PLAN, plans(false))], None);
    for more in [&whole[..], b"\n"] {
        let file = TestFile::new("r.mcap", [&whole, more].concat());
        let named = file.path.with_file_name("r.mcap#/plan");
        let listed = names(&named, &layout()).unwrap_err();
        let mut said = vec![file.said(&listed)];
        let all = file.programs(Some("/plan"), &layout());
        said.extend(all.into_iter().filter_map(Result::err));
        said.extend(file.one(None, &layout()).err());
        assert_eq!(said.len(), 3, "{said:?}");
        for said in said {
            let cause = "r.mcap: the recording cannot be read: something stands behind its end; ";
            let remedy = "look whether it was cut off or joined with another";
            assert!(said.starts_with(cause) && said.contains(remedy), "{said}");
        }
    }
}

/// What rosbag2 writes beside MCAP.
#[test]
fn databases_of_recordings_are_refused_by_name() {
    let bytes = b"SQLite format 3\0\x10\0\x01\x01";
    for (name, id) in [
        ("r.db3", None),
        ("r.db3", Some("/plan")),
        ("r.mcap", Some("/plan")),
    ] {
        let file = TestFile::new(name, bytes);
        let said = file.one(id, &layout()).unwrap_err();
        for part in [
            &format!("{name}: this is an SQLite database"),
            "ros2 bag convert",
        ] {
            assert!(said.contains(part), "{said}");
        }
        let named = file.path.with_file_name("r.db3#/plan");
        assert_eq!(file_of(&named), file.path.with_file_name("r.db3"));
    }
    let said = crate::program::parse(Path::new("r"), bytes).unwrap_err();
    assert!(said.to_string().contains("ros2 bag convert"), "{said}");
}

/// Regression: they were line 0 and column 0.
#[test]
fn messages_have_no_lines_and_no_columns() {
    let bad = Message::cdr(false).header(0.0).texts(&["turn"]).put(1, 4);
    let bad = bad.reals(&[0.0]).reals(&[]).reals(&[0.0]).reals(&[]);
    let mut messages = plans(false);
    messages.push(bad.time(0.0).bytes);
    let file = TestFile::new("r.mcap", mcap_bytes(&[(PLAN, messages)], None));
    let program = file.one(Some("/plan@1"), &layout()).unwrap();
    assert!(program.columns.iter().all(|column| column.line.is_none()));
    let said = file.one(Some("/plan@3"), &layout()).unwrap_err();
    let place = "r.mcap#/plan@3:1: point 1 has accelerations but no velocities";
    assert!(said.contains(place), "{said}");
}

#[test]
fn recordings_that_were_cut_off_are_refused() {
    let points = [(0.0, [0.5, 0.0]), (1.5, [0.75, 1.0])];
    let plan = Message::ros1().trajectory(&JOINTS, &points);
    let bag = bag_bytes(&plan, "none");
    let recording = mcap_bytes(&[(PLAN, plans(false))], Some(Compression::Zstd));
    for (name, bytes) in [("r.bag", &bag), ("r.mcap", &recording)] {
        for end in 0..bytes.len() - 1 {
            let file = TestFile::new(name, &bytes[..end]);
            let found = file.one(Some("/plan@1"), &layout());
            // The records behind the chunks of a bag may go: what it has is counted.
            let behind = name == "r.bag" && end > bytes.len() - 1000;
            assert!(found.is_err() || behind, "{name} up to {end}");
        }
    }
}

#[test]
fn damaged_recordings_never_panic() {
    let points = [(0.0, [0.5, 0.0]), (1.5, [0.75, 1.0])];
    let plan = Message::ros1().trajectory(&JOINTS, &points);
    for compression in ["none", "lz4", "bz2"] {
        survive("r.bag", &bag_bytes(&plan, compression), Some("/plan"), 300);
    }
    for compression in [None, Some(Compression::Lz4), Some(Compression::Zstd)] {
        let bytes = mcap_bytes(&[(PLAN, plans(false))], compression);
        survive("r.mcap", &bytes, Some("/plan"), 200);
        let bytes = mcap_bytes(&[(STATES, states(&[1.0, 2.0, 3.0]))], compression);
        survive("r.mcap", &bytes, Some("/joint_states"), 200);
    }
}

/// Catches a message that was changed on the disk, outside of any chunk.
#[test]
fn the_sum_of_all_records_is_checked() {
    let options = WriteOptions::new().use_chunks(false);
    let mut writer = options.create(Cursor::new(Vec::new())).unwrap();
    let (topic, kind, encoding, text, schema) = PLAN;
    let schema = writer.add_schema(kind, schema, text.as_bytes()).unwrap();
    let channel_id = writer
        .add_channel(schema, topic, encoding, &BTreeMap::new())
        .unwrap();
    let header = MessageHeader {
        channel_id,
        sequence: 0,
        log_time: 0,
        publish_time: 0,
    };
    writer
        .write_to_known_channel(&header, &plans(false)[1])
        .unwrap();
    writer.finish().unwrap();
    let mut bytes = writer.into_inner().into_inner();
    let read = |bytes: &[u8]| TestFile::new("r.mcap", bytes).one(Some("/plan@1"), &layout());
    assert!(read(&bytes).is_ok());
    let half = 0.5f64.to_le_bytes();
    let at = bytes.windows(8).position(|eight| eight == half).unwrap();
    bytes[at + 6] ^= 1;
    let said = read(&bytes).unwrap_err();
    assert!(said.contains("cannot be read"), "{said}");
}

/// Catches messages that are passed over, because nobody looks into a chunk within a chunk.
#[test]
fn a_chunk_in_a_chunk_is_refused() {
    let record = |op: u8, data: &[u8]| {
        let mut bytes = vec![op];
        bytes.extend((data.len() as u64).to_le_bytes());
        bytes.extend(data);
        bytes
    };
    let chunk = |inside: &[u8]| {
        let mut data = vec![0; 16];
        data.extend((inside.len() as u64).to_le_bytes());
        // No sum, no compression.
        data.extend([0; 8]);
        data.extend((inside.len() as u64).to_le_bytes());
        data.extend(inside);
        record(6, &data)
    };
    let whole = mcap_bytes(&[(PLAN, plans(false))], None);
    let magic = &whole[..8];
    let recording = |content: &[u8]| {
        let head = record(1, &[0; 8]);
        let tail = [record(15, &[0; 4]), record(2, &[0; 20])].concat();
        [magic, &head, content, &tail, magic].concat()
    };
    let said = |content: &[u8]| {
        let file = TestFile::new("r.mcap", recording(content));
        file.one(Some("/plan@1"), &layout()).unwrap_err()
    };
    assert!(said(&chunk(&[])).contains("no topic `/plan`"));
    let nested = said(&chunk(&chunk(&[])));
    assert!(nested.contains("a chunk stands in a chunk"), "{nested}");
}
