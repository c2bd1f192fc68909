//! Many machines: the part that a scheduler gives, lists of programs, and the cell in one file.

use std::io::Read;

use super::*;

/// Runs a batch as a scheduler starts it, with these variables.
fn scheduled(site: &Site, line: &str, variables: &[(&str, String)]) -> Output {
    let mut process = site.process(&format!("batch --cell cell.toml {line}"));
    process.envs(variables.iter().map(|(name, value)| (name, value)));
    process.output().unwrap()
}

#[test]
fn parts_of_a_scheduler_add_up_to_the_whole() {
    let site = Site::new(23);
    let whole = site.batch("library --results whole.jsonl");
    let slurm = |k: usize| {
        let numbers = [
            ("ID", 10 + 5 * k),
            ("MIN", 10),
            ("MAX", 20),
            ("STEP", 5),
            ("COUNT", 3),
        ];
        const NAMES: [&str; 5] = [
            "SLURM_ARRAY_TASK_ID",
            "SLURM_ARRAY_TASK_MIN",
            "SLURM_ARRAY_TASK_MAX",
            "SLURM_ARRAY_TASK_STEP",
            "SLURM_ARRAY_TASK_COUNT",
        ];
        let values = numbers.iter().map(|(_, value)| value.to_string());
        NAMES.into_iter().zip(values).collect::<Vec<_>>()
    };
    let kubernetes = |k: usize| {
        vec![
            ("JOB_COMPLETION_INDEX", k.to_string()),
            ("CLEARANCE_SHARDS", "3".to_owned()),
        ]
    };
    type Variables<'v> = &'v dyn Fn(usize) -> Vec<(&'static str, String)>;
    for (name, variables) in [("slurm", &slurm as Variables), ("kubernetes", &kubernetes)] {
        for k in 0..3 {
            let line = format!("library --shard auto --results {name}{k}.jsonl");
            let part = scheduled(&site, &line, &variables(k));
            assert_eq!(part.status.code(), Some(1), "{}", errors(&part));
        }
        let parts = format!("{name}0.jsonl {name}1.jsonl {name}2.jsonl");
        let joined = site.run(&format!("merge {parts} --results joined.jsonl"));
        assert_eq!(text(&joined), text(&whole));
        assert_eq!(site.read("joined.jsonl"), site.read("whole.jsonl"));
    }
    let lost = scheduled(
        &site,
        "library --shard auto",
        &[("JOB_COMPLETION_INDEX", "0".to_owned())],
    );
    assert_eq!(lost.status.code(), Some(2));
    assert!(
        errors(&lost).contains("set CLEARANCE_SHARDS in the container's env"),
        "{}",
        errors(&lost)
    );
}

/// A list names the same programs as the folder, without anybody looking into it.
#[test]
fn a_list_stands_for_a_folder() {
    let site = Site::new(10);
    site.batch("library --results folder.jsonl");
    let names: Vec<String> = (site.lines("folder.jsonl").into_iter())
        .map(|(name, _)| name)
        .collect();
    fs::write(site.path("list.txt"), names.join("\n")).unwrap();
    site.batch("--list list.txt --results list.jsonl");
    assert_eq!(site.read("list.jsonl"), site.read("folder.jsonl"));
    fs::write(site.path("latin.txt"), b"programs/a.csv\nk\xfche.csv\n").unwrap();
    let refused = site.run("batch --cell cell.toml --list latin.txt");
    let said = errors(&refused);
    assert!(
        said.contains("latin.txt") && said.contains("line 2 is not UTF-8"),
        "{said}"
    );
    let refused = site.run("batch --cell cell.toml --list gone.txt");
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("the list gone.txt cannot be read"));
}

