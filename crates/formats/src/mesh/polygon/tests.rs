use super::*;
use proptest::prelude::*;

fn cut(points: &[Point3<f64>]) -> (Vec<[u32; 3]>, Vec<String>) {
    let mut cutter = Cutter::default();
    let mut triangles = vec![];
    let corners: Vec<u32> = (0..points.len() as u32).collect();
    let _ = cutter.cut(points, &corners, &mut triangles);
    assert_eq!(triangles.len(), points.len() - 2);
    (triangles, cutter.notes().collect())
}

fn area(points: &[Point3<f64>], triangles: &[[u32; 3]]) -> f64 {
    let corners = |t: &[u32; 3]| t.map(|i| points[i as usize]);
    triangles
        .iter()
        .map(|t| {
            let [a, b, c] = corners(t);
            (b - a).cross(&(c - a)).norm() / 2.0
        })
        .sum()
}

fn flat(points: &[[f64; 2]]) -> Vec<Point3<f64>> {
    points
        .iter()
        .map(|p| Point3::new(p[0], p[1], 0.5))
        .collect()
}

#[test]
fn concave_polygons_are_covered_and_nothing_else() {
    let arrow = flat(&[[0., 0.], [2., 2.], [0., 1.], [-2., 2.]]);
    assert_eq!(area(&arrow, &cut(&arrow).0), 2.0);
    let u = flat(&[
        [0., 0.],
        [3., 0.],
        [3., 3.],
        [2., 3.],
        [2., 1.],
        [1., 1.],
        [1., 3.],
        [0., 3.],
    ]);
    let (triangles, notes) = cut(&u);
    assert_eq!(area(&u, &triangles), 7.0);
    assert_eq!(notes, ["1 polygon cut into triangles"]);
    // The same, clockwise: seen from below.
    let back: Vec<_> = u.iter().rev().copied().collect();
    assert_eq!(area(&back, &cut(&back).0), 7.0);
}

/// Regression: a sheet that is written from both sides was cut along two diagonals, and was no
/// longer one sheet.
#[test]
fn both_sides_of_a_sheet_are_cut_alike() {
    let quad = flat(&[[0., 0.], [1., 0.], [1., 1.], [0., 1.]]);
    let concave = flat(&[[0., 0.], [2., 2.], [0., 1.], [-2., 2.], [-1., 0.5]]);
    // Here the order in which ears are taken shows.
    let u = flat(&[
        [0., 0.],
        [3., 0.],
        [3., 3.],
        [2., 3.],
        [2., 1.],
        [1., 1.],
        [1., 3.],
        [0., 3.],
    ]);
    for points in [quad, concave, u] {
        let n = points.len() as u32;
        let cut = |corners: Vec<u32>| {
            let mut triangles = vec![];
            let _ = Cutter::default().cut(&points, &corners, &mut triangles);
            let normal = triangles.iter().map(|t| {
                let [a, b, c] = t.map(|i| points[i as usize]);
                (b - a).cross(&(c - a)).z
            });
            let normal: f64 = normal.sum();
            let mut sorted: Vec<[u32; 3]> = triangles.clone();
            sorted.iter_mut().for_each(|t| t.sort_unstable());
            sorted.sort_unstable();
            (sorted, normal)
        };
        let (triangles, normal) = cut((0..n).collect());
        for start in 0..n {
            let front = cut((0..n).map(|k| (start + k) % n).collect());
            let back = cut((0..n).map(|k| (start + n - k) % n).collect());
            assert_eq!(front.0, triangles);
            assert_eq!(back.0, triangles);
            assert!((front.1 - normal).abs() < 1e-12 && (back.1 + normal).abs() < 1e-12);
        }
    }
}

