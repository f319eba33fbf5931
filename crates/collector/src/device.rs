//! One device: what is known of it, its SNMP session, and the poll in progress.

use crate::learnt::Learnt;
use crate::memory::Memory;
use crate::plan::DevicePlan;
use crate::poll::{Poll, Tools};
use crate::report::{CycleId, DevicePoll, Effort, Missing, Outcome, Reading};
use crate::stamp::Stamper;
use crate::walks;
use rrd::Timestamp;
use snmp::{RequestIdKey, Session};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// One device.
#[derive(Debug)]
pub(crate) struct Device {
    /// Its position in the plan.
    pub(crate) position: usize,
    /// The address that it is polled at; it changes only between polls.
    pub(crate) address: Option<SocketAddr>,
    ids: (RequestIdKey, u32),
    session: Session,
    memory: Memory,
    /// The plan to use when the poll in progress is over.
    next_plan: Option<Arc<DevicePlan>>,
    poll: Option<Poll>,
    was_silent: bool,
    /// The unwanted datagrams that its polls have reported.
    unwanted_told: u64,
    /// What is known of it from an earlier run, until it answers.
    recalled: Option<Box<Learnt>>,
    /// The limits that its polls have reported last, if they have.
    learnt_told: Option<Box<Learnt>>,
}

impl Device {
    pub(crate) fn new(
        plan: Arc<DevicePlan>,
        position: usize,
        key: RequestIdKey,
        slot: u32,
    ) -> Self {
        Self {
            position,
            address: None,
            ids: (key, slot),
            session: Session::new(plan.snmp.clone(), key.ids(slot)),
            memory: Memory::new(plan),
            next_plan: None,
            poll: None,
            was_silent: false,
            unwanted_told: 0,
            recalled: None,
            learnt_told: None,
        }
    }

    /// Starts from limits that it showed to an earlier run.
    pub(crate) fn recall(&mut self, learnt: Learnt) {
        self.session.recall(&learnt.limits);
        self.memory.recall_narrow(learnt.has_only_narrow);
        self.recalled = Some(learnt.into());
        self.learnt_told.clone_from(&self.recalled);
    }

    /// The plan for its next poll.
    pub(crate) fn plan(&self) -> &Arc<DevicePlan> {
        self.next_plan.as_ref().unwrap_or(&self.memory.plan)
    }

    /// Switches to another plan. A poll in progress ends with the old one.
    pub(crate) fn adopt(&mut self, plan: Arc<DevicePlan>, position: usize) {
        self.position = position;
        self.next_plan = Some(plan);
        if self.poll.is_none() {
            self.take_next_plan();
        }
    }

    /// The cycle of the poll in progress.
    pub(crate) fn polling(&self) -> Option<CycleId> {
        self.poll.as_ref().map(|poll| poll.cycle)
    }

    /// Begins a poll.
    pub(crate) fn begin(
        &mut self,
        cycle: CycleId,
        now: Duration,
        deadline: Duration,
        stamper: &Stamper,
    ) {
        debug_assert!(self.poll.is_none(), "cycles never overlap");
        let was_silent = self.was_silent;
        let mut tools = Tools { memory: &mut self.memory, session: &mut self.session, stamper };
        let poll = Poll::begin(cycle, now, deadline, was_silent, &mut tools);
        self.poll = Some(poll);
    }

    /// The result of a cycle in which the device is not polled because it has no address.
    pub(crate) fn skip(
        &self,
        cycle: CycleId,
        why: Arc<str>,
        began: Option<Timestamp>,
    ) -> DevicePoll {
        DevicePoll {
            device: self.position,
            cycle,
            began,
            took: Duration::ZERO,
            outcome: Outcome::NoAddress(why),
            restarted: false,
            uptime: None,
            unwanted: 0,
            effort: Effort::default(),
            learnt: None,
            readings: vec![Err(Missing::NoAnswer); self.memory.plan.variables.len()],
            walked: vec![Err(Missing::NoAnswer); self.memory.plan.walks.len()],
        }
    }

    /// The connection to it has ended: so has a poll in progress, which then fails. Returns whether
    /// there is one.
    pub(crate) fn break_off(&mut self, why: Arc<str>) -> bool {
        let poll = self.poll.as_mut();
        poll.map(|poll| poll.break_off(why)).is_some()
    }

    /// Takes a datagram from the device.
    pub(crate) fn handle(&mut self, now: Duration, datagram: &[u8]) {
        self.session.handle(now, datagram);
    }

