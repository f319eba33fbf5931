//! The ring store: whole pages of rows, written by groups of databases of one layout.

mod geometry;
pub mod state;
pub mod catalogue;

pub use geometry::{Geometry, PAGE_BYTES, Pace, Shape};
