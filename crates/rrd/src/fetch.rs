//! Which archive answers a question, and which of its rows.

use crate::{Archive, ConsolidationFunction, Definition, Tick};

/// What is asked of a round robin database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Query {
    /// The consolidation function.
    pub cf: ConsolidationFunction,
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    #[serde(default)]
    pub tick: Tick,
    /// The start of the stretch, seconds.
    pub start_seconds: i64,
    /// The end of the stretch, seconds.
    pub end_seconds: i64,
    /// The resolution wished for; the best match is taken. 0 for the finest.
    pub step_seconds: u64,
}

impl Query {
    /// The same in other ticks; a stretch that does not begin and end with them is a little longer
    /// than asked for.
    #[must_use]
    pub fn in_ticks(&self, tick: Tick) -> Self {
        if self.tick == tick {
            return *self;
        }
        Self {
            tick,
            start_seconds: self.tick.to_floor(self.start_seconds, tick),
            end_seconds: self.tick.to_ceiling(self.end_seconds, tick),
            step_seconds: self.tick.to_nearest_span(self.step_seconds, tick),
            ..*self
        }
    }
}

/// The rows that answer a query. Its times are counted in the ticks of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The archive's position in the definition.
    pub archive: usize,
    /// The start, on the archive's grid.
    pub start_seconds: i64,
    /// The end, on the archive's grid.
    pub end_seconds: i64,
    /// Seconds between two rows.
    pub step_seconds: u64,
    /// The age of the first row of the window, counted back from the archive's newest row, which
    /// has age 0; beyond the ring's rows, or below 0, it reads as unknown.
    pub first_age: i64,
    /// How many rows the window has.
    pub rows: u64,
}

/// Why a query has no answer; the words are rrdtool's where it has them.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum FetchError {
    /// No archive has the consolidation function.
    #[error("the RRD does not contain an RRA matching the chosen CF")]
    NoArchive,
    /// The database has several percentiles, and the query does not say which.
    #[error("expected which percentile, one of {0}")]
    WhichPercentile(String),
    /// The times are in the wrong order or out of range.
    #[error("start ({start_seconds}) should be less than end ({end_seconds})")]
    EmptyWindow {
        /// The start asked for.
        start_seconds: i64,
        /// The end asked for.
        end_seconds: i64,
    },
    /// More rows than an answer may have.
    #[error(
        "a window of {rows} rows is more than {limit}: ask for a coarser step or a shorter time"
    )]
    TooManyRows {
        /// The rows of the window.
        rows: u64,
        /// The most that are answered.
        limit: u64,
    },
}

/// The most values that one answer in memory has, unless the archive itself has more.
const VALUES_MAX: u64 = 1 << 26;

/// Chooses the archive and the rows that answer `query`, as rrdtool does: among the archives that
/// reach back to the start the one nearest in resolution, else the one that covers most.
///
/// # Errors
/// [`FetchError`].
pub fn window(
    definition: &Definition,
    last_update_seconds: i64,
    query: &Query,
) -> Result<Window, FetchError> {
    let window = window_of_any_length(definition, last_update_seconds, query)?;
    let archive_rows = definition.archives[window.archive].rows;
    let limit = (VALUES_MAX / definition.sources.len().max(1) as u64).max(archive_rows);
    match window.rows {
        rows if rows > limit => Err(FetchError::TooManyRows { rows, limit }),
        _ => Ok(window),
    }
}

/// As [`window`], for who does not hold all rows in memory at once: however many they are.
///
/// # Errors
/// [`FetchError`], [`FetchError::TooManyRows`] excepted.
pub fn window_of_any_length(
    definition: &Definition,
    last_update_seconds: i64,
    query: &Query,
) -> Result<Window, FetchError> {
    check_percentile(definition, query.cf)?;
    let asked = query;
    let query = &asked.in_ticks(definition.tick);
    let archive = choose(definition, last_update_seconds, query).ok_or(FetchError::NoArchive)?;
    let step_seconds = definition.archives[archive].row_seconds(definition.step_seconds);
    let step = step_seconds as i64;
    let out_of_range = || FetchError::EmptyWindow {
        start_seconds: asked.start_seconds,
        end_seconds: asked.end_seconds,
    };
    let start_seconds = query.start_seconds - query.start_seconds % step;
    let end_seconds =
        query.end_seconds.checked_add(step - query.end_seconds % step).ok_or_else(out_of_range)?;
    let rows = end_seconds.checked_sub(start_seconds).ok_or_else(out_of_range)? / step;
    let rows = u64::try_from(rows).map_err(|_| out_of_range())?;
    let newest_seconds = last_update_seconds - last_update_seconds % step;
    let first_end_seconds = start_seconds.saturating_add(step);
    let age_seconds = newest_seconds.checked_sub(first_end_seconds).ok_or_else(out_of_range)?;
    let first_age = age_seconds / step;
    Ok(Window { archive, start_seconds, end_seconds, step_seconds, first_age, rows })
}

