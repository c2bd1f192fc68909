//! Front desk: the only room that knows the command line, the terminal and exit codes.
