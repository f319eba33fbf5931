//! Finding targets: an index of their texts, and where they stand in a network.
//!
//! ```text
//!  catalogue ──▶ Finder: in the background ──▶ TargetIndex: texts (`find`), sites and devices
//!  words     ──▶ Asked ──▶ Hits: the targets of a page, and how many there are
//! ```
//!
//! Until the index of a large catalogue is made, every target is looked at, as it is for names that
//! no index can hold.

mod natural;
mod network;
mod seen;
mod target_index;
mod finder;
mod name_list;
mod names;

pub(crate) use finder::Finder;
pub use names::Names;
pub(crate) use names::NamesFound;
pub(crate) use network::{DeviceEntry, SiteEntry};
pub(crate) use seen::Bits;
pub(crate) use target_index::TargetIndex;
