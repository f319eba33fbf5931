//! The loop: sockets and clocks around a [`Scheduler`].

use crate::learnt::Learnt;
use crate::plan::{DevicePlan, Plan};
use crate::report::Sink;
use crate::resolver::Resolver;
use crate::scheduler::{Outgoing, Output, Scheduler};
use crate::sockets::{BATCH, Mail, NotSent, Sockets};
use crate::streams::Streams;
use rrd::Timestamp;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fd::OwnedFd;
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Answers are waited for so long, after questions were sent or the last answers were read: then one
/// system call and one wake-up serve many. Their times are this much less exact.
const GATHERED_FOR: Duration = Duration::from_millis(1);
/// After so long without a look at the sockets, answers that came meanwhile are read before
/// questions are given up: on a busy machine this thread may have waited, and no device be late.
const UNREAD_FOR: Duration = Duration::from_millis(50);
/// So many batches are read then, at most: a flood must not hold up the schedule.
const UNREAD_BATCHES: usize = 128;

/// Polls a plan until it is told to stop.
pub struct Poller<S> {
    scheduler: Scheduler,
    sockets: Sockets,
    streams: Streams,
    resolver: Resolver,
    sink: S,
    commands: Receiver<Command<S>>,
    wake: Arc<OwnedFd>,
    /// Datagrams to send, that the kernel's queue had no room for among them.
    unsent: Vec<Outgoing>,
    sent: u64,
    gathers_since: Duration,
    /// When the sockets were last looked at.
    read_at: Duration,
    /// Whether the last batch of answers was full.
    has_more: bool,
    /// The cycle of each interval that the sink knows to have begun.
    begun: BTreeMap<Duration, u64>,
}

/// Controls a [`Poller`] from another thread.
pub struct Handle<S> {
    commands: Sender<Command<S>>,
    wake: Arc<OwnedFd>,
}

impl<S> Clone for Handle<S> {
    fn clone(&self) -> Self {
        Self { commands: self.commands.clone(), wake: self.wake.clone() }
    }
}

enum Command<S> {
    Stop,
    Reload(Plan, Box<dyn FnOnce(&mut S) + Send>),
    Act(Box<dyn FnOnce(&mut S) + Send>),
}

impl<S: Sink> Poller<S> {
    /// Opens the sockets; [`Self::run`] polls.
    ///
    /// # Errors
    /// The system has no socket left.
    ///
    /// # Panics
    /// If the plan has more than [`snmp::SLOTS_MAX`] devices.
    pub fn new(plan: Plan, sink: S) -> io::Result<(Self, Handle<S>)> {
        let wake = Arc::new(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?);
        let (sender, commands) = channel();
        // The only source of randomness in std.
        let seed = RandomState::new().hash_one(());
        let poller = Self {
            scheduler: Scheduler::new(plan, seed, monotonic(), wall()),
            sockets: Sockets::open()?,
            streams: Streams::open()?,
            resolver: Resolver::new(wake.clone()),
            sink,
            commands,
            wake: wake.clone(),
            unsent: Vec::new(),
            sent: 0,
            gathers_since: Duration::ZERO,
            read_at: monotonic(),
            has_more: false,
            begun: BTreeMap::new(),
        };
        let handle = Handle { commands: sender, wake };
        Ok((poller, handle))
    }

    /// Starts from the limits that devices showed to an earlier run.
    pub fn recall(&mut self, known: impl Fn(&DevicePlan) -> Option<Learnt>) {
        self.scheduler.recall(known);
    }

    /// Polls until [`Handle::stop`]; returns the sink.
    ///
    /// # Errors
    ///
    /// The system cannot wait for sockets.
    pub fn run(mut self) -> io::Result<S> {
        let mut mail = Mail::new();
        loop {
            while let Ok(command) = self.commands.try_recv() {
                match command {
                    Command::Stop => return Ok(self.sink),
                    Command::Reload(plan, change) => {
                        self.hand_over();
                        change(&mut self.sink);
                        self.scheduler.set_plan(plan, monotonic());
                    }
                    Command::Act(act) => act(&mut self.sink),
                }
            }
            self.turn(&mut mail)?;
        }
    }

    fn turn(&mut self, mail: &mut Mail) -> io::Result<()> {
        self.read_what_waits(mail);
        let now = monotonic();
        self.scheduler.observe(now, wall());
        while let Some((lookup, result)) = self.resolver.next() {
            self.scheduler.resolved(&lookup, result, now);
        }
        self.tell_of_cycles(now);
        let sent_before = self.sent;
        let is_stuck = self.send(now, mail);
        self.hand_over();
        while let Some(lookup) = self.scheduler.next_lookup() {
            self.resolver.look_up(lookup);
        }
        // A deadline in the past means that there is more to send.
        let patience = self.scheduler.deadline(now).map(|at| at.saturating_sub(now));
        let awaits_answers = self.sent > sent_before && patience != Some(Duration::ZERO);
        if awaits_answers {
            self.gathers_since = now;
        }
        if awaits_answers || self.wait(patience, is_stuck)? {
            self.receive(mail);
        }
        Ok(())
    }

    fn tell_of_cycles(&mut self, now: Duration) {
        for (cycle, ends_at) in self.scheduler.cycles(now) {
            if self.begun.get(&cycle.interval).is_none_or(|begun| *begun < cycle.number) {
                self.begun.insert(cycle.interval, cycle.number);
                self.sink.began(cycle, ends_at.saturating_sub(now));
            }
        }
    }

