//! The thread that posts alerts to a receiver.

use std::collections::VecDeque;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use thresholds::alerts::webhook::Group;
use thresholds::alerts::{Alert, Outbox, alertmanager};

use super::super::super::tell;
use super::counts::Counts;
use super::desk::Desk;
use super::keeper::Keeper;
use super::link::{Link, POST_TIME_MAX, PostError};
use super::noticeboard::{Noticeboard, Woken};
use super::place::{ReceiverKind, ReceiverPlace};

/// How long alerts are gathered after the first: a device's ports break together.
const GATHERED_FOR: Duration = Duration::from_secs(1);

/// How often it is looked what is due to be told again.
const LOOK: Duration = Duration::from_secs(5);

/// A receiver that takes nothing is tried again after this long, then after twice as long, and so
/// on.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const WAIT_MAX: Duration = Duration::from_secs(60);

/// After this long, it is looked again which alerts stand, though others are still to be posted.
const ROUND_MAX: Duration = Duration::from_secs(10);

/// How long alerts may still take when the run ends.
const GRACE: Duration = Duration::from_secs(5);

/// A receiver, and the posts to it.
pub(super) struct Worker {
    pub(super) place: ReceiverPlace,
    pub(super) link: Link,
    pub(super) board: Arc<Noticeboard>,
    pub(super) desks: Arc<[Desk]>,
    /// Which of the desks is the receiver's.
    pub(super) nth: usize,
    pub(super) keeper: Arc<Keeper>,
    pub(super) counts: Arc<Counts>,
    /// Where people look for more; empty if that is not known.
    pub(super) external_url: String,
    /// How long the next try is put off, if the last one failed.
    pub(super) wait: Option<Duration>,
    /// Whether the last round ended with something due.
    pub(super) is_cut: bool,
    /// Whether it is told that the receiver refuses alerts, until it takes some.
    pub(super) is_refusal_told: bool,
}

impl Worker {
    /// Posts alerts until the run ends; what is due then is tried once more.
    pub(super) fn run(mut self) {
        let mut changes = 0;
        loop {
            let woken = match self.wait {
                _ if self.is_cut && !self.board.is_closed() => Woken::Waited,
                Some(wait) => {
                    self.board.wait_closed(wait);
                    if self.board.is_closed() { Woken::Closed } else { Woken::Waited }
                }
                None => self.board.wait(changes, LOOK),
            };
            match woken {
                Woken::Closed => break,
                Woken::Changed => self.board.wait_closed(GATHERED_FOR),
                Woken::Waited => {}
            }
            let changed = self.post_due(None);
            if changed != changes {
                self.keeper.note();
            }
            changes = changed;
            self.keeper.write_if_due();
        }
        self.post_due(Some(Instant::now() + GRACE));
        let alerts = self.board.look(Timestamp::now()).alerts;
        let left = self.outbox().due(&alerts, Instant::now()).len();
        if left > 0 {
            tell(format_args!("{} was not told of {left} alerts", self.place));
        }
    }

    /// Posts what is due, if need be until then. Returns how often alerts had changed before.
    fn post_due(&mut self, until: Option<Instant>) -> u64 {
        let (begun, look) = (Instant::now(), self.board.look(Timestamp::now()));
        self.counts.ends_untold.add(self.outbox().forget_all_but(&look.alerts));
        let due = self.outbox().due(&look.alerts, begun);
        self.is_cut = false;
        let mut round = Round::default();
        let mut letters = VecDeque::from(Letter::all(self.place.kind, &due, &look.alerts));
        while let Some(letter) = letters.pop_front() {
            let left = |until: Instant| until.saturating_duration_since(Instant::now());
            let time = until.map_or(POST_TIME_MAX, left);
            // The run's end waits for a bounded time alone.
            let is_late = time.is_zero() || until.is_none() && self.board.is_closed();
            // What stands is looked at again before it is too old.
            self.is_cut = !is_late && begun.elapsed() >= ROUND_MAX;
            if is_late || self.is_cut {
                break;
            }
            match self.post(&letter, time) {
                Ok(Posted::Done) => round.is_taken = true,
                Ok(Posted::InHalves(halves)) => {
                    halves.into_iter().rev().for_each(|half| letters.push_front(half));
                }
                // Another letter may be taken, where somebody answers.
                Err(error) => {
                    let is_answer = error.is_answer();
                    round.error = Some(error);
                    if !is_answer {
                        break;
                    }
                }
            }
        }
        self.conclude(round, due.is_empty());
        look.changes
    }

