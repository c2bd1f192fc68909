//! Two runs that are started together: one writes, the other one says that it must wait.

use std::process::Stdio;

use super::*;

#[test]
fn one_of_two_runs_gets_the_file() {
    let site = Site::new(BARELY_M);
    for k in 0..6 {
        let from = 0.3 * f64::from(k);
        site.write(
            &format!("p/more{k}.csv"),
            &format!("time,turn\n0,{from}\n1,{}\n", from + 0.3),
        );
    }
    site.run("batch --cell cell.toml p --results whole.jsonl", 1);
    let whole = site.read("whole.jsonl");
    let (mut refused, mut both) = (0, 0);
    for round in 0..60 {
        let mut children: Vec<_> = (0..2)
            .map(|_| {
                site.process("batch --cell cell.toml p --threads 1 --results r.jsonl")
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let outputs: Vec<Output> = children
            .drain(..)
            .map(|child| child.wait_with_output().unwrap())
            .collect();
        let codes: Vec<Option<i32>> = outputs.iter().map(|o| o.status.code()).collect();
        assert!(codes.contains(&Some(1)), "round {round}: {outputs:?}");
        for output in &outputs {
            if output.status.code() == Some(1) {
                continue;
            }
            let said = errors(output);
            assert!(
                said.contains("is being written by another run"),
                "round {round}: {said}"
            );
            refused += 1;
        }
        both += usize::from(codes == [Some(1), Some(1)]);
        assert_eq!(site.read("r.jsonl"), whole, "round {round}");
        // Sometimes there is no file at first, sometimes that of the round before.
        if round % 2 == 0 {
            fs::remove_file(site.path("r.jsonl")).unwrap();
        }
    }
    assert!(refused > 0, "they never met: {both} times both wrote");
    let left: Vec<_> = fs::read_dir(site.0.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".results"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A report is whole or not there, and a run that is refused leaves no file.
#[test]
fn nothing_is_left_of_what_came_to_nothing() {
    let site = Site::new(BARELY_M);
    site.write("cell.toml", "[[robot]]\nurdf = \"gone.urdf\"\n");
    site.run("batch --cell cell.toml p --results r.jsonl", 2);
    assert!(!site.path("r.jsonl").exists());
}
