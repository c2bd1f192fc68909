//! Lines that state a unit, and lines that do not.

use super::*;

/// Catches a unit of the file that is passed over because it is spelled in another way.
#[test]
fn a_unit_counts_however_it_is_spelled() {
    for line in [
        "# unit: m",
        "# Units = metres",
        "#UNIT=METER",
        "#unit m",
        "# units in metres",
        "# unit: [m]",
        "# unit [m]",
        "# units: m, deg",
        "# units: angle deg, length m",
        "# unit: m (metres)",
        "# unit: m, accuracy: 2 mm",
        "# unit: 1 m",
        "# unit: 1000 mm",
        "# unit: 1",
        "# unit is m",
        "# units are meters",
        "# Length unit: m",
        "# length_unit=m",
        "# units of length: m",
        "# unit x: m, y: m",
        "# Einheit: m",
        "# all points have units: m",
        "# x[m] y[m] z[m]",
        "# x [m] y [m] z [m]",
        "# X (m), Y (m), Z (m)",
        "# x, y, z [m]",
        "# x y z (m)",
        "# x y z (m, m, m)",
        "# x y z (all in m)",
        "# x [m] y [m] z [m] accuracy [mm]",
        "# x y z range [m]",
        "# x/m y/m z/m",
        "# x_m y_m z_m",
        "// X_m;Y_m;Z_m",
        "# x: m",
        "# pos_x [m], pos_y [m], pos_z [m]",
        "# x/y/z [m]",
        "# xyz in m",
        "# x, y, z in metres",
        "# all coordinates in m",
        "# coordinates: m",
        "#[m]",
        "# metres",
        "# in m",
        "# values are metres",
        "# all coordinates are m",
        "# point cloud (m)",
        "# units m tolerance 0.01",
        "# UNITS=m COLOR=abcd",
        "# tolerance 0.1 mm, units m",
        "x y z [m]",
    ] {
        assert_eq!(agrees(line, 1.0), Ok(()), "{line}");
        let said = agrees(line, 0.001).expect_err(line).to_string();
        assert!(
            said.contains(&format!("`{line}` says that lengths are in `")),
            "{said}"
        );
        assert!(
            said.contains("(1 m), and the cell says 0.001 m with `unit`"),
            "{said}"
        );
    }
    for (line, metres) in [
        ("# units: in", 0.0254),
        ("# units are in, deg", 0.0254),
        ("# unit: us survey foot", 1200.0 / 3937.0),
        ("# unit: US-ft (us survey foot)", 1200.0 / 3937.0),
        ("# x_in y_in z_in", 0.0254),
        ("# unit: 0.001", 0.001),
    ] {
        assert_eq!(agrees(line, metres), Ok(()), "{line}");
        assert!(agrees(line, 1.0).is_err(), "{line}");
    }
}

#[test]
fn a_line_of_a_unit_that_is_not_understood_is_refused() {
    for line in [
        "# unit: furlong",
        "# units: deg",
        "# unit Zoll",
        "# Einheit = Elle",
        "# unit is [Klafter]",
        "# units: m/s",
    ] {
        let said = agrees(line, 1.0).expect_err(line).to_string();
        assert!(said.contains("names no unit of length"), "{said}");
        assert!(said.contains("write it as in `unit: mm`"), "{said}");
    }
}

/// Catches a comment that is refused and says nothing of the unit of the points.
#[test]
fn comments_that_state_no_unit_of_the_points_are_passed_over() {
    for line in [
        "",
        "#",
        "# united scans",
        "# unit 3 of plant",
        "# unit 3",
        "# unit B",
        "# unit A scan, 2 m above the floor",
        "# unit vectors of the normals: nx ny nz",
        "# scan of unit 3, 2 m above the floor (in hall 4)",
        "# units:",
        "# unit: unknown",
        "# unit: n/a",
        "# units of intensity: m",
        "# angle unit: deg",
        "# accuracy in m",
        "# accuracy [m]",
        "# units converted from m to mm",
        "# x y z accuracy [m]",
        "# x [mm] y [mm] z [mm] range [m]",
        "# x y z intensity, noise in m",
        "# x in m?",
        "# X Y Z M",
        "# x y z in the frame of the hall",
        "# z is up, x and y as in the CAD model",
        "# 3 scanners in 2 halls (5 m apart)",
        "# .PCD v0.7 - Point Cloud Data file format",
        "// made with a tool, in 2 steps of 3 m",
    ] {
        assert_eq!(agrees(line, 0.001), Ok(()), "{line}");
    }
}

/// Catches a comment of a mesh that is passed over because it is no `unit: mm`.
#[test]
fn meshes_state_other_units_in_as_many_ways() {
    for line in [
        "# units: mm",
        "# coordinates in mm",
        "# all coordinates in mm",
        "# x[mm] y[mm] z[mm]",
        "# mm",
        "# Vertices in millimeters",
        "# units mm tolerance 0.01",
        "# tolerance 0.1 mm, units mm",
        "comment coordinates in mm",
        "UNITS=mm COLOR=abcd",
    ] {
        let stated = other_than_metres(line).map(|stated| stated.metres);
        assert_eq!(stated, Some(0.001), "{line}");
    }
    for line in [
        "# units: m",
        "# coordinates in m",
        "# exported with a tolerance of 0.1 mm",
        "# accuracy in mm",
        "# screw M8 x 20 mm",
        "# object cup",
    ] {
        assert_eq!(other_than_metres(line), None, "{line}");
    }
}
