//! Body names with `*`.

/// Whether a pattern matches a name; `*` matches any text, also none. Everything else stands for
/// itself.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else {
        return rest.is_empty(); // no `*` at all
    };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    /// The definition, letter by letter.
    fn slow(pattern: &[u8], name: &[u8]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some((b'*', rest)) => (0..=name.len()).any(|i| slow(rest, &name[i..])),
            Some((c, rest)) => name
                .split_first()
                .is_some_and(|(d, tail)| c == d && slow(rest, tail)),
        }
    }

    #[test]
    fn agrees_with_the_definition_on_every_short_word() {
        let words = |letters: &[u8], longest: usize| {
            let mut all = vec![Vec::new()];
            let mut last = all.clone();
            for _ in 0..longest {
                last = last
                    .iter()
                    .flat_map(|w: &Vec<u8>| {
                        letters.iter().map(move |&l| [w.as_slice(), &[l]].concat())
                    })
                    .collect();
                all.extend(last.clone());
            }
            all
        };
        for pattern in words(b"ab*", 5) {
            for name in words(b"ab", 5) {
                let (p, n) = (
                    std::str::from_utf8(&pattern).unwrap(),
                    std::str::from_utf8(&name).unwrap(),
                );
                assert_eq!(matches(p, n), slow(&pattern, &name), "{p} on {n}");
            }
        }
    }
}
