//! At which calls of a life something happens.

use std::ops::Range;

/// One call in so many, where nobody asks for more. It has no factor in common with the numbers by
/// which calls take turns in the kinds of their faults.
const PART: usize = 11;

/// Some of each part of a life; `GYRE_TIMES=n` takes n times as many, `GYRE_THOROUGH` all.
pub(crate) fn some_calls(life: Range<u64>) -> impl Iterator<Item = u64> {
    let times = std::env::var("GYRE_TIMES").map_or(1, |times| times.parse().expect("GYRE_TIMES"));
    let is_thorough = std::env::var_os("GYRE_THOROUGH").is_some();
    life.step_by(if is_thorough { 1 } else { PART.div_ceil(times) })
}
