use std::path::Path;

use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::round;
use crate::geometry::mesh::Mesh;
use crate::geometry::pieces::Pieces;
use crate::geometry::random::Random;
use crate::import::mesh::{LoadedMesh, parse};

fn whole(text: &str) -> LoadedMesh {
    parse(text.as_bytes(), Path::new("a.wrl")).unwrap()
}

fn load(scene: &str) -> LoadedMesh {
    whole(&format!("#VRML V2.0 utf8\n{scene}\n"))
}

fn said(text: &str) -> String {
    parse(text.as_bytes(), Path::new("a.wrl"))
        .unwrap_err()
        .to_string()
}

/// The error of a scene, whose first line is line 2.
fn error(scene: &str) -> String {
    said(&format!("#VRML V2.0 utf8\n{scene}\n"))
}

fn near(a: &Point3<f64>, b: [f64; 3]) -> bool {
    (a - Point3::from(b)).amax() < 1e-12
}

/// Least and greatest coordinates.
fn bounds(loaded: &LoadedMesh) -> [[f64; 3]; 2] {
    let (lo, hi) = loaded.mesh.bounds().unwrap();
    [lo, hi].map(|p| [p.x, p.y, p.z])
}

fn volume(mesh: &Mesh) -> f64 {
    (0..mesh.triangles.len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            a.coords.dot(&b.coords.cross(&c.coords)) / 6.0
        })
        .sum()
}

#[test]
fn boxes_are_exact_and_have_the_defaults_of_the_standard() {
    let loaded = load("Shape { geometry Box { size .2 4 6e0 } }");
    assert_eq!(bounds(&loaded), [[-0.1, -2., -3.], [0.1, 2., 3.]]);
    assert_eq!(loaded.mesh.triangles.len(), 12);
    assert!((volume(&loaded.mesh) - 4.8).abs() < 1e-12);
    assert!(loaded.notes.is_empty());
    assert_eq!(bounds(&load("Shape{geometry Box{}}")), [[-1.; 3], [1.; 3]]);
}

#[test]
fn a_transform_is_applied_in_the_order_of_the_standard() {
    // One step at a time, on a box around the origin that is so small that it is a point.
    let at = |fields: &str, x: &str| {
        let text = format!(
            "Transform {{ {fields} children Transform {{ translation {x} children Shape {{ geometry Box {{ size 1e-30 1e-30 1e-30 }} }} }} }}"
        );
        load(&text).mesh.vertices[0]
    };
    let quarter = "rotation 0 0 2 1.5707963267948966";
    for (fields, expected) in [
        ("translation 1 2 3", [2., 2., 3.]),
        ("scale 2 3 4 translation 1 2 3", [3., 2., 3.]),
        (quarter, [0., 1., 0.]),
        (&format!("{quarter} translation 5 0 0"), [5., 1., 0.]),
        // Scaled first, rotated then.
        (&format!("{quarter} scale 3 1 1"), [0., 3., 0.]),
        // About a centre that both keep in place.
        (&format!("{quarter} center 1 0 0 scale 9 9 9"), [1., 0., 0.]),
        (&format!("center 0 1 0 {quarter}"), [1., 2., 0.]),
        // Stretched along the diagonal: (1, 0) is half along it and half across.
        (
            "scaleOrientation 0 0 1 0.7853981633974483 scale 3 1 1",
            [2., 1., 0.],
        ),
        ("rotation 0 0 0 0", [1., 0., 0.]),
    ] {
        let p = at(fields, "1 0 0");
        assert!(near(&p, expected), "{fields}: {p}");
    }
    // From outside in: the outer transform is applied last.
    let nested = load(
        "Transform { translation 10 0 0 children Transform { rotation 0 1 0 3.141592653589793 \
         children [ Transform { translation 1 0 0 children [ Shape { geometry Box { size 1 1 1 } } ] } ] } }",
    );
    assert!(near(&nested.mesh.bounds().unwrap().0, [8.5, -0.5, -0.5]));
}

