//! Consistent, incremental copies of live stores and file trees that leave the page cache alone.

mod error;
mod cursor;
mod uncached;
mod pool;
mod table;
mod pack;
mod packs;
mod entry;
mod index;
mod destination;
mod walk;
mod previous;
mod report;
mod steady;
mod copy;
mod contents;
mod run;
mod ring_store;
mod verify;
mod restore;

pub use destination::{Snapshot, is_backup, list};
pub use error::Error;
pub use index::VERSION;
pub use report::{Report, Watch};
pub use restore::{Restored, Restoring, restore};
pub use run::{Options, run};
pub use steady::read_whole;
pub use verify::{Verified, verify};

// One number tells the version of a backup: that of its indexes is that of its packs.
const _: () = assert!(index::VERSION == pack::VERSION);
