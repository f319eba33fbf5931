//! The output of a program, up to a bound.

use std::io::{self, ErrorKind, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::process::ChildStdout;

/// What is read at once.
const READ_BYTES: usize = 4096;

/// Standard output in the reading.
pub(crate) struct Collecting {
    /// `None` when it is over, or shared with this process.
    pipe: Option<ChildStdout>,
    bytes_max: usize,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_cut: bool,
}

impl Collecting {
    /// Reads from that pipe, if there is one.
    pub(crate) fn new(pipe: Option<ChildStdout>, bytes_max: usize) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(Self { pipe, bytes_max, bytes: Vec::new(), is_cut: false })
    }

    /// The pipe, until nothing holds its other end any more.
    pub(crate) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(|pipe| pipe.as_fd())
    }

    /// Takes at most [`READ_BYTES`] of what is there, so that a program that never stops writing
    /// cannot keep the caller from looking at its deadline.
    pub(crate) fn take(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(());
        };
        let mut room = [0; READ_BYTES];
        match pipe.read(&mut room) {
            Ok(0) => self.pipe = None,
            Ok(length) => self.keep(&room[..length]),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn keep(&mut self, more: &[u8]) {
        let room = self.bytes_max - self.bytes.len();
        self.bytes.extend_from_slice(&more[..more.len().min(room)]);
        self.is_cut |= more.len() > room;
    }
}
