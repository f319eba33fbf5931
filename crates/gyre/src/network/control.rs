//! Who may tell a running network what to do: signals, its time, standard input, clients of a
//! socket.

use std::io::{self, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::console::{Console, Over};

/// Clients at the same time.
const CLIENTS_MAX: usize = 16;

/// A socket that clients can connect to; its file goes with it.
pub(super) struct Entrance {
    listener: UnixListener,
    path: PathBuf,
}

impl Entrance {
    /// Only this process's user may connect.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let listener = daemon::listen_at(path, 0o600)?;
        Ok(Self { listener, path: path.to_owned() })
    }
}

impl Drop for Entrance {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path); // somebody may have removed it
    }
}

/// What ends a network: a thread that has a sender wants that.
pub(super) struct Ends {
    sender: Sender<()>,
    receiver: Receiver<()>,
}

impl Ends {
    /// By a signal, or after this time.
    pub(super) fn new(duration: Option<Duration>) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        start("gyre-signals", sender.clone(), move |sender| {
            if signals.forever().next().is_some() {
                let _ = sender.send(());
            }
        })?;
        if let Some(duration) = duration {
            start("gyre-timer", sender.clone(), move |sender| {
                std::thread::sleep(duration);
                let _ = sender.send(());
            })?;
        }
        Ok(Self { sender, receiver })
    }

    /// Also with standard input, whose lines are commands: the network does not outlive the one who
    /// controls it.
    pub(super) fn obey_input(&self, console: Arc<Console>) -> io::Result<()> {
        start("gyre-control", self.sender.clone(), move |sender| {
            // What cannot be written is told by the last line, which cannot be written either.
            let _ = console.converse(io::stdin(), io::stdout());
            let _ = sender.send(());
        })
    }

    /// Also by a client of a socket.
    pub(super) fn obey_clients(
        &self,
        console: Arc<Console>,
        entrance: &Entrance,
    ) -> io::Result<()> {
        let listener = entrance.listener.try_clone()?;
        start("gyre-control", self.sender.clone(), move |sender| {
            // Each client's thread has one; the last is this thread's.
            let seats = Arc::new(());
            for stream in listener.incoming() {
                let Ok(stream) = stream else {
                    // The process has no descriptor left, perhaps; others may be closed.
                    std::thread::sleep(Duration::from_millis(100));
                    continue;
                };
                if Arc::strong_count(&seats) > CLIENTS_MAX {
                    let text = format!("{CLIENTS_MAX} clients are connected already");
                    let _ = (&mut &stream).write_all(console.report.refused(&text).as_bytes());
                    continue;
                }
                let (console, seat) = (console.clone(), seats.clone());
                let _ = start("gyre-client", sender.clone(), move |sender| {
                    serve(&console, &stream, &sender);
                    drop(seat);
                });
            }
        })
    }

    /// Waits for the end.
    pub(super) fn wait(&self) {
        let _ = self.receiver.recv();
    }
}

/// A client that leaves, or does not read its answers, ends its own connection alone.
fn serve(console: &Console, stream: &UnixStream, sender: &Sender<()>) {
    if matches!(console.converse(stream, stream), Ok(Over::End)) {
        // It is said before the process can end.
        let _ = (&mut &*stream).write_all(console.farewell().as_bytes());
        let _ = sender.send(());
    }
}

fn start(
    name: &str,
    sender: Sender<()>,
    work: impl FnOnce(Sender<()>) + Send + 'static,
) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(move || work(sender)).map(drop)
}
