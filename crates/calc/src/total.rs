//! The sum of many databases: their rows added up before anything is calculated from them.
//!
//! A row of the sum has what is known of it, and is unknown where no database knows it.

use std::collections::HashSet;

use graph::RowsPlan;
use rrd::{Stretch, Tick, UNKNOWN};

use crate::error::CalcError;
use crate::extremes::Extremes;
use crate::fetched::Fetched;
use crate::origin::Origin;
use crate::outcome::{Outcome, Summed};
use crate::source::Source;

/// The most rows of a sum.
const ROWS_MAX: i64 = 1 << 26;

/// A sum so far.
#[derive(Default)]
pub struct Total {
    databases: usize,
    unknown: u64,
    requests: Vec<OfRequest>,
}

/// The sum of what answered one request.
struct OfRequest {
    /// Of the first database.
    origin: Origin,
    own: Sum,
    least: Sum,
    greatest: Sum,
    /// Whether the least and the greatest values of all databases are known.
    is_proven: bool,
}

/// Rows of one request, added up.
#[derive(Clone)]
struct Sum {
    source_names: Vec<String>,
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    tick: Tick,
    start_seconds: i64,
    step_seconds: u64,
    /// Row-major.
    values: Vec<f64>,
}

impl Total {
    /// The sum of some databases, and what those failed with that have no answer.
    pub fn of(source: &Source, names: &[String]) -> (Self, Vec<(String, CalcError)>) {
        let (mut total, mut failed) = (Self::default(), Vec::new());
        for (name, fetched) in source.fetch(names) {
            let added = fetched.and_then(|fetched| total.add(source.plan(), fetched));
            failed.extend(added.err().map(|error| (name, error)));
        }
        (total, failed)
    }

    fn add(&mut self, plan: &RowsPlan, fetched: Fetched) -> Result<(), CalcError> {
        let Fetched { rows, origins, extremes } = fetched;
        let mut requests = Vec::new();
        for (nth, (stretch, origin)) in rows.iter().zip(origins).enumerate() {
            let sources = plan.sources_of(nth);
            let own = Sum::of(stretch, &sources, &origin)?;
            let pair = extremes.as_ref().map(|Extremes { least, greatest, are_proven }| {
                let least = Sum::of(&least[nth], &sources, &origin)?;
                let greatest = Sum::of(&greatest[nth], &sources, &origin)?;
                let is_proven = are_proven[nth] && own.knows_as(&least) && own.knows_as(&greatest);
                Ok::<_, CalcError>((least, greatest, is_proven))
            });
            let is_short = origin.steps_per_row() <= 1;
            let (least, greatest, is_proven) =
                pair.unwrap_or_else(|| Ok((own.clone(), own.clone(), is_short)))?;
            requests.push(OfRequest { origin, own, least, greatest, is_proven });
        }
        let unknown: u64 = requests.iter().map(|it| it.own.unknown(it.origin.start_seconds)).sum();
        self.join(Self { databases: 1, unknown, requests })
    }

    /// Adds another sum.
    ///
    /// # Errors
    /// Its rows have another length.
    pub fn join(&mut self, other: Self) -> Result<(), CalcError> {
        if self.databases == 0 {
            *self = other;
            return Ok(());
        }
        if other.databases == 0 {
            return Ok(());
        }
        for (own, other) in self.requests.iter().zip(&other.requests) {
            own.own.check(&other.own)?;
        }
        for (own, mut other) in self.requests.iter_mut().zip(other.requests) {
            let tick = own.own.tick.finer(other.own.tick);
            own.count_in_finer(tick);
            other.count_in_finer(tick);
            own.own.add(&other.own);
            own.least.add(&other.least);
            own.greatest.add(&other.greatest);
            own.is_proven &= other.is_proven;
            own.origin.start_seconds = own.origin.start_seconds.min(other.origin.start_seconds);
            own.origin.end_seconds = own.origin.end_seconds.max(other.origin.end_seconds);
        }
        self.databases += other.databases;
        self.unknown += other.unknown;
        Ok(())
    }

    /// Calculates with the sum.
    ///
    /// # Errors
    /// See [`CalcError`].
    pub fn outcome(self, source: &Source, name: &str) -> Result<Outcome, CalcError> {
        let summed = Summed { databases: self.databases, unknown: self.unknown };
        let mut fetched = Fetched {
            rows: Vec::new(),
            origins: Vec::new(),
            extremes: Some(Extremes {
                least: Vec::new(),
                greatest: Vec::new(),
                are_proven: Vec::new(),
            }),
        };
        for OfRequest { origin, own, least, greatest, is_proven } in self.requests {
            fetched.rows.push(own.stretch());
            fetched.origins.push(Origin { database: name.into(), ..origin });
            if let Some(extremes) = &mut fetched.extremes {
                extremes.least.push(least.stretch());
                extremes.greatest.push(greatest.stretch());
                extremes.are_proven.push(is_proven);
            }
        }
        let outcome = source.outcome(name, &fetched)?;
        Ok(Outcome { summed: Some(summed), ..outcome })
    }
}

