//! Programs that call others: their answers hold while none of the files has changed.

use std::fs;

use super::{Site, errors, kept};

/// A listing with these lines, and one position.
fn listing(name: &str, lines: &str, joints: [f64; 6]) -> String {
    let values: Vec<String> = (joints.iter().enumerate())
        .map(|(k, q)| format!("J{}= {q:.3} deg", k + 1))
        .collect();
    format!(
        "/PROG  {name}\n/ATTR\nDEFAULT_GROUP\t= 1,*,*,*,*;\n/MN\n{lines}/POS\nP[1]{{\n   GP1:\n\tUF : 0, UT : 1,\n\t{}\n}};\n/END\n",
        values.join(",\t")
    )
}

const ABOVE: [f64; 6] = [0.0, -17.0, 17.0, 0.0, 68.0, 0.0];
const LEFT: [f64; 6] = [10.0, -17.0, 17.0, 0.0, 68.0, 0.0];

fn site() -> Site {
    let site = Site::new(0);
    let mut names: Vec<String> = (1..=6).map(|k| format!("\"joint_{k}\"")).collect();
    names[2] = "{ joint = \"joint_3\", with = { joint_2 = 0 } }".to_owned();
    let controller = format!(
        "[[robot]]\ncontroller = {{ dialect = \"fanuc\", joints = [{}], tools = {{ 1 = {{ xyz = [0, 0, 0.1] }} }} }}",
        names.join(", ")
    );
    site.edit("cell.toml", "[[robot]]", &controller);
    fs::create_dir(site.path("fanuc")).unwrap();
    let write = |name: &str, lines: &str, joints| {
        let text = listing(name, lines, joints);
        fs::write(site.path(&format!("fanuc/{name}.ls")), text).unwrap();
    };
    write("ALONE", "   1:J P[1] 10% FINE ;\n", ABOVE);
    write("MAIN", "   1:J P[1] 10% FINE ;\n   2:  CALL SUB ;\n", ABOVE);
    write("SUB", "   1:J P[1] 10% FINE ;\n", LEFT);
    write(
        "LOST",
        "   1:J P[1] 10% FINE ;\n   2:  CALL GONE ;\n",
        ABOVE,
    );
    site
}

fn main_hash(site: &Site, file: &str) -> (String, String) {
    let lines = site.lines(file);
    let line = &lines
        .iter()
        .find(|(name, _)| name.ends_with("MAIN.ls"))
        .unwrap()
        .1;
    let text = |key: &str| line[key].as_str().unwrap_or("none").to_owned();
    (text("hash"), text("verdict"))
}

/// A folder takes programs of every kind: what the controller of the cell cannot run is not
/// verified, and stops no other.
#[test]
fn a_folder_takes_programs_of_every_kind() {
    let site = site();
    let put = |name: &str, text: &str| fs::write(site.path(name), text).unwrap();
    put(
        "fanuc/table.csv",
        "time,joint_1[deg],joint_2[deg],joint_3[deg],joint_4[deg],joint_5[deg],joint_6[deg]\n0,0,-17,17,0,68,0\n1,10,-17,17,0,68,0\n",
    );
    put(
        "fanuc/other.mod",
        "MODULE M\nPROC main()\nMoveAbsJ [[0,0,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\nENDPROC\nENDMODULE\n",
    );
    put("fanuc/read.me", "not a program");
    site.run("batch --cell cell.toml fanuc --results r.jsonl");
    let lines = site.lines("r.jsonl");
    let verdict = |end: &str| {
        let line = lines.iter().find(|(name, _)| name.ends_with(end));
        line.map(|(_, line)| line["verdict"].as_str().unwrap_or_default())
    };
    assert_eq!(verdict("ALONE.ls"), Some("clear"), "{lines:?}");
    assert_eq!(verdict("table.csv"), Some("clear"), "{lines:?}");
    assert_eq!(verdict("other.mod"), Some("unverified"), "{lines:?}");
    assert_eq!(verdict("read.me"), None, "{lines:?}");
}

