//! The readings of a database's sources.

use disk::Random;

use super::Layout;

/// The counters of one database.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readings {
    counters: Vec<u64>,
}

impl Readings {
    /// A sample in rrdtool's words: `SECONDS:READING:...`.
    pub(crate) fn sample(&mut self, seconds: i64, layout: &Layout, random: &mut Random) -> String {
        let mut text = seconds.to_string();
        for (nth, kind) in layout.kinds().enumerate() {
            if self.counters.len() <= nth {
                self.counters.push(random.below(1 << 31));
            }
            text.push(':');
            text.push_str(&self.reading(nth, kind, random));
        }
        text
    }

    fn reading(&mut self, nth: usize, kind: &str, random: &mut Random) -> String {
        if random.below(20) == 0 {
            return "U".into();
        }
        match kind {
            "COUNTER" | "DERIVE" => {
                let counter = &mut self.counters[nth];
                *counter = match random.below(30) {
                    0 => random.below(1000), // the device was restarted
                    _ => (*counter + random.below(100_000)) % (1 << 32),
                };
                counter.to_string()
            }
            "ABSOLUTE" => random.below(100_000).to_string(),
            _ => {
                let (whole, part, power) = (random.below(99), random.below(1000), random.below(5));
                let sign = if random.below(3) == 0 { "-" } else { "" };
                format!("{sign}{whole}.{part:03}e{power}")
            }
        }
    }
}
