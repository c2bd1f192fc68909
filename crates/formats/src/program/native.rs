//! Programs in the languages of robot makers: recognised, so that the error can say what they are.

use crate::Problem;

/// Where to read how joint paths are had.
const REMEDY: &str = "export the joint path as CSV or as a ROS trajectory, and name that file; docs/joint-paths.md says how";

/// The language that a text (or an unpacked head of a file) is written in, if it is one of those that robots run.
pub(super) fn native(bytes: &[u8], extension: &str) -> Option<Problem> {
    let what = language(bytes, extension)?;
    Some(Problem::Unsupported {
        what: what.to_owned(),
        remedy: REMEDY.to_owned(),
    })
}

fn language(bytes: &[u8], extension: &str) -> Option<&'static str> {
    // Polyscope packs its programs.
    if bytes.starts_with(b"\x1f\x8b") && extension == "urp" {
        return Some(POLYSCOPE);
    }
    if bytes.contains(&0) {
        return (extension == "tp").then_some("a binary FANUC program (TP)");
    }
    // Comments may be in any encoding; the words that tell are ASCII. They stand near the top.
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_uppercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    if head.starts_with("<URPROGRAM") || head.starts_with("<?XML") && head.contains("<URPROGRAM") {
        return Some(POLYSCOPE);
    }
    if head.starts_with("<?XML") && head.contains("<PROGRAM>") && head.contains("<MODULE>") {
        return Some("a list of RAPID modules (ABB)");
    }
    let lines = || head.lines().map(str::trim).filter(|l| !l.is_empty());
    let begins = |line: &str, word: &str| {
        let rest = line.strip_prefix(word);
        rest.is_some_and(|r| r.is_empty() || r.starts_with([' ', '\t', '(']))
    };
    let first = lines().next()?;
    if begins(first, "/PROG") {
        return Some("a FANUC program (TP listing)");
    }
    if begins(first, "/JOB") {
        return Some("an INFORM job (Yaskawa)");
    }
    if lines().any(|l| begins(l, "MODULE") || begins(l, "PROC")) {
        return Some("a RAPID module (ABB)");
    }
    let krl = ["&ACCESS", "&REL", "DEF", "DEFDAT", "GLOBAL DEF", "DEFFCT"];
    // Python and URScript write `def name():`; KRL has no colon.
    if lines().any(|l| krl.iter().any(|word| begins(l, word)) && !l.ends_with(':')) {
        return Some("a KRL program (KUKA)");
    }
    let script = ["MOVEJ(", "MOVEL(", "MOVEP(", "MOVEC(", "SERVOJ("];
    let moves = |l: &str| script.iter().any(|word| l.starts_with(word));
    if matches!(extension, "script" | "urscript") || lines().any(moves) {
        return Some("a URScript program (Universal Robots)");
    }
    None
}

/// Bytes at the top in which the telling words are looked for.
const HEAD: usize = 1 << 20;

const POLYSCOPE: &str = "a PolyScope program (Universal Robots)";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::program::parse;

    #[test]
    fn makers_languages_are_named_by_their_content() {
        for (name, text, said) in [
            (
                "a.mod",
                &b"%%%\n  VERSION:1\n%%%\nMODULE Main\n PROC main()\n"[..],
                "a RAPID module (ABB)",
            ),
            ("a.txt", b"! caf\xe9\nmodule Main\n", "a RAPID module (ABB)"),
            (
                "a.pgf",
                b"<?xml version=\"1.0\"?>\n<Program>\n<Module>a.mod</Module></Program>",
                "a list of RAPID modules",
            ),
            (
                "a.src",
                b"&ACCESS RVP\r\n&REL 1\r\nDEF a( )\r\nPTP {A1 0}\r\nEND\r\n",
                "a KRL program (KUKA)",
            ),
            ("a.dat", b"defdat a public\n", "a KRL program (KUKA)"),
            (
                "a.ls",
                b"/PROG  TMPA\n/ATTR\n",
                "a FANUC program (TP listing)",
            ),
            ("a.tp", b"\x01\x02\0\0", "a binary FANUC program"),
            ("a.jbi", b"/JOB\n//NAME A\n", "an INFORM job (Yaskawa)"),
            (
                "a",
                b"def prog():\n  movej([0,0,0,0,0,0])\nend\n",
                "a URScript program",
            ),
            ("a.urp", b"\x1f\x8b\x08\0", "a PolyScope program"),
            ("a.urp", b"<URProgram name=\"a\">", "a PolyScope program"),
        ] {
            let error = parse(Path::new(name), text).unwrap_err().to_string();
            let remedy = "is not supported; export the joint path";
            assert!(
                error.contains(said) && error.contains(remedy),
                "{name}: {error}"
            );
        }
        // What merely contains such a word is not one.
        for text in ["def f():\n  pass\n", "modules,PROCs\n1,2\n"] {
            let error = parse(Path::new("a.txt"), text.as_bytes()).map(|_| ()).err();
            assert!(
                error.is_none_or(|e| !e.to_string().contains("not supported")),
                "{text}"
            );
        }
    }
}
