//! Input that was not checked, or was read in one of two ways, never looks clear: each scene is a
//! robot of a few lines.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

mod clocks;
mod clouds;
mod converted;
mod followers;
mod intervals;
mod limits;
mod macros;
mod meant;
mod packages;
mod places;
mod recordings;
mod scenes;
mod slipped_units;
mod starts;
mod upright;

/// A folder with a robot that turns `arm` about z at the world's origin, and a program of a quarter
/// turn.
struct Shop(TempDir);

/// A link with this inside.
fn link(name: &str, inside: &str) -> String {
    format!("<link name='{name}'>{inside}</link>\n")
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, origin: &str) -> String {
    format!(
        "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{origin}<axis xyz='0 0 1'/>\
         <limit lower='-3' upper='3' velocity='9' effort='1'/></joint>\n"
    )
}

/// A box as <collision> or <visual>.
fn cuboid(tag: &str, size: &str, origin: &str) -> String {
    format!("<{tag}><origin {origin}/><geometry><box size='{size}'/></geometry></{tag}>")
}

/// The base, and the arm of 1 m along x that the joint `turn` moves.
fn arm() -> String {
    link(
        "base",
        &cuboid("collision", "0.2 0.2 0.2", "xyz='0 0 -0.2'"),
    ) + &link("arm", &cuboid("collision", "1 0.1 0.1", "xyz='0.5 0 0'"))
        + &joint("turn", "revolute", "base", "arm", "")
}

const POST: &str =
    "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 1]\npose = { xyz = [-0.8, -0.8, 0] }\n";

impl Shop {
    fn new(robot: &str, cell: &str) -> Self {
        let shop = Shop(TempDir::new().unwrap());
        shop.put("r.urdf", &format!("<robot name='r'>\n{robot}</robot>\n"));
        shop.put(
            "cell.toml",
            &format!("[[robot]]\nurdf = \"r.urdf\"\n{cell}"),
        );
        shop.put("p.csv", "time,turn\n0,0\n1,1.5707963267948966\n");
        shop
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Exit code, standard output, standard error.
    fn run(&self, args: &str) -> (i32, String, String) {
        let output = assert_cmd::Command::cargo_bin("clearance")
            .unwrap()
            .current_dir(self.path())
            .env("XDG_CACHE_HOME", self.path().join("cache"))
            .args(args.split(' '))
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    fn json(&self, args: &str) -> (i32, Value) {
        let (code, out, err) = self.run(&format!("{args} --report json"));
        (
            code,
            serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}")),
        )
    }

    fn check(&self) -> (i32, Value) {
        self.json("check --cell cell.toml p.csv")
    }
}

fn codes(list: &Value) -> Vec<&str> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|n| n["code"].as_str()).collect()
}

/// Every word of the report in every format.
fn all_reports(shop: &Shop, args: &str) -> String {
    let formats = [
        "text", "json", "junit", "sarif", "github", "markdown", "html",
    ];
    let wanted: Vec<String> = formats
        .iter()
        .map(|f| format!("--report {f}={f}.out"))
        .collect();
    shop.run(&format!("{args} {}", wanted.join(" ")));
    let read = |f: &str| fs::read_to_string(shop.path().join(format!("{f}.out"))).unwrap();
    formats.map(read).join("\n")
}

