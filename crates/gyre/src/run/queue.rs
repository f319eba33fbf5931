//! The queue from the polling thread to the writing thread.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use collector::CycleReport;
use rrd::Timestamp;

use super::alarms::Concern;
use super::reading_kept::ReadingKept;

/// The most messages in the channel. As many again wait in the backlog before samples and remarks are
/// dropped.
const MESSAGES_MAX: usize = 16_384;

/// The most results of cycles that wait behind those: each may name thousands of devices.
const CYCLES_MAX: usize = 1024;

/// The number of messages that wait for the writing thread, for whoever wants to see it.
#[derive(Clone, Debug, Default)]
pub(super) struct Depth(Arc<AtomicU64>);

impl Depth {
    /// The most messages that wait before samples and remarks are dropped.
    pub(super) const MESSAGES_MAX: u64 = 2 * MESSAGES_MAX as u64;

    /// The messages that wait.
    pub(super) fn messages(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// The writing thread has taken a message.
    pub(super) fn taken(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A message to the writing thread.
#[derive(Debug)]
pub(super) enum Message {
    Samples(Vec<Write>),
    /// Maxima of databases change, from the next samples on.
    Maxima(Vec<NewMaxima>),
    /// What the operator should know; the polling thread must not wait for a terminal.
    Remark(String),
    /// A cycle has ended; all its samples were sent before.
    Cycle(Box<Cycle>),
}

/// New limits of a database.
#[derive(Debug)]
pub(super) struct NewMaxima {
    pub(super) database: Arc<str>,
    /// For each of its sources the highest rate believed; `None` for no change.
    pub(super) limits: [Option<f64>; 2],
}

/// The result of a cycle.
#[derive(Debug)]
pub(super) struct Cycle {
    pub(super) report: CycleReport,
    pub(super) targets: Count,
    /// Samples that were dropped because the writing thread was too slow.
    pub(super) samples_lost: usize,
}

/// Counts of targets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Targets with at least one value.
    pub(super) polled: usize,
    pub(super) missed: usize,
}

/// A sample for one database.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) database: Arc<str>,
    pub(super) time: Timestamp,
    pub(super) readings: [ReadingKept; 2],
    /// The device's counters restarted, so no difference to the database's last reading may be
    /// taken: an unknown sample is written first, for this time.
    pub(super) unknown_until: Option<Timestamp>,
    /// The time of the same unknown sample, needed only if the database refused its last sample.
    pub(super) just_before: Option<Timestamp>,
    /// What the sample concerns besides the store; `None` for nothing.
    pub(super) concern: Option<Box<Concern>>,
}

/// The sender's end. It never blocks: while a store is slow, polls go on.
#[derive(Debug)]
pub(super) struct Queue {
    channel: SyncSender<Message>,
    backlog: VecDeque<Message>,
    depth: Depth,
    samples_lost: usize,
    /// What was dropped that nobody was told of yet.
    untold: Untold,
    /// Databases that have lost a sample with `unknown_until` set.
    broken: HashSet<Arc<str>>,
}

/// Messages that were dropped, besides samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Untold {
    remarks: u64,
    cycles: u64,
}

impl std::fmt::Display for Untold {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let remarks = figures::some(self.remarks, "remark", "remarks");
        let cycles = figures::some(self.cycles, "cycle", "cycles");
        write!(out, "{remarks} and the results of {cycles} are lost: the store was too slow")
    }
}

/// Makes both ends.
pub(super) fn queue(depth: Depth) -> (Queue, Receiver<Message>) {
    let (channel, receiver) = sync_channel(MESSAGES_MAX);
    let (backlog, broken) = (VecDeque::new(), HashSet::new());
    let untold = Untold::default();
    (Queue { channel, backlog, depth, samples_lost: 0, untold, broken }, receiver)
}

impl Queue {
    pub(super) fn push(&mut self, message: Message) {
        self.send();
        let is_full = self.backlog.len() >= MESSAGES_MAX;
        let message = match message {
            Message::Remark(_) if is_full => {
                self.untold.remarks += 1;
                return;
            }
            Message::Cycle(cycle) if self.backlog.len() >= MESSAGES_MAX + CYCLES_MAX => {
                self.untold.cycles += 1;
                // The next cycle's result has them.
                self.samples_lost += cycle.samples_lost;
                return;
            }
            // When the queue is full, the newest samples are dropped. A later sample then carries
            // on the restart that a dropped one knew of.
            Message::Samples(writes) if is_full => return self.lose(writes),
            Message::Samples(writes) => Message::Samples(self.mark_broken(writes)),
            other => other,
        };
        if !is_full {
            self.tell_what_is_lost();
        }
        self.append(message);
        self.send();
    }

    fn append(&mut self, message: Message) {
        self.backlog.push_back(message);
        self.depth.0.fetch_add(1, Ordering::Relaxed);
    }

    fn tell_what_is_lost(&mut self) {
        let lost = std::mem::take(&mut self.untold);
        if lost != Untold::default() {
            self.append(Message::Remark(lost.to_string()));
        }
    }

