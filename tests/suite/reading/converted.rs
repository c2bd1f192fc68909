//! What a conversion leaves behind is asked before, or said: the file that is printed cannot be
//! asked any more.

use super::*;

fn convert(shop: &Shop, args: &str) -> (i32, String, String) {
    shop.run(&format!("convert --threads 1 {args}"))
}

/// The same where the folder has no `cell.toml`.
fn convert_without_cell(shop: &Shop, args: &str) -> (i32, String, String) {
    let [cell, away] = ["cell.toml", "other.toml"].map(|name| shop.0.path().join(name));
    std::fs::rename(&cell, &away).unwrap();
    let converted = convert(shop, args);
    std::fs::rename(&away, &cell).unwrap();
    converted
}

/// Catches degrees that are asked about in a check of the table, and are no question any more in the
/// file that was made of it.
#[test]
fn the_cell_file_of_the_folder_is_asked_in_a_conversion() {
    let shop = Shop::new(&arm(), POST);
    // Twenty turns are not asked about without a cell.
    shop.put("p.csv", "time,turn\n0,0\n1,20\n");
    assert_eq!(shop.check().0, 2);
    assert_eq!(convert_without_cell(&shop, "p.csv").0, 0);
    let (code, out, err) = convert(&shop, "p.csv");
    assert!(
        code == 2
            && out.is_empty()
            && err.contains("look like degrees")
            && err.contains("cell.toml"),
        "{code} {out}{err}"
    );
}

/// Catches a column of degrees that is written as radians because nothing can be asked of a file
/// that states its units.
#[test]
fn what_a_check_asks_is_asked_before_a_conversion() {
    let shop = Shop::new(&arm(), POST);
    shop.put("p.csv", "time,turn\n0,0\n1,90\n");
    assert_eq!(shop.check().0, 2);
    let (code, out, err) = convert(&shop, "--cell cell.toml p.csv");
    assert!(
        code == 2 && out.is_empty() && err.contains("look like degrees"),
        "{code} {out}{err}"
    );
    // No cell tells what would fit its limits.
    let (code, out, err) = convert_without_cell(&shop, "p.csv");
    assert!(
        code == 2 && out.is_empty() && err.contains("p.csv:3: ") && err.contains("`turn[deg]`"),
        "{code} {out}{err}"
    );
    for header in ["time,turn[rad]", "time,turn[deg]"] {
        shop.put("p.csv", &format!("{header}\n0,0\n1,90\n"));
        for cell in ["", "--cell cell.toml "] {
            let converted = if cell.is_empty() {
                convert_without_cell(&shop, "p.csv")
            } else {
                convert(&shop, &format!("{cell}p.csv"))
            };
            let (code, _, err) = converted;
            assert!(code == 0 && !err.contains("unit"), "{header} {code} {err}");
        }
    }
    shop.put("p.csv", "time,turn\n0,0\n1,1\n");
    let (code, _, err) = convert_without_cell(&shop, "p.csv");
    assert!(
        code == 0 && err.contains("columns without a unit") && err.contains("`turn`"),
        "{err}"
    );
    let (code, _, err) = convert(&shop, "--cell cell.toml p.csv");
    assert!(code == 0 && !err.contains("unit"), "{err}");
    // Where several robots have such a joint, none of them may leave the question open.
    let two = "name = \"left\"\n[[robot]]\nurdf = \"r.urdf\"\nname = \"right\"\nbase = { xyz = [5, 0, 0] }\n";
    let two = Shop::new(&arm(), two);
    let (code, text, err) = convert(&two, "--cell cell.toml p.csv");
    assert_eq!(code, 0, "{err}");
    two.put("p.motion.json", &text);
    let (code, out, err) = two.run("check --cell cell.toml --program left=p.motion.json");
    assert_eq!(code, 0, "{out}{err}");
    two.put("p.csv", "time,turn\n0,0\n1,90\n");
    let (code, _, err) = convert(&two, "--cell cell.toml p.csv");
    assert!(code == 2 && err.contains("look like degrees"), "{err}");
}

/// Catches a column that a check of the table accepts, and one of the converted file refuses.
#[test]
fn a_joint_that_follows_is_left_out_of_a_conversion() {
    let tip = link("tip", "")
        + "<joint name='tip' type='revolute'><parent link='arm'/><child link='tip'/><axis xyz='0 0 1'/>\
           <limit lower='-3' upper='3' velocity='9' effort='1'/><mimic joint='turn' multiplier='-0.5'/></joint>";
    let shop = Shop::new(&(arm() + &tip), POST);
    shop.put("p.csv", "time,tip,turn\n0,0,0\n1,-0.5,1\n");
    assert_eq!(shop.check().0, 0);
    let (code, text, err) = convert(&shop, "--cell cell.toml p.csv");
    assert!(code == 0 && err.contains("follows `turn`"), "{err}");
    shop.put("p.motion.json", &text);
    let (code, out, err) = shop.run("check --cell cell.toml p.motion.json");
    assert!(code == 0 && text.contains("1.0"), "{out}{err}{text}");
    shop.put("p.csv", "time,tip,turn\n0,0,0\n1,0.5,1\n");
    let (code, out, err) = convert(&shop, "--cell cell.toml p.csv");
    assert!(
        code == 2 && out.is_empty() && err.contains("`tip` follows `turn` and must be"),
        "{out}{err}"
    );
}

