//! Ranked sphere cover of a surface: spheres of a few sizes, each cell of a rank divided into the
//! smaller cells of the next.
//!
//! A surface point lies in the envelope box, so in one of the cells of every rank, so in that
//! cell's sphere: the spheres of a rank that meet the surface cover it, and so does every chain
//! from the largest sphere down to the smallest one.

mod build;
mod check;
#[cfg(test)]
mod tests;

use nalgebra::{Point3, Vector3};

pub use build::{
    SphereBudget, TooMany, USUAL_SPHERES, least_spheres, radius_that_fits, usual_radius,
};
pub use check::Uncovered;

/// A mesh as a cover sees it.
#[derive(Debug, Clone, Copy)]
pub struct MeshFaces<'m> {
    /// Places, metres.
    pub vertices: &'m [Point3<f64>],
    /// Corners of each triangle, by vertex.
    pub triangles: &'m [[u32; 3]],
}

/// The cells of a rank, where the cell above is not a multiple of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CoverCells {
    /// Boxes: what the last cube of a row has in common with the one before is cut off, and spheres
    /// are those around the boxes: of several sizes, none larger than the rank's.
    #[default]
    Cut,
    /// Cubes, whose spheres are all of one size. What the last one of a row has in common with the
    /// one before is left out when it is divided further (the source's claims 1 and 9).
    Equal,
    /// Cubes that overlap, and are divided as they are (its claim 8).
    Overlapping,
}

impl CoverCells {
    /// As users write it.
    pub fn as_str(self) -> &'static str {
        match self {
            CoverCells::Cut => "cut",
            CoverCells::Equal => "equal",
            CoverCells::Overlapping => "overlapping",
        }
    }
}

/// The ranks of a cover.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoverRanks {
    /// Radius of a rank against that of the next, about; where the number of ranks is given it has
    /// no say.
    pub ratio: f64,
    /// Number of ranks, 2 or more; `None`: as many as the ratio takes.
    pub count: Option<usize>,
    /// The kind of their cells.
    pub cells: CoverCells,
}

impl Default for CoverRanks {
    fn default() -> Self {
        Self {
            ratio: CoverFineness::RATIO,
            count: None,
            cells: CoverCells::default(),
        }
    }
}

/// How fine a cover is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoverFineness {
    /// Radius of the spheres of the last rank, metres.
    pub leaf_radius: f64,
    /// The ranks above.
    pub ranks: CoverRanks,
}

/// Sphere of a cover, relative to [`RankedCover::origin`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Centre of its cell.
    pub center: [f32; 3],
    /// Radius, rounded up: all of the cell lies inside, and a hair more.
    pub radius: f32,
    /// Its first sphere in the next rank.
    pub first: u32,
    /// Number of its spheres there; 0 in the last rank.
    pub count: u32,
}

/// The cover of one mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedCover {
    /// Point of the mesh's frame that centres refer to.
    pub origin: Point3<f64>,
    /// Radius of each rank by the formulas, metres. Cells that were cut have smaller spheres.
    pub radii: Vec<f64>,
    /// Spheres of each rank, from the one around the envelope box to the smallest. No ranks without
    /// triangles.
    pub ranks: Vec<Vec<Sphere>>,
}

impl CoverFineness {
    /// Ratio of radii where none is asked for.
    pub const RATIO: f64 = 2.0;

    /// Ratios that can be had: below, there is no end of ranks; above, nearly all cells are looked
    /// at in vain.
    pub const RATIOS: std::ops::RangeInclusive<f64> = 1.2..=16.0;

    /// Numbers of ranks that can be had.
    pub const COUNTS: std::ops::RangeInclusive<usize> = 2..=40;

    /// Spheres of this radius in the last rank, and the usual ratio, metres.
    pub fn of(leaf_radius: f64) -> Self {
        Self {
            leaf_radius,
            ranks: CoverRanks::default(),
        }
    }

    /// The same with another ratio.
    pub fn with_ratio(leaf_radius: f64, ratio: f64) -> Self {
        let ranks = CoverRanks {
            ratio,
            ..CoverRanks::default()
        };
        Self { leaf_radius, ranks }
    }

    /// The radius of every rank for an envelope whose sphere has this radius, metres.
    ///
    /// With n ranks, r_i = r_n (r_1 / r_n)^((n − i) / (n − 1)): the same ratio from each rank to
    /// the next, as near to the one asked for as a whole number of ranks allows. An envelope that
    /// is smaller than the smallest spheres has one rank; a larger one has two at least, or it
    /// would not be as fine as was asked for.
    pub fn radii(&self, envelope: f64) -> Vec<f64> {
        if envelope <= self.leaf_radius {
            return vec![envelope];
        }
        let span = envelope / self.leaf_radius;
        let steps = match self.ranks.count {
            Some(count) => count.saturating_sub(1).max(1) as f64,
            None => (span.ln() / self.ranks.ratio.ln()).round().max(1.0),
        };
        (0..=steps as usize)
            .map(|i| self.leaf_radius * span.powf((steps - i as f64) / steps))
            .collect()
    }

    /// The message when the covers of these meshes together have more spheres than there may be:
    /// with a radius that was tried and fits, if there is one.
    pub fn refusal(&self, meshes: &[MeshFaces], most: usize) -> String {
        let remedy = match radius_that_fits(meshes, &self.ranks, most) {
            // Without the rounding of powers of ten.
            Some(radius) => format!("`--leaf-radius {}mm` fits", (radius * 1e9).round() / 1e6),
            None => "there are too many shapes for this method".to_owned(),
        };
        format!(
            "ranked covers with leaf spheres of {} mm radius take more than {most} spheres here: {remedy}",
            self.leaf_radius * 1e3
        )
    }
}

impl Sphere {
    /// Its centre.
    pub fn place(&self) -> Vector3<f64> {
        Vector3::from(self.center.map(f64::from))
    }
}

impl RankedCover {
    /// Covers a mesh whose vertices are finite and whose indices are valid. The cover is the same
    /// whatever the number of threads.
    ///
    /// # Errors
    /// When the budget has no spheres left.
    pub fn build(
        faces: MeshFaces,
        fineness: &CoverFineness,
        budget: &SphereBudget,
    ) -> Result<Self, TooMany> {
        build::build(faces, fineness, budget)
    }

    /// Spheres of the next rank below one.
    pub fn below(&self, rank: usize, sphere: usize) -> std::ops::Range<usize> {
        let Sphere { first, count, .. } = self.ranks[rank][sphere];
        first as usize..(first + count) as usize
    }

    /// The largest sphere of the last rank, metres; 0 without triangles. Each of these spheres
    /// meets the surface, so what meets one of them is within twice this of the surface.
    pub fn leaf_radius(&self) -> f64 {
        let leaves = self.ranks.last().into_iter().flatten();
        leaves.map(|s| f64::from(s.radius)).fold(0.0, f64::max)
    }

    /// Its size in memory, bytes.
    pub fn memory_bytes(&self) -> usize {
        let spheres: usize = self.ranks.iter().map(Vec::len).sum();
        size_of::<Self>()
            + spheres * size_of::<Sphere>()
            + self.ranks.len() * (size_of::<Vec<Sphere>>() + size_of::<f64>())
    }

    /// Proves that every point of the mesh lies in a chain of spheres, one of each rank, so that no
    /// search can miss it.
    ///
    /// # Errors
    /// Names a place for which this could not be shown.
    pub fn prove(&self, faces: MeshFaces) -> Result<(), Uncovered> {
        check::prove(self, faces)
    }
}
