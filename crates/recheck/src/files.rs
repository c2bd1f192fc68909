//! The two files: lines of text, and blocks of bytes whose size the line before them tells.

use std::path::Path;

pub use crate::cell::{CellBody, CellJoint, During, END, Geometry, JointError, JointMotion, Pair};

use crate::Invalid;
use crate::numbers::{sha256, sha256_of};
use crate::pose::{IntPose, unit};
use crate::reader::{FARTHEST, LineWords, Reader};
use crate::shapes::BodyPart;

/// The motion has no more polynomials: a gigabyte of memory, and a million segments of 16 joints.
const MOST_POLYNOMIALS: usize = 1 << 24;
/// No chain of joints is longer.
const LONGEST_CHAIN: usize = 128;

/// The motion of all joints between two waypoints.
#[derive(Debug, Clone)]
pub struct MotionSegment {
    /// Time that it takes, 2⁻⁴⁰ s. No part of what is proved.
    pub duration: i64,
    /// Coefficients of each joint, 2⁻⁵⁰.
    pub joints: Vec<[i64; 6]>,
    /// How far the value of each joint may be off them, 2⁻⁴⁰.
    pub value_errors: Vec<i64>,
}

/// A point of a triangle: each corner times its weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrianglePoint {
    /// Which part.
    pub part: usize,
    /// Which of its triangles.
    pub triangle: usize,
    /// Weights of its first two corners, 2⁻⁴⁰; that of the third one is what is left to 1.
    pub weights: [i64; 2],
}

/// Where two bodies come within their distance for the first time; instants as
/// [`crate::cell::INSTANT_BITS`] says, from the start of the first segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstContact {
    /// Nothing is within its distance before.
    pub free_until: u64,
    /// Then these two points are.
    pub time: u64,
    /// One of a body, and one of a later body.
    pub points: [TrianglePoint; 2],
}

/// The content of a certificate.
#[derive(Debug, Clone, Default)]
pub struct Certificate {
    /// SHA-256 of the geometry file.
    pub geometry: String,
    /// Its name, beside the certificate.
    pub geometry_file: String,
    /// Notes of its maker, for people to read.
    pub notes: Vec<String>,
    /// Time at which the motion starts, 2⁻⁴⁰ s. No part of what is proved.
    pub start: i64,
    /// The motion.
    pub segments: Vec<MotionSegment>,
    /// Where it first meets something; `None`: all of it is free.
    pub contact: Option<FirstContact>,
    /// Operations of the walk.
    pub proof: Vec<u8>,
}

impl Geometry {
    /// Reads a geometry file.
    ///
    /// # Errors
    /// When it is none, or leaves anything open.
    pub fn read(bytes: &[u8]) -> Result<Self, Invalid> {
        let mut reader = Reader::new(bytes);
        let mut geometry = Geometry::default();
        let mut during = During::ALL;
        reader.starts("clearance-geometry 2")?;
        loop {
            let (word, mut line) = reader.line()?;
            match word {
                "joint" => geometry.joint(&mut line)?,
                "off" => geometry.joint_error(&mut line)?,
                "body" => {
                    let joint = line.below(geometry.joints.len())?;
                    geometry.bodies.push(CellBody {
                        name: line.rest(),
                        joint,
                        during: During::ALL,
                        before: None,
                    });
                }
                "change" => geometry.change(&mut line)?,
                "part" => {
                    let body = line.below(geometry.bodies.len())?;
                    let body = body.ok_or_else(|| line.error("of no body"))?;
                    let part = reader.part(body, line.length()?, line.array()?);
                    geometry.parts.push(part.map_err(|e| line.error(e))?);
                }
                "check" | "leave" => geometry.pair(word, &mut line, during)?,
                "during" => {
                    let [from, to] = line.array()?;
                    during = During { from, to };
                    if !during.is_any() || to > END {
                        return Err(line.error("no segments, or too many"));
                    }
                }
                "note" => geometry.notes.push(line.rest()),
                "end" if reader.left.is_empty() && line.left.is_none() => break,
                _ => return Err(line.error("no line of a geometry file")),
            }
            line.end()?;
        }
        geometry.whole()?;
        Ok(geometry)
    }

    fn joint(&mut self, line: &mut LineWords) -> Result<(), Invalid> {
        let parent = line.below(self.joints.len())?;
        let kind = match line.word()? {
            "turns" => JointMotion::Turns,
            "slides" => JointMotion::Slides,
            "stands" => JointMotion::Stands,
            _ => return Err(line.error("a joint turns, slides or stands")),
        };
        let (q, origin) = (line.array()?, line.point()?);
        let parent_from_joint =
            IntPose::new(q, origin).ok_or_else(|| line.error("not a rotation"))?;
        let axis = line.array()?;
        let axis = unit(&axis).ok_or_else(|| line.error("not a direction"))?;
        let before = std::iter::successors(parent, |&p| self.joints[p].parent);
        if before.count() >= LONGEST_CHAIN {
            return Err(line.error("too many joints in a row"));
        }
        self.joints.push(CellJoint {
            name: line.rest(),
            parent,
            kind,
            error: JointError::default(),
            moves_with: match kind {
                JointMotion::Stands => parent.and_then(|p| self.joints[p].moves_with),
                _ => Some(self.joints.len()),
            },
            parent_from_joint,
            axis,
        });
        Ok(())
    }

