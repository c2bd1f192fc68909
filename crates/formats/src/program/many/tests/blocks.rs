//! Tables of more rows than are in memory at a time.

use super::*;

/// Catches values that are taken from another row or column where a block of rows ends, or where
/// one of them is missing and the others of its block are read one by one.
#[test]
fn rows_of_every_block_have_their_own_values() {
    const ROWS: usize = 2500;
    let numbers = |of: fn(usize) -> f64| real(&(0..ROWS).map(of).collect::<Vec<f64>>());
    let slides = (0..ROWS).map(|k| (k != 1500).then_some(1.0 + k as f64 / 1024.0));
    let columns = vec![
        (
            "program",
            Data::Whole((0..ROWS).map(|k| Some(k as i64 / 10)).collect()),
        ),
        ("time", numbers(|k| (k % 10) as f64)),
        ("turn", numbers(|k| k as f64 / 4096.0)),
        ("slide", Data::Real(slides.collect())),
    ];
    let file = TestFile::new("p.parquet", parquet_bytes(&columns));
    let programs = file.programs(None, &Layout::default());
    assert_eq!(programs.len(), ROWS / 10);
    for (number, program) in programs.iter().enumerate() {
        let Ok(program) = program else {
            assert_eq!(number, 150);
            continue;
        };
        for (k, waypoint) in program.waypoints.iter().enumerate() {
            let row = 10 * number + k;
            let expected = [row as f64 / 4096.0, 1.0 + row as f64 / 1024.0];
            assert_eq!(waypoint.positions[..], expected, "{row}");
        }
    }
    assert!(programs[150].is_err());
}
