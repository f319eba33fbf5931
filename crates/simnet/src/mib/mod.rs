//! The MIB of a device at one time: an ordered view that is computed, not stored.

mod columns;

use crate::topology::{Device, Port, Role};
use crate::traffic::{Direction, Traffic};
use columns::{COLUMNS, Column, Index, Object};
use snmp::agent::MibView;
use snmp::{Oid, Value, VarBind};
use std::net::Ipv4Addr;
use std::time::Duration;

const ETHERNET: i32 = 6;
const UP: i32 = 1;
const DOWN: i32 = 2;
const FALSE: i32 = 2;
const TRUE: i32 = 1;
/// Layer 2 and layer 3.
const SERVICES: i32 = 6;
/// One in this many devices has a second address.
const SECOND_ADDRESS_EVERY: u32 = 10;

/// A device's MIB at one time.
#[derive(Debug)]
pub struct DeviceMib<'a> {
    device: &'a Device,
    traffic: &'a Traffic,
    now: Duration,
    started_at: Duration,
    addresses: Vec<(Ipv4Addr, u32)>,
}

impl<'a> DeviceMib<'a> {
    /// The view at `now`, the time since 1970.
    pub fn new(device: &'a Device, traffic: &'a Traffic, now: Duration) -> DeviceMib<'a> {
        let started_at = device.started_at(now);
        DeviceMib { device, traffic, now, started_at, addresses: addresses(device) }
    }

    fn value(&self, object: Object, index: Row) -> Value {
        match index {
            Row::Scalar => self.scalar(object),
            Row::Port(port) => self.interface(object, port),
            Row::Address(address, if_index) => ip_address(object, address, if_index),
        }
    }

    fn scalar(&self, object: Object) -> Value {
        let device = self.device;
        match object {
            Object::SysDescr => text("gyre simulated switch, software 1.0"),
            Object::SysObjectId => Value::Oid(columns::SIMULATED_SWITCH),
            Object::SysUpTime => Value::TimeTicks(ticks(self.now.saturating_sub(self.started_at))),
            Object::SysContact => text("noc@sim.example"),
            Object::SysName => text(&device.name),
            Object::SysLocation => text(&device.location),
            Object::SysServices => Value::Integer(SERVICES),
            Object::IfNumber => Value::Integer(device.ports.len() as i32),
            _ => Value::NoSuchObject,
        }
    }

    fn interface(&self, object: Object, port: &Port) -> Value {
        let status = if port.role == Role::Down { DOWN } else { UP };
        let million_bits = port.speed_bits_per_second / 1_000_000;
        match object {
            Object::IfIndex => Value::Integer(port.index as i32),
            Object::IfDescr => text(&port.description),
            Object::IfName => text(&port.name),
            Object::IfAlias => text(&port.alias),
            Object::IfType => Value::Integer(ETHERNET),
            Object::IfMtu => Value::Integer(1500),
            // Limited: RFC 2863 uses ifHighSpeed for higher speeds.
            Object::IfSpeed => {
                Value::Gauge32(u32::try_from(port.speed_bits_per_second).unwrap_or(u32::MAX))
            }
            Object::IfHighSpeed => Value::Gauge32(million_bits as u32),
            Object::IfPhysAddress => Value::OctetString(mac(self.device.number, port.index)),
            Object::IfAdminStatus => Value::Integer(UP),
            Object::IfOperStatus => Value::Integer(status),
            Object::IfLastChange => Value::TimeTicks(0),
            Object::IfPromiscuousMode => Value::Integer(FALSE),
            Object::IfConnectorPresent => Value::Integer(TRUE),
            Object::IfOutQLen => Value::Gauge32(0),
            Object::Zero => Value::Counter32(0),
            // The 32-bit counter is the low half of the 64-bit one.
            Object::Octets(way) => Value::Counter32(self.octets(port, way) as u32),
            Object::HcOctets(way) => Value::Counter64(self.octets(port, way)),
            Object::Packets(way) => Value::Counter32(self.packets(port, way) as u32),
            Object::HcPackets(way) => Value::Counter64(self.packets(port, way)),
            Object::Errors(way) => Value::Counter32(self.errors(port, way) as u32),
            _ => Value::NoSuchObject,
        }
    }

    fn octets(&self, port: &Port, way: Direction) -> u64 {
        self.since_start(|time| self.traffic.octets(self.device.number, port.index, way, time))
    }

    fn packets(&self, port: &Port, way: Direction) -> u64 {
        self.since_start(|time| self.traffic.packets(self.device.number, port.index, way, time))
    }

    fn errors(&self, port: &Port, way: Direction) -> u64 {
        self.since_start(|time| self.traffic.errors(self.device.number, port.index, way, time))
    }

    fn since_start(&self, count: impl Fn(Duration) -> u64) -> u64 {
        count(self.now).wrapping_sub(count(self.started_at))
    }

    /// The first row of a column after `after` (arcs below the column), or the first of all.
    fn row_behind(&self, index: Index, after: &[u32]) -> Option<Row<'_>> {
        match index {
            Index::Scalar => after.is_empty().then_some(Row::Scalar),
            Index::Port => {
                // ifIndex n is at position n - 1, so the row after n is at position n.
                let place = after.first().map_or(0, |arc| *arc as usize);
                self.device.ports.get(place).map(Row::Port)
            }
            Index::Address => {
                let behind = |(address, _): &&(Ipv4Addr, u32)| arcs(*address).as_slice() > after;
                let (address, if_index) = self.addresses.iter().find(behind)?;
                Some(Row::Address(*address, *if_index))
            }
        }
    }

    fn row_at(&self, index: Index, at: &[u32]) -> Option<Row<'_>> {
        match (index, at) {
            (Index::Scalar, [0]) => Some(Row::Scalar),
            (Index::Port, [port]) => {
                self.device.ports.get((*port as usize).checked_sub(1)?).map(Row::Port)
            }
            (Index::Address, _) => {
                let (address, if_index) =
                    self.addresses.iter().find(|(address, _)| arcs(*address).as_slice() == at)?;
                Some(Row::Address(*address, *if_index))
            }
            _ => None,
        }
    }
}

