//! Arms that stand beside their model, as their programs show.

use super::*;
use crate::run::convert_controller_program;

/// The bar again, with five more joints at its end, where poses are stated.
fn arm() -> String {
    let mut urdf = String::from(
        r#"<robot name="arm"><link name="base"/><link name="bar"><collision><origin xyz="0.5 0 0"/>
    <geometry><box size="1 0.02 0.02"/></geometry></collision></link>"#,
    );
    let names = ["base", "bar", "l2", "l3", "l4", "l5", "tool0"];
    for (k, pair) in names.windows(2).enumerate() {
        if pair[1] != "bar" {
            urdf += &format!("<link name=\"{}\"/>", pair[1]);
        }
        urdf += &format!(
            r#"<joint name="j{k}" type="revolute"><parent link="{}"/><child link="{}"/><origin xyz="{} 0 0"/><axis xyz="0 0 1"/>
            <limit lower="-3" upper="3" velocity="1" effort="1"/></joint>"#,
            pair[0],
            pair[1],
            i32::from(k == 1)
        );
    }
    urdf + "</robot>"
}

/// The bar stops 0.5 mm before the post; the taught point of its end lies `off` beside the model.
fn program(off: f64) -> String {
    let near = (0.0605_f64 / 0.9).acos();
    format!(
        "set_tcp(p[0,0,0,0,0,0])\nHome_p = p[{},0,0,0,0,0]\nHome_q = [0,0,0,0,0,0]\nmovej(Home_q)\nmovej([{near},0,0,0,0,0])\n",
        1.0 + off
    )
}

struct Place(TempDir);

impl Place {
    fn new(cell: &str, files: &[(&str, String)]) -> Self {
        let place = Place(TempDir::new().unwrap());
        fs::write(place.0.path().join("bar.urdf"), arm()).unwrap();
        fs::write(place.0.path().join("cell.toml"), cell).unwrap();
        for (name, text) in files {
            fs::write(place.0.path().join(name), text).unwrap();
        }
        place
    }

    fn job(&self, name: &str) -> Job {
        let at = |name: &str| self.0.path().join(name);
        Job::new(at("cell.toml"), vec![at(name)])
    }

    fn outcome(&self, job: &Job) -> Outcome {
        run(job, &crate::run::NoProgress)
    }
}

fn controller(what: &str) -> String {
    CELL.replace(
        "[[obstacle]]",
        &format!("controller = {{ dialect = \"ur\", {what} }}\n[[obstacle]]"),
    )
}

#[test]
fn a_difference_to_the_model_counts_where_it_matters() {
    let verdict = |cell: &str, off: f64| {
        let place = Place::new(cell, &[("a.script", program(off))]);
        place.outcome(&place.job("a.script"))
    };
    // Of half a millimetre that there is.
    for (off, expected) in [
        (0.0, Verdict::Clear),
        (0.0003, Verdict::Clear),
        (-0.0008, Verdict::Possible),
        (0.0008, Verdict::Possible),
    ] {
        let answer = verdict(CELL, off);
        let program = &answer.programs[0];
        assert_eq!((answer.verdict, &program.error), (expected, &None), "{off}");
        assert!(program.notices.is_empty(), "it is allowed for");
        let told = program.unchecked.iter();
        let told: Vec<&str> = told
            .filter(|d| d.code == Code::ModelDiffers)
            .map(|d| d.message.as_str())
            .collect();
        if off == 0.0 {
            assert!(told.is_empty(), "{told:?}")
        } else {
            assert!(
                told.iter()
                    .any(|m| m.contains("the answer holds for every link up to")),
                "{told:?}"
            )
        }
        if expected == Verdict::Possible {
            let errors = program.first_contact.as_ref().unwrap().errors.unwrap();
            assert!((errors.model - 0.0008).abs() < 1e-5, "{errors:?}");
        }
    }
    // Where the cell says so it is only told.
    let answer = verdict(&controller("model_difference = \"reported\""), 0.0008);
    assert_eq!(answer.verdict, Verdict::Clear);
    let told = &answer.programs[0].notices;
    assert!(
        matches!(&told[..], [said] if said.code == Code::ModelDiffers && said.message.contains("does not allow for it")),
        "{told:?}"
    );
    // A budget of the cell counts whatever a program shows, and a smaller one takes nothing away.
    let stated = |size: &str| format!("{CELL}[uncertainty]\nmodel = {{ xyz = \"{size}\" }}\n");
    assert_eq!(verdict(&stated("0.8mm"), 0.0).verdict, Verdict::Possible);
    assert_eq!(verdict(&stated("0.3mm"), 0.0).verdict, Verdict::Clear);
    assert_eq!(verdict(&stated("0.1mm"), 0.0008).verdict, Verdict::Possible);
}

