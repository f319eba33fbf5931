//! Samples of a batch as readings of databases.

use rrd::{Reading, Timestamp};

use crate::batch::{Collected, Of, Sample};
use crate::counts::Outcomes;
use crate::known::{Database, Met};
use crate::meeting::Meeting;
use crate::reach::Senders;

/// Samples with the databases that they go into.
pub(crate) struct Rows<'b> {
    pub(crate) rows: Vec<Row<'b>>,
    readings: Vec<Reading<'b>>,
}

pub(crate) struct Row<'b> {
    pub(crate) database: &'b Database,
    /// The time of the sample, microseconds since 1970.
    micros: i64,
    /// The same in the database's ticks.
    time: Timestamp,
    first: usize,
    end: usize,
}

/// The samples of a batch that go into databases, in the order of time; what becomes of the others
/// is counted.
pub(crate) fn rows<'b>(
    collected: &'b Collected,
    meetings: &'b [Meeting],
    senders: &Senders<'_>,
    outcomes: &mut Outcomes,
) -> Rows<'b> {
    let count = collected.samples.len();
    let mut all = Rows { rows: Vec::with_capacity(count), readings: Vec::with_capacity(count) };
    for (sample, known) in collected.samples.iter().zip(&collected.met) {
        let (met, is_checked) = match (sample.of, known) {
            (_, Some(met)) => (met, false),
            // A slot keeps its series while a batch is open.
            (Of::Met(_), None) => {
                outcomes.unmade += 1;
                continue;
            }
            (Of::Fresh(at), None) => match &meetings[at as usize] {
                Meeting::Met(met) => (met, true),
                Meeting::Forbidden => {
                    outcomes.forbidden += 1;
                    continue;
                }
                Meeting::Unmade => {
                    outcomes.unmade += 1;
                    continue;
                }
                Meeting::Refused => {
                    outcomes.refused += 1;
                    continue;
                }
                Meeting::Failed => {
                    outcomes.failed += 1;
                    continue;
                }
            },
        };
        let Met::Kept(database) = &**met else {
            outcomes.dropped += 1;
            continue;
        };
        if !is_checked && !database.is_reached(senders) {
            outcomes.forbidden += 1;
            continue;
        }
        let micros = sample.time_micros.unwrap_or(senders.now_micros);
        let is_meant = !senders.is_ahead(micros) && database.takes(sample.values);
        match database.tick.up_to(timestamp(micros)) {
            Some(time) if is_meant => {
                all.push(sample, collected, Row { database, micros, time, first: 0, end: 0 });
            }
            _ => outcomes.refused += 1,
        }
    }
    if !all.rows.is_sorted_by_key(|row| row.micros) {
        all.rows.sort_by_key(|row| row.micros);
    }
    all
}

/// Microseconds since 1970 as a time.
pub(crate) fn timestamp(micros: i64) -> Timestamp {
    let (seconds, micros) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    Timestamp { seconds, micros: micros as u32 }
}

impl<'b> Rows<'b> {
    /// The samples of all rows.
    pub(crate) fn samples(&self) -> Vec<rrd::Sample<'_>> {
        let sample = |row: &Row<'_>| rrd::Sample {
            time: row.time,
            readings: &self.readings[row.first..row.end],
        };
        self.rows.iter().map(sample).collect()
    }

    fn push(&mut self, sample: &Sample, collected: &'b Collected, row: Row<'b>) {
        let first = self.readings.len();
        let values = &collected.values[sample.first as usize..][..sample.values as usize];
        self.readings.extend(row.database.order.iter().map(|place| {
            let value = place.and_then(|place| values.get(usize::from(place)));
            value.map_or(Reading::Unknown, |value| value.reading(&collected.texts))
        }));
        self.rows.push(Row { first, end: self.readings.len(), ..row });
    }
}
