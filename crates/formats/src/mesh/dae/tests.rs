use std::path::Path;

use clearance_proof::geometry::aabb::Aabb;
use nalgebra::Point3;

use crate::mesh::{LoadedMesh, parse};

const ASSET: &str = "<unit meter='1'/><up_axis>Z_UP</up_axis>";
const PLAIN: &str = "<node><instance_geometry url='#g'/></node>";
const SQUARE: &str = "<triangles count='2'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 0 2 3</p></triangles>";

/// A unit square with corners 0 to 3 at (0,0), (1,0), (1,1), (0,1), and a fifth corner at (3,4,5).
fn mesh(primitives: &str) -> String {
    format!(
        "<geometry id='g'><mesh><source id='s'><float_array id='a' count='15'>\
         0 0 0  1 0 0  1 1 0  0 1 0  3 4 5</float_array><technique_common>\
         <accessor source='#a' count='5' stride='3'><param name='X'/><param name='Y'/><param name='Z'/></accessor>\
         </technique_common></source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices>\
         {primitives}</mesh></geometry>"
    )
}

fn document(asset: &str, geometries: &str, nodes: &str, rest: &str) -> String {
    format!(
        "<?xml version='1.0'?>\n<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>\n\
         <asset>{asset}</asset>\n<library_geometries>{geometries}</library_geometries>\n{rest}\n\
         <library_visual_scenes><visual_scene id='shown'>{nodes}</visual_scene></library_visual_scenes>\n\
         <scene><instance_visual_scene url='#shown'/></scene></COLLADA>"
    )
}

fn load(text: &str) -> LoadedMesh {
    parse(text.as_bytes(), Path::new("a.dae")).unwrap()
}

fn error(text: &str) -> String {
    parse(text.as_bytes(), Path::new("a.dae"))
        .unwrap_err()
        .to_string()
}

fn bounds(loaded: &LoadedMesh) -> [[f64; 3]; 2] {
    let Aabb { min, max } = loaded.mesh.bounds().unwrap();
    let round = |p: Point3<f64>| p.coords.map(|x| (x * 1e9).round() / 1e9 + 0.0).into();
    [round(min), round(max)]
}

fn area(loaded: &LoadedMesh) -> f64 {
    (0..loaded.mesh.triangles.len())
        .map(|t| {
            let [a, b, c] = loaded.mesh.corners(t);
            (b - a).cross(&(c - a)).z / 2.0
        })
        .sum()
}

#[test]
fn units_and_up_axes_are_applied() {
    let far = SQUARE.replace("0 2 3</p>", "0 2 4</p>");
    let with = |asset: &str| load(&document(asset, &mesh(&far), PLAIN, ""));
    assert_eq!(bounds(&with(ASSET)), [[0., 0., 0.], [3., 4., 5.]]);
    assert!(with(ASSET).notes.is_empty());
    let inches = with("<unit meter='0.0254'/><up_axis>Z_UP</up_axis>");
    assert_eq!(bounds(&inches)[1], [0.0762, 0.1016, 0.127]);
    assert_eq!(inches.notes, ["unit 0.0254 m per DAE unit applied"]);
    // The number counts, and a name that says otherwise leaves the question open.
    for (name, meter, told) in [
        ("millimeter", "1", true),
        ("Meter", "0.001", true),
        ("meter", "1", false),
        ("inch", "0.0254", false),
        ("INCHES", "0.02540005", false),
        ("brick", "0.001", false),
    ] {
        let asset = format!("<unit name='{name}' meter='{meter}'/><up_axis>Z_UP</up_axis>");
        let said = with(&asset).unit_doubt.unwrap_or_default();
        let other = said.contains(&format!(
            "its unit is called `{name}` and stated as {meter} m"
        ));
        assert_eq!(other, told, "{said}");
    }
    assert_eq!(
        bounds(&with("<up_axis>Y_UP</up_axis>")),
        [[0., -5., 0.], [3., 0., 4.]]
    );
    assert_eq!(bounds(&with("")), [[0., -5., 0.], [3., 0., 4.]]);
    assert!(with("").notes[0].contains("Y_UP (the default)"));
    assert_eq!(
        bounds(&with("<up_axis>X_UP</up_axis>")),
        [[-4., -5., 0.], [0., 0., 3.]]
    );
}

