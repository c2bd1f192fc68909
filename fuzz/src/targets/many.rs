//! Files of many programs.

use std::path::Path;
use std::sync::OnceLock;

use clearance_formats::program::many::{Layout, members, names, place};
use clearance_formats::{LoadOptions, load_cell};
use clearance_proof::model::Cell;

use super::scratch;

fn cell() -> &'static Cell {
    static CELL: OnceLock<Cell> = OnceLock::new();
    CELL.get_or_init(|| {
        let file = Path::new(super::super::FUZZ).join("cell/cell.toml");
        let loaded = load_cell(&file, &LoadOptions::default());
        loaded.expect("the cell of the fuzz targets").cell
    })
}

/// Reads a file to its end. Every program is sound or refused; the answer is whether one was sound.
fn read(data: &[u8], name: &str, topic: Option<&str>) -> bool {
    let folder = scratch::folder("many");
    // Tests run side by side.
    let file = folder.join(format!("{:?}-{name}", std::thread::current().id()));
    std::fs::write(&file, data).expect("a file in the scratch folder");
    let layout = Layout::default();
    let listed = names(&file, &layout);
    let mut taken = 0;
    let Ok(found) = members(&file, topic, &layout, cell()) else {
        return false;
    };
    for member in found {
        let Ok(member) = member else { break };
        let Ok(program) = member.program else {
            continue;
        };
        taken += 1;
        let id = place(&member.name).and_then(|place| place.id);
        assert!(id.is_some_and(|id| !id.is_empty()));
        let columns = program.columns.len();
        assert!(columns > 0 && !program.waypoints.is_empty());
        for point in &program.waypoints {
            assert!(point.time.is_finite() && point.line > 0);
            assert_eq!(point.positions.len(), columns);
            assert!(point.positions.iter().all(|x| x.is_finite()));
        }
        assert!(program.waypoints.is_sorted_by(|a, b| a.time <= b.time));
    }
    taken > 0 && listed.is_ok()
}

/// A Parquet table.
pub fn parquet(data: &[u8]) -> bool {
    read(data, "input.parquet", None)
}

/// A table of text with a column of programs.
pub fn long_csv(data: &[u8]) -> bool {
    read(data, "input.csv", None)
}

/// A recording in MCAP: trajectories, or joint states where there are none.
pub fn mcap(data: &[u8]) -> bool {
    read(data, "input.mcap", Some("/plan")) || read(data, "input.mcap", Some("/joint_states"))
}

/// A bag of ROS 1.
pub fn bag(data: &[u8]) -> bool {
    read(data, "input.bag", Some("/plan")) || read(data, "input.bag", Some("/joint_states"))
}
