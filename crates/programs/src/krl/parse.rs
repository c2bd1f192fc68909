//! From text to routines and data. Whatever does not follow the language is refused with line and column.

mod expression;

use std::path::Path as File;
use std::rc::Rc;

use clearance_formats::ImportError;
use clearance_proof::report::Location;

use crate::block::lex::{Kind, Rules, Token, tokens};
use crate::block::syntax::{
    Argument, Call, Declared, Expression, For, Name, Operator, Parameter, Part, Path, Program,
    Routine, Sort, Statement, What,
};
use crate::block::text;

const RULES: Rules = Rules {
    comment: ';',
    lines: true,
    signs: true,
    symbols: &["==", "<=", ">=", "<>"],
};

/// Blocks and brackets within each other.
const DEEP: usize = 100;

const REMEDY: &str = "a controller would not select this; see what the maker's tool says about it";

/// Types of the language itself: a line that begins with one declares something.
const TYPES: &[&str] = &[
    "int", "real", "bool", "char", "frame", "pos", "e6pos", "axis", "e6axis", "e3pos", "e3axis",
    "fdat", "pdat", "ldat", "load",
];

/// Words that are no names.
const RESERVED: &[&str] = &[
    "and",
    "b_and",
    "b_exor",
    "b_not",
    "b_or",
    "brake",
    "case",
    "continue",
    "decl",
    "def",
    "default",
    "defdat",
    "deffct",
    "do",
    "else",
    "end",
    "enddat",
    "endfct",
    "endfor",
    "endif",
    "endloop",
    "endspline",
    "endswitch",
    "endwhile",
    "enum",
    "exit",
    "exor",
    "ext",
    "extfct",
    "false",
    "for",
    "global",
    "goto",
    "halt",
    "if",
    "import",
    "interrupt",
    "loop",
    "not",
    "or",
    "repeat",
    "resume",
    "return",
    "signal",
    "spline",
    "step",
    "struc",
    "switch",
    "then",
    "to",
    "trigger",
    "true",
    "until",
    "wait",
    "when",
    "while",
    "with",
];

/// Instructions that move.
pub(crate) const MOVES: &[&str] = &[
    "ptp",
    "lin",
    "circ",
    "ptp_rel",
    "lin_rel",
    "circ_rel",
    "sptp",
    "slin",
    "scirc",
    "sptp_rel",
    "slin_rel",
    "scirc_rel",
];

type Read<T> = Result<T, ImportError>;

/// Reads a file into a module of a program.
///
/// # Errors
/// With line and column, where the text does not follow the language.
pub(crate) fn read(program: &mut Program, module: usize, file: &File, source: &str) -> Read<()> {
    let tokens = tokens(source, RULES)
        .map_err(|(line, column, cause)| text::syntax(file, line, column, cause, REMEDY))?;
    let mut parser = Parser {
        file,
        tokens,
        at: 0,
        depth: 0,
        module,
        program,
    };
    parser.all()
}

