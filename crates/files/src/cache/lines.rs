//! Lines for the log, encoded beside it.

use journal::{Generation, LogPosition, RawRecord, RecordHead, Records, RrdId};

use super::record::{BaseView, Event, Kind, push_argument};

/// A file keeps its number while the log has something of it: numbers need no generations.
const GENERATION: Generation = Generation(0);

/// Of lines that are part of a copy, which counts once its last line is there.
pub(super) const COPY: Generation = Generation(1);

/// Lines for the log, encoded beside it.
#[derive(Debug, Default)]
pub struct Lines {
    records: Records,
    has_base: bool,
}

impl Lines {
    /// What a file holds before the samples that follow; once, and first.
    pub fn base(&mut self, number: RrdId, base: &BaseView<'_>) {
        assert!(self.records.is_empty(), "a base comes before everything else");
        self.event(number, &Event::Base(*base));
        self.has_base = true;
    }

    /// A sample that was taken, as its argument `TIME:READING[:READING...]`, letter for letter.
    pub fn sample(&mut self, number: RrdId, argument: &str) {
        push_argument(&mut self.records, number, GENERATION, argument);
    }

    /// A command ended, of which the samples before are part: seasons that they made due are
    /// smoothed, unless a value was `refused`. Databases that do not forecast need no such line.
    pub fn end(&mut self, number: RrdId, refused: bool) {
        self.event(number, &Event::End { refused });
    }

    /// The samples since the last base were dropped.
    pub fn forget(&mut self, number: RrdId) {
        self.event(number, &Event::Delete);
    }

    /// All lines of a file before a position are in it, durably.
    pub(super) fn written(&mut self, number: RrdId, through: LogPosition) {
        self.event(number, &Event::Written { through });
    }

    /// A record as it stands in the log; only one of the file with this number is taken.
    pub(super) fn record_of(&mut self, number: RrdId, record: &[u8]) {
        let raw = RawRecord::parse(record).expect("it stood in the log");
        if raw.rrd() == number {
            assert!(
                self.has_base || Kind::of(&raw) == Some(Kind::Base),
                "a base comes before all else"
            );
            self.has_base = true;
            // One of a copy is part of another copy now, or of none.
            push_as(&mut self.records, GENERATION, &raw);
        }
    }

    /// The same lines as part of a copy, with its last line behind them: it takes the place of what
    /// the file has in the log before a position.
    pub(super) fn marked_as_copy(&self, number: RrdId, before: LogPosition) -> Self {
        let mut records = Records::default();
        for record in self.records.iter() {
            push_as(&mut records, COPY, &record);
        }
        push(&mut records, number, COPY, &Event::Written { through: before });
        Self { records, has_base: self.has_base }
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> usize {
        self.records.bytes_len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.records.clear();
        self.has_base = false;
    }

    pub(super) fn has_base(&self) -> bool {
        self.has_base
    }

    pub(super) fn records(&mut self) -> &mut Records {
        &mut self.records
    }

    fn event(&mut self, rrd: RrdId, event: &Event<'_>) {
        push(&mut self.records, rrd, GENERATION, event);
    }
}

fn push(records: &mut Records, rrd: RrdId, generation: Generation, event: &Event<'_>) {
    let kind = event.kind();
    records.push(RecordHead { kind, rrd, generation }, |out| event.put(out));
}

/// The same record under another generation.
fn push_as(records: &mut Records, generation: Generation, record: &RawRecord<'_>) {
    let head = RecordHead { generation, ..record.head() };
    records.push(head, |out| out.extend_from_slice(record.body().rest()));
}

#[cfg(test)]
mod tests {
    use disk::{Fault, FaultPlan, FaultyMedium, Restart, Survival};

    use super::super::{Log, LogOptions, Replay, Step};
    use super::*;
    use crate::cache::Base;
    use journal::JournalError;

    const NUMBER: RrdId = RrdId(3);
    /// More than a frame of a small segment holds.
    const SAMPLES: u64 = 2000;

    fn options() -> LogOptions {
        let mut options = LogOptions::default();
        options.journal.segment_bytes = 16 << 10;
        options
    }

    fn lines() -> Lines {
        let base =
            Base { path: b"a.rrd".into(), fingerprint: 1, newest_rows: vec![2], state: vec![3] };
        let mut lines = Lines::default();
        lines.base(NUMBER, &base.view());
        (0..SAMPLES).for_each(|nth| lines.sample(NUMBER, &format!("{}:{nth}:U", 300 * nth)));
        lines
    }

    /// Logs samples, copies them twice, and frees what the copies stand for.
    fn live(medium: &FaultyMedium, is_durable: &mut bool) -> Result<(), JournalError> {
        let (log, _) = Log::open(medium.clone(), options())?;
        let mut log_pin = log.append(&mut lines())?.unwrap();
        log.commit()?;
        *is_durable = true;
        for _ in 0..2 {
            let before = log.position();
            let copy = log.append_copy(NUMBER, &mut lines())?;
            log.commit()?;
            log.written([(NUMBER, log_pin, before)])?;
            log.commit()?;
            log.tend()?;
            log_pin = copy;
        }
        Ok(())
    }

    fn samples(replay: &Replay) -> Vec<String> {
        let steps = replay.steps(NUMBER).map(|step| step.unwrap());
        let samples = steps.filter_map(|step| match step {
            Step::Sample(argument) => Some(argument),
            _ => None,
        });
        samples.collect()
    }

    #[test]
    fn a_crash_leaves_all_of_a_copy_or_nothing() {
        let expected: Vec<String> =
            (0..SAMPLES).map(|nth| format!("{}:{nth}:U", 300 * nth)).collect();
        let (mut found, mut ended) = (0, false);
        for call in 0..2000 {
            for (seed, restart) in [(1, Restart::PowerCut), (2, Restart::Process)] {
                let at = [(call, Fault::Crash)].into();
                let survival = Survival::ByChance;
                let plan = FaultPlan { seed, at, survival, ..FaultPlan::default() };
                let medium = FaultyMedium::new(plan);
                let mut is_durable = false;
                ended = live(&medium, &mut is_durable).is_ok();
                let medium = medium.restart(restart, FaultPlan::default());
                let (_, replay) = Log::open(medium, options()).unwrap();
                if !is_durable {
                    continue;
                }
                let samples = samples(&replay);
                found += 1;
                assert!(
                    samples.ends_with(&expected),
                    "call {call}, {restart:?}: {}",
                    samples.len()
                );
            }
            if ended {
                break;
            }
        }
        assert!(ended && found > 50, "{found}");
    }
}
