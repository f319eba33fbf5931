//! Definitions of databases: small rings, which soon wrap, and sometimes MRTG's.

use disk::Random;

use super::pick;

/// A definition in rrdtool's words.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) step_seconds: i64,
    /// `DS:...`, in order.
    sources: Vec<String>,
    /// `RRA:...`, in order.
    archives: Vec<String>,
}

impl Layout {
    pub(crate) fn new(random: &mut Random) -> Self {
        if random.below(20) == 0 {
            return Self::of_mrtg();
        }
        let step_seconds = pick(random, &[1, 10, 10, 60, 300]);
        let sources_max = if random.below(8) == 0 { 30 } else { 5 };
        let sources =
            (0..1 + random.below(sources_max)).map(|nth| source(nth, step_seconds, random));
        let sources = sources.collect();
        let mut archives = vec![format!("RRA:AVERAGE:0.5:1:{}", 3 + random.below(40))];
        for _ in 0..random.below(4) {
            let function = pick(random, &["AVERAGE", "MIN", "MAX", "LAST"]);
            let fraction = pick(random, &["0", "0.3", "0.5", "0.9"]);
            let (steps, rows) = (1 + random.below(7), 3 + random.below(40));
            archives.push(format!("RRA:{function}:{fraction}:{steps}:{rows}"));
        }
        if random.below(10) == 0 {
            archives.push("RRA:HWPREDICT:40:0.1:0.0035:12".into());
        }
        Self { step_seconds, sources, archives }
    }

    fn of_mrtg() -> Self {
        let archive = |function| {
            [(1, 600), (6, 700), (24, 775), (288, 797)]
                .map(|(steps, rows)| format!("RRA:{function}:0.5:{steps}:{rows}"))
        };
        Self {
            step_seconds: 300,
            sources: ["in", "out"].map(|name| format!("DS:{name}:COUNTER:600:0:12500000")).into(),
            archives: ["AVERAGE", "MAX"].iter().flat_map(archive).collect(),
        }
    }

    /// Whether an archive forecasts. rrdtool then chooses at random when the first season is
    /// smoothed, so two new databases differ.
    pub(crate) fn forecasts(&self) -> bool {
        self.archives.iter().any(|spec| spec.starts_with("RRA:HWPREDICT"))
    }

    /// Whether it is MRTG's, whose sources have names of their own.
    pub(crate) fn is_of_mrtg(&self) -> bool {
        self.archives.len() == 8
    }

    /// The words after the name in `create`.
    pub(crate) fn words(&self, start_seconds: i64) -> String {
        let specs = [&self.sources[..], &self.archives[..]].concat().join(" ");
        format!("-b {start_seconds} -s {} {specs}", self.step_seconds)
    }

    /// The kinds of the sources, in order.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|spec| spec.split(':').nth(2).expect("it is written here"))
    }

    /// The consolidation functions with rows for `fetch`, and the seconds of a row.
    pub(crate) fn fetchable(&self) -> Vec<(String, i64)> {
        let mut all: Vec<(String, i64)> = self
            .archives
            .iter()
            .map(|spec| {
                let words: Vec<&str> = spec.split(':').collect();
                match words[1] {
                    "HWPREDICT" => ("HWPREDICT".into(), self.step_seconds),
                    function => {
                        let steps: i64 = words[3].parse().expect("it is written here");
                        (function.into(), steps * self.step_seconds)
                    }
                }
            })
            .collect();
        all.sort();
        all.dedup();
        all
    }
}

fn source(nth: u64, step_seconds: i64, random: &mut Random) -> String {
    let kind = pick(random, &["GAUGE", "GAUGE", "COUNTER", "DERIVE", "ABSOLUTE"]);
    let heartbeat_seconds = step_seconds * pick(random, &[2, 3, 10]);
    let limits = pick(random, &["U:U", "U:U", "0:U", "-100:10000"]);
    format!("DS:s{nth}:{kind}:{heartbeat_seconds}:{limits}")
}
