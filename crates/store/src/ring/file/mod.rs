//! Databases on their way from and to `.rrd` files, without a bit lost.
//!
//! ```text
//!   .rrd file ── header, rows ──▶ snapshot ──▶ a group's tiles and states
//!        │                                                  │
//!        └── what a snapshot has not: `foreign` ──▶ catalogue ──┴──▶ .rrd file
//! ```

mod bytes;
mod foreign;
mod gather;

pub(crate) use bytes::Stay;
pub use bytes::{Departure, Party, adoptee};
pub use foreign::{Foreign, ForeignFault, Patch};
pub use gather::Gathering;
