//! Whether the balls of a cloud make a surface, or stand each by itself, or all in one place.

use std::collections::HashMap;

use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::cloud::Cloud;
use nalgebra::Point3;

/// Points that are looked at: enough for a share, and few enough for ten million others to be held
/// against them at once.
const LOOKED_AT: usize = 2_000;
/// Of these, points whose nearest other one is looked for.
const MEASURED: usize = 16;
/// A cloud of fewer points is no scan of a surface.
const LEAST: usize = 20;

/// A file of so many points is a scan, and not a few places that somebody has written.
const SCAN: usize = 100;
/// A scan whose points are all within so many radii is no surface, but one lump.
const LUMP_RADII: f64 = 3.0;

/// A scan whose balls all stand in one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Lump {
    /// The diagonal of the box around its points, metres.
    pub extent_m: f64,
}

/// What there is to say of a scan that is hardly larger than its balls, or of which only few balls
/// are left: its unit is another one, or the radius is.
pub(super) fn lump(cloud: &Cloud) -> Option<Lump> {
    if cloud.given < SCAN {
        return None;
    }
    // A point was moved by so much at most.
    let moved = cloud.radius - cloud.stated_radius;
    let extent_m = Aabb::of(cloud.points()).size().norm() + 2.0 * moved;
    let is_lump = cloud.kept() < LEAST || extent_m < LUMP_RADII * cloud.stated_radius;
    is_lump.then_some(Lump { extent_m })
}

/// A cloud most of whose balls touch no other one.
#[derive(Debug, Clone, PartialEq)]
pub struct Isolated {
    /// Points that were looked at.
    pub looked_at: usize,
    /// How many of them stand alone.
    pub alone: usize,
    /// The median distance of some of these to the nearest other point, metres.
    pub gap_m: f64,
}

/// A cube of the grid whose edge is as long as a ball is wide.
type CubeIndex = [i64; 3];

fn cube_of(p: &Point3<f64>, edge: f64) -> CubeIndex {
    [p.x, p.y, p.z].map(|x| (x / edge).floor() as i64)
}

/// What there is to say of a cloud whose balls are alone in the main.
pub(super) fn isolated(cloud: &Cloud) -> Option<Isolated> {
    let count = cloud.kept();
    if count < LEAST {
        return None;
    }
    let reach = 2.0 * cloud.radius;
    let step = count.div_ceil(LOOKED_AT);
    let chosen: Vec<usize> = (0..count).step_by(step).collect();
    // Those that a point in a cube may touch.
    let mut around: HashMap<CubeIndex, Vec<usize>> = HashMap::new();
    for (k, &index) in chosen.iter().enumerate() {
        let [x, y, z] = cube_of(&cloud.point(index), reach);
        for near in 0..27 {
            let to = [x - 1 + near % 3, y - 1 + near / 3 % 3, z - 1 + near / 9];
            around.entry(to).or_default().push(k);
        }
    }
    let mut touched = vec![false; chosen.len()];
    for (index, p) in cloud.points().enumerate() {
        if let Some(near) = around.get_mut(&cube_of(&p, reach)) {
            // What is touched once is not asked about again: where balls are dense all are soon gone.
            near.retain(|&k| {
                let other = cloud.point(chosen[k]);
                touched[k] |= index != chosen[k] && (p - other).norm() <= reach;
                !touched[k]
            });
        }
    }
    let alone: Vec<usize> = (0..chosen.len()).filter(|&k| !touched[k]).collect();
    if 2 * alone.len() <= chosen.len() {
        return None;
    }
    let some = alone.iter().step_by(alone.len().div_ceil(MEASURED));
    let mut gaps: Vec<f64> = some
        .map(|&k| {
            let from = cloud.point(chosen[k]);
            let others = cloud.points().enumerate();
            let others = others.filter(|&(index, _)| index != chosen[k]);
            let squares = others.map(|(_, p)| (p - from).norm_squared());
            squares.fold(f64::INFINITY, f64::min).sqrt()
        })
        .collect();
    gaps.sort_by(f64::total_cmp);
    Some(Isolated {
        looked_at: chosen.len(),
        alone: alone.len(),
        gap_m: gaps[gaps.len() / 2],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall of points on a square grid.
    fn wall(side: usize, spacing: f64, radius: f64) -> Cloud {
        let points = (0..side * side).map(|k| {
            let [y, z] = [k % side, k / side].map(|n| n as f64 * spacing);
            Point3::new(0.8, y, z)
        });
        Cloud::new(points.collect(), radius).unwrap()
    }

    /// Catches a radius that leaves gaps between all points, with nothing said.
    #[test]
    fn a_cloud_of_balls_that_do_not_touch_is_told() {
        for side in [10, 60] {
            let said = isolated(&wall(side, 0.05, 0.005)).unwrap();
            assert_eq!(said.looked_at, said.alone);
            assert!(said.looked_at <= LOOKED_AT);
            assert!((said.gap_m - 0.05).abs() < 1e-6, "{said:?}");
            // Wide enough for neighbours, and for all of the wall.
            assert_eq!(isolated(&wall(side, 0.05, 0.03)), None);
            assert_eq!(isolated(&wall(side, 0.05, 0.036)), None);
        }
        assert_eq!(isolated(&wall(4, 0.05, 0.005)), None, "too few");
    }

    /// Catches metres that are read as millimetres: all that is left is a small lump.
    #[test]
    fn a_scan_that_is_hardly_larger_than_its_balls_is_told() {
        // 1.95 m in steps of 50 mm, and the same as millimetres.
        let said = lump(&wall(40, 0.05e-3, 0.005)).unwrap();
        assert!((2.75e-3..4e-3).contains(&said.extent_m), "{said:?}");
        assert_eq!(lump(&wall(40, 0.05, 0.03)), None);
        // Many balls, and yet hardly more than one.
        let many = wall(40, 0.25e-3, 0.005);
        assert!(many.kept() > LEAST);
        assert!(lump(&many).is_some());
        // Few points are no scan. A small thing with balls that fit it is a surface.
        assert_eq!(lump(&wall(9, 0.05e-3, 0.005)), None);
        assert_eq!(lump(&wall(40, 0.05e-3, 0.0001)), None);
    }
}
