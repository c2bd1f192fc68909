//! A batch split over machines.

use std::fmt;

/// Part `k` of `n`, 1-based: every n-th program of the sorted list. Neighbours in a batch are often alike, so each part
/// gets its share of the slow ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    k: usize,
    n: usize,
}

impl Shard {
    /// Reads `2/4`.
    ///
    /// # Errors
    /// When it is not that.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((k, n)) if 1 <= k && k <= n => Ok(Self { k, n }),
            _ => Err("write `K/N` with K from 1 to N, as in `2/4`".to_owned()),
        }
    }

    /// Which part, from 1 on.
    pub fn part(&self) -> usize {
        self.k
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.n
    }

    /// Whether the program at this place of the sorted list belongs to this part.
    pub fn has(&self, index: usize) -> bool {
        index % self.n == self.k - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.k, self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_belongs_to_one_part() {
        for n in 1..7 {
            let parts: Vec<Shard> = (1..=n)
                .map(|k| Shard::parse(&format!("{k}/{n}")).unwrap())
                .collect();
            for index in 0..20 {
                assert_eq!(parts.iter().filter(|s| s.has(index)).count(), 1);
            }
        }
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for wrong in ["", "1", "0/3", "4/3", "1/0", "-1/3", "a/b", "1/2/3"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Shard::parse("2/4").unwrap().to_string(), "2/4");
    }
}
