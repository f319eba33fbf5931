//! Random operations.

use std::path::{Path, PathBuf};

use disk::Random;
use ring::file::adoptee;
use rrd::fetch::Query;
use rrd::refill::{CellChange, RowChange};
use rrd::sample::{SampleError, TimeText};
use rrd::tune::{TuneOption, Tuning};
use rrd::{Archive, ConsolidationFunction, Definition, Reading, Sample, Snapshot, Tick, Timestamp};
use rrdfile::layout::RowIndex;
use store::{
    Adoptee, Arguments, Edit, Existing, Locking, Making, NamePattern, NewDatabase, Refused,
    Samples, SourceTuning, Store, Taken, Update,
};

use crate::NAMES;
use crate::both::{Both, compare_reads};
use crate::told::{all_told, bits, told, told_error, told_refused};

/// Random operations on both stores.
pub(crate) struct Chance {
    pub(crate) random: Random,
    pub(crate) now_seconds: i64,
}

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }

    fn name(&mut self) -> PathBuf {
        // The first names are chosen more often, so that their databases live longer.
        let choices = NAMES.len().min(1 + self.below(NAMES.len() as u64) as usize);
        self.pick(&NAMES[..choices]).into()
    }

    pub(crate) fn step(&mut self, both: &Both) {
        let name = self.name();
        match self.below(13) {
            12 => self.adopt(both),
            0 | 1 => self.make(both),
            2 => self.update_by_value(both, &name),
            3 | 4 => self.update_by_text(both),
            5 | 6 => self.update_watched(both, &name),
            7 | 8 => self.edit(both, &name),
            9 => {
                both.same(|store| store.sync(), told);
                let prefix = self.pick(&["", "a", "deep/", "no"]);
                both.same(|store| store.names(prefix), told);
                let pattern = NamePattern::meant(self.pick(&["*", "**", "d*", "**/?", "[!b]*"]));
                let (from, limit) = (self.pick(&["", "b", "deep/x"]), self.pick(&[1, 2, 9]));
                both.same(|store| store.names_like(&pattern), told);
                both.same(|store| store.names_from(&pattern, from, limit), told);
            }
            _ => compare_reads(both, &name, &self.query()),
        }
    }

    fn definition(&mut self) -> Definition {
        let step_seconds = self.pick(&[10, 300]);
        let mut words = vec![format!("DS:a:COUNTER:{}:U:U", 2 * step_seconds)];
        if self.below(2) == 0 {
            words.push("DS:b:GAUGE:600:-5:1e3".into());
        }
        if self.below(4) == 0 {
            words.push("DS:twice:COMPUTE:a,2,*".into());
        }
        words.push(format!("RRA:AVERAGE:0.5:1:{}", 3 + self.below(40)));
        words.push("RRA:MAX:0:3:7".into());
        if self.below(3) == 0 {
            words.push("RRA:HWPREDICT:30:0.2:0.01:8".into());
        }
        rrd::spec::definition(step_seconds, words.iter().map(String::as_str)).unwrap()
    }

    /// The same, maybe in ticks.
    fn in_some_tick(&mut self, definition: Definition) -> Definition {
        Definition { tick: Tick::of_per_second(self.pick(&[1, 1, 10])).unwrap(), ..definition }
    }

    /// One that `.rrd` files may not be able to say.
    fn any_definition(&mut self) -> Definition {
        let mut definition = self.definition();
        if self.below(3) == 0 {
            let percentile = "PERCENTILE90".parse().unwrap();
            let spreads = [(ConsolidationFunction::Stdev, 2), (percentile, 4)];
            let archives = spreads.map(|(cf, pdps)| Archive::plain(cf, 6, pdps, 0.5));
            definition.archives.extend(archives);
        }
        self.in_some_tick(definition)
    }

    fn make(&mut self, both: &Both) {
        let count = 1 + self.below(3) as usize;
        let new: Vec<_> = (0..count).map(|_| (self.name(), self.any_definition())).collect();
        let micros = self.pick(&[0, 5]);
        let start = |definition: &Definition| {
            let time = Timestamp { seconds: self.now_seconds, micros };
            definition.tick.up_to(time).unwrap()
        };
        let starts: Vec<_> = new.iter().map(|(_, definition)| start(definition)).collect();
        let existing = self.pick(&[Existing::Keep, Existing::Keep, Existing::Replace]);
        let past = Snapshot::empty(&new[0].1, starts[0], &mut store::memory_room()).unwrap();
        let takes_over = self.below(4) == 0;
        let making = |nth: usize| {
            let (name, definition) = &new[nth];
            let start = starts[nth];
            let new = NewDatabase { name, definition, start };
            Making { past: (takes_over && nth == 0).then_some(&past), existing, ..Making::new(new) }
        };
        let making: Vec<_> = (0..count).map(making).collect();
        both.same(|store| store.make(&making, &|| true), |failed| all_told(failed, told_error));
    }

    /// Imports whole databases with everything that their files had.
    fn adopt(&mut self, both: &Both) {
        let start = Timestamp::from_seconds(self.now_seconds);
        let file = empty_file(&self.definition(), start);
        let modified_nanos = 1 + self.below(3) as i64;
        let names: Vec<_> = (0..1 + self.below(3)).map(|_| self.name()).collect();
        let coming = |name: &PathBuf| adoptee(name.to_str().unwrap(), &file, modified_nanos);
        let coming: Vec<Adoptee> = names.iter().map(|name| coming(name).unwrap()).collect();
        both.same(|store| store.adopts().unwrap().adopt(&coming, &|| true), told);
        for nanos in [1, 2, 3] {
            both.same(|store| store.adopts().unwrap().came_from(&coming[0].name, nanos), told);
        }
    }

    fn time(&mut self) -> Timestamp {
        self.now_seconds += self.pick(&[0, 1, 10, 300, 300, 4000]);
        let seconds = self.now_seconds - self.pick(&[0, 0, 0, 7]);
        Timestamp { seconds, micros: self.pick(&[0, 0, 123_456, 300_000]) }
    }

    fn reading(&mut self) -> &'static str {
        self.pick(&[
            "1",
            "18446744073709551615",
            "-3",
            "U",
            "1.25",
            "007",
            "x",
            "1e400",
            "-0",
            "nan",
        ])
    }

    fn readings(&mut self) -> Vec<&'static str> {
        let count = self.pick(&[1, 1, 2, 2, 3, 0]);
        (0..count).map(|_| self.reading()).collect()
    }

    fn update_by_value(&mut self, both: &Both, name: &Path) {
        let texts: Vec<_> = (0..2).map(|_| (self.time(), self.readings())).collect();
        let readings: Vec<_> = texts.iter().map(|(_, texts)| Reading::of_all(texts)).collect();
        let sample = |nth: usize| Sample { time: texts[nth].0, readings: &readings[nth] };
        let samples = [sample(0), sample(1)];
        let one = Update::of(name, &samples);
        both.same(|store| store.update(&[one]), |refused| all_told(refused, told_refused));
    }

    fn word(&mut self) -> String {
        let time = self.time();
        let time = match self.below(12) {
            0 => "N".into(),
            1 => "noon".into(),
            2 => "1x".into(),
            3 => format!("-{}", self.below(9)),
            _ => format!("{time}"),
        };
        let separator = self.pick(&[":", ":", ":", ":", ":", "@", ""]);
        format!("{time}{separator}{}", self.readings().join(":"))
    }

    fn update_by_text(&mut self, both: &Both) {
        let places = 1 + self.below(4) as usize;
        let places: Vec<_> =
            (0..places).map(|_| (self.name(), [self.word(), self.word()])).collect();
        let words = |place: usize| places[place].1.each_ref().map(String::as_str);
        let words: Vec<_> = (0..places.len()).map(words).collect();
        let update = |(name, words)| Update::numbered(name, words);
        let names = places.iter().map(|(name, _)| name);
        let batch: Vec<_> = names.zip(words.iter().map(|words| &words[..])).map(update).collect();
        both.same(|store| store.update(&batch), |refused| all_told(refused, told_refused));
    }

    fn update_watched(&mut self, both: &Both, name: &Path) {
        let words = [self.word(), self.word(), self.word()];
        let words = words.each_ref().map(String::as_str);
        let now_seconds = self.now_seconds;
        let (template, skip_past) =
            (self.pick(&[None, None, Some("a"), Some("no")]), self.below(2) == 0);
        let answer = |store: &dyn Store| {
            // The clock advances with each reading, and both stores read it equally often.
            let now = std::cell::Cell::new(Timestamp::from_seconds(now_seconds));
            let moment = |time: TimeText<'_>| {
                now.set(Timestamp { seconds: now.get().seconds + 1, ..now.get() });
                let no_time = || SampleError::AtTime("noon".into(), "no calendar here".into());
                time.moment(now.get()).ok_or_else(no_time)
            };
            let locking = Locking::Block;
            let arguments =
                Arguments { template, skip_past, locking, words: &words, moment: &moment };
            let update = Update { name, samples: Samples::Arguments(&arguments) };
            let mut seen = Vec::new();
            let mut watch = |taken: &Taken<'_>| {
                let rows = taken.final_rows().map(|rows| {
                    format!(
                        "{} {} {} {:x?}",
                        rows.archive,
                        rows.count,
                        rows.kept,
                        bits(rows.values)
                    )
                });
                let rows: Vec<_> = rows.collect();
                seen.push(format!(
                    "{:?} {} {} {rows:?}",
                    taken.definition, taken.before, taken.time
                ));
            };
            let done = store.update_watched(&update, &mut watch);
            (seen, done)
        };
        both.same(answer, |(seen, done)| format!("{seen:?} {:?}", done.map_err(told_refused)));
        both.same(
            |store| answer_silently(store, name, &words),
            |refused| all_told(refused, told_refused),
        );
    }

    fn edit(&mut self, both: &Both, name: &Path) {
        let other = self.name();
        let definition = self.definition();
        let start = Timestamp::from_seconds(self.now_seconds);
        let whole = Snapshot::empty(&definition, start, &mut store::memory_room()).unwrap();
        let option = self.pick(&[
            (TuneOption::Heartbeat, "a:77"),
            (TuneOption::Minimum, "a:x"),
            (TuneOption::Maximum, "none:1"),
            (TuneOption::SourceName, "a:b"),
            (TuneOption::DeltaAbove, "0"),
            (TuneOption::Step, "5"),
        ]);
        let word = self.pick(&[
            "RRA#0:+2",
            "DS:new:GAUGE:9:U:U",
            "DEL:b",
            "RRA#0:?2",
            "DS:x",
            "RRA:MIN:9:1:1",
        ]);
        let tuning = Tuning {
            called: None,
            options: (0..self.below(2)).map(|_| option).collect(),
            structure: (0..self.below(2)).map(|_| word).collect(),
        };
        let source = SourceTuning {
            source: self.below(3) as u32,
            heartbeat_seconds: 99,
            minimum: f64::from_bits(0x7ff8_0000_dead_beef),
            maximum: 1e9,
        };
        let change =
            self.pick(&[RowChange::Grow(3), RowChange::Shrink(9), RowChange::To(u64::MAX)]);
        let existing = self.pick(&[Existing::Keep, Existing::Replace]);
        let archive = self.below(3) as usize;
        let cells = [self.cell()];
        let edit = match self.below(7) {
            0 | 1 => Edit::Tune(&tuning),
            2 => Edit::Source(&source),
            3 => Edit::Resize { archive, change, result: Path::new("r") },
            4 => Edit::Rename(&other),
            5 => Edit::Cells(&cells),
            _ if self.below(3) == 0 => Edit::Delete,
            _ => Edit::Restore { whole: &whole, existing },
        };
        both.same(|store| store.edit(name, &edit, &|| true), told);
    }

    /// A change of a cell, which fits now and then.
    fn cell(&mut self) -> CellChange {
        let row_end_seconds = self.now_seconds - self.now_seconds % 300;
        let before = self.pick(&[f64::NAN, f64::NAN, 1.0]);
        let archive = self.below(2) as u32;
        CellChange { archive, source: 0, row_end_seconds, before, after: 1e9 }
    }

    pub(crate) fn query(&mut self) -> Query {
        let start_seconds = self.now_seconds - self.below(20_000) as i64;
        let functions = ["AVERAGE", "LAST", "STDEV", "PERCENTILE", "PERCENTILE90"];
        let cf = self.pick(&functions).parse().unwrap();
        let length_seconds = self.pick(&[-500, 100, 5_000, 1 << 40]);
        let end_seconds = start_seconds + length_seconds;
        Query {
            tick: rrd::Tick::SECOND,
            cf,
            start_seconds,
            end_seconds,
            step_seconds: self.pick(&[0, 1, 900]),
        }
    }
}

fn answer_silently(store: &dyn Store, name: &Path, words: &[&str]) -> Vec<(usize, Refused)> {
    store.update(&[Update::numbered(name, words)])
}

/// A file without data whose rows begin in a slot that our files never use.
pub(crate) fn empty_file(definition: &Definition, start: Timestamp) -> Vec<u8> {
    let whole = Snapshot::empty(definition, start, &mut store::memory_room()).unwrap();
    let newest_rows = definition.archives.iter().map(|_| RowIndex(1)).collect();
    rrdfile::encode(&whole, newest_rows).unwrap()
}
