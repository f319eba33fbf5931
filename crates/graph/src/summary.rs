//! VDEF: one number, and the time it belongs to, from a whole series.

use rrd::UNKNOWN;

use crate::Error;
use crate::calculated::Calculated;

/// A function of VDEF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Summary {
    Maximum,
    Minimum,
    Average,
    Deviation,
    First,
    Last,
    /// The sum of every value times its step.
    Total,
    /// The percentile; unknown values count as the lowest unless `known_only`.
    Percentile {
        percent: f64,
        known_only: bool,
    },
    /// Of the line by least squares through the known values, by row number.
    Slope,
    Intercept,
    Correlation,
}

/// What a VDEF gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    pub(crate) value: f64,
    /// The time it belongs to, in the ticks of its series, if it is the value of a row.
    pub(crate) when_seconds: Option<i64>,
}

impl Fact {
    /// The time as a number, NaN where there is none.
    pub(crate) fn when(self) -> f64 {
        self.when_seconds.map_or(f64::NAN, |seconds| seconds as f64)
    }
}

impl Summary {
    /// Reads `MAXIMUM` or `95,PERCENT`; `name` is the VDEF's, for errors.
    pub(crate) fn parse(text: &str, name: &str) -> Result<Self, Error> {
        let refuse = |words: String| Err(Error::Element(words));
        let mut parts = text.split(',');
        let first = parts.next().unwrap_or("");
        let number = match rrd::number::parse(first) {
            rrd::number::Parsed::Whole(number) => Some(number),
            _ => None,
        };
        let function = match number {
            Some(_) => parts.next().unwrap_or(""),
            None if text.contains(',') => {
                return refuse(format!("Unknown function string '{text}' in VDEF '{name}'"));
            }
            None => first,
        };
        let plain = match function {
            "MAXIMUM" => Self::Maximum,
            "MINIMUM" => Self::Minimum,
            "AVERAGE" => Self::Average,
            "STDEV" => Self::Deviation,
            "FIRST" => Self::First,
            "LAST" => Self::Last,
            "TOTAL" => Self::Total,
            "LSLSLOPE" => Self::Slope,
            "LSLINT" => Self::Intercept,
            "LSLCORREL" => Self::Correlation,
            "PERCENT" | "PERCENTNAN" => return percentile(number, function, name),
            _ => return refuse(format!("Unknown function '{function}' in VDEF '{name}'\n")),
        };
        match number {
            None => Ok(plain),
            Some(_) => {
                refuse(format!("Function '{function}' needs no parameter in VDEF '{name}'\n"))
            }
        }
    }

    /// Sums up all rows of a series. Infinity may come first or last, but is not calculated with.
    pub(crate) fn of(self, series: &Calculated) -> Fact {
        let values = &series.values;
        let known = values.iter().copied().enumerate().filter(|(_, v)| !v.is_nan());
        let finite = known.clone().filter(|(_, v)| v.is_finite());
        let at = |row: usize| series.row_end_seconds(row);
        match self {
            Self::Maximum => pick(known, |new, old| new.is_finite() && new > old, at),
            Self::Minimum => pick(known, |new, old| new.is_finite() && new < old, at),
            Self::First => pick(known, |_, _| false, |row| at(row) - series.step_seconds as i64),
            Self::Last => pick(known, |_, _| true, at),
            Self::Average => timeless(moments(finite).mean()),
            Self::Deviation => timeless(deviation(finite)),
            Self::Total => {
                let moments = moments(finite);
                let sum = if moments.count > 0.0 { moments.sum } else { UNKNOWN };
                timeless(sum * series.tick.seconds_of(series.step_seconds))
            }
            Self::Percentile { percent, known_only } => {
                timeless(percentile_of(values, percent, known_only))
            }
            Self::Slope | Self::Intercept | Self::Correlation => {
                timeless(self.line(Line::through(finite)))
            }
        }
    }

    fn line(self, line: Line) -> f64 {
        match self {
            Self::Slope => line.slope(),
            Self::Intercept => (line.y - line.slope() * line.x) / line.count,
            _ => line.correlation(),
        }
    }
}

fn percentile(number: Option<f64>, function: &str, name: &str) -> Result<Summary, Error> {
    match number {
        None => {
            Err(Error::Element(format!("Function '{function}' needs parameter in VDEF '{name}'\n")))
        }
        Some(percent) if !(0.0..=100.0).contains(&percent) => {
            Err(Error::Element(format!("Parameter '{percent:.6}' out of range in VDEF '{name}'\n")))
        }
        Some(percent) => Ok(Summary::Percentile { percent, known_only: function == "PERCENTNAN" }),
    }
}

fn timeless(value: f64) -> Fact {
    Fact { value, when_seconds: None }
}