#[test]
fn every_kind_of_primitive_covers_the_square() {
    let input = "<input semantic='VERTEX' source='#v' offset='0'/>";
    for primitive in [
        SQUARE.to_owned(),
        format!("<polylist count='1'>{input}<vcount>4</vcount><p>0 1 2 3</p></polylist>"),
        format!("<polylist count='2'>{input}<vcount>3 3</vcount><p>0 1 2 0 2 3</p></polylist>"),
        format!("<polygons count='1'>{input}<p>0 1 2 3</p></polygons>"),
        format!("<trifans count='1'>{input}<p>0 1 2 3</p></trifans>"),
        format!("<tristrips count='1'>{input}<p>0 1 3 2</p></tristrips>"),
        format!("<triangles/><lines count='1'>{input}<p>0 4</p></lines>{SQUARE}"),
        "<triangles count='2'><input semantic='NORMAL' source='#n' offset='1'/><input semantic='VERTEX' source='#v' \
         offset='0'/><input semantic='TEXCOORD' source='#t' offset='3'/><p>0 9 9 9 1 9 9 9 2 9 9 9 <!-- and -->\n\
         0 9 9 9 2 9 9 9 3 9 9 9</p></triangles>"
            .to_owned(),
    ] {
        let loaded = load(&document(ASSET, &mesh(&primitive), PLAIN, ""));
        assert_eq!(loaded.mesh.triangles.len(), 2, "{primitive}");
        assert_eq!(area(&loaded), 1.0, "{primitive}");
        assert_eq!(bounds(&loaded), [[0., 0., 0.], [1., 1., 0.]]);
    }
}

#[test]
fn accessors_have_strides_offsets_and_names() {
    let text = document(ASSET, &mesh(SQUARE), PLAIN, "")
        .replace("count='15'>", "count='17'>99 99 ")
        .replace("stride='3'>", "stride='3' offset='2'>");
    assert_eq!(bounds(&load(&text)), [[0., 0., 0.], [1., 1., 0.]]);
    let text = document(ASSET, &mesh(SQUARE), PLAIN, "").replace(
        "<param name='X'/><param name='Y'/><param name='Z'/>",
        "<param name='Z'/><param name='X'/><param name='Y'/>",
    );
    assert_eq!(bounds(&load(&text)), [[0., 0., 0.], [1., 0., 1.]]);
    let text = document(ASSET, &mesh(SQUARE), PLAIN, "").replace("stride='3'", "stride='4'");
    assert!(error(&text).contains("do not fit into 15"));
    let text = document(ASSET, &mesh(SQUARE), PLAIN, "").replace("stride='3'", "stride='2'");
    assert!(error(&text).contains("do not fit"));
}

#[test]
fn transforms_are_applied_in_their_order_and_nested() {
    let with = |transform: &str| {
        load(&document(
            ASSET,
            &mesh(SQUARE),
            &PLAIN.replace("<node>", &format!("<node>{transform}")),
            "",
        ))
    };
    assert_eq!(
        bounds(&with("<translate>1 2 3</translate>")),
        [[1., 2., 3.], [2., 3., 3.]]
    );
    let turned_first = with("<translate>1 0 0</translate><rotate>0 0 2 90</rotate>");
    assert_eq!(bounds(&turned_first), [[0., 0., 0.], [1., 1., 0.]]);
    let moved_first = with("<rotate>0 0 1 90</rotate><translate>1 0 0</translate>");
    assert_eq!(bounds(&moved_first), [[-1., 1., 0.], [0., 2., 0.]]);
    let huge = with("<rotate>0 0 1e200 90</rotate><translate>1 0 0</translate>");
    assert_eq!(bounds(&huge), [[-1., 1., 0.], [0., 2., 0.]]);
    let matrix = with("<matrix>0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1</matrix>");
    assert_eq!(bounds(&matrix), [[4., 6., 7.], [5., 7., 7.]]);
    let scaled = with("<scale>2 3 1</scale>");
    assert_eq!(area(&scaled), 6.0);
    // A mirror keeps the front in front.
    assert_eq!(area(&with("<scale>-2 3 1</scale>")), 6.0);
    let nested = document(
        ASSET,
        &mesh(SQUARE),
        &format!(
            "<node><translate>10 0 0</translate><node><scale>2 2 2</scale>{PLAIN}</node>{PLAIN}</node>{PLAIN}"
        ),
        "",
    );
    assert_eq!(load(&nested).mesh.triangles.len(), 6);
    assert_eq!(bounds(&load(&nested)), [[0., 0., 0.], [12., 2., 0.]]);
}

