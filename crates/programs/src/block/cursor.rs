//! The tokens of a file, read from first to last. Whatever does not follow the language is refused
//! with line and column.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use clearance_formats::ImportError;
use clearance_proof::report::Location;

use super::lex::{Rules, Token, TokenKind, tokens};
use super::syntax::{BlockProgram, Expression, Name, Operator};
use super::text;

/// The rules and words of a language.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) rules: Rules,
    /// Words that are not names, in lower case.
    pub(crate) reserved: &'static [&'static str],
    /// The remedy for a file that does not follow the language.
    pub(crate) remedy: &'static str,
}

/// Blocks and brackets within each other.
const DEEP: usize = 100;
/// Values in a row that operators join, and components of components, in one statement: what is
/// read so is as deep as it is long.
const LONG: usize = 2000;

/// The result of reading, or why it failed.
pub(crate) type Read<T> = Result<T, ImportError>;

/// A place among the tokens of a file, and the program that they become part of.
pub(crate) struct TokenCursor<'p> {
    pub(crate) program: &'p mut BlockProgram,
    file: &'p Path,
    words: &'static Words,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    joined: usize,
}

/// A parser: a cursor, and what a language remembers besides.
pub(crate) struct Parser<'p, L> {
    pub(crate) cursor: TokenCursor<'p>,
    pub(crate) language: L,
}

impl<'p, L> Parser<'p, L> {
    /// Before the first token.
    pub(crate) fn new(cursor: TokenCursor<'p>, language: L) -> Self {
        Self { cursor, language }
    }
}

impl<L> Parser<'_, L> {
    /// Reads what lies one block or bracket deeper.
    ///
    /// # Errors
    /// When too many are within each other, or as `read`.
    pub(crate) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.enter()?;
        let found = read(self);
        self.leave();
        found
    }

    /// Terms joined by `+` and `-`.
    pub(crate) fn sum(&mut self, term: fn(&mut Self) -> Read<Expression>) -> Read<Expression> {
        let mut left = term(self)?;
        loop {
            let operator = match () {
                () if self.take("+") => Operator::Add,
                () if self.take("-") => Operator::Subtract,
                () => return Ok(left),
            };
            self.join()?;
            left = Expression::binary(operator, left, term(self)?);
        }
    }

    /// A value with a sign before it, if one comes next.
    pub(crate) fn signed(
        &mut self,
        value: fn(&mut Self) -> Read<Expression>,
    ) -> Read<Option<Expression>> {
        if self.take("-") {
            let inner = self.deeper(value)?;
            return Ok(Some(match inner {
                Expression::Number(number, whole) => Expression::Number(-number, whole),
                inner => Expression::Negative(Box::new(inner)),
            }));
        }
        if self.take("+") {
            self.deeper(value).map(Some)
        } else {
            Ok(None)
        }
    }

    /// A number or a text, if one comes next.
    pub(crate) fn literal(&mut self) -> Option<Expression> {
        let literal = match &self.token().what {
            TokenKind::Number(number, whole) => Expression::Number(*number, *whole),
            TokenKind::Text(text) => Expression::Text(text.clone()),
            _ => return None,
        };
        self.step();
        Some(literal)
    }
}

impl<'p, L> Deref for Parser<'p, L> {
    type Target = TokenCursor<'p>;

    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl<L> DerefMut for Parser<'_, L> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl<'p> TokenCursor<'p> {
    /// Before the first token of a text.
    ///
    /// # Errors
    /// With line and column, where a text or number has no end or no value.
    pub(crate) fn new(
        program: &'p mut BlockProgram,
        file: &'p Path,
        source: &str,
        words: &'static Words,
    ) -> Read<Self> {
        let tokens = tokens(source, words.rules).map_err(|wrong| {
            text::syntax(file, wrong.line, wrong.column, wrong.cause, words.remedy)
        })?;
        Ok(TokenCursor {
            program,
            file,
            words,
            tokens,
            at: 0,
            depth: 0,
            joined: 0,
        })
    }

    /// How many tokens have been read: [`TokenCursor::back_to`] returns there.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    /// What was read since a place.
    pub(crate) fn tokens_since(&self, start: usize) -> &[Token] {
        self.tokens.get(start..self.at).unwrap_or_default()
    }

    /// The names in it.
    pub(crate) fn names_since(&self, start: usize) -> Vec<Name> {
        let names = self.tokens_since(start).iter();
        let names = names.filter_map(|token| match &token.what {
            TokenKind::Name(name, _) => Some(name.clone()),
            _ => None,
        });
        names.collect()
    }

