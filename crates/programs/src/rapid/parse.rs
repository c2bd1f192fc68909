//! From text to modules. Whatever does not follow the language is refused with line and column.

mod expression;

use std::path::Path;
use std::rc::Rc;

use super::words::{CONNECTED, WORDS};
use crate::block::cursor::{self, Read, TokenCursor};
use crate::block::lex::TokenKind;
use crate::block::syntax::{
    Argument, BlockProgram, Call, Declaration, For, Module, Name, Parameter, Routine, RoutineKind,
    Statement, StatementKind,
};

/// Reads the modules of a file into a program.
///
/// # Errors
/// With line and column, where the text does not follow the language.
pub(crate) fn read(program: &mut BlockProgram, file: &Path, source: &str) -> Read<()> {
    // Some files begin with what an older loader wanted to know.
    let blank: String;
    let source = if source.trim_start().starts_with("%%%") {
        let end = source
            .match_indices("%%%")
            .nth(1)
            .map_or(source.len(), |(k, _)| k + 3);
        let lines = source[..end].matches('\n').count();
        blank = "\n".repeat(lines) + &source[end..];
        &blank
    } else {
        source
    };
    let cursor = TokenCursor::new(program, file, source, &WORDS)?;
    Parser::new(cursor, Own::default()).modules()
}

/// The state that the parser of this language keeps in addition.
#[derive(Default)]
struct Own {
    /// Whether statements of an error handler are read.
    handles: bool,
}

type Parser<'p> = cursor::Parser<'p, Own>;