    /// Samples dropped since the last call.
    pub(super) fn take_samples_lost(&mut self) -> usize {
        std::mem::take(&mut self.samples_lost)
    }

    /// Waits until all messages are sent, then closes the channel.
    pub(super) fn finish(mut self) {
        self.tell_what_is_lost();
        for message in self.backlog {
            // The writing thread ends only when the channel is closed, so sending cannot fail.
            let _ = self.channel.send(message);
        }
    }

    fn send(&mut self) {
        while let Some(message) = self.backlog.pop_front() {
            if let Err(TrySendError::Full(message)) = self.channel.try_send(message) {
                self.backlog.push_front(message);
                break;
            }
        }
    }

    fn lose(&mut self, writes: Vec<Write>) {
        self.samples_lost += writes.len();
        let broken = writes.into_iter().filter(|write| write.unknown_until.is_some());
        self.broken.extend(broken.map(|write| write.database));
    }

    fn mark_broken(&mut self, mut writes: Vec<Write>) -> Vec<Write> {
        if !self.broken.is_empty() {
            for write in &mut writes {
                if self.broken.remove(&write.database) {
                    write.unknown_until = write.unknown_until.or(write.just_before);
                }
            }
        }
        writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rrd::Reading;

    fn write(database: &str, seconds: i64, is_broken: bool) -> Write {
        let before = Timestamp::from_seconds(seconds - 1);
        Write {
            database: database.into(),
            time: Timestamp::from_seconds(seconds),
            readings: [1, 2].map(|value| ReadingKept::Plain(Reading::Unsigned(value))),
            unknown_until: is_broken.then_some(before),
            just_before: Some(before),
            concern: None,
        }
    }

    #[test]
    fn remarks_that_a_stuck_store_leaves_waiting_are_bounded_and_counted() {
        let depth = Depth::default();
        let (mut queue, messages) = queue(depth.clone());
        let remark = |nth: usize| Message::Remark(nth.to_string());
        (0..2 * MESSAGES_MAX + 5).for_each(|nth| queue.push(remark(nth)));
        assert_eq!(depth.messages(), Depth::MESSAGES_MAX);
        let words = |message| match message {
            Message::Remark(words) => words,
            other => panic!("{other:?}"),
        };
        assert_eq!(messages.try_iter().count(), MESSAGES_MAX);
        queue.push(remark(7));
        queue.push(remark(8));
        let rest: Vec<String> = messages.try_iter().map(words).skip(MESSAGES_MAX).collect();
        assert!(rest.is_empty(), "{rest:?}");
        let writer = std::thread::spawn(move || messages.iter().map(words).collect::<Vec<_>>());
        queue.finish();
        let told = "5 remarks and the results of 0 cycles are lost: the store was too slow";
        assert_eq!(writer.join().unwrap(), [told, "7", "8"]);
    }

    #[test]
    fn results_of_cycles_are_bounded_and_their_losses_go_on() {
        let depth = Depth::default();
        let (mut queue, messages) = queue(depth.clone());
        let cycle = |samples_lost| {
            let (report, targets) = (CycleReport::default(), Count::default());
            Message::Cycle(Box::new(Cycle { report, targets, samples_lost }))
        };
        (0..2 * MESSAGES_MAX + CYCLES_MAX).for_each(|_| queue.push(cycle(0)));
        queue.push(cycle(3));
        queue.push(cycle(4));
        assert_eq!(depth.messages(), Depth::MESSAGES_MAX + CYCLES_MAX as u64);
        assert_eq!(queue.take_samples_lost(), 7);
        let writer = std::thread::spawn(move || messages.iter().last());
        queue.finish();
        let Some(Message::Remark(words)) = writer.join().unwrap() else { panic!("a remark") };
        assert_eq!(words, "0 remarks and the results of 2 cycles are lost: the store was too slow");
    }

    #[test]
    fn a_restart_told_by_a_lost_sample_is_told_by_the_next() {
        let depth = Depth::default();
        let (mut queue, messages) = queue(depth.clone());
        for _ in 0..2 * MESSAGES_MAX {
            queue.push(Message::Samples(vec![write("a", 10, false)]));
        }
        assert_eq!(queue.take_samples_lost(), 0);
        queue.push(Message::Samples(vec![write("a", 20, true), write("b", 20, false)]));
        assert_eq!(queue.take_samples_lost(), 2);
        assert_eq!(depth.messages(), Depth::MESSAGES_MAX);
        let mut received = Vec::new();
        for seconds in [30, 40, 50] {
            received.extend(messages.try_iter());
            let writes = vec![write("a", seconds, false), write("b", seconds, false)];
            queue.push(Message::Samples(writes));
        }
        received.extend(messages.try_iter());
        assert_eq!(received.len(), 2 * MESSAGES_MAX + 3);
        let writes = received.into_iter().flat_map(|message| match message {
            Message::Samples(writes) => writes,
            Message::Cycle(_) | Message::Remark(_) | Message::Maxima(_) => Vec::new(),
        });
        let told = writes.filter_map(|write| Some((write.database, write.unknown_until?.seconds)));
        assert_eq!(told.collect::<Vec<_>>(), [("a".into(), 29)]);
    }
}
