//! Consolidation: `(definition, live state, sample) -> rows that became final`.
//!
//! A reading becomes an amount (rate times seconds, [`reading`]), amounts become primary data
//! points on the step grid ([`pdp`]), and these become rows of the archives ([`cdp`]). The order of
//! floating point operations is rrdtool's, so that every backend stores the same bits.

mod reading;
mod pdp;
mod cdp;
mod spread;
mod forecast;
mod plain;

pub use forecast::{check_references, smooth};
pub use plain::{EndedStep, PlainUpdate};

pub(crate) use cdp::{gather, take_pdp};
pub(crate) use spread::gather as gather_spread;

use crate::live::LiveState;
use crate::rpn::{RpnError, Stack};
use crate::sample::{NotANumber, Sample};
use crate::{ConsolidationFunction, Definition, Tick, Timestamp};
use forecast::Season;

/// Why a sample is refused; the words are rrdtool's.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
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
    /// The same, where time is counted in ticks; the times are those of the clock.
    #[error(
        "illegal attempt to update using time {found} when last update time is {last} \
         (minimum one tick of {tick} s)"
    )]
    NotAfterLastTick {
        /// The time of the sample.
        found: Timestamp,
        /// The time of the last update.
        last: Timestamp,
        /// The tick of the database.
        tick: Tick,
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
        /// The name of the source's kind.
        kind: Box<str>,
        /// What is wrong with the reading.
        reason: NotANumber,
    },
    /// The expression of a COMPUTE source does not leave one value.
    #[error(transparent)]
    Expression(#[from] RpnError),
    /// An archive refers to one that is not there; rrdtool reads stray memory.
    #[error(
        "RRA[{archive}] depends on RRA[{refers_to}], which does not exist: nothing can be updated"
    )]
    Reference {
        /// The archive's position.
        archive: usize,
        /// The position it refers to.
        refers_to: u64,
    },
    /// A SEASONAL archive depends on one that does not forecast.
    #[error("apply smoother: SEASONAL rra doesn't have valid dependency: {0}")]
    Unsmoothable(ConsolidationFunction),
}

/// Room for one update, kept between updates so that none of them allocates.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// For each source, rate times seconds since the last update.
    amounts: Vec<f64>,
    /// The part of the amounts that waits while an open step is finished.
    remaining_amounts: Vec<f64>,
    /// For each source, the primary data point.
    pdps: Vec<f64>,
    /// Where expressions are calculated.
    stack: Stack,
    season: Season,
    /// The runs of rows that became final.
    runs: Vec<Run>,
    /// The values of the runs' rows, one row for each.
    values: Vec<f64>,
}

/// Equal rows of one archive that became final.
#[derive(Clone, Copy, Debug)]
struct Run {
    archive: usize,
    count: u64,
    kept: bool,
}

/// Equal rows of one archive that became final with one update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinalRows<'a> {
    /// The archive's position in the definition.
    pub archive: usize,
    /// How many rows, at least one and at most as many as the ring holds.
    pub count: u64,
    /// Whether the row takes the place of those that stand there. SEASONAL and DEVSEASONAL let a
    /// run of several rows pass without learning from it: their ring moves on, its values stay.
    pub kept: bool,
    /// The row, one value for each source.
    pub values: &'a [f64],
}

impl Workspace {
    /// Whether the last [`update`] made a smoothing due; [`smooth()`] does it.
    #[must_use]
    pub fn smoothing_due(&self) -> bool {
        self.season.smoothing_due
    }

    /// The rows that the last [`update`] made final, in the order of time for each archive.
    pub fn final_rows(&self) -> impl Iterator<Item = FinalRows<'_>> {
        let sources = self.amounts.len();
        self.runs.iter().enumerate().map(move |(nth, run)| FinalRows {
            archive: run.archive,
            count: run.count,
            kept: run.kept,
            values: &self.values[nth * sources..][..sources],
        })
    }
}

/// Takes one sample into the live state; [`Workspace::final_rows`] then tells what became final.
///
/// # Errors
/// The sample is refused. As in rrdtool, the last readings of the sources before the refused one
/// are then already taken over; nothing else has changed. Only where an expression fails has more
/// happened: what came before it stands, rows included, but for the time of the last update.
///
/// # Panics
/// If `state` or `sample` has another number of sources than `definition`, or where archives are
/// the rings of a season and the state lacks those rings.
pub fn update(
    definition: &Definition,
    state: &mut LiveState,
    sample: &Sample<'_>,
    workspace: &mut Workspace,
) -> Result<(), UpdateError> {
    let Sample { time, readings } = *sample;
    let sources = definition.sources.len();
    assert!(state.sources.len() == sources);
    assert!(readings.len() == sources);
    assert!(state.cells.len() == sources * definition.archives.len());
    workspace.runs.clear();
    workspace.values.clear();
    workspace.season.clear();
    if state.forecasts() {
        forecast::check_references(definition)?;
    }
    if time <= state.last_update {
        return Err(not_after_last(definition.tick, time, state.last_update));
    }
    let interval_seconds = seconds_between(state.last_update, time);
    reading::take(definition, state, readings, interval_seconds, &mut workspace.amounts)?;

    let grid = StepGrid::new(definition.step_seconds, state.last_update, time);
    let mut stretch = Stretch { grid, interval_seconds };
    if let Some(open_step) = stretch.split_off_open_step(state.last_update) {
        workspace.split_amounts(|amount| amount * open_step.interval_seconds / interval_seconds);
        open_step.take(definition, state, time, workspace)?;
        workspace.amounts.copy_from_slice(&workspace.remaining_amounts);
    }
    stretch.take(definition, state, time, workspace)?;
    state.last_update = time;
    Ok(())
}

