//! What shall go wrong, and when.

use std::collections::BTreeMap;

/// What shall go wrong, and when. The default is a machine on which nothing does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// Faults of certain calls, by the call's number from zero. A call that cannot have the fault
    /// given for it goes well.
    pub at: BTreeMap<u64, Fault>,
    /// Faults by chance.
    pub rates: FaultRates,
    /// What becomes of unsynced writes in a power cut.
    pub survival: Survival,
}

/// Something that can go wrong in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `EIO`, and nothing was done. Any call but a sync can have it.
    IoError,
    /// `ENOSPC`, and nothing was done: create, write, allocate.
    NoSpace,
    /// Only a part is written, and the count says so: a write of more than 32 bytes.
    ShortWrite,
    /// `EIO` from a sync. Some sectors reached the platter; the others are clean from then on, and
    /// reads see the new bytes or the old: what Linux does.
    FailedSync,
    /// The machine stops in the middle of the call; this and every later one fail.
    Crash,
}

/// Parts per million of the calls that can have a fault.
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
    /// Of the calls, after which the kernel writes back some dirty sectors of its own accord.
    pub write_back_ppm: u32,
    /// Of the power cuts, after which one bit somewhere on the platter has changed.
    pub bit_rot_ppm: u32,
    /// Of the questions whether another process holds a file, those that are answered with yes.
    pub held_ppm: u32,
}

/// What becomes of unsynced sectors and names in a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Survival {
    /// Each survives or not, by chance.
    #[default]
    ByChance,
    /// None survives.
    Nothing,
    /// All survive.
    Everything,
}

/// How a life ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// The machine lost power: only the platter remains.
    PowerCut,
    /// The process ended: the kernel still has what was written.
    Process,
}