    fn joint_error(&mut self, line: &mut LineWords) -> Result<(), Invalid> {
        let joint = line.below(self.joints.len())?;
        let [shift, turn] = [line.length()?, line.length()?];
        let joint = joint.map(|j| &mut self.joints[j]).filter(|joint| {
            let own = shift == 0 || joint.kind != JointMotion::Turns;
            let is_first = joint.error == JointError::default();
            own && is_first && shift.min(turn) >= 0 && shift + turn > 0
        });
        let joint = joint.ok_or_else(|| line.error("no error of a joint, or twice"))?;
        joint.error = JointError { shift, turn };
        Ok(())
    }

    fn change(&mut self, line: &mut LineWords) -> Result<(), Invalid> {
        let before = line.below(self.bodies.len())?;
        let (from, joint) = (line.next()?, line.below(self.joints.len())?);
        // The old entry ends there: the body is somewhere at every instant, once.
        let was = before.map(|b| &mut self.bodies[b]);
        let goes_on = |d: &During| d.to == END && (d.from + 1..END).contains(&from);
        let was = was.filter(|was| goes_on(&was.during));
        let was = was.ok_or_else(|| line.error("no body that goes on until then"))?;
        was.during.to = from;
        let name = was.name.clone();
        self.bodies.push(CellBody {
            name,
            joint,
            during: During { from, to: END },
            before,
        });
        Ok(())
    }

    fn pair(&mut self, word: &str, line: &mut LineWords, during: During) -> Result<(), Invalid> {
        let count = self.bodies.len();
        let (Some(a), Some(b)) = (line.below(count)?, line.below(count)?) else {
            return Err(line.error("of no body"));
        };
        let clearance = match word {
            "check" => Ok(line.length()?),
            _ => Err(line.rest()),
        };
        self.pairs.push(Pair {
            a,
            b,
            clearance,
            during,
        });
        Ok(())
    }
}

impl Reader<'_> {
    fn part(
        &mut self,
        body: usize,
        radius: i64,
        [corners, triangles]: [usize; 2],
    ) -> Result<BodyPart, Invalid> {
        let size = |count: usize, each| count.checked_mul(each).ok_or("too large");
        if radius < 0 || triangles == 0 || triangles >= 1 << 28 {
            return Err("a radius below 0, no triangles, or too many".into());
        }
        let number = |b: &[u8]| b.iter().rev().fold(0, |x, &byte| x << 8 | i64::from(byte));
        let numbers = self.take(size(corners, 24)?)?.chunks_exact(8);
        let numbers: Vec<i64> = numbers.map(number).collect();
        if numbers.iter().any(|x| x.unsigned_abs() > FARTHEST) {
            return Err("a corner too far".into());
        }
        let indices = self.take(size(triangles, 12)?)?.chunks_exact(4);
        let indices: Vec<u32> = indices.map(|b| number(b) as u32).collect();
        if indices.iter().any(|&k| k as usize >= corners) {
            return Err("a triangle with a corner that is not there".into());
        }
        let solid = self.take(triangles.div_ceil(8))?.to_vec();
        let used = triangles % 8;
        if used > 0 && solid.last().is_some_and(|last| last >> used != 0) {
            return Err("a triangle is solid that is not there".into());
        }
        let triangles = indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]);
        let corners = numbers.chunks_exact(3).map(|p| [p[0], p[1], p[2]]);
        let (corners, triangles) = (corners.collect(), triangles.collect());
        Ok(BodyPart::new(body, radius, corners, triangles, solid))
    }
}

impl Certificate {
    /// Reads a certificate about a motion of such joints.
    ///
    /// # Errors
    /// When it is none, or its motion has a jump.
    pub fn read(
        bytes: &[u8],
        joints: impl FnOnce(&Certificate) -> Result<Vec<JointMotion>, Invalid>,
    ) -> Result<Self, Invalid> {
        let mut reader = Reader::new(bytes);
        let mut read = Certificate::default();
        reader.starts("clearance-certificate 3")?;
        let mut joints = Some(joints);
        loop {
            let (word, mut line) = reader.line()?;
            match word {
                "geometry" if joints.is_some() && read.geometry.is_empty() => {
                    read.geometry = line.word()?.to_owned();
                    read.geometry_file = line.rest();
                    if read.geometry.is_empty() {
                        return Err(line.error("no SHA-256"));
                    }
                }
                "note" => read.notes.push(line.rest()),
                "motion" => {
                    let ask = joints.take().ok_or_else(|| line.error("twice"))?;
                    let joints = ask(&read)?;
                    read.segments(&joints, &mut line, &mut reader)?;
                }
                "contact" if read.contact.is_none() => read.contact = Some(contact(&mut line)?),
                "proof" if read.proof.is_empty() => {
                    read.proof = reader.take(line.next()?)?.to_vec();
                }
                "end" if reader.left.is_empty() && line.left.is_none() && joints.is_none() => {
                    return Ok(read);
                }
                _ => return Err(line.error("no line of a certificate")),
            }
            line.end()?;
        }
    }

