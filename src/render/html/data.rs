//! The page's data: numbers in base64, meshes with 16 bits a coordinate, everything else as JSON.

use nalgebra::Isometry3;
use serde_json::{Value, json};

use super::decimate::decimate;
use super::thin::{Thinned, thinned};
use crate::findings::{
    Body, BodyPair, DrawnCell, DrawnShape, Form, JointKind, Mesh, Outcome, ProgramOutcome, Replay,
    Role, Segment, Shape,
};
use crate::render::errors;

/// Triangles of all bodies together; more make a page slow and large, and nobody sees them.
const TRIANGLES: usize = 60_000;
/// Numbers that describe one motion; a longer one is shown through instants on it.
const MOTION_NUMBERS: usize = 60_000;

/// The cell as the page wants it.
pub(super) fn model(drawn: &DrawnCell) -> Value {
    let cell = &drawn.cell;
    let bodies = cell.bodies.iter().zip(&drawn.shapes).zip(budgets(drawn));
    json!({
        "robots": cell.robots.iter().map(|r| &r.name).collect::<Vec<_>>(),
        "joints": cell.joints.iter().enumerate().map(|(id, j)| json!({
            "name": cell.joint_label(id),
            "parent": j.parent,
            "pose": pose(&j.parent_from_joint),
            "axis": j.axis.as_slice(),
            "slides": j.kind == JointKind::Prismatic,
            "range": j.limits.position,
            "follows": j.mimic.map(|m| json!([m.source, m.multiplier, m.offset])),
        })).collect::<Vec<_>>(),
        "bodies": bodies.map(|((b, drawn), most)| body(b, drawn, &most)).collect::<Vec<_>>(),
        "pairs": pairs(&drawn.pairs),
        "excluded": drawn.excluded,
        "standing_pairs": drawn.standing_pairs,
        "tools": drawn.tools,
    })
}

fn pairs(pairs: &[BodyPair]) -> Value {
    pairs
        .iter()
        .map(|p| json!([p.a, p.b, p.clearance]))
        .collect()
}

/// The triangles that stand for a shape, where it has any.
fn triangles<'c>(shape: &'c Shape, drawn: &'c DrawnShape) -> Option<&'c Mesh> {
    match (&drawn.outline, &shape.form) {
        (Some(outline), _) => Some(outline),
        (None, Form::Mesh { mesh, .. }) => Some(mesh),
        (None, _) => None,
    }
}

/// How many triangles of each shape may be shown: small meshes whole, large ones by equal share of
/// what is left.
fn budgets(drawn: &DrawnCell) -> Vec<Vec<usize>> {
    let sizes_of = |(body, drawn): (&Body, &Vec<DrawnShape>)| -> Vec<usize> {
        let shapes = body.shapes.iter().zip(drawn);
        let triangles = shapes.map(|(shape, drawn)| triangles(shape, drawn));
        triangles
            .map(|mesh| mesh.map_or(0, |m| m.triangles.len()))
            .collect()
    };
    let sizes_of_bodies: Vec<Vec<usize>> = (drawn.cell.bodies.iter())
        .zip(&drawn.shapes)
        .map(sizes_of)
        .collect();
    let mut sizes = sizes_of_bodies.concat();
    sizes.sort_unstable();
    // The greatest share that fits: small ones leave more to the others.
    let (mut left, mut share) = (TRIANGLES, usize::MAX);
    for (k, &n) in sizes.iter().enumerate() {
        let equal = left / (sizes.len() - k);
        if n > equal {
            share = equal;
            break;
        }
        left -= n;
    }
    let of = |sizes: &Vec<usize>| sizes.iter().map(|&n| n.min(share)).collect();
    sizes_of_bodies.iter().map(of).collect()
}

fn pose(pose: &Isometry3<f64>) -> Value {
    json!([
        pose.translation.vector.as_slice(),
        pose.rotation.coords.as_slice()
    ])
}

fn body(body: &Body, drawn: &[DrawnShape], most: &[usize]) -> Value {
    let (role, robot) = match body.role {
        Role::Link { robot } => ("link", Some(robot)),
        Role::Attached => ("attached", None),
        Role::Obstacle => ("obstacle", None),
    };
    let shapes = body.shapes.iter().zip(drawn).zip(most);
    json!({
        "name": body.name,
        "role": role,
        "robot": robot,
        "joint": body.joint,
        "pose": pose(&body.joint_from_body),
        "shapes": shapes.map(|((s, drawn), &most)| shape(s, drawn, most)).collect::<Vec<_>>(),
    })
}

