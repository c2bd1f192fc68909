//! Least distances: what is attained, and the thresholds that fall with it.
//!
//! All pairs of a class (or all there are, if only the nearest is wanted) share a threshold: the
//! least distance that any of them attains, less a tolerance. It is all that must be proved of a
//! pair that is not the nearest of its class. Where pairs are asked for one by one, each has a
//! threshold of its own besides, up to the distance within which it is of interest, and the greater
//! one of the two counts.
//!
//! Thresholds only fall. So what was proved at a greater one stays proved, and what holds at the
//! end holds for the whole motion.

use crate::check::options::CheckOptions;
use crate::check::scene::Scene;
use crate::report::PairClass;

/// The tolerance is the resolution, or this share of what the pair or class is farther apart than
/// the nearest one of all.
const FARTHER_SHARE: f64 = 0.02;

/// Facts about a pair, or about a class of pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastKnown {
    /// Least distance that is attained, metres.
    pub distance: f64,
    /// Trajectory time at which it is attained.
    pub time: f64,
    /// The pair that attains it, an index into [`Scene::pairs`].
    pub pair: usize,
    /// The least bound that remains where a closer look proves no more, metres; infinite: none yet.
    pub bound: f64,
}

impl LeastKnown {
    fn unknown(pair: usize) -> Self {
        LeastKnown {
            distance: f64::INFINITY,
            time: 0.0,
            pair,
            bound: f64::INFINITY,
        }
    }

    fn record_distance(&mut self, distance: f64, time: f64, pair: usize) {
        if distance < self.distance {
            (self.distance, self.time, self.pair) = (distance, time, pair);
        }
    }

    /// The bound to be proved, or proved at the end, metres; below 0: nothing.
    fn threshold(&self, tolerance: f64) -> f64 {
        (self.distance - tolerance).min(self.bound)
    }
}

/// A class of pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownClass {
    /// The class; `None`: pairs of two obstacles or other things of the cell, or all pairs where no
    /// class is asked for.
    pub class: Option<PairClass>,
    /// Facts about its pairs.
    pub known: LeastKnown,
}

/// Facts about all pairs of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastDistances {
    resolution: f64,
    /// The classes of the pairs of the scene.
    pub classes: Vec<KnownClass>,
    /// Per pair of bodies: index of its class.
    pub class_of: Vec<usize>,
    /// Per pair of bodies.
    pub pairs: Vec<LeastKnown>,
    /// Pairs are asked for one by one that come nearer than this, metres.
    pub within: Option<f64>,
}

impl LeastDistances {
    /// Nothing has been seen of the scene yet.
    pub fn new(scene: &Scene, options: &CheckOptions) -> Self {
        let mut classes: Vec<KnownClass> = Vec::new();
        let mut class_of = Vec::with_capacity(scene.pairs.len());
        for (index, pair) in scene.pairs.iter().enumerate() {
            let class = scene.cell.pair_class(pair.a, pair.b);
            let class = class.filter(|_| options.minimum_by_class);
            let known = classes.iter().position(|k| k.class == class);
            class_of.push(known.unwrap_or_else(|| {
                let known = LeastKnown::unknown(index);
                classes.push(KnownClass { class, known });
                classes.len() - 1
            }));
        }
        LeastDistances {
            resolution: options.resolution,
            classes,
            class_of,
            pairs: (0..scene.pairs.len()).map(LeastKnown::unknown).collect(),
            within: options.minimum_pairs,
        }
    }

    /// Records a distance that a pair attains. Returns whether it is the least of its class.
    pub fn record_distance(&mut self, pair: usize, distance: f64, time: f64) -> bool {
        let class = &mut self.classes[self.class_of[pair]].known;
        let least = distance < class.distance;
        class.record_distance(distance, time, pair);
        self.pairs[pair].record_distance(distance, time, pair);
        least
    }

    /// Records that no more than this could be proved of a pair somewhere, metres.
    pub fn record_bound(&mut self, pair: usize, proved: f64) {
        // NaN and negative bounds prove nothing.
        let proved = if proved > 0.0 { proved } else { 0.0 };
        let class = &mut self.classes[self.class_of[pair]].known;
        for known in [class, &mut self.pairs[pair]] {
            known.bound = known.bound.min(proved);
        }
    }

    /// Takes in what is known of the same pairs in other segments, where nothing was known before
    /// that is not known here. All thresholds are then no greater than either had: they grow with
    /// what the pair or class attains, with what is left of it, and with what the nearest one of
    /// all attains.
    pub fn merge(&mut self, other: &Self) {
        let classes = self.classes.iter_mut().zip(&other.classes);
        let classes = classes.map(|(known, other)| (&mut known.known, &other.known));
        for (known, other) in classes.chain(self.pairs.iter_mut().zip(&other.pairs)) {
            known.record_distance(other.distance, other.time, other.pair);
            known.bound = known.bound.min(other.bound);
        }
    }

    /// The least distance that any pair attains, metres.
    fn nearest(&self) -> f64 {
        let distances = self.classes.iter().map(|k| k.known.distance);
        distances.fold(f64::INFINITY, f64::min)
    }

    /// How far below what is attained a bound may lie, metres.
    fn tolerance(&self, distance: f64) -> f64 {
        let farther = distance - self.nearest();
        if farther.is_finite() {
            self.resolution.max(FARTHER_SHARE * farther)
        } else {
            self.resolution
        }
    }