/// Catches a speed that is beyond its limit in a table and is no longer looked at, unsaid.
#[test]
fn a_conversion_says_that_speeds_are_no_longer_judged() {
    let shop = Shop::new(&arm(), POST);
    shop.put("p.csv", "time,turn\n0,0\n0.01,1\n");
    assert_eq!(shop.check().0, 1);
    for cell in ["", "--cell cell.toml "] {
        let (code, text, err) = convert(&shop, &format!("{cell}p.csv"));
        assert!(
            code == 0 && err.contains("speeds are not held against limits"),
            "{err}"
        );
        assert!(text.contains("\"seconds\": 0.01"), "{text}");
    }
    shop.put("p.csv", "turn[rad]\n0\n1\n");
    let (code, _, err) = convert(&shop, "--cell cell.toml p.csv");
    assert!(code == 0 && err.is_empty(), "{err}");
}

/// A pack is a cell for every command, and a program of a file of many has a name for every
/// command.
#[test]
fn packs_and_programs_of_a_file_of_many_are_converted() {
    let shop = Shop::new(&arm(), POST);
    shop.put("p.csv", "time,turn\n0,0\n1,1\n");
    shop.put(
        "plans.csv",
        "which,time,turn,note\na,0,0,1\na,1,-3,1\nb,0,0,1\nb,1,1,1\n",
    );
    shop.put("p.script", "movej([0])\nmovej([1])\n");
    assert_eq!(shop.run("pack --cell cell.toml -o cell.pack").0, 0);
    let moves = |text: &str| -> Value {
        let mut read: Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"));
        for step in read["moves"].as_array_mut().unwrap() {
            let step = step.as_object_mut().unwrap();
            step.remove("line");
            step.remove("file");
        }
        read
    };
    let mut all = Vec::new();
    for cell in ["cell.toml", "cell.pack"] {
        // A program of a controller as well.
        let (code, text, err) = convert(&shop, &format!("--cell {cell} p.script"));
        assert_eq!(code, 0, "{cell}: {err}");
        assert_eq!(moves(&text)["joints"][0], "turn");
        for program in ["p.csv", "plans.csv#b --id-column which"] {
            let (code, text, err) = convert(&shop, &format!("--cell {cell} {program}"));
            assert_eq!(code, 0, "{cell} {program}: {err}");
            let passed = err.contains("columns that are not joints are not used: note");
            assert_eq!(passed, program != "p.csv", "{err}");
            all.push(moves(&text));
        }
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]), "{all:?}");
    for (args, told) in [
        (
            "--cell other.toml plans.csv --id-column which",
            "name one of them",
        ),
        (
            "--cell other.toml plans.csv#c --id-column which",
            "no program `c`",
        ),
        ("plans.csv#b --id-column which", "--cell"),
        ("plans.csv --id-column which", "--cell"),
    ] {
        let (code, out, err) = convert_without_cell(&shop, args);
        assert!(code == 2 && out.is_empty() && err.contains(told), "{err}");
    }
    // A file of that name may be meant as well.
    shop.put("plans.csv#b", "time,turn[rad]\n0,0\n1,2\n");
    for cell in ["", "--cell cell.toml "] {
        let (code, out, err) = convert(&shop, &format!("{cell}plans.csv#b --id-column which"));
        assert!(
            code == 2 && out.is_empty() && err.contains("rename one"),
            "{err}"
        );
    }
}

/// Catches an error about a file that nobody knows: the pack has no name yet while it is held to
/// its cell.
#[test]
fn a_pack_that_is_refused_names_the_cell() {
    let shop = Shop::new(&arm(), "");
    let robot = shop.path().join("r.urdf");
    let robot = robot.display().to_string().replace('\\', "/");
    shop.put("cell.toml", &format!("[[robot]]\nurdf = \"{robot}\"\n"));
    let (code, out, err) = shop.run("pack --cell cell.toml -o cell.pack");
    assert!(
        code == 2 && out.is_empty() && err.starts_with("error: cell.toml: "),
        "{out}{err}"
    );
    assert!(!shop.path().join("cell.pack").exists());
}
