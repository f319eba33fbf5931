//! The configuration of a simulated network.

use snmp::{User, Version};
use std::net::Ipv4Addr;
use std::time::Duration;

/// The configuration of a simulated network. The default is a campus of 100 switches with 48 ports.
#[derive(Debug, Clone)]
pub struct Config {
    /// The same seed is the same network with the same traffic at the same times.
    pub seed: u64,
    /// The number of switches, including those with faults.
    pub devices: u32,
    /// The number of interfaces of each switch.
    pub ports: u32,
    /// Whether every interface is up; otherwise one in twelve or so is down.
    pub all_up: bool,
    /// The number of devices that answer late.
    pub slow_devices: u32,
    /// The delay of their answers.
    pub slow_by: Duration,
    /// The number of devices that never answer.
    pub dead_devices: u32,
    /// The number of devices that restart repeatedly.
    pub rebooting_devices: u32,
    /// The time between their restarts.
    pub reboot_every: Duration,
    /// The community that may read.
    pub community: String,
    /// The versions with a community that are answered.
    pub versions: Versions,
    /// The users of SNMPv3 that may read; none by default.
    pub users: Vec<User>,
    /// The UDP port of all devices; 0 finds a free one.
    pub udp_port: u16,
    /// The address before that of the first device, in 127.0.0.0/8.
    pub address_base: Ipv4Addr,
    /// The most bytes of a response.
    pub response_bytes_max: usize,
}

/// The versions with a community.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    /// SNMPv1.
    pub v1: bool,
    /// SNMPv2c.
    pub v2c: bool,
}

impl Versions {
    pub(crate) fn has(self, version: Version) -> bool {
        match version {
            Version::V1 => self.v1,
            Version::V2c => self.v2c,
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            seed: 1,
            devices: 100,
            ports: 48,
            all_up: false,
            slow_devices: 3,
            slow_by: Duration::from_millis(400),
            dead_devices: 1,
            rebooting_devices: 1,
            reboot_every: Duration::from_secs(15 * 60),
            community: "public".to_owned(),
            versions: Versions { v1: true, v2c: true },
            users: Vec::new(),
            udp_port: 16161,
            address_base: Ipv4Addr::new(127, 16, 0, 0),
            response_bytes_max: 1472,
        }
    }
}
