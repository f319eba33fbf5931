//! The encoding of updates and definitions in the logs of all stores.
//!
//! ```text
//!   update                                        reading
//!   1mnnnnnn   kind: m = microseconds follow,     0 to 8      an unsigned integer of so many
//!              n = readings (63: count follows)               bytes, lowest first
//!   ...        whose update it is                 9 to 16     a negative integer; its magnitude
//!   varint     seconds, zigzag                                takes 1 to 8 bytes
//!   varint     microseconds, if m                 17          U
//!   varint     number of readings, if n = 63      18          a text; its length follows
//!   ...        readings                           19 to 255   a text of 0 to 236 bytes
//! ```
//!
//! Every value has only one encoding: a text that is a canonical integer is stored as the integer,
//! and a varint has its shortest form. So decoding and encoding are inverse, byte for byte, in both
//! directions. Records of older versions remain readable forever.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used))]

mod update;
mod reading;
pub mod definition;

pub use reading::Readings;
pub use update::{Update, is_update, put_update, take_update, update_bytes_max, update_kind};
