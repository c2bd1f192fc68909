//! Sphere trees of point clouds: the same trees as of meshes, by a way that needs less memory and
//! is not exact about balls.
//!
//! There may be ten million points. So nothing is held twice, nodes are written where they stay,
//! and the ball of a node is one around its box rather than the smallest one. [`SphereTree::check`]
//! proves such trees like all others.

use nalgebra::Point3;

use super::build::HALVE_FROM_DEPTH;
use super::split::{self, Item};
use super::{Node, SphereTree};
use crate::geometry::aabb::Aabb;
use crate::geometry::cloud::{Cloud, corner_indices};
use crate::numeric::{UNIT, round_up};

/// So few triangles are cut so that leaves are full: by surface most leaves would hold one, and
/// nodes take most of the room.
const FULL: usize = 2 * SphereTree::LEAF;

/// Below a node of so few triangles each corner is looked at for its ball.
const LOOKED_AT: usize = 16;

impl SphereTree {
    /// The tree of a cloud. What it holds of triangles bounds no inside.
    pub fn of_cloud(cloud: &Cloud) -> SphereTree {
        let origin = cloud.mesh_bounds().center();
        let corners: Vec<(u32, u8)> = cloud.triangles().collect();
        let mut items: Vec<Item> = (0..)
            .zip(&corners)
            .map(|(t, &(first, count))| {
                Item::new(
                    t,
                    corner_indices(first, count).map(|v| cloud.point(v as usize) - origin),
                )
            })
            .collect();
        let reach = cloud
            .points()
            .map(|p| (p - origin).norm())
            .fold(0.0, f64::max);
        let mut builder = CloudBuilder {
            cloud,
            corners: &corners,
            origin,
            // As in `build.rs`.
            slack: 4.0 * UNIT * reach,
            cut: split::Cut::default(),
            nodes: Vec::with_capacity(items.len() + items.len() / 4),
        };
        builder.nodes.push(NOTHING);
        builder.grow(&mut items, 0, 0, 0);
        let mut nodes = builder.nodes;
        nodes.shrink_to_fit();
        let order: Vec<u32> = items.iter().map(|item| item.triangle).collect();
        drop(items);
        let mut vertices = Vec::with_capacity(cloud.kept());
        let mut triangles = Vec::with_capacity(order.len());
        for &triangle in &order {
            let (first, count) = corners[triangle as usize];
            triangles.push(corner_indices(vertices.len() as u32, count));
            let points = first..first + u32::from(count);
            vertices.extend(points.map(|v| cloud.point(v as usize)));
        }
        let count = triangles.len();
        SphereTree {
            origin,
            nodes,
            vertices,
            triangles,
            radius: cloud.radius,
            closed: false,
            // No two triangles share a corner.
            components: (0..count as u32).collect(),
            sides: vec![0; count],
            convex_pieces: Default::default(),
            clusters: Default::default(),
        }
    }
}

const NOTHING: Node = Node {
    center: [0.0; 3],
    radius: 0.0,
    box_center: [0.0; 3],
    first: 0,
    box_half: [0.0; 3],
    count: 0,
};

struct CloudBuilder<'c> {
    cloud: &'c Cloud,
    corners: &'c [(u32, u8)],
    origin: Point3<f64>,
    slack: f64,
    cut: split::Cut,
    nodes: Vec<Node>,
}