/// Catches files whose polygons take hours.
#[test]
fn polygons_of_a_file_share_what_is_looked_at() {
    let arrow = flat(&[[0., 0.], [2., 2.], [0., 1.], [-2., 2.]]);
    let mut cutter = Cutter::default();
    let cut = |cutter: &mut Cutter| {
        let mut triangles = vec![];
        let _ = cutter.cut(&arrow, &[1, 2, 3, 0], &mut triangles);
        area(&arrow, &triangles)
    };
    assert_eq!(cut(&mut cutter), 2.0);
    assert!(cutter.looks > 0);
    let once = cutter.looks;
    assert_eq!(cut(&mut cutter), 2.0);
    assert_eq!(cutter.looks, 2 * once, "it is counted for the file");
    cutter.looks = MOST_LOOKS;
    // The triangles cover it and more, which is told.
    assert!(cut(&mut cutter) > 2.0);
    assert_eq!(cutter.looks, MOST_LOOKS);
    assert_eq!(cutter.notes().count(), 2);
}

#[test]
fn a_hole_joined_by_a_cut_stays_open() {
    let ring = flat(&[
        [0., 0.],
        [4., 0.],
        [4., 4.],
        [0., 4.],
        [0., 0.],
        [1., 1.],
        [1., 3.],
        [3., 3.],
        [3., 1.],
        [1., 1.],
    ]);
    assert_eq!(area(&ring, &cut(&ring).0), 12.0);
}

#[test]
fn straight_corners_and_repeated_points_are_allowed() {
    let square = flat(&[[0., 0.], [1., 0.], [2., 0.], [2., 2.], [2., 2.], [0., 2.]]);
    let (triangles, _) = cut(&square);
    assert_eq!(area(&square, &triangles), 4.0);
}

#[test]
fn bent_and_tangled_polygons_are_noted() {
    let saddle = [[0., 0., 0.], [1., 0., 0.2], [1., 1., 0.], [0., 1., 0.2]].map(Point3::from);
    assert!(cut(&saddle).1[1].contains("not planar"));
    // Two lobes with opposite turns, of different and of equal size.
    for crossed in [
        [[0., 0.], [3., 3.], [3., 0.], [0., 1.]],
        [[0., 0.], [2., 2.], [2., 0.], [0., 2.]],
    ] {
        let notes = cut(&flat(&crossed)).1;
        assert!(notes[1].contains("may cover more"), "{notes:?}");
    }
}

fn surface_distance(points: &[[f64; 3]]) -> f64 {
    let points: Vec<_> = points.iter().map(|&p| Point3::from(p)).collect();
    let corners: Vec<u32> = (0..points.len() as u32).collect();
    Cutter::default().cut(&points, &corners, &mut vec![])
}

/// Catches a bend that counts for nothing because the polygon is large, or winds round nothing;
/// and one that only rounding makes.
#[test]
fn how_far_ways_of_cutting_lie_apart() {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let sheet =
        |h: f64| surface_distance(&[[9., -9., h], [9., 9., 0.], [-9., 9., h], [-9., -9., 0.]]);
    for h in [1e-6, 1e-3, 0.0165, 2.0] {
        assert!(near(sheet(h), h), "{h} {}", sheet(h));
    }
    assert_eq!(sheet(0.0), 0.0);
    // Two lobes of the same size, wound in opposite directions, and a corner that is off.
    let lobes = |z| {
        surface_distance(&[
            [0., 0., 0.],
            [2., 2., 0.],
            [2., 0., 0.],
            [1., 1., z],
            [0., 2., 0.],
        ])
    };
    assert!(lobes(0.0) < 1e-12 && lobes(0.5) >= 0.4, "{}", lobes(0.5));
    // Hardly more than a line.
    let line = [0.1, 0.7, 0.3, 1.1].map(|t: f64| [t / 3., t / 7., t + 1e-16 * f64::sin(77. * t)]);
    assert!(
        surface_distance(&line) < 1e-12,
        "{}",
        surface_distance(&line)
    );
}

