//! Which geometry a document shows, and where.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use nalgebra::{Matrix4, Rotation3, Unit, Vector3};
use roxmltree::{Node, NodeId};

use super::{Collada, children, is};
use crate::ImportError;
use crate::mesh::checks::{Soup, shown, syntax, unsupported};
use crate::mesh::count;

/// Nodes within nodes, instances included. Real files have a few dozen.
const DEEPEST: usize = 200;

/// Nodes that are visited and copies of geometry that are placed, instances included.
const MOST_NODES: usize = 500_000;

/// Elements that put something into the scene, or cannot be read and must not be passed over.
const SHOWN: [&str; 3] = ["instance_geometry", "instance_node", "instance_controller"];

/// A walk through the scene.
struct Walk<'w, 'a> {
    collada: &'w Collada<'a>,
    soup: &'w mut Soup,
    /// Every geometry is read once, however often it is shown.
    shapes: HashMap<NodeId, Soup>,
    /// Elements that show something, and all around them: found once, however often a node is an
    /// instance.
    showing: HashSet<NodeId>,
    /// Of a node: its transform and its elements that show something. A node may have a million
    /// others.
    parts: HashMap<NodeId, Rc<Parts<'a>>>,
    /// Nodes from the scene to here.
    path: Vec<NodeId>,
    visited: usize,
}

/// The parts that a node shows.
struct Parts<'a> {
    parent_from_node: Matrix4<f64>,
    elements: Vec<Node<'a, 'a>>,
}

/// The elements that show something, and every element that one of them is in.
fn showing(root: Node) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    let shown = |e: &Node| SHOWN.iter().any(|tag| is(*e, tag));
    for element in root.descendants().filter(shown) {
        // Every element around an element that was met before was met as well.
        let _ = element.ancestors().find(|e| !found.insert(e.id()));
    }
    found
}

impl<'a> Collada<'a> {
    /// Adds everything that the scene shows to the soup, in the document's unit and axes.
    pub(super) fn show(&self, soup: &mut Soup) -> Result<(), ImportError> {
        let root = self.document.root_element();
        let geometries: Vec<_> = children(root, "library_geometries")
            .flat_map(|library| children(library, "geometry"))
            .collect();
        let scene = self.scene(soup)?;
        let mut walk = Walk {
            collada: self,
            soup,
            shapes: HashMap::new(),
            showing: showing(root),
            parts: HashMap::new(),
            path: vec![],
            visited: 0,
        };
        if let Some(instances) = self.child(root, "scene")? {
            walk.nothing_lost(instances, |_| false)?;
        }
        match scene {
            Some(scene) => {
                walk.nothing_lost(scene, |e| is(e, "node"))?;
                for node in children(scene, "node") {
                    walk.node(node, Matrix4::identity())?;
                }
                let shown = walk.shapes.len();
                let hidden = geometries.len().saturating_sub(shown);
                if hidden > 0 {
                    let what = count(hidden, "geometry").replace("geometrys", "geometries");
                    walk.soup
                        .notes
                        .push(format!("{what} outside the scene left out"));
                }
            }
            None => {
                for &geometry in &geometries {
                    walk.geometry(geometry, geometry, Matrix4::identity())?;
                }
                walk.soup
                    .notes
                    .push("no visual scene: every geometry taken where it is".to_owned());
            }
        }
        Ok(())
    }

    /// The scene that the document shows; the only one when it does not say; none when there is
    /// none.
    fn scene(&self, soup: &mut Soup) -> Result<Option<Node<'a, 'a>>, ImportError> {
        let root = self.document.root_element();
        if let Some(scene) = self.child(root, "scene")?
            && let Some(instance) = self.child(scene, "instance_visual_scene")?
        {
            return self.target(instance, "url", "visual_scene").map(Some);
        }
        let mut scenes = children(root, "library_visual_scenes")
            .flat_map(|library| children(library, "visual_scene"));
        let first = scenes.next();
        if let Some(second) = scenes.next() {
            let cause =
                "there are several visual scenes, and the document does not say which to show";
            return Err(self.syntax(
                second,
                cause,
                "add <scene><instance_visual_scene url=\"#…\"/></scene>",
            ));
        }
        if first.is_some() {
            soup.notes
                .push("the document shows no scene: its only visual scene taken".to_owned());
        }
        Ok(first)
    }

