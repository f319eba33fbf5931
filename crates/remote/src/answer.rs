//! What a store answers, as bytes.

use std::borrow::Cow;
use std::path::Path;

use rrd::{FinalRows, Series, Stretch, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Error, NamesPage, Taken};
use store::{StoreReport, Verified};

use super::Malformed;
use super::bytes::{Bytes, Doubles};
use super::fault::{Fault, Refusal};

/// Values in whose room a name fits.
pub(super) const NAME_VALUES: u64 = 8;

/// What became of a [`Call`](super::Call).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer<'a> {
    /// It failed.
    Failed(#[serde(borrow)] Fault<'a>),
    /// It was done.
    Done,
    /// Of several, these were refused; the others were done.
    Refused(#[serde(borrow)] Vec<Refusal<'a>>),
    /// Samples were taken, and what they made final; one may have been refused.
    Watched {
        /// What the database holds, as the head of a file.
        #[serde(borrow)]
        head: Option<Bytes<'a>>,
        /// The samples.
        samples: Vec<Watched>,
        /// The one that was refused.
        #[serde(borrow)]
        refused: Option<Refusal<'a>>,
    },
    /// The head of a file.
    Head(#[serde(borrow)] Bytes<'a>),
    /// Rows.
    Rows(#[serde(borrow)] Rows<'a>),
    /// A whole file.
    File(#[serde(borrow)] Bytes<'a>),
    /// Whether it is so.
    Is(bool),
    /// Names.
    Names(NamesPage),
    /// What the store says of itself.
    Report(StoreReport),
    /// What a check of everything found.
    Verified(Verified),
    /// So many bytes of so many are done.
    Progress(u64, u64),
    /// To some of many queries; the others are to be asked again.
    Many(#[serde(borrow)] Vec<Part<'a>>),
    /// Whether a database came from a certain file, if there is one.
    CameFrom(Option<bool>),
    /// Definition and last update, as the head of a file, and rows of each archive that has such.
    Since(#[serde(borrow)] Bytes<'a>, #[serde(borrow)] Vec<Option<Rows<'a>>>),
    /// Whole files, those of the first of many names; the others are to be asked for again.
    Files(#[serde(borrow)] Vec<Result<Bytes<'a>, Fault<'a>>>),
}

/// A stretch of rows as it travels.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rows<'a> {
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
        let Stretch { start_seconds, end_seconds, step_seconds, .. } = stretch;
        let Stretch { source_names, rows, rows_before, held, .. } = stretch;
        let held = Doubles(held.into());
        Self { start_seconds, end_seconds, step_seconds, source_names, rows, rows_before, held }
    }
}

impl From<Series> for Rows<'static> {
    fn from(series: Series) -> Self {
        Stretch::from(series).into()
    }
}

impl Rows<'_> {
    /// The rows that are held, if they are whole and lie within the stretch.
    pub(super) fn stretch(self) -> Option<Stretch> {
        let Self { start_seconds, end_seconds, step_seconds, .. } = self;
        let Self { source_names, rows, rows_before, held, .. } = self;
        let held = held.0.into_owned();
        let columns = source_names.len();
        let held_rows = held.len().checked_div(columns).unwrap_or(0);
        let span_seconds = i64::try_from(rows.checked_mul(step_seconds)?).ok()?;
        let fits = held_rows * columns == held.len()
            && rows_before.checked_add(held_rows as u64)? <= rows
            && start_seconds.checked_add(span_seconds).is_some();
        let stretch = Stretch {
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

    /// The same where every row is held.
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
    /// Rows, or why there are none.
    #[serde(borrow)]
    pub(super) rows: Result<Rows<'a>, Fault<'a>>,
}

impl Part<'static> {
    pub(super) fn of(position: usize, answer: Result<Stretch, Error>, name: &Path) -> Self {
        let rows = answer.map(Rows::from).map_err(|error| Fault::of(error, name));
        Self { position, rows }
    }

    /// About how many values' room it takes.
    pub(super) fn values(&self) -> usize {
        let values =
            |rows: &Rows<'_>| rows.held.0.len() + NAME_VALUES as usize * rows.source_names.len();
        NAME_VALUES as usize + self.rows.as_ref().map_or(0, values)
    }
}

/// A sample that was taken, and the rows that it made final.
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

    /// The rows of a database of so many archives and sources, if they are such.
    pub(super) fn rows(&self, archives: usize, sources: usize) -> Option<Vec<FinalRows<'_>>> {
        let fits = |row: &Final| row.archive < archives && row.values.0.len() == sources;
        self.rows.iter().map(|row| fits(row).then(|| row.told())).collect()
    }

    /// Bytes that it takes.
    pub(super) fn size_bytes(&self) -> usize {
        let values = self.rows.iter().map(|row| size_of_val(&*row.values.0));
        size_of::<Self>() + self.rows.len() * size_of::<Final>() + values.sum::<usize>()
    }
}

impl<'a> Answer<'a> {
    /// A call was not looked at.
    #[must_use]
    pub fn refused(words: &str) -> Self {
        Self::Failed(Fault::in_words(words))
    }

    /// Its bytes.
    ///
    /// # Panics
    /// Never: everything in it can be written.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("everything in an answer can be written")
    }

    /// Reads an answer that is nothing but these bytes.
    ///
    /// # Errors
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
