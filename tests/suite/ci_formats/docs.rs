//! docs/ci.md: its workflows are YAML of the right form, and its `clearance` commands run as they
//! stand.

use std::process::Command;

use super::*;

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md")).unwrap()
}

/// The YAML blocks of the page, read.
fn workflows(page: &str) -> Vec<Value> {
    let blocks = page.split("```yaml\n").skip(1);
    blocks
        .map(|b| serde_saphyr::from_str(b.split("```").next().unwrap()).unwrap())
        .collect()
}

/// The workflow of GitHub and the one of GitLab.
fn servers(page: &str) -> [Value; 2] {
    let blocks = workflows(page);
    ["jobs", "robot programs"].map(|key| {
        let block = blocks.iter().find(|b| b.get(key).is_some());
        block
            .expect("a workflow for GitHub and one for GitLab")
            .clone()
    })
}

/// Every step of the GitHub workflow and every line of the GitLab script that starts with
/// `clearance`, and the indented commands of the text.
fn commands(page: &str) -> Vec<String> {
    let [github, gitlab] = servers(page);
    let steps = github["jobs"]["clearance"]["steps"].as_array().unwrap();
    let lines = gitlab["robot programs"]["script"].as_array().unwrap();
    let run = steps.iter().filter_map(|s| s["run"].as_str());
    let script = lines.iter().filter_map(Value::as_str);
    let text = page.lines().filter_map(|l| l.strip_prefix("    "));
    run.chain(script)
        .chain(text)
        .filter(|c| c.starts_with("clearance "))
        .map(|c| c.trim().to_owned())
        .collect()
}

#[test]
fn the_workflows_have_what_servers_ask_for() {
    let page = page();
    let [github, gitlab] = servers(&page);
    assert!(github["on"]["pull_request"].is_null() && github["on"]["push"].is_object());
    assert_eq!(github["permissions"]["security-events"], "write");
    let steps = github["jobs"]["clearance"]["steps"].as_array().unwrap();
    for step in steps {
        assert!(
            step["run"].is_string() != step["uses"].is_string(),
            "{step}"
        );
    }
    // The file that is uploaded is the one that the command writes.
    let command = &commands(&page)[0];
    let sarif = steps
        .iter()
        .find_map(|s| s["with"]["sarif_file"].as_str())
        .unwrap();
    assert!(command.contains(&format!("--report sarif={sarif}")));
    let uploaded = steps
        .iter()
        .filter(|s| {
            s["uses"]
                .as_str()
                .is_some_and(|u| u.starts_with("actions/upload-artifact@"))
        })
        .filter_map(|s| s["with"]["path"].as_str())
        .flat_map(str::lines);
    for file in uploaded {
        assert!(command.contains(&format!("={file}")), "{file}");
    }
    let cached = steps
        .iter()
        .filter_map(|s| s["with"]["path"].as_str())
        .any(|p| command.contains(&format!("--cache-dir {p}")));
    assert!(cached);

    let job = &gitlab["robot programs"];
    let command = job["script"][0].as_str().unwrap();
    let junit = job["artifacts"]["reports"]["junit"].as_str().unwrap();
    assert!(command.contains(&format!("--report junit={junit}")));
    for file in job["artifacts"]["paths"].as_array().unwrap() {
        assert!(
            command.contains(&format!("={}", file.as_str().unwrap())),
            "{file}"
        );
    }
}

#[cfg(unix)]
#[test]
fn the_commands_run_as_they_stand() {
    let shop = Workshop::new();
    let commands = commands(&page());
    assert!(commands.len() >= 6, "{commands:?}");
    let binary = assert_cmd::cargo::cargo_bin("clearance");
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    for command in commands {
        // That one does not end by itself; it has a test of its own.
        let once = command.replace(" --watch", "");
        let clear = command != once;
        let output = Command::new("sh")
            .args(["-c", &once])
            .current_dir(shop.path())
            .env("PATH", &path)
            .env("XDG_CACHE_HOME", shop.path().join("cache"))
            .output()
            .unwrap();
        // Some of the programs collide on purpose.
        let expected = if clear { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(expected), "{once}: {output:?}");
        // Where all reports go to files, the verdict is said there; and what does not count.
        let told = String::from_utf8_lossy(&output.stderr);
        let left_out =
            "exit code: a violated limit does not count here: --fail-on does not name `limit`\n";
        let told = if once.contains("--fail-on collision ") {
            told.replace(left_out, "")
        } else {
            told.into_owned()
        };
        let verdict = ["CLEAR ", "COLLISION "]
            .iter()
            .any(|word| told.starts_with(word));
        assert!(
            told.is_empty() || verdict && told.lines().count() == 1,
            "{once}: {told}"
        );
        for file in once.split_whitespace().filter_map(|w| w.split_once('=')) {
            let written = fs::metadata(shop.path().join(file.1)).unwrap();
            assert!(written.len() > 0, "{}", file.1);
        }
    }
    assert!(shop.path().join(".clearance-cache").is_dir());
}

/// The inputs that the page gives to the action are those that it has, and those that it wants are
/// given.
#[test]
fn the_step_with_the_action_has_its_inputs() {
    let page = page();
    let blocks = workflows(&page);
    let steps = blocks.iter().filter_map(Value::as_array).flatten();
    let with: Vec<&Value> = steps.filter_map(|s| s.get("with")).collect();
    assert_eq!(with.len(), 1);
    let given = with[0].as_object().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml");
    let action: Value = serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let inputs = action["inputs"].as_object().unwrap();
    for name in given.keys() {
        assert!(inputs.contains_key(name), "{name}");
    }
    for (name, input) in inputs {
        let wanted = input["required"] == true;
        assert!(!wanted || given.contains_key(name), "{name}");
        assert!(
            page.contains(&format!("`{name}`")),
            "{name} is not explained"
        );
    }
}
