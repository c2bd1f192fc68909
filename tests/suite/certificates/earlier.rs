//! What an earlier run has left where a certificate is to be written.

use std::fs;
use std::path::Path;

use super::{certified, ours};

#[test]
fn a_run_without_a_certificate_leaves_none_of_an_earlier_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let run = |program: &Path| {
        let program = program.display().to_string();
        certified("robots/arm6/cell.toml", &[&program], &file).0
    };
    let missing = folder.path().join("missing.csv");
    assert_eq!(run(&ours("trajectories/arm6/pick_place.csv")), 0);
    assert!(file.exists());
    assert_eq!(run(&missing), 2);
    assert!(!file.exists(), "it is of another run");
    // A command line that is refused has touched no file.
    let good = ours("trajectories/arm6/pick_place.csv")
        .display()
        .to_string();
    assert_eq!(run(Path::new(&good)), 0);
    for words in [
        &[good.as_str(), &good][..],
        &[],
        &[&good, "--clearance", "wide"],
    ] {
        assert_eq!(certified("robots/arm6/cell.toml", words, &file).0, 2);
        assert!(file.exists(), "{words:?}");
    }
    fs::write(&file, "something else").unwrap();
    assert_eq!(run(&missing), 2);
    assert_eq!(fs::read_to_string(&file).unwrap(), "something else");
}
