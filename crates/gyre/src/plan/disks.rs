//! Disks as most are, by kind.

use planner::DiskRates;

/// A kind of disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disk {
    pub(super) name: &'static str,
    pub(super) rates: DiskRates,
}

/// One disk of 7,200 turns a minute: a seek and half a turn are 12 ms, writes that wait together
/// are sorted.
const HDD: Disk = Disk {
    name: "hdd",
    rates: DiskRates {
        random_reads_per_second: 120.0,
        random_writes_per_second: 300.0,
        sequential_bytes_per_second: 160e6,
        synced_write_seconds: 12e-3,
    },
};

/// A solid state disk over SATA, without a capacitor for its cache.
const SSD: Disk = Disk {
    name: "ssd",
    rates: DiskRates {
        random_reads_per_second: 10_000.0,
        random_writes_per_second: 20_000.0,
        sequential_bytes_per_second: 450e6,
        synced_write_seconds: 1e-3,
    },
};

/// A solid state disk over NVMe; 90 µs a read, two at once.
const NVME: Disk = Disk {
    name: "nvme",
    rates: DiskRates {
        random_reads_per_second: 22_000.0,
        random_writes_per_second: 100_000.0,
        sequential_bytes_per_second: 1500e6,
        synced_write_seconds: 0.2e-3,
    },
};

pub(super) const DISKS: [(&str, &Disk); 3] = [("hdd", &HDD), ("ssd", &SSD), ("nvme", &NVME)];

impl Disk {
    /// Where nothing says.
    pub(super) const USUAL: &'static Self = &SSD;

    /// The kind that a block device is of, as far as it says.
    pub(super) fn like(device: &doctor::place::Device) -> &'static Self {
        match device {
            _ if device.name.starts_with("nvme") => &NVME,
            // Virtual disks often say that they turn.
            _ if device.is_rotational && !device.is_virtual() => &HDD,
            _ => &SSD,
        }
    }
}
