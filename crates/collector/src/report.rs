//! The collector's output: the readings of each poll, and a report on each cycle.

use crate::learnt::Learnt;
use rrd::Timestamp;
use snmp::{Failure, RequestError, Value};
use std::sync::Arc;
use std::time::Duration;

/// Receives the collector's output. It is called on the polling thread and must not block.
pub trait Sink {
    /// A cycle begins, and lasts so long. Called before any other call that is about it.
    fn began(&mut self, cycle: CycleId, lasts: Duration) {
        let _ = (cycle, lasts);
    }

    /// The poll of a device is over, with or without answers. Called once for each device and
    /// cycle.
    fn device(&mut self, poll: DevicePoll);

    /// A cycle is over for every device.
    fn cycle(&mut self, report: CycleReport);
}

/// A cycle of one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CycleId {
    /// The time between two cycles.
    pub interval: Duration,
    /// The number among those of its interval, counted from 0.
    pub number: u64,
}

/// The poll of one device in one cycle.
#[derive(Clone, Debug)]
pub struct DevicePoll {
    /// Its position in the plan.
    pub device: usize,
    /// The cycle.
    pub cycle: CycleId,
    /// When it began; `None` while the wall clock is far behind earlier readings.
    pub began: Option<Timestamp>,
    /// From the first question to the last answer.
    pub took: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the device has restarted since its last answer.
    pub restarted: bool,
    /// Its sysUpTime, which wraps at 497 days.
    pub uptime: Option<Duration>,
    /// Datagrams in its name since its last poll that were no awaited answer: unreadable, forged,
    /// late or repeated.
    pub unwanted: u64,
    /// What was sent for it.
    pub effort: Effort,
    /// The limits of the device, if they are other ones than its last poll with such told.
    pub learnt: Option<Box<Learnt>>,
    /// One for each variable of the device's plan, in the plan's order.
    pub readings: Vec<Result<Reading, Missing>>,
    /// One for each walk of the device's plan, in the plan's order.
    pub walked: Vec<Result<Reading, Missing>>,
}

/// What a poll took to get its answers, and what is known of the device's limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Datagrams sent, those sent again included.
    pub sent: u64,
    /// Datagrams sent again.
    pub retried: u64,
    /// Requests of which no attempt was answered.
    pub given_up: u64,
    /// The most bindings in a message that the device has shown to answer; `None` if it has shown
    /// no limit.
    pub bindings_max: Option<u32>,
}

/// How a poll ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Outcome {
    /// The device answered, although perhaps not everything.
    #[error("answered")]
    Answered,
    /// The device did not answer.
    #[error("no answer; datagrams sent: {datagrams}")]
    Silent {
        /// The number of datagrams sent to it.
        datagrams: u64,
    },
    /// The device answered, but not its user of SNMPv3.
    #[error("{0}")]
    Denied(RequestError),
    /// The device is asked over TCP, and there is no connection.
    #[error("{0}")]
    NoConnection(Arc<str>),
    /// The device's name has no address.
    #[error("{0}")]
    NoAddress(Arc<str>),
}

/// A value of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// When the answer arrived. It is never before the last reading of the same device.
    pub time: Timestamp,
    /// The value in the answer.
    pub value: Value,
    /// Whether the difference to the last reading is meaningless. Causes are a restart of the
    /// device, a counter that was reset or has another width, an interface with another index, and
    /// a jump of the clock.
    pub discontinuity: bool,
}

/// Why a variable has no reading.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The plan changed while the device was being polled; the next cycle asks.
    #[error("not asked yet")]
    NotAsked,
    /// The device did not answer, or not before its next cycle.
    #[error("no answer in time")]
    NoAnswer,
    /// The connection to the device ended before it had answered.
    #[error("{0}")]
    Connection(Arc<str>),
    /// The agent does not have this variable.
    #[error("the agent has no such variable")]
    NotThere,
    /// The reference matches no interface, or several.
    #[error("{0}")]
    Interface(Unfound),
    /// A walk failed.
    #[error("{0}")]
    Walk(RequestError),
    /// A walk has fewer rows.
    #[error("the walk has only {rows} rows")]
    NoRow {
        /// The rows that it has.
        rows: usize,
    },
    /// The agent answers other requests, but not this one.
    #[error("{0}")]
    Refused(Failure),
    /// The variable's name, with the interface's index, is longer than SNMP allows.
    #[error("the variable's name is too long")]
    NameTooLong,
    /// The wall clock is far behind earlier readings.
    #[error("the clock was set back, and no reading has a time until it has caught up")]
    ClockSetBack,
}

