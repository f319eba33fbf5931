//! The catalogue: what is put into it comes out again, whatever the machine does in between.
#![allow(clippy::disallowed_methods)] // figures ask for the time and for how large to be

#[path = "../ring/calls.rs"]
mod calls;
mod world;
mod contents;
mod opening;
mod crashes;
mod rot;
mod part;
mod memory;
mod figures;
