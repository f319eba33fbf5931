//! What a closed file leaves for the next one: of many files of one layout, the head is decoded
//! once.

use std::path::Path;

use disk::Mode;
use rrd::Workspace;
use rrd::live::SourceState;
use rrdfile::Header;
use store::{Error, Locking};

use super::gathered::GatheredRows;
use super::handle::Handle;
use super::opening::lock;
use super::seasons::Smoothing;
use super::{Access, Io, RrdFile};

/// A file that was closed, but for the file.
#[derive(Debug)]
pub(crate) struct Remains {
    header: Header,
    header_bytes: Vec<u8>,
    fresh_bytes: Vec<u8>,
    workspace: Workspace,
    sources_before: Vec<SourceState>,
    gathered: GatheredRows,
}

impl RrdFile {
    /// Closes a file; nothing of it is to be committed any more. `None` if it is of another
    /// architecture.
    pub(crate) fn close(self) -> Option<Remains> {
        let Self { header, header_bytes, fresh_bytes, workspace, sources_before, .. } = self;
        let gathered = self.gathered;
        let remains =
            Remains { header, header_bytes, fresh_bytes, workspace, sources_before, gathered };
        self.translated.is_none().then_some(remains)
    }
}

impl Remains {
    /// As [`RrdFile::open_locking`], for updates.
    ///
    /// # Errors
    /// As [`RrdFile::open`].
    pub(crate) fn open(self, path: &Path, locking: Locking) -> Result<RrdFile, Error> {
        let file = Handle::open(path, Mode::Update, Io::OWN).map_err(Error::opening(path))?;
        lock(file.file(), path, locking)?;
        let file_bytes = file.file().len_bytes().map_err(Error::io("reading", path))?;
        let Self { header, header_bytes, fresh_bytes, workspace, sources_before, gathered } = self;
        let mut opened = RrdFile {
            path: path.into(),
            file,
            header,
            header_bytes,
            fresh_bytes,
            workspace,
            sources_before,
            gathered,
            translated: None,
            smoothing: Smoothing::NotDue,
        };
        match opened.read_same_head(file_bytes)? {
            true => opened.read_seasons().map(|()| opened),
            // Its lock is held already, and this process may take it again.
            false => RrdFile::over(opened.file, path, Access::Update, locking),
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // the test reads the files it compares
mod tests {
    use rrd::{Reading, Sample, Timestamp};
    use store::{Existing, Locking};

    use crate::{Access, RrdFile};

    /// Files of one layout and of others, each opened with what the one before left.
    #[test]
    fn a_file_is_the_same_with_what_another_left() {
        let directory = tempfile::tempdir().unwrap();
        let layouts: [&[&str]; 3] = [
            &["DS:a:GAUGE:600:0:U", "RRA:AVERAGE:0.5:1:20"],
            &["DS:b:GAUGE:600:0:U", "RRA:AVERAGE:0.5:1:20"],
            &["DS:a:COUNTER:600:0:U", "DS:b:GAUGE:600:0:U", "RRA:MAX:0.5:2:30"],
        ];
        let mut remains = None;
        for (nth, layout) in [0, 0, 1, 2, 2, 0].into_iter().enumerate() {
            let [ours, plain] =
                ["ours", "plain"].map(|name| directory.path().join(format!("{name}{nth}")));
            let definition = rrd::spec::definition(300, layouts[layout].iter().copied()).unwrap();
            let start = Timestamp::from_seconds(3000);
            crate::create(&ours, &definition, start, Existing::Keep).unwrap();
            std::fs::copy(&ours, &plain).unwrap();
            for seconds in [3300 + nth as i64, 3900] {
                let update = |mut file: RrdFile| {
                    let readings = ["5", "7"].map(Reading::of);
                    let readings = &readings[..definition.sources.len()];
                    let time = Timestamp::from_seconds(seconds);
                    file.append(&Sample { time, readings }).unwrap();
                    file.commit().unwrap();
                    assert!(matches!(
                        RrdFile::open(file.path(), Access::Update),
                        Err(store::Error::Locked(_))
                    ));
                    file.release().unwrap();
                    file
                };
                update(RrdFile::open(&plain, Access::Update).unwrap());
                let opened = match remains.take() {
                    None => RrdFile::open(&ours, Access::Update),
                    Some(remains) => super::Remains::open(remains, &ours, Locking::Try),
                };
                remains = update(opened.unwrap()).close();
                assert!(std::fs::read(&ours).unwrap() == std::fs::read(&plain).unwrap(), "{nth}");
            }
        }
        let short = directory.path().join("short");
        std::fs::write(&short, b"RRD\0").unwrap();
        assert!(matches!(
            remains.unwrap().open(&short, Locking::Try),
            Err(store::Error::Format { .. })
        ));
    }
}
