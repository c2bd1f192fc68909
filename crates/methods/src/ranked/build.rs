//! Dividing cells, keeping those whose spheres meet the surface.

use std::sync::atomic::{AtomicUsize, Ordering};

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::triangle::Closest;
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::{CoverCells, CoverFineness, CoverRanks, MeshFaces, RankedCover, Sphere};

use crate::rounding::UNIT;

/// Spheres are larger than circumscribed by this share, and cells smaller by twice as much. Around
/// a common corner of cells the spheres then overlap, so that the cover can be proved by cutting
/// triangles into pieces; what is left makes up for centres in single precision.
const HAIR: f64 = 1.0 / 4096.0;

/// Shares of an edge that are not worth a cell of their own: rounding.
const SLIVER: f64 = 1e-9;

/// Ranks whose cells are worth a task each.
const TASKS: usize = 2;

/// Spheres that may still be made.
#[derive(Debug)]
pub struct SphereBudget {
    most: usize,
    left: AtomicUsize,
}

/// There would be more spheres than the budget has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany {
    /// The budget.
    pub most: usize,
}

impl SphereBudget {
    /// For this many spheres.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            left: AtomicUsize::new(most),
        }
    }

    fn take(&self) -> Result<(), TooMany> {
        let less = |left: usize| left.checked_sub(1);
        match self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
        {
            Ok(_) => Ok(()),
            Err(_) => Err(TooMany { most: self.most }),
        }
    }

    fn used(&self) -> usize {
        self.most - self.left.load(Ordering::Relaxed)
    }

    /// Whether spheres of a radius cannot cover a flat piece of this area with what is left: each
    /// covers a disc at most.
    fn is_hopeless(&self, area: f64, radius: f64) -> bool {
        area > std::f64::consts::PI * radius * radius * self.left.load(Ordering::Relaxed) as f64
    }
}

/// Spheres that covers have where nobody says how fine they are to be.
pub const USUAL_SPHERES: usize = 1_000_000;

/// The leaf radius where nobody says one: the resolution, or where that takes too many spheres for
/// all these meshes together, the one of [`radius_that_fits`] for a million; metres.
pub fn usual_radius(meshes: &[MeshFaces], ranks: &CoverRanks, resolution: f64) -> f64 {
    let fineness = CoverFineness {
        leaf_radius: resolution,
        ranks: *ranks,
    };
    let budget = SphereBudget::new(USUAL_SPHERES);
    let may_fit = least_spheres(meshes.iter().copied(), resolution) < USUAL_SPHERES as f64;
    let mut meshes_left = meshes.iter();
    if may_fit && meshes_left.all(|m| RankedCover::build(*m, &fineness, &budget).is_ok()) {
        resolution
    } else {
        radius_that_fits(meshes, ranks, USUAL_SPHERES).unwrap_or(resolution)
    }
}

/// No cover by spheres of this radius has fewer: a sphere covers a disc at most.
pub fn least_spheres<'m>(meshes: impl Iterator<Item = MeshFaces<'m>>, radius: f64) -> f64 {
    let area = |mesh: MeshFaces| -> f64 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            (b - a).cross(&(c - a)).norm() / 2.0
        };
        mesh.triangles.iter().map(of).sum()
    };
    meshes.map(area).sum::<f64>() / (std::f64::consts::PI * radius * radius)
}

/// A leaf radius with which all these meshes together stay within so many spheres: 1, 2 or 5 times
/// a power of ten, metres. It has been tried; a finer one may fit as well. `None`: not even a
/// sphere each does.
pub fn radius_that_fits(meshes: &[MeshFaces], ranks: &CoverRanks, most: usize) -> Option<f64> {
    let largest = meshes.iter().filter_map(|m| Envelope::of(*m));
    let largest = largest.map(|e| e.half.norm()).fold(1e-6, f64::max);
    let decade = largest.log10().ceil() as i32;
    let mut fits: Option<(f64, usize)> = None;
    for exponent in (decade - 12..=decade).rev() {
        for digit in [5.0, 2.0, 1.0] {
            let leaf_radius = digit * 10f64.powi(exponent);
            if let Some((radius, used)) = fits {
                // A surface takes spheres as the square of how fine they are: what would hardly fit
                // is not tried.
                let expected = used as f64 * (radius / leaf_radius).powi(2);
                if 2.0 * expected > most as f64 {
                    return Some(radius);
                }
            }
            let fineness = CoverFineness {
                leaf_radius,
                ranks: *ranks,
            };
            let budget = SphereBudget::new(most);
            if (meshes.iter()).any(|m| RankedCover::build(*m, &fineness, &budget).is_err()) {
                return fits.map(|(radius, _)| radius);
            }
            fits = Some((leaf_radius, budget.used()));
        }
    }
    fits.map(|(radius, _)| radius)
}

