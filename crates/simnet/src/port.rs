//! The interfaces of a device and their uses, as a function of the seed.

use crate::lots::Chance;

pub(crate) const DEVICES_PER_SITE: u32 = 25;
/// The uplinks of a switch: its last ports.
pub(crate) const UPLINKS: u32 = 2;
const GIGABIT: u64 = 1_000_000_000;

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

/// The position of a port: its switch and its index.
pub(crate) struct Place {
    /// The number of the switch.
    pub(crate) device: u32,
    /// The number of all switches.
    pub(crate) devices: u32,
    /// The number of the switch's ports.
    pub(crate) ports: u32,
    pub(crate) index: u32,
    /// Whether no port is down.
    pub(crate) all_up: bool,
}

/// What determines a port: its place, role and speed, without its names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    chance: Chance,
    ports: u32,
    index: u32,
    is_core: bool,
    pub(crate) role: Role,
    pub(crate) speed_bits_per_second: u64,
    /// On a core switch: the number of the device whose first uplink is connected here.
    pub(crate) far_device: Option<u32>,
}

impl Line {
    pub(crate) fn new(place: &Place, chance: Chance) -> Line {
        let Place { device, devices, ports, index, all_up } = *place;
        let is_core = device.is_multiple_of(DEVICES_PER_SITE);
        let is_uplink = is_uplink(ports, index);
        // The edge switches of a site are connected to its core in order.
        let far_device = device.saturating_add(index);
        let is_link = is_core
            && !is_uplink
            && index < DEVICES_PER_SITE
            && far_device < devices
            && ports > UPLINKS;
        let far_device = is_link.then_some(far_device);
        let role = match far_device {
            Some(_) => Role::Uplink,
            None if is_uplink => Role::Uplink,
            None if is_core => Role::Server,
            None => edge_role(chance.child(0), all_up),
        };
        let speed_bits_per_second = speed(chance.child(1), is_core, is_uplink);
        Line { chance, ports, index, is_core, role, speed_bits_per_second, far_device }
    }

    /// The port with its names.
    pub(crate) fn port(&self) -> Port {
        let (short, long) = line_names(self.speed_bits_per_second);
        let (slot, place) = match is_uplink(self.ports, self.index) {
            true => (1, self.index + UPLINKS - self.ports),
            false => (0, self.index),
        };
        Port {
            index: self.index,
            name: format!("{short}1/{slot}/{place}"),
            description: format!("{long}1/{slot}/{place}"),
            alias: match self.far_device {
                Some(_) => format!("link to edge{place:02}"),
                None => alias(self.chance.child(2), self.role, self.is_core, place),
            },
            role: self.role,
            speed_bits_per_second: self.speed_bits_per_second,
        }
    }
}

/// The last ports are uplinks, as on most switches.
fn is_uplink(ports: u32, index: u32) -> bool {
    ports > UPLINKS && index + UPLINKS > ports
}

fn speed(chance: Chance, is_core: bool, is_uplink: bool) -> u64 {
    let is_old = chance.below(10) == 0;
    match (is_core, is_uplink) {
        (true, true) => 100 * GIGABIT,
        (true, false) | (false, true) => 10 * GIGABIT,
        (false, false) if is_old => GIGABIT / 10,
        (false, false) => GIGABIT,
    }
}

fn edge_role(chance: Chance, all_up: bool) -> Role {
    match chance.below(100) {
        0..60 => Role::Access,
        60..72 => Role::Server,
        72..80 => Role::Bursty,
        80..92 => Role::Idle,
        _ if all_up => Role::Idle,
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
