//! Calculates page-ins without simulating an update stream.
//!
//! [`Printed`] is the reference's formula. [`Reuse`] is exact for LRU: it averages over the cases
//! that a simulation would go through one by one. `docs/model.md` derives both and compares them
//! with simulation.

mod printed;
mod schedule;
mod evenly;
mod life;
mod window;
mod neighbours;
mod sampler;
mod sample;
mod reuse;

pub use printed::Printed;
pub use reuse::{PageIns, Reuse};
pub use sample::Precision;
