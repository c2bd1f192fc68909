//! Meshes of bodies that the cell file names, and what can be read of them in two ways.

use clearance_proof::report::{Code, Diagnostic};

use super::*;

/// A triangle in COLLADA, with what the document says of itself.
fn collada(asset: &str) -> String {
    format!(
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>{asset}</asset>\
         <library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='9'>0 0 0 1 0 0 0 2 0\
         </float_array><technique_common><accessor source='#pa' count='3' stride='3'><param name='X'/>\
         <param name='Y'/><param name='Z'/></accessor></technique_common></source>\
         <vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='1'><input \
         semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>\
         <library_visual_scenes><visual_scene id='s'><node><instance_geometry url='#g'/></node></visual_scene>\
         </library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    )
}

/// A cell with a body of a mesh file of that name and text.
fn with_mesh(name: &str, text: &str, body: &str) -> Result<Cell, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("arm.urdf"), ARM).unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let file = folder.path().join("cell.toml");
    std::fs::write(&file, format!("{ROBOT}{body}")).unwrap();
    load_cell(&file, &LoadOptions::default()).map(|loaded| loaded.cell)
}

fn open(cell: &Cell, code: Code) -> Vec<&Diagnostic> {
    let notices = cell.notices.iter();
    notices.filter(|n| n.is_open() && n.code == code).collect()
}

/// The farthest that the last body reaches along z.
fn height(cell: &Cell) -> f64 {
    let Form::Mesh { mesh, .. } = &cell.bodies.last().unwrap().shapes[0].form else {
        panic!("a mesh")
    };
    mesh.vertices.iter().map(|p| p.z).fold(0.0, f64::max)
}

/// Catches a body that is turned although its exporter wrote an up axis over a mesh that it did not
/// turn.
#[test]
fn the_up_axis_of_a_body_is_a_question_until_it_is_stated() {
    let of = |asset: &str, keys: &str, section: &str| {
        let body = format!("[[{section}]]\nname = \"o\"\nmesh = \"o.dae\"\n{keys}\n");
        with_mesh("o.dae", &collada(asset), &body).unwrap()
    };
    for (section, keys) in [
        ("obstacle", ""),
        ("free", ""),
        ("attach", "parent = \"tool0\""),
    ] {
        for asset in ["<up_axis>Y_UP</up_axis>", ""] {
            let cell = of(asset, keys, section);
            let [asked] = open(&cell, Code::UpAxis)[..] else {
                panic!("{section} {asset}: {:?}", cell.notices)
            };
            assert_eq!((asked.subject.as_str(), height(&cell)), ("o", 2.0));
            assert!(asked.message.contains("`dae_up_axis = \"apply\"`"));
            let place = asked.place.as_ref().unwrap();
            assert_eq!(place.line, Some(4), "{place}");
        }
        assert!(
            open(&of("<up_axis>Z_UP</up_axis>", keys, section), Code::UpAxis).is_empty(),
            "{section}"
        );
        for (rule, expected) in [("apply", 2.0), ("ignore", 0.0)] {
            let keys = format!("{keys}\ndae_up_axis = \"{rule}\"");
            let cell = of("<up_axis>Y_UP</up_axis>", &keys, section);
            assert!(cell.notices.is_empty(), "{:?}", cell.notices);
            assert_eq!(height(&cell), expected, "{section} {rule}");
        }
    }
    let said = with_mesh(
        "o.stl",
        "",
        "[[obstacle]]\nname = \"o\"\nmesh = \"o.stl\"\ndae_up_axis = \"apply\"\n",
    );
    let said = said.unwrap_err().to_string();
    assert!(said.contains("`dae_up_axis` is for COLLADA"), "{said}");
}

