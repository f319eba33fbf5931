//! At which calls of a life something happens.

use std::ops::Range;

/// One call in so many, where nobody asks for a longer search. It has no factor in common with the
/// numbers by which calls take turns in the kinds of their faults.
const PART: usize = 5;

/// All calls in a longer search (`GYRE_TIMES`, `GYRE_THOROUGH`), else some of each part of the life.
pub(crate) fn some_calls(life: Range<u64>) -> impl Iterator<Item = u64> {
    let is_asked = |name: &&str| std::env::var_os(name).is_some();
    let is_longer = ["GYRE_TIMES", "GYRE_THOROUGH"].iter().any(|name| is_asked(&name));
    life.step_by(if is_longer { 1 } else { PART })
}
