//! The connections to all devices that are asked over TCP. One event queue of the system's tells
//! which of them have something to do, so that others cost nothing.

use crate::stream::{Stream, StreamError};
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, Event, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;

/// The most connections that are served in one turn.
const BATCH: usize = 64;
/// The most bytes that are read of a connection in one turn.
const READ_BYTES: usize = 64 << 10;

/// Connections by the slots of their devices.
pub(crate) struct Streams {
    queue: OwnedFd,
    of_slot: HashMap<u32, Stream>,
    buffer: Vec<u8>,
}

/// A connection that is at its end.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) slot: u32,
    pub(crate) why: StreamError,
}

impl Streams {
    pub(crate) fn open() -> io::Result<Self> {
        let queue = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { queue, of_slot: HashMap::new(), buffer: Vec::new() })
    }

    /// Sends a message over the device's connection, which is made if there is none to this
    /// address. On an error there is none any more.
    pub(crate) fn send(
        &mut self,
        slot: u32,
        to: SocketAddr,
        message: &[u8],
    ) -> Result<(), StreamError> {
        let mut stream = match self.of_slot.remove(&slot).filter(|stream| stream.peer == to) {
            Some(stream) => stream,
            None => {
                let stream = Stream::to(to)?;
                let added = epoll::add(
                    &self.queue,
                    &stream.socket,
                    EventData::new_u64(slot.into()),
                    flags(&stream),
                );
                added.map_err(|errno| StreamError::Connect(errno.into()))?;
                stream
            }
        };
        let wanted = stream.wants_to_write();
        stream.send(message)?;
        self.keep(slot, stream, wanted)
    }

    /// Passes messages that have come to `take`, with the slots of their devices. Returns the
    /// connections that have ended.
    pub(crate) fn receive(&mut self, mut take: impl FnMut(u32, &[u8])) -> Vec<Broken> {
        let mut broken = Vec::new();
        if self.of_slot.is_empty() {
            return broken;
        }
        let mut events: Vec<Event> = Vec::with_capacity(BATCH);
        // An error would be a signal's: the next turn asks again.
        let _ = epoll::wait(&self.queue, spare_capacity(&mut events), Some(&Timespec::default()));
        self.buffer.resize(READ_BYTES, 0);
        for event in &events {
            let slot = event.data.u64() as u32;
            let Some(mut stream) = self.of_slot.remove(&slot) else { continue };
            let wanted = stream.wants_to_write();
            let served = stream.serve(&mut self.buffer, |message| take(slot, message));
            if let Err(why) = served.and_then(|()| self.keep(slot, stream, wanted)) {
                broken.push(Broken { slot, why });
            }
        }
        broken
    }

    pub(crate) fn close(&mut self, slot: u32) {
        self.of_slot.remove(&slot);
    }

    /// The event to wait for: some connection has something to do.
    pub(crate) fn poll_fd(&self) -> PollFd<'_> {
        PollFd::new(&self.queue, PollFlags::IN)
    }

    fn keep(&mut self, slot: u32, stream: Stream, wanted: bool) -> Result<(), StreamError> {
        if stream.wants_to_write() != wanted {
            let data = EventData::new_u64(slot.into());
            epoll::modify(&self.queue, &stream.socket, data, flags(&stream))
                .map_err(|errno| StreamError::Broken(errno.into()))?;
        }
        self.of_slot.insert(slot, stream);
        Ok(())
    }
}

fn flags(stream: &Stream) -> EventFlags {
    let mut flags = EventFlags::IN | EventFlags::RDHUP;
    flags.set(EventFlags::OUT, stream.wants_to_write());
    flags
}
