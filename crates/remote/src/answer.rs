//! Answers of a store, and their encoding.

use std::borrow::Cow;
use std::path::Path;

use rrd::{FinalRows, Series, Stretch, Tick, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Error, NamesPage, Taken};
use store::{StoreReport, Verified};

use super::Malformed;
use super::bytes::{Bytes, Doubles};
use super::fault::{Fault, Refusal};

/// The space of a name, counted in values.
pub(super) const NAME_VALUES: u64 = 8;

/// The space of an answer beside its numbers, about.
const ROOM_BYTES: usize = 256;

/// The result of a [`Call`](super::Call).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer<'a> {
    /// The call failed.
    Failed(#[serde(borrow)] Fault<'a>),
    /// The call succeeded.
    Done,
    /// These parts were refused; the others succeeded.
    Refused(#[serde(borrow)] Vec<Refusal<'a>>),
    /// The samples that were applied, with the rows that they made final. One sample may have been
    /// refused.
    Watched {
        /// The database's definition, as the header of a file.
        #[serde(borrow)]
        head: Option<Bytes<'a>>,
        /// The samples.
        samples: Vec<Watched>,
        /// The refused sample.
        #[serde(borrow)]
        refused: Option<Refusal<'a>>,
    },
    /// The header of a file.
    Head(#[serde(borrow)] Bytes<'a>),
    /// Rows.
    Rows(#[serde(borrow)] Rows<'a>),
    /// A whole file.
    File(#[serde(borrow)] Bytes<'a>),
    /// The answer to a yes-or-no question.
    Is(bool),
    /// Names.
    Names(NamesPage),
    /// The store's report on itself.
    Report(StoreReport),
    /// The result of a verification.
    Verified(Verified),
    /// The progress: bytes done, and bytes in all.
    Progress(u64, u64),
    /// Answers to some of many queries; the client asks the others again.
    Many(#[serde(borrow)] Vec<Part<'a>>),
    /// Whether a database came from a certain file; `None` if there is no such database.
    CameFrom(Option<bool>),
    /// Definition and last update, as the header of a file, and the rows of each archive that has
    /// rows.
    Since(#[serde(borrow)] Bytes<'a>, #[serde(borrow)] Vec<Option<Rows<'a>>>),
    /// The files of the first of many names; the client asks for the others again.
    Files(#[serde(borrow)] Vec<Result<Bytes<'a>, Fault<'a>>>),
}

/// The encoding of a stretch of rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rows<'a> {
    tick: Tick,
    start_seconds: i64,
    end_seconds: i64,
    step_seconds: u64,
    source_names: Vec<String>,
    rows: u64,
    rows_before: u64,
    #[serde(borrow)]
    held: Doubles<'a>,
}

impl From<Stretch> for Rows<'static> {
    fn from(stretch: Stretch) -> Self {
        let Stretch { tick, start_seconds, end_seconds, step_seconds, .. } = stretch;
        let Stretch { source_names, rows, rows_before, held, .. } = stretch;
        let held = Doubles(held.into());
        Self {
            tick,
            start_seconds,
            end_seconds,
            step_seconds,
            source_names,
            rows,
            rows_before,
            held,
        }
    }
}

impl From<Series> for Rows<'static> {
    fn from(series: Series) -> Self {
        Stretch::from(series).into()
    }
}

impl Rows<'_> {
    /// The rows, if they are whole and within the stretch.
    pub(super) fn stretch(self) -> Option<Stretch> {
        let Self { tick, start_seconds, end_seconds, step_seconds, .. } = self;
        let Self { source_names, rows, rows_before, held, .. } = self;
        let held = held.0.into_owned();
        let columns = source_names.len();
        let held_rows = held.len().checked_div(columns).unwrap_or(0);
        let span_seconds = i64::try_from(rows.checked_mul(step_seconds)?).ok()?;
        let fits = held_rows * columns == held.len()
            && rows_before.checked_add(held_rows as u64)? <= rows
            && start_seconds.checked_add(span_seconds).is_some();
        let stretch = Stretch {
            tick,
            start_seconds,
            end_seconds,
            step_seconds,
            source_names,
            rows,
            rows_before,
            held,
        };
        fits.then_some(stretch)
    }

    /// The rows as a series, if every row of the stretch is there.
    pub(super) fn series(self) -> Option<Series> {
        let stretch = self.stretch()?;
        let values = stretch.rows.checked_mul(stretch.source_names.len() as u64)?;
        (stretch.held.len() as u64 == values).then(|| stretch.whole())
    }
}

/// The answer to one of many queries.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part<'a> {
    /// The position of the query.
    pub(super) position: usize,
    /// The rows, or the error.
    #[serde(borrow)]
    pub(super) rows: Result<Rows<'a>, Fault<'a>>,
}

impl Part<'static> {
    pub(super) fn of(position: usize, answer: Result<Stretch, Error>, name: &Path) -> Self {
        let rows = answer.map(Rows::from).map_err(|error| Fault::of(error, name));
        Self { position, rows }
    }
}

impl Part<'_> {
    /// The approximate size, counted in values.
    pub(super) fn values(&self) -> usize {
        let values =
            |rows: &Rows<'_>| rows.held.0.len() + NAME_VALUES as usize * rows.source_names.len();
        NAME_VALUES as usize + self.rows.as_ref().map_or(0, values)
    }
}

