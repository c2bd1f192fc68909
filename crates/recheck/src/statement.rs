//! The statement that was proved, in words.

use std::fmt::Write;

use crate::contact::{STAYS, keeps_shape, moved};
use crate::files::{Certificate, During, Geometry, JointMotion, metres, nanos};
use crate::motion::CellMotion;

/// 2⁻⁴⁰ s as seconds, for the eye only.
fn seconds(x: i64) -> f64 {
    x as f64 / (1u64 << 40) as f64
}

/// Time of an instant in 2⁻⁴⁰ of a segment, seconds.
fn time(certificate: &Certificate, instant: u64) -> f64 {
    let (segment, share) = ((instant >> 40) as usize, instant % (1 << 40));
    let duration = |s: usize| (certificate.segments.get(s)).map_or(0.0, |s| seconds(s.duration));
    let before: f64 = (0..segment).map(duration).sum();
    seconds(certificate.start) + before + duration(segment) * seconds(share as i64)
}

/// An instant as people read it: times of waypoints are not proved, so its segment and share is
/// said too.
fn instant(certificate: &Certificate, instant: u64) -> String {
    let (segment, share) = (instant >> 40, instant % (1 << 40));
    let time = time(certificate, instant);
    if share == 0 && segment == certificate.segments.len() as u64 {
        return format!("{time:.9} (the end of the motion)");
    }
    format!("{time:.9} (segment {segment}, {share}/2^40 of it)")
}

/// Of which segments something is said; nothing where that is all of them.
fn during(certificate: &Certificate, during: &During) -> String {
    let count = certificate.segments.len();
    let (from, to) = (during.from, during.to.min(count));
    if (from, to) == (0, count) {
        return String::new();
    }
    let [start, end] = [from, to].map(|k| time(certificate, (k as u64) << 40));
    let last = to.saturating_sub(1);
    format!(", in segments {from} to {last} ({start:.9} to {end:.9} s, both included)")
}

/// A name in quotes, and nothing in it that could look like the end of it, or like blank space.
fn quoted(name: &str) -> String {
    let sign = |c: char| match c {
        '"' | '\\' => c.escape_default().to_string(),
        _ if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() => c.to_string(),
        _ => c.escape_unicode().to_string(),
    };
    let name: String = name.chars().map(sign).collect();
    format!("\"{name}\"")
}

/// What a joint may be off: as its geometry says, or by its value in some segment; nothing where
/// nothing may be.
fn off(geometry: &Geometry, certificate: &Certificate, joint: usize) -> String {
    let (stated, kind) = (&geometry.joints[joint].off, geometry.joints[joint].kind);
    let value = certificate.segments.iter().map(|s| s.off[joint]);
    let value = value.max().unwrap_or(0);
    let radians = |x: i64| format!("{:.9} rad", nanos(x) as f64 / 1e9);
    let mut all = Vec::new();
    match kind {
        JointMotion::Turns if stated.turn > 0 => {
            all.push(format!("by up to {}", radians(stated.turn)));
        }
        JointMotion::Turns => (),
        JointMotion::Slides | JointMotion::Stands => {
            if stated.shift > 0 {
                all.push(format!("by up to {}", metres(stated.shift)));
            }
            if stated.turn > 0 {
                all.push(format!("turned by up to {}", radians(stated.turn)));
            }
        }
    }
    if value > 0 {
        let value = match kind {
            JointMotion::Turns => radians(value),
            JointMotion::Slides | JointMotion::Stands => metres(value),
        };
        all.push(if all.is_empty() {
            format!("in some segments by up to {value}")
        } else {
            format!("in some segments by {value} more")
        });
    }
    if all.is_empty() {
        String::new()
    } else {
        format!("; MAY BE OFF {}", all.join(" and "))
    }
}

