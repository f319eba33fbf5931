//! A running rrdcached with a socket of its own.

use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a daemon may take until it listens.
const START_PATIENCE: Duration = Duration::from_secs(20);
const START_LOOK: Duration = Duration::from_millis(5);

/// A running daemon. It is killed when dropped, without writing pending updates.
#[derive(Debug)]
pub struct Rrdcached {
    child: Child,
    socket: PathBuf,
    port: u16,
}

impl Rrdcached {
    /// Starts a daemon with its files in `base`, and its socket and other files in `room`. It also
    /// listens on a free port of loopback, and writes only when asked to flush.
    ///
    /// # Panics
    ///
    /// If it does not listen within some seconds.
    #[must_use]
    pub fn start(program: &Path, room: &Path, base: &Path, further_options: &[&str]) -> Self {
        let socket = room.join("rrdcached.sock");
        let port = crate::free_port();
        let child = Command::new(program)
            .args([
                "-g",
                "-w",
                "86400",
                "-f",
                "172800",
                "-l",
                &format!("unix:{}", socket.display()),
            ])
            .args(["-l", &format!("127.0.0.1:{port}")])
            .arg("-b")
            .arg(base)
            .arg("-p")
            .arg(room.join("rrdcached.pid"))
            .arg("-o")
            .arg(room.join("rrdcached.log"))
            .args(further_options)
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("rrdcached starts");
        let daemon = Self { child, socket, port };
        daemon.wait();
        daemon
    }

    /// Its address for programs on this machine, as `--daemon` takes it.
    #[must_use]
    pub fn local_address(&self) -> String {
        format!("unix:{}", self.socket.display())
    }

    /// Its address for programs elsewhere.
    #[must_use]
    pub fn network_address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn wait(&self) {
        let start = Instant::now();
        while UnixStream::connect(&self.socket).is_err()
            || TcpStream::connect(("127.0.0.1", self.port)).is_err()
        {
            assert!(start.elapsed() < START_PATIENCE, "rrdcached does not listen");
            std::thread::sleep(START_LOOK);
        }
    }
}

impl Drop for Rrdcached {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}