/// The box around a mesh, by its middle.
struct Envelope {
    origin: Point3<f64>,
    /// Half its edges.
    half: Vector3<f64>,
}

impl Envelope {
    fn of(mesh: MeshFaces) -> Option<Self> {
        let MeshFaces {
            vertices,
            triangles,
        } = mesh;
        let corners = triangles.iter().flatten().map(|&v| vertices[v as usize]);
        let around = (!triangles.is_empty()).then(|| Aabb::of(corners))?;
        let origin = around.center();
        // The centre is rounded: neither side may stand out.
        let half = (around.max - origin).sup(&(origin - around.min));
        Some(Self { origin, half })
    }
}

pub(super) fn build(
    faces: MeshFaces,
    fineness: &CoverFineness,
    budget: &SphereBudget,
) -> Result<RankedCover, TooMany> {
    let MeshFaces {
        vertices,
        triangles,
    } = faces;
    let Some(Envelope { origin, half }) = Envelope::of(faces) else {
        return Ok(RankedCover {
            origin: Point3::origin(),
            radii: Vec::new(),
            ranks: Vec::new(),
        });
    };
    let radii = fineness.radii(half.norm());
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        (b - a).cross(&(c - a)).norm() / 2.0
    };
    let largest = triangles.iter().map(area).fold(0.0, f64::max);
    if budget.is_hopeless(largest, radii[radii.len() - 1]) {
        return Err(TooMany { most: budget.most });
    }
    let builder = CoverBuilder {
        // Relative to the origin, like everything here.
        vertices: vertices.iter().map(|v| v - origin).collect(),
        triangles,
        edges: radii
            .iter()
            .map(|r| 2.0 * r / 3f64.sqrt() * (1.0 - 2.0 * HAIR))
            .collect(),
        slack: (8.0 * UNIT + Closest::ERROR) * 4.0 * half.norm(),
        cells: fineness.ranks.cells,
        budget,
    };
    let mut ranks = vec![Vec::new(); radii.len()];
    let all: Vec<u32> = (0..triangles.len() as u32).collect();
    let envelope = Aabb {
        min: Point3::from(-half),
        max: Point3::from(half),
    };
    let root = CoverCell {
        held: envelope,
        covered: envelope,
    };
    let root = builder.grow(&root, &all, 0, &mut ranks)?;
    ranks[0].extend(root);
    Ok(RankedCover {
        origin,
        radii,
        ranks,
    })
}

/// A cell.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CoverCell {
    /// The part that is divided further. Cells hold all of the cell above.
    held: Aabb,
    /// The box inside its sphere: that part, and more where spheres are to be of one size.
    covered: Aabb,
}

/// A piece of an axis: the interval that is divided further, and the one that its sphere is around.
type RowPiece = ([f64; 2], [f64; 2]);

/// Cuts a box along each axis every `edge`, from the lower end. The last cube of a row ends where
/// the box ends: it has something in common with the one before it, and what becomes of that the
/// kind of cells tells. A box that is shorter than a cube lies in the middle of it.
fn divided(whole: &Aabb, edge: f64, cells: CoverCells) -> Vec<CoverCell> {
    let rows: [Vec<RowPiece>; 3] = std::array::from_fn(|axis| {
        let (low, high) = (whole.min[axis], whole.max[axis]);
        let count = ((high - low) / edge - SLIVER).ceil().max(1.0) as usize;
        let cut = |k: usize| {
            if k == count {
                high
            } else {
                low + k as f64 * edge
            }
        };
        let row = (0..count).map(|k| {
            let own = [cut(k), cut(k + 1)];
            let cube = match (k + 1 == count, count) {
                (true, 1) => {
                    let middle = 0.5 * (low + high);
                    [low.min(middle - 0.5 * edge), high.max(middle + 0.5 * edge)]
                }
                (true, _) => [own[0].min(high - edge), high],
                (false, _) => own,
            };
            match cells {
                CoverCells::Cut => (own, own),
                CoverCells::Equal => (own, cube),
                CoverCells::Overlapping => (cube, cube),
            }
        });
        row.collect()
    });
    let [x, y, z] = &rows;
    let mut cells = Vec::with_capacity(x.len() * y.len() * z.len());
    let aabb = |x: [f64; 2], y: [f64; 2], z: [f64; 2]| Aabb {
        min: Point3::new(x[0], y[0], z[0]),
        max: Point3::new(x[1], y[1], z[1]),
    };
    for z in z {
        for y in y {
            for x in x {
                cells.push(CoverCell {
                    held: aabb(x.0, y.0, z.0),
                    covered: aabb(x.1, y.1, z.1),
                });
            }
        }
    }
    cells
}