    /// The bound to be proved for a class, and proved for it at the end, metres; below 0: nothing.
    pub fn of_class(&self, class: usize) -> f64 {
        let known = &self.classes[class].known;
        known.threshold(self.tolerance(known.distance))
    }

    /// The bound to be proved for a pair, and proved for it at the end, metres; below 0: nothing.
    pub fn of_pair(&self, pair: usize) -> f64 {
        let class = self.of_class(self.class_of[pair]);
        let Some(within) = self.within else {
            return class;
        };
        let own = &self.pairs[pair];
        let own = own.threshold(self.tolerance(own.distance)).min(within);
        own.max(class)
    }

    /// A distance of a pair that is greater than this tells nothing new, metres.
    pub fn of_interest(&self, pair: usize) -> f64 {
        let class = self.classes[self.class_of[pair]].known.distance;
        match self.within {
            Some(within) => self.pairs[pair].distance.min(within).max(class),
            None => class,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three pairs, of two classes.
    fn known(within: Option<f64>) -> LeastDistances {
        let of = |class, pair| KnownClass {
            class: Some(class),
            known: LeastKnown::unknown(pair),
        };
        LeastDistances {
            resolution: 0.01,
            classes: vec![of(PairClass::RobotCell, 0), of(PairClass::WithinRobot, 2)],
            class_of: vec![0, 0, 1],
            pairs: (0..3).map(LeastKnown::unknown).collect(),
            within,
        }
    }

    fn thresholds(least: &LeastDistances) -> [f64; 3] {
        [0, 1, 2].map(|pair| (1e6 * least.of_pair(pair)).round() / 1e6)
    }

    #[test]
    fn a_class_shares_its_threshold_with_no_other_one() {
        let mut least = known(None);
        assert!(least.record_distance(0, 1.0, 5.0) && least.record_distance(2, 0.2, 6.0));
        // 2 % of what the class is farther than the nearest one.
        assert_eq!(thresholds(&least), [0.984, 0.984, 0.19]);
        assert!(least.record_distance(1, 0.5, 7.0) && !least.record_distance(0, 0.6, 8.0));
        assert_eq!(thresholds(&least), [0.49, 0.49, 0.19]);
        let first = least.classes[0].known;
        assert_eq!((first.pair, first.time, first.distance), (1, 7.0, 0.5));
        // A look at a pair is cut where it says nothing new of its class.
        assert_eq!([0, 1, 2].map(|p| least.of_interest(p)), [0.5, 0.5, 0.2]);
        // A pair that is left unproved lowers the threshold of its own class alone.
        least.record_bound(0, 0.3);
        assert_eq!(thresholds(&least), [0.3, 0.3, 0.19]);
        least.record_bound(2, f64::NAN);
        assert_eq!(thresholds(&least), [0.3, 0.3, 0.0]);
    }

    /// Catches a threshold of joined answers that was not proved in one of the parts.
    #[test]
    fn joined_thresholds_are_those_of_no_part_or_lower() {
        let mut r = crate::geometry::random::Random(9);
        let mut lower = 0;
        for case in 0..2000 {
            let within = r.one_in(2).then(|| 1.5 * r.unit());
            let before = known(within);
            let parts = [(); 2].map(|()| {
                let mut part = before.clone();
                for _ in 0..r.below(6) {
                    let pair = r.below(3);
                    if r.one_in(4) {
                        part.record_bound(pair, 2.0 * r.unit());
                    } else {
                        part.record_distance(pair, 2.0 * r.unit(), r.unit());
                    }
                }
                part
            });
            let mut joined = parts[0].clone();
            joined.merge(&parts[1]);
            for part in &parts {
                for pair in 0..3 {
                    assert!(joined.of_pair(pair) <= part.of_pair(pair), "case {case}");
                    lower += usize::from(joined.of_pair(pair) < part.of_pair(pair));
                }
                for class in 0..2 {
                    assert!(
                        joined.of_class(class) <= part.of_class(class),
                        "case {case}"
                    );
                    let attained = part.classes[class].known.distance;
                    assert!(joined.classes[class].known.distance <= attained);
                }
            }
        }
        assert!(lower > 1000, "{lower}");
    }

    #[test]
    fn pairs_of_their_own_are_proved_up_to_the_stated_distance() {
        let mut least = known(Some(0.8));
        least.record_distance(0, 0.5, 0.0);
        least.record_distance(2, 0.1, 0.0);
        // Nothing was seen of the second one: it is to be proved farther than the stated distance.
        assert_eq!(thresholds(&least), [0.49, 0.8, 0.09]);
        // 2 % of what it is farther than the nearest.
        least.record_distance(1, 0.7, 0.0);
        assert_eq!(thresholds(&least), [0.49, 0.688, 0.09]);
        // The class counts where more is to be proved of it than of the pair.
        least.record_distance(0, 0.495, 0.0);
        least.record_distance(1, 0.4955, 0.0);
        assert_eq!(thresholds(&least), [0.485, 0.4855, 0.09]);
        least.record_bound(1, 0.2);
        assert_eq!(thresholds(&least), [0.485, 0.2, 0.09]);
        assert!((least.of_class(0) - 0.2).abs() < 1e-12);
        assert_eq!(
            [0, 1, 2].map(|p| least.of_interest(p)),
            [0.495, 0.4955, 0.1]
        );
    }
}