#[test]
fn a_moving_link_to_look_at_only_is_unverified_until_somebody_says_why() {
    let camera = link(
        "camera_1",
        &cuboid("visual", "0.1 0.1 0.1", "xyz='0 0 0.2'"),
    ) + &joint(
        "mount",
        "fixed",
        "arm",
        "camera_1",
        "<origin xyz='0.9 0 0'/>",
    );
    let shop = Shop::new(&(arm() + &camera), POST);
    let (code, report) = shop.check();
    assert_eq!(
        (code, &report["verdict"]),
        (2, &Value::from("unverified")),
        "{report:#}"
    );
    assert_eq!(codes(&report["notices"]), ["unchecked-link"]);
    let program = &report["programs"][0];
    let short = program["error"].as_str().unwrap();
    assert!(short.contains("camera_1 (unchecked-link)"), "{short}");
    assert!(short.len() < 120, "{short}");
    let why = report["notices"].to_string();
    for remedy in [
        "camera_1",
        "--visual-as-collision",
        "<collision>",
        "[[unchecked]]",
        "reason",
    ] {
        assert!(why.contains(remedy), "{why}");
    }
    // Whatever is asked for, it does not pass.
    assert_eq!(
        shop.run("check --cell cell.toml p.csv --fail-on collision")
            .0,
        2
    );
    assert_eq!(
        shop.run("batch --cell cell.toml p.csv --fail-on collision")
            .0,
        2
    );
    assert_eq!(shop.run("distance --cell cell.toml --at [0]").0, 2);
    // The remedies.
    let (code, report) = shop.json("check --cell cell.toml p.csv --visual-as-collision");
    assert_eq!(
        (code, codes(&report["notices"]).len()),
        (0, 0),
        "{report:#}"
    );

    // The lines of `inspect` can be pasted as they are.
    let (_, said, _) = shop.run("inspect --cell cell.toml");
    let lines = &said[said.find("\n[[unchecked]]\n").unwrap()..];
    let cell = fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    shop.put("pasted.toml", &format!("{cell}{lines}"));
    assert_eq!(shop.json("check --cell pasted.toml p.csv").0, 0);
    let waived = "[[unchecked]]\nlink = \"camera_*\"\nreason = \"it hangs under the hood\"\n";
    shop.put("waived.toml", &format!("{cell}{waived}"));
    let (code, report) = shop.json("check --cell waived.toml p.csv");
    assert_eq!((code, &report["verdict"]), (0, &Value::from("clear")));
    assert_eq!(codes(&report["unchecked"]), ["accepted"]);
    // Every report lists it.
    for format in [
        "text", "json", "junit", "sarif", "github", "markdown", "html",
    ] {
        shop.run(&format!(
            "check --cell waived.toml p.csv --report {format}=out"
        ));
        let text = fs::read_to_string(shop.path().join("out")).unwrap();
        assert!(
            text.contains("camera_1") || text.contains("camera\\_1"),
            "{format}: {text}"
        );
        assert!(text.contains("it hangs under the hood"), "{format}: {text}");
    }
    // A reason is needed, and a name that stands for nothing is told.
    shop.put(
        "mute.toml",
        &format!("{cell}[[unchecked]]\nlink = \"camera_1\"\n"),
    );
    assert!(
        shop.run("check --cell mute.toml p.csv")
            .1
            .contains("reason")
    );
    shop.put(
        "stale.toml",
        &format!("{cell}{}", waived.replace("camera_*", "kamera_*")),
    );
    let (code, report) = shop.json("check --cell stale.toml p.csv");
    assert_eq!(code, 2);
    assert!(
        report["notes"].to_string().contains("kamera_"),
        "{report:#}"
    );
}

/// Regression: a link with a large <visual> passed as checked where its <collision> has no size.
#[test]
fn a_drawn_link_whose_collision_geometry_has_no_size_is_unverified() {
    let shape = |shape: &str| format!("<collision><geometry>{shape}</geometry></collision>");
    for collision in ["<box size='0 0 0'/>", "<sphere radius='0'/>"] {
        let visual = cuboid("visual", "0.1 0.1 0.1", "xyz='0 0 0.2'");
        let camera = link("camera_1", &(shape(collision) + &visual));
        let mount = joint(
            "mount",
            "fixed",
            "arm",
            "camera_1",
            "<origin xyz='0.9 0 0'/>",
        );
        let shop = Shop::new(&(arm() + &camera + &mount), POST);
        let (code, report) = shop.check();
        assert_eq!(code, 2, "{collision}: {report:#}");
        assert!(codes(&report["notices"]).contains(&"unchecked-link"));
        let (code, report) = shop.json("check --cell cell.toml p.csv --visual-as-collision");
        assert_eq!(code, 0, "{collision}: {report:#}");
    }
}

