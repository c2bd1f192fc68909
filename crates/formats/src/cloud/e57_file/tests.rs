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
    file_with(prototype, packets, count, str::to_owned)
}

/// The same with the description changed.
fn file_with(
    prototype: &str,
    packets: &[&[Vec<u8>]],
    count: usize,
    change: impl Fn(&str) -> String,
) -> Vec<u8> {
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
    let xml = change(&xml);
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

/// A scan of one point at (0.8, 0.1, 0.2), with what `from` is in its description replaced.
fn changed(from: &str, to: &str) -> Result<Vec<[f64; 3]>, String> {
    let packet = [0.8, 0.1, 0.2].map(|x| doubles(&[x]));
    places(&file_with(XYZ, &[&packet], 1, |xml| {
        assert!(xml.contains(from), "{from}");
        xml.replacen(from, to, 1)
    }))
}

fn pose(x: &str) -> String {
    format!(
        "<pose type='Structure'><rotation type='Structure'><w type='Float'>1</w><x type='Float'>0</x><y type='Float'>0</y>\
         <z type='Float'>0</z></rotation><translation type='Structure'><x type='Float'>{x}</x><y type='Float'>0</y>\
         <z type='Float'>0</z></translation></pose>"
    )
}

/// Regression: points that a damaged pose or scale put nowhere counted as rays that came back from
/// nowhere, and a scale of 0 put all of them into one place.
#[test]
fn a_pose_or_a_scale_that_is_no_number_is_damage() {
    let before = "<points ";
    let with = |x: &str| changed(before, &format!("{}{before}", pose(x)));
    assert_eq!(with("1"), Ok(vec![[1.8, 0.1, 0.2]]));
    for x in ["nan", "inf", "1e999"] {
        let said = with(x).unwrap_err();
        assert!(said.contains("a translation that is no place"), "{said}");
    }
    let said = with("1e308").and_then(|_| with("1.7e308"));
    assert!(said.is_ok(), "what is far is refused later: {said:?}");
    let scaled = |scale: &str, offset: &str| {
        let one = format!(
            "<cartesianX type='ScaledInteger' minimum='0' maximum='255' scale='{scale}' offset='{offset}'/>"
        );
        let prototype = XYZ.replace("<cartesianX type='Float'/>", &one);
        let packet = [vec![8; 8], doubles(&[0.1]), doubles(&[0.2])];
        places(&file(&prototype, &[&packet], 1))
    };
    assert_eq!(scaled("0.5", "1"), Ok(vec![[5.0, 0.1, 0.2]]));
    for (scale, offset) in [
        ("nan", "0"),
        ("inf", "0"),
        ("0", "0"),
        ("1e400", "0"),
        ("1", "nan"),
    ] {
        let said = scaled(scale, offset).unwrap_err();
        assert!(said.contains("values with the scale"), "{said}");
    }
    let said = scaled("1e308", "0").unwrap_err();
    assert!(said.contains("makes no number of a value"), "{said}");
}

/// Regression: the first of two elements counted, and of a number the text before a comment.
#[test]
fn elements_that_can_be_read_in_two_ways_are_refused() {
    let scans = "</data3D>";
    let second = "</data3D><data3D type='Vector'></data3D>";
    let points = "</vectorChild>";
    let again = "<points type='CompressedVector' fileOffset='48' recordCount='1'><prototype type='Structure'/></points></vectorChild>";
    let column = "<cartesianX type='Float'/>";
    let before = "<points ";
    for (from, to, name) in [
        (scans, second.to_owned(), "data3D"),
        (points, again.to_owned(), "points"),
        (
            column,
            format!("{column}<cartesianX type='Float' precision='double'/>"),
            "cartesianX",
        ),
        (before, format!("{0}{0}{before}", pose("1")), "pose"),
        (
            before,
            format!("{}{before}", pose("1</x><x type='Float'>2")),
            "x",
        ),
    ] {
        let said = changed(from, &to).unwrap_err();
        assert!(said.contains(&format!("two elements `{name}`")), "{said}");
    }
    for x in ["<!-- measured -->1", "1<!-- -->2"] {
        let said = changed(before, &format!("{}{before}", pose(x))).unwrap_err();
        assert!(said.contains("a comment in an element `x`"), "{said}");
    }
    let between = changed(before, &format!("<!-- one -->{}{before}", pose("1")));
    assert_eq!(between, Ok(vec![[1.8, 0.1, 0.2]]));
}

/// Regression: Cartesian coordinates that are no numbers hid spherical ones, and such as contradict
/// them.
#[test]
fn cartesian_and_spherical_coordinates_agree() {
    let both = format!(
        "{XYZ}<sphericalRange type='Float'/><sphericalAzimuth type='Float'/><sphericalElevation type='Float'/>"
    );
    let of = |numbers: [f64; 6]| {
        let packet = numbers.map(|x| doubles(&[x]));
        places(&file(&both, &[&packet], 1))
    };
    let nan = f64::NAN;
    let half = std::f64::consts::FRAC_PI_2;
    assert_eq!(
        of([2.0, 0.0, 0.0, 2.0, 0.0, 0.0]),
        Ok(vec![[2.0, 0.0, 0.0]])
    );
    assert_eq!(
        of([nan, nan, nan, 2.0, 0.0, 0.0]),
        Ok(vec![[2.0, 0.0, 0.0]])
    );
    assert_eq!(
        of([2.0, 0.0, 0.0, nan, 0.0, 0.0]),
        Ok(vec![[2.0, 0.0, 0.0]])
    );
    assert_eq!(of([nan; 6]), Ok(vec![]));
    assert!(of([2.0, 0.0, 0.0, 2.0005, 0.0, 0.0]).is_ok(), "rounded");
    for other in [[2.01, 0.0, 0.0], [2.0, half, 0.0], [2.0, 0.0, -half]] {
        let [range, azimuth, elevation] = other;
        let said = of([2.0, 0.0, 0.0, range, azimuth, elevation]).unwrap_err();
        assert!(
            said.contains("Cartesian and spherical coordinates"),
            "{said}"
        );
    }
}
