//! A glance at packed bytes.

use rrd::Timestamp;

use super::StateLayout;
use super::bits::BitReader;
use super::layout::{MICROS_BITS, SECONDS_BITS};

impl StateLayout {
    /// The time of the last update, without unpacking the rest.
    ///
    /// # Panics
    /// If `packed` has not [`Self::bytes`].
    #[must_use]
    pub fn last_update(&self, packed: &[u8]) -> Timestamp {
        assert!(packed.len() == self.bytes());
        let mut head = BitReader::new(packed);
        let seconds = head.take(32) | head.take(SECONDS_BITS - 32) << 32;
        Timestamp { seconds: seconds.cast_signed(), micros: head.take(MICROS_BITS) as u32 }
    }
}
