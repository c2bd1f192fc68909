//! Tests of both kinds of program of Universal Robots.

mod real;
