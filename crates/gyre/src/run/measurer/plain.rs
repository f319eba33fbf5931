//! Targets that calculate nothing: two variables of one device, as they are. Nearly all targets of
//! a large site are such, and their samples need no expression.

use collector::Reading;
use mrtg::Direction;
use rrd::Reading as Stored;
use snmp::Value;

use super::super::reading_kept::ReadingKept;
use super::super::wiring::{Becomes, Operand, Wiring};

/// The variables of a target that calculates nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub(super) device: u32,
    /// Incoming and outgoing.
    pub(super) variables: [u32; 2],
}

impl Plain {
    /// The target's variables, if it has but these.
    pub(super) fn of(target: &mrtg::Target, wiring: &Wiring) -> Option<Self> {
        let poll = target.expression.only_poll()?;
        let [incoming, outgoing] = Direction::BOTH.map(|it| wiring.operand(target, poll, it));
        match (incoming, outgoing) {
            (
                Operand::Reading { device, variable: first, becomes: Becomes::Itself },
                Operand::Reading { device: same, variable: second, becomes: Becomes::Itself },
            ) if device == same => Some(Self { device, variables: [first, second] }),
            _ => None,
        }
    }
}

/// A reading that any kind of source takes as it is; `None` if it needs a closer look.
pub(super) fn kept(reading: &Reading) -> Option<ReadingKept> {
    let number = match reading.value {
        Value::Counter64(count) => count,
        Value::Counter32(count) | Value::Gauge32(count) => count.into(),
        _ => return None,
    };
    Some(ReadingKept::Plain(Stored::Unsigned(number)))
}
