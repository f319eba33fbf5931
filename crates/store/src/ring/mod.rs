//! The ring store: whole pages of rows, written by groups of databases of one layout.

mod geometry;

pub use geometry::{Geometry, PAGE_BYTES, Pace, Shape};
