//! Which shapes the scene shows, and where.

use std::collections::HashMap;

use nalgebra::{Matrix4, Rotation3, Unit, Vector3};

use super::VrmlFault;
use super::nodes::{Document, NodeId, VrmlNode};
use super::shapes::{self, VrmlForm};
use crate::Problem;
use crate::mesh::checks::{Soup, geometry, shown, syntax, unsupported};
use crate::mesh::count;
use crate::names;

/// Nodes that are visited, every use of a node counted.
const MOST_NODES: usize = 1_000_000;

const GROUPS: [&str; 7] = [
    "Anchor",
    "Billboard",
    "Collision",
    "Group",
    "LOD",
    "Switch",
    "Transform",
];

/// Nodes of a scene that have no surface of their own.
const WITHOUT_SURFACE: [&str; 37] = [
    "Appearance",
    "AudioClip",
    "Background",
    "Color",
    "ColorInterpolator",
    "Coordinate",
    "CoordinateInterpolator",
    "CylinderSensor",
    "DirectionalLight",
    "Fog",
    "FontStyle",
    "ImageTexture",
    "Material",
    "MovieTexture",
    "NavigationInfo",
    "Normal",
    "NormalInterpolator",
    "OrientationInterpolator",
    "PixelTexture",
    "PlaneSensor",
    "PointLight",
    "PositionInterpolator",
    "ProximitySensor",
    "ScalarInterpolator",
    "Script",
    "Sound",
    "SphereSensor",
    "SpotLight",
    "TextureCoordinate",
    "TextureTransform",
    "TimeSensor",
    "TouchSensor",
    "Viewpoint",
    "VisibilitySensor",
    "WorldInfo",
    "MetadataSet",
    "MetadataString",
];

/// All triangles that the scene shows.
pub fn show(document: &Document) -> Result<Soup, VrmlFault> {
    Ok(walked(document, false)?.0)
}

/// The same by the names that `DEF` gives to groups and shapes: each shape belongs to the innermost
/// one around it. The first part has what belongs to none (an empty name), the notes, and may be
/// empty.
pub fn show_parts(document: &Document) -> Result<Vec<(String, Soup)>, VrmlFault> {
    let (whole, mut parts) = walked(document, true)?;
    if !parts.first().is_some_and(|(name, _)| name.is_empty()) {
        let nameless = parts.iter().position(|(name, _)| name.is_empty());
        let nameless = nameless.map(|k| parts.remove(k)).unwrap_or_default();
        parts.insert(0, nameless);
    }
    parts[0].1.notes.extend(whole.notes);
    Ok(parts)
}

fn walked(document: &Document, by_name: bool) -> Result<(Soup, Vec<(String, Soup)>), VrmlFault> {
    let mut walk = Walk {
        document,
        soup: Soup::default(),
        parts: by_name.then(Vec::new),
        shapes: HashMap::new(),
        path: vec![],
        visited: 0,
        tally: ShapeTally::default(),
    };
    for &node in &document.top {
        walk.node(node, &Matrix4::identity())?;
    }
    let mut soup = walk.soup;
    soup.notes.extend(walk.tally.notes(document));
    Ok((soup, walk.parts.unwrap_or_default()))
}

/// Counts that the user should know.
#[derive(Default)]
struct ShapeTally {
    round: usize,
    /// How far round shapes stand out at most, in the file's unit.
    farthest: f64,
    lines: usize,
    texts: usize,
    levels: usize,
    choices: usize,
    billboards: usize,
    proxies: usize,
}

impl ShapeTally {
    fn notes(&self, document: &Document) -> Vec<String> {
        let mut notes = vec![];
        let mut note = |n: usize, text: String| {
            if n > 0 {
                notes.push(text);
            }
        };
        note(
            self.round,
            format!(
                "{} (sphere, cylinder, cone) between triangles that stand out by at most {:.2e}, in the file's unit",
                count(self.round, "round shape"),
                self.farthest * 1.01
            ),
        );
        note(
            self.levels,
            format!(
                "{} of LOD left out: the first one, the finest, is taken",
                count(self.levels, "level")
            ),
        );
        note(
            self.choices,
            format!(
                "{} of Switch not shown and left out, as whichChoice says",
                count(self.choices, "choice")
            ),
        );
        note(
            self.proxies,
            format!(
                "{} of Collision left out: what is shown is taken",
                count(self.proxies, "proxy").replace("proxys", "proxies")
            ),
        );
        note(
            self.billboards,
            format!(
                "{} taken as written, though viewers turn such nodes to the eye",
                count(self.billboards, "Billboard")
            ),
        );
        note(
            self.lines,
            format!(
                "{} without surface ignored",
                count(self.lines, "point or line node")
            ),
        );
        note(
            self.texts,
            format!("{} without a body ignored", count(self.texts, "Text")),
        );
        note(
            document.routes + document.scripts,
            format!(
                "{} and {} ignored: everything stays where the file puts it",
                count(document.routes, "route"),
                count(document.scripts, "script")
            ),
        );
        notes
    }
}