proptest! {
    /// Against a twin that moves the point step by step, as the standard words it.
    #[test]
    fn any_transform_moves_points_step_by_step(v in prop::collection::vec(-2.0..2.0f64, 20)) {
        let three = |i: usize| Vector3::new(v[i], v[i + 1], v[i + 2]);
        prop_assume!([4usize, 10].iter().all(|&i| three(i).norm() > 0.1) && three(14).iter().all(|x| x.abs() > 0.01));
        let list = |r: std::ops::Range<usize>| v[r].iter().map(|x| format!("{x} ")).collect::<String>();
        let text = format!(
            "Transform {{ translation {} rotation {} center {} scaleOrientation {} scale {} children Transform {{ \
             translation {} children Shape {{ geometry Box {{ size 1e-30 1e-30 1e-30 }} }} }} }}",
            list(0..3), list(4..8), list(7..10), list(10..14), list(14..17), list(17..20)
        );
        let turn = |i: usize| Rotation3::new(three(i).normalize() * v[i + 3]);
        let mut p = three(17) - three(7);
        p = turn(10).inverse() * p;
        p.component_mul_assign(&three(14));
        p = turn(4) * (turn(10) * p) + three(7) + three(0);
        let q = load(&text).mesh.vertices[0];
        prop_assert!((q.coords - p).amax() < 1e-12, "{q} {p}");
    }
}

#[test]
fn faces_of_any_number_of_corners_are_cut() {
    let loaded = load(
        "Shape { geometry IndexedFaceSet { convex FALSE coord Coordinate { point [ 0 0 0, 2 2 0, 0 1 0, -2 2 0, 0 0 5 ] }\n\
         coordIndex [ 0 1 2 3 -1, 0, 1, 4, -1 -1 0 4 3 ] } }",
    );
    assert_eq!(loaded.mesh.triangles.len(), 4);
    assert_eq!(loaded.notes, ["1 polygon cut into triangles"]);
    let area: f64 = (0..2)
        .map(|t| {
            let [a, b, c] = loaded.mesh.corners(t);
            (b - a).cross(&(c - a)).z / 2.0
        })
        .sum();
    assert_eq!(area, 2.0, "the arrow and nothing beside it");
}

#[test]
fn ccw_and_mirrors_turn_triangles_and_solid_does_not() {
    let up = |scale: &str, fields: &str| {
        let loaded = load(&format!(
            "Transform {{ scale {scale} children Shape {{ geometry IndexedFaceSet {{ {fields} coord Coordinate {{ point [ 0 0 0, 1 0 0, 0 1 0 ] }} coordIndex [ 0 1 2 ] }} }} }}"
        ));
        let [a, b, c] = loaded.mesh.corners(0);
        (b - a).cross(&(c - a)).z > 0.0
    };
    assert!(up("1 1 1", ""));
    assert!(up("1 1 1", "solid FALSE ccw TRUE convex FALSE"));
    assert!(!up("1 1 1", "ccw FALSE"));
    // A mirror moves the outside with the rest: only the one along z brings it below.
    assert!(up("-1 1 1", ""));
    assert!(!up("1 1 -1", ""));
    assert!(up("1 1 -1", "ccw FALSE"));
}

#[test]
fn numbers_without_a_shape_may_be_anything() {
    let loaded = load(
        "Shape { geometry IndexedFaceSet { normal Normal { vector [ nan -nan 1.#QNAN -1.#IND0 1e999 Inf ] }\n\
         coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 ] } coordIndex [ 0 1 2 ] } }",
    );
    assert_eq!(bounds(&loaded), [[0.; 3], [1., 1., 0.]]);
}

#[test]
fn elevation_grids() {
    let text = "Shape { geometry ElevationGrid { xDimension 3 zDimension 2 xSpacing .5 zSpacing 2 height [ 0 1 2 0 1 2 ] } }";
    let loaded = load(text);
    assert_eq!(loaded.mesh.triangles.len(), 4);
    assert_eq!(bounds(&loaded), [[0., 0., 0.], [1., 2., 2.]]);
    let [a, b, c] = loaded.mesh.corners(0);
    assert!((b - a).cross(&(c - a)).y > 0.0);
    let said = error(&text.replace("[ 0 ", "[ "));
    assert!(
        said.contains(":2:18: a grid of 3 by 2 has 5 heights"),
        "{said}"
    );
}

