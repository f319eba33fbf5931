//! An uninterrupted rrdtool with the samples that were acknowledged.

use std::fs;
use std::path::{Path, PathBuf};

use oracle::{Reply, Rrdtool};
use rrd::Snapshot;
use store::ring::RingOptions;
use store::{Access, RingStore, RrdFile, Store as _};

use super::daemon::{Kept, Site};
use crate::plan::{all_files, argument, path};

/// Its files, each with the samples up to one.
pub(crate) struct Judge {
    rrdtool: Rrdtool,
    root: PathBuf,
    reached: Vec<u64>,
}

impl Judge {
    /// Takes copies of the new files.
    pub(crate) fn new(program: &Path, site: &Site) -> Self {
        let root = site.room.join("theirs");
        fs::create_dir_all(&root).unwrap();
        for file in all_files() {
            fs::copy(path(&site.base, file), path(&root, file)).unwrap();
        }
        let reached = vec![0; all_files().len()];
        Self { rrdtool: Rrdtool::start(program, &root), root, reached }
    }

    /// Updates its file by the commands that were taken, each ending with a sample.
    pub(crate) fn update(&mut self, file: usize, commands: &[u64]) {
        let before = self.reached[file];
        for last in commands.iter().copied().filter(|last| *last > before) {
            let values = (self.reached[file] + 1..=last).map(|nth| argument(file, nth));
            let command = format!("update file{file}.rrd {}", values.collect::<Vec<_>>().join(" "));
            assert_eq!(self.rrdtool.send(&command), Reply::Ok(vec![]), "{command}");
            self.reached[file] = last;
        }
    }

    /// Compares everything that the daemon kept, bit by bit; it does not run meanwhile.
    pub(crate) fn compare(&self, site: &Site, seed: u64) {
        let ring = (site.kept == Kept::Ring)
            .then(|| RingStore::open(&site.ring(), RingOptions::default()).unwrap());
        for file in all_files() {
            let found = match &ring {
                Some(ring) => ring.snapshot(&format!("file{file}.rrd")).unwrap(),
                None => snapshot(&path(&site.base, file)),
            };
            let expected = snapshot(&path(&self.root, file));
            let (found, expected) = (bits(&found), bits(&expected));
            assert_eq!(found.0, expected.0, "seed {seed}: file {file}");
            let differs = found.1.iter().zip(&expected.1).position(|(one, other)| one != other);
            assert_eq!(differs, None, "seed {seed}: file {file}: {} numbers", found.1.len());
        }
        if let Some(ring) = ring {
            ring.close().unwrap();
        }
    }
}

fn snapshot(path: &Path) -> Snapshot {
    RrdFile::open(path, Access::Read).unwrap().snapshot().unwrap()
}

/// NaN differs from itself, its bits do not. The rings of seasons are among the rows.
fn bits(snapshot: &Snapshot) -> (String, Vec<u64>) {
    let rows = snapshot.rows.iter().flatten().map(|value| value.to_bits());
    let cells = snapshot.live.cells.iter().flat_map(|cell| {
        [cell.value.to_bits(), cell.unknown_pdps, cell.primary.to_bits(), cell.secondary.to_bits()]
    });
    let sources = snapshot.live.sources.iter();
    let sources: Vec<_> = sources
        .map(|source| (source.last_reading, source.unknown_seconds, source.value.to_bits()))
        .collect();
    let words = &snapshot.live.forecast.words;
    let text = format!("{:?} {sources:?} {words:?}", snapshot.live.last_update);
    (text, cells.chain(rows).collect())
}
