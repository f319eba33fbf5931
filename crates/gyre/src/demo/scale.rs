//! How large the network of a demo is, and which of its devices are polled how often.

use std::time::Duration;

use simnet::{Device, Role, Topology};

use super::arguments::Arguments;
use crate::network_options::Simulates as _;

/// The most devices of a demo.
const DEVICES_MAX: u32 = Arguments::DEVICES_MAX;
/// Of a demo of many names, so many devices are polled often and have a whole past.
const QUICK_DEVICES: u32 = 100;
/// The time between two polls of the others, MRTG's default.
const SLOW_INTERVAL: Duration = Duration::from_secs(300);

/// What a name may take on the disk, with its lines of the configuration. Soon after the start it is
/// less than half of that.
const BYTES_PER_NAME: u64 = 6 << 10;

/// There are more names than the devices of a demo have ports.
#[derive(Debug, thiserror::Error)]
#[error(
    "{DEVICES_MAX} devices of {ports} ports are the most, and have only {found} names: expected \
     fewer --names or more --ports"
)]
pub(super) struct TooManyNames {
    ports: u32,
    found: u64,
}

/// The devices of a demo, and the time between two polls of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    pub(super) devices: u32,
    /// The first so many devices are polled in the quick interval.
    pub(super) quick_devices: u32,
    pub(super) quick_interval: Duration,
    /// Of the devices behind them.
    pub(super) slow_interval: Duration,
}

impl Scale {
    /// The scale that the arguments ask for.
    ///
    /// # Errors
    ///
    /// There are not so many devices.
    pub(super) fn of(arguments: &Arguments) -> Result<Self, TooManyNames> {
        let quick_interval = arguments.interval;
        let devices = match arguments.names {
            Some(names) => devices_of(names, arguments.network.ports)?,
            None => arguments.network.devices(),
        };
        let is_large = arguments.names.is_some() && devices > QUICK_DEVICES;
        let quick_devices = if is_large { QUICK_DEVICES } else { devices };
        let slow_interval = if is_large { SLOW_INTERVAL } else { quick_interval };
        Ok(Self { devices, quick_devices, quick_interval, slow_interval })
    }

    /// Bytes that have to be free on the disk for a demo of very many names.
    pub(super) fn room_bytes(arguments: &Arguments) -> u64 {
        arguments.names.map_or(0, |names| u64::from(names) * BYTES_PER_NAME)
    }

    /// Whether some devices are polled more seldom than the first ones.
    pub(super) fn has_slow(self) -> bool {
        self.quick_devices < self.devices
    }
}

/// The names of a device's targets: those of its ports that are up.
pub(super) fn target_names(device: &Device) -> impl Iterator<Item = String> {
    let used = device.ports().filter(|port| port.role != Role::Down);
    used.map(|port| format!("{}_{}", device.name, port.index))
}

/// So many devices have at least so many ports that are up.
fn devices_of(names: u32, ports: u32) -> Result<u32, TooManyNames> {
    let config = simnet::Config {
        devices: DEVICES_MAX,
        ports,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 0,
        ..simnet::Config::default()
    };
    let topology = Topology::new(&config, 0);
    let mut found = 0;
    for (before, device) in (0..).zip(topology.devices.iter()) {
        found += device.ports().filter(|port| port.role != Role::Down).count() as u64;
        if found >= u64::from(names) {
            return Ok(before + 1);
        }
    }
    Err(TooManyNames { ports, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_names(names: u32) -> Arguments {
        Arguments { names: Some(names), ..Arguments::default() }
    }

    #[test]
    fn a_few_names_are_polled_like_any_demo() {
        let scale = Scale::of(&of_names(1000)).unwrap();
        assert_eq!((scale.quick_devices, scale.has_slow()), (scale.devices, false));
        assert!((21..26).contains(&scale.devices), "{scale:?}");
    }

    #[test]
    fn many_names_have_a_quick_part() {
        let scale = Scale::of(&of_names(10_000)).unwrap();
        assert_eq!((scale.quick_devices, scale.has_slow()), (100, true));
        assert!((208..260).contains(&scale.devices), "{scale:?}");
        assert!(scale.slow_interval > scale.quick_interval);
    }

    #[test]
    fn more_names_than_devices_can_have_are_refused() {
        let mut arguments = of_names(1_000_000);
        arguments.network.ports = 4;
        let why = Scale::of(&arguments).unwrap_err().to_string();
        assert!(why.starts_with("60000 devices of 4 ports are the most, and have only "), "{why}");
    }
}
