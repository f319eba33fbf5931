//! Clients that update, read and flush until the daemon is killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::Duration;

use disk::Random;
use rrd::Timestamp;

use super::super::plan::{THREADS, argument, nth_of};
use super::super::rrdcached_kill_cases::files::{files_of, first_source, words_of};
use super::daemon::{Kept, Site};

/// A change to a file that was acknowledged, or was later found to be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// An UPDATE, with the number of its last sample. Seasons are smoothed at the end of an UPDATE.
    Update(u64),
    /// A TUNE, with the heartbeat that it sets, in seconds.
    Tune(u64),
}

impl Done {
    /// The last sample of an UPDATE.
    pub(crate) fn update(&self) -> Option<u64> {
        match self {
            Self::Update(last) => Some(*last),
            Self::Tune(_) => None,
        }
    }
}

/// The state of a file, as the daemon tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The number of its last sample.
    pub(crate) nth: u64,
    heartbeat_seconds: u64,
}

/// What the test knows of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    acknowledged: u64,
    /// Samples up to this one were sent without a reply: all of them may be applied, or none.
    sent: u64,
    /// The file exists, or its CREATE was acknowledged.
    pub(crate) exists: bool,
    /// The heartbeat of a TUNE without a reply.
    tuned: Option<u64>,
    /// FORGET was sent: acknowledged samples that were not in the file by then are gone.
    forgotten: bool,
    /// The changes, in order.
    pub(crate) done: Vec<Done>,
}

impl Known {
    /// Compares with the daemon's state after a restart or a FORGET; `None` if there is no such
    /// file.
    pub(crate) fn found(&mut self, file: usize, found: Option<Found>, seed: u64) {
        let Some(Found { nth, heartbeat_seconds }) = found else {
            assert!(!self.exists, "seed {seed}: file {file} is gone: {self:?}");
            return;
        };
        self.exists = true;
        if std::mem::take(&mut self.forgotten) {
            self.forget_behind(file, nth, seed);
        }
        let Self { acknowledged, sent, .. } = *self;
        assert!(nth >= acknowledged, "seed {seed}: file {file}: {acknowledged} is lost: {nth}");
        let is_whole = nth == acknowledged || nth == sent;
        assert!(is_whole, "seed {seed}: file {file}: {nth} is neither {acknowledged} nor {sent}");
        self.sent = nth;
        self.acknowledge();
        if self.tuned.take() == Some(heartbeat_seconds) {
            self.done.push(Done::Tune(heartbeat_seconds));
        }
        let tuned = self.done.iter().rev().find_map(|done| match done {
            Done::Tune(seconds) => Some(*seconds),
            Done::Update(_) => None,
        });
        let what = format!("seed {seed}: file {file}: its heartbeat");
        assert!(
            tuned.is_none_or(|tuned| tuned == heartbeat_seconds),
            "{what}: {found:?}, {tuned:?}"
        );
    }

    /// Drops the changes after sample `nth`: the file must end at the boundary of a command.
    fn forget_behind(&mut self, file: usize, nth: u64, seed: u64) {
        let is_lost = |done: &Done| done.update().is_some_and(|last| last > nth);
        let left = self.done.iter().position(is_lost).unwrap_or(self.done.len());
        let lost = self.done.split_off(left);
        let tuned = lost.iter().find(|done| matches!(done, Done::Tune(_)));
        assert_eq!(tuned, None, "seed {seed}: file {file}: a TUNE writes what waits first");
        if nth != self.sent {
            self.acknowledged = self.done.iter().rev().find_map(Done::update).unwrap_or(0);
            self.sent = self.acknowledged;
        } else {
            self.acknowledged = self.acknowledged.min(nth);
        }
    }

    /// Marks all sent samples as acknowledged.
    fn acknowledge(&mut self) {
        if self.sent > self.acknowledged {
            self.acknowledged = self.sent;
            self.done.push(Done::Update(self.sent));
        }
    }
}

/// A connection. Its requests return `None` once the daemon is gone.
pub(crate) struct Client(BufReader<UnixStream>);

impl Client {
    pub(crate) fn new(stream: BufReader<UnixStream>) -> Self {
        Self(stream)
    }

    /// Sends lines; reads the status line of the reply and the lines that it announces.
    fn ask(&mut self, lines: &str) -> Option<(String, Vec<String>)> {
        self.0.get_mut().write_all(lines.as_bytes()).ok()?;
        self.reply()
    }

