//! Keys of messages of ROS that scenes and programs have in common.

/// The keys of a PlanningScene.
pub(crate) const SCENE: [&str; 11] = [
    "name",
    "robot_state",
    "robot_model_name",
    "fixed_frame_transforms",
    "allowed_collision_matrix",
    "link_padding",
    "link_scale",
    "object_colors",
    "object_types",
    "world",
    "is_diff",
];
/// Of a PlanningSceneWorld.
pub(crate) const WORLD: [&str; 2] = ["collision_objects", "octomap"];
/// Of a RobotState.
pub(crate) const ROBOT_STATE: [&str; 4] = [
    "joint_state",
    "multi_dof_joint_state",
    "attached_collision_objects",
    "is_diff",
];
/// Of a `std_msgs/Header`.
pub(crate) const HEADER: [&str; 3] = ["seq", "stamp", "frame_id"];
/// Of a Pose.
pub(crate) const POSE: [&str; 2] = ["position", "orientation"];
