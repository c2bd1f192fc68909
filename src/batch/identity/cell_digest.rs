//! The hash of the parts of a cell. Every structure is taken apart by name.

use clearance_formats::controller::{
    Controller, ControllerFile, ControllerJoint, ControllerPoint, Coupling,
};
use clearance_formats::{LoadedRobot, NamedState, StaleAllowance, UpAxis};
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::moves::Frame;
use clearance_proof::model::{
    Allowance, AllowedBy, Body, BodyId, Cell, Form, Joint, JointKind, Limits, Mimic, PairThreshold,
    RigidError, Robot, Role, Shape, Uncertainty,
};
use nalgebra::Isometry3;

use crate::findings::Diagnostic;
use crate::run::Digest;

/// Position (metres) and quaternion.
pub(super) fn pose(p: &Isometry3<f64>) -> [f64; 7] {
    let (t, q) = (&p.translation.vector, &p.rotation.coords);
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w]
}

impl Digest {
    pub(super) fn robot(&mut self, robot: &Robot, stated: &LoadedRobot) {
        let Robot {
            name,
            urdf: _, // A name: what it says is in joints and bodies.
            world_from_base,
        } = robot;
        let LoadedRobot {
            urdf_name: _, // A name: what it says is in joints and bodies.
            urdf_in_metres,
            states,
            tips,
            start,
            controller,
        } = stated;
        self.text(name);
        self.flag(*urdf_in_metres);
        self.numbers(&pose(world_from_base));
        self.count(states.len());
        for state in states {
            let NamedState {
                group,
                name,
                values,
                followers: _, // They follow their joints, or the state is refused.
                unknown: _,   // Nothing follows from it but a refusal.
            } = state;
            self.text(group);
            self.text(name);
            self.count(values.len());
            for &(joint, value) in values {
                self.count(joint);
                self.numbers(&[value]);
            }
        }
        self.count(tips.len());
        for (group, tip) in tips {
            self.text(group);
            self.text(tip);
        }
        self.count(start.len());
        for &(joint, value) in start {
            self.count(joint);
            self.numbers(&[value]);
        }
        self.option(controller.as_ref(), Digest::controller);
    }

    fn controller(&mut self, controller: &Controller) {
        let Controller {
            place: _,
            dialect,
            joints,
            base,
            flange,
            frames,
            tools,
            files,
            still,
            not_modelled,
            points,
            books_model_difference,
            home,
        } = controller;
        self.text(dialect);
        self.count(joints.len());
        for joint in joints {
            let ControllerJoint {
                name,
                sign,
                offset,
                pulses,
                coupled,
            } = joint;
            self.text(name);
            self.numbers(&[*sign, *offset]);
            self.option(*pulses, |d, pulses| d.numbers(&[pulses]));
            self.count(coupled.len());
            for Coupling { joint, factor } in coupled {
                self.count(*joint);
                self.numbers(&[*factor]);
            }
        }
        self.option(base.as_ref(), Digest::frame);
        self.option(flange.as_ref(), Digest::frame);
        self.count(frames.len());
        for (name, frame) in frames {
            self.text(name);
            self.frame(frame);
        }
        self.count(tools.len());
        for (name, tool) in tools {
            self.text(name);
            self.numbers(&pose(tool));
        }
        self.count(files.len());
        for ControllerFile { path, bytes } in files {
            // Where it lies does not count: another machine has it elsewhere.
            self.text(&path.file_name().unwrap_or_default().to_string_lossy());
            self.count(bytes.len());
            self.bytes(bytes);
        }
        self.count(still.len());
        still.iter().for_each(|name| self.text(name));
        self.count(not_modelled.len());
        for (group, reason) in not_modelled {
            self.text(group);
            self.text(reason);
        }
        self.count(points.len());
        for point in points {
            let ControllerPoint {
                place: _,
                joints,
                frame_from_tool,
                tool,
                frame,
            } = point;
            self.numbers(joints);
            self.numbers(&pose(frame_from_tool));
            self.numbers(&pose(tool));
            self.option(frame.as_ref(), Digest::frame);
        }
        self.flag(*books_model_difference);
        self.option(home.as_ref(), |d, home| d.numbers(home));
    }

    fn frame(&mut self, frame: &Frame) {
        let Frame {
            link,
            link_from_frame,
        } = frame;
        self.text(link);
        self.numbers(&pose(link_from_frame));
    }

    pub(super) fn joint(&mut self, joint: &Joint) {
        let Joint {
            name,
            robot,
            parent,
            parent_from_joint,
            axis,
            kind,
            limits,
            mimic,
        } = joint;
        self.text(name);
        self.count(*robot);
        self.option(*parent, |d, parent| d.count(parent));
        self.numbers(&pose(parent_from_joint));
        self.numbers(axis.as_slice());
        self.text(match kind {
            JointKind::Revolute => "revolute",
            JointKind::Continuous => "continuous",
            JointKind::Prismatic => "prismatic",
        });
        let Limits {
            position,
            velocity,
            acceleration,
        } = limits;
        self.option(*position, |d, (low, high)| d.numbers(&[low, high]));
        self.option(*velocity, |d, v| d.numbers(&[v]));
        self.option(*acceleration, |d, a| d.numbers(&[a]));
        self.option(mimic.as_ref(), |d, mimic| {
            let Mimic {
                source,
                multiplier,
                offset,
            } = mimic;
            d.count(*source);
            d.numbers(&[*multiplier, *offset]);
        });
    }

    /// Whatever its shape, also without any. Its carrier counts by name: obstacles that come and go
    /// change no other body.
    pub(super) fn body(&mut self, body: &Body, cell: &Cell) {
        self.body_anywhere(body, cell);
        self.numbers(&pose(&body.joint_from_body));
    }

