//! Node trees of PolyScope (`.urp`): XML, mostly packed by gzip. They become statements of
//! URScript, as the controller makes them when it runs such a program.

mod chain;
mod taught;
#[cfg(test)]
mod tests;
mod translate;
mod tree;

use std::cell::RefCell;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use clearance_formats::xml::XmlText;
use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::Unknown;

use self::taught::TaughtPoints;
use self::translate::Translator;
use self::tree::Tree;
use super::script::{ScriptAction, ScriptStatement, follow};
use crate::controller::ControlledArm;
use crate::{Dialect, Options, Reading};

#[cfg(test)]
pub(crate) use chain::Chain;

/// Bytes that an unpacked program may have: 64 MiB.
const MOST: u64 = 64 << 20;

/// Reads a program.
pub(crate) fn read(
    path: &Path,
    bytes: &[u8],
    controller: &ControlledArm,
    options: &Options,
) -> Result<Reading, ImportError> {
    let text = XmlText::new(path, unpacked(path, bytes)?)?;
    let document = text.parse()?;
    let root = document.root_element();
    let tree = Tree { text: &text };
    let fail = |cause: &str, remedy: &str| {
        let (cause, remedy) = (cause.to_owned(), remedy.to_owned());
        ImportError::at(path, 1, None, Problem::Syntax { cause, remedy })
    };
    if !root.has_tag_name("URProgram") {
        return Err(fail("this is not a program of PolyScope", "name a `.urp`"));
    }
    if options.routine.is_some() {
        return Err(fail(
            "a program of PolyScope has one routine",
            "leave out `--routine`",
        ));
    }
    let taught = TaughtPoints::read(tree, root)?;
    let point_differences = taught.differences(controller)?;
    let mut program = Vec::new();
    if let Some((place, why)) = &taught.failure {
        program.push(ScriptStatement {
            place: place.clone(),
            what: ScriptAction::Unread(why.as_str().into()),
        });
    }
    program.extend(taught.variables(controller));
    let translator = Translator {
        tree,
        taught: &taught,
        controller,
        options,
        subprograms: RefCell::default(),
    };
    program.extend(translator.features(root));
    program.extend(translator.program(root));
    let tool = taught
        .active(controller)
        .map(|found| found.map_err(|(place, reason)| Arc::new(Unknown { place, reason })));
    let rounding = taught.rounding(controller)?;
    let followed = follow(path, &program, None, tool, controller, options);
    let mut ways = followed.ways;
    for way in &mut ways {
        way.model_difference = rounding;
    }
    Ok(Reading {
        dialect: Dialect::PolyScope,
        ways,
        point_differences,
        assumed: Vec::new(),
        join: followed.join,
    })
}

/// The XML, whatever it is packed in.
fn unpacked(path: &Path, bytes: &[u8]) -> Result<Vec<u8>, ImportError> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(bytes.to_vec());
    }
    let fail = |cause: String, remedy: &str| {
        let remedy = remedy.to_owned();
        ImportError::file(path, Problem::Unreadable { cause, remedy })
    };
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes)
        .take(MOST + 1)
        .read_to_end(&mut text)
        .map_err(|e| {
            fail(
                e.to_string(),
                "the file is damaged: copy it from the robot again",
            )
        })?;
    if text.len() as u64 > MOST {
        Err(fail(
            format!("it unpacks to more than {} MiB", MOST >> 20),
            "check the file",
        ))
    } else {
        Ok(text)
    }
}
