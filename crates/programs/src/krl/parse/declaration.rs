//! Declarations of data and structures.

use clearance_proof::report::Location;

use super::Parser;
use crate::block::cursor::Read;
use crate::block::lex::TokenKind;
use crate::block::syntax::{Declaration, DeclaredElement, Expression, Name, SystemValue};
use crate::krl::structure;
use crate::krl::words::TYPES;

impl Parser<'_> {
    /// A declaration, if the line is one. In a data list a line may also set what an earlier one
    /// has declared.
    pub(super) fn declaration(&mut self, data: &mut Vec<Declaration>, list: bool) -> Read<bool> {
        let place = self.place();
        match self.word() {
            "ext" | "extfct" | "import" => {
                self.skip_line();
                return Ok(true);
            }
            "struc" => {
                self.step();
                self.structure()?;
                return Ok(true);
            }
            _ => {}
        }
        let start = self.at();
        let mut is_declaration = false;
        let mut global = false;
        let mut constant = false;
        loop {
            match () {
                () if self.accept("decl") => is_declaration = true,
                () if self.accept("global") => global = true,
                () if self.accept("const") => constant = true,
                () => break,
            }
        }
        match self.word() {
            "interrupt" => {
                self.back_to(start);
                return Ok(false);
            }
            "enum" => {
                self.step();
                self.skip_line();
                return Ok(true);
            }
            "struc" => {
                self.step();
                self.structure()?;
                return Ok(true);
            }
            "signal" => {
                self.step();
                let name = self.name("the signal's name")?;
                self.skip_line();
                data.push(declared(place, name, "signal".into(), global));
                return Ok(true);
            }
            word if TYPES.contains(&word) && matches!(self.after(1), TokenKind::Name(..)) => {
                is_declaration = true
            }
            _ => {}
        }
        if !is_declaration && !global && !constant {
            self.back_to(start);
            return if list { self.element(data) } else { Ok(false) };
        }
        let kind = self.name("a type")?;
        loop {
            let place = self.place();
            let name = self.name("a name")?;
            let mut new = declared(place, name, kind.clone(), global);
            new.constant = constant;
            // The controller has written back the values of a data list. The variables that a
            // routine declares begin anew.
            (new.persistent, new.kept) = (list, list);
            if self.take("[") {
                while !self.take("]") {
                    if !self.take(",") {
                        new.lengths.push(self.expression()?);
                    }
                }
            }
            if self.take("=") {
                new.first = Some(self.expression()?);
            }
            if new.persistent && (!new.lengths.is_empty() || new.first.is_none()) {
                new.persistent = false;
            }
            data.push(new);
            if !self.take(",") {
                break;
            }
        }
        self.end_line()?;
        Ok(true)
    }

    /// `BASE_DATA[1]={…}` in a data list.
    fn element(&mut self, data: &mut [Declaration]) -> Read<bool> {
        let place = self.place();
        let name = self.name("a declaration")?;
        let mut indices = Vec::new();
        let mut text = false;
        if self.take("[") {
            text = self.has("]");
            while !self.take("]") {
                if !self.take(",") {
                    indices.push(self.expression()?);
                }
            }
        }
        self.need("=")?;
        let value = self.expression()?;
        self.end_line()?;
        // System data stand in lists without being declared there.
        let Some(known) = data.iter_mut().find(|d| d.name == name) else {
            if !name.starts_with('$') {
                return self.fail(&format!("a declaration of `{name}` before this line"));
            }
            let stated = SystemValue { place, name, value };
            self.cursor.program.stated.push(stated);
            return Ok(true);
        };
        if text || indices.is_empty() {
            known.first = Some(value);
            if text {
                known.lengths.clear();
            }
        } else {
            known.elements.push(DeclaredElement {
                place,
                indices,
                value,
            });
        }
        Ok(true)
    }

    fn structure(&mut self) -> Read<()> {
        let name = self.name("the structure's name")?;
        let mut fields = Vec::new();
        let mut lengths = Vec::new();
        let mut kind = self.name("the type of a component")?;
        loop {
            let field = self.name("the name of a component")?;
            if self.take("[") {
                while !self.take("]") {
                    if !self.take(",") {
                        lengths.push((field.clone(), self.expression()?));
                    }
                }
            }
            fields.push((field, kind.clone()));
            if !self.take(",") {
                break;
            }
            if matches!(self.after(1), TokenKind::Name(..)) {
                kind = self.name("the type of a component")?;
            }
        }
        self.end_line()?;
        let records = &mut self.cursor.program.records;
        let shown = |(field, length): (Name, Expression)| (field, length.shown().into());
        let lengths = lengths.into_iter().map(shown).collect();
        records.insert(structure::lengths(&name), lengths);
        records.insert(name, fields);
        Ok(())
    }
}

fn declared(place: Location, name: Name, kind: Name, global: bool) -> Declaration {
    Declaration {
        place,
        name,
        kind,
        lengths: Vec::new(),
        first: None,
        elements: Vec::new(),
        local: !global,
        constant: false,
        persistent: false,
        kept: false,
    }
}
