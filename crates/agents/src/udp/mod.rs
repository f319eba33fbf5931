//! The thread of datagrams.

mod mail;

use std::net::UdpSocket;
use std::sync::Arc;
use std::time::{Duration, Instant};

use intake::Protocol;
use rustix::event::{PollFd, PollFlags};

use crate::bell::{self, Bell};
use crate::desk::{Desk, Fallback, now_micros};
use crate::gathered::Gathered;
use crate::notice::Notice;
use crate::sockets::RECEIVE_BUFFER_BYTES;
use crate::statsd::Sums;
use crate::traffic::Traffic;
use mail::{Mail, Received};

/// How long datagrams are gathered before they are stored.
const GATHERED_FOR_MAX: Duration = Duration::from_millis(200);
/// They are stored sooner if nothing more comes for so long.
const SILENCE: Duration = Duration::from_millis(5);
/// Or if there are so many bytes of a socket: about 4,096 samples.
const GATHERED_BYTES_MAX: usize = 256 << 10;
/// No more datagrams of a socket can wait in the kernel, where each takes 512 bytes and more.
const WAITING_MAX: usize = 2 * RECEIVE_BUFFER_BYTES / 512;
/// How long it takes at most to store those that wait there at the end.
const LAST_LOOK: Duration = Duration::from_secs(30);

/// A socket of datagrams.
pub(crate) struct Mailbox {
    socket: UdpSocket,
    protocol: Protocol,
    gathered: Gathered,
    /// Datagrams that the kernel has dropped, as it counts them.
    dropped: u32,
}

/// The thread of datagrams.
pub(crate) struct UdpLoop {
    pub(crate) mailboxes: Vec<Mailbox>,
    pub(crate) desk: Arc<Desk>,
    pub(crate) sums: Arc<Sums>,
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) bell: Arc<Bell>,
}

impl Mailbox {
    pub(crate) fn new(protocol: Protocol, socket: UdpSocket) -> Self {
        Self { socket, protocol, gathered: Gathered::default(), dropped: 0 }
    }

    /// Reads what waits in the kernel, as far as one call does. Says how many datagrams it was.
    fn gather(&mut self, mail: &mut Mail, desk: &Desk, traffic: &Traffic) -> usize {
        let gathered = &mut self.gathered;
        let Received { datagrams, dropped } =
            mail.receive(&self.socket, |from, bytes| gathered.add(from, bytes));
        if let Some(dropped) = dropped {
            let more = u64::from(dropped.wrapping_sub(self.dropped));
            self.dropped = dropped;
            traffic.note_dropped(self.protocol, more);
            let notice = Notice::DatagramsDropped { protocol: self.protocol, datagrams: more };
            if more > 0 {
                desk.teller.say(&notice);
            }
        }
        datagrams
    }
}

impl UdpLoop {
    /// Takes datagrams until the bell rings, and then those that wait.
    pub(crate) fn run(mut self) {
        let mut mail = Mail::new();
        let has_statsd = self.mailboxes.iter().any(|it| it.protocol == Protocol::Statsd);
        loop {
            let left = has_statsd.then(|| self.sums.left(now_micros()));
            self.wait(left);
            if self.bell.has_rung() {
                break;
            }
            self.gather(&mut mail);
            self.store();
            if has_statsd {
                self.sums.store_ended(&self.desk, now_micros());
            }
        }
        self.finish(&mut mail);
    }

    /// Waits for datagrams, or the bell. Says whether there is anything.
    fn wait(&self, longest: Option<Duration>) -> bool {
        let sockets = self.mailboxes.iter().map(|it| PollFd::new(&it.socket, PollFlags::IN));
        let bell = PollFd::new(&*self.bell, PollFlags::IN);
        let mut all: Vec<PollFd<'_>> = sockets.chain([bell]).collect();
        bell::wait(&mut all, longest)
    }

    /// Reads datagrams until nothing more comes, or there is enough to store.
    fn gather(&mut self, mail: &mut Mail) {
        let begin = Instant::now();
        loop {
            let Self { mailboxes, desk, traffic, .. } = self;
            let mut is_any = false;
            for mailbox in mailboxes.iter_mut() {
                is_any |= mailbox.gather(mail, desk, traffic) > 0;
            }
            let is_enough = mailboxes.iter().any(|it| it.gathered.len() >= GATHERED_BYTES_MAX);
            if is_enough || begin.elapsed() >= GATHERED_FOR_MAX {
                return;
            }
            if !is_any && !self.wait(Some(SILENCE)) || self.bell.has_rung() {
                return;
            }
        }
    }

    fn store(&mut self) {
        for Mailbox { protocol, gathered, .. } in &mut self.mailboxes {
            match protocol {
                _ if gathered.is_empty() => continue,
                Protocol::Statsd => self.sums.take(&self.desk, gathered),
                protocol => self.desk.store(*protocol, gathered, Fallback::Lose),
            }
            gathered.clear();
        }
    }

    /// Stores what waits in the kernel now: nobody sends it again.
    fn finish(&mut self, mail: &mut Mail) {
        let begin = Instant::now();
        for nth in 0..self.mailboxes.len() {
            let mut came = 0;
            while came < WAITING_MAX && begin.elapsed() < LAST_LOOK {
                let Self { mailboxes, desk, traffic, .. } = self;
                let mailbox = &mut mailboxes[nth];
                let datagrams = mailbox.gather(mail, desk, traffic);
                came += datagrams;
                if datagrams == 0 {
                    break;
                }
                if mailbox.gathered.len() >= GATHERED_BYTES_MAX {
                    self.store();
                }
            }
        }
        self.store();
    }
}
