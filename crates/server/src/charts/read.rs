//! From subjects to charts: which archive answers, and its rows.

use rrd::fetch::{Query, Window, window_of_any_length};
use rrd::{Archive, ConsolidationFunction, Definition, Stretch, Tick};
use store::Outline;

use super::asked::{Asked, Refused};
use super::band::{Grid, Merge, column_of};
use super::chart::{Chart, ChartLine, percentile_95};
use super::databases::{Databases, Unread};
use super::subject::{Subject, SubjectLine};
use crate::span::Span;

/// The most values that are read for an answer: 64 MiB of them.
const READ_VALUES_MAX: u64 = 8 << 20;
/// The most values in an answer.
const ANSWER_VALUES_MAX: u64 = 1 << 20;

/// The charts of these subjects.
///
/// # Errors
/// [`Refused::TooMuch`]. A database that cannot be read has a chart with a problem.
pub(crate) fn charts(
    databases: &(impl Databases + ?Sized),
    subjects: Vec<Subject>,
    asked: &Asked,
) -> Result<Vec<Chart>, Refused> {
    let plans: Vec<_> =
        subjects.iter().map(|subject| Plan::of(databases, subject, asked)).collect();
    check_size(plans.iter().flatten())?;
    let queries = subjects.iter().zip(&plans).flat_map(|(subject, plan)| {
        let queries = plan.iter().flat_map(Plan::queries);
        queries.map(|query| (&*subject.database, query))
    });
    let queries: Vec<(&str, Query)> = queries.collect();
    let mut answers = databases.fetch_all(&queries).into_iter();
    let answers: Vec<Result<Vec<Stretch>, Unread>> = plans
        .iter()
        .map(|plan| {
            let count = plan.as_ref().map_or(0, |plan| plan.queries().count());
            // Every answer is taken from the row of answers, also behind one that failed.
            answers.by_ref().take(count).collect::<Vec<_>>().into_iter().collect()
        })
        .collect();
    let charts = subjects.into_iter().zip(plans).zip(answers);
    Ok(charts.map(|((subject, plan), answers)| chart(subject, plan, answers, asked)).collect())
}

fn chart(
    subject: Subject,
    plan: Result<Plan, Unread>,
    answers: Result<Vec<Stretch>, Unread>,
    asked: &Asked,
) -> Chart {
    match plan.and_then(|plan| Ok((plan, answers?))) {
        Ok((plan, answers)) => plan.chart(subject, answers, asked.span),
        Err(Unread::Missing) => Chart::empty(subject, None), // nothing was measured so far
        Err(unread) => Chart::empty(subject, Some(unread.to_string())),
    }
}

fn check_size<'p>(plans: impl Iterator<Item = &'p Plan>) -> Result<(), Refused> {
    let (mut read, mut answered) = (0_u64, 0_u64);
    for plan in plans {
        let queries = plan.queries().count() as u64;
        let values = plan.read_rows.saturating_mul(plan.definition.sources.len() as u64);
        read = read.saturating_add(values);
        let rows = plan.rows.div_ceil(plan.merged as u64);
        let columns = plan.lines.len() as u64 * (2 + queries);
        answered = answered.saturating_add(rows.saturating_mul(columns));
    }
    for (values, most) in [(read, READ_VALUES_MAX), (answered, ANSWER_VALUES_MAX)] {
        if values > most {
            return Err(Refused::TooMuch { values, most });
        }
    }
    Ok(())
}

/// What is read of one database.
struct Plan {
    definition: Definition,
    lines: Vec<SubjectLine>,
    unknown_as_zero: bool,
    /// The query of the averages; those of MIN and MAX differ in the function.
    query: Query,
    archive: Archive,
    /// The rows that the archive holds of the stretch.
    rows: u64,
    /// The rows that are held of all queries together. A ghost may have many where the stretch itself
    /// has none, as one of the future does.
    read_rows: u64,
    /// How many of them become one row of the answer.
    merged: usize,
    with_minimum: bool,
    with_maximum: bool,
    ghost_seconds: Option<u64>,
}

impl Plan {
    fn of(
        databases: &(impl Databases + ?Sized),
        subject: &Subject,
        asked: &Asked,
    ) -> Result<Self, Unread> {
        if subject.database.is_empty() {
            return Err(Unread::Missing); // a target that could not get a database
        }
        let Outline { definition, last_update } = databases.outline(&subject.database)?;
        let cf = function(&definition).ok_or(Unread::NotDrawable)?;
        let query = Query {
            cf,
            tick: Tick::SECOND,
            start_seconds: asked.span.start_seconds,
            end_seconds: asked.span.end_seconds,
            step_seconds: asked.step_seconds(),
        }
        .in_ticks(definition.tick);
        let last = last_update.seconds;
        let window = window_of(&definition, last, &query)?;
        let archive = definition.archives[window.archive].clone();
        let shown = window.held_by(archive.rows).count;
        let merged = if shown > 2 * asked.points { shown.div_ceil(asked.points) } else { 1 };
        let query = with_margin(&definition, last, &query, &archive, asked.margin_seconds);
        let rows = held_rows(&definition, last, &query)?;
        let has = |cf: ConsolidationFunction| {
            let same = |other: &Archive| other.cf == cf && other.pdp_per_row == archive.pdp_per_row;
            archive.cf != cf && archive.pdp_per_row > 1 && definition.archives.iter().any(same)
        };
        let mut plan = Self {
            lines: lines(subject, &definition),
            unknown_as_zero: subject.unknown_as_zero,
            query,
            rows,
            read_rows: 0,
            merged: merged as usize,
            with_minimum: has(ConsolidationFunction::Min),
            with_maximum: has(ConsolidationFunction::Max),
            ghost_seconds: asked.ghost_seconds,
            archive,
            definition,
        };
        plan.read_rows = plan.counted(last)?;
        Ok(plan)
    }