impl CloudBuilder<'_> {
    /// Writes the node of these triangles, of which `first` come before them in leaf order, at its
    /// place, and all that is below it behind. Returns the box around them, relative to the origin.
    fn grow(&mut self, items: &mut [Item], at: usize, first: usize, depth: usize) -> Aabb {
        debug_assert!(depth <= SphereTree::DEEPEST);
        let count = items.len();
        if count <= SphereTree::LEAF {
            let bounds = Aabb::of(self.positions(items));
            self.nodes[at] = Node {
                first: first as u32,
                count: count as u32,
                ..self.bounded(&bounds, items, None)
            };
            return bounds;
        }
        let middle = match count {
            _ if count <= FULL => split::by_number_at(items, SphereTree::LEAF),
            _ if depth < HALVE_FROM_DEPTH => self.cut.by_area(items),
            _ => split::by_number(items),
        };
        let children = self.nodes.len();
        self.nodes.extend([NOTHING; 2]);
        let (left, right) = items.split_at_mut(middle);
        let a = self.grow(left, children, first, depth + 1);
        let b = self.grow(right, children + 1, first + middle, depth + 1);
        let bounds = a.join(&b);
        self.nodes[at] = Node {
            first: children as u32,
            ..self.bounded(&bounds, items, Some(children))
        };
        bounds
    }

    /// The corners of these triangles, relative to the origin.
    fn positions<'i>(&'i self, items: &'i [Item]) -> impl Iterator<Item = Point3<f64>> + 'i {
        items.iter().flat_map(|item| {
            let (first, count) = self.corners[item.triangle as usize];
            let points = first..first + u32::from(count);
            points.map(|v| Point3::from(self.cloud.point(v as usize) - self.origin))
        })
    }

    /// Ball and box, rounded outwards to single precision. The ball is about the middle of the box,
    /// and reaches to the farthest corner; where there are many, to the farthest place of the
    /// children's balls, or of the box.
    fn bounded(&self, bounds: &Aabb, items: &[Item], children: Option<usize>) -> Node {
        let box_center = bounds.center().map(|x| x as f32);
        let center = box_center.map(f64::from);
        let half = (bounds.max - center).sup(&(center - bounds.min));
        let farthest = match children {
            Some(children) if items.len() > LOOKED_AT => {
                let reach = |child: &Node| {
                    let there = child.ball_center();
                    (there - center.coords).norm() + f64::from(child.radius)
                };
                let balls = self.nodes[children..children + 2].iter().map(reach);
                balls.fold(0.0, f64::max).min(half.norm())
            }
            _ => {
                let away = self.positions(items).map(|p| (p - center).norm());
                away.fold(0.0, f64::max)
            }
        };
        let outward = |x: f64| round_up(x * (1.0 + 16.0 * UNIT) + self.slack);
        Node {
            center: box_center.into(),
            radius: outward(farthest),
            box_center: box_center.into(),
            box_half: half.map(outward).into(),
            ..NOTHING
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::bvh::SphereTree;
    use crate::geometry::random::Random;

    /// Each tree proves that it covers its triangles, and these are the cloud's. Catches a ball or
    /// box without its slack, a ball about half of the children, triangles in another order than
    /// nodes say.
    #[test]
    fn covers_its_cloud_with_full_leaves() {
        let mut r = Random(11);
        for case in 0..150 {
            let size = [1e-3, 0.3, 20.0][case % 3];
            let away = [0.0, 5.0, 1e4][case / 3 % 3];
            let at = r.vector() * away;
            let flat = [1.0, 1e-3, 0.0][case / 9 % 3];
            let count = [1, 2, 3, 4, 5, 40, 400, 3000][r.below(8)];
            let point = |r: &mut Random| {
                let p = r.vector();
                Point3::from(at + Vector3::new(p.x, p.y, p.z * flat) * size)
            };
            let points: Vec<_> = (0..count).map(|_| point(&mut r)).collect();
            let cloud = Cloud::new(points, size * r.spread(1e-3, 1.0)).expect("points");
            let tree = SphereTree::of_cloud(&cloud);
            tree.check().unwrap();
            tree.check_nodes().unwrap();
            assert_eq!(tree.radius, cloud.radius);
            let sorted = |tree: &SphereTree| {
                let corners = (0..tree.triangles.len()).map(|t| tree.corners(t));
                let mut all: Vec<_> = corners
                    .map(|t| t.map(|p| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())))
                    .collect();
                all.sort_unstable();
                all
            };
            assert_eq!(
                sorted(&tree),
                sorted(&SphereTree::new(&cloud.mesh(), cloud.radius))
            );
            assert_eq!(tree.vertices.len(), cloud.kept());
            assert!(!tree.has_closed_components() && !tree.has_open_components());
            if count > 1000 {
                let triangles = tree.triangles.len() as f64;
                assert!((tree.nodes.len() as f64) < 1.35 * triangles, "case {case}");
            }
        }
    }
}
