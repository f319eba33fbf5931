//! What `rrdtool tune` changes of a database: options, one after the other, change it in place;
//! then words like `DEL:a` and `RRA#0:+10` give it another structure.

mod option;
mod scan;
mod find;
mod set;
mod forecast;

use std::borrow::Cow;

pub use option::TuneOption;

use crate::refill::{Change, ChangeError};
use crate::{Definition, LiveState, MAX_FAILURE_WINDOW, Snapshot, UNKNOWN};

/// What is to be changed of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tuning<'a> {
    /// Options and their values, in their order.
    pub options: Vec<(TuneOption, &'a str)>,
    /// Words that change the structure, as [`Change::add`] takes them.
    pub structure: Vec<&'a str>,
    /// What the database is called, which decides when seasons of new archives are smoothed; else
    /// it is what its store calls it.
    pub called: Option<&'a str>,
}

/// A database without its rows, while it is changed in place.
#[derive(Clone, Debug)]
pub struct Edited {
    /// What it holds.
    pub definition: Definition,
    /// Its live state.
    pub live: LiveState,
    /// Whether more than heartbeats and limits changed.
    pub is_deep: bool,
    /// Rows that became unknown: of these archives, those of these sources.
    pub forgotten: Vec<(usize, usize)>,
}

/// Why a tuning is refused; the words are rrdtool's where it has them.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum TuneError {
    /// There is no such source.
    #[error("unknown data source name '{0}'")]
    UnknownSource(String),
    /// A calculated source has neither heartbeat nor limits.
    #[error("data source '{0}' is calculated: it has no heartbeat or limits")]
    Calculated(String),
    /// Expected `NAME:SECONDS`.
    #[error("invalid arguments for heartbeat")]
    Heartbeat,
    /// Expected `NAME:RATE` or `NAME:U`, for the minimum or the maximum.
    #[error("invalid arguments for {0} ds value")]
    Limit(Cow<'static, str>),
    /// Expected `NAME:KIND`, or `OLD:NEW`.
    #[error("invalid arguments for data source type")]
    Kind,
    /// A source cannot become one that is calculated.
    #[error("data source '{0}' cannot become COMPUTE: it has no expression")]
    NoExpression(String),
    /// There is no such kind of source.
    #[error("unknown data acquisition function '{0}'")]
    UnknownKind(String),
    /// Another source has the name.
    #[error("Duplicate DS name: {0}")]
    DuplicateName(String),
    /// Expected a number of deviations.
    #[error("Unable to parse parameter in set_deltaarg")]
    Delta,
    /// So few deviations are nothing.
    #[error("Parameter specified is too small")]
    DeltaTooSmall,
    /// A window, or violations in it, that cannot be.
    #[error("Parameter must be between 1 and {MAX_FAILURE_WINDOW}")]
    Window,
    /// Expected a share.
    #[error("Unable to parse Holt-Winters parameter")]
    Share,
    /// A share is more than nothing and less than all.
    #[error("Holt-Winters parameter must be between 0 and 1")]
    ShareOutside,
    /// Expected the name of a source.
    #[error("invalid argument for aberrant-reset")]
    Reset,
    /// There is no archive that forecasts so.
    #[error("Holt-Winters RRA does not exist in this RRD")]
    NoForecast,
    /// There is no archive of failures.
    #[error("Failures RRA does not exist in this RRD")]
    NoFailures,
    /// The change of structure is refused.
    #[error(transparent)]
    Structure(#[from] ChangeError),
}

impl Tuning<'_> {
    /// Applies the options up to the first that is wrong. What those before it changed counts.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn edit(&self, database: &mut Edited) -> Result<(), TuneError> {
        self.options.iter().try_for_each(|(option, value)| set::apply(database, *option, value))
    }

    /// The change of structure; `None` if there is none. `name` is what the store calls the
    /// database.
    ///
    /// # Errors
    /// [`ChangeError`]: a word says nothing.
    pub fn change(&self, name: &str) -> Result<Option<Change>, ChangeError> {
        let name = self.called.unwrap_or(name).into();
        let mut change = Change { name, ..Change::default() };
        let step = self.options.iter().rfind(|(option, _)| *option == TuneOption::Step);
        change.step = step.map(|(_, value)| (*value).to_owned());
        self.structure.iter().try_for_each(|word| change.add(word))?;
        Ok(Some(change).filter(Change::is_any))
    }
}

impl Edited {
    /// The database as it is.
    #[must_use]
    pub fn new(definition: &Definition, live: &LiveState) -> Self {
        let (definition, live) = (definition.clone(), live.clone());
        Self { definition, live, is_deep: false, forgotten: Vec::new() }
    }

    /// The whole database, whose rows were those of `old`.
    #[must_use]
    pub fn whole(self, old: &Snapshot) -> Snapshot {
        let mut rows = old.rows.clone();
        let sources = old.definition.sources.len();
        for (archive, source) in self.forgotten {
            let values = rows[archive].iter_mut().skip(source).step_by(sources);
            values.for_each(|value| *value = UNKNOWN);
        }
        Snapshot { definition: self.definition, live: self.live, rows }
    }
}