    /// How many rows are held of all queries: each may be answered by another archive.
    fn counted(&self, last: i64) -> Result<u64, Unread> {
        let held = self.queries().map(|query| held_rows(&self.definition, last, &query));
        held.sum()
    }

    /// In the order in which [`Self::chart`] takes the answers.
    fn queries(&self) -> impl Iterator<Item = Query> {
        let of = |cf| Query { cf, ..self.query };
        let ghost = self.ghost_seconds.map(|_| {
            let ago = self.ghost_ticks();
            Query {
                start_seconds: self.query.start_seconds.saturating_sub(ago),
                end_seconds: self.query.end_seconds.saturating_sub(ago),
                ..self.query
            }
        });
        let minimum = self.with_minimum.then(|| of(ConsolidationFunction::Min));
        let maximum = self.with_maximum.then(|| of(ConsolidationFunction::Max));
        std::iter::once(self.query).chain(minimum).chain(maximum).chain(ghost)
    }

    fn ghost_ticks(&self) -> i64 {
        let seconds = self.ghost_seconds.unwrap_or_default().cast_signed();
        Tick::SECOND.to_floor(seconds, self.definition.tick)
    }

    fn chart(self, subject: Subject, answers: Vec<Stretch>, span: Span) -> Chart {
        let mut answers = answers.into_iter().map(|rows| self.with_zeros(rows));
        let Some(average) = answers.next() else { return Chart::empty(subject, None) };
        let grid = Grid::of(&average, self.merged);
        // One that came from another archive has no place on the grid.
        let fits = |rows: &Stretch| rows.step_seconds == average.step_seconds;
        let minimum = self.with_minimum.then(|| answers.next()).flatten().filter(fits);
        let maximum = self.with_maximum.then(|| answers.next()).flatten().filter(fits);
        let ghost = self.ghost_seconds.and_then(|_| answers.next());
        let read = Read { plan: &self, grid, average: &average, minimum, maximum, ghost, span };
        let tick = self.definition.tick;
        Chart {
            subject,
            problem: None,
            step_seconds: tick.seconds_at(grid.step),
            first_seconds: tick.seconds_at(grid.first_end),
            archive: self.words(),
            lines: self.lines.iter().map(|facts| read.line(facts)).collect(),
        }
    }

    /// No row that an archive holds is of the future.
    fn with_zeros(&self, mut rows: Stretch) -> Stretch {
        if self.unknown_as_zero {
            rows.held.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
        }
        rows
    }

    /// Which archive answers: `AVERAGE, rows of 5 min, 800 of them`.
    fn words(&self) -> String {
        let row = self.definition.tick.seconds_of(self.query.step_seconds);
        let Archive { cf, rows, .. } = &self.archive;
        let merged = match self.merged {
            1 => String::new(),
            many => format!("; {many} of them are one here"),
        };
        let count = figures::count(*rows);
        format!("{} of {} rows of {}{merged}", cf, count, figures::step(row))
    }
}

/// What was read of one database.
struct Read<'p> {
    plan: &'p Plan,
    grid: Grid,
    average: &'p Stretch,
    minimum: Option<Stretch>,
    maximum: Option<Stretch>,
    ghost: Option<Stretch>,
    span: Span,
}

