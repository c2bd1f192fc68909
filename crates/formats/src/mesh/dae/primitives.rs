//! The faces of one geometry.

use std::collections::HashMap;

use nalgebra::Point3;
use roxmltree::{Node, NodeId};

use super::{Collada, children};
use crate::ImportError;
use crate::mesh::checks::{Soup, geometry, shown, syntax, unsupported};
use crate::mesh::count;

/// How the indices of a primitive are laid out.
struct Layout<'a> {
    /// Indices of one corner.
    stride: usize,
    /// Which of them is the vertex.
    offset: usize,
    vertices: Node<'a, 'a>,
}

impl<'a> Collada<'a> {
    /// The triangles of a geometry, in its own frame. What is unusual about its polygons goes into
    /// the whole document's soup.
    pub(super) fn shape(
        &self,
        element: Node<'a, 'a>,
        whole: &mut Soup,
    ) -> Result<Soup, ImportError> {
        let Some(mesh) = self.child(element, "mesh")? else {
            let problem = unsupported(
                "a <geometry> without <mesh> (a convex hull, a spline or a solid)",
                "export it as a polygon mesh",
            );
            return Err(self.error(element, problem));
        };
        let known = ["mesh", "asset", "extra"];
        let other = (element.children().filter(Node::is_element))
            .find(|e| !known.contains(&e.tag_name().name()));
        if let Some(other) = other {
            let problem = unsupported(
                format!("<{}> in a geometry", shown(other.tag_name().name())),
                "export it as a polygon mesh",
            );
            return Err(self.error(other, problem));
        }
        let mut shape = Soup {
            cutter: std::mem::take(&mut whole.cutter),
            ..Soup::default()
        };
        // First vertex and number of vertices of each source of positions.
        let mut known: HashMap<NodeId, (usize, usize)> = HashMap::new();
        let mut lines = 0;
        for primitive in mesh.children().filter(Node::is_element) {
            match primitive.tag_name().name() {
                "triangles" | "polylist" | "polygons" | "trifans" | "tristrips" => {
                    let Some(layout) = self.layout(primitive)? else {
                        continue;
                    };
                    let source = self.source(layout.vertices)?;
                    let (first, length) = match known.get(&source.id()) {
                        Some(&range) => range,
                        None => {
                            let first = shape.vertices.len();
                            self.positions(source, &mut shape.vertices)?;
                            // No file states so many: its sources share their numbers.
                            if shape.vertices.len() > self.document.input_text().len() {
                                let cause = "the sources of positions share their numbers, and grow to more than the file";
                                let problem = geometry(cause, "export the mesh again");
                                return Err(self.error(source, problem));
                            }
                            let range = (first, shape.vertices.len() - first);
                            known.insert(source.id(), range);
                            range
                        }
                    };
                    let corner = |index: usize| (index < length).then(|| (first + index) as u32);
                    self.faces(primitive, &layout, corner, length, &mut shape)?;
                }
                "lines" | "linestrips" => lines += 1,
                "source" | "vertices" | "extra" | "asset" => {}
                tag => {
                    let problem = unsupported(
                        format!("<{}> in a mesh", shown(tag)),
                        "export the mesh as triangles or polygons",
                    );
                    return Err(self.error(primitive, problem));
                }
            }
        }
        if lines > 0 {
            let what = count(lines, "set");
            whole
                .notes
                .push(format!("{what} of lines without surface ignored"));
        }
        whole.cutter = std::mem::take(&mut shape.cutter);
        Ok(shape)
    }

