//! Reports: outcome in, bytes out; nothing is printed here.

mod audit;
mod batch;
mod clock;
mod comparison;
mod draft;
mod errors;
mod github;
mod html;
mod inspection;
mod json;
mod junit;
mod list;
mod lists;
mod markdown;
mod notices;
mod parquet;
mod printable;
mod sarif;
mod schema;
mod table;
mod text;
mod timeline;
mod trees;
mod units;
mod versus;
mod wrap;

pub use batch::BatchText;
pub use comparison::{comparison_json, comparison_text};
pub use draft::{draft_text, draft_toml};
pub use github::github;
pub use html::{Scenery, html, html_cell, html_list, is_page};
pub use inspection::{inspection_json, inspection_text};
pub use json::json;
pub use junit::junit;
pub use markdown::markdown;
pub use parquet::ParquetTable;
pub use printable::{json as printable_json, line as printable_line, printable};
pub use sarif::sarif;
pub use schema::{comparison_schema, inspection_schema, report_schema, trees_schema};
pub use text::{Style, conclusion, text, text_of_run};
pub use trees::{trees_json, trees_text};
pub use wrap::wrap_paragraphs;

#[cfg(test)]
mod tests;
