//! Encodes and decodes `.rrd` files.
//!
//! ```text
//!   offset_bytes   part        bytes               holds
//!   0              stat_head   128                 "RRD\0", version, cookie, counts, step
//!   128            ds_def      120 a source        name, kind, heartbeat, minimum, maximum
//!   +              rra_def     120 an archive      CF, rows, PDPs a row, xff
//!   +              live_head   16; 8 in 0001, 0002 last update: seconds, microseconds
//!   +              pdp_prep    112 a source        last reading, unknown seconds, value
//!   +              cdp_prep    80 an archive       the cells, one for each source
//!                              and source
//!   +              rra_ptr     8 an archive        the row written last
//!   +              rows        8 a value           archive by archive, row by row
//! ```
//!
//! Only [`layout`] converts an archive and a row to an offset. The table is that of 64-bit
//! little-endian machines; files of other machines are translated as a whole ([`to_native`]). This
//! crate is pure: it handles byte slices and never opens a file. Untrusted bytes never make it
//! panic.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used))]
#![forbid(unsafe_code)]

pub mod layout;
mod bytes;
mod architecture;
mod error;
mod definition;
mod live;
mod header;
mod foreign;
mod sections;
mod image;
pub mod xml;

pub use architecture::{Architecture, ByteOrder};
pub use error::{FormatError, Unwritable};
pub use foreign::{Native, to_current, to_native};
pub use header::{Header, Version};
pub use image::{decode, encode, encode_behind, values};
pub use sections::Section;
