//! The thread of connections.

mod connection;
mod connections;

use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use intake::Protocol;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};

use crate::bell::Bell;
use crate::desk::{Desk, Fallback};
use crate::gathered::Gathered;
use crate::notice::{Notice, Wrong};
use crate::reading::Misread;
use crate::sockets::BACKLOG;
use crate::statsd::Sums;
use crate::traffic::Traffic;
use connection::{Connection, Heard};
use connections::{Connections, Slot};

/// Connections that are read in one look.
const HEARD_MAX: usize = 256;
/// Bytes that are read of all of them before they are stored.
const GATHERED_BYTES_MAX: usize = 1 << 20;
/// Bytes that all of them leave unfinished.
const UNFINISHED_BYTES_MAX: usize = 64 << 20;
/// Connections that are accepted before others are read.
const ACCEPTED_MAX: usize = 64;
/// How long nothing is done after the system had no room for a connection.
const PAUSE: Duration = Duration::from_millis(20);
/// How often to look for idle connections.
const LOOK: Duration = Duration::from_secs(60);
/// How long it takes at most to store what waits in the kernel at the end.
const LAST_LOOK: Duration = Duration::from_secs(30);
/// Stands for the bell among the numbers of sockets.
const BELL: u64 = u64::MAX;

/// A socket that connections come to.
#[derive(Debug)]
struct Door {
    socket: TcpListener,
    protocol: Protocol,
}

/// What was read of all connections of a protocol.
#[derive(Debug)]
struct Pile {
    protocol: Protocol,
    gathered: Gathered,
}

/// What the thread of connections shares with others.
pub(crate) struct Shared {
    pub(crate) desk: Arc<Desk>,
    pub(crate) sums: Arc<Sums>,
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) bell: Arc<Bell>,
    pub(crate) connections_max: usize,
    pub(crate) idle_max: Duration,
}

/// The thread of connections.
pub(crate) struct TcpLoop {
    epoll: OwnedFd,
    doors: Vec<Door>,
    connections: Connections,
    piles: Vec<Pile>,
    unfinished_bytes: usize,
    looked: Instant,
    shared: Shared,
}

/// What the kernel told.
#[derive(Default)]
struct Told {
    doors: Vec<usize>,
    slots: Vec<Slot>,
    has_rung: bool,
}

