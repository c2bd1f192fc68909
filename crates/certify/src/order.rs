//! The order of triangles in a geometry file: the checker halves ranges in the middle, so
//! neighbours in the list are to be neighbours in space.

/// A triangle of a geometry file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileTriangle {
    pub(crate) corners: [u32; 3],
    /// It bounds what is solid.
    pub(crate) solid: bool,
}

/// Puts triangles in order, by halves along the axis that gives the smallest boxes around both.
pub(crate) fn sort(corners: &[[i64; 3]], triangles: &mut [FileTriangle]) {
    let mut keyed: Vec<Keyed> = (triangles.iter())
        .map(|t| {
            let p = t.corners.map(|k| corners[k as usize]);
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
    triangle: FileTriangle,
}

/// Half the surface of the box around triangles, and the sum of its edges.
fn size(keyed: &[Keyed]) -> [f64; 2] {
    let (mut least, mut most) = ([i64::MAX; 3], [i64::MIN; 3]);
    for key in keyed {
        least = [0, 1, 2].map(|k| least[k].min(key.least[k]));
        most = [0, 1, 2].map(|k| most[k].max(key.most[k]));
    }
    let [x, y, z] = [0, 1, 2].map(|k| (most[k] - least[k]) as f64);
    [x * y + y * z + z * x, x + y + z]
}

fn halve(keyed: &mut [Keyed]) {
    if keyed.len() < 2 {
        return;
    }
    let middle = keyed.len() / 2;
    let mut along = |axis: usize| {
        keyed.select_nth_unstable_by_key(middle, |key| (key.middle[axis], key.triangle));
        let (first, second) = keyed.split_at(middle);
        let (first, second) = (size(first), size(second));
        [0, 1].map(|k| first[k] + second[k])
    };
    let sizes = [0, 1, 2].map(&mut along);
    // Of triangles in line all surfaces are 0.
    let order = |x: &[f64; 2], y: &[f64; 2]| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1]));
    let best = (0..3).min_by(|&x, &y| order(&sizes[x], &sizes[y]));
    along(best.unwrap_or(0));
    let (first, second) = keyed.split_at_mut(middle);
    halve(first);
    halve(second);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_small_boxes() {
        let corners: Vec<[i64; 3]> = (0..64).map(|k| [0, k * 37 % 64, 0]).collect();
        let at = |k: u32| FileTriangle {
            corners: [k; 3],
            solid: k.is_multiple_of(3),
        };
        let mut triangles: Vec<FileTriangle> = (0..64).map(at).collect();
        sort(&corners, &mut triangles);
        let y = |t: &FileTriangle| corners[t.corners[0] as usize][1];
        assert!(triangles[..32].iter().all(|t| y(t) < 32));
        assert!(triangles[32..48].iter().all(|t| (32..48).contains(&y(t))));
        triangles.sort_unstable();
        assert!(
            (0..64).all(|k| triangles[k as usize] == at(k)),
            "each is still there"
        );
    }
}