#[test]
fn names_are_those_of_the_last_def_before_their_use() {
    let shape = |x: f64| {
        format!(
            "DEF B Transform {{ translation {x} 0 0 children Shape {{ geometry Box {{ size 1 1 1 }} }} }}"
        )
    };
    let text = format!(
        "{} Transform {{ translation 0 9 0 children USE B }} {} Transform {{ translation 0 5 0 children [ USE B USE B ] }}",
        shape(0.0),
        shape(3.0)
    );
    let loaded = load(&text);
    assert_eq!(loaded.mesh.triangles.len(), 12 * 5);
    let (lo, hi) = loaded.mesh.bounds().unwrap();
    assert_eq!(
        (lo, hi),
        (Point3::new(-0.5, -0.5, -0.5), Point3::new(3.5, 9.5, 0.5))
    );
    assert!(loaded.mesh.vertices.contains(&Point3::new(3.5, 5.5, 0.5)));
    assert!(!loaded.mesh.vertices.contains(&Point3::new(3.5, 9.5, 0.5)));
}

#[test]
fn what_is_left_out_is_said() {
    let b = "Shape { geometry Box { } }";
    let far = "Transform { translation 100 0 0 children Shape { geometry Box { } } }";
    for (scene, notes) in [
        (
            format!("LOD {{ level [ {b} {far} {far} ] }}"),
            vec!["2 levels of LOD left out: the first one, the finest, is taken"],
        ),
        (
            format!("Switch {{ choice [ {far} {b} ] whichChoice 1 }}"),
            vec!["1 choice of Switch not shown and left out, as whichChoice says"],
        ),
        (
            format!("{b} Switch {{ choice [ {far} {far} ] }}"),
            vec!["2 choices of Switch not shown and left out, as whichChoice says"],
        ),
        (
            format!("Collision {{ collide FALSE proxy {far} children {b} }}"),
            vec!["1 proxy of Collision left out: what is shown is taken"],
        ),
        (
            format!("Billboard {{ axisOfRotation 0 1 0 children {b} }}"),
            vec!["1 Billboard taken as written, though viewers turn such nodes to the eye"],
        ),
        (
            format!(
                "{b} Shape {{ geometry PointSet {{ coord Coordinate {{ point [ 100 0 0 ] }} }} }} Shape {{ geometry IndexedLineSet {{ }} }}"
            ),
            vec!["2 point or line nodes without surface ignored"],
        ),
        (
            format!(
                "{b} Shape {{ geometry Text {{ string [ \"A\" ] fontStyle FontStyle {{ }} }} }}"
            ),
            vec!["1 Text without a body ignored"],
        ),
        (
            format!(
                "DEF G Group {{ children {b} }} DEF S Script {{ eventOut SFRotation r field SFNode g USE G }} ROUTE S.r TO G.r"
            ),
            vec!["1 route and 1 script ignored: everything stays where the file puts it"],
        ),
        (
            format!(
                "PROTO P [ field SFFloat x 1 ] {{ Shape {{ geometry Sphere {{ radius IS x }} }} }} EXTERNPROTO E [] \"e.wrl\" {b} Viewpoint {{ position 0 0 9 }} PointLight {{ }} Shape {{ }}"
            ),
            vec![],
        ),
    ] {
        let loaded = load(&scene);
        assert_eq!(bounds(&loaded), [[-1.; 3], [1.; 3]], "{scene}");
        assert_eq!(loaded.notes, notes, "{scene}");
    }
}

