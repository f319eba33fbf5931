//! Files and page-cache calls: one system call a function, no policy.
//!
//! All other crates read and write files through this one. Below the edges it is the only crate
//! that may open a file.
#![allow(clippy::disallowed_methods)] // files have their address here

mod words;
mod file;
mod first_pages;
mod held_lock;
mod in_turn;
mod page_cache;
mod inode;
mod replace;
mod directory;
mod open_directory;
mod file_kind;
mod facts;
mod available;
mod whole;
mod owner;
mod tree;
mod medium;
mod any;
mod posix;
mod memory;
mod overlay;
mod faults;
mod descriptors;

pub use any::{AnyFile, AnyMedium};
pub use available::{check_room, memory_available_bytes, zeroed};
pub use descriptors::{Descriptors, raise_descriptor_limit};
pub use directory::{create_directory, create_parents, files_below, files_in};
pub use facts::{FileFacts, Moment};
pub use faults::{
    Fault, FaultPlan, FaultRates, FaultyFile, FaultyMedium, Random, Restart, Survival,
};
pub use file::{File, FileSystem, Identity, Mode, Stamp};
pub use file_kind::FileKind;
pub use first_pages::FirstPages;
pub use held_lock::HeldLock;
pub use medium::{Medium, MediumFile};
pub use memory::{MemoryFile, MemoryMedium};
pub use open_directory::OpenDirectory;
pub use overlay::{KeptFile, OverlayFile, OverlayMedium};
pub use owner::{Owner, mode_mask, set_mode};
pub use page_cache::{
    Advice, CacheCounts, Mapping, PageBuffer, SharedMapping, page_bytes, write_anew,
};
pub use posix::PosixMedium;
pub use replace::{
    Durability, GoesOn, PIECE_BYTES, PastCache, create_like, create_new, create_while,
    expect_wanted, publish, replace, replace_like, replace_while, rewrite,
};
pub use tree::{
    create_link, create_single_directory, link_target, listing, names_in, remove_file, rename,
    rename_new, set_directory, sync_directory,
};
pub use whole::read_whole;
pub use words::system_words;
