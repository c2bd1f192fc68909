//! How the polynomials of a segment are kept: long programs have millions of them, and most are
//! straight lines.

use crate::numeric::polynomial::Polynomial;

/// One polynomial for each joint of the cell, with as many coefficients each as the longest of them
/// needs: two numbers a joint for straight lines. Coefficients come back bit by bit as they were
/// given. So only those are left out that are +0.0; -0.0 is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Polynomials {
    /// Joint by joint, lowest degree first.
    kept: Box<[f64]>,
    joints: u32,
    /// Coefficients of each joint.
    each: u32,
}

impl Polynomials {
    /// Polynomials of straight lines: start value and change of each joint.
    pub(super) fn straight(lines: Vec<[f64; 2]>) -> Self {
        let joints = u32::try_from(lines.len()).expect("no cell has 2^32 joints");
        let (each, kept) = if lines.iter().any(|[_, way]| way.to_bits() != 0) {
            (2, lines.into_flattened())
        } else {
            (1, lines.into_iter().map(|[start, _]| start).collect())
        };
        Self {
            kept: kept.into(),
            joints,
            each,
        }
    }

    /// The polynomial of a joint.
    #[inline]
    pub fn of(&self, joint: usize) -> Polynomial {
        let each = self.each as usize;
        let mut whole = [0.0; 6];
        match &self.kept[joint * each..][..each] {
            // A fixed length of two compiles to faster code than a slice of any length.
            &[c0, c1] => [whole[0], whole[1]] = [c0, c1],
            kept => whole[..each].copy_from_slice(kept),
        }
        whole
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.joints as usize
    }

    /// The polynomials of all joints, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Polynomial> + DoubleEndedIterator {
        (0..self.len()).map(|joint| self.of(joint))
    }

    /// Changes some of them.
    pub fn change(&mut self, change: impl FnOnce(&mut Vec<Polynomial>)) {
        let mut all = self.iter().collect();
        change(&mut all);
        *self = Self::from(&all[..]);
    }

    #[cfg(test)]
    /// Bytes that are held for them beside this structure.
    pub fn heap_bytes(&self) -> usize {
        size_of_val::<[f64]>(&self.kept)
    }
}

impl From<&[Polynomial]> for Polynomials {
    fn from(all: &[Polynomial]) -> Self {
        let needs = |c: &Polynomial| {
            c.iter()
                .rposition(|x| x.to_bits() != 0)
                .map_or(1, |k| k + 1)
        };
        let each = all.iter().map(needs).max().unwrap_or(1);
        // As long as it has to be from the start: growing and cutting leaves holes in memory.
        let mut kept = Vec::with_capacity(all.len() * each);
        all.iter().for_each(|c| kept.extend_from_slice(&c[..each]));
        Self {
            kept: kept.into(),
            joints: u32::try_from(all.len()).expect("no cell has 2^32 joints"),
            each: each as u32,
        }
    }
}

impl From<Vec<Polynomial>> for Polynomials {
    fn from(all: Vec<Polynomial>) -> Self {
        Self::from(&all[..])
    }
}

impl<const N: usize> From<[Polynomial; N]> for Polynomials {
    fn from(all: [Polynomial; N]) -> Self {
        Self::from(&all[..])
    }
}

impl FromIterator<Polynomial> for Polynomials {
    fn from_iter<I: IntoIterator<Item = Polynomial>>(all: I) -> Self {
        Self::from(all.into_iter().collect::<Vec<_>>())
    }
}

impl PartialEq for Polynomials {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    /// Catches coefficients left out that are not +0.0, and polynomials read from another place.
    #[test]
    fn come_back_bit_by_bit() {
        let mut random = Random(0x5eed);
        let bits = |c: Polynomial| c.map(f64::to_bits);
        for case in 0..5_000 {
            // Every degree, with zeros of both signs within and at the end.
            let longest = random.below(7);
            let mut coefficient = |k: usize| match (k < longest, random.below(4)) {
                (false, _) => 0.0,
                (true, 0) => -0.0,
                (true, 1) => 0.0,
                (true, _) => random.signed(),
            };
            let all: Vec<Polynomial> = (0..case % 9)
                .map(|_| std::array::from_fn(&mut coefficient))
                .collect();
            let kept = Polynomials::from(&all[..]);
            assert_eq!(kept.len(), all.len());
            assert_eq!(kept.iter().len(), all.len());
            assert!(
                kept.iter().map(bits).eq(all.iter().copied().map(bits)),
                "{all:?}"
            );
            let one_by_one = (0..all.len()).map(|joint| bits(kept.of(joint)));
            assert!(one_by_one.eq(all.iter().copied().map(bits)), "{all:?}");
        }
    }

    /// Lines are kept like any polynomial, to the last bit and with as much room.
    #[test]
    fn straight_lines_are_polynomials() {
        let numbers = [0.0, -0.0, 1.5, -2.0, f64::MIN_POSITIVE];
        let pairs = || numbers.iter().flat_map(|a| numbers.map(|b| [*a, b]));
        let mut cases: Vec<Vec<[f64; 2]>> = vec![Vec::new()];
        cases.extend(pairs().map(|line| vec![line]));
        cases.extend(pairs().flat_map(|a| pairs().map(move |b| vec![a, [0.25, 0.0], b])));
        for lines in cases {
            let as_any = lines.iter().map(|&[a, b]| [a, b, 0.0, 0.0, 0.0, 0.0]);
            let any: Polynomials = as_any.collect();
            let straight = Polynomials::straight(lines);
            let bits =
                |all: &Polynomials| -> Vec<u64> { all.kept.iter().map(|x| x.to_bits()).collect() };
            assert_eq!(bits(&straight), bits(&any));
            assert_eq!((straight.joints, straight.each), (any.joints, any.each));
        }
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn there_is_no_joint_after_the_last() {
        Polynomials::from([[1.0, 2.0, 0.0, 0.0, 0.0, 0.0]; 3]).of(3);
    }

    #[test]
    fn are_changed_to_another_degree() {
        let mut kept = Polynomials::from(vec![[1.0, 2.0, 0.0, 0.0, 0.0, 0.0]; 3]);
        kept.change(|all| all[1][4] = 5.0);
        assert_eq!(kept.of(0), [1.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(kept.of(1), [1.0, 2.0, 0.0, 0.0, 5.0, 0.0]);
        assert_eq!(kept.heap_bytes(), 3 * 5 * 8);
        kept.change(|all| all[1][4] = 0.0);
        assert_eq!(kept.heap_bytes(), 3 * 2 * 8);
    }
}
