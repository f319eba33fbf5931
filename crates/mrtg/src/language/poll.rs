//! Polls: two values at once, one for each direction.

use super::agent::AgentIndex;
use super::conversion::Conversion;
use super::object::Object;

/// The index of a poll in a [`crate::Configuration`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PollIndex(pub u32);

/// One of the two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// A poll, shared by all targets that mention it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Poll {
    /// Two objects of one agent.
    Snmp(SnmpPoll),
    /// A program.
    Script(ScriptPoll),
}

/// Two objects of one agent.
///
/// MRTG handles the answers as follows, as seen by running it:
///
/// * Both are in one GET, with the property that identifies the interface. If one is missing, the
///   whole request fails with SNMPv1 and both are unknown; with SNMPv2c the other one is kept.
/// * An unknown operand counts as *zero* in a sum or difference, which causes a spike. In gyre the
///   result is unknown.
/// * A value must be a number. MRTG gets TimeTicks (`sysUpTime`) as words and never stores them;
///   gyre may store the ticks.
/// * After a device has not answered once, MRTG skips every further target of the same host *name*
///   in that cycle, whatever its port.
/// * 64-bit counters are requested if the version is 2 (`:::::2`, with a port `:161::::2`) and
///   `NoHC` is not yes. If the device lacks them, the values are unknown; there is no fallback.
///   cfgmaker writes `noHC[...]: yes` for interfaces whose 64-bit counters it could not read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SnmpPoll {
    /// The agent to ask.
    pub agent: AgentIndex,
    /// The objects, in the order of [`Direction::BOTH`].
    pub objects: [Object; 2],
    /// `|name`: how both values become numbers.
    pub conversion: Option<Conversion>,
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
