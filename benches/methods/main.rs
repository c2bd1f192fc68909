//! The experiments of the published methods, with our figures: a table in Markdown for each.
//!
//! `cargo bench --bench methods -- [TABLE...]`; default: all. docs/methods.md holds what they
//! print.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

#[path = "../common/mod.rs"]
mod common;
mod compact_trees;
mod distance_bisection;
mod feature_intersection;
mod octree;
mod ranked_cover;
mod uniform_grid;

type Table = fn() -> Result<String, Box<dyn std::error::Error>>;

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let tables: [(&str, Table); 6] = [
        ("ranked-cover", ranked_cover::table),
        ("distance-bisection", distance_bisection::table),
        ("feature-intersection", feature_intersection::table),
        ("compact-trees", compact_trees::table),
        ("uniform-grid", uniform_grid::table),
        ("octree", octree::table),
    ];
    for (name, table) in tables {
        if asked.is_empty() || asked.iter().any(|a| a == name) {
            match table() {
                Ok(text) => println!("{}\n", text.trim_end()),
                Err(error) => {
                    eprintln!("{name}: {error}");
                    std::process::exit(1);
                }
            }
        }
    }
}
