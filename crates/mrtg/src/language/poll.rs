//! What is polled: two values at once, one for each direction.

use super::agent::AgentIndex;
use super::object::Object;

/// A poll of a [`crate::Configuration`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PollIndex(pub u32);

/// Which of the two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The first: `ds0`.
    In,
    /// The second: `ds1`.
    Out,
}

impl Direction {
    /// Both, in the order of the data sources.
    pub const BOTH: [Self; 2] = [Self::In, Self::Out];
}

/// One thing to ask, shared by all targets that mention it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Poll {
    /// Two objects of one agent.
    Snmp(SnmpPoll),
    /// A program.
    Script(ScriptPoll),
}

/// Two objects of one agent.
///
/// MRTG asks for both in one GET. What it does when one is missing: SNMPv1 answers noSuchName
/// for the whole request and both stay unknown; SNMPv2c marks one value noSuchObject, that one
/// stays unknown and the other is kept (gyre keeps what it can with both versions).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SnmpPoll {
    /// Whom to ask.
    pub agent: AgentIndex,
    /// What to ask for, in the order of [`Direction::BOTH`].
    pub objects: [Object; 2],
    /// `|name`: the Perl function that MRTG would convert both values with.
    pub conversion: Option<String>,
}

impl SnmpPoll {
    /// The object of one direction.
    #[must_use]
    pub const fn object(&self, direction: Direction) -> &Object {
        let [incoming, outgoing] = &self.objects;
        match direction {
            Direction::In => incoming,
            Direction::Out => outgoing,
        }
    }
}

/// A program that prints in, out, uptime and name on four lines; `UNKNOWN` stands for no value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ScriptPoll {
    /// The shell command, with its escaped back quotes undone. It may hold passwords.
    pub command: Vec<u8>,
}

impl std::fmt::Debug for ScriptPoll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScriptPoll(\"***\")")
    }
}
