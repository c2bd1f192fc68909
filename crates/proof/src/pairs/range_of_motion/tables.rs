//! The lookup tables, and the self-collision search over them.
//!
//! base: can two shapes ever meet; rigid: a shape and a whole subtree; motion: two subtrees;
//! scfree: a subtree within itself. Each is the AND of the ones below it. The hulls are asked from
//! the top, because one answer settles all that is below; what they leave open is settled pair by
//! pair, and the tables are then filled from the bottom.

use std::collections::HashMap;

use super::hulls::gap;
use super::{Candidate, Hulls, PlacedShape};
use crate::model::JointId;
use crate::motion::{Chains, JointRange};

/// Who hangs on whom. Index `joints` stands for the world.
#[derive(Debug, Clone)]
struct Tree {
    children: Vec<Vec<JointId>>,
    shapes: Vec<Vec<usize>>,
    /// Number of joints from the world to each.
    depth: Vec<usize>,
}

impl Tree {
    fn new(chains: &Chains, shapes: &[PlacedShape]) -> Self {
        let world = chains.len();
        let mut tree = Tree {
            children: vec![Vec::new(); world + 1],
            shapes: vec![Vec::new(); world + 1],
            depth: vec![0; world + 1],
        };
        for joint in 0..world {
            let chain = chains.of(Some(joint));
            let parent = chain.len().checked_sub(2).map_or(world, |k| chain[k]);
            tree.children[parent].push(joint);
            tree.depth[joint] = chain.len();
        }
        for (id, shape) in shapes.iter().enumerate() {
            tree.shapes[shape.joint.unwrap_or(world)].push(id);
        }
        tree
    }

    fn world(&self) -> usize {
        self.children.len() - 1
    }
}

/// Index of each pair, by its shapes.
fn index(pairs: &[Candidate]) -> HashMap<[usize; 2], usize> {
    let key = |p: &Candidate| [p.a.min(p.b), p.a.max(p.b)];
    pairs.iter().enumerate().map(|(k, p)| (key(p), k)).collect()
}

/// Distance below which each pair cannot come, metres, as far as the hulls can tell; 0 where they
/// cannot.
pub fn least_by_hulls(
    chains: &Chains,
    shapes: &[PlacedShape],
    ranges: &[JointRange],
    pairs: &[Candidate],
) -> Vec<f64> {
    let mut ask = HullQuestion {
        tree: Tree::new(chains, shapes),
        hulls: Hulls::new(chains, shapes, ranges),
        pairs,
        of: index(pairs),
        enough: pairs.iter().map(|p| p.threshold).fold(0.0, f64::max),
        least: vec![0.0; pairs.len()],
    };
    let world = ask.tree.world();
    ask.within(world);
    ask.least
}

struct HullQuestion<'h> {
    tree: Tree,
    hulls: Hulls<'h>,
    pairs: &'h [Candidate],
    of: HashMap<[usize; 2], usize>,
    /// Farther apart than this is enough for every pair, metres.
    enough: f64,
    least: Vec<f64>,
}

impl HullQuestion<'_> {
    /// The three steps: a link against its descendants, its child subtrees against one another, and
    /// each of them within itself.
    fn within(&mut self, node: usize) {
        let children = self.tree.children[node].clone();
        let level = self.tree.depth[node];
        for shape in self.tree.shapes[node].clone() {
            for &child in &children {
                self.rigid(shape, child, level);
            }
        }
        for (k, &c) in children.iter().enumerate() {
            for &d in &children[k + 1..] {
                self.motion(c, d, level);
            }
        }
        for child in children {
            self.within(child);
        }
    }

    fn rigid(&mut self, shape: usize, joint: JointId, level: usize) {
        let Some(&subtree) = self.hulls.subtree(joint, level) else {
            return;
        };
        let bound = gap(self.hulls.link(shape, level), &subtree);
        if bound > self.enough {
            return self.settle_rigid(shape, joint, bound);
        }
        for other in self.tree.shapes[joint].clone() {
            if let Some(k) = self.pair(shape, other) {
                let bound = self.hulls.least(&self.pairs[k]);
                self.note(k, bound);
            }
        }
        for child in self.tree.children[joint].clone() {
            self.rigid(shape, child, level);
        }
    }

    fn motion(&mut self, c: JointId, d: JointId, level: usize) {
        let (Some(x), Some(y)) = (self.hulls.subtree(c, level), self.hulls.subtree(d, level))
        else {
            return;
        };
        let bound = gap(x, y);
        if bound > self.enough {
            return self.settle_motion(c, d, bound);
        }
        for shape in self.tree.shapes[c].clone() {
            self.rigid(shape, d, level);
        }
        for child in self.tree.children[c].clone() {
            self.motion(child, d, level);
        }
    }

    fn settle_rigid(&mut self, shape: usize, joint: JointId, bound: f64) {
        for other in self.tree.shapes[joint].clone() {
            if let Some(k) = self.pair(shape, other) {
                self.note(k, bound);
                // The pair's own hulls may know better.
                let own = self.hulls.least(&self.pairs[k]);
                self.note(k, own);
            }
        }
        for child in self.tree.children[joint].clone() {
            self.settle_rigid(shape, child, bound);
        }
    }

    fn settle_motion(&mut self, c: JointId, d: JointId, bound: f64) {
        for shape in self.tree.shapes[c].clone() {
            self.settle_rigid(shape, d, bound);
        }
        for child in self.tree.children[c].clone() {
            self.settle_motion(child, d, bound);
        }
    }

    fn pair(&self, a: usize, b: usize) -> Option<usize> {
        self.of.get(&[a.min(b), a.max(b)]).copied()
    }

    /// Records a proved bound; `max` ignores NaN.
    fn note(&mut self, pair: usize, bound: f64) {
        self.least[pair] = self.least[pair].max(bound);
    }
}

