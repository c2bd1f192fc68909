//! The statement that was proved, in words.

use crate::cell::INSTANT_BITS;
use crate::contact::{STAYS, keeps_shape, moved};
use crate::files::{Certificate, During, Geometry, JointMotion, metres, nanos};
use crate::motion::CellMotion;

/// 2⁻⁴⁰ s as seconds, for the eye only.
fn seconds(x: i64) -> f64 {
    x as f64 / (1u64 << 40) as f64
}

/// A name in quotes, and nothing in it that could look like the end of it, or like blank space.
fn quoted(name: &str) -> String {
    let sign = |c: char| match c {
        '"' | '\\' => c.escape_default().to_string(),
        // Letters of Hangul that fill a place and show nothing.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => c.escape_unicode().to_string(),
        _ if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() => c.to_string(),
        _ => c.escape_unicode().to_string(),
    };
    let name: String = name.chars().map(sign).collect();
    format!("\"{name}\"")
}

/// A note as it is, but for characters that a terminal does not show as one.
fn one_line(note: &str) -> String {
    let sign = |c: char| match c {
        '"' | '\'' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    note.chars().map(sign).collect()
}

/// What a joint may be off: as its geometry says, or by its value in some segment; nothing where
/// nothing may be.
fn error_text(geometry: &Geometry, certificate: &Certificate, joint: usize) -> String {
    let (stated, kind) = (&geometry.joints[joint].error, geometry.joints[joint].kind);
    let turns = kind == JointMotion::Turns;
    let radians = |x: i64| format!("{:.9} rad", nanos(x) as f64 / 1e9);
    let mut all = Vec::new();
    if stated.shift > 0 {
        all.push(format!("by up to {}", metres(stated.shift)));
    }
    if stated.turn > 0 {
        let by = if turns { "by" } else { "turned by" };
        all.push(format!("{by} up to {}", radians(stated.turn)));
    }
    let value = certificate.segments.iter().map(|s| s.value_errors[joint]);
    let value = value.max().unwrap_or(0);
    if value > 0 {
        let value = if turns { radians(value) } else { metres(value) };
        all.push(match all.len() {
            0 => format!("in some segments by up to {value}"),
            _ => format!("in some segments by {value} more"),
        });
    }
    let all = all.join(" and ");
    if all.is_empty() {
        all
    } else {
        format!("; MAY BE OFF {all}")
    }
}

/// What is said of a certificate, line by line.
struct Statement<'c> {
    geometry: &'c Geometry,
    certificate: &'c Certificate,
    /// What each joint may be off.
    error_texts: Vec<String>,
    any_error: bool,
    /// When each segment begins, after the start of the motion, seconds; behind them its end.
    begins: Vec<f64>,
    text: String,
}

/// The statement of a certificate that is valid.
pub fn statement(geometry: &Geometry, certificate: &Certificate) -> String {
    let joints = 0..geometry.joints.len();
    let error_texts: Vec<String> = joints
        .map(|j| error_text(geometry, certificate, j))
        .collect();
    let mut begins = vec![0.0];
    for segment in &certificate.segments {
        begins.extend(begins.last().map(|begin| begin + seconds(segment.duration)));
    }
    let mut said = Statement {
        geometry,
        certificate,
        any_error: error_texts.iter().any(|text| !text.is_empty()),
        error_texts,
        begins,
        text: String::new(),
    };
    said.what_holds();
    said.motion();
    said.bodies();
    said.pairs();
    for note in geometry.notes.iter().chain(&certificate.notes) {
        said.line(format!("note, not proved: {}", one_line(note)));
    }
    said.text
}

