//! Options for forecasting archives.

use super::find::find;
use super::{Edited, TuneError, TuneOption, scan};
use crate::{
    Archive, ConsolidationFunction as Cf, ForecastWords, MAX_FAILURE_WINDOW, Parameters, UNKNOWN,
};

const DELTA_MIN: f64 = 0.1;

pub(super) fn apply(
    database: &mut Edited,
    option: TuneOption,
    value: &str,
) -> Result<(), TuneError> {
    database.is_deep = true;
    match option {
        TuneOption::DeltaAbove | TuneOption::DeltaBelow => set_delta(database, option, value),
        TuneOption::FailureWindow | TuneOption::FailureThreshold => {
            set_window(database, option, value)
        }
        TuneOption::SmoothingWindow => set_smoothing(database, Cf::Seasonal, value),
        TuneOption::SmoothingWindowDeviation => set_smoothing(database, Cf::DevSeasonal, value),
        TuneOption::AberrantReset => reset(database, value),
        _ => set_share(database, option, value),
    }
}

/// The first archive of a function.
fn first(database: &mut Edited, cf: Cf) -> Option<(usize, &mut Archive)> {
    let mut archives = database.definition.archives.iter_mut().enumerate();
    archives.find(|(_, archive)| archive.cf == cf)
}

fn set_delta(database: &mut Edited, option: TuneOption, value: &str) -> Result<(), TuneError> {
    let delta = scan::number(value).ok_or(TuneError::Delta)?;
    if delta < DELTA_MIN {
        return Err(TuneError::DeltaTooSmall);
    }
    let delta = scan::whole_number(value).ok_or(TuneError::Delta)?;
    let (_, archive) = first(database, Cf::Failures).ok_or(TuneError::NoFailures)?;
    if let Parameters::Failures { delta_above, delta_below, .. } = &mut archive.parameters {
        *(if option == TuneOption::DeltaAbove { delta_above } else { delta_below }) = delta;
    }
    Ok(())
}

fn set_window(database: &mut Edited, option: TuneOption, value: &str) -> Result<(), TuneError> {
    let count = u64::try_from(scan::integer(value)).unwrap_or(0);
    if !(1..=MAX_FAILURE_WINDOW).contains(&count) {
        return Err(TuneError::Window);
    }
    let (nth, archive) = first(database, Cf::Failures).ok_or(TuneError::NoFailures)?;
    if let Parameters::Failures { window, threshold, .. } = &mut archive.parameters {
        *(if option == TuneOption::FailureWindow { window } else { threshold }) = count;
    }
    for source in 0..database.definition.sources.len() {
        forget_violations(database, nth, source);
    }
    Ok(())
}

fn set_share(database: &mut Edited, option: TuneOption, value: &str) -> Result<(), TuneError> {
    let share = share(value, |share| share > 0.0 && share < 1.0)?;
    let functions: &[Cf] = match option {
        TuneOption::Gamma => &[Cf::Seasonal],
        TuneOption::GammaDeviation => &[Cf::DevSeasonal],
        _ => &[Cf::HwPredict, Cf::MhwPredict],
    };
    let found = functions.iter().find(|cf| first(database, **cf).is_some());
    let archive = found.and_then(|cf| first(database, *cf));
    match (&mut archive.ok_or(TuneError::NoForecast)?.1.parameters, option) {
        (Parameters::Predict { alpha, .. }, TuneOption::Alpha) => *alpha = share,
        (Parameters::Predict { beta, .. }, _) => *beta = share,
        (Parameters::Seasonal { gamma, .. }, _) => *gamma = share,
        _ => return Err(TuneError::NoForecast),
    }
    Ok(())
}

fn share(text: &str, fits: impl Fn(f64) -> bool) -> Result<f64, TuneError> {
    let share = scan::number(text).ok_or(TuneError::Share)?;
    // As with rrdtool's comparisons, no number fits.
    match share.is_nan() || fits(share) {
        true => Ok(share),
        false => Err(TuneError::ShareOutside),
    }
}

fn set_smoothing(database: &mut Edited, cf: Cf, value: &str) -> Result<(), TuneError> {
    let share = share(value, |share| (0.0..=1.0).contains(&share))?;
    let (_, archive) = first(database, cf).ok_or(TuneError::NoForecast)?;
    if let Parameters::Seasonal { smoothing_window, .. } = &mut archive.parameters {
        *smoothing_window = share;
    }
    // The file gets the version from which on windows count, of every archive.
    for archive in &mut database.definition.archives {
        if let Parameters::Seasonal { window_given, .. } = &mut archive.parameters {
            *window_given = true;
        }
    }
    Ok(())
}

/// Forgets what was learnt of a source; predictions and failures of the past stay.
fn reset(database: &mut Edited, value: &str) -> Result<(), TuneError> {
    let name = scan::name(value).ok_or(TuneError::Reset)?;
    let source = find(&database.definition, name)?;
    for nth in 0..database.definition.archives.len() {
        match database.definition.archives[nth].cf {
            Cf::HwPredict | Cf::MhwPredict => {
                let unknown = UNKNOWN.to_bits();
                let words = words(database, nth, source);
                *words = ForecastWords([unknown, unknown, unknown, unknown, 1, 1]);
            }
            Cf::Seasonal | Cf::DevSeasonal => {
                words(database, nth, source).0[..2].fill(UNKNOWN.to_bits());
                database.forgotten.push((nth, source));
            }
            Cf::Failures => forget_violations(database, nth, source),
            _ => {}
        }
    }
    Ok(())
}

fn words(database: &mut Edited, archive: usize, source: usize) -> &mut ForecastWords {
    let sources = database.definition.sources.len();
    &mut database.live.forecast.words[archive * sources + source]
}

/// Empties the window of FAILURES: a byte for each of its values, from the cell's value on.
fn forget_violations(database: &mut Edited, archive: usize, source: usize) {
    let Parameters::Failures { window, .. } = database.definition.archives[archive].parameters
    else {
        return;
    };
    let sources = database.definition.sources.len();
    let live = &mut database.live;
    let cell = &mut live.cells[archive * sources + source];
    let ForecastWords(words) = &mut live.forecast.words[archive * sources + source];
    let mut fields = vec![cell.value.to_bits(), cell.unknown_pdps];
    fields.extend(*words);
    let mut bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
    let count = bytes.len().min(window as usize);
    bytes[..count].fill(0);
    let mut fields = bytes.as_chunks().0.iter().map(|field| u64::from_le_bytes(*field));
    cell.value = f64::from_bits(fields.next().unwrap_or_default());
    cell.unknown_pdps = fields.next().unwrap_or_default();
    for (word, field) in words.iter_mut().zip(fields) {
        *word = field;
    }
}
