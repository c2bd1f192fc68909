//! The text of a VRML97 file into nodes with fields.
//!
//! Values are told apart by their looks alone, which the grammar allows. So nodes that have no
//! shape, and those that scripts and prototypes define, need not be known here.

use std::collections::{HashMap, HashSet};

use super::VrmlFault;
use super::nodes::{Document, NodeId, VrmlField, VrmlNode, VrmlValue};
use super::words::{VrmlToken, VrmlWords, looks_like_number};
use crate::Problem;
use crate::mesh::checks::{number, shown, syntax};

/// Nodes within nodes. Real files have a few dozen.
const DEEPEST: usize = 100;

pub fn parse(text: &str) -> Result<Document<'_>, VrmlFault> {
    let mut parser = Parser {
        words: VrmlWords { text, at: 0 },
        at: 0,
        token: VrmlToken::End,
        document: Document::new(text),
        names: HashMap::new(),
        depth: 0,
    };
    parser.advance()?;
    while parser.token != VrmlToken::End {
        if let Some(node) = parser.statement()? {
            parser.document.top.push(node);
        }
    }
    Ok(parser.document)
}

struct Parser<'a> {
    words: VrmlWords<'a>,
    /// The token that comes next, and where.
    at: usize,
    token: VrmlToken<'a>,
    document: Document<'a>,
    /// Nodes by the name that `DEF` gave them last.
    names: HashMap<&'a str, NodeId>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Result<(), VrmlFault> {
        (self.at, self.token) = self.words.next()?;
        Ok(())
    }

    fn unexpected(&self, expected: &str) -> VrmlFault {
        let cause = format!("{} where {expected} should be", self.token.shown());
        let remedy = "correct the file, or export the mesh again";
        VrmlFault::new(self.at, syntax(cause, remedy))
    }

    fn word(&mut self, expected: &str) -> Result<&'a str, VrmlFault> {
        let VrmlToken::Word(word) = self.token else {
            return Err(self.unexpected(expected));
        };
        self.advance()?;
        Ok(word)
    }

    fn bracket(&mut self, bracket: char) -> Result<(), VrmlFault> {
        if self.token != VrmlToken::Bracket(bracket) {
            return Err(self.unexpected(&format!("`{bracket}`")));
        }
        self.advance()
    }

    /// A node, or something that is none.
    fn statement(&mut self) -> Result<Option<NodeId>, VrmlFault> {
        match self.token {
            VrmlToken::Word("PROTO") => {
                self.advance()?;
                self.prototype()?;
                self.skip_block('{', '}')?;
                Ok(None)
            }
            VrmlToken::Word("EXTERNPROTO") => {
                self.advance()?;
                self.prototype()?;
                match self.token {
                    VrmlToken::Text => self.advance()?,
                    _ => self.skip_block('[', ']')?,
                }
                Ok(None)
            }
            VrmlToken::Word("ROUTE") => {
                self.advance()?;
                self.word("what a route starts from")?;
                if self.word("`TO`")? != "TO" {
                    return Err(self.unexpected("a route `from.event TO to.event`"));
                }
                self.word("where a route goes")?;
                self.document.routes += 1;
                Ok(None)
            }
            _ => self.node().map(Some),
        }
    }

    /// Name and interface of a prototype.
    fn prototype(&mut self) -> Result<(), VrmlFault> {
        let name = self.word("the name of a prototype")?;
        self.document.prototypes.insert(name);
        self.skip_block('[', ']')
    }

    /// Everything from an opening bracket to the one that closes it.
    fn skip_block(&mut self, open: char, close: char) -> Result<(), VrmlFault> {
        let start = self.at;
        self.bracket(open)?;
        let mut closing = vec![close];
        while let Some(&last) = closing.last() {
            match self.token {
                VrmlToken::Bracket('{') => closing.push('}'),
                VrmlToken::Bracket('[') => closing.push(']'),
                VrmlToken::Bracket(c) if c == last => drop(closing.pop()),
                VrmlToken::Bracket(_) => return Err(self.unexpected(&format!("`{last}`"))),
                VrmlToken::End => return Err(self.unclosed(start)),
                _ => {}
            }
            self.advance()?;
        }
        Ok(())
    }

    fn unclosed(&self, start: usize) -> VrmlFault {
        let problem = syntax(
            "the file ends before what starts here is closed",
            "the file may be cut off: export or copy it again",
        );
        VrmlFault::new(start, problem)
    }

    fn node(&mut self) -> Result<NodeId, VrmlFault> {
        let at = self.at;
        let mut kind = self.word("a node")?;
        if kind == "USE" {
            let at = self.at;
            let name = self.word("the name of a node")?;
            return self.names.get(name).copied().ok_or_else(|| {
                let problem = Problem::UnknownName {
                    what: "node",
                    name: shown(name),
                    remedy: "`USE` names a node that `DEF` has named further up in the file"
                        .to_owned(),
                };
                VrmlFault::new(at, problem)
            });
        }
        let id = self.document.nodes.len();
        let mut name = "";
        if kind == "DEF" {
            name = self.word("the name of a node")?;
            self.names.insert(name, id);
            kind = self.word("a node")?;
        }
        if self.depth == DEEPEST {
            let problem = syntax(
                format!("nodes are nested deeper than {DEEPEST}"),
                "export the mesh as one object",
            );
            return Err(VrmlFault::new(at, problem));
        }
        let fields = vec![];
        self.document.nodes.push(VrmlNode {
            kind,
            name,
            at,
            fields,
        });
        self.document.scripts += usize::from(kind == "Script");
        self.depth += 1;
        self.bracket('{')?;
        while self.token != VrmlToken::Bracket('}') {
            self.member(id)?;
        }
        self.advance()?;
        self.depth -= 1;
        Ok(id)
    }

    /// One field of a node, or what else may stand between its braces.
    fn member(&mut self, id: NodeId) -> Result<(), VrmlFault> {
        let at = self.at;
        match self.token {
            VrmlToken::Word("PROTO" | "EXTERNPROTO" | "ROUTE") => {
                self.statement()?;
            }
            VrmlToken::Word("eventIn" | "eventOut") => {
                self.advance()?;
                self.word("the type of an event")?;
                self.word("the name of an event")?;
                if self.token == VrmlToken::Word("IS") {
                    self.value()?;
                }
            }
            // A field that a script has made for itself.
            VrmlToken::Word("field" | "exposedField") => {
                self.advance()?;
                self.word("the type of a field")?;
                self.word("the name of a field")?;
                self.value()?;
            }
            VrmlToken::Word(name) if !looks_like_number(name) => {
                self.advance()?;
                let value_at = self.at;
                let value = self.value()?;
                self.document.nodes[id].fields.push(VrmlField {
                    name,
                    at,
                    value_at,
                    value,
                });
            }
            VrmlToken::End => return Err(self.unclosed(self.document.nodes[id].at)),
            _ => return Err(self.unexpected("a field or `}`")),
        }
        Ok(())
    }

    fn value(&mut self) -> Result<VrmlValue, VrmlFault> {
        match self.token {
            VrmlToken::Bracket('[') => self.list(),
            VrmlToken::Text => {
                self.advance()?;
                Ok(VrmlValue::Other)
            }
            VrmlToken::Word(word @ ("TRUE" | "FALSE")) => {
                self.advance()?;
                Ok(VrmlValue::Flag(word == "TRUE"))
            }
            VrmlToken::Word("NULL") => {
                self.advance()?;
                Ok(VrmlValue::Nodes(vec![]))
            }
            VrmlToken::Word("IS") => {
                self.advance()?;
                self.word("the name of a prototype's field")?;
                Ok(VrmlValue::Other)
            }
            VrmlToken::Word(word) if looks_like_number(word) => {
                let mut numbers = vec![];
                while let Some(number) = self.number()? {
                    numbers.push(number);
                }
                Ok(VrmlValue::Numbers(numbers))
            }
            VrmlToken::Word(_) => Ok(VrmlValue::Nodes(vec![self.node()?])),
            _ => Err(self.unexpected("the value of a field")),
        }
    }

    fn list(&mut self) -> Result<VrmlValue, VrmlFault> {
        let start = self.at;
        self.advance()?;
        let (mut numbers, mut nodes, mut others) = (vec![], vec![], false);
        loop {
            match self.token {
                VrmlToken::Bracket(']') => break,
                VrmlToken::End => return Err(self.unclosed(start)),
                VrmlToken::Text | VrmlToken::Word("TRUE" | "FALSE") => {
                    others = true;
                    self.advance()?;
                }
                VrmlToken::Word(word) if looks_like_number(word) => numbers.extend(self.number()?),
                VrmlToken::Word(_) => nodes.extend(self.statement()?),
                VrmlToken::Bracket(_) => return Err(self.unexpected("a value or `]`")),
            }
            let kinds = [!numbers.is_empty(), !nodes.is_empty(), others];
            if kinds.iter().filter(|&&k| k).count() > 1 {
                let problem = syntax(
                    "a list holds values of different kinds",
                    "correct the file, or export the mesh again",
                );
                return Err(VrmlFault::new(start, problem));
            }
        }
        self.advance()?;
        Ok(match (numbers.is_empty(), nodes.is_empty(), others) {
            (true, true, false) => VrmlValue::Empty,
            (false, ..) => VrmlValue::Numbers(numbers),
            (_, false, _) => VrmlValue::Nodes(nodes),
            _ => VrmlValue::Other,
        })
    }

    /// The number that comes next, if it is one.
    fn number(&mut self) -> Result<Option<f64>, VrmlFault> {
        let VrmlToken::Word(word) = self.token else {
            return Ok(None);
        };
        if !looks_like_number(word) {
            return Ok(None);
        }
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let value = match (
            digits.map(|digits| u32::from_str_radix(digits, 16)),
            word.parse(),
        ) {
            (Some(Ok(value)), _) => f64::from(value),
            // Normals are often not finite. Whether it matters is asked where a number is used.
            (_, Ok(value)) => value,
            _ if word.contains('#') => f64::NAN,
            _ => number(word).map_err(|problem| VrmlFault::new(self.at, problem))?,
        };
        self.advance()?;
        Ok(Some(value))
    }
}

impl<'a> Document<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            nodes: vec![],
            top: vec![],
            prototypes: HashSet::new(),
            routes: 0,
            scripts: 0,
        }
    }
}
