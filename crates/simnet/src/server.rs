//! A thread that answers for all devices.
//!
//! ```text
//! epoll ─▶ a device's socket ─▶ responder ─▶ answer at once
//!                                   └──────▶ late answers, in order of their time
//! ```

use crate::mib::DeviceMib;
use crate::topology::{Health, Topology};
use crate::traffic::Traffic;
use rustix::event::epoll;
use rustix::fd::OwnedFd;
use snmp::agent::{Authority, Responder};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::mem::MaybeUninit;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Tells the time since 1970.
pub(crate) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Epoll's data for the event that ends the thread; devices are numbered from 0.
const STOP: u64 = u64::MAX;
const EVENTS_MAX: usize = 64;
/// The most datagrams taken from one socket before other sockets have their turn.
const BATCH: usize = 32;
const DATAGRAM_BYTES_MAX: usize = 65_536;

pub(crate) struct Server {
    pub(crate) topology: Arc<Topology>,
    pub(crate) traffic: Traffic,
    pub(crate) sockets: Vec<UdpSocket>,
    /// By device; empty without users of SNMPv3.
    pub(crate) authorities: Vec<Authority>,
    pub(crate) responder: Responder,
    pub(crate) clock: Clock,
    pub(crate) stop: Arc<OwnedFd>,
    pub(crate) answered: Arc<AtomicU64>,
}

/// A pending answer of a slow device, ordered by its time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Late {
    due: Instant,
    device: usize,
    peer: SocketAddr,
    datagram: Vec<u8>,
}

impl Server {
    /// Answers until the stop event is signalled.
    pub(crate) fn run(&self) -> io::Result<()> {
        let epoll = self.register()?;
        let mut late = BinaryHeap::new();
        let mut events = [MaybeUninit::uninit(); EVENTS_MAX];
        let mut buffer = vec![0; DATAGRAM_BYTES_MAX];
        loop {
            let timeout = wait(&late);
            let ready = match epoll::wait(&epoll, &mut events, timeout.as_ref()) {
                Ok((ready, _)) => ready,
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            for event in ready {
                match event.data.u64() {
                    STOP => return Ok(()),
                    device => self.serve(device as usize, &mut buffer, &mut late),
                }
            }
            self.send_due(&mut late);
        }
    }

    fn register(&self) -> io::Result<OwnedFd> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let readable = epoll::EventFlags::IN;
        epoll::add(&epoll, &self.stop, epoll::EventData::new_u64(STOP), readable)?;
        for (device, socket) in self.sockets.iter().enumerate() {
            // A dead device keeps its socket, so that the sender gets no error, but its datagrams
            // are not answered.
            if self.topology.devices[device].health != Health::Dead {
                epoll::add(&epoll, socket, epoll::EventData::new_u64(device as u64), readable)?;
            }
        }
        Ok(epoll)
    }

    fn serve(&self, device: usize, buffer: &mut [u8], late: &mut BinaryHeap<Reverse<Late>>) {
        let socket = &self.sockets[device];
        for _ in 0..BATCH {
            // An error means that there are no more datagrams, or that an earlier answer could not
            // be delivered.
            let Ok((length, peer)) = socket.recv_from(buffer) else { return };
            let description = &self.topology.devices[device];
            let Some(datagram) = self.answer(device, &buffer[..length]) else { continue };
            match description.health {
                Health::Slow(by) => {
                    late.push(Reverse(Late { due: Instant::now() + by, device, peer, datagram }));
                }
                _ => self.send(device, peer, &datagram),
            }
        }
    }

    /// As with a real agent, a datagram that is not SNMP, or has another community, gets no answer.
    fn answer(&self, device: usize, datagram: &[u8]) -> Option<Vec<u8>> {
        let description = &self.topology.devices[device];
        let now = (self.clock)();
        let mib = DeviceMib::new(description, &self.traffic, now);
        let answer = match (self.responder.respond(datagram, &mib), self.authorities.get(device)) {
            (Err(_), Some(authority)) => {
                let room = self.responder.response_bytes_max;
                authority.respond(datagram, description.engine_time(now), &mib, room)
            }
            (answer, _) => answer,
        };
        answer.ok().flatten()
    }

    fn send_due(&self, late: &mut BinaryHeap<Reverse<Late>>) {
        let now = Instant::now();
        while late.peek().is_some_and(|Reverse(answer)| answer.due <= now) {
            if let Some(Reverse(answer)) = late.pop() {
                self.send(answer.device, answer.peer, &answer.datagram);
            }
        }
    }

    fn send(&self, device: usize, peer: SocketAddr, datagram: &[u8]) {
        // The sender may be gone; with UDP an answer may be lost.
        if self.sockets[device].send_to(datagram, peer).is_ok() {
            self.answered.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The time until the first late answer is due; no limit if there is none.
fn wait(late: &BinaryHeap<Reverse<Late>>) -> Option<rustix::event::Timespec> {
    let Reverse(first) = late.peek()?;
    let left: Duration = first.due.saturating_duration_since(Instant::now());
    rustix::event::Timespec::try_from(left).ok()
}
