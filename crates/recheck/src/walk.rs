//! Lemmas 5 and 6: groups of triangles that are apart, and the walk that leaves none of them out.

use std::cell::OnceCell;

use crate::files::{Geometry, Part, Segment};
use crate::motion::{Bulge, HUGE, Motion, Span};
use crate::numbers::{V3, dot, length_up, minus};
use crate::pose::{Pose, lever};

/// Of so many triangles, or fewer, the corners are looked at where the box around them does not do.
pub const FEW: u32 = 12;
/// Boxes around more than so many are kept.
const KEPT: u32 = 4;

/// Some triangles of a part: those from `from` to before `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// 1 for all of them; 2k and 2k + 1 for the halves of k.
    pub id: u32,
    /// First one.
    pub from: u32,
    /// The one after the last.
    pub to: u32,
}

impl Range {
    /// Both halves, if there are two triangles.
    pub fn halves(&self) -> Option<[Range; 2]> {
        let Range { id, from, to } = *self;
        let middle = from + (to - from) / 2;
        let halves = [(2 * id, from, middle), (2 * id + 1, middle, to)];
        (to - from > 1).then(|| halves.map(|(id, from, to)| Range { id, from, to }))
    }
}

/// A box along the axes of a part's frame, 2⁻⁴⁰ m.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Box3 {
    /// Least coordinates.
    pub least: V3,
    /// Greatest coordinates.
    pub most: V3,
}

impl Box3 {
    /// The least n·p of its points.
    fn least_along(&self, n: &V3) -> i128 {
        dot(
            n,
            &[0, 1, 2].map(|k| {
                if n[k] < 0 {
                    self.most[k]
                } else {
                    self.least[k]
                }
            }),
        )
    }

    fn join(&self, other: &Box3) -> Box3 {
        Box3 {
            least: [0, 1, 2].map(|k| self.least[k].min(other.least[k])),
            most: [0, 1, 2].map(|k| self.most[k].max(other.most[k])),
        }
    }

    /// About the middle.
    pub fn centre(&self) -> V3 {
        [0, 1, 2].map(|k| (self.least[k] + self.most[k]) >> 1)
    }

    /// No point of it is farther from a point along an axis.
    fn from(&self, point: &V3) -> V3 {
        [0, 1, 2].map(|k| {
            (self.most[k] - point[k])
                .abs()
                .max((point[k] - self.least[k]).abs())
        })
    }

    /// Radius of a ball around its centre that holds it.
    pub fn radius(&self) -> i64 {
        length_up(&self.from(&self.centre()))
    }
}

/// A part with boxes around its ranges.
#[derive(Debug, Clone)]
struct Solid<'g> {
    part: &'g Part,
    /// By the number of a range of more than `KEPT` triangles.
    boxes: Vec<Option<Box3>>,
    /// The reference point of its bulge: about its middle.
    middle: V3,
    /// No corner is farther from the origin of its frame.
    far: i64,
    /// Joints from the world to it.
    chain: Vec<usize>,
    /// Its number among those that move.
    moving: usize,
}

impl Solid<'_> {
    fn corners(&self, range: &Range) -> impl Iterator<Item = &V3> {
        let triangles = &self.part.triangles[range.from as usize..range.to as usize];
        let corners = triangles.iter().flatten();
        corners.map(|&k| &self.part.corners[k as usize])
    }

    fn build(&mut self, range: Range) -> Box3 {
        match range.halves() {
            Some([first, second]) if range.to - range.from > KEPT => {
                let joined = self.build(first).join(&self.build(second));
                let id = range.id as usize;
                self.boxes.resize(self.boxes.len().max(id + 1), None);
                self.boxes[id] = Some(joined);
                joined
            }
            _ => self.around(&range),
        }
    }

    /// The box around a range.
    fn around(&self, range: &Range) -> Box3 {
        if let Some(Some(known)) = self.boxes.get(range.id as usize) {
            return *known;
        }
        let points = self.corners(range).map(|&p| Box3 { least: p, most: p });
        points.reduce(|x, y| x.join(&y)).unwrap_or(Box3 {
            least: [0; 3],
            most: [0; 3],
        })
    }

    /// The least n·p of the corners of a range.
    fn least_along(&self, n: &V3, range: &Range) -> i128 {
        let along = self.corners(range).map(|p| dot(n, p));
        along.min().unwrap_or(i128::MIN >> 4)
    }
}

/// Two parts of two bodies.
#[derive(Debug, Clone, Copy)]
pub struct PartPair {
    /// First part.
    pub a: usize,
    /// Second part.
    pub b: usize,
    /// What is to be proved: D and both radii, 2⁻⁴⁰ m.
    pub apart: i64,
    /// Number of joints that both chains begin with.
    pub shared: usize,
}

