//! What an agent reports about a message that it does not answer.

use crate::oid::Oid;
use crate::pdu::Pdu;
use std::fmt;

/// What is wrong with a message (RFC 3414, 5; RFC 3412, 5; RFC 3413, 4.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Report {
    /// The user may not use this level.
    UnsupportedLevel,
    /// The engine's clock is elsewhere.
    NotInTimeWindow,
    /// The engine has no such user.
    UnknownUser,
    /// The message is for another engine.
    UnknownEngine,
    /// The MAC is wrong.
    WrongDigest,
    /// It cannot be decrypted.
    DecryptionError,
    /// The engine has no such context.
    UnknownContext,
    /// Anything else.
    Other,
}

/// Each report with the arcs of its counter.
const COUNTERS: [(Report, &[u32]); 8] = [
    (Report::UnsupportedLevel, &[1, 3, 6, 1, 6, 3, 15, 1, 1, 1, 0]),
    (Report::NotInTimeWindow, &[1, 3, 6, 1, 6, 3, 15, 1, 1, 2, 0]),
    (Report::UnknownUser, &[1, 3, 6, 1, 6, 3, 15, 1, 1, 3, 0]),
    (Report::UnknownEngine, &[1, 3, 6, 1, 6, 3, 15, 1, 1, 4, 0]),
    (Report::WrongDigest, &[1, 3, 6, 1, 6, 3, 15, 1, 1, 5, 0]),
    (Report::DecryptionError, &[1, 3, 6, 1, 6, 3, 15, 1, 1, 6, 0]),
    (Report::UnknownContext, &[1, 3, 6, 1, 6, 3, 12, 1, 5, 0]),
    (Report::UnknownContext, &[1, 3, 6, 1, 6, 3, 12, 1, 4, 0]),
];

impl Report {
    /// What a report is about, by the counter in it.
    pub(crate) fn of(pdu: &Pdu) -> Report {
        let name = pdu.bindings.first().map(|binding| &binding.oid);
        let known = COUNTERS
            .iter()
            .find(|(_, arcs)| name.is_some_and(|oid| oid.arcs().eq(arcs.iter().copied())));
        known.map_or(Report::Other, |(report, _)| *report)
    }

    /// The counter that an agent sends; `None` for [`Report::Other`].
    pub(crate) fn counter(self) -> Option<Oid> {
        let (_, arcs) = COUNTERS.iter().find(|(report, _)| *report == self)?;
        Oid::from_arcs(arcs).ok()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Report::UnsupportedLevel => "the agent does not allow this security level",
            Report::NotInTimeWindow => "the agent refuses the time that it has just told",
            Report::UnknownUser => "the agent has no such user",
            Report::UnknownEngine => "the agent refuses the engine id that it has just told",
            Report::WrongDigest => "the authentication's password or protocol is not the agent's",
            Report::DecryptionError => "the privacy's password or protocol is not the agent's",
            Report::UnknownContext => "the agent has no such context",
            Report::Other => "the agent reports a fault that is not known here",
        })
    }
}