struct Walk<'d, 'a> {
    document: &'d Document<'a>,
    soup: Soup,
    /// The same by names, where that is asked for.
    parts: Option<Vec<(String, Soup)>>,
    /// Every geometry is read once, however often it is used.
    shapes: HashMap<NodeId, VrmlForm>,
    /// Nodes from the scene to here.
    path: Vec<NodeId>,
    visited: usize,
    tally: ShapeTally,
}

impl Walk<'_, '_> {
    fn node(&mut self, id: NodeId, scene_from_parent: &Matrix4<f64>) -> Result<(), VrmlFault> {
        let node = &self.document.nodes[id];
        let fault = |problem| Err(VrmlFault::new(node.at, problem));
        self.visited += 1;
        if self.path.contains(&id) {
            return fault(syntax(
                "this node is within itself",
                "remove the circle of `USE`",
            ));
        }
        if self.visited > MOST_NODES {
            return fault(unsupported(
                format!("a scene of more than {MOST_NODES} nodes"),
                "export the mesh as one object",
            ));
        }
        self.path.push(id);
        match node.kind {
            // It may have the name of any other node.
            kind if self.document.prototypes.contains(kind) => return fault(prototype(kind)),
            "Shape" => self.shape(node, scene_from_parent)?,
            kind if GROUPS.contains(&kind) => self.group(node, scene_from_parent)?,
            kind if WITHOUT_SURFACE.contains(&kind) => {}
            "Inline" => {
                return fault(unsupported(
                    "`Inline`, which reads another file,",
                    "export the scene as one file, or name the other file as a mesh of its own",
                ));
            }
            kind if shapes::KINDS.contains(&kind) => {
                return fault(syntax(
                    format!("`{}` stands outside of a `Shape`", shown(kind)),
                    "write `Shape { geometry … }` around it",
                ));
            }
            kind => {
                let known = [&["Shape", "Inline"][..], &GROUPS, &WITHOUT_SURFACE].concat();
                return fault(unknown(kind, &known));
            }
        }
        self.path.pop();
        Ok(())
    }

    fn group(
        &mut self,
        node: &VrmlNode,
        scene_from_parent: &Matrix4<f64>,
    ) -> Result<(), VrmlFault> {
        let document = self.document;
        let mut scene_from_node = *scene_from_parent;
        let shown = match node.kind {
            "Transform" => {
                scene_from_node *= transform(node)?;
                if !scene_from_node.iter().all(|x| x.is_finite()) {
                    let cause = "the transforms up to here grow beyond all numbers";
                    let remedy = "correct them, or export the mesh again";
                    return Err(VrmlFault::new(node.at, geometry(cause, remedy)));
                }
                node.nodes("children")?
            }
            "LOD" => {
                node.only(&["center", "level", "range"])?;
                let levels = node.nodes("level")?;
                self.tally.levels += levels.len().saturating_sub(1);
                &levels[..levels.len().min(1)]
            }
            "Switch" => {
                node.only(&["choice", "whichChoice"])?;
                let choices = node.nodes("choice")?;
                let which = node.whole("whichChoice", -1)?;
                let shown = match usize::try_from(which) {
                    Ok(which) if which < choices.len() => &choices[which..=which],
                    Ok(which) if !choices.is_empty() => {
                        let problem = Problem::BadValue {
                            what: "`whichChoice` of `Switch`".to_owned(),
                            value: format!("`{which}`, of {}", count(choices.len(), "choice")),
                            remedy: "choices are counted from 0; -1 shows none".to_owned(),
                        };
                        return Err(VrmlFault::new(node.at, problem));
                    }
                    _ => &[],
                };
                self.tally.choices += choices.len() - shown.len();
                shown
            }
            "Collision" => {
                node.only(&["bboxCenter", "bboxSize", "children", "collide", "proxy"])?;
                self.tally.proxies += node.nodes("proxy")?.len();
                node.nodes("children")?
            }
            "Billboard" => {
                node.only(&["axisOfRotation", "bboxCenter", "bboxSize", "children"])?;
                self.tally.billboards += 1;
                node.nodes("children")?
            }
            "Anchor" => {
                node.only(&[
                    "bboxCenter",
                    "bboxSize",
                    "children",
                    "description",
                    "parameter",
                    "url",
                ])?;
                node.nodes("children")?
            }
            _ => {
                node.only(&["bboxCenter", "bboxSize", "children"])?;
                node.nodes("children")?
            }
        };
        debug_assert!(shown.iter().all(|&id| id < document.nodes.len()));
        for &id in shown {
            self.node(id, &scene_from_node)?;
        }
        Ok(())
    }

