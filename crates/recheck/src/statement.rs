//! The statement that was proved, in words.

use std::fmt::Write;

use crate::contact::moved;
use crate::files::{Certificate, During, Geometry, metres};
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

/// The statement of a certificate that is valid.
pub fn statement(geometry: &Geometry, certificate: &Certificate) -> String {
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").unwrap_or(());
    let name = |body: usize| geometry.bodies[body].name.escape_debug();
    let apart = "the bodies of each pair below are farther apart than stated.";
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
    let (file, hash) = (
        certificate.geometry_file.escape_debug(),
        &certificate.geometry,
    );
    line(&format!("geometry: {file} (SHA-256 {hash})"));
    let (count, hash) = (certificate.segments.len(), certificate.motion());
    let (start, durations) = (seconds(certificate.start), certificate.segments.iter());
    let duration: f64 = durations.map(|s| seconds(s.duration)).sum();
    line(&format!(
        "motion: {count} segments from {start:.9} s, taking {duration:.9} s (SHA-256 {hash})"
    ));
    let value = |x: i64| x as f64 / (1u64 << 50) as f64;
    for (index, joint) in geometry.joints.iter().enumerate() {
        let (first, last) = (certificate.segments.first(), certificate.segments.last());
        let first = value(first.map_or(0, |s| s.joints[index][0]));
        let last = value(last.map_or(0, |s| s.joints[index].iter().sum()));
        let unit = if joint.slides { "m" } else { "rad" };
        let joint = joint.name.escape_debug();
        line(&format!(
            "  joint {joint}: from {first:.6} to {last:.6} {unit}"
        ));
    }
    let motion = CellMotion::new(geometry, &certificate.segments);
    for (index, body) in geometry.bodies.iter().enumerate() {
        let parts = geometry.parts.iter().filter(|p| p.body == index);
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
        let joint = body
            .joint
            .map(|joint| geometry.joints[joint].name.escape_debug());
        let moves = joint.map_or("stands still".to_owned(), |joint| {
            format!("moves with {joint}")
        });
        let when = during(certificate, &body.during);
        let moved = match moved(&motion, index) {
            Ok(None) => String::new(),
            // Two nanometres.
            Ok(Some(..2048)) => "; begins where it was, within two nanometres".to_owned(),
            Ok(Some(way)) => format!("; IS PUT ELSEWHERE then, a corner of it by {}", metres(way)),
            Err(error) => format!("; {error}"),
        };
        line(&format!(
            "  body {}: {triangles} triangles ({inside}), {moves}{when}{moved}",
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
            let (a, b, reason) = (name(pair.a), name(pair.b), reason.escape_debug());
            let when = during(certificate, &pair.during);
            line(&format!("  {a} and {b}: {reason}{when}"));
        }
    }
    line(
        "Bodies on one joint, and bodies that stand still, keep their distance and are not pairs.",
    );
    for note in geometry.notes.iter().chain(&certificate.notes) {
        line(&format!("note, not proved: {}", note.escape_debug()));
    }
    text
}
