//! A session with one device: a state machine without socket or clock.
//!
//! ```text
//!  submit ─▶ job ─▶ ready ─▶ flight ─▶ answer ─▶ job done ─▶ event
//!                     ▲        │ timeout: again, later each time
//!                     └────────┘ refused or incomplete: what is left is asked again
//! ```
//!
//! For each device, the event loop does the following:
//! - after `submit`, after `handle` and when `deadline` has come: call `transmit` until it gives
//!   `None`, send what it gives, then drain `next_event`;
//! - a datagram from the socket: `peek_request_id`, then `RequestIdKey::slot` says whose it is,
//!   then `handle`.
//!
//! `now` is the time since any fixed start that the caller likes, and never goes back.

mod config;
mod learned;
mod event;
mod step;
mod flight;
mod names;
mod bulk;
mod get;
mod walk;
mod engine_clock;
mod peer;
mod secured;

pub use config::{Config, Security};
pub use event::{Answer, Event, Failure, Request, RequestError, RequestToken, Tally};
pub use learned::Limits;
pub use names::{Names, TableNames};

use crate::error::DecodeError;
use crate::message::{Message, MessageView};
use crate::pdu::{ErrorStatus, Operation, Pdu, PduView, VarBind};
use crate::request_id::RequestIds;
use flight::{Ask, Flight};
use get::GetJob;
use learned::Learned;
use peer::Peer;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use step::Step;
use walk::WalkJob;

/// A session with one device.
#[derive(Debug)]
pub struct Session {
    config: Config,
    learned: Learned,
    ids: RequestIds,
    jobs: BTreeMap<RequestToken, Job>,
    ready: VecDeque<RequestToken>,
    flights: Vec<Flight>,
    events: VecDeque<Event>,
    tally: Tally,
    tokens: u64,
    /// When the device last answered.
    heard_at: Option<Duration>,
    /// The device's engine, with SNMPv3.
    peer: Option<Box<Peer>>,
}

/// A submitted request in progress.
#[derive(Debug)]
struct Job {
    work: Work,
    started_at: Option<Duration>,
    transmissions: u32,
}

impl Job {
    /// Whether the device answered just before or while this was on its way.
    fn was_heard(&self, heard_at: Option<Duration>, now: Duration, config: &Config) -> bool {
        let since = self.started_at.unwrap_or(now).saturating_sub(config.timeout);
        heard_at.is_some_and(|heard_at| heard_at >= since)
    }
}

#[derive(Debug)]
enum Work {
    Get(GetJob),
    Walk(WalkJob),
}

impl Work {
    fn take(
        &mut self,
        ask: Ask,
        fault: (ErrorStatus, u32),
        bindings: Vec<VarBind>,
        learned: &mut Learned,
    ) -> Step {
        let refused = fault.0 != ErrorStatus::NoError;
        match (self, ask) {
            (Work::Get(get), Ask::Get(ask)) if refused => get.refuse(&ask, fault, learned),
            (Work::Get(get), Ask::Get(ask)) => get.answer(&ask, bindings, learned),
            (Work::Walk(walk), Ask::Walk(step)) if refused => walk.refuse(&step, fault.0, learned),
            (Work::Walk(walk), Ask::Walk(step)) => walk.answer(&step, bindings, learned),
            (Work::Get(_), Ask::Walk(_)) | (Work::Walk(_), Ask::Get(_)) => Step::Wait,
        }
    }
}

impl Session {
    /// A session that has sent nothing yet. `ids` come from [`crate::RequestIdKey::ids`].
    pub fn new(config: Config, ids: RequestIds) -> Session {
        Session {
            learned: Learned::new(&config),
            peer: match &config.security {
                Security::Community { .. } => None,
                Security::User { user, context } => {
                    Some(Box::new(Peer::new(user.clone(), context.clone())))
                }
            },
            config,
            ids,
            jobs: BTreeMap::new(),
            ready: VecDeque::new(),
            flights: Vec::new(),
            events: VecDeque::new(),
            tally: Tally::default(),
            tokens: 0,
            heard_at: None,
        }
    }

    /// Queues a request. Its event has the token.
    pub fn submit(&mut self, request: Request) -> RequestToken {
        let work = match request {
            Request::Get(oids) => Work::Get(GetJob::of_names(oids)),
            Request::Values(names) => Work::Get(GetJob::of_values(names)),
            Request::Walk(root) => Work::Walk(WalkJob::new(root, &self.config, &self.learned)),
            Request::First { root, rows } => {
                Work::Walk(WalkJob::new(root, &self.config, &self.learned).of_first(rows))
            }
            Request::Next(name) => {
                Work::Walk(WalkJob::new(name, &self.config, &self.learned).of_next())
            }
        };
        let token = RequestToken(self.tokens);
        self.tokens += 1;
        self.jobs.insert(token, Job { work, started_at: None, transmissions: 0 });
        self.ready.push_back(token);
        token
    }

