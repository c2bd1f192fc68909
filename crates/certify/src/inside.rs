//! Lemma 8 of the checker: rays from pieces that are not outside at a glance.

use clearance_recheck::files::{Geometry, MotionSegment};
use clearance_recheck::inside::{PieceCorner, none_inside};
use clearance_recheck::motion::CellMotion;
use clearance_recheck::pairs::part_pairs;

use crate::CertifyError;

/// So many directions are tried from a corner.
const TRIED: u32 = 400;

/// The rays of a proof, three bytes each: of each piece that the checker asks one of, before an
/// instant. `parted` tells of each pair of parts whether it asks nothing of them.
pub(crate) fn rays(
    geometry: &Geometry,
    segments: &[MotionSegment],
    parted: &[bool],
    before: u64,
) -> Result<Vec<u8>, CertifyError> {
    let mut rays = Vec::new();
    let motion = CellMotion::new(geometry, segments);
    let pairs = part_pairs(geometry);
    let mut inside = false;
    let asked = none_inside(&motion, &pairs, parted, before, &mut |corner| {
        let (ray, turns) = ray(corner);
        inside = turns.is_some_and(|turns| turns != 0);
        rays.extend(ray.map(|x| x as u8));
        Ok(ray)
    });
    match asked {
        Ok(()) => Ok(rays),
        Err(where_) if inside => Err(CertifyError::Contradiction(format!(
            "a piece of a body lies inside another one: {where_}"
        ))),
        Err(where_) => Err(CertifyError::NotFound(where_.to_string())),
    }
}

/// The first direction along which it is decided whether a corner lies inside, and what is decided.
fn ray(corner: &PieceCorner) -> ([i8; 3], Option<i64>) {
    // Each far from the one before. Faces along the axes are met by no edge-on ray.
    let rays = (0..TRIED).map(|k| direction(k * 247 % TRIED));
    let rays = rays.filter(|ray| !ray.contains(&0));
    let tried = rays.map(|ray| (ray, corner.turns(&ray)));
    let mut tried = tried.skip_while(|(_, turns)| turns.is_none());
    tried.next().unwrap_or(([0; 3], None))
}

/// Directions to everywhere, hardly one of them along an axis or in the plane of two.
fn direction(k: u32) -> [i8; 3] {
    let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(TRIED);
    // The golden angle.
    let turn = f64::from(k) * 2.399_963_229_728_653;
    let across = (1.0 - z * z).sqrt();
    [across * turn.cos(), across * turn.sin(), z].map(|x| (127.0 * x).round() as i8)
}