/// Catches a mesh a tenth as large as its exporter meant, with nothing but a note.
#[test]
fn a_unit_whose_name_contradicts_its_number_is_a_question_until_the_scale_is_stated() {
    let of = |unit: &str, keys: &str| {
        let body = format!("[[obstacle]]\nname = \"o\"\nmesh = \"o.dae\"\n{keys}\n");
        let asset = format!("<unit {unit}/><up_axis>Z_UP</up_axis>");
        with_mesh("o.dae", &collada(&asset), &body).unwrap()
    };
    for unit in ["name='meter' meter='0.1'", "name='inch'"] {
        let cell = of(unit, "");
        let [asked] = open(&cell, Code::MeshFile)[..] else {
            panic!("{:?}", cell.notices)
        };
        assert!(asked.message.contains("state its `scale`"), "{asked:?}");
        for keys in ["scale = 1", "scale = 10"] {
            assert!(of(unit, keys).notices.is_empty(), "{unit} {keys}");
        }
    }
    assert!(of("name='millimeter' meter='0.001'", "").notices.is_empty());
    // In a URDF likewise, where exporters write "1 1 1" over every mesh.
    let arm = |scale: &str| {
        let folder = tempfile::tempdir().unwrap();
        let urdf = folder.path().join("arm.urdf");
        let text = format!(
            "<robot name='r'><link name='base'><collision><geometry><mesh filename='o.dae' {scale}/></geometry>\
             </collision></link></robot>"
        );
        std::fs::write(&urdf, text).unwrap();
        let asset = "<unit name='meter' meter='0.1'/><up_axis>Z_UP</up_axis>";
        std::fs::write(folder.path().join("o.dae"), collada(asset)).unwrap();
        let loaded = load_robot(&urdf, &[], &LoadOptions::default());
        loaded.unwrap().cell
    };
    for scale in ["", "scale='1 1 1'"] {
        let cell = arm(scale);
        let [asked] = open(&cell, Code::MeshFile)[..] else {
            panic!("{scale}: {:?}", cell.notices)
        };
        assert!(asked.message.contains("correct <unit>"), "{asked:?}");
    }
    assert!(arm("scale='10 10 10'").notices.is_empty());
}

/// Regression: an OBJ that says `# File units = inches` was taken for metres without a word, and a
/// plate of 40 inches left 1 m of room that was not there.
#[test]
fn a_unit_in_a_comment_is_a_question_until_the_scale_is_stated() {
    let of = |file: &str, text: &str, keys: &str| {
        let body = format!("[[obstacle]]\nname = \"o\"\nmesh = \"{file}\"\n{keys}\n");
        with_mesh(file, text, &body).unwrap()
    };
    let obj = |comment: &str| format!("{comment}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let ply = |comment: &str| {
        format!(
            "ply\nformat ascii 1.0\ncomment {comment}\nelement vertex 3\nproperty float x\nproperty float y\n\
             property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n\
             0 1 0\n3 0 1 2\n"
        )
    };
    let stl = |name: &str| {
        format!(
            "solid {name}\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
             endfacet\nendsolid {name}\n"
        )
    };
    let vrml = |line: &str| {
        format!("#VRML V2.0 utf8\n{line}\nShape {{ geometry Box {{ size 1 1 1 }} }}\n")
    };
    let binary = |heading: &str| {
        let mut bytes = format!("{heading:80}").into_bytes();
        bytes.extend(1u32.to_le_bytes());
        // 2 m, of which the bytes are text.
        let corners = [
            0.0f32, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0,
        ];
        bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0, 0]);
        String::from_utf8(bytes).unwrap()
    };
    for (file, text, factor) in [
        ("o.obj", obj("# File units = inches"), "0.0254"),
        ("o.obj", obj("# Units: mm"), "0.001"),
        ("o.ply", ply("units: mm"), "0.001"),
        ("o.stl", stl("plate units=cm"), "0.01"),
        ("o.wrl", vrml("# units: feet"), "0.3048"),
        ("o.wrl", vrml("Group { } # units: feet"), "0.3048"),
        ("o.stl", binary("COLOR=white, UNITS=mm"), "0.001"),
    ] {
        let cell = of(file, &text, "");
        let [asked] = open(&cell, Code::MeshFile)[..] else {
            panic!("{text} {:?}", cell.notices)
        };
        let told = &asked.message;
        assert!(told.contains(&format!("{factor} by that line")), "{told}");
        assert!(of(file, &text, "scale = 1").notices.is_empty(), "{text}");
    }
    for said in [
        "# File units = meters",
        "# unit 3 of the plant",
        "# 12 mm bolts",
    ] {
        assert!(of("o.obj", &obj(said), "").notices.is_empty(), "{said}");
    }
    for (text, is_told) in [
        ("WorldInfo { title \"# units: feet\" }", false),
        ("WorldInfo { title \"a\n# units: feet\" }", false),
        ("WorldInfo { title \"a\nb\" } # units: feet", true),
    ] {
        let cell = of("o.wrl", &vrml(text), "");
        assert_eq!(!cell.notices.is_empty(), is_told, "{text}");
    }
}