impl TcpLoop {
    /// # Errors
    /// The system refuses a descriptor, or memory.
    pub(crate) fn new(sockets: Vec<(Protocol, TcpListener)>, shared: Shared) -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &*shared.bell, EventData::new_u64(BELL), EventFlags::IN)?;
        let mut doors = Vec::new();
        let mut piles: Vec<Pile> = Vec::new();
        for (protocol, socket) in sockets {
            let data = EventData::new_u64(doors.len() as u64);
            epoll::add(&epoll, &socket, data, EventFlags::IN)?;
            doors.push(Door { socket, protocol });
            if !piles.iter().any(|pile| pile.protocol == protocol) {
                piles.push(Pile { protocol, gathered: Gathered::default() });
            }
        }
        let (connections, looked) = (Connections::default(), Instant::now());
        Ok(Self { epoll, doors, connections, piles, unfinished_bytes: 0, looked, shared })
    }

    /// Takes what connections send until the bell rings, and then what waits in the kernel.
    pub(crate) fn run(mut self) {
        loop {
            let told = self.wait();
            if told.has_rung {
                break;
            }
            for slot in told.slots {
                self.hear(slot);
            }
            self.store();
            // Behind those that were read: one that has sent something does not give way.
            for door in told.doors {
                self.accept(door);
            }
            self.close_idle();
        }
        self.finish();
    }

    fn wait(&self) -> Told {
        let timeout = Timespec::try_from(self.look()).ok();
        let mut room = [const { MaybeUninit::<Event>::uninit() }; HEARD_MAX];
        let events: &[Event] = match epoll::wait(&self.epoll, &mut room[..], timeout.as_ref()) {
            Ok((events, _)) => events,
            Err(rustix::io::Errno::INTR) => &[],
            Err(error) => panic!("waiting for senders: {error}"), // it is a descriptor of ours
        };
        let mut told = Told::default();
        for event in events {
            match event.data.u64() {
                BELL => told.has_rung = true,
                number if (number as usize) < self.doors.len() => told.doors.push(number as usize),
                number => told.slots.push(Slot(number as usize - self.doors.len())),
            }
        }
        told
    }

    fn look(&self) -> Duration {
        LOOK.min(self.shared.idle_max / 2)
    }

    /// Reads a connection once. Says how many bytes came.
    fn hear(&mut self, slot: Slot) -> usize {
        let Some(connection) = self.connections.get_mut(slot) else { return 0 };
        let (protocol, from) = (connection.protocol, connection.from);
        let pile = self.piles.iter_mut().find(|pile| pile.protocol == protocol);
        let pile = pile.expect("each door has its pile");
        let before = connection.rest_bytes();
        let heard = connection.read(&mut pile.gathered, Instant::now());
        self.unfinished_bytes = self.unfinished_bytes - before + connection.rest_bytes();
        let is_enough = pile.gathered.len() >= GATHERED_BYTES_MAX;
        match heard {
            Ok(Heard::TheEnd) => self.close(slot),
            Ok(Heard::Bytes(_) | Heard::Nothing) => (),
            Err(wrong) => self.close_wrong(slot, protocol, from, wrong),
        }
        if is_enough {
            self.store();
        }
        self.abandon();
        if let Ok(Heard::Bytes(came)) = heard { came } else { 0 }
    }

    /// Closes connections that leave too much unfinished together.
    fn abandon(&mut self) {
        while self.unfinished_bytes > UNFINISHED_BYTES_MAX {
            let Some(slot) = self.connections.longest_unfinished() else { break };
            let Some(it) = self.connections.get_mut(slot) else { break };
            let (protocol, from) = (it.protocol, it.from);
            self.close_wrong(slot, protocol, from, Wrong::Abandoned);
        }
    }

    fn close_wrong(&mut self, slot: Slot, protocol: Protocol, from: SocketAddr, wrong: Wrong) {
        self.shared.desk.note_misread(protocol, &Misread::one(from, wrong));
        if wrong != Wrong::Unfinished {
            self.shared.traffic.note_cut(); // else the sender closed it
        }
        self.close(slot);
    }

    fn cut(&mut self, slot: Slot) {
        self.shared.traffic.note_cut();
        self.close(slot);
    }

    fn close(&mut self, slot: Slot) {
        if let Some(connection) = self.connections.remove(slot) {
            self.unfinished_bytes -= connection.rest_bytes();
        }
        self.shared.traffic.set_open(self.connections.count());
    }

    /// Stores what was read. Nothing is read until that is done.
    fn store(&mut self) {
        let Shared { desk, sums, bell, .. } = &self.shared;
        for Pile { protocol, gathered } in &mut self.piles {
            match protocol {
                _ if gathered.is_empty() => continue,
                Protocol::Statsd => sums.take(desk, gathered),
                protocol => desk.store(*protocol, gathered, Fallback::TryAgain(bell)),
            }
            gathered.clear();
        }
    }

    /// Accepts connections. Says whether there may be more.
    fn accept(&mut self, door: usize) -> bool {
        for _ in 0..ACCEPTED_MAX {
            let Some(Door { socket, protocol }) = self.doors.get(door) else { return false };
            let protocol = *protocol;
            match socket.accept() {
                Ok((socket, from)) => self.admit(protocol, socket, from),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted | ErrorKind::ConnectionAborted => (),
                    _ => {
                        self.refused(protocol, &error);
                        return false;
                    }
                },
            }
        }
        true
    }

    /// No descriptor or no memory: a connection that is idle is worth less than a new one.
    fn refused(&mut self, protocol: Protocol, error: &io::Error) {
        let error = format!("accepting a connection: {}", disk::system_words(error));
        self.shared.desk.teller.say(&Notice::Socket { protocol, error });
        self.make_room();
        std::thread::sleep(PAUSE);
    }

    fn admit(&mut self, protocol: Protocol, socket: TcpStream, from: SocketAddr) {
        let connections_max = self.shared.connections_max;
        self.shared.traffic.note_accepted();
        if self.connections.count() >= connections_max && !self.make_room() {
            self.shared.traffic.note_turned_away();
            self.shared.desk.teller.say(&Notice::ConnectionsFull { connections_max });
            return;
        }
        let Ok(connection) = Connection::new(socket, protocol, from, Instant::now()) else {
            return; // it is gone already
        };
        let slot = self.connections.add(connection);
        let data = EventData::new_u64((slot.0 + self.doors.len()) as u64);
        let Some(connection) = self.connections.get_mut(slot) else { return };
        let added = epoll::add(&self.epoll, &*connection, data, EventFlags::IN);
        if let Err(error) = added {
            let error = format!("waiting for a connection: {}", disk::system_words(&error.into()));
            self.shared.desk.teller.say(&Notice::Socket { protocol, error });
            return self.cut(slot);
        }
        self.shared.traffic.set_open(self.connections.count());
    }

    fn make_room(&mut self) -> bool {
        let found = self.connections.least_wanted(Instant::now());
        found.into_iter().for_each(|slot| self.cut(slot));
        found.is_some()
    }

    fn close_idle(&mut self) {
        let now = Instant::now();
        if now.duration_since(self.looked) >= self.look() {
            self.looked = now;
            let idle = self.connections.idle(self.shared.idle_max, now);
            idle.into_iter().for_each(|slot| self.cut(slot));
        }
    }

    /// Stores what waits in the kernel now: the senders were told that it came.
    fn finish(&mut self) {
        let begin = Instant::now();
        for door in 0..self.doors.len() {
            // No more than the kernel keeps at the door.
            let _ = (0..BACKLOG / ACCEPTED_MAX).all(|_| self.accept(door));
        }
        for slot in self.connections.slots() {
            let waiting_bytes = self.connections.get_mut(slot).map(|it| it.waiting_bytes());
            let mut left_bytes = waiting_bytes.unwrap_or(0);
            while left_bytes > 0 && begin.elapsed() < LAST_LOOK {
                match self.hear(slot) {
                    0 => break,
                    came => left_bytes = left_bytes.saturating_sub(came),
                }
            }
        }
        self.store();
        self.connections.slots().into_iter().for_each(|slot| self.close(slot));
    }
}
