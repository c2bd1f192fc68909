//! The schema of the JSON reports, derived from their structures: the two cannot drift apart.

use schemars::generate::SchemaSettings;

use crate::findings::{Comparison, Inspection, Outcome, SCHEMA, TreeReport};

/// JSON schema (draft 2020-12) of the report of a check, with a line break at the end.
pub fn report_schema() -> String {
    schema::<Outcome>("Report of clearance")
}

/// JSON schema (draft 2020-12) of `inspect --format json`, with a line break at the end.
pub fn inspection_schema() -> String {
    schema::<Inspection>("Inspection of a cell by clearance")
}

/// JSON schema (draft 2020-12) of `compare --format json`, with a line break at the end.
pub fn comparison_schema() -> String {
    schema::<Comparison>("Comparison of methods by clearance")
}

/// JSON schema (draft 2020-12) of `tree --json`, with a line break at the end.
pub fn trees_schema() -> String {
    schema::<TreeReport>("Sphere trees by clearance")
}

fn schema<T: schemars::JsonSchema>(title: &str) -> String {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert(
        "title".to_owned(),
        format!("{title}, schema {SCHEMA}").into(),
    );
    // Plain data: serializing it cannot fail.
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
