//! From amounts to primary data points (PDP): one value for each step of the grid.

use super::{StepGrid, Stretch, UpdateError};
use crate::live::{LiveState, SourceState};
use crate::rpn::Stack;
use crate::{Definition, SourceKind, Timestamp, UNKNOWN};

/// No step ended: the amounts are only gathered.
pub(super) fn gather(sources: &mut [SourceState], interval_seconds: f64, amounts: &[f64]) {
    for (source, &amount) in sources.iter_mut().zip(amounts) {
        if amount.is_nan() {
            let unknown_seconds = source.unknown_seconds as f64 + interval_seconds.floor();
            source.unknown_seconds = unknown_seconds as u64;
        } else {
            source.value = gathered(source.value, amount);
        }
    }
}

/// What a source has gathered after a known amount.
#[inline]
pub(super) fn gathered(value: f64, amount: f64) -> f64 {
    if value.is_nan() { amount } else { value + amount }
}

/// What calculates COMPUTE sources. For rrdtool `NOW` is the clock's time; here it is the sample's,
/// so that the same samples give the same rows at any time.
pub(super) struct Calculator<'a> {
    pub(super) now: Timestamp,
    pub(super) stack: &'a mut Stack,
}

impl Calculator<'_> {
    /// NOW, in whole seconds whatever the tick.
    fn now_seconds(&self, definition: &Definition) -> i64 {
        definition.tick.moment(self.now).seconds
    }
}

/// At least one step ended: `pdps` gets the value of every step that did, one for each source.
///
/// # Errors
/// [`UpdateError::Expression`]; the steps of the sources before it have ended all the same.
pub(super) fn finish(
    definition: &Definition,
    state: &mut LiveState,
    &Stretch { ref grid, interval_seconds }: &Stretch,
    amounts: &[f64],
    pdps: &mut Vec<f64>,
    calculator: &mut Calculator<'_>,
) -> Result<(), UpdateError> {
    pdps.clear();
    let sources = definition.sources.iter().zip(&mut state.sources);
    for ((source, live), &amount) in sources.zip(amounts) {
        let mut unknown_before_seconds = 0.0;
        if amount.is_nan() {
            unknown_before_seconds = grid.before_seconds;
        } else {
            live.value = whole_step(live.value, grid, interval_seconds, amount);
        }
        let silent = interval_seconds > source.heartbeat_seconds as f64;
        pdps.push(if let SourceKind::Compute(expression) = &source.kind {
            expression.value(pdps, calculator.now_seconds(definition), calculator.stack)?
        } else if silent || mostly_unknown(definition, live) {
            UNKNOWN
        } else {
            rate_of(live.value, grid, live.unknown_seconds, unknown_before_seconds)
        });
        begin_step(live, grid, interval_seconds, amount);
    }
    Ok(())
}

/// What a source has gathered by the last end of a step, after a known amount.
#[inline]
pub(super) fn whole_step(value: f64, grid: &StepGrid, interval_seconds: f64, amount: f64) -> f64 {
    let so_far = if value.is_nan() { 0.0 } else { value };
    so_far + amount / interval_seconds * grid.before_seconds
}

/// The rate of the steps that ended, of what was gathered in them.
#[inline]
pub(super) fn rate_of(
    value: f64,
    grid: &StepGrid,
    unknown_seconds: u64,
    unknown_before_seconds: f64,
) -> f64 {
    let known = grid.elapsed_seconds().wrapping_sub(unknown_seconds);
    value / (known as f64 - unknown_before_seconds)
}

/// The part of a known amount that opens the next step.
#[inline]
pub(super) fn opening(grid: &StepGrid, interval_seconds: f64, amount: f64) -> f64 {
    amount / interval_seconds * grid.after_seconds
}

/// Whether more than half of the step is unknown.
fn mostly_unknown(definition: &Definition, live: &SourceState) -> bool {
    let unknown = match definition.tick.is_second() {
        // The count is compared as a 32-bit integer, as rrdtool does.
        true => f64::from(live.unknown_seconds as i32),
        false => live.unknown_seconds as f64,
    };
    definition.step_seconds as f64 / 2.0 < unknown
}

/// What remains of the amount after the last end of a step opens the next one.
fn begin_step(live: &mut SourceState, grid: &StepGrid, interval_seconds: f64, amount: f64) {
    if amount.is_nan() {
        live.unknown_seconds = grid.after_seconds.floor() as u64;
        live.value = UNKNOWN;
    } else {
        live.unknown_seconds = 0;
        live.value = opening(grid, interval_seconds, amount);
    }
}
