//! Steps and durations below a second: `0.1`, `2.5s`, in whole ticks.

use super::{SpecError, duration};
use crate::Tick;

/// What the times of a definition are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// The unit.
    pub tick: Tick,
    /// The step, in ticks.
    pub step_ticks: u64,
}

/// The digits behind a point that a time may have.
const DECIMALS_MAX: usize = 6;

impl Units {
    /// Whole seconds.
    #[must_use]
    pub const fn of_seconds(step_seconds: u64) -> Self {
        Self { tick: Tick::SECOND, step_ticks: step_seconds }
    }

    /// The step in seconds, cut to whole ones.
    #[must_use]
    pub const fn step_in_seconds(self) -> u64 {
        self.step_ticks / self.tick.per_second() as u64
    }

    /// Reads a step: `300`, `5m`, `0.1`, `2.5s`. If no tick is given, it is a second where the step
    /// has no fraction, and else as short as its last decimal.
    ///
    /// # Errors
    /// [`SpecError::Step`].
    pub fn of_step(text: &str, tick: Option<Tick>) -> Result<Self, SpecError> {
        let wrong = |reason: String| SpecError::Step(reason.into());
        if suffix(text) == "ms" {
            return Err(wrong(format!(
                "'{text}': rrdtool reads that as minutes; say milliseconds as seconds, 0.1 for 100"
            )));
        }
        let tick = match tick {
            Some(tick) => tick,
            None => tick_of(text).map_err(|reason| wrong(reason.into()))?,
        };
        let step_ticks = ticks(text, tick).map_err(|reason| wrong(reason.into()))?;
        Ok(Self { tick, step_ticks })
    }
}

/// Reads a tick: `0.001`.
///
/// # Errors
/// [`SpecError::Tick`].
pub fn tick(text: &str) -> Result<Tick, SpecError> {
    let decimals = text.strip_prefix("0.").filter(|decimals| decimals.ends_with('1'));
    let decimals = decimals.filter(|decimals| decimals.trim_start_matches('0') == "1");
    match (text, decimals) {
        ("1", _) => Ok(Tick::SECOND),
        (_, Some(decimals)) if decimals.len() <= DECIMALS_MAX => {
            let per_second = 10_u32.pow(decimals.len() as u32);
            Tick::of_per_second(per_second).map_err(|_| SpecError::Tick(text.into()))
        }
        _ => Err(SpecError::Tick(text.into())),
    }
}

fn suffix(text: &str) -> &str {
    text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
}

/// The longest tick of which a step is a whole number.
fn tick_of(text: &str) -> Result<Tick, &'static str> {
    let number = &text[..text.len() - suffix(text).len()];
    let decimals = number.split_once('.').map_or("", |(_, decimals)| decimals);
    let decimals = decimals.trim_end_matches('0').len();
    if decimals > DECIMALS_MAX {
        return Err("value has more than six decimals");
    }
    Tick::of_per_second(10_u32.pow(decimals as u32)).map_err(|_| "value has too many decimals")
}

/// Reads a span of time, a decimal number of seconds or of what its suffix says, in ticks.
///
/// # Errors
/// What is wrong with the text, in words that follow its name.
pub fn time(text: &str, tick: Tick) -> Result<u64, &'static str> {
    // In rrdtool's words where it could say it.
    if tick.is_second() { duration(text, 1) } else { ticks(text, tick) }
}

fn ticks(text: &str, tick: Tick) -> Result<u64, &'static str> {
    let suffix = suffix(text);
    let number = &text[..text.len() - suffix.len()];
    let Some((whole, decimals)) = number.split_once('.') else {
        let seconds = duration(text, 1)?;
        let ticks = seconds.checked_mul(tick.per_second().into());
        return ticks.ok_or("value would overflow when scaled");
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_cut = whole.is_empty() || decimals.is_empty();
    let decimals = decimals.trim_end_matches('0');
    if is_cut || !are_digits(whole) || !are_digits(decimals) {
        return Err("value must be (suffixed) positive number");
    }
    if decimals.len() > DECIMALS_MAX {
        return Err("value has more than six decimals");
    }
    let scale = match suffix {
        "" => 1,
        suffix => duration(&format!("1{suffix}"), 1)?,
    };
    let micros = format!("{whole}{decimals:0<DECIMALS_MAX$}").parse::<u64>().ok();
    let micros = micros.and_then(|micros| micros.checked_mul(scale));
    let micros = micros.ok_or("value would overflow when scaled")?;
    let micros_per_tick = 1_000_000 / u64::from(tick.per_second());
    match micros {
        0 => Err("value must be positive"),
        micros if micros % micros_per_tick != 0 => Err("value is no whole number of ticks"),
        micros => Ok(micros / micros_per_tick),
    }
}

/// Reads a count, or a time, which is then counted in `unit_ticks`.
///
/// # Errors
/// As [`time`].
pub(super) fn counted(text: &str, tick: Tick, unit_ticks: u64) -> Result<u64, &'static str> {
    if tick.is_second() {
        return duration(text, unit_ticks);
    }
    if suffix(text).is_empty() && !text.contains('.') {
        return duration(text, 1);
    }
    match ticks(text, tick)? {
        ticks if ticks % unit_ticks != 0 => Err("value would truncate when scaled"),
        ticks => Ok(ticks / unit_ticks),
    }
}

#[cfg(test)]
mod tests {
    use super::{Units, tick};

    fn step(text: &str) -> Result<(u32, u64), String> {
        let units = Units::of_step(text, None).map_err(|error| error.to_string())?;
        Ok((units.tick.per_second(), units.step_ticks))
    }

    #[test]
    fn steps_are_whole_ticks() {
        for (text, told) in [
            ("300", (1, 300)),
            ("5m", (1, 300)),
            ("2.0", (1, 2)),
            ("0.1", (10, 1)),
            ("0.250", (100, 25)),
            ("1.5s", (10, 15)),
            ("0.5m", (10, 300)),
            ("0.000001", (1_000_000, 1)),
        ] {
            assert_eq!(step(text), Ok(told), "{text}");
        }
        assert_eq!(
            step("100ms").unwrap_err(),
            "step size: '100ms': rrdtool reads that as minutes; say milliseconds as seconds, 0.1 \
             for 100"
        );
        for text in ["0", "0.0", ".5", "1.", "0.0000001", "1e-1", "-0.1", "0.1x", ""] {
            assert!(step(text).is_err(), "{text}");
        }
        let of_tenths = Units::of_step("0.25", Some(tick("0.1").unwrap())).unwrap_err();
        assert_eq!(of_tenths.to_string(), "step size: value is no whole number of ticks");
        assert_eq!(Units::of_step("2", Some(tick("0.001").unwrap())).unwrap().step_ticks, 2000);
    }

    #[test]
    fn ticks_are_powers_of_ten() {
        let per_second = |text| tick(text).map(|tick| tick.per_second());
        assert_eq!(per_second("1"), Ok(1));
        assert_eq!(per_second("0.001"), Ok(1000));
        for text in ["0.0000001", "0.5", "2", "0.01x", "0.11", "0", ".1", "0.10"] {
            assert!(tick(text).is_err(), "{text}");
        }
    }
}
