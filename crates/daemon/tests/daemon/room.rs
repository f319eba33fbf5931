//! A daemon in a room of its own, and a client of it.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take that takes a moment.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(5);

/// Our daemon's program.
pub(crate) const OURS: &str = env!("CARGO_BIN_EXE_rrdcached");

/// A directory for a daemon: its files lie in `base`, its socket beside it.
pub(crate) struct Room {
    pub(crate) directory: tempfile::TempDir,
}

impl Room {
    pub(crate) fn new() -> Self {
        let room = Self { directory: tempfile::tempdir().unwrap() };
        std::fs::create_dir(room.base()).unwrap();
        room
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn base(&self) -> PathBuf {
        self.path("base")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path("sock")
    }

    /// The words of a daemon that writes only when it is told to.
    pub(crate) fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(["-w", "86400", "-f", "172800", "-b"]).arg(self.base());
        command.arg("-p").arg(self.path("pid")).arg("-o").arg(self.path("log"));
        command.args(words).env("TZ", "UTC").env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// A daemon in the foreground that listens in this room.
    pub(crate) fn start(&self, program: &str, words: &[&str]) -> Daemon {
        let mut command = self.command(program, words);
        command.args(["-g", "-l"]).arg(self.socket()).stderr(Stdio::null());
        let daemon = Daemon { child: command.spawn().unwrap() };
        wait_until("the daemon listens", || UnixStream::connect(self.socket()).is_ok());
        daemon
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(&self.socket())
    }

    /// A file with a GAUGE `x` and a COUNTER `y`, a minute a step, last updated at 1,000,000,000.
    pub(crate) fn create(&self, name: &str) {
        let mut client = self.client();
        let line = format!("CREATE {name} -b 1000000000 -s 60 {SOURCES}");
        assert_eq!(client.ask(&line), "0 RRD created OK\n");
    }
}

pub(crate) const SOURCES: &str =
    "DS:x:GAUGE:120:U:U DS:y:COUNTER:120:0:U RRA:AVERAGE:0.5:1:10 RRA:MAX:0.5:5:10";

/// Waits for something that comes soon.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(LOOK);
    }
}

/// A daemon's process; it is killed when dropped.
pub(crate) struct Daemon {
    pub(crate) child: Child,
}

impl Daemon {
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, signal).unwrap();
    }

    /// Ends it in order.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.signal(rustix::process::Signal::TERM);
        self.child.wait().unwrap()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}

/// A connection that reads as much as is told.
pub(crate) struct Client<S = UnixStream> {
    pub(crate) stream: S,
}

/// Behind every line we send one that is nothing, so that we know where the reply ends.
const MARK: &[u8] = b"-1 Unknown command: the-end\n";

impl Client {
    pub(crate) fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream }
    }
}

impl<S: io::Read + io::Write> Client<S> {
    /// A client over a connection that its caller made.
    pub(crate) fn over(stream: S) -> Self {
        Self { stream }
    }

    /// What a line is answered, as text; `<closed>` behind it where the daemon hung up.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        String::from_utf8_lossy(&self.ask_bytes(line.as_bytes())).into_owned()
    }

    pub(crate) fn ask_bytes(&mut self, line: &[u8]) -> Vec<u8> {
        // A daemon that hung up does not read on.
        let _ = self.stream.write_all(&[line, b"\nthe-end\n"].concat());
        let mut reply = Vec::new();
        let mut room = [0; 65536];
        while !reply.ends_with(MARK) {
            match self.stream.read(&mut room) {
                Ok(0) => {
                    reply.extend_from_slice(b"<closed>");
                    return reply;
                }
                Ok(count) => reply.extend_from_slice(&room[..count]),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                    reply.extend_from_slice(b"<closed>");
                    return reply;
                }
                Err(error) => panic!("{error} at {}", String::from_utf8_lossy(line)),
            }
        }
        reply.truncate(reply.len() - MARK.len());
        reply
    }

    /// What comes until the daemon hangs up.
    pub(crate) fn read_to_end(&mut self) -> String {
        let mut bytes = Vec::new();
        let _ = self.stream.read_to_end(&mut bytes); // a reset is an end too
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
