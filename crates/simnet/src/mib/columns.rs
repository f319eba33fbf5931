//! The objects of a device, in the order in which GETNEXT walks them.

use crate::traffic::Direction::{self, In, Out};
use snmp::Oid;

/// sysObjectID: below net-snmp's subtree for unknown agents; it belongs to no real product.
pub(super) const SIMULATED_SWITCH: Oid = Oid::constant(&[1, 3, 6, 1, 4, 1, 8072, 3, 2, 255]);

/// A scalar or a table's column.
pub(super) struct Column {
    pub(super) oid: Oid,
    pub(super) index: Index,
    pub(super) object: Object,
}

/// The index of a column's instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Index {
    /// One instance, `.0`.
    Scalar,
    /// ifIndex.
    Port,
    /// An IPv4 address, four arcs.
    Address,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object {
    SysDescr,
    SysObjectId,
    SysUpTime,
    SysContact,
    SysName,
    SysLocation,
    SysServices,
    IfNumber,
    IfIndex,
    IfDescr,
    IfType,
    IfMtu,
    IfSpeed,
    IfPhysAddress,
    IfAdminStatus,
    IfOperStatus,
    IfLastChange,
    IfOutQLen,
    IfName,
    IfHighSpeed,
    IfPromiscuousMode,
    IfConnectorPresent,
    IfAlias,
    Octets(Direction),
    HcOctets(Direction),
    Packets(Direction),
    HcPackets(Direction),
    Errors(Direction),
    /// A counter of events that never happen here: discards, multicast, unknown protocols.
    Zero,
    IpAddress,
    IpIfIndex,
    IpNetMask,
    IpBroadcast,
}

pub(super) static COLUMNS: [Column; 46] = [
    system(1, Object::SysDescr),
    system(2, Object::SysObjectId),
    system(3, Object::SysUpTime),
    system(4, Object::SysContact),
    system(5, Object::SysName),
    system(6, Object::SysLocation),
    system(7, Object::SysServices),
    Column {
        oid: Oid::constant(&[1, 3, 6, 1, 2, 1, 2, 1]),
        index: Index::Scalar,
        object: Object::IfNumber,
    },
    interface(1, Object::IfIndex),
    interface(2, Object::IfDescr),
    interface(3, Object::IfType),
    interface(4, Object::IfMtu),
    interface(5, Object::IfSpeed),
    interface(6, Object::IfPhysAddress),
    interface(7, Object::IfAdminStatus),
    interface(8, Object::IfOperStatus),
    interface(9, Object::IfLastChange),
    interface(10, Object::Octets(In)),
    interface(11, Object::Packets(In)),
    interface(12, Object::Zero),
    interface(13, Object::Zero),
    interface(14, Object::Errors(In)),
    interface(15, Object::Zero),
    interface(16, Object::Octets(Out)),
    interface(17, Object::Packets(Out)),
    interface(18, Object::Zero),
    interface(19, Object::Zero),
    interface(20, Object::Errors(Out)),
    interface(21, Object::IfOutQLen),
    address(1, Object::IpAddress),
    address(2, Object::IpIfIndex),
    address(3, Object::IpNetMask),
    address(4, Object::IpBroadcast),
    extension(1, Object::IfName),
    extension(2, Object::Zero),
    extension(3, Object::Zero),
    extension(4, Object::Zero),
    extension(5, Object::Zero),
    extension(6, Object::HcOctets(In)),
    extension(7, Object::HcPackets(In)),
    extension(10, Object::HcOctets(Out)),
    extension(11, Object::HcPackets(Out)),
    extension(15, Object::IfHighSpeed),
    extension(16, Object::IfPromiscuousMode),
    extension(17, Object::IfConnectorPresent),
    extension(18, Object::IfAlias),
];

const fn system(number: u32, object: Object) -> Column {
    let oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1, number]);
    Column { oid, index: Index::Scalar, object }
}

/// ifTable.
const fn interface(number: u32, object: Object) -> Column {
    let oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 2, 2, 1, number]);
    Column { oid, index: Index::Port, object }
}

/// ipAddrTable.
const fn address(number: u32, object: Object) -> Column {
    let oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 4, 20, 1, number]);
    Column { oid, index: Index::Address, object }
}

/// ifXTable.
const fn extension(number: u32, object: Object) -> Column {
    let oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, number]);
    Column { oid, index: Index::Port, object }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_rise() {
        assert!(COLUMNS.windows(2).all(|pair| pair[0].oid < pair[1].oid));
    }
}
