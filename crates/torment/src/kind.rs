//! Which faults a trial has.

/// The kind of faults in a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Processes are killed.
    Kills,
    /// The power of the disk is cut.
    Cuts,
    /// The disk is full, or fails.
    Faults,
    /// Bytes in files are changed.
    Rot,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Kills, Self::Cuts, Self::Faults, Self::Rot];

    /// Whether it needs a simulated disk.
    pub(crate) fn needs_disk(self) -> bool {
        matches!(self, Self::Cuts | Self::Faults)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kills => "kills",
            Self::Cuts => "cuts",
            Self::Faults => "faults",
            Self::Rot => "rot",
        }
    }
}
