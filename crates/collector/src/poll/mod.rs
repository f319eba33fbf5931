//! The poll of one device in one cycle.
//!
//! ```text
//!  begin ─▶ address? ─▶ silent before? ── yes ─▶ probe: one datagram ── silence ─▶ over
//!                            │ no                       │ answer
//!                            ▼                          ▼
//!                          GET all that has a name ◀────┘
//!                            ▼
//!                          interfaces unknown or moved? walk their tables, GET these
//!                            ▼
//!                          no 64-bit counter? GET the 32-bit one
//!                            ▼
//!                          over; or the next cycle begins, and what is missing stays unknown
//! ```

mod taking;

use crate::chunk::Chunk;
use crate::memory::{Memory, Requests};
use crate::proof::{Proof, Proving};
use crate::report::{CycleId, DevicePoll, Effort, Missing, Outcome, Reading, Unfound};
use crate::stamp::Stamper;
use crate::todo::Todo;
use crate::walks::Walks;
use rrd::Timestamp;
use snmp::{Event, Oid, Request, RequestError, RequestToken, Session, Tally, mib};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A poll in progress.
#[derive(Debug)]
pub(crate) struct Poll {
    pub(crate) cycle: CycleId,
    pub(crate) started_at: Duration,
    /// When the device's next cycle begins.
    pub(crate) deadline: Duration,
    /// The latest time for an answer to the probe, if the device was silent before.
    probe_until: Option<Duration>,
    awaited: BTreeMap<RequestToken, Work>,
    todo: Todo,
    has_walked: bool,
    proving: Proving,
    answered: bool,
    /// Why its connection ended.
    broken: Option<Arc<str>>,
    /// Why the device does not answer its user.
    denied: Option<RequestError>,
    restarted: bool,
    uptime: Option<Duration>,
    began: Option<Timestamp>,
    last_answer_at: Duration,
    /// The session's counts when the poll began.
    tally_before: Tally,
    readings: Vec<Result<Reading, Missing>>,
    walks: Walks,
}

#[derive(Debug)]
enum Work {
    Probe,
    Get(Chunk),
    Walk(Oid),
    Proof(Proof),
    /// One of the plan's walks, by its number.
    Row(usize),
}

/// The device's state that a poll uses.
pub(crate) struct Tools<'a> {
    pub(crate) memory: &'a mut Memory,
    pub(crate) session: &'a mut Session,
    pub(crate) stamper: &'a Stamper,
}

impl Tools<'_> {
    /// Notes whether the device's engine has started again; returns whether it has.
    fn note_engine_boots(&mut self) -> bool {
        let boots = self.session.engine_boots();
        boots.is_some_and(|boots| self.memory.note_engine_boots(boots))
    }
}

impl Poll {
    pub(crate) fn begin(
        cycle: CycleId,
        now: Duration,
        deadline: Duration,
        was_silent: bool,
        tools: &mut Tools<'_>,
    ) -> Self {
        let variables = tools.memory.plan.variables.len();
        let tally = tools.session.tally();
        let mut poll = Self {
            cycle,
            started_at: now,
            deadline,
            probe_until: None,
            awaited: BTreeMap::new(),
            todo: Todo::All,
            has_walked: false,
            proving: Proving::default(),
            answered: false,
            broken: None,
            denied: None,
            restarted: false,
            uptime: None,
            began: tools.stamper.stamp(now),
            last_answer_at: now,
            tally_before: tally,
            readings: vec![Err(Missing::NoAnswer); variables],
            walks: Walks::new(tools.memory.plan.walks.len()),
        };
        if was_silent {
            let token = tools.session.submit(Request::Get(vec![mib::SYS_UP_TIME]));
            poll.awaited.insert(token, Work::Probe);
            poll.probe_until = Some(now + tools.session.config().timeout);
        } else {
            poll.ask(tools);
        }
        poll
    }

    /// When to act if no answer arrives.
    pub(crate) fn wakes_at(&self) -> Duration {
        self.probe_until.map_or(self.deadline, |until| until.min(self.deadline))
    }

    /// Whether it must end now, with or without answers.
    pub(crate) fn is_overdue(&self, now: Duration) -> bool {
        self.broken.is_some() || now >= self.wakes_at()
    }

    /// The connection to the device has ended, and with it the poll.
    pub(crate) fn break_off(&mut self, why: Arc<str>) {
        self.broken = Some(why);
    }

