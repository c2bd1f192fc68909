//! The experiments of the sources, with our figures: a table in Markdown for each.
//!
//! `cargo bench --bench sources -- [TABLE...]`; default: all. docs/methods.md holds what they print.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

#[path = "../common/mod.rs"]
mod common;
mod source_1;
mod source_2;
mod source_2_intersection;
mod source_3;
mod source_4;
mod source_5;

type Table = fn() -> Result<String, Box<dyn std::error::Error>>;

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let tables: [(&str, Table); 6] = [
        ("source-1", source_1::table),
        ("source-2", source_2::table),
        ("source-2-intersection", source_2_intersection::table),
        ("source-3", source_3::table),
        ("source-4", source_4::table),
        ("source-5", source_5::table),
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
