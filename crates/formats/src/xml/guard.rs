//! Documents that no reader of XML is given: they make it work or grow out of all proportion to
//! their size.

use std::ops::ControlFlow;

use crate::Problem;

/// More attributes than any real element has. The parser compares every attribute of an element
/// with all before it.
const MOST_ATTRIBUTES: usize = 500;
/// More namespace declarations than any real document has. Every element that has one copies those
/// of its parents.
const MOST_NAMESPACES: usize = 1000;

/// The first thing of a document that must not be parsed: its offset, and what to say.
pub(crate) fn refused(text: &str) -> Option<(usize, Problem)> {
    entity(text).or_else(|| crowded(text))
}

/// An entity that the document defines. A few lines of such definitions stand for gigabytes of
/// text, and one may name a file: neither ROS nor a mesh has a use for them.
fn entity(text: &str) -> Option<(usize, Problem)> {
    // Only in a DOCTYPE can an entity be defined; elsewhere `<!ENTITY` is text.
    if !text.contains("<!DOCTYPE") {
        return None;
    }
    let without = roxmltree::ParsingOptions {
        allow_dtd: false,
        ..Default::default()
    };
    let parsed = roxmltree::Document::parse_with_options(text, without);
    if !matches!(parsed, Err(roxmltree::Error::DtdDetected)) {
        return None;
    }
    let problem = Problem::Unsupported {
        what: "an entity definition (`<!ENTITY`)".to_owned(),
        remedy: "write its text where `&name;` stands, for example by `xmllint --noent`".to_owned(),
    };
    Some((text.find("<!ENTITY")?, problem))
}

/// An element with too many attributes, or the namespace declaration that is one too many.
fn crowded(text: &str) -> Option<(usize, Problem)> {
    let too_many = |what: &str, most: usize| Problem::Unsupported {
        what: format!("xml with more than {most} {what}"),
        remedy: "check how the file was generated".to_owned(),
    };
    if let Some((at, _)) = text.match_indices("xmlns").nth(MOST_NAMESPACES) {
        return Some((at, too_many("namespace declarations", MOST_NAMESPACES)));
    }
    let found = tags(text.as_bytes(), |start, attributes| {
        if attributes > MOST_ATTRIBUTES {
            ControlFlow::Break(start)
        } else {
            ControlFlow::Continue(())
        }
    });
    let at = found.break_value()?;
    Some((at, too_many("attributes of one element", MOST_ATTRIBUTES)))
}

/// Goes through everything that may be a start tag: its offset, and how many attributes it has at
/// most.
fn tags(
    text: &[u8],
    mut tag: impl FnMut(usize, usize) -> ControlFlow<usize>,
) -> ControlFlow<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(|&b| b == b'<').map(|i| at + i) {
        at = start + 1;
        if !text
            .get(at)
            .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b':' || *b >= 0x80)
        {
            continue;
        }
        let mut attributes = 0;
        let mut quote = None;
        while let Some(&byte) = text.get(at) {
            match (quote, byte) {
                (Some(q), b) if b == q => quote = None,
                // No attribute has a `<` in it: this is not a tag, or the parser will say that it
                // is broken.
                (_, b'<') | (None, b'>') => break,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => {
                    quote = Some(byte);
                    attributes += 1;
                }
                _ => {}
            }
            at += 1;
        }
        tag(start, attributes)?;
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<(usize, String)> {
        refused(text).map(|(at, problem)| (at, problem.to_string()))
    }

    #[test]
    fn definitions_of_entities_are_refused_where_they_stand() {
        // 200 kB of such text took 2.5 GB.
        let bomb = format!(
            "<!DOCTYPE r [\n<!ENTITY a \"{}\">]>\n<r>{}</r>",
            "x".repeat(100_000),
            "&a;".repeat(30_000)
        );
        let (at, problem) = said(&bomb).unwrap();
        assert_eq!(at, 14);
        assert!(
            problem.contains("entity definition (`<!ENTITY`) is not supported; write its text")
        );
        // Behind whatever may stand before it.
        assert!(said("<?a <r>?><!DOCTYPE r [ <!ENTITY a SYSTEM \"f\"> ]><r/>").is_some());
        // A document that defines no entity is fine, and so is one that only looks as if it did.
        for fine in [
            "<!DOCTYPE robot><robot/>",
            "<!DOCTYPE r [<!ELEMENT r ANY>]><r/>",
            "<r><![CDATA[<!DOCTYPE r [<!ENTITY a 'b'>]>]]></r>",
        ] {
            assert_eq!(said(fine), None, "{fine}");
        }
    }

    #[test]
    fn crowds_of_attributes_and_namespaces_are_refused() {
        let attributes = |n: usize| -> String { (0..n).map(|i| format!(" a{i}='>'")).collect() };
        assert_eq!(
            said(&format!("<r><b{}/></r>", attributes(MOST_ATTRIBUTES))),
            None
        );
        let many = said(&format!("<r><b{}/></r>", attributes(MOST_ATTRIBUTES + 1)));
        assert!(many.is_some_and(|(at, why)| at == 3 && why.contains("500 attributes")));
        let nested = "<a xmlns:b='c'>".repeat(MOST_NAMESPACES + 1);
        assert!(said(&nested).is_some_and(|(_, why)| why.contains("1000 namespace")));
        assert_eq!(said(&nested[15..]), None);
    }
}
