//! The reference: an rrdtool that applies the acknowledged changes without interruption.

use std::fs;
use std::path::{Path, PathBuf};

use files::{Access, RrdFile};
use oracle::{Reply, Rrdtool};
use ring::RingOptions;
use ring::RingStore;
use rrd::Snapshot;

use super::super::plan::{self, argument, path};
use super::client::{Done, Known};
use super::daemon::{Kept, Site};
use super::files::{all_files, first_source, is_old, words_of};

/// The reference's files. Each has some of the changes applied.
pub(crate) struct Judge {
    rrdtool: Rrdtool,
    root: PathBuf,
    created: Vec<bool>,
    /// How many of the known changes are applied, for each file.
    followed: Vec<usize>,
    /// The last sample of each file.
    reached: Vec<u64>,
}

impl Judge {
    /// Copies the files as they are at the start.
    pub(crate) fn new(program: &Path, site: &Site) -> Self {
        let root = site.room.join("theirs");
        fs::create_dir_all(&root).unwrap();
        for file in plan::all_files() {
            fs::copy(path(&site.base, file), path(&root, file)).unwrap();
        }
        let rrdtool = Rrdtool::start(program, &root);
        let files = all_files().len();
        Self {
            rrdtool,
            root,
            created: vec![false; files],
            followed: vec![0; files],
            reached: vec![0; files],
        }
    }

    /// Applies to the reference's file the changes that the daemon's file has.
    pub(crate) fn follow(&mut self, file: usize, known: &Known) {
        if known.exists && !is_old(file) && !self.created[file] {
            self.command(&format!("create file{file}.rrd {}", words_of(file)));
            self.created[file] = true;
        }
        // FORGET drops no sample that was already in the file.
        assert!(self.followed[file] <= known.done.len(), "file {file}: {known:?}");
        for done in known.done.iter().skip(self.followed[file]) {
            match *done {
                Done::Update(last) => {
                    let values = (self.reached[file] + 1..=last).map(|nth| argument(file, nth));
                    let values = values.collect::<Vec<_>>().join(" ");
                    self.command(&format!("update file{file}.rrd {values}"));
                    self.reached[file] = last;
                }
                Done::Tune(seconds) => {
                    let source = first_source(file);
                    self.command(&format!("tune file{file}.rrd -h {source}:{seconds}"));
                }
            }
        }
        self.followed[file] = known.done.len();
    }

    fn command(&mut self, command: &str) {
        assert_eq!(self.rrdtool.send(command), Reply::Ok(vec![]), "{command}");
    }

    /// Compares a DUMP of the running daemon.
    pub(crate) fn compare_dump(&mut self, file: usize, found: &[String], seed: u64) {
        let Reply::Ok(expected) = self.rrdtool.send(&format!("dump file{file}.rrd")) else {
            panic!("rrdtool dumps its own file");
        };
        // The slot in which a ring begins is random.
        let comparable = |line: &&String| !line.contains(".cur_row = ");
        let found: Vec<&String> = found.iter().filter(comparable).collect();
        let expected: Vec<&String> = expected.iter().filter(comparable).collect();
        let differs = found.iter().zip(&expected).find(|(one, other)| one != other);
        assert_eq!(differs, None, "seed {seed}: DUMP of file {file}: found, expected");
        assert_eq!(found.len(), expected.len(), "seed {seed}: DUMP of file {file}");
    }

    /// Compares all databases of the daemon, which is stopped, bit by bit.
    pub(crate) fn compare(&self, site: &Site, seed: u64) {
        let ring = (site.kept == Kept::Ring)
            .then(|| RingStore::open(&site.ring(), RingOptions::default()).unwrap());
        for file in all_files().filter(|file| is_old(*file) || self.created[*file]) {
            let found = match &ring {
                Some(ring) => ring.engine().snapshot(&format!("file{file}.rrd")).unwrap(),
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

/// The bits of all values, because NaN does not equal itself. The rows include the rings of
/// seasons.
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