    /// Continues after an answer or a timeout, until there is a datagram to send, the poll is over,
    /// or there is nothing to do before [`Self::wakes_at`].
    pub(crate) fn go_on(&mut self, now: Duration, stamper: &Stamper) -> Step {
        loop {
            if let Some(done) = self.take_events(now, stamper) {
                return Step::Done(Box::new(done));
            }
            if self.poll.is_none() {
                return Step::Wait;
            }
            let retried_before = self.session.tally().retried;
            if let Some(datagram) = self.session.transmit(now) {
                let is_retry = self.session.tally().retried > retried_before;
                return Step::Send { datagram, is_retry };
            }
            // A request whose last retry timed out is an event now.
            if let Some(done) = self.take_events(now, stamper) {
                return Step::Done(Box::new(done));
            }
            if self.session.deadline() != Some(Duration::ZERO) {
                return Step::Wait;
            }
        }
    }

    /// When to call [`Self::go_on`] next if no datagram arrives before.
    pub(crate) fn wakes_at(&self) -> Option<Duration> {
        let poll = self.poll.as_ref()?.wakes_at();
        Some(self.session.deadline().map_or(poll, |session| session.min(poll)))
    }

    fn take_events(&mut self, now: Duration, stamper: &Stamper) -> Option<DevicePoll> {
        let mut is_over = false;
        let poll = self.poll.as_mut()?;
        let mut tools = Tools { memory: &mut self.memory, session: &mut self.session, stamper };
        while !is_over && let Some(event) = tools.session.next_event() {
            is_over = poll.take(event, now, &mut tools);
        }
        if !is_over && !poll.is_overdue(now) {
            return None;
        }
        let mut done = self.poll.take()?.finish(self.position, &mut tools);
        self.was_silent = done.outcome != Outcome::Answered;
        done.learnt = self.news_of_limits(&done);
        let before = self.memory.plan.clone();
        let unwanted = self.session.tally().unwanted();
        done.unwanted = unwanted - std::mem::replace(&mut self.unwanted_told, unwanted);
        if let Some(came_from) = self.take_next_plan() {
            done.readings = rearrange(done.readings, &came_from);
            let came_from = walks::came_from(&self.memory.plan.walks, &before.walks);
            done.walked = rearrange(done.walked, &came_from);
        }
        Some(done)
    }

    /// The device's limits after a poll, if they are not those that were reported last. Those of an
    /// earlier start are forgotten.
    fn news_of_limits(&mut self, done: &DevicePoll) -> Option<Box<Learnt>> {
        let now = self.memory.learnt(self.session.limits())?;
        if done.outcome != Outcome::Answered {
            return None;
        }
        let recalled = self.recalled.take();
        let was_restarted = recalled.is_some_and(|before| before.is_of_an_earlier_start(&now));
        if was_restarted {
            self.memory.recall_narrow(false);
        }
        if was_restarted || done.restarted {
            self.session.forget_limits();
        }
        let now = self.memory.learnt(self.session.limits())?;
        let is_told = match &self.learnt_told {
            None => now.is_empty(),
            Some(told) => (told.limits, told.has_only_narrow) == (now.limits, now.has_only_narrow),
        };
        if is_told && !was_restarted && !done.restarted {
            return None;
        }
        let now = Box::new(now);
        self.learnt_told = (!now.is_empty()).then(|| now.clone());
        Some(now)
    }

    fn take_next_plan(&mut self) -> Option<Vec<Option<usize>>> {
        let plan = self.next_plan.take()?;
        if *self.session.config() != plan.snmp {
            let (key, slot) = self.ids;
            let limits = self.session.limits();
            self.session = Session::new(plan.snmp.clone(), key.ids(slot));
            self.session.recall(&limits);
            self.unwanted_told = 0;
        }
        Some(self.memory.adopt(plan))
    }
}

/// The result of [`Device::go_on`].
#[derive(Debug)]
pub(crate) enum Step {
    /// This is to be sent to the device's address.
    Send {
        datagram: Vec<u8>,
        is_retry: bool,
    },
    /// The poll is over.
    Done(Box<DevicePoll>),
    Wait,
}

/// Reorders readings from the order of the old plan to that of the new one.
fn rearrange(
    readings: Vec<Result<Reading, Missing>>,
    came_from: &[Option<usize>],
) -> Vec<Result<Reading, Missing>> {
    let of = |before: &Option<usize>| {
        before.map_or(Err(Missing::NotAsked), |position| readings[position].clone())
    };
    came_from.iter().map(of).collect()
}