    fn reply(&mut self) -> Option<(String, Vec<String>)> {
        let status = self.line()?;
        let count = status.split(' ').next().unwrap().parse::<i64>().expect("a status");
        let rest = (0..count.max(0)).map(|_| self.line()).collect::<Option<_>>()?;
        Some((status, rest))
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        // A reply that was cut short does not count.
        self.0.read_line(&mut line).ok()?;
        line.strip_suffix('\n').map(str::to_owned)
    }

    /// The state of a file; the inner `None` means that there is no file.
    pub(crate) fn look(&mut self, file: usize) -> Option<Option<Found>> {
        // LAST would tell only the step, so INFO is asked.
        let (status, facts) = self.ask(&format!("INFO file{file}.rrd\n"))?;
        if status.contains("No such file") {
            return Some(None);
        }
        let number = |fact: &str| {
            let key = |line: &&String| line.contains(fact);
            let line = facts.iter().find(key).unwrap_or_else(|| panic!("INFO: {status}"));
            line.rsplit(' ').next().unwrap().parse::<u64>().expect("a number")
        };
        let last = Timestamp::from_seconds(number("last_update ") as i64);
        let heartbeat_seconds = number(&format!("ds[{}].minimal_heartbeat ", first_source(file)));
        Some(Some(Found { nth: nth_of(file, last), heartbeat_seconds }))
    }

    /// Asks the daemon to write a file.
    pub(crate) fn flush(&mut self, file: usize) -> Option<()> {
        let (status, _) = self.ask(&format!("FLUSH file{file}.rrd\n"))?;
        assert!(status.starts_with("0 "), "FLUSH: {status}");
        Some(())
    }

    /// A file as XML. DUMP closes the connection.
    pub(crate) fn dump(mut self, file: usize) -> Option<Vec<String>> {
        self.0.get_mut().write_all(format!("DUMP file{file}.rrd\n").as_bytes()).ok()?;
        let lines = self.0.lines().collect::<Result<Vec<_>, _>>().ok()?;
        assert!(lines.len() > 1, "DUMP: {lines:?}");
        Some(lines)
    }

    /// One of the daemon's counters.
    pub(crate) fn statistic(&mut self, name: &str) -> Option<u64> {
        let (_, lines) = self.ask("STATS\n")?;
        let counter = lines.iter().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        Some(counter.expect("it is counted").parse().unwrap())
    }
}

/// Lets clients work, each on its own files. Once an update is acknowledged, runs `until`, which
/// kills the daemon. Returns how many more samples were acknowledged and not forgotten.
pub(crate) fn clients(site: &Site, known: &mut [Known], seed: u64, until: impl FnOnce()) -> u64 {
    let (begun, has_begun) = mpsc::channel();
    let before: u64 = known.iter().map(|known| known.acknowledged).sum();
    let copy = known.to_vec();
    std::thread::scope(|scope| {
        let work = |thread| {
            let (mut known, begun) = (copy.clone(), begun.clone());
            scope.spawn(move || {
                // The daemon may be gone already.
                if let Some(client) = site.connect() {
                    let random = Random::new(seed * 31 + thread as u64);
                    let known = &mut known;
                    let kept = site.kept;
                    let work = Work { client, known, random, thread, seed, kept, begun };
                    let _ = work.until_it_is_gone();
                }
                known
            })
        };
        let threads: Vec<_> = (0..THREADS).map(work).collect();
        let _ = has_begun.recv_timeout(Duration::from_secs(20)); // a client that failed says why
        until();
        for (thread, done) in threads.into_iter().enumerate() {
            let done = done.join().expect("no client panics");
            files_of(thread).for_each(|file| known[file].clone_from(&done[file]));
        }
    });
    // FORGET may have dropped more samples than were acknowledged.
    known.iter().map(|known| known.acknowledged).sum::<u64>().saturating_sub(before)
}

struct Work<'a> {
    client: Client,
    known: &'a mut [Known],
    random: Random,
    thread: usize,
    seed: u64,
    kept: Kept,
    begun: mpsc::Sender<()>,
}