#[test]
fn nodes_are_instanced_and_cycles_refused() {
    let library = "<library_nodes><node id='n'><translate>0 0 1</translate><instance_geometry url='#g'/></node></library_nodes>";
    let nodes = "<node><instance_node url='#n'/></node><node><translate>5 0 0</translate><instance_node url='#n'/></node>";
    let loaded = load(&document(ASSET, &mesh(SQUARE), nodes, library));
    assert_eq!(bounds(&loaded), [[0., 0., 1.], [6., 1., 1.]]);
    assert_eq!(loaded.mesh.triangles.len(), 4);
    let circle = "<node id='m'><node><instance_node url='#m'/></node></node>";
    assert!(error(&document(ASSET, &mesh(SQUARE), circle, "")).contains("instance of itself"));
    // Thirty nodes that double each time would be a billion squares.
    let mut doubling =
        "<library_nodes><node id='n0'><instance_geometry url='#g'/></node>".to_owned();
    for i in 0..30 {
        let twice = format!("<instance_node url='#n{i}'/>").repeat(2);
        doubling += &format!("<node id='n{}'>{twice}</node>", i + 1);
    }
    let text = document(
        ASSET,
        &mesh(SQUARE),
        "<node><instance_node url='#n30'/></node>",
        &(doubling + "</library_nodes>"),
    );
    assert!(error(&text).contains("500000 nodes"));
    let deep = format!("{}{PLAIN}{}", "<node>".repeat(300), "</node>".repeat(300));
    assert!(error(&document(ASSET, &mesh(SQUARE), &deep, "")).contains("deeper than 200"));
}

/// A node that shows nothing may be shown ten thousand times; copies of a geometry count, even of
/// one without triangles.
#[test]
fn instances_cost_what_they_show() {
    let idle = "<translate>0 0 0</translate><light/>".repeat(1000);
    let empty = mesh("").replace("id='g'", "id='e'");
    let shown = "<instance_geometry url='#e'/>".repeat(1000);
    let library = |elements: &str| {
        format!("<library_nodes><node id='n'>{idle}{elements}</node></library_nodes>")
    };
    let nodes = format!(
        "<node>{}</node>{PLAIN}",
        "<instance_node url='#n'/>".repeat(10_000)
    );
    let text = document(ASSET, &mesh(SQUARE), &nodes, &library("<node/>"));
    assert_eq!(load(&text).mesh.triangles.len(), 2);
    let both = format!("{}{empty}", mesh(SQUARE));
    let text = document(ASSET, &both, &nodes, &library(&shown));
    assert!(error(&text).contains("500000 nodes and instances"));
}

#[test]
fn an_id_that_is_there_twice_is_refused_where_it_is_used() {
    // The second one's points would be those of the first one, or nobody knows whose.
    let nodes = format!("{PLAIN}<node><instance_geometry url='#h'/></node>");
    let second = mesh(SQUARE).replace("id='g'", "id='h'");
    let said = error(&document(ASSET, &(mesh(SQUARE) + &second), &nodes, ""));
    assert!(
        said.contains("several <vertices> have the id `v`"),
        "{said}"
    );
    let said = error(&document(ASSET, &mesh(SQUARE).repeat(2), PLAIN, ""));
    assert!(
        said.contains("several <geometry> have the id `g`"),
        "{said}"
    );
    let unused = "<library_cameras><camera id='c'/><camera id='c'/></library_cameras>";
    let text = document(ASSET, &mesh(SQUARE), PLAIN, unused);
    assert_eq!(load(&text).mesh.triangles.len(), 2);
}

