//! The store under test.

use store::{DirectoryStore, Store};

use super::protocol::{Kind, StoreSpec};

/// Opens the store; makes an empty one where there is none.
pub(crate) fn open(spec: &StoreSpec) -> Result<Box<dyn Store>, String> {
    std::fs::create_dir_all(&spec.directory)
        .map_err(|error| format!("{}: {error}", spec.directory.display()))?;
    match spec.kind {
        Kind::Directory => Ok(Box::new(DirectoryStore::new(&spec.directory))),
    }
}
