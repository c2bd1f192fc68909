//! The triangles of one geometry node, in its own frame.

use clearance_proof::geometry::mesh::Mesh;
use nalgebra::{Point3, Vector3};

use super::VrmlFault;
use super::nodes::{Document, VrmlNode};
use super::round::{self, Cone, Cylinder, Round};
use crate::mesh::checks::{Soup, geometry, shown, syntax, unsupported, vertex_index};
use crate::mesh::count;

/// Nodes that may be the geometry of a `Shape`.
pub const KINDS: [&str; 10] = [
    "Box",
    "Cone",
    "Cylinder",
    "ElevationGrid",
    "Extrusion",
    "IndexedFaceSet",
    "IndexedLineSet",
    "PointSet",
    "Sphere",
    "Text",
];

/// The triangles of a geometry.
pub struct VrmlForm {
    pub soup: Soup,
    /// How far, at most, triangles around a round surface stand out of it.
    pub excess: Option<f64>,
}

impl From<Round> for VrmlForm {
    fn from(Round { mesh, excess }: Round) -> Self {
        let soup = Soup {
            vertices: mesh.vertices,
            triangles: mesh.triangles,
            ..Soup::default()
        };
        let excess = Some(excess);
        Self { soup, excess }
    }
}

impl VrmlForm {
    fn with_walls(mut self, open_walls: bool) -> Self {
        self.soup.open_walls = open_walls;
        self
    }
}

/// Reads a geometry. What is unusual about its polygons goes into the whole scene's soup.
pub fn read(document: &Document, node: &VrmlNode, whole: &mut Soup) -> Result<VrmlForm, VrmlFault> {
    match node.kind {
        "Box" => {
            node.only(&["size"])?;
            let mesh = Mesh::cuboid(&Vector3::from(node.lengths("size", [2.0; 3])?));
            let form = VrmlForm::from(Round { mesh, excess: 0.0 });
            Ok(VrmlForm {
                excess: None,
                ..form
            })
        }
        "Sphere" => {
            node.only(&["radius"])?;
            let [radius] = node.lengths("radius", [1.0])?;
            Ok(round::sphere(radius).into())
        }
        "Cylinder" => {
            node.only(&["bottom", "height", "radius", "side", "top"])?;
            let [radius] = node.lengths("radius", [1.0])?;
            let [height] = node.lengths("height", [2.0])?;
            let cylinder = Cylinder {
                radius,
                height,
                side: node.flag("side", true)?,
                top: node.flag("top", true)?,
                bottom: node.flag("bottom", true)?,
            };
            let is_open = cylinder.side && !(cylinder.top && cylinder.bottom);
            Ok(VrmlForm::from(cylinder.round()).with_walls(is_open))
        }
        "Cone" => {
            node.only(&["bottom", "bottomRadius", "height", "side"])?;
            let [radius] = node.lengths("bottomRadius", [1.0])?;
            let [height] = node.lengths("height", [2.0])?;
            let cone = Cone {
                radius,
                height,
                side: node.flag("side", true)?,
                bottom: node.flag("bottom", true)?,
            };
            let is_open = cone.side && !cone.bottom;
            Ok(VrmlForm::from(cone.round()).with_walls(is_open))
        }
        "Extrusion" => {
            let problem = unsupported(
                "`Extrusion`",
                "export the shape as polygons (`IndexedFaceSet`)",
            );
            Err(VrmlFault::new(node.at, problem))
        }
        kind => {
            let mut soup = Soup {
                cutter: std::mem::take(&mut whole.cutter),
                ..Soup::default()
            };
            let read = match kind {
                "ElevationGrid" => elevation_grid(document, node, &mut soup),
                _ => face_set(document, node, &mut soup),
            };
            whole.cutter = std::mem::take(&mut soup.cutter);
            read?;
            // `ccw` says which side is outside.
            if !node.flag("ccw", true)? {
                for triangle in &mut soup.triangles {
                    triangle.swap(1, 2);
                }
            }
            Ok(VrmlForm { soup, excess: None })
        }
    }
}

