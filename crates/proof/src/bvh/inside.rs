//! The inside of a shape.
//!
//! Surfaces decide contact; this decides the one question that they cannot: does a body lie wholly
//! within another one?
//!
//! Components connected by edges are looked at one by one. A closed component inside another one,
//! which it touches nowhere, is a hollow if it is wound the other way round, and more of the same
//! material if it is not.

use std::collections::BTreeMap;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;
use smallvec::{SmallVec, smallvec};

use super::{Node, SphereTree};
use crate::ProofError;
use crate::geometry::aabb::Aabb;
use crate::geometry::components::{Components, joined_by_corners};
use crate::geometry::enclosed::Enclosed;
use crate::geometry::ray::AxisRay;
use crate::geometry::triangle::Closest;

#[cfg(test)]
mod tests;

/// How a triangle bounds what is inside: a sign (−1: counted as if wound the other way round) and a
/// weight.
mod side {
    /// A triangle that uses a corner twice bounds nothing.
    pub(super) const NOTHING: i8 = 0;
    /// Weight of triangles of closed components.
    pub(super) const CLOSED: i8 = 1;
    /// Weight of triangles of open components.
    pub(super) const OPEN: i8 = 2;
}

/// Up to this many components are asked one by one once the whole may hold one: a walk down the
/// tree would look at more nodes.
const FEW_COMPONENTS: usize = 32;

/// Components nearer to one another than this share of the greatest extent of the whole touch: files
/// round corners of one face to less than that, and no wall is so thin.
const TOUCHES: f64 = 1e-6;

/// Greatest absolute value of [`SphereTree::sides`].
pub(super) const MOST: i8 = side::OPEN;

impl SphereTree {
    /// Whether the point (of the shape's frame) lies in the solid. On the surface the answer may be
    /// either.
    ///
    /// Closed components are solid, open ones are not, unless `solid` is `Some(false)`: then
    /// nothing is. Who wants an open mesh to be solid closes it first
    /// ([`crate::geometry::closing`]), so that nothing gets in unseen.
    pub fn contains(&self, point: &Point3<f64>, solid: Option<bool>) -> bool {
        if solid == Some(false) || !self.box_may_meet(&(point - self.origin), 0.0) {
            return false;
        }
        let mut winding = 0;
        self.cast_ray(point, |triangle, crossing| {
            let side = self.sides[triangle];
            if side.abs() == side::CLOSED {
                winding += i32::from(side) * crossing;
            }
        });
        winding != 0
    }

    /// A box of the shape's frame that holds all that lies inside; `None`: nothing does, whatever
    /// the cell says.
    pub fn inside_box(&self) -> Option<Aabb> {
        let closed = |t: &usize| self.sides[*t].abs() == side::CLOSED;
        let mut corners = (0..self.triangles.len())
            .filter(closed)
            .flat_map(|t| self.corners(t))
            .peekable();
        corners.peek()?;
        Some(Aabb::of(corners))
    }

    /// Whether some component is open: it bounds a surface and no inside.
    pub fn has_open_components(&self) -> bool {
        self.sides.iter().any(|side| side.abs() == side::OPEN)
    }

    /// A corner of a component at which `found` holds, relative to [`SphereTree::origin`]: one is
    /// asked of each component. `may` tells of a ball, by centre and radius, whether it may hold
    /// such a corner; components in balls that may not are left out together.
    pub fn component_corner(
        &self,
        may: impl Fn(&Vector3<f64>, f64) -> bool,
        found: impl Fn(&Vector3<f64>) -> bool,
    ) -> Option<Vector3<f64>> {
        let corner = |&t: &u32| self.corners(t as usize)[0] - self.origin;
        let one_by_one = self.components.len() <= FEW_COMPONENTS;
        let mut open: SmallVec<[usize; 32]> = smallvec![0];
        while let Some(index) = open.pop() {
            let node: &Node = self.nodes.get(index)?;
            let center = node.ball_center();
            if !may(&center, f64::from(node.radius)) {
                continue;
            }
            if one_by_one {
                return self.components.iter().map(corner).find(found);
            }
            if !node.is_leaf() {
                open.extend([node.first as usize, node.first as usize + 1]);
                continue;
            }
            let start = self.components.partition_point(|&t| t < node.first);
            let here = self.components[start..].iter();
            let here = here.take_while(|&&t| t < node.first + node.count);
            if let Some(corner) = here.map(corner).find(&found) {
                return Some(corner);
            }
        }
        None
    }

