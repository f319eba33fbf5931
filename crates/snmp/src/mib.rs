//! The names that a traffic collector asks for (RFC 1213, RFC 2863, RFC 3418).

use crate::oid::Oid;

/// `system`: the group.
pub const SYSTEM: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1]);
/// `sysDescr.0`
pub const SYS_DESCR: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1, 1, 0]);
/// `sysObjectID.0`
pub const SYS_OBJECT_ID: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1, 2, 0]);
/// `sysUpTime.0`, hundredths of a second since the agent started.
pub const SYS_UP_TIME: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1, 3, 0]);
/// `sysContact.0`
pub const SYS_CONTACT: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1, 4, 0]);
/// `sysName.0`
pub const SYS_NAME: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1, 5, 0]);
/// `sysLocation.0`
pub const SYS_LOCATION: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1, 6, 0]);
/// `sysServices.0`
pub const SYS_SERVICES: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 1, 7, 0]);

/// `ifNumber.0`
pub const IF_NUMBER: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 2, 1, 0]);
/// `ifTable`
pub const IF_TABLE: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 2, 2]);
/// `ifIndex`
pub const IF_INDEX: Oid = if_entry(1);
/// `ifDescr`
pub const IF_DESCR: Oid = if_entry(2);
/// `ifType`
pub const IF_TYPE: Oid = if_entry(3);
/// `ifMtu`
pub const IF_MTU: Oid = if_entry(4);
/// `ifSpeed`, bits a second, latched at 4294967295.
pub const IF_SPEED: Oid = if_entry(5);
/// `ifPhysAddress`
pub const IF_PHYS_ADDRESS: Oid = if_entry(6);
/// `ifAdminStatus`
pub const IF_ADMIN_STATUS: Oid = if_entry(7);
/// `ifOperStatus`
pub const IF_OPER_STATUS: Oid = if_entry(8);
/// `ifLastChange`
pub const IF_LAST_CHANGE: Oid = if_entry(9);
/// `ifInOctets`
pub const IF_IN_OCTETS: Oid = if_entry(10);
/// `ifInUcastPkts`
pub const IF_IN_UCAST_PKTS: Oid = if_entry(11);
/// `ifInDiscards`
pub const IF_IN_DISCARDS: Oid = if_entry(13);
/// `ifInErrors`
pub const IF_IN_ERRORS: Oid = if_entry(14);
/// `ifOutOctets`
pub const IF_OUT_OCTETS: Oid = if_entry(16);
/// `ifOutUcastPkts`
pub const IF_OUT_UCAST_PKTS: Oid = if_entry(17);
/// `ifOutDiscards`
pub const IF_OUT_DISCARDS: Oid = if_entry(19);
/// `ifOutErrors`
pub const IF_OUT_ERRORS: Oid = if_entry(20);

/// `ifXTable`
pub const IF_X_TABLE: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 31, 1, 1]);
/// `ifName`
pub const IF_NAME: Oid = if_x_entry(1);
/// `ifHCInOctets`
pub const IF_HC_IN_OCTETS: Oid = if_x_entry(6);
/// `ifHCInUcastPkts`
pub const IF_HC_IN_UCAST_PKTS: Oid = if_x_entry(7);
/// `ifHCOutOctets`
pub const IF_HC_OUT_OCTETS: Oid = if_x_entry(10);
/// `ifHCOutUcastPkts`
pub const IF_HC_OUT_UCAST_PKTS: Oid = if_x_entry(11);
/// `ifHighSpeed`, millions of bits a second.
pub const IF_HIGH_SPEED: Oid = if_x_entry(15);
/// `ifConnectorPresent`
pub const IF_CONNECTOR_PRESENT: Oid = if_x_entry(17);
/// `ifAlias`
pub const IF_ALIAS: Oid = if_x_entry(18);
/// `ifCounterDiscontinuityTime`: the sysUpTime since which an interface's counters count.
pub const IF_COUNTER_DISCONTINUITY_TIME: Oid = if_x_entry(19);
/// `ifTableLastChange.0`: the sysUpTime at which an interface was made or removed.
pub const IF_TABLE_LAST_CHANGE: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 31, 1, 5, 0]);

/// `ipAdEntAddr`: the index is the address.
pub const IP_AD_ENT_ADDR: Oid = ip_ad_entry(1);
/// `ipAdEntIfIndex`
pub const IP_AD_ENT_IF_INDEX: Oid = ip_ad_entry(2);
/// `ipAdEntNetMask`
pub const IP_AD_ENT_NET_MASK: Oid = ip_ad_entry(3);
/// `ipAdEntBcastAddr`
pub const IP_AD_ENT_BCAST_ADDR: Oid = ip_ad_entry(4);

const fn if_entry(column: u32) -> Oid {
    Oid::constant(&[1, 3, 6, 1, 2, 1, 2, 2, 1, column])
}

const fn if_x_entry(column: u32) -> Oid {
    Oid::constant(&[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, column])
}

const fn ip_ad_entry(column: u32) -> Oid {
    Oid::constant(&[1, 3, 6, 1, 2, 1, 4, 20, 1, column])
}