impl Statement<'_> {
    fn line(&mut self, words: String) {
        self.text += &(words + "\n");
    }

    fn if_any_error<'t>(&self, text: &'t str) -> &'t str {
        if self.any_error { text } else { "" }
    }

    fn name(&self, body: usize) -> String {
        quoted(&self.geometry.bodies[body].name)
    }

    /// Time of an instant, seconds.
    fn time(&self, instant: u64) -> f64 {
        let (segment, share) = (instant >> INSTANT_BITS, instant % (1 << INSTANT_BITS));
        let segment = segment as usize;
        let segments = &self.certificate.segments;
        let duration = segments.get(segment).map_or(0.0, |s| seconds(s.duration));
        let before = self.begins[segment.min(segments.len())];
        let share = share as f64 / (1u64 << INSTANT_BITS) as f64;
        seconds(self.certificate.start) + before + duration * share
    }

    /// An instant as people read it: times of waypoints are not proved, so its segment and share is
    /// said too.
    fn instant(&self, instant: u64) -> String {
        let (segment, share) = (instant >> INSTANT_BITS, instant % (1 << INSTANT_BITS));
        let time = self.time(instant);
        if share == 0 && segment == self.certificate.segments.len() as u64 {
            return format!("{time:.9} (the end of the motion)");
        }
        format!("{time:.9} (segment {segment}, {share}/2^{INSTANT_BITS} of it)")
    }

    /// Of which segments something is said; nothing where that is all of them.
    fn during(&self, during: &During) -> String {
        let count = self.certificate.segments.len();
        let (from, to) = (during.from, during.to.min(count));
        if (from, to) == (0, count) {
            return String::new();
        }
        let [start, end] = [from, to].map(|k| self.time((k as u64) << INSTANT_BITS));
        let last = to.saturating_sub(1);
        format!(", in segments {from} to {last} ({start:.9} to {end:.9} s, both included)")
    }

    /// That all is apart, or until which contact.
    fn what_holds(&mut self) {
        let errors = self.if_any_error(", with all that MAY BE OFF");
        let separated = format!(
            "the bodies of each pair below are farther apart than stated{errors}.\n\
             Nor does any piece of the one lie inside the other one then, where that is solid."
        );
        let Some(contact) = &self.certificate.contact else {
            return self.line(format!("At every instant of the motion {separated}"));
        };
        let [free, time] = [contact.free_until, contact.time].map(|t| self.instant(t));
        let [a, b] = contact.points.map(|on| {
            let body = self.name(self.geometry.parts[on.part].body);
            format!("{body} (triangle {} of part {})", on.triangle, on.part)
        });
        self.line(format!(
            "At every instant before {free} {separated}\n\
             CONTACT: at {time} surfaces of {a} and {b} come as near as stated, or miss that by a nanometre at most.\n\
             Nothing is said about the time between the two, nor after that."
        ));
    }

    /// The files, the motion, and how each joint moves in it.
    fn motion(&mut self) {
        let (certificate, segments) = (self.certificate, &self.certificate.segments);
        let (file, hash) = (quoted(&certificate.geometry_file), &certificate.geometry);
        self.line(format!("geometry: {file} (SHA-256 {hash})"));
        let (count, start, hash) = (
            segments.len(),
            seconds(certificate.start),
            certificate.motion(),
        );
        let duration: f64 = segments.iter().map(|s| seconds(s.duration)).sum();
        self.line(format!(
            "motion: {count} segments from {start:.9} s, taking {duration:.9} s (SHA-256 {hash})"
        ));
        let value = |x: i64| x as f64 / (1u64 << 50) as f64;
        for (index, joint) in self.geometry.joints.iter().enumerate() {
            let label = quoted(&joint.name);
            let first = value(segments.first().map_or(0, |s| s.joints[index][0]));
            let last = value(segments.last().map_or(0, |s| s.joints[index].iter().sum()));
            let said = match joint.kind {
                JointMotion::Turns => format!("joint {label}: from {first:.6} to {last:.6} rad"),
                JointMotion::Slides => format!("joint {label}: from {first:.6} to {last:.6} m"),
                JointMotion::Stands => format!("frame {label}"),
            };
            self.line(format!("  {said}{}", self.error_texts[index]));
        }
    }

    fn bodies(&mut self) {
        let motion = CellMotion::new(self.geometry, &self.certificate.segments);
        for (index, body) in self.geometry.bodies.iter().enumerate() {
            let parts = self.geometry.parts.iter().filter(|p| p.body == index);
            let radii = parts.clone().map(|part| part.radius);
            let (least, most) = (radii.clone().min().unwrap_or(0), radii.max().unwrap_or(0));
            let around = match (least, most) {
                (_, 0) => String::new(),
                _ if least == most => format!(" with all within {} of them", metres(most)),
                _ => format!(" with all within {} of some of them", metres(most)),
            };
            let (triangles, solid) = parts.fold((0, 0), |(all, solid), part| {
                let count = part.triangles.len();
                let of_solid = (0..count).filter(|&triangle| part.is_solid(triangle));
                (all + count, solid + of_solid.count())
            });
            let inside = match solid {
                0 => "not solid".to_owned(),
                _ if solid == triangles => "solid".to_owned(),
                _ => format!("{solid} of them solid"),
            };
            let label = |joint: usize| quoted(&self.geometry.joints[joint].name);
            let moves_with = self.geometry.moves_with(body);
            let moves = moves_with.map(|joint| format!("moves with {}", label(joint)));
            let moves = moves.unwrap_or("stands still".into());
            let frame = body.joint.filter(|_| body.joint != moves_with);
            let frame = frame.map(|frame| format!(" in the frame {}", label(frame)));
            let (name, frame) = (self.name(index), frame.unwrap_or_default());
            let (when, handed) = (self.during(&body.during), self.handed_over(&motion, index));
            self.line(format!(
                "  body {name}: {triangles} triangles{around} ({inside}), {moves}{frame}{when}{handed}"
            ));
        }
    }

    /// How a body begins that is handed over.
    fn handed_over(&self, motion: &CellMotion, body: usize) -> String {
        let moved = match moved(motion, body) {
            Ok(None) => String::new(),
            Ok(Some(moved)) if moved.by >= STAYS => {
                // Cut to nanometres like all lengths, so a nanometre more.
                let by = metres(moved.by + 1100);
                format!("; IS PUT ELSEWHERE then, a corner of it by {by}")
            }
            Ok(Some(_)) => {
                let errors = self.if_any_error(" and what MAY BE OFF");
                format!("; begins where it was, within two nanometres{errors}")
            }
            Err(error) => format!("; {error}"),
        };
        if keeps_shape(self.geometry, body) {
            moved
        } else {
            moved + "; HAS ANOTHER SHAPE then"
        }
    }

    fn pairs(&mut self) {
        let (mut checked, mut left) = (Vec::new(), Vec::new());
        for pair in &self.geometry.pairs {
            let [a, b] = [pair.a, pair.b].map(|body| self.name(body));
            let when = self.during(&pair.during);
            match pair.clearance.as_ref().map(|&clearance| metres(clearance)) {
                Ok(clearance) => {
                    checked.push(format!("  {a} and {b}: more than {clearance}{when}"))
                }
                Err(reason) => left.push(format!("  {a} and {b}: {}{when}", quoted(reason))),
            }
        }
        for (title, pairs) in [("apart", checked), ("not checked", left)] {
            self.line(format!("pairs that are {title}: {}", pairs.len()));
            pairs.into_iter().for_each(|pair| self.line(pair));
        }
        let end = if self.any_error {
            "Bodies that one joint moves, and bodies that stand still, keep their distance (but for what may be off, and for \
             those that are PUT ELSEWHERE) and are not pairs."
        } else {
            "Bodies on one joint, and bodies that stand still, keep their distance (but for those that are PUT ELSEWHERE) and \
             are not pairs."
        };
        self.line(end.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn notes_keep_their_quotes_and_no_control_character() {
        let note = "the cell's \"values\"\n\u{1b}[31m";
        assert_eq!(one_line(note), "the cell's \"values\"\\n\\u{1b}[31m");
    }
}
