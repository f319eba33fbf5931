//! One file served in place, and what rrdtool says that it must hold.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use files::cache::{CacheOptions, FileCache, Journaling};
use files::{Access, RrdFile};
use oracle::{Reply, Rrdtool};
use rrd::fetch::Query;
use store::Update;

use crate::cases::compare::field_at;

/// Longer than the kernel's grain of the times of files.
const GRAIN: Duration = Duration::from_millis(12);

/// A file that a cache serves, and beside it the one that rrdtool made of the same samples.
pub(crate) struct World<'a> {
    rrdtool: &'a mut Rrdtool,
    directory: PathBuf,
    pub(crate) cache: FileCache,
    options: CacheOptions,
    pub(crate) ours: PathBuf,
    theirs: PathBuf,
    /// The commands that are not in our file yet.
    pending: Vec<Vec<String>>,
}

impl<'a> World<'a> {
    /// Begins with a file that rrdtool creates as `file.rrd`; `change` sees it first.
    pub(crate) fn new(
        rrdtool: &'a mut Rrdtool,
        directory: &Path,
        create: &str,
        change: impl FnOnce(&Path),
    ) -> Self {
        let (theirs, ours) = (directory.join("file.rrd"), directory.join("ours.rrd"));
        assert_eq!(rrdtool.send(create), Reply::Ok(vec![]));
        change(&theirs);
        fs::copy(&theirs, &ours).unwrap();
        let journal = directory.join("journal");
        let _ = fs::remove_dir_all(&journal);
        let journal = Journaling { directory: journal, sync_every: Some(Duration::from_secs(1)) };
        let options = CacheOptions {
            journal: create.len().is_multiple_of(2).then_some(journal),
            look_every: Duration::ZERO,
            write_after: Duration::from_secs(86400),
            open_files_max: create.len() % 3,
            ..CacheOptions::default()
        };
        let cache = FileCache::open(options.clone()).unwrap();
        let (directory, pending) = (directory.into(), Vec::new());
        Self { rrdtool, directory, cache, options, ours, theirs, pending }
    }

    /// The cache ends without writing files, and is opened again.
    pub(crate) fn restart(&mut self) {
        if self.options.journal.is_none() {
            return;
        }
        let nothing = FileCache::open(CacheOptions::default()).unwrap();
        std::mem::replace(&mut self.cache, nothing).close(false);
        self.cache = FileCache::open(self.options.clone()).unwrap();
    }

    /// One UPDATE: as much of it is taken as rrdtool takes of the values one by one.
    pub(crate) fn update(&mut self, values: &[String]) {
        let words: Vec<&str> = values.iter().map(String::as_str).collect();
        let failures = self.cache.append(&[Update::numbered(&self.ours, &words)]);
        let taken = failures.first().map_or(values.len(), |(_, failure)| failure.taken);
        let accepted = self.accepted_by_rrdtool(values);
        assert_eq!(taken, accepted, "of {values:?}: {failures:?}");
        let taken = values[..taken].to_vec();
        if !taken.is_empty() {
            self.update_theirs(&taken);
            self.pending.push(taken);
        }
    }

    /// How many of these rrdtool takes before it refuses one.
    fn accepted_by_rrdtool(&mut self, values: &[String]) -> usize {
        fs::copy(&self.theirs, self.directory.join("scratch.rrd")).unwrap();
        let mut send = |value: &String| self.rrdtool.send(&format!("update scratch.rrd {value}"));
        values.iter().position(|value| !took(&send(value))).unwrap_or(values.len())
    }

    fn update_theirs(&mut self, values: &[String]) {
        let line = format!("update file.rrd {}", values.join(" "));
        assert!(took(&self.rrdtool.send(&line)), "{line}");
    }

