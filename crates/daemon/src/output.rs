//! Replies on their way to a client.

use std::io;
use std::time::Duration;

use crate::limits::{REPLY_BYTES, Share};
use crate::stream::{Pace, Stream};

/// Replies on their way to a client.
pub(crate) struct Output<'a> {
    stream: &'a Stream,
    pace: Pace,
    buffer: Vec<u8>,
}

impl<'a> Output<'a> {
    pub(crate) fn new(stream: &'a Stream, patience: Duration) -> Self {
        Self { stream, pace: Pace::new(patience), buffer: Vec::new() }
    }

    /// Begins a reply for which memory is held.
    pub(crate) fn begin_reply(&mut self, held: &Share<'_>) {
        self.pace.begin(held.size_bytes());
    }

    /// Says that the reply is given: what is still to be sent holds no memory but the buffer.
    pub(crate) fn end_reply(&mut self) {
        self.pace.end();
    }

    /// What is to be sent next.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Where it goes.
    pub(crate) fn stream(&self) -> &'a Stream {
        self.stream
    }

    /// Sends bytes if there is room for them now and nothing is to be sent before; else they are
    /// dropped.
    pub(crate) fn send_if_room(&mut self, bytes: &[u8]) {
        if self.buffer.is_empty()
            && let Ok(count) = self.stream.write(bytes)
        {
            // What was begun goes on before anything else.
            self.buffer.extend_from_slice(bytes.get(count..).unwrap_or_default());
        }
    }

    /// Whether the client can be told nothing any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.stream.is_lost()
    }

    /// Sends what was gathered.
    ///
    /// # Errors
    /// The client is gone, or reads nothing.
    pub(crate) fn send(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let sent = self.stream.send(&self.buffer, &mut self.pace);
        self.buffer.clear();
        self.buffer.shrink_to(REPLY_BYTES);
        sent
    }

    /// Sends it if it is much.
    ///
    /// # Errors
    /// As [`Output::send`].
    pub(crate) fn send_if_much(&mut self) -> io::Result<()> {
        if self.buffer.len() < REPLY_BYTES { Ok(()) } else { self.send() }
    }

    /// Sends what was gathered and these bytes, which need not be copied.
    ///
    /// # Errors
    /// As [`Output::send`].
    pub(crate) fn send_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.send()?;
        self.stream.send(bytes, &mut self.pace)
    }
}
