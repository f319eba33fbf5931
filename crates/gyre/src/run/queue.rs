//! The way from the polling thread to the writing thread.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use collector::CycleReport;
use rrd::Timestamp;

/// Messages in the channel, and as many again wait behind it before some are lost.
const MESSAGES_MAX: usize = 16_384;

/// What the writing thread is told, in order.
#[derive(Debug)]
pub(super) enum Message {
    Samples(Vec<Write>),
    /// Every sample of the cycle has been sent before.
    Cycle(Box<Cycle>),
}

/// A cycle of targets.
#[derive(Debug)]
pub(super) struct Cycle {
    pub(super) report: CycleReport,
    pub(super) targets: Count,
    /// Samples lost because writing could not keep up.
    pub(super) samples_lost: usize,
}

/// Targets of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Those that got a value, or two.
    pub(super) polled: usize,
    pub(super) missed: usize,
}

/// A sample for one database.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) database: Arc<str>,
    pub(super) time: Timestamp,
    pub(super) readings: [Box<str>; 2],
    /// No difference may be formed to what the database holds: unknown is written first, for
    /// this moment.
    pub(super) unknown_until: Option<Timestamp>,
    /// The same, should the database have refused its last sample.
    pub(super) just_before: Option<Timestamp>,
}

/// The sender's end. It never waits: a store that is slow for a while delays no poll.
#[derive(Debug)]
pub(super) struct Queue {
    channel: SyncSender<Message>,
    backlog: VecDeque<Message>,
    samples_lost: usize,
}

/// Both ends.
pub(super) fn queue() -> (Queue, Receiver<Message>) {
    let (channel, receiver) = sync_channel(MESSAGES_MAX);
    (Queue { channel, backlog: VecDeque::new(), samples_lost: 0 }, receiver)
}

impl Queue {
    pub(super) fn push(&mut self, message: Message) {
        self.backlog.push_back(message);
        while let Some(message) = self.backlog.pop_front() {
            if let Err(TrySendError::Full(message)) = self.channel.try_send(message) {
                self.backlog.push_front(message);
                break;
            }
        }
        if self.backlog.len() > MESSAGES_MAX {
            self.lose_oldest();
        }
    }

    /// Samples lost since this was asked last.
    pub(super) fn take_samples_lost(&mut self) -> usize {
        std::mem::take(&mut self.samples_lost)
    }

    /// Waits until everything is sent, and ends the stream.
    pub(super) fn finish(self) {
        for message in self.backlog {
            // The writing thread ends only after the stream has.
            let _ = self.channel.send(message);
        }
    }

    fn lose_oldest(&mut self) {
        let oldest = self.backlog.iter().position(|each| matches!(each, Message::Samples(_)));
        if let Some(Message::Samples(lost)) = oldest.and_then(|nth| self.backlog.remove(nth)) {
            self.samples_lost += lost.len();
        }
    }
}
