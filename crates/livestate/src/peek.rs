//! Reads single values of a packed state.

use rrd::Timestamp;

use super::StateLayout;
use super::bits::BitReader;

impl StateLayout {
    /// The time of the last update, without unpacking the rest.
    ///
    /// # Panics
    /// If `packed` has not [`Self::bytes`].
    #[must_use]
    pub fn last_update(&self, packed: &[u8]) -> Timestamp {
        assert!(packed.len() == self.bytes());
        self.take_time(&mut BitReader::new(packed))
    }
}
