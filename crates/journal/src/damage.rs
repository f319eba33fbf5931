//! Damage of the log that did not keep it from being opened.

use super::{JournalError, LogPosition};

/// Damage that was passed over at opening: of records that are not needed, or that the caller gives
/// up.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LogDamage {
    /// The file.
    pub segment: String,
    /// Where in the file.
    pub offset_bytes: u64,
    /// What is wrong: what was expected and what was found.
    pub what: String,
    /// The position of the first record that is missing.
    pub first: LogPosition,
    /// The position behind the last one; as `first` where nothing tells how many are missing.
    pub end: LogPosition,
    /// Whether records are missing that were needed.
    pub needed: bool,
}

/// What is done about damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leniency {
    /// What is needed must be there.
    Strict,
    /// Whatever is damaged is given up.
    GiveUp,
}

/// The damage that was passed over.
#[derive(Debug)]
pub(super) struct Passed {
    pub(super) leniency: Leniency,
    pub(super) damage: Vec<LogDamage>,
}

impl Passed {
    pub(super) fn new(leniency: Leniency) -> Self {
        Self { leniency, damage: Vec::new() }
    }

    /// Passes over damage, unless it is needed and nothing is to be given up.
    pub(super) fn pass(
        &mut self,
        error: JournalError,
        (first, end): (LogPosition, LogPosition),
        needed: bool,
    ) -> Result<(), JournalError> {
        let JournalError::Damaged { segment, offset_bytes, expected, found } = &error else {
            return Err(error);
        };
        if needed && self.leniency == Leniency::Strict {
            return Err(error);
        }
        let what = format!("expected {expected}, found {found}");
        let (segment, offset_bytes) = (segment.clone(), *offset_bytes);
        self.damage.push(LogDamage { segment, offset_bytes, what, first, end, needed });
        Ok(())
    }
}
