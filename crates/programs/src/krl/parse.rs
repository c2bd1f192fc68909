//! From text to routines and data. Whatever does not follow the language is refused with line and
//! column.

mod declaration;
mod expression;
mod statement;

use std::path::Path;
use std::rc::Rc;

use clearance_proof::report::Location;

use super::words::WORDS;
use crate::block::cursor::{self, Read, TokenCursor};
use crate::block::lex::TokenKind;
use crate::block::syntax::{BlockProgram, Declaration, Parameter, Routine, RoutineKind};

/// Reads a file into a module of a program.
///
/// # Errors
/// With line and column, where the text does not follow the language.
pub(crate) fn read(
    program: &mut BlockProgram,
    module: usize,
    file: &Path,
    source: &str,
) -> Read<()> {
    let cursor = TokenCursor::new(program, file, source, &WORDS)?;
    Parser::new(cursor, Own { module }).all()
}

/// The state that the parser of this language keeps in addition.
struct Own {
    /// The module that is read.
    module: usize,
}

type Parser<'p> = cursor::Parser<'p, Own>;

impl Parser<'_> {
    fn ends(&self) -> bool {
        matches!(self.token().what, TokenKind::Line | TokenKind::End)
    }

    fn end_line(&mut self) -> Read<()> {
        match self.token().what {
            TokenKind::Line => self.step(),
            TokenKind::End => {}
            _ => return self.fail("the end of the line"),
        }
        Ok(())
    }

    fn blank(&mut self) {
        while self.token().what == TokenKind::Line {
            self.step();
        }
    }

    fn skip_line(&mut self) {
        while !self.ends() {
            self.step();
        }
        self.blank();
    }

    fn all(&mut self) -> Read<()> {
        self.blank();
        while self.token().what != TokenKind::End {
            let place = self.place();
            let global = self.accept("global");
            match () {
                () if self.accept("defdat") => {
                    let name = self.name("the name of the data list")?;
                    self.accept("public");
                    self.end_line()?;
                    self.list(name.starts_with('$'))?;
                }
                () if self.accept("def") => self.routine(place, global, RoutineKind::Procedure)?,
                () if self.accept("deffct") => {
                    let kind = self.name("the type of the function's value")?;
                    self.lengths()?;
                    self.routine(place, global, RoutineKind::Function(kind))?;
                }
                () => return self.fail("`DEF`, `DEFFCT` or `DEFDAT`"),
            }
            self.blank();
        }
        Ok(())
    }

    /// Every module sees the declarations of the controller's own list, whatever its file is called.
    fn list(&mut self, of_controller: bool) -> Read<()> {
        let mut data = Vec::new();
        self.blank();
        while !self.accept("enddat") {
            if self.token().what == TokenKind::End {
                return self.fail("`ENDDAT`");
            }
            if !self.declaration(&mut data, true)? {
                return self.fail("a declaration");
            }
            self.blank();
        }
        let own = &mut self.cursor.program.modules[self.language.module].data;
        for mut declared in data {
            declared.local &= !of_controller;
            if own.iter().any(|d| d.name == declared.name) {
                let cause = format!("there is another `{}`", declared.name);
                return self.fail_at(&declared.place, cause);
            }
            own.push(declared);
        }
        Ok(())
    }

    /// Lengths of a list, as arguments and values of functions have them, if any come next.
    fn lengths(&mut self) -> Read<()> {
        if self.take("[") {
            while !self.take("]") {
                if !self.take(",") {
                    self.expression()?;
                }
            }
        }
        Ok(())
    }

    fn routine(&mut self, place: Location, global: bool, sort: RoutineKind) -> Read<()> {
        let end = match sort {
            RoutineKind::Procedure => "end",
            _ => "endfct",
        };
        let name = self.name("the routine's name")?;
        let written = self.cursor.program.written.get(&name).cloned();
        let mut parameters = Vec::new();
        self.need("(")?;
        while !self.take(")") {
            let name = self.name("the name of an argument")?;
            self.lengths()?;
            let by_reference = match () {
                () if !self.take(":") => true,
                () if self.accept("in") => false,
                () if self.accept("out") => true,
                () => return self.fail("`IN` or `OUT`"),
            };
            parameters.push(Parameter {
                name,
                kind: "".into(),
                by_reference,
                optional: false,
            });
            if !self.has(")") {
                self.need(",")?;
            }
        }
        self.end_line()?;
        let mut data = Vec::new();
        let mut body = Vec::new();
        self.blank();
        while !self.accept(end) {
            if self.token().what == TokenKind::End {
                return self.fail(&format!("`{}`", end.to_uppercase()));
            }
            if !self.declaration(&mut data, false)? {
                body.push(self.deeper(Self::statement)?);
            }
            self.blank();
        }
        self.end_line()?;
        // Types of arguments are declared like those of variables.
        data.retain(|d: &Declaration| {
            let own = parameters
                .iter_mut()
                .find(|p: &&mut Parameter| p.name == d.name);
            match own {
                Some(parameter) => {
                    parameter.kind = d.kind.clone();
                    false
                }
                None => true,
            }
        });
        let first = !self
            .program
            .routines
            .iter()
            .any(|r| r.module == self.language.module);
        let named = |r: &Rc<Routine>| r.module == self.language.module && r.name == name;
        if self.cursor.program.routines.iter().any(named) {
            let cause = format!("there is another routine `{name}` in this file");
            return self.fail_at(&place, cause);
        }
        self.cursor.program.routines.push(Rc::new(Routine {
            place,
            written: written.unwrap_or_else(|| name.clone()),
            name,
            module: self.language.module,
            // The first routine of a file is the file's, and seen by all.
            local: !(first || global),
            sort,
            parameters,
            data,
            body,
            handlers: Vec::new(),
        }));
        Ok(())
    }
}
