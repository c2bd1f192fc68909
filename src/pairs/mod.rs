//! Which pairs are checked, and for every other one the reason why not.
