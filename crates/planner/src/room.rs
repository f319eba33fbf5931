//! The room that databases need however they are updated, in memory and on disk. It is known without
//! a simulation.

use crate::{Load, Machine, Resource};

/// Room for databases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeededRoom {
    /// The least memory.
    pub(crate) memory_bytes: f64,
    pub(crate) disk_bytes: u64,
}

impl NeededRoom {
    /// The load of memory and of the disk's space.
    pub(crate) fn loads(self, machine: &Machine) -> [Load; 2] {
        let load = |resource, share| Load { resource, share, share_max: 1.0 };
        [
            load(Resource::Memory, self.memory_bytes / machine.memory_bytes.max(1) as f64),
            load(Resource::DiskSpace, self.disk_bytes as f64 / machine.disk_bytes.max(1) as f64),
        ]
    }

    /// The same with a log of so many bytes on the disk.
    pub(crate) fn with_log(self, log_bytes: f64) -> Self {
        Self { disk_bytes: self.disk_bytes + log_bytes as u64, ..self }
    }

    pub(crate) fn is_there(self, machine: &Machine) -> bool {
        self.loads(machine).iter().all(|load| load.strain() <= 1.0)
    }
}
