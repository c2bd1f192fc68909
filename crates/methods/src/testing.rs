//! The example robots, for tests.

use std::path::Path;
use std::sync::Arc;

use clearance_formats::{LoadOptions, load_cell};
use clearance_proof::bvh::SphereTree;
use clearance_proof::model::Cell;
use clearance_proof::pairs::PairTable;

/// A cell that can be checked.
pub struct Example {
    pub cell: Cell,
    pub trees: Vec<Vec<Arc<SphereTree>>>,
    pub pairs: PairTable,
}

/// The cell of `robots/NAME/cell.toml`.
pub fn example(name: &str) -> Example {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../robots")
        .join(name)
        .join("cell.toml");
    let cell = load_cell(&file, &LoadOptions::default()).unwrap().cell;
    let tree = |shape: &clearance_proof::model::Shape| Arc::new(SphereTree::of(&shape.form));
    let trees = (cell.bodies.iter())
        .map(|body| body.shapes.iter().map(tree).collect())
        .collect();
    let pairs = PairTable::new(&cell);
    Example { cell, trees, pairs }
}
