//! Stable codes of what a reader must see first: reports, scripts and stored alerts rely on them. docs/findings.md has a heading
//! for each.

/// A mesh of a URDF states an up axis, and it is not told whether that counts.
pub const UP_AXIS: &str = "up-axis";
/// A size that does not fit the robot or the neighbours.
pub const SUSPICIOUS_SCALE: &str = "suspicious-scale";
/// A place where a body can hardly be meant to stand.
pub const SUSPICIOUS_PLACE: &str = "suspicious-place";
/// Angles of a pose that look like degrees.
pub const SUSPICIOUS_RPY: &str = "suspicious-rpy";
/// A threshold that does not fit the robot.
pub const SUSPICIOUS_CLEARANCE: &str = "suspicious-clearance";
/// No pair of bodies was checked.
pub const NOTHING_CHECKED: &str = "nothing-checked";
/// A link that moves has a shape to look at and none to check.
pub const UNCHECKED_LINK: &str = "unchecked-link";
/// A body that stands still has a shape to look at and none to check.
pub const UNCHECKED_BODY: &str = "unchecked-body";
/// A link that the cell file leaves out of the check, with a reason.
pub const ACCEPTED: &str = "accepted";
