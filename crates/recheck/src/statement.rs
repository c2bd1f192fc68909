//! What was proved, in words.

use std::fmt::Write;

use crate::files::{Certificate, Geometry, metres};

/// An instant as people read it: times of waypoints are not proved, so its segment and share is said too.
fn instant(certificate: &Certificate, instant: u64) -> String {
    let (segment, share) = ((instant >> 40) as usize, instant % (1 << 40));
    let seconds = |x: i64| x as f64 / (1u64 << 40) as f64;
    let before = certificate.segments.iter().take(segment);
    let before: f64 = before.map(|s| seconds(s.duration)).sum();
    let within = certificate
        .segments
        .get(segment)
        .map_or(0.0, |s| seconds(s.duration));
    let time = seconds(certificate.start) + before + within * seconds(share as i64);
    format!("{time:.9} (segment {segment}, {share}/2^40 of it)")
}

/// The statement of a certificate that is valid.
pub fn statement(geometry: &Geometry, certificate: &Certificate) -> String {
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").unwrap_or(());
    let name = |body: usize| geometry.bodies[body].name.escape_debug();
    match &certificate.contact {
        None => line("At every instant of the motion the bodies of each pair below are farther apart than stated.".to_owned()),
        Some(contact) => {
            line(format!(
                "At every instant before {} the bodies of each pair below are farther apart than stated.",
                instant(certificate, contact.free_until)
            ));
            let [a, b] = contact.points.map(|on| {
                let body = name(geometry.parts[on.part].body);
                format!("{body} (triangle {} of part {})", on.triangle, on.part)
            });
            line(format!(
                "CONTACT: at {} surfaces of {a} and {b} come as near as stated, or miss that by a nanometre at most.",
                instant(certificate, contact.time)
            ));
            line("Nothing is said about the time between the two, nor after that.".to_owned());
        }
    }
    line(
        "It is about surfaces: whether one body lies wholly inside another one is not part of it."
            .to_owned(),
    );
    line(format!(
        "geometry: {} (SHA-256 {})",
        certificate.geometry_file.escape_debug(),
        certificate.geometry
    ));
    let seconds = |x: i64| metres(x).replace(" m", "");
    let duration: i128 = certificate
        .segments
        .iter()
        .map(|s| i128::from(s.duration))
        .sum();
    let duration = i64::try_from(duration).unwrap_or(i64::MAX);
    line(format!(
        "motion: {} segments from {}, taking {} (SHA-256 {})",
        certificate.segments.len(),
        seconds(certificate.start),
        seconds(duration),
        certificate.motion()
    ));
    for (index, joint) in geometry.joints.iter().enumerate() {
        let value = |x: i64| format!("{:.6}", x as f64 / (1u64 << 50) as f64);
        let first = certificate
            .segments
            .first()
            .map_or(0, |s| s.joints[index][0]);
        let last = certificate
            .segments
            .last()
            .map_or(0, |s| s.joints[index].iter().sum());
        let unit = if joint.slides { "m" } else { "rad" };
        line(format!(
            "  joint {}: from {} to {} {unit}",
            joint.name.escape_debug(),
            value(first),
            value(last)
        ));
    }
    for (index, body) in geometry.bodies.iter().enumerate() {
        let parts = || geometry.parts.iter().filter(|p| p.body == index);
        let triangles: usize = parts().map(|p| p.triangles.len()).sum();
        let moves = match body.joint {
            Some(joint) => format!("moves with {}", geometry.joints[joint].name.escape_debug()),
            None => "stands still".to_owned(),
        };
        line(format!(
            "  body {}: {triangles} triangles, {moves}",
            name(index)
        ));
    }
    let checked = || geometry.pairs.iter().filter(|p| p.apart.is_ok());
    line(format!("pairs that are apart: {}", checked().count()));
    for pair in checked() {
        let apart = metres(pair.apart.clone().unwrap_or(0));
        line(format!(
            "  {} and {}: more than {apart}",
            name(pair.a),
            name(pair.b)
        ));
    }
    line(format!(
        "pairs that are not checked: {}",
        geometry.pairs.len() - checked().count()
    ));
    for pair in &geometry.pairs {
        if let Err(reason) = &pair.apart {
            line(format!(
                "  {} and {}: {}",
                name(pair.a),
                name(pair.b),
                reason.escape_debug()
            ));
        }
    }
    line(
        "Bodies on one joint, and bodies that stand still, keep their distance and are not pairs."
            .to_owned(),
    );
    for note in geometry.notes.iter().chain(&certificate.notes) {
        line(format!("note, not proved: {}", note.escape_debug()));
    }
    text
}
