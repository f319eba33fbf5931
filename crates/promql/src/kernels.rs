//! Functions over the samples of a range.

use series::Preferred;

use crate::regression::{self, Sum};
use crate::vector::{ABSENT, is_absent};

/// The samples of one window, at least one.
pub(crate) struct Samples<'a> {
    pub(crate) times_micros: &'a [i64],
    pub(crate) values: &'a [f64],
    /// When the window begins.
    pub(crate) start_micros: i64,
    /// When it ends.
    pub(crate) end_micros: i64,
    /// How long the range is that was asked for.
    pub(crate) range_seconds: f64,
    /// The time for which the query is evaluated.
    pub(crate) evaluated_micros: i64,
    /// Numbers that the function was given, for each time.
    pub(crate) numbers: &'a [Vec<f64>],
    /// The number of the time.
    pub(crate) nth: usize,
}

/// A function over the samples of a range; it returns [`ABSENT`] if they are too few for it.
#[derive(Clone, Copy)]
pub(crate) struct Kernel {
    pub(crate) of: fn(&Samples<'_>) -> f64,
    /// Whether the answer is not quite what Prometheus' function of the name says.
    pub(crate) tells_of_rates: bool,
}

macro_rules! range_functions {
    ($($variant:ident $name:literal $of:path),* $(,)?) => {
        /// The functions over ranges.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum RangeFunction { $(#[doc = $name] $variant),* }

        impl RangeFunction {
            /// The function of a name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// Its name.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            fn of(self) -> fn(&Samples<'_>) -> f64 {
                match self { $(Self::$variant => $of),* }
            }
        }
    };
}

range_functions! {
    Rate "rate" rate,
    Increase "increase" increase,
    Irate "irate" irate,
    Delta "delta" delta,
    Idelta "idelta" idelta,
    Deriv "deriv" deriv,
    PredictLinear "predict_linear" predict_linear,
    Changes "changes" changes,
    Resets "resets" resets,
    Avg "avg_over_time" avg,
    Min "min_over_time" min,
    Max "max_over_time" max,
    Sum "sum_over_time" sum,
    Count "count_over_time" count,
    Quantile "quantile_over_time" quantile,
    Stddev "stddev_over_time" stddev,
    Stdvar "stdvar_over_time" stdvar,
    Last "last_over_time" last,
    First "first_over_time" first,
    Present "present_over_time" present,
    Mad "mad_over_time" mad,
    TimeOfFirst "ts_of_first_over_time" time_of_first,
    TimeOfLast "ts_of_last_over_time" time_of_last,
    TimeOfMin "ts_of_min_over_time" time_of_min,
    TimeOfMax "ts_of_max_over_time" time_of_max,
    HoltWinters "holt_winters" smooth,
    DoubleExponentialSmoothing "double_exponential_smoothing" smooth,
}

impl RangeFunction {
    /// What it does with samples that are rates, or not.
    pub(crate) fn kernel(self, is_rate: bool) -> Kernel {
        let of_rates: Option<fn(&Samples<'_>) -> f64> = match (self, is_rate) {
            (Self::Rate, true) => Some(avg),
            (Self::Increase, true) => Some(|samples| avg(samples) * samples.range_seconds),
            (Self::Irate, true) => Some(last),
            _ => None,
        };
        Kernel { of: of_rates.unwrap_or(self.of()), tells_of_rates: of_rates.is_some() }
    }

    /// What it is of samples that are rates.
    pub(crate) fn told_of_rates(self) -> &'static str {
        match self {
            Self::Increase => "the average of its rows times the seconds of the range",
            Self::Irate => "its last row",
            _ => "the average of its rows",
        }
    }

    /// The consolidation function whose rows answer it best.
    pub(crate) fn preferred(self) -> Preferred {
        match self {
            Self::Min | Self::TimeOfMin => Preferred::Minimum,
            Self::Max | Self::TimeOfMax => Preferred::Maximum,
            _ => Preferred::Named,
        }
    }

    /// How many numbers it needs beside its range.
    pub(crate) fn numbers(self) -> usize {
        match self {
            Self::Quantile | Self::PredictLinear => 1,
            Self::HoltWinters | Self::DoubleExponentialSmoothing => 2,
            _ => 0,
        }
    }

    /// Whether its answer is still the metric.
    pub(crate) fn keeps_name(self) -> bool {
        matches!(self, Self::Last | Self::First)
    }
}

fn rate(samples: &Samples<'_>) -> f64 {
    match extrapolated(samples, true) {
        none if is_absent(none) => ABSENT,
        difference => difference / samples.range_seconds,
    }
}

fn increase(samples: &Samples<'_>) -> f64 {
    extrapolated(samples, true)
}

fn delta(samples: &Samples<'_>) -> f64 {
    extrapolated(samples, false)
}

/// The difference between the ends of the window, as if samples went on to there evenly.
fn extrapolated(samples: &Samples<'_>, is_counter: bool) -> f64 {
    let (values, count) = (samples.values, samples.values.len());
    if count < 2 {
        return ABSENT;
    }
    let (first_time, last_time) = (samples.times_micros[0], samples.times_micros[count - 1]);
    let mut difference = values[count - 1] - values[0];
    if is_counter {
        let fell = values.windows(2).filter(|pair| pair[1] < pair[0]);
        difference += fell.map(|pair| pair[0]).sum::<f64>();
    }
    let seconds = |from: i64, to: i64| (to - from) as f64 / 1e6;
    let sampled = seconds(first_time, last_time);
    let mut to_start = seconds(samples.start_micros, first_time);
    let to_end = seconds(last_time, samples.end_micros);
    if is_counter && difference > 0.0 && values[0] >= 0.0 {
        // A counter is not below zero, so the line through the samples begins there at the latest.
        to_start = to_start.min(sampled * (values[0] / difference));
    }
    let average = sampled / (count - 1) as f64;
    let reached = |gap: f64| if gap < average * 1.1 { gap } else { average / 2.0 };
    difference * ((sampled + reached(to_start) + reached(to_end)) / sampled)
}