    /// Another program does something to our file, which may be anything.
    pub(crate) fn foreign(&mut self, work: impl FnOnce(&mut Rrdtool, &Path)) {
        std::thread::sleep(GRAIN);
        work(self.rrdtool, &self.ours);
        std::thread::sleep(GRAIN);
        // What is due then: the file as it is now, with those of the waiting samples that it takes.
        fs::copy(&self.ours, &self.theirs).unwrap();
        for command in std::mem::take(&mut self.pending) {
            let mut taken = Vec::new();
            for value in command {
                // Each alone, since one refused stops a command; seasons are smoothed at its end.
                if self.accepted_by_rrdtool(&[&taken[..], std::slice::from_ref(&value)].concat())
                    > taken.len()
                {
                    taken.push(value);
                }
            }
            if !taken.is_empty() {
                self.update_theirs(&taken);
                self.pending.push(taken);
            }
        }
    }

    /// The file is brought up to date, and is then equal byte for byte.
    pub(crate) fn flush(&mut self) {
        self.cache.flush(&self.ours).unwrap();
        self.pending.clear();
        self.assert_files_equal();
    }

    /// What waits is dropped.
    pub(crate) fn forget(&mut self) {
        let _ = self.cache.forget(&self.ours);
        self.pending.clear();
        fs::copy(&self.ours, &self.theirs).unwrap();
    }

    /// The daemon itself changes the file, here by what rrdtool makes of it.
    pub(crate) fn change(&mut self, work: impl FnOnce(&mut Rrdtool)) {
        self.pending.clear();
        let (ours, theirs) = (self.ours.clone(), self.theirs.clone());
        let rrdtool = &mut *self.rrdtool;
        self.cache
            .change(&ours, || {
                assert!(fs::read(&ours).unwrap() == fs::read(&theirs).unwrap());
                work(rrdtool);
            })
            .unwrap();
        fs::copy(&self.ours, &self.theirs).unwrap();
    }

    pub(crate) fn assert_files_equal(&self) {
        let (theirs, ours) = (fs::read(&self.theirs).unwrap(), fs::read(&self.ours).unwrap());
        assert_eq!(theirs.len(), ours.len());
        if let Some(at) = (0..theirs.len()).find(|at| theirs[*at] != ours[*at]) {
            panic!("byte {at} differs, {}", field_at(&theirs, at));
        }
    }

    /// Every read shows what rrdtool's file has.
    pub(crate) fn assert_reads_equal(&self, query: &Query) {
        let file = RrdFile::open(&self.theirs, Access::Read).unwrap();
        let (header, snapshot) = self.cache.snapshot(&self.ours).unwrap();
        let bytes = |header, rows: &[Vec<f64>]| rrdfile::encode_behind(header, rows).unwrap();
        let expected = bytes(file.header(), &file.snapshot().unwrap().rows);
        let found = bytes(&header, &snapshot.rows);
        if let Some(at) = (0..expected.len()).find(|at| expected[*at] != found[*at]) {
            panic!("byte {at} of a read differs, {}", field_at(&expected, at));
        }
        assert_eq!(self.cache.last_update(&self.ours).unwrap(), header.live.last_update);
        let waiting: usize = self.pending.iter().map(Vec::len).sum();
        let pending = self.cache.pending(&self.ours).unwrap_or_default();
        assert_eq!(pending.len(), waiting);
        assert!(pending.iter().eq(self.pending.iter().flatten()));
        let last = header.live.last_update.seconds;
        let query = Query {
            tick: rrd::Tick::SECOND,
            start_seconds: last - query.start_seconds,
            end_seconds: last - query.start_seconds + query.end_seconds,
            ..*query
        };
        match (file.fetch(&query), self.cache.fetch(&self.ours, &query)) {
            (Ok(expected), Ok(found)) => {
                let bits = |series: &rrd::Series| -> Vec<u64> {
                    series.values.iter().map(|value| value.to_bits()).collect()
                };
                assert_eq!(bits(&expected), bits(&found));
                assert_eq!(expected.start_seconds, found.start_seconds);
            }
            (expected, found) => {
                assert_eq!(expected.map(drop).is_err(), found.map(drop).is_err());
            }
        }
    }
}

/// Whether everything was taken. A season that cannot be smoothed is told when all is written.
fn took(reply: &Reply) -> bool {
    match reply {
        Reply::Ok(_) => true,
        Reply::Error(words) => words.contains("apply smoother"),
    }
}