struct Parser<'p> {
    file: &'p File,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    module: usize,
    program: &'p mut Program,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        // There is one always: the end is a token, and nobody goes beyond it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&self) -> &Kind {
        let next = self.tokens.get(self.at + 1);
        next.map_or(&Kind::End, |t| &t.what)
    }

    fn step(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn place(&self) -> Location {
        let token = self.token();
        Location::at(self.file, token.line, Some(token.column))
    }

    fn fail<T>(&self, needed: &str) -> Read<T> {
        let token = self.token();
        let found = match &token.what {
            Kind::Name(_, written) => format!("`{written}`"),
            Kind::Number(number, _) => format!("`{number}`"),
            Kind::Text(_) => "a text".into(),
            Kind::Symbol(symbol) => format!("`{symbol}`"),
            Kind::Other(c) => format!("`{c}`"),
            Kind::Line => "the end of the line".into(),
            Kind::End => "the end of the file".into(),
        };
        let cause = format!("{needed} is needed, and {found} stands here");
        Err(text::syntax(
            self.file,
            token.line,
            token.column,
            cause,
            REMEDY,
        ))
    }

    fn word(&self) -> &str {
        match &self.token().what {
            Kind::Name(name, _) => name,
            _ => "",
        }
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.step();
        }
        found
    }

    fn expect(&mut self, word: &str) -> Read<()> {
        match self.accept(word) {
            true => Ok(()),
            false => self.fail(&format!("`{}`", word.to_uppercase())),
        }
    }

    fn has(&self, symbol: &str) -> bool {
        matches!(&self.token().what, Kind::Symbol(s) if *s == symbol)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.has(symbol);
        if found {
            self.step();
        }
        found
    }

    fn need(&mut self, symbol: &str) -> Read<()> {
        match self.take(symbol) {
            true => Ok(()),
            false => self.fail(&format!("`{symbol}`")),
        }
    }

    fn ends(&self) -> bool {
        matches!(self.token().what, Kind::Line | Kind::End)
    }

    fn end_line(&mut self) -> Read<()> {
        match self.token().what {
            Kind::Line => self.step(),
            Kind::End => {}
            _ => return self.fail("the end of the line"),
        }
        Ok(())
    }

    fn blank(&mut self) {
        while self.token().what == Kind::Line {
            self.step();
        }
    }

    fn skip_line(&mut self) {
        while !self.ends() {
            self.step();
        }
        self.blank();
    }

    fn name(&mut self, what: &str) -> Read<Name> {
        match self.token().what.clone() {
            Kind::Name(name, written) if !RESERVED.contains(&&*name) && !name.starts_with('#') => {
                let first = self.program.written.entry(name.clone());
                first.or_insert(written);
                self.step();
                Ok(name)
            }
            _ => self.fail(what),
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.depth += 1;
        if self.depth > DEEP {
            return self.fail("something less deeply nested");
        }
        let found = read(self);
        self.depth -= 1;
        found
    }

    fn all(&mut self) -> Read<()> {
        self.blank();
        while self.token().what != Kind::End {
            let place = self.place();
            let global = self.accept("global");
            match () {
                () if self.accept("defdat") => {
                    self.name("the name of the data list")?;
                    self.accept("public");
                    self.end_line()?;
                    self.list()?;
                }
                () if self.accept("def") => self.routine(place, global, Sort::Procedure)?,
                () if self.accept("deffct") => {
                    let kind = self.name("the type of the function's value")?;
                    if self.take("[") {
                        self.take(",");
                        self.need("]")?;
                    }
                    self.routine(place, global, Sort::Function(kind))?;
                }
                () => return self.fail("`DEF`, `DEFFCT` or `DEFDAT`"),
            }
            self.blank();
        }
        Ok(())
    }

    fn list(&mut self) -> Read<()> {
        let mut data = Vec::new();
        self.blank();
        while !self.accept("enddat") {
            if self.token().what == Kind::End {
                return self.fail("`ENDDAT`");
            }
            if !self.declaration(&mut data, true)? {
                return self.fail("a declaration");
            }
            self.blank();
        }
        let own = &mut self.program.modules[self.module].data;
        for declared in data {
            if own.iter().any(|d| d.name == declared.name) {
                let place = &declared.place;
                let cause = format!("there is another `{}`", declared.name);
                let (line, column) = (place.line.unwrap_or(1), place.column.unwrap_or(1));
                return Err(text::syntax(self.file, line, column, cause, REMEDY));
            }
            own.push(declared);
        }
        Ok(())
    }

    /// A declaration, if the line is one. In a data list a line may also set what an earlier one has declared.
    fn declaration(&mut self, data: &mut Vec<Declared>, list: bool) -> Read<bool> {
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
        let start = self.at;
        let mut said = false;
        let mut global = false;
        let mut constant = false;
        loop {
            match () {
                () if self.accept("decl") => said = true,
                () if self.accept("global") => global = true,
                () if self.accept("const") => constant = true,
                () => break,
            }
        }
        match self.word() {
            "interrupt" => {
                self.at = start;
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
            word if TYPES.contains(&word) && matches!(self.next(), Kind::Name(..)) => said = true,
            _ => {}
        }
        if !said && !global && !constant {
            self.at = start;
            return match list {
                true => self.element(data),
                false => Ok(false),
            };
        }
        let kind = self.name("a type")?;
        loop {
            let place = self.place();
            let name = self.name("a name")?;
            let mut new = declared(place, name, kind.clone(), global);
            new.constant = constant;
            // What a data list holds, the controller has written back; what a routine declares, begins anew.
            new.persistent = list;
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
    fn element(&mut self, data: &mut [Declared]) -> Read<bool> {
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
            return match name.starts_with('$') {
                true => Ok(true),
                false => self.fail(&format!("a declaration of `{name}` before this line")),
            };
        };
        if text || indices.is_empty() {
            known.first = Some(value);
            if text {
                known.lengths.clear();
            }
        } else {
            known.elements.push((indices, value, place));
        }
        Ok(true)
    }

    fn structure(&mut self) -> Read<()> {
        let name = self.name("the structure's name")?;
        let mut fields = Vec::new();
        let mut kind = self.name("the type of a component")?;
        loop {
            let field = self.name("the name of a component")?;
            if self.take("[") {
                while !self.take("]") {
                    if !self.take(",") {
                        self.expression()?;
                    }
                }
            }
            fields.push((field, kind.clone()));
            if !self.take(",") {
                break;
            }
            if matches!(self.next(), Kind::Name(..)) {
                kind = self.name("the type of a component")?;
            }
        }
        self.end_line()?;
        self.program.records.insert(name, fields);
        Ok(())
    }

    fn routine(&mut self, place: Location, global: bool, sort: Sort) -> Read<()> {
        let end = match sort {
            Sort::Procedure => "end",
            _ => "endfct",
        };
        let name = self.name("the routine's name")?;
        let written = self.program.written.get(&name).cloned();
        let mut parameters = Vec::new();
        self.need("(")?;
        while !self.take(")") {
            let name = self.name("the name of an argument")?;
            if self.take("[") {
                while !self.take("]") {
                    if !self.take(",") {
                        self.expression()?;
                    }
                }
            }
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
            if self.token().what == Kind::End {
                return self.fail(&format!("`{}`", end.to_uppercase()));
            }
            if !self.declaration(&mut data, false)? {
                body.push(self.deeper(Self::statement)?);
            }
            self.blank();
        }
        self.end_line()?;
        // Types of arguments are declared like those of variables.
        data.retain(|d: &Declared| {
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
            .any(|r| r.module == self.module);
        let named = |r: &Rc<Routine>| r.module == self.module && r.name == name;
        if self.program.routines.iter().any(named) {
            let cause = format!("there is another routine `{name}` in this file");
            let (line, column) = (place.line.unwrap_or(1), place.column.unwrap_or(1));
            return Err(text::syntax(self.file, line, column, cause, REMEDY));
        }
        self.program.routines.push(Rc::new(Routine {
            place,
            written: written.unwrap_or_else(|| name.clone()),
            name,
            module: self.module,
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

    fn body(&mut self, ends: &[&str]) -> Read<Vec<Statement>> {
        let mut body = Vec::new();
        self.blank();
        while !ends.contains(&self.word()) {
            if self.token().what == Kind::End {
                return self.fail(&format!("`{}`", ends[0].to_uppercase()));
            }
            body.push(self.deeper(Self::statement)?);
            self.blank();
        }
        Ok(body)
    }

    fn statement(&mut self) -> Read<Statement> {
        let place = self.place();
        let what = match () {
            () if self.accept("if") => {
                let condition = self.expression()?;
                self.expect("then")?;
                let yes = self.body(&["else", "endif"])?;
                let no = match self.accept("else") {
                    true => self.body(&["endif"])?,
                    false => Vec::new(),
                };
                self.expect("endif")?;
                What::If(vec![(condition, yes)], no)
            }
            () if self.accept("for") => self.count()?,
            () if self.accept("while") => {
                let condition = self.expression()?;
                let body = self.body(&["endwhile"])?;
                self.step();
                What::While(condition, body)
            }
            () if self.accept("repeat") => {
                let body = self.body(&["until"])?;
                self.step();
                What::Repeat(body, self.expression()?)
            }
            () if self.accept("loop") => {
                let body = self.body(&["endloop"])?;
                self.step();
                What::Loop(body)
            }
            () if self.accept("switch") => self.switch()?,
            () if self.accept("exit") => What::Leave,
            () if self.accept("goto") => What::Goto(self.name("a label")?),
            () if self.accept("return") => match self.ends() {
                true => What::Return(None),
                false => What::Return(Some(self.expression()?)),
            },
            () if self.accept("halt") => What::Pass("HALT".into()),
            () if self.accept("continue") => What::Pass("CONTINUE".into()),
            () if self.accept("wait") => {
                if !self.accept("for") {
                    self.expect("sec")?;
                }
                let value = Some(self.expression()?);
                What::Call(Call {
                    name: "wait".into(),
                    arguments: vec![Argument { name: None, value }],
                })
            }
            () if self.accept("brake") => {
                self.accept("f");
                What::Unread(
                    "`BRAKE` stops the arm on its way: where it goes on from is not known".into(),
                )
            }
            () if self.accept("resume") => {
                What::Unread("`RESUME` leaves routines from within an interrupt".into())
            }
            () if self.word() == "global" || self.word() == "interrupt" => self.interrupt()?,
            () if self.accept("trigger") => self.trigger()?,
            () if self.accept("spline") => {
                while self.word() != "endspline" && self.token().what != Kind::End {
                    self.step();
                }
                self.expect("endspline")?;
                while !self.ends() {
                    self.step();
                }
                What::Unread(
                    "a `SPLINE` block is not read: the curve between its points is the maker's"
                        .into(),
                )
            }
            () if MOVES.contains(&self.word()) && !self.is_set() => self.motion()?,
            () => self.simple()?,
        };
        self.end_line()?;
        Ok(Statement { place, what })
    }

    /// Whether the word here is a variable that is set: instructions are no reserved words everywhere.
    fn is_set(&self) -> bool {
        *self.next() == Kind::Symbol("=")
    }

    fn simple(&mut self) -> Read<What> {
        if *self.next() == Kind::Symbol(":") {
            let label = self.name("a label")?;
            self.step();
            return Ok(What::Label(label));
        }
        if *self.next() == Kind::Symbol("(") {
            let name = self.name("a statement")?;
            self.step();
            let arguments = self.arguments()?;
            return Ok(What::Call(Call { name, arguments }));
        }
        let path = match self.token().what {
            Kind::Name(..) => self.path()?,
            _ => return self.fail("a statement"),
        };
        self.need("=")?;
        Ok(What::Assign(path, self.expression()?))
    }

    fn count(&mut self) -> Read<What> {
        let name = self.name("the loop's variable")?;
        self.need("=")?;
        let from = self.expression()?;
        self.expect("to")?;
        let to = self.expression()?;
        let by = match self.accept("step") {
            true => Some(self.expression()?),
            false => None,
        };
        let body = self.body(&["endfor"])?;
        self.step();
        Ok(What::For(Box::new(For {
            name,
            declares: false,
            from,
            to,
            by,
            turns: false,
            body,
        })))
    }

    fn switch(&mut self) -> Read<What> {
        let value = self.expression()?;
        self.end_line()?;
        self.blank();
        let ends = ["case", "default", "endswitch"];
        let mut cases = Vec::new();
        while self.accept("case") {
            let mut values = vec![self.expression()?];
            while self.take(",") {
                values.push(self.expression()?);
            }
            cases.push((values, self.body(&ends)?));
        }
        let otherwise = match self.accept("default") {
            true => self.body(&["endswitch"])?,
            false => Vec::new(),
        };
        self.expect("endswitch")?;
        Ok(What::Switch(value, cases, otherwise))
    }

    fn interrupt(&mut self) -> Read<What> {
        self.accept("global");
        self.expect("interrupt")?;
        if !self.accept("decl") {
            let known = ["on", "off", "enable", "disable"];
            if !known.into_iter().any(|word| self.accept(word)) {
                return self.fail("`DECL`, `ON` or `OFF`");
            }
            if !self.ends() {
                self.expression()?;
            }
            return Ok(What::Pass("INTERRUPT".into()));
        }
        self.expression()?;
        self.expect("when")?;
        self.expression()?;
        self.expect("do")?;
        let What::Call(call) = self.simple()? else {
            return self.fail("a routine");
        };
        Ok(What::Call(Call {
            name: "interrupt decl".into(),
            arguments: vec![Argument {
                name: None,
                value: Some(Expression::Call(call)),
            }],
        }))
    }

    /// Something that happens on the way of the next move. When it does is not known, nor in which order with what follows.
    fn trigger(&mut self) -> Read<What> {
        while self.word() != "do" {
            if self.ends() {
                return self.fail("`DO`");
            }
            self.step();
        }
        self.step();
        let place = self.place();
        let what = self.simple()?;
        while !self.ends() {
            self.step();
        }
        let condition = Expression::Variable(Path::whole(&"trigger".into()));
        let body = vec![Statement { place, what }];
        Ok(What::If(vec![(condition, body)], Vec::new()))
    }

    fn motion(&mut self) -> Read<What> {
        let Kind::Name(name, _) = self.token().what.clone() else {
            return self.fail("an instruction that moves");
        };
        self.step();
        let mut arguments = Vec::new();
        let argument = |name: Option<Name>, value| Argument { name, value };
        loop {
            if self.take(",") && self.accept("ca") {
                let angle = self.expression()?;
                arguments.push(argument(Some("ca".into()), Some(angle)));
            } else {
                arguments.push(argument(None, Some(self.expression()?)));
            }
            if !self.has(",") {
                break;
            }
        }
        loop {
            let word: Name = self.word().into();
            match &*word {
                "c_ptp" | "c_dis" | "c_ori" | "c_vel" | "c_spl" | "#base" | "#tool" => {
                    self.step();
                    arguments.push(argument(Some(word), None));
                }
                "with" => {
                    self.step();
                    loop {
                        let path = self.path()?;
                        self.need("=")?;
                        let value = self.expression()?;
                        let name = format!("with {}", path.shown());
                        arguments.push(argument(Some(name.into()), Some(value)));
                        if !self.take(",") {
                            break;
                        }
                    }
                }
                _ => break,
            }
        }
        Ok(What::Call(Call { name, arguments }))
    }
}

fn declared(place: Location, name: Name, kind: Name, global: bool) -> Declared {
    Declared {
        place,
        name,
        kind,
        lengths: Vec::new(),
        first: None,
        elements: Vec::new(),
        local: !global,
        constant: false,
        persistent: false,
    }
}
