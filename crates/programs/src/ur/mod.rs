//! Universal Robots: URScript, and the node trees of PolyScope, which are turned into it.

/// Joints of these arms in their order, as their URDFs name them, whatever stands before.
pub(crate) const JOINTS: [&str; 6] = [
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_1_joint",
    "wrist_2_joint",
    "wrist_3_joint",
];

pub(crate) mod polyscope;
mod poses;
pub(crate) mod script;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use polyscope::Chain;
