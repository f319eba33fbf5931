//! How far back the windows of PREDICT lie.

use super::RpnError;
use crate::{Tick, UNKNOWN};

/// How far back the windows of PREDICT lie.
#[derive(Debug, Default)]
pub(super) struct Shifts {
    /// Each shift, or the one that is applied several times.
    pub(super) seconds: Vec<f64>,
    /// How many times: 0, 1, 2 ... times the shift. 0 if each is given.
    pub(super) times: u32,
}

impl Shifts {
    /// Hands each shift, in whole ticks, to `window`.
    pub(super) fn each(
        &self,
        tick: Tick,
        mut window: impl FnMut(f64) -> Result<(), RpnError>,
    ) -> Result<(), RpnError> {
        let mut checked = |seconds: f64| match whole_ticks(tick, seconds) {
            ticks if ticks < 0.0 => Err(RpnError::NegativeShift(c_int(seconds))),
            ticks => window(ticks),
        };
        if self.times == 0 {
            return self.seconds.iter().try_for_each(|seconds| checked(*seconds));
        }
        let step = self.seconds.first().copied().unwrap_or(UNKNOWN);
        (0..self.times).try_for_each(|nth| checked(step * f64::from(nth)))
    }
}

/// A shift or window of PREDICT in ticks. Of seconds it is an `int`, as rrdtool has it.
pub(super) fn whole_ticks(tick: Tick, seconds: f64) -> f64 {
    match tick.is_second() || seconds.is_nan() {
        true => c_int(seconds).into(),
        false => tick.nearest_to(seconds),
    }
}

/// As C converts on the machines that matter: what an `int` cannot hold is the smallest one.
pub(super) fn c_int(number: f64) -> i32 {
    let whole = number.trunc();
    let fits = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&whole);
    if fits { whole as i32 } else { i32::MIN }
}
