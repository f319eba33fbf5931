//! Names of series that lead to no round robin database, and what answers for them.

use std::sync::OnceLock;

use rrd::fetch::Query;
use rrd::{Series, Stretch};

use crate::failure::Failure;

/// How a program answers for names that begin with [`FROM_PROGRAM`].
pub type FetchFromProgram = fn(&str, &Query) -> Result<Series, Failure>;

/// How rows of SQL databases are read, of names that begin with [`FROM_SQL`].
pub type FetchFromSql = fn(&str, &Query, PartialStep) -> Result<Stretch, Failure>;

/// How names of series begin that the program itself gives.
const FROM_PROGRAM: &str = "cb//";
/// How names of rows in SQL databases begin.
const FROM_SQL: &str = "sql//";

/// Whether a step is wanted of which the window has a part alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialStep {
    /// It is, if what was filled reaches into it: so graphs and tables have it.
    Wanted,
    /// It is not.
    Unwanted,
}

/// What reads SQL databases in this process.
static SQL: OnceLock<FetchFromSql> = OnceLock::new();

/// From here on `answer` gives what is fetched under names that begin with `sql//`, to all threads
/// of the process. A program hands it in, so that this crate is made without the drivers of SQL
/// databases. What was handed in first stays.
pub fn fetch_sql_by(answer: FetchFromSql) {
    SQL.get_or_init(|| answer);
}

/// Whether this names what the program around us answers, which is no database.
fn is_from_program(path: &str) -> bool {
    path.starts_with(FROM_PROGRAM)
}

/// Whether this names rows that come from elsewhere than a round robin database: no daemon is asked
/// for them.
pub(crate) fn is_from_elsewhere(path: &str) -> bool {
    is_from_program(path) || path.starts_with(FROM_SQL)
}

/// What answers a query from elsewhere than a round robin database, if the name says so.
pub(super) fn fetch(
    from_program: FetchFromProgram,
    path: &str,
    query: &Query,
    partial_step: PartialStep,
) -> Option<Result<Stretch, Failure>> {
    if is_from_program(path) {
        return Some(from_program(path, query).map(Stretch::from));
    }
    let is_sql = path.starts_with(FROM_SQL);
    is_sql.then(|| SQL.get().ok_or_else(no_sql).and_then(|fetch| fetch(path, query, partial_step)))
}

/// None was handed in.
fn no_sql() -> Failure {
    "expected no name that begins with sql//: this program reads no SQL databases".into()
}

/// A command line is no program with a callback.
pub(super) fn nothing_registered(_: &str, _: &Query) -> Result<Series, Failure> {
    Err("use rrd_fetch_cb_register to register your callback prior to calling rrd_fetch_fn_cb"
        .into())
}
