//! The golden section: the lowest point of a function that falls and then rises.

/// What a step leaves of the interval.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The two points in an interval at which a step evaluates the function.
pub fn inner_points(low: f64, high: f64) -> [f64; 2] {
    let width = GOLDEN * (high - low);
    [high - width, low + width]
}

/// An interval that becomes narrower around the lowest point.
pub struct GoldenSection {
    low: f64,
    high: f64,
    /// The two points in it that were looked at.
    pub points: [f64; 2],
    /// The values of the function there.
    pub values: [f64; 2],
}

impl GoldenSection {
    /// Looks at two points of an interval.
    pub fn new(low: f64, high: f64, f: &mut impl FnMut(f64) -> f64) -> Self {
        let points = inner_points(low, high);
        GoldenSection {
            low,
            high,
            points,
            values: points.map(f),
        }
    }

    /// Leaves out what lies beyond the point of the higher value, and looks at one point more.
    pub fn narrow(&mut self, f: &mut impl FnMut(f64) -> f64) {
        if self.values[0] <= self.values[1] {
            self.high = self.points[1];
            let new = inner_points(self.low, self.high)[0];
            self.points = [new, self.points[0]];
            self.values = [f(new), self.values[0]];
        } else {
            self.low = self.points[0];
            let new = inner_points(self.low, self.high)[1];
            self.points = [self.points[1], new];
            self.values = [self.values[1], f(new)];
        }
    }

    /// The point of the lower value.
    pub fn lowest(&self) -> f64 {
        if self.values[0] <= self.values[1] {
            self.points[0]
        } else {
            self.points[1]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Catches a step that leaves out the side of the lower value.
    #[test]
    fn the_lowest_place_is_found_wherever_it_is() {
        for lowest in [0.0, 0.1, 0.37, 0.5, 0.93, 1.0] {
            let mut f = |x: f64| (x - lowest).abs();
            let mut section = GoldenSection::new(0.0, 1.0, &mut f);
            for _ in 0..40 {
                section.narrow(&mut f);
            }
            let found = section.lowest();
            assert!((found - lowest).abs() < 1e-7, "{found}, not {lowest}");
        }
    }
}
