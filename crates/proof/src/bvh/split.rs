//! Where to cut a set of triangles in two.

use nalgebra::Vector3;

/// A triangle on its way to its leaf, with its box packed. Single precision is enough to choose by;
/// the bounds come from the exact corners.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    lo: [f32; 3],
    hi: [f32; 3],
    pub(super) triangle: u32,
}

impl Item {
    pub(super) fn new(triangle: u32, [a, b, c]: [Vector3<f64>; 3]) -> Self {
        let [lo, hi] = [a.inf(&b).inf(&c), a.sup(&b).sup(&c)].map(|v| v.map(|x| x as f32));
        Self {
            lo: lo.into(),
            hi: hi.into(),
            triangle,
        }
    }

    /// Twice the middle of the box.
    fn middle(&self, axis: usize) -> f32 {
        self.lo[axis] + self.hi[axis]
    }

    fn around(&self) -> GrowingBox {
        let [lo, hi] = [self.lo, self.hi].map(|[x, y, z]| [x, y, z, 0.0]);
        GrowingBox { lo, hi, count: 1 }
    }
}

const BINS: usize = 16;

/// A box that grows.
#[derive(Clone, Copy)]
struct GrowingBox {
    /// Four numbers fill a register; the last one means nothing.
    lo: [f32; 4],
    hi: [f32; 4],
    count: usize,
}

impl GrowingBox {
    const NOTHING: GrowingBox = GrowingBox {
        lo: [f32::INFINITY; 4],
        hi: [f32::NEG_INFINITY; 4],
        count: 0,
    };

    fn add(&mut self, other: &GrowingBox) {
        self.lo = least(self.lo, other.lo);
        self.hi = greatest(self.hi, other.hi);
        self.count += other.count;
    }

    /// Half the surface, times the number of triangles.
    fn cost(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|k| self.hi[k] - self.lo[k]);
        (x * y + y * z + z * x) * self.count as f32
    }
}

// Not `f32::min` and `f32::max`, which ask after NaN: one instruction for all four.
fn least(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|k| if b[k] < a[k] { b[k] } else { a[k] })
}

fn greatest(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|k| if b[k] > a[k] { b[k] } else { a[k] })
}

/// The bins of one axis. Which ones have items is told by bits: most sets are small, and bins that
/// nobody is in are never looked at.
struct Bins {
    /// Only those of `used` mean anything.
    boxes: [GrowingBox; BINS],
    used: u16,
}

impl Bins {
    const EMPTY: Bins = Bins {
        boxes: [GrowingBox::NOTHING; BINS],
        used: 0,
    };

    fn add(&mut self, bin: usize, item: &GrowingBox) {
        if self.used >> bin & 1 == 0 {
            self.boxes[bin] = *item;
            self.used |= 1 << bin;
        } else {
            self.boxes[bin].add(item);
        }
    }

    /// The least cost of a cut and the bin before which it lies; of equal costs the first. A cut
    /// after an empty bin is the same as the one before it, so only bins with items are looked at.
    fn best(&self) -> Option<(f32, usize)> {
        let mut above = [0.0; BINS];
        let mut sum = GrowingBox::NOTHING;
        let mut left = self.used;
        while left != 0 {
            let bin = left.ilog2() as usize;
            left &= !(1 << bin);
            sum.add(&self.boxes[bin]);
            above[bin] = sum.cost();
        }
        let mut best: Option<(f32, usize)> = None;
        let mut sum = GrowingBox::NOTHING;
        let mut left = self.used;
        while left != 0 {
            let bin = left.trailing_zeros() as usize;
            left &= left - 1;
            if left == 0 {
                break;
            }
            sum.add(&self.boxes[bin]);
            let cost = sum.cost() + above[left.trailing_zeros() as usize];
            if cost < best.map_or(f32::INFINITY, |b| b.0) {
                best = Some((cost, bin + 1));
            }
        }
        best
    }
}

/// The bins of all three axes, kept for the next cut: most sets are small, and to make bins anew
/// takes longer than to fill them.
pub(super) struct Cut {
    bins: [Bins; 3],
}

impl Default for Cut {
    fn default() -> Self {
        Cut {
            bins: [Bins::EMPTY; 3],
        }
    }
}

