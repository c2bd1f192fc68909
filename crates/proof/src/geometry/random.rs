//! Seeded random cases for tests.

use nalgebra::{Isometry3, Point3, Unit, Vector3};

/// SplitMix64: the same cases on every machine.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 0 … n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// lo … hi, both included.
    pub fn within(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }

    /// 0 … 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// −1 … 1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Coordinates −1 … 1.
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.signed(), self.signed(), self.signed())
    }

    /// Coordinates −1 … 1.
    pub fn point(&mut self) -> Point3<f64> {
        Point3::from(self.vector())
    }

    /// Once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Spread evenly over the orders of magnitude.
    pub fn spread(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    /// Any direction.
    pub fn direction(&mut self) -> Unit<Vector3<f64>> {
        Unit::new_normalize(self.vector() + Vector3::new(0.0, 0.0, 1e-6))
    }

    /// Any turn, and a step of the given length.
    pub fn pose(&mut self, length: f64) -> Isometry3<f64> {
        let step = self.direction().into_inner() * length;
        Isometry3::new(step, self.vector() * 3.0)
    }
}
