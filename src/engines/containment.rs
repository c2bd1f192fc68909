//! A body wholly inside a closed solid: the one contact that surfaces do not show.
//!
//! It is asked once, at the first instant: while surfaces stay apart nothing can get in or out, so the answer holds for the
//! whole motion that is proved free.

use std::sync::OnceLock;

use nalgebra::{Point3, Vector3};

use crate::engines::Moment;
use crate::engines::scene::Scene;
use crate::geometry::inside::{Inside, components};
use crate::geometry::mesh::Mesh;
use crate::spheres::SphereTree;

/// What containment needs to know about a part; found out when another part's box comes near, which for most parts is
/// never.
#[derive(Debug, Clone, Default)]
pub struct Solid {
    pieces: OnceLock<Vec<Point3<f64>>>,
    inside: OnceLock<Inside>,
}

impl Solid {
    /// One surface point of every piece of the part, in the tree's (shape's) frame.
    fn pieces(&self, tree: &SphereTree) -> &[Point3<f64>] {
        self.pieces.get_or_init(|| {
            let mesh = mesh(tree);
            components(&mesh)
                .into_iter()
                .map(|v| mesh.vertices[v])
                .collect()
        })
    }

    fn contains(&self, tree: &SphereTree, solid: Option<bool>, point: &Point3<f64>) -> bool {
        self.inside
            .get_or_init(|| Inside::new(&mesh(tree), solid))
            .contains(point)
    }
}

fn mesh(tree: &SphereTree) -> Mesh {
    Mesh {
        vertices: tree.vertices.clone(),
        triangles: tree.triangles.clone(),
    }
}

/// A body with a piece inside another one's solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contained {
    /// Index into [`Scene::pairs`].
    pub pair: usize,
    /// A surface point of the inner body, world frame, metres.
    pub point: Point3<f64>,
}

/// All pairs of bodies of which one has a piece inside the other one's solid, each once.
pub fn contained(scene: &Scene, moment: &mut Moment) -> Vec<Contained> {
    let mut found: Vec<Contained> = Vec::new();
    for part_pair in &scene.part_pairs {
        if found.last().is_some_and(|c| c.pair == part_pair.pair) {
            continue;
        }
        let point = piece_inside(scene, moment, part_pair.a, part_pair.b)
            .or_else(|| piece_inside(scene, moment, part_pair.b, part_pair.a));
        found.extend(point.map(|point| Contained {
            pair: part_pair.pair,
            point,
        }));
    }
    found
}

/// A point of a piece of part `a` that lies inside part `b`.
fn piece_inside(scene: &Scene, moment: &mut Moment, a: usize, b: usize) -> Option<Point3<f64>> {
    let (inner, outer) = (&scene.parts[a], &scene.parts[b]);
    if outer.may_be_solid == Some(false) {
        return None;
    }
    let from = moment.part(scene, a).pose;
    let to = moment.part(scene, b).pose;
    // The inner part must reach into the outer one's ball at all.
    let between = (from.translation - to.translation).norm();
    if between > inner.reach + outer.reach {
        return None;
    }
    let b_from_a = to.seen(&from);
    let root = &outer.tree.nodes[0];
    let half = Vector3::from(root.box_half.map(f64::from));
    let center = Vector3::from(root.box_center.map(f64::from));
    let slack = 1e-9 * (between + inner.reach + outer.reach);
    let hidden = inner.solid.pieces(&inner.tree).iter().find(|piece| {
        let place = b_from_a.apply(&(*piece - inner.tree.origin));
        let out = (place - center).abs() - half;
        out.max() <= slack
            && outer.solid.contains(
                &outer.tree,
                outer.may_be_solid,
                &(outer.tree.origin + place),
            )
    })?;
    Some(from.apply(&(hidden - inner.tree.origin)).into())
}
