//! All formats together: what is written is read, and no bytes whatever make a reader panic.

use std::path::Path;

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::mesh::Mesh;
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::{LoadedMesh, load, parse};
use crate::ImportError;

/// A mesh in every form that is read, by the extension that its name has.
fn written(mesh: &Mesh) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a.stl", stl_text(mesh).into_bytes()),
        ("b.stl", stl_binary(mesh)),
        ("c.obj", obj(mesh).into_bytes()),
        ("d.ply", ply(mesh, "ascii")),
        ("e.ply", ply(mesh, "binary_little_endian")),
        ("f.ply", ply(mesh, "binary_big_endian")),
        ("g.dae", dae(mesh).into_bytes()),
        ("h.wrl", wrl(mesh).into_bytes()),
    ]
}

fn triangles(mesh: &Mesh) -> Vec<[Point3<f64>; 3]> {
    (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect()
}

fn stl_text(mesh: &Mesh) -> String {
    let mut text = "solid test\n".to_owned();
    for corners in triangles(mesh) {
        text += " facet normal 0 0 0\n  outer loop\n";
        for p in corners {
            text += &format!("   vertex {:e} {} {}\n", p.x, p.y, p.z);
        }
        text += "  endloop\n endfacet\n";
    }
    text + "endsolid test\n"
}

fn stl_binary(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = b"solid in name only".to_vec();
    bytes.resize(80, 0);
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for corners in triangles(mesh) {
        bytes.extend([0; 12]);
        for x in corners.iter().flat_map(|p| p.iter()) {
            bytes.extend((*x as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn obj(mesh: &Mesh) -> String {
    let mut text = "# test\no test\n".to_owned();
    for p in &mesh.vertices {
        text += &format!("v {} {} {:e}\n", p.x, p.y, p.z);
    }
    for (i, t) in mesh.triangles.iter().enumerate() {
        if i % 5 == 0 {
            text += &format!("usemtl m{i}\n");
        }
        let [a, b, c] = t.map(|v| v + 1);
        let n = mesh.vertices.len() as i64;
        text += &format!("f {a}/1/1 {}//2 {c}\n", i64::from(b) - n - 1);
    }
    text
}

fn ply(mesh: &Mesh, format: &str) -> Vec<u8> {
    let header = format!(
        "ply\nformat {format} 1.0\nelement vertex {}\nproperty double x\nproperty float y\nproperty double z\n\
         element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.vertices.len(),
        mesh.triangles.len()
    );
    if format == "ascii" {
        let vertices = mesh
            .vertices
            .iter()
            .map(|p| format!("{} {} {}\n", p.x, p.y, p.z));
        let faces = mesh
            .triangles
            .iter()
            .map(|[a, b, c]| format!("3 {a} {b} {c}\n"));
        return (header + &vertices.chain(faces).collect::<String>()).into_bytes();
    }
    let mut bytes = header.into_bytes();
    let big = format.contains("big");
    let mut put = |little: &[u8]| {
        if big {
            bytes.extend(little.iter().rev())
        } else {
            bytes.extend(little)
        }
    };
    for p in &mesh.vertices {
        put(&p.x.to_le_bytes());
        put(&(p.y as f32).to_le_bytes());
        put(&p.z.to_le_bytes());
    }
    for t in &mesh.triangles {
        put(&[3]);
        t.iter().for_each(|v| put(&v.to_le_bytes()));
    }
    bytes
}

fn dae(mesh: &Mesh) -> String {
    let numbers: String = mesh
        .vertices
        .iter()
        .map(|p| format!("{} {} {}\n", p.x, p.y, p.z))
        .collect();
    let corners: String = mesh
        .triangles
        .iter()
        .map(|[a, b, c]| format!("{a} 0 {b} 0 {c} 0 "))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<COLLADA version=\"1.4.1\"><asset><up_axis>Z_UP</up_axis></asset>\n\
         <library_geometries><geometry id=\"g\"><mesh><source id=\"s\"><float_array id=\"a\" count=\"{}\">{numbers}</float_array>\
         <technique_common><accessor source=\"#a\" count=\"{}\" stride=\"3\"><param name=\"X\"/><param name=\"Y\"/>\
         <param name=\"Z\"/></accessor></technique_common></source>\n<vertices id=\"v\"><input semantic=\"POSITION\" \
         source=\"#s\"/></vertices>\n<triangles count=\"{}\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>\
         <input semantic=\"NORMAL\" source=\"#n\" offset=\"1\"/><p>{corners}</p></triangles></mesh></geometry></library_geometries>\n\
         <library_visual_scenes><visual_scene id=\"c\"><node><translate>0 0 0</translate><rotate>0 0 1 0</rotate>\
         <scale>1 1 1</scale><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>\
         <scene><instance_visual_scene url=\"#c\"/></scene></COLLADA>\n",
        3 * mesh.vertices.len(),
        mesh.vertices.len(),
        mesh.triangles.len()
    )
}

fn wrl(mesh: &Mesh) -> String {
    let points = mesh
        .vertices
        .iter()
        .map(|p| format!("{} {} {:e},\n", p.x, p.y, p.z));
    let faces = mesh
        .triangles
        .iter()
        .map(|[a, b, c]| format!("{a},{b}, {c} -1\n"));
    format!(
        "#VRML V2.0 utf8\n# test\nDEF top-1 Transform {{ children [ Shape {{ appearance Appearance {{ material DEF m Material {{ \
         diffuseColor .5 0.5 1 }} }}\ngeometry IndexedFaceSet {{ creaseAngle 0.5 solid FALSE\ncoord Coordinate {{ point [\n{}] }}\n\
         coordIndex [\n{}] }} }} ] }}\n",
        points.collect::<String>(),
        faces.collect::<String>()
    )
}

fn any_mesh() -> impl Strategy<Value = Mesh> {
    // Numbers that single precision holds, since two of the forms have no other.
    let vertex = prop::array::uniform3(prop_oneof![-3..4i32, Just(0)].prop_flat_map(|whole| {
        (-1.0..1.0f32).prop_map(move |part| f64::from(part + whole as f32))
    }));
    prop::collection::vec(vertex, 1..30).prop_flat_map(|vertices| {
        let index = 0..vertices.len() as u32;
        let faces = prop::collection::vec(prop::array::uniform3(index), 1..40);
        faces.prop_map(move |triangles| Mesh {
            vertices: vertices.iter().map(|&p| Point3::from(p)).collect(),
            triangles,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_written_is_read(mesh in any_mesh()) {
        for (name, bytes) in written(&mesh) {
            let loaded = parse(&bytes, Path::new(name)).unwrap();
            prop_assert_eq!(triangles(&loaded.mesh), triangles(&mesh), "{}", name);
        }
    }
}

/// A fixed sequence without pattern (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

fn tetrahedron() -> Mesh {
    Mesh {
        vertices: [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]
            .map(Point3::from)
            .to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    }
}

/// Files with everything that the readers know, and not only what the writers above write.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let mut samples = written(&tetrahedron());
    samples.push((
        "h.obj",
        b"mtllib a\nv 0 0 0\nv 2 2 0\nv 0 1 0 1 1 1\nv -2 2 0\nv 0 0 9\nvt 0 0\nvn 0 0 1\ng a b\nf -5/1/1 2//1 \\\n 3 4\nl 1 2\ns off\nf 1 3 5\n".to_vec(),
    ));
    let dae = String::from_utf8(dae(&tetrahedron()).into_bytes()).unwrap();
    samples.push((
        "i.dae",
        dae.replace("<triangles", "<polylist count='1'><input semantic='VERTEX' source='#v' offset='0'/><vcount>4</vcount><p>0 1 2 3</p></polylist><tristrips count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 3</p></tristrips><triangles")
            .replace("<node>", "<node id='m'><matrix>1 0 0 0 0 1 0 0 0 0 -1 0 0 0 0 1</matrix><instance_node url='#k'/></node><node id='k'>")
            .replace("<up_axis>Z", "<unit meter='0.01'/><up_axis>X")
            .into_bytes(),
    ));
    samples.push(("j.wrl", WRL.into()));
    samples
}

const WRL: &str = r#"#VRML V2.0 utf8 by hand
Group { children [
  WorldInfo { title "a \"b\" # c" info [ "d", "e" ] }
  PROTO P [ exposedField SFColor c 1 0 0 field MFString s [] eventIn SFTime t ] { Material { diffuseColor IS c } }
  EXTERNPROTO Q [ field SFFloat x ] [ "q.wrl" ]
  Script { eventIn SFTime t field SFInt32 n 0xff field SFNode m USE_not_this {} url "javascript: {[" directOutput TRUE }
  DEF T Transform { translation 1 2 3 rotation 0 0 1 .5 scale 1 1 -1 center 0 1 0 scaleOrientation 1 1 0 0.3
    children Shape { geometry DEF B Box { size 1 2 3 } } }
  Switch { whichChoice 1 choice [ USE T Group { children [ Shape { geometry USE B } ] } ] }
  LOD { range [ 5 ] level [ Shape { geometry Cone { side FALSE } } Shape { geometry Box { } } ] }
  Collision { collide FALSE proxy Group { } children Billboard { children Shape { geometry Cylinder { bottom FALSE top FALSE side FALSE } } } }
  Anchor { url "x" children Shape { geometry IndexedLineSet { coord NULL coordIndex [ 0 1 -1 ] } } }
  Shape { appearance Appearance { texture PixelTexture { image 1 1 3 0xFF0000 } }
    geometry ElevationGrid { xDimension 2 zDimension 3 height [ 0 0 0 1 .5 0 ] ccw FALSE } }
  Shape { geometry IndexedFaceSet { convex FALSE coord DEF C Coordinate { point [ 0 0 0, 2 2 0, 0 1 0, -2 2 0 ] } coordIndex [ 0 1 2 3 ] } }
  ROUTE T.rotation TO T.rotation
] }
"#;

fn mutated(bytes: &[u8], chance: &mut Chance) -> Vec<u8> {
    const TOKENS: [&[u8]; 20] = [
        b"4294967295",
        b"-1",
        b"nan",
        b"inf",
        b"1e308",
        b"-1e308",
        b"99999999999999999999",
        b"0",
        b"\xff\xff\xff\xff",
        b"\xff\xff\xff\x7f",
        b"\0\0\0\0",
        b"\0\0\x80\x7f",
        b"\n",
        b" ",
        b"<",
        b"/>",
        b"#",
        b"\xc3",
        b"&a;",
        b"\\\n",
    ];
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + chance.below(2) {
        let at = chance.below(bytes.len());
        let end = (at + 1 + chance.below(12)).min(bytes.len());
        match chance.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << chance.below(8);
                }
            }
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = chance.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            4 => drop(bytes.splice(at..at, chance.one_of(&TOKENS).iter().copied())),
            5 => bytes.extend_from_within(at..end),
            _ => {
                // A word of the text becomes another one.
                let word = |b: &u8| b.is_ascii_alphanumeric() || b"-.".contains(b);
                let start = bytes[..at]
                    .iter()
                    .rposition(|b| !word(b))
                    .map_or(0, |i| i + 1);
                let end = bytes[at..]
                    .iter()
                    .position(|b| !word(b))
                    .map_or(bytes.len(), |i| at + i);
                bytes.splice(start..end, chance.one_of(&TOKENS).iter().copied());
            }
        }
    }
    bytes
}

/// A mesh that left a reader can be trusted; an error has something to say.
fn assert_sound(result: &Result<LoadedMesh, ImportError>, name: &str) {
    match result {
        Ok(LoadedMesh { mesh, .. }) => {
            assert!(!mesh.triangles.is_empty(), "{name}");
            assert!(
                mesh.triangles
                    .iter()
                    .flatten()
                    .all(|&v| (v as usize) < mesh.vertices.len()),
                "{name}"
            );
            assert!(
                mesh.vertices
                    .iter()
                    .flat_map(|v| v.iter())
                    .all(|x| x.is_finite()),
                "{name}"
            );
        }
        Err(e) => assert!(e.to_string().contains("; "), "no remedy: {e}"),
    }
}

#[test]
fn damaged_files_give_a_sound_mesh_or_an_error() {
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let (mut fine, mut refused) = (0, 0);
    for (name, bytes) in samples() {
        assert!(parse(&bytes, Path::new(name)).is_ok(), "{name}");
        for _ in 0..3000 {
            let damaged = mutated(&bytes, &mut chance);
            let result = parse(&damaged, Path::new(name));
            assert_sound(&result, name);
            *if result.is_ok() {
                &mut fine
            } else {
                &mut refused
            } += 1;
        }
    }
    // The damage is neither always fatal nor always harmless: both ways are walked.
    assert!(fine > 1000 && refused > 1000, "{fine} {refused}");
}

#[test]
fn files_that_are_cut_off_never_lose_triangles() {
    for (name, bytes) in samples() {
        let all = parse(&bytes, Path::new(name)).unwrap().mesh.triangles.len();
        for end in 0..bytes.len() {
            let result = parse(&bytes[..end], Path::new(name));
            if !name.ends_with("obj") {
                // OBJ has no end mark: what is cut off after a face is a smaller, valid file.
                assert!(
                    result.as_ref().is_ok_and(|l| l.mesh.triangles.len() == all) || result.is_err(),
                    "{name} {end}"
                );
            }
            assert_sound(&result, name);
        }
    }
}

#[test]
fn any_bytes_may_have_any_name() {
    let mut chance = Chance(7);
    for (_, bytes) in samples() {
        for name in ["a.stl", "a.obj", "a.ply", "a.dae", "a.wrl"] {
            assert_sound(&parse(&bytes, Path::new(name)), name);
        }
    }
    for _ in 0..2000 {
        let bytes: Vec<u8> = (0..1 + chance.below(200))
            .map(|_| chance.below(256) as u8)
            .collect();
        for name in ["a.stl", "a.obj", "a.ply", "a.dae", "a.wrl"] {
            assert!(parse(&bytes, Path::new(name)).is_err());
        }
    }
}

#[test]
fn deep_xml_does_not_exhaust_the_stack() {
    let deep = format!(
        "<COLLADA>{}{}</COLLADA>",
        "<x>".repeat(200_000),
        "</x>".repeat(200_000)
    );
    assert!(parse(deep.as_bytes(), Path::new("a.dae")).is_err());
}

#[test]
fn deep_vrml_does_not_exhaust_the_stack() {
    for (open, close) in [("Group{children[", "]}"), ("x[", "]"), ("{", "}")] {
        for (before, after) in [("", ""), ("PROTO P[]{", "}"), ("P{x ", "}")] {
            let deep = format!(
                "#VRML V2.0 utf8\n{before}{}{}{after}",
                open.repeat(100_000),
                close.repeat(100_000)
            );
            assert!(parse(deep.as_bytes(), Path::new("a.wrl")).is_err());
        }
    }
}

#[test]
fn files_are_loaded_by_any_case_of_their_extension_and_scaled() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in written(&tetrahedron()) {
        let path = folder.path().join(name.to_uppercase());
        std::fs::write(&path, bytes).unwrap();
        let plain = load(&path, Vector3::repeat(1.0)).unwrap().mesh;
        assert_eq!(triangles(&plain), triangles(&tetrahedron()));
        let mirrored = load(&path, Vector3::new(1., -0.5, 2.)).unwrap().mesh;
        assert_eq!(
            mirrored.bounds(),
            Some(Aabb {
                min: Point3::new(0., -0.5, 0.),
                max: Point3::new(1., 0., 2.),
            })
        );
        // Outside stays outside: the signed volume keeps its sign.
        let volume = |m: &Mesh| {
            triangles(m)
                .iter()
                .map(|[a, b, c]| a.coords.dot(&b.coords.cross(&c.coords)))
                .sum::<f64>()
        };
        assert!(volume(&plain) > 0.0 && volume(&mirrored) > 0.0);
        let said = load(&path, Vector3::repeat(1e8)).unwrap_err().to_string();
        assert!(
            said.contains("after scaling") && said.contains("check the mesh scale"),
            "{said}"
        );
        assert!(
            load(&path, Vector3::new(1., 0., 1.))
                .unwrap_err()
                .to_string()
                .contains("mesh scale is `1 0 1`")
        );
    }
}

#[test]
fn what_is_no_mesh_file_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let said = |name: &str| {
        load(&folder.path().join(name), Vector3::repeat(1.0))
            .unwrap_err()
            .to_string()
    };
    std::fs::create_dir(folder.path().join("meshes.stl")).unwrap();
    assert!(
        said("meshes.stl").contains("it is a folder; name a file"),
        "{}",
        said("meshes.stl")
    );
    assert!(
        said("missing.stl").contains("cannot be read")
            && said("missing.stl").contains("check the path")
    );
    std::fs::write(folder.path().join("empty.obj"), "").unwrap();
    assert!(said("empty.obj").contains("empty (0 bytes)"));
    std::fs::write(folder.path().join("part.step"), "x").unwrap();
    assert!(
        said("part.step").contains(
            "`.step` is not supported; export the mesh as .stl, .obj, .dae, .ply or .wrl"
        )
    );
    std::fs::write(folder.path().join("part"), "x").unwrap();
    assert!(said("part").contains("without an extension"));
}
