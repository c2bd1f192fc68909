//! Result files and answers that are not one: what stays undecided, what there was no time for,
//! what was damaged, and two runs that want the same file.

use std::fs;
use std::path::PathBuf;
use std::process::{Command as Process, Output};

use serde_json::Value;
use tempfile::TempDir;

mod damage;
mod limit;
mod minimum;
mod same;
mod several;
mod two_runs;
mod undecided;

/// A beam that turns about the vertical, and a frame at its tip.
const URDF: &str = r#"<robot name="beam"><link name="foot"/>
  <link name="beam"><collision><origin xyz="0.3 0 0"/><geometry><box size="0.6 0.1 0.1"/></geometry></collision></link>
  <link name="tip"/>
  <joint name="turn" type="revolute"><parent link="foot"/><child link="beam"/><axis xyz="0 0 1"/>
    <limit lower="-9" upper="9" velocity="99" effort="1"/></joint>
  <joint name="end" type="fixed"><parent link="beam"/><child link="tip"/><origin xyz="0.6 0 0"/></joint></robot>"#;

/// A plate over the half x > 0, so far above the beam, metres.
fn cell(gap: f64) -> String {
    format!(
        "[[robot]]\nurdf = \"robot.urdf\"\n[[obstacle]]\nname = \"plate\"\nbox = [2, 4, 0.1]\n\
         pose = {{ xyz = [1.2, 0, {:?}] }}\n[check]\nclearance = \"1mm\"\nresolution = \"10mm\"\n",
        0.1 + gap
    )
}

/// Above the threshold by so little that no bound can tell.
const BARELY_M: f64 = 1e-3 + 4.5e-7;

/// A folder with a cell in it and two programs: `under.csv` passes below the plate, `away.csv`
/// stays away from it.
struct Site(TempDir);

impl Site {
    fn new(gap: f64) -> Self {
        let site = Site(tempfile::tempdir().unwrap());
        site.write("robot.urdf", URDF);
        site.write("cell.toml", &cell(gap));
        site.write("p/under.csv", "time,turn\n0,0\n1,0.4\n");
        site.write("p/away.csv", "time,turn\n0,3\n1,3.3\n");
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn process(&self, line: &str) -> Process {
        let mut process = Process::new(env!("CARGO_BIN_EXE_clearance"));
        process
            .current_dir(self.0.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .args(line.split_whitespace());
        process
    }

    /// Runs a command that must end with this exit code.
    fn run(&self, line: &str, code: i32) -> Output {
        let output = self.process(line).output().unwrap();
        let said = (text(&output), errors(&output));
        assert_eq!(output.status.code(), Some(code), "{line}: {said:?}");
        output
    }

    fn json(&self, line: &str, code: i32) -> Value {
        let output = self.run(&format!("{line} --report json"), code);
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// All lines of a result file.
    fn lines(&self, name: &str) -> Vec<Value> {
        let text = self.read(name);
        text.lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect()
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
