//! The devices and the uses of their ports, as a function of the seed.

use crate::config::Config;
use crate::lots::Chance;
use snmp::agent::EngineTime;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

const SITES: [&str; 8] = ["ams", "ber", "cph", "dub", "edi", "fra", "gva", "hel"];
const DEVICES_PER_SITE: u32 = 25;
/// The uplinks of a switch: its last ports.
pub(crate) const UPLINKS: u32 = 2;
const GIGABIT: u64 = 1_000_000_000;
/// Device addresses are .1 to .250 in each /24.
const HOSTS_PER_NET: u32 = 250;
/// A device without faults restarts about once in this time, for maintenance: before sysUpTime
/// wraps after 497 days.
const MAINTENANCE_EVERY: Duration = Duration::from_secs(400 * 86_400);

/// All devices.
#[derive(Debug, Clone)]
pub struct Topology {
    /// The devices in the order of their addresses.
    pub devices: Vec<Device>,
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
    pub community: String,
    /// Its health.
    pub health: Health,
    /// The time between restarts.
    pub(crate) restart_every: Duration,
    /// The offset of restarts from the multiples of that.
    pub(crate) restart_phase: Duration,
    /// Its interfaces; the first has `ifIndex` 1.
    pub ports: Vec<Port>,
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

/// An interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// ifIndex, from 1.
    pub index: u32,
    /// ifName, such as `Gi1/0/7`.
    pub name: String,
    /// ifDescr, such as `GigabitEthernet1/0/7`.
    pub description: String,
    /// ifAlias: the device or user at the port.
    pub alias: String,
    /// Its role.
    pub role: Role,
    /// Line speed, bits a second.
    pub speed_bits_per_second: u64,
    /// On a core switch: the number of the device whose first uplink is connected here.
    pub(crate) far_device: Option<u32>,
}

/// The role of a port, which determines its traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// To the next switch: much traffic by day and in the evening.
    Uplink,
    /// A desk: traffic in office hours, more towards it than from it.
    Access,
    /// A server: traffic all the time, backups at night.
    Server,
    /// No traffic except for one large transfer a day.
    Bursty,
    /// A device that only sends keep-alives.
    Idle,
    /// Nothing is connected.
    Down,
}

impl Topology {
    /// The devices of a configuration, at `udp_port`.
    pub fn new(config: &Config, udp_port: u16) -> Topology {
        let device = |number| Device::new(config, udp_port, number);
        Topology { devices: (0..config.devices).map(device).collect() }
    }
}

impl Device {
    fn new(config: &Config, udp_port: u16, number: u32) -> Device {
        let chance = Chance::new(config.seed).child(u64::from(number));
        let (site, place) = (number / DEVICES_PER_SITE, number % DEVICES_PER_SITE);
        let is_core = place == 0;
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
            community: config.community.clone(),
            health,
            restart_every,
            restart_phase: restart_every.mul_f64(chance.child(0).unit()),
            ports: ports(config, chance, number, is_core),
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

fn ports(config: &Config, device: Chance, number: u32, is_core: bool) -> Vec<Port> {
    let port = |index| {
        let place = Place { ports: config.ports, index, is_core };
        // The edge switches of a site are connected to its core in order.
        let far_device = number + index;
        let is_link = is_core
            && !place.is_uplink()
            && index < DEVICES_PER_SITE
            && far_device < config.devices
            && config.ports > UPLINKS;
        place.port(device.child(1).child(u64::from(index)), is_link.then_some(far_device))
    };
    (1..=config.ports).map(port).collect()
}

/// The position of a port: the switch and the index.
struct Place {
    ports: u32,
    index: u32,
    is_core: bool,
}

impl Place {
    /// The last ports are uplinks, as on most switches.
    fn is_uplink(&self) -> bool {
        self.ports > UPLINKS && self.index + UPLINKS > self.ports
    }

    fn port(&self, chance: Chance, far_device: Option<u32>) -> Port {
        let role = match far_device {
            Some(_) => Role::Uplink,
            None if self.is_uplink() => Role::Uplink,
            None if self.is_core => Role::Server,
            None => edge_role(chance.child(0)),
        };
        let speed_bits_per_second = self.speed_bits_per_second(chance.child(1));
        let (short, long) = line_names(speed_bits_per_second);
        let (slot, place) = match self.is_uplink() {
            true => (1, self.index + UPLINKS - self.ports),
            false => (0, self.index),
        };
        Port {
            index: self.index,
            name: format!("{short}1/{slot}/{place}"),
            description: format!("{long}1/{slot}/{place}"),
            alias: match far_device {
                Some(_) => format!("link to edge{place:02}"),
                None => alias(chance.child(2), role, self.is_core, place),
            },
            role,
            speed_bits_per_second,
            far_device,
        }
    }

    fn speed_bits_per_second(&self, chance: Chance) -> u64 {
        let is_old = chance.below(10) == 0;
        match (self.is_core, self.is_uplink()) {
            (true, true) => 100 * GIGABIT,
            (true, false) | (false, true) => 10 * GIGABIT,
            (false, false) if is_old => GIGABIT / 10,
            (false, false) => GIGABIT,
        }
    }
}

fn edge_role(chance: Chance) -> Role {
    match chance.below(100) {
        0..60 => Role::Access,
        60..72 => Role::Server,
        72..80 => Role::Bursty,
        80..92 => Role::Idle,
        _ => Role::Down,
    }
}

fn line_names(speed_bits_per_second: u64) -> (&'static str, &'static str) {
    match speed_bits_per_second / GIGABIT {
        100.. => ("Hu", "HundredGigE"),
        10.. => ("Te", "TenGigabitEthernet"),
        1.. => ("Gi", "GigabitEthernet"),
        0 => ("Fa", "FastEthernet"),
    }
}

fn alias(chance: Chance, role: Role, is_core: bool, place: u32) -> String {
    let number = 1 + chance.below(400);
    match role {
        Role::Uplink if is_core => format!("backbone {place}"),
        Role::Uplink => format!("uplink {place} to core1"),
        Role::Access => format!("desk {number}"),
        Role::Server => format!("server srv{number:03}"),
        Role::Bursty => format!("backup store {number}"),
        Role::Idle => format!("door sensor {number}"),
        Role::Down => String::new(),
    }
}