impl Work<'_> {
    fn until_it_is_gone(mut self) -> Option<()> {
        let all: Vec<usize> = files_of(self.thread).collect();
        for file in &all {
            let found = self.client.look(*file)?;
            self.known[*file].found(*file, found, self.seed);
        }
        loop {
            let file = all[self.random.below(all.len() as u64) as usize];
            if !self.known[file].exists {
                self.create(file)?;
                continue;
            }
            let there = all.iter().copied().filter(|file| self.known[*file].exists);
            let files: Vec<usize> = there.collect();
            match self.random.below(22) {
                0 => self.client.flush(file)?,
                1 => drop(self.client.ask("FLUSHALL\n")?),
                2 => self.fetch(file)?,
                3 => self.refused(file)?,
                4 => {
                    let found = self.client.look(file)?.expect("it is there");
                    assert_eq!(found.nth, self.known[file].acknowledged, "file {file}");
                }
                5 => self.forget(file)?,
                6 => self.tune(file)?,
                7 => self.suspend(file)?,
                8..=11 => self.batch(&files)?,
                _ => self.update(file)?,
            }
        }
    }

    fn create(&mut self, file: usize) -> Option<()> {
        let (status, _) =
            self.client.ask(&format!("CREATE file{file}.rrd {}\n", words_of(file)))?;
        assert!(status.starts_with("0 "), "CREATE: {status}");
        self.known[file].exists = true;
        Some(())
    }

    /// Sends FORGET: pending samples are dropped, though they were acknowledged.
    fn forget(&mut self, file: usize) -> Option<()> {
        // A ring store has no pending samples.
        self.known[file].forgotten = self.kept == Kept::Files;
        let (status, _) = self.client.ask(&format!("FORGET file{file}.rrd\n"))?;
        // FORGET is refused if nothing is pending, or if a half-written file is suspended.
        let is_refused = ["No such file", "is suspended, and half written"];
        let is_refused = is_refused.iter().any(|words| status.contains(words));
        assert!(status.starts_with("0 ") || is_refused, "FORGET: {status}");
        let found = self.client.look(file)?;
        self.known[file].found(file, found, self.seed);
        Some(())
    }

    fn tune(&mut self, file: usize) -> Option<()> {
        let seconds = 700 + self.random.below(1000);
        self.known[file].tuned = Some(seconds);
        let line = format!("TUNE file{file}.rrd -h {}:{seconds}\n", first_source(file));
        let (status, _) = self.client.ask(&line)?;
        assert!(status.starts_with("0 "), "TUNE: {status}");
        self.known[file].tuned = None;
        self.known[file].done.push(Done::Tune(seconds));
        Some(())
    }

    /// Sends SUSPEND: the file is not written, but acknowledged samples are kept.
    fn suspend(&mut self, file: usize) -> Option<()> {
        let lines = match self.random.below(4) {
            0 => "SUSPENDALL\n".to_owned(),
            1 => "RESUMEALL\n".to_owned(),
            2 => format!("RESUME file{file}.rrd\n"),
            _ => format!("SUSPEND file{file}.rrd\n"),
        };
        self.client.ask(&lines).map(drop)
    }

    /// An UPDATE line with one to three samples, which count as sent from now on.
    fn next_line(&mut self, file: usize) -> String {
        let Known { acknowledged, sent, .. } = &mut self.known[file];
        *sent = *acknowledged + 1 + self.random.below(3);
        let values = (*acknowledged + 1..=*sent).map(|nth| format!(" {}", argument(file, nth)));
        format!("UPDATE file{file}.rrd{}\n", values.collect::<String>())
    }

    fn update(&mut self, file: usize) -> Option<()> {
        let line = self.next_line(file);
        let (status, _) = self.client.ask(&line)?;
        let Known { acknowledged, sent, .. } = self.known[file];
        assert_eq!(
            status,
            format!("0 errors, enqueued {} value(s).", sent - acknowledged),
            "{line}"
        );
        self.known[file].acknowledge();
        let _ = self.begun.send(()); // the first one counts
        Some(())
    }

    fn batch(&mut self, files: &[usize]) -> Option<()> {
        let lines: String = files.iter().map(|file| self.next_line(*file)).collect();
        let (status, _) = self.client.ask("BATCH\n")?;
        assert!(status.starts_with("0 Go ahead"), "{status}");
        let (status, errors) = self.client.ask(&format!("{lines}.\n"))?;
        assert_eq!((status.as_str(), errors.len()), ("0 errors", 0), "{errors:?}");
        files.iter().for_each(|file| self.known[*file].acknowledge());
        Some(())
    }

    /// Checks that the last sample is at the end of the fetched rows.
    fn fetch(&mut self, file: usize) -> Option<()> {
        let (status, _) = self.client.ask(&format!("FETCH file{file}.rrd AVERAGE\n"))?;
        assert!(!status.starts_with('-'), "{status}");
        Some(())
    }

    /// Checks that an update that is too old changes nothing.
    fn refused(&mut self, file: usize) -> Option<()> {
        let nth = self.known[file].acknowledged.max(1);
        if self.known[file].acknowledged == 0 {
            return Some(());
        }
        let (status, _) =
            self.client.ask(&format!("UPDATE file{file}.rrd {}\n", argument(file, nth)))?;
        assert!(status.starts_with("-1 illegal attempt to update"), "{status}");
        Some(())
    }
}
