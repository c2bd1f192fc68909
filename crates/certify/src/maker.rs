//! Finds how a question is taken apart so that the checker settles each piece of it.
//!
//! It walks as the checker does, with the checker's own code for places and bounds, and says what to do with each rectangle.
//! All that is weighed here in floating point is only a choice: what is chosen is tried by the checker's integers, with a
//! nanometre to spare, so that another checker with other roundings agrees.

use clearance_proof::geometry::triangle::distance_triangle_triangle;
use clearance_proof::model::Path;
use clearance_recheck::files::{Certificate, Geometry};
use clearance_recheck::numbers::sha256;
use clearance_recheck::pose::Pose;
use clearance_recheck::walk::{About, Along, Box3, By, FEW, Operation, Source, Walk};
use nalgebra::{Matrix3, Point3, Vector3};

use crate::CertifyError;
use crate::geometry::{line, one_line};
use crate::motion;

/// What is left for other roundings, 2⁻⁴⁰ m: 1 nm.
const SPARE: i64 = 1 << 10;
/// No certificate has more operations.
const MOST: usize = 50_000_000;
/// Largest coordinates of directions of one, two and four bytes a coordinate.
const SIZES: [f64; 3] = [127.0, 32767.0, 2147483647.0];
const METRE: f64 = (1u64 << 40) as f64;

/// A certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The file.
    pub bytes: Vec<u8>,
    /// Rectangles that were settled.
    pub cells: u64,
    /// Bytes of the motion in it.
    pub motion_bytes: usize,
}

/// The certificate for a motion in a cell. `geometry` is the file that [`geometry`](crate::geometry()) makes, `name` what it will be
/// called; `notes` are for people.
///
/// # Errors
/// When there is none, or none is found.
pub fn certificate(
    geometry: &[u8],
    name: &str,
    path: &Path,
    notes: &[String],
) -> Result<Made, CertifyError> {
    let read = Geometry::read(geometry).map_err(CertifyError::NotFound)?;
    certificate_in(&read, &sha256(geometry), name, path, notes)
}

/// The same in a cell whose geometry file was read already; `hash` is its SHA-256.
///
/// # Errors
/// When there is none, or none is found.
pub fn certificate_in(
    geometry: &Geometry,
    hash: &str,
    name: &str,
    path: &Path,
    notes: &[String],
) -> Result<Made, CertifyError> {
    let (start, segments) = motion::segments(path)?;
    let mut bytes = b"clearance-certificate 1\n".to_vec();
    line(&mut bytes, &format!("geometry {hash} {}", one_line(name)));
    for note in notes {
        line(&mut bytes, &format!("note {}", one_line(note)));
    }
    line(&mut bytes, &format!("motion {start} {}", segments.len()));
    let before = bytes.len();
    motion::write(&mut bytes, &segments);
    let motion_bytes = bytes.len() - before;
    // The motion is taken as the checker reads it.
    let joints = geometry.joints.len();
    let whole = [&bytes[..], b"end\n"].concat();
    let read = Certificate::read(&whole, |_| Ok(joints)).map_err(CertifyError::NotCovered)?;
    let mut maker = Maker::default();
    let mut walk = Walk::new(geometry, &read.segments);
    if let Err(why) = walk.run(read.segments.len(), &mut maker) {
        return Err(match maker.contact {
            true => CertifyError::Contradiction(why),
            false => CertifyError::NotFound(why),
        });
    }
    line(&mut bytes, &format!("proof {}", maker.proof.len()));
    bytes.extend(&maker.proof);
    line(&mut bytes, "end");
    let cells = walk.settled;
    Ok(Made {
        bytes,
        cells,
        motion_bytes,
    })
}

#[derive(Debug, Default)]
struct Maker {
    proof: Vec<u8>,
    contact: bool,
}

impl Source for Maker {
    fn next(&mut self, about: &About) -> Result<Operation, String> {
        if self.proof.len() > MOST {
            return Err("it would take too many cells".to_owned());
        }
        let operation = match settled(about) {
            Ok(operation) => operation,
            Err(look) => match divided(&look) {
                Some(operation) => operation,
                None => {
                    self.contact = true;
                    return Err("the two triangles are within the distance".to_owned());
                }
            },
        };
        write(&mut self.proof, &operation);
        Ok(operation)
    }
}

