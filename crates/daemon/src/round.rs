//! Single UPDATEs that many clients said at the same time: taken together, so that they wait for
//! the log together, and answered one after the other.
//!
//! Nothing in here waits for a client or for a file. What would is left to a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use rrdcached::server::Command;
use rustix::io::Errno;

use crate::client::Client;
use crate::door::{Chair, Seated};
use crate::replies_together::{RepliesTogether, Reply, Sent};
use crate::service::Service;
use crate::session::SingleUpdates;
use crate::stream::Came;
use crate::visit::Visit;

/// Room for what a client says in a round. One that says more is served alone.
const SAID_BYTES_MAX: usize = 4 << 10;
const UPDATE: &[u8] = b"UPDATE ";

/// Clients that said a single UPDATE each.
#[derive(Default)]
pub(crate) struct Round<'s> {
    /// Room for what they said; it is kept.
    said: Vec<u8>,
    /// How much of it is filled: their lines, one behind the other.
    filled: usize,
    single: Vec<Single<'s>>,
}

struct Single<'s> {
    seated: Seated<'s>,
    /// Its line, as long as it is not answered.
    came: Came,
}

/// What a client is told.
struct Answered<'s> {
    single: Single<'s>,
    reply: Vec<u8>,
}

/// What is to become of clients that were heard.
#[derive(Default)]
pub(crate) struct Sorted<'s> {
    /// They go on being waited for.
    pub(crate) seated: Vec<Seated<'s>>,
    /// They are to be served alone.
    pub(crate) alone: Vec<Alone<'s>>,
    /// They are gone.
    pub(crate) gone: Vec<Seated<'s>>,
}

/// A client that is to be served alone, and the place that is kept for it until then.
pub(crate) struct Alone<'s> {
    pub(crate) chair: Chair,
    pub(crate) visit: Visit<'s>,
}

impl<'s> Alone<'s> {
    /// A client that said something.
    fn of(Seated { chair, client }: Seated<'s>, said: &[u8]) -> Self {
        Self { chair, visit: Visit::of(client, said) }
    }
}

impl<'s> Round<'s> {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.single.is_empty()
    }

    /// Takes over the clients of another one, which is empty then.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.said.truncate(self.filled);
        self.said.extend_from_slice(other.said.get(..other.filled).unwrap_or_default());
        self.filled = self.said.len();
        self.single.append(&mut other.single);
        other.filled = 0;
    }

    /// Reads what a client says; with `stays` it stays in the socket until it is answered.
    pub(crate) fn read(
        &mut self,
        service: &Service,
        seated: Seated<'s>,
        stays: bool,
        sorted: &mut Sorted<'s>,
    ) {
        if service.is_ending.load(Ordering::Relaxed) {
            return sorted.gone.push(seated);
        }
        let end = self.filled + SAID_BYTES_MAX;
        if self.said.len() < end {
            self.said.resize(end, 0);
        }
        let room = self.said.get_mut(self.filled..end).unwrap_or_default();
        let stream = &seated.client.stream;
        match if stays { stream.look(room) } else { stream.read_now(room) } {
            Ok(Came { size_bytes: 0, .. }) => sorted.gone.push(seated),
            Ok(came) => {
                let said = room.get(..came.size_bytes).unwrap_or_default();
                if said.contains(&b'\n') {
                    stream.note_spoken();
                }
                if service.shelf.takes_at_once() && is_single_update(said, &seated.client) {
                    self.filled += came.size_bytes;
                    self.single.push(Single { seated, came });
                } else {
                    sorted.leave_alone(Single { seated, came }, said);
                }
            }
            Err(Errno::AGAIN) => sorted.seated.push(seated),
            Err(_) => sorted.gone.push(seated),
        }
    }

    /// Has the store take the updates, and answers the clients whose update it took or refused.
    /// There are no clients then.
    pub(crate) fn perform(
        &mut self,
        service: &Service,
        replies_together: &mut RepliesTogether,
    ) -> Sorted<'s> {
        let mut replies = self.replies(service).into_iter();
        let (mut sorted, mut answered) = (Sorted::default(), Vec::new());
        let mut start = 0;
        for single in self.single.drain(..) {
            let line = start..start + single.came.size_bytes;
            start = line.end;
            match replies.next() {
                Some(Some(reply)) => answered.push(Answered { single, reply }),
                Some(None) => {
                    let line = self.said.get(line).unwrap_or_default();
                    sorted.leave_alone(single, line);
                }
                // The store panicked: what became of the update is not known.
                None => sorted.gone.push(single.seated),
            }
        }
        self.filled = 0;
        let replies: Vec<Reply<'_>> = answered.iter().map(Answered::reply).collect();
        let sent = replies_together.send(&replies);
        answered.into_iter().zip(sent).for_each(|(it, sent)| sorted.told(it, sent));
        sorted
    }

    /// The reply to each update; none to those that have to wait for more than the log. Fewer where
    /// the store panics, which must not end the thread that hears all clients.
    fn replies(&mut self, service: &Service) -> Vec<Option<Vec<u8>>> {
        let Self { said, single, .. } = self;
        let all = AssertUnwindSafe(|| {
            let mut updates = SingleUpdates::new(service);
            let mut said = said.as_mut_slice();
            for Single { came, .. } in &*single {
                let Some((line, rest)) = said.split_at_mut_checked(came.size_bytes) else { break };
                said = rest;
                updates.add(line);
            }
            updates.perform()
        });
        catch_unwind(all).unwrap_or_default()
    }
}

impl Answered<'_> {
    fn reply(&self) -> Reply<'_> {
        let Single { seated, came } = &self.single;
        let stream = &*seated.client.stream;
        Reply { stream, text: &self.reply, untaken_bytes: came.untaken_bytes }
    }
}

impl<'s> Sorted<'s> {
    /// A client that said something, which may still lie in its socket, is to be served alone.
    fn leave_alone(&mut self, Single { seated, came }: Single<'s>, said: &[u8]) {
        match seated.client.stream.forget(came.untaken_bytes) {
            Ok(()) => self.alone.push(Alone::of(seated, said)),
            Err(_) => self.gone.push(seated),
        }
    }

    /// A client was told, or what there was room for.
    fn told(
        &mut self,
        Answered { single: Single { seated, .. }, reply }: Answered<'s>,
        sent: Sent,
    ) {
        let unsent = match sent {
            Ok(count) if count == reply.len() => return self.seated.push(seated),
            Ok(count) => reply.get(count..).unwrap_or_default().to_vec(),
            Err(Errno::AGAIN | Errno::INTR) => reply,
            Err(_) => return self.gone.push(seated),
        };
        let Alone { chair, visit } = Alone::of(seated, b"");
        self.alone.push(Alone { chair, visit: Visit { unsent, ..visit } });
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
