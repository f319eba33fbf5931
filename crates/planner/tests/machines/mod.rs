//! A machine and a layout for tests.
#![allow(dead_code)] // each test uses some

use planner::{DiskRates, FileSystem, Machine, Processor};
use rrd::Definition;

pub(crate) const GIB: u64 = 1 << 30;

/// MRTG's layout with 800 rows in each archive: 105,312 bytes.
pub(crate) fn mrtg() -> Definition {
    let archives =
        ["AVERAGE", "MAX"].map(|cf| [1, 6, 24, 288].map(|pdps| format!("RRA:{cf}:0.5:{pdps}:800")));
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let specs: Vec<String> = sources.into_iter().chain(archives.into_iter().flatten()).collect();
    rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap()
}

/// Two processors, one fast disk, and this memory.
pub(crate) fn machine(memory_bytes: u64) -> Machine {
    Machine {
        memory_bytes,
        cores: 2,
        processor: Processor::default(),
        disk_bytes: 1 << 40,
        disk: DiskRates {
            random_reads_per_second: 10_000.0,
            random_writes_per_second: 20_000.0,
            sequential_bytes_per_second: 500e6,
            synced_write_seconds: 0.15e-3,
        },
        readahead_bytes: 128 << 10,
        file_system: FileSystem::default(),
    }
}