/// Rectangle of lemma 6.
#[derive(Debug, Clone, Copy)]
pub struct Rectangle {
    /// Which pair of parts.
    pub pair: usize,
    /// Triangles of the first one.
    pub a: Range,
    /// Triangles of the second one.
    pub b: Range,
}

/// What is put around a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Its corners, or the box around it.
    Corners,
    /// A ball around the box.
    Ball,
}

/// A direction, from the second range to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    /// The one that told this pair of parts apart last.
    Same,
    /// From centre to centre, of both ends together.
    Centres,
    /// This one, in the frame that the parts share.
    Given(V3),
}

/// What is to be done with a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Hand it on to both halves of the time.
    Later,
    /// Halve the triangles of the first part.
    HalveA,
    /// Halve those of the second part.
    HalveB,
    /// It is settled by lemma 5.
    Apart(By, Along),
}

/// A pair of parts in an interval, seen from the joint that both share.
#[derive(Debug, Clone)]
pub struct View {
    /// Poses of both parts, at each end.
    pub ends: Vec<[Pose; 2]>,
    /// How far points of both parts can be from their chords.
    bulges: [Bulge; 2],
    /// What has to be between corners, but for bulges, 2⁻⁴⁰ m.
    pub need: i64,
}

/// Who says what to do.
pub trait Source {
    /// The next operation.
    ///
    /// # Errors
    /// When there is none.
    fn next(&mut self, about: &About) -> Result<Operation, String>;
}

/// A rectangle in an interval.
pub struct About<'w> {
    /// The walk.
    pub walk: &'w Walk<'w>,
    /// The interval.
    pub span: &'w Span,
    /// The rectangle.
    pub rectangle: Rectangle,
    boxes: OnceCell<[Box3; 2]>,
    view: &'w OnceCell<View>,
    distances: &'w [OnceCell<Vec<i64>>],
}

/// The operations of a certificate.
pub struct Tape<'b> {
    /// Those that are left.
    pub left: &'b [u8],
}

impl Source for Tape<'_> {
    fn next(&mut self, _: &About) -> Result<Operation, String> {
        let mut take = || {
            let (byte, left) = self.left.split_first().ok_or("the proof ends too early")?;
            self.left = left;
            Ok::<_, String>(*byte)
        };
        let operation = take()?;
        // A direction's coordinates have one, two or four bytes each, the highest first.
        let mut given = |bytes: u32| {
            let mut number = || {
                let first = i64::from(take()? as i8);
                (1..bytes).try_fold(first, |x, _| Ok::<_, String>(x << 8 | i64::from(take()?)))
            };
            Ok::<_, String>(Along::Given([number()?, number()?, number()?]))
        };
        Ok(match operation {
            0 => Operation::Later,
            1 => Operation::HalveA,
            2 => Operation::HalveB,
            3 => Operation::Apart(By::Corners, Along::Same),
            4 => Operation::Apart(By::Ball, Along::Same),
            5 => Operation::Apart(By::Corners, Along::Centres),
            6 => Operation::Apart(By::Ball, Along::Centres),
            7..=9 => Operation::Apart(By::Corners, given(1 << (operation - 7))?),
            other => return Err(format!("operation {other} is none")),
        })
    }
}

/// The walk over all that is to be proved.
pub struct Walk<'g> {
    /// The motion.
    pub motion: Motion<'g>,
    solids: Vec<Solid<'g>>,
    /// All pairs of parts of pairs of bodies that are checked.
    pub pairs: Vec<PartPair>,
    /// Per pair of parts, the direction that told it apart last.
    same: Vec<V3>,
    /// Rectangles that lemma 5 has settled.
    pub settled: u64,
}

/// The same direction, its largest coordinate 2⁵⁴ or more and below 2⁵⁵; `None` of nothing.
fn scaled(n: &V3) -> Option<V3> {
    let most = n.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0);
    let up = i64::from(most.leading_zeros()) - 9;
    (most > 0).then(|| n.map(|x| if up >= 0 { x << up } else { x >> -up }))
}

impl View {
    fn places(&self, end: usize, centres: [&V3; 2]) -> V3 {
        let [a, b] = &self.ends[end];
        minus(&a.apply(centres[0]), &b.apply(centres[1]))
    }
}