/// Catches a program that is passed over as a comment once its file is gone.
#[test]
fn a_comment_in_a_list_that_may_be_a_file_is_refused() {
    let site = Site::new(2);
    let names: Vec<String> = fs::read_dir(site.path("library/0"))
        .unwrap()
        .map(|entry| format!("library/0/{}", entry.unwrap().file_name().display()))
        .collect();
    let list = format!("# y.csv\n{}", names.join("\n"));
    fs::write(site.path("list.txt"), &list).unwrap();
    let run = || site.run("batch --cell cell.toml --list list.txt --results list.jsonl");
    run();
    assert_eq!(site.lines("list.jsonl").len(), 2);
    fs::copy(site.path(&names[0]), site.path("# y.csv")).unwrap();
    let refused = run();
    assert_eq!(refused.status.code(), Some(2));
    let said = errors(&refused);
    assert!(
        said.contains("line 1 is a comment, and there is a file `# y.csv`; write `./# y.csv`"),
        "{said}"
    );
    fs::write(site.path("list.txt"), list.replace("# y", "./# y")).unwrap();
    run();
    assert_eq!(site.lines("list.jsonl").len(), 3);
}

/// The entries of a tar archive.
fn entries(file: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(fs::File::open(file).unwrap());
    let mut all = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        all.push((entry.path().unwrap().display().to_string(), bytes));
    }
    all
}

/// An archive of these entries, whatever their names.
fn write_entries(file: &Path, entries: &[(String, Vec<u8>)]) {
    let mut archive = tar::Builder::new(fs::File::create(file).unwrap());
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(tar::EntryType::Regular);
        header.set_cksum();
        archive.append(&header, &bytes[..]).unwrap();
    }
    archive.finish().unwrap();
}

/// A worker has the pack and the programs, nothing else.
fn worker(site: &Site) -> Site {
    let worker = Site {
        folder: tempfile::tempdir().unwrap(),
    };
    fs::rename(site.path("library"), worker.path("library")).unwrap();
    fs::copy(site.path("cell.pack"), worker.path("cell.pack")).unwrap();
    worker
}

fn trees(site: &Site) -> usize {
    fs::read_dir(site.path("cache/clearance")).map_or(0, |entries| entries.count())
}

const BATCH: &str = "batch --cell cell.pack library --results";

#[test]
fn a_pack_is_the_cell() {
    let site = Site::new(23);
    site.batch("library --results whole.jsonl");
    let packed = site.run("pack --cell cell.toml");
    assert_eq!(packed.status.code(), Some(0), "{}", errors(&packed));
    assert!(
        text(&packed).starts_with("cell.pack is written: "),
        "{}",
        text(&packed)
    );
    // The same cell is the same pack.
    site.run("pack --cell cell.toml -o again.pack");
    assert_eq!(
        fs::read(site.path("cell.pack")).unwrap(),
        fs::read(site.path("again.pack")).unwrap()
    );
    let worker = worker(&site);
    fs::remove_dir_all(site.path("meshes")).unwrap();
    let run = worker.run(&format!("{BATCH} packed.jsonl"));
    assert_eq!(run.status.code(), Some(1), "{}", errors(&run));
    // Every program's line is sealed with the hash of cell and question: it is the same one.
    let [whole, packed] = [site.read("whole.jsonl"), worker.read("packed.jsonl")];
    let (_, whole) = whole.split_once('\n').unwrap();
    let (_, packed) = packed.split_once('\n').unwrap();
    assert_eq!(packed, whole);
    assert_eq!(trees(&worker), 0, "the trees of the pack were not used");
    // Nothing of where it was laid out is seen, so two runs are the same.
    worker.run(&format!("{BATCH} second.jsonl"));
    assert_eq!(worker.read("second.jsonl"), worker.read("packed.jsonl"));
    let inspected = worker.run("inspect --cell cell.pack");
    assert!(
        text(&inspected).starts_with("cell.pack\n"),
        "{}",
        text(&inspected)
    );
}