#[test]
fn what_the_scene_shows_counts() {
    let second = ["g", "s", "a", "v"].iter().fold(mesh(SQUARE), |text, id| {
        text.replace(&format!("id='{id}'"), &format!("id='{id}2'"))
            .replace(&format!("'#{id}'"), &format!("'#{id}2'"))
    });
    let both = format!("{}{second}", mesh(SQUARE));
    let text = document(ASSET, &both, PLAIN, "");
    assert_eq!(load(&text).mesh.triangles.len(), 2);
    assert_eq!(load(&text).notes, ["1 geometry outside the scene left out"]);
    let no_scene = text
        .replace("library_visual_scenes", "library_x")
        .replace("<scene>", "<x>")
        .replace("</scene>", "</x>");
    assert_eq!(load(&no_scene).mesh.triangles.len(), 4);
    assert_eq!(
        load(&no_scene).notes,
        ["no visual scene: every geometry taken where it is"]
    );
    let not_said = text.replace("<scene>", "<x>").replace("</scene>", "</x>");
    assert_eq!(load(&not_said).mesh.triangles.len(), 2);
    assert!(load(&not_said).notes[0].contains("only visual scene"));
    // A camera may look wherever it likes.
    let camera = format!(
        "<node><lookat>0 0 1 0 0 0 0 1 0</lookat><instance_camera url='#c'/></node>{PLAIN}"
    );
    assert_eq!(
        load(&document(ASSET, &mesh(SQUARE), &camera, ""))
            .mesh
            .triangles
            .len(),
        2
    );
    assert!(error(&document(ASSET, &mesh(SQUARE), "", "")).contains("no triangles"));
}

#[test]
fn errors_say_what_and_where() {
    let text = document(ASSET, &mesh(SQUARE), PLAIN, "");
    for (from, to, place, words) in [
        (
            "<p>0 1 2 0 2 3",
            "<p>0 1 2 0 2 5",
            ":4:",
            "vertex 5 (counted from 0) of 5",
        ),
        (
            "<p>0 1 2 0 2 3",
            "<p>0 1 2 0 2",
            ":4:",
            "more corners than the 5",
        ),
        (
            "<p>0 1 2 0 2 3",
            "<p>0 1 2 0 2 -3",
            ":4:",
            "`-3` is not an index",
        ),
        (
            "count='2'",
            "count='3'",
            ":4:",
            "count says 3 faces, but there are 2",
        ),
        ("count='15'", "count='16'", ":4:", "count says 16 numbers"),
        ("1 0 0", "1 nan 0", ":4:", "finite"),
        ("1 0 0", "1 0,0 0", ":4:", "`0,0`"),
        ("url='#g'", "url='#h'", ":6:", "no <geometry id=\"h\">"),
        ("url='#g'", "url='b.dae#g'", ":6:", "another file"),
        ("url='#g'", "", ":6:", "no attribute `url`"),
        ("source='#s'", "source='#v'", ":4:", "no <source id=\"v\">"),
        ("meter='1'", "meter='-1'", ":3:", "the unit is `-1`"),
        ("Z_UP", "W_UP", ":3:", "write X_UP, Y_UP or Z_UP"),
        ("<node>", "<node><skew>1 2 3</skew>", ":6:", "<skew>"),
        (
            "<node>",
            "<node><scale>0 1 1</scale>",
            ":6:",
            "a scale of 0 flattens",
        ),
        (
            "<node>",
            "<node><scale>1 2</scale>",
            ":6:",
            "it must have 3",
        ),
        ("<node>", "<node><rotate>0 0 0 1</rotate>", ":6:", "axis"),
        ("instance_geometry", "instance_controller", ":6:", "skin"),
        ("<mesh>", "<mesh><spline/>", ":4:", "<spline>"),
        ("<p>", "<ph><h>1</h></ph><p>", ":4:", "holes"),
        ("<node>", "<node><a:b/>", ":6:", "not well-formed XML"),
        (
            "<node>",
            "<node><asset><unit meter='2'/></asset>",
            ":6:",
            "differs",
        ),
        ("</mesh>", "</mash>", ":4:", "not well-formed XML"),
        ("name='Z'", "name='Y'", ":4:", "X, Y and Z"),
    ] {
        assert!(text.contains(from), "{from}");
        let said = error(&text.replacen(from, to, 1));
        assert!(
            said.contains(&format!("a.dae{place}")) && said.contains(words),
            "{from} -> {to}: {said}"
        );
    }
    assert!(error("<x/>").contains("the root element is <x>"));
    let said = parse(b"<a>\n\xff</a>", Path::new("a.dae"))
        .unwrap_err()
        .to_string();
    assert!(said.contains("a.dae:2: the text is not UTF-8"), "{said}");
}