    /// The next token.
    pub(crate) fn token(&self) -> &Token {
        // There is one always: the end is a token, and nobody goes beyond it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    /// The kind of the token that comes `count` tokens after the next one.
    pub(crate) fn after(&self, count: usize) -> &TokenKind {
        let token = self.tokens.get(self.at + count);
        token.map_or(&TokenKind::End, |t| &t.what)
    }

    pub(crate) fn step(&mut self) {
        if matches!(self.token().what, TokenKind::Line | TokenKind::Symbol(";")) {
            self.joined = 0;
        }
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(crate) fn place(&self) -> Location {
        let token = self.token();
        Location::at(self.file, token.line, Some(token.column))
    }

    /// That something else is needed here.
    pub(crate) fn fail<T>(&self, needed: &str) -> Read<T> {
        let found = match &self.token().what {
            TokenKind::Name(_, written) => format!("`{written}`"),
            TokenKind::Number(number, _) => format!("`{number}`"),
            TokenKind::Text(_) => "a text".into(),
            TokenKind::Symbol(symbol) => format!("`{symbol}`"),
            TokenKind::Other(c) => format!("`{c}`"),
            TokenKind::Line => "the end of the line".into(),
            TokenKind::End => "the end of the file".into(),
        };
        self.fail_at(
            &self.place(),
            format!("{needed} is needed, and {found} stands here"),
        )
    }

    /// That something is wrong at a place of this file.
    pub(crate) fn fail_at<T>(&self, place: &Location, cause: String) -> Read<T> {
        let (line, column) = (place.line.unwrap_or(1), place.column.unwrap_or(1));
        let remedy = self.words.remedy;
        Err(text::syntax(self.file, line, column, cause, remedy))
    }

    /// The next word in lower case; empty where none comes next.
    pub(crate) fn word(&self) -> &str {
        match &self.token().what {
            TokenKind::Name(name, _) => name,
            _ => "",
        }
    }

    /// The next word as it is written; empty where none comes next.
    pub(crate) fn written(&self) -> Name {
        match &self.token().what {
            TokenKind::Name(_, written) => written.clone(),
            _ => "".into(),
        }
    }

    /// Reads a word, if it comes next.
    pub(crate) fn accept(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.step();
        }
        found
    }

    /// Reads a word that has to come next.
    pub(crate) fn expect(&mut self, word: &str) -> Read<()> {
        if self.accept(word) {
            Ok(())
        } else {
            self.fail(&format!("`{}`", word.to_uppercase()))
        }
    }

    /// Whether a sign comes next.
    pub(crate) fn has(&self, symbol: &str) -> bool {
        matches!(&self.token().what, TokenKind::Symbol(s) if *s == symbol)
    }

    /// Reads a sign, if it comes next.
    pub(crate) fn take(&mut self, symbol: &str) -> bool {
        let found = self.has(symbol);
        if found {
            self.step();
        }
        found
    }

    /// Reads a sign that has to come next.
    pub(crate) fn need(&mut self, symbol: &str) -> Read<()> {
        if self.take(symbol) {
            Ok(())
        } else {
            self.fail(&format!("`{symbol}`"))
        }
    }

    /// Reads a name; `what` says which one is needed.
    pub(crate) fn name(&mut self, what: &str) -> Read<Name> {
        match self.token().what.clone() {
            TokenKind::Name(name, written) if self.is_name(&name) => {
                let first = self.program.written.entry(name.clone());
                first.or_insert(written);
                self.step();
                Ok(name)
            }
            _ => self.fail(what),
        }
    }

    /// Whether a word is a name, and no word of the language.
    pub(crate) fn is_name(&self, word: &str) -> bool {
        !self.words.reserved.contains(&word) && !word.starts_with('#')
    }

    /// Takes note of one more value or component in a row.
    ///
    /// # Errors
    /// When there are too many in one statement.
    pub(crate) fn join(&mut self) -> Read<()> {
        self.joined += 1;
        if self.joined > LONG {
            self.fail("a shorter statement")
        } else {
            Ok(())
        }
    }

    /// Goes into a block or bracket.
    ///
    /// # Errors
    /// When too many are within each other.
    pub(crate) fn enter(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > DEEP {
            self.fail("something less deeply nested")
        } else {
            Ok(())
        }
    }

    /// Leaves it.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}
