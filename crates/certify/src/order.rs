//! The order of triangles in a geometry file: the checker halves ranges in the middle, so neighbours in the list are to be
//! neighbours in space.

/// Puts triangles in order, by halves along the axis that gives the smallest boxes around both.
pub(crate) fn sort(corners: &[[i64; 3]], triangles: &mut [[u32; 3]]) {
    let mut keyed: Vec<Keyed> = (triangles.iter())
        .map(|t| {
            let p = t.map(|k| corners[k as usize]);
            Keyed {
                middle: [0, 1, 2].map(|k| p[0][k] + p[1][k] + p[2][k]),
                least: [0, 1, 2].map(|k| p[0][k].min(p[1][k]).min(p[2][k])),
                most: [0, 1, 2].map(|k| p[0][k].max(p[1][k]).max(p[2][k])),
                triangle: *t,
            }
        })
        .collect();
    halve(&mut keyed);
    for (triangle, keyed) in triangles.iter_mut().zip(keyed) {
        *triangle = keyed.triangle;
    }
}

#[derive(Debug, Clone, Copy)]
struct Keyed {
    /// Three times the middle.
    middle: [i64; 3],
    least: [i64; 3],
    most: [i64; 3],
    triangle: [u32; 3],
}

/// Half the surface of the box around triangles.
fn surface(keyed: &[Keyed]) -> f64 {
    let (mut least, mut most) = ([i64::MAX; 3], [i64::MIN; 3]);
    for key in keyed {
        least = [0, 1, 2].map(|k| least[k].min(key.least[k]));
        most = [0, 1, 2].map(|k| most[k].max(key.most[k]));
    }
    let [x, y, z] = [0, 1, 2].map(|k| (most[k] - least[k]) as f64);
    x * y + y * z + z * x
}

fn halve(keyed: &mut [Keyed]) {
    if keyed.len() < 2 {
        return;
    }
    let middle = keyed.len() / 2;
    let mut along = |axis: usize| {
        keyed.select_nth_unstable_by_key(middle, |key| (key.middle[axis], key.triangle));
        let (first, second) = keyed.split_at(middle);
        surface(first) + surface(second)
    };
    let surfaces = [0, 1, 2].map(&mut along);
    let best = (0..3).min_by(|&x, &y| surfaces[x].total_cmp(&surfaces[y]));
    along(best.unwrap_or(0));
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