/// A tree that is not one of its mesh is built anew, and no answer changes.
#[test]
fn trees_of_a_pack_are_proved_before_they_are_used() {
    let site = Site::new(10);
    site.run("pack --cell cell.toml");
    let worker = worker(&site);
    worker.run(&format!("{BATCH} good.jsonl"));
    let good = entries(&worker.path("cell.pack"));
    let is_tree = |name: &str| name.starts_with("trees/");
    let all: Vec<usize> = (0..good.len()).filter(|&k| is_tree(&good[k].0)).collect();
    assert!(all.len() > 5);
    let largest = *all.iter().max_by_key(|&&k| good[k].1.len()).unwrap();
    let mut swapped = good.clone();
    // Whole trees, of other meshes.
    for k in 0..all.len() {
        swapped[all[k]].1 = good[all[(k + 1) % all.len()]].1.clone();
    }
    let mut bent = good.clone();
    let middle = bent[largest].1.len() / 2;
    bent[largest].1[middle] ^= 0x40;
    let mut cut = good.clone();
    cut[largest].1.truncate(middle);
    for (what, entries, rebuilt) in [
        ("swapped", swapped, all.len()),
        ("bent", bent, 1),
        ("cut", cut, 1),
    ] {
        write_entries(&worker.path("cell.pack"), &entries);
        let _ = fs::remove_dir_all(worker.path("cache"));
        worker.run(&format!("{BATCH} {what}.jsonl"));
        assert_eq!(
            worker.read(&format!("{what}.jsonl")),
            worker.read("good.jsonl"),
            "{what}"
        );
        assert_eq!(trees(&worker), rebuilt, "{what}");
    }
}

#[test]
fn a_damaged_pack_is_refused() {
    let site = Site::new(1);
    site.run("pack --cell cell.toml");
    let good = entries(&site.path("cell.pack"));
    let mesh = good
        .iter()
        .position(|(name, _)| name.ends_with("fixture.stl"))
        .unwrap();
    let mut moved = good.clone();
    moved[mesh].1[100] ^= 1;
    let mut missing = good.clone();
    missing.remove(mesh);
    let mut outside = good.clone();
    outside.push(("files/../../outside.stl".to_owned(), b"x".to_vec()));
    let mut absolute = good.clone();
    absolute.push(("/tmp/clearance-outside.stl".to_owned(), b"x".to_vec()));
    let mut twice = good.clone();
    twice.push(good[mesh].clone());
    let mut more = good.clone();
    more.push(("files/more.stl".to_owned(), b"x".to_vec()));
    let mut list = good.clone();
    let text = String::from_utf8(list[0].1.clone()).unwrap();
    list[0].1 = text.replacen("files/", "../", 1).into_bytes();
    let mut newer = good.clone();
    newer[0].1 = text
        .replace("\"clearance_pack\": 3", "\"clearance_pack\": 4")
        .into_bytes();
    for (what, entries, said) in [
        ("moved", moved, "fixture.stl` in it is not what was packed"),
        ("missing", missing, "fixture.stl` is missing in it"),
        ("outside", outside, "not a name that a pack has"),
        ("absolute", absolute, "not a name that a pack has"),
        ("twice", twice, "not a name that a pack has"),
        ("more", more, "is not what was packed"),
        ("list", list, "what lies outside of it"),
        ("newer", newer, "another version"),
    ] {
        write_entries(&site.path("bad.pack"), &entries);
        let run = site.run("batch --cell bad.pack library");
        assert_eq!(run.status.code(), Some(2), "{what}");
        let told = super::text(&run) + &errors(&run);
        assert!(told.contains(said), "{what}: {told}");
    }
    let bytes = fs::read(site.path("cell.pack")).unwrap();
    fs::write(site.path("bad.pack"), &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(site.run("inspect --cell bad.pack").status.code(), Some(2));
}

/// The worker learns from the pack which folders `package://` means on this machine.
#[test]
fn packages_are_found_in_the_pack() {
    let site = Site::new(10);
    site.batch("library --results whole.jsonl");
    let urdf = site.read("robot.urdf");
    assert!(urdf.contains("filename=\"meshes/"));
    let urdf = urdf.replace("filename=\"meshes/", "filename=\"package://arm_meshes/");
    fs::write(site.path("robot.urdf"), urdf).unwrap();
    assert_eq!(site.run("pack --cell cell.toml").status.code(), Some(2));
    let packed = site.run("pack --cell cell.toml --package arm_meshes=meshes");
    assert_eq!(packed.status.code(), Some(0), "{}", errors(&packed));
    let worker = worker(&site);
    worker.run(&format!("{BATCH} packed.jsonl"));
    let lines = |site: &Site, file: &str| site.read(file).split_once('\n').unwrap().1.to_owned();
    assert_eq!(lines(&worker, "packed.jsonl"), lines(&site, "whole.jsonl"));
    // Another folder would be read in place of the packed one.
    let refused = worker.run("inspect --cell cell.pack --package arm_meshes=meshes");
    assert_eq!(refused.status.code(), Some(2));
    let said = errors(&refused);
    assert!(
        said.contains("not for a pack that has its own folder"),
        "{said}"
    );
}

/// Regression: the geometry went into the pack, and nothing there said that it counts.
#[test]
fn what_is_only_visual_counts_in_the_pack_as_it_did_when_it_was_made() {
    let site = Site::new(1);
    let column = "<link name=\"column\"><visual><geometry><box size=\"3 3 3\"/></geometry></visual></link>\
        <joint name=\"column_joint\" type=\"fixed\"><parent link=\"base_link\"/><child link=\"column\"/></joint></robot>";
    site.edit("robot.urdf", "</robot>", column);
    let visual = "--visual-as-collision";
    let code = |line: &str| site.run(line).status.code();
    for (flag, expected) in [("", 2), (visual, 1)] {
        let run = format!("library --cell cell.toml {flag}");
        assert_eq!(code(&format!("batch {run}")), Some(expected), "{flag}");
        assert_eq!(
            code(&format!("pack --cell cell.toml {flag}")),
            Some(0),
            "{flag}"
        );
        for said in [flag, visual] {
            let expected = Some(if said == visual { 1 } else { expected });
            let found = code(&format!("batch library --cell cell.pack {said}"));
            assert_eq!(found, expected, "{flag}, {said}");
        }
    }
}

/// A file that is named by its whole path is not on the worker.
#[test]
fn what_a_worker_would_not_find_is_refused() {
    let site = Site::new(1);
    let whole = site.path("meshes/fixture.stl").display().to_string();
    site.edit("cell.toml", "meshes/fixture.stl", &whole);
    let refused = site.run("pack --cell cell.toml");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused).contains("which is not in it"),
        "{}",
        errors(&refused)
    );
    assert!(!site.path("cell.pack").exists());
    let robot = site.run("pack --robot robot.urdf");
    assert!(
        errors(&robot).contains("only a cell with a cell file"),
        "{}",
        errors(&robot)
    );
}