struct CoverBuilder<'a> {
    vertices: Vec<Vector3<f64>>,
    triangles: &'a [[u32; 3]],
    /// Edge of the cubes of each rank, metres.
    edges: Vec<f64>,
    /// More than the rounding of coordinates and distances, metres.
    slack: f64,
    cells: CoverCells,
    budget: &'a SphereBudget,
}

impl CoverBuilder<'_> {
    /// The sphere of a cell, with everything below it put into the later ranks. `None`: no surface
    /// in there.
    ///
    /// `near` are the triangles that meet the sphere above; the others have nothing in this cell.
    fn grow(
        &self,
        cell: &CoverCell,
        near: &[u32],
        rank: usize,
        ranks: &mut [Vec<Sphere>],
    ) -> Result<Option<Sphere>, TooMany> {
        let mut sphere = self.sphere(&cell.covered);
        let (center, radius) = (Point3::from(sphere.place()), f64::from(sphere.radius));
        let mut meeting = near
            .iter()
            .copied()
            .filter(|&t| self.meets(t, &center, radius));
        if rank + 1 == self.edges.len() {
            if meeting.next().is_none() {
                return Ok(None);
            }
            self.budget.take()?;
            return Ok(Some(sphere));
        }
        let near: Vec<u32> = meeting.collect();
        if near.is_empty() {
            return Ok(None);
        }
        let cells = divided(&cell.held, self.edges[rank + 1], self.cells);
        let mut below = Vec::new();
        if rank < TASKS {
            let grown: Vec<(Option<Sphere>, Vec<Vec<Sphere>>)> = cells
                .par_iter()
                .map(|cell| {
                    let mut own = vec![Vec::new(); ranks.len()];
                    Ok((self.grow(cell, &near, rank + 1, &mut own)?, own))
                })
                .collect::<Result<_, TooMany>>()?;
            for (child, own) in grown {
                below.extend(child.map(|child| adopt(ranks, own, rank + 1, child)));
            }
        } else {
            for cell in &cells {
                below.extend(self.grow(cell, &near, rank + 1, ranks)?);
            }
        }
        // The surface that meets the sphere may lie outside the cell: then nothing below is needed,
        // nor is this.
        if below.is_empty() {
            return Ok(None);
        }
        self.budget.take()?;
        sphere.first = ranks[rank + 1].len() as u32;
        sphere.count = below.len() as u32;
        ranks[rank + 1].extend(below);
        Ok(Some(sphere))
    }

    fn sphere(&self, cell: &Aabb) -> Sphere {
        let center = cell.center().map(|x| x as f32);
        let exact = center.map(f64::from);
        let farthest = (cell.max - exact)
            .abs()
            .sup(&(cell.min - exact).abs())
            .norm();
        Sphere {
            center: center.into(),
            // Not below it: the nearest number may be.
            radius: ((farthest * (1.0 + HAIR) + self.slack) as f32).next_up(),
            first: 0,
            count: 0,
        }
    }

    /// Whether a triangle meets a sphere.
    fn meets(&self, triangle: u32, center: &Point3<f64>, radius: f64) -> bool {
        let corners = self.triangles[triangle as usize].map(|v| self.vertices[v as usize]);
        let [a, b, c] = corners;
        let gap = (a.inf(&b).inf(&c) - center.coords).sup(&(center.coords - a.sup(&b).sup(&c)));
        if gap.max() > radius {
            return false;
        }
        Closest::of_point(center, &corners.map(Point3::from)).distance <= radius
    }
}

/// Takes over what grew below a sphere of `rank`, behind what is there already; gives the sphere
/// with its new references.
fn adopt(
    ranks: &mut [Vec<Sphere>],
    own: Vec<Vec<Sphere>>,
    rank: usize,
    mut sphere: Sphere,
) -> Sphere {
    let starts: Vec<u32> = ranks.iter().map(|r| r.len() as u32).collect();
    let start_below = |rank: usize| starts.get(rank + 1).copied().unwrap_or(0);
    sphere.first += start_below(rank);
    for (rank, (spheres, own)) in ranks.iter_mut().zip(own).enumerate() {
        let shift = start_below(rank);
        spheres.extend(own.into_iter().map(|s| Sphere {
            first: s.first + shift,
            ..s
        }));
    }
    sphere
}
