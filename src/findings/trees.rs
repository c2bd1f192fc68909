//! Facts about sphere trees, as plain data: lengths in metres.

use super::Diagnostic;

/// A rank of a cover, or a level of a tree; the first one is the whole shape.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct LevelFacts {
    /// Number of spheres.
    pub spheres: usize,
    /// Radius by the formulas of ranked covers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nominal_radius: Option<f64>,
    /// Smallest radius.
    pub least_radius: f64,
    /// Mean radius.
    pub mean_radius: f64,
    /// Largest radius.
    pub greatest_radius: f64,
}

/// Cubes of a level of an octree; the first one is the cube around everything.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct CubeLevelFacts {
    /// Edge of its cubes.
    pub edge: f64,
    /// Cubes that hold nothing.
    pub white: usize,
    /// Cubes that a surface goes through.
    pub mixed: usize,
    /// Cubes wholly inside a solid.
    pub black: usize,
}

/// The tree of one shape, or the octree of what stands side by side.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct TreeFacts {
    /// The mesh file, or the body in a cell; of an octree its bodies, the first ones of many.
    pub name: String,
    /// Triangles of the shape.
    pub triangles: usize,
    /// The length that is added to every radius: balls and capsules are covered by their cores,
    /// metres.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub rounding: f64,
    /// Ranks or levels from the largest spheres to the smallest.
    pub levels: Vec<LevelFacts>,
    /// Levels of cubes from the largest to the smallest, in place of spheres.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cubes: Vec<CubeLevelFacts>,
    /// Whether it is proved that the spheres cover the shape, or that every cube holds what it
    /// says.
    pub covered: bool,
    /// Where that proof failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gap: Option<String>,
    /// Size in memory, bytes.
    pub bytes: usize,
    /// Time of building it, seconds.
    pub build_seconds: f64,
    /// Time of the proof, seconds.
    pub check_seconds: f64,
}

/// Trees of a mesh or of all shapes of a cell.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct TreeReport {
    /// Version of this structure: [`super::SCHEMA`].
    pub schema: u32,
    /// Always `clearance`.
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Mesh file, cell file, or URDF.
    pub source: String,
    /// `sphere-tree`, `greedy`, `ranked` or `octree`.
    pub shape: String,
    /// Radius asked for of the smallest parts: last rank, tiles, or the spheres around cubes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub leaf_radius: Option<f64>,
    /// Ratio asked for from rank to rank.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ratio: Option<f64>,
    /// One for every shape.
    pub trees: Vec<TreeFacts>,
    /// Parts without a tree.
    pub unchecked: Vec<Diagnostic>,
    /// Notes.
    pub notes: Vec<Diagnostic>,
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}
