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

pub use bytes::expect_fit;
pub use bytes::{Departure, Party, adoptee};
pub(crate) use bytes::{Stay, header_of};
pub use foreign::{Foreign, ForeignFault, Patch};
pub use gather::Gathering;