    /// Cancels a request: it gets no event, and late answers count as stale.
    pub fn cancel(&mut self, token: RequestToken) {
        if let Some(job) = self.jobs.remove(&token) {
            self.note_unanswered_bulk(token, &job);
        }
        self.ready.retain(|ready| *ready != token);
        self.flights.retain(|flight| flight.token != token);
    }

    /// The next datagram to send at `now`: first retries of datagrams that timed out, then new ones
    /// while fewer than the limit are in flight. A datagram that timed out for the last time
    /// becomes an event here.
    pub fn transmit(&mut self, now: Duration) -> Option<Vec<u8>> {
        self.learned.reconsider(now);
        while let Some(position) = self.flights.iter().position(|f| f.deadline <= now) {
            let flight = self.flights.get_mut(position)?;
            if flight.begin_anew(now, &self.config) {
                self.tally.sent += 1;
                return self.datagram(position, now);
            }
            if flight.may_retry(&self.config) {
                return self.retransmit(position, now);
            }
            let flight = self.flights.swap_remove(position);
            self.tally.timed_out += 1;
            self.fail(flight, now);
        }
        while self.flights.len() < self.in_flight_max() {
            let token = self.ready.pop_front()?;
            if let Some(ask) = self.next_ask(token, now) {
                return self.send(token, ask, now);
            }
        }
        None
    }

    /// Handles a datagram from the socket. A datagram that is not an awaited answer is counted and
    /// dropped, so that an attacker cannot end a request.
    pub fn handle(&mut self, now: Duration, datagram: &[u8]) {
        self.tally.received += 1;
        let Security::Community { version, community } = &self.config.security else {
            return self.handle_secured(now, datagram);
        };
        let Ok(message) = MessageView::parse(datagram) else {
            self.tally.malformed += 1;
            return;
        };
        let is_ours = message.version() == *version && message.community() == community.as_bytes();
        if !is_ours || !matches!(message.operation(), Operation::Response { .. }) {
            self.tally.foreign += 1;
            return;
        }
        match self.position_of(message.request_id()) {
            Some(position) => self.take_pdu(now, position, message.pdu()),
            None => self.tally.stale += 1,
        }
    }

    /// When to call `transmit` next if nothing else happens: the earliest timeout, or zero if
    /// something can be sent at once. `None` if the session is idle.
    pub fn deadline(&self) -> Option<Duration> {
        if !self.ready.is_empty() && self.flights.len() < self.in_flight_max() {
            return Some(Duration::ZERO);
        }
        self.flights.iter().map(|flight| flight.deadline).min()
    }

    /// The next event, oldest first.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// How often the device's engine has started, if it proved that, with SNMPv3.
    pub fn engine_boots(&self) -> Option<u32> {
        self.peer.as_ref()?.engine_boots()
    }

