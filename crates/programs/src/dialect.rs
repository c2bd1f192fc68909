//! The languages of robot makers: recognised by content, never by the ending alone.

use std::path::Path;

use clearance_formats::{ImportError, Problem};

/// Where to read how joint paths are had.
const REMEDY: &str = "export the joint path as CSV or as a ROS trajectory, and name that file; docs/joint-paths.md says how";

/// A language that controllers store programs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// A node tree of PolyScope (Universal Robots), as XML, mostly packed by gzip.
    PolyScope,
    /// URScript (Universal Robots).
    UrScript,
    /// A RAPID module (ABB).
    Rapid,
    /// A list of RAPID modules.
    RapidList,
    /// KRL (KUKA): a program or its data list.
    Krl,
    /// A TP listing (FANUC).
    Fanuc,
    /// A TP program in FANUC's binary form.
    FanucBinary,
    /// A job (Yaskawa).
    Inform,
}

impl Dialect {
    /// As messages name it.
    pub fn describe(self) -> &'static str {
        match self {
            Self::PolyScope => "a PolyScope program (Universal Robots)",
            Self::UrScript => "a URScript program (Universal Robots)",
            Self::Rapid => "a RAPID module (ABB)",
            Self::RapidList => "a list of RAPID modules (ABB)",
            Self::Krl => "a KRL program (KUKA)",
            Self::Fanuc => "a FANUC program (TP listing)",
            Self::FanucBinary => "a binary FANUC program (TP)",
            Self::Inform => "an INFORM job (Yaskawa)",
        }
    }

    /// What cell files call the controllers that run it; none: it is not read.
    pub(crate) fn of_controller(self) -> Option<&'static str> {
        match self {
            Self::PolyScope | Self::UrScript => Some("ur"),
            Self::Rapid | Self::RapidList => Some("rapid"),
            Self::Krl => Some("krl"),
            Self::Fanuc => Some("fanuc"),
            Self::FanucBinary => None,
            Self::Inform => Some("inform"),
        }
    }

    /// That it is not read, and what to do.
    pub fn refusal(self) -> Problem {
        let remedy = match self {
            Self::FanucBinary => "save it as a TP listing (`.ls`), and name that file",
            _ => REMEDY,
        };
        Problem::Unsupported {
            what: self.describe().to_owned(),
            remedy: remedy.to_owned(),
        }
    }
}

/// The language of a file, if it is one of those that robots run. Tables and messages (`.csv`,
/// `.json`, `.yaml`) are none, whatever words they contain.
pub fn recognise(bytes: &[u8], path: &Path) -> Option<Dialect> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_lowercase();
    if ["csv", "tsv", "json", "yaml", "yml"].contains(&extension.as_str()) {
        return None;
    }
    // PolyScope packs its programs.
    if bytes.starts_with(b"\x1f\x8b") && extension == "urp" {
        return Some(Dialect::PolyScope);
    }
    if bytes.contains(&0) {
        return (extension == "tp").then_some(Dialect::FanucBinary);
    }
    // Comments may be in any encoding; the words that tell are ASCII. They stand near the top.
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_uppercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    if head.starts_with("<URPROGRAM") || head.starts_with("<?XML") && head.contains("<URPROGRAM") {
        return Some(Dialect::PolyScope);
    }
    if head.starts_with("<?XML") && head.contains("<PROGRAM>") && head.contains("<MODULE>") {
        return Some(Dialect::RapidList);
    }
    let lines = || head.lines().map(str::trim).filter(|l| !l.is_empty());
    let begins = |line: &str, word: &str| {
        let rest = line.strip_prefix(word);
        rest.is_some_and(|r| r.is_empty() || r.starts_with([' ', '\t', '(']))
    };
    let first = lines().next()?;
    if begins(first, "/PROG") {
        return Some(Dialect::Fanuc);
    }
    if begins(first, "/JOB") {
        return Some(Dialect::Inform);
    }
    // Functions of URScript are called anything, and begin like those of KRL.
    if matches!(extension.as_str(), "script" | "urscript") {
        return Some(Dialect::UrScript);
    }
    if lines().any(|l| begins(l, "MODULE") || begins(l, "PROC")) {
        return Some(Dialect::Rapid);
    }
    let krl = ["&ACCESS", "&REL", "DEF", "DEFDAT", "GLOBAL DEF", "DEFFCT"];
    let mut rest = head;
    while !rest.is_empty() {
        let line = rest.lines().next().unwrap_or_default().trim();
        if krl.iter().any(|word| begins(line, word)) && !has_colon(line, rest) {
            return Some(Dialect::Krl);
        }
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
    }
    let script = ["MOVEJ(", "MOVEL(", "MOVEP(", "MOVEC(", "SERVOJ("];
    let moves = |l: &str| script.iter().any(|word| l.starts_with(word));
    lines().any(moves).then_some(Dialect::UrScript)
}

