//! Pairs that stand still in a segment and stood in the one before: they are not searched again.

use super::IntervalSearch;
use crate::model::Polynomial;

impl IntervalSearch<'_> {
    /// Which joints stand still in a segment and stood at the very same value during the whole
    /// segment before.
    pub(super) fn find_still_joints(&mut self, index: usize) {
        let joints = &self.trajectory.segments[index].joints;
        let before = index
            .checked_sub(1)
            .map(|i| &self.trajectory.segments[i].joints);
        let stands = |c: &Polynomial| c[1..].iter().all(|&x| x == 0.0);
        self.still.clear();
        self.still.extend(
            joints
                .iter()
                .enumerate()
                .map(|(j, now)| before.is_some_and(|before| stands(&now) && before.of(j) == now)),
        );
        if !self.tubes.is_empty() {
            // The tubes of the segment before may have been different.
            self.still.fill(false);
        }
        let (chains, still) = (&self.scene.chains, &self.still);
        let parts = self.scene.parts.iter();
        self.moving.clear();
        self.moving.extend(parts.map(|part| {
            let chain = chains.of(part.joint);
            let last = chain.iter().rposition(|&joint| !still[joint]);
            last.map_or(0, |last| last + 1)
        }));
    }

    /// Whether two parts do not move against each other in this segment and did not in the one
    /// before: the findings there still hold.
    pub(super) fn stands_still(&self, part_pair: usize) -> bool {
        let pair = &self.scene.part_pairs[part_pair];
        self.moving[pair.a] <= pair.shared && self.moving[pair.b] <= pair.shared
    }

    /// With [`Goal::All`]: whether a pair that stands still touched during the whole segment
    /// before. Then it touches during this one too, and that is recorded.
    pub(super) fn touched_before(&mut self, part_pair: usize, index: usize) -> bool {
        let pair = self.scene.part_pairs[part_pair].pair;
        let whole = |index| Some((index, [0.0, 1.0]));
        if self.touching[pair] == whole(index) {
            // Another pair of parts of these bodies was recorded already.
            return true;
        }
        let before = index.checked_sub(1).and_then(whole);
        if before.is_none() || self.touching[pair] != before {
            return false;
        }
        let Some(last) = self.unresolved.iter_mut().rfind(|o| o.pair == pair) else {
            return false;
        };
        last.end = self.trajectory.segments[index].end;
        self.touching[pair] = whole(index);
        true
    }
}
