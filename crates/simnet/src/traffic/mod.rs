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

mod direction;
mod burst;
mod flow;
mod rhythm;
mod warp;

use crate::lots::Chance;
use crate::port::UPLINKS;
use crate::topology::{Device, Topology};
pub use direction::Direction;
use flow::Flow;
use rhythm::Profiles;
use std::sync::Arc;
use std::time::Duration;

/// All counters are zero at this time: Monday, 6 January 2020, 00:00 UTC. Before it there is no
/// traffic.
const ORIGIN_SECONDS: u64 = 1_578_268_800;
/// Two processors, in hundredths of seconds.
const PROCESSOR_TICKS_PER_SECOND: f64 = 200.0;
const ERRORED_PORTS_OF_100: u64 = 4;

/// The traffic of a whole network. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Traffic {
    profiles: Arc<Profiles>,
    devices: Arc<[Device]>,
    chance: Chance,
}

/// One direction of a port. It is made for each question, so that a port takes no memory.
pub(crate) struct PortFlow<'a> {
    profiles: &'a Profiles,
    flow: Flow,
    packet_bytes: u64,
    /// One packet in this many is damaged; 0 for none.
    error_every: u64,
}

impl Traffic {
    /// The traffic of these devices.
    pub fn new(seed: u64, topology: &Topology) -> Traffic {
        let chance = Chance::new(seed).child(0x7472_6166_6669_6300);
        Traffic { profiles: Arc::new(Profiles::new()), devices: topology.devices.clone(), chance }
    }

    /// Octets from the beginning of 2020 to `time` (since 1970). They never decrease. A device
    /// shows the difference to the value at its last restart. 0 if the port does not exist.
    pub fn octets(&self, device: u32, port: u32, direction: Direction, time: Duration) -> u64 {
        self.port(device, port, direction).map_or(0, |port| port.octets(time))
    }

    /// Octets a second at `time`: the derivative of [`Traffic::octets`].
    pub fn rate(&self, device: u32, port: u32, direction: Direction, time: Duration) -> f64 {
        let Some(port) = self.port(device, port, direction) else { return 0.0 };
        port.flow.rate(&self.profiles, since_origin_ms(time))
    }

    /// The unicast packets that carried these octets.
    pub fn packets(&self, device: u32, port: u32, direction: Direction, time: Duration) -> u64 {
        self.port(device, port, direction).map_or(0, |port| port.packets(time))
    }

    /// Packets that arrived damaged; none at most ports.
    pub fn errors(&self, device: u32, port: u32, direction: Direction, time: Duration) -> u64 {
        self.port(device, port, direction).map_or(0, |port| port.errors(time))
    }

    /// Hundredths of seconds that a device's processors have worked, by the kind of work.
    pub(crate) fn processor_ticks(&self, device: u32, work: u32, time: Duration) -> u64 {
        self.processor(device, work).octets(&self.profiles, since_origin_ms(time))
    }

    /// The share of a device's processors that is busy.
    pub(crate) fn processor_load(&self, device: u32, time: Duration) -> f64 {
        let rate = |work| self.processor(device, work).rate(&self.profiles, since_origin_ms(time));
        (rate(0) + rate(1)) / PROCESSOR_TICKS_PER_SECOND
    }

    fn processor(&self, device: u32, work: u32) -> Flow {
        let chance = self.chance.child(u64::from(device)).child(0).child(u64::from(work));
        // Most of it is the users' work. No noise makes it more than all.
        let share = if work == 0 { 0.4 } else { 0.13 } * chance.child(3).between(0.2, 1.0);
        Flow::steady(chance, share * PROCESSOR_TICKS_PER_SECOND)
    }

    /// One direction of a port, for several questions. `port` is an ifIndex, from 1.
    pub(crate) fn port(
        &self,
        device: u32,
        port: u32,
        direction: Direction,
    ) -> Option<PortFlow<'_>> {
        let near = self.devices.get(device as usize)?;
        let line = near.line(port)?;
        let error_every = match direction {
            Direction::In => error_every(self.port_chance(device, port)),
            Direction::Out => 0,
        };
        let other_end = line.far_device.and_then(|far| {
            let far = self.devices.get(far as usize)?;
            let uplink = (far.ports + 1).checked_sub(UPLINKS)?;
            Some((far.number, uplink, far.line(uplink)?))
        });
        // The octets into one end of a link come out of the other.
        let (chance, line, way) = match other_end {
            Some((far, uplink, line)) => (self.port_chance(far, uplink), line, direction.other()),
            None => (self.port_chance(device, port), line, direction),
        };
        let packet_bytes = 180 + chance.child(2).below(900);
        let flow = Flow::new(chance, &line, way);
        Some(PortFlow { profiles: &self.profiles, flow, packet_bytes, error_every })
    }

    fn port_chance(&self, device: u32, port: u32) -> Chance {
        self.chance.child(u64::from(device)).child(u64::from(port))
    }
}

impl PortFlow<'_> {
    pub(crate) fn octets(&self, time: Duration) -> u64 {
        self.flow.octets(self.profiles, since_origin_ms(time))
    }

    pub(crate) fn packets(&self, time: Duration) -> u64 {
        self.octets(time) / self.packet_bytes
    }

    pub(crate) fn errors(&self, time: Duration) -> u64 {
        self.packets(time).checked_div(self.error_every).unwrap_or(0)
    }
}

fn error_every(port: Chance) -> u64 {
    let has_errors = port.child(3).below(100) < ERRORED_PORTS_OF_100;
    if has_errors { 20_000 + port.child(4).below(400_000) } else { 0 }
}

/// Milliseconds since the origin, as an integer, so that there is no rounding error.
fn since_origin_ms(time: Duration) -> u64 {
    let milliseconds = time.saturating_sub(Duration::from_secs(ORIGIN_SECONDS)).as_millis();
    u64::try_from(milliseconds).unwrap_or(u64::MAX / 4)
}
