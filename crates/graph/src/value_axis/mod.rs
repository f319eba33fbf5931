//! The value axis: its limits, its unit, its grid.

mod limits;
mod grid_line;
mod grid;
mod logarithmic;
mod label;

pub(crate) use grid::grid;
pub(crate) use limits::ValueAxis;