/// The tables of a cell. `true`: can never come within the threshold.
#[derive(Debug, Clone)]
pub struct Tables {
    tree: Tree,
    of: HashMap<[usize; 2], usize>,
    /// By pair.
    base: Vec<bool>,
    /// By shape and subtree.
    rigid: HashMap<(usize, JointId), bool>,
    /// By two subtrees that hang on different joints.
    motion: HashMap<(JointId, JointId), bool>,
    /// By subtree; last the whole cell.
    scfree: Vec<bool>,
}

impl Tables {
    /// Fills the tables from the bottom. `least` holds for each pair a distance below which it
    /// cannot come, metres.
    pub fn new(
        chains: &Chains,
        shapes: &[PlacedShape],
        pairs: &[Candidate],
        least: &[f64],
    ) -> Self {
        let tree = Tree::new(chains, shapes);
        let world = tree.world();
        let mut tables = Tables {
            of: index(pairs),
            base: pairs
                .iter()
                .zip(least)
                .map(|(p, &d)| d > p.threshold)
                .collect(),
            rigid: HashMap::new(),
            motion: HashMap::new(),
            scfree: vec![true; world + 1],
            tree,
        };
        tables.fill_within(world);
        tables
    }

    fn fill_within(&mut self, node: usize) -> bool {
        let children = self.tree.children[node].clone();
        let mut free = true;
        for shape in self.tree.shapes[node].clone() {
            for &child in &children {
                free &= self.fill_rigid(shape, child);
            }
        }
        for (k, &c) in children.iter().enumerate() {
            for &d in &children[k + 1..] {
                free &= self.fill_motion(c, d);
            }
        }
        for child in children {
            free &= self.fill_within(child);
        }
        self.scfree[node] = free;
        free
    }

    fn fill_rigid(&mut self, shape: usize, joint: JointId) -> bool {
        let mut free = true;
        for &other in &self.tree.shapes[joint] {
            free &= self.never(shape, other);
        }
        for child in self.tree.children[joint].clone() {
            free &= self.fill_rigid(shape, child);
        }
        self.rigid.insert((shape, joint), free);
        free
    }

    fn fill_motion(&mut self, c: JointId, d: JointId) -> bool {
        let mut free = true;
        for shape in self.tree.shapes[c].clone() {
            free &= self.fill_rigid(shape, d);
        }
        for child in self.tree.children[c].clone() {
            free &= self.fill_motion(child, d);
        }
        self.motion.insert((c, d), free);
        free
    }

    /// The table `base`. A pair that is not among the candidates can never meet.
    fn never(&self, a: usize, b: usize) -> bool {
        let pair = self.of.get(&[a.min(b), a.max(b)]);
        pair.is_none_or(|&k| self.base[k])
    }

    /// The pairs that can meet as far as is known, in the order of the list: the three-step search
    /// over the tables.
    pub fn search(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.search_within(self.tree.world(), &mut found);
        found.sort_unstable();
        found
    }

    fn search_within(&self, node: usize, found: &mut Vec<usize>) {
        if self.scfree[node] {
            return;
        }
        let children = &self.tree.children[node];
        for &shape in &self.tree.shapes[node] {
            for &child in children {
                self.search_rigid(shape, child, found);
            }
        }
        for (k, &c) in children.iter().enumerate() {
            for &d in &children[k + 1..] {
                self.search_motion(c, d, found);
            }
        }
        for &child in children {
            self.search_within(child, found);
        }
    }

    fn search_rigid(&self, shape: usize, joint: JointId, found: &mut Vec<usize>) {
        if self.rigid.get(&(shape, joint)) == Some(&true) {
            return;
        }
        for &other in &self.tree.shapes[joint] {
            let pair = self.of.get(&[shape.min(other), shape.max(other)]);
            found.extend(pair.copied().filter(|&k| !self.base[k]));
        }
        for &child in &self.tree.children[joint] {
            self.search_rigid(shape, child, found);
        }
    }

    fn search_motion(&self, c: JointId, d: JointId, found: &mut Vec<usize>) {
        if self.motion.get(&(c, d)) == Some(&true) {
            return;
        }
        for &shape in &self.tree.shapes[c] {
            self.search_rigid(shape, d, found);
        }
        for &child in &self.tree.children[c] {
            self.search_motion(child, d, found);
        }
    }
}
