//! Tokens of URScript into statements.

mod expressions;

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use clearance_formats::{ImportError, Problem};
use clearance_proof::report::Location;

use super::lex::{ScriptToken, ScriptTokenKind, tokens};
use super::syntax::{
    Function, ScriptAction, ScriptBranch, ScriptExpression, ScriptParameter, ScriptScope,
    ScriptStatement,
};

/// Deeper nesting than any program has.
const DEEPEST: usize = 100;
/// So many values in a row are read in one statement.
const LONGEST: usize = 1000;

/// Words that are not names.
const WORDS: [&str; 24] = [
    "def", "thread", "sec", "end", "if", "elif", "else", "while", "return", "break", "continue",
    "halt", "pass", "global", "local", "and", "or", "xor", "not", "run", "True", "False", "switch",
    "case",
];

/// The statements of a text whose first line has that number in its file.
pub(crate) fn statements(
    file: &Path,
    text: &str,
    first_line: usize,
) -> Result<Vec<ScriptStatement>, ImportError> {
    let mut parser = Parser::new(file, text, first_line)?;
    let body = parser.body(&[])?;
    match parser.peek() {
        None => Ok(body),
        Some(_) => Err(parser.error("this word belongs to no block that is open")),
    }
}

/// The expression that a text consists of.
pub(crate) fn expression(
    file: &Path,
    text: &str,
    line: usize,
) -> Result<ScriptExpression, ImportError> {
    let mut parser = Parser::new(file, text, line)?;
    let found = parser.expression()?;
    parser.ends_of_lines();
    match parser.peek() {
        None => Ok(found),
        Some(_) => Err(parser.error("the expression should end here")),
    }
}

struct Parser<'p> {
    file: &'p Path,
    tokens: Vec<ScriptToken>,
    at: usize,
    depth: usize,
    /// Values in a row in this statement: what is read so is as deep as it is long.
    joined: usize,
    last_line: usize,
}

impl<'p> Parser<'p> {
    fn new(file: &'p Path, text: &str, first_line: usize) -> Result<Self, ImportError> {
        let tokens = tokens(text, first_line).map_err(|wrong| {
            let problem = Problem::Syntax {
                cause: wrong.cause,
                remedy: "check the line".into(),
            };
            ImportError::at(file, wrong.line, Some(wrong.column), problem)
        })?;
        Ok(Self {
            file,
            last_line: tokens.last().map_or(first_line, |t| t.line),
            tokens,
            at: 0,
            depth: 0,
            joined: 0,
        })
    }