/// The last two samples, and the seconds between them.
fn last_two(samples: &Samples<'_>) -> Option<(f64, f64, f64)> {
    let before = samples.values.len().checked_sub(2)?;
    let micros = samples.times_micros[before + 1] - samples.times_micros[before];
    Some((samples.values[before], samples.values[before + 1], micros as f64 / 1e6))
}

fn irate(samples: &Samples<'_>) -> f64 {
    last_two(samples).map_or(ABSENT, |(before, last, seconds)| {
        (if last < before { last } else { last - before }) / seconds
    })
}

fn idelta(samples: &Samples<'_>) -> f64 {
    last_two(samples).map_or(ABSENT, |(before, last, _)| last - before)
}

fn deriv(samples: &Samples<'_>) -> f64 {
    if samples.values.len() < 2 {
        return ABSENT;
    }
    let first_micros = samples.times_micros[0];
    regression::line(samples.times_micros, samples.values, first_micros).slope
}

fn predict_linear(samples: &Samples<'_>) -> f64 {
    if samples.values.len() < 2 {
        return ABSENT;
    }
    let line = regression::line(samples.times_micros, samples.values, samples.evaluated_micros);
    line.slope * samples.numbers[0][samples.nth] + line.height
}

fn count_of(is: impl Fn(f64, f64) -> bool, samples: &Samples<'_>) -> f64 {
    samples.values.windows(2).filter(|pair| is(pair[0], pair[1])).count() as f64
}

fn changes(samples: &Samples<'_>) -> f64 {
    count_of(|before, now| before != now && !(before.is_nan() && now.is_nan()), samples)
}

fn resets(samples: &Samples<'_>) -> f64 {
    count_of(|before, now| now < before, samples)
}

fn avg(samples: &Samples<'_>) -> f64 {
    regression::mean(samples.values)
}

/// The place of the sample that no other one is before; a NaN is before nothing.
fn place_of(is_before: impl Fn(f64, f64) -> bool, values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, nth| {
        let is_better = is_before(values[nth], values[best]) || values[best].is_nan();
        if is_better { nth } else { best }
    })
}

fn min(samples: &Samples<'_>) -> f64 {
    samples.values[place_of(|one, other| one < other, samples.values)]
}

fn max(samples: &Samples<'_>) -> f64 {
    samples.values[place_of(|one, other| one > other, samples.values)]
}

fn time_of_min(samples: &Samples<'_>) -> f64 {
    time_of(samples, place_of(|one, other| one <= other, samples.values))
}

fn time_of_max(samples: &Samples<'_>) -> f64 {
    time_of(samples, place_of(|one, other| one >= other, samples.values))
}

fn time_of_first(samples: &Samples<'_>) -> f64 {
    time_of(samples, 0)
}

fn time_of_last(samples: &Samples<'_>) -> f64 {
    time_of(samples, samples.values.len() - 1)
}

fn time_of(samples: &Samples<'_>, nth: usize) -> f64 {
    samples.times_micros[nth] as f64 / 1e6
}

fn sum(samples: &Samples<'_>) -> f64 {
    let mut sum = Sum::default();
    samples.values.iter().for_each(|value| sum.add(*value));
    sum.total()
}

fn count(samples: &Samples<'_>) -> f64 {
    samples.values.len() as f64
}

fn quantile(samples: &Samples<'_>) -> f64 {
    regression::quantile(samples.numbers[0][samples.nth], &mut samples.values.to_vec())
}

fn mad(samples: &Samples<'_>) -> f64 {
    let mut values = samples.values.to_vec();
    let median = regression::quantile(0.5, &mut values);
    values.iter_mut().for_each(|value| *value = (*value - median).abs());
    regression::quantile(0.5, &mut values)
}

fn stddev(samples: &Samples<'_>) -> f64 {
    regression::variance(samples.values).sqrt()
}

fn stdvar(samples: &Samples<'_>) -> f64 {
    regression::variance(samples.values)
}

fn last(samples: &Samples<'_>) -> f64 {
    samples.values[samples.values.len() - 1]
}

fn first(samples: &Samples<'_>) -> f64 {
    samples.values[0]
}

fn present(_: &Samples<'_>) -> f64 {
    1.0
}

/// Exponential smoothing of values and of their trend.
fn smooth(samples: &Samples<'_>) -> f64 {
    let [values, trends] = [0, 1].map(|nth| samples.numbers[nth][samples.nth]);
    let Some([first, second]) = samples.values.first_chunk() else { return ABSENT };
    let (mut smoothed, mut trend) = (*first, second - first);
    for (nth, value) in samples.values[1..].iter().enumerate() {
        let before = smoothed;
        smoothed = values * value + (1.0 - values) * (before + trend);
        // The first trend stands for two samples; later ones follow from what is smoothed.
        if nth + 2 < samples.values.len() {
            trend = trends * (smoothed - before) + (1.0 - trends) * trend;
        }
    }
    smoothed
}
