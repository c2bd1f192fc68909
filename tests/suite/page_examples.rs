//! The programs that the pages show, in cells with arms that exist: each is clear, so a reader who
//! copies one does not begin with a refusal.
//!
//! The data are not part of this repository: `CLEARANCE_REAL_DATA` names their folder, and
//! `cargo test --test suite -- --ignored` runs this test.

use std::path::Path;

use clearance::findings::Verdict;
use clearance::run::{CacheFolder, CellJob, Job, NoProgress, run};

use crate::common::real_data;

/// A program on a page of docs/.
struct PageExample {
    page: &'static str,
    /// Begin of its first line.
    begin: &'static str,
    file: &'static str,
    /// URDF of an arm that can move so, in the folder of the data.
    urdf: &'static str,
    /// Lines of the cell file about its controller.
    controller: &'static str,
}

const EXAMPLES: [PageExample; 6] = [
    PageExample {
        page: "programs/rapid.md",
        begin: "MODULE Example",
        file: "Example.mod",
        urdf: "native/robots/abb_irb1200_5_90/abb_irb1200_5_90.urdf",
        controller: "controller = { dialect = \"rapid\", base = \"base_link\", joints = [\"joint_1\", \"joint_2\", \"joint_3\", \"joint_4\", \"joint_5\", \"joint_6\"] }",
    },
    PageExample {
        page: "programs/krl.md",
        begin: "DEF Example( )",
        file: "Example.src",
        urdf: "native/robots/kuka_kr6_r900_sixx/kuka_kr6_r900_sixx.urdf",
        controller: "controller = { dialect = \"krl\", base = \"base_link\", joints = [\"joint_a1\", \"joint_a2\", \"joint_a3\", \"joint_a4\", \"joint_a5\", \"joint_a6\"] }",
    },
    PageExample {
        page: "programs/inform.md",
        begin: "/JOB",
        file: "pick.jbi",
        urdf: "native/robots/motoman_ma2010/motoman_ma2010.urdf",
        controller: "[robot.controller]\n\
             dialect = \"inform\"\n\
             joints = [{ joint = \"joint_1_s\", pulses = 1000 }, { joint = \"joint_2_l\", pulses = 1000 }, { joint = \"joint_3_u\", pulses = 1000 },\n\
             { joint = \"joint_4_r\", pulses = 1000 }, { joint = \"joint_5_b\", pulses = 1000 }, { joint = \"joint_6_t\", pulses = 1000 }]\n\
             tools = { \"1\" = { xyz = [0, 0, 0.1] } }",
    },
    PageExample {
        page: "programs/ur.md",
        begin: "def pick():",
        file: "pick.script",
        urdf: "native/robots/ur10e/ur10e.urdf",
        controller: "controller = { dialect = \"ur\" }",
    },
    PageExample {
        page: "programs/ur.md",
        begin: "def pick():",
        file: "pick.script",
        urdf: "robots/ur5e/ur5e.urdf",
        controller: "controller = { dialect = \"ur\" }",
    },
    PageExample {
        page: "formats.md",
        begin: "{ \"clearance_motion\": 1",
        file: "pick.motion.json",
        urdf: "native/robots/ur10e/ur10e.urdf",
        controller: "",
    },
];

#[test]
#[ignore = "needs the data that CLEARANCE_REAL_DATA names"]
fn real_arms_can_do_the_programs_of_the_pages() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for example in EXAMPLES {
        let page = std::fs::read_to_string(docs.join(example.page)).unwrap();
        let mut blocks = page.split("```").skip(1).step_by(2);
        let bodies = blocks.by_ref().filter_map(|block| block.split_once('\n'));
        let mut bodies = bodies.map(|(_language, text)| text);
        let text = bodies.find(|text| text.starts_with(example.begin));
        let text = text.unwrap_or_else(|| panic!("{} has no `{}`", example.page, example.begin));
        let folder = tempfile::tempdir().unwrap();
        let cell = format!(
            "[[robot]]\nurdf = \"{}\"\n{}\n[[obstacle]]\nname = \"table\"\nbox = [1.0, 1.0, 0.1]\npose = {{ xyz = [0.0, 1.2, -0.3] }}\n\
             [check]\nclearance = \"1mm\"\n",
            real_data().join(example.urdf).display(),
            example.controller
        );
        let (cell_file, program) = (
            folder.path().join("cell.toml"),
            folder.path().join(example.file),
        );
        std::fs::write(&cell_file, cell).unwrap();
        std::fs::write(&program, text).unwrap();
        let mut cell = CellJob::file(&cell_file);
        cell.cache = CacheFolder::Off;
        let job = Job {
            cell,
            ..Job::new("", vec![program])
        };
        let found = run(&job, &NoProgress).programs.remove(0);
        let told = (found.verdict, &found.error);
        assert_eq!(told, (Verdict::Clear, &None), "{}", example.page);
    }
}