/// What the environment says here, it need not say on the worker.
#[test]
fn a_cell_that_asks_the_environment_is_not_packed() {
    let site = Site::new(1);
    fs::rename(site.path("robot.urdf"), site.path("robot.urdf.xacro")).unwrap();
    site.edit("cell.toml", "robot.urdf", "robot.urdf.xacro");
    assert_eq!(site.run("pack --cell cell.toml").status.code(), Some(0));
    let asked = "<gazebo reach=\"$(optenv REACH 0.1)\"/></robot>";
    site.edit("robot.urdf.xacro", "</robot>", asked);
    let refused = site.run("pack --cell cell.toml");
    assert_eq!(refused.status.code(), Some(2));
    let said = errors(&refused);
    assert!(said.contains("`$(optenv REACH 0.1)` in a pack"), "{said}");
}

/// A site whose URDF names its meshes by a package, in a folder that has another name:
/// `deps/arm-description-1.2`.
fn site_of_a_package() -> Site {
    let site = Site::new(10);
    site.batch("library --results whole.jsonl");
    let package = site.path("deps/arm-description-1.2");
    fs::create_dir_all(&package).unwrap();
    fs::write(
        package.join("package.xml"),
        "<package><name>arm_description</name></package>",
    )
    .unwrap();
    fs::create_dir(package.join("meshes")).unwrap();
    let urdf = site.read("robot.urdf");
    for part in urdf.split("filename=\"meshes/").skip(1) {
        let mesh = part.split('"').next().unwrap();
        let from = site.path("meshes").join(mesh);
        fs::copy(&from, package.join("meshes").join(mesh)).unwrap();
    }
    let urdf = urdf.replace(
        "filename=\"meshes/",
        "filename=\"package://arm_description/meshes/",
    );
    fs::write(site.path("robot.urdf"), urdf).unwrap();
    site
}