    /// Nothing for a primitive that has neither inputs nor faces, as some exporters write.
    fn layout(&self, primitive: Node<'a, 'a>) -> Result<Option<Layout<'a>>, ImportError> {
        let mut stride = 0;
        let mut vertex = None;
        for input in children(primitive, "input") {
            let offset = self.whole(input, "offset")?.ok_or_else(|| {
                self.syntax(
                    input,
                    "an <input> of a primitive has no `offset`",
                    "write offset=\"0\"",
                )
            })?;
            if offset > 1000 {
                let problem = syntax(
                    format!("the offset {offset} of an <input> is absurd"),
                    "export the mesh again",
                );
                return Err(self.error(input, problem));
            }
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                if vertex.is_some() {
                    return Err(self.syntax(
                        input,
                        "a primitive has two inputs for VERTEX",
                        "it must have one",
                    ));
                }
                vertex = Some((offset, self.target(input, "source", "vertices")?));
            }
        }
        match vertex {
            Some((offset, vertices)) => Ok(Some(Layout {
                stride,
                offset,
                vertices,
            })),
            None if children(primitive, "p").next().is_none()
                && children(primitive, "ph").next().is_none() =>
            {
                match self.whole(primitive, "count")? {
                    None | Some(0) => Ok(None),
                    Some(n) => {
                        let cause = format!("count is {n}, but there are no faces");
                        Err(self.syntax(primitive, cause, "export the mesh again"))
                    }
                }
            }
            None => Err(self.syntax(
                primitive,
                "a primitive has no input for VERTEX",
                "write <input semantic=\"VERTEX\" source=\"#…\" offset=\"0\"/>",
            )),
        }
    }

    fn faces(
        &self,
        primitive: Node<'a, 'a>,
        layout: &Layout<'a>,
        corner: impl Fn(usize) -> Option<u32>,
        vertices: usize,
        shape: &mut Soup,
    ) -> Result<(), ImportError> {
        if let Some(hole) = children(primitive, "ph").next() {
            let problem = unsupported(
                "a polygon with holes (<ph>)",
                "export the mesh as triangles",
            );
            return Err(self.error(hole, problem));
        }
        // Each <p> as the corners of its faces.
        let mut lists = vec![];
        for p in children(primitive, "p") {
            let indices = self.indices(p)?;
            if indices.len() % layout.stride != 0 {
                let cause = format!(
                    "{} are not whole corners of {}",
                    count(indices.len(), "number"),
                    layout.stride
                );
                return Err(self.syntax(
                    p,
                    cause,
                    "every corner needs one index for each offset of the inputs",
                ));
            }
            let corners = indices.chunks_exact(layout.stride).map(|c| {
                corner(c[layout.offset]).ok_or_else(|| {
                    let cause = format!(
                        "a face refers to vertex {} (counted from 0) of {vertices}",
                        c[layout.offset]
                    );
                    self.error(p, geometry(cause, "export the mesh again"))
                })
            });
            lists.push((p, corners.collect::<Result<Vec<u32>, _>>()?));
        }
        let faces = match primitive.tag_name().name() {
            "triangles" | "polylist" => {
                let corners: Vec<u32> =
                    lists.into_iter().flat_map(|(_, corners)| corners).collect();
                let sizes = if primitive.tag_name().name() == "polylist" {
                    let sizes = self.child(primitive, "vcount")?;
                    let sizes = sizes.map(|e| self.indices(e)).transpose()?;
                    sizes.unwrap_or_default()
                } else {
                    vec![3; corners.len().div_ceil(3)]
                };
                self.cut_up(primitive, &corners, &sizes, shape)?;
                sizes.len()
            }
            kind => {
                for (p, corners) in &lists {
                    if corners.len() < 3 {
                        return Err(self.too_few_corners(*p, corners.len()));
                    }
                    match kind {
                        "polygons" => shape.add_face(corners),
                        "trifans" => {
                            let fan = corners.windows(2).skip(1).map(|w| [corners[0], w[0], w[1]]);
                            shape.triangles.extend(fan);
                        }
                        _ => {
                            let strip = corners.windows(3).enumerate();
                            // Every other triangle of a strip is written the wrong way round.
                            shape.triangles.extend(strip.map(|(i, w)| match i % 2 {
                                0 => [w[0], w[1], w[2]],
                                _ => [w[1], w[0], w[2]],
                            }));
                        }
                    }
                }
                lists.len()
            }
        };
        match self.whole(primitive, "count")? {
            Some(said) if said != faces => {
                let cause = format!("count says {said} faces, but there are {faces}");
                Err(self.error(primitive, geometry(cause, "export the mesh again")))
            }
            _ => Ok(()),
        }
    }

    /// Faces that share one list of corners.
    fn cut_up(
        &self,
        primitive: Node<'a, 'a>,
        corners: &[u32],
        sizes: &[usize],
        shape: &mut Soup,
    ) -> Result<(), ImportError> {
        let mut rest = corners;
        for &size in sizes {
            if size < 3 {
                return Err(self.too_few_corners(primitive, size));
            }
            let Some((face, after)) = rest.split_at_checked(size) else {
                let cause = format!(
                    "the faces need more corners than the {} there are",
                    corners.len()
                );
                return Err(self.error(primitive, geometry(cause, "export the mesh again")));
            };
            shape.add_face(face);
            rest = after;
        }
        if !rest.is_empty() {
            let cause = format!(
                "{} left over after the last face",
                count(rest.len(), "corner")
            );
            return Err(self.error(primitive, geometry(cause, "export the mesh again")));
        }
        Ok(())
    }

    fn too_few_corners(&self, element: Node<'a, 'a>, corners: usize) -> ImportError {
        let cause = format!("a face has {}", count(corners, "corner"));
        self.error(
            element,
            geometry(cause, "a face needs three corners or more"),
        )
    }

    /// The source of the positions of a `<vertices>` element.
    fn source(&self, vertices: Node<'a, 'a>) -> Result<Node<'a, 'a>, ImportError> {
        let mut inputs =
            children(vertices, "input").filter(|i| i.attribute("semantic") == Some("POSITION"));
        let input = inputs.next().ok_or_else(|| {
            let remedy = "write <input semantic=\"POSITION\" source=\"#…\"/>";
            self.syntax(vertices, "<vertices> has no input for POSITION", remedy)
        })?;
        if let Some(second) = inputs.next() {
            let cause = "<vertices> has two inputs for POSITION";
            return Err(self.syntax(second, cause, "it must have one"));
        }
        self.target(input, "source", "source")
    }

    /// Appends the points of a source.
    fn positions(
        &self,
        source: Node<'a, 'a>,
        points: &mut Vec<Point3<f64>>,
    ) -> Result<(), ImportError> {
        let technique = self.child(source, "technique_common")?;
        let accessor = technique.map(|t| self.child(t, "accessor")).transpose()?;
        let accessor = accessor.flatten().ok_or_else(|| {
            let remedy = "write <technique_common><accessor …> into it";
            self.syntax(source, "the source of positions has no accessor", remedy)
        })?;
        let array = self.target(accessor, "source", "float_array")?;
        let numbers = self.numbers(array)?;
        if let Some(said) = self.whole(array, "count")?
            && said != numbers.len()
        {
            let cause = format!("count says {said} numbers, but there are {}", numbers.len());
            return Err(self.error(array, geometry(cause, "export the mesh again")));
        }
        let stride = self.whole(accessor, "stride")?.unwrap_or(1);
        let offset = self.whole(accessor, "offset")?.unwrap_or(0);
        let length = self.whole(accessor, "count")?.ok_or_else(|| {
            self.syntax(
                accessor,
                "an accessor has no `count`",
                "write the number of positions",
            )
        })?;
        let [x, y, z] = self.axes(accessor)?;
        let last = x.max(y).max(z);
        // A wrong stride would mix up axes in silence.
        let end = length
            .saturating_sub(1)
            .checked_mul(stride)
            .and_then(|n| n.checked_add(offset)?.checked_add(last));
        if stride <= last || (length > 0 && end.is_none_or(|end| end >= numbers.len())) {
            let cause = format!(
                "{length} positions at offset {offset}, {stride} numbers apart, do not fit into {} numbers",
                numbers.len()
            );
            return Err(self.error(
                accessor,
                geometry(cause, "correct count, stride and offset of the accessor"),
            ));
        }
        points.extend((0..length).map(|i| {
            let at = offset + i * stride;
            Point3::new(numbers[at + x], numbers[at + y], numbers[at + z])
        }));
        Ok(())
    }

    /// Where X, Y and Z are within one position. A parameter without a name is a number to be
    /// passed over.
    fn axes(&self, accessor: Node<'a, 'a>) -> Result<[usize; 3], ImportError> {
        let named =
            |name| children(accessor, "param").position(|p| p.attribute("name") == Some(name));
        match [named("X"), named("Y"), named("Z")] {
            [Some(x), Some(y), Some(z)] => Ok([x, y, z]),
            [None, None, None] if children(accessor, "param").count() == 3 => Ok([0, 1, 2]),
            _ => Err(self.syntax(
                accessor,
                "the accessor of positions has no X, Y and Z",
                "write three <param> X, Y, Z",
            )),
        }
    }
}