impl About<'_> {
    /// The pair of parts.
    pub fn pair(&self) -> &PartPair {
        &self.walk.pairs[self.rectangle.pair]
    }

    fn solids(&self) -> [&Solid<'_>; 2] {
        let pair = self.pair();
        [&self.walk.solids[pair.a], &self.walk.solids[pair.b]]
    }

    /// The boxes around both ranges, each in the frame of its part.
    pub fn boxes(&self) -> &[Box3; 2] {
        self.boxes.get_or_init(|| {
            let [a, b] = self.solids();
            [a.around(&self.rectangle.a), b.around(&self.rectangle.b)]
        })
    }

    /// The corners of each triangle of the range of one side, in the frame of its part.
    pub fn triangles(&self, side: usize) -> impl Iterator<Item = [V3; 3]> {
        let solid = self.solids()[side];
        let Range { from, to, .. } = [self.rectangle.a, self.rectangle.b][side];
        let triangles = &solid.part.triangles[from as usize..to as usize];
        triangles
            .iter()
            .map(|t| t.map(|k| solid.part.corners[k as usize]))
    }

    /// The pair in the interval.
    pub fn view(&self) -> &View {
        self.view.get_or_init(|| {
            let (pair, motion) = (self.pair(), &self.walk.motion);
            let mut need = pair.apart;
            let mut bulges = [Bulge::default(); 2];
            let mut ends = vec![[Pose::IDENTITY; 2]; self.span.ends.len()];
            for (side, solid) in self.solids().into_iter().enumerate() {
                let mut off = 0;
                for (end, places) in ends.iter_mut().zip(&self.span.ends) {
                    let chain = &solid.chain;
                    end[side] = match (chain.last(), pair.shared.checked_sub(1)) {
                        (Some(&last), None) => places[last],
                        (Some(&last), Some(k)) if k + 1 < chain.len() => {
                            places[chain[k]].seen(&places[last])
                        }
                        _ => Pose::IDENTITY,
                    };
                    let error = end[side].shift + lever(end[side].turn + 512, solid.far) + 2;
                    off = off.max(error);
                }
                need += off;
                if solid.chain.len() > pair.shared {
                    let known = &self.distances[solid.moving];
                    let known = known.get_or_init(|| {
                        motion.axis_distances(self.span, &solid.chain, &solid.middle)
                    });
                    bulges[side] = motion.bulge(self.span, &solid.chain, pair.shared, known);
                }
            }
            View { ends, bulges, need }
        })
    }

    /// The direction that is meant.
    pub fn direction(&self, along: &Along) -> V3 {
        match along {
            Along::Same => self.walk.same[self.rectangle.pair],
            Along::Given(n) => *n,
            Along::Centres => {
                let [a, b] = self.boxes().each_ref().map(Box3::centre);
                let view = self.view();
                let ends = (0..view.ends.len()).map(|end| view.places(end, [&a, &b]));
                ends.reduce(|x, y| [0, 1, 2].map(|k| x[k] + y[k]))
                    .unwrap_or([0; 3])
            }
        }
    }

    /// How far both ranges may be from their chords (or from where they are in the middle of a stretch), together, 2⁻⁴⁰ m.
    pub fn bulge(&self, by: By) -> i64 {
        let (view, solids, boxes) = (self.view(), self.solids(), self.boxes());
        let of = |side: usize| {
            let (solid, range) = (solids[side], &boxes[side]);
            let far = match by {
                By::Corners => range.from(&solid.middle),
                By::Ball => minus(&range.centre(), &solid.middle),
            };
            view.bulges[side].at(length_up(&far))
        };
        (of(0) + of(1)).min(HUGE)
    }

    /// Lemma 5, and by so much more than is needed.
    pub fn apart(&self, by: By, n: &V3, more: i64) -> bool {
        let (Some(n), bulge) = (scaled(n), self.bulge(by)) else {
            return false;
        };
        if bulge >= HUGE {
            return false;
        }
        let (view, [a, b], boxes) = (self.view(), self.solids(), self.boxes());
        let (range_a, range_b) = (&self.rectangle.a, &self.rectangle.b);
        let few = [range_a, range_b].map(|r| by == By::Corners && r.to - r.from <= FEW);
        let mut need = view.need + bulge + more;
        if by == By::Ball {
            need += boxes[0].radius() + boxes[1].radius();
        }
        let centres = boxes.each_ref().map(Box3::centre);
        let need = i128::from(length_up(&n)) * i128::from(need);
        view.ends.iter().all(|[at_a, at_b]| {
            let (n_a, n_b) = (at_a.turned_back(&n), at_b.turned_back(&n).map(|x| -x));
            let between = dot(&n, &minus(&at_a.place, &at_b.place));
            let (least_a, least_b) = match by {
                By::Ball => (dot(&n_a, &centres[0]), dot(&n_b, &centres[1])),
                By::Corners => (boxes[0].least_along(&n_a), boxes[1].least_along(&n_b)),
            };
            if between + least_a + least_b > need {
                return true;
            }
            let least_a = if few[0] {
                a.least_along(&n_a, range_a)
            } else {
                least_a
            };
            let least_b = if few[1] {
                b.least_along(&n_b, range_b)
            } else {
                least_b
            };
            between + least_a + least_b > need
        })
    }
}

