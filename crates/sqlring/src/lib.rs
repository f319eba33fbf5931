//! Rings as tables of a database: which slot a row has, what the tables look like, and the
//! statements that fill and read them, in the words of three kinds of databases.
//!
//! ```text
//!  gyre_feed      one row: version, what is fed, epoch of the feeder
//!  gyre_layout    layout ── sources, and the rings that their archives go to
//!  gyre_database  number ── name, layout, first series
//!  gyre_series    series ── name, source, kind, step: what views join
//!  gyre_part      part   ── marks of 256 databases: how far each is fed
//!  gyre_trash     series of databases that are gone, whose rows are still to be deleted
//!  gyre_block     0, 1, 2, ...: views join it to find a series in each block
//!
//!  gyre_300s_600  a ring table: 600 rows of 300 s
//!    block | series | slot | time | average | minimum | maximum | last
//!    \_____ key _________/   end of the row, in seconds since 1970
//!
//!  gyre_rows_300s_600   its view: time, utc, name, source, average, minimum, maximum, last
//! ```
//!
//! A row that ends at `time` has the slot `time / row length mod slots`. So a table never grows
//! beyond its first time round, and nothing has to be purged. Slots are clustered by blocks of
//! [`BLOCK_SLOTS`]: a cycle writes few pages, and a reader of one series finds its rows side by
//! side. The first row of a series in a block reserves the block's other slots
//! ([`RESERVED_SECONDS`]), which views do not show, so that a table does not grow after its first
//! time round either.
//!
//! The crate computes and writes texts. `sqlclient` owns the connections, `feed` the work.

mod dialect;
mod ring;
mod selection;
mod layout;
mod row;
mod marks;
mod names;
mod schema;
mod statements;
mod size;

pub use dialect::Dialect;
pub use layout::{FedRing, Layout, LayoutError, Source};
pub use marks::{Mark, MarksError, PART_DATABASES, PlaceInPart, decode_marks, encode_marks};
pub use names::{NAME_CHARACTERS_MAX, is_fit};
pub use ring::{BLOCK_SLOTS, Ring};
pub use row::{Cells, RESERVED_SECONDS, RingRow, stored};
pub use schema::{
    RING_COLUMNS, SCHEMA_VERSION, TABLES, blocks_of, create_ring, create_tables, drop_ring,
    drop_tables,
};
pub use selection::{FUNCTIONS, Selection};
pub use size::row_bytes;
pub use statements::{delete_series_of_block, on_conflict, rows_of_block};