    /// Takes the result of a request. Returns whether the poll is over.
    pub(crate) fn take(&mut self, event: Event, now: Duration, tools: &mut Tools<'_>) -> bool {
        let Some(work) = self.awaited.remove(&event.token) else {
            return false;
        };
        let mut began_anew = false;
        if let Ok(answer) = &event.result {
            self.answered = true;
            self.last_answer_at = self.last_answer_at.max(answer.finished_at);
            began_anew = tools.note_engine_boots();
            self.restarted |= began_anew;
        } else if let Err(error) = &event.result
            && self.is_hopeless(error)
        {
            return true;
        }
        match (work, event.result) {
            (Work::Probe, answer) => {
                self.probe_until = None;
                if let Ok(answer) = answer {
                    self.take_probe(&answer, tools);
                    self.ask(tools);
                }
            }
            (Work::Get(chunk), Ok(answer)) => self.take_values(&chunk, answer, tools),
            (Work::Proof(proof), Ok(answer)) => {
                let (memory, readings) = (&mut *tools.memory, &mut self.readings);
                self.restarted |= self.proving.take(&proof, answer, memory, readings, began_anew);
            }
            (Work::Get(_) | Work::Proof(_), Err(_)) => {}
            (Work::Row(nth), result) => self.take_row(nth, result, tools),
            (Work::Walk(column), result) => {
                let rows = result
                    .map(|answer| answer.bindings)
                    .map_err(|error| Unfound::Walk(error.into()));
                let found = tools.memory.look_up(&column, &rows, now);
                self.todo.extend(found);
            }
        }
        self.awaited.is_empty() && !self.has_more(now, tools)
    }

    /// Whether no other request would be answered either, because the device is silent or refuses
    /// its user.
    fn is_hopeless(&mut self, error: &RequestError) -> bool {
        let denies = matches!(error, RequestError::Denied { .. } | RequestError::Ignored { .. });
        if denies && !self.answered {
            self.denied = Some(error.clone());
        }
        (denies || matches!(error, RequestError::TimedOut { .. })) && !self.answered
    }

    /// Ends the poll with the readings so far.
    pub(crate) fn finish(mut self, device: usize, tools: &mut Tools<'_>) -> DevicePoll {
        for token in self.awaited.keys() {
            tools.session.cancel(*token);
        }
        for (variable, reading) in self.readings.iter_mut().enumerate() {
            // Walks during the poll may know more than when the variable was skipped.
            if let (Err(Missing::Interface(why)), Some(Err(now))) =
                (reading, tools.memory.index_of(variable))
            {
                *why = now;
            }
        }
        self.proving.settle(tools.memory, &mut self.readings);
        let epoch = tools.memory.epoch();
        let walked = self.walks.settle(&mut tools.memory.walked, epoch);
        let effort = effort(self.tally_before, tools.session);
        if let Some(why) = &self.broken {
            tell_of_connection(&mut self.readings, why);
        }
        DevicePoll {
            device,
            cycle: self.cycle,
            began: self.began,
            took: self.last_answer_at.saturating_sub(self.started_at),
            outcome: match (self.denied, self.broken) {
                _ if self.answered => Outcome::Answered,
                (Some(error), _) => Outcome::Denied(error),
                (None, Some(why)) => Outcome::NoConnection(why),
                (None, None) => Outcome::Silent { datagrams: effort.sent },
            },
            restarted: self.restarted,
            uptime: self.uptime,
            unwanted: 0,
            effort,
            learnt: None,
            readings: self.readings,
            walked,
        }
    }

    /// Sends further requests, once all earlier ones are answered. Returns false if there is
    /// nothing to ask.
    fn has_more(&mut self, now: Duration, tools: &mut Tools<'_>) -> bool {
        if self.todo.is_empty() && !self.has_walked {
            self.has_walked = true;
            for column in tools.memory.interfaces.columns_to_walk(now) {
                let token = tools.session.submit(Request::Walk(column.clone()));
                self.awaited.insert(token, Work::Walk(column));
            }
        } else if !self.todo.is_empty() {
            self.ask(tools);
        }
        if self.awaited.is_empty()
            && let Some(proof) = self.proving.request(tools.memory, &self.readings)
        {
            let token = tools.session.submit(Request::Values(proof.names().into()));
            self.awaited.insert(token, Work::Proof(proof));
        }
        !self.awaited.is_empty()
    }

    fn ask(&mut self, tools: &mut Tools<'_>) {
        let Requests { chunks, missing } = match std::mem::take(&mut self.todo) {
            Todo::All => tools.memory.requests_for_all(),
            Todo::Some(which) => tools.memory.requests(&which),
        };
        for (variable, why) in &*missing {
            self.readings[*variable] = Err(why.clone());
        }
        for chunk in &*chunks {
            let token = tools.session.submit(Request::Values(chunk.names.clone()));
            self.awaited.insert(token, Work::Get(chunk.clone()));
        }
        for (nth, request) in self.walks.begin(&tools.memory.plan.walks).into_iter().enumerate() {
            let token = tools.session.submit(request);
            self.awaited.insert(token, Work::Row(nth));
        }
    }
}

/// Values that did not come before the connection ended.
fn tell_of_connection(readings: &mut [Result<Reading, Missing>], why: &Arc<str>) {
    for reading in readings {
        if *reading == Err(Missing::NoAnswer) {
            *reading = Err(Missing::Connection(why.clone()));
        }
    }
}

/// What a session has sent since `before`, and what it has learnt.
fn effort(before: Tally, session: &Session) -> Effort {
    let now = session.tally();
    let retried = now.retried - before.retried;
    Effort {
        sent: now.sent - before.sent + retried,
        retried,
        given_up: now.timed_out - before.timed_out,
        bindings_max: session.limits().bindings_max,
    }
}