/// The rows of an archive that became final after a mark: those that end behind it, up to the last
/// update.
#[must_use]
pub fn window_since(
    definition: &Definition,
    archive: usize,
    last_update_seconds: i64,
    mark_seconds: i64,
) -> Window {
    let step_seconds = definition.archives[archive].row_seconds(definition.step_seconds);
    let step = step_seconds as i64;
    let end_seconds = last_update_seconds - last_update_seconds.rem_euclid(step);
    // No database has rows of before 1970.
    let mark_seconds = mark_seconds.clamp(0, last_update_seconds.max(0));
    let start_seconds = (mark_seconds - mark_seconds % step).min(end_seconds);
    let rows = (end_seconds - start_seconds) / step;
    let (first_age, rows) = (rows - 1, rows as u64);
    Window { archive, start_seconds, end_seconds, step_seconds, first_age, rows }
}

impl Window {
    /// The rows of the window that a ring of so many rows holds.
    #[must_use]
    pub fn held_by(&self, ring_rows: u64) -> HeldRows {
        let rows = i64::try_from(self.rows).unwrap_or(i64::MAX);
        let oldest_age = i64::try_from(ring_rows).unwrap_or(i64::MAX) - 1;
        let before = self.first_age.saturating_sub(oldest_age).clamp(0, rows);
        let first_age = self.first_age - before;
        let count = first_age.saturating_add(1).clamp(0, rows - before);
        HeldRows { before: before as u64, first_age: first_age.max(0) as u64, count: count as u64 }
    }
}

/// The rows of a window that a ring holds; the others are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldRows {
    /// How many rows of the window come before them.
    pub before: u64,
    /// The age of the first of them, where there is one.
    pub first_age: u64,
    /// How many they are.
    pub count: u64,
}

/// Whether an archive holds what a function asks for: a row of one PDP is the same under all that
/// consolidate.
fn answers(archive: &Archive, cf: ConsolidationFunction) -> bool {
    use ConsolidationFunction as Cf;
    let passes_through = archive.pdp_per_row == 1 && !archive.cf.is_forecast();
    match cf {
        // A deviation is no value, and a percentile not asked for in short is one of several PDPs.
        Cf::Stdev | Cf::Percentile(Some(_)) => archive.cf == cf,
        Cf::Percentile(None) => matches!(archive.cf, Cf::Percentile(_)),
        _ => archive.cf == cf || (passes_through && !cf.is_forecast()),
    }
}

/// Refuses a query that leaves open which percentile, where there are several.
fn check_percentile(definition: &Definition, cf: ConsolidationFunction) -> Result<(), FetchError> {
    if cf != ConsolidationFunction::Percentile(None) {
        return Ok(());
    }
    let functions = definition.archives.iter().map(|archive| archive.cf);
    let mut all: Vec<_> = functions.filter_map(ConsolidationFunction::percent).collect();
    all.sort_unstable();
    all.dedup();
    match all.len() {
        0 | 1 => Ok(()),
        _ => {
            let words = all.iter().map(|percent| format!("{}{percent}", cf.name()));
            Err(FetchError::WhichPercentile(words.collect::<Vec<_>>().join(", ")))
        }
    }
}

fn choose(definition: &Definition, last_update_seconds: i64, query: &Query) -> Option<usize> {
    let mut best_full: Option<(u64, usize)> = None;
    let mut best_part: Option<(i64, u64, usize)> = None;
    let asked_seconds = query.end_seconds.saturating_sub(query.start_seconds);
    for (index, archive) in definition.archives.iter().enumerate() {
        if !answers(archive, query.cf) {
            continue;
        }
        let row_seconds = archive.row_seconds(definition.step_seconds);
        let newest_seconds = last_update_seconds - last_update_seconds % row_seconds as i64;
        let oldest_seconds = newest_seconds - (row_seconds * archive.rows) as i64;
        let step_difference = query.step_seconds.abs_diff(row_seconds);
        if oldest_seconds <= query.start_seconds {
            if best_full.is_none_or(|(difference, _)| step_difference < difference) {
                best_full = Some((step_difference, index));
            }
        } else {
            let covered =
                asked_seconds.saturating_sub(oldest_seconds.saturating_sub(query.start_seconds));
            let better = best_part.is_none_or(|(best_covered, difference, _)| {
                best_covered < covered || (best_covered == covered && step_difference < difference)
            });
            if better {
                best_part = Some((covered, step_difference, index));
            }
        }
    }
    best_full.map(|(_, index)| index).or(best_part.map(|(_, _, index)| index))
}
