//! What is fed: a ring store, or `.rrd` files below a directory.

use std::path::Path;
use std::sync::Arc;

use feed::Origin;
use files::RrdFiles;
use ring::RingStore;
use rrdtool::{Failure, Session};

/// Opens the databases at a path. A store that another process has open is asked there.
pub(super) fn origin(session: &mut Session, root: &str) -> Result<Origin, Failure> {
    let path = Path::new(root);
    if path.is_dir() && !RingStore::is_at(path) {
        return Ok(Origin::new(Arc::new(RrdFiles::below(path))).at(path));
    }
    Ok(Origin::new(session.databases.store_at(root)?).at(path))
}
