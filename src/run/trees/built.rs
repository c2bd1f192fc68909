//! The structure that was built for a shape, and its levels.

use std::sync::Arc;

use clearance_methods::backends::octree::{Colour, Cube, Cubes};
use clearance_methods::balls::{BallTree, Below};
use clearance_methods::ranked::{MeshFaces, RankedCover};
use clearance_proof::bvh::SphereTree;
use nalgebra::{Point3, Vector3};

use crate::findings::LevelFacts;
use crate::run::export::Mark;

/// The structure that was built for a shape, with the sphere tree of the shape where its own frame
/// or rounding is needed.
pub(super) enum Built {
    Compact(SphereTree),
    Greedy(BallTree, Arc<SphereTree>),
    Ranked(RankedCover, Arc<SphereTree>),
    Octree(Cubes),
}

impl Built {
    pub(super) fn levels(&self) -> usize {
        match self {
            Built::Compact(tree) => depths(tree).into_iter().max().map_or(0, |d| d + 1),
            Built::Greedy(tree, _) => tree.depths().into_iter().max().map_or(0, |d| d + 1),
            Built::Ranked(cover, _) => cover.ranks.len(),
            Built::Octree(cubes) => {
                let mut levels = 0;
                cubes.each(|depth, _, _| levels = levels.max(depth + 1));
                levels
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Built::Compact(tree) => tree.memory_bytes(),
            Built::Greedy(tree, _) => tree.memory_bytes(),
            Built::Ranked(cover, _) => cover.memory_bytes(),
            Built::Octree(cubes) => cubes.bytes(),
        }
    }

    /// Where the proof that it covers its shape fails.
    pub(super) fn gap(&self) -> Option<String> {
        match self {
            Built::Compact(built) => built.check().err().map(|e| e.to_string()),
            Built::Greedy(built, _) => built.check().err().map(|e| e.to_string()),
            Built::Ranked(cover, tree) => cover.prove(faces(tree)).err().map(|gap| {
                let [x, y, z]: [f64; 3] = gap.point.into();
                format!("triangle {} near ({x:.6}, {y:.6}, {z:.6})", gap.triangle)
            }),
            Built::Octree(cubes) => cubes.check().err().map(|e| e.to_string()),
        }
    }

    pub(super) fn facts(&self, level: usize) -> LevelFacts {
        let mut radii = Vec::new();
        match self {
            Built::Compact(tree) => {
                let at_level = tree.nodes.iter().zip(depths(tree));
                let at_level = at_level.filter(|(_, depth)| *depth == level);
                radii.extend(at_level.map(|(node, _)| f64::from(node.radius)));
            }
            Built::Greedy(tree, _) => {
                let at_level = tree.nodes.iter().zip(tree.depths());
                let at_level = at_level.filter(|(_, depth)| *depth == level);
                radii.extend(at_level.map(|(node, _)| node.radius));
            }
            Built::Ranked(cover, _) => {
                radii.extend(cover.ranks[level].iter().map(|s| f64::from(s.radius)));
            }
            Built::Octree(_) => {}
        }
        let nominal_radius = match self {
            Built::Ranked(cover, _) => Some(cover.radii[level]),
            _ => None,
        };
        LevelFacts {
            spheres: radii.len(),
            nominal_radius,
            least_radius: radii.iter().copied().fold(f64::INFINITY, f64::min),
            mean_radius: radii.iter().sum::<f64>() / radii.len() as f64,
            greatest_radius: radii.iter().copied().fold(0.0, f64::max),
        }
    }

    /// The spheres of a level and those of branches that end before it, in the shape's frame; of an
    /// octree the cubes that hold something.
    pub(super) fn marks_at(&self, level: usize, show: &mut dyn FnMut(Mark)) {
        let thickness = match self {
            Built::Compact(tree) => tree.radius,
            Built::Greedy(_, tree) | Built::Ranked(_, tree) => tree.radius,
            Built::Octree(cubes) => return at_level(cubes, level, show),
        };
        let mut ball = |center: Vector3<f64>, radius: f64, origin: &Point3<f64>| {
            show(Mark {
                center: origin + center,
                radius: radius + thickness,
            });
        };
        match self {
            Built::Compact(tree) => {
                for (node, depth) in tree.nodes.iter().zip(depths(tree)) {
                    if depth == level || (depth < level && node.is_leaf()) {
                        let center = Vector3::from(node.center.map(f64::from));
                        ball(center, f64::from(node.radius), &tree.origin);
                    }
                }
            }
            Built::Greedy(tree, shape) => {
                for (node, depth) in tree.nodes.iter().zip(tree.depths()) {
                    let ends = matches!(node.below, Below::Triangle(_));
                    if depth == level || (depth < level && ends) {
                        ball(node.center, node.radius, &shape.origin);
                    }
                }
            }
            Built::Ranked(cover, _) => {
                let last = cover.ranks.len().saturating_sub(1);
                for sphere in cover.ranks.get(level.min(last)).into_iter().flatten() {
                    ball(sphere.place(), f64::from(sphere.radius), &cover.origin);
                }
            }
            Built::Octree(_) => {}
        }
    }
}

/// How deep every node lies; the root at 0.
fn depths(tree: &SphereTree) -> Vec<usize> {
    let mut depths = vec![0; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate() {
        if !node.is_leaf() {
            let (first, below) = (node.first as usize, depths[index] + 1);
            depths[first..first + 2].fill(below);
        }
    }
    depths
}

pub(super) fn faces(tree: &SphereTree) -> MeshFaces<'_> {
    MeshFaces {
        vertices: &tree.vertices,
        triangles: &tree.triangles,
    }
}

/// Cubes of a level that hold something, and those where a branch ends before it.
fn at_level(cubes: &Cubes, level: usize, show: &mut dyn FnMut(Mark)) {
    cubes.each(|depth, cube, node| {
        let ends = depth < level && node.children == 0;
        if (depth == level || ends) && cubes.colour(node) != Colour::White {
            show(mark(cube));
        }
    });
}

fn mark(cube: &Cube) -> Mark {
    Mark {
        center: cube.center(),
        radius: cube.edge / 2.0,
    }
}
