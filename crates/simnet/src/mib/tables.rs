//! The objects of a device, in the order in which GETNEXT walks them.

use super::object::Object::{self, *};
use crate::traffic::Direction::{In, Out};
use snmp::Oid;

/// A table, or scalars that lie below one name.
pub(super) struct Table {
    /// The name that the numbers of the columns follow.
    pub(super) entry: Oid,
    pub(super) index: Index,
    /// The columns by their numbers, in order.
    pub(super) columns: &'static [(u32, Object)],
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
    /// These numbers, in order.
    Numbers(&'static [u32]),
}

/// The tables in the order of their first rows. The scalars below ifMIBObjects come after
/// ifXTable, though their name is the beginning of its name.
pub(super) static TABLES: [Table; 17] = [
    Table { entry: mib2(&[1]), index: Index::Scalar, columns: &SYSTEM },
    Table { entry: mib2(&[2]), index: Index::Scalar, columns: &[(1, IfNumber)] },
    Table { entry: mib2(&[2, 2, 1]), index: Index::Port, columns: &INTERFACES },
    Table { entry: mib2(&[4]), index: Index::Scalar, columns: &[(1, IpForwarding), (2, IpTtl)] },
    Table { entry: mib2(&[4, 20, 1]), index: Index::Address, columns: &ADDRESSES },
    Table { entry: mib2(&[25, 1]), index: Index::Scalar, columns: &HOST },
    Table { entry: mib2(&[25, 2]), index: Index::Scalar, columns: &[(2, HrMemorySize)] },
    Table { entry: mib2(&[25, 2, 3, 1]), index: Index::Numbers(&STORAGES), columns: &STORAGE },
    Table { entry: mib2(&[25, 3, 2, 1]), index: Index::Numbers(&PROCESSORS), columns: &DEVICE },
    Table { entry: mib2(&[25, 3, 3, 1]), index: Index::Numbers(&PROCESSORS), columns: &PROCESSOR },
    Table { entry: mib2(&[31, 1, 1, 1]), index: Index::Port, columns: &EXTENSIONS },
    Table { entry: mib2(&[31, 1]), index: Index::Scalar, columns: &[(5, IfTableLastChange)] },
    Table { entry: ucd(&[4]), index: Index::Scalar, columns: &MEMORY },
    Table { entry: ucd(&[10, 1]), index: Index::Numbers(&[1, 2, 3]), columns: &LOAD },
    Table { entry: ucd(&[11]), index: Index::Scalar, columns: &STATISTICS },
    Table { entry: SNMP_FRAMEWORK_ENGINE, index: Index::Scalar, columns: &ENGINE },
    Table {
        entry: SNMP_MPD_STATS,
        index: Index::Scalar,
        columns: &[(1, Zero), (2, Zero), (3, Zero)],
    },
];

const SNMP_FRAMEWORK_ENGINE: Oid = Oid::constant(&[1, 3, 6, 1, 6, 3, 10, 2, 1]);
const SNMP_MPD_STATS: Oid = Oid::constant(&[1, 3, 6, 1, 6, 3, 11, 2, 1]);

/// hrStorageIndex, as net-snmp numbers memory and the first file systems.
pub(super) const STORAGES: [u32; 4] = [1, 10, 31, 32];
/// hrDeviceIndex of processors, as net-snmp numbers them.
pub(super) const PROCESSORS: [u32; 2] = [196_608, 196_609];

const SYSTEM: [(u32, Object); 7] = [
    (1, SysDescr),
    (2, SysObjectId),
    (3, SysUpTime),
    (4, SysContact),
    (5, SysName),
    (6, SysLocation),
    (7, SysServices),
];

const INTERFACES: [(u32, Object); 22] = [
    (1, IfIndex),
    (2, IfDescr),
    (3, IfType),
    (4, IfMtu),
    (5, IfSpeed),
    (6, IfPhysAddress),
    (7, IfAdminStatus),
    (8, IfOperStatus),
    (9, IfLastChange),
    (10, Octets(In)),
    (11, Packets(In)),
    (12, Groupcasts(In)),
    (13, Discards(In)),
    (14, Errors(In)),
    (15, Zero),
    (16, Octets(Out)),
    (17, Packets(Out)),
    (18, Groupcasts(Out)),
    (19, Discards(Out)),
    (20, Errors(Out)),
    (21, IfOutQLen),
    (22, IfSpecific),
];

const ADDRESSES: [(u32, Object); 5] =
    [(1, IpAddress), (2, IpIfIndex), (3, IpNetMask), (4, IpBroadcast), (5, IpReassemblyMax)];

const EXTENSIONS: [(u32, Object); 19] = [
    (1, IfName),
    (2, Multicasts(In)),
    (3, Broadcasts(In)),
    (4, Multicasts(Out)),
    (5, Broadcasts(Out)),
    (6, HcOctets(In)),
    (7, HcPackets(In)),
    (8, HcMulticasts(In)),
    (9, HcBroadcasts(In)),
    (10, HcOctets(Out)),
    (11, HcPackets(Out)),
    (12, HcMulticasts(Out)),
    (13, HcBroadcasts(Out)),
    (14, IfTrapEnable),
    (15, IfHighSpeed),
    (16, IfPromiscuousMode),
    (17, IfConnectorPresent),
    (18, IfAlias),
    (19, IfDiscontinuity),
];

const HOST: [(u32, Object); 7] = [
    (1, HrUptime),
    (2, HrDate),
    (3, HrLoadDevice),
    (4, HrLoadParameters),
    (5, HrUsers),
    (6, HrProcesses),
    (7, HrProcessesMax),
];

const STORAGE: [(u32, Object); 7] = [
    (1, RowNumber),
    (2, StorageType),
    (3, StorageDescr),
    (4, StorageUnit),
    (5, StorageSize),
    (6, StorageUsed),
    (7, Zero),
];

const DEVICE: [(u32, Object); 6] = [
    (1, RowNumber),
    (2, DeviceType),
    (3, DeviceDescr),
    (4, NullName),
    (5, DeviceStatus),
    (6, Zero),
];

const PROCESSOR: [(u32, Object); 2] = [(1, NullName), (2, ProcessorLoad)];

const MEMORY: [(u32, Object); 13] = [
    (1, UcdIndex),
    (2, MemoryName),
    (3, SwapTotal),
    (4, SwapFree),
    (5, MemoryTotal),
    (6, MemoryFree),
    (11, MemoryAndSwapFree),
    (12, SwapLeast),
    (13, MemoryShared),
    (14, MemoryBuffers),
    (15, MemoryCached),
    (100, UcdError),
    (101, UcdErrorText),
];

const LOAD: [(u32, Object); 8] = [
    (1, RowNumber),
    (2, LoadName),
    (3, LoadText),
    (4, LoadLimit),
    (5, LoadHundredths),
    (6, LoadFloat),
    (100, UcdError),
    (101, UcdErrorText),
];

const STATISTICS: [(u32, Object); 15] = [
    (1, UcdIndex),
    (2, StatisticsName),
    (9, CpuUser),
    (10, CpuSystem),
    (11, CpuIdle),
    (50, CpuRawUser),
    (51, Zero),
    (52, CpuRawSystem),
    (53, CpuRawIdle),
    (54, Zero),
    (55, Zero),
    (56, Zero),
    (57, Zero),
    (58, Zero),
    (64, Zero),
];

const ENGINE: [(u32, Object); 4] =
    [(1, EngineId), (2, EngineBoots), (3, EngineSeconds), (4, EngineBytesMax)];

/// A name below mib-2.
const fn mib2(arcs: &[u32]) -> Oid {
    below(&[1, 3, 6, 1, 2, 1], arcs)
}

/// A name below ucdavis.
const fn ucd(arcs: &[u32]) -> Oid {
    below(&[1, 3, 6, 1, 4, 1, 2021], arcs)
}

const fn below(root: &[u32], arcs: &[u32]) -> Oid {
    let mut all = [0; 12];
    let mut length = 0;
    while length < root.len() {
        all[length] = root[length];
        length += 1;
    }
    let mut next = 0;
    while next < arcs.len() {
        all[length + next] = arcs[next];
        next += 1;
    }
    let (name, _) = all.split_at(length + arcs.len());
    Oid::constant(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_rise() {
        let name = |table: &Table, number| table.entry.extended(&[number]).unwrap();
        let columns = TABLES
            .iter()
            .flat_map(|table| table.columns.iter().map(move |(number, _)| name(table, *number)));
        let columns: Vec<Oid> = columns.collect();
        assert!(columns.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