fn shape(shape: &Shape, drawn: &DrawnShape, most: usize) -> Value {
    let mut value = match (triangles(shape, drawn), &shape.form) {
        (Some(shown), _) => mesh(shown, most),
        (None, Form::Box { size }) => json!({ "form": "box", "size": size.as_slice() }),
        (None, Form::Sphere { radius }) => json!({ "form": "sphere", "radius": radius }),
        (None, Form::Cylinder { radius, length }) => {
            json!({ "form": "cylinder", "radius": radius, "length": length })
        }
        (None, Form::Capsule { radius, length }) => {
            json!({ "form": "capsule", "radius": radius, "length": length })
        }
        // These have triangles.
        (None, Form::Mesh { .. } | Form::Cloud { .. } | Form::Cone { .. }) => {
            mesh(&Mesh::default(), most)
        }
    };
    let numbers = drawn.balls.iter().flat_map(|b| {
        let [x, y, z]: [f64; 3] = b.center.coords.into();
        [x, y, z, b.radius].map(|x| x as f32)
    });
    let levels = drawn.balls.iter().map(|b| b.level | u8::from(b.leaf) << 7);
    value["pose"] = pose(&shape.body_from_shape);
    value["balls"] = base64(numbers.flat_map(f32::to_le_bytes)).into();
    value["levels"] = base64(levels).into();
    value
}

fn mesh(mesh: &Mesh, most: usize) -> Value {
    let triangles = &mesh.triangles;
    let vertices: Vec<[f64; 3]> = mesh.vertices.iter().map(|v| v.coords.into()).collect();
    let shown = decimate(&vertices, triangles, most);
    let (mut lo, mut hi) = ([0.0f64; 3], [0.0f64; 3]);
    if let Some(&first) = shown.vertices.first() {
        (lo, hi) = (first, first);
        for v in &shown.vertices {
            for axis in 0..3 {
                lo[axis] = lo[axis].min(v[axis]);
                hi[axis] = hi[axis].max(v[axis]);
            }
        }
    }
    let steps = |v: &[f64; 3]| {
        let v = *v;
        [0, 1, 2].map(|axis| {
            let size = hi[axis] - lo[axis];
            let share = if size > 0.0 {
                (v[axis] - lo[axis]) / size
            } else {
                0.0
            };
            (share * f64::from(u16::MAX)).round() as u16
        })
    };
    let points = shown.vertices.iter().flat_map(steps);
    let corners = shown.triangles.iter().flatten();
    let short = shown.vertices.len() <= usize::from(u16::MAX);
    json!({
            "form": "mesh",
            "lo": lo,
            "hi": hi,
            "points": base64(points.flat_map(u16::to_le_bytes)),
            "short": short,
            "corners": if short {
    base64(corners.flat_map(|&c| (c as u16).to_le_bytes()))
    } else {
    base64(corners.flat_map(|&c| c.to_le_bytes()))
    },
            "shown": shown.triangles.len(),
            "checked": triangles.len(),
            "moved": shown.moved_m,
        })
}