/// Catches a bent face of which the verdict depends on the diagonal that it is cut along.
#[test]
fn a_bent_polygon_is_a_question_where_the_bend_is_large() {
    let of = |z: f64, keys: &str| {
        let text = format!("v 0 0 0\nv 1 0 {z}\nv 1 1 0\nv 0 1 {z}\nf 1 2 3 4\n");
        let body = format!("[[obstacle]]\nname = \"o\"\nmesh = \"o.obj\"\n{keys}\n");
        with_mesh("o.obj", &text, &body).unwrap()
    };
    let cell = of(0.1, "");
    let [asked] = open(&cell, Code::MeshFile)[..] else {
        panic!("{:?}", cell.notices)
    };
    assert!(asked.message.contains("up to 100.00 mm away"), "{asked:?}");
    assert!(asked.message.contains("triangulate the mesh"), "{asked:?}");
    assert_eq!(open(&of(0.1, "scale = 1"), Code::MeshFile).len(), 1);
    // In metres it is what counts: 0.09 mm, and flat.
    assert!(of(0.1, "scale = 0.0009").notices.is_empty());
    assert!(of(0.0, "").notices.is_empty());
    // The size in the cell: 0.11 mm is too much, be it by one factor alone.
    for (z, keys) in [(0.1, "scale = 0.0011"), (1.1e-6, "scale = [1, 1, 100]")] {
        let asked = of(z, keys);
        assert_eq!(open(&asked, Code::MeshFile).len(), 1, "{keys}");
    }
}

/// Catches a bend that counts for nothing beside the size of its polygon: 16.5 mm in the middle of
/// 20 m.
#[test]
fn a_bend_counts_however_large_its_polygon_is() {
    let corners = [
        "10 -10 0.0585",
        "10 10 0.042",
        "-10 10 0.0585",
        "-10 -10 0.042",
    ];
    let points = corners.join(" ");
    let obj = format!("v {}\nf 1 2 3 4\n", corners.join("\nv "));
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
         element face 1\nproperty list uchar int vertex_indices\nend_header\n{}\n4 0 1 2 3\n",
        corners.join("\n")
    );
    let wrl = format!(
        "#VRML V2.0 utf8\nShape {{ geometry IndexedFaceSet {{ coord Coordinate {{ point [ {} ] }} \
         coordIndex [ 0 1 2 3 -1 ] }} }}\n",
        corners.join(", ")
    );
    let dae = collada("<up_axis>Z_UP</up_axis>")
        .replace("0 0 0 1 0 0 0 2 0", &points)
        .replace("count='9'", "count='12'")
        .replace("count='3' stride", "count='4' stride")
        .replace("<triangles count='1'>", "<polylist count='1'>")
        .replace(
            "<p>0 1 2</p></triangles>",
            "<vcount>4</vcount><p>0 1 2 3</p></polylist>",
        );
    // The corners in millimetres, made large by the unit of the file or by its scene.
    let unit = "<unit name='m' meter='1000'/>";
    let small = |text: &str| {
        text.replace(
            &points,
            "0.01 -0.01 585e-7 0.01 0.01 42e-6 -0.01 0.01 585e-7 -0.01 -0.01 42e-6",
        )
    };
    let by_unit = small(&dae).replace("<asset>", &format!("<asset>{unit}"));
    let by_scene = small(&dae).replace("<node>", "<node><scale>1 1 1000</scale>");
    for (file, text) in [
        ("o.obj", obj),
        ("o.ply", ply),
        ("o.wrl", wrl),
        ("o.dae", dae),
        ("o.dae", by_unit),
        ("o.dae", by_scene),
    ] {
        let of = |keys: &str| {
            let body = format!("[[obstacle]]\nname = \"o\"\nmesh = \"{file}\"\n{keys}\n");
            with_mesh(file, &text, &body).unwrap()
        };
        let cell = of("scale = 1");
        let [asked] = open(&cell, Code::MeshFile)[..] else {
            panic!("{file} {:?}", cell.notices)
        };
        assert!(asked.message.contains("up to 16.50 mm away"), "{asked:?}");
        assert!(of("scale = 0.001").notices.is_empty(), "{file}");
    }
}

