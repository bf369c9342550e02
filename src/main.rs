//! The `tideline` program.
fn main() {}
