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
/// What MRTG does with the answers, seen by running it:
///
/// * Both are asked for in one GET, with the property that identifies the interface. When one is
///   missing, SNMPv1 fails the whole request and both are unknown; SNMPv2c marks that one, and
///   the other is kept.
/// * An operand that is unknown counts as *zero* in a sum or difference, which makes a spike. In
///   gyre it makes the result unknown.
/// * A value must be a number. TimeTicks (`sysUpTime`) come out as words there and are never
///   stored; gyre may store the ticks.
/// * After a device has not answered once, MRTG skips every further target of the same host *name*
///   in that cycle, whatever its port.
/// * Sixty-four bits are asked for where the version is 2 (`:::::2`, with a port `:161::::2`) and
///   `NoHC` is not yes; when the device lacks them the values are unknown, without a fallback.
///   cfgmaker writes `noHC[...]: yes` for interfaces whose 64-bit counters it could not read.
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