/// A sample that was applied, and the rows that it made final.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Watched {
    pub(super) before: Timestamp,
    pub(super) time: Timestamp,
    rows: Vec<Final>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Final {
    archive: usize,
    count: u64,
    kept: bool,
    values: Doubles<'static>,
}

impl Final {
    fn told(&self) -> FinalRows<'_> {
        let Self { archive, count, kept, values } = self;
        FinalRows { archive: *archive, count: *count, kept: *kept, values: &values.0 }
    }
}

impl Watched {
    pub(super) fn of(taken: &Taken<'_>) -> Self {
        let told = |rows: FinalRows<'_>| Final {
            archive: rows.archive,
            count: rows.count,
            kept: rows.kept,
            values: Doubles(Cow::Owned(rows.values.to_vec())),
        };
        let rows = taken.final_rows().map(told).collect();
        Self { before: taken.before, time: taken.time, rows }
    }

    /// The rows, if they are valid for a database with these numbers of archives and sources.
    pub(super) fn rows(&self, archives: usize, sources: usize) -> Option<Vec<FinalRows<'_>>> {
        let fits = |row: &Final| row.archive < archives && row.values.0.len() == sources;
        self.rows.iter().map(|row| fits(row).then(|| row.told())).collect()
    }

    /// The size in bytes.
    pub(super) fn size_bytes(&self) -> usize {
        let values = self.rows.iter().map(|row| size_of_val(&*row.values.0));
        size_of::<Self>() + self.rows.len() * size_of::<Final>() + values.sum::<usize>()
    }
}

impl<'a> Answer<'a> {
    /// The answer to a call that is refused without being executed.
    #[must_use]
    pub fn refused(words: &str) -> Self {
        Self::Failed(Fault::in_words(words))
    }

    /// How many numbers it brings.
    fn values(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.held.0.len(),
            Self::Many(parts) => parts.iter().map(Part::values).sum(),
            _ => 0,
        }
    }

    /// Encodes the answer.
    ///
    /// # Panics
    ///
    /// Never: every answer can be encoded.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let room = Vec::with_capacity(self.values() * size_of::<f64>() + ROOM_BYTES);
        postcard::to_extend(self, room).expect("everything in an answer can be written")
    }

    /// Decodes an answer, which must take all of the bytes.
    ///
    /// # Errors
    ///
    /// [`Malformed`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let malformed = |reason: &dyn std::fmt::Display| Malformed::new("an answer", reason);
        let (answer, rest) =
            postcard::take_from_bytes::<Self>(bytes).map_err(|it| malformed(&it))?;
        match rest {
            [] => Ok(answer),
            _ => Err(malformed(&format!("{} bytes are left behind it", rest.len()))),
        }
    }
}
