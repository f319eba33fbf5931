//! Graphs as the programs around rrdtool write them, and the databases that they draw.

pub mod definitions;
pub mod databases;
