//! The values along an axis: from which to which, how far apart, and which are marked.

/// Marks along an axis, about.
const MARKS: f64 = 6.0;
const HOUR_SECONDS: f64 = 3600.0;

/// The values along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// As far apart as their differences; both ends.
    Linear(f64, f64),
    /// As far apart as their quotients; both ends, above zero. What lies below the lower stands on
    /// it.
    Logarithmic(f64, f64),
    /// Seconds of a day, marked by the hour; both ends.
    Day(f64, f64),
    /// Groups of bars, counted from 0, by their names.
    Groups(Vec<String>),
}

impl Scale {
    /// From zero to the next round number that is no value's less.
    #[must_use]
    pub fn from_zero(values: impl Iterator<Item = f64>) -> Self {
        let most = values.filter(|it| it.is_finite()).fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let step = round_step(most / MARKS);
        Self::Linear(0.0, (most / step * 0.999_999).ceil() * step)
    }

    /// Between the powers of ten around all values that have a logarithm.
    #[must_use]
    pub fn powers(values: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|it| *it > 0.0 && it.is_finite()) {
            (least, most) = (least.min(value), most.max(value));
        }
        if least > most {
            return Self::Logarithmic(1.0, 10.0);
        }
        let from = 10_f64.powf(least.log10().floor());
        Self::Logarithmic(from, 10_f64.powf(most.log10().ceil()).max(10.0 * from))
    }

    /// The span of values that are seconds of a day, or a whole day if there are not two.
    #[must_use]
    pub fn day(values: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|it| it.is_finite()) {
            (least, most) = (least.min(value), most.max(value));
        }
        if least < most { Self::Day(least, most) } else { Self::Day(0.0, 24.0 * HOUR_SECONDS) }
    }

    /// How far a value lies from the lower end, at 0, to the upper, at 1; a value far outside, or
    /// none, lies at most as far again from it.
    pub(super) fn part(&self, value: f64) -> f64 {
        let part = match self {
            Self::Linear(from, to) | Self::Day(from, to) => (value - from) / (to - from),
            Self::Logarithmic(from, to) => (value.max(*from) / from).log10() / (to / from).log10(),
            Self::Groups(names) => (value + 0.5) / names.len().max(1) as f64,
        };
        if part.is_finite() { part.clamp(-1.0, 2.0) } else { 0.0 }
    }

    /// The values that are marked, with what stands beside them.
    pub(super) fn marks(&self) -> Vec<(f64, String)> {
        let with_number = |value: f64| (value, number(value));
        match self {
            Self::Linear(from, to) => {
                steps(*from, *to, round_step((to - from) / MARKS)).map(with_number).collect()
            }
            Self::Logarithmic(from, to) => powers(*from, *to).map(with_number).collect(),
            Self::Day(from, to) => {
                let hours = ((to - from) / HOUR_SECONDS / (MARKS + 2.0)).ceil().max(1.0);
                let hour = |at: f64| format!("{:02.0}:00", (at / HOUR_SECONDS).rem_euclid(24.0));
                steps(*from, *to, hours * HOUR_SECONDS).map(|at| (at, hour(at))).collect()
            }
            Self::Groups(names) => (0..).map(f64::from).zip(names.iter().cloned()).collect(),
        }
    }
}

/// The multiples of a step from one number to another, both included.
fn steps(from: f64, to: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (from / step - 1e-6).ceil();
    let last = (to / step + 1e-6).floor();
    (0..)
        .map(move |nth| first + f64::from(nth))
        .take_while(move |nth| *nth <= last)
        .map(move |nth| nth * step)
}

/// The powers of ten in a range; every second where they are many.
fn powers(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let (first, last) = ((from * 0.999).log10().ceil() as i32, (to * 1.001).log10().floor() as i32);
    let every = if last - first > 7 { 2 } else { 1 };
    (first..=last).step_by(every).map(|power| 10_f64.powi(power))
}

/// The next larger of 1, 2 and 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let fits = |factor: &f64| factor * power >= least * 0.999_999;
    [1.0, 2.0, 5.0, 10.0].into_iter().find(fits).unwrap_or(10.0) * power
}

/// A marked value: with commas between thousands, or as a fraction without the noise of its
/// calculation.
fn number(value: f64) -> String {
    let nearest = value.round();
    if (value - nearest).abs() > 1e-9 * value.abs() {
        return format!("{value:.9}").trim_end_matches('0').to_owned();
    }
    let sign = if nearest < 0.0 { "-" } else { "" };
    format!("{sign}{}", figures::count(nearest.abs() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(scale: &Scale) -> Vec<f64> {
        scale.marks().into_iter().map(|(value, _)| value).collect()
    }

    #[test]
    fn axes_end_at_round_numbers() {
        let end = |most: f64| match Scale::from_zero([most].into_iter()) {
            Scale::Linear(_, to) => to,
            other => panic!("{other:?}"),
        };
        assert_eq!([0.0, 3.0, 22.1, 28.0, 100.0, 0.5].map(end), [1.0, 3.0, 25.0, 30.0, 100.0, 0.5]);
        assert_eq!(values(&Scale::Linear(0.0, 100.0)), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        let texts: Vec<_> = Scale::Linear(0.0, 0.6).marks().into_iter().map(|it| it.1).collect();
        assert_eq!(texts, ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]);
        assert_eq!(
            [1_234_567.0, 0.1, 1e-6, -20.0].map(number),
            ["1,234,567", "0.1", "0.000001", "-20"]
        );
    }

    #[test]
    fn powers_of_ten_are_as_far_apart() {
        let scale = Scale::powers([0.0, 3.0, 700.0].into_iter());
        assert_eq!(scale, Scale::Logarithmic(1.0, 1000.0));
        assert_eq!(
            [0.0, 1.0, 10.0, 100.0, 1000.0].map(|it| (scale.part(it) * 3.0).round()),
            [0.0, 0.0, 1.0, 2.0, 3.0]
        );
        assert_eq!(values(&Scale::Logarithmic(0.5, 2000.0)), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(values(&Scale::Logarithmic(1.0, 1e8)), [1.0, 100.0, 1e4, 1e6, 1e8]);
        assert_eq!(Scale::powers([].into_iter()), Scale::Logarithmic(1.0, 10.0));
    }

    #[test]
    fn a_day_is_marked_by_the_hour() {
        let texts = |scale: Scale| -> Vec<_> { scale.marks().into_iter().map(|it| it.1).collect() };
        let whole = texts(Scale::day([].into_iter()));
        assert_eq!(whole[..3], ["00:00", "03:00", "06:00"]);
        assert_eq!(texts(Scale::day([8000.0, 15_000.0].into_iter())), ["03:00", "04:00"]);
    }

    #[test]
    fn what_is_no_number_has_a_place() {
        let groups = Scale::Groups(vec!["a".into(), "b".into()]);
        for scale in [Scale::Linear(0.0, 1.0), Scale::Logarithmic(1.0, 10.0), groups] {
            for value in [f64::NAN, f64::INFINITY, -1e300] {
                assert!((-1.0..=2.0).contains(&scale.part(value)), "{scale:?} {value}");
            }
        }
    }
}
