//! The words of the language.

use crate::block::cursor::Words;
use crate::block::lex::Rules;

/// The rules and words of KRL.
pub(crate) const WORDS: Words = Words {
    rules: Rules {
        comment: ';',
        lines: true,
        signs: true,
        symbols: &["==", "<=", ">=", "<>"],
    },
    reserved: RESERVED,
    remedy: "a controller would not select this; see what the maker's tool says about it",
};

/// Types of the language itself: a line that begins with one declares something.
pub(crate) const TYPES: &[&str] = &[
    "int", "real", "bool", "char", "frame", "pos", "e6pos", "axis", "e6axis", "e3pos", "e3axis",
    "fdat", "pdat", "ldat", "load",
];

/// How the reasons begin why interrupts are not read.
pub(crate) const BRAKING: &str = "`INTERRUPT WITH BRAKE`";
pub(crate) const ASKING: &str = "a function in what an interrupt";

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

/// Words that are not names.
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