    fn shape(&mut self, node: &VrmlNode, scene_from_shape: &Matrix4<f64>) -> Result<(), VrmlFault> {
        node.only(&["appearance", "geometry"])?;
        let Some(id) = node.node("geometry")? else {
            return Ok(());
        };
        let geometry = &self.document.nodes[id];
        match geometry.kind {
            kind if self.document.prototypes.contains(kind) => {
                return Err(VrmlFault::new(geometry.at, prototype(kind)));
            }
            "IndexedLineSet" | "PointSet" => {
                self.tally.lines += 1;
                return Ok(());
            }
            "Text" => {
                self.tally.texts += 1;
                return Ok(());
            }
            kind if shapes::KINDS.contains(&kind) => {}
            kind => return Err(VrmlFault::new(geometry.at, unknown(kind, &shapes::KINDS))),
        }
        if !self.shapes.contains_key(&id) {
            let form = shapes::read(self.document, geometry, &mut self.soup)?;
            self.soup.describe(&form.soup);
            self.shapes.insert(id, form);
        }
        let form = &self.shapes[&id];
        if let Some(excess) = form.excess {
            self.tally.round += 1;
            let excess = excess * greatest_stretch(scene_from_shape);
            self.tally.farthest = self.tally.farthest.max(excess);
        }
        // The whole holds the limits of what copies may grow to.
        let wrong = |problem| VrmlFault::new(node.at, problem);
        self.soup
            .place(&form.soup, scene_from_shape)
            .map_err(wrong)?;
        let Some(parts) = &mut self.parts else {
            return Ok(());
        };
        let nodes = self.path.iter().rev().map(|&id| &self.document.nodes[id]);
        let mut names = nodes
            .filter(|node| node.kind == "Shape" || GROUPS.contains(&node.kind))
            .map(|node| node.name);
        let name = names.find(|name| !name.is_empty()).unwrap_or_default();
        let known = parts.iter().position(|(known, _)| known == name);
        let part = known.unwrap_or_else(|| {
            parts.push((name.to_owned(), Soup::default()));
            parts.len() - 1
        });
        let soup = &mut parts[part].1;
        soup.describe(&form.soup);
        soup.place(&form.soup, scene_from_shape).map_err(wrong)
    }
}

fn prototype(kind: &str) -> Problem {
    unsupported(
        format!("`{}`, a node that a prototype defines,", shown(kind)),
        "export the scene without PROTO and EXTERNPROTO",
    )
}

fn unknown(kind: &str, known: &[&str]) -> Problem {
    Problem::UnknownName {
        what: "VRML97 node",
        name: shown(kind),
        remedy: match names::nearest(kind, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "export the mesh without extensions of VRML97".to_owned(),
        },
    }
}

/// From the frame of a `Transform` to that of its parent.
fn transform(node: &VrmlNode) -> Result<Matrix4<f64>, VrmlFault> {
    node.only(&[
        "bboxCenter",
        "bboxSize",
        "center",
        "children",
        "rotation",
        "scale",
        "scaleOrientation",
        "translation",
    ])?;
    let center = Vector3::from(node.numbers("center", [0.0; 3])?);
    let translation = Vector3::from(node.numbers("translation", [0.0; 3])?);
    let along = rotation(node, "scaleOrientation")?;
    let shift = |v: Vector3<f64>| Matrix4::new_translation(&v);
    Ok(shift(translation)
        * shift(center)
        * rotation(node, "rotation")?
        * along
        * Matrix4::new_nonuniform_scaling(&Vector3::from(node.scale("scale")?))
        * along.transpose()
        * shift(-center))
}

fn rotation(node: &VrmlNode, name: &str) -> Result<Matrix4<f64>, VrmlFault> {
    let [x, y, z, angle_rad] = node.numbers(name, [0.0, 0.0, 1.0, 0.0])?;
    let axis = Vector3::new(x, y, z);
    // Of any length: viewers normalise it too. Dividing first keeps huge and tiny axes from
    // becoming infinite or zero.
    match Unit::try_new(axis / axis.amax(), 0.0) {
        Some(axis) if axis.iter().all(|x| x.is_finite()) => {
            Ok(Rotation3::from_axis_angle(&axis, angle_rad).to_homogeneous())
        }
        _ if angle_rad == 0.0 => Ok(Matrix4::identity()),
        _ => {
            let cause = format!("the axis of `{name}` is `0 0 0`");
            Err(VrmlFault::new(node.at, syntax(cause, "write a direction")))
        }
    }
}

/// A bound of the factor by which a transform can lengthen a vector; exact where it keeps right
/// angles between the axes.
fn greatest_stretch(transform: &Matrix4<f64>) -> f64 {
    let turn = transform.fixed_view::<3, 3>(0, 0);
    let squares = turn.transpose() * turn;
    let rows = (0..3).map(|i| squares.row(i).iter().map(|x| x.abs()).sum::<f64>());
    rows.fold(0.0, f64::max).sqrt()
}
