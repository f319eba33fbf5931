//! Decides which device is polled when, without a socket or a clock.
//!
//! ```text
//!            observe(now, wall)
//!                   ▼
//!  transmit(now) ◀─ Scheduler ◀─ handle(now, from, datagram)
//!  next_lookup() ◀─     │     ◀─ resolved(lookup, address)
//!                       ▼
//!          next_output(): readings of a device, the report on a cycle
//! ```
//!
//! `now` is the time of a monotonic clock; the wall clock is only used to stamp readings.

mod over_tcp;
mod placing;

use placing::APART;

use crate::device::Step;
use crate::learnt::Learnt;
use crate::names::{Address, Lookup, Names};
use crate::pause::Pauses;
use crate::plan::{DevicePlan, Plan};
use crate::report::{CycleId, CycleReport, DevicePoll, Outcome};
use crate::rounds::{RoundIndex, Rounds};
use crate::slot::Slot;
use crate::stamp::Stamper;
use crate::timers::Timers;
use rrd::Timestamp;
use snmp::{RequestIdKey, peek_request_id};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// While a device's name is being looked up for the first time, its start is tried again at this
/// interval.
const AWAIT_NAME: Duration = Duration::from_millis(50);

/// Polls the devices of a plan.
#[derive(Debug)]
pub struct Scheduler {
    key: RequestIdKey,
    rounds: Rounds,
    stamper: Stamper,
    pauses: Pauses,
    wall: Timestamp,
    slots: Vec<Option<Slot>>,
    /// Free slots, the longest free first, so that a late answer to a slot's old device does not
    /// reach a new one.
    free: VecDeque<u32>,
    /// The plans of the devices, in the plan's order.
    plans: Vec<Arc<DevicePlan>>,
    /// For each plan its slot.
    slot_of: Vec<u32>,
    timers: Timers,
    ready: VecDeque<u32>,
    names: Names,
    outputs: VecDeque<Output>,
    /// The slots whose connections are needed no more.
    closings: Vec<u32>,
}

/// The scheduler's output.
#[derive(Clone, Debug)]
pub enum Output {
    /// The poll of a device is over.
    Device(DevicePoll),
    /// A cycle is over for every device.
    Cycle(CycleReport),
}

/// A datagram to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The destination.
    pub to: SocketAddr,
    /// The content.
    pub datagram: Vec<u8>,
    /// The number of the connection that carries it, if it is for one: [`Scheduler::handle_stream`]
    /// takes the answers.
    pub stream: Option<u32>,
}

impl Scheduler {
    /// Begins with a quick first round at each interval. `seed` makes request ids unguessable: take
    /// it from the system's randomness.
    ///
    /// # Panics
    /// If the plan has more than [`snmp::SLOTS_MAX`] devices; so does [`Self::set_plan`].
    #[must_use]
    pub fn new(plan: Plan, seed: u64, now: Duration, wall: Timestamp) -> Self {
        let mut scheduler = Self {
            key: RequestIdKey::new(seed),
            rounds: Rounds::default(),
            stamper: Stamper::new(now, wall),
            pauses: Pauses::new(now),
            wall,
            slots: Vec::new(),
            free: VecDeque::new(),
            plans: Vec::new(),
            slot_of: Vec::new(),
            timers: Timers::default(),
            ready: VecDeque::new(),
            names: Names::default(),
            outputs: VecDeque::new(),
            closings: Vec::new(),
        };
        scheduler.set_plan(plan, now);
        scheduler
    }

    /// Starts from the limits that devices showed to an earlier run. Call it before the first poll.
    pub fn recall(&mut self, known: impl Fn(&DevicePlan) -> Option<Learnt>) {
        for slot in self.slots.iter_mut().flatten() {
            if let Some(learnt) = known(slot.device.plan()) {
                slot.device.recall(learnt.believed_at(self.wall));
            }
        }
    }

