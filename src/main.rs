//! Runs the command line; turns an error into a message and an exit code.

fn main() {}