    /// Whether a ball, its centre relative to [`SphereTree::origin`], may reach into the box around
    /// everything.
    pub fn box_may_meet(&self, center: &Vector3<f64>, radius: f64) -> bool {
        let Some(root) = self.nodes.first() else {
            return false;
        };
        let (off, half) = from_box_center(root, center);
        let more = radius + self.slack(center);
        (0..3).all(|k| off[k].abs() <= half[k] + more)
    }

    /// Whether any of its components is closed, so that something can be told to be inside.
    pub fn has_closed_components(&self) -> bool {
        self.sides.iter().any(|side| side.abs() == side::CLOSED)
    }

    /// Finds out what is inside: `closed`, `components` and `sides`, from everything else.
    pub fn find_solids(&mut self) {
        self.find_solids_of(&Components::new(&self.triangles, self.vertices.len()));
    }

    /// Proves nodes from anywhere ([`check_nodes`](Self::check_nodes)), and finds out what is
    /// inside.
    pub fn check_nodes_and_find_solids(&mut self) -> Result<(), ProofError> {
        let (held, components) = rayon::join(
            || self.check_nodes(),
            || Components::new(&self.triangles, self.vertices.len()),
        );
        held?;
        self.find_solids_of(&components);
        Ok(())
    }

    fn find_solids_of(&mut self, components: &Components) {
        let (triangles, vertices) = (&self.triangles, self.vertices.len());
        // A single component by edges is also a single component by corners.
        let one = components.closed.len() == 1 && !components.of.contains(&Components::NONE);
        let by_corners = if one {
            vec![0]
        } else {
            joined_by_corners(triangles, vertices)
        };
        let (outwards, flat) = self.outwards(components);
        self.components = by_corners;
        self.closed = !components.closed.is_empty()
            && !components.closed.contains(&false)
            && !flat.contains(&true);
        self.sides = (0..self.triangles.len())
            .map(|t| {
                let component = components.of[t] as usize;
                let Some(&closed) = components.closed.get(component) else {
                    return side::NOTHING;
                };
                let weight = if closed && !flat[component] {
                    side::CLOSED
                } else {
                    side::OPEN
                };
                if components.flipped[t] == outwards[component] {
                    -weight
                } else {
                    weight
                }
            })
            .collect();
    }

    /// Which components are to be taken as they are wound, and which the other way round: those not
    /// within another one are to be positive, and what lies in them is flipped with them. And which
    /// are closed and enclose nothing.
    fn outwards(&self, components: &Components) -> (Vec<bool>, Vec<bool>) {
        let count = components.closed.len();
        if !components.closed.contains(&true) {
            return (vec![true; count], vec![false; count]);
        }
        let box_of_all = Aabb::of(self.vertices.iter().copied());
        let Enclosed { volumes, flat } =
            Enclosed::new(components, &box_of_all, |t| self.corners(t));
        // Where all are wound one way, so are those that are within no other one.
        let mut closed = (0..count).filter(|&k| components.closed[k]);
        let is_positive = |k: usize| volumes[k] >= 0.0;
        let first = closed.next().is_none_or(is_positive);
        if closed.all(|k| is_positive(k) == first) {
            let outwards = components.closed.iter().map(|closed| !closed || first);
            return (outwards.collect(), flat);
        }
        let mut of_component = vec![Vec::new(); count];
        for t in 0..self.triangles.len() {
            if let Some(own) = of_component.get_mut(components.of[t] as usize) {
                own.push(t);
            }
        }
        // A component that touches the other one may stick out of it, wherever its corners are: wound
        // against it, it would take away what is solid. If it touches it nowhere, one corner tells.
        let around = |component: usize| {
            if !components.closed[component] {
                return Vec::new();
            }
            let own = &of_component[component];
            let mut around = self.components_around(&self.corners(own[0])[0], components);
            around.retain(|p| *p != component);
            for &t in own {
                if around.is_empty() {
                    break;
                }
                self.touched_by(t, |u| {
                    let touched = components.of[u] as usize;
                    if around.contains(&touched) {
                        around.retain(|p| *p != touched);
                    }
                });
            }
            around
        };
        // Twice, since the lists of components that are nested deeply take too much room.
        let all = (0..count).into_par_iter();
        let is_outer: Vec<bool> = all.map(|component| around(component).is_empty()).collect();
        let outwards = (0..count).into_par_iter().map(|component| {
            let outermost = if is_outer[component] {
                component
            } else {
                let mut outer = around(component).into_iter();
                outer.find(|&p| is_outer[p]).unwrap_or(component)
            };
            !components.closed[component] || is_positive(outermost)
        });
        (outwards.collect(), flat)
    }

