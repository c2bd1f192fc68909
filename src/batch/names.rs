//! Names of programs in a batch, as they are shown, and their order, in which numbers count as
//! numbers: `p2` stands before `p10`. Tables of numbered programs then have that order themselves.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::Path;

/// A program as results name it.
pub fn name(program: &Path) -> String {
    shown(program).into_owned()
}

/// The same without a new text, where its own is one.
pub(super) fn shown(program: &Path) -> Cow<'_, str> {
    match program.to_str() {
        Some(text) => Cow::Borrowed(text),
        None => program.to_string_lossy(),
    }
}

/// Compares the names of two programs. Equal are only those that are shown alike.
pub(super) fn in_order(a: &Path, b: &Path) -> Ordering {
    let [x, y] = [a, b].map(|path| path.as_os_str().as_encoded_bytes());
    // A batch of very many compares so often that to go through both names, and to find out whether
    // they are text, would take longer than the rest.
    first_difference(x, y).unwrap_or_else(|| {
        let (a, b) = (shown(a), shown(b));
        by_numbers(a.as_bytes(), b.as_bytes()).then_with(|| a.cmp(&b))
    })
}

/// The order by the first bytes that differ; `None`: it takes more to tell.
fn first_difference(a: &[u8], b: &[u8]) -> Option<Ordering> {
    let same = common_start(a, b);
    let differ = [a.get(same), b.get(same)];
    // What both have in common is shown alike, text or not, and ASCII as it is.
    if !differ.into_iter().flatten().all(u8::is_ascii) {
        return None;
    }
    let digits_before = a[..same].iter().rev().take_while(|c| c.is_ascii_digit());
    let start = same - digits_before.count();
    match [a, b].map(|name| number_at(&name[start..])) {
        [Some(m), Some(n)] => Some(m.cmp(&n)).filter(|order| order.is_ne()),
        _ => Some(differ[0].cmp(&differ[1])),
    }
}

/// How many bytes both begin with.
fn common_start(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 16;
    let steps = a.chunks_exact(STEP).zip(b.chunks_exact(STEP));
    let start = STEP * steps.take_while(|(a, b)| a == b).count();
    let rest = a[start..].iter().zip(&b[start..]);
    start + rest.take_while(|(a, b)| a == b).count()
}

/// Compares two texts byte by byte, and numbers in them by their values.
fn by_numbers(mut a: &[u8], mut b: &[u8]) -> Ordering {
    loop {
        let order = match [a, b].map(number_at) {
            [Some(m), Some(n)] => {
                let digits = |text: &[u8]| text.iter().take_while(|c| c.is_ascii_digit()).count();
                (a, b) = (&a[digits(a)..], &b[digits(b)..]);
                m.cmp(&n)
            }
            _ => match (a.split_first(), b.split_first()) {
                (Some((x, more)), Some((y, others))) => {
                    (a, b) = (more, others);
                    x.cmp(y)
                }
                _ => return a.len().cmp(&b.len()),
            },
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// A whole number of any length, by its digits without zeros in front.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Number<'n> {
    length: usize,
    digits: &'n [u8],
}

/// The number that a text begins with.
fn number_at(text: &[u8]) -> Option<Number<'_>> {
    let length = text.iter().take_while(|c| c.is_ascii_digit()).count();
    let zeros = text[..length].iter().take_while(|&&c| c == b'0').count();
    let digits = &text[zeros..length];
    (length > 0).then_some(Number {
        length: digits.len(),
        digits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let sorted = [
            "a.csv",
            "p-1.csv",
            "p1.csv",
            "p01b.csv",
            "p1c.csv",
            "p2.csv",
            "p10.csv",
            "p010.csv2",
            "p99999999999999999999999.csv",
            "pick.csv",
            "t.parquet#9",
            "t.parquet#10",
            "t10.parquet#2",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|a, b| in_order(Path::new(a), Path::new(b)));
        assert_eq!(names, sorted);
    }

    /// The short way says what the long one says, on names that are text and on others; and it is
    /// an order, in which equal names are those that are shown alike.
    #[cfg(unix)]
    #[test]
    fn the_order_is_that_of_the_names_as_they_are_shown() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let parts: [&[u8]; 10] = [
            b"a",
            b"0",
            b"1",
            b"9",
            b".",
            b"0123456789abcdef",
            "é".as_bytes(),
            "\u{10348}".as_bytes(),
            b"\xc3",
            b"\xf0\x90",
        ];
        let mut names: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..3 {
            let longer = names
                .iter()
                .flat_map(|n| parts.map(|part| [n, part].concat()));
            names = [Vec::new()].into_iter().chain(longer).collect();
        }
        let path = |name: &Vec<u8>| Path::new(OsStr::from_bytes(name)).to_owned();
        let mut paths: Vec<_> = names.iter().map(path).collect();
        let mut kinds = [0; 3];
        for a in &paths {
            for b in &paths {
                let order = in_order(a, b);
                let (x, y) = (shown(a), shown(b));
                let long = by_numbers(x.as_bytes(), y.as_bytes()).then_with(|| x.cmp(&y));
                assert_eq!(order, long, "{a:?} {b:?}");
                assert_eq!(order.is_eq(), x == y, "{a:?} {b:?}");
                kinds[(order as i8 + 1) as usize] += 1;
            }
        }
        assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
        paths.sort_by(|a, b| in_order(a, b));
        for (at, a) in paths.iter().enumerate() {
            let behind = paths[at..].iter();
            assert!(behind.clone().all(|b| in_order(a, b).is_le()), "{a:?}");
        }
    }
}
