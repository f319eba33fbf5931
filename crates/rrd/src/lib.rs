//! The vocabulary and arithmetic of round robin databases.
//!
//! This crate is pure: no clock, file or socket. Consolidation is one function,
//! [`update()`]: `(definition, live state, sample) -> rows that became final`; every backend
//! shares it, and decides only where live state rests and where rows land.

mod time;
mod tick;
mod in_tick;
mod whole_seconds;
mod real_seconds;
mod definition;
mod percent;
mod archive;
mod expression;
pub mod spec;
pub mod sample;
mod reading;
mod cell;
mod moments;
mod row_so_far;
pub mod live;
mod forecast;
pub mod update;
mod series;
mod stretch;
pub mod fetch;
mod snapshot;
mod room;
mod beyond_files;
pub mod refill;
pub mod tune;
pub mod number;
pub mod rpn;
pub mod attime;
pub mod cformat;

pub use archive::{Archive, ConsolidationFunction, MAX_FAILURE_WINDOW, Parameters};
pub use beyond_files::BeyondFiles;
pub use definition::{DataSource, Definition, MAX_NAME_BYTES, SourceKind};
pub use expression::{CompactNode, EXPRESSION_BYTES, Expression};
pub use forecast::{ForecastState, ForecastWords, SeasonalRing, Violations};
pub use in_tick::NoWholeTicks;
pub use live::LiveState;
pub use moments::Moments;
pub use number::UNKNOWN;
pub use percent::{MAX_PERCENTILE_PDPS, NoPercent, Percent};
pub use reading::{Reading, ReadingRoom};
pub use room::{NoRoom, Room};
pub use row_so_far::RowSoFar;
pub use sample::{Sample, SampleReader};
pub use series::Series;
pub use snapshot::Snapshot;
pub use stretch::Stretch;
pub use tick::{BetweenTicks, InSeconds, NoTick, NoWholeSeconds, Tick};
pub use time::Timestamp;
pub use update::{FinalRows, Workspace, update};
pub use whole_seconds::WholeSeconds;
