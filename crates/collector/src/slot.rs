//! A device's place in the schedule.

use crate::device::Device;
use crate::grid::Phase;
use crate::plan::{AnswersFrom, Transport};
use crate::rounds::RoundIndex;
use std::net::SocketAddr;
use std::time::Duration;

/// A device, and when it is polled next.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) device: Device,
    /// That of the interval at which it is polled next.
    pub(crate) round: RoundIndex,
    pub(crate) phase: Phase,
    /// When its last poll began.
    pub(crate) last_start: Option<Duration>,
    pub(crate) next_cycle: u64,
    pub(crate) next_start: Duration,
    pub(crate) is_ready: bool,
}

impl Slot {
    pub(crate) fn is_over_tcp(&self) -> bool {
        self.device.plan().transport == Transport::Tcp
    }

    /// Whether a datagram from there may be its answer.
    pub(crate) fn may_answer_from(&self, from: SocketAddr) -> bool {
        let anywhere = self.device.plan().answers_from == AnswersFrom::Anywhere;
        let asked = self.device.address;
        // The scope and flow label of an IPv6 address may differ in the answer, so they are not
        // compared.
        let is_asked = |to: SocketAddr| to.ip() == from.ip() && to.port() == from.port();
        !self.is_over_tcp() && (anywhere || asked.is_some_and(is_asked))
    }

    pub(crate) fn is_due(&self, now: Duration) -> bool {
        self.device.polling().is_none() && self.next_start <= now
    }
}
