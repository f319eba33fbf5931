//! Ring stores of a process that works on, reached by others meanwhile.

use std::sync::Arc;

use daemon::AtStore;
use ring::RingStore;
use rrdtool::Failure;

/// Has other processes reach a store that this one has open, until what it gives is dropped.
pub(crate) fn serve(ring: &Arc<RingStore>) -> Result<Box<dyn Send>, Failure> {
    let root = ring.root().to_path_buf();
    let say = move |words: &str| rrdtool::complain!("{}: {words}", root.display());
    let served = AtStore::serve(ring, None, say).map_err(Failure::of)?;
    Ok(Box::new(served))
}
