//! What the components of a mesh enclose.

use nalgebra::Point3;

use super::aabb::Aabb;
use super::closing::SEAM;
use super::components::Components;
use super::mesh::Mesh;

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
            volumes[component] += if components.turned[t] {
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
        let flat = flat.collect();
        Self { volumes, flat }
    }
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
