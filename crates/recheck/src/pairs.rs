//! Pairs of parts: what is to be proved of each.

use crate::cell::{During, Geometry};
use crate::motion::CellMotion;

/// Two parts of two bodies that are to be proved apart.
#[derive(Debug, Clone, Copy)]
pub struct PartsToProve {
    /// First part.
    pub a: usize,
    /// Second part.
    pub b: usize,
    /// The distance to be proved: D plus both radii, 2⁻⁴⁰ m.
    pub required_gap: i64,
    /// Number of joints that both chains begin with.
    pub shared: usize,
    /// Of which segments.
    pub during: During,
}

/// All pairs of parts of pairs of bodies that are checked.
pub fn part_pairs(geometry: &Geometry) -> Vec<PartsToProve> {
    let motion = CellMotion::new(geometry, &[]);
    let mut of_body = vec![Vec::new(); geometry.bodies.len()];
    for (index, part) in geometry.parts.iter().enumerate() {
        of_body[part.body].push(index);
    }
    let mut pairs = Vec::new();
    for pair in &geometry.pairs {
        let Ok(clearance) = pair.clearance else {
            continue;
        };
        let chains = motion.chain(pair.a).iter().zip(motion.chain(pair.b));
        let shared = chains.take_while(|(x, y)| x == y).count();
        for &a in &of_body[pair.a] {
            for &b in &of_body[pair.b] {
                let required_gap = clearance + geometry.parts[a].radius + geometry.parts[b].radius;
                pairs.push(PartsToProve {
                    a,
                    b,
                    required_gap,
                    shared,
                    during: pair.during,
                });
            }
        }
    }
    pairs
}
