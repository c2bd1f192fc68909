//! Files of other programs (laspy, pypcd4, pye57: `fuzz/seeds/cloud`), and what is wrong with
//! damaged ones.

use nalgebra::Vector3;

use super::*;

/// The points that all sample files of other programs hold.
const PLACES: [[f64; 3]; 4] = [
    [0.001, -0.002, 0.003],
    [1.5, 2.25, -3.125],
    [-0.75, 0.5, 10.0],
    [1.5, 2.25, -3.0],
];

fn sample(name: &str) -> (std::path::PathBuf, Vec<u8>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/cloud");
    let path = Path::new(folder).join(name);
    let bytes = std::fs::read(&path).expect("a sample");
    (path, bytes)
}

fn sorted(points: impl IntoIterator<Item = Point3<f64>>) -> Vec<[f64; 3]> {
    let mut all: Vec<[f64; 3]> = points.into_iter().map(Into::into).collect();
    all.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    all
}

/// The points of a file in metres, or one whose unit does not matter.
fn of_file(bytes: &[u8], name: &Path) -> Result<PointsInFile, ImportError> {
    points(bytes, name, 1.0)
}

/// Whether a file holds these points and no others, in its own unit.
fn holds(name: &str, expected: &[[f64; 3]], slack: f64) -> usize {
    let (path, bytes) = sample(name);
    let read = of_file(&bytes, &path).expect("a cloud");
    let expected = sorted(expected.iter().map(|&p| Point3::from(p)));
    let found = sorted(read.points);
    assert_eq!(found.len(), expected.len(), "{name}");
    for (a, b) in found.iter().zip(&expected) {
        let off = (Vector3::from(*a) - Vector3::from(*b)).norm();
        assert!(off <= slack, "{name}: {a:?} for {b:?}");
    }
    read.invalid
}

/// Two records are counted, and a third one stands behind them.
#[test]
fn points_that_a_las_does_not_count_are_told() {
    for (name, count) in [("laspy_1_2.las", 107), ("laspy_1_4.las", 247)] {
        let mut bytes = sample(name).1;
        assert_eq!(bytes[count], 4);
        bytes[count] -= 1;
        // The older way of counting, which LAS 1.4 has too.
        bytes[107] = bytes[count];
        let error = of_file(&bytes, Path::new(name))
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert!(error.contains("but there is room for"), "{error}");
    }
}

#[test]
fn las_of_another_program() {
    assert_eq!(holds("laspy_1_2.las", &PLACES, 1e-12), 0);
    assert_eq!(holds("laspy_1_4.las", &PLACES, 1e-12), 0);
}

#[test]
fn pcd_of_another_program_in_all_three_ways() {
    let mut expected = PLACES.to_vec();
    expected.extend(PLACES.map(|p| p.map(|x| x + 0.1)));
    expected.extend(PLACES.map(|p| p.map(|x| 2.0 * x)));
    for name in ["ascii.pcd", "binary.pcd", "binary_compressed.pcd"] {
        assert_eq!(holds(name, &expected, 1e-5), 0);
    }
}

/// A quarter turn about z, then 10 m along x; the third point is marked as invalid.
#[test]
fn e57_of_another_program_with_its_pose_and_an_invalid_point() {
    let moved = |[x, y, z]: [f64; 3]| [10.0 - y, x, z];
    let expected = [PLACES[0], PLACES[1], PLACES[3]].map(moved);
    assert_eq!(holds("pye57.e57", &expected, 1e-9), 1);
}

/// Points behind a lone carriage return were further columns of the line, or part of its comment.
#[test]
fn a_lone_carriage_return_in_text_is_refused() {
    for (name, text, line) in [
        ("a.xyz", "50 50 50 1\r1 1 0 1\r2 1 0 1\r", 1),
        ("a.xyz", "50 50 50\n# pts\r1 1 0\r\n50 50 50\n", 2),
        ("a.xyz", "\u{feff}x y z\r1 1 0\n50 50 50\n", 1),
        ("a.pts", "1\n50 50 50 1\r1 1 0 1\n", 2),
        ("a.pts", "// scan\r1\r1 1 0\n1\n50 50 50\n", 1),
        // A line that is refused hides in the comment.
        (
            "a.pcd",
            "# .PCD\rVIEWPOINT 1 0 0 1 0 0 0\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3\n",
            1,
        ),
    ] {
        let read = of_file(text.as_bytes(), Path::new(name)).map(|read| read.points.len());
        let said = read.unwrap_err().to_string();
        let place = format!("{name}:{line}: a carriage return without a line feed");
        assert!(said.starts_with(&place), "{said}");
        assert!(said.contains("; save the file with line feeds"), "{said}");
    }
    // Those that end a line are none, at the end of the file either.
    for text in ["# pts\r\n1 2 3\r\r\n4 5 6\r\n", "1 2 3\n4 5 6\r"] {
        let read = of_file(text.as_bytes(), Path::new("a.xyz")).unwrap();
        assert_eq!(read.points.len(), 2, "{text:?}");
    }
}

