//! The MIB of a device at one time: an ordered view that is computed, not stored.

mod object;
mod tables;
mod row;
mod below;
mod moment;
mod interface;
mod host;
mod system;

use crate::fault::{BrokenWalk, Condition, Fault, Life};
use crate::topology::Device;
use crate::traffic::Traffic;
use below::Below;
use moment::Moment;
use object::Object;
use row::{Row, arcs};
use snmp::agent::MibView;
use snmp::{Oid, Value, VarBind};
use std::net::Ipv4Addr;
use std::time::Duration;
use tables::{Index, TABLES, Table};

/// One in this many devices has a second address.
const SECOND_ADDRESS_EVERY: u32 = 10;
/// Where walks end that a fault breaks: in the column ifDescr.
const IF_DESCR: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 2]);

/// A device's MIB at one time.
#[derive(Debug)]
pub(crate) struct DeviceMib<'a> {
    moment: Moment<'a>,
    /// Whether there are no counters of 64 bits.
    is_narrow: bool,
    walk: Option<BrokenWalk>,
}

impl<'a> DeviceMib<'a> {
    /// The view at `now`, the time since 1970.
    pub(crate) fn new(
        device: &'a Device,
        traffic: &'a Traffic,
        now: Duration,
        life: Life,
        bytes_max: usize,
    ) -> DeviceMib<'a> {
        let moment = Moment { device, traffic, now, life, clock_seconds: 0, bytes_max };
        DeviceMib { moment, is_narrow: false, walk: None }
    }

    /// The same with the faults of a condition.
    pub(crate) fn in_condition(mut self, condition: &Condition) -> DeviceMib<'a> {
        for fault in condition.faults() {
            match fault {
                Fault::Narrow => self.is_narrow = true,
                Fault::Clock(seconds) => self.moment.clock_seconds = seconds,
                Fault::Walk(walk) => self.walk = Some(walk),
                _ => {}
            }
        }
        self
    }

    fn value(&self, object: Object, row: Row) -> Value {
        let moment = &self.moment;
        match row {
            Row::Scalar | Row::Number(_) => {
                let number = if let Row::Number(number) = row { number } else { 0 };
                system::value(moment, object).or_else(|| host::value(moment, object, number))
            }
            Row::Port(index) => {
                let place = moment.life.place_of(index, moment.device.ports);
                interface::value(moment, object, interface::Place { index, place })
            }
            Row::Address(address, if_index) => ip_address(object, address, if_index),
        }
        .unwrap_or(Value::NoSuchObject)
    }

    fn has(&self, object: Object) -> bool {
        !(self.is_narrow && object.is_wide())
    }

    /// The first row of a column after `after` (arcs below the column), or the first of all.
    fn row_behind(&self, index: Index, after: &[u32]) -> Option<Row> {
        let first = after.first();
        match index {
            Index::Scalar => after.is_empty().then_some(Row::Scalar),
            Index::Port => {
                let next = first.map_or(Some(1), |arc| arc.checked_add(1))?;
                (next <= self.moment.device.ports).then_some(Row::Port(next))
            }
            Index::Address => {
                let behind = |(address, _): &(Ipv4Addr, u32)| arcs(*address).as_slice() > after;
                let (address, if_index) = self.addresses().find(behind)?;
                Some(Row::Address(address, if_index))
            }
            Index::Numbers(numbers) => {
                let behind = |number: &&u32| first.is_none_or(|arc| *number > arc);
                numbers.iter().find(behind).map(|number| Row::Number(*number))
            }
        }
    }

    fn row_at(&self, index: Index, at: &[u32]) -> Option<Row> {
        match (index, at) {
            (Index::Scalar, [0]) => Some(Row::Scalar),
            (Index::Port, [port]) => {
                (1..=self.moment.device.ports).contains(port).then_some(Row::Port(*port))
            }
            (Index::Address, _) => {
                let is_it = |(address, _): &(Ipv4Addr, u32)| arcs(*address).as_slice() == at;
                let (address, if_index) = self.addresses().find(is_it)?;
                Some(Row::Address(address, if_index))
            }
            (Index::Numbers(numbers), [number]) => {
                numbers.contains(number).then_some(Row::Number(*number))
            }
            _ => None,
        }
    }

    /// The management address on the first uplink, and one more for some devices; in order.
    fn addresses(&self) -> impl Iterator<Item = (Ipv4Addr, u32)> {
        let Moment { device, life, .. } = self.moment;
        let index = |place| life.index_at(place, device.ports);
        let has_second = device.number.is_multiple_of(SECOND_ADDRESS_EVERY) && device.ports > 0;
        let [_, high, low, _] = (device.number + 1).to_be_bytes();
        let second = has_second.then(|| (Ipv4Addr::new(10, high, low, 1), index(1)));
        let uplink = device.first_uplink();
        let first = uplink.map(|place| (*device.address.ip(), index(place)));
        second.into_iter().chain(first)
    }

    /// The first instance of a table after a name.
    fn next_in(&self, table: &Table, oid: &Oid) -> Option<VarBind> {
        let below = match Below::new(oid, &table.entry) {
            Some(below) => below,
            None if *oid < table.entry => Below::default(),
            None => return None,
        };
        let (from, after) = below.split().unwrap_or((0, &[]));
        let start = table.columns.partition_point(|(number, _)| *number < from);
        let columns = table.columns.get(start..)?;
        columns.iter().filter(|(_, object)| self.has(*object)).find_map(|(number, object)| {
            let after = if *number == from { after } else { &[] };
            let row = self.row_behind(table.index, after);
            if row.is_none() && table.index == Index::Port {
                return self.beyond(table, *number, after);
            }
            let row = row?;
            let oid = row.name(&table.entry, *number)?;
            Some(VarBind { oid, value: self.value(*object, row) })
        })
    }

    /// What a fault puts after the last row of a column.
    fn beyond(&self, table: &Table, column: u32, after: &[u32]) -> Option<VarBind> {
        let index = match self.walk? {
            BrokenWalk::Loop => 1,
            BrokenWalk::Endless => after.first()?.checked_add(1)?,
            BrokenWalk::Short => return None,
        };
        let oid = Row::Number(index).name(&table.entry, column)?;
        Some(VarBind { oid, value: Value::Counter32(0) })
    }

    /// Whether a fault ends walks before this name.
    fn is_cut_off(&self, oid: &Oid) -> bool {
        let is_half = |index| index > self.moment.device.ports / 2;
        self.walk == Some(BrokenWalk::Short)
            && *oid > IF_DESCR
            && oid.index_below(&IF_DESCR).is_none_or(is_half)
    }
}

