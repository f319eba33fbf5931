//! The ways in which gyre keeps databases.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use oracle::{Reply, Rrdcached, Rrdtool};

use super::life::{Change, Command, Life};

/// A way to keep databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Files that each command opens.
    Files,
    /// Files that the daemon serves, with a journal.
    CachedFiles,
    /// A ring store that the process of the commands opens.
    Ring,
    /// A ring store that the daemon serves.
    ServedRing,
}

impl Way {
    pub(crate) const ALL: [Self; 4] =
        [Self::Files, Self::CachedFiles, Self::Ring, Self::ServedRing];

    fn is_served(self) -> bool {
        matches!(self, Self::CachedFiles | Self::ServedRing)
    }

    pub(crate) fn is_ring(self) -> bool {
        matches!(self, Self::Ring | Self::ServedRing)
    }
}

/// Databases kept in one way, and the processes that serve them.
pub(crate) struct Keeper {
    pub(crate) way: Way,
    /// Where the databases are.
    pub(crate) base: PathBuf,
    /// A directory for its other files.
    pub(crate) room: PathBuf,
    program: PathBuf,
    serving: Option<(Rrdtool, Option<Rrdcached>)>,
}

impl Keeper {
    /// Makes a directory or store for databases. A ring store gets short flush cycles, so that
    /// rings wrap.
    pub(crate) fn make(way: Way, room: &Path, life: &mut Life) -> Self {
        let room = room.join(format!("{way:?}"));
        let base = room.join("base");
        std::fs::create_dir_all(&room).unwrap();
        if way.is_ring() {
            let cycles = format!("--flush-cycles={}", 1 + life.random.below(4));
            gyre(&["store", "create", &cycles, "--tile-rows=2", base.to_str().unwrap()]);
        } else {
            std::fs::create_dir(&base).unwrap();
        }
        let program = room.join("rrdtool");
        symlink(env!("CARGO_BIN_EXE_gyre"), &program).unwrap();
        symlink(env!("CARGO_BIN_EXE_gyre"), room.join("rrdcached")).unwrap();
        Self { way, base, room, program, serving: None }
    }

    /// Kills the processes.
    pub(crate) fn end(&mut self) {
        self.serving = None;
    }

    fn start(&mut self) {
        // The daemon serves paths below this directory as names in the store.
        let nothing = self.room.join("nothing");
        std::fs::create_dir_all(&nothing).unwrap();
        let directory = if self.way == Way::ServedRing { &nothing } else { &self.base };
        let daemon = self.way.is_served().then(|| {
            let journal = self.room.join("journal");
            let options = match self.way {
                Way::CachedFiles => ["-j", journal.to_str().unwrap()],
                _ => ["--store", self.base.to_str().unwrap()],
            };
            Rrdcached::start(&self.room.join("rrdcached"), &self.room, directory, &options)
        });
        self.serving = Some((Rrdtool::start(&self.program, directory), daemon));
    }

    /// Sends a command: to the daemon, if there is one.
    pub(crate) fn send(&mut self, command: &Command) -> Reply {
        if self.serving.is_none() {
            self.start();
        }
        let (rrdtool, daemon) = self.serving.as_mut().expect("it was started");
        if let Some(daemon) = daemon.as_ref().filter(|_| command.verb == "dump") {
            // rrdtool's dump only asks the daemon to flush, so DUMP is sent to the daemon directly.
            return dump(daemon, &command.name);
        }
        let option = daemon.as_ref().map(|daemon| format!("-d {}", daemon.local_address()));
        rrdtool.send(&command.words(&option.unwrap_or_default()))
    }

    /// Sends a command and compares the reply with rrdtool's.
    pub(crate) fn check(&mut self, command: &Command, expected: &Reply, life: &Life) {
        let found = self.send(command);
        let asks_otherwise = self.way.is_served() && command.verb == "fetch";
        if asks_otherwise && step_of(&found) != step_of(expected) {
            return; // rrdcached's FETCH does not carry the step that is asked for
        }
        let same = match (&found, expected) {
            // A daemon words its errors differently.
            (Reply::Error(_), Reply::Error(_)) => true,
            _ => comparable(&found) == comparable(expected),
        };
        let (way, seed) = (self.way, life.seed);
        assert!(
            same,
            "seed {seed}: {way:?}: {}: rrdtool first\n{expected:#?}\n{found:#?}\nafter\n{}",
            command.words(""),
            life.log.join("\n")
        );
    }

    /// Makes the daemon write its files.
    pub(crate) fn flush(&mut self, names: impl Iterator<Item = impl AsRef<str>>) {
        if self.way == Way::CachedFiles {
            for name in names {
                let flushed = self.send(&Command::new("flushcached", name.as_ref(), String::new()));
                assert!(matches!(flushed, Reply::Ok(_)), "{flushed:?}");
            }
        }
    }

    /// Changes a database while no process has it open. Files that the daemon serves are flushed
    /// first.
    pub(crate) fn change(&mut self, change: &Change) {
        self.end();
        let root = self.base.to_str().unwrap();
        match change {
            change if !self.way.is_ring() => change.to_files(&self.base),
            Change::Rename(from, to) => drop(gyre(&["store", "rename", root, from, to])),
            Change::Delete(name) => drop(gyre(&["store", "delete", root, name])),
        }
    }
}

/// The daemon's answer to DUMP.
fn dump(daemon: &Rrdcached, name: &str) -> Reply {
    let address = daemon.local_address();
    let mut stream = UnixStream::connect(address.strip_prefix("unix:").unwrap()).unwrap();
    writeln!(stream, "DUMP {name}").unwrap();
    // The answer is the document, then the daemon closes the connection. An error is a single line.
    let lines: Vec<String> = BufReader::new(stream).lines().map(Result::unwrap).collect();
    match &lines[..] {
        [failure] => Reply::Error(failure.clone()),
        _ => Reply::Ok(lines),
    }
}

/// A reply without the slot in which a ring begins, which rrdtool chooses at random.
pub(crate) fn comparable(reply: &Reply) -> Reply {
    match reply {
        Reply::Ok(lines) => {
            let kept = lines.iter().filter(|line| !line.contains(".cur_row = "));
            Reply::Ok(kept.cloned().collect())
        }
        error => error.clone(),
    }
}

/// Runs a verb that must succeed.
pub(crate) fn gyre(words: &[&str]) -> String {
    let output = Process::new(env!("CARGO_BIN_EXE_gyre")).args(words).output().unwrap();
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{words:?}: {told}");
    told
}

/// Seconds between the first two rows of a fetch.
fn step_of(reply: &Reply) -> Option<i64> {
    let Reply::Ok(lines) = reply else { return None };
    let mut times = lines.iter().filter_map(|line| line.split_once(':')?.0.parse::<i64>().ok());
    Some(-(times.next()? - times.next()?))
}
