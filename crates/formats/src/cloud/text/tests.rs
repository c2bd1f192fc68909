//! Lines of text that can be read in two ways.

use std::path::Path;

use super::*;

fn read_as(text: &str, name: &str, metres: f64) -> Result<usize, String> {
    let kind = if name.ends_with("pts") {
        TextKind::Pts
    } else {
        TextKind::Xyz
    };
    let read = read(text.as_bytes(), Path::new(name), kind, metres);
    read.map(|read| read.points.len())
        .map_err(|error| error.to_string())
}

/// Catches colours or an intensity that are read as coordinates below a comment that says so.
#[test]
fn a_comment_that_names_other_columns_first_is_refused() {
    for (name, text, line) in [
        ("a.xyz", "//R,G,B,X,Y,Z\n30,20,10,0.8,0.5,0\n", 1),
        ("a.xyz", "# scan 7\n# intensity x y z\n9 0.8 0 0\n", 2),
        ("a.xyz", "# columns: id x y z\n1 0.8 0 0\n", 1),
        ("a.xyz", "# y x z\n0.8 0 0 7\n", 1),
        ("a.xyz", "# time x[m] y[m] z[m]\n9 0.8 0 0 77\n", 1),
        ("a.pts", "# i x y z\n1\n9 0.8 0 0\n", 1),
    ] {
        let said = read_as(text, name, 1.0).unwrap_err();
        let start = format!("{name}:{line}: `");
        assert!(said.starts_with(&start), "{text}: {said}");
        assert!(said.contains("names other columns first"), "{text}: {said}");
    }
    for text in [
        "//X Y Z Intensity\n0.8 0 0 9\n",
        "# x[m] y[m] z[m]\n0.8 0 0\n",
        "# x [m] y [m] z [m] i\n0.8 0 0 9\n",
        "# Columns: x y z r g b\n0.8 0 0 1 2 3\n",
        "# format x y z\n0.8 0 0 9\n",
        // Sentences.
        "# points of the cell with x y z in metres\n0.8 0 0 1\n",
        "# z is up, x and y as in the CAD model\n0.8 0 0\n",
        "# made by x\n0.8 0 0\n",
    ] {
        assert_eq!(read_as(text, "a.xyz", 1.0), Ok(1), "{text}");
    }
}

/// Catches the north that is read as x, angles that are read as lengths, and sentences about
/// columns.
#[test]
fn headings_that_name_the_columns_by_other_words_are_refused() {
    for heading in [
        "# Northing Easting Elevation",
        "# N E Z",
        "# range azimuth elevation",
        "# latitude, longitude, height",
        "# each line is intensity x y z",
        "# column order is Z Y X",
        "# column 1: intensity",
        "# column 3: x",
        "# Field 0 = time",
    ] {
        let columns = if heading.contains("intensity x") {
            4
        } else {
            3
        };
        let text = format!("{heading}\n{}\n", ["0.8"; 4][..columns].join(" "));
        let said = read_as(&text, "a.xyz", 1.0).expect_err(heading);
        assert!(said.contains("names other columns first"), "{said}");
    }
    for heading in [
        "# Easting Northing Elevation",
        "# E N Z",
        "# column 1: x",
        "# column 0: x",
        "# column 2: z",
        "# column 4: intensity",
        "# each line is x y z intensity",
        "# scanner azimuth 35",
        "# columns 3",
    ] {
        let text = format!("{heading}\n0.8 0 0\n");
        assert_eq!(read_as(&text, "a.xyz", 1.0), Ok(1), "{heading}");
    }
}

/// Catches a unit in the file that the cell contradicts.
#[test]
fn a_comment_that_names_another_unit_is_refused() {
    for comment in [
        "# unit: mm",
        "# Units = millimeters",
        "# unit mm",
        "// x[mm] y[mm] z[mm]",
        "#X(mm),Y(mm),Z(mm)",
        "# x [mm] y [mm] z [mm]",
        "# x y z (mm)",
        "# unit: [mm]",
        "# Einheit: mm",
    ] {
        let text = format!("{comment}\n800 0.5 0\n");
        assert_eq!(read_as(&text, "a.xyz", 0.001), Ok(1), "{comment}");
        let said = read_as(&text, "a.xyz", 1.0).unwrap_err();
        assert!(said.contains("(0.001 m)"), "{comment}: {said}");
        assert!(said.contains("correct `unit`"), "{comment}: {said}");
    }
    for comment in ["# accuracy in mm", "# units of intensity: mm", "# x in mm?"] {
        let text = format!("{comment}\n800 0.5 0\n");
        assert_eq!(read_as(&text, "a.xyz", 1.0), Ok(1), "{comment}");
    }
}

/// Catches the heading of a second file that was joined to the first one.
#[test]
fn headings_behind_the_first_point_count() {
    for (name, text, said) in [
        (
            "a.xyz",
            "1 2 3\n# y x z\n4 5 6\n",
            "a.xyz:2: `# y x z` names other columns first",
        ),
        (
            "a.xyz",
            "1 2 3 9\n# i x y z\n",
            "a.xyz:2: `# i x y z` names other columns first",
        ),
        (
            "a.xyz",
            "1 2 3\n4 5 6\n# unit: mm\n",
            "a.xyz:3: `# unit: mm` says that lengths are in `mm`",
        ),
        (
            "a.xyz",
            "# unit: m\n1 2 3\n// x[mm] y[mm] z[mm]\n4 5 6\n",
            "a.xyz:3: `// x[mm]",
        ),
        (
            "a.xyz",
            "1 2 3\ny x z\n4 5 6\n",
            "a.xyz:2: `y` is not a number",
        ),
        (
            "a.pts",
            "1\n1 2 3\n# i x y z\n1\n9 4 5 6\n",
            "a.pts:3: `# i x y z` names other columns first",
        ),
        (
            "a.pts",
            "1\n1 2 3\n1\n# unit: mm\n4 5 6\n",
            "a.pts:4: `# unit: mm`",
        ),
        ("a.pts", "1\n1 2 3\n# unit: mm\n", "a.pts:3: `# unit: mm`"),
    ] {
        let error = read_as(text, name, 1.0).unwrap_err();
        assert!(error.starts_with(said), "{text}: {error}");
    }
    let text = "# x y z\n1 2 3\n# x y z\n# unit: m\n# part 2\n4 5 6\n# end\n";
    assert_eq!(read_as(text, "a.xyz", 1.0), Ok(2));
}

/// Catches decimal commas between columns that commas separate: six numbers in place of three.
#[test]
fn decimal_commas_between_commas_are_refused() {
    for text in [
        "0,80,0,00,0,00\n0,80,0,10,0,00\n",
        "0,8,-0,1,2,5\n",
        "0,05,0,1,0,125\n",
        "1,25,3,50,2,75,255,0\n",
    ] {
        let said = read_as(text, "a.xyz", 1.0).unwrap_err();
        assert!(
            said.starts_with("a.xyz:1: commas between columns, or within numbers"),
            "{said}"
        );
    }
    for text in [
        // Whole millimetres with colours.
        "1000,250,30,255,0,7\n900,50,35,25,10,17\n",
        "1000,-25,30,25,10,17\n",
        "0.8,0,0,25,10,17\n",
        "x,y,z,r,g,b\n100,200,30,25,10,17\n",
        "//X,Y,Z,R,G,B\n100,200,30,25,10,17\n",
        "10,20,30\n",
    ] {
        assert!(read_as(text, "a.xyz", 0.001).is_ok(), "{text}");
    }
}
