//! The checks: sound answers over a motion.
