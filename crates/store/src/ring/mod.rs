//! The ring store: whole pages of rows, written by groups of databases of one layout.
//!
//! What stands here so far is its arithmetic: [`Geometry`] says where every row of a group lies,
//! and what the group costs in bytes written, on disk and in memory. It is pure; the planner and the
//! store will share it.

mod geometry;

pub use geometry::{ArchiveShape, Geometry, Place};