fn write(proof: &mut Vec<u8>, operation: &Operation) {
    proof.push(match operation {
        Operation::Later => 0,
        Operation::HalveA => 1,
        Operation::HalveB => 2,
        Operation::Apart(By::Corners, Along::Same) => 3,
        Operation::Apart(By::Ball, Along::Same) => 4,
        Operation::Apart(By::Corners, Along::Centres) => 5,
        Operation::Apart(By::Ball, Along::Centres) => 6,
        Operation::Apart(_, Along::Given(n)) => {
            let fits = |bytes: u32| n.iter().all(|x| x.unsigned_abs() < 1 << (8 * bytes - 1));
            let size = (0..3).find(|&size| fits(1 << size)).unwrap_or(2);
            proof.push(7 + size as u8);
            for x in n {
                proof.extend(&x.to_be_bytes()[8 - (1 << size)..]);
            }
            return;
        }
    });
}

/// An operation that settles a rectangle, or what was seen of it.
fn settled<'l, 'w>(about: &'l About<'w>) -> Result<Operation, Look<'l, 'w>> {
    for (by, along) in [
        (By::Corners, Along::Same),
        (By::Ball, Along::Centres),
        (By::Corners, Along::Centres),
    ] {
        if about.apart(by, &about.direction(&along), SPARE) {
            return Ok(Operation::Apart(by, along));
        }
    }
    let look = Look::new(about);
    let bulge = about.bulge(By::Corners) as f64 / METRE;
    let need = about.view().need as f64 / METRE + bulge;
    for n in look.directions() {
        if look.separation(&n) <= need {
            continue;
        }
        for size in SIZES {
            let n = n * (size / n.amax());
            let n = [n.x, n.y, n.z].map(|x| x.round() as i64);
            if about.apart(By::Corners, &n, SPARE) {
                return Ok(Operation::Apart(By::Corners, Along::Given(n)));
            }
        }
    }
    Err(look)
}

/// How a rectangle is divided that nothing settles; `None` where the two triangles are within their distance.
fn divided(look: &Look) -> Option<Operation> {
    let about = look.about;
    let rectangle = &about.rectangle;
    let counts = [rectangle.a, rectangle.b].map(|r| r.to - r.from);
    let bulge = about.bulge(By::Ball) as f64 / METRE;
    let radii = look.radii();
    let chord = look.chord();
    if counts == [1, 1] {
        // The middle values of a stretch need not be on the path.
        let on_path = about.view().ends.len() == 2;
        let contact = on_path && look.distance() <= about.pair().apart as f64 / METRE;
        return (!contact).then_some(Operation::Later);
    }
    if radii[0] + radii[1] < 48.0 * bulge + 4.0 * 0.5 * chord {
        return Some(Operation::Later);
    }
    let first = match counts {
        [1, _] => false,
        [_, 1] => true,
        _ => radii[0] > radii[1],
    };
    Some(if first {
        Operation::HalveA
    } else {
        Operation::HalveB
    })
}

/// A rectangle in floating point, metres.
struct Look<'l, 'w> {
    about: &'l About<'w>,
    boxes: [(Vector3<f64>, Vector3<f64>); 2],
    ends: Vec<[(Matrix3<f64>, Vector3<f64>); 2]>,
}

fn metres(v: &[i64; 3]) -> Vector3<f64> {
    Vector3::from(v.map(|x| x as f64 / METRE))
}

impl<'l, 'w> Look<'l, 'w> {
    fn new(about: &'l About<'w>) -> Self {
        let pose = |p: &Pose| {
            let rows = p.rows.map(|row| row.map(|x| x as f64 / 2f64.powi(60)));
            (Matrix3::from_fn(|i, k| rows[i][k]), metres(&p.place))
        };
        let middle_half = |b: &Box3| {
            let (least, most) = (metres(&b.least), metres(&b.most));
            ((least + most) / 2.0, (most - least) / 2.0)
        };
        Look {
            about,
            boxes: about.boxes().each_ref().map(middle_half),
            ends: (about.view().ends.iter())
                .map(|[a, b]| [pose(a), pose(b)])
                .collect(),
        }
    }

