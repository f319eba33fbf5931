//! Targets, and the simulated ports that they measure.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::time::Duration;

use mrtg::{Configuration, Host, InterfaceReference, Poll, Target};
use simnet::{Device, Direction, SimulatedNetwork, Traffic};

/// A target and the simulated port that it measures.
pub(super) struct Entry<'a> {
    pub(super) target: &'a Target,
    pub(super) device: &'a Device,
    pub(super) port: u32,
}

impl<'a> Entry<'a> {
    /// The targets of a configuration that poll the simulated network.
    pub(super) fn all(
        configuration: &'a Configuration,
        network: &'a SimulatedNetwork,
    ) -> impl Iterator<Item = Self> {
        let devices: HashMap<Ipv4Addr, &Device> =
            network.devices().iter().map(|device| (*device.address.ip(), device)).collect();
        let targets = configuration.targets.iter();
        targets.filter_map(move |target| Self::of(configuration, &devices, target))
    }

    /// `None` if the target polls another address.
    fn of(
        configuration: &Configuration,
        devices: &HashMap<Ipv4Addr, &'a Device>,
        target: &'a Target,
    ) -> Option<Self> {
        let Poll::Snmp(poll) = configuration.poll(target.expression.polls().next()?) else {
            return None;
        };
        let Host::V4(address) = configuration.agent(poll.agent).host else { return None };
        let Some(InterfaceReference::Index(port)) = poll.objects[0].interface else { return None };
        Some(Self { target, device: devices.get(&address)?, port })
    }

    /// The octets that have passed the port in each direction, at a time since 1970.
    pub(super) fn octets(&self, traffic: &Traffic, moment_seconds: i64) -> [u64; 2] {
        let time = since_1970(moment_seconds);
        let ways = [Direction::In, Direction::Out];
        ways.map(|way| traffic.octets(self.device.number, self.port, way, time))
    }

    /// The octets that had passed when the device last started before that time: it counts from
    /// there.
    pub(super) fn octets_at_start(&self, traffic: &Traffic, moment_seconds: i64) -> [u64; 2] {
        let started = self.device.started_at(since_1970(moment_seconds));
        let ways = [Direction::In, Direction::Out];
        ways.map(|way| traffic.octets(self.device.number, self.port, way, started))
    }
}

fn since_1970(moment_seconds: i64) -> Duration {
    Duration::from_secs(moment_seconds.max(0) as u64)
}
