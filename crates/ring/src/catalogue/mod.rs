//! The catalogue: which databases there are, under which names, in which groups.
//!
//! One file, `catalogue`, beside the groups' files and the journal: the embedded library redb over
//! [`disk::MediumFile`], so that it runs under fault simulation as everything else does.
//!
//! ```text
//!   table        key             value
//!   meta         name            u64: format, journal options, flush_cycles, applied, ...
//!   named        name            bytes, for the part that put them
//!   definitions  DefinitionId    as in the journal's record
//!   groups       GroupId         varint layout, capacity, phase_pdps, shared (0, 1), created
//!   rrds         RrdId           varint generation, definition, born_step; then the name
//!   names        name            RrdId
//!   foreign      RrdId           bytes of an imported file that gyre does not model
//! ```
//!
//! **The journal comes first.** What happened is durable there; the catalogue follows in batches,
//! each one transaction that also stores the [`LogPosition`] it has applied. Records from there on
//! are to be applied again after a restart, and it does no harm if some are applied twice.
//!
//! **Each commit has two phases**: pages and their root are durable before one sector says that the
//! root is the valid one. With one phase, a sync that failed could leave the page cache with pages
//! that the platter lacks, and a rotten last commit would pass for a torn one and be dropped in
//! silence. Commits are rare enough for the second sync.
//!
//! **Every page is checked**, at opening against redb's own checksums, later against those that
//! the file's backend keeps in memory. redb trusts a file that it closed well, and panics over what
//! it cannot read; what panics nevertheless is caught and becomes [`CatalogueError::Damaged`].
//!
//! **A few keys are looked up without redb** ([`Catalogue::open_in_part`]), which checks all of a
//! file or nothing: its pages are read one by one from the root on, each against the checksum that
//! the page before has of it.
//!
//! **Its root is told of twice.** After each commit the backend tells of the valid root in the
//! place of the one before, too: either of the two, and the bit that says which is the valid one,
//! may rot. Until that has reached the disk the bit may still lead to the commit before, which says
//! so by its log position. So the thread that frees the journal keeps what came after the commit
//! *before* the last; it is then applied again.

mod error;
mod entry;
mod open;
mod lookup;
mod part;
mod tree;
mod loaded;
mod load;
mod changes;
mod commit;
mod tables;
mod backend;
mod guard;
mod definitions;
mod names;
mod mend;

pub use changes::Changes;
pub use definitions::Definitions;
pub use entry::{DefinitionId, GroupEntry, GroupId, Meta, RrdEntry, RrdView};
pub use error::CatalogueError;
pub use loaded::Loaded;
pub(crate) use mend::mend;
pub use names::{Clash, Fingerprint, Names};
pub use open::Catalogue;

#[cfg(doc)]
use journal::LogPosition;

/// The file's name in the directory.
pub const FILE: &str = "catalogue";
/// Its name until it is whole.
const FILE_IN_MAKING: &str = "catalogue.new";
/// The version of the store's format, all its files together.
pub const FORMAT: u64 = 1;
