//! Consolidation: `(definition, live state, sample) -> rows that became final`.
//!
//! A reading becomes an amount (rate times seconds, [`reading`]), amounts become primary data
//! points on the step grid ([`pdp`]), and these become rows of the archives ([`cdp`]). The order of
//! floating point operations is rrdtool's, so that every backend stores the same bits.

mod cdp;
mod pdp;
mod reading;

use crate::live::{CellState, LiveState};
use crate::sample::{NotANumber, Sample};
use crate::{Definition, Timestamp};

/// Why a sample is refused; the words are rrdtool's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum UpdateError {
    /// Time did not move on.
    #[error(
        "illegal attempt to update using time {} when last update time is {} \
         (minimum one second step)", found.seconds, last.seconds
    )]
    NotAfterLast {
        /// The time of the sample.
        found: Timestamp,
        /// The time of the last update.
        last: Timestamp,
    },
    /// A COUNTER or DERIVE reading is no integer.
    #[error("not a simple {} integer: '{reading}'", if *signed { "signed" } else { "unsigned" })]
    NotAnInteger {
        /// Whether a sign is allowed.
        signed: bool,
        /// The text of the reading.
        reading: String,
    },
    /// A reading is no number.
    #[error("Function update_pdp_prep, case DST_{kind} - {reason}")]
    NotANumber {
        /// The kind of the source.
        kind: crate::SourceKind,
        /// What is wrong with the reading.
        reason: NotANumber,
    },
}

/// Room for one update, kept between updates so that none of them allocates.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// For each source, rate times seconds since the last update.
    amounts: Vec<f64>,
    /// For each source, the primary data point.
    pdps: Vec<f64>,
    /// For each archive, how many rows became final.
    row_counts: Vec<u64>,
}

/// Rows of one archive that became final with one update.
#[derive(Clone, Copy, Debug)]
pub struct FinalRows<'a> {
    /// The archive's position in the definition.
    pub archive: usize,
    /// How many rows, at least one: the first holds each cell's `primary`, all others `secondary`.
    pub count: u64,
    /// The archive's cells, one for each source.
    pub cells: &'a [CellState],
}

impl Workspace {
    /// The rows that the last [`update`] made final, archive by archive.
    pub fn final_rows<'a>(&'a self, state: &'a LiveState) -> impl Iterator<Item = FinalRows<'a>> {
        let sources = state.sources.len();
        self.row_counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(move |(archive, count)| FinalRows {
                archive,
                count: *count,
                cells: &state.cells[archive * sources..][..sources],
            })
    }
}

/// Takes one sample into the live state; [`Workspace::final_rows`] then tells what became final.
///
/// # Errors
/// The sample is refused. As in rrdtool, the last readings of the sources before the refused one
/// are then already taken over; nothing else has changed.
///
/// # Panics
/// If `state` or `sample` has another number of sources than `definition`.
pub fn update(
    definition: &Definition,
    state: &mut LiveState,
    sample: &Sample<'_>,
    workspace: &mut Workspace,
) -> Result<(), UpdateError> {
    let sources = definition.sources.len();
    assert!(state.sources.len() == sources);
    assert!(sample.readings.len() == sources);
    assert!(state.cells.len() == sources * definition.archives.len());
    workspace.row_counts.clear();
    if sample.time <= state.last_update {
        return Err(UpdateError::NotAfterLast {
            found: sample.time,
            last: state.last_update,
        });
    }
    let interval_seconds = seconds_between(state.last_update, sample.time);
    reading::take(
        definition,
        state,
        sample,
        interval_seconds,
        &mut workspace.amounts,
    )?;

    let grid = StepGrid::new(definition.step_seconds, state.last_update, sample.time);
    if grid.elapsed_pdps == 0 {
        pdp::gather(&mut state.sources, interval_seconds, &workspace.amounts);
    } else {
        let amounts = &workspace.amounts;
        pdp::finish(
            definition,
            state,
            &grid,
            interval_seconds,
            amounts,
            &mut workspace.pdps,
        );
        cdp::consolidate(
            definition,
            state,
            &grid,
            &workspace.pdps,
            &mut workspace.row_counts,
        );
    }
    state.last_update = sample.time;
    Ok(())
}

fn seconds_between(from: Timestamp, to: Timestamp) -> f64 {
    (to.seconds - from.seconds) as f64 + f64::from(to.micros as i32 - from.micros as i32) / 1e6
}

/// Where two moments lie on the grid of steps.
struct StepGrid {
    step_seconds: u64,
    /// How many steps had ended by the first moment, since the epoch.
    pdps_before: u64,
    /// How many steps ended between the two.
    elapsed_pdps: u64,
    /// Seconds from the first moment to the last end of a step.
    before_seconds: f64,
    /// Seconds from the last end of a step to the second moment.
    after_seconds: f64,
}

impl StepGrid {
    fn new(step_seconds: u64, last: Timestamp, now: Timestamp) -> Self {
        let last_step = last.seconds as u64 / step_seconds;
        let step = now.seconds as u64 / step_seconds;
        let step_start_seconds = step * step_seconds;
        Self {
            step_seconds,
            pdps_before: last_step,
            elapsed_pdps: step - last_step,
            before_seconds: (step_start_seconds as i64 - last.seconds) as f64
                - f64::from(last.micros) / 1e6,
            after_seconds: (now.seconds as u64 - step_start_seconds) as f64
                + f64::from(now.micros) / 1e6,
        }
    }

    fn elapsed_seconds(&self) -> u64 {
        self.elapsed_pdps * self.step_seconds
    }
}
