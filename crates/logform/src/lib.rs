//! Updates and definitions as bytes: the form that the logs of all stores have of them.
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
//! Every value has one form only: a text that reads as a canonical integer is stored as the
//! integer, a varint has no byte too many. So decoding and encoding are each other's inverse, byte
//! for byte, both ways. What an older version wrote reads the same for ever.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used))]

mod update;
mod reading;
pub mod definition;

pub use reading::Readings;
pub use update::{Update, is_update, put_update, take_update, update_bytes_max, update_kind};
