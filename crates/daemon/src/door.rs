//! Clients that say nothing at the moment. Each takes a place in a table and no thread; the kernel
//! tells which of them can be read, once for each time that something comes.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

use crate::arrivals::Arrivals;
use crate::client::Client;

/// Clients that are heard in one look.
const HEARD_MAX: usize = 256;
/// Stands for the bell among the numbers of chairs.
const BELL: u64 = u64::MAX;

/// A client's place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chair(usize);

/// The kernel's list of clients that are waited for.
pub(crate) struct Epoll(OwnedFd);

impl Epoll {
    /// Waits for arrivals, and for no client so far.
    ///
    /// # Errors
    /// The system refuses a descriptor, or memory.
    pub(crate) fn new(arrivals: &Arrivals) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, arrivals.bell(), EventData::new_u64(BELL), EventFlags::IN)?;
        Ok(Self(epoll))
    }
}

/// A client, and the place that is kept for it.
pub(crate) struct Seated<'s> {
    pub(crate) chair: Chair,
    pub(crate) client: Box<Client<'s>>,
}

/// Clients that say nothing at the moment.
pub(crate) struct Door<'s> {
    epoll: Epoll,
    arrivals: Arc<Arrivals>,
    chairs: Mutex<Chairs<'s>>,
}

/// What the kernel told in one look.
pub(crate) struct Heard<'s> {
    /// Clients that can be read. Their chairs are kept for them.
    pub(crate) clients: Vec<Seated<'s>>,
    /// Whether there are arrivals, or the end.
    pub(crate) has_rung: bool,
}

#[derive(Default)]
struct Chairs<'s> {
    all: Vec<Sits<'s>>,
    free: Vec<Chair>,
    /// Those of clients that the kernel told of before they sat there again.
    told_early: Vec<Chair>,
}

/// What the table has of a chair.
enum Sits<'s> {
    /// The client that is waited for.
    Client(Box<Client<'s>>),
    /// None: it was heard, or the chair is free. The kernel may have told since then that the client
    /// says more; it tells that once.
    None { says_more: bool },
}

const LEFT: Sits<'_> = Sits::None { says_more: false };

impl<'s> Door<'s> {
    /// No clients so far.
    pub(crate) fn new(epoll: Epoll, arrivals: Arc<Arrivals>) -> Self {
        Self { epoll, arrivals, chairs: Mutex::default() }
    }

    /// The connections on their way here.
    pub(crate) fn arrivals(&self) -> &Arrivals {
        &self.arrivals
    }

    /// Waits for what a client says next. Where the system has no memory for that, the client is
    /// hung up on.
    pub(crate) fn seat(&self, client: Box<Client<'s>>) {
        let stream = Arc::clone(&client.stream);
        let mut chairs = self.chairs();
        let chair = chairs.seat(client);
        let (data, flags) = (EventData::new_u64(chair.0 as u64), EventFlags::IN | EventFlags::ET);
        // Within the lock: no thread may hear of a client that the kernel does not know.
        if epoll::add(&self.epoll.0, stream.descriptor(), data, flags).is_err() {
            let refused = chairs.take(chair);
            chairs.free.push(chair);
            drop((chairs, refused));
        }
    }

    /// Waits until a client can be read, or the bell rings.
    pub(crate) fn hear(&self) -> Heard<'s> {
        let mut room = [const { MaybeUninit::<Event>::uninit() }; HEARD_MAX];
        let events: &[Event] = match epoll::wait(&self.epoll.0, &mut room[..], None) {
            Ok((events, _)) => events,
            Err(Errno::INTR) => &[],
            Err(error) => panic!("waiting for clients: {error}"), // it is a descriptor of ours
        };
        let mut heard = Heard { clients: Vec::with_capacity(events.len()), has_rung: false };
        let mut chairs = self.chairs();
        for event in events {
            match event.data.u64() {
                BELL => heard.has_rung = true,
                number => {
                    let chair = Chair(number as usize);
                    match chairs.take(chair) {
                        Some(client) => heard.clients.push(Seated { chair, client }),
                        None => chairs.note_more(chair),
                    }
                }
            }
        }
        for chair in std::mem::take(&mut chairs.told_early) {
            heard.clients.extend(chairs.take(chair).map(|client| Seated { chair, client }));
        }
        heard
    }

    /// Clients that were heard go on being waited for.
    pub(crate) fn seat_again(&self, clients: impl Iterator<Item = Seated<'s>>) {
        let mut chairs = self.chairs();
        clients.for_each(|Seated { chair, client }| chairs.put(chair, client));
        if !chairs.told_early.is_empty() {
            drop(chairs);
            self.arrivals.ring();
        }
    }

    /// A client that was heard is waited for no more.
    pub(crate) fn leave(&self, chair: Chair, client: &Client<'s>) {
        // It was added: the kernel knows it.
        let _ = epoll::delete(&self.epoll.0, client.stream.descriptor());
        self.chairs().free.push(chair);
    }

    fn chairs(&self) -> MutexGuard<'_, Chairs<'s>> {
        self.chairs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'s> Chairs<'s> {
    fn seat(&mut self, client: Box<Client<'s>>) -> Chair {
        let chair = self.free.pop().unwrap_or_else(|| {
            self.all.push(LEFT);
            Chair(self.all.len() - 1)
        });
        self.put(chair, client);
        chair
    }

    /// The client of a chair that the kernel told of, if one sits there. It may be another one than
    /// the kernel meant, that came since then: it is found to say nothing.
    fn take(&mut self, chair: Chair) -> Option<Box<Client<'s>>> {
        let sits = self.all.get_mut(chair.0)?;
        match std::mem::replace(sits, LEFT) {
            Sits::Client(client) => Some(client),
            none => {
                *sits = none;
                None
            }
        }
    }

    /// Notes that the client of a chair says more, which does not sit there.
    fn note_more(&mut self, chair: Chair) {
        if let Some(sits) = self.all.get_mut(chair.0) {
            *sits = Sits::None { says_more: true };
        }
    }

    /// Puts a client back on its chair.
    fn put(&mut self, chair: Chair, client: Box<Client<'s>>) {
        let Some(sits) = self.all.get_mut(chair.0) else { return };
        let before = std::mem::replace(sits, Sits::Client(client));
        if matches!(before, Sits::None { says_more: true }) {
            self.told_early.push(chair);
        }
    }
}
