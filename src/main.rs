//! The `clearance` binary.

fn main() {}
