//! `rrd_open` and its kin: a file as it is, in memory.
//!
//! ```text
//!   rrd_open -> rrd_file_t   sizes, a position, the descriptor
//!            -> rrd_t        a pointer to each part of the header, into the map of the file
//! ```
//!
//! What a program writes through the pointers of a file that it opened for writing is in the file,
//! as with Debian's library. A database of a ring store has no file: it is copied into memory, and
//! can be read alone. The layouts are those of `rrd_format.h`; `tests/programs/layout.c` compares
//! them.

mod format;
mod map;
mod opened;
mod open;
mod create;
mod access;
mod free;
mod reduce;