/// Catches geometry that is dropped without a word: what stands twice where one is meant, and what
/// stands where nothing is looked for.
#[test]
fn what_stands_twice_or_in_a_wrong_place_is_refused() {
    let show = "<instance_geometry url='#g'/>";
    let other = "<source id='o'><float_array id='oa' count='0'/><technique_common>\
                 <accessor source='#oa' count='0' stride='3'/></technique_common></source>";
    let text = document(ASSET, &mesh(SQUARE), PLAIN, "");
    for (from, to, words) in [
        (
            PLAIN,
            format!("{PLAIN}{show}"),
            "<instance_geometry> in <visual_scene>",
        ),
        (
            PLAIN,
            format!("{PLAIN}<instance_node url='#n'/>"),
            "<instance_node> in <visual_scene>",
        ),
        (
            PLAIN,
            format!("{PLAIN}<group><node>{show}</node></group>"),
            "<group> in <visual_scene>",
        ),
        (
            PLAIN,
            format!("{PLAIN}<node><group>{show}</group></node>"),
            "<group> in <node>",
        ),
        (
            "<scene>",
            format!("<scene>{show}"),
            "<instance_geometry> in <scene>",
        ),
        (
            "<instance_visual_scene url='#shown'/>",
            "<instance_visual_scene url='#shown'/>".repeat(2),
            "a second <instance_visual_scene> in <scene>",
        ),
        (
            "</COLLADA>",
            "<scene/></COLLADA>".to_owned(),
            "a second <scene> in <COLLADA>",
        ),
        (
            "</mesh>",
            "</mesh><mesh/>".to_owned(),
            "a second <mesh> in <geometry>",
        ),
        (
            "</mesh>",
            "</mesh><convex_mesh/>".to_owned(),
            "<convex_mesh> in a geometry",
        ),
        (
            "<vertices id='v'>",
            format!("{other}<vertices id='v'><input semantic='POSITION' source='#o'/>"),
            "two inputs for POSITION",
        ),
        (
            "<unit meter='1'/>",
            "<unit meter='1'/><unit meter='1'/>".to_owned(),
            "a second <unit> in <asset>",
        ),
        (
            "</technique_common>",
            "</technique_common><technique_common/>".to_owned(),
            "a second <technique_common> in <source>",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let said = error(&text.replacen(from, &to, 1));
        assert!(said.contains(words), "{to}: {said}");
    }
    // Regression: an element of another namespace moved the mesh.
    let moved = "<node><x:translate xmlns:x='urn:x'>0 9 0</x:translate><instance_geometry url='#g'/></node>";
    let said = error(&text.replacen(PLAIN, moved, 1));
    assert!(
        said.contains("<translate>, which is not COLLADA's"),
        "{said}"
    );
    // What no reader of the format shows is no loss, nor are several animations.
    for (from, to) in [
        (
            PLAIN,
            format!("{PLAIN}<extra><x:translate xmlns:x='urn:x'>0 9 0</x:translate></extra>"),
        ),
        (
            "<scene>",
            "<library_formulas><m:math xmlns:m='urn:m'/></library_formulas><scene>".to_owned(),
        ),
        (
            PLAIN,
            format!("{PLAIN}<extra>{show}</extra><evaluate_scene/>"),
        ),
        ("</mesh>", "</mesh><extra/><extra/>".to_owned()),
        (
            "<scene>",
            "<library_animations/><library_animations/><scene>".to_owned(),
        ),
    ] {
        assert_eq!(
            load(&text.replacen(from, &to, 1)).mesh.triangles.len(),
            2,
            "{to}"
        );
    }
}
