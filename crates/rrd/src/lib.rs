//! The vocabulary and arithmetic of round robin databases.
//!
//! This crate is pure: no clock, file or socket. Consolidation is one function,
//! [`update`]: `(definition, live state, sample) -> rows that became final`; every backend
//! shares it, and decides only where live state rests and where rows land.

mod definition;
mod series;
mod time;

pub use definition::{
    Archive, ConsolidationFunction, DataSource, Definition, MAX_NAME_BYTES, SourceKind,
};
pub use series::Series;
pub use time::Timestamp;