/// Whether a colon ends the header of a function on this line, or stands behind the bracket that it
/// opens, maybe lines below: Python and URScript write `def name(first):  # why`, and go on in the
/// next line within the bracket; KRL has no colon there, and no second line.
fn has_colon(line: &str, text: &str) -> bool {
    if !line.contains('(') {
        return line.ends_with(':');
    }
    let (mut depth, mut quote, mut comment) = (0_usize, None, false);
    for (at, c) in text.char_indices().take(LONGEST_HEADER) {
        match (c, quote) {
            ('\n', _) if depth == 0 => return false,
            ('\n', _) => comment = false,
            _ if comment => {}
            (c, Some(mark)) => quote = (c != mark).then_some(mark),
            ('"' | '\'', None) => quote = Some(c),
            ('#', None) => comment = true,
            ('(', None) => depth += 1,
            (')', None) if depth <= 1 => {
                let behind = text[at + 1..].trim_start_matches([' ', '\t']);
                return behind.starts_with(':') || behind.starts_with("->");
            }
            (')', None) => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Characters in which the header of a function ends.
const LONGEST_HEADER: usize = 4000;

/// The error for a file that is named like a program of a controller and does not begin like one.
/// None: the file is not named like one.
pub fn misnamed(path: &Path, bytes: &[u8]) -> Option<ImportError> {
    if let Some(error) = encoded(path, bytes) {
        return Some(error);
    }
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let dialect = match extension.as_str() {
        "mod" | "modx" | "prg" | "sys" => Dialect::Rapid,
        "pgf" => Dialect::RapidList,
        "src" => Dialect::Krl,
        "ls" => Dialect::Fanuc,
        "tp" => Dialect::FanucBinary,
        "jbi" => Dialect::Inform,
        "script" | "urscript" => Dialect::UrScript,
        "urp" => Dialect::PolyScope,
        _ => return None,
    };
    let cause = format!(
        "by its name this is {}, and it does not begin like one",
        dialect.describe()
    );
    let remedy = match dialect {
        Dialect::FanucBinary => "save it as a TP listing (`.ls`) on the controller, and name that",
        _ => "copy it from the controller again, whole and as text",
    }
    .to_owned();
    let problem = Problem::Syntax { cause, remedy };
    Some(ImportError::at(path, 1, None, problem))
}

/// The error for a module of RAPID that is no text. Parts of the controller's own software, and what
/// some makers of tools sell, are stored like that: only the controller can read them.
pub(crate) fn encoded(path: &Path, bytes: &[u8]) -> Option<ImportError> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let is_module = ["mod", "modx", "prg", "sys"].contains(&extension.as_str());
    let is_control = |&&byte: &&u8| byte < 0x20 && !b"\t\n\x0c\r\x1a".contains(&byte);
    let controls = bytes.iter().filter(is_control).count();
    // In random bytes a tenth of all; none in texts.
    if !is_module || controls * 50 < bytes.len().max(50) {
        return None;
    }
    let problem = Problem::Unsupported {
        what: "a RAPID module that is encoded, so that only the controller reads it".into(),
        remedy: "leave it out of `files`; if a program calls its routines and they neither move the arm nor set what it \
                 reads, name them in `still` of the robot's `controller`"
            .into(),
    };
    Some(ImportError::file(path, problem))
}

/// Bytes at the top in which the telling words are looked for.
const HEAD: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_languages_are_named_by_their_content() {
        for (name, text, dialect) in [
            (
                "a.mod",
                &b"%%%\n  VERSION:1\n%%%\nMODULE Main\n PROC main()\n"[..],
                Dialect::Rapid,
            ),
            ("a.txt", b"! caf\xe9\nmodule Main\n", Dialect::Rapid),
            (
                "a.pgf",
                b"<?xml version=\"1.0\"?>\n<Program>\n<Module>a.mod</Module></Program>",
                Dialect::RapidList,
            ),
            (
                "a.src",
                b"&ACCESS RVP\r\n&REL 1\r\nDEF a( )\r\nPTP {A1 0}\r\nEND\r\n",
                Dialect::Krl,
            ),
            ("a.dat", b"defdat a public\n", Dialect::Krl),
            ("a.ls", b"/PROG  TMPA\n/ATTR\n", Dialect::Fanuc),
            ("a.tp", b"\x01\x02\0\0", Dialect::FanucBinary),
            ("a.jbi", b"/JOB\n//NAME A\n", Dialect::Inform),
            (
                "a",
                b"def prog():\n  movej([0,0,0,0,0,0])\nend\n",
                Dialect::UrScript,
            ),
            // Headers that go on in the next line, and comments behind the colon.
            (
                "a.script",
                b"def prog():\n  def f(a = True,\n      b = 1):\n  end\nend\n",
                Dialect::UrScript,
            ),
            (
                "a",
                b"def f(a = \")\",  # of (x)\n   b = g(1)):  # moves\n  movej([0,0,0,0,0,0])\nend\n",
                Dialect::UrScript,
            ),
            ("a.script", b"def module ():\n  pass\nend\n", Dialect::UrScript),
            (
                "a.src",
                b"DEF a(x:IN) ; why:\nMOVEJ(1)\nEND\n",
                Dialect::Krl,
            ),
            ("a.urp", b"\x1f\x8b\x08\0", Dialect::PolyScope),
            ("a.urp", b"<URProgram name=\"a\">", Dialect::PolyScope),
        ] {
            assert_eq!(recognise(text, Path::new(name)), Some(dialect), "{name}");
            let said = dialect.refusal().to_string();
            let remedy = match dialect {
                Dialect::FanucBinary => "save it as a TP listing",
                _ => "export the joint path",
            };
            assert!(said.starts_with("a") && said.contains(remedy), "{said}");
        }
        let said = misnamed(Path::new("a.ls"), b"").map(|e| e.to_string());
        assert!(said.is_some_and(|s| s.starts_with("a.ls:1: by its name this is a FANUC program")));
        assert!(misnamed(Path::new("a.csv"), b"").is_none());
        // Regression: a module that is encoded was told to have wrong ends of lines.
        let code: Vec<u8> = (0..=255).cycle().take(2000).collect();
        let said = misnamed(Path::new("a.sys"), &code).map(|e| e.to_string());
        assert!(said.is_some_and(|s| s.contains("encoded") && s.contains("leave it out")));
        assert!(encoded(Path::new("a.ls"), &code).is_none());
        for text in [
            &b""[..],
            b"MODULE a\r\n\tPROC p()\r\n ENDPROC\r\nENDMODULE\r\n\x1a",
        ] {
            assert!(encoded(Path::new("a.mod"), text).is_none());
        }
        // A text that merely contains such a word is not a program. A table never is, whatever it
        // contains.
        for (name, text) in [
            ("a.txt", "def f():\n  pass\n"),
            ("a.py", "def f(a,\n      b) -> int:  # why\n  pass\n"),
            ("a.txt", "modules,PROCs\n1,2\n"),
            ("a.csv", "/PROG\n"),
        ] {
            assert_eq!(recognise(text.as_bytes(), Path::new(name)), None, "{text}");
        }
    }
}
