//! Refused files, and how the message explains it.

use super::*;

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
        // Its name may be that of a node without a surface, or of any other one.
        (
            "PROTO MetadataSet [ ] { Shape { geometry Box { } } }\nMetadataSet { }",
            ":3:1:",
            "`MetadataSet`, a node that a prototype defines",
        ),
        (
            "PROTO Group [ ] { Shape { geometry Box { } } }\nGroup { }",
            ":3:1:",
            "`Group`, a node that a prototype defines",
        ),
        (
            "PROTO Text [ ] { Box { } }\nShape { geometry Text { } }",
            ":3:18:",
            "`Text`, a node that a prototype defines",
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
        said.contains("more than 1000000 nodes")
            || said.contains("more than 4000000 triangles, from 12 "),
        "{said}"
    );
}
