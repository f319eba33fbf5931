//! An uninterrupted rrdtool with the samples that were acknowledged.

use std::fs;
use std::path::{Path, PathBuf};

use files::cache::FileCache;
use files::{Access, RrdFile};
use oracle::{Reply, Rrdtool};
use rrd::Snapshot;

use crate::plan::{all_files, argument, path};

/// Its files, each with the samples up to one.
pub(crate) struct Judge {
    rrdtool: Rrdtool,
    root: PathBuf,
    reached: Vec<u64>,
}

impl Judge {
    /// Takes copies of the new files.
    pub(crate) fn new(program: &Path, files: &Path, root: PathBuf) -> Self {
        fs::create_dir_all(&root).unwrap();
        for file in all_files() {
            fs::copy(path(files, file), path(&root, file)).unwrap();
        }
        let reached = vec![0; all_files().len()];
        Self { rrdtool: Rrdtool::start(program, &root), root, reached }
    }

    /// Updates its file with every sample up to one, as one command each.
    pub(crate) fn update(&mut self, file: usize, nth: u64) {
        assert!(nth >= self.reached[file], "file {file} went back to {nth}");
        for nth in self.reached[file] + 1..=nth {
            let command = format!("update file{file}.rrd {}", argument(file, nth));
            assert_eq!(self.rrdtool.send(&command), Reply::Ok(vec![]), "{command}");
        }
        self.reached[file] = nth;
    }

    /// Compares what a cache shows, rows and state, bit by bit.
    pub(crate) fn compare_shown(&self, cache: &FileCache, root: &Path, what: &str) {
        for file in all_files() {
            let (header, found) = cache.snapshot(&path(root, file)).unwrap();
            let theirs = RrdFile::open(&path(&self.root, file), Access::Read).unwrap();
            let expected = theirs.snapshot().unwrap();
            assert_eq!(bits(&found), bits(&expected), "{what}: file {file}");
            assert_eq!(header.newest_rows, theirs.header().newest_rows, "{what}: file {file}");
        }
    }

    /// Compares files byte by byte.
    pub(crate) fn compare_files(&self, root: &Path, what: &str) {
        for file in all_files() {
            let found = fs::read(path(root, file)).unwrap();
            let expected = fs::read(path(&self.root, file)).unwrap();
            let differs = found.iter().zip(&expected).position(|(one, other)| one != other);
            assert_eq!((found.len(), differs), (expected.len(), None), "{what}: file {file}");
        }
    }
}

/// Everything but the rings of seasons, which are rows here: NaN differs from itself, its bits do
/// not.
fn bits(snapshot: &Snapshot) -> String {
    let rows = snapshot.rows.iter().flatten().map(|value| value.to_bits());
    let cells = snapshot.live.cells.iter().flat_map(|cell| {
        [cell.value.to_bits(), cell.unknown_pdps, cell.primary.to_bits(), cell.secondary.to_bits()]
    });
    let sources = snapshot
        .live
        .sources
        .iter()
        .map(|source| (source.last_reading, source.unknown_seconds, source.value.to_bits()));
    format!(
        "{:?} {:?} {:?} {:?} {:?}",
        snapshot.live.last_update,
        sources.collect::<Vec<_>>(),
        cells.collect::<Vec<_>>(),
        snapshot.live.forecast.words,
        rows.collect::<Vec<_>>()
    )
}
