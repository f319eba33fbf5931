//! The rows of tables, and their names.

use snmp::Oid;
use std::net::Ipv4Addr;

/// A row of a table, or a scalar's only instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    Scalar,
    /// An interface, by its ifIndex.
    Port(u32),
    /// An address and the ifIndex of its interface.
    Address(Ipv4Addr, u32),
    Number(u32),
}

impl Row {
    /// The name of its instance in a column.
    pub(super) fn name(self, entry: &Oid, column: u32) -> Option<Oid> {
        let name = match self {
            Row::Scalar => entry.extended(&[column, 0]),
            Row::Port(index) | Row::Number(index) => entry.extended(&[column, index]),
            Row::Address(address, _) => {
                let [a, b, c, d] = arcs(address);
                entry.extended(&[column, a, b, c, d])
            }
        };
        name.ok()
    }
}

/// The index of an address.
pub(super) fn arcs(address: Ipv4Addr) -> [u32; 4] {
    address.octets().map(u32::from)
}
