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

use crate::chunk::Chunk;
use crate::memory::{Memory, Taken};
use crate::report::{DevicePoll, Effort, Missing, Outcome, Reading, Unfound};
use crate::stamp::Stamper;
use crate::uptime::Uptime;
use rrd::Timestamp;
use snmp::{
    Answer, Event, Failure, Oid, Request, RequestError, RequestToken, Session, Tally, Value, mib,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// A poll in progress.
#[derive(Debug)]
pub(crate) struct Poll {
    pub(crate) cycle: u64,
    pub(crate) started_at: Duration,
    /// When the device's next cycle begins.
    pub(crate) deadline: Duration,
    /// The latest time for an answer to the probe, if the device was silent before.
    probe_until: Option<Duration>,
    awaited: BTreeMap<RequestToken, Work>,
    todo: Vec<usize>,
    has_walked: bool,
    answered: bool,
    /// Why the device does not answer its user.
    denied: Option<RequestError>,
    restarted: bool,
    uptime: Option<Duration>,
    began: Option<Timestamp>,
    last_answer_at: Duration,
    /// The session's counts when the poll began.
    tally_before: Tally,
    readings: Vec<Result<Reading, Missing>>,
}

#[derive(Debug)]
enum Work {
    Probe,
    Get(Chunk),
    Walk(Oid),
}

/// The device's state that a poll uses.
pub(crate) struct Tools<'a> {
    pub(crate) memory: &'a mut Memory,
    pub(crate) session: &'a mut Session,
    pub(crate) stamper: &'a Stamper,
}

impl Poll {
    pub(crate) fn begin(
        cycle: u64,
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
            todo: (0..variables).collect(),
            has_walked: false,
            answered: false,
            denied: None,
            restarted: false,
            uptime: None,
            began: tools.stamper.stamp(now),
            last_answer_at: now,
            tally_before: tally,
            readings: vec![Err(Missing::NoAnswer); variables],
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
        now >= self.wakes_at()
    }

    /// Takes the result of a request. Returns whether the poll is over.
    pub(crate) fn take(&mut self, event: Event, now: Duration, tools: &mut Tools<'_>) -> bool {
        let Some(work) = self.awaited.remove(&event.token) else {
            return false;
        };
        if let Ok(answer) = &event.result {
            self.answered = true;
            self.last_answer_at = self.last_answer_at.max(answer.finished_at);
        } else if let Err(error) = &event.result
            && self.is_hopeless(error)
        {
            return true;
        }
        match (work, event.result) {
            (Work::Probe, answer) => {
                self.probe_until = None;
                if answer.is_ok() {
                    self.ask(tools);
                }
            }
            (Work::Get(chunk), Ok(answer)) => self.take_values(&chunk, answer, tools),
            (Work::Get(_), Err(_)) => {}
            (Work::Walk(column), result) => {
                let rows = result.map(|answer| answer.bindings).map_err(Unfound::Walk);
                let found = tools.memory.interfaces.look_up(&column, &rows, now);
                self.todo.extend(tools.memory.variables_of(&found));
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
        tools.memory.settle(&mut self.readings);
        let effort = effort(self.tally_before, tools.session.tally());
        DevicePoll {
            device,
            cycle: self.cycle,
            began: self.began,
            took: self.last_answer_at.saturating_sub(self.started_at),
            outcome: match self.denied {
                _ if self.answered => Outcome::Answered,
                Some(error) => Outcome::Denied(error),
                None => Outcome::Silent { datagrams: effort.sent },
            },
            restarted: self.restarted,
            uptime: self.uptime,
            effort,
            readings: self.readings,
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
        !self.awaited.is_empty()
    }

    fn ask(&mut self, tools: &mut Tools<'_>) {
        let todo = std::mem::take(&mut self.todo);
        let (chunks, missing) = tools.memory.chunks(&todo);
        for (variable, why) in missing {
            self.readings[variable] = Err(why);
        }
        for chunk in chunks {
            let token = tools.session.submit(Request::Get(chunk.oids.clone()));
            self.awaited.insert(token, Work::Get(chunk));
        }
    }

    fn take_values(&mut self, chunk: &Chunk, answer: Answer, tools: &mut Tools<'_>) {
        let at = answer.finished_at;
        let stamp = tools.stamper.stamp(at);
        if let Some(stamp) = stamp {
            tools.memory.note_time(at, stamp);
        }
        let mut answers = Answers::new(answer);
        let mut unverified = None;
        for (oid, ask) in chunk.oids.iter().zip(&chunk.asks) {
            let value = answers.next(oid);
            if *oid == mib::SYS_UP_TIME
                && let Ok(Value::TimeTicks(ticks)) = value
            {
                self.uptime = Some(Duration::from_millis(u64::from(ticks) * 10));
                self.restarted |= tools.memory.note_uptime(Uptime { ticks, at });
            }
            if let Some(interface) = ask.verifies {
                match &value {
                    Err(_) => unverified = Some(interface),
                    Ok(value) if !tools.memory.interfaces.verify(interface, value) => {
                        tools.memory.note_move(interface);
                    }
                    Ok(_) => {}
                }
            }
            for variable in ask.variables.iter().copied() {
                let interface = tools.memory.interface_of(variable);
                let doubtful = interface.is_some() && interface == unverified;
                let value = if doubtful { Err(Missing::NoAnswer) } else { value.clone() };
                self.take_value(variable, value, stamp, tools.memory);
            }
        }
    }

    fn take_value(
        &mut self,
        variable: usize,
        value: Result<Value, Missing>,
        stamp: Option<Timestamp>,
        memory: &mut Memory,
    ) {
        let reading = self.reading(variable, value, stamp, memory);
        self.readings[variable] = reading;
    }

    fn reading(
        &mut self,
        variable: usize,
        value: Result<Value, Missing>,
        stamp: Option<Timestamp>,
        memory: &mut Memory,
    ) -> Result<Reading, Missing> {
        let value = value?;
        if let Some(Err(why)) = memory.index_of(variable) {
            return Err(Missing::Interface(why));
        }
        match memory.note_value(variable, &value) {
            Taken::Value => {}
            Taken::AskNarrow => {
                self.todo.push(variable);
                return Err(Missing::NotThere);
            }
            Taken::Missing(why) => return Err(why),
        }
        Ok(Reading { time: stamp.ok_or(Missing::ClockSetBack)?, value, discontinuity: false })
    }
}

/// What a session has sent since `before`.
fn effort(before: Tally, now: Tally) -> Effort {
    let retried = now.retried - before.retried;
    Effort {
        sent: now.sent - before.sent + retried,
        retried,
        given_up: now.timed_out - before.timed_out,
        bindings_max: None,
    }
}

/// An answer, read in the order of its request.
struct Answers {
    bindings: std::iter::Peekable<std::vec::IntoIter<snmp::VarBind>>,
    failed: Vec<(Oid, Failure)>,
}

impl Answers {
    fn new(answer: Answer) -> Self {
        Self { bindings: answer.bindings.into_iter().peekable(), failed: answer.failed }
    }

    fn next(&mut self, oid: &Oid) -> Result<Value, Missing> {
        if let Some(binding) = self.bindings.next_if(|binding| binding.oid == *oid) {
            return Ok(binding.value);
        }
        let failed = self.failed.iter().find(|(name, _)| name == oid);
        Err(match failed {
            Some((_, Failure::TimedOut)) | None => Missing::NoAnswer,
            Some((_, failure)) => Missing::Refused(*failure),
        })
    }
}
