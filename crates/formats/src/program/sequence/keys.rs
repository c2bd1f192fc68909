//! Keys of the messages of which a sequence is made, of all versions of MoveIt. What of it decides
//! about the motion is read; the rest says how a planner looks for it.

pub(super) use crate::message_keys::{HEADER, POSE, ROBOT_STATE};

/// Of a `MotionSequenceItem`.
pub(super) const ITEM: [&str; 2] = ["req", "blend_radius"];

/// Of a `MotionPlanRequest`.
pub(super) const REQUEST: [&str; 16] = [
    "workspace_parameters",
    "start_state",
    "goal_constraints",
    "path_constraints",
    "trajectory_constraints",
    "reference_trajectories",
    "pipeline_id",
    "planner_id",
    "group_name",
    "num_planning_attempts",
    "allowed_planning_time",
    "max_velocity_scaling_factor",
    "max_acceleration_scaling_factor",
    "cartesian_speed_end_effector_link",
    "cartesian_speed_limited_link",
    "max_cartesian_speed",
];

/// Of a `JointState`.
pub(super) const JOINT_STATE: [&str; 5] = ["header", "name", "position", "velocity", "effort"];

/// Of `Constraints`.
pub(super) const CONSTRAINTS: [&str; 5] = [
    "name",
    "joint_constraints",
    "position_constraints",
    "orientation_constraints",
    "visibility_constraints",
];

/// Of a `JointConstraint`.
pub(super) const JOINT: [&str; 5] = [
    "joint_name",
    "position",
    "tolerance_above",
    "tolerance_below",
    "weight",
];

/// Of a `PositionConstraint`.
pub(super) const POSITION: [&str; 5] = [
    "header",
    "link_name",
    "target_point_offset",
    "constraint_region",
    "weight",
];

/// Of an `OrientationConstraint`.
pub(super) const ORIENTATION: [&str; 8] = [
    "header",
    "orientation",
    "link_name",
    "absolute_x_axis_tolerance",
    "absolute_y_axis_tolerance",
    "absolute_z_axis_tolerance",
    "parameterization",
    "weight",
];

/// Of a `Quaternion`.
pub(super) const QUATERNION: [&str; 4] = ["x", "y", "z", "w"];

/// Of the goal of an action, or the call of a service, around a sequence.
pub(super) const GOAL: [&str; 5] = ["items", "request", "planning_options", "header", "goal_id"];

/// Of a `BoundingVolume`.
pub(super) const REGION: [&str; 4] = ["primitives", "primitive_poses", "meshes", "mesh_poses"];
