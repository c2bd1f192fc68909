//! The rim of a mesh, found without a list of all its edges.

use super::BoundaryEdge;
use crate::geometry::components::uses_a_corner_twice;

/// Where this share of the corners has an edge that is open, all edges are listed.
const FEW: usize = 16;

/// The boundary of the triangles as they are wound. `None` where two neighbours do not agree, or
/// where too much is open: that takes a list of all edges.
///
/// Of each corner one number is kept: the sum over its edges to higher ones, with the sign of the
/// direction in which each is used. It is 0 where all of them are used as often in one direction as
/// in the other, and hardly ever else; where it is so by chance, an edge of the rim is missed, and a
/// seam there stays open.
pub(super) fn of_sheets(triangles: &[[u32; 3]], vertices: usize) -> Option<Vec<BoundaryEdge>> {
    let mut sums = vec![0u64; vertices];
    for &[a, b, c] in triangles {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            // No branch: nobody can foretell which one is higher. An edge to itself counts nothing.
            let sign = i64::from(p < q) - i64::from(q < p);
            let sum = &mut sums[p.min(q) as usize];
            *sum = sum.wrapping_add(mixed(p.max(q)).wrapping_mul(sign as u64));
        }
    }
    let open = sums.iter().filter(|&&sum| sum != 0).count();
    if open > vertices / FEW {
        return None;
    }
    // The edges to higher corners of those that have an open one, and whether each is used upwards.
    let mut edges: Vec<([u32; 2], bool)> = Vec::new();
    if open > 0 {
        for triangle in triangles.iter().filter(|t| !uses_a_corner_twice(t)) {
            let &[a, b, c] = triangle;
            for (p, q) in [(a, b), (b, c), (c, a)] {
                let low = p.min(q);
                if sums[low as usize] != 0 {
                    edges.push(([low, p.max(q)], p < q));
                }
            }
        }
    }
    edges.sort_unstable();
    let mut rim = Vec::new();
    for edge in edges.chunk_by(|a, b| a.0 == b.0) {
        if matches!(edge, [(_, one), (_, two)] if one == two) {
            return None;
        }
        let [low, high] = edge[0].0;
        let up = edge.iter().filter(|(_, up)| *up).count();
        let down = edge.len() - up;
        let (from, to) = if up > down { (low, high) } else { (high, low) };
        let times = up.abs_diff(down);
        if times > 0 {
            rim.push(BoundaryEdge { from, to, times });
        }
    }
    Some(rim)
}

/// A number for a corner such that hardly any sums of such numbers are equal.
fn mixed(corner: u32) -> u64 {
    let mut z = u64::from(corner)
        .wrapping_add(1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::closing::boundary;
    use crate::geometry::components::Edges;
    use crate::geometry::made::torus;
    use crate::geometry::random::Random;

    /// Against the list of all edges. Catches: an edge of the rim that is missed or that is none, one
    /// that counts more or less often than it is used, neighbours that do not agree and are not seen.
    #[test]
    fn the_rim_is_that_of_all_edges() {
        let mut r = Random(12);
        let mut told = [0; 3];
        for case in 0..600 {
            let mut mesh = torus(16 + r.below(20) as u32);
            let count = mesh.triangles.len();
            for _ in 0..r.below(4) {
                mesh.triangles.swap_remove(r.below(count / 2));
            }
            let any = r.below(count / 2);
            match case % 5 {
                // Four triangles at an edge, three of them the same way.
                0 => {
                    let [a, b, _] = mesh.triangles[any];
                    for _ in 0..2 {
                        let other = r.below(mesh.vertices.len()) as u32;
                        mesh.triangles.push([a, b, other]);
                    }
                }
                // One wound the other way round.
                1 => mesh.triangles[any].swap(0, 1),
                // Triangles that use a corner twice, or thrice.
                2 => {
                    let [a, b, _] = mesh.triangles[any];
                    mesh.triangles.extend([[a, a, b], [b, a, b], [b; 3]]);
                }
                _ => {}
            }
            let vertices = mesh.vertices.len();
            let edges = Edges::new(&mesh.triangles, vertices);
            let key = |e: &BoundaryEdge| (e.from.min(e.to), e.from, e.to, e.times);
            let sorted = |rim: Vec<BoundaryEdge>| {
                let mut rim: Vec<_> = rim.iter().map(key).collect();
                rim.sort_unstable();
                rim
            };
            let plain = edges
                .is_oriented()
                .then(|| boundary(&edges, |_| Some(false)));
            let found = of_sheets(&mesh.triangles, vertices);
            told[usize::from(found.is_some())
                + usize::from(found.as_ref().is_some_and(|r| !r.is_empty()))] += 1;
            assert_eq!(found.map(sorted), plain.map(sorted), "case {case}");
        }
        assert!(told.iter().all(|&n| n > 50), "{told:?}");
    }

    /// Catches: a list of nearly all edges that is sorted for nothing.
    #[test]
    fn where_much_is_open_nothing_is_said() {
        let apart: Vec<[u32; 3]> = (0..100).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        assert!(of_sheets(&apart, 300).is_none());
    }
}
