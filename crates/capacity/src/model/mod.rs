//! Page-ins by calculation, without going through an update stream.
//!
//! [`Printed`] is the reference's formula. [`Reuse`] is exact for LRU: it takes the mean over what
//! a simulation would go through one by one. `docs/model.md` has both derivations, and how far each
//! is from simulation.

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