impl Parser<'_> {
    /// `<SMT>` and its like, where something has yet to be filled in.
    fn placeholder(&mut self) -> Option<Name> {
        let is = |k: usize, symbol| *self.after(k) == TokenKind::Symbol(symbol);
        let TokenKind::Name(word, written) = self.after(1) else {
            return None;
        };
        let known = [
            "smt", "exp", "id", "var", "ddn", "tdn", "arg", "par", "alt", "dim", "eit", "cse",
            "ems", "rdn",
        ];
        if !is(0, "<") || !is(2, ">") || !known.contains(&&**word) {
            return None;
        }
        let reason = format!("the program is not complete: `<{written}>` has yet to be filled in");
        (0..3).for_each(|_| self.step());
        Some(reason.into())
    }

    fn modules(&mut self) -> Read<()> {
        loop {
            self.expect("module")?;
            let name = self.name("the module's name")?;
            if self.take("(") {
                loop {
                    let known = ["sysmodule", "noview", "nostepin", "viewonly", "readonly"];
                    if !known.into_iter().any(|word| self.accept(word)) {
                        return self.fail("an attribute of the module");
                    }
                    if self.take(")") {
                        break;
                    }
                    self.need(",")?;
                }
            }
            let k = self.cursor.program.modules.len();
            let data = Vec::new();
            self.cursor.program.modules.push(Module { name, data });
            while !self.accept("endmodule") {
                self.declaration(k)?;
            }
            if self.token().what == TokenKind::End {
                return Ok(());
            }
        }
    }

    fn declaration(&mut self, module: usize) -> Read<()> {
        let local = self.accept("local");
        let of_task = !local && self.accept("task");
        if self.word() == "var" || self.word() == "pers" || self.word() == "const" {
            let declared = self.data(local)?;
            let data = &mut self.cursor.program.modules[module].data;
            if data.iter().any(|d| d.name == declared.name) {
                return self.fail(&format!(
                    "another name than `{}`, which is there already,",
                    declared.name
                ));
            }
            data.push(declared);
            return Ok(());
        }
        if of_task {
            return self.fail("`VAR` or `PERS`");
        }
        if self.accept("record") {
            let name = self.name("the record's name")?;
            let mut fields = Vec::new();
            while !self.accept("endrecord") {
                let kind = self.name("the type of a component")?;
                let field = self.name("the name of a component")?;
                self.need(";")?;
                fields.push((field, kind));
            }
            let records = &mut self.cursor.program.records;
            let other = records.insert(name.clone(), fields.clone());
            if other.is_some_and(|other| other != fields) {
                let needed = format!(
                    "one record `{name}` only (another module has one with other components, and that is not read)"
                );
                return self.fail(&needed);
            }
            return Ok(());
        }
        if self.accept("alias") {
            let kind = self.name("a type")?;
            let name = self.name("its other name")?;
            self.need(";")?;
            let aliases = &mut self.cursor.program.aliases;
            let other = aliases.insert(name.clone(), kind.clone());
            if other.is_some_and(|other| other != kind) {
                let needed = format!(
                    "one `{name}` only (another module has an alias of that name for another type, and that is not read)"
                );
                return self.fail(&needed);
            }
            return Ok(());
        }
        self.routine(module, local)
    }

    fn data(&mut self, local: bool) -> Read<Declaration> {
        let place = self.place();
        let constant = self.word() == "const";
        let persistent = self.word() == "pers";
        self.step();
        let kind = self.name("a type")?;
        let name = self.name("a name")?;
        let mut lengths = Vec::new();
        if self.take("{") {
            loop {
                lengths.push(self.expression()?);
                if self.take("}") {
                    break;
                }
                self.need(",")?;
            }
        }
        let first = if self.take(":=") {
            Some(self.expression()?)
        } else {
            None
        };
        if constant && first.is_none() {
            return self.fail("the constant's value");
        }
        self.need(";")?;
        Ok(Declaration {
            place,
            name,
            kind,
            lengths,
            first,
            elements: Vec::new(),
            local,
            constant,
            persistent,
            kept: persistent,
        })
    }

    fn routine(&mut self, module: usize, local: bool) -> Read<()> {
        let place = self.place();
        let (sort, end) = match () {
            () if self.accept("proc") => (RoutineKind::Procedure, "endproc"),
            () if self.accept("func") => {
                let kind = self.name("the type of the function's value")?;
                (RoutineKind::Function(kind), "endfunc")
            }
            () if self.accept("trap") => (RoutineKind::Trap, "endtrap"),
            () => return self.fail("data, a routine or `ENDMODULE`"),
        };
        let written = self.written();
        let name = self.name("the routine's name")?;
        let parameters = match sort {
            RoutineKind::Trap => Vec::new(),
            _ => self.parameters()?,
        };
        let mut data = Vec::new();
        while self.word() == "var" || self.word() == "const" {
            data.push(self.data(true)?);
        }
        let ends = [end, "error", "undo", "backward"];
        let body = self.body(&ends)?;
        let mut handlers = Vec::new();
        while !self.accept(end) {
            let place = self.place();
            let backward = self.accept("backward");
            let undo = !backward && self.accept("undo");
            if !backward && !undo {
                self.expect("error")?;
                if self.take("(") {
                    while !self.take(")") {
                        self.expression()?;
                        self.take(",");
                    }
                }
            }
            self.language.handles = true;
            let own = self.body(&ends);
            self.language.handles = false;
            let own = own?;
            // A backward handler runs only when somebody steps through it by hand.
            if !backward {
                let goes_on = !undo && !leaves(&own);
                handlers.extend(own);
                // At its end the program goes on where the routine was called.
                if goes_on {
                    let what = StatementKind::Return(None);
                    handlers.push(Statement { place, what });
                }
            }
        }
        let named = |r: &Rc<Routine>| r.module == module && r.name == name;
        if self.cursor.program.routines.iter().any(named) {
            let cause = format!("there is another routine `{written}` in this module");
            return self.fail_at(&place, cause);
        }
        self.cursor.program.routines.push(Rc::new(Routine {
            place,
            name,
            written,
            module,
            local,
            sort,
            parameters,
            data,
            body,
            handlers,
        }));
        Ok(())
    }

    fn parameters(&mut self) -> Read<Vec<Parameter>> {
        let mut parameters = Vec::new();
        self.need("(")?;
        while !self.take(")") {
            let other = self.take("|");
            if !parameters.is_empty() && !other && !self.take(",") && !self.has("\\") {
                return self.fail("`,` or `)`");
            }
            // One of several that exclude each other may be left out as the first of them may.
            let optional = self.take("\\") || other;
            let by_reference = ["inout", "var", "pers"].into_iter().any(|w| self.accept(w));
            let kind = self.name("the type of an argument")?;
            let name = self.name("the name of an argument")?;
            if self.take("{") {
                while !self.take("}") {
                    if !self.take("*") && !self.take(",") {
                        return self.fail("`*`");
                    }
                }
            }
            parameters.push(Parameter {
                name,
                kind,
                by_reference,
                optional,
            });
        }
        Ok(parameters)
    }

    fn body(&mut self, ends: &[&str]) -> Read<Vec<Statement>> {
        let mut body = Vec::new();
        while !ends.contains(&self.word()) {
            if self.token().what == TokenKind::End {
                return self.fail(&format!("`{}`", ends[0].to_uppercase()));
            }
            if self.take(";") {
                continue;
            }
            body.push(self.deeper(Self::statement)?);
        }
        Ok(body)
    }

    fn statement(&mut self) -> Read<Statement> {
        let (place, start) = (self.place(), self.at());
        let mut what = match () {
            () if self.accept("if") => self.branch()?,
            () if self.accept("for") => {
                let name = self.name("the loop's variable")?;
                self.expect("from")?;
                let from = self.expression()?;
                self.expect("to")?;
                let to = self.expression()?;
                let by = if self.accept("step") {
                    Some(self.expression()?)
                } else {
                    None
                };
                self.expect("do")?;
                let body = self.body(&["endfor"])?;
                self.step();
                StatementKind::For(Box::new(For {
                    name,
                    declares: true,
                    from,
                    to,
                    by,
                    turns: true,
                    body,
                }))
            }
            () if self.accept("while") => {
                let condition = self.expression()?;
                self.expect("do")?;
                let body = self.body(&["endwhile"])?;
                self.step();
                StatementKind::While(condition, body)
            }
            () if self.accept("test") => self.test()?,
            () if self.accept("goto") => {
                let label = self.name("a label")?;
                self.need(";")?;
                StatementKind::Goto(label)
            }
            () if self.accept("return") => {
                let value = if self.has(";") {
                    None
                } else {
                    Some(self.expression()?)
                };
                self.need(";")?;
                StatementKind::Return(value)
            }
            () if self.accept("exit") => {
                self.need(";")?;
                StatementKind::End
            }
            () if self.word() == "raise" || self.word() == "retry" || self.word() == "trynext" => {
                let TokenKind::Name(name, _) = self.token().what.clone() else {
                    return self.fail("a statement");
                };
                self.step();
                let mut arguments = Vec::new();
                if !self.has(";") {
                    let value = Some(self.expression()?);
                    arguments.push(Argument::by_place(value));
                }
                self.need(";")?;
                if self.language.handles {
                    StatementKind::Call(Call { name, arguments })
                } else {
                    let reason = format!(
                        "`{}` leads into an error handler, of this routine or of one that called it: that is not followed",
                        name.to_uppercase()
                    );
                    StatementKind::unread(reason.into())
                }
            }
            () if self.accept("connect") => {
                self.path()?;
                self.expect("with")?;
                let trap = self.written();
                self.name("a trap routine")?;
                self.need(";")?;
                StatementKind::unread(
                    format!("{CONNECTED} `{trap}`, and when it does is not known").into(),
                )
            }
            () if self.take("%") => {
                self.expression()?;
                self.need("%")?;
                self.arguments(";")?;
                StatementKind::unread("which routine is called here is decided at run time".into())
            }
            () => match self.placeholder() {
                Some(reason) => {
                    self.take(";");
                    StatementKind::unread(reason)
                }
                None => self.simple()?,
            },
        };
        if let StatementKind::Unread(_, names) = &mut what {
            *names = self.names_since(start);
        }
        Ok(Statement { place, what })
    }

    /// A label, an assignment or a call.
    fn simple(&mut self) -> Read<StatementKind> {
        if *self.after(1) == TokenKind::Symbol(":") {
            let label = self.name("a label")?;
            self.step();
            return Ok(StatementKind::Label(label));
        }
        let start = self.at();
        let path = match &self.token().what {
            TokenKind::Name(name, _) if self.is_name(name) => self.path()?,
            _ => return self.fail("a statement"),
        };
        if self.take(":=") {
            let value = self.expression()?;
            self.need(";")?;
            return Ok(StatementKind::Assign(path, value));
        }
        self.back_to(start);
        let name = self.name("a statement")?;
        let arguments = self.arguments(";")?;
        Ok(StatementKind::Call(Call { name, arguments }))
    }

    fn branch(&mut self) -> Read<StatementKind> {
        let condition = self.expression()?;
        if !self.accept("then") {
            let only = self.deeper(Self::statement)?;
            return Ok(StatementKind::If(vec![(condition, vec![only])], Vec::new()));
        }
        let ends = ["elseif", "else", "endif"];
        let mut arms = vec![(condition, self.body(&ends)?)];
        while self.accept("elseif") {
            let condition = self.expression()?;
            self.expect("then")?;
            arms.push((condition, self.body(&ends)?));
        }
        let otherwise = if self.accept("else") {
            self.body(&["endif"])?
        } else {
            Vec::new()
        };
        self.expect("endif")?;
        Ok(StatementKind::If(arms, otherwise))
    }

    fn test(&mut self) -> Read<StatementKind> {
        let value = self.expression()?;
        let ends = ["case", "default", "endtest"];
        let mut cases = Vec::new();
        while self.take(";") {}
        while self.accept("case") {
            let mut values = vec![self.expression()?];
            while self.take(",") {
                values.push(self.expression()?);
            }
            self.need(":")?;
            cases.push((values, self.body(&ends)?));
        }
        let otherwise = if self.accept("default") {
            self.need(":")?;
            self.body(&["endtest"])?
        } else {
            Vec::new()
        };
        self.expect("endtest")?;
        Ok(StatementKind::Switch(value, cases, otherwise))
    }
}

/// Whether statements of an error handler end by saying where the program goes on.
fn leaves(handler: &[Statement]) -> bool {
    handler.last().is_some_and(|last| match &last.what {
        StatementKind::Call(call) => ["raise", "retry", "trynext"].contains(&&*call.name),
        StatementKind::Return(_) | StatementKind::End | StatementKind::Goto(_) => true,
        _ => false,
    })
}