    fn segments(
        &mut self,
        joints: &[JointMotion],
        line: &mut LineWords,
        reader: &mut Reader,
    ) -> Result<(), Invalid> {
        let count;
        (self.start, count) = (line.next()?, line.next::<usize>()?);
        // Frames that stand take no byte of the file, but memory.
        let polynomials = count.checked_mul(joints.len().max(1));
        if count >= END || polynomials.is_none_or(|n| n > MOST_POLYNOMIALS) {
            return Err(line.error("too many segments"));
        }
        let mut end = vec![0i64; joints.len()];
        for index in 0..count {
            let segment = reader.segment(joints, &mut end, index == 0);
            self.segments
                .push(segment.map_err(|e| format!("segment {index}: {e}"))?);
        }
        Ok(())
    }

    /// SHA-256 of the motion, however it is written.
    pub fn motion(&self) -> String {
        let numbers = self.segments.iter();
        let numbers = numbers.flat_map(|s| s.joints.iter().flatten().chain(&s.value_errors));
        sha256_of(numbers.flat_map(|c| c.to_le_bytes()))
    }
}

fn contact(line: &mut LineWords) -> Result<FirstContact, Invalid> {
    let [free_until, time] = line.array()?;
    let mut point = || {
        let ([part, triangle], weights) = (line.array()?, line.array()?);
        Ok::<_, Invalid>(TrianglePoint {
            part,
            triangle,
            weights,
        })
    };
    Ok(FirstContact {
        free_until,
        time,
        points: [point()?, point()?],
    })
}

impl Reader<'_> {
    /// `end`: values at the end of the segment before, then of this one.
    fn segment(
        &mut self,
        kinds: &[JointMotion],
        end: &mut [i64],
        first: bool,
    ) -> Result<MotionSegment, Invalid> {
        let duration = self.number()?;
        if duration < 0 {
            return Err("takes less than no time".into());
        }
        let mut joints = Vec::with_capacity(end.len());
        let mut value_errors = vec![0; end.len()];
        for ((kind, end), value_error) in kinds.iter().zip(end).zip(&mut value_errors) {
            let mut c = [*end, 0, 0, 0, 0, 0];
            if *kind == JointMotion::Stands {
                joints.push(c);
                continue;
            }
            // From 8 on another number follows.
            let count = self.take(1)?[0];
            for k in 0..usize::from(count & 7) {
                let x = self.number()?;
                *c.get_mut(k).ok_or("more than 6 coefficients")? =
                    if k == 0 { *end + x } else { x };
            }
            // What is proved once of a piece (lemma 8) holds for as long as nothing jumps.
            if !first && c[0] != *end {
                return Err("does not start where the one before ends".into());
            }
            // 4096 rad or metres.
            if c.iter().map(|x| u128::from(x.unsigned_abs())).sum::<u128>() > 1 << 62 {
                return Err("a joint goes too far".into());
            }
            if count & !7 == 8 {
                *value_error = self.number()?;
            }
            if !(0..=FARTHEST as i64).contains(value_error) || count & !7 > 8 {
                return Err("a joint is off by a number below 0, or too large".into());
            }
            *end = c.iter().sum();
            joints.push(c);
        }
        Ok(MotionSegment {
            duration,
            joints,
            value_errors,
        })
    }
}

/// A length as people read it, cut to nanometres: whatever is said to be farther apart, or to be off
/// by as much, is.
pub fn metres(x: i64) -> String {
    format!("{} m", nanos(x) as f64 / 1e9)
}

/// A number of 2⁻⁴⁰ in units of 10⁻⁹, rounded down.
pub fn nanos(x: i64) -> i64 {
    ((i128::from(x) * 1_000_000_000) >> 40) as i64
}

/// Reads a certificate and the geometry file beside it.
///
/// # Errors
/// When one cannot be read, or they do not belong together.
pub fn read(file: &Path) -> Result<(Geometry, Certificate), Invalid> {
    let load = |file: &Path, remedy: &str| {
        std::fs::read(file).map_err(|e| format!("{file:?}: {e}; {remedy}"))
    };
    let of = |file: &Path, e: Invalid| Invalid::from(format!("{file:?}: {e}"));
    let mut geometry = Geometry::default();
    let certificate = Certificate::read(&load(file, "is the path right?")?, |head| {
        let name = Path::new(&head.geometry_file);
        if name.components().count() != 1 || name.file_name().is_none() {
            return Err("names no geometry file beside it".into());
        }
        let beside = file.with_file_name(name);
        let bytes = load(&beside, "copy it beside the certificate")?;
        if sha256(&bytes) != head.geometry {
            let why = "is not the geometry file that the certificate is about";
            return Err(of(&beside, why.into()));
        }
        geometry = Geometry::read(&bytes).map_err(|e| of(&beside, e))?;
        Ok(geometry.kinds())
    });
    Ok((geometry, certificate.map_err(|e| of(file, e))?))
}
