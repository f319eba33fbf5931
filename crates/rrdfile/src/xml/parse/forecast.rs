//! The elements of forecasting archives: in `<params>`, and in a cell.

use rrd::live::CellState;
use rrd::{ConsolidationFunction as Cf, ForecastWords, MAX_FAILURE_WINDOW, Parameters, Violations};

use super::super::elements::{Elements, XmlError};
use super::unknown;

/// The content of `<params>`: numbers by their fields in a file, which may have other names there.
/// Missing ones are zero.
#[derive(Default)]
pub(super) struct Told {
    pub(super) xff: Option<f64>,
    first: f64,
    second: f64,
    reference: u64,
    fourth: u64,
    threshold: u64,
}

impl Told {
    pub(super) fn take(&mut self, elements: &mut Elements<'_>, tag: &str) -> Result<(), XmlError> {
        match tag {
            "xff" => self.xff = Some(elements.value_of(tag)?),
            "hw_alpha" | "seasonal_gamma" | "delta_pos" => self.first = elements.value_of(tag)?,
            "hw_beta" | "smoothing_window" | "delta_neg" => self.second = elements.value_of(tag)?,
            "dependent_rra_idx" => self.reference = elements.count_of(tag)?,
            "seasonal_smooth_idx" | "window_len" => self.fourth = elements.count_of(tag)?,
            "failure_threshold" => self.threshold = elements.count_of(tag)?,
            _ => return Err(unknown(elements, tag, "params")),
        }
        Ok(())
    }

    /// The parameters of an archive with that function.
    pub(super) fn parameters(
        &self,
        cf: Cf,
        elements: &Elements<'_>,
    ) -> Result<Parameters, XmlError> {
        let &Self { first, second, reference, fourth, threshold, .. } = self;
        Ok(match cf {
            Cf::Average | Cf::Min | Cf::Max | Cf::Last | Cf::Stdev | Cf::Percentile(_) => {
                Parameters::None
            }
            Cf::HwPredict | Cf::MhwPredict => {
                let period = f64::from_bits(fourth);
                Parameters::Predict { alpha: first, beta: second, seasonal: reference, period }
            }
            Cf::Seasonal | Cf::DevSeasonal => Parameters::Seasonal {
                gamma: first,
                smoothing_window: second,
                window_given: false,
                predict: reference,
                smooth_slot: fourth,
            },
            Cf::DevPredict => Parameters::DevPredict { deviations: reference },
            Cf::Failures if fourth > MAX_FAILURE_WINDOW => {
                let expected = format!("at most {MAX_FAILURE_WINDOW} in <window_len>");
                return Err(elements.error(expected, fourth.to_string()));
            }
            Cf::Failures => Parameters::Failures {
                delta_above: first,
                delta_below: second,
                deviations: reference,
                window: fourth,
                threshold,
            },
        })
    }
}

/// Handles an element of a cell that belongs to forecasts; false for other elements.
pub(super) fn take_word(
    elements: &mut Elements<'_>,
    tag: &str,
    cell: &mut CellState,
    words: &mut ForecastWords,
) -> Result<bool, XmlError> {
    use ForecastWords as Words;
    let value = match tag {
        "intercept" | "seasonal" => Words::INTERCEPT,
        "last_intercept" | "last_seasonal" => Words::LAST_INTERCEPT,
        "slope" => Words::SLOPE,
        "last_slope" => Words::LAST_SLOPE,
        "nan_count" | "init_flag" => {
            words.0[Words::COUNT] = elements.count_of(tag)?;
            return Ok(true);
        }
        "last_nan_count" => {
            words.0[Words::LAST_COUNT] = elements.count_of(tag)?;
            return Ok(true);
        }
        "history" => {
            let history = elements.text_of(tag)?;
            take_history(&history, cell, words);
            return Ok(true);
        }
        _ => return Ok(false),
    };
    words.set_value(value, elements.value_of(tag)?);
    Ok(true)
}

/// rrdtool restores only the newest ten violations of a window.
const RESTORED_VIOLATIONS: usize = 10;

fn take_history(history: &str, cell: &mut CellState, words: &mut ForecastWords) {
    let mut violations = Violations::of(cell, words);
    let digits = history.bytes().take(RESTORED_VIOLATIONS);
    for (violation, digit) in violations.window_mut(MAX_FAILURE_WINDOW).iter_mut().zip(digits) {
        *violation = u8::from(digit == b'1');
    }
    violations.put(cell, words);
}
