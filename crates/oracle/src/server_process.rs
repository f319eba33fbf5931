//! What the private database servers of tests have in common.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::certificates::Certificates;
use crate::running;

/// The user of the databases that the tests' servers have.
pub const DATABASE_USER: &str = "gyre";
/// The password of [`DATABASE_USER`].
pub const DATABASE_PASSWORD: &str = "known to 'tests' alone";
/// The name of the database.
pub const DATABASE_NAME: &str = "gyre";

/// How a private server can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By a Unix socket.
    Socket,
    /// Also by a TCP port of loopback.
    Port,
    /// Also by a TCP port of loopback, with TLS alone.
    Tls,
}

/// A running server, its directory and addresses.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    child: Child,
    room: TempDir,
    port: Option<u16>,
    certificates: Option<Certificates>,
}

/// Where a server is to have its files, and how it is reached.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) room: TempDir,
    pub(crate) port: Option<u16>,
    pub(crate) certificates: Option<Certificates>,
}

impl Place {
    /// A new directory below another that all users may enter, with certificates if they are asked
    /// for; `None` if OpenSSL is missing.
    pub(crate) fn make(below: &Path, reach: Reach, what_it_tests: &str) -> Option<Self> {
        let room = TempDir::new_in(below).expect("a temporary directory");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(room.path(), open).expect("it is ours");
        let certificates = match reach {
            Reach::Tls => {
                let openssl = crate::program("openssl", what_it_tests)?;
                Some(Certificates::make(&openssl, room.path()))
            }
            _ => None,
        };
        let port = (reach != Reach::Socket).then(crate::free_port);
        Some(Self { room, port, certificates })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }
}

impl ServerProcess {
    pub(crate) fn start(place: Place, command: Command) -> Self {
        let child = launch(command, &place.path("log"));
        Self { child, room: place.room, port: place.port, certificates: place.certificates }
    }

    /// Starts it again after its process ended.
    pub(crate) fn start_again(&mut self, command: Command) {
        self.child = launch(command, &self.path("log"));
    }

    pub(crate) fn wait_until(&mut self, answers: impl Fn() -> bool) {
        let log = self.path("log");
        running::wait_until(&mut self.child, &log, answers);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }

    pub(crate) fn room(&self) -> &Path {
        self.room.path()
    }

    pub(crate) fn port(&self) -> Option<u16> {
        self.port
    }

    pub(crate) fn certificates(&self) -> Option<&Certificates> {
        self.certificates.as_ref()
    }

    /// The server's process and those that it started, it first.
    pub(crate) fn processes(&self) -> Vec<u32> {
        running::family(self.child.id())
    }

    /// Signals the server and the processes that it started.
    pub(crate) fn signal(&self, signal: Signal) {
        running::signal_family(self.child.id(), signal);
    }

    /// Kills the server and its processes at once.
    pub(crate) fn kill9(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.child.wait(); // it may have ended before
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill9();
    }
}

fn launch(mut command: Command, log: &Path) -> Child {
    let log = File::options().append(true).create(true).open(log).expect("the log opens");
    let same = log.try_clone().expect("a second handle of the log");
    command.stdin(Stdio::null()).stdout(log).stderr(same);
    running::spawn(command)
}
