//! Datagrams in, an interval's samples out.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use super::line::{Line, Measure, write_name, write_tags};
use super::stat::Stat;
use crate::lines::{Lines, Wrong, each, newline};
use crate::sent::{Kind, Sent, Series, VALUE, Value};

/// How much is kept at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Names, each with its tags.
    pub names_max: usize,
    /// Values of one timer or set in an interval. Further ones of a timer are counted and summed, but
    /// its percentiles are those of the first ones; further ones of a set are wrong lines.
    pub values_max: usize,
    /// The same for all of them together.
    pub values_in_all_max: usize,
    /// A name that is no gauge is forgotten after so many intervals in which nothing came.
    pub idle_intervals_max: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            names_max: 100_000,
            values_max: 10_000,
            values_in_all_max: 10_000_000,
            idle_intervals_max: 360,
        }
    }
}

/// The longest name with its tags, as long as that of a database may be.
const NAME_BYTES_MAX: usize = 1000;

/// Counts, sums and values since the last interval's end.
#[derive(Debug, Default)]
pub struct Aggregator {
    limits: Limits,
    /// By measure, name and tags: `cNAME;k=v`.
    names: HashMap<Box<str>, Known>,
    values_in_all: usize,
    hasher: RandomState,
    key: String,
}

#[derive(Debug)]
struct Known {
    stat: Stat,
    idle_intervals: u32,
}

impl Aggregator {
    /// One that knows no name yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// How many names are known.
    #[must_use]
    pub fn names(&self) -> usize {
        self.names.len()
    }

    /// Takes a datagram of one or more lines. Those that are wrong, or beyond the limits, are counted
    /// and the others taken. Events and checks of DogStatsD are counted as texts.
    pub fn take(&mut self, datagram: &[u8]) -> Lines {
        each(datagram, newline, |text, lines| {
            if text.starts_with("_e{") || text.starts_with("_sc|") {
                lines.texts += 1;
                return Ok(());
            }
            let line = Line::of(text)?;
            lines.samples += self.line(&line)?;
            Ok(())
        })
    }

    fn line(&mut self, line: &Line<'_>) -> Result<u64, Wrong> {
        let wrong = |expected| Wrong { at: 0, expected };
        write_key(line, &mut self.key).map_err(wrong)?;
        if !self.names.contains_key(self.key.as_str()) {
            if self.names.len() >= self.limits.names_max {
                return Err(wrong("a name that is known, as no more names are kept"));
            }
            let known = Known { stat: Stat::new(line.measure), idle_intervals: 0 };
            self.names.insert(self.key.as_str().into(), known);
        }
        let Some(known) = self.names.get_mut(self.key.as_str()) else { return Ok(0) };
        known.idle_intervals = 0;
        let room = self.limits.values_max.saturating_sub(known.stat.kept());
        let room = room.min(self.limits.values_in_all_max.saturating_sub(self.values_in_all));
        if let Stat::Set(values) = &mut known.stat {
            let value = self.hasher.hash_one(line.values);
            if !values.contains(&value) {
                if room == 0 {
                    return Err(wrong("a value that is known, as no more of this set are kept"));
                }
                values.insert(value);
                self.values_in_all += 1;
            }
            return Ok(1);
        }
        let mut count = 0;
        let mut kept = 0;
        for number in line.numbers() {
            kept += usize::from(known.stat.take(&number, line.rate, kept < room));
            count += 1;
        }
        self.values_in_all += kept;
        Ok(count)
    }

