//! The daemon and its databases.

use std::fs;
use std::io::BufReader;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::super::plan::make;
use super::client::Client;

/// How long a daemon may take until it listens.
const PATIENCE: Duration = Duration::from_secs(30);

/// Room for some segments, of which the journal preallocates some: the load writes only a few MiB.
const LOG_BYTES_MAX: u64 = 128 << 20;

/// How the daemon keeps its databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Files,
    Ring,
}

/// The directories and files of a test.
pub(crate) struct Site {
    pub(crate) kept: Kept,
    /// The `.rrd` files; with a ring store, the files that were imported into it.
    pub(crate) base: PathBuf,
    pub(crate) room: PathBuf,
    sync: String,
}

impl Site {
    /// Makes the databases.
    pub(crate) fn make(room: &Path, kept: Kept, sync: &str) -> Self {
        let site =
            Self { kept, base: room.join("base"), room: room.to_owned(), sync: sync.to_owned() };
        fs::create_dir_all(&site.base).unwrap();
        make(&site.base);
        if kept == Kept::Ring {
            // The import keeps the first slot of each ring, which determines when seasons are
            // smoothed.
            let mut import = Command::new(env!("CARGO_BIN_EXE_gyre"));
            import.args(["import", "--sparse"]).arg(site.ring()).arg(&site.base);
            let output = import.output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        site
    }

    pub(crate) fn ring(&self) -> PathBuf {
        self.room.join("ring")
    }

    fn socket(&self) -> PathBuf {
        self.room.join("socket")
    }

    /// Starts the daemon. It writes files as early as its options permit.
    pub(crate) fn start(&self) -> Daemon {
        let _ = fs::remove_file(self.socket()); // the one before may not have got so far
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(["rrdcached", "-g", "-w", "1", "-t", "2", "-V", "LOG_WARNING", "--sync"]);
        command.arg(&self.sync);
        command.arg("-l").arg(format!("unix:{}", self.socket().display()));
        command.arg("-b").arg(&self.base).arg("-p").arg(self.room.join("pid"));
        match self.kept {
            Kept::Files => command.arg("-j").arg(self.room.join("journal")),
            Kept::Ring => command.arg("--store").arg(self.ring()),
        };
        let log = fs::File::create(self.room.join("log")).unwrap();
        command.env("TZ", "UTC");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().expect("gyre starts");
        Daemon { child, socket: self.socket(), log: self.room.join("log") }
    }

    /// Checks that the log frees the room of samples that are written.
    pub(crate) fn check_room(&self, seed: u64) {
        let log = match self.kept {
            Kept::Files => self.room.join("journal"),
            Kept::Ring => self.ring(),
        };
        let files = fs::read_dir(&log).unwrap().map(|entry| entry.unwrap());
        let segments =
            files.filter(|entry| entry.file_name().to_str().is_some_and(journal::is_segment));
        let bytes: u64 = segments.map(|entry| entry.metadata().unwrap().len()).sum();
        assert!(bytes <= LOG_BYTES_MAX, "seed {seed}: the log takes {bytes} bytes");
    }

    pub(crate) fn connect(&self) -> Option<Client> {
        let stream = UnixStream::connect(self.socket()).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Some(Client::new(BufReader::new(stream)))
    }
}

/// A running daemon; it is killed when dropped.
pub(crate) struct Daemon {
    child: Child,
    socket: PathBuf,
    log: PathBuf,
}

impl Daemon {
    /// Waits until it listens.
    pub(crate) fn wait(&mut self) {
        let start = Instant::now();
        while UnixStream::connect(&self.socket).is_err() {
            let ended = self.child.try_wait().unwrap();
            let said = || fs::read_to_string(&self.log).unwrap_or_default();
            assert!(ended.is_none(), "the daemon ended: {ended:?} {}", said());
            assert!(start.elapsed() < PATIENCE, "the daemon does not listen: {}", said());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills it (SIGKILL) and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill(); // it may be gone
        self.child.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill();
    }
}
