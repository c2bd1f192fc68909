//! What the components of a mesh enclose.

use std::collections::BTreeMap;

use nalgebra::Point3;

use super::aabb::Aabb;
use super::closing::SEAM;
use super::components::Components;
use super::mesh::Mesh;
use super::ray::AxisRay;

/// Triangles of a component beside which is looked for what it goes round.
const LOOKS: usize = 16;

/// The volumes of the components of a mesh.
#[derive(Debug)]
pub(crate) struct Enclosed {
    /// Of each component six times its volume, by the triangles as they are wound once those that
    /// are to be turned are turned.
    pub(crate) volumes: Vec<f64>,
    /// Whether a component is closed and encloses nothing: as thick, in the mean, as single
    /// precision cannot resolve at the farthest coordinate. That is a sheet that is drawn from both
    /// sides, and not by the same triangles.
    pub(crate) flat: Vec<bool>,
}

impl Enclosed {
    /// `corners`: those of each triangle.
    pub(crate) fn new(
        components: &Components,
        around: &Aabb,
        corners: impl Fn(usize) -> [Point3<f64>; 3],
    ) -> Self {
        let count = components.closed.len();
        let mut first = vec![usize::MAX; count];
        let (mut volumes, mut areas) = (vec![0.0; count], vec![0.0; count]);
        for (t, &component) in components.of.iter().enumerate() {
            let component = component as usize;
            if components.closed.get(component) != Some(&true) {
                continue;
            }
            first[component] = first[component].min(t);
            let near = corners(first[component])[0];
            let [a, b, c] = corners(t).map(|v| v - near);
            let volume = a.dot(&b.cross(&c));
            volumes[component] += if components.flipped[t] {
                -volume
            } else {
                volume
            };
            areas[component] += (b - a).cross(&(c - a)).norm();
        }
        // The mean thickness is twice the volume by the area.
        let thin = SEAM * around.largest_coordinate();
        let is_flat = |k: usize| 2.0 * f64::abs(volumes[k]) <= 3.0 * thin * areas[k];
        let flat = (0..count).map(|k| components.closed[k] && is_flat(k));
        let mut flat: Vec<bool> = flat.collect();
        // The volumes of pieces that are wound against each other cancel, too.
        let mut few: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (t, &component) in components.of.iter().enumerate() {
            if flat.get(component as usize) == Some(&true) {
                few.entry(component as usize).or_default().push(t);
            }
        }
        for (component, triangles) in few {
            let of = |t: usize| (corners(t), components.flipped[t]);
            flat[component] = !encloses_volume(&triangles, thin, of);
        }
        Self { volumes, flat }
    }
}

/// Whether a closed component goes round a place beside one of its triangles, farther from it than
/// sheets are thick. `of`: the corners of a triangle, and whether it is to be turned.
fn encloses_volume(
    triangles: &[usize],
    thin: f64,
    of: impl Fn(usize) -> ([Point3<f64>; 3], bool),
) -> bool {
    let step = triangles.len().div_ceil(LOOKS).max(1);
    let mut looks = triangles.iter().step_by(step);
    looks.any(|&t| {
        let ([a, b, c], _) = of(t);
        let across = (b - a).cross(&(c - a));
        let Some(normal) = across.try_normalize(0.0) else {
            return false;
        };
        // The radius of the circle in the triangle is its double area by its edges.
        let edges = (b - a).norm() + (c - b).norm() + (a - c).norm();
        let away = normal * (4.0 * thin).max(0.01 * across.norm() / edges);
        let middle = Point3::from((a.coords + b.coords + c.coords) / 3.0);
        [middle + away, middle - away].into_iter().any(|from| {
            let ray = AxisRay {
                from,
                axis: normal.iamax(),
                upwards: true,
            };
            let turns = triangles.iter().map(|&other| {
                let (corners, flipped) = of(other);
                let crossing = ray.crossing(&corners);
                if flipped { -crossing } else { crossing }
            });
            turns.sum::<i32>() != 0
        })
    })
}

impl Mesh {
    /// How many closed components enclose nothing: sheets that are drawn from both sides. Corners
    /// at the same place must have the same index.
    pub fn flat_components(&self) -> usize {
        let Some(around) = self.bounds() else {
            return 0;
        };
        let components = Components::new(&self.triangles, self.vertices.len());
        let enclosed = Enclosed::new(&components, &around, |t| self.corners(t));
        enclosed.flat.iter().filter(|&&flat| flat).count()
    }
}