impl OfRequest {
    /// Counts all times in ticks that are as fine or finer.
    fn count_in_finer(&mut self, tick: Tick) {
        if self.own.tick == tick {
            return;
        }
        self.origin = self.origin.clone().in_finer(tick);
        for sum in [&mut self.own, &mut self.least, &mut self.greatest] {
            let times = tick.per_second() / sum.tick.per_second();
            sum.start_seconds = sum.start_seconds.saturating_mul(times.into());
            sum.step_seconds = sum.step_seconds.saturating_mul(times.into());
            sum.tick = tick;
        }
    }
}

impl Sum {
    /// The columns of these sources.
    fn of(stretch: &Stretch, sources: &[&str], origin: &Origin) -> Result<Self, CalcError> {
        let mut seen = HashSet::new();
        let mut columns = Vec::new();
        for source in sources.iter().filter(|source| seen.insert(**source)) {
            let column = stretch.source_names.iter().position(|name| name == source);
            columns.push(column.ok_or_else(|| {
                let database = &origin.database;
                graph::Error::Fetch(format!("No DS called '{source}' in '{database}'"))
            })?);
        }
        let mut values = Vec::with_capacity(stretch.rows as usize * columns.len());
        for (_, row) in stretch.iter() {
            let known = |column: &usize| row.map_or(UNKNOWN, |row| row[*column]);
            values.extend(columns.iter().map(known));
        }
        Ok(Self {
            source_names: columns.iter().map(|nth| stretch.source_names[*nth].clone()).collect(),
            tick: stretch.tick,
            start_seconds: stretch.start_seconds,
            step_seconds: stretch.step_seconds,
            values,
        })
    }

    fn columns(&self) -> usize {
        self.source_names.len().max(1)
    }

    fn end_seconds(&self) -> i64 {
        let rows = (self.values.len() / self.columns()) as i64;
        self.start_seconds.saturating_add(rows.saturating_mul(self.step_seconds as i64))
    }

    fn knows_as(&self, other: &Self) -> bool {
        let same_rows =
            (self.start_seconds, self.values.len()) == (other.start_seconds, other.values.len());
        same_rows && self.values.iter().zip(&other.values).all(|(a, b)| a.is_nan() == b.is_nan())
    }

    /// How many values are unknown of rows that begin at a time or later.
    fn unknown(&self, from_seconds: i64) -> u64 {
        let rows =
            from_seconds.saturating_sub(self.start_seconds) / self.step_seconds.max(1) as i64;
        let skipped = rows.max(0) as usize * self.columns();
        self.values.iter().skip(skipped).filter(|value| value.is_nan()).count() as u64
    }

    /// The length of a row in ticks that are as fine or finer.
    fn step_in(&self, tick: Tick) -> u64 {
        self.tick.to_nearest_span(self.step_seconds, tick)
    }

    fn check(&self, other: &Self) -> Result<(), CalcError> {
        let tick = self.tick.finer(other.tick);
        let step_seconds = self.step_in(tick);
        if step_seconds != other.step_in(tick) {
            return Err(CalcError::OtherRows {
                expected_seconds: self.tick.seconds_of(self.step_seconds),
                found_seconds: other.tick.seconds_of(other.step_seconds),
            });
        }
        let [own, others] = [self, other].map(|sum| {
            [sum.start_seconds, sum.end_seconds()].map(|time| sum.tick.to_floor(time, tick))
        });
        let (start_seconds, end_seconds) = (own[0].min(others[0]), own[1].max(others[1]));
        let rows = end_seconds.saturating_sub(start_seconds) / step_seconds.max(1) as i64;
        match rows {
            rows if rows > ROWS_MAX => Err(graph::Error::Fetch(format!(
                "a sum of {rows} rows is more than {ROWS_MAX}: expected a shorter time"
            ))
            .into()),
            _ => Ok(()),
        }
    }

    /// Adds rows of the same length.
    fn add(&mut self, other: &Self) {
        let (columns, step) = (self.columns(), self.step_seconds.max(1) as i64);
        if other.start_seconds < self.start_seconds {
            let rows = (self.start_seconds - other.start_seconds) / step;
            let before = std::iter::repeat_n(UNKNOWN, rows as usize * columns);
            self.values.splice(0..0, before);
            self.start_seconds = other.start_seconds;
        }
        let offset = ((other.start_seconds - self.start_seconds) / step) as usize * columns;
        let needed = offset + other.values.len();
        if needed > self.values.len() {
            self.values.resize(needed, UNKNOWN);
        }
        for (sum, value) in self.values[offset..].iter_mut().zip(&other.values) {
            *sum = match (sum.is_nan(), value.is_nan()) {
                (_, true) => *sum,
                (true, false) => *value,
                (false, false) => *sum + value,
            };
        }
    }

    fn stretch(self) -> Stretch {
        Stretch {
            tick: self.tick,
            start_seconds: self.start_seconds,
            end_seconds: self.end_seconds(),
            step_seconds: self.step_seconds,
            rows: (self.values.len() / self.columns()) as u64,
            rows_before: 0,
            source_names: self.source_names,
            held: self.values,
        }
    }
}