/// Catches a radius that leaves gaps between all points.
#[test]
fn a_cloud_of_single_balls_has_a_notice() {
    let points: String = (0..100)
        .map(|k| {
            format!(
                "0.8 {} {}\n",
                f64::from(k % 10) * 0.05,
                f64::from(k / 10) * 0.05
            )
        })
        .collect();
    let of = |radius: &str| {
        let body = format!(
            "[[obstacle]]\nname = \"o\"\ncloud = \"o.xyz\"\nunit = \"m\"\nradius = \"{radius}\"\n"
        );
        with_mesh("o.xyz", &points, &body).unwrap()
    };
    let cell = of("5mm");
    let [said] = &cell.notices[..] else {
        panic!("{:?}", cell.notices)
    };
    assert_eq!((said.subject.as_str(), said.code), ("o", Code::CloudFile));
    assert!(!said.is_open());
    let numbers = "of 100 points that were looked at, 100 have no other one within 2 radii (10.0 mm), and the nearest is 50.0 mm";
    assert!(said.message.contains(numbers), "{said:?}");
    assert!(of("40mm").notices.is_empty());
}

/// Catches a room in metres that is read as millimetres, and then in nobody's way.
#[test]
fn a_scan_in_the_wrong_unit_leaves_the_question_open() {
    let points: String = (0..400)
        .map(|k| {
            format!(
                "0.8 {} {}\n",
                f64::from(k % 20) * 0.05,
                f64::from(k / 20) * 0.05
            )
        })
        .collect();
    let of = |unit: &str| {
        let body = format!(
            "[[obstacle]]\nname = \"o\"\ncloud = \"o.xyz\"\nunit = \"{unit}\"\nradius = \"40mm\"\n"
        );
        with_mesh("o.xyz", &points, &body).unwrap()
    };
    assert!(of("m").notices.is_empty());
    let cell = of("mm");
    let [said] = &cell.notices[..] else {
        panic!("{:?}", cell.notices)
    };
    assert_eq!(
        (said.subject.as_str(), said.code),
        ("o", Code::SuspiciousScale)
    );
    assert!(said.is_open() && said.place.is_some(), "{said:?}");
    assert!(
        said.message.starts_with("its 400 points lie within"),
        "{said:?}"
    );
    assert!(said.message.contains("correct its `unit`"), "{said:?}");
}

/// The same for an obstacle of the command line.
#[test]
fn the_up_axis_of_an_obstacle_beside_a_robot_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("arm.urdf"), ARM).unwrap();
    std::fs::write(path("post.dae"), collada("<up_axis>Y_UP</up_axis>")).unwrap();
    let loaded = load_robot(
        &path("arm.urdf"),
        &[path("post.dae")],
        &LoadOptions::default(),
    );
    let cell = loaded.unwrap().cell;
    assert_eq!(open(&cell, Code::UpAxis)[0].subject, "post");
}
