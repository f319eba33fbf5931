//! A simulated disk whose power can be cut, and which fails on request.
//!
//! ```text
//! gyre -> ext4 -> loop device -> image (FUSE) -> a process of our own, in whose memory the disk is
//! ```
//!
//! The process keeps the writes since the last flush separately. At a power cut, each 512 bytes of
//! them survive or not. It is a process and not a thread: a process that waits for a file system
//! which it serves itself cannot be killed.

mod layer;
mod protocol;
mod server;
mod disk;
mod programs;

pub(crate) use disk::{PowerDisk, refusal, remove as remove_leftover};
pub(crate) use server::serve;