    /// The same but for its place.
    pub(super) fn body_anywhere(&mut self, body: &Body, cell: &Cell) {
        let Body {
            name,
            role,
            joint,
            joint_from_body: _, // See `body`.
            parent,
            shapes,
        } = body;
        self.text(name);
        match role {
            Role::Link { robot } => {
                self.text("link");
                self.count(*robot);
            }
            Role::Attached => self.text("attached"),
            Role::Obstacle => self.text("obstacle"),
        }
        self.option(*joint, |d, joint| d.count(joint));
        self.option(*parent, |d, parent| d.text(&cell.bodies[parent].name));
        self.count(shapes.len());
        for shape in shapes {
            self.shape(shape);
        }
    }

    fn shape(&mut self, shape: &Shape) {
        let Shape {
            name,
            body_from_shape,
            form,
            solid,
            scale,
        } = shape;
        self.text(name);
        self.numbers(&pose(body_from_shape));
        self.option(*solid, |d, solid| d.flag(solid));
        self.option(*scale, |d, scale| d.numbers(scale.as_slice()));
        self.form(form);
    }

    pub(super) fn up_axis(&mut self, up_axis: &UpAxis, cell: &Cell) {
        let UpAxis {
            body,
            shape,
            axis,
            turned,
        } = up_axis;
        self.text(&cell.bodies[*body].name);
        self.count(*shape);
        self.text(axis);
        self.form(turned);
    }

    /// Budgets of error of robots and of joints.
    pub(super) fn errors(&mut self, budget: &Uncertainty) {
        let Uncertainty {
            base,
            tool: _,     // See `errors_of_body`.
            obstacle: _, // Likewise.
            mesh: _,     // Likewise.
            joint,
            model,
        } = budget;
        for each in [base, model] {
            self.count(each.len());
            each.iter().for_each(|error| self.rigid_error(error));
        }
        self.count(joint.len());
        self.numbers(joint);
    }

    /// Budgets of error of one body.
    pub(super) fn errors_of_body(&mut self, budget: Option<&Uncertainty>, body: BodyId) {
        self.option(budget.filter(|u| !u.is_none()), |d, budget| {
            d.rigid_error(&budget.tool[body]);
            d.rigid_error(&budget.obstacle[body]);
            d.numbers(&[budget.mesh[body]]);
        });
    }

    fn rigid_error(&mut self, error: &RigidError) {
        let RigidError { shift_m, turn_rad } = error;
        self.numbers(&[*shift_m, *turn_rad]);
    }

    fn form(&mut self, form: &Form) {
        match form {
            Form::Mesh {
                mesh,
                file: _, // A name.
            } => self.mesh(mesh),
            Form::Cloud {
                cloud,
                file: _, // A name.
            } => {
                self.text("cloud");
                self.numbers(&[cloud.radius]);
                self.count(cloud.kept());
                for point in cloud.points() {
                    self.numbers(point.coords.as_slice());
                }
                self.count(cloud.triangle_count());
                for (_, corners) in cloud.triangles() {
                    self.bytes(&[corners]);
                }
            }
            Form::Box { size } => {
                self.text("box");
                self.numbers(size.as_slice());
            }
            Form::Sphere { radius } => {
                self.text("sphere");
                self.numbers(&[*radius]);
            }
            Form::Cylinder { radius, length } => {
                self.text("cylinder");
                self.numbers(&[*radius, *length]);
            }
            Form::Cone { radius, length } => {
                self.text("cone");
                self.numbers(&[*radius, *length]);
            }
            Form::Capsule { radius, length } => {
                self.text("capsule");
                self.numbers(&[*radius, *length]);
            }
        }
    }

    fn mesh(&mut self, mesh: &Mesh) {
        let Mesh {
            vertices,
            triangles,
        } = mesh;
        self.text("mesh");
        self.count(vertices.len());
        for vertex in vertices {
            self.numbers(vertex.coords.as_slice());
        }
        self.count(triangles.len());
        for index in triangles.iter().flatten() {
            self.bytes(&index.to_le_bytes());
        }
    }

    pub(super) fn allowance(&mut self, allowance: &Allowance) {
        let Allowance { a, b, reason, by } = allowance;
        self.text(a);
        self.text(b);
        self.text(reason);
        // Of files the names alone differ.
        self.text(match by {
            AllowedBy::Srdf(_) => "srdf",
            AllowedBy::Cell => "cell",
            AllowedBy::Touch => "touch",
            AllowedBy::Scene(..) => "scene",
            AllowedBy::SceneTouch(..) => "scene touch",
            AllowedBy::Event(..) => "event",
        });
    }

    pub(super) fn stale(&mut self, stale: &StaleAllowance) {
        let StaleAllowance {
            allowance,
            line,
            missing,
        } = stale;
        self.allowance(allowance);
        self.count(*line);
        self.count(missing.len());
        for name in missing {
            self.text(name);
        }
    }

    pub(super) fn threshold(&mut self, stated: &PairThreshold) {
        let PairThreshold {
            a,
            b,
            clearance,
            warn,
            place: _, // A line more above it changes no answer.
        } = stated;
        self.text(a);
        self.text(b);
        self.numbers(&[*clearance]);
        self.option(*warn, |d, warn| d.numbers(&[warn]));
    }

    pub(super) fn remark(&mut self, remark: &Diagnostic) {
        let Diagnostic {
            subject,
            place: _, // Where it stands in a file: a line more above changes no answer.
            message,
            severity,
            code,
        } = remark;
        self.text(subject);
        self.text(message);
        self.text(severity.as_str());
        self.text(code.as_str());
    }
}
