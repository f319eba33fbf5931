//! The elements of forecasting archives.

use rrd::live::CellState;
use rrd::{Archive, Definition, ForecastWords, Parameters, Violations};

use super::Writer;

impl<T> Writer<'_, T> {
    /// The content of `<params>`.
    pub(super) fn parameters(&mut self, definition: &Definition, archive: &Archive) {
        const INDENT: &str = "\t\t";
        let reference = archive.parameters.reference();
        match archive.parameters {
            Parameters::None => return self.value(INDENT, "xff", archive.xff),
            Parameters::Predict { alpha, beta, .. } => {
                self.value(INDENT, "hw_alpha", alpha);
                self.value(INDENT, "hw_beta", beta);
            }
            Parameters::Seasonal { gamma, smooth_slot, smoothing_window, .. } => {
                self.value(INDENT, "seasonal_gamma", gamma);
                self.count(INDENT, "seasonal_smooth_idx", smooth_slot);
                if definition.format_version() >= 4 {
                    self.value(INDENT, "smoothing_window", smoothing_window);
                }
            }
            Parameters::DevPredict { .. } => {}
            Parameters::Failures { delta_above, delta_below, window, threshold, .. } => {
                self.value(INDENT, "delta_pos", delta_above);
                self.value(INDENT, "delta_neg", delta_below);
                self.count(INDENT, "window_len", window);
                self.count(INDENT, "failure_threshold", threshold);
            }
        }
        self.count(INDENT, "dependent_rra_idx", reference);
    }

    /// The values that a cell keeps apart from the newest rows; `words` exist if its archive
    /// forecasts.
    pub(super) fn remembered(
        &mut self,
        archive: &Archive,
        cell: &CellState,
        words: Option<&ForecastWords>,
    ) {
        const INDENT: &str = "\t\t\t";
        use ForecastWords as Words;
        let words = words.copied().unwrap_or_default();
        match archive.parameters {
            Parameters::None => {
                self.value(INDENT, "value", cell.value);
                self.count(INDENT, "unknown_datapoints", cell.unknown_pdps);
            }
            Parameters::Predict { .. } => {
                self.value(INDENT, "intercept", words.value(Words::INTERCEPT));
                self.value(INDENT, "last_intercept", words.value(Words::LAST_INTERCEPT));
                self.value(INDENT, "slope", words.value(Words::SLOPE));
                self.value(INDENT, "last_slope", words.value(Words::LAST_SLOPE));
                self.count(INDENT, "nan_count", words.0[Words::COUNT]);
                self.count(INDENT, "last_nan_count", words.0[Words::LAST_COUNT]);
            }
            Parameters::Seasonal { .. } => {
                self.value(INDENT, "seasonal", words.value(Words::INTERCEPT));
                self.value(INDENT, "last_seasonal", words.value(Words::LAST_INTERCEPT));
                self.count(INDENT, "init_flag", words.0[Words::COUNT]);
            }
            Parameters::DevPredict { .. } => {}
            Parameters::Failures { window, .. } => {
                let violations = Violations::of(cell, &words);
                let digits = violations.window(window).iter();
                let history: String = digits.map(|byte| (*byte as i8).to_string()).collect();
                self.text(INDENT, "history", &history);
            }
        }
    }
}
