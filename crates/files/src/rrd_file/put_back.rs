//! An earlier state of a file, put back after a crash.

use rrd::LiveState;
use rrdfile::layout::RowIndex;
use store::Error;

use super::RrdFile;

impl RrdFile {
    /// The bytes of the head, as they were read or written last.
    #[must_use]
    pub fn header_bytes(&self) -> &[u8] {
        &self.header_bytes
    }

    /// Puts an earlier state back, at once: the rings of its seasons, then the head. The samples
    /// since are then to be taken again, which writes the same rows in the same places.
    ///
    /// # Errors
    /// [`Error::Io`].
    ///
    /// # Panics
    /// If the state is of another definition.
    pub fn put_back(&mut self, live: LiveState, newest_rows: Vec<RowIndex>) -> Result<(), Error> {
        assert!(live.cells.len() == self.header.live.cells.len());
        assert!(newest_rows.len() == self.header.newest_rows.len());
        for ring in &live.forecast.rings {
            let bytes = ring.values.iter().flat_map(|value| value.to_bits().to_le_bytes());
            let bytes: Vec<u8> = bytes.collect();
            let offset_bytes = self.header.layout.row_offset(ring.archive, RowIndex(0));
            let written = self.file.write_at(&bytes, offset_bytes);
            written.map_err(Error::io("writing", &self.path))?;
        }
        self.header.live = live;
        self.header.newest_rows = newest_rows;
        self.write_live()
    }
}
