//! Changes: of bodies, shapes, joints, pairs and options.

use super::*;

/// The name of a change, and the change itself.
pub(super) type Change<'c> = (&'c str, Box<dyn Fn(&mut BatchJob, &mut Prepared) + 'c>);

pub(super) fn cell<'c>(what: &'c str, change: impl Fn(&mut Cell) + 'c) -> Change<'c> {
    (
        what,
        Box::new(move |_, prepared| change(&mut prepared.loaded.cell)),
    )
}

/// A change of what the files say besides the cell.
pub(super) fn stated<'c>(what: &'c str, change: impl Fn(&mut LoadedCell) + 'c) -> Change<'c> {
    (
        what,
        Box::new(move |_, prepared| change(&mut prepared.loaded)),
    )
}

pub(super) fn job<'c>(what: &'c str, change: impl Fn(&mut Job) + 'c) -> Change<'c> {
    (what, Box::new(move |batch, _| change(&mut batch.job)))
}

fn mesh(form: &mut Form, change: impl FnOnce(&mut Mesh)) {
    let Form::Mesh { mesh, .. } = form else {
        panic!("not a mesh");
    };
    change(Arc::make_mut(mesh));
}

pub(super) fn remark(open: bool) -> Diagnostic {
    Diagnostic {
        subject: "camera".into(),
        message: "nobody knows".into(),
        place: None,
        severity: if open {
            Severity::Open
        } else {
            Severity::Unchecked
        },
        code: Code::SurfaceOnly,
    }
}

fn allowance(reason: &str, by: AllowedBy) -> Allowance {
    Allowance {
        a: "bin".into(),
        b: "table".into(),
        reason: reason.into(),
        by,
    }
}

const NUDGE: f64 = 1e-9;

/// States a budget of error.
fn errors(cell: &mut Cell, change: impl FnOnce(&mut Uncertainty)) {
    let mut budget = Uncertainty::none(cell);
    change(&mut budget);
    cell.uncertainty = Some(budget);
}

/// The changes of one body, whatever it is.
pub(super) fn of_body<'c>(name: &'c str, id: usize) -> Vec<Change<'c>> {
    vec![
        cell(name, move |c| c.bodies[id].name += "_2"),
        cell(name, move |c| {
            c.bodies[id].joint_from_body.translation.vector.z += NUDGE;
        }),
        cell(name, move |c| {
            c.bodies[id].joint_from_body *= Isometry3::rotation(Vector3::x() * NUDGE);
        }),
        cell(name, move |c| {
            let was = c.bodies[id].parent;
            let other = (0..c.bodies.len()).find(|&b| b != id && Some(b) != was);
            c.bodies[id].parent = other;
        }),
        cell(name, move |c| {
            c.bodies[id].role = match c.bodies[id].role {
                Role::Obstacle => Role::Attached,
                _ => Role::Obstacle,
            };
        }),
        cell(name, move |c| c.bodies[id].role = Role::Link { robot: 7 }),
    ]
}

