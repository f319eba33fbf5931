//! The lines of a client, and the calls that follow some of them.

use std::io;
use std::time::{Duration, Instant};

use crate::limits::{CHUNK_BYTES, LINE_BYTES_MAX, READ_BYTES, Share, taken_bytes_min};
use crate::service::Service;
use crate::stream::Stream;

/// Why no more lines come.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The client has hung up, in the middle of a line or not.
    HungUp,
    /// A line is not ended in time, or longer than lines are.
    Refused(String),
}

/// The lines of a client. Room for them grows with what comes.
pub(crate) struct Input<'s, 'a> {
    stream: &'a Stream,
    share: Share<'s>,
    bytes: Vec<u8>,
    /// How much of them is read.
    filled: usize,
    /// How much of that is known to have no line's end.
    searched: usize,
    patience: Duration,
    /// Since when a line is unfinished.
    unfinished_since: Option<Instant>,
    /// Whether a read ends though nothing comes. A client that is silent for long between lines
    /// wakes no thread.
    is_timed: bool,
}

impl<'s, 'a> Input<'s, 'a> {
    /// The lines of a client that said something already: [`READ_BYTES`] at most.
    pub(crate) fn new(service: &'s Service, stream: &'a Stream, said: Vec<u8>) -> Self {
        let (filled, mut bytes) = (said.len(), said);
        bytes.resize(READ_BYTES, 0);
        Self {
            stream,
            share: service.lines.share(),
            bytes,
            filled,
            searched: 0,
            patience: service.limits.patience,
            unfinished_since: None,
            is_timed: false,
        }
    }

    /// Reads until a line is whole.
    pub(crate) fn lines(&mut self) -> Result<(), Ended> {
        loop {
            let fresh = self.bytes.get(self.searched..self.filled).unwrap_or_default();
            if fresh.contains(&b'\n') {
                self.unfinished_since = None;
                return Ok(());
            }
            self.searched = self.filled;
            self.read()?;
        }
    }

    fn read(&mut self) -> Result<(), Ended> {
        if self.filled == self.bytes.len() {
            self.grow()?;
        }
        // A line that has begun, and the room that a silent client keeps, are waited for in time.
        self.set_timed(self.filled > 0 || self.bytes.len() > READ_BYTES)?;
        let room = self.bytes.get_mut(self.filled..).unwrap_or_default();
        let room_bytes = room.len();
        match self.stream.read(room) {
            Ok(0) => return Err(Ended::HungUp),
            Ok(count) => {
                self.filled += count;
                // There may be as much again: lines that come together are cheaper.
                if count == room_bytes && self.bytes.len() < CHUNK_BYTES {
                    let _ = self.resize(self.bytes.len() * 2); // where there is no room, it stays
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A client may be silent between lines, but then it keeps no room.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if self.filled == 0 {
                    self.shrink();
                }
            }
            Err(_) => return Err(Ended::HungUp),
        }
        self.check_patience()
    }

    /// Whether all that came was taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// What came and was not taken yet.
    pub(crate) fn came(&mut self) -> &mut [u8] {
        self.bytes.get_mut(..self.filled).unwrap_or_default()
    }

    fn set_timed(&mut self, is_timed: bool) -> Result<(), Ended> {
        if is_timed != self.is_timed {
            let patience = is_timed.then_some(self.patience);
            // It is gone already.
            self.stream.set_patience(patience).map_err(|_| Ended::HungUp)?;
            self.is_timed = is_timed;
        }
        Ok(())
    }

    /// Ends a client that sends its line in small pieces for longer than its patience.
    fn check_patience(&mut self) -> Result<(), Ended> {
        if self.filled == 0 {
            return Ok(());
        }
        let since = *self.unfinished_since.get_or_insert_with(Instant::now);
        if since.elapsed() < self.patience || self.ends_in_a_line() {
            return Ok(());
        }
        let seconds = self.patience.as_secs();
        Err(Ended::Refused(format!("The line was not ended within {seconds} seconds.")))
    }

    fn ends_in_a_line(&self) -> bool {
        let fresh = self.bytes.get(self.searched..self.filled).unwrap_or_default();
        fresh.contains(&b'\n')
    }

    fn grow(&mut self) -> Result<(), Ended> {
        let size_bytes = self.bytes.len();
        if size_bytes >= LINE_BYTES_MAX {
            let words = format!("The line is longer than {LINE_BYTES_MAX} bytes.");
            return Err(Ended::Refused(words));
        }
        match self.resize((size_bytes * 2).min(LINE_BYTES_MAX)) {
            true => Ok(()),
            false => Err(Ended::Refused("Too many long lines at once.".into())),
        }
    }

    fn resize(&mut self, size_bytes: usize) -> bool {
        let is_granted = self.share.resize(size_bytes.saturating_sub(READ_BYTES));
        if is_granted {
            self.bytes.resize(size_bytes, 0);
        }
        is_granted
    }

    /// Takes the next bytes, so many of them as are there.
    fn take(&mut self, size_bytes: usize) -> Vec<u8> {
        let size_bytes = size_bytes.min(self.filled);
        let taken = self.bytes.get(..size_bytes).unwrap_or_default().to_vec();
        self.drop_lines(size_bytes);
        taken
    }

    /// Reads the bytes of a call, which has begun to come. They are told to `keep`, piece by piece,
    /// and it says whether they are to be kept.
    ///
    /// # Errors
    /// The client hangs up, or sends too little within its patience.
    pub(crate) fn call(
        &mut self,
        size_bytes: usize,
        mut keep: impl FnMut(usize) -> bool,
    ) -> Result<Option<Vec<u8>>, Ended> {
        let mut bytes = self.take(size_bytes);
        let (mut missing_bytes, mut is_kept) = (size_bytes - bytes.len(), keep(bytes.len()));
        self.set_timed(true)?;
        let mut room = vec![0; CHUNK_BYTES];
        let (mut since, mut came_bytes) = (Instant::now(), 0);
        while missing_bytes > 0 {
            let part = room.get_mut(..missing_bytes.min(CHUNK_BYTES)).unwrap_or_default();
            let count = match self.stream.read(part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Ok(0) | Err(_) => return Err(Ended::HungUp),
                Ok(count) => count,
            };
            missing_bytes -= count;
            came_bytes += count;
            is_kept = is_kept && keep(bytes.len() + count);
            match is_kept {
                true => bytes.extend_from_slice(part.get(..count).unwrap_or_default()),
                false => bytes = Vec::new(),
            }
            if since.elapsed() >= self.patience {
                if came_bytes < taken_bytes_min(size_bytes) && missing_bytes > 0 {
                    return Err(Ended::Refused("The call came too slowly.".into()));
                }
                (since, came_bytes) = (Instant::now(), 0);
            }
        }
        Ok(is_kept.then_some(bytes))
    }

    /// Drops lines that were taken.
    pub(crate) fn drop_lines(&mut self, size_bytes: usize) {
        self.bytes.copy_within(size_bytes..self.filled, 0);
        self.filled -= size_bytes;
        self.searched = 0;
        // A line that was long, once, does not keep its room.
        if self.bytes.len() > CHUNK_BYTES && self.filled < READ_BYTES {
            self.shrink();
        }
    }

    /// Gives back all room but [`READ_BYTES`]; no more than these are filled.
    fn shrink(&mut self) {
        self.bytes.truncate(READ_BYTES);
        self.bytes.shrink_to_fit();
        self.share.resize(0);
    }
}
