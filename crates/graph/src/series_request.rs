//! A fetch that a graph needs.

use std::borrow::Cow;

use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch, Tick};

/// A fetch that the plan needs: every source of one archive over one window.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SeriesRequest {
    /// The name of the round robin database, as the DEF gives it.
    pub rrd: String,
    /// The consolidation function.
    pub cf: ConsolidationFunction,
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// The start of the window, seconds.
    pub start_seconds: i64,
    /// The end of the window, seconds.
    pub end_seconds: i64,
    /// The resolution wished for; the best match is to be taken.
    pub step_seconds: u64,
    /// The rrdcached to ask, as the DEF or `--daemon` gives it.
    pub daemon: Option<String>,
}

impl SeriesRequest {
    /// What is asked of the database.
    #[must_use]
    pub fn query(&self) -> Query {
        let Self { cf, tick, start_seconds, end_seconds, step_seconds, .. } = *self;
        Query { tick, cf, start_seconds, end_seconds, step_seconds }
    }

    /// The same in whole seconds, for what knows no others.
    #[must_use]
    pub fn query_in_seconds(&self) -> Query {
        let query = self.query().in_ticks(Tick::SECOND);
        Query { step_seconds: query.step_seconds.max(1), ..query }
    }

    /// The answer where there is none: two unknown rows, and no source.
    pub(crate) fn unknown(&self) -> Stretch {
        let Query { tick, start_seconds, end_seconds, .. } = self.query_in_seconds();
        let half_seconds = (end_seconds - start_seconds).max(2) as u64 / 2;
        Stretch {
            tick,
            start_seconds,
            end_seconds: start_seconds + 2 * half_seconds as i64,
            step_seconds: half_seconds,
            source_names: Vec::new(),
            rows: 2,
            rows_before: 2,
            held: Vec::new(),
        }
    }
}

/// A name as errors may show it: one of rows in a SQL database (`sql//`) may have a password.
#[must_use]
pub fn without_password(rrd: &str) -> Cow<'_, str> {
    if !rrd.starts_with("sql//") {
        return rrd.into();
    }
    let shown = |part: &str| match part.split_once('=') {
        Some((name, _)) if name.eq_ignore_ascii_case("password") => format!("{name}=***"),
        _ => part.to_owned(),
    };
    rrd.split('/').map(shown).collect::<Vec<_>>().join("/").into()
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn passwords_are_not_shown() {
        let shown = without_password("sql//mysql/username=u/password=secret//t/u/v/password=1");
        assert_eq!(shown, "sql//mysql/username=u/password=***//t/u/v/password=***");
        assert_eq!(without_password("a/password=b.rrd"), "a/password=b.rrd");
    }
}