impl Read<'_> {
    fn line(&self, facts: &SubjectLine) -> ChartLine {
        let sources = &self.average.source_names;
        let column = sources.iter().position(|name| *name == facts.source);
        let shown = |values: Vec<f64>| -> Vec<f64> {
            values.into_iter().map(|value| value * facts.factor).collect()
        };
        let of = |rows: Option<&Stretch>, make: &dyn Fn(&Stretch, usize) -> Vec<f64>| {
            let made = rows.zip(column).map(|(rows, column)| make(rows, column));
            made.map(shown)
        };
        let merge = |rows: Option<&Stretch>, how| {
            of(rows, &|rows, column| self.grid.merge(rows, column, how))
        };
        let unknown = || vec![f64::NAN; self.grid.count];
        // Of an archive without a band, the rows behind a row have one.
        let band = Some(self.average).filter(|_| self.grid.merged > 1);
        let ago = self.plan.ghost_ticks();
        ChartLine {
            average: merge(Some(self.average), Merge::Average).unwrap_or_else(unknown),
            minimum: merge(self.minimum.as_ref().or(band), Merge::Minimum),
            maximum_rows: merge(self.maximum.as_ref().or(band), Merge::Maximum),
            ghost: of(self.ghost.as_ref(), &|rows, column| self.grid.ghost(rows, column, ago)),
            percentile_95: column
                .and_then(|column| percentile_95(self.within(column)))
                .map(|value| value * facts.factor),
            last: column
                .and_then(|column| self.within(column).filter(|value| value.is_finite()).last())
                .map(|value| value * facts.factor),
            facts: facts.clone(),
        }
    }

    /// The rows of the archive that end within the span.
    fn within(&self, column: usize) -> impl Iterator<Item = f64> {
        let tick = self.plan.definition.tick;
        let start = Tick::SECOND.to_floor(self.span.start_seconds, tick);
        let end = Tick::SECOND.to_ceiling(self.span.end_seconds, tick);
        let rows = column_of(self.average, column);
        rows.filter(move |(time, _)| (start + 1..=end).contains(time)).map(|(_, value)| value)
    }
}

/// The archive and the rows that answer a query. Rows that no archive holds cost nothing here.
fn window_of(definition: &Definition, last: i64, query: &Query) -> Result<Window, Unread> {
    window_of_any_length(definition, last, query).map_err(|no| Unread::Told(no.to_string()))
}

/// How many rows an archive holds of a query.
fn held_rows(definition: &Definition, last: i64, query: &Query) -> Result<u64, Unread> {
    let window = window_of(definition, last, query)?;
    let rows = definition.archives.get(window.archive).map_or(0, |archive| archive.rows);
    Ok(window.held_by(rows).count)
}

/// The query with a margin on both sides, as far as its archive holds one: a margin must not bring
/// another archive.
fn with_margin(
    definition: &Definition,
    last: i64,
    query: &Query,
    archive: &Archive,
    margin_seconds: u64,
) -> Query {
    let row = archive.row_seconds(definition.step_seconds);
    let margin = Tick::SECOND.to_floor(margin_seconds.cast_signed(), definition.tick);
    let newest = last - last % row as i64;
    let oldest = newest.saturating_sub(row.saturating_mul(archive.rows).cast_signed());
    let start = query.start_seconds.saturating_sub(margin).max(oldest).max(0);
    Query {
        start_seconds: start.min(query.start_seconds),
        end_seconds: query.end_seconds.saturating_add(margin),
        step_seconds: row,
        ..*query
    }
}

fn lines(subject: &Subject, definition: &Definition) -> Vec<SubjectLine> {
    subject.lines.clone().unwrap_or_else(|| SubjectLine::of_definition(definition))
}

/// The consolidation function that is drawn: the average if an archive has it.
pub(crate) fn function(definition: &Definition) -> Option<ConsolidationFunction> {
    use ConsolidationFunction::{Average, Last, Max, Min};
    let has =
        |cf: &ConsolidationFunction| definition.archives.iter().any(|archive| archive.cf == *cf);
    let plain = [Average, Last, Max, Min].into_iter().find(has);
    plain.or_else(|| definition.archives.iter().map(|it| it.cf).find(|cf| cf.is_spread()))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use rrd::fetch::Query;
    use rrd::{Definition, Stretch, Timestamp};
    use store::Outline;

    use super::{Databases, Refused, Subject, Unread, charts};
    use crate::charts::asked::Asked;

    const NOW_SECONDS: i64 = 1_700_000_000;

    /// Databases of which each has ten million rows of a minute.
    struct Large(Definition);

    impl Databases for Large {
        fn outline(&self, _: &str) -> Result<Outline, Unread> {
            let last_update = Timestamp::from_seconds(NOW_SECONDS);
            Ok(Outline { definition: self.0.clone(), last_update })
        }

        fn fetch_all(&self, wanted: &[(&str, Query)]) -> Vec<Result<Stretch, Unread>> {
            wanted.iter().map(|_| Err(Unread::Missing)).collect()
        }
    }

    fn refused(words: &str) -> Option<Refused> {
        let words = format!("d=a&{words}");
        let asked = Asked::of(&words, NOW_SECONDS, &TimeZone::UTC).unwrap();
        let words = ["DS:x:GAUGE:120:U:U", "DS:y:GAUGE:120:U:U", "RRA:AVERAGE:0.5:1:10000000"];
        let databases = Large(rrd::spec::definition(60, words).unwrap());
        charts(&databases, vec![Subject::of_database("a")], &asked).err()
    }

    #[test]
    fn the_rows_of_a_ghost_count_though_the_span_has_none() {
        let future = "start=now&end=now%2B19y";
        assert!(refused(future).is_none());
        let ghost = refused(&format!("{future}&ghost=315360000"));
        assert!(matches!(ghost, Some(Refused::TooMuch { values: 10_000_000.., .. })), "{ghost:?}");
        assert!(refused("start=now-1d&ghost=315360000").is_none());
    }
}
