//! COLLADA: the geometry that the scene shows, in metres, with z up.

mod primitives;
mod scene;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use nalgebra::{Matrix3, Vector3};
use roxmltree::{Document, Node, ParsingOptions};

use super::UpAxisRule;
use super::checks::{Soup, line_and_column, number, shown, syntax, unsupported};
use crate::units::length_called;
use crate::xml::guard::refused;
use crate::{ImportError, Problem};

/// Reads a scene and turns it upright.
pub fn read(bytes: &[u8], name: &Path) -> Result<Soup, ImportError> {
    read_by(bytes, name, UpAxisRule::Apply)
}

/// Reads a scene and leaves its up axis as it is.
pub fn read_unturned(bytes: &[u8], name: &Path) -> Result<Soup, ImportError> {
    read_by(bytes, name, UpAxisRule::Ignore)
}

fn read_by(bytes: &[u8], name: &Path, rule: UpAxisRule) -> Result<Soup, ImportError> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()]
            .iter()
            .filter(|&&b| b == b'\n')
            .count();
        let problem = syntax("the text is not UTF-8", "save the file in UTF-8");
        ImportError::at(name, line, None, problem)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some((at, problem)) = refused(text) {
        let (line, column) = line_and_column(text, at);
        return Err(ImportError::at(name, line, Some(column), problem));
    }
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|e| {
        let at = e.pos();
        // The library puts the position into its words as well.
        let words = e.to_string();
        let words = words.split(" at ").next().unwrap_or(&words);
        let problem = syntax(
            format!("this is not well-formed XML: {words}"),
            "correct the file, or export the mesh again",
        );
        ImportError::at(name, at.row as usize, Some(at.col as usize), problem)
    })?;
    Collada::new(&document, name)?.read(rule)
}

/// The document, and where everything in it is.
struct Collada<'a> {
    name: &'a Path,
    document: &'a Document<'a>,
    /// Elements by tag and id: some exporters give a node and its geometry the same id.
    by_id: HashMap<(&'a str, &'a str), Node<'a, 'a>>,
    /// Those that several elements have.
    twice: HashSet<(&'a str, &'a str)>,
}

/// Elements of the root that say where a mesh is. Others may hold what is of other namespaces, such as
/// formulas.
const READ: [&str; 6] = [
    "asset",
    "library_controllers",
    "library_geometries",
    "library_nodes",
    "library_visual_scenes",
    "scene",
];

impl<'a> Collada<'a> {
    fn new(document: &'a Document<'a>, name: &'a Path) -> Result<Self, ImportError> {
        let (mut by_id, mut twice) = (HashMap::new(), HashSet::new());
        for element in document.descendants().filter(Node::is_element) {
            if let Some(id) = element.attribute("id") {
                let key = (element.tag_name().name(), id);
                if by_id.insert(key, element).is_some() {
                    twice.insert(key);
                }
            }
        }
        let collada = Self {
            name,
            document,
            by_id,
            twice,
        };
        let root = document.root_element();
        if root.tag_name().name() != "COLLADA" {
            let problem = syntax(
                format!("the root element is <{}>", shown(root.tag_name().name())),
                "a COLLADA file starts with <COLLADA>",
            );
            return Err(collada.error(root, problem));
        }
        collada.one_namespace(root)?;
        Ok(collada)
    }

    /// Tags are compared without their namespace: versions of COLLADA have different ones. So an
    /// element of another one would be taken for one of COLLADA's; such stand in <extra> and
    /// <technique>.
    fn one_namespace(&self, root: Node<'a, 'a>) -> Result<(), ImportError> {
        let own = root.tag_name().namespace();
        let is_read = |e: &Node| READ.contains(&e.tag_name().name());
        let mut waiting: Vec<Node> = root.children().filter(is_read).collect();
        while let Some(element) = waiting.pop() {
            if element.tag_name().namespace() != own {
                let what = format!(
                    "<{}>, which is not COLLADA's",
                    shown(element.tag_name().name())
                );
                let problem = unsupported(what, "export the mesh without such elements");
                return Err(self.error(element, problem));
            }
            let may_differ = is(element, "extra") || is(element, "technique");
            if !may_differ {
                waiting.extend(element.children().filter(Node::is_element));
            }
        }
        Ok(())
    }

