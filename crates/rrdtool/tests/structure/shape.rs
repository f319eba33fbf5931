//! Random databases, and what happens to them, as words of commands.

use crate::chance::Random;

const KINDS: [&str; 6] = ["GAUGE", "COUNTER", "DERIVE", "DCOUNTER", "DDERIVE", "ABSOLUTE"];
const FUNCTIONS: [&str; 4] = ["AVERAGE", "MIN", "MAX", "LAST"];

/// A source for a definition, `DS:...`.
pub(crate) fn source(random: &mut Random, name: &str, step_seconds: u64) -> String {
    let kind = random.one_of(&KINDS);
    let heartbeat = step_seconds * random.one_of(&[1, 2, 4, 50]);
    let limits = random.one_of(&["U:U", "U:U", "0:U", "-500:90000"]);
    format!("DS:{name}:{kind}:{heartbeat}:{limits}")
}

/// An archive for a definition, `RRA:...`.
pub(crate) fn archive(random: &mut Random) -> String {
    let function = random.one_of(&FUNCTIONS);
    let xff = random.one_of(&["0", "0.25", "0.5", "0.75"]);
    let pdps = random.one_of(&[1, 1, 2, 3, 4, 6, 12]);
    format!("RRA:{function}:{xff}:{pdps}:{}", 1 + random.below(20))
}

/// A database that is to be made: its start, step and specs.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) start_seconds: u64,
    pub(crate) step_seconds: u64,
    pub(crate) specs: Vec<String>,
}

impl Shape {
    pub(crate) fn new(random: &mut Random, steps: &[u64], names: &[&str]) -> Self {
        let step_seconds = random.one_of(steps);
        let mut specs: Vec<String> =
            names.iter().map(|name| source(random, name, step_seconds)).collect();
        specs.extend((0..=random.below(4)).map(|_| archive(random)));
        Self { start_seconds: 700_000_000 + random.below(1_000_000_000), step_seconds, specs }
    }

    /// The same without sources that make a file of version 0005, which rrdtool's resize knows not.
    pub(crate) fn of_version_3(mut self) -> Self {
        for spec in &mut self.specs {
            *spec = spec.replace(":DCOUNTER:", ":COUNTER:").replace(":DDERIVE:", ":DERIVE:");
        }
        self
    }

    /// The same with a source that is calculated from the first, and archives that forecast.
    pub(crate) fn with_forecasts(mut self, random: &mut Random) -> Self {
        let expression = random.one_of(&["d0,2,*", "d0,UN,1,d0,IF", "d0,100,MIN"]);
        let sources = self.specs.iter().filter(|spec| spec.starts_with("DS:")).count();
        self.specs.insert(sources, format!("DS:c:COMPUTE:{expression}"));
        let rows = 10 + random.below(20);
        let season = 2 + random.below(8);
        let function = random.one_of(&["HWPREDICT", "MHWPREDICT"]);
        self.specs.push(format!("RRA:{function}:{rows}:0.3:0.1:{season}"));
        self
    }

    pub(crate) fn create(&self, name: &str) -> Vec<String> {
        let Self { start_seconds, step_seconds, .. } = self;
        let mut words = vec!["create".into(), name.into()];
        words.extend([format!("--start={start_seconds}"), format!("--step={step_seconds}")]);
        words.extend(self.specs.iter().cloned());
        words
    }
}

/// A sample at a time, for so many sources.
pub(crate) fn sample(random: &mut Random, seconds: u64, sources: usize) -> String {
    let mut text = seconds.to_string();
    if random.once_in(8) {
        text += &format!(".{}", random.below(1000));
    }
    for _ in 0..sources {
        let reading = match random.below(10) {
            0 => "U".into(),
            1 => format!("-{}", random.below(400)),
            _ => random.below(100_000).to_string(),
        };
        text += &format!(":{reading}");
    }
    text
}

/// Some samples one after the other, mostly a step apart; `now` moves on.
pub(crate) fn samples(
    random: &mut Random,
    now: &mut u64,
    step_seconds: u64,
    sources: usize,
) -> Vec<String> {
    let count = 1 + random.below(12);
    let mut samples = Vec::new();
    for _ in 0..count {
        *now += match random.below(12) {
            0 => 1 + random.below(step_seconds * 40),
            1..4 => 1 + random.below(step_seconds * 2),
            // Right at the end of a step, where rows end.
            4..7 => step_seconds - *now % step_seconds,
            _ => step_seconds,
        };
        samples.push(sample(random, *now, sources));
    }
    samples
}
