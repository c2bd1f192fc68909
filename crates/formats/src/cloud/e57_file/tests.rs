//! Files that the crate would read in another way than they are meant.

use super::*;

const PAGE: usize = 1024;

/// CRC-32C, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0x82F6_3B78 } else { 0 };
        }
    }
    !crc
}

/// A file of one scan: the elements of its prototype, packets of bytes for each of them, and what it
/// counts.
fn file(prototype: &str, packets: &[&[Vec<u8>]], count: usize) -> Vec<u8> {
    let mut body = Vec::new();
    for streams in packets {
        let mut data: Vec<u8> = Vec::new();
        for stream in *streams {
            data.extend((stream.len() as u16).to_le_bytes());
        }
        data.extend(streams.concat());
        let length = (6 + data.len()).next_multiple_of(4);
        data.resize(length - 6, 0);
        body.extend([1, 0]);
        body.extend((length as u16 - 1).to_le_bytes());
        body.extend((streams.len() as u16).to_le_bytes());
        body.extend(data);
    }
    let mut inner = vec![0; 48];
    inner.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    for number in [32 + body.len(), 48 + 32, 0] {
        inner.extend((number as u64).to_le_bytes());
    }
    inner.extend(body);
    let xml = format!(
        "<e57Root type='Structure' xmlns='http://www.astm.org/COMMIT/E57/2010-e57-v1.0' xmlns:ext='http://x'>\
         <formatName type='String'>ASTM E57 3D Imaging Data File</formatName><guid type='String'>g</guid>\
         <versionMajor type='Integer'>1</versionMajor><versionMinor type='Integer'>0</versionMinor><data3D type='Vector'>\
         <vectorChild type='Structure'><points type='CompressedVector' fileOffset='48' recordCount='{count}'><prototype \
         type='Structure'>{prototype}</prototype></points></vectorChild></data3D></e57Root>"
    );
    let start = inner.len();
    inner.extend(xml.bytes());
    inner.resize(inner.len().next_multiple_of(PAGE - 4), 0);
    let pages = inner.len() / (PAGE - 4);
    let physical = start / (PAGE - 4) * PAGE + start % (PAGE - 4);
    let mut header = b"ASTM-E57".to_vec();
    header.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    for number in [pages * PAGE, physical, xml.len(), PAGE] {
        header.extend((number as u64).to_le_bytes());
    }
    inner[..48].copy_from_slice(&header);
    let paged = inner.chunks(PAGE - 4).map(|page| {
        let end = checksum(page).to_be_bytes();
        [page, &end].concat()
    });
    paged.collect::<Vec<_>>().concat()
}

fn doubles(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

const XYZ: &str = "<cartesianX type='Float'/><cartesianY type='Float'/><cartesianZ type='Float'/>";

fn places(bytes: &[u8]) -> Result<Vec<[f64; 3]>, String> {
    let read = read(bytes).map_err(|problem| problem.to_string())?;
    Ok(read.points.into_iter().map(Into::into).collect())
}

/// Catches values of one point that stand in several packets.
#[test]
fn a_packet_need_not_hold_a_whole_point() {
    let [x, y, z] = [[0.8, 0.9], [0.1, 0.2], [0.0, 0.5]].map(|c| doubles(&c));
    let whole = vec![[0.8, 0.1, 0.0], [0.9, 0.2, 0.5]];
    let none = Vec::new;
    for packets in [
        &[&[x.clone(), y.clone(), z.clone()][..]][..],
        &[
            &[x.clone(), none(), none()],
            &[none(), y.clone(), z.clone()],
        ],
    ] {
        assert_eq!(places(&file(XYZ, packets, 2)), Ok(whole.clone()));
    }
}

/// Catches points that a scan holds and does not count.
#[test]
fn points_that_a_scan_does_not_count_are_told() {
    let packet = [[0.8, 0.9], [0.1, 0.2], [0.0, 0.5]].map(|c| doubles(&c));
    for (count, said) in [(0, "hold some"), (1, "hold 2 or more")] {
        let error = places(&file(XYZ, &[&packet], count)).unwrap_err();
        assert!(error.contains(&format!("counts {count} points")), "{error}");
        assert!(error.contains(said), "{error}");
    }
    assert!(places(&file(XYZ, &[&packet], 2)).is_ok());
    assert!(places(&file(XYZ, &[&packet], 3)).is_err());
    // An empty scan is none of these.
    assert_eq!(places(&file(XYZ, &[], 0)), Ok(vec![]));
    // Whole numbers are filled up to a word.
    let whole = XYZ.replace("'Float'", "'Integer' minimum='0' maximum='255'");
    let filled = [vec![7; 8], vec![8; 8], vec![9; 8]];
    assert_eq!(
        places(&file(&whole, &[&filled], 1)),
        Ok(vec![[7.0, 8.0, 9.0]])
    );
    let many = filled.map(|bytes| bytes.repeat(3));
    assert!(places(&file(&whole, &[&many], 1)).is_err());
}

/// Catches a value of an extension that marks points as invalid, or moves them.
#[test]
fn names_of_extensions_are_not_those_of_the_standard() {
    let numbers = doubles(&[0.8]);
    let more = [numbers.clone(), numbers.clone(), numbers.clone(), numbers];
    for name in ["cartesianInvalidState", "cartesianX"] {
        let prototype = format!("<ext:{name} type='Float'/>{XYZ}");
        let error = places(&file(&prototype, &[&more], 1)).unwrap_err();
        assert!(error.contains(&format!("an element `{name}`")), "{error}");
    }
    // Other names of extensions are passed over.
    let prototype = format!("{XYZ}<ext:normalX type='Float'/>");
    assert_eq!(places(&file(&prototype, &[&more], 1)), Ok(vec![[0.8; 3]]));
}
