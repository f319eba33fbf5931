//! Changes of a file that are no updates: of its header, of a source's rows, of all of it.

use rrd::{Snapshot, UNKNOWN};
use rrdfile::Header;
use rrdfile::layout::RowIndex;
use store::Error;

use super::RrdFile;

impl RrdFile {
    /// Changes the header in place: `work` may change everything but how many sources, archives and
    /// rows there are. Only what differs is written, at once.
    ///
    /// # Errors
    /// [`Error::Io`].
    ///
    /// # Panics
    /// If the layout changed.
    pub fn edit<T>(&mut self, work: impl FnOnce(&mut Header) -> T) -> Result<T, Error> {
        let mut header = self.header.clone();
        let done = work(&mut header);
        let rows = header.definition.archives.iter().map(|archive| archive.rows);
        assert!(
            rows.eq((0..self.header.newest_rows.len()).map(|nth| self.header.layout.rows(nth)))
        );
        assert!(header.definition.sources.len() == self.header.definition.sources.len());
        let mut bytes = self.header_bytes.clone();
        header.encode_definition(&mut bytes);
        header.encode_live(&mut bytes);
        if let Some((start, end)) = difference(&self.header_bytes, &bytes) {
            self.file
                .write_at(&bytes[start..end], start as u64)
                .map_err(Error::io("writing", &self.path))?;
        }
        (self.header, self.header_bytes) = (header, bytes);
        Ok(done)
    }

    /// Makes a source's rows in an archive unknown.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget(&mut self, archive: usize, source: usize) -> Result<(), Error> {
        let layout = &self.header.layout;
        let offset_bytes = layout.row_offset(archive, RowIndex(0));
        let mut bytes = vec![0; (layout.rows(archive) * layout.row_bytes()) as usize];
        self.rows().read_exactly(&mut bytes, offset_bytes)?;
        let sources = self.header.definition.sources.len();
        for value in bytes.as_chunks_mut().0.iter_mut().skip(source).step_by(sources) {
            *value = UNKNOWN.to_bits().to_le_bytes();
        }
        self.file.write_at(&bytes, offset_bytes).map_err(Error::io("writing", &self.path))
    }

    /// Puts another database into the place of this one: a file with its permissions and owner,
    /// which appears under its name whole. The newest row of each archive is the last of its ring.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Io`]; the file is then as it was.
    pub fn replace_with(&self, snapshot: &Snapshot) -> Result<(), Error> {
        let path = &self.path;
        let archives = snapshot.definition.archives.iter();
        let newest_rows = archives.map(|archive| RowIndex(archive.rows - 1)).collect();
        let too_large = || Error::TooLarge(path.clone());
        let (definition, live) = (snapshot.definition.clone(), snapshot.live.clone());
        let mut header = Header::new(definition, live, newest_rows).ok_or_else(too_large)?;
        // A file keeps the version that it once needed, as with rrdtool.
        header.version = header.version.max(self.header.version);
        let bytes = rrdfile::encode_behind(&header, &snapshot.rows);
        let bytes = bytes.map_err(Error::unwritable(path))?;
        disk::rewrite(path, &[&bytes]).map_err(Error::io("creating", path))
    }
}

/// From where to where two texts of one length differ.
fn difference(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    let differs = |nth: &usize| old[*nth] != new[*nth];
    let start = (0..old.len()).find(differs)?;
    let last = (0..old.len()).rfind(differs)?;
    Some((start, last + 1))
}
