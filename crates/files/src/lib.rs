//! Stores of `.rrd` files: written in place ([`RrdFiles`], over single files, [`RrdFile`]), or
//! taken in memory and a journal first, and written now and then ([`FileCache`]).

mod rrd_file;
mod open_files;
mod create;
mod permissions;
mod edit;
mod by_file;
mod rrd_files;
pub mod cache;

pub use cache::{CacheOptions, FileCache};
pub use create::{
    create, create_while, create_with, restore, restore_cached, restore_with, write_file,
};
pub use open_files::{OPEN_FILES_MAX, OpenFiles};
pub use rrd_file::{Access, Io, RrdFile, Transfer};
pub use rrd_files::RrdFiles;