/// A contact that was found stays, whatever else was not looked at. A body that stands still is hit
/// as one that moves.
#[test]
fn a_contact_stays_a_collision_and_a_standing_link_is_not_clear() {
    let camera = link("camera", &cuboid("visual", "0.1 0.1 0.1", ""))
        + &joint("mount", "fixed", "arm", "camera", "");
    let hit = POST.replace("-0.8, -0.8", "0.6, 0.6");
    let (code, report) = Shop::new(&(arm() + &camera), &hit).check();
    assert_eq!((code, &report["verdict"]), (1, &Value::from("collision")));
    assert_eq!(codes(&report["notices"]), ["unchecked-link"]);

    let standing = camera.replace("parent link='arm'", "parent link='base'");
    let shop = Shop::new(&(arm() + &standing), POST);
    let (code, report) = shop.check();
    assert_eq!((code, &report["verdict"]), (2, &Value::from("unverified")));
    assert_eq!(codes(&report["notices"]), ["unchecked-body"]);
    let waived = "[[unchecked]]\nlink = \"camera\"\nreason = \"it is an obstacle of the cell\"\n";
    let cell = format!("[[robot]]\nurdf = \"r.urdf\"\n{POST}{waived}");
    shop.put("cell.toml", &cell);
    let (code, report) = shop.check();
    assert_eq!((code, &report["verdict"]), (0, &Value::from("clear")));
    assert_eq!(codes(&report["unchecked"]), ["accepted"]);
}

#[test]
fn a_link_to_look_at_only_that_follows_another_joint_moves_too() {
    let follows = joint("nod", "revolute", "base", "camera", "<mimic joint='turn'/>");
    let camera = link("camera", &cuboid("visual", "0.1 0.1 0.1", "")) + &follows;
    let (code, report) = Shop::new(&(arm() + &camera), POST).check();
    assert_eq!((code, &report["verdict"]), (2, &Value::from("unverified")));
    assert_eq!(codes(&report["notices"]), ["unchecked-link"]);
}

/// A tool of a kilogram that nobody has drawn. Frames weigh nothing, or a few grams, and what weighs
/// something may be drawn by another link that hangs on it.
#[test]
fn a_link_that_weighs_something_and_has_no_shape_is_told() {
    let tool = |mass: &str, parent: &str, more: &str| {
        let inertial = format!("<inertial><mass value='{mass}'/></inertial>");
        arm() + &link("tool", &inertial) + &joint("flange", "fixed", parent, "tool", "") + more
    };
    let seen = |robot: &str, cell: &str| {
        let shop = Shop::new(robot, cell);
        let (code, report) = shop.check();
        let (_, page, _) = shop.run("inspect --cell cell.toml");
        let told = page.contains("tool") && page.contains("no geometry at all");
        let codes = codes(&report["notices"]).len();
        assert_eq!((code, told), (0, codes == 1), "{report:#}{page}");
        report["notices"][0]["code"] == "unchecked-mass"
    };
    assert!(seen(&tool("1.2", "arm", ""), POST));
    assert!(!seen(&tool("0.01", "arm", ""), POST));
    assert!(!seen(&tool("1.2", "base", ""), POST));
    let shape = link("jaw", &cuboid("collision", "0.1 0.1 0.1", "xyz='1.2 0 0'"));
    let jaw = |kind: &str| shape.clone() + &joint("jaw", kind, "tool", "jaw", "");
    assert!(!seen(&tool("1.2", "arm", &jaw("fixed")), POST));
    assert!(seen(&tool("1.2", "arm", &jaw("revolute")), POST));
    let frame = "[[unchecked]]\nlink = \"tool\"\nreason = \"a frame\"\n";
    assert!(!seen(&tool("1.2", "arm", ""), &format!("{POST}{frame}")));
}

