//! Clients that update, read and flush until the daemon is gone.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::Duration;

use disk::Random;
use rrd::Timestamp;

use super::daemon::Site;
use crate::plan::{THREADS, argument, files_of, nth_of};

/// What is known of a file's samples.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    acknowledged: u64,
    /// More may have been taken, all of them up to here or none.
    sent: u64,
    /// The last sample of each command that was taken: seasons are smoothed where one ends.
    pub(crate) commands: Vec<u64>,
}

impl Known {
    /// What the daemon has after a restart.
    pub(crate) fn found(&mut self, file: usize, nth: u64, seed: u64) {
        let Self { acknowledged, sent, .. } = *self;
        assert!(nth >= acknowledged, "seed {seed}: file {file}: {acknowledged} is lost: {nth}");
        let is_whole = nth == acknowledged || nth == sent;
        assert!(is_whole, "seed {seed}: file {file}: {nth} is neither {acknowledged} nor {sent}");
        self.sent = nth;
        self.acknowledge();
    }

    /// All that was sent was taken.
    fn acknowledge(&mut self) {
        if self.sent > self.acknowledged {
            self.acknowledged = self.sent;
            self.commands.push(self.sent);
        }
    }
}

/// One connection. What it asks gives `None` once the daemon is gone.
pub(crate) struct Client(BufReader<UnixStream>);

impl Client {
    pub(crate) fn new(stream: BufReader<UnixStream>) -> Self {
        Self(stream)
    }

    /// Sends lines and reads the status line of the reply, with the lines that it announces.
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
        // A reply that was cut short is none.
        self.0.read_line(&mut line).ok()?;
        line.strip_suffix('\n').map(str::to_owned)
    }

    /// Which sample of a file is its last.
    pub(crate) fn last(&mut self, file: usize) -> Option<u64> {
        // LAST tells the step only.
        let (status, facts) = self.ask(&format!("INFO file{file}.rrd\n"))?;
        let last = facts.iter().find_map(|fact| fact.strip_prefix("last_update 1 "));
        let seconds = last.unwrap_or_else(|| panic!("INFO: {status}"));
        Some(nth_of(file, Timestamp::from_seconds(seconds.parse().unwrap())))
    }

    /// Has a file written.
    pub(crate) fn flush(&mut self, file: usize) -> Option<()> {
        let (status, _) = self.ask(&format!("FLUSH file{file}.rrd\n"))?;
        assert!(status.starts_with("0 "), "FLUSH: {status}");
        Some(())
    }
}

/// Lets clients work, each on its own files; once an update is acknowledged `until` runs and ends the
/// daemon. Returns how many samples were acknowledged.
pub(crate) fn clients(site: &Site, known: &mut [Known], seed: u64, until: impl FnOnce()) -> u64 {
    let (begun, has_begun) = mpsc::channel();
    let before: u64 = known.iter().map(|known| known.acknowledged).sum();
    let copy = known.to_vec();
    std::thread::scope(|scope| {
        let work = |thread| {
            let (mut known, begun) = (copy.clone(), begun.clone());
            scope.spawn(move || {
                // It may be gone already.
                if let Some(client) = site.connect() {
                    let random = Random::new(seed * 31 + thread as u64);
                    let known = &mut known;
                    let _ = Work { client, known, random, thread, seed, begun }.until_it_is_gone();
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
    known.iter().map(|known| known.acknowledged).sum::<u64>() - before
}

struct Work<'a> {
    client: Client,
    known: &'a mut [Known],
    random: Random,
    thread: usize,
    seed: u64,
    begun: mpsc::Sender<()>,
}

impl Work<'_> {
    fn until_it_is_gone(&mut self) -> Option<()> {
        let files: Vec<usize> = files_of(self.thread).collect();
        for file in &files {
            let nth = self.client.last(*file)?;
            self.known[*file].found(*file, nth, self.seed);
        }
        loop {
            let file = files[self.random.below(files.len() as u64) as usize];
            match self.random.below(14) {
                0 => self.client.flush(file)?,
                1 => drop(self.client.ask("FLUSHALL\n")?),
                2 => self.fetch(file)?,
                3 => self.refused(file)?,
                4 => {
                    let nth = self.client.last(file)?;
                    assert_eq!(nth, self.known[file].acknowledged, "file {file}");
                }
                5..=7 => self.batch(&files)?,
                _ => self.update(file)?,
            }
        }
    }

    /// The line of an update by one to three samples, which then count as sent.
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

    /// The last sample is at the end of what is fetched.
    fn fetch(&mut self, file: usize) -> Option<()> {
        let (status, _) = self.client.ask(&format!("FETCH file{file}.rrd AVERAGE\n"))?;
        assert!(!status.starts_with('-'), "{status}");
        Some(())
    }

    /// An update that is too old leaves no trace.
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
