//! The order of triangles in a geometry file: the checker halves ranges in the middle, so neighbours in the list are to be
//! neighbours in space.

/// Puts triangles in order, by halves along the longest edge of the box around their middles.
pub(crate) fn sort(corners: &[[i64; 3]], triangles: &mut [[u32; 3]]) {
    let mut keyed: Vec<([i64; 3], [u32; 3])> = (triangles.iter())
        .map(|t| {
            let p = t.map(|k| corners[k as usize]);
            // Three times the middle.
            ([0, 1, 2].map(|k| p[0][k] + p[1][k] + p[2][k]), *t)
        })
        .collect();
    halve(&mut keyed);
    for (triangle, (_, sorted)) in triangles.iter_mut().zip(keyed) {
        *triangle = sorted;
    }
}

fn halve(keyed: &mut [([i64; 3], [u32; 3])]) {
    if keyed.len() < 2 {
        return;
    }
    let width = |axis: usize| {
        let along = keyed.iter().map(|(key, _)| key[axis]);
        let (least, most) = along.fold((i64::MAX, i64::MIN), |(l, m), x| (l.min(x), m.max(x)));
        most - least
    };
    let axis = (0..3).max_by_key(|&axis| width(axis)).unwrap_or(0);
    let middle = keyed.len() / 2;
    keyed.select_nth_unstable_by_key(middle, |(key, triangle)| (key[axis], *triangle));
    let (first, second) = keyed.split_at_mut(middle);
    halve(first);
    halve(second);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_apart_along_the_longest_edge() {
        let corners: Vec<[i64; 3]> = (0..64).map(|k| [k * 37 % 64, k % 3, 0]).collect();
        let mut triangles: Vec<[u32; 3]> = (0..64).map(|k| [k; 3]).collect();
        sort(&corners, &mut triangles);
        let x = |t: &[u32; 3]| corners[t[0] as usize][0];
        assert!(triangles[..32].iter().all(|t| x(t) < 32));
        assert!(triangles[32..48].iter().all(|t| (32..48).contains(&x(t))));
        triangles.sort_unstable();
        assert!(
            (0..64).all(|k| triangles[k as usize] == [k; 3]),
            "each is still there"
        );
    }
}
