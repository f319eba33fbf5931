//! A disk whose power can be cut, and which fails when it is told to.
//!
//! ```text
//! gyre -> ext4 -> loop device -> image (FUSE) -> a process of our own, in whose memory the disk is
//! ```
//!
//! The process keeps what was written since the last flush apart. At a cut each 512 bytes of that
//! are there or not. It is a process and not a thread: whoever waits for a file system that waits
//! for itself cannot be ended.

mod layer;
mod protocol;
mod server;
mod disk;
mod programs;

pub(crate) use disk::{PowerDisk, refusal, remove as remove_leftover};
pub(crate) use server::serve;
