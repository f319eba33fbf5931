//! The store under test.

use files::RrdFiles;
use ring::Pace;
use ring::{RingOptions, RingStore};
use store::Store;

use super::protocol::{Kind, StoreSpec};

/// Opens the store; makes an empty one if there is none.
pub(crate) fn open(spec: &StoreSpec) -> Result<Box<dyn Store>, String> {
    std::fs::create_dir_all(&spec.directory)
        .map_err(|error| format!("{}: {error}", spec.directory.display()))?;
    match spec.kind {
        Kind::Directory => Ok(Box::new(RrdFiles::below(&spec.directory))),
        Kind::Ring => {
            let pace = Pace { flush_cycles: spec.flush_cycles, tile_rows_max: spec.tile_rows };
            let options = RingOptions { pace, sparse: spec.sparse, ..RingOptions::default() };
            let opened = RingStore::open_or_create(&spec.directory, options);
            Ok(Box::new(opened.map_err(|error| error.to_string())?))
        }
    }
}