#[test]
fn errors_name_line_and_column() {
    let set = |face: &str| {
        format!(
            "Shape {{ geometry IndexedFaceSet {{\ncoord Coordinate {{ point [ 0 0 0, 1 0 0,\n0 1 0 ] }}\ncoordIndex [ 0 1 2 -1\n{face} ] }} }}"
        )
    };
    for (scene, place, words) in [
        (
            "Inline { url \"a.wrl\" }",
            ":2:1:",
            "`Inline`, which reads another file, is not supported; export",
        ),
        (
            "Shape { geometry Extrusion { } }",
            ":2:18:",
            "`Extrusion` is not supported; export the shape as polygons",
        ),
        (
            "PROTO P [ ] { Group { } }\nP { }",
            ":3:1:",
            "`P`, a node that a prototype defines",
        ),
        (
            "PROTO P [ ] { Box { } }\nShape { geometry P { } }",
            ":3:18:",
            "prototype",
        ),
        (
            "EXTERNPROTO P [ ] [ \"a\" \"b\" ] Group { children [\nP { } ] }",
            ":3:1:",
            "prototype",
        ),
        (
            "Nurbs { }",
            ":2:1:",
            "unknown VRML97 node `Nurbs`; export the mesh without extensions of VRML97",
        ),
        (
            "Grup { }",
            ":2:1:",
            "unknown VRML97 node `Grup`; did you mean `Group`?",
        ),
        ("Shape { geometry Bx { } }", ":2:18:", "did you mean `Box`?"),
        ("Box { }", ":2:1:", "`Box` stands outside of a `Shape`"),
        (
            "Transform { tranlation 1 2 3 }",
            ":2:13:",
            "unknown field `tranlation`; for `Transform`, did you mean `translation`?",
        ),
        (
            "Transform { translation 1 2 3\ntranslation 4 5 6 }",
            ":3:1:",
            "`translation` is there twice in one `Transform`",
        ),
        (
            "Transform { translation 1 2 }",
            ":2:25:",
            "`translation` of `Transform` is not 3 numbers",
        ),
        (
            "Transform { translation 1,5 2 3 }",
            ":2:25:",
            "is not 3 numbers",
        ),
        (
            "Transform { scale 1 0 1 }",
            ":2:19:",
            "`scale` of `Transform` is `0`; no factor of a scale may be zero",
        ),
        (
            "Transform { rotation 0 0 0 1 }",
            ":2:1:",
            "the axis of `rotation` is `0 0 0`",
        ),
        (
            "Transform { scale 1e300 1 1 children Transform { scale 1e300 1 1 } }",
            ":2:38:",
            "beyond all numbers",
        ),
        (
            "Shape { geometry Box { size 1 -1 1 } }",
            ":2:29:",
            "`size` of `Box` is `-1`; it must be greater than zero",
        ),
        (
            "Shape { geometry Sphere { radius 0 } }",
            ":2:34:",
            "`radius` of `Sphere` is `0`",
        ),
        (
            "Shape { geometry Cylinder { top 1 } }",
            ":2:33:",
            "`top` of `Cylinder` is not TRUE or FALSE",
        ),
        (
            "Shape { geometry [ Box { } Box { } ] }",
            ":2:18:",
            "`geometry` of `Shape` is not a single node",
        ),
        (
            "Shape { geometry 5 }",
            ":2:18:",
            "not a node or a list of nodes",
        ),
        (
            "Group { children USE X }",
            ":2:22:",
            "unknown node `X`; `USE` names a node that `DEF` has named further up",
        ),
        (
            "DEF X Group { children [\nUSE X ] }",
            ":2:1:",
            "this node is within itself; remove the circle",
        ),
        (
            "Switch { whichChoice 3 choice Group { } }",
            ":2:1:",
            "`3`, of 1 choice; choices are counted from 0",
        ),
        (
            "Switch { whichChoice .5 choice Group { } }",
            ":2:22:",
            "write a whole number",
        ),
        (
            "Shape { geometry Sphere { radius nan } }",
            ":2:34:",
            "`radius` of `Sphere` is `NaN`; it must be finite",
        ),
        (
            "Shape { geometry Sphere { radius 1e999 } }",
            ":2:34:",
            "`inf`; it must be finite",
        ),
        (
            "Shape { geometry Sphere { radius 1.#QNAN\n} }",
            ":2:34:",
            "`NaN`; it must be finite",
        ),
        (&set("0 1 nan"), ":6:5:", "NaN is not an index"),
        (
            &set("0 1 2").replace("0 1 0 ]", "0 -1.#IND 0 ]"),
            ":4:3:",
            "a coordinate is `NaN`; every coordinate must be finite",
        ),
        (
            &set("0 1 2").replace("0 1 0 ]", "0 -nan 0 ]"),
            ":4:3:",
            "a coordinate is `NaN`",
        ),
        (
            "Shape { geometry ElevationGrid { xDimension 1 zDimension 2 height [ 0\n1e999 ] } }",
            ":3:1:",
            "a coordinate is `inf`",
        ),
        (
            "Shape { geometry Sphere { radius 1.0.0 } }",
            ":2:34:",
            "`1.0.0`",
        ),
        (
            "Shape { geometry Box { }",
            ":2:1:",
            "the file ends before what starts here is closed; the file may be cut off",
        ),
        ("Group { children [ Group { }", ":2:18:", "ends before"),
        ("PROTO P [ { ] } { }", ":2:13:", "`]` where `}` should be"),
        (
            "WorldInfo { title \"a }",
            ":2:19:",
            "a text in quotes does not end",
        ),
        (
            "Group { children [ Group { } 5 ] }",
            ":2:18:",
            "a list holds values of different kinds",
        ),
        ("} ", ":2:1:", "`}` where a node should be"),
        (
            "ROUTE a.b to c.d",
            ":2:14:",
            "a route `from.event TO to.event` should be",
        ),
        (
            "Viewpoint { }",
            ": ",
            "the mesh has no triangles; export it again",
        ),
        (&set("0 1 3 -1"), ":6:5:", "vertex 3 (counted from 0) of 3"),
        (&set("0 1 -2"), ":6:5:", "vertex -2"),
        (
            &set("0 1 1.5"),
            ":6:5:",
            "1.5 is not an index; write whole numbers",
        ),
        (
            &set("0 1 -1 0 1 2"),
            ":6:5:",
            "a face has 2 corners; a face needs three",
        ),
        (&set("0"), ":6:1:", "a face has 1 corner;"),
        (
            &set("0 1 2").replace("0 1 0 ]", "0 1 ]"),
            ":3:20:",
            "8 numbers are not whole points",
        ),
        (
            &set("0 1 2").replace("Coordinate", "Color"),
            ":3:7:",
            "`coord` is a `Color`; it must be",
        ),
    ] {
        let said = error(scene);
        assert!(
            said.starts_with(&format!("a.wrl{place}")) && said.contains(words),
            "{scene:?}: {said}"
        );
    }
}