#[test]
fn text_with_titles_separators_and_invalid_points() {
    let read = |name: &str, text: &str| of_file(text.as_bytes(), Path::new(name));
    let one = read(
        "a.xyz",
        "X,Y,Z,Intensity\r\n1,2,3,9\r\n\r\nNaN,2,3,9\r\n-1e1,.5,6,9",
    )
    .unwrap();
    assert_eq!(sorted(one.points), [[-10.0, 0.5, 6.0], [1.0, 2.0, 3.0]]);
    assert_eq!(one.invalid, 1);
    assert_eq!(
        holds(
            "two_scans.pts",
            &[[0.1, 0.2, 0.3], [1.1, 0.2, 0.3], [4.0, 5.0, 6.0]],
            0.0
        ),
        0
    );
    let spaced = read("a.xyz", "1, 2, 3,\n4 ,5 , 6 ,9\n").unwrap();
    assert_eq!(sorted(spaced.points), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    for (name, text, said) in [
        // The columns behind an empty one would move up.
        ("a.xyz", "5,5,5,\n0,0.8,,7\n", "a.xyz:2: `` is not a number"),
        ("a.xyz", "5;5;5\n0;;7;8\n", "a.xyz:2: `` is not a number"),
        (
            "a.xyz",
            "5\t5\t5\n0\t0.8\t\t7\n",
            "a.xyz:2: two tabs in a row",
        ),
        ("a.xyz", "\t0.0\t0.5\t0.9\n", "a.xyz:1: two tabs in a row"),
        ("a.xyz", "0.0\t \t0.5\t0.9\n", "a.xyz:1: two tabs in a row"),
        (
            "a.xyz",
            "1 2 3\n4 5\n",
            "a.xyz:2: 2 columns where lines before have 3",
        ),
        (
            "a.xyz",
            "1 2\n",
            "a.xyz:1: 2 columns; every line has x, y and z",
        ),
        ("a.xyz", "1 2 3\n1 2 z\n", "a.xyz:2: `z` is not a number"),
        (
            "a.xyz",
            "1,5,2\n1 2 3 4",
            "a.xyz:2: 4 columns where lines before have 3",
        ),
        ("a.xyz", "1,5 2,5 3,5\n", "a.xyz:1: a comma within a number"),
        ("a.xyz", "1 2 3\n1,5\t2,5\t3,5\n", "a.xyz:2: a comma within"),
        ("a.pts", "1\n1,5;2,5;3,5\n", "a.pts:2: a comma within"),
        (
            "a.pts",
            "3\n1 2 3\n4 5 6\n",
            "a.pts:1: 1 of 3 points are missing",
        ),
        (
            "a.pts",
            "1\n1 2 3\n4 5 6\n",
            "a.pts:3: here are more points than were counted",
        ),
        ("a.pts", "", "begins with the number of points"),
        ("a.pts", "1 2 3\n", "a.pts:1: here are more points"),
        (
            "a.laz",
            "LASF",
            "LAZ, the compressed form of LAS, is not supported; unpack it",
        ),
        (
            "a.stl",
            "solid",
            "a point cloud of this kind is not supported",
        ),
        ("a.las", "xyz", "it does not begin with LASF"),
        ("a.pcd", "version", "the header has no line DATA"),
        (
            "a.pcd",
            "VIEWPOINT 1 0 0 1 0 0 0\n",
            "a.pcd:1: a VIEWPOINT other than",
        ),
        ("a.e57", "ASTM-E57", "export it again"),
    ] {
        let error = read(name, text).unwrap_err().to_string();
        assert!(error.contains(said), "{name}, {text:?}: {error}");
    }
}

/// Files that count their points. Of a text what is cut off is a line: half a number is a number,
/// too. A PTS file may end behind any of its scans.
#[test]
fn no_file_that_is_cut_off_is_read() {
    for (name, is_text) in [
        ("laspy_1_2.las", false),
        ("laspy_1_4.las", false),
        ("binary.pcd", false),
        ("binary_compressed.pcd", false),
        ("pye57.e57", false),
        ("ascii.pcd", true),
        ("two_scans.pts", true),
    ] {
        let (path, bytes) = sample(name);
        let whole = bytes.trim_ascii_end().len();
        let scan = name == "two_scans.pts";
        let cuts = (0..if is_text { whole } else { bytes.len() }).filter(|&length| {
            let line_ends = bytes[..length].ends_with(b"\n");
            let scan_ends = scan && bytes[length..].starts_with(b"1\n");
            !is_text || line_ends && !scan_ends
        });
        for length in cuts {
            assert!(
                of_file(&bytes[..length], &path).is_err(),
                "{name} cut to {length}"
            );
        }
    }
}

/// Regression: a number that is too large for one was taken for a ray that came back from nowhere.
#[test]
fn a_number_that_is_too_large_is_damage() {
    let (path, mut bytes) = sample("laspy_1_2.las");
    for k in 0..3 {
        bytes[131 + 8 * k..139 + 8 * k].copy_from_slice(&1e308_f64.to_le_bytes());
    }
    let said = of_file(&bytes, &path).unwrap_err().to_string();
    assert!(said.contains("has too large a number"), "{said}");
    let pcd =
        "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA ascii\n1 2 3\n";
    for (name, before) in [
        ("a.xyz", "1 2 3\n"),
        ("a.pts", "2\n1 2 3\n"),
        ("a.pcd", pcd),
    ] {
        let read = |line: &str| of_file(format!("{before}{line}\n").as_bytes(), Path::new(name));
        for line in ["0.8 0 1e999", "-1e999 0 0"] {
            let said = read(line).unwrap_err().to_string();
            assert!(said.contains("1e999` is not a number"), "{name}: {said}");
        }
        for line in ["nan 0 0", "0 inf 0", "0 0 -inf"] {
            assert_eq!(read(line).unwrap().invalid, 1, "{name}: {line}");
        }
    }
}

/// Regression: the last of two lines counted.
#[test]
fn a_word_of_a_pcd_header_comes_once() {
    let header = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\n";
    let read = |more: &str| {
        let text = format!("{header}{more}DATA ascii\n1 2 3\n");
        of_file(text.as_bytes(), Path::new("a.pcd")).map(|read| read.points.len())
    };
    assert_eq!(read("VERSION 0.7\n").unwrap(), 1);
    for more in ["FIELDS z y x\n", "COLUMNS z y x\n", "POINTS 1\n"] {
        let said = read(more).unwrap_err().to_string();
        assert!(
            said.starts_with("a.pcd:7: the header has two lines"),
            "{said}"
        );
    }
}

#[test]
fn counts_that_lie_set_no_memory_aside() {
    let (path, mut bytes) = sample("laspy_1_2.las");
    bytes[107..111].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = of_file(&bytes, &path).unwrap_err().to_string();
    assert!(error.contains("counts 4294967295 points"), "{error}");
    let (path, bytes) = sample("binary_compressed.pcd");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lied = |from: &str, to: &str| {
        let at = text.find(from).expect("a word of the header");
        let mut bytes = bytes.clone();
        bytes.splice(at..at + from.len(), to.bytes());
        of_file(&bytes, &path).unwrap_err().to_string()
    };
    let error = lied("POINTS 12", "POINTS 400000000000");
    assert!(error.contains("POINTS is 400000000000"), "{error}");
    let error = lied("WIDTH 12", "WIDTH 99999999999999999999");
    assert!(error.contains("is not understood"), "{error}");
    let error = lied("SIZE 4 4 4", "SIZE 4 4 8");
    assert!(error.contains("bytes are packed"), "{error}");
}

#[test]
fn units_are_stated_or_known() {
    let (path, bytes) = sample("binary.pcd");
    let with = |path: &Path, bytes: &[u8], unit: Option<&str>| {
        let options = CloudOptions {
            radius: 0.005,
            unit: unit.map(str::to_owned),
        };
        parse(bytes, path, &options)
    };
    let said = with(&path, &bytes, None).unwrap_err().to_string();
    assert!(said.contains("does not say in which unit"), "{said}");
    for wrong in ["deg", "2mm", "", "1", "e3m", "e-3", "E3 mm"] {
        let said = with(&path, &bytes, Some(wrong)).unwrap_err().to_string();
        assert!(said.contains("write a unit of length"), "{wrong}: {said}");
    }
    let metres = with(&path, &bytes, Some("m")).unwrap().cloud;
    let feet = with(&path, &bytes, Some("ft")).unwrap().cloud;
    let size = |cloud: &Cloud| cloud.mesh_bounds().size().norm();
    assert!((size(&feet) / size(&metres) - 0.3048).abs() < 1e-6);
    let (path, bytes) = sample("pye57.e57");
    assert_eq!(with(&path, &bytes, None).unwrap().invalid, 1);
    let said = with(&path, &bytes, Some("mm")).unwrap_err().to_string();
    assert!(said.contains("E57 files are in metres"), "{said}");
    let far = with(Path::new("a.xyz"), b"1e9 0 0", Some("m")).unwrap_err();
    assert!(far.to_string().contains("farther than 1e7 m; check `unit`"));
    let none = with(Path::new("a.xyz"), b"nan 0 0", Some("m")).unwrap_err();
    assert!(none.to_string().contains("none of the 1 points is a place"));
}

/// Catches a unit in a comment of the header that the cell contradicts.
#[test]
fn a_comment_of_a_pcd_that_names_another_unit_is_refused() {
    let pcd = |comment: &str| {
        format!(
            "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n{comment}\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3\n"
        )
    };
    for comment in ["# unit: mm", "  # x y z [mm]"] {
        let read = |metres| points(pcd(comment).as_bytes(), Path::new("a.pcd"), metres);
        assert_eq!(read(0.001).unwrap().points.len(), 1);
        let said = read(1.0).unwrap_err().to_string();
        assert!(said.starts_with("a.pcd:3: `"), "{said}");
        assert!(said.contains("says that lengths are in `mm`"), "{said}");
    }
    assert!(of_file(pcd("# scan of unit 3").as_bytes(), Path::new("a.pcd")).is_ok());
    assert!(of_file(pcd("").as_bytes(), Path::new("a.pcd")).is_ok());
}
