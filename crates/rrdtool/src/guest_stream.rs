//! A connection that stays open between the calls of a program whose guest we are.
//!
//! Such a program may fork, so that parent and child would both speak over it, or close descriptors
//! that it did not open, whose numbers then are those of other files. So before it is used again it
//! is looked at: whether this is the process that opened it, whether the descriptor still leads to
//! that socket, and whether the server is there.

use std::io::{self, Read, Write};
use std::os::fd::IntoRawFd as _;
use std::os::unix::net::UnixStream;

use disk::Identity;
use rustix::net::RecvFlags;

/// A connection to the server of a store.
#[derive(Debug)]
pub(crate) struct GuestStream {
    /// `None` while it is dropped.
    stream: Option<UnixStream>,
    socket: Identity,
    process_id: u32,
}

impl GuestStream {
    /// Takes a connection that was just opened.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub(crate) fn over(stream: UnixStream) -> io::Result<Self> {
        let socket = identity_of(&stream)?;
        Ok(Self { stream: Some(stream), socket, process_id: std::process::id() })
    }

    /// Whether a call can be made over it, between two calls.
    pub(crate) fn is_usable(&self) -> bool {
        let Some(stream) = self.stream.as_ref().filter(|_| self.process_id == std::process::id())
        else {
            return false;
        };
        let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
        // Nothing is said unasked: bytes, or the end of the connection, answer no call.
        identity_of(stream).is_ok_and(|socket| socket == self.socket)
            && rustix::net::recv(stream, &mut [0], flags) == Err(rustix::io::Errno::AGAIN)
    }

    fn stream(&mut self) -> io::Result<&mut UnixStream> {
        self.stream.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl Drop for GuestStream {
    fn drop(&mut self) {
        let Some(stream) = self.stream.take() else { return };
        if identity_of(&stream).ok() != Some(self.socket) {
            // The number is that of another part's file: it stays open.
            let _ = stream.into_raw_fd();
        }
    }
}

/// Tells a socket from all other files.
fn identity_of(stream: &UnixStream) -> io::Result<Identity> {
    let stat = rustix::fs::fstat(stream)?;
    Ok(Identity::new(stat.st_dev, stat.st_ino))
}

impl Read for GuestStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream()?.read(buffer)
    }
}

impl Write for GuestStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream()?.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::GuestStream;

    #[test]
    fn it_is_usable_as_long_as_nobody_spoke_or_left() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut ours = GuestStream::over(ours).unwrap();
        assert!(ours.is_usable());
        theirs.write_all(b"a").unwrap();
        assert!(!ours.is_usable());
        ours.read_exact(&mut [0]).unwrap();
        assert!(ours.is_usable());
        drop(theirs);
        assert!(!ours.is_usable());
    }
}
