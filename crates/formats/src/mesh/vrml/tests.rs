use std::path::Path;

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::mesh::Mesh;
use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::mesh::{LoadedMesh, parse};

mod curved;
mod errors;

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
    let around = loaded.mesh.bounds().unwrap();
    [around.min, around.max].map(|p| [p.x, p.y, p.z])
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
    assert!(near(&nested.mesh.bounds().unwrap().min, [8.5, -0.5, -0.5]));
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
    let around = Aabb {
        min: Point3::new(-0.5, -0.5, -0.5),
        max: Point3::new(3.5, 9.5, 0.5),
    };
    assert_eq!(loaded.mesh.bounds(), Some(around));
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
