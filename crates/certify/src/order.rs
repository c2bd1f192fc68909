//! The order of triangles in a geometry file: the checker halves ranges in the middle, so
//! neighbours in the list are to be neighbours in space.

/// A triangle of a geometry file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileTriangle {
    pub(crate) corners: [u32; 3],
    /// It bounds what is solid.
    pub(crate) solid: bool,
}

/// Ranges of fewer are halved by one thread.
const TOGETHER: usize = 4096;

/// Puts triangles in order, by halves along the axis that gives the smallest boxes around both.
pub(crate) fn sort(corners: &[[i64; 3]], triangles: &mut [FileTriangle]) {
    let placed = triangles.iter().map(|t| {
        let p = t.corners.map(|k| corners[k as usize]);
        PlacedTriangle {
            middle: [0, 1, 2].map(|k| p[0][k] + p[1][k] + p[2][k]),
            least: [0, 1, 2].map(|k| p[0][k].min(p[1][k]).min(p[2][k])),
            most: [0, 1, 2].map(|k| p[0][k].max(p[1][k]).max(p[2][k])),
        }
    });
    let placed: Vec<PlacedTriangle> = placed.collect();
    let key = |(t, triangle): (usize, &PlacedTriangle)| (triangle.middle[0], t as u32);
    let mut keys: Vec<Key> = placed.iter().enumerate().map(key).collect();
    halve(&placed, &mut keys);
    let before = triangles.to_vec();
    for (triangle, (_, t)) in triangles.iter_mut().zip(keys) {
        *triangle = before[t as usize];
    }
}

#[derive(Debug, Clone, Copy)]
struct PlacedTriangle {
    /// Three times the middle.
    middle: [i64; 3],
    least: [i64; 3],
    most: [i64; 3],
}

/// Where a triangle is along an axis, and which one it is.
type Key = (i64, u32);

/// Half the surface of the box around triangles, and the sum of its edges.
fn size(placed: &[PlacedTriangle], keys: &[Key]) -> [f64; 2] {
    let (mut least, mut most) = ([i64::MAX; 3], [i64::MIN; 3]);
    for &(_, t) in keys {
        let of = &placed[t as usize];
        least = [0, 1, 2].map(|k| least[k].min(of.least[k]));
        most = [0, 1, 2].map(|k| most[k].max(of.most[k]));
    }
    let [x, y, z] = [0, 1, 2].map(|k| (most[k] - least[k]) as f64);
    [x * y + y * z + z * x, x + y + z]
}

fn halve(placed: &[PlacedTriangle], keys: &mut [Key]) {
    if keys.len() < 2 {
        return;
    }
    let middle = keys.len() / 2;
    let mut along = |axis: usize| {
        for (at, t) in &mut *keys {
            *at = placed[*t as usize].middle[axis];
        }
        keys.select_nth_unstable(middle);
        let (first, second) = keys.split_at(middle);
        let (first, second) = (size(placed, first), size(placed, second));
        [0, 1].map(|k| first[k] + second[k])
    };
    let sizes = [0, 1, 2].map(&mut along);
    // Of triangles in line all surfaces are 0.
    let order = |x: &[f64; 2], y: &[f64; 2]| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1]));
    let best = (0..3).min_by(|&x, &y| order(&sizes[x], &sizes[y]));
    if let Some(axis @ (0 | 1)) = best {
        along(axis);
    }
    let (first, second) = keys.split_at_mut(middle);
    if middle < TOGETHER {
        halve(placed, first);
        halve(placed, second);
    } else {
        rayon::join(|| halve(placed, first), || halve(placed, second));
    }
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
        triangles.sort_unstable_by_key(|t| t.corners);
        assert!(
            (0..64).all(|k| triangles[k as usize] == at(k)),
            "each is still there"
        );
    }
}
