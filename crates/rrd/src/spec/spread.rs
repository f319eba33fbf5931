//! Archives of rows that follow from how their PDPs are spread: `RRA:STDEV:xff:steps:rows` and
//! `RRA:PERCENTILE:xff:steps:rows:percent`.

use super::{SpecError, Units, archive_number, check_span, xff_of};
use crate::{Archive, ConsolidationFunction as Cf, MAX_PERCENTILE_PDPS, NoPercent, Parameters};

/// Why such an archive is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum SpreadError {
    /// Too few or too many parts.
    #[error("RRA:{given}: expected RRA:{expected}")]
    Form {
        /// What stands there.
        given: String,
        /// What would be right.
        expected: String,
    },
    /// A percentile that is none.
    #[error("PERCENTILE of {0}: expected a number from 0 to 100 with at most six decimals")]
    Percent(String),
    /// A single PDP is not spread.
    #[error("{0} of one step a row says nothing: a row needs two steps at least")]
    OneStep(String),
    /// More PDPs than are kept.
    #[error(
        "PERCENTILE of {0} steps a row: every step is kept until its row ends, and \
         {MAX_PERCENTILE_PDPS} are the most"
    )]
    Steps(u64),
}

/// Reads such an archive; `parts` begin with the function.
pub(super) fn archive(parts: &[&str], units: Units) -> Result<Archive, SpecError> {
    let form = || SpreadError::Form { given: parts.join(":"), expected: expected(parts) };
    let (xff, steps, rows, cf) = match *parts {
        ["STDEV", xff, steps, rows] => (xff, steps, rows, Cf::Stdev),
        ["PERCENTILE", xff, steps, rows, percent] => {
            let percent = percent.parse();
            let percent = percent.map_err(|_: NoPercent| SpreadError::Percent(parts[4].into()))?;
            (xff, steps, rows, Cf::Percentile(Some(percent)))
        }
        _ => return Err(form().into()),
    };
    let xff = xff_of(xff)?;
    let pdp_per_row = archive_number("step", steps, units, 1)?;
    let row_count = archive_number("row count", rows, units, pdp_per_row)?;
    let row_seconds = units.step_ticks.saturating_mul(pdp_per_row);
    check_span(row_seconds, row_count, rows)?;
    let archive = Archive { cf, rows: row_count, pdp_per_row, xff, parameters: Parameters::None };
    check_spread(&archive)?;
    Ok(archive)
}

fn expected(parts: &[&str]) -> String {
    match parts.first() {
        Some(cf) if cf.starts_with("STDEV") => "STDEV:xff:steps:rows".into(),
        _ => "PERCENTILE:xff:steps:rows:percent".into(),
    }
}

/// Checks that an archive has as many steps a row as its function can do with.
///
/// # Errors
/// [`SpreadError`].
pub fn check_spread(archive: &Archive) -> Result<(), SpecError> {
    match archive.cf {
        cf if cf.is_spread() && archive.pdp_per_row < 2 => {
            Err(SpreadError::OneStep(cf.name().into()).into())
        }
        Cf::Percentile(_) if archive.pdp_per_row > MAX_PERCENTILE_PDPS => {
            Err(SpreadError::Steps(archive.pdp_per_row).into())
        }
        _ => Ok(()),
    }
}