fn pick(
    known: impl Iterator<Item = (usize, f64)>,
    better: impl Fn(f64, f64) -> bool,
    at: impl Fn(usize) -> i64,
) -> Fact {
    let best = known.reduce(|old, new| if better(new.1, old.1) { new } else { old });
    match best {
        Some((row, value)) => Fact { value, when_seconds: Some(at(row)) },
        None => timeless(UNKNOWN),
    }
}

#[derive(Default)]
struct Moments {
    count: f64,
    sum: f64,
}

fn moments(known: impl Iterator<Item = (usize, f64)>) -> Moments {
    known.fold(Moments::default(), |sums, (_, value)| Moments {
        count: sums.count + 1.0,
        sum: sums.sum + value,
    })
}

impl Moments {
    fn mean(&self) -> f64 {
        if self.count > 0.0 { self.sum / self.count } else { UNKNOWN }
    }
}

/// The standard deviation of all there are, not of a sample.
fn deviation(known: impl Iterator<Item = (usize, f64)> + Clone) -> f64 {
    let mean = moments(known.clone()).mean();
    let squares = known.map(|(_, value)| (value - mean) * (value - mean));
    let (count, sum) = squares.fold((0.0, 0.0), |(count, sum), square| (count + 1.0, sum + square));
    if count > 0.0 { f64::sqrt(sum / count) } else { UNKNOWN }
}

fn percentile_of(values: &[f64], percent: f64, known_only: bool) -> f64 {
    let mut known = values.to_vec();
    known.retain(|value| !value.is_nan());
    let unknown = if known_only { 0 } else { values.len() - known.len() };
    let count = known.len() + unknown;
    let position = (percent * count.saturating_sub(1) as f64 / 100.0).round() as usize;
    if known.iter().any(is_out_of_order) {
        // Then it matters, too, where unknown values stand.
        let mut sorted = if known_only { known } else { values.to_vec() };
        rrd::rpn::sort(&mut sorted);
        return sorted.get(position).copied().unwrap_or(UNKNOWN);
    }
    let found = match position.checked_sub(unknown) {
        // Unknown values come first, in their own order.
        None => values.iter().copied().filter(|value| value.is_nan()).nth(position),
        Some(position) if position >= known.len() => None,
        Some(position) => Some(*known.select_nth_unstable_by(position, f64::total_cmp).1),
    };
    found.unwrap_or(UNKNOWN)
}

/// Whether rrdtool's sort puts a value elsewhere than its size says: an infinity, or a zero below 0,
/// which is equal to the other.
fn is_out_of_order(value: &f64) -> bool {
    value.is_infinite() || (*value == 0.0 && value.is_sign_negative())
}

/// Sums for a line by least squares.
#[derive(Default)]
struct Line {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Line {
    fn through(known: impl Iterator<Item = (usize, f64)>) -> Self {
        let mut line = Self::default();
        for (row, y) in known {
            let x = row as f64;
            line.count += 1.0;
            line.x += x;
            line.y += y;
            line.xx += x * x;
            line.xy += x * y;
            line.yy += y * y;
        }
        line
    }

    fn slope(&self) -> f64 {
        (self.x * self.y - self.count * self.xy) / (self.x * self.x - self.count * self.xx)
    }

    fn correlation(&self) -> f64 {
        let covariance = self.xy - self.x * self.y / self.count;
        let spread_x = self.xx - self.x * self.x / self.count;
        let spread_y = self.yy - self.y * self.y / self.count;
        covariance / (spread_x * spread_y).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::percentile_of;

    fn by_sorting(values: &[f64], percent: f64, known_only: bool) -> f64 {
        let mut sorted = values.to_vec();
        if known_only {
            sorted.retain(|value| !value.is_nan());
        }
        rrd::rpn::sort(&mut sorted);
        let position = percent * sorted.len().saturating_sub(1) as f64 / 100.0;
        sorted.get(position.round() as usize).copied().unwrap_or(super::UNKNOWN)
    }

    /// The same bits as from sorting all values as rrdtool does.
    #[test]
    fn percentiles_are_those_of_sorted_values() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            seed >> 33
        };
        let odd = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0];
        for round in 0..4000 {
            let kinds = if round % 2 == 0 { 2 } else { 6 };
            let values: Vec<f64> = (0..random() % 40)
                .map(|_| match random() % 4 {
                    0 => odd[(random() % kinds) as usize],
                    _ => random() as f64 / 1e6,
                })
                .collect();
            let percent = (random() % 101) as f64;
            for known_only in [true, false] {
                let [ours, sorted] = [percentile_of, by_sorting]
                    .map(|of| of(&values, percent, known_only).to_bits());
                assert_eq!(ours, sorted, "{values:?} {percent} {known_only}");
            }
        }
    }
}
