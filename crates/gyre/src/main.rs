//! The one binary `gyre`.
fn main() {}