#[test]
fn a_difference_to_the_model_goes_along_into_a_file_of_moves() {
    let place = Place::new(CELL, &[("a.script", program(0.0008))]);
    let native = place.job("a.script");
    // As a file of moves.
    let text = convert_controller_program(&native, None).unwrap().text;
    assert!(text.contains("\"beside_model\""), "{text}");
    fs::write(place.0.path().join("a.motion.json"), text).unwrap();
    let converted = place.outcome(&place.job("a.motion.json"));
    assert_eq!(converted.verdict, Verdict::Possible);
    // Over the ideal motion, as methods are compared.
    let job = Job {
        ideal: true,
        ..native
    };
    assert_eq!(place.outcome(&job).verdict, Verdict::Clear);
}

#[test]
fn a_point_of_the_pendant_is_held_against_the_model() {
    let still = "set_tcp(p[0,0,0,0,0,0])\nmovej([0,0,0,0,0,0])\nmovej([0.1,0,0,0,0,0])\n";
    let answer = |points: &str, program: String| {
        let place = Place::new(&controller(points), &[("a.script", program)]);
        place.outcome(&place.job("a.script"))
    };
    let says = |answer: &Outcome, code: Code| {
        let said = answer.programs[0].unchecked.iter();
        let found: Vec<String> = said
            .filter(|d| d.code == code)
            .map(|d| d.message.clone())
            .collect();
        found.join("; ")
    };
    // Nothing shows that the robot is understood: what can be compared is told.
    let open = answer("", still.into());
    let told = says(&open, Code::FirstTarget);
    assert!(
        told.contains("joints 0°") && told.contains("(1000.00, 0.00, 0.00) mm"),
        "{told}"
    );
    let point = |x: f64| format!("points = [{{ joints = [0, 0, 0, 0, 0, 0], xyz = [{x}, 0, 0] }}]");
    let proved = answer(&point(1.0), still.into());
    assert_eq!(proved.verdict, Verdict::Clear);
    assert_eq!(says(&proved, Code::FirstTarget), "");
    // It counts like one of the program.
    let near = program(0.0);
    assert_eq!(answer(&point(1.0), near.clone()).verdict, Verdict::Clear);
    assert_eq!(answer(&point(1.0008), near).verdict, Verdict::Possible);
    // A wrong frame or robot is refused, with both poses and the line of the cell file.
    let wrong = answer(&point(1.2), still.into());
    let error = wrong.programs[0].error.clone().unwrap_or_default();
    assert_eq!(wrong.verdict, Verdict::Unverified);
    assert!(
        error.contains("cell.toml:") && error.contains("(1200.00,") && error.contains("(1000.00,"),
        "{error}"
    );
}

/// The kinematics of a UR5e, of which only the frame of wrist 1 has a shape: a ball about it.
fn ur5e() -> String {
    let quarter = std::f64::consts::FRAC_PI_2;
    let joints = [
        ([0.0, 0.0, 0.1625], [0.0; 3]),
        ([0.0; 3], [quarter, 0.0, 0.0]),
        ([-0.425, 0.0, 0.0], [0.0; 3]),
        ([-0.3922, 0.0, 0.1333], [0.0; 3]),
        ([0.0, -0.0997, 0.0], [quarter, 0.0, 0.0]),
        ([0.0, 0.0996, 0.0], [-quarter, 0.0, 0.0]),
    ];
    let names = ["base", "l1", "l2", "l3", "wrist_1", "l5", "tool0"];
    let mut urdf = String::from("<robot name=\"ur\"><link name=\"base\"/>");
    for (k, (place, turned)) in joints.into_iter().enumerate() {
        let ball = if names[k + 1] == "wrist_1" {
            "<collision><geometry><sphere radius=\"0.01\"/></geometry></collision>"
        } else {
            ""
        };
        let [[x, y, z], [roll, pitch, yaw]] = [place, turned];
        urdf += &format!(
            r#"<link name="{child}">{ball}</link><joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
            <origin xyz="{x} {y} {z}" rpy="{roll} {pitch} {yaw}"/><axis xyz="0 0 1"/>
            <limit lower="-6" upper="6" velocity="1" effort="1"/></joint>"#,
            parent = names[k],
            child = names[k + 1],
        );
    }
    urdf + "</robot>"
}