impl<'g> Walk<'g> {
    /// Prepares a walk.
    pub fn new(geometry: &'g Geometry, segments: &'g [Segment]) -> Self {
        let motion = Motion::new(geometry, segments);
        let mut moving = 0;
        let mut of_body = vec![Vec::new(); geometry.bodies.len()];
        let mut solids: Vec<Solid> = Vec::new();
        for (index, part) in geometry.parts.iter().enumerate() {
            of_body[part.body].push(index);
            let chain = motion.chain(part.body).to_vec();
            let mut solid = Solid {
                part,
                boxes: Vec::new(),
                middle: [0; 3],
                far: 0,
                moving,
                chain,
            };
            moving += usize::from(!solid.chain.is_empty());
            let all = solid.build(all(part));
            solid.middle = all.centre();
            solid.far = length_up(&all.from(&[0; 3]));
            solids.push(solid);
        }
        let mut pairs = Vec::new();
        for pair in &geometry.pairs {
            let Ok(apart) = pair.apart else { continue };
            for &a in &of_body[pair.a] {
                for &b in &of_body[pair.b] {
                    let chains = solids[a].chain.iter().zip(&solids[b].chain);
                    let shared = chains.take_while(|(x, y)| x == y).count();
                    let apart = apart + solids[a].part.radius + solids[b].part.radius;
                    pairs.push(PartPair {
                        a,
                        b,
                        apart,
                        shared,
                    });
                }
            }
        }
        let same = vec![[0; 3]; pairs.len()];
        Walk {
            motion,
            solids,
            pairs,
            same,
            settled: 0,
        }
    }

    /// Proves all of it, by operations from somebody.
    ///
    /// # Errors
    /// Which rectangle is not settled, and why.
    pub fn run(&mut self, segments: usize, source: &mut dyn Source) -> Result<(), String> {
        if segments == 0 {
            return Err("there is no motion".to_owned());
        }
        let part = |index: usize| all(self.solids[index].part);
        let pairs = self.pairs.iter().enumerate();
        let list = pairs.map(|(pair, p)| Rectangle {
            pair,
            a: part(p.a),
            b: part(p.b),
        });
        let list = list.collect();
        self.visit(&self.motion.whole(), list, source)
    }

    fn visit(
        &mut self,
        span: &Span,
        list: Vec<Rectangle>,
        source: &mut dyn Source,
    ) -> Result<(), String> {
        let moving = self.solids.last().map_or(0, |s| s.moving + 1);
        let distances = vec![OnceCell::new(); moving];
        let (mut later, mut view) = (Vec::new(), (usize::MAX, OnceCell::new()));
        for first in list {
            if view.0 != first.pair {
                view = (first.pair, OnceCell::new());
            }
            let mut open = vec![first];
            while let Some(rectangle) = open.pop() {
                let about = About {
                    boxes: OnceCell::new(),
                    walk: self,
                    span,
                    rectangle,
                    view: &view.1,
                    distances: &distances,
                };
                let fault = |why: &str| Err(about.fault(why));
                let Rectangle { pair, a, b } = rectangle;
                match source.next(&about).map_err(|e| about.fault(&e))? {
                    Operation::Later => later.push(rectangle),
                    Operation::HalveA => match a.halves() {
                        Some(halves) => open.extend(halves.map(|a| Rectangle { pair, a, b })),
                        None => return fault("one triangle is not halved"),
                    },
                    Operation::HalveB => match b.halves() {
                        Some(halves) => open.extend(halves.map(|b| Rectangle { pair, a, b })),
                        None => return fault("one triangle is not halved"),
                    },
                    Operation::Apart(by, along) => {
                        let n = about.direction(&along);
                        if !about.apart(by, &n, 0) {
                            return fault("they are not shown to be apart");
                        }
                        self.same[pair] = n;
                        self.settled += 1;
                    }
                }
            }
        }
        if later.is_empty() {
            return Ok(());
        }
        let [first, second] = self.motion.halves(span)?;
        self.visit(&first, later.clone(), source)?;
        self.visit(&second, later, source)
    }
}

/// All triangles of a part.
fn all(part: &Part) -> Range {
    Range {
        id: 1,
        from: 0,
        to: part.triangles.len() as u32,
    }
}

impl About<'_> {
    fn fault(&self, why: &str) -> String {
        let geometry = self.walk.motion.geometry;
        let [a, b] = self
            .solids()
            .map(|s| geometry.bodies[s.part.body].name.escape_debug().to_string());
        let (Range { from, to, .. }, Range { from: f, to: t, .. }) =
            (self.rectangle.a, self.rectangle.b);
        let (first, end) = self.span.segments;
        let parts = 1u64 << self.span.depth;
        format!(
            "cell {}: {a}, triangles {from} to {to}, and {b}, triangles {f} to {t}, in segments {first} to {end}, \
             interval {} of {parts}: {why}",
            self.walk.settled, self.span.index
        )
    }
}