    /// Ends an interval of that length at that time, and hands out what came to pass in it. Gauges
    /// keep their values; counters, timers and sets without arrivals have a count of 0 until they are
    /// forgotten.
    pub fn finish(
        &mut self,
        time_micros: i64,
        interval_seconds: f64,
        sent: &mut dyn FnMut(&Sent<'_>),
    ) -> u64 {
        let mut samples = 0;
        let mut name = String::new();
        for (key, known) in &mut self.names {
            let plain = key.get(1..).unwrap_or_default();
            let (path, tags) = plain.split_at(plain.find(';').unwrap_or(plain.len()));
            known.stat.finish(interval_seconds, &mut |before, behind, number| {
                name.clear();
                for part in [before, path, behind, tags] {
                    name.push_str(part);
                }
                sent(&Sent {
                    series: Series::Graphite(&name),
                    time_micros: Some(time_micros),
                    values: &[(VALUE, Kind::Gauge, Value::Float(number))],
                });
                samples += 1;
            });
            known.idle_intervals = known.idle_intervals.saturating_add(1);
        }
        let idle_max = self.limits.idle_intervals_max;
        self.names.retain(|_, known| {
            matches!(known.stat, Stat::Gauge(_)) || known.idle_intervals <= idle_max
        });
        self.values_in_all = 0;
        samples
    }
}

fn write_key(line: &Line<'_>, key: &mut String) -> Result<(), &'static str> {
    key.clear();
    key.push(match line.measure {
        Measure::Counter => 'c',
        Measure::Gauge => 'g',
        Measure::Timer => 't',
        Measure::Set => 's',
    });
    write_name(line.name, key);
    if key.len() == 1 {
        return Err("a name with letters of Graphite's");
    }
    write_tags(line.tags(), key);
    if key.len() > NAME_BYTES_MAX {
        return Err("a name with tags of at most 1,000 bytes");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(aggregator: &mut Aggregator) -> Vec<String> {
        let mut all = Vec::new();
        let count = aggregator.finish(1_700_000_000_000_000, 10.0, &mut |sent| {
            let (Series::Graphite(name), [(VALUE, Kind::Gauge, Value::Float(number))]) =
                (sent.series, sent.values)
            else {
                panic!("{sent:?}")
            };
            assert_eq!(sent.time_micros, Some(1_700_000_000_000_000));
            all.push(format!("{name} {number}"));
        });
        assert_eq!(count, all.len() as u64);
        all.sort();
        all
    }

    #[test]
    fn an_interval_is_as_statsd_sends_it() {
        let mut all = Aggregator::default();
        let text = "hits:3|c|@0.1\nhits:1:2|c\nqueue:5|g\nqueue:+2|g\nqueue:-1|g\n\
            time:1:2:3:4:5:6:7:8:9:10|ms|#route:login\nusers:a|s\nusers:b|s\nusers:a|s\n";
        let lines = all.take(text.as_bytes());
        assert_eq!((lines.samples, lines.wrong), (19, 0));
        assert_eq!(
            finished(&mut all),
            [
                "stats.counters.hits.count 33",
                "stats.counters.hits.rate 3.3",
                "stats.gauges.queue 6",
                "stats.sets.users.count 2",
                "stats.timers.time.count;route=login 10",
                "stats.timers.time.count_ps;route=login 1",
                "stats.timers.time.lower;route=login 1",
                "stats.timers.time.mean;route=login 5.5",
                "stats.timers.time.mean_90;route=login 5",
                "stats.timers.time.median;route=login 5.5",
                "stats.timers.time.std;route=login 2.8722813232690143",
                "stats.timers.time.sum;route=login 55",
                "stats.timers.time.sum_squares;route=login 385",
                "stats.timers.time.upper;route=login 10",
                "stats.timers.time.upper_90;route=login 9",
            ]
        );
        assert_eq!(
            finished(&mut all),
            [
                "stats.counters.hits.count 0",
                "stats.counters.hits.rate 0",
                "stats.gauges.queue 6",
                "stats.sets.users.count 0",
                "stats.timers.time.count;route=login 0",
                "stats.timers.time.count_ps;route=login 0",
            ]
        );
    }

    #[test]
    fn what_is_idle_is_forgotten_but_gauges() {
        let mut all = Aggregator::new(Limits { idle_intervals_max: 2, ..Limits::default() });
        all.take(b"a:1|c\nb:1|g\nc:1|ms");
        for names in [3, 3, 1, 1] {
            finished(&mut all);
            assert_eq!(all.names(), names);
        }
    }

    #[test]
    fn limits_hold() {
        let limits = Limits { names_max: 2, values_max: 3, ..Limits::default() };
        let mut all = Aggregator::new(limits);
        let lines = all.take(b"t:1:2:3:4:5|ms\ns:a|s\ns:b|s\ns:c|s\ns:d|s\ns:a|s\nnew:1|c");
        assert_eq!((lines.samples, lines.wrong), (9, 2));
        assert_eq!(
            lines.first.unwrap().to_string(),
            "line 5, byte 1: expected a value that is known, as no more of this set are kept"
        );
        let all = finished(&mut all).join("\n");
        for shown in ["t.count 5", "t.upper 5", "t.sum 15", "t.upper_90 3", "s.count 3"] {
            assert!(all.contains(shown), "{shown}: {all}");
        }
        let long = format!("{}:1|c", "x".repeat(NAME_BYTES_MAX));
        let wrong = Aggregator::default().take(long.as_bytes()).first.unwrap();
        assert_eq!(wrong.expected, "a name with tags of at most 1,000 bytes");
    }

    #[test]
    fn wrong_lines_and_events_do_not_keep_others_out() {
        let mut all = Aggregator::default();
        let lines = all.take(b"a:x|c\n_e{5,4}:title|text\nb:1|c\n\xff:1|c\n??:1|c");
        assert_eq!((lines.samples, lines.wrong, lines.texts), (1, 3, 1));
        let first = lines.first.unwrap().to_string();
        assert_eq!(first, "line 1, byte 3: expected a number as value");
        assert_eq!(all.names(), 1);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            texts in proptest::collection::vec("[ab:|@#,;=+.1-9cgmshd\n\\PC]{0,40}", 1..8),
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64),
        ) {
            let limits = Limits { names_max: 3, values_max: 2, values_in_all_max: 4, idle_intervals_max: 1 };
            let mut all = Aggregator::new(limits);
            for text in &texts {
                all.take(text.as_bytes());
                all.take(&bytes);
                assert!(all.names() <= 3 && all.values_in_all <= 4);
                finished(&mut all);
            }
        }
    }
}
