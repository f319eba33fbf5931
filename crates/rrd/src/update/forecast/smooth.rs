//! The smoother: every now and then a season's ring becomes its own moving average.

use super::model::Model;
use crate::forecast::{ForecastWords, SeasonalRing};
use crate::update::UpdateError;
use crate::{Archive, ConsolidationFunction, Definition, LiveState, Parameters};

/// The share of a season that files before version 0004 average over.
const OLD_WINDOW: f64 = 0.05;

/// After so many seasons a smoothing falls due at its slot, before at the end of the ring.
const FIRST_SEASONS: u64 = 3;

/// Whether a smoothing falls due while the newest slot of an archive's ring moves on by `pdps`;
/// `seasons` counts the first few.
pub(super) fn falls_due(
    ring: &SeasonalRing,
    archive: &Archive,
    pdps: u64,
    seasons: &mut u64,
) -> bool {
    let smooth_slot = match archive.parameters {
        Parameters::Seasonal { smooth_slot, .. } => smooth_slot,
        _ => 0,
    };
    let reached = ring.newest_slot.wrapping_add(pdps);
    if *seasons > FIRST_SEASONS {
        let end = if smooth_slot > ring.newest_slot {
            smooth_slot
        } else {
            archive.rows.wrapping_add(smooth_slot).max(archive.rows)
        };
        return reached >= end;
    }
    let round = reached >= archive.rows;
    *seasons = seasons.wrapping_add(u64::from(round));
    round && *seasons != 0
}

/// Smooths every ring of seasons in which no value is unknown; `changed` is told of each. To be
/// done once for all samples of a command when one of them made it due.
///
/// # Errors
/// [`UpdateError::Unsmoothable`]; the rings before it are smoothed.
///
/// # Panics
/// If the state lacks its rings.
pub fn smooth(
    definition: &Definition,
    state: &mut LiveState,
    mut changed: impl FnMut(&SeasonalRing),
) -> Result<(), UpdateError> {
    super::check_references(definition)?;
    let sources = definition.sources.len();
    let version = definition.format_version();
    for ring in &mut state.forecast.rings {
        let archive = &definition.archives[ring.archive];
        let half_rows = half_window_rows(archive, version);
        let beyond = half_rows >= archive.rows;
        if half_rows == 0 || beyond || ring.values.iter().any(|value| value.is_nan()) {
            continue;
        }
        let predict = archive.parameters.reference() as usize;
        let cf = definition.archives[predict].cf;
        let model = Model::of(cf);
        if archive.cf == ConsolidationFunction::Seasonal && model.is_none() {
            return Err(UpdateError::Unsmoothable(cf));
        }
        let baselines = average(&mut ring.values, sources, half_rows as usize);
        if let (ConsolidationFunction::Seasonal, Some(model)) = (archive.cf, model) {
            for (nth, value) in ring.values.iter_mut().enumerate() {
                *value = model.first_coefficient(*value, baselines[nth % sources]);
            }
            // What is taken from the season is given to the line.
            let words = &mut state.forecast.words[predict * sources..][..sources];
            for (words, baseline) in words.iter_mut().zip(&baselines) {
                let intercept = words.value(ForecastWords::INTERCEPT) + baseline;
                words.set_value(ForecastWords::INTERCEPT, intercept);
            }
        }
        changed(ring);
    }
    Ok(())
}

/// How many rows on either side of a row are averaged with it.
fn half_window_rows(archive: &Archive, version: u32) -> u64 {
    let window = match archive.parameters {
        Parameters::Seasonal { smoothing_window, .. } if version >= 4 => smoothing_window,
        _ => OLD_WINDOW,
    };
    (window / 2.0 * archive.rows as f64).floor() as u64
}

/// Makes each value the average of those around it, going round; gives each source's mean.
fn average(values: &mut [f64], sources: usize, half_rows: usize) -> Vec<f64> {
    let old = values.to_vec();
    let rows = old.len() / sources;
    let window_rows = (2 * half_rows + 1) as f64;
    let mut baselines = vec![0.0; sources];
    for source in 0..sources {
        let value = |row: usize| old[row % rows * sources + source];
        // Rows before the first are those before the end.
        let first = rows - half_rows;
        let mut sum = (first..first + 2 * half_rows).fold(0.0, |sum, row| sum + value(row));
        for row in 0..rows {
            sum += value(row + half_rows);
            let mean = sum / window_rows;
            values[row * sources + source] = mean;
            baselines[source] += mean;
            sum -= value(first + row);
        }
    }
    baselines.iter_mut().for_each(|baseline| *baseline /= rows as f64);
    baselines
}
