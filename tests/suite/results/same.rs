//! The same question has the same answer, byte for byte but for times: whatever the threads, and
//! wherever trees come from.

use super::*;

/// Takes out what tells how long something took.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("_seconds"));
            fields.values_mut().for_each(without_times);
        }
        Value::Array(items) => items.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// 50 nm above the threshold rounding decides what can be proved: it must always be the same.
#[test]
fn near_the_threshold_too() {
    for above in [5e-8, 3e-7, 4.5e-7, 6e-7] {
        let site = Site::new(1e-3 + above);
        let mut answers: Vec<Value> = Vec::new();
        for (command, options) in [
            (
                "check --cell cell.toml p/away.csv p/under.csv",
                "--no-cache --threads 1",
            ),
            (
                "check --cell cell.toml p/away.csv p/under.csv",
                "--no-cache --threads 2",
            ),
            (
                "check --cell cell.toml p/away.csv p/under.csv",
                "--cache-dir trees --threads 2",
            ),
            (
                "check --cell cell.toml p/away.csv p/under.csv",
                "--cache-dir trees --threads 1",
            ),
            ("batch --cell cell.toml p", "--cache-dir trees"),
        ] {
            let mut process = site.process(&format!("{command} {options} --report json"));
            let output = process.output().unwrap();
            let mut json: Value = serde_json::from_slice(&output.stdout).unwrap();
            without_times(&mut json);
            answers.push(json["programs"].take());
        }
        assert_eq!(answers[0].as_array().map(Vec::len), Some(2));
        assert!(fs::read_dir(site.path("trees")).unwrap().count() > 0);
        for other in &answers[1..] {
            assert_eq!(&answers[0], other, "{above}");
        }
    }
}