#[test]
fn other_kinds_of_vrml_are_refused_with_a_remedy() {
    for (text, words) in [
        (
            "#VRML V1.0 ascii\nSeparator { }",
            "VRML 1.0, whose nodes mean other things, is not supported; export",
        ),
        ("#X3D V3.0 utf8\n", "X3D is not supported"),
        (
            "Shape { }",
            "the first line is `Shape { }`; a VRML97 file starts with `#VRML V2.0 utf8`",
        ),
        ("# VRML V2.0 utf8\n", "the first line is"),
    ] {
        let said = said(text);
        assert!(
            said.starts_with("a.wrl:1:1: ") && said.contains(words),
            "{said}"
        );
    }
    for name in ["a.wrl", "a.wrz"] {
        let said = parse(b"\x1f\x8b\x08\x00\xff", Path::new(name)).unwrap_err();
        let said = said.to_string();
        assert!(
            said.contains("gzip-compressed") && said.contains("gunzip -c"),
            "{said}"
        );
    }
    let marked = "\u{feff}#VRML V2.0 utf8 CosmoWorlds V1.0\r\nShape { geometry Box { } } # end";
    assert_eq!(whole(marked).mesh.triangles.len(), 12);
}

#[test]
fn a_few_lines_cannot_grow_without_bound() {
    // Every group shows the one before it ten times.
    let mut text = "DEF G0 Group { children Shape { geometry Box { } } }\n".to_owned();
    for i in 1..12 {
        let uses = format!("USE G{} ", i - 1).repeat(10);
        text += &format!("DEF G{i} Group {{ children [ {uses} ] }}\n");
    }
    let said = error(&text);
    assert!(
        said.contains("more than 1000000 nodes") || said.contains("20000000 triangles"),
        "{said}"
    );
}

/// How far a point is outside of a convex mesh that is wound outwards; negative inside.
fn outside(mesh: &Mesh, p: &Point3<f64>) -> f64 {
    (0..mesh.triangles.len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            (b - a).cross(&(c - a)).normalize().dot(&(p - a))
        })
        .fold(f64::NEG_INFINITY, f64::max)
}

/// The pieces of a mesh, and whether all are closed.
fn pieces(mesh: &Mesh) -> (Vec<Mesh>, bool) {
    let pieces = Pieces::new(&mesh.triangles, mesh.vertices.len());
    let part = |piece: usize| {
        let of_piece = |t: &usize| pieces.of[*t] as usize == piece;
        Mesh {
            vertices: mesh.vertices.clone(),
            triangles: (0..mesh.triangles.len())
                .filter(of_piece)
                .map(|t| mesh.triangles[t])
                .collect(),
        }
    };
    assert!(!pieces.turned.contains(&true), "neighbours agree");
    let all = (0..pieces.closed.len()).map(part).collect();
    (all, !pieces.closed.contains(&false))
}

