//! The octets that have passed a port: a pure function of seed, device, port, direction and time.
//!
//! ```text
//! octets(time) = peak * rhythm(warp(time))  +  burst(time)
//! ```
//!
//! `rhythm` is the integral of a weekly profile. `warp` shifts time a little, forward and back, so
//! that the noise multiplies the rate but can be integrated in closed form. `burst` adds one
//! transfer of the same size a day, at another hour each day. The cost of every part is the same
//! for any time, also for times weeks ago.

mod burst;
mod flow;
mod rhythm;
mod warp;

use crate::lots::Chance;
use crate::topology::{Device, Port, Topology, UPLINKS};
use flow::Flow;
use rhythm::Profiles;
use std::sync::Arc;
use std::time::Duration;

/// All counters are zero at this time: Monday, 6 January 2020, 00:00 UTC. Before it there is no
/// traffic.
const ORIGIN_SECONDS: u64 = 1_578_268_800;
const ERRORED_PORTS_OF_100: u64 = 4;

/// The direction, seen from the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Into the device: ifInOctets.
    In,
    /// Out of the device: ifOutOctets.
    Out,
}

/// The traffic of a whole network. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Traffic {
    profiles: Arc<Profiles>,
    devices: Arc<[Vec<PortFlows>]>,
}

#[derive(Debug, Clone)]
struct PortFlows {
    flows: [Flow; 2],
    packet_bytes: u64,
    /// One packet in this many is damaged; 0 for none.
    error_every: u64,
}

impl Traffic {
    /// The traffic of these devices.
    pub fn new(seed: u64, topology: &Topology) -> Traffic {
        let chance = Chance::new(seed).child(0x7472_6166_6669_6300);
        let of_device = |device: &Device| -> Vec<PortFlows> {
            let chance = chance.child(u64::from(device.number));
            device.ports.iter().map(|port| PortFlows::new(chance, port)).collect()
        };
        let mut devices: Vec<_> = topology.devices.iter().map(of_device).collect();
        for device in &topology.devices {
            for port in &device.ports {
                if let Some(far) = port.far_device.and_then(|far| first_uplink(&devices, far)) {
                    let near = &mut devices[device.number as usize][port.index as usize - 1];
                    near.become_the_other_end_of(&far);
                }
            }
        }
        Traffic { profiles: Arc::new(Profiles::new()), devices: devices.into() }
    }

    /// Octets from the beginning of 2020 to `time` (since 1970). They never decrease. A device
    /// shows the difference to the value at its last restart. 0 if the port does not exist.
    pub fn octets(&self, device: u32, port: u32, direction: Direction, time: Duration) -> u64 {
        let Some(port) = self.port(device, port) else { return 0 };
        port.flow(direction).octets(&self.profiles, since_origin_ms(time))
    }

    /// Octets a second at `time`: the derivative of [`Traffic::octets`].
    pub fn rate(&self, device: u32, port: u32, direction: Direction, time: Duration) -> f64 {
        let Some(port) = self.port(device, port) else { return 0.0 };
        port.flow(direction).rate(&self.profiles, since_origin_ms(time))
    }

    /// The unicast packets that carried these octets.
    pub fn packets(&self, device: u32, port: u32, direction: Direction, time: Duration) -> u64 {
        let octets = self.octets(device, port, direction, time);
        self.port(device, port).map_or(0, |port| octets / port.packet_bytes)
    }

    /// Packets that arrived damaged; none at most ports.
    pub fn errors(&self, device: u32, port: u32, direction: Direction, time: Duration) -> u64 {
        let packets = self.packets(device, port, direction, time);
        let every = self.port(device, port).map_or(0, |port| port.error_every);
        if direction == Direction::In { packets.checked_div(every).unwrap_or(0) } else { 0 }
    }

    /// `port` is an ifIndex, from 1.
    fn port(&self, device: u32, port: u32) -> Option<&PortFlows> {
        self.devices.get(device as usize)?.get((port as usize).checked_sub(1)?)
    }
}

impl PortFlows {
    fn new(device: Chance, port: &Port) -> PortFlows {
        let chance = device.child(u64::from(port.index));
        let has_errors = chance.child(3).below(100) < ERRORED_PORTS_OF_100;
        PortFlows {
            flows: Flow::pair(chance, port),
            packet_bytes: 180 + chance.child(2).below(900),
            error_every: if has_errors { 20_000 + chance.child(4).below(400_000) } else { 0 },
        }
    }

    /// Makes this port the other end of a link: the octets into one end come out of the other.
    fn become_the_other_end_of(&mut self, far: &PortFlows) {
        let [inward, outward] = far.flows.clone();
        self.flows = [outward, inward];
        self.packet_bytes = far.packet_bytes;
    }

    fn flow(&self, direction: Direction) -> &Flow {
        &self.flows[direction as usize]
    }
}

fn first_uplink(devices: &[Vec<PortFlows>], device: u32) -> Option<PortFlows> {
    let ports = devices.get(device as usize)?;
    ports.get(ports.len().checked_sub(UPLINKS as usize)?).cloned()
}

/// Milliseconds since the origin, as an integer, so that there is no rounding error.
fn since_origin_ms(time: Duration) -> u64 {
    let milliseconds = time.saturating_sub(Duration::from_secs(ORIGIN_SECONDS)).as_millis();
    u64::try_from(milliseconds).unwrap_or(u64::MAX / 4)
}
