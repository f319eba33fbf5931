//! Lets other processes use a ring store that this process has open.

use std::sync::Arc;

use daemon::AtStore;
use ring::RingStore;
use rrdtool::Failure;

/// Serves a ring store until the returned value is dropped.
pub(crate) fn serve(ring: &Arc<RingStore>) -> Result<Box<dyn Send>, Failure> {
    let root = ring.root().to_path_buf();
    let say = move |words: &str| rrdtool::complain!("{}: {words}", root.display());
    let served = AtStore::serve(ring, None, say).map_err(Failure::of)?;
    Ok(Box::new(served))
}
