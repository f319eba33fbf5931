//! Ratios and times, where there is enough of them to be told from nothing.

/// What took less in all is told from nothing by no clock of a machine on which others work.
pub(crate) const MEASURABLE_SECONDS: f64 = 0.2;
/// Fewer page-ins an update are next to none, and nothing is compared with them.
pub(crate) const NEXT_TO_NONE: f64 = 0.1;

/// One against another; none where the other is less than `least`.
pub(crate) fn ratio(one: f64, other: f64, least: f64) -> Option<f64> {
    assert!(least > 0.0);
    (other >= least).then(|| one / other)
}

/// A time, unless all that was counted for it took too little.
pub(crate) fn timed(seconds: f64, all_seconds: f64) -> Option<f64> {
    (all_seconds >= MEASURABLE_SECONDS && seconds > 0.0).then_some(seconds)
}

/// Why there is no figure of a time.
pub(crate) fn too_short(what: &str, clock: &str) -> String {
    format!("{what}: what was counted took less than {MEASURABLE_SECONDS} s of the {clock}'s")
}

/// Why there is no ratio of pages.
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