    /// The transform of a node to its parent: its steps in the order of the file, the last one
    /// applied first.
    fn transform(&self, node: Node<'a, 'a>) -> Result<Matrix4<f64>, ImportError> {
        let mut parent_from_node = Matrix4::identity();
        for element in node.children().filter(Node::is_element) {
            let step = match element.tag_name().name() {
                "matrix" => {
                    let matrix = Matrix4::from_row_slice(&self.numbers_of::<16>(element)?);
                    if matrix.row(3) != Matrix4::<f64>::identity().row(3) {
                        let problem = unsupported(
                            "a perspective matrix (last row not `0 0 0 1`)",
                            "export the mesh with affine transforms",
                        );
                        return Err(self.error(element, problem));
                    }
                    matrix
                }
                "translate" => {
                    Matrix4::new_translation(&Vector3::from(self.numbers_of::<3>(element)?))
                }
                "scale" => {
                    let factors = self.numbers_of::<3>(element)?;
                    if factors.contains(&0.0) {
                        return Err(self.syntax(
                            element,
                            "a scale of 0 flattens the mesh",
                            "write 1 to keep its size",
                        ));
                    }
                    Matrix4::new_nonuniform_scaling(&Vector3::from(factors))
                }
                "rotate" => {
                    let [x, y, z, degrees] = self.numbers_of::<4>(element)?;
                    let axis = Vector3::new(x, y, z);
                    // Huge numbers, whose squares have no sum, are divided first.
                    let axis = if axis.norm().is_finite() {
                        axis
                    } else {
                        axis / axis.amax()
                    };
                    let axis = Unit::try_new(axis, 0.0).ok_or_else(|| {
                        self.syntax(
                            element,
                            "the axis of a rotation is `0 0 0`",
                            "write a direction",
                        )
                    })?;
                    Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous()
                }
                tag @ ("skew" | "lookat") => {
                    let problem = unsupported(
                        format!("<{tag}> on a node with geometry"),
                        "export the mesh with its transforms applied",
                    );
                    return Err(self.error(element, problem));
                }
                _ => continue,
            };
            parent_from_node *= step;
        }
        Ok(parent_from_node)
    }
}

impl<'a> Walk<'_, 'a> {
    fn node(
        &mut self,
        node: Node<'a, 'a>,
        scene_from_parent: Matrix4<f64>,
    ) -> Result<(), ImportError> {
        let collada = self.collada;
        if self.path.contains(&node.id()) {
            let problem = syntax(
                "this node is an instance of itself",
                "remove the circle of instance_node",
            );
            return Err(collada.error(node, problem));
        }
        self.visit(node)?;
        // Cameras and lights need no place, and may have transforms that make no sense for a
        // surface.
        if !self.showing.contains(&node.id()) {
            return Ok(());
        }
        let parts = self.parts(node)?;
        let scene_from_node = scene_from_parent * parts.parent_from_node;
        self.path.push(node.id());
        for &element in &parts.elements {
            match element.tag_name().name() {
                "node" => self.node(element, scene_from_node)?,
                "instance_node" => {
                    let target = collada.target(element, "url", "node")?;
                    self.node(target, scene_from_node)?;
                }
                "instance_geometry" => {
                    let target = collada.target(element, "url", "geometry")?;
                    self.geometry(element, target, scene_from_node)?;
                }
                _ => {
                    let problem = unsupported(
                        "<instance_controller> (a skin or morph, whose shape depends on an animation)",
                        "export the mesh as plain geometry",
                    );
                    return Err(collada.error(element, problem));
                }
            }
        }
        self.path.pop();
        Ok(())
    }

    /// Counts a node or a copy of a geometry: instances of instances can be billions, from a few
    /// lines.
    fn visit(&mut self, element: Node<'a, 'a>) -> Result<(), ImportError> {
        self.visited += 1;
        if self.path.len() <= DEEPEST && self.visited <= MOST_NODES {
            return Ok(());
        }
        let problem = unsupported(
            format!(
                "a scene of more than {MOST_NODES} nodes and instances, or nested deeper than {DEEPEST},"
            ),
            "export the mesh as one object",
        );
        Err(self.collada.error(element, problem))
    }

    /// Transform and elements of a node, looked at once.
    fn parts(&mut self, node: Node<'a, 'a>) -> Result<Rc<Parts<'a>>, ImportError> {
        if let Some(known) = self.parts.get(&node.id()) {
            return Ok(Rc::clone(known));
        }
        let tags = |e: &Node| is(*e, "node") || SHOWN.iter().any(|tag| is(*e, tag));
        self.nothing_lost(node, |e| tags(&e))?;
        let parts = Rc::new(Parts {
            parent_from_node: self.collada.transform(node)?,
            elements: node.children().filter(tags).collect(),
        });
        self.parts.insert(node.id(), Rc::clone(&parts));
        Ok(parts)
    }

    /// Refuses geometry in an element that is not looked into: where it stands means nothing, and
    /// nobody would miss it. What exporters keep for themselves (`<extra>`) is not shown.
    fn nothing_lost(
        &self,
        around: Node<'a, 'a>,
        looked_into: impl Fn(Node<'a, 'a>) -> bool,
    ) -> Result<(), ImportError> {
        let lost = |e: &Node<'a, 'a>| {
            self.showing.contains(&e.id()) && !looked_into(*e) && !is(*e, "extra")
        };
        let Some(lost) = around.children().find(lost) else {
            return Ok(());
        };
        let problem = unsupported(
            format!(
                "<{}> in <{}>",
                shown(lost.tag_name().name()),
                around.tag_name().name()
            ),
            "put the geometry into a <node> of the <visual_scene>, or export the mesh again",
        );
        Err(self.collada.error(lost, problem))
    }

    /// Adds one copy of a geometry.
    fn geometry(
        &mut self,
        from: Node<'a, 'a>,
        element: Node<'a, 'a>,
        scene_from_geometry: Matrix4<f64>,
    ) -> Result<(), ImportError> {
        self.visit(from)?;
        if !self.shapes.contains_key(&element.id()) {
            let shape = self.collada.shape(element, self.soup)?;
            self.soup.describe(&shape);
            self.shapes.insert(element.id(), shape);
        }
        let shape = &self.shapes[&element.id()];
        self.soup
            .place(shape, &scene_from_geometry)
            .map_err(|problem| self.collada.error(from, problem))
    }
}
