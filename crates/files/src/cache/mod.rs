//! `.rrd` files served in place: updates are taken in memory, every read shows them at once, and
//! the files are written now and then, in the order in which they lie on disk.
//!
//! **The head of a file on disk is the checkpoint; memory holds what came since.** An entry is the
//! samples that are not in the file yet, as text, and the state of the sources, which tells of each
//! sample at once whether it is taken. It has no cells, no rows, no row pointers. A read, or a
//! write-back, reads the head from the file and takes the samples into it, by the code that
//! updates any file ([`RrdFile`](crate::RrdFile)). So there is no cached header that could be
//! written over what another program made of the file, and archives that forecast are nothing
//! special.
//!
//! ```text
//!   UPDATE -> entry: sources, rrd::update -> refused, or kept as text -> log -> acknowledged
//!   FETCH  -> head on disk + samples -> rows on disk, final rows laid over them
//!   due    -> log durable, file locked, head + samples -> rows, then head, written
//! ```
//!
//! [`FileCache`] is made of parts, each of which holds only what it uses. `Updates` takes updates,
//! those of one file by way of the `Intake`. The `Settler` first brings a file together with what
//! the log had of it. The `Reader` reads, the `Writer` writes what is due by the `Schedule`,
//! `Changes` does what a command asks for, `Forgetter` and `Tidier` forget. The `SampleLog` logs
//! samples; the `Keeper` syncs the log and keeps it short. The `Table` has the entries.

mod options;
mod file_cache;
mod assembly;
mod as_store;
mod clock;
mod shape;
mod pending;
mod entry;
mod table;
mod append;
mod intake;
mod doubtful;
mod opened_ahead;
mod head_reader;
mod read;
mod schedule;
mod write_back;
mod descriptors;
mod change;
mod forget;
mod tidy;
mod report;
mod failure_notes;
mod sample_log;
mod logged;
mod journaled;
mod on_disk;
mod new_files;
mod write_backs;
mod files_in_doubt;
mod lost_pages;
mod keeper;
mod ending;
mod carry;
mod in_doubt;
mod found;
mod found_files;
mod settler;
mod together;
mod settle;
mod absent;
mod unsettled;
mod record;
mod lines;
mod log;
mod log_pins;
mod log_start;
mod step;
mod kept_records;
mod replay;
mod chains;
mod whole_state;
mod head_check;
mod legacy;
mod costs;
mod salvage;

pub use costs::Costs;
pub use file_cache::FileCache;
pub use head_check::{HeadCheck, PIECE_BYTES};
pub use legacy::Legacy;
pub use lines::Lines;
pub use log::{Acknowledge, Log, LogOptions};
pub use log_pins::LogPin;
pub use options::{CacheOptions, Journaling};
pub use record::{Base, BaseView, NewestRows};
pub use replay::{FoundFile, Replay};
pub use report::Report;
pub use salvage::{JournalSalvage, LostRecords, SalvagedJournal};
pub use settle::{Head, Settled, Settling, settle};
pub use step::Step;
pub use whole_state::{WholeState, base_of, fingerprint};
pub use write_back::Flushed;
