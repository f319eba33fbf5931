//! `--split`: a share of the databases that is polled at another interval.

use std::ffi::OsStr;

use figures::share;
use options::Misuse;

use super::words::every;

/// The longest interval, a day: databases that are polled more rarely need no capacity worth
/// planning.
pub(super) const SECONDS_MAX: u64 = 86_400;

/// A share of all databases that is updated once in `seconds`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    part: Part,
    pub(super) seconds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Share(f64),
    Databases(u64),
}

impl Split {
    pub(super) fn parse(text: &str) -> Result<Self, Misuse> {
        let expected =
            || Misuse::value("split", "SHARE:SECONDS as in 10%:60 or 5000:60", OsStr::new(text));
        let (part, every) = text.split_once(':').ok_or_else(expected)?;
        let part = match part.strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent.parse().map_err(|_| expected())?;
                (percent > 0.0 && percent <= 100.0).then_some(Part::Share(percent / 100.0))
            }
            None => part.parse().ok().filter(|it| *it > 0).map(Part::Databases),
        };
        Ok(Self { part: part.ok_or_else(expected)?, seconds: seconds("split", every)? })
    }

    /// A share of all databases, updated once in `seconds`.
    pub(super) fn of_share(share: f64, seconds: u64) -> Self {
        Self { part: Part::Share(share), seconds }
    }

    pub(super) fn share(self, databases: u64) -> f64 {
        match self.part {
            Part::Share(share) => share,
            Part::Databases(own) => (own as f64 / databases.max(1) as f64).min(1.0),
        }
    }

    pub(super) fn words(self) -> String {
        let part = match self.part {
            Part::Share(part) => share(part),
            Part::Databases(own) => figures::count(own),
        };
        format!("{part} {}", every(self.seconds as f64))
    }
}

/// Refuses shares that together exceed all databases.
pub(super) fn check(splits: &[Split]) -> Result<(), Misuse> {
    let shares = splits.iter().map(|split| split.share(u64::MAX)).sum::<f64>();
    if shares <= 1.0 + 1e-9 {
        return Ok(());
    }
    Err(Misuse::value("split", "shares of 100% at most", OsStr::new(&share(shares))))
}

/// Parses seconds in the forms that rrdtool takes for a step: `300`, `5m`.
pub(super) fn seconds(name: &'static str, text: &str) -> Result<u64, Misuse> {
    let found = rrd::spec::step_seconds(text).ok().filter(|it| (1..=SECONDS_MAX).contains(it));
    let expected = || format!("seconds, 1 to {SECONDS_MAX}");
    found.ok_or_else(|| Misuse::value(name, expected(), OsStr::new(text)))
}
