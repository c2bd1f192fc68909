//! An element of a file: its children and attributes, and errors at their places.

use super::{XmlText, written_name};
use crate::names::nearest;
use crate::{ImportError, Location, Problem};

/// An element, with the file that it stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element<'a> {
    source: &'a XmlText,
    node: roxmltree::Node<'a, 'a>,
}

/// An attribute whose name looks like a slip of the pen.
pub(crate) struct MisspeltAttribute<'a, 'k> {
    pub(crate) place: Location,
    /// What is said of it.
    pub(crate) message: String,
    pub(crate) value: &'a str,
    /// The known attribute that it looks like.
    pub(crate) meant: &'k str,
    /// Whether the element does not have that one.
    pub(crate) is_missing: bool,
}

/// What other formats call the attributes of a URDF.
const OTHER_WORDS: [(&str, &str); 15] = [
    ("quat", "rpy"),
    ("quaternion", "rpy"),
    ("wxyz", "rpy"),
    ("xyzw", "rpy"),
    ("euler", "rpy"),
    ("rotation", "rpy"),
    ("rot", "rpy"),
    ("orientation", "rpy"),
    ("pos", "xyz"),
    ("position", "xyz"),
    ("translation", "xyz"),
    ("size", "scale"),
    ("factor", "multiplier"),
    ("ratio", "multiplier"),
    ("gear", "multiplier"),
];

/// What helps with a robot in another format.
const AS_URDF: &str = "; take the URDF that it was made from, or export one";

impl<'a> Element<'a> {
    /// The root element, which must have this name.
    pub(crate) fn root(
        source: &'a XmlText,
        document: &'a roxmltree::Document<'a>,
        name: &str,
    ) -> Result<Self, ImportError> {
        let root = Self {
            source,
            node: document.root_element(),
        };
        if root.name() != name {
            let (format, remedy) = match root.name() {
                "mujoco" => (": a model of MuJoCo (MJCF), which is not read", AS_URDF),
                "sdf" => (": a model of Gazebo (SDF), which is not read", AS_URDF),
                _ => ("", ""),
            };
            return Err(root.error(Problem::Syntax {
                cause: format!("the root element is `<{}>`{format}", root.name()),
                remedy: format!("expected `<{name}>`{remedy}"),
            }));
        }
        Ok(root)
    }