/// The changes of the first shape of a body.
pub(super) fn of_shape<'c>(name: &'c str, id: usize) -> Vec<Change<'c>> {
    vec![
        cell(name, move |c| c.bodies[id].shapes[0].name += "x"),
        cell(name, move |c| {
            let pose = &mut c.bodies[id].shapes[0].body_from_shape;
            pose.translation.vector.y += NUDGE;
        }),
        cell(name, move |c| {
            let shape = &mut c.bodies[id].shapes[0];
            shape.solid = match shape.solid {
                None => Some(true),
                Some(solid) => Some(!solid),
            };
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].scale = Some(Vector3::repeat(0.5));
        }),
        // As many vertices and triangles as before, at other places or in another order.
        cell(name, move |c| {
            mesh(&mut c.bodies[id].shapes[0].form, |m| {
                m.vertices[1].x += NUDGE
            })
        }),
        cell(name, move |c| {
            mesh(&mut c.bodies[id].shapes[0].form, |m| {
                m.triangles[0].swap(0, 1)
            })
        }),
        cell(name, move |c| {
            mesh(&mut c.bodies[id].shapes[0].form, |m| {
                let scaled = std::mem::take(m).scaled(Vector3::new(1.0, 1.0, 1.0 + NUDGE));
                *m = scaled;
            })
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].form = Form::Box {
                size: Vector3::new(0.1, 0.2, 0.3),
            };
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].form = Form::Box {
                size: Vector3::new(0.1, 0.3, 0.2),
            };
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].form = Form::Sphere { radius: 0.1 };
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].form = Form::Cylinder {
                radius: 0.1,
                length: 0.2,
            };
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].form = Form::Cylinder {
                radius: 0.1,
                length: 0.3,
            };
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].form = Form::Cone {
                radius: 0.1,
                length: 0.2,
            };
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].form = Form::Capsule {
                radius: 0.1,
                length: 0.2,
            };
        }),
        cell(name, move |c| {
            c.bodies[id].shapes[0].form = Form::Capsule {
                radius: 0.2,
                length: 0.1,
            };
        }),
        (
            name,
            Box::new(move |_, prepared| {
                let first = prepared.loaded.cell.bodies[id].shapes[0].clone();
                prepared.loaded.cell.bodies[id].shapes.push(first);
                let tree = prepared.trees[id][0].clone();
                prepared.trees[id].push(tree);
            }),
        ),
    ]
}

pub(super) fn of_joints(mimic: usize) -> Vec<Change<'static>> {
    vec![
        cell("base place", |c| {
            c.robots[0].world_from_base.translation.x += NUDGE;
        }),
        cell("base error", |c| errors(c, |e| e.base[0].shift_m = NUDGE)),
        cell("base turn", |c| errors(c, |e| e.base[0].turn_rad = NUDGE)),
        cell("joint error", |c| errors(c, |e| e.joint[1] = NUDGE)),
        cell("tool error", |c| errors(c, |e| e.tool[1].shift_m = NUDGE)),
        cell("surface error", |c| errors(c, |e| e.mesh[1] = NUDGE)),
        cell("place error", |c| {
            let last = (c.bodies.iter()).rposition(|b| b.role == Role::Obstacle);
            errors(c, |e| e.obstacle[last.unwrap()].turn_rad = NUDGE);
        }),
        cell("joint name", |c| c.joints[1].name += "_2"),
        cell("joint robot", |c| c.joints[1].robot = 7),
        cell("joint parent", |c| c.joints[2].parent = Some(0)),
        cell("joint without parent", |c| c.joints[2].parent = None),
        cell("joint place", |c| {
            c.joints[1].parent_from_joint.translation.vector.x += NUDGE;
        }),
        cell("joint turned", |c| {
            c.joints[1].parent_from_joint *= Isometry3::rotation(Vector3::x() * NUDGE);
        }),
        cell("joint axis", |c| {
            let axis = c.joints[1].axis.into_inner() + Vector3::new(0.0, NUDGE, 0.0);
            c.joints[1].axis = Unit::new_normalize(axis);
        }),
        cell("joint kind", |c| c.joints[1].kind = JointKind::Continuous),
        cell("another kind", |c| c.joints[1].kind = JointKind::Prismatic),
        cell("lower limit", |c| {
            let (low, high) = c.joints[1].limits.position.unwrap();
            c.joints[1].limits.position = Some((low - NUDGE, high));
        }),
        cell("upper limit", |c| {
            let (low, high) = c.joints[1].limits.position.unwrap();
            c.joints[1].limits.position = Some((low, high + NUDGE));
        }),
        cell("no limits", |c| c.joints[1].limits.position = None),
        cell("velocity", |c| c.joints[1].limits.velocity = Some(0.123)),
        cell("no velocity", |c| c.joints[1].limits.velocity = None),
        cell("acceleration", |c| {
            c.joints[1].limits.acceleration = Some(0.123);
        }),
        cell("mimic source", move |c| {
            let was = c.joints[mimic].mimic.unwrap();
            c.joints[mimic].mimic = Some(Mimic { source: 0, ..was });
        }),
        cell("mimic multiplier", move |c| {
            let was = c.joints[mimic].mimic.unwrap();
            let multiplier = was.multiplier + NUDGE;
            c.joints[mimic].mimic = Some(Mimic { multiplier, ..was });
        }),
        cell("mimic offset", move |c| {
            let was = c.joints[mimic].mimic.unwrap();
            let offset = was.offset + NUDGE;
            c.joints[mimic].mimic = Some(Mimic { offset, ..was });
        }),
        cell("no mimic", move |c| c.joints[mimic].mimic = None),
        cell("rest value", |c| c.rest[0] += NUDGE),
        cell("rest value of the mimic", move |c| c.rest[mimic] += NUDGE),
        cell("fixed joint", |c| c.fixed.push((0, "flange".into()))),
        cell("its robot", |c| c.fixed.push((1, "flange".into()))),
        stated("up axis", |c| {
            c.up_axes.push(UpAxis {
                body: 0,
                shape: 0,
                axis: "Y_UP",
                turned: Form::Sphere { radius: 0.1 },
            });
        }),
        cell("robot name", |c| c.robots[0].name += "x"),
        stated("unit of the URDF", |c| c.robots[0].urdf_in_metres = true),
        stated("start", |c| c.robots[0].start.push((0, 0.5))),
        stated("another start", |c| c.robots[0].start.push((0, 0.6))),
        stated("start of another joint", |c| {
            c.robots[0].start.push((1, 0.5))
        }),
        stated("named state", |c| {
            c.robots[0].states.push(NamedState {
                group: "arm".into(),
                name: "park".into(),
                values: vec![(0, 0.5)],
                followers: Vec::new(),
                unknown: Vec::new(),
            });
        }),
        stated("tip of a planning group", |c| {
            c.robots[0].tips.insert("arm".into(), "tcp".into());
        }),
        stated("another tip of a planning group", |c| {
            c.robots[0].tips.insert("arm".into(), "tool0".into());
        }),
        stated("value of a named state", |c| {
            c.robots[0].states.push(NamedState {
                group: "arm".into(),
                name: "park".into(),
                values: vec![(0, 0.6)],
                followers: Vec::new(),
                unknown: Vec::new(),
            });
        }),
    ]
}

