//! Which faults occur, and when.

use std::collections::BTreeMap;

/// Which faults occur, and when. By default none do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// The seed of all random decisions.
    pub seed: u64,
    /// Faults of certain calls, by the call's number from zero. A call that cannot have the given
    /// fault succeeds.
    pub at: BTreeMap<u64, Fault>,
    /// The rates of random faults.
    pub rates: FaultRates,
    /// Which unsynced writes survive a power cut.
    pub survival: Survival,
}

/// A fault of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `EIO`, and nothing was done. Any call except a sync can have it.
    IoError,
    /// `ENOSPC`, and nothing was done. For create, write and allocate.
    NoSpace,
    /// Only a part is written, and the returned count tells so. For writes of more than 32 bytes.
    ShortWrite,
    /// `EIO` from a sync. Some sectors reached the platter. The others are clean from then on, and
    /// reads see the new bytes or the old: Linux behaves like this.
    FailedSync,
    /// The machine stops in the middle of the call. This call and all later ones fail.
    Crash,
}

/// The rates of random faults, in parts per million of the calls that can have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultRates {
    /// For [`Fault::IoError`].
    pub io_error_ppm: u32,
    /// For [`Fault::NoSpace`].
    pub no_space_ppm: u32,
    /// For [`Fault::ShortWrite`].
    pub short_write_ppm: u32,
    /// For [`Fault::FailedSync`].
    pub failed_sync_ppm: u32,
    /// For [`Fault::Crash`].
    pub crash_ppm: u32,
    /// The part of all calls after which the kernel writes some dirty sectors back by itself.
    pub write_back_ppm: u32,
    /// The part of power cuts after which one bit on the platter has changed.
    pub bit_rot_ppm: u32,
    /// The part of [`MediumFile::is_held`](crate::MediumFile::is_held) calls that answer true.
    pub held_ppm: u32,
}

/// Which unsynced sectors and names survive a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Survival {
    /// Each survives at random.
    #[default]
    ByChance,
    /// None survives.
    Nothing,
    /// All survive.
    Everything,
}

/// The end of a machine's or process's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The machine lost power: only the platter remains.
    PowerCut,
    /// The process ended: the kernel still has what was written.
    Process,
}