/// Why an interface has no index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfound {
    /// The tables have not been read yet.
    #[error("the interface has not been looked up yet")]
    NotLookedUp,
    /// No interface matches.
    #[error("the device has no such interface")]
    None,
    /// Several interfaces match.
    #[error("several interfaces of the device are described so")]
    Several,
    /// Its index changed twice in a row during the poll.
    #[error("the interface has moved to another index")]
    Moved,
    /// The tables could not be read.
    #[error("the device's table of interfaces cannot be read: {0}")]
    Walk(Box<RequestError>),
}

/// The report on a cycle.
#[derive(Clone, Debug, Default)]
pub struct CycleReport {
    /// The cycle.
    pub cycle: CycleId,
    /// Devices that are polled at this interval.
    pub devices: usize,
    /// Devices that answered.
    pub answered: usize,
    /// The names of the devices that did not.
    pub missed: Vec<Arc<str>>,
    /// Those of `missed` that were not polled because their name has no address.
    pub without_address: Vec<Arc<str>>,
    /// Those of `missed` that refuse their user of SNMPv3.
    pub denied: Vec<Arc<str>>,
    /// The names of the devices that have restarted.
    pub restarted: Vec<Arc<str>>,
    /// Readings taken.
    pub readings: usize,
    /// Variables without a reading.
    pub readings_missing: usize,
    /// The slowest devices that answered, slowest first.
    pub slowest: Vec<(Arc<str>, Duration)>,
    /// The devices in whose name most unwanted datagrams came, most first.
    pub noisiest: Vec<Noisy>,
    /// The unwanted datagrams in the name of any device.
    pub unwanted: u64,
    /// The sum over all devices of the time from the first question to the last answer.
    pub busy: Duration,
    /// From the first question of the cycle to the last answer.
    pub took: Duration,
    /// Network traffic of these devices since the last report on them.
    pub traffic: Traffic,
    /// A step of the wall clock since the last report.
    pub clock: Option<ClockStep>,
}

/// A device in whose name unwanted datagrams came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noisy {
    /// Its name.
    pub name: Arc<str>,
    /// How many.
    pub unwanted: u64,
}

/// Network traffic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Datagrams sent, retries included.
    pub sent: u64,
    /// Bytes sent, without UDP and IP headers.
    pub sent_bytes: u64,
    /// Datagrams sent again.
    pub retried: u64,
    /// Datagrams received.
    pub received: u64,
    /// Bytes received, without UDP and IP headers.
    pub received_bytes: u64,
    /// Received datagrams that came from unknown addresses, or are not SNMP.
    pub foreign: u64,
    /// The system's last error in sending a datagram.
    pub send_error: Option<Arc<str>>,
    /// Connections to devices that could not be made, ended while answers were awaited, or brought
    /// what cannot be.
    pub broken_connections: u64,
    /// The last of them: the device, and why.
    pub connection_error: Option<Arc<str>>,
}

/// A step of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockStep {
    /// It jumped forward.
    #[error("the clock was set forward by {0:.1?}")]
    Forward(Duration),
    /// It was set back a little: readings are stamped with a slower clock until the wall clock has
    /// caught up.
    #[error(
        "the clock was set back by {0:.1?}; readings are stamped a little late until it has caught up"
    )]
    Slewing(Duration),
    /// It was set back a lot: readings are dropped until the wall clock has caught up.
    #[error("the clock was set back by {0:.1?}; readings are dropped until it has caught up")]
    Holding(Duration),
}
