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

use crate::cycles::Cycles;
use crate::device::{Device, Step};
use crate::grid::{Grid, Phase};
use crate::learnt::Learnt;
use crate::names::{Address, Lookup, Names};
use crate::pause::Pauses;
use crate::plan::{DevicePlan, Plan};
use crate::report::{CycleReport, DevicePoll, Traffic};
use crate::slot::{DeviceKey, Slot};
use crate::stamp::Stamper;
use crate::timers::Timers;
use rrd::Timestamp;
use snmp::{RequestIdKey, peek_request_id};
use std::collections::{HashMap, VecDeque};
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
    grid: Grid,
    stamper: Stamper,
    pauses: Pauses,
    wall: Timestamp,
    slots: Vec<Option<Slot>>,
    /// Free slots, the longest free first, so that a late answer to a slot's old device does not
    /// reach a new one.
    free: VecDeque<u32>,
    of_device: HashMap<DeviceKey, u32>,
    timers: Timers,
    ready: VecDeque<u32>,
    names: Names,
    cycles: Cycles,
    traffic: Traffic,
    outputs: VecDeque<Output>,
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
}

impl Scheduler {
    /// Begins with a quick first round. `seed` makes request ids unguessable: take it from the
    /// system's randomness.
    ///
    /// # Panics
    /// If the plan has more than [`snmp::SLOTS_MAX`] devices; so does [`Self::set_plan`].
    #[must_use]
    pub fn new(plan: Plan, seed: u64, now: Duration, wall: Timestamp) -> Self {
        let mut scheduler = Self {
            key: RequestIdKey::new(seed),
            grid: Grid::new(plan.interval, 0, plan.devices.len(), now, wall),
            stamper: Stamper::new(now, wall),
            pauses: Pauses::new(now),
            wall,
            slots: Vec::new(),
            free: VecDeque::new(),
            of_device: HashMap::new(),
            timers: Timers::default(),
            ready: VecDeque::new(),
            names: Names::default(),
            cycles: Cycles::default(),
            traffic: Traffic::default(),
            outputs: VecDeque::new(),
        };
        scheduler.cycles.open(0);
        scheduler.place(plan.devices, now);
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
        if plan.interval != self.grid.interval() {
            let cycle = self.grid.cycle_at(now) + 1;
            self.grid = Grid::new(plan.interval, cycle, plan.devices.len(), now, self.wall);
            for slot in self.slots.iter_mut().flatten() {
                (slot.next_cycle, slot.next_start) = self.grid.next_start(cycle, slot.phase, now);
            }
        }
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
            self.end_cycles(now);
        }
        outgoing
    }

    /// Takes a datagram from a socket.
    pub fn handle(&mut self, now: Duration, from: SocketAddr, datagram: &[u8]) {
        self.traffic.received += 1;
        self.traffic.received_bytes += datagram.len() as u64;
        let id = peek_request_id(datagram).ok();
        let number = id.and_then(|id| self.key.slot(id));
        let slot = number.and_then(|number| self.slots.get_mut(number as usize)?.as_mut());
        match (slot, number) {
            (Some(slot), Some(number)) if slot.may_answer_from(from) => {
                slot.device.handle(now, datagram);
                self.wake(number);
            }
            _ => self.traffic.foreign += 1,
        }
    }

    /// When to call [`Self::transmit`] next if no datagram arrives before.
    pub fn deadline(&mut self, now: Duration) -> Option<Duration> {
        if !self.ready.is_empty() {
            return Some(now);
        }
        let next_cycle = self.grid.cycle_start(self.grid.cycle_at(now) + 1);
        let earliest = self.timers.earliest();
        Some(earliest.map_or(next_cycle, |at| at.min(next_cycle)))
    }

    /// The cycle at this time, and when it is over.
    #[must_use]
    pub fn cycle(&self, now: Duration) -> (u64, Duration) {
        let cycle = self.grid.cycle_at(now);
        (cycle, self.grid.cycle_start(cycle + 1))
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
        self.traffic.send_error = Some(error);
    }

    fn place(&mut self, plans: Vec<Arc<DevicePlan>>, now: Duration) {
        self.names.keep(plans.iter().map(|plan| &**plan));
        let mut old = std::mem::take(&mut self.of_device);
        let mut counts = HashMap::new();
        for (position, plan) in plans.into_iter().enumerate() {
            let mut key = DeviceKey::of(&plan);
            let count = counts.entry(key.clone()).or_insert(0);
            key.nth = *count;
            *count += 1;
            let slot = match old.remove(&key) {
                Some(slot) => {
                    self.keep(slot, plan, position);
                    slot
                }
                None => self.add(plan, position, now),
            };
            self.of_device.insert(key, slot);
        }
        for slot in old.into_values() {
            self.remove(slot);
        }
    }

    fn keep(&mut self, number: u32, plan: Arc<DevicePlan>, position: usize) {
        if let Some(slot) = &mut self.slots[number as usize] {
            slot.device.adopt(plan, position);
            self.wake(number);
        }
    }

    fn add(&mut self, plan: Arc<DevicePlan>, position: usize, now: Duration) -> u32 {
        let number = self.free.pop_front().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        let phase = Phase::of(&plan);
        let (next_cycle, next_start) = self.grid.next_start(0, phase, now);
        self.slots[number as usize] = Some(Slot {
            device: Device::new(plan, position, self.key, number),
            phase,
            next_cycle,
            next_start,
            is_ready: false,
        });
        self.timers.arm(number, next_start);
        number
    }

    fn remove(&mut self, number: u32) {
        let removed = self.slots[number as usize].take();
        if let Some(cycle) = removed.and_then(|slot| slot.device.polling()) {
            self.cycles.abandon(cycle);
        }
        self.free.push_back(number);
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
                    self.wake(number);
                    return Some(self.send(to?, datagram, is_retry));
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
        match pause.later(slot.next_start, self.grid.interval()) {
            Some(later) => slot.next_start = later,
            None => {
                let next = self.grid.next_start(slot.next_cycle, slot.phase, now);
                (slot.next_cycle, slot.next_start) = next;
            }
        }
        Some(slot.next_start)
    }

    /// Begins a device's poll. Returns when to try again if its name is still being looked up.
    fn begin(&mut self, number: u32, now: Duration) -> Option<Duration> {
        let slot = self.slots[number as usize].as_mut()?;
        let address = self.names.address(slot.device.plan(), now);
        let is_late = slot.next_start + self.grid.interval() <= now;
        if matches!(address, Address::Pending) && !is_late {
            return Some(now + AWAIT_NAME);
        }
        let cycle = slot.next_cycle;
        let next = self.grid.next_start(cycle + 1, slot.phase, now);
        (slot.next_cycle, slot.next_start) = next;
        self.cycles.start(cycle, now);
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
        if let Some(slot) = &self.slots[number as usize] {
            self.cycles.end(&poll, &slot.device.plan().name, now);
        }
        self.outputs.push_back(Output::Device(poll));
    }

    fn send(&mut self, to: SocketAddr, datagram: Vec<u8>, is_retry: bool) -> Outgoing {
        self.traffic.sent += 1;
        self.traffic.sent_bytes += datagram.len() as u64;
        self.traffic.retried += u64::from(is_retry);
        Outgoing { to, datagram }
    }

    fn end_cycles(&mut self, now: Duration) {
        let current = self.grid.cycle_at(now);
        if !self.cycles.has_opened(current) {
            self.cycles.open(current);
        }
        let devices = self.of_device.len();
        while let Some(mut report) = self.cycles.take_over(devices, current) {
            report.traffic = std::mem::take(&mut self.traffic);
            report.clock = self.stamper.take_step();
            self.outputs.push_back(Output::Cycle(report));
        }
    }
}