    /// Name as written, prefix included: a reader that knows no namespaces takes `<xacro:link>` for
    /// something else than `<link>`.
    pub(crate) fn name(&self) -> &'a str {
        written_name(self.source, self.node)
    }

    /// Child elements in order.
    pub(crate) fn children(&self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let source = self.source;
        self.node
            .children()
            .filter(|n| n.is_element())
            .map(move |node| Element { source, node })
    }

    /// The first one of these names among the element and all that is inside it.
    pub(crate) fn first_of(&self, names: &[&str]) -> Option<&'a str> {
        let source = self.source;
        let inside = self.node.descendants().filter(|n| n.is_element());
        inside
            .map(|node| written_name(source, node))
            .find(|name| names.contains(name))
    }

    /// Text right in the element that is written as if it stated something: with a number in it, or
    /// a tag.
    pub(crate) fn stray_text(&self) -> Option<&'a str> {
        let texts = self.node.children().filter(|n| n.is_text());
        let mut texts = texts.filter_map(|n| n.text()).map(str::trim);
        texts.find(|text| text.contains(|c: char| c.is_ascii_digit() || c == '<'))
    }

    /// Child elements of one name.
    pub(crate) fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = Element<'a>> + use<'a, 'n> {
        self.children().filter(move |c| c.name() == name)
    }

    /// The child of that name; two of them are an error.
    pub(crate) fn child(&self, name: &str) -> Result<Option<Element<'a>>, ImportError> {
        let mut found = self.all(name);
        let first = found.next();
        if let Some(second) = found.next() {
            return Err(second.error(Problem::Syntax {
                cause: format!("a second `<{name}>` in one `<{}>`", self.name()),
                remedy: "keep one of them".into(),
            }));
        }
        Ok(first)
    }

    /// The child of that name, which must be there.
    pub(crate) fn required_child(&self, name: &str) -> Result<Element<'a>, ImportError> {
        self.child(name)?.ok_or_else(|| {
            self.error(Problem::Syntax {
                cause: format!("`<{}>` has no `<{name}>`", self.name()),
                remedy: format!("add `<{name}>`"),
            })
        })
    }

    /// An attribute without prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.raw_attribute(name).map(|(value, _)| value)
    }

    fn raw_attribute(&self, name: &str) -> Option<(&'a str, usize)> {
        self.node
            .attribute_node(name)
            .map(|a| (a.value(), a.range().start))
    }

    /// An attribute that must be there and not be empty.
    pub(crate) fn required(&self, name: &str) -> Result<&'a str, ImportError> {
        match self.attribute(name) {
            Some(value) if value.trim().is_empty() => Err(self.attribute_error(
                name,
                Problem::BadValue {
                    what: format!("`{name}` of `<{}>`", self.name()),
                    value: "empty".into(),
                    remedy: "write a name".into(),
                },
            )),
            Some(value) => Ok(value),
            None => Err(self.error(Problem::Syntax {
                cause: format!("`<{}>` has no `{name}`", self.name()),
                remedy: format!("add `{name}=\"…\"`"),
            })),
        }
    }

    /// Exactly `N` finite numbers separated by spaces.
    pub(crate) fn numbers<const N: usize>(
        &self,
        name: &str,
    ) -> Result<Option<[f64; N]>, ImportError> {
        let Some(text) = self.attribute(name) else {
            return Ok(None);
        };
        let wanted = if N == 1 {
            "one number".to_owned()
        } else {
            format!("{N} numbers separated by spaces")
        };
        let bad = |remedy: String| {
            self.attribute_error(
                name,
                Problem::BadValue {
                    what: format!("`{name}` of `<{}>`", self.name()),
                    value: format!("`{text}`"),
                    remedy,
                },
            )
        };
        let mut values = [0.0; N];
        let mut count = 0;
        for word in text.split_whitespace() {
            let value: f64 = word.parse().map_err(|_| {
                bad(format!(
                    "`{word}` is not a number; write {wanted}, without commas or units"
                ))
            })?;
            if !value.is_finite() {
                return Err(bad(format!("`{word}` is not finite; write {wanted}")));
            }
            if let Some(slot) = values.get_mut(count) {
                *slot = value;
            }
            count += 1;
        }
        if count != N {
            return Err(bad(format!("found {count}; write {wanted}")));
        }
        Ok(Some(values))
    }

    /// One finite number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, ImportError> {
        Ok(self.numbers::<1>(name)?.map(|[v]| v))
    }

    /// One finite number that must be there.
    pub(crate) fn required_number(&self, name: &str) -> Result<f64, ImportError> {
        self.required(name)?;
        Ok(self.number(name)?.unwrap_or_default())
    }

    /// Refuses children whose names look like a slip of the pen for a known one, since to ignore
    /// `<colision>` is to check nothing. Other unknown names are extensions, which ROS ignores too.
    pub(crate) fn refuse_misspelt(&self, known: &[&str]) -> Result<(), ImportError> {
        for child in self.children() {
            let name = child.name();
            if known.contains(&name) || name.contains(':') {
                continue;
            }
            if let Some(near) = nearest(name, known.iter().copied()) {
                return Err(child.error(Problem::UnknownName {
                    what: "element",
                    name: format!("<{name}>"),
                    remedy: format!("did you mean `<{near}>`?"),
                }));
            }
        }
        Ok(())
    }

    /// Attributes whose names look like a slip of the pen. They are not errors: files with `ryp` for
    /// `rpy` are in use, and to read them otherwise than ROS does would move geometry.
    pub(crate) fn misspelt_attributes<'k>(
        &self,
        known: &[&'k str],
    ) -> Vec<MisspeltAttribute<'a, 'k>> {
        let unknown = self
            .node
            .attributes()
            .filter(|a| a.namespace().is_none() && !known.contains(&a.name()));
        unknown
            .filter_map(|a| {
                let other = OTHER_WORDS.iter().find(|(word, _)| *word == a.name());
                let near = match other {
                    Some((_, meant)) => *known.iter().find(|name| *name == meant)?,
                    None => nearest(a.name(), known.iter().copied())?,
                };
                let why = format!(
                    "unknown attribute `{}` of `<{}>` is ignored, as ros does; did you mean `{near}`?",
                    a.name(),
                    self.name()
                );
                Some(MisspeltAttribute {
                    place: self.place_at(a.range().start),
                    message: why,
                    value: a.value(),
                    meant: near,
                    is_missing: self.attribute(near).is_none(),
                })
            })
            .collect()
    }

    /// Where the element starts.
    pub(crate) fn place(&self) -> Location {
        self.place_at(self.node.range().start)
    }

    /// An error about this element.
    pub(crate) fn error(&self, problem: Problem) -> ImportError {
        ImportError {
            place: self.place(),
            problem,
        }
    }

    /// An error about one of its attributes.
    pub(crate) fn attribute_error(&self, name: &str, problem: Problem) -> ImportError {
        let offset = self
            .raw_attribute(name)
            .map_or(self.node.range().start, |(_, o)| o);
        ImportError {
            place: self.place_at(offset),
            problem,
        }
    }

    fn place_at(&self, offset: usize) -> Location {
        self.source.place(offset)
    }
}