#[test]
fn no_pair_at_all_is_never_clear() {
    let no_collision = arm().replace("collision>", "visual>");
    let allowed = format!("{POST}[[allow]]\na = \"*\"\nb = \"*\"\nreason = \"quiet\"\n");
    let bare = link("base", "") + &link("arm", "") + &joint("turn", "revolute", "base", "arm", "");
    for (robot, cell) in [
        (&no_collision, POST),
        (&no_collision, ""),
        (&arm(), &allowed),
        (&bare, POST),
    ] {
        let shop = Shop::new(robot, cell);
        let (code, report) = shop.check();
        assert_eq!(
            (code, &report["verdict"]),
            (2, &Value::from("unverified")),
            "{report:#}"
        );
        assert_eq!(
            codes(&report["programs"][0]["notices"]),
            ["nothing-checked"]
        );
        let said = all_reports(&shop, "check --cell cell.toml p.csv");
        assert!(!said.contains("0 pairs of"), "{said}");
        assert!(said.contains("no pair of bodies was checked"), "{said}");
        assert!(said.contains("errors=\"1\""), "{said}");
        let (_, inspected, _) = shop.run("inspect --cell cell.toml");
        assert!(inspected.contains("nothing-checked"), "{inspected}");
        assert_eq!(shop.run("batch --cell cell.toml p.csv").0, 2);
        assert_eq!(shop.run("distance --cell cell.toml --at [0]").0, 2);
    }
}

