//! Triangles that stand in a mesh several times: with the same three corners, whichever way round.
//!
//! Many programs write surfaces from both sides. Of triangles with the same corners one counts, if
//! what they belong to is closed then. Where it is not, all count: two blocks that share a wall,
//! each with its own, are closed with both. A sheet that is written from both sides is closed by
//! the count of its edges too, but encloses nothing ([`super::enclosed`]).

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
        whole: &Self,
        twins: &[Twin],
    ) -> Self {
        let single = Self::of_single(triangles, vertices, twins, |_| true);
        // Components are the same with and without twins: a twin has the edges of the first one.
        let mut opened = vec![false; whole.closed.len()];
        for (t, &component) in single.of.iter().enumerate() {
            if component != Self::NONE && !single.closed[component as usize] {
                opened[whole.of[t] as usize] = true;
            }
        }
        let opens = |twin: &Twin| opened[whole.of[twin.first as usize] as usize];
        if twins.iter().any(opens) {
            Self::of_single(triangles, vertices, twins, |twin| !opens(twin))
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
}

#[cfg(test)]
mod tests;
