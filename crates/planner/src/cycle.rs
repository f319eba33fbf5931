//! Calculates from the work how long a cycle takes, and how much of the machine is used.

use crate::room::NeededRoom;
use crate::{Cycle, Fleet, Load, Machine, Resource};

/// The largest share of processor time in the long run: above it, the reference's systems could not
/// catch up after a disturbance.
const PROCESSOR_SHARE_MAX: f64 = 0.65;

/// Seconds of each kind of work, for one second of real time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    /// Seconds of one processor.
    pub(crate) processor: f64,
    /// Seconds that the updates wait for reads and for synced writes.
    pub(crate) waits: f64,
    /// Seconds that the disk writes in the background.
    pub(crate) writes: f64,
}

impl Work {
    pub(crate) fn add(&mut self, other: &Self) {
        self.processor += other.processor;
        self.waits += other.waits;
        self.writes += other.writes;
    }

    /// The elapsed seconds if nothing else runs: the disk writes in the background while updates
    /// wait for reads.
    fn seconds(&self, machine: &Machine) -> f64 {
        let in_front = self.processor / f64::from(machine.cores.max(1)) + self.waits;
        in_front.max(self.waits + self.writes)
    }
}

/// The work in three kinds of cycles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Works {
    pub(crate) mean: Work,
    pub(crate) longest: Work,
    pub(crate) first: Work,
}

impl Works {
    pub(crate) fn cycle(&self, fleet: &Fleet, machine: &Machine) -> Cycle {
        let cadence_seconds = fleet.shortest_cadence_seconds();
        let seconds = |work: &Work| work.seconds(machine) * cadence_seconds;
        Cycle {
            cadence_seconds,
            seconds: seconds(&self.mean),
            seconds_max: seconds(&self.longest),
            first_seconds: seconds(&self.first),
        }
    }

    /// The load of each resource.
    pub(crate) fn loads(&self, cycle: &Cycle, room: NeededRoom, machine: &Machine) -> Vec<Load> {
        let load = |resource, share, share_max| Load { resource, share, share_max };
        let cores = f64::from(machine.cores.max(1));
        let of_time = [
            load(Resource::Processor, self.mean.processor / cores, PROCESSOR_SHARE_MAX),
            load(Resource::Disk, self.mean.waits + self.mean.writes, 1.0),
            load(Resource::Cycle, cycle.seconds_max / cycle.cadence_seconds, 1.0),
        ];
        of_time.into_iter().chain(room.loads(machine)).collect()
    }
}
