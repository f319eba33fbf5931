//! `rrd_reduce_data`: fewer, longer rows, as graphs make of rows finer than their pixels.

use std::ffi::{c_int, c_ulong};

use libc::time_t;
use rrd::{ConsolidationFunction, UNKNOWN};
use rrdtool::Failure;

use crate::entry::call;
use crate::numbers::CF_NAMES;

/// Consolidates the rows at `*values`, in place, to rows of at least `*step` seconds; the stretch
/// is widened to whole ones. 1, or 0 after setting the error.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_reduce_data(
    cf: c_int,
    step_seconds: c_ulong,
    start: *mut time_t,
    end: *mut time_t,
    step: *mut c_ulong,
    column_count: *mut c_ulong,
    values: *mut *mut f64,
) -> c_int {
    call(0, || {
        let is_missing = start.is_null() || end.is_null() || step.is_null();
        // SAFETY: a place that is there has been set.
        if is_missing
            || column_count.is_null()
            || values.is_null()
            || unsafe { (*values).is_null() }
        {
            return Err("rrd_reduce_data needs a place for each of its answers".into());
        }
        // SAFETY: the caller has set all places.
        let (stretch, wanted_step_seconds, columns) = unsafe {
            let (start_seconds, end_seconds) = (*start, *end);
            (Stretch { start_seconds, end_seconds, step_seconds }, *step, *column_count as usize)
        };
        let plan = Plan::new(&stretch, wanted_step_seconds)?;
        // SAFETY: the caller promises so many values, which nobody else uses meanwhile.
        let cells = unsafe { std::slice::from_raw_parts_mut(*values, plan.rows * columns) };
        plan.reduce(cells, columns, cf);
        // SAFETY: the caller hands places for the answer.
        unsafe {
            start.write(plan.longer.start_seconds);
            end.write(plan.longer.end_seconds);
            step.write(plan.longer.step_seconds);
        }
        Ok(1)
    })
}

/// A stretch of time in rows of one length.
struct Stretch {
    start_seconds: i64,
    end_seconds: i64,
    step_seconds: u64,
}

/// Which rows make which longer ones.
struct Plan {
    /// The rows that are there.
    rows: usize,
    /// Rows before the first that a longer row has whole.
    skipped: usize,
    /// How many rows make a longer one.
    factor: usize,
    /// Longer rows that are whole.
    whole: usize,
    longer: Stretch,
}

impl Plan {
    fn new(stretch: &Stretch, wanted_step_seconds: u64) -> Result<Self, Failure> {
        let &Stretch { start_seconds, end_seconds, step_seconds } = stretch;
        let factor = wanted_step_seconds.div_ceil(step_seconds.max(1)).max(1);
        let longer_seconds = factor.checked_mul(step_seconds).and_then(|it| i64::try_from(it).ok());
        let (Some(long), true) = (longer_seconds, step_seconds > 0 && end_seconds >= start_seconds)
        else {
            return Err("rows of this stretch and step cannot be reduced".into());
        };
        let step = step_seconds as i64;
        let rows = (end_seconds - start_seconds) / step;
        if factor == 1 {
            let (rows, longer) = (rows as usize, Stretch { ..*stretch });
            return Ok(Self { rows, skipped: 0, factor: 1, whole: rows, longer });
        }
        let before = start_seconds.rem_euclid(long);
        let skipped = if before == 0 { 0 } else { (long - before) / step };
        let beyond = end_seconds.rem_euclid(long);
        let usable = rows - skipped - beyond / step;
        if usable < 0 {
            // Not one longer row is whole. Debian's library tells the number without its sign.
            let words =
                format!("SANITY CHECK: {} rows cannot be reduced by {factor} \n", usable as u64);
            return Err(Failure::misuse(words));
        }
        let end = if beyond == 0 { end_seconds } else { end_seconds - beyond + long };
        let start = start_seconds - before;
        Ok(Self {
            rows: rows as usize,
            skipped: skipped as usize,
            factor: factor as usize,
            whole: usable as usize / factor as usize,
            longer: Stretch { start_seconds: start, end_seconds: end, step_seconds: long as u64 },
        })
    }

    /// Longer rows that the stretch has only a part of, at either end, are unknown.
    fn reduce(&self, cells: &mut [f64], columns: usize, cf: c_int) {
        if self.factor == 1 {
            return;
        }
        let longer = &self.longer;
        let longer_step = longer.step_seconds as i64;
        let count = ((longer.end_seconds - longer.start_seconds) / longer_step) as usize;
        let first_whole = usize::from(self.skipped > 0);
        // A longer row lies before all rows that later ones are made of.
        for nth in 0..count {
            let whole = nth.checked_sub(first_whole).filter(|whole| *whole < self.whole);
            let rows = whole.map(|whole| {
                let first = self.skipped + whole * self.factor;
                first..first + self.factor
            });
            for column in 0..columns {
                let group = rows.clone().into_iter().flatten();
                let value = consolidate(group.map(|row| cells[row * columns + column]), cf);
                cells[nth * columns + column] = value;
            }
        }
    }
}

/// One value of many, added in their order; unknown ones do not count.
fn consolidate(values: impl Iterator<Item = f64>, cf: c_int) -> f64 {
    use ConsolidationFunction::{Failures, Last, Max, Min};
    let known = values.filter(|value| !value.is_nan());
    let name = usize::try_from(cf).ok().and_then(|nth| CF_NAMES.get(nth));
    let found = match name.and_then(|name| name.parse().ok()) {
        Some(Min) => known.reduce(f64::min),
        Some(Max | Failures) => known.reduce(f64::max),
        Some(Last) => known.reduce(|_, last| last),
        // Of forecasts, as of averages, the mean is wanted.
        _ => {
            let mut count = 0.0;
            let sum = known.reduce(|sum, value| {
                count += 1.0;
                sum + value
            });
            sum.map(|sum| sum / (count + 1.0))
        }
    };
    found.unwrap_or(UNKNOWN)
}
