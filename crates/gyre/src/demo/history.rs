//! Simulates the past of one target, as if it had been measured all along: the same counters go
//! through the same arithmetic. Samples are further apart the older they are.
//!
//! ```text
//!  420 days ago        35 days          9 days             hours              now
//!  |   1 sample a day      |   1 in 2 hours  |  2 an hour     |  every minute  ||||| every step
//! ```
//!
//! Averages equal those of dense samples. A maximum of the distant past is the maximum of the few
//! samples in its row.

use std::fmt::Write as _;

use rrd::live::LastReading;
use rrd::{Archive, Definition, LiveState, Reading, Sample, Snapshot, Timestamp, Workspace};

/// How far back there is a sample for every step, if there is an archive of steps; hourly graphs
/// show this much.
const EVERY_STEP_SECONDS: i64 = 4800;

/// Seconds between samples before that time. A pixel of a daily graph shows 300 s.
const RARER_SECONDS: i64 = 60;

/// Longer than any stretch between two samples, so that a value is not unknown because samples are
/// rare.
const HEARTBEAT_SECONDS: u64 = 1 << 40;

/// When to take samples so that every row of every archive gets a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Calendar {
    /// Oldest first. The last moment is the last end of a step.
    moments_seconds: Vec<i64>,
}

impl Calendar {
    /// The calendar of all databases of one definition, up to the last step before `now_seconds`.
    pub(super) fn new(definition: &Definition, now_seconds: i64) -> Self {
        let step = definition.step_seconds as i64;
        let end = now_seconds - now_seconds % step;
        let mut coarse_first: Vec<_> = definition.archives.iter().collect();
        coarse_first.sort_by_key(|archive| std::cmp::Reverse(archive.pdp_per_row));
        let starts = coarse_first.iter().map(|archive| oldest_row(archive, definition, end));
        let starts: Vec<i64> = starts.collect();
        let mut moments = starts.clone();
        for (archive, start) in coarse_first.into_iter().zip(&starts) {
            // A period that a finer archive covers has samples for that archive already.
            moments.retain(|moment| moment <= start || starts.contains(moment));
            let row = archive.row_seconds(definition.step_seconds) as i64;
            moments.extend((*start..=end).step_by(row as usize));
        }
        moments.push(end);
        moments.sort_unstable();
        moments.dedup_by(|next, last| {
            let is_old = end - *next > EVERY_STEP_SECONDS;
            // Keep the first moment of each minute: rows of whole minutes then end at a sample.
            let is_dense = is_old && *next / RARER_SECONDS == *last / RARER_SECONDS;
            next == last || is_dense && !starts.contains(next)
        });
        Self { moments_seconds: moments }
    }

    /// The time of the last sample.
    pub(super) fn end_seconds(&self) -> i64 {
        self.moments_seconds.last().copied().unwrap_or_default()
    }
}

/// Makes the database of a target that was measured at every moment of the calendar. `counters`
/// gives the two counters at a moment, or none where the device did not answer. `shown` is the
/// answer of the device at the last moment: the next poll takes its difference to it.
pub(super) fn snapshot(
    definition: &Definition,
    calendar: &Calendar,
    counters: impl Fn(i64) -> Option<[u64; 2]>,
    shown: Option<[u64; 2]>,
) -> Snapshot {
    let mut rings = Rings::new(definition, calendar.end_seconds());
    let mut patient = definition.clone();
    for source in &mut patient.sources {
        source.heartbeat_seconds = HEARTBEAT_SECONDS;
    }
    let start_seconds = calendar.moments_seconds.first().map_or(0, |first| first - 1);
    let mut live = LiveState::fresh(&patient, Timestamp::from_seconds(start_seconds));
    let mut workspace = Workspace::default();
    let mut texts = [String::new(), String::new()];
    for moment in &calendar.moments_seconds {
        write(&mut texts, counters(*moment));
        let readings = texts.each_ref().map(|text| Reading::of(text));
        let sample = Sample { time: Timestamp::from_seconds(*moment), readings: &readings };
        rrd::update(&patient, &mut live, &sample, &mut workspace)
            .expect("counters are integers and time goes on");
        rings.take(*moment, &workspace);
    }
    write(&mut texts, shown);
    for (source, text) in live.sources.iter_mut().zip(&texts) {
        source.last_reading = LastReading::new(text);
    }
    Snapshot { definition: definition.clone(), live, rows: rings.rows }
}