    fn radii(&self) -> [f64; 2] {
        [0, 1].map(|side| self.boxes[side].1.norm())
    }

    /// From the middle of the second box to that of the first one, at an end.
    fn between(&self, end: usize) -> Vector3<f64> {
        let [a, b] = &self.ends[end];
        (a.0 * self.boxes[0].0 + a.1) - (b.0 * self.boxes[1].0 + b.1)
    }

    fn chord(&self) -> f64 {
        (self.between(self.ends.len() - 1) - self.between(0)).norm()
    }

    /// What a unit direction has between both ranges, at the worse end.
    fn separation(&self, n: &Vector3<f64>) -> f64 {
        let half = |side: usize, end: usize| {
            let turned = self.ends[end][side].0.tr_mul(n);
            turned.abs().dot(&self.boxes[side].1)
        };
        let few = self.few();
        let at = |end: usize| match few {
            false => n.dot(&self.between(end)) - half(0, end) - half(1, end),
            true => {
                let [a, b] = [0, 1].map(|side| self.corners(side, end));
                let least = |points: Vec<[Point3<f64>; 3]>, n: &Vector3<f64>| {
                    let along = points.iter().flatten().map(|p| n.dot(&p.coords));
                    along.fold(f64::INFINITY, f64::min)
                };
                least(a, n) + least(b, &-n)
            }
        };
        (0..self.ends.len()).map(at).fold(f64::INFINITY, f64::min)
    }

    /// Whether the checker looks at the corners of both.
    fn few(&self) -> bool {
        let rectangle = &self.about.rectangle;
        [rectangle.a, rectangle.b]
            .iter()
            .all(|r| r.to - r.from <= FEW)
    }

    fn corners(&self, side: usize, end: usize) -> Vec<[Point3<f64>; 3]> {
        let (rotation, place) = &self.ends[end][side];
        let moved = |p: [i64; 3]| Point3::from(rotation * metres(&p) + place);
        self.about.triangles(side).map(|t| t.map(moved)).collect()
    }

    /// Directions worth a try.
    fn directions(&self) -> Vec<Vector3<f64>> {
        let last = self.ends.len() - 1;
        let sum = self.between(0) + self.between(last);
        let mut all = Vec::with_capacity(8);
        for side in [1, 0] {
            for k in 0..3 {
                all.push(self.ends[0][side].0.column(k) + self.ends[last][side].0.column(k));
            }
        }
        if self.few() {
            all.extend(self.nearest().map(|(_, n)| n));
        }
        let unit = |n: Vector3<f64>| {
            let n = n.try_normalize(1e-9)?;
            Some(if n.dot(&sum) < 0.0 { -n } else { n })
        };
        all.into_iter().filter_map(unit).collect()
    }

    /// Distance of two ranges of few triangles in the middle of the interval's ends, and its direction.
    fn nearest(&self) -> Option<(f64, Vector3<f64>)> {
        let last = self.ends.len() - 1;
        let middle = |side: usize| {
            let ends = self
                .corners(side, 0)
                .into_iter()
                .zip(self.corners(side, last));
            ends.map(|(p, q)| [0, 1, 2].map(|k| nalgebra::center(&p[k], &q[k])))
                .collect::<Vec<_>>()
        };
        let (a, b) = (middle(0), middle(1));
        let all = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
        let near = all.map(|(p, q)| {
            let closest = distance_triangle_triangle(p, q);
            (closest.distance, closest.point_a - closest.point_b)
        });
        near.min_by(|x, y| x.0.total_cmp(&y.0))
    }

    /// Distance of two ranges at the nearer end.
    fn distance(&self) -> f64 {
        let mut least = f64::INFINITY;
        for end in 0..self.ends.len() {
            for p in self.corners(0, end) {
                for q in self.corners(1, end) {
                    least = least.min(distance_triangle_triangle(&p, &q).distance);
                }
            }
        }
        least
    }
}