    fn read(&self, rule: UpAxisRule) -> Result<Soup, ImportError> {
        let root = self.document.root_element();
        let mut soup = Soup::default();
        let unit_m = self.unit_m()?;
        let (z_up, axis) = self.up_axis()?;
        self.show(&mut soup)?;
        let convert = match rule {
            UpAxisRule::Apply => z_up * unit_m,
            UpAxisRule::Ignore => Matrix3::identity() * unit_m,
        };
        for vertex in &mut soup.vertices {
            vertex.coords = convert * vertex.coords;
        }
        if unit_m != 1.0 {
            soup.notes
                .push(format!("unit {unit_m} m per DAE unit applied"));
        }
        soup.bend *= unit_m;
        soup.unit_doubt = self.other_unit(unit_m)?;
        if axis != "Z_UP" {
            soup.up_axis = Some(axis);
            soup.notes.push(match rule {
                UpAxisRule::Apply => format!(
                    "up axis {axis} turned to Z_UP, as COLLADA says (RViz and MoveIt leave such a mesh unturned)"
                ),
                UpAxisRule::Ignore => format!(
                    "up axis {axis} not turned, as in RViz and MoveIt (COLLADA's own rule turns such a mesh)"
                ),
            });
        }
        if children(root, "library_animations").next().is_some() {
            soup.notes.push("animations ignored".to_owned());
        }
        Ok(soup)
    }

    /// Metres per unit of the document.
    fn unit_m(&self) -> Result<f64, ImportError> {
        self.same_everywhere("unit", |e| e.attribute("meter").unwrap_or("1"))?;
        let Some(unit) = self.asset("unit")? else {
            return Ok(1.0);
        };
        let written = unit.attribute("meter").unwrap_or("1");
        match number(written.trim()) {
            Ok(m) if m > 0.0 => Ok(m),
            _ => Err(self.error(
                unit,
                Problem::BadValue {
                    what: "the unit".to_owned(),
                    value: format!("`{}`", shown(written)),
                    remedy: "give the metres of a unit, greater than zero, such as 0.001"
                        .to_owned(),
                },
            )),
        }
    }

    /// What there is to say of a unit whose name is that of another length: COLLADA goes by the
    /// number, but one of the two is a slip.
    fn other_unit(&self, unit_m: f64) -> Result<Option<String>, ImportError> {
        let unit = self.asset("unit")?;
        let Some(name) = unit.and_then(|unit| unit.attribute("name")) else {
            return Ok(None);
        };
        let known = length_called(name.trim());
        Ok(known
            .filter(|metres| (unit_m / metres - 1.0).abs() > 1e-3)
            .map(|_| {
                let stated = match unit.and_then(|unit| unit.attribute("meter")) {
                    Some(_) => format!("stated as {unit_m} m: the number counts"),
                    None => "states no length, which means 1 m".to_owned(),
                };
                let name = shown(name.trim());
                format!(
                    "its unit is called `{name}` and {stated}; one of the two is wrong, and the mesh has another size by each"
                )
            }))
    }

    /// The rotation that turns the document's up axis to z, and the axis as written.
    fn up_axis(&self) -> Result<(Matrix3<f64>, &'static str), ImportError> {
        self.same_everywhere("up_axis", |e| e.text().unwrap_or_default().trim())?;
        let element = self.asset("up_axis")?;
        let written = element.map_or("Y_UP", |e| e.text().unwrap_or_default().trim());
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        // Each column is where one axis of the document goes.
        match (written, element) {
            ("Z_UP", _) => Ok((Matrix3::identity(), "Z_UP")),
            ("Y_UP", Some(_)) => Ok((Matrix3::from_columns(&[x, z, -y]), "Y_UP")),
            // Without the element COLLADA says Y_UP as well.
            ("Y_UP", None) => Ok((Matrix3::from_columns(&[x, z, -y]), "Y_UP (the default)")),
            ("X_UP", _) => Ok((Matrix3::from_columns(&[z, -x, -y]), "X_UP")),
            (_, element) => Err(self.error(
                element.unwrap_or_else(|| self.document.root_element()),
                Problem::BadValue {
                    what: "up_axis".to_owned(),
                    value: format!("`{}`", shown(written)),
                    remedy: "write X_UP, Y_UP or Z_UP".to_owned(),
                },
            )),
        }
    }

    /// A part of the document's own asset.
    fn asset(&self, tag: &'static str) -> Result<Option<Node<'a, 'a>>, ImportError> {
        match self.child(self.document.root_element(), "asset")? {
            Some(asset) => self.child(asset, tag),
            None => Ok(None),
        }
    }

    /// Parts of a document may have assets of their own; here they must agree.
    fn same_everywhere(
        &self,
        tag: &'static str,
        value: impl Fn(Node<'a, 'a>) -> &'a str,
    ) -> Result<(), ImportError> {
        let own = self.asset(tag)?;
        let others = self
            .document
            .descendants()
            .filter(|e| is(*e, tag) && e.parent().is_some_and(|p| is(p, "asset")));
        for other in others {
            if own.map(&value) != Some(value(other)) {
                let problem = unsupported(
                    format!("<{tag}> of a part that differs from the document's"),
                    "export the mesh with one unit and one up axis",
                );
                return Err(self.error(other, problem));
            }
        }
        Ok(())
    }