#[test]
fn a_program_is_verified_again_when_one_that_it_calls_has_changed() {
    let site = site();
    let resume = || site.run("batch --cell cell.toml fanuc --results r.jsonl --resume");
    site.run("batch --cell cell.toml fanuc --results r.jsonl");
    let before = main_hash(&site, "r.jsonl");
    assert_eq!(before.1, "clear", "{}", site.read("r.jsonl"));
    assert_eq!(kept(&resume()), 4);
    // The called program hits the machine's own arm: SUB itself, and MAIN that calls it.
    site.edit("fanuc/SUB.ls", "J1= 10.000 deg", "J1= 11.000 deg");
    assert_eq!(kept(&resume()), 2);
    assert_ne!(main_hash(&site, "r.jsonl").0, before.0);
    assert_eq!(kept(&resume()), 4);
    site.edit("fanuc/SUB.ls", "J1= 11.000 deg", "J1= 10.000 deg");
    assert_eq!(kept(&resume()), 2);
    assert_eq!(main_hash(&site, "r.jsonl"), before);
    // A file that was looked for in vain, and then is there.
    let gone = site
        .read("fanuc/SUB.ls")
        .replace("/PROG  SUB", "/PROG  GONE");
    fs::write(site.path("fanuc/GONE.ls"), gone).unwrap();
    let said = resume();
    assert_eq!(kept(&said), 3, "{}", errors(&said));

    // A baseline takes over what is the same, and no more.
    let again = |results: &str| {
        let line = format!("batch --cell cell.toml fanuc --results {results} --baseline r.jsonl");
        site.run(&line);
        let lines = site.lines(results);
        let taken = (lines.iter()).filter(|(_, line)| line["baseline"]["checked"] == false);
        taken.count()
    };
    let all = again("same.jsonl");
    site.edit("fanuc/SUB.ls", "J1= 10.000 deg", "J1= 12.000 deg");
    assert_eq!(all, 5, "{}", site.read("same.jsonl"));
    assert_eq!(again("changed.jsonl"), 3);
}

/// Regression: a file that is there and cannot be read was kept as one that is not there.
#[test]
fn an_answer_is_not_kept_when_a_file_cannot_be_read() {
    let site = site();
    site.run("batch --cell cell.toml fanuc --results r.jsonl");
    for name in ["GONE", "gone"] {
        for extension in ["ls", "LS", "Ls"] {
            let folder = site.path(&format!("fanuc/{name}.{extension}"));
            fs::create_dir(&folder).unwrap();
            let run = site.run("batch --cell cell.toml fanuc --results r.jsonl --resume");
            assert_eq!(kept(&run), 3, "{name}.{extension}: {}", errors(&run));
            fs::remove_dir(&folder).unwrap();
        }
        site.run("batch --cell cell.toml fanuc --results r.jsonl --resume");
    }
}

/// Another motion follows from another file that is called: it is an input, too.
#[test]
fn what_a_program_calls_is_an_input_of_its_certificate() {
    let site = site();
    let run = site.run("check --cell cell.toml fanuc/MAIN.ls --corners exact --certificate m.cert");
    let certificate = fs::read(site.path("m.cert"));
    let certificate = certificate.unwrap_or_else(|e| panic!("{e}: {}", errors(&run)));
    let said = String::from_utf8_lossy(&certificate);
    for file in ["MAIN.ls", "SUB.ls"] {
        let told = said
            .lines()
            .find(|line| line.contains(file))
            .unwrap_or_default();
        assert!(
            told.contains("SHA-256 ") && !told.contains("not read"),
            "{file}: {told}"
        );
    }
}

/// Regression: the data list of a module among `files` stayed behind when the cell was packed, and
/// a worker took places of the same names from another list.
#[test]
fn data_lists_go_with_their_modules() {
    let site = Site::new(0);
    let names: Vec<String> = (1..=6).map(|k| format!("\"joint_{k}\"")).collect();
    let controller = format!(
        "[[robot]]\nstart = {{ joint_1 = 0, joint_2 = 0, joint_3 = 0, joint_4 = 0, joint_5 = 0, joint_6 = 0 }}\n\
         controller = {{ dialect = \"krl\", joints = [{}], files = [\"lib.src\", \"$config.dat\"] }}",
        names.join(", ")
    );
    site.edit("cell.toml", "[[robot]]", &controller);
    let write = |name: &str, text: &str| fs::write(site.path(name), text).unwrap();
    let list = |name: &str, scope: &str, degrees: i32| {
        format!(
            "DEFDAT {name}\nDECL {scope} E6AXIS xPlace={{A1 0,A2 {degrees},A3 0,A4 0,A5 0,A6 0}}\nENDDAT\n"
        )
    };
    write("lib.src", "DEF lib( )\nPTP xPlace\nEND\n");
    write("Lib.DAT", &list("lib", "", 100));
    write("$config.dat", &list("$CONFIG", "GLOBAL", 0));
    write("main.src", "DEF main( )\nBAS(#INITMOV,0)\nlib( )\nEND\n");
    let check = |cell: &str| {
        let output = site.run(&format!("check --cell {cell} main.src"));
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        super::text(&output)
    };
    let whole = check("cell.toml");
    site.run("pack --cell cell.toml");
    for file in ["lib.src", "Lib.DAT", "$config.dat"] {
        fs::remove_file(site.path(file)).unwrap();
    }
    let packed = check("cell.pack");
    let finding = |text: &str| {
        let line = text.lines().find(|line| line.contains("COLLISION"));
        line.expect("a collision").replace("cell.pack/", "")
    };
    assert_eq!(finding(&packed), finding(&whole));
}
