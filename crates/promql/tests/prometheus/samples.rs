//! The series that both are asked about.

use series::{Kind, METRIC_NAME, Rows};

use crate::memory::Memory;

/// When the first step begins, microseconds. Steps end 13 s after a half minute, and no query and
/// no step of a subquery falls on a step's end: there the two differ on purpose, since the left
/// end of a range belongs to it in Prometheus 2.
pub(crate) const BEGIN_MICROS: i64 = 1_700_000_053_000_000;
/// How long the series are.
pub(crate) const SECONDS: i64 = 3 * 3_600;

/// Numbers that follow from a seed.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn rows(step_seconds: i64, value: impl FnMut(i64) -> f64) -> Rows {
    let values = (0..SECONDS / step_seconds).map(value).collect();
    Rows { start_micros: BEGIN_MICROS, step_micros: step_seconds * 1_000_000, values }
}

/// Gauges, counters with resets, temperatures around zero, buckets; with gaps.
pub(crate) fn series() -> Memory {
    let mut memory = Memory::default();
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    for (host, interfaces) in [("a", 3), ("b", 2), ("c", 1)] {
        for nth in 0..interfaces {
            let interface = format!("eth{nth}");
            let labels = |name| [(METRIC_NAME, name), ("host", host), ("if", interface.as_str())];
            let gap = (draw.next() * 100.0) as i64;
            let load = rows(60, |row| match row - gap {
                0..20 => f64::NAN,
                _ if draw.next() < 0.05 => f64::NAN,
                _ => (draw.next() * 10_000.0).round() / 100.0,
            });
            memory.add(&labels("load"), Kind::Gauge, load);
            let mut count = 0.0;
            let packets = rows(30, |_| {
                count =
                    if draw.next() < 0.01 { 0.0 } else { count + (draw.next() * 900.0).floor() };
                if draw.next() < 0.03 { f64::NAN } else { count }
            });
            memory.add(&labels("packets_total"), Kind::Gauge, packets);
            let small = rows(60, |_| (draw.next() * 4.0).floor());
            memory.add(&labels("state"), Kind::Gauge, small);
        }
        let temperature = rows(60, |row| (row as f64 / 9.0).sin() * 40.0 + draw.next());
        memory.add(&[(METRIC_NAME, "temperature"), ("host", host)], Kind::Gauge, temperature);
        let site = [(METRIC_NAME, "site"), ("host", host), ("place", "cellar"), ("rack", host)];
        memory.add(&site, Kind::Gauge, rows(60, |_| 1.0));
        let mut counts = [0.0; 4];
        let mut buckets = vec![Vec::new(); 4];
        for _ in 0..SECONDS / 60 {
            let place = (draw.next() * 4.0) as usize;
            counts[place..].iter_mut().for_each(|count| *count += 1.0);
            buckets.iter_mut().zip(counts).for_each(|(all, count)| all.push(count));
        }
        for (bound, values) in ["0.1", "0.5", "2", "+Inf"].iter().zip(buckets) {
            let labels = [(METRIC_NAME, "seconds_bucket"), ("host", host), ("le", bound)];
            memory.add(&labels, Kind::Gauge, Rows { values, ..rows(60, |_| 0.0) });
        }
    }
    let odd = [f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e300, -1e-300, 5.0];
    let labels = [(METRIC_NAME, "odd"), ("host", "ä\"\\")];
    memory.add(&labels, Kind::Gauge, rows(60, |row| odd[row as usize % odd.len()]));
    memory
}