    /// Switches to another plan. Devices in both plans keep their state, their phase, and the poll
    /// in progress, whose readings come in the new plan's order.
    pub fn set_plan(&mut self, plan: Plan, now: Duration) {
        self.rounds.follow(&plan, now, self.wall);
        self.place(plan.devices, now);
    }

    /// Compares the wall clock with the monotonic one. Call it whenever time has passed, before
    /// other methods.
    pub fn observe(&mut self, now: Duration, wall: Timestamp) {
        self.wall = wall;
        self.stamper.observe(now, wall);
        self.pauses.observe(now);
    }

    /// The next datagram to send. Call it until it returns `None`: after [`Self::handle`] and
    /// [`Self::resolved`], and at the [`Self::deadline`].
    pub fn transmit(&mut self, now: Duration) -> Option<Outgoing> {
        while let Some(slot) = self.timers.take_due(now) {
            self.wake(slot);
        }
        let mut outgoing = None;
        while outgoing.is_none()
            && let Some(slot) = self.ready.pop_front()
        {
            outgoing = self.serve(slot, now);
        }
        if outgoing.is_none() {
            while let Some(mut report) = self.rounds.take_over(now) {
                report.clock = self.stamper.take_step();
                self.outputs.push_back(Output::Cycle(report));
            }
        }
        outgoing
    }

    /// Takes a datagram from a socket.
    pub fn handle(&mut self, now: Duration, from: SocketAddr, datagram: &[u8]) {
        let id = peek_request_id(datagram).ok();
        let number = id.and_then(|id| self.key.slot(id));
        let slot = number.and_then(|number| self.slots.get_mut(number as usize)?.as_mut());
        let traffic = match (slot, number) {
            (Some(slot), Some(number)) if slot.may_answer_from(from) => {
                let round = slot.round;
                slot.device.handle(now, datagram);
                self.wake(number);
                &mut self.rounds.at_mut(round).traffic
            }
            _ => {
                let Some(traffic) = self.rounds.foreign_traffic() else { return };
                traffic.foreign += 1;
                traffic
            }
        };
        traffic.received += 1;
        traffic.received_bytes += datagram.len() as u64;
    }

    /// When to call [`Self::transmit`] next if no datagram arrives before.
    pub fn deadline(&mut self, now: Duration) -> Option<Duration> {
        if !self.ready.is_empty() {
            return Some(now);
        }
        let next_cycle = self.cycles(now).map(|(_, ends_at)| ends_at).min();
        self.timers.earliest().into_iter().chain(next_cycle).min()
    }

    /// The present cycle of each interval, and when it is over.
    pub fn cycles(&self, now: Duration) -> impl Iterator<Item = (CycleId, Duration)> {
        self.rounds.present(now)
    }

    /// The next output, oldest first.
    pub fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The next name to look up.
    pub fn next_lookup(&mut self) -> Option<Lookup> {
        self.names.next_lookup()
    }

    /// Takes the result of a lookup: an address, whose port is ignored, or the error.
    pub fn resolved(
        &mut self,
        lookup: &Lookup,
        result: Result<SocketAddr, Arc<str>>,
        now: Duration,
    ) {
        self.names.resolved(lookup, result, now);
    }

    /// Records why the system could not send a datagram, which counts as lost.
    pub fn not_sent(&mut self, error: Arc<str>) {
        if let Some(traffic) = self.rounds.foreign_traffic() {
            traffic.send_error = Some(error);
        }
    }

    fn wake(&mut self, number: u32) {
        if let Some(slot) = &mut self.slots[number as usize]
            && !slot.is_ready
        {
            slot.is_ready = true;
            self.ready.push_back(number);
        }
    }