/// The statement of a certificate that is valid.
pub fn statement(geometry: &Geometry, certificate: &Certificate) -> String {
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").unwrap_or(());
    let name = |body: usize| quoted(&geometry.bodies[body].name);
    let joints = 0..geometry.joints.len();
    let offs: Vec<String> = joints.map(|j| off(geometry, certificate, j)).collect();
    let any_off = offs.iter().any(|off| !off.is_empty());
    let apart = if any_off {
        "the bodies of each pair below are farther apart than stated, with all that MAY BE OFF."
    } else {
        "the bodies of each pair below are farther apart than stated."
    };
    let inside =
        "Nor does any piece of the one lie inside the other one then, where that is solid.";
    if let Some(contact) = &certificate.contact {
        let [free, time] = [contact.free_until, contact.time].map(|t| instant(certificate, t));
        let [a, b] = contact.points.map(|on| {
            let body = name(geometry.parts[on.part].body);
            format!("{body} (triangle {} of part {})", on.triangle, on.part)
        });
        line(&format!("At every instant before {free} {apart}"));
        line(inside);
        let near = "come as near as stated, or miss that by a nanometre at most.";
        line(&format!(
            "CONTACT: at {time} surfaces of {a} and {b} {near}"
        ));
        line("Nothing is said about the time between the two, nor after that.");
    } else {
        line(&format!("At every instant of the motion {apart}"));
        line(inside);
    }
    let (file, hash) = (quoted(&certificate.geometry_file), &certificate.geometry);
    line(&format!("geometry: {file} (SHA-256 {hash})"));
    let (count, hash) = (certificate.segments.len(), certificate.motion());
    let (start, durations) = (seconds(certificate.start), certificate.segments.iter());
    let duration: f64 = durations.map(|s| seconds(s.duration)).sum();
    line(&format!(
        "motion: {count} segments from {start:.9} s, taking {duration:.9} s (SHA-256 {hash})"
    ));
    let value = |x: i64| x as f64 / (1u64 << 50) as f64;
    for (index, joint) in geometry.joints.iter().enumerate() {
        let (label, off) = (quoted(&joint.name), &offs[index]);
        if joint.kind == JointMotion::Stands {
            line(&format!("  frame {label}{off}"));
            continue;
        }
        let (first, last) = (certificate.segments.first(), certificate.segments.last());
        let first = value(first.map_or(0, |s| s.joints[index][0]));
        let last = value(last.map_or(0, |s| s.joints[index].iter().sum()));
        let unit = match joint.kind {
            JointMotion::Turns => "rad",
            _ => "m",
        };
        line(&format!(
            "  joint {label}: from {first:.6} to {last:.6} {unit}{off}"
        ));
    }
    let motion = CellMotion::new(geometry, &certificate.segments);
    for (index, body) in geometry.bodies.iter().enumerate() {
        let parts = geometry.parts.iter().filter(|p| p.body == index);
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
        let label = |joint: usize| quoted(&geometry.joints[joint].name);
        let moves_with = geometry.moves_with(body);
        let mut moves = moves_with.map_or("stands still".to_owned(), |joint| {
            format!("moves with {}", label(joint))
        });
        if let Some(frame) = body.joint.filter(|_| body.joint != moves_with) {
            let _ = write!(moves, " in the frame {}", label(frame));
        }
        let when = during(certificate, &body.during);
        let moved = match moved(&motion, index) {
            Ok(None) => String::new(),
            Ok(Some([..STAYS, _])) => {
                let off = if any_off { " and what MAY BE OFF" } else { "" };
                format!("; begins where it was, within two nanometres{off}")
            }
            // Cut to nanometres like all lengths, so a nanometre more.
            Ok(Some([way, _])) => {
                let by = metres(way + 1100);
                format!("; IS PUT ELSEWHERE then, a corner of it by {by}")
            }
            Err(error) => format!("; {error}"),
        };
        let shape = if keeps_shape(geometry, index) {
            ""
        } else {
            "; HAS ANOTHER SHAPE then"
        };
        line(&format!(
            "  body {}: {triangles} triangles{around} ({inside}), {moves}{when}{moved}{shape}",
            name(index)
        ));
    }
    let checked = geometry.pairs.iter().filter(|p| p.apart.is_ok()).count();
    line(&format!("pairs that are apart: {checked}"));
    for pair in &geometry.pairs {
        if let Ok(apart) = pair.apart {
            let (a, b, apart) = (name(pair.a), name(pair.b), metres(apart));
            let when = during(certificate, &pair.during);
            line(&format!("  {a} and {b}: more than {apart}{when}"));
        }
    }
    let left = geometry.pairs.len() - checked;
    line(&format!("pairs that are not checked: {left}"));
    for pair in &geometry.pairs {
        if let Err(reason) = &pair.apart {
            let (a, b, reason) = (name(pair.a), name(pair.b), quoted(reason));
            let when = during(certificate, &pair.during);
            line(&format!("  {a} and {b}: {reason}{when}"));
        }
    }
    line(if any_off {
        "Bodies that one joint moves, and bodies that stand still, keep their distance (but for what may be off, and for \
         those that are PUT ELSEWHERE) and are not pairs."
    } else {
        "Bodies on one joint, and bodies that stand still, keep their distance (but for those that are PUT ELSEWHERE) and \
         are not pairs."
    });
    for note in geometry.notes.iter().chain(&certificate.notes) {
        line(&format!("note, not proved: {}", note.escape_debug()));
    }
    text
}
