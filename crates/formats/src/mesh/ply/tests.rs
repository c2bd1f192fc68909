use std::path::Path;

use nalgebra::Point3;

use crate::mesh::{LoadedMesh, parse};

fn load(bytes: &[u8]) -> LoadedMesh {
    parse(bytes, Path::new("a.ply")).unwrap()
}

fn error(bytes: &[u8]) -> String {
    parse(bytes, Path::new("a.ply")).unwrap_err().to_string()
}

const TEXT: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty double y\n\
    property float z\nproperty float nx\nelement face 2\nproperty uchar red\nproperty list uchar int vertex_indices\n\
    property list uchar float texcoord\nelement edge 1\nproperty int a\nend_header\n\
    0 0 0 nan\n2 2 0 1\n0 1 0 1\n-2 2 0 1\n7 4 0 1 2 3 2 .5 .5\n7 3 0 1 2 0\n9\n";

fn binary(big_endian: bool) -> Vec<u8> {
    let kind = if big_endian {
        "binary_big_endian"
    } else {
        "binary_little_endian"
    };
    let (header, _) = TEXT.split_once("end_header\n").unwrap();
    let mut bytes = format!("{}end_header\n", header.replace("ascii", kind)).into_bytes();
    let mut put = |mut b: Vec<u8>| {
        if big_endian {
            b.reverse();
        }
        bytes.extend(b);
    };
    for [x, y, z] in [[0., 0., 0.], [2., 2., 0.], [0., 1., 0.], [-2f32, 2., 0.]] {
        put(x.to_le_bytes().to_vec());
        put(f64::from(y).to_le_bytes().to_vec());
        put(z.to_le_bytes().to_vec());
        put(f32::NAN.to_le_bytes().to_vec());
    }
    for (corners, texture) in [
        (vec![0i32, 1, 2, 3], vec![0.5f32, 0.5]),
        (vec![0, 1, 2], vec![]),
    ] {
        put(vec![7]);
        put(vec![corners.len() as u8]);
        corners.iter().for_each(|i| put(i.to_le_bytes().to_vec()));
        put(vec![texture.len() as u8]);
        texture.iter().for_each(|i| put(i.to_le_bytes().to_vec()));
    }
    put(9i32.to_le_bytes().to_vec());
    bytes
}

#[test]
fn all_three_forms_say_the_same() {
    let text = load(TEXT.as_bytes());
    assert_eq!(text.mesh.triangles.len(), 3);
    assert_eq!(text.mesh.corners(2)[1], Point3::new(2., 2., 0.));
    assert_eq!(text.notes, ["1 polygon cut into triangles"]);
    assert_eq!(load(&binary(false)), text);
    assert_eq!(load(&binary(true)), text);
    assert_eq!(load(TEXT.replace('\n', "\r\n").as_bytes()), text);
    assert_eq!(
        load(TEXT.replace("vertex_indices", "vertex_index").as_bytes()),
        text
    );
}

/// Catches surface in an element that is passed over, and faces that are missing without a word.
#[test]
fn other_elements_and_vertices_without_faces_are_told() {
    let strips = |element: &str, list: &str, rows: usize| {
        let text = TEXT.replace(
            "element edge 1\nproperty int a\n",
            &format!("element {element} {rows}\nproperty list uchar int {list}\n"),
        );
        text.replace("\n9\n", if rows == 0 { "\n" } else { "\n3 0 1 2\n" })
    };
    let said = error(strips("strips", "indices", 1).as_bytes());
    assert!(said.contains("an element `strips` with lists"), "{said}");
    for (element, list, rows) in [
        ("strips", "indices", 0),
        ("edge", "indices", 1),
        ("multi_texture_face", "numbers", 1),
        ("image", "texture_indices", 1),
    ] {
        load(strips(element, list, rows).as_bytes());
    }
    // Regression: `tex` is in `vertex`, too.
    for (element, list) in [
        ("triangle", "vertex_list"),
        ("vertex_strips", "indices"),
        ("context", "indices"),
        ("texstrips", "indices"),
    ] {
        let said = error(strips(element, list, 1).as_bytes());
        assert!(said.contains("which may be surface"), "{element}: {said}");
    }
    let scalars = TEXT.replace("element edge 1", "element triangles 1");
    let told = "1 row of the element `triangles` ignored";
    let notes = load(scalars.as_bytes()).notes;
    assert!(notes.contains(&told.to_owned()), "{notes:?}");
    let loose = TEXT.replace("7 4 0 1 2 3 2 .5 .5", "7 3 0 1 2 2 .5 .5");
    assert_eq!(
        load(loose.as_bytes()).notes,
        ["1 vertex that no face uses left out: points have no surface"]
    );
}

#[test]
fn errors_in_text_name_their_line() {
    for (from, to, place, words) in [
        ("2 2 0 1\n", "2 2 0\n", ":17:", "too few"),
        ("2 2 0 1\n", "2 2 0 1 4\n", ":17:", "`4` follows"),
        ("2 2 0 1\n", "2 inf 0 1\n", ":17:", "finite"),
        ("2 2 0 1\n", "2 2,5 0 1\n", ":17:", "`2,5`"),
        ("7 3 0 1 2 0", "7 3 0 1 4 0", ":21:", "vertex 4"),
        ("7 3 0 1 2 0", "7 3 0 1 -1 0", ":21:", "vertex -1"),
        ("7 3 0 1 2 0", "7 2 0 1 0", ":21:", "2 corners"),
        ("7 3 0 1 2 0", "7 3 0 1 2.0 0", ":21:", "whole number"),
        ("7 3 0 1 2 0", "7 -3 0 1 2 0", ":21:", "-3 items"),
        ("7 3 0 1 2 0", "7 99999999 0 1 2 0", ":21:", "too few"),
        ("9\n", "9\n9\n", ":23:", "goes on"),
        ("9\n", "", ":21:", "ends before its 1 rows of `edge`"),
        ("face 2", "face 4000000000", ":19:", "room for"),
        (
            "property double y",
            "property quad y",
            ":6:",
            "unknown PLY type `quad`",
        ),
        ("property double y\n", "", ":14:", "property `y`"),
        ("format ascii 1.0", "format ascii 2.0", ":2:", "header"),
        ("element edge", "element face", ":13:", "twice"),
        (
            "element face 2",
            "element faces 2",
            ":11:",
            "an element `faces` with corners of faces",
        ),
        ("list uchar int", "list float int", ":11:", "length"),
    ] {
        assert!(TEXT.contains(from));
        let said = error(TEXT.replace(from, to).as_bytes());
        assert!(
            said.contains(place) && said.contains(words),
            "{from:?} -> {to:?}: {said}"
        );
    }
    assert!(error(b"PLY\n").contains(":1: a PLY file starts"));
    assert!(error(b"ply\nformat ascii 1.0\n").contains("no end"));
}

#[test]
fn binary_counts_are_weighed_against_the_file() {
    let bytes = binary(false);
    assert!(error(&bytes[..bytes.len() - 1]).contains("room for 0"));
    let said = error(&[&bytes[..], &[0, 0]].concat());
    assert!(
        said.contains("2 bytes follow") && said.contains("at byte"),
        "{said}"
    );
    let text = String::from_utf8_lossy(&bytes[..300]).into_owned();
    let end = text.find("end_header").unwrap();
    let huge = [
        text[..end]
            .replace("vertex 4", "vertex 4000000000")
            .as_bytes(),
        &bytes[end..],
    ]
    .concat();
    let said = error(&huge);
    assert!(said.contains("4000000000 rows of `vertex`"), "{said}");
}