/// Packs as ROS has its packages set up here, and runs on a worker that has none of them.
fn packed_like_whole(site: &Site, ros: &str, cell: &str) {
    let mut pack = site.process(&format!("pack --cell {cell}"));
    let packed = pack.env("ROS_PACKAGE_PATH", ros).output().unwrap();
    assert_eq!(packed.status.code(), Some(0), "{}", errors(&packed));
    let worker = worker(site);
    worker.run(&format!("{BATCH} packed.jsonl"));
    let lines = |site: &Site, file: &str| site.read(file).split_once('\n').unwrap().1.to_owned();
    assert_eq!(lines(&worker, "packed.jsonl"), lines(site, "whole.jsonl"));
    // A package of this name that the worker has is another one.
    fs::create_dir_all(worker.path("ros/arm_description/meshes")).unwrap();
    for mesh in fs::read_dir(site.path("deps/arm-description-1.2/meshes")).unwrap() {
        let name = mesh.unwrap().file_name();
        let other = worker.path("ros/arm_description/meshes").join(name);
        fs::write(other, "no mesh").unwrap();
    }
    let mut again = worker.process(&format!("{BATCH} again.jsonl"));
    let again = again.env("ROS_PACKAGE_PATH", worker.path("ros"));
    again.output().unwrap();
    assert_eq!(worker.read("again.jsonl"), worker.read("packed.jsonl"));
}

#[test]
fn a_package_in_a_folder_of_another_name() {
    let site = site_of_a_package();
    let ros = site.path("deps").display().to_string();
    packed_like_whole(&site, &ros, "cell.toml");
}

/// Also by its whole path: what `[packages]` says is where the folder was, and the pack knows where
/// it is now.
#[test]
fn a_package_that_the_cell_file_names() {
    for relative in [true, false] {
        let site = site_of_a_package();
        let folder = site.path("deps/arm-description-1.2").display().to_string();
        let folder = if relative {
            "deps/arm-description-1.2"
        } else {
            folder.as_str()
        };
        let cell = format!(
            "{}\n[packages]\narm_description = \"{folder}\"\n",
            site.read("cell.toml")
        );
        fs::write(site.path("cell.toml"), cell).unwrap();
        packed_like_whole(&site, "", "cell.toml");
    }
}

/// The package is the folder of the cell, or above it: no file of the cell says so.
#[test]
fn a_package_above_all_files() {
    let site = Site::new(10);
    site.batch("library --results whole.jsonl");
    let urdf = site.read("robot.urdf").replace(
        "filename=\"meshes/",
        "filename=\"package://arm_description/config/meshes/",
    );
    let config = site.path("deps/arm-description-1.2/config");
    fs::create_dir_all(&config).unwrap();
    fs::rename(site.path("meshes"), config.join("meshes")).unwrap();
    fs::rename(site.path("cell.toml"), config.join("cell.toml")).unwrap();
    fs::write(config.join("robot.urdf"), urdf).unwrap();
    let manifest = "<package><name>arm_description</name></package>";
    let package = site.path("deps/arm-description-1.2");
    fs::write(package.join("package.xml"), manifest).unwrap();
    fs::create_dir(package.join("meshes")).unwrap();
    packed_like_whole(&site, "", "deps/arm-description-1.2/config/cell.toml");
}

/// One name, two folders: the pack does not choose.
#[test]
fn a_package_in_two_folders_is_refused() {
    let site = site_of_a_package();
    let mesh = fs::read_dir(site.path("deps/arm-description-1.2/meshes"));
    let mesh = mesh.unwrap().next().unwrap().unwrap().path();
    let below = site.path("arm_description/meshes");
    fs::create_dir_all(&below).unwrap();
    fs::rename(&mesh, below.join(mesh.file_name().unwrap())).unwrap();
    let mut pack = site.process("pack --cell cell.toml");
    let refused = pack.env("ROS_PACKAGE_PATH", site.path("deps")).output();
    let refused = refused.unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let said = errors(&refused);
    assert!(
        said.contains("`arm_description`") && said.contains("[packages]"),
        "{said}"
    );
    assert!(said.contains("deps/arm-description-1.2"), "{said}");
}
