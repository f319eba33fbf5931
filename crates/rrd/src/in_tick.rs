//! A database whose times are counted in other ticks.

use crate::{Definition, Snapshot, Tick, Timestamp};

/// A time of a database is no whole number of the ticks that it was to be counted in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its {what} is no whole number of ticks of {tick} s")]
pub struct NoWholeTicks {
    /// Which time.
    pub what: String,
    /// The ticks.
    pub tick: Tick,
}

/// Counts spans and moments in other ticks.
struct Recount {
    from: Tick,
    to: Tick,
}

impl Recount {
    fn none(&self, what: &str) -> NoWholeTicks {
        NoWholeTicks { what: what.into(), tick: self.to }
    }

    fn span(&self, ticks: u64, what: &str) -> Result<u64, NoWholeTicks> {
        let scaled = u128::from(ticks) * u128::from(self.to.per_second());
        let from = u128::from(self.from.per_second());
        let whole = u64::try_from(scaled / from).ok().filter(|_| scaled % from == 0);
        whole.ok_or_else(|| self.none(what))
    }

    fn moment(&self, time: Timestamp, what: &str) -> Result<Timestamp, NoWholeTicks> {
        self.to.of_moment(self.from.moment(time)).map_err(|_| self.none(what))
    }

    /// What was added up for each tick.
    fn amount(&self, amount: f64) -> f64 {
        amount * f64::from(self.to.per_second()) / f64::from(self.from.per_second())
    }
}

impl Definition {
    /// The same with its times in other ticks.
    ///
    /// # Errors
    /// [`NoWholeTicks`]: step or a heartbeat; nothing is rounded.
    pub fn in_tick(&self, tick: Tick) -> Result<Self, NoWholeTicks> {
        let recount = Recount { from: self.tick, to: tick };
        let step_seconds = recount.span(self.step_seconds, "step")?;
        let mut new = Self { tick, step_seconds, ..self.clone() };
        for source in &mut new.sources {
            let what = format!("heartbeat of {}", source.name);
            source.heartbeat_seconds = recount.span(source.heartbeat_seconds, &what)?;
        }
        Ok(new)
    }
}

impl Snapshot {
    /// The same with its times in other ticks.
    ///
    /// # Errors
    /// [`NoWholeTicks`]: step, a heartbeat, the last update, or what is unknown of the open step.
    pub fn in_tick(mut self, tick: Tick) -> Result<Self, NoWholeTicks> {
        if self.definition.tick == tick {
            return Ok(self);
        }
        let recount = Recount { from: self.definition.tick, to: tick };
        self.definition = self.definition.in_tick(tick)?;
        self.live.last_update = recount.moment(self.live.last_update, "last update")?;
        for source in &mut self.live.sources {
            source.unknown_seconds = recount.span(source.unknown_seconds, "unknown time")?;
            source.value = recount.amount(source.value);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Room, Snapshot, Tick, Timestamp, spec};

    #[test]
    fn times_are_counted_anew_or_refused() {
        let words = ["DS:a:GAUGE:20:U:U", "RRA:LAST:0.5:1:9"];
        let definition = spec::definition(10, words).unwrap();
        let start = Timestamp { seconds: 1_700_000_001, micros: 250_000 };
        let mut whole = Snapshot::empty(&definition, start, &mut Room::of_bytes(1 << 20)).unwrap();
        whole.live.sources[0].value = 7.0;
        let millis = Tick::of_per_second(1000).unwrap();
        let fine = whole.clone().in_tick(millis).unwrap();
        assert_eq!(fine.definition.step_seconds, 10_000);
        assert_eq!(fine.definition.sources[0].heartbeat_seconds, 20_000);
        assert_eq!(fine.live.last_update, Timestamp::from_seconds(1_700_000_001_250));
        assert_eq!(fine.live.sources[0].value.to_bits(), 7_000_f64.to_bits());
        assert_eq!(fine.live.sources[0].unknown_seconds, 1000);
        let back = fine.in_tick(Tick::SECOND).unwrap();
        assert_eq!(back.live.last_update, start);
        let refused = whole.in_tick(Tick::of_per_second(10).unwrap()).unwrap_err();
        assert_eq!(refused.to_string(), "its last update is no whole number of ticks of 0.1 s");
    }
}
