//! Changes of what a cell says of a controller.

use std::collections::BTreeMap;

use clearance_formats::controller::{
    Controller, ControllerFile, ControllerJoint, ControllerPoint, Coupling,
};
use clearance_proof::model::moves::Frame;

use super::changes::{Change, stated};
use super::*;

fn frame(link: &str, x: f64) -> Frame {
    Frame {
        link: link.to_owned(),
        link_from_frame: Isometry3::translation(x, 0.0, 0.0),
    }
}

fn plain() -> Controller {
    let joint = |name: &str, coupled| ControllerJoint {
        name: name.to_owned(),
        sign: 1.0,
        offset: 0.0,
        pulses: None,
        coupled,
    };
    let along = Coupling {
        joint: 0,
        factor: 1.0,
    };
    Controller {
        place: crate::findings::Location::file("cell.toml".as_ref()),
        dialect: "fanuc".to_owned(),
        joints: vec![joint("a", Vec::new()), joint("b", vec![along])],
        base: Some(frame("base", 0.0)),
        flange: None,
        frames: BTreeMap::from([("1".to_owned(), frame("base", 1.0))]),
        tools: BTreeMap::from([("1".to_owned(), Isometry3::identity())]),
        files: vec![ControllerFile {
            path: "posreg.va".into(),
            bytes: b"[1]"[..].into(),
        }],
        still: vec!["GRIP".to_owned()],
        not_modelled: BTreeMap::from([("GP2".to_owned(), "a gun".to_owned())]),
        points: vec![ControllerPoint {
            place: crate::findings::Location::file("cell.toml".as_ref()),
            joints: vec![1.0, 2.0],
            frame_from_tool: Isometry3::identity(),
            tool: Isometry3::identity(),
            frame: None,
        }],
        books_model_difference: true,
        home: None,
    }
}

fn of<'c>(what: &'c str, change: impl Fn(&mut Controller) + 'c) -> Change<'c> {
    stated(what, move |c| {
        let mut controller = plain();
        change(&mut controller);
        c.robots[0].controller = Some(controller);
    })
}

fn moved() -> Isometry3<f64> {
    Isometry3::translation(0.0, 0.0, 1e-9)
}

/// One thing at a time, and the controller as such.
pub(super) fn of_controllers<'c>() -> Vec<Change<'c>> {
    vec![
        of("a controller", |_| ()),
        of("dialect", |c| c.dialect = "krl".to_owned()),
        of("joint of a controller", |c| c.joints[1].name = "c".into()),
        of("one joint less", |c| _ = c.joints.pop()),
        of("order of joints", |c| c.joints.reverse()),
        of("sign", |c| c.joints[0].sign = -1.0),
        of("offset", |c| c.joints[0].offset = 1e-9),
        of("pulses", |c| c.joints[0].pulses = Some(1000.0)),
        of("no coupling", |c| c.joints[1].coupled.clear()),
        of("factor of a coupling", |c| {
            c.joints[1].coupled[0].factor = -1.0
        }),
        of("joint of a coupling", |c| c.joints[1].coupled[0].joint = 1),
        of("base", |c| c.base = None),
        of("link of the base", |c| c.base = Some(frame("foot", 0.0))),
        of("place of the base", |c| c.base = Some(frame("base", 1e-9))),
        of("flange", |c| c.flange = Some(frame("base", 0.0))),
        of("frame", |c| {
            _ = c.frames.insert("1".to_owned(), frame("base", 1.1))
        }),
        of("a frame more", |c| {
            _ = c.frames.insert("2".to_owned(), frame("base", 1.0))
        }),
        of("tool", |c| _ = c.tools.insert("1".to_owned(), moved())),
        of("a tool more", |c| {
            _ = c.tools.insert("2".to_owned(), moved())
        }),
        of("bytes of a file", |c| c.files[0].bytes = b"[2]"[..].into()),
        of("name of a file", |c| c.files[0].path = "other.va".into()),
        of("still", |c| c.still.clear()),
        of("something else still", |c| c.still[0] = "GRIP_2".to_owned()),
        of("nothing left out", |c| c.not_modelled.clear()),
        of("reason", |c| {
            _ = c.not_modelled.insert("GP2".into(), "two guns".into())
        }),
        of("another group left out", |c| {
            c.not_modelled = BTreeMap::from([("GP3".into(), "a gun".into())]);
        }),
        of("no point", |c| c.points.clear()),
        of("joints of a point", |c| c.points[0].joints[1] = 2.1),
        of("pose of a point", |c| c.points[0].frame_from_tool = moved()),
        of("tool of a point", |c| c.points[0].tool = moved()),
        of("frame of a point", |c| {
            c.points[0].frame = Some(frame("base", 0.0))
        }),
        of("difference of the model", |c| {
            c.books_model_difference = false
        }),
        of("home", |c| c.home = Some(vec![0.0, 0.0])),
        of("another home", |c| c.home = Some(vec![0.0, 1e-9])),
    ]
}