    /// Sends a batch of datagrams, no more before answers are read, so that the receive buffer does
    /// not overflow. Returns whether the kernel's queue is full.
    fn send(&mut self, now: Duration, mail: &mut Mail) -> bool {
        let mut streamed = 0;
        while self.unsent.len() < BATCH
            && streamed < BATCH
            && let Some(outgoing) = self.scheduler.transmit(now)
        {
            match outgoing.stream {
                None => self.unsent.push(outgoing),
                Some(stream) => {
                    streamed += 1;
                    self.send_over(stream, &outgoing);
                }
            }
        }
        while let Some(stream) = self.scheduler.next_closing() {
            self.streams.close(stream);
        }
        while !self.unsent.is_empty() {
            match self.sockets.send(&self.unsent, mail) {
                Ok(sent) => {
                    self.sent += sent as u64;
                    self.unsent.drain(..sent.max(1));
                }
                Err(NotSent::Full) => return true,
                Err(NotSent::Refused(error)) => {
                    let to = self.unsent.remove(0).to;
                    let why = format!("sending to {to}: {}", disk::system_words(&error));
                    self.scheduler.not_sent(why.into());
                }
            }
        }
        false
    }

    fn send_over(&mut self, stream: u32, outgoing: &Outgoing) {
        match self.streams.send(stream, outgoing.to, &outgoing.datagram) {
            Ok(()) => self.sent += 1,
            Err(why) => self.scheduler.stream_ended(stream, &why.to_string().into(), false),
        }
    }

    fn hand_over(&mut self) {
        while let Some(output) = self.scheduler.next_output() {
            match output {
                Output::Device(poll) => self.sink.device(poll),
                Output::Cycle(report) => self.sink.cycle(report),
            }
        }
    }

    /// Waits for answers, for room to send if the queue `is_stuck`, or for a command. Returns
    /// whether there are answers.
    fn wait(&mut self, patience: Option<Duration>, is_stuck: bool) -> io::Result<bool> {
        let mut fds = self.sockets.poll_fds(is_stuck);
        fds.push(self.streams.poll_fd());
        fds.push(PollFd::new(&*self.wake, PollFlags::IN));
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_woken = |fd: &PollFd<'_>| !fd.revents().is_empty();
        if fds.pop().is_some_and(|wake| is_woken(&wake)) {
            // The reason of the wake-up is found in the channels.
            let _ = rustix::io::read(&*self.wake, &mut [0; 8]);
        }
        Ok(fds.iter().any(is_woken))
    }

    fn receive(&mut self, mail: &mut Mail) {
        let gathered = monotonic().saturating_sub(self.gathers_since);
        // Where more is waiting than fits into a batch, the socket's buffer must not fill up.
        if gathered < GATHERED_FOR && !self.has_more {
            std::thread::sleep(GATHERED_FOR - gathered);
        }
        self.gathers_since = monotonic();
        self.read(mail);
    }

    /// Reads the answers that came while this thread could not.
    fn read_what_waits(&mut self, mail: &mut Mail) {
        if !self.has_more && monotonic().saturating_sub(self.read_at) < UNREAD_FOR {
            return;
        }
        for _ in 0..UNREAD_BATCHES {
            self.read(mail);
            if !self.has_more {
                break;
            }
        }
    }

    /// Reads a batch of answers.
    fn read(&mut self, mail: &mut Mail) {
        let now = monotonic();
        self.read_at = now;
        let scheduler = &mut self.scheduler;
        scheduler.observe(now, wall());
        self.has_more = self.sockets.receive(mail, |from, datagram| {
            scheduler.handle(now, from, datagram);
        });
        let broken = self.streams.receive(|stream, message| {
            scheduler.handle_stream(now, stream, message);
        });
        for ended in broken {
            let (why, is_orderly) = (ended.why.to_string().into(), ended.why.is_orderly());
            scheduler.stream_ended(ended.slot, &why, is_orderly);
        }
    }
}

impl<S> Handle<S> {
    /// Ends [`Poller::run`] at once. Readings of polls in progress are lost.
    pub fn stop(&self) {
        self.tell(Command::Stop);
    }

    /// Switches to another plan. `change` prepares the sink for it, on the polling thread. Devices
    /// in both plans miss no cycle.
    pub fn reload(&self, plan: Plan, change: impl FnOnce(&mut S) + Send + 'static) {
        self.tell(Command::Reload(plan, Box::new(change)));
    }

    /// Has the sink do something, on the polling thread, which must not wait for anything.
    pub fn act(&self, act: impl FnOnce(&mut S) + Send + 'static) {
        self.tell(Command::Act(Box::new(act)));
    }

    fn tell(&self, command: Command<S>) {
        // Sending fails if the poller has ended; then there is nothing to wake.
        if self.commands.send(command).is_ok() {
            let _ = rustix::io::write(&*self.wake, &1u64.to_ne_bytes());
        }
    }
}

/// The clock of the schedule. It continues while the machine is suspended, like the devices.
fn monotonic() -> Duration {
    let now = clock_gettime(ClockId::Boottime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// The clock of the readings.
fn wall() -> Timestamp {
    let now = clock_gettime(ClockId::Realtime);
    Timestamp { seconds: now.tv_sec, micros: (now.tv_nsec / 1000) as u32 }
}
