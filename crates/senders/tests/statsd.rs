//! What StatsD itself made of a datagram; `golden/statsd/README.md` says how.

use std::collections::BTreeMap;

use senders::statsd::Aggregator;
use senders::{Series, Value};

const SENT: &str = include_str!("golden/statsd/sent.txt");
const INTERVALS: [&str; 2] =
    [include_str!("golden/statsd/first.txt"), include_str!("golden/statsd/second.txt")];

/// Figures of timers that are not kept.
const LEFT_OUT: [&str; 3] = ["count_90", "sum_90", "sum_squares_90"];

/// What StatsD sent, without what it says of itself.
fn of_statsd(text: &str) -> BTreeMap<String, f64> {
    let all = text.lines().map(|line| {
        let (name, rest) = line.split_once(' ').unwrap();
        (name.to_owned(), rest.split(' ').next().unwrap().parse().unwrap())
    });
    all.filter(|(name, _)| {
        !name.contains("statsd.") && !LEFT_OUT.iter().any(|it| name.ends_with(it))
    })
    .collect()
}

fn of_us(all: &mut Aggregator) -> BTreeMap<String, f64> {
    let mut seen = BTreeMap::new();
    all.finish(0, 3.0, &mut |sent| {
        let (Series::Graphite(name), Value::Float(number)) = (sent.series, sent.values[0].2) else {
            panic!("{sent:?}")
        };
        assert_eq!(seen.insert(name.to_owned(), number), None, "{name}");
    });
    seen
}

#[test]
fn an_interval_has_the_names_and_figures_that_statsd_has() {
    let mut all = Aggregator::default();
    let lines = all.take(SENT.as_bytes());
    assert_eq!((lines.samples, lines.wrong), (26, 0));
    for text in INTERVALS {
        let (theirs, ours) = (of_statsd(text), of_us(&mut all));
        assert!(theirs.len() >= 9);
        let names = |it: &BTreeMap<String, f64>| it.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&ours), names(&theirs));
        for ((name, ours), theirs) in ours.iter().zip(theirs.values()) {
            assert!((ours - theirs).abs() <= theirs.abs() * 1e-12, "{name}: {ours}, not {theirs}");
        }
    }
}
