//! What comes out: readings, device by device, and a report on each cycle.

use rrd::Timestamp;
use snmp::{Failure, RequestError, Value};
use std::sync::Arc;
use std::time::Duration;

/// Takes what a collector finds out. It is called on the polling thread and must not wait.
pub trait Sink {
    /// A device's part of a cycle is over, with or without answers. This is called once for each
    /// device and cycle.
    fn device(&mut self, poll: DevicePoll);

    /// A cycle is over for every device.
    fn cycle(&mut self, report: CycleReport);
}

/// One device's part of a cycle.
#[derive(Clone, Debug)]
pub struct DevicePoll {
    /// Its position in the plan.
    pub device: usize,
    /// The cycle, counted from 0.
    pub cycle: u64,
    /// When it began; none while the wall clock is far behind the stamps given out before.
    pub began: Option<Timestamp>,
    /// From the first question to the last answer.
    pub took: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the device has restarted since its last answer.
    pub restarted: bool,
    /// How long it has been up, as it says itself, modulo 497 days.
    pub uptime: Option<Duration>,
    /// One for each variable of the device's plan, in its order.
    pub readings: Vec<Result<Reading, Missing>>,
}

/// How a device's part of a cycle ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Outcome {
    /// It answered, although perhaps not everything.
    #[error("answered")]
    Answered,
    /// It did not answer at all.
    #[error("no answer; datagrams sent: {datagrams}")]
    Silent {
        /// How often it was asked.
        datagrams: u64,
    },
    /// Its name has no address.
    #[error("{0}")]
    NoAddress(Arc<str>),
}

/// A value of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// When the answer arrived. Never before the last reading of the same device.
    pub time: Timestamp,
    /// What the device said.
    pub value: Value,
    /// Whether the difference to the last reading means nothing: the device has restarted, the
    /// counter was reset or has another width now, the interface has another index, or the clock
    /// has jumped in between.
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
    /// The agent has no such variable.
    #[error("the agent has no such variable")]
    NotThere,
    /// No interface, or more than one, is what the reference says.
    #[error("{0}")]
    Interface(Unfound),
    /// The agent answers, but not this.
    #[error("{0}")]
    Refused(Failure),
    /// The variable's name with the interface's index is longer than SNMP allows.
    #[error("the variable's name is too long")]
    NameTooLong,
    /// The wall clock is far behind the stamps given out before.
    #[error("the clock was set back, and no reading has a time until it has caught up")]
    ClockSetBack,
}

/// Why an interface has no index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfound {
    /// The tables have not been read yet.
    #[error("the interface has not been looked up yet")]
    NotLookedUp,
    /// The device has none.
    #[error("the device has no such interface")]
    None,
    /// Several are what the reference says.
    #[error("several interfaces of the device are described so")]
    Several,
    /// It has another index than a moment ago, twice in a row.
    #[error("the interface has moved to another index")]
    Moved,
    /// The tables could not be read.
    #[error("the device's table of interfaces cannot be read: {0}")]
    Walk(RequestError),
}

/// One cycle over all devices.
#[derive(Clone, Debug, Default)]
pub struct CycleReport {
    /// The cycle, counted from 0.
    pub cycle: u64,
    /// Devices in the plan.
    pub devices: usize,
    /// Devices that answered.
    pub answered: usize,
    /// The names of those that did not.
    pub missed: Vec<Arc<str>>,
    /// Those of them whose name has no address: they were not asked.
    pub without_address: Vec<Arc<str>>,
    /// The names of those that have restarted.
    pub restarted: Vec<Arc<str>>,
    /// Readings taken.
    pub readings: usize,
    /// Variables without a reading.
    pub readings_missing: usize,
    /// The slowest devices that answered, slowest first.
    pub slowest: Vec<(Arc<str>, Duration)>,
    /// Sum of all times from a device's first question to its last answer.
    pub busy: Duration,
    /// From the first question of the cycle to the last answer.
    pub took: Duration,
    /// What went over the wire since the last report.
    pub traffic: Traffic,
    /// What the wall clock did since the last report.
    pub clock: Option<ClockStep>,
}

/// What went over the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Datagrams sent, retries included.
    pub sent: u64,
    /// Bytes of these, without UDP's and IP's own.
    pub sent_bytes: u64,
    /// Datagrams sent again.
    pub retried: u64,
    /// Datagrams received.
    pub received: u64,
    /// Bytes of these.
    pub received_bytes: u64,
    /// Of these: from strangers, or not SNMP at all.
    pub foreign: u64,
    /// The last refusal of the system to send a datagram.
    pub send_error: Option<Arc<str>>,
}

/// A step of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockStep {
    /// It jumped forward.
    #[error("the clock was set forward by {0:.1?}")]
    Forward(Duration),
    /// It was set back a little: stamps run a little slower until it has caught up.
    #[error(
        "the clock was set back by {0:.1?}; readings are stamped a little late until it has caught up"
    )]
    Slewing(Duration),
    /// It was set back a lot: readings are dropped until it has caught up.
    #[error("the clock was set back by {0:.1?}; readings are dropped until it has caught up")]
    Holding(Duration),
}