    /// Tells of the triangles that a triangle touches (nearer than [`TOUCHES`]), itself among them.
    fn touched_by(&self, triangle: usize, mut touched: impl FnMut(usize)) {
        let corners = self.corners(triangle);
        let own = Aabb::of(corners.iter().map(|corner| corner - self.origin.coords));
        let slack = self.slack(&own.center().coords.abs().sup(&own.size()));
        let near = TOUCHES
            * 2.0
            * f64::from(
                self.nodes[0]
                    .box_half
                    .iter()
                    .fold(0.0, |a: f32, &h| a.max(h)),
            );
        let own = own.grown(slack + near);
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            let node: &Node = &self.nodes[index];
            let [center, half] = node.aabb();
            if !own.meets(&Aabb::around(&center.into(), &half)) {
                continue;
            }
            let first = node.first as usize;
            if node.is_leaf() {
                let here = first..first + node.count as usize;
                here.filter(|&t| Closest::within(&corners, &self.corners(t), near).is_some())
                    .for_each(&mut touched);
            } else {
                open.extend([first, first + 1]);
            }
        }
    }

    /// The closed components that go round a point, in order.
    fn components_around(&self, point: &Point3<f64>, components: &Components) -> Vec<usize> {
        let mut winding: BTreeMap<usize, i32> = BTreeMap::new();
        self.cast_ray(point, |triangle, crossing| {
            let component = components.of[triangle] as usize;
            if components.closed.get(component) == Some(&true) {
                let flipped = components.flipped[triangle];
                *winding.entry(component).or_default() +=
                    if flipped { -crossing } else { crossing };
            }
        });
        let around = winding.into_iter().filter(|&(_, winding)| winding != 0);
        around.map(|(component, _)| component).collect()
    }

    /// More than the rounding of a place relative to the origin, and of what is computed from it
    /// and a box.
    fn slack(&self, position: &Vector3<f64>) -> f64 {
        let root = &self.nodes[0];
        let far = (0..3).map(|k| f64::from(root.box_center[k].abs() + root.box_half[k]));
        8.0 * f64::EPSILON * far.fold(position.amax(), f64::max)
    }

    /// Sends a ray from a point to where the tree ends soonest, and tells of the triangles that it
    /// goes through.
    fn cast_ray(&self, point: &Point3<f64>, mut crossed: impl FnMut(usize, i32)) {
        let position = point - self.origin;
        let slack = self.slack(&position);
        let (off, half) = from_box_center(&self.nodes[0], &position);
        let axis = (off.abs() - half).imax();
        let ray = AxisRay {
            from: *point,
            axis,
            upwards: off[axis] >= 0.0,
        };
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            let node: &Node = &self.nodes[index];
            let (off, half) = from_box_center(node, &position);
            let missed = (0..3).any(|k| {
                let behind = match (k == axis, ray.upwards) {
                    (false, _) => off[k].abs(),
                    (true, true) => off[k],
                    (true, false) => -off[k],
                };
                behind > half[k] + slack
            });
            if missed {
                continue;
            }
            let first = node.first as usize;
            if node.is_leaf() {
                for triangle in first..first + node.count as usize {
                    let crossing = ray.crossing(&self.corners(triangle));
                    if crossing != 0 {
                        crossed(triangle, crossing);
                    }
                }
            } else {
                open.extend([first, first + 1]);
            }
        }
    }
}

/// A place as seen from the centre of a node's box, and half the box.
fn from_box_center(node: &Node, position: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let [center, half] = node.aabb();
    (position - center, half)
}