impl MibView for DeviceMib<'_> {
    fn get(&self, oid: &Oid) -> Value {
        let cell = TABLES.iter().find_map(|table| {
            let below = Below::new(oid, &table.entry)?;
            let (number, index) = below.split()?;
            let place = table.columns.binary_search_by_key(&number, |(number, _)| *number).ok()?;
            let (_, object) = table.columns.get(place)?;
            self.has(*object).then(|| (*object, self.row_at(table.index, index)))
        });
        match cell {
            Some((object, Some(row))) => self.value(object, row),
            Some((_, None)) => Value::NoSuchInstance,
            None => Value::NoSuchObject,
        }
    }

    fn next(&self, oid: &Oid) -> Option<VarBind> {
        // Instances of the tables before this one are before the name. A name between two tables, such
        // as ifXTable's own, may be in no table that begins before it.
        let may_follow = |table: &Table| oid.starts_with(&table.entry) || table.entry > *oid;
        let start = TABLES.iter().position(may_follow)?;
        let tables = TABLES.get(start..)?;
        let next = tables.iter().find_map(|table| self.next_in(table, oid))?;
        (!self.is_cut_off(&next.oid)).then_some(next)
    }
}

fn ip_address(object: Object, address: Ipv4Addr, if_index: u32) -> Option<Value> {
    /// The largest datagram.
    const REASSEMBLY_MAX: i32 = 65_535;
    Some(match object {
        Object::IpAddress => Value::IpAddress(address),
        Object::IpIfIndex => Value::Integer(if_index as i32),
        Object::IpNetMask => Value::IpAddress(Ipv4Addr::new(255, 255, 255, 0)),
        Object::IpBroadcast => Value::Integer(1),
        Object::IpReassemblyMax => Value::Integer(REASSEMBLY_MAX),
        _ => return None,
    })
}