/// Writes readings as text for an update. The strings are reused.
fn write(texts: &mut [String; 2], readings: Option<[u64; 2]>) {
    for (nth, text) in texts.iter_mut().enumerate() {
        text.clear();
        // Writing to a string cannot fail.
        let _ = match readings {
            Some(readings) => write!(text, "{}", readings[nth]),
            None => write!(text, "U"),
        };
    }
}

/// The rows that archives keep, oldest first.
struct Rings {
    rows: Vec<Vec<f64>>,
    /// For each archive, the start of its oldest row.
    starts_seconds: Vec<i64>,
}

impl Rings {
    fn new(definition: &Definition, end_seconds: i64) -> Self {
        let sources = definition.sources.len();
        let archives = definition.archives.iter();
        let room = |rows: u64| Vec::with_capacity(rows as usize * sources);
        Self {
            rows: archives.clone().map(|archive| room(archive.rows)).collect(),
            starts_seconds: archives
                .map(|archive| oldest_row(archive, definition, end_seconds))
                .collect(),
        }
    }

    /// Takes the rows that a sample made final.
    fn take(&mut self, moment_seconds: i64, workspace: &Workspace) {
        for rows in workspace.final_rows() {
            // The calendar has a moment at the start of every archive. So rows that a later moment
            // makes final all begin after that start.
            if moment_seconds > self.starts_seconds[rows.archive] {
                let ring = &mut self.rows[rows.archive];
                (0..rows.count).for_each(|_| ring.extend(rows.values));
            }
        }
    }
}