fn face_set(document: &Document, node: &VrmlNode, soup: &mut Soup) -> Result<(), VrmlFault> {
    node.only(&[
        "ccw",
        "color",
        "colorIndex",
        "colorPerVertex",
        "convex",
        "coord",
        "coordIndex",
        "creaseAngle",
        "normal",
        "normalIndex",
        "normalPerVertex",
        "solid",
        "texCoord",
        "texCoordIndex",
    ])?;
    if let Some(id) = node.node("coord")? {
        points(document, &document.nodes[id], &mut soup.vertices)?;
    }
    let Some((indices, field)) = node.list("coordIndex")? else {
        return Ok(());
    };
    let mut face = vec![];
    let end_face = |face: &mut Vec<u32>, index: usize, soup: &mut Soup| {
        if matches!(face.len(), 1 | 2) {
            let problem = geometry(
                format!("a face has {}", count(face.len(), "corner")),
                "a face needs three corners or more",
            );
            return Err(VrmlFault::new(document.place_in(field, index), problem));
        }
        if !face.is_empty() {
            soup.add_face(face);
            face.clear();
        }
        Ok(())
    };
    for (i, &index) in indices.iter().enumerate() {
        if index == -1.0 {
            end_face(&mut face, i, soup)?;
            continue;
        }
        if index.fract() != 0.0 {
            let cause = format!("{index} is not an index");
            let problem = syntax(
                cause,
                "write whole numbers, zero or more, and -1 after a face",
            );
            return Err(VrmlFault::new(document.place_in(field, i), problem));
        }
        let vertex = vertex_index(index as i64, soup.vertices.len());
        face.push(vertex.map_err(|problem| VrmlFault::new(document.place_in(field, i), problem))?);
    }
    end_face(&mut face, indices.len() - 1, soup)
}

fn points(
    document: &Document,
    node: &VrmlNode,
    points: &mut Vec<Point3<f64>>,
) -> Result<(), VrmlFault> {
    if node.kind != "Coordinate" {
        let cause = format!("`coord` is a `{}`", shown(node.kind));
        let remedy = "it must be a `Coordinate` with the points of the faces";
        return Err(VrmlFault::new(node.at, syntax(cause, remedy)));
    }
    node.only(&["point"])?;
    let Some((numbers, field)) = node.list("point")? else {
        return Ok(());
    };
    let (triples, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() {
        let cause = format!("{} are not whole points", count(numbers.len(), "number"));
        let remedy = "every point has three coordinates, with decimal points";
        return Err(VrmlFault::new(field.at, syntax(cause, remedy)));
    }
    document.finite(numbers, field)?;
    points.extend(triples.iter().map(|&p| Point3::from(p)));
    Ok(())
}

fn elevation_grid(document: &Document, node: &VrmlNode, soup: &mut Soup) -> Result<(), VrmlFault> {
    node.only(&[
        "ccw",
        "color",
        "colorPerVertex",
        "creaseAngle",
        "height",
        "normal",
        "normalPerVertex",
        "solid",
        "texCoord",
        "xDimension",
        "xSpacing",
        "zDimension",
        "zSpacing",
    ])?;
    let [x_spacing] = node.lengths("xSpacing", [1.0])?;
    let [z_spacing] = node.lengths("zSpacing", [1.0])?;
    let sizes = [node.whole("xDimension", 0)?, node.whole("zDimension", 0)?];
    let mut heights = &[][..];
    if let Some((list, field)) = node.list("height")? {
        document.finite(list, field)?;
        heights = list;
    }
    let (Ok(nx), Ok(nz)) = (usize::try_from(sizes[0]), usize::try_from(sizes[1])) else {
        let cause = "a dimension of a grid is negative";
        return Err(VrmlFault::new(
            node.at,
            syntax(cause, "correct the dimension"),
        ));
    };
    if nx.checked_mul(nz) != Some(heights.len()) {
        let problem = geometry(
            format!(
                "a grid of {nx} by {nz} has {}",
                count(heights.len(), "height")
            ),
            "there must be one for each point of the grid",
        );
        return Err(VrmlFault::new(node.at, problem));
    }
    soup.vertices.extend((0..heights.len()).map(|i| {
        let (x, z) = ((i % nx) as f64, (i / nx) as f64);
        Point3::new(x * x_spacing, heights[i], z * z_spacing)
    }));
    for z in 1..nz {
        for x in 1..nx {
            let [a, b] = [(z - 1) * nx + x, z * nx + x].map(|i| i as u32);
            soup.add_face(&[a - 1, b - 1, b, a]);
        }
    }
    Ok(())
}
