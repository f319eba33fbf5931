//! One record of the log: what happened to one RRD, as bytes.
//!
//! ```text
//!   update                                        all others
//!   1mnnnnnn   head: m = microseconds follow,     1          kind, 1 to 11
//!              n = readings (63: count follows)   varint     RRD id
//!   varint     RRD id                             varint     generation
//!   varint     generation                         ...        1 create: start, name, definition
//!   varint     seconds, zigzag                               2 delete, 6 smooth: nothing
//!   varint     microseconds, if m                            3 rename: name
//!   ...        readings                                      4 tune: source, heartbeat, limits
//!                                                            5 tile: offset, 4,096 bytes
//!                                                            7 base: see [`Base`]
//!                                                            8 written: log position
//!                                                            9 values: text
//!                                                            10 end: 1 if one was refused
//!                                                            11 attic: what its owner says
//!
//!   reading    0 to 8      an unsigned integer of so many bytes, lowest first
//!              9 to 16     a negative integer; its magnitude takes 1 to 8 bytes
//!              17          U
//!              18          a text; its length follows as a varint
//!              19 to 255   a text of 0 to 236 bytes
//! ```
//!
//! A varint has seven bits a byte, lowest first. Every value has one form only: a text that reads
//! as a canonical integer is stored as the integer, a varint has no byte too many. So decoding and
//! encoding are each other's inverse, byte for byte, both ways.
//!
//! A tile is the whole image of a page that is about to be written over in place: a write that is
//! torn can be made good from here. Its id names the group, as the id of the group's first member.
//! So does the id of an attic: pages that the group's attic got before tiles are written over.
//!
//! **Two logs have these records.** The ring store's knows kinds 1 to 6 and 11, the file cache's
//! updates and the kinds 2 and 7 to 10; either takes what the other alone has for damage. Kinds are only ever
//! added: what an older version wrote reads the same for ever.
//!
//! Reading is in three levels: [`RawRecord`] reads the head alone, [`RecordView`] borrows and never
//! panics on foreign bytes; [`Record`] owns.

mod reading;
pub mod definition;
mod argument;
mod base;
mod raw;
mod decode;
mod encode;

use rrd::{Definition, Timestamp};

use super::LogPosition;

pub use argument::encode_argument;
pub use argument::push_argument;
pub use base::{Base, BaseView, NewestRows};
pub use encode::encode_update;
pub use encode::update_bytes_max;
pub use raw::{Kind, RawRecord};
pub use reading::Readings;
pub use rrd::Reading;
pub use varint::RecordError;

/// Which RRD of a store, for as long as it exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RrdId(pub u32);

/// How often an id was given to a new RRD: a record of a deleted RRD is not taken for one of its
/// successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u32);

/// One record, owned.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The RRD that it is about.
    pub rrd: RrdId,
    /// Which holder of that id.
    pub generation: Generation,
    /// What happened.
    pub event: Event,
}

/// What happened to an RRD.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Readings came in.
    Update {
        /// When they were taken.
        time: Timestamp,
        /// One text for each data source.
        readings: Vec<String>,
    },
    /// It was made.
    Create {
        /// It has seen no update since.
        start: Timestamp,
        /// Its name.
        name: String,
        /// What it holds.
        definition: Definition,
    },
    /// It was deleted.
    Delete,
    /// It got another name.
    Rename {
        /// The new name.
        name: String,
    },
    /// One of its data sources was tuned.
    Tune(Tuning),
    /// The rings of its seasons were smoothed.
    Smooth,
    /// A page of its group's tiles is about to be written over in place.
    Tile {
        /// Where in the group's file.
        offset_bytes: u64,
        /// What is to stand there, [`TILE_BYTES`] long.
        page: Vec<u8>,
    },
    /// Its group's attic got pages whose rows tiles have that are about to be written over.
    Attic {
        /// Which pages, in their owner's form.
        growth: Vec<u8>,
    },
    /// What a file holds before the samples that follow.
    Base(Base),
    /// What was logged of a file before a position is in it, durably.
    Written {
        /// The position.
        through: LogPosition,
    },
    /// Values came in whose text no update keeps.
    Values {
        /// The argument of the update, `TIME:READING...`.
        text: String,
    },
    /// A command of several values ended.
    End {
        /// Whether one of them was refused: seasons are then not smoothed.
        refused: bool,
    },
}

/// Bytes of the image of a tile.
pub const TILE_BYTES: usize = 4096;