#[test]
fn a_concave_polygon_of_many_corners_is_covered() {
    let star = |n: usize| -> Vec<Point3<f64>> {
        (0..n)
            .map(|i| {
                let (r, a) = (
                    1.0 + (i % 2) as f64,
                    i as f64 * std::f64::consts::TAU / n as f64,
                );
                Point3::new(0.0, r * a.cos(), r * a.sin())
            })
            .collect()
    };
    let exact = |n: usize| n as f64 * (std::f64::consts::TAU / n as f64).sin();
    let small = star(600);
    let (triangles, notes) = cut(&small);
    assert!((area(&small, &triangles) - exact(600)).abs() < 1e-9);
    assert_eq!(notes.len(), 1);
    // Too large to clip: the fan may cover more, and says so.
    let large = star(2 * MOST_CORNERS);
    let (triangles, notes) = cut(&large);
    assert!(area(&large, &triangles) >= exact(2 * MOST_CORNERS));
    assert!(notes[1].contains("may cover more"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A polygon seen from inside (a star-shaped one) is simple: its triangles have exactly its
    /// area, in any plane.
    #[test]
    fn star_shaped_polygons_keep_their_area(
        radii in prop::collection::vec(0.05..1.0f64, 4..40),
        axis in prop::array::uniform3(-1.0..1.0f64),
        angle in 0.0..6.3f64,
    ) {
        let n = radii.len() as f64;
        let turn = nalgebra::Rotation3::new(Vector3::from(axis).try_normalize(1e-9).unwrap_or(Vector3::x()) * angle);
        let points: Vec<_> = radii.iter().enumerate().map(|(i, r)| {
            let a = i as f64 * std::f64::consts::TAU / n;
            turn * Point3::new(r * a.cos(), r * a.sin(), 0.3)
        }).collect();
        let step = (std::f64::consts::TAU / n).sin();
        let exact: f64 = (0..radii.len()).map(|i| radii[i] * radii[(i + 1) % radii.len()] * step / 2.0).sum();
        let (triangles, _) = cut(&points);
        prop_assert!((area(&points, &triangles) - exact).abs() < 1e-9);
    }

    /// Whatever corner a quadrilateral begins at: the middles of the diagonals that it may be cut
    /// along are no farther apart than is said.
    #[test]
    fn diagonals_are_as_far_apart_as_is_said(
        heights in prop::array::uniform4(-1.0..1.0f64),
        off in prop::array::uniform4(-0.3..0.3f64),
        scale in 1e-3..1.0f64,
    ) {
        let sides = [[1., -1.], [1., 1.], [-1., 1.], [-1., -1.]];
        let points = [0, 1, 2, 3].map(|k| [sides[k][0] + off[k], sides[k][1], scale * heights[k]]);
        let middle = |a: usize, b: usize| Point3::from(points[a]).coords + Point3::from(points[b]).coords;
        // The lines cross where they are seen from above: at least the tetrahedron's thickness.
        let [a, b, c, d] = points.map(Point3::from);
        let normal = (c - a).cross(&(d - b)).normalize();
        let between = normal.dot(&(middle(0, 2) - middle(1, 3))).abs() / 2.0;
        let said = surface_distance(&points);
        prop_assert!(said >= between * (1.0 - 1e-9) - 1e-12, "{said} {between}");
        prop_assert!(said <= between * (1.0 + 1e-9) + 1e-12, "{said} {between}");
    }

    /// Any closed line of small integers, however tangled: every point that it winds round is
    /// inside a triangle.
    #[test]
    fn whatever_the_polygon_its_inside_is_covered(
        corners in prop::collection::vec((0..8i32, 0..8i32), 4..12),
    ) {
        let points = flat(&corners.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect::<Vec<_>>());
        let (triangles, _) = cut(&points);
        // Points off every line between integer corners (their coordinates have no small
        // denominators).
        for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
            let p = Point2::new(f64::from(i) + 0.4142135, f64::from(j) + 0.7320508);
            let q: Vec<_> = points.iter().map(|p| p.xy()).collect();
            let winds = winding(&q, p);
            let inside = triangles.iter().any(|t| winding(&t.map(|c| q[c as usize]), p) != 0);
            prop_assert!(winds == 0 || inside);
        }
    }
}

fn winding(line: &[Point2<f64>], p: Point2<f64>) -> i32 {
    (0..line.len())
        .map(|i| {
            let (a, b) = (line[i], line[(i + 1) % line.len()]);
            match (a.y <= p.y, b.y <= p.y) {
                (true, false) if side(a, b, p) > 0.0 => 1,
                (false, true) if side(a, b, p) < 0.0 => -1,
                _ => 0,
            }
        })
        .sum()
}
