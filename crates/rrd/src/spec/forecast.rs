//! Archives that forecast: `RRA:HWPREDICT:rows:alpha:beta:period[:rra-num]`,
//! `RRA:SEASONAL:period:gamma:rra-num[:smoothing-window=fraction]`, `RRA:DEVPREDICT:rows:rra-num`,
//! `RRA:FAILURES:rows:threshold:window:rra-num`.

use std::borrow::Cow;

use super::{SpecError, Units, archive_number, check_span};
use crate::number::{self, Parsed};
use crate::{Archive, ConsolidationFunction as Cf, MAX_FAILURE_WINDOW, Parameters};

/// Why what a forecasting archive is told is refused; the words are rrdtool's where it has them.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum ForecastError {
    /// A share lies outside of its range.
    #[error("Invalid {0}: must be between 0 and 1")]
    Share(Cow<'static, str>),
    /// A smoothing window lies outside of its range.
    #[error("Invalid smoothing-window {0:.6}: must be between 0 and 1")]
    SmoothingWindow(f64),
    /// Something else stands where the smoothing window may.
    #[error("Invalid option {0}")]
    Option(String),
    /// A count of FAILURES lies outside of its range.
    #[error("{0} is out of range 1, {MAX_FAILURE_WINDOW}")]
    Range(Cow<'static, str>),
    /// A failure could never be.
    #[error("Window length is shorter than the failure threshold")]
    Threshold,
    /// A forecast must span its season.
    #[error("Length of seasonal cycle exceeds length of HW prediction array")]
    Period,
    /// A season has no rows.
    #[error("Invalid seasonal cycle: it must have at least one row")]
    NoPeriod,
    /// There are too many parts.
    #[error("Unknown error")]
    Extra,
    /// An archive depends on one that is not there; rrdtool would read stray memory.
    #[error("RRA[{archive}] depends on an RRA that does not exist")]
    Reference {
        /// The archive's position.
        archive: usize,
    },
}

/// A forecast refers so to dependents that are to be made for it.
const TO_BE_MADE: u64 = i32::MAX as u64;
/// What an archive refers to that is not told.
const NOWHERE: u64 = u64::MAX;

const DEFAULT_SMOOTHING_WINDOW: f64 = 0.05;

/// Reads an archive; `parts` are those after the function.
pub(super) fn archive(cf: Cf, parts: &[&str], units: Units) -> Result<Archive, SpecError> {
    let mut archive = Archive { cf, rows: 0, pdp_per_row: 1, xff: 0.0, parameters: untold(cf) };
    for (nth, part) in parts.iter().enumerate() {
        match nth {
            0 => {
                archive.rows = archive_number("row count", part, units, 1)?;
                check_span(units.step_ticks, archive.rows, part)?;
            }
            _ => take_part(&mut archive, nth, part)?,
        }
    }
    let expected = match cf {
        Cf::DevSeasonal | Cf::DevPredict => 3,
        Cf::Seasonal => 4,
        _ => 5,
    };
    let found = parts.len() + 1;
    if found < expected { Err(SpecError::ArchiveForm { expected, found }) } else { Ok(archive) }
}

fn untold(cf: Cf) -> Parameters {
    match cf {
        Cf::HwPredict | Cf::MhwPredict => {
            Parameters::Predict { alpha: 0.0, beta: 0.0, seasonal: TO_BE_MADE, period: 0.0 }
        }
        Cf::Seasonal | Cf::DevSeasonal => Parameters::Seasonal {
            gamma: 0.0,
            smoothing_window: DEFAULT_SMOOTHING_WINDOW,
            window_given: false,
            predict: NOWHERE,
            smooth_slot: 0,
        },
        Cf::DevPredict => Parameters::DevPredict { deviations: NOWHERE },
        Cf::Failures => Parameters::Failures {
            delta_above: 2.0,
            delta_below: 2.0,
            deviations: NOWHERE,
            window: 0,
            threshold: 0,
        },
        Cf::Average | Cf::Min | Cf::Max | Cf::Last | Cf::Stdev | Cf::Percentile(_) => {
            Parameters::None
        }
    }
}

/// Takes the part `nth` after the function.
fn take_part(archive: &mut Archive, nth: usize, part: &str) -> Result<(), SpecError> {
    let (cf, rows) = (archive.cf, archive.rows);
    match (&mut archive.parameters, nth) {
        (Parameters::DevPredict { deviations }, 1) => *deviations = position(part),
        (Parameters::DevPredict { .. }, _) => {
            return Err(SpecError::ArchiveExtra(cf.name().into()));
        }
        (Parameters::Predict { alpha, .. }, 1) => *alpha = open_share("alpha", part)?,
        (Parameters::Predict { beta, .. }, 2) => *beta = closed_share("beta", part)?,
        (Parameters::Predict { period, .. }, 3) => *period = period_of(part, rows)?.into(),
        (Parameters::Seasonal { gamma, .. }, 1) => *gamma = open_share("gamma", part)?,
        (Parameters::Seasonal { predict, .. }, 2) => *predict = position(part),
        (Parameters::Seasonal { smoothing_window, window_given, .. }, 3) => {
            *window_given = true;
            if let Some(window) = smoothing_window_of(part)? {
                *smoothing_window = window;
            }
        }
        (Parameters::Failures { threshold, .. }, 1) => {
            *threshold = counted("Failure threshold", part)?;
        }
        (Parameters::Failures { window, threshold, .. }, 2) => {
            *window = counted("Window length", part)?;
            if *window < *threshold {
                return Err(ForecastError::Threshold.into());
            }
        }
        (Parameters::Failures { deviations, .. }, 3) => *deviations = position(part),
        // rrdtool takes what comes fifth for the reference of any of them.
        (Parameters::Predict { seasonal: reference, .. }, 4)
        | (Parameters::Seasonal { predict: reference, .. }, 4)
        | (Parameters::Failures { deviations: reference, .. }, 4) => *reference = position(part),
        _ => return Err(ForecastError::Extra.into()),
    }
    Ok(())
}

fn share(name: &'static str, text: &str, fits: impl Fn(f64) -> bool) -> Result<f64, ForecastError> {
    match number::parse(text) {
        // rrdtool takes `nan` too.
        Parsed::Whole(share) if share.is_nan() || fits(share) => Ok(share),
        _ => Err(ForecastError::Share(name.into())),
    }
}

fn open_share(name: &'static str, text: &str) -> Result<f64, ForecastError> {
    share(name, text, |share| share > 0.0 && share < 1.0)
}

fn closed_share(name: &'static str, text: &str) -> Result<f64, ForecastError> {
    share(name, text, |share| (0.0..=1.0).contains(&share))
}

fn counted(name: &'static str, text: &str) -> Result<u64, ForecastError> {
    let count = u64::try_from(integer(text)).ok();
    let count = count.filter(|count| (1..=MAX_FAILURE_WINDOW).contains(count));
    count.ok_or(ForecastError::Range(name.into()))
}

/// The rows of a season: 16 bits, as in rrdtool.
fn period_of(text: &str, rows: u64) -> Result<u16, ForecastError> {
    let period = integer(text) as u16;
    if u64::from(period) > rows { Err(ForecastError::Period) } else { Ok(period) }
}

/// A position told from 1.
fn position(text: &str) -> u64 {
    i64::from(integer(text).wrapping_sub(1)) as u64
}

/// An `int` as C's `atoi` reads it: what stands at the beginning, 0 where nothing does.
fn integer(text: &str) -> i32 {
    let text = text.trim_start_matches(|letter: char| letter.is_ascii_whitespace());
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.bytes().take_while(u8::is_ascii_digit);
    let number = digits.fold(0_i64, |number, digit| {
        let digit = i64::from(digit - b'0');
        number.saturating_mul(10).saturating_add(if negative { -digit } else { digit })
    });
    number as i32 // C keeps the low half of a long
}

/// The fraction that a part tells, if it tells one: C's `sscanf` is content with a part that ends
/// before a number could begin.
fn smoothing_window_of(part: &str) -> Result<Option<f64>, ForecastError> {
    const PREFIX: &str = "smoothing-window=";
    if PREFIX.starts_with(part) {
        return Ok(None);
    }
    let text = part.strip_prefix(PREFIX).ok_or_else(|| ForecastError::Option(part.into()))?;
    let text = text.trim_start_matches(|letter: char| letter.is_ascii_whitespace());
    let (told, rest) = match number::parse(text) {
        _ if text.is_empty() => return Ok(None),
        Parsed::Whole(number) => (number, ""),
        Parsed::Partial(number, rest) => (number, rest),
        Parsed::Nothing => return Err(ForecastError::Option(part.into())),
    };
    // `sscanf` rounds to the nearest double, rrdtool's own reader does not.
    let window = text.strip_suffix(rest).and_then(|text| text.parse().ok()).unwrap_or(told);
    if window.is_nan() || (0.0..=1.0).contains(&window) {
        Ok(Some(window))
    } else {
        Err(ForecastError::SmoothingWindow(window))
    }
}

/// Adds an archive; a forecast that refers to no season gets the four archives that depend on it.
pub(super) fn push_with_dependents(
    archive: Archive,
    archives: &mut Vec<Archive>,
) -> Result<(), ForecastError> {
    let own = archives.len() as u64;
    let Archive { rows, parameters, .. } = archive;
    archives.push(archive);
    let Parameters::Predict { alpha, period, seasonal: TO_BE_MADE, .. } = parameters else {
        return Ok(());
    };
    let season_rows = period as u64;
    if season_rows == 0 {
        return Err(ForecastError::NoPeriod);
    }
    if let Some(Parameters::Predict { seasonal, .. }) =
        archives.last_mut().map(|archive| &mut archive.parameters)
    {
        *seasonal = own + 1;
    }
    archives.extend(dependents(own, rows, alpha, season_rows));
    Ok(())
}

/// The archives of a forecast that are made with its HWPREDICT archive, which has the position
/// `own` and so many rows: SEASONAL, DEVSEASONAL, DEVPREDICT and FAILURES.
fn dependents(own: u64, rows: u64, gamma: f64, season_rows: u64) -> [Archive; 4] {
    // rrdtool leaves this window zero: nothing is smoothed where windows count.
    let season = Parameters::Seasonal {
        gamma,
        smoothing_window: 0.0,
        window_given: false,
        predict: own,
        smooth_slot: 0,
    };
    let deviations = own + 2;
    let failures = Parameters::Failures {
        delta_above: 2.0,
        delta_below: 2.0,
        deviations,
        window: 9,
        threshold: 7,
    };
    let dependent =
        |cf, rows, parameters| Archive { cf, rows, pdp_per_row: 1, xff: 0.0, parameters };
    [
        dependent(Cf::Seasonal, season_rows, season),
        dependent(Cf::DevSeasonal, season_rows, season),
        dependent(Cf::DevPredict, rows, Parameters::DevPredict { deviations }),
        dependent(Cf::Failures, season_rows, failures),
    ]
}

/// Refuses archives that depend on ones that are not there.
pub(super) fn check_references(archives: &[Archive]) -> Result<(), ForecastError> {
    let leads_nowhere = |archive: &Archive| archive.parameters.reference() >= archives.len() as u64;
    match archives.iter().position(leads_nowhere) {
        Some(archive) => Err(ForecastError::Reference { archive }),
        None => Ok(()),
    }
}
