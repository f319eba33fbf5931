//! The devices, as a function of the seed.

use crate::config::Config;
use crate::lots::Chance;
use crate::port::{DEVICES_PER_SITE, Line, Place, Port, UPLINKS};
use snmp::agent::EngineTime;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;
use std::time::Duration;

const SITES: [&str; 8] = ["ams", "ber", "cph", "dub", "edi", "fra", "gva", "hel"];
/// Device addresses are .1 to .250 in each /24.
const HOSTS_PER_NET: u32 = 250;
/// A device without faults restarts about once in this time, for maintenance: before sysUpTime
/// wraps after 497 days.
const MAINTENANCE_EVERY: Duration = Duration::from_secs(400 * 86_400);

/// All devices.
#[derive(Debug, Clone)]
pub struct Topology {
    /// The devices in the order of their addresses.
    pub devices: Arc<[Device]>,
    address_base: Ipv4Addr,
}

/// A switch.
#[derive(Debug, Clone)]
pub struct Device {
    /// Its number, from 0, by which traffic is requested.
    pub number: u32,
    /// sysName.
    pub name: String,
    /// sysLocation.
    pub location: String,
    /// The address that it answers at.
    pub address: SocketAddrV4,
    /// The community that may read.
    pub community: Arc<str>,
    /// Its health.
    pub health: Health,
    /// The time between restarts.
    pub(crate) restart_every: Duration,
    /// The offset of restarts from the multiples of that.
    pub(crate) restart_phase: Duration,
    /// The number of its interfaces.
    pub(crate) ports: u32,
    /// The number of all devices.
    pub(crate) devices: u32,
    /// Whether none of its interfaces is down.
    all_up: bool,
    /// From which its interfaces follow.
    chance: Chance,
}

/// The health of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It answers at once.
    Good,
    /// It answers with this delay.
    Slow(Duration),
    /// It never answers.
    Dead,
    /// It restarts at this interval; its counters and sysUpTime begin at zero again.
    Rebooting(Duration),
}

impl Topology {
    /// The devices of a configuration, at `udp_port`.
    pub fn new(config: &Config, udp_port: u16) -> Topology {
        let device = |number| Device::new(config, udp_port, number);
        let devices = (0..config.devices).map(device).collect();
        Topology { devices, address_base: config.address_base }
    }

    /// The device at an address.
    pub(crate) fn device_at(&self, address: Ipv4Addr) -> Option<&Device> {
        let place = u32::from(address).checked_sub(u32::from(self.address_base))?;
        let host = (place & 0xff).checked_sub(1).filter(|host| *host < HOSTS_PER_NET)?;
        self.devices.get(((place >> 8) * HOSTS_PER_NET + host) as usize)
    }
}

impl Device {
    fn new(config: &Config, udp_port: u16, number: u32) -> Device {
        let chance = Chance::new(config.seed).child(u64::from(number));
        let (site, place) = (number / DEVICES_PER_SITE, number % DEVICES_PER_SITE);
        let site = site_name(site);
        let health = health(config, number);
        let restart_every = match health {
            Health::Rebooting(every) => every.max(Duration::from_secs(1)),
            _ => MAINTENANCE_EVERY,
        };
        Device {
            number,
            name: match place {
                0 => format!("{site}-core1"),
                _ => format!("{site}-edge{place:02}"),
            },
            location: format!("{site}, floor {}, rack {}", place / 6, 1 + place % 6),
            address: SocketAddrV4::new(address(config.address_base, number), udp_port),
            community: config.community.as_str().into(),
            health,
            restart_every,
            restart_phase: restart_every.mul_f64(chance.child(0).unit()),
            ports: config.ports,
            devices: config.devices,
            all_up: config.all_up,
            chance: chance.child(1),
        }
    }

    /// Its interfaces; the first has `ifIndex` 1. They are made as they are asked for.
    pub fn ports(&self) -> impl Iterator<Item = Port> {
        (1..=self.ports).filter_map(|index| self.port(index))
    }

    /// The site that it stands at: what its name begins with.
    pub fn site(&self) -> &str {
        self.name.split('-').next().unwrap_or_default()
    }

    /// The interface with this `ifIndex`.
    pub fn port(&self, index: u32) -> Option<Port> {
        Some(self.line(index)?.port())
    }

    /// What determines the interface with this `ifIndex`: cheaper than the interface with its names.
    pub(crate) fn line(&self, index: u32) -> Option<Line> {
        let Device { number: device, devices, ports, all_up, .. } = *self;
        let place = Place { device, devices, ports, index, all_up };
        let exists = (1..=ports).contains(&index);
        exists.then(|| Line::new(&place, self.chance.child(u64::from(index))))
    }

    /// The first of the uplinks; the first interface of a device that has no uplinks.
    pub(crate) fn first_uplink(&self) -> Option<u32> {
        match self.ports {
            0 => None,
            few if few <= UPLINKS => Some(1),
            many => Some(many + 1 - UPLINKS),
        }
    }

    /// The time of the device's last restart before `time`; both since 1970.
    pub fn started_at(&self, time: Duration) -> Duration {
        let every = self.restart_every.as_nanos();
        let since_phase = time.saturating_sub(self.restart_phase).as_nanos();
        let since_start = since_phase.checked_rem(every).unwrap_or(0);
        time.saturating_sub(Duration::from_nanos(since_start as u64))
    }

    /// The id of its engine of SNMPv3, which has its address (RFC 3411, SnmpEngineID).
    pub fn engine_id(&self) -> [u8; 9] {
        const FORMAT_IPV4: u8 = 1;
        let [a, b, c, d] = self.address.ip().octets();
        [0x80, 0, 0, 0, FORMAT_IPV4, a, b, c, d]
    }

    /// The clock of that engine at `time` since 1970.
    pub fn engine_time(&self, time: Duration) -> EngineTime {
        /// The last number before that which makes an engine's messages invalid.
        const BOOTS_MAX: u128 = i32::MAX as u128 - 1;
        let since_phase = time.saturating_sub(self.restart_phase).as_nanos();
        let restarts = since_phase.checked_div(self.restart_every.as_nanos()).unwrap_or(0);
        let seconds = time.saturating_sub(self.started_at(time)).as_secs();
        let counted = |count: u128| count.min(BOOTS_MAX) as u32;
        EngineTime { boots: counted(restarts), seconds: counted(seconds.into()) }
    }
}

/// Devices with faults come last, so that the first ones are always good.
fn health(config: &Config, number: u32) -> Health {
    let from_end = config.devices - 1 - number;
    let rebooting = config.dead_devices + config.rebooting_devices;
    if from_end < config.dead_devices {
        Health::Dead
    } else if from_end < rebooting {
        Health::Rebooting(config.reboot_every)
    } else if from_end < rebooting + config.slow_devices {
        Health::Slow(config.slow_by)
    } else {
        Health::Good
    }
}

fn site_name(site: u32) -> String {
    let name = SITES[site as usize % SITES.len()];
    match site / SITES.len() as u32 {
        0 => name.to_owned(),
        round => format!("{name}{}", round + 1),
    }
}

fn address(base: Ipv4Addr, number: u32) -> Ipv4Addr {
    let (net, host) = (number / HOSTS_PER_NET, 1 + number % HOSTS_PER_NET);
    Ipv4Addr::from(u32::from(base).wrapping_add(net << 8 | host))
}
