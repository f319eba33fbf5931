//! A socket between feeder and server that breaks when it is told to: in the middle of a
//! transaction, or before the answer of a commit has come through.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;

use tempfile::TempDir;

/// Forwards connections until it is dropped.
pub(crate) struct Proxy {
    directory: TempDir,
    name: String,
    /// Bytes that still go through in each direction; negative for any number.
    left: [Arc<AtomicI64>; 2],
}

/// A direction.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    ToServer,
    ToFeeder,
}

impl Proxy {
    /// Leads to the socket of a server.
    pub(crate) fn to(server: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let name = server.file_name().unwrap().to_string_lossy().into_owned();
        let listener = UnixListener::bind(directory.path().join(&name)).unwrap();
        let left = [(); 2].map(|()| Arc::new(AtomicI64::new(-1)));
        let (server, limits) = (server.to_path_buf(), left.clone());
        // It ends with this process: a listener of a directory that is gone hears nobody.
        thread::spawn(move || {
            while let Ok((feeder, _)) = listener.accept() {
                // A server that is down refuses, and the feeder sees a closed connection.
                if let Ok(server) = UnixStream::connect(&server) {
                    forward(&feeder, &server, &limits[Way::ToServer as usize]);
                    forward(&server, &feeder, &limits[Way::ToFeeder as usize]);
                }
            }
        });
        Self { directory, name, left }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    /// Breaks the connection once so many more bytes have gone one way.
    pub(crate) fn cut_after(&self, way: Way, bytes: i64) {
        self.left[way as usize].store(bytes, Ordering::SeqCst);
    }
}

fn forward(from: &UnixStream, to: &UnixStream, left: &Arc<AtomicI64>) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let left = Arc::clone(left);
    thread::spawn(move || {
        let mut buffer = vec![0; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let limit = left.load(Ordering::SeqCst);
            let passing = if limit < 0 { count } else { count.min(limit as usize) };
            if limit >= 0 {
                left.fetch_sub(passing as i64, Ordering::SeqCst);
            }
            if to.write_all(&buffer[..passing]).is_err() {
                break;
            }
            if passing < count {
                left.store(-1, Ordering::SeqCst);
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}
