//! The words of the language.

use crate::block::cursor::Words;
use crate::block::lex::Rules;

/// The rules and words of RAPID.
pub(crate) const WORDS: Words = Words {
    rules: Rules {
        comment: '!',
        lines: false,
        signs: false,
        symbols: &[":=", "<=", ">=", "<>"],
    },
    reserved: RESERVED,
    remedy: "a controller would not load this; see what the maker's tool says about it",
};

/// How the reason begins why what follows a `CONNECT` is not read.
pub(super) const CONNECTED: &str = "from here on an interrupt runs";

/// Words that are not names.
const RESERVED: &[&str] = &[
    "alias",
    "and",
    "backward",
    "case",
    "connect",
    "const",
    "default",
    "div",
    "do",
    "else",
    "elseif",
    "endfor",
    "endfunc",
    "endif",
    "endmodule",
    "endproc",
    "endrecord",
    "endtest",
    "endtrap",
    "endwhile",
    "error",
    "exit",
    "false",
    "for",
    "from",
    "func",
    "goto",
    "if",
    "inout",
    "local",
    "mod",
    "module",
    "nostepin",
    "not",
    "noview",
    "or",
    "pers",
    "proc",
    "raise",
    "readonly",
    "record",
    "retry",
    "return",
    "step",
    "sysmodule",
    "task",
    "test",
    "then",
    "to",
    "trap",
    "true",
    "trynext",
    "undo",
    "var",
    "viewonly",
    "while",
    "with",
    "xor",
];