    /// Whether no request is queued or in flight.
    pub fn is_idle(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The traffic so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The parameters.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// While the device's engine is not known, one datagram asks for it.
    fn in_flight_max(&self) -> usize {
        match &self.peer {
            Some(peer) if !peer.knows_engine() => 1,
            _ => self.config.in_flight_max.max(1),
        }
    }

    /// A request is cancelled: if its GETBULK was sent again, and the device answered others, that
    /// is what a timeout would show.
    fn note_unanswered_bulk(&mut self, token: RequestToken, job: &Job) {
        let mut flights = self.flights.iter().filter(|flight| flight.token == token);
        if flights.any(Flight::is_unanswered_bulk)
            && job.was_heard(self.heard_at, Duration::MAX, &self.config)
        {
            self.learned.note_silence_to_bulk();
        }
    }

    fn position_of(&self, request_id: i32) -> Option<usize> {
        self.flights.iter().position(|flight| flight.request_id == request_id)
    }

    fn take_pdu(&mut self, now: Duration, position: usize, pdu: PduView<'_>) {
        let Pdu { operation, bindings, .. } = match pdu.to_pdu() {
            Ok(pdu) => pdu,
            Err(error) => return self.note_malformed(position, error),
        };
        let Operation::Response { error_status, error_index } = operation else {
            return;
        };
        self.heard_at = Some(now);
        self.learned.answered_max = self.learned.answered_max.max(bindings.len());
        let flight = self.flights.swap_remove(position);
        let Some(job) = self.jobs.get_mut(&flight.token) else {
            return;
        };
        let fault = (error_status, error_index);
        let step = job.work.take(flight.ask, fault, bindings, &mut self.learned);
        self.advance(flight.token, step, now);
    }

    /// The error is kept for that of a timeout: the device answers, but the answer is not readable.
    fn note_malformed(&mut self, position: usize, error: DecodeError) {
        self.tally.malformed += 1;
        if let Some(flight) = self.flights.get_mut(position) {
            flight.malformed = Some(error);
        }
    }

    fn next_ask(&mut self, token: RequestToken, now: Duration) -> Option<Ask> {
        let job = self.jobs.get_mut(&token)?;
        match &mut job.work {
            Work::Walk(walk) => Some(Ask::Walk(walk.next_step())),
            Work::Get(get) => {
                let Some(ask) = get.next_ask(&self.learned, &self.config) else {
                    let step = get.step();
                    self.advance(token, step, now);
                    return None;
                };
                if get.has_unasked() {
                    self.ready.push_front(token);
                }
                Some(Ask::Get(ask))
            }
        }
    }

    fn send(&mut self, token: RequestToken, ask: Ask, now: Duration) -> Option<Vec<u8>> {
        let request_id = self.ids.next_id();
        self.flights.push(Flight::new(request_id, token, ask, now, &self.config));
        self.tally.sent += 1;
        self.datagram(self.flights.len() - 1, now)
    }

    fn retransmit(&mut self, position: usize, now: Duration) -> Option<Vec<u8>> {
        // The request id stays the same, so that a late answer to the first transmission is still
        // valid.
        self.flights.get_mut(position)?.retry(now, &self.config);
        self.tally.retried += 1;
        self.datagram(position, now)
    }

    fn datagram(&mut self, position: usize, now: Duration) -> Option<Vec<u8>> {
        let flight = self.flights.get(position)?;
        let job = self.jobs.get_mut(&flight.token)?;
        job.started_at.get_or_insert(now);
        job.transmissions += 1;
        let (operation, bindings) = match (&job.work, &flight.ask) {
            (Work::Get(get), Ask::Get(ask)) => get.question(ask)?,
            (_, Ask::Walk(step)) => step.question(),
            (Work::Walk(_), Ask::Get(_)) => return None,
        };
        let pdu = Pdu { request_id: flight.request_id, operation, bindings };
        match (&self.config.security, &mut self.peer) {
            (Security::Community { version, community }, _) => {
                let (version, community) = (*version, community.clone());
                Some(Message { version, community, pdu }.encode())
            }
            (_, Some(peer)) if peer.knows_engine() => peer.seal(now, &pdu, &self.ids),
            (_, peer) => Some(peer.as_ref()?.discovery(flight.request_id)),
        }
    }

    fn fail(&mut self, flight: Flight, now: Duration) {
        let Some(transmissions) = self.jobs.get(&flight.token).map(|job| job.transmissions) else {
            return;
        };
        let malformed = flight.malformed;
        let error = self
            .denial(flight.denial, &malformed, transmissions)
            .unwrap_or(RequestError::TimedOut { transmissions, malformed });
        let Some(job) = self.jobs.get_mut(&flight.token) else {
            return;
        };
        let was_heard = job.was_heard(self.heard_at, now, &self.config);
        let step = match (&mut job.work, flight.ask) {
            (Work::Get(get), Ask::Get(ask)) => {
                get.time_out(&ask, error, &mut self.learned, was_heard)
            }
            (Work::Walk(walk), Ask::Walk(step)) => walk.time_out(&step, error, &self.learned),
            _ => Step::Wait,
        };
        self.advance(flight.token, step, now);
    }

    fn advance(&mut self, token: RequestToken, step: Step, now: Duration) {
        match step {
            Step::Wait => {}
            // In front: a request in progress is finished before the next one begins.
            Step::Ready if self.ready.contains(&token) => {}
            Step::Ready => self.ready.push_front(token),
            Step::Done(result) => {
                self.ready.retain(|ready| *ready != token);
                let Some(job) = self.jobs.remove(&token) else {
                    return;
                };
                let result = result.map(|answered| Answer {
                    bindings: answered.bindings,
                    failed: answered.failed,
                    values: answered.values,
                    responses: answered.responses,
                    started_at: job.started_at.unwrap_or(now),
                    finished_at: now,
                    transmissions: job.transmissions,
                });
                self.events.push_back(Event { token, result });
            }
        }
    }
}
