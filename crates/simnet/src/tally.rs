//! What a network was asked, and what it answered.

use crate::post::Sent;
use snmp::{ErrorStatus, Message, Operation, Version};

/// How often what happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Datagrams sent.
    pub answered: u64,
    /// Requests of SNMPv1 that could be read.
    pub v1: u64,
    /// Those of SNMPv2c.
    pub v2c: u64,
    /// Those of SNMPv3.
    pub v3: u64,
    /// GET, of all versions.
    pub get: u64,
    /// GETNEXT.
    pub get_next: u64,
    /// GETBULK.
    pub get_bulk: u64,
    /// SET.
    pub set: u64,
    /// Variable bindings in answers.
    pub bindings: u64,
    /// Answers with an error status, such as tooBig.
    pub errors: u64,
    /// Reports of SNMPv3: a stranger learns the engine, or a user is refused.
    pub reports: u64,
    /// Requests with a wrong community or of a version that is not answered.
    pub refused: u64,
    /// Datagrams that are not SNMP.
    pub malformed: u64,
    /// Datagrams for addresses without a device.
    pub strays: u64,
    /// Requests without an answer because of a fault: dead devices, silent GETBULK.
    pub silenced: u64,
    /// Answers that a fault has lost.
    pub lost: u64,
    /// Answers that the system refused to send.
    pub unsent: u64,
}

impl Tally {
    /// Counts a request that was read; one of SNMPv3 shows as v2c here, and is counted by itself.
    pub(crate) fn count_request(&mut self, request: &Message, is_v3: bool) {
        match request.version {
            _ if is_v3 => self.v3 += 1,
            Version::V1 => self.v1 += 1,
            Version::V2c => self.v2c += 1,
        }
        match request.pdu.operation {
            Operation::Get => self.get += 1,
            Operation::GetNext => self.get_next += 1,
            Operation::GetBulk { .. } => self.get_bulk += 1,
            Operation::Set => self.set += 1,
            Operation::Response { .. } | Operation::Report => self.malformed += 1,
        }
    }

    /// Counts what was answered; nothing, if a fault wants that.
    pub(crate) fn count_response(&mut self, response: Option<&Message>) {
        let Some(response) = response else {
            self.silenced += 1;
            return;
        };
        self.bindings += response.pdu.bindings.len() as u64;
        let Operation::Response { error_status, .. } = response.pdu.operation else { return };
        self.errors += u64::from(error_status != ErrorStatus::NoError);
    }

    pub(crate) fn count_sent(&mut self, sent: Sent) {
        self.answered += sent.sent;
        self.unsent += sent.unsent;
    }

    /// Each count with its name.
    pub fn named(&self) -> [(&'static str, u64); 17] {
        [
            ("answered", self.answered),
            ("v1", self.v1),
            ("v2c", self.v2c),
            ("v3", self.v3),
            ("get", self.get),
            ("get_next", self.get_next),
            ("get_bulk", self.get_bulk),
            ("set", self.set),
            ("bindings", self.bindings),
            ("errors", self.errors),
            ("reports", self.reports),
            ("refused", self.refused),
            ("malformed", self.malformed),
            ("strays", self.strays),
            ("silenced", self.silenced),
            ("lost", self.lost),
            ("unsent", self.unsent),
        ]
    }
}
