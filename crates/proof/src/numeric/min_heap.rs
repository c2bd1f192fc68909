//! What is still to be looked at, the most promising first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Items with keys; the one with the least key comes first. Of equal first numbers the second one
/// decides, and so on.
#[derive(Debug)]
pub(crate) struct MinHeap<const N: usize, T> {
    heap: BinaryHeap<Keyed<N, T>>,
}

impl<const N: usize, T> MinHeap<N, T> {
    pub(crate) fn new() -> Self {
        MinHeap {
            heap: BinaryHeap::new(),
        }
    }

    pub(crate) fn push(&mut self, key: [f64; N], item: T) {
        self.heap.push(Keyed { key, item });
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        self.heap.pop().map(|keyed| keyed.item)
    }

    /// All that is left, in any order.
    pub(crate) fn into_items(self) -> impl Iterator<Item = T> {
        self.heap.into_iter().map(|keyed| keyed.item)
    }
}

#[derive(Debug)]
struct Keyed<const N: usize, T> {
    key: [f64; N],
    item: T,
}

impl<const N: usize, T> PartialEq for Keyed<N, T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<const N: usize, T> Eq for Keyed<N, T> {}
impl<const N: usize, T> PartialOrd for Keyed<N, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<const N: usize, T> Ord for Keyed<N, T> {
    /// `BinaryHeap` pops the greatest element.
    fn cmp(&self, other: &Self) -> Ordering {
        let both = other.key.iter().zip(&self.key);
        let orders = both.map(|(theirs, ours)| theirs.total_cmp(ours));
        orders.fold(Ordering::Equal, Ordering::then)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_key_comes_first_and_nothing_is_lost() {
        let mut open = MinHeap::new();
        for key in [[2.0, 0.0], [1.0, 5.0], [f64::NAN, 0.0], [1.0, -5.0]] {
            open.push(key, key);
        }
        assert_eq!(open.pop(), Some([1.0, -5.0]));
        assert_eq!(open.pop(), Some([1.0, 5.0]));
        assert_eq!(open.pop(), Some([2.0, 0.0]));
        let left: Vec<[f64; 2]> = open.into_items().collect();
        assert!(left.len() == 1 && left[0][0].is_nan());
    }
}