/// What a tuned data source has from now on.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Tuning {
    /// Which source, in the order of the definition.
    pub source: u32,
    /// The longest silence, in seconds, before the value becomes unknown.
    pub heartbeat_seconds: u64,
    /// The lowest rate believed, NaN for no limit.
    pub minimum: f64,
    /// The highest rate believed, NaN for no limit.
    pub maximum: f64,
}

/// One record, borrowed from its bytes.
#[derive(Clone, Debug)]
pub struct RecordView<'a> {
    /// The RRD that it is about.
    pub rrd: RrdId,
    /// Which holder of that id.
    pub generation: Generation,
    /// What happened.
    pub event: EventView<'a>,
}

/// What happened to an RRD, borrowed. Definitions are rare and come owned.
#[derive(Clone, Debug)]
pub enum EventView<'a> {
    /// Readings came in.
    Update {
        /// When they were taken.
        time: Timestamp,
        /// One for each data source.
        readings: Readings<'a>,
    },
    /// It was made.
    Create {
        /// It has seen no update since.
        start: Timestamp,
        /// Its name.
        name: &'a str,
        /// What it holds.
        definition: Definition,
    },
    /// It was deleted.
    Delete,
    /// It got another name.
    Rename {
        /// The new name.
        name: &'a str,
    },
    /// One of its data sources was tuned.
    Tune(Tuning),
    /// The rings of its seasons were smoothed.
    Smooth,
    /// A page of its group's tiles is about to be written over in place.
    Tile {
        /// Where in the group's file.
        offset_bytes: u64,
        /// What is to stand there, [`TILE_BYTES`] long.
        page: &'a [u8],
    },
    /// Its group's attic got pages whose rows tiles have that are about to be written over.
    Attic {
        /// Which pages, in their owner's form.
        growth: &'a [u8],
    },
    /// What a file holds before the samples that follow.
    Base(BaseView<'a>),
    /// What was logged of a file before a position is in it, durably.
    Written {
        /// The position.
        through: LogPosition,
    },
    /// Values came in whose text no update keeps.
    Values {
        /// The argument of the update, `TIME:READING...`.
        text: &'a str,
    },
    /// A command of several values ended.
    End {
        /// Whether one of them was refused: seasons are then not smoothed.
        refused: bool,
    },
}

impl RecordView<'_> {
    /// The record with bytes of its own.
    #[must_use]
    pub fn to_record(&self) -> Record {
        let event = match &self.event {
            EventView::Update { time, readings } => Event::Update {
                time: *time,
                readings: readings.clone().map(|reading| reading.to_string()).collect(),
            },
            EventView::Create { start, name, definition } => Event::Create {
                start: *start,
                name: (*name).into(),
                definition: definition.clone(),
            },
            EventView::Delete => Event::Delete,
            EventView::Rename { name } => Event::Rename { name: (*name).into() },
            EventView::Tune(tuning) => Event::Tune(*tuning),
            EventView::Smooth => Event::Smooth,
            EventView::Tile { offset_bytes, page } => {
                Event::Tile { offset_bytes: *offset_bytes, page: page.to_vec() }
            }
            EventView::Attic { growth } => Event::Attic { growth: growth.to_vec() },
            EventView::Base(base) => Event::Base(base.to_base()),
            EventView::Written { through } => Event::Written { through: *through },
            EventView::Values { text } => Event::Values { text: (*text).into() },
            EventView::End { refused } => Event::End { refused: *refused },
        };
        Record { rrd: self.rrd, generation: self.generation, event }
    }
}

/// First bytes of the records that are no updates.
mod kind {
    pub(super) const CREATE: u8 = 1;
    pub(super) const DELETE: u8 = 2;
    pub(super) const RENAME: u8 = 3;
    pub(super) const TUNE: u8 = 4;
    pub(super) const TILE: u8 = 5;
    pub(super) const SMOOTH: u8 = 6;
    pub(super) const BASE: u8 = 7;
    pub(super) const WRITTEN: u8 = 8;
    pub(super) const VALUES: u8 = 9;
    pub(super) const END: u8 = 10;
    pub(super) const ATTIC: u8 = 11;
    /// The bit that makes a first byte the head of an update.
    pub(super) const UPDATE: u8 = 0x80;
    /// In the head of an update: microseconds follow.
    pub(super) const WITH_MICROS: u8 = 0x40;
    /// In the head of an update: how many readings, this value if a count follows.
    pub(super) const COUNT_FOLLOWS: u8 = 0x3f;
}

const MICROS_PER_SECOND: u32 = 1_000_000;
