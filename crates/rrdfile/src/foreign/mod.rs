//! Translates files of other machines, and of versions before 0003, to native ones.
//!
//! An `.rrd` file consists of C structures as they were in the memory of the machine that wrote it.
//! So the same database has different bytes on each kind of machine:
//!
//! ```text
//!                 64-bit      32-bit, aligned to 8    to 4 (i386)   to 2 (m68k)
//!   stat_head     cookie @16  cookie @16              cookie @12    cookie @10
//!                 counts @24  counts @24              counts @20    counts @18
//!                 128         120                     112           110
//!   ds_def        120         120                     120           120
//!   rra_def       120         112                     108           108
//!   live_head     16          8; 16 of 64-bit time    8; 12         8; 12
//!     0001, 0002  8           4; 8 of 64-bit time     4; 8          4; 8
//!   pdp_prep      112         112                     112           110
//!   cdp_prep      80          80                      80            80
//!   rra_ptr       8           4                       4             4
//!   a row's value 8           8                       8             8
//! ```
//!
//! Each of them exists in either byte order. [`Architecture`](crate::Architecture) distinguishes
//! them by the offset and byte order of the float cookie, by the counts after it and, for the size
//! of a time, by the size of the file. The translation loses nothing: row pointers, live state and
//! every bit of a value are kept. So unknown values keep their sign, in which machines differ.

mod shape;
mod recognition;
mod fields;
mod translate;
#[cfg(test)]
mod tests;

pub use translate::{Native, to_current, to_native};