/// Changes of statements about pairs. A comparison sees them in the pairs that are checked.
pub(super) fn of_pairs() -> Vec<Change<'static>> {
    let allow = |c: &mut Cell, reason: &str, by| c.allowed.push(allowance(reason, by));
    let enable = |c: &mut Cell, name: &str| c.enabled.push(["a".to_owned(), name.to_owned()]);
    let stale = |c: &mut LoadedCell, line| {
        c.stale.push(StaleAllowance {
            allowance: allowance("", AllowedBy::Cell),
            line,
            missing: vec!["bin".into()],
        });
    };
    let pair = |c: &mut Cell, clearance, warn| {
        c.thresholds.push(PairThreshold {
            a: "bin".into(),
            b: "*".into(),
            clearance,
            warn,
            place: None,
        });
    };
    vec![
        cell("allowance", move |c| allow(c, "", AllowedBy::Cell)),
        cell("its reason", move |c| allow(c, "why", AllowedBy::Cell)),
        cell("who says so", move |c| allow(c, "", AllowedBy::Touch)),
        cell("who says it", move |c| {
            allow(c, "", AllowedBy::Srdf("x".into()));
        }),
        stated("stale allowance", move |c| stale(c, 1)),
        stated("its line", move |c| stale(c, 2)),
        cell("neighbours that are checked", move |c| enable(c, "b")),
        cell("other neighbours that are checked", move |c| enable(c, "c")),
        cell("threshold", move |c| pair(c, 0.01, None)),
        cell("another threshold", move |c| pair(c, 0.02, None)),
        cell("warn distance", move |c| pair(c, 0.01, Some(0.1))),
    ]
}

