//! Duplicate triangles of a mesh: the same three corners, with the same or the opposite winding.
//!
//! Many programs write surfaces from both sides. Of triangles with the same corners only one counts,
//! if their component is closed then. If it is not, all of them count: two blocks that share a wall,
//! each with its own triangles, are closed with both. A sheet that is written from both sides is closed by
//! the count of its edges too, but encloses nothing ([`super::enclosed`]).

use super::components::{Components, Edges};

/// A triangle, and the first one with the same corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Duplicate {
    first: u32,
    other: u32,
}

impl Edges {
    /// Every triangle that has the same corners as an earlier one.
    pub(super) fn duplicates(&self, triangles: &[[u32; 3]]) -> Vec<Duplicate> {
        let mut duplicates = Vec::new();
        let mut here: Vec<(u32, u32)> = Vec::new();
        for (near, half_edges) in self.by_vertex() {
            if half_edges.len() < 2 {
                continue;
            }
            // A triangle is looked at where its two lowest corners are.
            here.clear();
            for one in half_edges {
                let [a, b, c] = triangles[one.triangle()];
                let third = a ^ b ^ c ^ near ^ one.high_vertex();
                if third > one.high_vertex() {
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
                        let others = alike[1..]
                            .iter()
                            .map(|&(_, other)| Duplicate { first, other });
                        duplicates.extend(others);
                    }
                }
            }
        }
        duplicates
    }
}

impl Components {
    /// The components of triangles of which some are duplicates. `whole`: the components with all
    /// duplicates.
    pub(super) fn with_duplicates(
        triangles: &[[u32; 3]],
        vertices: usize,
        whole: &Self,
        duplicates: &[Duplicate],
    ) -> Self {
        let single = Self::without_duplicates(triangles, vertices, duplicates, |_| true);
        // Components are the same with and without duplicates: a duplicate has the edges of the first
        // triangle.
        let mut opened = vec![false; whole.closed.len()];
        for (t, &component) in single.of.iter().enumerate() {
            if component != Self::NONE && !single.closed[component as usize] {
                opened[whole.of[t] as usize] = true;
            }
        }
        let opens = |duplicate: &Duplicate| opened[whole.of[duplicate.first as usize] as usize];
        if duplicates.iter().any(opens) {
            Self::without_duplicates(triangles, vertices, duplicates, |duplicate| {
                !opens(duplicate)
            })
        } else {
            single
        }
    }

    /// The components of the triangles without these duplicates.
    pub(super) fn without_duplicates(
        triangles: &[[u32; 3]],
        vertices: usize,
        duplicates: &[Duplicate],
        left_out: impl Fn(&Duplicate) -> bool,
    ) -> Self {
        let mut single = triangles.to_vec();
        for duplicate in duplicates.iter().filter(|duplicate| left_out(duplicate)) {
            // One that uses a corner twice bounds nothing.
            single[duplicate.other as usize] = [0; 3];
        }
        Self::as_written(&single, &Edges::new(&single, vertices)).0
    }
}

#[cfg(test)]
mod tests;
