//! Reports: outcome in, bytes out; nothing is printed here.
