//! The work that methods other than the default one report.

/// Unit operations.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct Work {
    /// Distance queries of body pairs (L).
    pub distance_queries: u64,
    /// Interference queries of body pairs (I).
    pub interference_queries: u64,
    /// Spheres compared with spheres or triangles.
    pub sphere_tests: u64,
    /// Triangles compared exactly.
    pub triangle_tests: u64,
    /// Cells of a grid, or cubes of an octree, looked into.
    pub cell_tests: u64,
    /// Wall-clock seconds of building what the method looks at; 0 where nothing is built, or where
    /// it was not to be reported.
    pub build_seconds: f64,
    /// Size of that, bytes.
    pub memory_bytes: u64,
    /// The time that it was given was spent before the end of the motion.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub given_up: bool,
}

impl Work {
    /// Takes in what was done besides.
    pub fn add(&mut self, more: &Work) {
        self.distance_queries += more.distance_queries;
        self.interference_queries += more.interference_queries;
        self.sphere_tests += more.sphere_tests;
        self.triangle_tests += more.triangle_tests;
        self.cell_tests += more.cell_tests;
        self.build_seconds += more.build_seconds;
        self.memory_bytes = self.memory_bytes.max(more.memory_bytes);
        self.given_up |= more.given_up;
    }
}

/// How closely a method looked that only looks at instants: what it did not see may be there all
/// the same.
#[derive(
    Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Sampled {
    /// Instants that were looked at.
    pub instants: u64,
    /// From one of them to the next no two bodies move farther against each other than this,
    /// metres: a contact that comes and goes within it may have been missed.
    pub unseen: f64,
}

impl Sampled {
    /// Takes in what was sampled besides.
    pub fn add(&mut self, more: &Sampled) {
        self.instants += more.instants;
        self.unseen = self.unseen.max(more.unseen);
    }
}
