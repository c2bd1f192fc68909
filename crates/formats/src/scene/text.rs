//! `.scene` files, as the panel of MoveIt in RViz saves them: objects, each with its shapes. Since
//! Noetic objects have a pose of their own, and frames; whether they do shows in the line behind
//! the first name.

use std::path::Path;

use nalgebra::{Isometry3, Point3};

use super::{PlanningScene, SceneObject, ScenePiece, mesh, pose, primitive};
use crate::{ImportError, Location, Problem};

struct Words<'t> {
    file: &'t Path,
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Words<'t> {
    fn word(&mut self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let start = rest.find(|c: char| !c.is_whitespace())?;
        self.line += rest[..start].matches('\n').count();
        let word = &rest[start..];
        let end = word.find(char::is_whitespace).unwrap_or(word.len());
        self.at += start + end;
        Some(&word[..end])
    }

    /// The rest of the line.
    fn rest_of_line(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim()
    }

    /// The next line that has something in it.
    fn whole_line(&mut self) -> &'t str {
        while let Some(c) = self.text[self.at..]
            .chars()
            .next()
            .filter(|c| c.is_whitespace())
        {
            self.line += usize::from(c == '\n');
            self.at += c.len_utf8();
        }
        self.rest_of_line()
    }

    fn error(&self, problem: Problem) -> ImportError {
        ImportError::at(self.file, self.line, None, problem)
    }

    fn expected(&self, what: &str, found: Option<&str>) -> ImportError {
        let found = match found {
            Some(word) => format!("`{}`", word.chars().take(40).collect::<String>()),
            None => "the end of the file".to_owned(),
        };
        self.error(Problem::Syntax {
            cause: format!("expected {what}, found {found}"),
            remedy: "save the scene again from MoveIt".into(),
        })
    }

    fn number(&mut self, what: &str) -> Result<f64, ImportError> {
        let word = self.word();
        let value = word.and_then(|w| w.parse::<f64>().ok());
        match value.filter(|v| v.is_finite()) {
            Some(value) => Ok(value),
            None => Err(self.expected(what, word)),
        }
    }

    fn numbers<const N: usize>(&mut self, what: &str) -> Result<[f64; N], ImportError> {
        let mut all = [0.0; N];
        for slot in &mut all {
            *slot = self.number(what)?;
        }
        Ok(all)
    }

    fn count(&mut self, what: &str) -> Result<u32, ImportError> {
        let word = self.word();
        match word.and_then(|w| w.parse().ok()) {
            Some(count) => Ok(count),
            None => Err(self.expected(what, word)),
        }
    }

    fn pose(&mut self) -> Result<Isometry3<f64>, ImportError> {
        let position = self.numbers("a position")?;
        let orientation = self.numbers("an orientation")?;
        pose(position, orientation).map_err(|problem| self.error(problem))
    }
}

pub(super) fn read(file: &Path, text: &str) -> Result<PlanningScene, ImportError> {
    let mut words = Words {
        file,
        text,
        at: 0,
        line: 1,
    };
    // The first line is the scene's name, whatever it holds.
    words.rest_of_line();
    let own_poses = own_poses(&text[words.at..]);
    let mut scene = PlanningScene {
        is_of_model: true,
        ..PlanningScene::default()
    };
    loop {
        match words.word() {
            Some(".") => break,
            Some("*") => {}
            other => return Err(words.expected("`*` before an object, or `.` at the end", other)),
        }
        let place = Location::at(file, words.line, None);
        let name = words.rest_of_line().to_owned();
        if name.is_empty() {
            return Err(words.expected("the name of an object", Some("")));
        }
        let frame_from_object = if own_poses {
            words.pose()?
        } else {
            Isometry3::identity()
        };
        let count = words.count("the number of shapes")?;
        if count == 0 {
            return Err(words.error(Problem::Syntax {
                cause: format!("`{name}` has no shape"),
                remedy: "give it one, or take the object out of the scene".into(),
            }));
        }
        let mut shapes = Vec::new();
        for _ in 0..count {
            shapes.push(shape(&mut words, &mut scene.notes, &name)?);
            words.numbers::<4>("a colour")?;
        }
        if own_poses {
            // Frames on the object: no geometry.
            for _ in 0..words.count("the number of frames of the object")? {
                words.whole_line();
                words.pose()?;
            }
        }
        scene.objects.push(SceneObject {
            name,
            place,
            frame_from_object,
            shapes,
        });
    }
    match words.word() {
        None => Ok(scene),
        other => Err(words.expected("nothing behind the `.` at the end", other)),
    }
}

/// Whether objects have a pose of their own: the line behind the first name has several numbers.
fn own_poses(text: &str) -> bool {
    let mut lines = text.lines().skip_while(|line| !line.starts_with('*'));
    lines.next();
    lines.next().is_some_and(|line| line.trim().contains(' '))
}

fn shape(
    words: &mut Words,
    notes: &mut Vec<String>,
    name: &str,
) -> Result<ScenePiece, ImportError> {
    let kind = words.word();
    let form = match kind {
        Some("box") => primitive("box", &words.numbers::<3>("a size")?),
        Some("sphere") => primitive("sphere", &words.numbers::<1>("a radius")?),
        Some(word @ ("cylinder" | "cone")) => {
            primitive(word, &words.numbers::<2>("radius and length")?)
        }
        Some("mesh") => {
            let (corners, faces) = (
                words.count("the number of vertices")?,
                words.count("the number of triangles")?,
            );
            let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
            for _ in 0..corners {
                vertices.push(Point3::from(words.numbers::<3>("a vertex")?));
            }
            for _ in 0..faces {
                let mut triangle = [0; 3];
                for corner in &mut triangle {
                    *corner = words.count("a corner of a triangle")?;
                }
                triangles.push(triangle);
            }
            mesh(words.file, vertices, triangles).map(|(form, said)| {
                notes.extend(said.into_iter().map(|why| format!("`{name}`: {why}")));
                form
            })
        }
        Some("plane") => Err(Problem::Unsupported {
            what: format!("the endless plane in `{name}`"),
            remedy: "put a large, flat box in its place".into(),
        }),
        other => return Err(words.expected("box, sphere, cylinder, cone or mesh", other)),
    };
    let form = form.map_err(|problem| words.error(problem))?;
    Ok(ScenePiece {
        object_from_shape: words.pose()?,
        form,
    })
}