/// A row of a table, or a scalar's only instance.
#[derive(Clone, Copy)]
enum Row<'a> {
    Scalar,
    Port(&'a Port),
    Address(Ipv4Addr, u32),
}

impl Row<'_> {
    fn name(self, column: &Oid) -> Option<Oid> {
        let name = match self {
            Row::Scalar => column.extended(&[0]),
            Row::Port(port) => column.extended(&[port.index]),
            Row::Address(address, _) => column.extended(&arcs(address)),
        };
        name.ok()
    }
}

impl MibView for DeviceMib<'_> {
    fn get(&self, oid: &Oid) -> Value {
        let column = column_at_or_before(oid).map(|place| &COLUMNS[place]);
        let Some((column, below)) = column.and_then(|it| Some((it, oid.below(&it.oid)?))) else {
            return Value::NoSuchObject;
        };
        match self.row_at(column.index, &below.collect::<Vec<u32>>()) {
            Some(row) => self.value(column.object, row),
            None => Value::NoSuchInstance,
        }
    }

    fn next(&self, oid: &Oid) -> Option<VarBind> {
        let start = column_at_or_before(oid).unwrap_or(0);
        COLUMNS[start..].iter().find_map(|column: &Column| {
            let after: Vec<u32> = oid.below(&column.oid).map(Iterator::collect).unwrap_or_default();
            // A column that is before the name and does not contain it has no row after it.
            if column.oid < *oid && !oid.starts_with(&column.oid) {
                return None;
            }
            let row = self.row_behind(column.index, &after)?;
            Some(VarBind { oid: row.name(&column.oid)?, value: self.value(column.object, row) })
        })
    }
}

fn column_at_or_before(oid: &Oid) -> Option<usize> {
    COLUMNS.partition_point(|column| column.oid <= *oid).checked_sub(1)
}

fn ip_address(object: Object, address: Ipv4Addr, if_index: u32) -> Value {
    match object {
        Object::IpAddress => Value::IpAddress(address),
        Object::IpIfIndex => Value::Integer(if_index as i32),
        Object::IpNetMask => Value::IpAddress(Ipv4Addr::new(255, 255, 255, 0)),
        Object::IpBroadcast => Value::Integer(1),
        _ => Value::NoSuchObject,
    }
}

/// The management address on the first uplink, and one more for some devices; in order.
fn addresses(device: &Device) -> Vec<(Ipv4Addr, u32)> {
    let uplink = device.ports.iter().find(|port| port.role == Role::Uplink);
    let Some(port) = uplink.or(device.ports.first()) else { return Vec::new() };
    let mut addresses = vec![(*device.address.ip(), port.index)];
    if device.number.is_multiple_of(SECOND_ADDRESS_EVERY) {
        let [_, high, low, _] = (device.number + 1).to_be_bytes();
        addresses.insert(0, (Ipv4Addr::new(10, high, low, 1), 1));
    }
    addresses
}

fn arcs(address: Ipv4Addr) -> [u32; 4] {
    address.octets().map(u32::from)
}

/// A locally administered address.
fn mac(device: u32, port: u32) -> Vec<u8> {
    let [_, high, middle, low] = device.to_be_bytes();
    vec![0x02, high, middle, low, (port >> 8) as u8, port as u8]
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

/// Hundredths of a second, as in sysUpTime, which wraps after 497 days.
fn ticks(time: Duration) -> u32 {
    (time.as_millis() / 10) as u32
}
