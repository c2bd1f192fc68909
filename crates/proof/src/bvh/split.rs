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
        Self {
            lo: a.inf(&b).inf(&c).map(|x| x as f32).into(),
            hi: a.sup(&b).sup(&c).map(|x| x as f32).into(),
            triangle,
        }
    }

    /// Twice the middle of the box.
    fn middle(&self, axis: usize) -> f32 {
        self.lo[axis] + self.hi[axis]
    }
}

const BINS: usize = 16;

/// A box that grows.
#[derive(Clone, Copy)]
struct GrowingBox {
    lo: [f32; 3],
    hi: [f32; 3],
    count: usize,
}

impl GrowingBox {
    const NOTHING: GrowingBox = GrowingBox {
        lo: [f32::INFINITY; 3],
        hi: [f32::NEG_INFINITY; 3],
        count: 0,
    };

    fn add(&mut self, lo: &[f32; 3], hi: &[f32; 3], count: usize) {
        for k in 0..3 {
            self.lo[k] = self.lo[k].min(lo[k]);
            self.hi[k] = self.hi[k].max(hi[k]);
        }
        self.count += count;
    }

    /// Half the surface, times the number of triangles.
    fn cost(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|k| self.hi[k] - self.lo[k]);
        (x * y + y * z + z * x) * self.count as f32
    }
}

/// Puts the triangles of one side first and returns their number: the cut between bins that leaves
/// the least surface, or halves where nothing tells the triangles apart. Both sides get some.
pub(super) fn by_area(items: &mut [Item]) -> usize {
    let mut lo = [f32::INFINITY; 3];
    let mut hi = [f32::NEG_INFINITY; 3];
    for item in items.iter() {
        for k in 0..3 {
            lo[k] = lo[k].min(item.middle(k));
            hi[k] = hi[k].max(item.middle(k));
        }
    }
    let scale = [0, 1, 2].map(|k| {
        let scale = BINS as f32 / (hi[k] - lo[k]);
        if scale.is_finite() { scale } else { 0.0 }
    });
    let bin =
        |item: &Item, k: usize| (((item.middle(k) - lo[k]) * scale[k]) as usize).min(BINS - 1);
    let mut bins = [[GrowingBox::NOTHING; BINS]; 3];
    for item in items.iter() {
        for k in 0..3 {
            bins[k][bin(item, k)].add(&item.lo, &item.hi, 1);
        }
    }
    let mut best: Option<(f32, usize, usize)> = None;
    for k in 0..3 {
        let mut above = [0.0; BINS];
        let mut sum = GrowingBox::NOTHING;
        for cut in (1..BINS).rev() {
            let b = &bins[k][cut];
            sum.add(&b.lo, &b.hi, b.count);
            above[cut] = if sum.count == 0 {
                f32::INFINITY
            } else {
                sum.cost()
            };
        }
        let mut sum = GrowingBox::NOTHING;
        for cut in 1..BINS {
            let b = &bins[k][cut - 1];
            sum.add(&b.lo, &b.hi, b.count);
            if sum.count == 0 {
                continue;
            }
            let cost = sum.cost() + above[cut];
            if cost < best.map_or(f32::INFINITY, |b| b.0) {
                best = Some((cost, k, cut));
            }
        }
    }
    match best {
        // Zero cost says nothing (all in line).
        Some((cost, k, cut)) if cost > 0.0 => partition(items, |item| bin(item, k) < cut),
        _ => by_number(items),
    }
}

/// Half of the triangles on either side, along the axis in which they spread most.
pub(super) fn by_number(items: &mut [Item]) -> usize {
    by_number_at(items, items.len() / 2)
}

/// So many on the first side, likewise: at least 1, and not all.
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
