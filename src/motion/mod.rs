//! How far a point can move in an interval.