impl Cut {
    /// Puts the triangles of one side first and returns their number: the cut between bins that
    /// leaves the least surface, or halves where nothing tells the triangles apart. Both sides get
    /// some.
    pub(super) fn by_area(&mut self, items: &mut [Item]) -> usize {
        let mut lo = [f32::INFINITY; 4];
        let mut hi = [f32::NEG_INFINITY; 4];
        for item in items.iter() {
            let [x, y, z] = [0, 1, 2].map(|k| item.middle(k));
            let middle = [x, y, z, 0.0];
            lo = least(lo, middle);
            hi = greatest(hi, middle);
        }
        let scale = [0, 1, 2].map(|k| {
            let scale = BINS as f32 / (hi[k] - lo[k]);
            if scale.is_finite() { scale } else { 0.0 }
        });
        // No number here is beyond the bins by more than rounding, nor negative.
        let bin = |item: &Item, k: usize| {
            (((item.middle(k) - lo[k]) * scale[k]) as i32 as usize).min(BINS - 1)
        };
        for bins in &mut self.bins {
            bins.used = 0;
        }
        for item in items.iter() {
            let around = item.around();
            for (k, bins) in self.bins.iter_mut().enumerate() {
                bins.add(bin(item, k), &around);
            }
        }
        let mut best: Option<(f32, usize, usize)> = None;
        for (k, bins) in self.bins.iter().enumerate() {
            if let Some((cost, cut)) = bins.best()
                && cost < best.map_or(f32::INFINITY, |b| b.0)
            {
                best = Some((cost, k, cut));
            }
        }
        match best {
            // Zero cost says nothing (all in line).
            Some((cost, k, cut)) if cost > 0.0 => partition(items, |item| bin(item, k) < cut),
            _ => by_number(items),
        }
    }
}

/// Half of the triangles on either side, along the axis in which they spread most.
pub(super) fn by_number(items: &mut [Item]) -> usize {
    by_number_at(items, items.len() / 2)
}

/// Like [`by_number`], with `first` triangles on the first side (at least 1, not all).
pub(super) fn by_number_at(items: &mut [Item], first: usize) -> usize {
    let spread = |k: usize| {
        let (lo, hi) = items
            .iter()
            .map(|i| i.middle(k))
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(lo, hi), m| {
                (lo.min(m), hi.max(m))
            });
        hi - lo
    };
    let spreads = [spread(0), spread(1), spread(2)];
    let axis = (0..3).fold(
        0,
        |best, k| if spreads[k] > spreads[best] { k } else { best },
    );
    items.select_nth_unstable_by(first, |a, b| {
        a.middle(axis)
            .total_cmp(&b.middle(axis))
            .then(a.triangle.cmp(&b.triangle))
    });
    first
}

/// Puts the items that satisfy `first` in front and returns their number.
fn partition(items: &mut [Item], first: impl Fn(&Item) -> bool) -> usize {
    let mut front = 0;
    for i in 0..items.len() {
        if first(&items[i]) {
            items.swap(i, front);
            front += 1;
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::random::Random;

    /// The plain way: the first cut of the least cost, each by all items on its two sides.
    fn plain_best(items: &[(usize, Item)]) -> Option<(f32, usize)> {
        let cost = |side: &dyn Fn(usize) -> bool| {
            let mut sum = GrowingBox::NOTHING;
            items
                .iter()
                .filter(|(bin, _)| side(*bin))
                .for_each(|(_, item)| sum.add(&item.around()));
            (sum.count > 0).then(|| sum.cost())
        };
        let mut best: Option<(f32, usize)> = None;
        for cut in 1..BINS {
            if let (Some(below), Some(above)) = (cost(&|bin| bin < cut), cost(&|bin| bin >= cut))
                && best.is_none_or(|(least, _)| below + above < least)
            {
                best = Some((below + above, cut));
            }
        }
        best
    }

    /// Catches: another cut, and so another tree, where some bins are left out of the search.
    #[test]
    fn the_cut_is_the_first_of_the_least_cost() {
        let mut r = Random(3);
        for case in 0..3_000 {
            // Few different places: then there are cuts of the same cost.
            let steps = [2, 5, 1000][case % 3];
            let count = r.below(9) + case % 2 * r.below(60);
            let mut bins = Bins::EMPTY;
            let items: Vec<(usize, Item)> = (0..count)
                .map(|_| {
                    let corner = Vector3::from_fn(|_, _| r.below(steps) as f64);
                    let other = Vector3::from_fn(|_, _| r.below(steps) as f64);
                    (r.below(BINS), Item::new(0, [corner, other, corner]))
                })
                .collect();
            for (bin, item) in &items {
                bins.add(*bin, &item.around());
            }
            assert_eq!(bins.best(), plain_best(&items), "case {case}");
        }
    }

    /// Catches: bins that are left over from the cut before.
    #[test]
    fn a_cut_is_the_same_whatever_was_cut_before() {
        let mut r = Random(4);
        let mut used = Cut::default();
        for case in 0..300 {
            let size = [1.0, 1e-3, 1e3][case % 3];
            let items: Vec<Item> = (0..2 + r.below(40))
                .map(|i| Item::new(i as u32, [(); 3].map(|()| r.vector() * size)))
                .collect();
            let cut = |cut: &mut Cut| {
                let mut items = items.clone();
                let middle = cut.by_area(&mut items);
                let order: Vec<u32> = items.iter().map(|item| item.triangle).collect();
                (middle, order)
            };
            assert_eq!(cut(&mut used), cut(&mut Cut::default()), "case {case}");
        }
    }
}