/// Moves with wrist 2 near 8°; `A_q` and `A_p` are the same point. The ball comes to 1.5 mm above the
/// plate.
#[test]
fn links_before_the_last_one_are_farther_off_where_poses_are_driven_to() {
    let turn = "1.505150764,0.037028463,-0.234390501";
    let exact = format!("-0.546868257,-0.231930700,0.286357452,{turn}");
    // Half a millimetre and 0.15° beside the model, and twice as much.
    let off = "-0.546868257,-0.231930700,0.286857452,1.507755964,0.036734181,-0.234518996";
    let far = "-0.546868257,-0.231930700,0.287357452,1.510361154,0.036439654,-0.234647300";
    let answer = |uncertainty: &str, same_point: &str, moves: &str| {
        let program = format!(
            "set_tcp(p[0,0,0,0,0,0])\nA_p=p[{same_point}]\nA_q=[0,-1.221730476,1.745329252,-1.047197551,0.139626340,0.349065850]\n\
             B_p=p[-0.516868257,-0.231930700,0.336357452,{turn}]\nC_p=p[-0.516868257,-0.271930700,0.336357452,{turn}]\n\
             movej(A_q)\n{moves}"
        );
        let cell = format!(
            "[[robot]]\nurdf = \"bar.urdf\"\n[[obstacle]]\nname = \"plate\"\nbox = [0.4, 0.4, 0.001]\n\
             pose = {{ xyz = [-0.5, -0.15, 0.3538] }}\n{uncertainty}"
        );
        let place = Place::new(&cell, &[("bar.urdf", ur5e()), ("a.script", program)]);
        let answer = place.outcome(&place.job("a.script"));
        let program = &answer.programs[0];
        assert_eq!(program.error, None);
        let told = program.unchecked.iter();
        let told: Vec<String> = told
            .filter(|d| d.code == Code::ModelDiffers)
            .map(|d| d.message.clone())
            .collect();
        (answer.verdict, told.join("; "))
    };
    let lines = "movel(B_p)\nmovel(C_p)\n";
    // As far beside the model as the end of the arm is.
    let same = "[uncertainty]\nmodel = { xyz = \"0.5mm\", angle = \"0.15deg\" }\n";
    assert_eq!(answer(same, &exact, lines), (Verdict::Clear, String::new()));
    let by_joints = answer("", off, "movej([0,-1.2,1.7,-1.1,0.2,0.3])\n");
    assert_eq!(by_joints.0, Verdict::Clear);
    assert!(by_joints.1.contains("0.50 mm and 0.15°"), "{by_joints:?}");
    assert!(!by_joints.1.contains("values of a pose"), "{by_joints:?}");
    for moves in [
        lines,
        "movej(B_p)\nmovej(C_p)\n",
        "movel(B_p,r=0.01)\nmovel(C_p)\n",
    ] {
        let (verdict, told) = answer("", off, moves);
        assert_eq!(verdict, Verdict::Possible, "{moves}: {told}");
        let words = "where the controller finds the joint values of a pose";
        assert!(told.contains(words), "{told}");
    }
    // So much, so near to a singularity, that nothing is known of the links.
    let (verdict, told) = answer("", far, lines);
    assert_eq!(verdict, Verdict::Possible);
    assert!(told.contains("wherever it reaches"), "{told}");
}

