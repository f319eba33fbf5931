//! `RRDCached`: `.rrd` files whose updates go through the rrdcached that mrtg.cfg names.
//!
//! As with MRTG, files are made here, and updates are the daemon's. Before rows are read, the
//! daemon is told to write what it holds of the file.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use files::RrdFiles;
use rrd::fetch::Query;
use rrd::{Reading, Sample, Series, Snapshot, Stretch};
use rrdcached::Client;
use rrdfile::Header;
use store::{
    Edit, Error, GoesOn, Making, NamePattern, NamesPage, Refused, RowsSince, Samples, Store,
    TakeRows, Update, Wanted, Watch,
};

/// Files, and the daemon that writes them.
pub(super) struct ThroughDaemon {
    files: Arc<RrdFiles>,
    root: PathBuf,
    address: String,
    line: Mutex<Line>,
}

/// The connection to the daemon.
#[derive(Default)]
struct Line {
    /// `None` until the daemon was reached for the first time.
    client: Option<Client>,
    /// The daemon did not answer: until then it is not asked, lest each sample of a batch wait.
    silent_until: Option<Instant>,
}

/// How long a daemon that does not answer is left alone.
const LEFT_ALONE_FOR: Duration = Duration::from_secs(5);

impl Line {
    fn ask<T>(
        &mut self,
        address: &str,
        question: impl FnOnce(&mut Client) -> Result<T, rrdcached::Error>,
    ) -> Result<T, rrdcached::Error> {
        let connected = match self.client.take() {
            Some(connected) => connected,
            None => Client::connect(address)?,
        };
        question(self.client.insert(connected))
    }
}

/// The daemon does not answer, or refuses.
#[derive(Debug, thiserror::Error)]
#[error("rrdcached at {address}: {cause}")]
pub(super) struct Unasked {
    address: String,
    cause: rrdcached::Error,
}

impl ThroughDaemon {
    /// The daemon need not be there yet.
    pub(super) fn new(files: Arc<RrdFiles>, root: PathBuf, address: &str) -> Self {
        Self { files, root, address: address.to_owned(), line: Mutex::default() }
    }

    /// Whether the daemon answers; the error says why not.
    pub(super) fn reach(&self) -> Result<(), Unasked> {
        self.ask(Path::new(""), |client, _| client.ping())
    }

    /// Asks the daemon, by the name that a database has there: a daemon of this machine knows it by
    /// its whole path, another one by its path below its own directory.
    fn ask<T>(
        &self,
        name: &Path,
        question: impl FnOnce(&mut Client, &str) -> Result<T, rrdcached::Error>,
    ) -> Result<T, Unasked> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let told = |cause| Unasked { address: self.address.clone(), cause };
        if line.silent_until.is_some_and(|until| Instant::now() < until) {
            return Err(told(rrdcached::Error::NotConnected));
        }
        let answered = line.ask(&self.address, |client| {
            let path = match client.is_local() {
                true => self.root.join(name),
                false => name.to_owned(),
            };
            question(client, &path.to_string_lossy())
        });
        let is_silent = answered.as_ref().err().is_some_and(took_long);
        line.silent_until = is_silent.then(|| Instant::now() + LEFT_ALONE_FOR);
        answered.map_err(told)
    }

    fn update_one(&self, update: &Update<'_>) -> Result<(), Refused> {
        let refused = |why: Unasked| Refused::first(Error::NotTaken(why.to_string()));
        let words: Vec<String> = match &update.samples {
            Samples::Read(samples) => samples.iter().map(word).collect(),
            Samples::Numbered(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Samples::Arguments(_) | Samples::Resolved(_) => {
                return self.files.update(&[*update]).pop().map_or(Ok(()), |(_, why)| Err(why));
            }
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.ask(update.name, |client, path| client.update(path, &words)).map_err(refused)
    }

    /// Has pending updates written. Where the daemon does not answer, the file has what it has.
    fn flush(&self, name: &Path) {
        let _ = self.ask(name, |client, path| client.flush(path));
    }
}

/// Whether a question waited until it was given up. A daemon that was restarted, or is not there,
/// says so at once, and may be asked again.
fn took_long(error: &rrdcached::Error) -> bool {
    match error {
        rrdcached::Error::Connect(source) | rrdcached::Error::Lost { source, .. } => {
            matches!(source.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
        }
        rrdcached::Error::Unresolved { .. } => true,
        _ => false,
    }
}

/// A sample as the protocol has it.
fn word(sample: &Sample<'_>) -> String {
    let mut word = sample.time.seconds.to_string();
    if sample.time.micros > 0 {
        word += &format!(".{:06}", sample.time.micros);
    }
    for reading in sample.readings {
        word += &match reading {
            Reading::Unknown => ":U".to_owned(),
            known => format!(":{known}"),
        };
    }
    word
}

impl Store for ThroughDaemon {
    fn make(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
        self.files.make(new, goes_on)
    }

    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let each = batch.iter().enumerate();
        each.filter_map(|(nth, update)| Some((nth, self.update_one(update).err()?))).collect()
    }

    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused> {
        self.flush(update.name);
        self.files.update_watched(update, watch)
    }

    fn header(&self, name: &Path) -> Result<Header, Error> {
        self.files.header(name)
    }

    fn fetch(&self, name: &Path, query: &Query) -> Result<Series, Error> {
        self.flush(name);
        self.files.fetch(name, query)
    }

    fn fetch_stretch(&self, name: &Path, query: &Query) -> Result<Stretch, Error> {
        self.flush(name);
        self.files.fetch_stretch(name, query)
    }

    fn fetch_many(&self, wanted: &[Wanted<'_>], take: &mut TakeRows<'_>) -> Result<(), Error> {
        let _: ControlFlow<()> = wanted.iter().enumerate().try_for_each(|(position, wanted)| {
            take(position, self.fetch_stretch(wanted.name, &wanted.query))
        });
        Ok(())
    }

    fn rows_since(&self, name: &Path, mark_seconds: i64) -> Result<RowsSince, Error> {
        self.flush(name);
        self.files.rows_since(name, mark_seconds)
    }

    fn whole(&self, name: &Path) -> Result<(Header, Snapshot), Error> {
        self.flush(name);
        self.files.whole(name)
    }

    fn has(&self, name: &Path) -> bool {
        self.files.has(name)
    }

    fn edit(&self, name: &Path, edit: &Edit<'_>, goes_on: GoesOn<'_>) -> Result<(), Error> {
        self.flush(name);
        self.files.edit(name, edit, goes_on)
    }

    fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        self.files.names_from(pattern, from, limit)
    }
}