    /// The element of a kind that a URL such as `#base-mesh` names.
    fn target(
        &self,
        from: Node<'a, 'a>,
        attribute: &str,
        tag: &str,
    ) -> Result<Node<'a, 'a>, ImportError> {
        let url = self.attribute(from, attribute)?;
        let Some(id) = url.strip_prefix('#') else {
            let problem = unsupported(
                format!("`{}`, which refers to another file,", shown(url)),
                "export the mesh as one file",
            );
            return Err(self.error(from, problem));
        };
        if self.twice.contains(&(tag, id)) {
            let problem = syntax(
                format!("several <{tag}> have the id `{}`", shown(id)),
                "give each an id of its own, or export the mesh again",
            );
            return Err(self.error(from, problem));
        }
        self.by_id.get(&(tag, id)).copied().ok_or_else(|| {
            let problem = syntax(
                format!("there is no <{tag} id=\"{}\">", shown(id)),
                "correct the reference, or export the mesh again",
            );
            self.error(from, problem)
        })
    }

    /// The child of a tag, if there is one; a second one is refused, as it would be dropped.
    fn child(
        &self,
        element: Node<'a, 'a>,
        tag: &'static str,
    ) -> Result<Option<Node<'a, 'a>>, ImportError> {
        let mut found = children(element, tag);
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => {
                let around = shown(element.tag_name().name());
                let cause = format!("this is a second <{tag}> in <{around}>");
                Err(self.syntax(second, cause, "keep one, or export the mesh again"))
            }
        }
    }

    fn attribute(&self, element: Node<'a, 'a>, name: &str) -> Result<&'a str, ImportError> {
        element.attribute(name).ok_or_else(|| {
            let tag = element.tag_name().name();
            let problem = syntax(
                format!("<{}> has no attribute `{name}`", shown(tag)),
                "correct the element, or export the mesh again",
            );
            self.error(element, problem)
        })
    }
}

impl<'a> Collada<'a> {
    fn error(&self, element: Node<'a, 'a>, problem: Problem) -> ImportError {
        self.error_at(element.range().start, problem)
    }

    /// An error at a byte of the text.
    fn error_at(&self, byte: usize, problem: Problem) -> ImportError {
        let (line, column) = line_and_column(self.document.input_text(), byte);
        ImportError::at(self.name, line, Some(column), problem)
    }

    fn syntax(&self, element: Node<'a, 'a>, cause: impl Into<String>, remedy: &str) -> ImportError {
        self.error(element, syntax(cause, remedy))
    }

    /// The words in an element with the bytes where they are, comments between them left out.
    fn words(&self, element: Node<'a, 'a>) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        element.children().filter(Node::is_text).flat_map(|part| {
            let text = part.text().unwrap_or_default();
            let start = part.range().start;
            text.split_ascii_whitespace().map(move |word| {
                (
                    start + (word.as_ptr() as usize - text.as_ptr() as usize),
                    word,
                )
            })
        })
    }

    fn numbers(&self, element: Node<'a, 'a>) -> Result<Vec<f64>, ImportError> {
        self.words(element)
            .map(|(byte, word)| number(word).map_err(|problem| self.error_at(byte, problem)))
            .collect()
    }

    /// Exactly `N` numbers.
    fn numbers_of<const N: usize>(&self, element: Node<'a, 'a>) -> Result<[f64; N], ImportError> {
        let numbers = self.numbers(element)?;
        let found = numbers.len();
        numbers.try_into().map_err(|_| {
            let tag = element.tag_name().name();
            self.syntax(
                element,
                format!("<{tag}> has {found} numbers"),
                &format!("it must have {N}"),
            )
        })
    }

    fn indices(&self, element: Node<'a, 'a>) -> Result<Vec<usize>, ImportError> {
        let index = |(byte, word): (usize, &str)| {
            word.parse().map_err(|_| {
                let cause = format!("`{}` is not an index", shown(word));
                self.error_at(byte, syntax(cause, "write whole numbers, zero or more"))
            })
        };
        self.words(element).map(index).collect()
    }

    /// An attribute that is a whole number, if it is there.
    fn whole(&self, element: Node<'a, 'a>, name: &str) -> Result<Option<usize>, ImportError> {
        let Some(written) = element.attribute(name) else {
            return Ok(None);
        };
        written.trim().parse().map(Some).map_err(|_| {
            let problem = Problem::BadValue {
                what: format!("the attribute `{name}`"),
                value: format!("`{}`", shown(written)),
                remedy: "write a whole number, zero or more".to_owned(),
            };
            self.error(element, problem)
        })
    }
}

fn is(element: Node, tag: &str) -> bool {
    element.is_element() && element.tag_name().name() == tag
}

fn children<'a>(element: Node<'a, 'a>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    element.children().filter(move |e| is(*e, tag))
}

#[cfg(test)]
mod tests;
