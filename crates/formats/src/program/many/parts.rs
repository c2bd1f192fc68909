//! Recordings that were split into several files: `bag_0.mcap`, `bag_1.mcap`, and a `metadata.yaml`
//! that lists them.

use std::path::Path;

use super::super::node::{NodeKind, ProgramNode};
use super::super::ros::document;
use super::bag::is_of_message;
use super::{Kind, kind, place};
use crate::files::{MOST_TEXT, folder_of, read_bytes};

/// A later file of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterPart {
    /// Which one: 2 for the second.
    pub number: usize,
    /// The name of the file before it.
    pub before: String,
}

/// Where a program is the recorded path of a file that is a later part: which one. The first part
/// begins the recording, so nothing is before it.
pub fn later_part(program: &Path) -> Option<LaterPart> {
    // `place` asks the disk: not for each of a million programs of a table.
    let (file, _) = program.to_str()?.rsplit_once('#')?;
    if kind(Path::new(file)) != Some(Kind::Recording) {
        return None;
    }
    let place = place(program)?;
    // A message with a number is a plan of its own, not a piece of a path.
    if is_of_message(&place.id?) {
        return None;
    }
    listed(&place.file).unwrap_or_else(|| part_before(&place.file))
}

/// What `metadata.yaml` says; `None` where there is none, or it does not list the file.
fn listed(file: &Path) -> Option<Option<LaterPart>> {
    let metadata = folder_of(file).join("metadata.yaml");
    let bytes = read_bytes(&metadata, MOST_TEXT).ok()?;
    let root = document(&metadata, std::str::from_utf8(&bytes).ok()?).ok()?;
    let about = match &root.kind {
        // All of it stands below the name of the structure.
        NodeKind::Map(entries) => match &entries[..] {
            [(_, about)] => about,
            _ => &root,
        },
        _ => return None,
    };
    let entries = |key: &str| match about.get(key).map(|list| &list.kind) {
        Some(NodeKind::List(entries)) => &entries[..],
        _ => &[],
    };
    let files = entries("files").iter().filter_map(|file| file.get("path"));
    let listed: Vec<&ProgramNode> = match entries("relative_file_paths") {
        [] => files.collect(),
        paths => paths.iter().collect(),
    };
    let name = |entry: &&ProgramNode| match &entry.kind {
        NodeKind::Text(path) => Some(path.rsplit('/').next().unwrap_or(path).to_owned()),
        _ => None,
    };
    let names: Vec<String> = listed.iter().filter_map(name).collect();
    let own = file.file_name()?.to_str()?;
    let at = names.iter().position(|name| name == own)?;
    Some(at.checked_sub(1).map(|before| LaterPart {
        number: at + 1,
        before: names[before].clone(),
    }))
}

/// The file of the same name with the number before, if there is one.
fn part_before(file: &Path) -> Option<LaterPart> {
    let extension = file.extension()?.to_str()?;
    let (name, digits) = file.file_stem()?.to_str()?.rsplit_once('_')?;
    let number: usize = digits.parse().ok()?;
    // `_9` comes before `_10`, and `_09` before `_10` too.
    let number_before = number.checked_sub(1)?;
    let plain = number_before.to_string();
    let padded = format!("{number_before:0width$}", width = digits.len());
    let numbers = [plain, padded];
    let mut names = (numbers.iter()).map(|digits| format!("{name}_{digits}.{extension}"));
    let before = names
        .find(|name| folder_of(file).join(name).is_file())
        .or_else(|| before_by_date(file, &numbers))?;
    Some(LaterPart {
        number: number + 1,
        before,
    })
}

/// rosbag of ROS 1 writes the time at which each file begins into its name: the last file before
/// this one that has one of these numbers.
fn before_by_date(file: &Path, numbers: &[String]) -> Option<String> {
    let own = file.file_name()?.to_str()?;
    let [prefix, date, _] = dated(own)?;
    let entries = std::fs::read_dir(folder_of(file)).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_before = |name: &String| {
        dated(name).is_some_and(|[same, earlier, number]| {
            same == prefix && earlier < date && numbers.iter().any(|n| n == number)
        })
    };
    names.filter(is_before).max()
}

/// Takes `arm_2024-05-17-10-30-00_1.bag` apart: what stands before the date, the date, the number.
fn dated(name: &str) -> Option<[&str; 3]> {
    const DATE: &[u8] = b"0000-00-00-00-00-00";
    let (name, number) = name.strip_suffix(".bag")?.rsplit_once('_')?;
    let (prefix, date) = name.split_at_checked(name.len().checked_sub(DATE.len())?)?;
    let fits = (date.bytes().zip(DATE)).all(|(c, form)| match form {
        b'0' => c.is_ascii_digit(),
        _ => c == *form,
    });
    fits.then_some([prefix, date, number])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Catches parts of one recording of which nobody says that the way between them is missing.
    #[test]
    fn later_parts_of_a_split_recording_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let of = |name: &str| later_part(&folder.path().join(name));
        let part = |number, before: &str| {
            let before = before.to_owned();
            Some(LaterPart { number, before })
        };
        for name in [
            "bag_0.mcap",
            "bag_1.mcap",
            "bag_9.bag",
            "bag_10.bag",
            "run_2.mcap",
            "a_1.csv",
            "a_0.csv",
        ] {
            put(name, "");
        }
        assert_eq!(of("bag_0.mcap#/joint_states"), None);
        assert_eq!(of("bag_1.mcap#/joint_states"), part(2, "bag_0.mcap"));
        assert_eq!(of("bag_10.bag#/joint_states"), part(11, "bag_9.bag"));
        assert_eq!(of("bag_1.mcap#/plan@2"), None, "a plan is whole");
        assert_eq!(of("run_2.mcap#/joint_states"), None, "nothing before it");
        assert_eq!(of("a_1.csv#7"), None, "a table");
        put("b_09.bag", "");
        assert_eq!(of("b_10.bag#/joint_states"), part(11, "b_09.bag"));
        // The time in a name is that at which the file begins.
        for name in [
            "arm_2024-05-16-10-30-00_0.bag",
            "arm_2024-05-17-10-30-00_0.bag",
            "arm_2024-05-17-10-35-00_1.bag",
            "arm_2024-05-18-09-00-00_0.bag",
            "leg_2024-05-17-10-36-00_1.bag",
        ] {
            put(name, "");
        }
        let first = "arm_2024-05-17-10-30-00_0.bag";
        assert_eq!(
            of("arm_2024-05-17-10-35-00_1.bag#/joint_states"),
            part(2, first)
        );
        for alone in [first, "leg_2024-05-17-10-36-00_1.bag"] {
            assert_eq!(of(&format!("{alone}#/joint_states")), None);
        }
        // The list counts, whatever the names are, and however it is written.
        for list in [
            "info:\n  relative_file_paths:\n    - bag_1.mcap\n    - \"run/run_2.mcap\"\n  files:\n    - path: bag_0.mcap\n",
            "info:\n  relative_file_paths: [bag_1.mcap, run_2.mcap]\n",
            "info:\n  relative_file_paths: # files\n  - bag_1.mcap\n  - run_2.mcap\n",
            "{\"info\": {\"relative_file_paths\": [\"bag_1.mcap\", \"run_2.mcap\"]}}",
            "info:\n  files:\n    - path: bag_1.mcap\n    - path: run_2.mcap\n",
        ] {
            put("metadata.yaml", list);
            assert_eq!(of("bag_1.mcap#/joint_states"), None, "{list}");
            assert_eq!(
                of("run_2.mcap#/joint_states"),
                part(2, "bag_1.mcap"),
                "{list}"
            );
        }
    }
}
