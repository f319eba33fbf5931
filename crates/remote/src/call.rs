//! Calls of a client, and their encoding.

use rrd::Timestamp;
use rrd::fetch::Query;
use rrd::refill::{CellChange, RowChange};
use rrd::tune::{TuneOption, Tuning};
use serde::{Deserialize, Serialize};
use store::Adoptee;
use store::{Edit, Error, Existing, Making, NamePattern, SourceTuning, Update};

use super::Malformed;
use super::bytes::{Bytes, Name, of_outline, of_snapshot};
use super::samples::Batch;

/// A call of a method of [`Store`](store::Store).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Call<'a> {
    /// [`Store::make`](store::Store::make).
    Make(#[serde(borrow)] Vec<New<'a>>),
    /// [`Store::update`](store::Store::update).
    Update(#[serde(borrow)] Vec<Batch<'a>>),
    /// [`Store::update_watched`](store::Store::update_watched).
    UpdateWatched(#[serde(borrow)] Batch<'a>),
    /// [`Store::outline`](store::Store::outline).
    Outline(#[serde(borrow)] Name<'a>),
    /// [`Store::header`](store::Store::header).
    Header(#[serde(borrow)] Name<'a>),
    /// [`Store::fetch`](store::Store::fetch).
    Fetch(#[serde(borrow)] Name<'a>, Query),
    /// [`Store::fetch_stretch`](store::Store::fetch_stretch).
    FetchStretch(#[serde(borrow)] Name<'a>, Query),
    /// [`Store::image`](store::Store::image).
    Image(#[serde(borrow)] Name<'a>),
    /// [`Store::snapshot`](store::Store::snapshot).
    Snapshot(#[serde(borrow)] Name<'a>),
    /// [`Store::has`](store::Store::has).
    Has(#[serde(borrow)] Name<'a>),
    /// [`Store::edit`](store::Store::edit), [`Edit::Tune`].
    Tune {
        /// The database.
        #[serde(borrow)]
        name: Name<'a>,
        /// As [`Tuning::options`].
        options: Vec<(TuneOption, &'a str)>,
        /// As [`Tuning::structure`].
        structure: Vec<&'a str>,
        /// As [`Tuning::called`].
        called: Option<&'a str>,
    },
    /// [`Store::edit`](store::Store::edit), [`Edit::Source`].
    TuneSource(#[serde(borrow)] Name<'a>, SourceTuning),
    /// [`Store::edit`](store::Store::edit), [`Edit::Resize`].
    Resize {
        /// The database.
        #[serde(borrow)]
        name: Name<'a>,
        /// The archive's position.
        archive: usize,
        /// The rows to add or remove.
        change: RowChange,
        /// The path of the result, for a file.
        #[serde(borrow)]
        result: Name<'a>,
    },
    /// [`Store::edit`](store::Store::edit), [`Edit::Rename`].
    Rename(#[serde(borrow)] Name<'a>, #[serde(borrow)] Name<'a>),
    /// [`Store::edit`](store::Store::edit), [`Edit::Delete`].
    Delete(#[serde(borrow)] Name<'a>),
    /// [`Store::edit`](store::Store::edit), [`Edit::Restore`].
    Restore {
        /// The database.
        #[serde(borrow)]
        name: Name<'a>,
        /// The new database as a file.
        #[serde(borrow)]
        file: Bytes<'a>,
        /// What happens to an existing database.
        existing: Existing,
    },
    /// [`Store::names_from`](store::Store::names_from).
    Names {
        /// The names to list.
        pattern: NamePattern,
        /// The first possible name.
        from: &'a str,
        /// The most names.
        limit: usize,
    },
    /// [`Store::sync`](store::Store::sync).
    Sync,
    /// [`Inspect::report`](store::Inspect::report).
    Report,
    /// [`Inspect::verify`](store::Inspect::verify).
    Verify,
    /// [`Store::fetch_many`](store::Store::fetch_many).
    FetchMany(#[serde(borrow)] Vec<(Name<'a>, Query)>),
    /// [`Adopt::adopt`](store::Adopt::adopt).
    Adopt(#[serde(borrow)] Vec<Adopted<'a>>),
    /// [`Adopt::came_from`](store::Adopt::came_from).
    CameFrom(&'a str, i64),
    /// [`Store::rows_since`](store::Store::rows_since).
    RowsSince(#[serde(borrow)] Name<'a>, i64),
    /// [`Store::images`](store::Store::images).
    Images(#[serde(borrow)] Vec<Name<'a>>),
    /// [`Store::edit`](store::Store::edit), [`Edit::Cells`].
    Cells(#[serde(borrow)] Name<'a>, Vec<CellChange>),
}

/// The encoding of an [`Adoptee`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adopted<'a> {
    pub(super) name: &'a str,
    /// The whole database as a file.
    #[serde(borrow)]
    pub(super) file: Bytes<'a>,
    #[serde(borrow)]
    pub(super) foreign: Option<Bytes<'a>>,
}

impl<'a> Adopted<'a> {
    /// # Errors
    /// [`Error::TooLarge`].
    pub(super) fn of(Adoptee { name, snapshot, foreign }: &'a Adoptee) -> Result<Self, Error> {
        let file = of_snapshot(snapshot).ok_or_else(|| Error::TooLarge(name.into()))?;
        let foreign = foreign.as_deref().map(|foreign| Bytes(foreign.into()));
        Ok(Self { name, file, foreign })
    }
}

/// The encoding of a new database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct New<'a> {
    #[serde(borrow)]
    pub(super) name: Name<'a>,
    /// Definition and start, as [`of_outline`] encodes them.
    #[serde(borrow)]
    pub(super) head: Bytes<'a>,
    pub(super) start: Timestamp,
    /// The whole database as a file, if it takes rows from others.
    #[serde(borrow)]
    pub(super) past: Option<Bytes<'a>>,
    pub(super) existing: Existing,
}

impl<'a> New<'a> {
    /// # Errors
    /// [`Error::TooLarge`].
    pub(super) fn of(making: &Making<'a>) -> Result<Self, Error> {
        // It is a ring store, which has no directories.
        let Making { new, past, existing, with_directories: _ } = *making;
        let too_large = || Error::TooLarge(new.name.into());
        let past = past.map(|past| of_snapshot(past).ok_or_else(too_large)).transpose()?;
        let head = of_outline(new.definition, new.start).ok_or_else(too_large)?;
        Ok(Self { name: Name::of(new.name), head, start: new.start, past, existing })
    }

    /// The approximate size in bytes.
    pub(super) fn size_bytes(&self) -> usize {
        self.head.0.len() + self.past.as_ref().map_or(0, |past| past.0.len())
    }
}

/// The kinds of calls. Each needs a permission of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Samples.
    Update,
    /// Rows of an archive.
    Fetch,
    /// Definition and live state.
    Info,
    /// Whole databases.
    Dump,
    /// Names of databases.
    List,
    /// New databases.
    Create,
    /// Changes of a definition.
    Tune,
    /// Renaming a database.
    Rename,
    /// Deleting a database.
    Delete,
    /// Adding or removing rows of an archive.
    Resize,
    /// Replacing a database by a whole one.
    Restore,
    /// Verifying everything.
    Verify,
    /// The store's report on itself.
    Stats,
    /// Syncing accepted updates to disk.
    Flush,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Update,
        Self::Fetch,
        Self::Info,
        Self::Dump,
        Self::List,
        Self::Create,
        Self::Tune,
        Self::Rename,
        Self::Delete,
        Self::Resize,
        Self::Restore,
        Self::Verify,
        Self::Stats,
        Self::Flush,
    ];

    /// The word in the line of a call.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Update => "UPDATE",
            Self::Fetch => "FETCH",
            Self::Info => "INFO",
            Self::Dump => "DUMP",
            Self::List => "LIST",
            Self::Create => "CREATE",
            Self::Tune => "TUNE",
            Self::Rename => "RENAME",
            Self::Delete => "DELETE",
            Self::Resize => "RESIZE",
            Self::Restore => "RESTORE",
            Self::Verify => "VERIFY",
            Self::Stats => "STATS",
            Self::Flush => "FLUSH",
        }
    }

    /// The kind with this word, in upper or lower case.
    #[must_use]
    pub fn find(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| name.eq_ignore_ascii_case(kind.name().as_bytes()))
    }

    /// Whether calls of this kind change a database.
    #[must_use]
    pub const fn changes(self) -> bool {
        match self {
            Self::Update | Self::Create | Self::Tune | Self::Rename => true,
            Self::Delete | Self::Resize | Self::Restore => true,
            Self::Fetch | Self::Info | Self::Dump | Self::List => false,
            Self::Verify | Self::Stats | Self::Flush => false,
        }
    }

    /// The most bytes of a call of this kind: more if it contains whole databases.
    #[must_use]
    pub const fn size_bytes_max(self) -> usize {
        match self {
            Self::Restore | Self::Create => 1 << 30,
            _ => 8 << 20,
        }
    }
}

impl<'a> Call<'a> {
    pub(super) fn update(updates: &[Update<'a>]) -> Self {
        Self::Update(updates.iter().map(Batch::of).collect())
    }

    /// # Errors
    /// [`Error::TooLarge`].
    pub(super) fn edit(name: &'a std::path::Path, edit: &Edit<'a>) -> Result<Self, Error> {
        let named = Name::of(name);
        Ok(match *edit {
            Edit::Tune(Tuning { options, structure, called }) => {
                let (options, structure) = (options.clone(), structure.clone());
                Self::Tune { name: named, options, structure, called: *called }
            }
            Edit::Source(tuning) => Self::TuneSource(named, *tuning),
            Edit::Resize { archive, change, result } => {
                Self::Resize { name: named, archive, change, result: Name::of(result) }
            }
            Edit::Cells(cells) => Self::Cells(named, cells.to_vec()),
            Edit::Rename(to) => Self::Rename(named, Name::of(to)),
            Edit::Delete => Self::Delete(named),
            Edit::Restore { whole, existing } => {
                let file = of_snapshot(whole).ok_or_else(|| Error::TooLarge(name.into()))?;
                Self::Restore { name: named, file, existing }
            }
        })
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Make(_) => Kind::Create,
            Self::Update(_) | Self::UpdateWatched(_) => Kind::Update,
            Self::Outline(_) | Self::Header(_) => Kind::Info,
            Self::Fetch(..) | Self::FetchStretch(..) | Self::FetchMany(_) => Kind::Fetch,
            Self::RowsSince(..) => Kind::Fetch,
            Self::Image(_) | Self::Images(_) | Self::Snapshot(_) => Kind::Dump,
            Self::Has(_) | Self::Names { .. } | Self::CameFrom(..) => Kind::List,
            Self::Tune { .. } | Self::TuneSource(..) => Kind::Tune,
            Self::Resize { .. } => Kind::Resize,
            Self::Rename(..) => Kind::Rename,
            Self::Delete(_) => Kind::Delete,
            Self::Restore { .. } | Self::Adopt(_) | Self::Cells(..) => Kind::Restore,
            Self::Sync => Kind::Flush,
            Self::Report => Kind::Stats,
            Self::Verify => Kind::Verify,
        }
    }

    /// Encodes the call.
    ///
    /// # Panics
    ///
    /// Never: every call can be encoded.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("everything in a call can be written")
    }

    /// Decodes a call, which must take all of the bytes. [`serve`](super::serve()) validates its
    /// values.
    ///
    /// # Errors
    ///
    /// [`Malformed`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let malformed = |reason: &dyn std::fmt::Display| Malformed::new("a call", reason);
        let (call, rest) = postcard::take_from_bytes::<Self>(bytes).map_err(|it| malformed(&it))?;
        match rest {
            [] => Ok(call),
            _ => Err(malformed(&format!("{} bytes are left behind it", rest.len()))),
        }
    }
}
