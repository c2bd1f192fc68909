//! Where triangles are cut in two: the form of a tree, before its bounds are known.

use crate::bvh::SphereTree;
use crate::bvh::split::{self, Cut, Item};

/// From this depth on triangles are halved by number, which ends within 32 levels.
pub(in crate::bvh) const HALVE_FROM_DEPTH: usize = SphereTree::DEEPEST - 33;

/// Subtrees of more triangles than this are worth a task of their own.
const TASK: usize = 4096;

/// All cuts of a set of triangles.
pub(super) enum Cuts {
    /// Of few: how many triangles stand on the first side of each cut, in the order of a walk down
    /// the tree.
    Few(Vec<u16>),
    /// Of more than [`TASK`].
    Many(Box<CutNode>),
}

/// A cut and those of both sides.
pub(super) struct CutNode {
    /// How many triangles stand on the first side.
    pub(super) middle: usize,
    pub(super) sides: [Cuts; 2],
    /// Of the tree: this one, and all below it.
    nodes: usize,
}

impl Cuts {
    /// Cuts triangles, at least one, and puts them into the order of the leaves.
    pub(super) fn of(items: &mut [Item]) -> Self {
        Self::below(&mut Cut::default(), items, 0)
    }

    /// Nodes of the tree.
    pub(super) fn nodes(&self) -> usize {
        match self {
            Cuts::Few(cuts) => 2 * cuts.len() + 1,
            Cuts::Many(branch) => branch.nodes,
        }
    }

    fn below(work: &mut Cut, items: &mut [Item], depth: usize) -> Self {
        if items.len() <= TASK {
            let mut cuts = Vec::with_capacity(items.len());
            few(work, items, depth, &mut cuts);
            cuts.shrink_to_fit();
            return Cuts::Few(cuts);
        }
        let middle = cut(work, items, depth);
        let (left, right) = items.split_at_mut(middle);
        let (a, b) = rayon::join(
            || Self::below(work, left, depth + 1),
            || Self::below(&mut Cut::default(), right, depth + 1),
        );
        let nodes = 1 + a.nodes() + b.nodes();
        let sides = [a, b];
        Cuts::Many(Box::new(CutNode {
            middle,
            sides,
            nodes,
        }))
    }
}

fn few(work: &mut Cut, items: &mut [Item], depth: usize, cuts: &mut Vec<u16>) {
    if items.len() <= SphereTree::LEAF {
        return;
    }
    let middle = cut(work, items, depth);
    cuts.push(middle as u16);
    let (left, right) = items.split_at_mut(middle);
    few(work, left, depth + 1, cuts);
    few(work, right, depth + 1, cuts);
}

fn cut(work: &mut Cut, items: &mut [Item], depth: usize) -> usize {
    if depth < HALVE_FROM_DEPTH {
        work.by_area(items)
    } else {
        split::by_number(items)
    }
}