/// The start of the oldest row that an archive keeps.
fn oldest_row(archive: &Archive, definition: &Definition, end_seconds: i64) -> i64 {
    let row = archive.row_seconds(definition.step_seconds) as i64;
    end_seconds - end_seconds % row - row * archive.rows as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Octets of a line with more traffic by day; the counter never wraps.
    fn counter(moment_seconds: i64) -> u64 {
        let (hours, into_hour) = (moment_seconds as u64 / 3600, moment_seconds as u64 % 3600);
        let level = |hour: u64| 1000 + 37 * (hour % 24);
        let first_hours = |count: u64| (0..count).map(|hour| 3600 * level(hour)).sum::<u64>();
        hours / 24 * first_hours(24) + first_hours(hours % 24) + level(hours) * into_hour
    }

    fn both(moment_seconds: i64) -> Option<[u64; 2]> {
        Some([counter(moment_seconds), 7 * moment_seconds as u64])
    }

    fn definition(step_seconds: u64, archives: &[(&str, u64, u64)]) -> Definition {
        let archives =
            archives.iter().map(|(cf, pdps, rows)| format!("RRA:{cf}:0.5:{pdps}:{rows}"));
        let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:125000000"));
        let all: Vec<String> = sources.into_iter().chain(archives).collect();
        rrd::spec::definition(step_seconds, all.iter().map(String::as_str)).unwrap()
    }

    /// The rows of a database that had a sample at the end of every step.
    fn measured(definition: &Definition, end: i64) -> Vec<Vec<f64>> {
        let starts = definition.archives.iter().map(|each| oldest_row(each, definition, end));
        let step = definition.step_seconds as i64;
        let start = starts.min().unwrap() / step * step;
        let moments = (start..=end).step_by(step as usize).collect();
        snapshot(definition, &Calendar { moments_seconds: moments }, both, both(end)).rows
    }

    #[test]
    fn rare_samples_give_the_averages_of_dense_ones() {
        let now = 1_795_271_004;
        let shapes = [(10, [(1, 900), (18, 300), (360, 40)]), (7, [(1, 200), (25, 99), (600, 9)])];
        for (step, shape) in shapes {
            let cfs = ["AVERAGE", "MAX"];
            let archives = cfs.map(|cf| shape.map(|(pdps, rows)| (cf, pdps, rows)));
            let definition = definition(step, archives.as_flattened());
            let calendar = Calendar::new(&definition, now);
            let end = calendar.end_seconds();
            assert_eq!(end, now - now % step as i64);
            let made = snapshot(&definition, &calendar, both, both(end));
            let dense = measured(&definition, end);
            for (nth, archive) in definition.archives.iter().enumerate() {
                let (made, dense) = (&made.rows[nth], &dense[nth]);
                assert_eq!(made.len(), 2 * archive.rows as usize);
                let dense = &dense[dense.len() - made.len()..];
                let ages = (0..made.len()).rev().map(|younger| younger as u64 / 2);
                for (age, (made, dense)) in ages.zip(made.iter().zip(dense)) {
                    let age_seconds = (age + 1) * archive.row_seconds(step);
                    let is_dense = age_seconds < EVERY_STEP_SECONDS as u64;
                    // Rows of the second shape do not end where rows of the next one do. A sample
                    // that crosses an hour takes the mean of two levels.
                    let is_whole = archive.pdp_per_row > 1 && step == 10 && nth < shape.len();
                    let tolerance = if is_dense || is_whole { 1e-9 } else { 0.04 };
                    let difference = (made - dense).abs();
                    assert!(difference <= tolerance * dense, "{nth}, {age}: {made} {dense}");
                }
            }
        }
    }

    #[test]
    fn the_next_poll_continues_without_a_spike() {
        let definition = definition(10, &[("AVERAGE", 1, 60), ("MAX", 6, 60)]);
        let calendar = Calendar::new(&definition, 1_795_271_004);
        let end = calendar.end_seconds();
        // The device has restarted at some time: its counters show less than the total that has
        // flowed.
        let since_restart = |moment: i64| both(moment).map(|both| both.map(|each| each - 123_456));
        let Snapshot { definition, mut live, .. } =
            snapshot(&definition, &calendar, both, since_restart(end));
        let mut texts = [String::new(), String::new()];
        write(&mut texts, since_restart(end + 10));
        let readings = texts.each_ref().map(|text| Reading::of(text));
        let sample = Sample { time: Timestamp::from_seconds(end + 10), readings: &readings };
        let mut workspace = Workspace::default();
        rrd::update(&definition, &mut live, &sample, &mut workspace).unwrap();
        let row = workspace.final_rows().next().unwrap();
        let [incoming, outgoing] =
            [0, 1].map(|nth| both(end + 10).unwrap()[nth] - both(end).unwrap()[nth]);
        assert_eq!((row.archive, row.count), (0, 1));
        assert_eq!(row.values, [incoming as f64 / 10.0, outgoing as f64 / 10.0]);
    }

    #[test]
    fn what_a_silent_device_counted_is_unknown() {
        let definition = definition(10, &[("AVERAGE", 1, 600), ("AVERAGE", 18, 60)]);
        let calendar = Calendar::new(&definition, 1_795_271_004);
        let died = calendar.end_seconds() - 3000;
        let made = snapshot(
            &definition,
            &calendar,
            |moment| both(moment).filter(|_| moment <= died),
            None,
        );
        let known = |row: &[f64]| row.iter().filter(|value| !value.is_nan()).count();
        assert_eq!(known(&made.rows[0]), 2 * 300);
        assert!((2 * 42..=2 * 44).contains(&known(&made.rows[1])));
        assert!(made.live.sources.iter().all(|source| source.last_reading.is_unknown()));
    }
}
