//! The records of a ring store's log, behind the heads that the journal knows.
//!
//! ```text
//!   kind      body
//!   1 create  varint seconds (zigzag), varint microseconds, name, definition
//!   2 delete  nothing
//!   3 rename  name
//!   4 tune    varint source, varint heartbeat, 8 minimum, 8 maximum
//!   5 tile    varint offset, 4,096 bytes
//!   6 smooth  nothing
//!   11 attic  pages, as crate::attic has them
//!   128..     an update, as logform has it
//! ```
//!
//! Numbers are little-endian; a name follows its length, a varint. Kinds are only ever added: what
//! an older version wrote reads the same for ever.
//!
//! A tile is the whole image of a page that is about to be written over in place: a write that is
//! torn can be made good from here. Its id names the group, as the id of the group's first member.
//! So does the id of an attic: pages that the group's attic got before tiles are written over.

mod decode;
mod encode;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use geometry::PAGE_BYTES;
use logform::Update;
use rrd::{Definition, Timestamp};
use store::SourceTuning;

pub(crate) use encode::{append, push, push_update, update_record_bytes};

const CREATE: u8 = 1;
const DELETE: u8 = 2;
const RENAME: u8 = 3;
const TUNE: u8 = 4;
const TILE: u8 = 5;
const SMOOTH: u8 = 6;
const ATTIC: u8 = 11;

/// What happened to an RRD.
#[derive(Clone, Debug)]
pub(crate) enum Event<'a> {
    /// Readings came in. Only read: [`push_update`] encodes one without an event in between.
    Update(Update<'a>),
    /// It was made.
    Create {
        /// It has seen no update since.
        start: Timestamp,
        name: &'a str,
        /// What it holds.
        definition: Cow<'a, Definition>,
    },
    /// It was deleted.
    Delete,
    /// It got another name.
    Rename { name: &'a str },
    /// One of its data sources was tuned.
    Tune(SourceTuning),
    /// The rings of its seasons were smoothed.
    Smooth,
    /// A page of its group's tiles is about to be written over in place.
    Tile {
        /// Where in the group's file.
        offset_bytes: u64,
        /// What is to stand there, [`PAGE_BYTES`] long.
        page: &'a [u8],
    },
    /// Its group's attic got pages whose rows tiles have that are about to be written over.
    Attic {
        /// Which pages, in the attic's form.
        growth: &'a [u8],
    },
}

const MICROS_PER_SECOND: u32 = 1_000_000;
const _: () = assert!(PAGE_BYTES == 4096, "a tile's image has this length in every log");
