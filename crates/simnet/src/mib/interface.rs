//! The columns of ifTable and ifXTable.

use super::moment::Moment;
use super::object::Object;
use crate::port::Role;
use crate::traffic::{Direction, PortFlow};
use snmp::{Oid, Value};
use std::time::Duration;

const ETHERNET: i32 = 6;
const UP: i32 = 1;
const DOWN: i32 = 2;
const FALSE: i32 = 2;
const TRUE: i32 = 1;
/// One packet in so many goes to a group, to all, or is discarded when damaged.
const MULTICAST_EVERY: u64 = 50;
const BROADCAST_EVERY: u64 = 200;
const DISCARD_EVERY: u64 = 3;

/// An interface: its ifIndex, and its place in the device from 1, which a restart does not change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) index: u32,
    pub(super) place: u32,
}

/// The value of a column; `None` if it is none of these tables.
pub(super) fn value(moment: &Moment<'_>, object: Object, at: Place) -> Option<Value> {
    let Place { index, place } = at;
    let counters = Counters { moment, place };
    Some(match object {
        // The 32-bit counter is the low half of the 64-bit one.
        Object::Octets(way) => narrow(counters.octets(way)),
        Object::HcOctets(way) => Value::Counter64(counters.octets(way)),
        Object::Packets(way) => narrow(counters.packets(way, 1)),
        Object::HcPackets(way) => Value::Counter64(counters.packets(way, 1)),
        Object::Multicasts(way) => narrow(counters.packets(way, MULTICAST_EVERY)),
        Object::HcMulticasts(way) => Value::Counter64(counters.packets(way, MULTICAST_EVERY)),
        Object::Broadcasts(way) => narrow(counters.packets(way, BROADCAST_EVERY)),
        Object::HcBroadcasts(way) => Value::Counter64(counters.packets(way, BROADCAST_EVERY)),
        Object::Groupcasts(way) => {
            let multicasts = counters.packets(way, MULTICAST_EVERY);
            narrow(multicasts.wrapping_add(counters.packets(way, BROADCAST_EVERY)))
        }
        Object::Errors(way) => narrow(counters.errors(way, 1)),
        Object::Discards(way) => narrow(counters.errors(way, DISCARD_EVERY)),
        Object::Zero => Value::Counter32(0),
        Object::IfIndex => Value::Integer(index as i32),
        Object::IfPhysAddress => Value::OctetString(mac(moment.device.number, place)),
        _ => return names(moment, object, place).or_else(|| fixed(moment, object, place)),
    })
}

fn names(moment: &Moment<'_>, object: Object, place: u32) -> Option<Value> {
    let port = || moment.device.port(place);
    let name = match object {
        Object::IfDescr => port()?.description,
        Object::IfName => port()?.name,
        Object::IfAlias => port()?.alias,
        _ => return None,
    };
    Some(Value::OctetString(name.into_bytes()))
}

fn fixed(moment: &Moment<'_>, object: Object, place: u32) -> Option<Value> {
    let line = || moment.device.line(place);
    Some(match object {
        Object::IfType => Value::Integer(ETHERNET),
        Object::IfMtu => Value::Integer(1500),
        // Limited: RFC 2863 uses ifHighSpeed for higher speeds.
        Object::IfSpeed => {
            Value::Gauge32(u32::try_from(line()?.speed_bits_per_second).unwrap_or(u32::MAX))
        }
        Object::IfHighSpeed => Value::Gauge32((line()?.speed_bits_per_second / 1_000_000) as u32),
        Object::IfAdminStatus => Value::Integer(UP),
        Object::IfOperStatus => Value::Integer(if line()?.role == Role::Down { DOWN } else { UP }),
        // Nothing has changed since the device started.
        Object::IfLastChange | Object::IfDiscontinuity => Value::TimeTicks(0),
        Object::IfPromiscuousMode => Value::Integer(FALSE),
        Object::IfConnectorPresent | Object::IfTrapEnable => Value::Integer(TRUE),
        Object::IfOutQLen => Value::Gauge32(0),
        Object::IfSpecific => Value::Oid(Oid::constant(&[0, 0])),
        _ => return None,
    })
}

/// The counters of an interface.
struct Counters<'a> {
    moment: &'a Moment<'a>,
    place: u32,
}

impl Counters<'_> {
    fn octets(&self, way: Direction) -> u64 {
        self.counted(way, |port, time| port.octets(time))
    }

    /// One packet in so many.
    fn packets(&self, way: Direction, every: u64) -> u64 {
        self.counted(way, |port, time| port.packets(time) / every)
    }

    fn errors(&self, way: Direction, every: u64) -> u64 {
        self.counted(way, |port, time| port.errors(time) / every)
    }

    fn counted(&self, way: Direction, count: impl Fn(&PortFlow<'_>, Duration) -> u64) -> u64 {
        let Moment { device, traffic, .. } = self.moment;
        let port = traffic.port(device.number, self.place, way);
        port.map_or(0, |port| self.moment.counted(|time| count(&port, time)))
    }
}

fn narrow(count: u64) -> Value {
    Value::Counter32(count as u32)
}

/// A locally administered address.
fn mac(device: u32, port: u32) -> Vec<u8> {
    let [_, high, middle, low] = device.to_be_bytes();
    vec![0x02, high, middle, low, (port >> 8) as u8, port as u8]
}
