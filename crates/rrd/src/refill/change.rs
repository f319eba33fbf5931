//! What `tune` can do to the structure of a database, and its words for it.

use crate::NoRoom;
use crate::number::integer;
use crate::spec::SpecError;

/// How a database is to be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The name of the database, which decides when new seasonal archives are smoothed.
    pub name: String,
    /// The time between primary data points from now on, as it was written.
    pub step: Option<String>,
    /// Names of sources that go, with all their rows.
    pub removed_sources: Vec<String>,
    /// Sources that come, as `DS:...`.
    pub added_sources: Vec<String>,
    /// For archives, by position, what becomes of their rows; the first word on each counts.
    pub rows: Vec<(usize, RowChange)>,
    /// Archives that come, as `RRA:...`.
    pub added_archives: Vec<String>,
}

/// What becomes of the rows of an archive. It goes where none remains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RowChange {
    /// So many come before the oldest.
    Grow(u64),
    /// So many go, the oldest.
    Shrink(u64),
    /// So many there are then.
    To(u64),
}

/// Why a change is refused; the words are rrdtool's where it has them.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum ChangeError {
    /// A word that says nothing.
    #[error("unparseable argument: {0}")]
    Word(String),
    /// `RRA#` with something else than position, sign and number behind it.
    #[error("Failed to parse RRA# command")]
    Rows,
    /// `RRA#` with another sign than `+`, `-` or `=`.
    #[error("Failed to parse RRA# command: invalid operation: {0}")]
    RowsSign(char),
    /// `DELRRA:` with a negative position.
    #[error("DELRRA requires a non-negative, integer argument")]
    RemovedArchive,
    /// The new step does not divide the old one.
    #[error(
        "invalid 'newstep' parameter. The newsize must divide the old step parameter without a \
         remainder."
    )]
    Step,
    /// A source or an archive that comes is wrong, or none remains.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A source that remains needs one that goes.
    #[error("data source '{0}' is calculated from one that would be removed")]
    SourceNeeded(String),
    /// An archive that remains needs one that goes.
    #[error("RRA {0} needs an RRA that would be removed")]
    ArchiveNeeded(usize),
    /// There is no archive at that position.
    #[error("no such RRA in this RRD")]
    NoSuchArchive,
    /// A ring would have more rows than can be counted.
    #[error("RRA {0} would have too many rows")]
    TooManyRows(usize),
    /// A ring would have no row.
    #[error("This RRA is not that big")]
    NoRowLeft,
    /// An archive has no such row or source.
    #[error("RRA {archive} has no such cell in a row that ends at {row_end_seconds}")]
    NoSuchCell {
        /// The archive's position.
        archive: usize,
        /// When the row was said to end.
        row_end_seconds: i64,
    },
    /// A cell holds something else than it did when its change was planned.
    #[error(
        "the row of RRA {archive} that ends at {row_end_seconds} is not what it was: plan anew"
    )]
    CellDiffers {
        /// The archive's position.
        archive: usize,
        /// When the row ends.
        row_end_seconds: i64,
    },
    /// A ring would have more rows than memory holds.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
}

impl Change {
    /// Takes up one word: `DEL:name`, `DS:...`, `DELRRA:position`, `RRA:...` or
    /// `RRA#position:[+-=]rows`.
    ///
    /// # Errors
    /// [`ChangeError`]: it is none of these.
    pub fn add(&mut self, word: &str) -> Result<(), ChangeError> {
        let after = |prefix| word.strip_prefix(prefix).filter(|rest: &&str| !rest.is_empty());
        if let Some(name) = after("DEL:") {
            self.removed_sources.push(name.into());
        } else if after("DS:").is_some() {
            self.added_sources.push(word.into());
        } else if let Some(text) = after("RRA#") {
            self.rows.push(rows(text)?);
        } else if after("RRA:").is_some() {
            self.added_archives.push(word.into());
        } else if let Some(text) = after("DELRRA:") {
            // As C's atoi reads it: no number is 0.
            let position = integer::leading(text, false).map_or(0, |(position, _)| position);
            let position = usize::try_from(position).map_err(|_| ChangeError::RemovedArchive)?;
            self.rows.push((position, RowChange::To(0)));
        } else {
            return Err(ChangeError::Word(word.into()));
        }
        Ok(())
    }

    /// Whether it does anything. A new step alone does not, as with rrdtool's.
    #[must_use]
    pub fn is_any(&self) -> bool {
        !(self.removed_sources.is_empty()
            && self.added_sources.is_empty()
            && self.rows.is_empty()
            && self.added_archives.is_empty())
    }
}

/// Reads `position:[+-=]rows`; what follows the number is not looked at, as with rrdtool's.
fn rows(text: &str) -> Result<(usize, RowChange), ChangeError> {
    let (position, rest) = count(text)?;
    let mut letters = rest.strip_prefix(':').ok_or(ChangeError::Rows)?.chars();
    let sign = letters.next().ok_or(ChangeError::Rows)?;
    let (count, _) = count(letters.as_str())?;
    let change = match sign {
        '+' => RowChange::Grow(count),
        '-' => RowChange::Shrink(count),
        '=' => RowChange::To(count),
        other => return Err(ChangeError::RowsSign(other)),
    };
    Ok((position as usize, change))
}

/// A number of 32 bits and what follows it. rrdtool lets larger and negative ones wrap.
fn count(text: &str) -> Result<(u64, &str), ChangeError> {
    let (number, rest) = integer::leading(text, false).ok_or(ChangeError::Rows)?;
    let number = u32::try_from(number).map_err(|_| ChangeError::Rows)?;
    Ok((number.into(), rest))
}