    fn conclude(&mut self, round: Round, is_idle: bool) {
        match round {
            Round { error: Some(error), .. } => {
                self.is_cut = false;
                self.failed(&error);
            }
            Round { is_taken: true, .. } => self.recovered(),
            // What it did not take is due no more.
            _ if is_idle => {
                self.wait = None;
                self.counts.forget_trouble();
            }
            _ => {}
        }
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.desks[self.nth].outbox()
    }

    /// Posts a letter. One that the receiver refuses for good counts as told, but one that is too
    /// large for it is to be posted in halves.
    fn post(&mut self, letter: &Letter, time: Duration) -> Result<Posted, PostError> {
        let alerts = letter.alerts();
        self.outbox().trying(alerts);
        let body = letter.body(&self.external_url).map_err(PostError::from);
        match body.and_then(|body| self.link.post(&body, time)) {
            Ok(()) => {
                self.counts.sent.add(alerts.len());
                self.is_refusal_told = false;
            }
            Err(error)
                if error.is_too_large()
                    && let Some(halves) = letter.halves() =>
            {
                return Ok(Posted::InHalves(halves));
            }
            Err(error) if error.is_final() => self.refused(alerts.len(), &error),
            Err(error) => {
                self.counts.posts_failed.add(1);
                return Err(error);
            }
        }
        self.outbox().taken(alerts, Instant::now());
        self.keeper.note();
        Ok(Posted::Done)
    }

    fn recovered(&mut self) {
        if self.wait.take().is_some() {
            tell(format_args!("{} takes alerts again", self.place));
        }
        if !self.is_refusal_told {
            self.counts.set_trouble(None);
        }
    }

    fn refused(&mut self, count: usize, error: &PostError) {
        self.counts.refused.add(count);
        let words = format!("{} refuses {count} alerts: {error}", self.place);
        if !std::mem::replace(&mut self.is_refusal_told, true) {
            tell(&words);
        }
        self.counts.set_trouble(Some(words));
    }

    fn failed(&mut self, error: &PostError) {
        let words = format!("{}: {error}", self.place);
        if self.wait.is_none() {
            tell(format_args!("{words}; alerts for it wait"));
        }
        self.counts.set_trouble(Some(words));
        self.wait = Some(self.wait.map_or(FIRST_WAIT, |wait| WAIT_MAX.min(wait * 2)));
    }
}

/// What became of letters that were posted one after the other.
#[derive(Default)]
struct Round {
    is_taken: bool,
    error: Option<PostError>,
}

/// What became of a letter.
enum Posted {
    /// The receiver took it, or refuses it for good.
    Done,
    /// It is too large for the receiver, and has these two parts.
    InHalves([Letter; 2]),
}

/// What one post has.
enum Letter {
    /// Some of the alerts that are due.
    Some(Vec<Arc<Alert>>),
    /// A group of which one is due.
    Group(Group),
}

impl Letter {
    /// All that are to be posted because alerts are due.
    fn all(kind: ReceiverKind, due: &[Arc<Alert>], all: &[Arc<Alert>]) -> Vec<Self> {
        match kind {
            ReceiverKind::Alertmanager => {
                let parts = due.chunks(alertmanager::ALERTS_AT_ONCE);
                parts.map(|part| Self::Some(part.to_vec())).collect()
            }
            ReceiverKind::Webhook if due.is_empty() => Vec::new(),
            ReceiverKind::Webhook => Group::all(due, all).into_iter().map(Self::Group).collect(),
        }
    }

    fn alerts(&self) -> &[Arc<Alert>] {
        match self {
            Self::Some(alerts) => alerts,
            Self::Group(group) => &group.alerts,
        }
    }

    /// Two letters with half of the alerts each; `None` if it has one alone.
    fn halves(&self) -> Option<[Self; 2]> {
        match self {
            Self::Some(alerts) => {
                let (first, second) = alerts.split_at_checked(alerts.len() / 2)?;
                (!first.is_empty()).then(|| [Self::Some(first.into()), Self::Some(second.into())])
            }
            Self::Group(group) => group.halves().map(|halves| halves.map(Self::Group)),
        }
    }

    fn body(&self, external_url: &str) -> serde_json::Result<Vec<u8>> {
        match self {
            Self::Some(alerts) => alertmanager::body(alerts),
            Self::Group(group) => group.body(external_url),
        }
    }
}
