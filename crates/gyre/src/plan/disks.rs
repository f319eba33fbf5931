//! Typical disks, by kind.

use planner::DiskRates;

/// A kind of disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disk {
    pub(super) name: &'static str,
    pub(super) rates: DiskRates,
}

/// A disk of 7,200 turns a minute: a seek and half a turn take 12 ms; the disk sorts writes that
/// queue.
const HDD: Disk = Disk {
    name: "hdd",
    rates: DiskRates {
        random_reads_per_second: 120.0,
        random_writes_per_second: 300.0,
        sequential_bytes_per_second: 160e6,
        synced_write_seconds: 12e-3,
    },
};

/// A solid state disk on SATA, with a cache that loses its content in a power cut.
const SSD: Disk = Disk {
    name: "ssd",
    rates: DiskRates {
        random_reads_per_second: 10_000.0,
        random_writes_per_second: 20_000.0,
        sequential_bytes_per_second: 450e6,
        synced_write_seconds: 1e-3,
    },
};

/// A solid state disk on NVMe: 90 µs a read, two reads at once.
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
    /// The kind assumed when neither an option nor the device tells.
    pub(super) const USUAL: &'static Self = &SSD;

    /// The kind that is most like a block device, as far as the device tells.
    pub(super) fn like(device: &doctor::place::Device) -> &'static Self {
        match device {
            _ if device.name.starts_with("nvme") => &NVME,
            // Virtual disks often claim to be rotational; that claim is ignored.
            _ if device.is_rotational && !device.is_virtual() => &HDD,
            _ => &SSD,
        }
    }
}
