//! The marked search: two covers at an instant, from their largest spheres down to the last ranks.

use clearance_proof::geometry::pose::Pose;
use nalgebra::Vector3;

use crate::ranked::RankedCover;

/// A cover in its place.
pub(super) struct Side<'c> {
    pub(super) cover: &'c RankedCover,
    /// How far the true surface lies from the covered one (ball, capsule), metres.
    pub(super) thickness: f64,
    pub(super) world_from_cover: Pose,
}

/// A sphere in its place. Only those that are looked at get one.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) rank: usize,
    pub(super) index: usize,
    /// In the world, metres.
    pub(super) center: Vector3<f64>,
    /// Around the true surface, metres.
    pub(super) radius: f64,
}

impl Side<'_> {
    pub(super) fn seen(&self, rank: usize, index: usize) -> Seen {
        let sphere = &self.cover.ranks[rank][index];
        Seen {
            rank,
            index,
            center: self.world_from_cover.apply(&sphere.place()),
            radius: f64::from(sphere.radius) + self.thickness,
        }
    }

    fn in_last_rank(&self, sphere: &Seen) -> bool {
        sphere.rank + 1 == self.cover.ranks.len()
    }

    fn below(&self, sphere: &Seen) -> impl Iterator<Item = Seen> {
        let below = self.cover.below(sphere.rank, sphere.index);
        below.map(|index| self.seen(sphere.rank + 1, index))
    }
}

/// The nearest spheres so far.
pub(super) struct NearestSpheres {
    pub(super) gap: f64,
    /// Nothing nearer than this is of interest, metres.
    pub(super) enough: f64,
}

/// Two covers at an instant.
pub(super) struct Both<'c> {
    pub(super) sides: [Side<'c>; 2],
    /// How far computed distances can be off, metres.
    pub(super) margin: f64,
    pub(super) tests: u64,
}

impl Both<'_> {
    /// Distance of two spheres, negative where they overlap, metres.
    pub(super) fn gap(&mut self, x: &Seen, y: &Seen) -> f64 {
        self.tests += 1;
        (x.center - y.center).norm() - x.radius - y.radius
    }

    /// The spheres below `of` (of that side) that are within the limit of `against`.
    fn marked(&mut self, side: usize, of: &Seen, against: &Seen, limit: f64) -> Vec<Seen> {
        let mut marked: Vec<Seen> = self.sides[side].below(of).collect();
        marked.retain(|sphere| self.gap(sphere, against) <= limit);
        marked
    }

    /// Goes down from two spheres that are within the limit of each other. Gives whether `found`
    /// has seen enough.
    pub(super) fn refine(
        &mut self,
        x: &Seen,
        y: &Seen,
        limit: f64,
        found: &mut dyn FnMut(&Seen, &Seen, f64) -> bool,
    ) -> bool {
        match [self.sides[0].in_last_rank(x), self.sides[1].in_last_rank(y)] {
            [true, true] => {
                let gap = (x.center - y.center).norm() - x.radius - y.radius;
                found(x, y, gap)
            }
            [true, false] => {
                let marked = self.marked(1, y, x, limit);
                marked.iter().any(|y| self.refine(x, y, limit, found))
            }
            [false, true] => {
                let marked = self.marked(0, x, y, limit);
                marked.iter().any(|x| self.refine(x, y, limit, found))
            }
            [false, false] => {
                let below_y = self.marked(1, y, x, limit);
                if below_y.is_empty() {
                    return false;
                }
                let below_x = self.marked(0, x, y, limit);
                below_x.iter().any(|x| {
                    (below_y.iter())
                        .any(|y| self.gap(x, y) <= limit && self.refine(x, y, limit, found))
                })
            }
        }
    }

    /// Finds the nearest spheres of the last ranks below these two. Gives whether that is near
    /// enough to stop.
    pub(super) fn nearer(&mut self, x: &Seen, y: &Seen, nearest: &mut NearestSpheres) -> bool {
        let ends = [self.sides[0].in_last_rank(x), self.sides[1].in_last_rank(y)];
        if ends == [true, true] {
            nearest.gap = (x.center - y.center).norm() - x.radius - y.radius;
            return nearest.gap <= nearest.enough;
        }
        // Here the order is free: the larger sphere first, and of what is below it the nearest.
        let open = usize::from(ends[0] || (!ends[1] && y.radius > x.radius));
        let (of, against) = if open == 0 { (x, y) } else { (y, x) };
        let below: Vec<Seen> = self.sides[open].below(of).collect();
        let mut below: Vec<(f64, Seen)> = (below.into_iter())
            .map(|sphere| (self.gap(&sphere, against), sphere))
            .collect();
        below.sort_by(|p, q| p.0.total_cmp(&q.0));
        for (gap, sphere) in &below {
            if *gap >= nearest.gap {
                break;
            }
            let (x, y) = if open == 0 { (sphere, y) } else { (x, sphere) };
            if self.nearer(x, y, nearest) {
                return true;
            }
        }
        false
    }
}
