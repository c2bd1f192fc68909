//! Numbers out of bytes. When the bytes are used up there are only zeros.

use nalgebra::{Isometry3, Unit, Vector3};

/// Numbers at which arithmetic goes wrong first.
const ODD: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    1e-9,
    1e-300,
    5e-324,
    f64::EPSILON,
    std::f64::consts::PI,
    std::f64::consts::FRAC_PI_2,
    0.1,
    100.0,
    -1e-17,
];

/// Bytes that are read from the front.
pub struct Source<'d>(pub &'d [u8]);

impl Source<'_> {
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// 0 … n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// low … high, both included.
    pub fn whole(&mut self, low: i64, high: i64) -> i64 {
        low + i64::from(self.byte()) % (high - low + 1)
    }

    pub fn flag(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    /// Any number up to 100 or so.
    pub fn number(&mut self) -> f64 {
        match self.below(8) {
            0 => ODD[self.below(ODD.len())],
            1 => {
                let bits = [self.byte(), self.byte(), self.byte(), self.byte()];
                let x = f64::from(f32::from_le_bytes(bits));
                if x.is_finite() && x.abs() <= 100.0 {
                    x
                } else {
                    0.0
                }
            }
            2 | 3 => f64::from(i16::from_le_bytes([self.byte(), self.byte()])) / 1e4,
            _ => f64::from(self.byte() as i8) / 64.0,
        }
    }

    /// A length above 0, metres.
    pub fn length(&mut self) -> f64 {
        self.number().abs().clamp(1e-5, 2.0)
    }

    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.number(), self.number(), self.number())
    }

    pub fn direction(&mut self) -> Unit<Vector3<f64>> {
        Unit::try_new(self.vector(), 1e-9).unwrap_or(Vector3::z_axis())
    }

    pub fn pose(&mut self) -> Isometry3<f64> {
        Isometry3::new(self.vector(), self.vector())
    }
}