    fn peek(&self) -> Option<&ScriptTokenKind> {
        self.tokens.get(self.at).map(|t| &t.token)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).map_or(self.last_line, |t| t.line)
    }

    fn place(&self) -> Location {
        Location::at(self.file, self.line(), None)
    }

    fn error(&self, cause: &str) -> ImportError {
        let column = self.tokens.get(self.at).map(|t| t.column);
        let found = match self.peek() {
            Some(ScriptTokenKind::Name(name)) => format!("`{name}`"),
            Some(ScriptTokenKind::Number(number)) => format!("`{number}`"),
            Some(ScriptTokenKind::Text(text)) => format!("\"{text}\""),
            Some(ScriptTokenKind::Sign(sign)) => format!("`{sign}`"),
            Some(ScriptTokenKind::EndOfLine) => "the end of the line".to_owned(),
            None => "the end of the program".to_owned(),
        };
        ImportError::at(
            self.file,
            self.line(),
            column,
            Problem::Syntax {
                cause: format!("{cause}; here is {found}"),
                remedy: "export the program again, or correct the line".into(),
            },
        )
    }

    fn word(&self) -> Option<&str> {
        match self.peek() {
            Some(ScriptTokenKind::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.word() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(ScriptTokenKind::Sign(s)) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn needs(&mut self, sign: &str) -> Result<(), ImportError> {
        if self.takes(sign) {
            Ok(())
        } else {
            Err(self.error(&format!("`{sign}` is needed")))
        }
    }

    fn ends_of_lines(&mut self) {
        while matches!(self.peek(), Some(ScriptTokenKind::EndOfLine)) {
            self.at += 1;
        }
    }

    /// Goes one level deeper, as far as that is sane.
    fn deeper<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ImportError>,
    ) -> Result<T, ImportError> {
        if self.depth >= DEEPEST {
            return Err(self.error("nesting is too deep"));
        }
        self.depth += 1;
        let found = inner(self);
        self.depth -= 1;
        found
    }

    /// Takes note of one more value in a row.
    fn join(&mut self) -> Result<(), ImportError> {
        self.joined += 1;
        if self.joined > LONGEST {
            return Err(self.error("this statement is too long"));
        }
        Ok(())
    }

    /// Statements up to one of these words, or the end.
    fn body(&mut self, until: &[&str]) -> Result<Vec<ScriptStatement>, ImportError> {
        self.deeper(|this| {
            let mut body = Vec::new();
            loop {
                this.ends_of_lines();
                match this.peek() {
                    None => return Ok(body),
                    Some(ScriptTokenKind::Name(name)) if until.contains(&&**name) => {
                        return Ok(body);
                    }
                    Some(_) => body.push(this.statement()?),
                }
            }
        })
    }

    /// Statements up to `end`, which is taken.
    fn block(&mut self) -> Result<Vec<ScriptStatement>, ImportError> {
        let body = self.body(&["end"])?;
        self.end()?;
        Ok(body)
    }

    fn end(&mut self) -> Result<(), ImportError> {
        if self.takes_word("end") {
            Ok(())
        } else {
            Err(self.error("`end` is needed"))
        }
    }

    fn statement(&mut self) -> Result<ScriptStatement, ImportError> {
        let place = self.place();
        self.joined = 0;
        let what = self.what()?;
        // Blocks end with a word of their own; what follows on the same line is a statement of its
        // own.
        let ends = matches!(self.peek(), None | Some(ScriptTokenKind::EndOfLine))
            || self
                .word()
                .is_some_and(|w| ["end", "elif", "else"].contains(&w))
            || self.tokens[self.at - 1].token == ScriptTokenKind::Name("end".into());
        if ends {
            Ok(ScriptStatement { place, what })
        } else {
            Err(self.error("the statement should end here"))
        }
    }

    fn what(&mut self) -> Result<ScriptAction, ImportError> {
        match self.word() {
            Some("def" | "sec") => {
                self.at += 1;
                self.function(false)
            }
            Some("thread") => {
                self.at += 1;
                self.function(true)
            }
            Some("if") => {
                self.at += 1;
                self.condition()
            }
            Some("while") => {
                self.at += 1;
                let condition = self.expression()?;
                self.needs(":")?;
                Ok(ScriptAction::While(condition, self.block()?))
            }
            Some("return") => {
                self.at += 1;
                let none = matches!(self.peek(), None | Some(ScriptTokenKind::EndOfLine))
                    || self.word() == Some("end");
                Ok(ScriptAction::Return(if none {
                    None
                } else {
                    Some(self.expression()?)
                }))
            }
            Some("break") => self.single(ScriptAction::Break),
            Some("continue") => self.single(ScriptAction::Continue),
            Some("halt") => self.single(ScriptAction::Halt),
            Some("pass") => self.single(ScriptAction::Pass("pass".into())),
            Some(word @ ("enter_critical" | "exit_critical")) => {
                let word = word.into();
                self.single(ScriptAction::Pass(word))
            }
            // The name behind these words is that of a thread.
            Some(word @ ("kill" | "join")) => {
                let word: Arc<str> = word.into();
                self.at += 1;
                match self.expression()? {
                    ScriptExpression::Name(_) => Ok(ScriptAction::Pass(word)),
                    _ => Err(self.error("the name of a thread is needed here")),
                }
            }
            Some("global") => {
                self.at += 1;
                self.assignment(ScriptScope::Global)
            }
            Some("local") => {
                self.at += 1;
                self.assignment(ScriptScope::Local)
            }
            Some("switch" | "case") => {
                Err(self.error("`switch` is not read; write it as `if … elif … end`"))
            }
            _ => self.assignment(ScriptScope::Seen),
        }
    }

    fn single(&mut self, what: ScriptAction) -> Result<ScriptAction, ImportError> {
        self.at += 1;
        // `halt()` is written as well.
        if self.takes("(") {
            self.needs(")")?;
        }
        Ok(what)
    }

    fn name(&mut self) -> Result<Arc<str>, ImportError> {
        match self.peek() {
            Some(ScriptTokenKind::Name(name)) if !WORDS.contains(&&**name) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.error("a name is needed")),
        }
    }

    fn function(&mut self, thread: bool) -> Result<ScriptAction, ImportError> {
        let name = self.name()?;
        self.needs("(")?;
        let mut parameters = Vec::new();
        while !self.takes(")") {
            if !parameters.is_empty() {
                self.needs(",")?;
            }
            let name = self.name()?;
            let default = if self.takes("=") {
                Some(self.expression()?)
            } else {
                None
            };
            parameters.push(ScriptParameter { name, default });
        }
        self.needs(":")?;
        let body = self.block()?;
        Ok(ScriptAction::Define(Rc::new(Function {
            name,
            parameters,
            body,
            thread,
        })))
    }

    fn condition(&mut self) -> Result<ScriptAction, ImportError> {
        let mut arms = Vec::new();
        loop {
            let condition = self.expression()?;
            self.needs(":")?;
            let body = self.body(&["elif", "else", "end"])?;
            arms.push(ScriptBranch { condition, body });
            if !self.takes_word("elif") {
                break;
            }
        }
        let otherwise = if self.takes_word("else") {
            self.needs(":")?;
            self.body(&["end"])?
        } else {
            Vec::new()
        };
        self.end()?;
        Ok(ScriptAction::If { arms, otherwise })
    }

    /// An assignment, or a call that stands alone.
    fn assignment(&mut self, scope: ScriptScope) -> Result<ScriptAction, ImportError> {
        // `(f())` would be a value of which nothing is made.
        if !matches!(self.peek(), Some(ScriptTokenKind::Name(_))) {
            return Err(self.error("an assignment or a call is needed"));
        }
        let left = self.expression()?;
        if !self.takes("=") {
            return match (&left, scope) {
                (ScriptExpression::Name(name), ScriptScope::Local) => Ok(ScriptAction::Assign {
                    scope,
                    name: name.clone(),
                    at: Vec::new(),
                    value: ScriptExpression::Unknown("it has no value yet".into()),
                }),
                (
                    ScriptExpression::Call(_)
                    | ScriptExpression::Method { .. }
                    | ScriptExpression::Run(_),
                    ScriptScope::Seen,
                ) => Ok(ScriptAction::Do(left)),
                _ => Err(self.error("an assignment or a call is needed")),
            };
        }
        let value = self.expression()?;
        let mut at = Vec::new();
        let mut target = left;
        let name = loop {
            target = match target {
                ScriptExpression::Name(name) => break name,
                ScriptExpression::Index(inner, index) => {
                    at.push(*index);
                    *inner
                }
                ScriptExpression::Field(inner, field) => {
                    at.push(ScriptExpression::Text(field));
                    *inner
                }
                _ => return Err(self.error("only variables and their elements can be assigned to")),
            };
        };
        at.reverse();
        Ok(ScriptAction::Assign {
            scope,
            name,
            at,
            value,
        })
    }
}