/// One program: its motion and its curves.
pub(super) fn replay(replay: &Replay, program: &ProgramOutcome) -> Value {
    json!({
        "motion": motion(replay, program),
        "curves": replay.curves.iter().map(|c| json!({
            "pair": c.pair,
            "times": numbers(c.times.iter().copied()),
            "distances": numbers(c.distances.iter().copied()),
            "bounds": numbers(c.bounds.iter().copied()),
            "points": c.points,
        })).collect::<Vec<_>>(),
        "others": replay.others_farther_than,
        "pairs": replay.pairs.as_deref().map(pairs),
        "phases": replay.phases.iter().map(|phase| json!({
            "start": phase.start,
            "places": phase.places.iter().map(|p| json!([p.body, p.joint, pose(&p.joint_from_body)])).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "lines": program.lines,
        "moves": {
            "lines": replay.moves.lines.iter().map(|line| points(line)).collect::<Vec<_>>(),
            "corners": replay.moves.corners.iter().map(|c| json!({
                "waypoint": c.waypoint,
                "sized": c.sized,
                "strips": c.strips.iter().map(|strip| points(strip)).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "left_out": replay.moves.left_out,
        },
        "delays": replay.delays,
    })
}

/// Joints that move, with the coefficients that are used; the others stand at one value.
fn motion(replay: &Replay, program: &ProgramOutcome) -> Value {
    let segments = &replay.segments;
    let joints = segments.first().map_or(0, |s| s.joints().len());
    let still = |j: usize| {
        let rest = segments.first().map_or(0.0, |s| s.joint(j)[0]);
        segments
            .iter()
            .all(|s| s.joint(j) == [rest, 0.0, 0.0, 0.0, 0.0, 0.0])
    };
    let moving: Vec<usize> = (0..joints).filter(|&j| !still(j)).collect();
    let used = |s: &Segment| moving.iter().map(|&j| order(&s.joint(j))).max();
    let order = segments.iter().filter_map(used).max().unwrap_or(1);
    let whole = segments.len() * moving.len() * order <= MOTION_NUMBERS;
    let most = (MOTION_NUMBERS / (2 * moving.len().max(1))).max(2);
    let (pieces, deviations, order) = if whole {
        (segments.clone(), vec![], order)
    } else {
        let Thinned { pieces, deviations } = thinned(replay, program, most);
        (pieces, deviations, 2)
    };
    let coefficients = pieces
        .iter()
        .flat_map(|s| moving.iter().flat_map(|&j| s.joint(j)[..order].to_vec()));
    // A long motion is drawn through instants on it: its waypoints would be most of the page.
    let waypoints = replay.waypoints.iter().filter(|_| whole).copied();
    json!({
        "waypoints": numbers(waypoints),
        "starts": numbers(pieces.iter().map(|s| s.start)),
        "end": pieces.last().map_or(0.0, |s| s.end),
        "ends": numbers(pieces.iter().map(|s| s.end)),
        "moving": moving,
        "order": order,
        "coefficients": numbers(coefficients),
        "rest": segments.first().map_or(vec![], |s| s.joints().map(|c| c[0]).collect()),
        "whole": whole,
        "off": moving.iter().filter_map(|&j| deviations.get(j)).collect::<Vec<_>>(),
    })
}

/// Number of coefficients that are needed.
fn order(c: &[f64; 6]) -> usize {
    c.iter().rposition(|&x| x != 0.0).map_or(1, |k| k + 1)
}

/// The budgets of error that the answers hold for, in the words of the text report; null: none.
pub(super) fn budgets_of_error(outcome: &Outcome) -> Value {
    match &outcome.uncertainty[..] {
        [] => Value::Null,
        budgets => errors::budgets(budgets).into(),
    }
}

/// The first of the notices of a program, or of what keeps it from being verified, in words.
fn said_first(program: &ProgramOutcome) -> Option<String> {
    let open = program.unchecked.iter().filter(|said| said.is_open());
    let mut said = program.notices.iter().chain(open);
    let first = said.next()?;
    let more = match said.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!("{}: {}{more}", first.code.as_str(), first.message))
}

/// The entry of each program in the list of many programs.
pub(super) fn rows(outcome: &Outcome, pages: &[Option<String>]) -> Value {
    let none = std::iter::repeat(&None);
    let rows = outcome.programs.iter().zip(pages.iter().chain(none));
    rows.map(|(p, page)| {
        let contact = p.first_contact.as_ref().map(|c| {
            json!({ "time": c.time, "a": c.a, "b": c.b, "distance": c.distance, "depth": c.depth, "kind": c.kind })
        });
        let least = p.minimum_clearance.as_ref().map(|m| {
            json!({ "distance": m.distance, "lower_bound": m.lower_bound, "a": m.a, "b": m.b, "time": m.time })
        });
        json!({
            "program": p.program,
            "verdict": p.verdict,
            "unsettled": p.unsettled,
            "limits": p.limits.len(),
            "near": p.near_misses.len(),
            "notices": p.notices.len(),
            "said": said_first(p),
            "unchecked": p.left_out().count(),
            "sampled": p.sampled.is_some(),
            "coarseness": p.coarseness,
            "contact": contact,
            "least": least,
            "timed": p.timed,
            "duration": p.duration,
            "error": p.error,
            "page": page,
        })
    })
    .collect()
}

/// Places in space, as floats one after another.
fn points(places: &[[f64; 3]]) -> String {
    let numbers = places.iter().flatten().map(|&x| x as f32);
    base64(numbers.flat_map(f32::to_le_bytes))
}

/// Doubles, exactly.
fn numbers(values: impl Iterator<Item = f64>) -> String {
    base64(values.flat_map(f64::to_le_bytes))
}

/// RFC 4648, with padding.
fn base64(bytes: impl Iterator<Item = u8>) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes: Vec<u8> = bytes.collect();
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |k: usize| u32::from(three.get(k).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= three.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_rfc() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.bytes()), coded);
        }
        assert_eq!(base64([0xfb, 0xff].into_iter()), "+/8=");
    }

    #[test]
    fn large_meshes_share_what_small_ones_leave() {
        let shape = |n: usize| {
            let mesh = Mesh {
                vertices: vec![],
                triangles: vec![[0; 3]; n],
            };
            let form = Form::Mesh {
                mesh: mesh.into(),
                file: "part.stl".into(),
            };
            Body::obstacle("part", form, Isometry3::identity())
                .shapes
                .remove(0)
        };
        let mut body = Body::obstacle("parts", Form::Sphere { radius: 0.1 }, Isometry3::identity());
        body.shapes = [10_000, 90_000, 200, 400_000].map(shape).to_vec();
        let drawn = DrawnShape {
            outline: None,
            balls: vec![],
        };
        let mut cell = DrawnCell {
            shapes: vec![vec![drawn; 4]],
            ..DrawnCell::default()
        };
        cell.cell.add_body(body);
        assert_eq!(budgets(&cell), [[10_000, 24_900, 200, 24_900]]);
    }
}
