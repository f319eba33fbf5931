//! Ratios and times, if they are large enough to be significant.

/// A shorter total time is not significant on a machine with other work.
pub(crate) const MEASURABLE_SECONDS: f64 = 0.2;
/// Fewer page-ins for an update are negligible, and not used in ratios.
pub(crate) const NEXT_TO_NONE: f64 = 0.1;

/// The ratio of two values; `None` if the second is less than `least`.
pub(crate) fn ratio(one: f64, other: f64, least: f64) -> Option<f64> {
    assert!(least > 0.0);
    (other >= least).then(|| one / other)
}

/// A time; `None` if the total time was too short to be significant.
pub(crate) fn timed(seconds: f64, all_seconds: f64) -> Option<f64> {
    (all_seconds >= MEASURABLE_SECONDS && seconds > 0.0).then_some(seconds)
}

/// The reason for a missing time.
pub(crate) fn too_short(what: &str, clock: &str) -> String {
    format!("{what}: what was counted took less than {MEASURABLE_SECONDS} s of the {clock}'s")
}

/// The reason for a missing ratio of pages.
pub(crate) fn next_to_none(what: &str, pages: f64) -> String {
    let pages = crate::verdict::text(pages);
    format!("{what}: next to none to compare with, {pages} pages an update")
}

#[cfg(test)]
mod tests {
    use super::{next_to_none, ratio, timed, too_short};

    #[test]
    fn nothing_is_compared_with_next_to_nothing() {
        assert_eq!(ratio(3.0, 2.0, 0.1), Some(1.5));
        assert_eq!(ratio(0.025, 1e-6, 0.1), None);
        assert_eq!(next_to_none("x", 0.0), "x: next to none to compare with, 0 pages an update");
    }

    #[test]
    fn what_took_too_little_has_no_time() {
        assert_eq!(timed(0.001, 1.0), Some(0.001));
        assert_eq!([timed(0.001, 0.01), timed(0.0, 1.0)], [None; 2]);
        let told = "x: what was counted took less than 0.2 s of the clock's";
        assert_eq!(too_short("x", "clock"), told);
    }
}
