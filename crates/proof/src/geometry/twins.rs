//! Triangles that stand in a mesh several times: with the same three corners, whichever way round.
//!
//! Many programs write a sheet from both sides. By the count of its edges such a mesh is closed,
//! and it encloses nothing: every way in leads out again at once. So of triangles with the same
//! corners one counts, unless what they belong to is closed with all of them and encloses something
//! (two blocks that share a wall, each with its own).

use std::collections::BTreeMap;

use super::components::{Components, Edges};

/// A triangle, and the first one with the same corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Twin {
    first: u32,
    other: u32,
}

impl Edges {
    /// Every triangle that has the corners of one before it.
    pub(super) fn twins(&self, triangles: &[[u32; 3]]) -> Vec<Twin> {
        let mut twins = Vec::new();
        let mut here: Vec<(u32, u32)> = Vec::new();
        for (near, users) in self.by_vertex() {
            if users.len() < 2 {
                continue;
            }
            // A triangle is looked at where its two lowest corners are.
            here.clear();
            for one in users {
                let [a, b, c] = triangles[one.triangle()];
                let third = a ^ b ^ c ^ near ^ one.far;
                if third > one.far {
                    here.push((third, one.triangle() as u32));
                }
            }
            match here[..] {
                [] | [_] => {}
                [one, two] if one.0 != two.0 => {}
                _ => {
                    here.sort_unstable();
                    for alike in here.chunk_by(|a, b| a.0 == b.0) {
                        let first = alike[0].1;
                        let others = alike[1..].iter().map(|&(_, other)| Twin { first, other });
                        twins.extend(others);
                    }
                }
            }
        }
        twins
    }
}

impl Components {
    /// The components of triangles that have twins. `whole`: those with all of them.
    pub(super) fn with_twins(
        triangles: &[[u32; 3]],
        vertices: usize,
        whole: Self,
        twins: &[Twin],
    ) -> Self {
        let single = Self::of_single(triangles, vertices, twins, |_| true);
        // They hang together alike: a twin has the edges of the first one. All of a component count
        // where it is closed with them only.
        let mut all_count = vec![false; whole.closed.len()];
        for (t, &component) in single.of.iter().enumerate() {
            if component != Self::NONE && !single.closed[component as usize] {
                all_count[whole.of[t] as usize] = true;
            }
        }
        for (component, all_count) in all_count.iter_mut().enumerate() {
            *all_count &= whole.closed[component];
        }
        let encloses = whole.enclosing(triangles, twins);
        let counts = |t: u32| {
            let component = whole.of[t as usize] as usize;
            all_count[component] && encloses[component]
        };
        if twins.iter().any(|twin| counts(twin.first)) {
            Self::of_single(triangles, vertices, twins, |twin| !counts(twin.first))
        } else {
            single
        }
    }

    /// The components of the triangles without these twins.
    pub(super) fn of_single(
        triangles: &[[u32; 3]],
        vertices: usize,
        twins: &[Twin],
        left_out: impl Fn(&Twin) -> bool,
    ) -> Self {
        let mut single = triangles.to_vec();
        for twin in twins.iter().filter(|twin| left_out(twin)) {
            // One that uses a corner twice bounds nothing.
            single[twin.other as usize] = [0; 3];
        }
        Self::as_written(&single, &Edges::new(&single, vertices)).0
    }

    /// Of each component whether it may enclose something with all twins: some triangle is not
    /// undone by others with the same corners, and no twin was turned against the first one to
    /// balance their edges.
    fn enclosing(&self, triangles: &[[u32; 3]], twins: &[Twin]) -> Vec<bool> {
        // How often more a triangle stands one way round than the other way.
        let way = |t: u32| match (is_even(triangles[t as usize]), self.turned[t as usize]) {
            (true, false) | (false, true) => 1,
            _ => -1,
        };
        let mut sums: BTreeMap<u32, i32> = BTreeMap::new();
        let mut sound = vec![true; self.closed.len()];
        for &Twin { first, other } in twins {
            *sums.entry(first).or_insert_with(|| way(first)) += way(other);
            if self.turned[first as usize] != self.turned[other as usize] {
                sound[self.of[first as usize] as usize] = false;
            }
        }
        let mut undone = vec![false; triangles.len()];
        for &Twin { first, other } in twins {
            let nothing = sums[&first] == 0;
            undone[first as usize] = nothing;
            undone[other as usize] = nothing;
        }
        let mut encloses = vec![false; self.closed.len()];
        for (&component, undone) in self.of.iter().zip(undone) {
            if component != Self::NONE && !undone {
                encloses[component as usize] = sound[component as usize];
            }
        }
        encloses
    }
}

/// Whether the corners are an even permutation of themselves in order.
fn is_even([a, b, c]: [u32; 3]) -> bool {
    (a < b) ^ (b < c) ^ (a < c)
}

#[cfg(test)]
mod tests;