/// A tool that the program counts with is carried, whether the cell has it or not.
#[test]
fn a_tool_that_the_cell_does_not_have_is_told() {
    let told = |cell: &str, tool: &str| {
        let program =
            format!("set_tcp(p[{tool},0,0,0,0,0])\nmovej([0,0,0,0,0,0])\nmovej([0.1,0,0,0,0,0])\n");
        let place = Place::new(cell, &[("a.script", program)]);
        let answer = place.outcome(&place.job("a.script"));
        assert_eq!(answer.verdict, Verdict::Clear, "{answer:?}");
        let said = answer.programs[0].notices.iter();
        let said = said.filter(|d| d.code == Code::CarriedObject);
        said.map(|d| d.message.clone()).collect::<Vec<_>>()
    };
    let said = told(CELL, "0.15");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("ends 150 mm from `tool0`"), "{said:?}");
    assert_eq!(told(CELL, "0.01"), Vec::<String>::new());
    let attached = format!(
        "{CELL}[[attach]]\nname = \"torch\"\nparent = \"tool0\"\nbox = [0.1, 0.01, 0.01]\npose = {{ xyz = [0.1, 0, 0] }}\n"
    );
    assert_eq!(told(&attached, "0.15"), Vec::<String>::new());
}

/// Regression: a tool in millimetres was told as one that is not attached, and not at all where
/// something is.
#[test]
fn a_tool_in_millimetres_is_told() {
    let attached = format!(
        "{CELL}[[attach]]\nname = \"torch\"\nparent = \"tool0\"\nbox = [0.1, 0.01, 0.01]\npose = {{ xyz = [0.1, 0, 0] }}\n"
    );
    for cell in [CELL, &attached] {
        let told = |tool: &str| {
            let program = format!(
                "set_tcp(p[{tool},0,0,0,0,0])\nmovej([0,0,0,0,0,0])\nmovej([0.1,0,0,0,0,0])\n"
            );
            let place = Place::new(cell, &[("a.script", program)]);
            let answer = place.outcome(&place.job("a.script"));
            let said = answer.programs[0].notices.iter();
            let said = said.map(|d| (d.code, d.message.clone()));
            said.collect::<Vec<_>>()
        };
        let said = told("150");
        let [(Code::SuspiciousPlace, message)] = &said[..] else {
            panic!("{said:?}")
        };
        let words = "ends 150.0 m from `tool0`";
        assert!(
            message.contains(words) && message.contains("looks like millimetres"),
            "{said:?}"
        );
        let said = told("0.15");
        assert!(
            said.iter().all(|(code, _)| *code == Code::CarriedObject),
            "{said:?}"
        );
    }
}

/// Joints in another order than they have in the arm make another motion, as long as no point shows
/// that the controller counts so.
#[test]
fn joints_that_are_not_in_the_order_of_the_arm_have_to_be_shown() {
    let still = "set_tcp(p[0,0,0,0,0,0])\nmovej([0,0,0,0,0,0])\nmovej([0.1,0,0,0,0,0])\n";
    let verdict = |what: &str| {
        let place = Place::new(&controller(what), &[("a.script", still.into())]);
        place.outcome(&place.job("a.script")).verdict
    };
    let order = |names: [&str; 6]| format!("joints = {names:?}");
    let point = "points = [{ joints = [0, 0, 0, 0, 0, 0], xyz = [1.0, 0, 0] }]";
    assert_eq!(
        verdict(&order(["j0", "j1", "j2", "j3", "j4", "j5"])),
        Verdict::Clear
    );
    let swapped = order(["j1", "j0", "j2", "j3", "j4", "j5"]);
    assert_eq!(verdict(&swapped), Verdict::Unverified);
    assert_eq!(verdict(&format!("{swapped}, {point}")), Verdict::Clear);
    // An axis that carries the arm.
    assert_eq!(
        verdict(&order(["j1", "j2", "j3", "j4", "j5", "j0"])),
        Verdict::Clear
    );
}

/// A program of another controller is told as that.
#[test]
fn a_program_of_another_controller_is_told() {
    let cell = controller("").replace("\"ur\"", "\"krl\"");
    let place = Place::new(&cell, &[("a.script", program(0.0))]);
    let answer = place.outcome(&place.job("a.script"));
    let error = answer.programs[0].error.clone().unwrap_or_default();
    assert!(
        error.contains("the cell's controller is `krl`, this program is a URScript program"),
        "{error}"
    );
}
