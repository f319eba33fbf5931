//! The ring store: whole pages of rows, written by groups of databases of one layout.

mod record;
mod tile;
mod open_block;
mod written;
mod clock;
mod patch;
mod group;
mod plan;
mod attic;
mod checkpoint;
pub mod catalogue;
mod engine;
pub mod file;
mod store_lock;
mod ring_store;
mod as_store;
mod salvage;
mod look_up;
mod lone_updates;
mod file_totals;
mod census;
mod pages;
pub mod copied;

pub use catalogue::FORMAT as STORE_FORMAT;
pub use census::Census;
pub use checkpoint::VERSION as CHECKPOINT_VERSION;
pub use engine::{
    Departures, Engine, GivenUp, READ_AT_ONCE, ReplayWatch, RingOptions, Salvaged, Sync, Upkeep,
    salvage,
};
pub use file_totals::FileTotals;
pub use geometry::{Geometry, PAGE_BYTES, Pace, Shape};
pub use lone_updates::LoneUpdates;
pub use look_up::LookUp;
pub use pages::{CheckpointHead, StoreFile, StorePages, TilePage};
pub use plan::{Costs, MachineRates};
pub use ring_store::RingStore;
pub use salvage::Salvage;
