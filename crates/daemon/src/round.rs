//! Single UPDATEs that many clients said at the same time: taken together, so that they wait for
//! the log together, and answered one after the other.
//!
//! Nothing in here waits for a client or for a file. What would is left to a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use rrdcached::server::Command;
use rustix::io::Errno;

use crate::client::Client;
use crate::door::Chair;
use crate::service::Service;
use crate::session::SingleUpdates;
use crate::visit::Visit;

/// Room for what a client says in a round. One that says more is served alone.
const SAID_BYTES_MAX: usize = 4 << 10;
const UPDATE: &[u8] = b"UPDATE ";

/// Room for what clients say, to be used again.
#[derive(Debug, Default)]
pub(crate) struct Said(Vec<u8>);

/// Clients that are served in one go.
pub(crate) struct Round<'s, 'b> {
    service: &'s Service,
    said: &'b mut Vec<u8>,
    /// How much of it is filled: the lines of `single`, one behind the other.
    filled: usize,
    /// Clients that said a single UPDATE, with its length in bytes.
    single: Vec<(Chair, Box<Client<'s>>, usize)>,
    /// Clients that go on being waited for.
    pub(crate) seated: Vec<(Chair, Box<Client<'s>>)>,
    /// Clients that are to be served alone.
    pub(crate) alone: Vec<(Chair, Visit<'s>)>,
    /// Clients that are gone.
    pub(crate) gone: Vec<(Chair, Box<Client<'s>>)>,
}

impl<'s, 'b> Round<'s, 'b> {
    pub(crate) fn new(service: &'s Service, said: &'b mut Said) -> Self {
        let (said, single) = (&mut said.0, Vec::new());
        let (seated, alone, gone) = (Vec::new(), Vec::new(), Vec::new());
        Self { service, said, filled: 0, single, seated, alone, gone }
    }

    /// Whether no client said a single UPDATE.
    pub(crate) fn is_empty(&self) -> bool {
        self.single.is_empty()
    }

    /// Reads what a client says.
    pub(crate) fn read(&mut self, chair: Chair, client: Box<Client<'s>>) {
        if self.service.is_ending.load(Ordering::Relaxed) {
            return self.gone.push((chair, client));
        }
        let end = self.filled + SAID_BYTES_MAX;
        if self.said.len() < end {
            self.said.resize(end, 0);
        }
        let room = self.said.get_mut(self.filled..end).unwrap_or_default();
        match client.stream.read_now(room) {
            Ok(0) => self.gone.push((chair, client)),
            Ok(count) => {
                let said = room.get(..count).unwrap_or_default();
                if self.service.shelf.takes_at_once() && is_single_update(said, &client) {
                    self.filled += count;
                    self.single.push((chair, client, count));
                } else {
                    self.alone.push((chair, Visit::of(client, said)));
                }
            }
            Err(Errno::AGAIN | Errno::INTR) => self.seated.push((chair, client)),
            Err(_) => self.gone.push((chair, client)),
        }
    }

    /// Has the store take the updates, and answers the clients whose update it took or refused.
    pub(crate) fn perform(&mut self) {
        let mut replies = self.replies().into_iter();
        let mut start = 0;
        for (chair, client, size_bytes) in std::mem::take(&mut self.single) {
            let line = start..start + size_bytes;
            start = line.end;
            match replies.next() {
                Some(Some(reply)) => self.send(chair, client, reply),
                Some(None) => {
                    let line = self.said.get(line).unwrap_or_default();
                    self.alone.push((chair, Visit::of(client, line)));
                }
                // The store panicked: what became of the update is not known.
                None => self.gone.push((chair, client)),
            }
        }
    }

    /// The reply to each update; none to those that have to wait for more than the log. Fewer where
    /// the store panics, which must not end the thread that hears all clients.
    fn replies(&mut self) -> Vec<Option<Vec<u8>>> {
        let mut updates = SingleUpdates::new(self.service);
        let mut said = self.said.as_mut_slice();
        for (_, client, size_bytes) in &self.single {
            let Some((line, rest)) = said.split_at_mut_checked(*size_bytes) else { break };
            said = rest;
            client.stream.note_spoken();
            updates.add(line);
        }
        catch_unwind(AssertUnwindSafe(|| updates.perform())).unwrap_or_default()
    }

    fn send(&mut self, chair: Chair, client: Box<Client<'s>>, reply: Vec<u8>) {
        match client.stream.write(&reply) {
            Ok(count) if count == reply.len() => self.seated.push((chair, client)),
            Ok(count) => {
                let unsent = reply.get(count..).unwrap_or_default().to_vec();
                self.alone.push((chair, Visit { unsent, ..Visit::of(client, b"") }));
            }
            Err(Errno::AGAIN | Errno::INTR) => {
                self.alone.push((chair, Visit { unsent: reply, ..Visit::of(client, b"") }));
            }
            Err(_) => self.gone.push((chair, client)),
        }
    }
}

/// Whether all that came is one whole UPDATE, which the client may give. One with a backslash does
/// not count: reading it changes it.
fn is_single_update(said: &[u8], client: &Client<'_>) -> bool {
    let Some((name, rest)) = said.split_at_checked(UPDATE.len()) else { return false };
    name.eq_ignore_ascii_case(UPDATE)
        && rest.iter().position(|byte| matches!(byte, b'\n' | b'\\')) == rest.len().checked_sub(1)
        && rest.ends_with(b"\n")
        && client.session.awaits(Command::Update)
}
