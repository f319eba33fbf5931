//! Where the rows of charts come from.

use std::path::Path;

use rrd::Stretch;
use rrd::fetch::Query;
use store::{Outline, Store, Wanted};

/// Databases by their names.
pub(crate) trait Databases {
    /// The definition and the time of the last update.
    ///
    /// # Errors
    /// [`Unread`]; the same below.
    fn outline(&self, name: &str) -> Result<Outline, Unread>;

    /// The answers to queries, in their order.
    fn fetch_all(&self, wanted: &[(&str, Query)]) -> Vec<Result<Stretch, Unread>>;
}

/// Why a database has no rows for a chart.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Unread {
    /// It does not exist, as nothing was measured so far.
    #[error("there is no database so far")]
    Missing,
    /// Its archives hold nothing that is drawn.
    #[error("it has no archive of AVERAGE, LAST, MAX or MIN")]
    NotDrawable,
    /// It does not answer.
    #[error("{0}")]
    Told(String),
}

impl From<store::Error> for Unread {
    fn from(error: store::Error) -> Self {
        if error.is_missing() { Self::Missing } else { Self::Told(error.to_string()) }
    }
}

impl<D: Databases + ?Sized> Databases for &D {
    fn outline(&self, name: &str) -> Result<Outline, Unread> {
        (**self).outline(name)
    }

    fn fetch_all(&self, wanted: &[(&str, Query)]) -> Vec<Result<Stretch, Unread>> {
        (**self).fetch_all(wanted)
    }
}

impl Databases for dyn Store {
    fn outline(&self, name: &str) -> Result<Outline, Unread> {
        Ok(Store::outline(self, Path::new(name))?)
    }

    fn fetch_all(&self, wanted: &[(&str, Query)]) -> Vec<Result<Stretch, Unread>> {
        let wanted =
            wanted.iter().map(|(name, query)| Wanted { name: Path::new(name), query: *query });
        let answers = Store::fetch_all(self, &wanted.collect::<Vec<_>>());
        answers.into_iter().map(|answer| answer.map_err(Unread::from)).collect()
    }
}