#[test]
fn solid_round_shapes_lie_between_two_closed_surfaces() {
    let mut r = Random(11);
    for radius in [1e-4, 0.07, 1.0, 40.0] {
        let height = radius * (0.3 + 3.0 * r.unit());
        let turn = std::f64::consts::TAU;
        for (shape, what) in [
            (round::sphere(radius), 0),
            (round::cylinder(radius, height, true, true, true), 1),
            (round::cone(radius, height, true, true), 2),
        ] {
            assert!(shape.excess > 0.0 && shape.excess < 1.2e-3 * radius);
            let (parts, closed) = pieces(&shape.mesh);
            assert!(closed && parts.len() == 2);
            let [outer, inner] = &parts[..] else {
                unreachable!()
            };
            assert!(volume(outer) > volume(inner) && volume(inner) > 0.0);
            for _ in 0..500 {
                let (a, up) = (turn * r.unit(), r.unit());
                let ring = |r: f64, y: f64| Point3::new(r * a.sin(), y, r * a.cos());
                // A point of the curved surface, and its direction outwards.
                let p = match what {
                    0 => ring(
                        radius * (1.0 - (2.0 * up - 1.0).powi(2)).sqrt(),
                        radius * (2.0 * up - 1.0),
                    ),
                    1 => ring(radius, height * (up - 0.5)),
                    _ => ring(radius * (1.0 - up), height * (up - 0.5)),
                };
                assert!(outside(outer, &p) < 1e-15 * radius, "{what} {p}");
                assert!(outside(inner, &p) > -1e-15 * radius, "{what} {p}");
            }
            // No corner stands out by more than the excess.
            for p in outer
                .triangles
                .iter()
                .flatten()
                .map(|&v| outer.vertices[v as usize])
            {
                let allowed = match what {
                    0 => radius,
                    1 => radius,
                    _ => radius * (0.5 - p.y / height),
                };
                let from_axis = if what == 0 {
                    p.coords.norm()
                } else {
                    p.x.hypot(p.z)
                };
                assert!(from_axis - allowed <= shape.excess);
                assert!(what == 0 || p.y.abs() == height / 2.0);
            }
        }
    }
}

#[test]
fn pipes_and_cups_are_walls_and_what_is_left_are_disks() {
    let (radius, height) = (0.5, 2.0);
    let ball = |top, bottom| round::cylinder(radius, height, true, top, bottom);
    let thin = std::f64::consts::TAU * radius * height * 1e-3;
    for (round, corners) in [
        (ball(false, false), 4),
        (ball(true, false), 4),
        (ball(false, true), 4),
        (round::cone(radius, height, true, false), 2),
    ] {
        let (parts, closed) = pieces(&round.mesh);
        assert!(closed && parts.len() == 1);
        let volume = volume(&round.mesh);
        assert!(volume > 0.0 && volume < thin, "{volume}");
        assert!(round.mesh.vertices.len() >= corners * round::SIDES as usize);
    }
    // The inside of a pipe is not full.
    let loaded = load("Shape { geometry Cylinder { radius .5 top FALSE bottom FALSE } }");
    assert!(loaded.mesh.triangles.len() == 8 * round::SIDES as usize);
    let disk = round::cylinder(radius, height, false, true, false).mesh;
    assert_eq!(disk.triangles.len(), round::SIDES as usize - 2);
    assert!(
        disk.triangles
            .iter()
            .flatten()
            .all(|&v| disk.vertices[v as usize].y == 1.0)
    );
    let [a, b, c] = disk.corners(0);
    assert!((b - a).cross(&(c - a)).y > 0.0);
    let bottom = round::cone(radius, height, false, true).mesh;
    let [a, b, c] = bottom.corners(0);
    assert!((b - a).cross(&(c - a)).y < 0.0 && a.y == -1.0);
}

#[test]
fn how_far_round_shapes_stand_out_is_said_after_all_transforms() {
    let loaded = load(
        "Transform { scale 10 10 10 rotation 1 1 1 1 children [ Shape { geometry Cylinder { } } Shape { geometry DEF C Cone { } } Shape { geometry USE C } ] }",
    );
    let excess = 10.0 * ((1.0 / (std::f64::consts::PI / f64::from(round::SIDES)).cos()) - 1.0);
    let shown = format!(
        "3 round shapes (sphere, cylinder, cone) between triangles that stand out by at most {:.2e}, in the file's unit",
        excess * 1.01
    );
    assert_eq!(loaded.notes, [shown]);
}
