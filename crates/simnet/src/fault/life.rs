//! Since when a device runs, and what its restarts have done to it.

use super::condition::Condition;
use super::restart::Kind;
use crate::topology::Device;
use snmp::agent::EngineTime;
use std::time::Duration;

/// A device between two restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Life {
    /// Since 1970.
    pub(crate) started_at: Duration,
    /// How often the device has restarted.
    boots: u32,
    /// When its counters of 32 bits wrap, if a fault wants that.
    pub(crate) wraps_at: Option<Duration>,
    /// How often its interfaces were numbered again.
    renumberings: u32,
}

impl Life {
    /// The life of a device at `now`, since 1970.
    pub(crate) fn new(device: &Device, condition: Option<&Condition>, now: Duration) -> Life {
        let boots = device.engine_time(now).boots;
        let usual =
            Life { started_at: device.started_at(now), boots, wraps_at: None, renumberings: 0 };
        let all = condition.map_or(&[][..], |condition| &condition.restarts);
        let passed = all.iter().filter(|restart| restart.at <= now);
        passed.fold(usual, |life, restart| {
            let renumberings = life.renumberings + u32::from(restart.kind == Kind::Renumbering);
            let life = Life { boots: life.boots.saturating_add(1), renumberings, ..life };
            let wraps_at = match restart.kind {
                Kind::Wrapping(later) => Some(restart.at + later),
                _ => None,
            };
            match restart.at >= life.started_at {
                true => Life { started_at: restart.at, wraps_at, ..life },
                false => life,
            }
        })
    }

    /// The clock of the device's engine of SNMPv3.
    pub(crate) fn engine_time(&self, now: Duration) -> EngineTime {
        let seconds = now.saturating_sub(self.started_at).as_secs();
        EngineTime { boots: self.boots, seconds: seconds.min(i32::MAX as u64) as u32 }
    }

    /// The ifIndex of the interface at a place, counted from 1, of so many.
    pub(crate) fn index_at(&self, place: u32, ports: u32) -> u32 {
        let (place, ports) = (u64::from(place), u64::from(ports));
        ((place - 1 + self.shift(ports)) % ports + 1) as u32
    }

    /// The place of the interface with an ifIndex: the other way around.
    pub(crate) fn place_of(&self, index: u32, ports: u32) -> u32 {
        let (index, ports) = (u64::from(index), u64::from(ports));
        ((index - 1 + ports - self.shift(ports)) % ports + 1) as u32
    }

    /// Each renumbering moves the indexes by a third, below `ports`.
    fn shift(&self, ports: u64) -> u64 {
        u64::from(self.renumberings) * (ports / 3 + 1) % ports
    }
}