/// The pairs that are checked, as they come out.
pub(super) fn of_checked_pairs(moving: usize, standing: usize) -> Vec<Change<'static>> {
    let edit = |what: &'static str, at: usize, clearance, warn| -> Change<'static> {
        (
            what,
            Box::new(move |_, prepared: &mut Prepared| {
                let pair = &mut prepared.pairs.checked[at];
                (pair.clearance, pair.warn) = (clearance, warn);
            }),
        )
    };
    let drop = |what: &'static str, at: usize| -> Change<'static> {
        (
            what,
            Box::new(move |_, prepared: &mut Prepared| {
                prepared.pairs.checked.remove(at);
            }),
        )
    };
    vec![
        edit("threshold of moving bodies", moving, Some(0.003), None),
        edit("warning of moving bodies", moving, None, Some(0.2)),
        drop("pair of moving bodies", moving),
        edit("threshold of a standing body", standing, Some(0.003), None),
        edit("warning of a standing body", standing, None, Some(0.2)),
        drop("pair of a standing body", standing),
    ]
}

pub(super) fn of_options() -> Vec<Change<'static>> {
    let method = |method, shape| Method::new(method, shape).unwrap();
    vec![
        job("clearance", |j| j.clearance = Some(0.007)),
        job("warn", |j| j.warn = Some(0.08)),
        job("resolution", |j| j.resolution = Some(0.0002)),
        job("limits", |j| j.limits = Some(false)),
        job("all", |j| j.all = true),
        job("minimum", |j| j.minimum = Some(MinimumScope::Classes)),
        job("minimum overall", |j| {
            j.minimum = Some(MinimumScope::Overall)
        }),
        job("minimum of pairs", |j| j.minimum_pairs = Some(0.05)),
        job("another distance of pairs", |j| {
            j.minimum_pairs = Some(0.06)
        }),
        job("margin", |j| j.margin = true),
        job("audit", |j| j.audit_allowed = true),
        job("law", |j| j.interpolation = Some(Interpolation::Cubic)),
        job("another law", |j| {
            j.interpolation = Some(Interpolation::Linear);
        }),
        job("method", move |j| {
            j.method = method(TimeMethod::Intersection, BackendKind::SphereTree);
        }),
        job("sampling", move |j| {
            j.method = method(
                TimeMethod::Sampling(SamplingStep::Time(0.5)),
                BackendKind::Raw,
            );
        }),
        job("step of sampling", move |j| {
            j.method = method(
                TimeMethod::Sampling(SamplingStep::Time(0.25)),
                BackendKind::Raw,
            );
        }),
        job("shape", move |j| {
            j.method = method(
                TimeMethod::Sampling(SamplingStep::Time(0.5)),
                BackendKind::Grid,
            );
        }),
        job("leaf radius", move |j| {
            let ranked = method(TimeMethod::Bisection, BackendKind::Ranked);
            j.method = ranked.with_leaf_radius(0.05).unwrap();
        }),
        job("another leaf radius", move |j| {
            let ranked = method(TimeMethod::Bisection, BackendKind::Ranked);
            j.method = ranked.with_leaf_radius(0.06).unwrap();
        }),
        ("timings", Box::new(|batch, _| batch.timings = true)),
        stated("clearance of the file", |c| {
            c.settings.clearance = Some(0.011);
        }),
        stated("warn of the file", |c| c.settings.warn = Some(0.09)),
        stated("resolution of the file", |c| {
            c.settings.resolution = Some(0.0003);
        }),
        // An open question makes an answer unverified.
        cell("open question", |c| c.unchecked.push(remark(true))),
        cell("open question of a notice", |c| {
            let mut notice = remark(true);
            notice.code = Code::NothingChecked;
            c.notices.push(notice);
        }),
        (
            "open question of a note",
            Box::new(|_, prepared| {
                let mut note = remark(true);
                note.message += "!";
                prepared.notes.push(note);
            }),
        ),
    ]
}