impl Workspace {
    /// Keeps of each amount the part that `part` says, the rest for later.
    fn split_amounts(&mut self, part: impl Fn(f64) -> f64) {
        self.remaining_amounts.clear();
        for amount in &mut self.amounts {
            let first = part(*amount);
            self.remaining_amounts.push(*amount - first);
            *amount = first;
        }
    }
}

/// A stretch of time; the amounts that flowed in it stand in the workspace.
struct Stretch {
    grid: StepGrid,
    interval_seconds: f64,
}

impl Stretch {
    /// If more than one step ended and the first of them was under way already, that first one:
    /// what it had gathered belongs to it alone. `self` is then what remains.
    fn split_off_open_step(&mut self, last: Timestamp) -> Option<Self> {
        let StepGrid { step_seconds, pdps_before, elapsed_pdps, .. } = self.grid;
        let into_step_seconds = last.seconds as u64 % step_seconds;
        if elapsed_pdps < 2 || (into_step_seconds == 0 && last.micros == 0) {
            return None;
        }
        // rrdtool ends the open step a whole number of seconds after the last update: with a
        // fraction, what is left of its last second goes to the steps that follow. Bit for bit
        // equality asks for the same.
        let left_over_seconds = u64::from(last.micros > 0);
        let open_seconds = step_seconds - into_step_seconds - left_over_seconds;
        if open_seconds == 0 {
            return None;
        }
        let interval_seconds = open_seconds as f64;
        let first = StepGrid {
            step_seconds,
            pdps_before,
            elapsed_pdps: 1,
            before_seconds: interval_seconds,
            after_seconds: 0.0,
        };
        self.interval_seconds -= interval_seconds;
        self.grid.pdps_before += 1;
        self.grid.elapsed_pdps -= 1;
        self.grid.before_seconds -= interval_seconds;
        Some(Self { grid: first, interval_seconds })
    }

    fn take(
        &self,
        definition: &Definition,
        state: &mut LiveState,
        now: Timestamp,
        workspace: &mut Workspace,
    ) -> Result<(), UpdateError> {
        let Workspace { amounts, pdps, stack, season, runs, values, .. } = workspace;
        if self.grid.elapsed_pdps == 0 {
            pdp::gather(&mut state.sources, self.interval_seconds, amounts);
            return Ok(());
        }
        pdp::finish(definition, state, self, amounts, pdps, &mut pdp::Calculator { now, stack })?;
        let became_final = |run, row: &mut dyn Iterator<Item = f64>| {
            runs.push(run);
            values.extend(row);
        };
        if state.is_plain() {
            cdp::consolidate(definition, state, &self.grid, pdps, became_final);
        } else if state.forecasts() {
            forecast::consolidate(definition, state, &self.grid, pdps, season, became_final);
        } else {
            spread::consolidate(definition, state, &self.grid, pdps, became_final);
        }
        Ok(())
    }
}

fn not_after_last(tick: Tick, found: Timestamp, last: Timestamp) -> UpdateError {
    match tick.is_second() {
        true => UpdateError::NotAfterLast { found, last },
        false => {
            let (found, last) = (tick.moment(found), tick.moment(last));
            UpdateError::NotAfterLastTick { found, last, tick }
        }
    }
}

fn seconds_between(from: Timestamp, to: Timestamp) -> f64 {
    (to.seconds - from.seconds) as f64 + f64::from(to.micros as i32 - from.micros as i32) / 1e6
}

/// The part of a second that a moment lies past its whole second.
fn fraction(moment: Timestamp) -> f64 {
    f64::from(moment.micros) / 1e6
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
            before_seconds: (step_start_seconds as i64 - last.seconds) as f64 - fraction(last),
            after_seconds: (now.seconds as u64 - step_start_seconds) as f64 + fraction(now),
        }
    }

    fn elapsed_seconds(&self) -> u64 {
        self.elapsed_pdps * self.step_seconds
    }
}
