//! Work grows in proportion to what a file says, and not with its square: instructions are counted,
//! not timed.
//!
//! `valgrind` counts them (its cachegrind, caches left out):
//! `cargo test --test suite growth -- --ignored`.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use tempfile::tempdir;

/// Twice as many more take twice as much more: 2 where work is in proportion, 4 where it grows with
/// the square.
const MOST: f64 = 2.3;

/// Instructions that a run of the program takes in a folder.
fn instructions(folder: &Path, words: &[String]) -> f64 {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg("--cachegrind-out-file=/dev/null")
        .arg(assert_cmd::cargo::cargo_bin("clearance"))
        .args(words)
        .current_dir(folder)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .expect("valgrind (on Debian: apt-get install valgrind)");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let mut lines = said.lines().filter(|line| line.contains(" refs:"));
    let count = lines.find_map(|line| line.rsplit(' ').next());
    let count = count.unwrap_or_else(|| panic!("no count in {said}"));
    count.replace(',', "").parse().expect("a number")
}

/// Runs the program on one, two and four times as many, and asks how the work grows. `write` puts
/// the files of so many into a folder and returns the command line.
fn is_in_proportion(count: usize, write: &dyn Fn(&Path, usize) -> String) {
    let [one, two, four] = [count, 2 * count, 4 * count].map(|count| {
        let folder = tempdir().expect("a folder");
        let words = write(folder.path(), count);
        let words: Vec<String> = words.split_whitespace().map(String::from).collect();
        instructions(folder.path(), &words)
    });
    let growth = (four - two) / (two - one);
    assert!(growth < MOST, "{one:.3e} {two:.3e} {four:.3e}: {growth:.2}");
}

fn put(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file");
}

/// Frames without geometry that follow on the sled of a robot.
enum Frames {
    /// One fixed to the other.
    Chain(usize),
    /// Each on a slide of its own.
    Slides(usize),
}

/// A rail with a sled on it.
fn robot(frames: &Frames) -> String {
    let mut text = String::from(
        r#"<robot name="rail"><link name="base"/><link name="sled"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="sled"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" velocity="9" effort="1"/></joint>
"#,
    );
    let count = match *frames {
        Frames::Chain(count) | Frames::Slides(count) => count,
    };
    for frame in 0..count {
        let (kind, parent) = match frames {
            Frames::Chain(_) if frame > 0 => ("fixed", format!("frame_{}", frame - 1)),
            Frames::Chain(_) => ("fixed", "sled".to_string()),
            Frames::Slides(_) => ("prismatic", "sled".to_string()),
        };
        writeln!(
            text,
            r#"<link name="frame_{frame}"/><joint name="slide_{frame}" type="{kind}"><parent link="{parent}"/><child link="frame_{frame}"/><limit lower="-9" upper="9" velocity="9" effort="1"/></joint>"#
        )
        .expect("text");
    }
    text + "</robot>\n"
}

const PROGRAM: &str = "time,rail\n0,0\n1,1\n";
const POST: &str =
    "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 0.1]\npose = { xyz = [0, 5, 0] }\n";

fn put_cell(folder: &Path, robot: &str, obstacles: &str) {
    put(folder, "robot.urdf", robot);
    put(folder, "program.csv", PROGRAM);
    let text = format!("[[robot]]\nurdf = \"robot.urdf\"\n{obstacles}");
    put(folder, "cell.toml", &text);
}

#[test]
#[ignore = "needs valgrind"]
fn growth_with_obstacles() {
    is_in_proportion(500, &|folder, count| {
        let mut obstacles = String::new();
        for obstacle in 0..count {
            let y = 1.0 + 0.01 * obstacle as f64;
            writeln!(obstacles, "[[obstacle]]\nname = \"post_{obstacle}\"\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [0, {y}, 0] }}").expect("text");
        }
        put_cell(folder, &robot(&Frames::Chain(0)), &obstacles);
        "check --no-cache --quiet --cell cell.toml program.csv".into()
    });
}

#[test]
#[ignore = "needs valgrind"]
fn growth_with_links() {
    is_in_proportion(1000, &|folder, count| {
        put_cell(folder, &robot(&Frames::Chain(count)), POST);
        "check --no-cache --quiet --cell cell.toml program.csv".into()
    });
}

#[test]
#[ignore = "needs valgrind"]
fn growth_with_columns() {
    is_in_proportion(2000, &|folder, count| {
        put_cell(folder, &robot(&Frames::Slides(count)), POST);
        let (mut head, mut row) = (String::from("time,rail"), String::new());
        for column in 0..count {
            write!(head, ",slide_{column}").expect("text");
            row += ",0";
        }
        put(
            folder,
            "program.csv",
            &format!("{head}\n0,0{row}\n1,1{row}\n"),
        );
        "check --no-cache --quiet --cell cell.toml program.csv".into()
    });
}

#[test]
#[ignore = "needs valgrind"]
fn growth_with_waypoints() {
    is_in_proportion(2000, &|folder, count| {
        put_cell(folder, &robot(&Frames::Chain(0)), POST);
        let mut text = String::from("time,rail\n");
        for row in 0..count {
            writeln!(text, "{row},{}", row % 7).expect("text");
        }
        put(folder, "program.csv", &text);
        "check --no-cache --quiet --cell cell.toml program.csv".into()
    });
}

#[test]
#[ignore = "needs valgrind"]
fn growth_with_programs_in_a_page() {
    is_in_proportion(100, &|folder, count| {
        put_cell(folder, &robot(&Frames::Chain(0)), POST);
        std::fs::create_dir(folder.join("programs")).expect("a folder");
        for program in 0..count {
            put(folder, &format!("programs/{program}.csv"), PROGRAM);
        }
        "batch --no-cache --quiet --threads 1 --cell cell.toml programs --report html=page.html"
            .into()
    });
}

/// Names that only the SRDF has are told, each once.
#[test]
#[ignore = "needs valgrind"]
fn growth_with_names_that_are_not_there() {
    is_in_proportion(1000, &|folder, count| {
        let mut srdf = String::from("<robot name=\"rail\">\n");
        for name in 0..count {
            writeln!(
                srdf,
                r#"<disable_collisions link1="sled" link2="gone_{name}" reason="Never"/>"#
            )
            .expect("text");
        }
        put(folder, "robot.srdf", &(srdf + "</robot>\n"));
        put_cell(
            folder,
            &robot(&Frames::Chain(0)),
            &format!("srdf = \"robot.srdf\"\n{POST}"),
        );
        "check --no-cache --quiet --cell cell.toml program.csv".into()
    });
}

/// Events, each with a phase of its own.
#[test]
#[ignore = "needs valgrind"]
fn growth_with_events() {
    is_in_proportion(250, &|folder, count| {
        let mut events = String::new();
        for event in 0..count {
            let [from, until] = [0.25, 0.75].map(|share| (event as f64 + share) / count as f64);
            writeln!(
                events,
                "[[event]]\nat = {from}\nallow = [\"sled\", \"post\"]\nuntil = {until}"
            )
            .expect("text");
        }
        // A second post is checked all the time.
        let more = POST.replace("post", "pole").replace("0, 5, 0", "0, 6, 0");
        put_cell(folder, &robot(&Frames::Chain(0)), &format!("{POST}{more}"));
        put(folder, "program.events.toml", &events);
        "check --no-cache --quiet --cell cell.toml program.csv".into()
    });
}
