//! Walks and tables, with agents that have different faults.

mod device;
mod walks;
mod limits;