#[test]
fn places_angles_sizes_and_thresholds_that_can_hardly_be_meant_come_first() {
    let near =
        "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 1]\npose = { xyz = [-0.8, -0.8, 0] }\n";
    let part = |shape: &str| {
        format!(
            "{near}[[attach]]\nname = \"part\"\nparent = \"arm\"\n{shape}\npose = {{ xyz = [0.99, 0, 0] }}\ntouch = [\"*\"]\n"
        )
    };
    let long = arm();
    let two = long.clone()
        + &link("hand", &cuboid("collision", "0.1 0.1 0.1", ""))
        + &joint(
            "wrist",
            "revolute",
            "arm",
            "hand",
            "<origin xyz='1.1 0 0'/>",
        );
    for (robot, cell, more, code) in [
        (
            &two,
            near.replace("-0.8, -0.8", "\"20m\", 0"),
            "",
            "suspicious-place",
        ),
        (
            &two,
            near.replace("0] }", "0], rpy = [0, 0, 90] }"),
            "",
            "suspicious-rpy",
        ),
        (
            &two.replace("xyz='1.1 0 0'", "xyz='1.1 0 0' rpy='0 0 45'"),
            near.to_owned(),
            "",
            "suspicious-rpy",
        ),
        (
            &two,
            near.to_owned(),
            " --clearance 5",
            "suspicious-clearance",
        ),
        (
            &two,
            part("box = [0.0005, 0.0005, 0.0005]"),
            "",
            "suspicious-scale",
        ),
        (&two, part("box = [50, 50, 50]"), "", "suspicious-scale"),
        (
            &two.replace(
                "0.1 0.1 0.1'/></geometry></collision></link>",
                "25 25 25'/></geometry></collision></link>",
            ),
            near.to_owned(),
            "",
            "suspicious-scale",
        ),
        (
            &two,
            part("box = [0.005, 0.005, 0.005]"),
            "",
            "suspicious-scale",
        ),
    ] {
        let shop = Shop::new(robot, &cell);
        let asked = format!("check --cell cell.toml p.csv{more}");
        let (_, report) = shop.json(&asked);
        assert!(
            codes(&report["notices"]).contains(&code),
            "{code} {cell}: {report:#}"
        );
        let (_, text, _) = shop.run(&asked);
        assert!(text.lines().take(9).any(|l| l.contains(code)), "{text}");
        assert_eq!(shop.run(&format!("{asked} --fail-on suspicious")).0, 1);
        if more.is_empty() {
            let (_, said, _) = shop.run("inspect --cell cell.toml");
            assert!(said.contains(code), "{said}");
        }
    }
    // In millimetres: nobody can have meant it, and a report that says `clear` would hide it.
    let shop = Shop::new(&two, &near.replace("-0.8, -0.8", "900, 0"));
    let (code, said, _) = shop.run("check --cell cell.toml p.csv");
    assert!(
        code == 2 && said.contains("suspicious-place") && said.contains("leave it out"),
        "{said}"
    );
    // The same where something moves without limits: it may come there, so it is a notice only.
    let free =
        "[[free]]\nname = \"crate\"\nbox = [0.05, 0.05, 0.05]\npose = { xyz = [-0.4, 0.4, 1.6] }\n";
    let cell = near.replace("-0.8, -0.8", "900, 0") + free;
    let said_first = |cell: &str, code: i32| {
        let shop = Shop::new(&two, cell);
        let (got, said, _) = shop.run("check --cell cell.toml p.csv");
        assert!(
            got == code && said.contains("suspicious-place"),
            "{cell}: {said}"
        );
        assert_eq!(
            shop.run("check --cell cell.toml p.csv --fail-on suspicious")
                .0,
            1
        );
    };
    said_first(&cell, 0);
    // A free body itself, and what a link carries: 0.9 m away, and 9 m.
    said_first(
        &(near.to_owned() + &free.replace("-0.4, 0.4", "-400, 400")),
        0,
    );
    let part_at = |x: &str| part("box = [0.1, 0.1, 0.1]").replace("[0.99, 0, 0]", x);
    said_first(&part_at("[0, 0, 0.9]"), 0);
    said_first(&part_at("[0, 0, 9]"), 2);
    // One of two robots: the other one, and the post, are 838 m away.
    let shop = Shop::new(&two, near);
    let robot = |name: &str, x: &str| {
        format!("[[robot]]\nname = \"{name}\"\nurdf = \"r.urdf\"\nbase = {{ xyz = [{x}, 0, 0] }}\n")
    };
    shop.put("p.csv", "time,a/turn\n0,0\n1,0.1\n");
    for (x, code) in [("8.4", 0), ("840", 2)] {
        let cell = robot("a", "0") + &robot("b", x) + near;
        shop.put("cell.toml", &cell);
        let (got, said, _) = shop.run("check --cell cell.toml p.csv");
        assert_eq!(got, code, "{said}");
        assert_eq!(said.contains("suspicious-place"), code == 2, "{said}");
    }
    // An event does not mend where it was until then.
    let shop = Shop::new(&two, &part_at("[0, 0, 9]"));
    shop.put("p.events.toml", "[[event]]\nat = 0.5\nrelease = \"part\"\n");
    assert_eq!(shop.run("check --cell cell.toml p.csv").0, 2);
    // Said with a unit it is meant; and nothing is said of an ordinary cell.
    let degrees = near.replace("0] }", "0], rpy = [0, 0, \"720deg\"] }");
    let small = part("box = [0.05, 0.05, 0.05]").replace("\"*\"", "\"hand\"");
    for cell in [near.to_owned(), degrees, small] {
        let shop = Shop::new(&two, &cell);
        assert_eq!(
            codes(&shop.check().1["notices"]),
            Vec::<&str>::new(),
            "{cell}"
        );
        assert_eq!(
            shop.run("check --cell cell.toml p.csv --fail-on suspicious")
                .0,
            0
        );
    }
}

/// Single precision underflows there: it was clear.
#[test]
fn a_cell_below_a_thousandth_of_a_millimetre_is_refused() {
    for (size, code) in [("1e-18", 2), ("1e-7", 2), ("1e-4", 1)] {
        let robot = link("base", "")
            + &link(
                "arm",
                &cuboid("collision", &format!("{size} {size} {size}"), ""),
            )
            + &joint("turn", "revolute", "base", "arm", "");
        let cell = format!("[[obstacle]]\nname = \"post\"\nbox = [{size}, {size}, {size}]\n");
        let shop = Shop::new(&robot, &cell);
        let (got, out, err) = shop.run("check --cell cell.toml p.csv");
        assert_eq!(got, code, "{size}: {out}{err}");
        if code == 2 {
            assert!(out.contains("check the units"), "{out}");
        }
    }
}
