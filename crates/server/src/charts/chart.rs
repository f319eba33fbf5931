//! Rows that are ready to be shown.

use rrd::Percent;

use super::subject::{Subject, SubjectLine};
use crate::span::Span;

/// The answer to a question for charts.
#[derive(Debug)]
pub(crate) struct Charts {
    pub(crate) span: Span,
    pub(crate) now_seconds: i64,
    pub(crate) charts: Vec<Chart>,
}

/// One target or database.
#[derive(Debug)]
pub(crate) struct Chart {
    pub(crate) subject: Subject,
    /// Why it has no rows, in words.
    pub(crate) problem: Option<String>,
    /// The length of a row of this chart.
    pub(crate) step_seconds: f64,
    /// The end of the first row.
    pub(crate) first_seconds: f64,
    /// Which archive answers, in words.
    pub(crate) archive: String,
    pub(crate) lines: Vec<ChartLine>,
}

/// The rows of a data source, in the unit that is shown; NaN is unknown. All columns are of the same
/// length.
#[derive(Debug)]
pub(crate) struct ChartLine {
    pub(crate) facts: SubjectLine,
    pub(crate) average: Vec<f64>,
    /// The smallest values behind each row, if they are known apart from it.
    pub(crate) minimum: Option<Vec<f64>>,
    pub(crate) maximum_rows: Option<Vec<f64>>,
    /// The rows of that long ago, if they were asked for.
    pub(crate) ghost: Option<Vec<f64>>,
    /// Of the rows of the archive within the span.
    pub(crate) percentile_95: Option<f64>,
    /// The newest known value of the span.
    pub(crate) last: Option<f64>,
}

impl Chart {
    /// One without rows.
    pub(crate) fn empty(subject: Subject, problem: Option<String>) -> Self {
        let lines = subject.lines.clone().unwrap_or_default();
        Self {
            subject,
            problem,
            step_seconds: 1.0,
            first_seconds: 0.0,
            archive: String::new(),
            lines: lines.into_iter().map(ChartLine::empty).collect(),
        }
    }

    /// How many rows it has.
    pub(super) fn rows(&self) -> usize {
        self.lines.first().map_or(0, |line| line.average.len())
    }

    /// The end of a row.
    pub(super) fn end_seconds(&self, row: usize) -> f64 {
        self.first_seconds + row as f64 * self.step_seconds
    }
}

impl ChartLine {
    fn empty(facts: SubjectLine) -> Self {
        Self {
            facts,
            average: Vec::new(),
            minimum: None,
            maximum_rows: None,
            ghost: None,
            percentile_95: None,
            last: None,
        }
    }
}

/// The value that 95 percent of the known ones do not pass, as the VDEF `95,PERCENTNAN` has it.
pub(super) fn percentile_95(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut known: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let percent = Percent::of_millionths(95_000_000).ok()?;
    if known.is_empty() {
        return None;
    }
    let rank = percent.rank(known.len());
    let (_, value, _) = known.select_nth_unstable_by(rank, f64::total_cmp);
    Some(*value)
}

#[cfg(test)]
mod tests {
    use super::percentile_95;

    #[test]
    fn the_percentile_passes_over_what_is_unknown() {
        let values = (1..=100).rev().map(f64::from).chain([f64::NAN; 7]);
        assert_eq!(percentile_95(values), Some(95.0));
        assert_eq!(percentile_95([3.0].into_iter()), Some(3.0));
        assert_eq!(percentile_95([f64::NAN].into_iter()), None);
    }
}