    /// Continues one device; returns a datagram that it sends, or sets its next alarm.
    fn serve(&mut self, number: u32, now: Duration) -> Option<Outgoing> {
        self.slots[number as usize].as_mut()?.is_ready = false;
        loop {
            let slot = self.slots[number as usize].as_mut()?;
            match slot.device.go_on(now, &self.stamper) {
                Step::Send { datagram, is_retry } => {
                    let to = slot.device.address;
                    // The device goes to the end of the queue, so that one with much to send does
                    // not delay the others.
                    let stream = slot.is_over_tcp().then_some(number);
                    let round = slot.round;
                    self.wake(number);
                    let outgoing = Outgoing { to: to?, datagram, stream };
                    return Some(self.send(round, outgoing, is_retry));
                }
                Step::Done(poll) => self.end(number, *poll, now),
                Step::Wait if slot.is_due(now) => {
                    if let Some(at) = self.postpone(number, now) {
                        self.timers.arm(number, at);
                        return None;
                    }
                    if let Some(at) = self.begin(number, now) {
                        self.timers.arm(number, at);
                        return None;
                    }
                }
                Step::Wait => {
                    let wakes_at = slot.device.wakes_at().unwrap_or(slot.next_start);
                    self.timers.arm(number, wakes_at);
                    return None;
                }
            }
        }
    }

    /// When a device begins whose start fell into a pause of this program; `None` for others.
    fn postpone(&mut self, number: u32, now: Duration) -> Option<Duration> {
        let slot = self.slots[number as usize].as_mut()?;
        let pause = self.pauses.around(slot.next_start)?;
        let grid = &self.rounds.at(slot.round).grid;
        match pause.later(slot.next_start, grid.interval()) {
            Some(later) => slot.next_start = later,
            None => {
                let next = grid.next_start(slot.next_cycle, slot.phase, now);
                (slot.next_cycle, slot.next_start) = next;
            }
        }
        Some(slot.next_start)
    }

    /// Begins a device's poll. Returns when to try again if its name is still being looked up.
    fn begin(&mut self, number: u32, now: Duration) -> Option<Duration> {
        let slot = self.slots[number as usize].as_mut()?;
        let address = self.names.address(slot.device.plan(), now);
        let round = self.rounds.at_mut(slot.round);
        let is_late = slot.next_start + round.grid.interval() <= now;
        if matches!(address, Address::Pending) && !is_late {
            return Some(now + AWAIT_NAME);
        }
        // One that starts very late may find that its cycle is over.
        let number_of_cycle = slot.next_cycle.max(round.cycles.reported_below());
        let next = round.grid.next_start(number_of_cycle + 1, slot.phase, now);
        (slot.next_cycle, slot.next_start) = next;
        slot.last_start = Some(now);
        round.cycles.start(number_of_cycle, now);
        let cycle = round.cycle(number_of_cycle);
        let failure = match address {
            Address::Known(address) => {
                slot.device.address = Some(address);
                slot.device.begin(cycle, now, slot.next_start, &self.stamper);
                return None;
            }
            Address::Failed(why) => why,
            Address::Pending => {
                let host = &slot.device.plan().host;
                format!("{host}: its name is still being looked up").into()
            }
        };
        let poll = slot.device.skip(cycle, failure, self.stamper.stamp(now));
        self.end(number, poll, now);
        None
    }

    fn end(&mut self, number: u32, poll: DevicePoll, now: Duration) {
        if let Some(slot) = &mut self.slots[number as usize] {
            if slot.is_over_tcp() && poll.outcome != Outcome::Answered {
                self.closings.push(number);
            }
            if let Some(of_poll) = self.rounds.find(poll.cycle.interval) {
                self.rounds.at_mut(of_poll).cycles.end(&poll, &slot.device.plan().name, now);
                if of_poll != slot.round {
                    let (grid, earliest) = (&self.rounds.at(slot.round).grid, now + APART);
                    let next = grid.next_start(slot.next_cycle, slot.phase, earliest);
                    (slot.next_cycle, slot.next_start) = next;
                }
            }
        }
        self.outputs.push_back(Output::Device(poll));
    }

    fn send(&mut self, round: RoundIndex, outgoing: Outgoing, is_retry: bool) -> Outgoing {
        let traffic = &mut self.rounds.at_mut(round).traffic;
        traffic.sent += 1;
        traffic.sent_bytes += outgoing.datagram.len() as u64;
        traffic.retried += u64::from(is_retry);
        outgoing
    }
}
