//! What network to simulate.

use std::net::Ipv4Addr;
use std::time::Duration;

/// What network to simulate. The default is a campus of 100 switches with 48 ports.
#[derive(Debug, Clone)]
pub struct Config {
    /// The same seed is the same network with the same traffic at the same times.
    pub seed: u64,
    /// Switches, those in bad health included.
    pub devices: u32,
    /// Interfaces of each.
    pub ports: u32,
    /// Of the devices: those that answer late.
    pub slow_devices: u32,
    /// How late.
    pub slow_by: Duration,
    /// Of the devices: those that never answer.
    pub dead_devices: u32,
    /// Of the devices: those that restart again and again.
    pub rebooting_devices: u32,
    /// How often they do.
    pub reboot_every: Duration,
    /// The community that may read.
    pub community: String,
    /// The UDP port of all devices; 0 finds a free one.
    pub udp_port: u16,
    /// The address in front of the first device's, in 127.0.0.0/8.
    pub address_base: Ipv4Addr,
    /// Bytes of a response, at most.
    pub response_bytes_max: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            seed: 1,
            devices: 100,
            ports: 48,
            slow_devices: 3,
            slow_by: Duration::from_millis(400),
            dead_devices: 1,
            rebooting_devices: 1,
            reboot_every: Duration::from_secs(15 * 60),
            community: "public".to_owned(),
            udp_port: 16161,
            address_base: Ipv4Addr::new(127, 16, 0, 0),
            response_bytes_max: 1472,
        }
    }
}
