//! Faults and devices as a rule names them: what is printed can be given again.

use super::choice::{Choice, Item};
use super::kind::{BrokenBulk, BrokenWalk, Fault};
use super::rule::Rule;
use std::fmt::{Display, Formatter, Result};
use std::time::Duration;

impl Display for Rule {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        write!(out, "{}:{}", self.fault, self.devices)
    }
}

impl Display for Fault {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str(self.name())?;
        match self {
            Fault::Dead | Fault::Narrow | Fault::Source | Fault::Cut | Fault::WrongId => Ok(()),
            Fault::Loss(share) => write!(out, "={}%", percent(*share)),
            Fault::Latency { least, jitter } if jitter.is_zero() => {
                write!(out, "={}", least.as_millis())
            }
            Fault::Latency { least, jitter } => {
                write!(out, "={}+{}", least.as_millis(), jitter.as_millis())
            }
            Fault::TooBig(bytes) => write!(out, "={bytes}"),
            Fault::Bulk(bulk) => write!(out, "={bulk}"),
            Fault::Walk(walk) => write!(out, "={walk}"),
            Fault::Reboot(Duration::ZERO) | Fault::Renumber(Duration::ZERO) => Ok(()),
            Fault::Reboot(after) | Fault::Renumber(after) | Fault::Wrap(after) => {
                write!(out, "={}", after.as_secs())
            }
            Fault::Clock(seconds) => write!(out, "={seconds}"),
            Fault::Repeat(times) => write!(out, "={times}"),
        }
    }
}

impl Display for BrokenBulk {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str(match self {
            BrokenBulk::Silent => "silent",
            BrokenBulk::Error => "error",
            BrokenBulk::Nonsense => "nonsense",
        })
    }
}

impl Display for BrokenWalk {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        out.write_str(match self {
            BrokenWalk::Short => "short",
            BrokenWalk::Endless => "endless",
            BrokenWalk::Loop => "loop",
        })
    }
}

impl Display for Choice {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Choice::All => out.write_str("all"),
            Choice::Share(share) => write!(out, "{}%", percent(*share)),
            Choice::These(items) => items.iter().enumerate().try_for_each(|(place, item)| {
                let comma = if place == 0 { "" } else { "," };
                write!(out, "{comma}{item}")
            }),
        }
    }
}

impl Display for Item {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Item::Numbers(numbers) if numbers.start() == numbers.end() => {
                write!(out, "{}", numbers.start())
            }
            Item::Numbers(numbers) => write!(out, "{}-{}", numbers.start(), numbers.end()),
            Item::Address(address) => write!(out, "{address}"),
        }
    }
}

/// A share in percent, without the rounding errors of binary fractions.
fn percent(share: f64) -> f64 {
    const DECIMALS: f64 = 1e6;
    (share * 100.0 * DECIMALS).round() / DECIMALS
}
