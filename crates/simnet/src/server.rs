//! A thread that answers for all devices.
//!
//! ```text
//! epoll ─▶ many datagrams ─▶ agents ─▶ delivery ─▶ answers at once
//!                                          └─────▶ late answers, in order of their time
//! ```

use crate::agents::{Agents, Asked};
use crate::delivery::{Delivery, Letter, deliver, is_dead};
use crate::post::send;
use crate::shared::{Now, Shared};
use crate::sockets::{BATCH, Mail, Route};
use chance::Random;
use rustix::event::epoll;
use rustix::fd::OwnedFd;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::mem::MaybeUninit;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tells the time since 1970.
pub(crate) type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Epoll's data for the event that ends the thread; sockets are numbered from 0.
const STOP: u64 = u64::MAX;
const EVENTS_MAX: usize = 64;
/// Late answers, at most: a collector that asks faster than devices answer loses some.
const LATE_MAX: usize = 1_000_000;

pub(crate) struct Server {
    pub(crate) agents: Agents,
    pub(crate) sockets: Vec<UdpSocket>,
    pub(crate) clock: Clock,
    pub(crate) stop: Arc<OwnedFd>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) random: Random,
}

/// An answer that waits, ordered by its time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Late {
    due: Instant,
    letter: Letter,
}

/// An answer that goes at once.
struct Prompt {
    letter: Letter,
    /// How often it is sent.
    times: u32,
}

/// The answers that wait, the first to go on top.
type Queue = BinaryHeap<Reverse<Late>>;

impl Server {
    /// Answers until the stop event is signalled.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let epoll = self.register()?;
        let mut late = Queue::new();
        let mut events = [MaybeUninit::uninit(); EVENTS_MAX];
        let mut mail = Mail::new();
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
                    socket => self.serve(socket as usize, &mut mail, &mut late),
                }
            }
            self.send_due(&mut late);
        }
    }

    fn register(&self) -> io::Result<OwnedFd> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let readable = epoll::EventFlags::IN;
        epoll::add(&epoll, &self.stop, epoll::EventData::new_u64(STOP), readable)?;
        for (number, socket) in self.sockets.iter().enumerate() {
            epoll::add(&epoll, socket, epoll::EventData::new_u64(number as u64), readable)?;
        }
        Ok(epoll)
    }

    /// Answers the datagrams of one batch.
    fn serve(&mut self, socket: usize, mail: &mut Mail, late: &mut Queue) {
        let Server { agents, sockets, clock, shared, random, .. } = self;
        let Some(socket) = sockets.get(socket) else { return };
        let now = clock();
        let mut deliveries = Vec::with_capacity(BATCH);
        let mut state = shared.lock();
        mail.receive(socket, |route, datagram| {
            deliveries.extend(answer(agents, &mut state, random, route, datagram, now));
        });
        let mut prompt = Vec::with_capacity(deliveries.len());
        for Delivery { letter, delay, times } in deliveries {
            if times == 0 || late.len() >= LATE_MAX {
                state.tally.lost += 1;
            } else if delay.is_zero() {
                prompt.push(Prompt { letter, times });
            } else {
                let due = Instant::now() + delay;
                (1..times).for_each(|_| late.push(Reverse(Late { due, letter: letter.clone() })));
                late.push(Reverse(Late { due, letter }));
            }
        }
        let mut letters = Vec::with_capacity(prompt.len());
        for Prompt { letter, times } in &prompt {
            letters.extend(std::iter::repeat_n(letter, *times as usize));
        }
        state.tally.count_sent(send(socket, &letters));
    }

    fn send_due(&self, late: &mut Queue) {
        if late.is_empty() {
            return;
        }
        let Some(socket) = self.sockets.first() else { return };
        let now = Instant::now();
        let is_due = |late: &Queue| late.peek().is_some_and(|Reverse(first)| first.due <= now);
        let mut due = Vec::new();
        while due.len() < BATCH && is_due(late) {
            due.extend(late.pop().map(|Reverse(answer)| answer.letter));
        }
        let letters: Vec<&Letter> = due.iter().collect();
        self.shared.lock().tally.count_sent(send(socket, &letters));
    }
}

fn answer(
    agents: &Agents,
    state: &mut Now,
    random: &mut Random,
    route: Route,
    datagram: &[u8],
    now: Duration,
) -> Option<Delivery> {
    let Now { conditions, tally } = state;
    let Some(device) = agents.topology.device_at(route.device) else {
        tally.strays += 1;
        return None;
    };
    let condition = conditions.of(device.number);
    if is_dead(device, condition) {
        tally.silenced += 1;
        return None;
    }
    let datagram = agents.answer(Asked { device, condition, now }, datagram, tally)?;
    Some(deliver(Letter { route, datagram }, device, condition, random))
}

/// The time until the first late answer is due; no limit if there is none.
fn wait(late: &Queue) -> Option<rustix::event::Timespec> {
    let Reverse(first) = late.peek()?;
    let left: Duration = first.due.saturating_duration_since(Instant::now());
    rustix::event::Timespec::try_from(left).ok()
}
