//! A series as functions take and make it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::Error;
use crate::consolidation::Consolidation;

/// A series. The value at `start + nth * step` says what was measured in the step that *begins*
/// then, as graphite-web reads the rows of `.rrd` files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimeSeries {
    pub(crate) name: String,
    /// What functions that join series call it in the name of what they make.
    pub(crate) path: String,
    /// When the first step begins, seconds since 1970.
    pub(crate) start: i64,
    /// When the last step ends. Some functions leave it beside the truth, as graphite-web's do:
    /// others ask for it.
    pub(crate) end: i64,
    /// Seconds of a step, at least 1.
    pub(crate) step: i64,
    /// NaN is unknown.
    pub(crate) values: Vec<f64>,
    pub(crate) consolidation: Consolidation,
    /// The part of points that must be known where some become one.
    pub(crate) x_files_factor: f64,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) look: Look,
}

/// How a series is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Look {
    pub(crate) color: Option<String>,
    pub(crate) alpha: Option<f64>,
    pub(crate) line_width: Option<f64>,
    pub(crate) dash_length: Option<f64>,
    pub(crate) is_stacked: bool,
    pub(crate) is_invisible: bool,
    pub(crate) is_on_second_axis: bool,
    pub(crate) is_infinite: bool,
}

impl TimeSeries {
    /// A series of its own.
    pub(crate) fn new(name: String, steps: Steps, values: Vec<f64>, x_files_factor: f64) -> Self {
        Self {
            tags: tags_of(&name),
            path: name.clone(),
            name,
            start: steps.start,
            end: steps.end,
            step: steps.step,
            values,
            consolidation: Consolidation::Average,
            x_files_factor,
            look: Look::default(),
        }
    }

    /// A series that a function made of this one.
    pub(crate) fn derived(&self, name: String, values: Vec<f64>) -> Self {
        Self {
            path: name.clone(),
            name,
            values,
            tags: self.tags.clone(),
            look: Look::default(),
            ..*self
        }
    }

    /// Renames it, for functions that join it too.
    pub(crate) fn rename(&mut self, name: String) {
        self.path.clone_from(&name);
        self.name = name;
    }

    pub(crate) fn tag(&mut self, name: &str, value: impl ToString) {
        self.tags.insert(name.to_owned(), value.to_string());
    }

    /// When its steps are.
    pub(crate) fn steps(&self) -> Steps {
        Steps { start: self.start, end: self.end, step: self.step }
    }

    /// What it takes, in values.
    pub(crate) fn weight(&self) -> u64 {
        let bytes = self.name.len() + self.path.len();
        self.values.len() as u64 + 64 + bytes as u64 / 8
    }
}

/// When steps are, seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) step: i64,
}

/// The tags that a name tells: `disk.used;server=a;rack=b`. One that cannot be read so is the whole
/// name.
pub(crate) fn tags_of(name: &str) -> BTreeMap<String, String> {
    let whole = || BTreeMap::from([("name".to_owned(), name.to_owned())]);
    if is_call(name) {
        return whole();
    }
    let mut parts = name.split(';');
    let metric = parts.next().unwrap_or_default();
    let mut tags = BTreeMap::new();
    for part in parts {
        let Some((tag, value)) = part.split_once('=') else { return whole() };
        let is_right = !tag.is_empty() && !value.is_empty() && !tag.contains(['!', '^']);
        if !is_right || value.starts_with('~') {
            return whole();
        }
        tags.insert(tag.to_owned(), value.to_owned());
    }
    let metric = metric.trim_start_matches('~');
    if metric.is_empty() {
        return whole();
    }
    tags.insert("name".to_owned(), metric.to_owned());
    tags
}

/// Whether a name is that of a function with something in parentheses.
fn is_call(name: &str) -> bool {
    let Some((function, rest)) = name.split_once('(') else { return false };
    let is_name = !function.is_empty() && function.bytes().all(|it| it.is_ascii_alphabetic());
    is_name && rest.len() > 1 && rest.ends_with(')')
}

/// Series at the same steps, side by side.
pub(crate) struct Aligned<'a> {
    pub(crate) steps: Steps,
    columns: Vec<Cow<'a, [f64]>>,
}

impl<'a> Aligned<'a> {
    /// Consolidates series to the least common multiple of their steps. `None` if there are none.
    pub(crate) fn new<'s>(
        series: impl Iterator<Item = &'a TimeSeries> + Clone + 's,
    ) -> Result<Option<Self>, Error>
    where
        'a: 's,
    {
        let mut step = 1;
        let (mut start, mut end) = (i64::MAX, i64::MIN);
        for one in series.clone() {
            step = least_common_multiple(step, one.step)
                .ok_or(Error::TooMuch { what: "seconds of a common step", most: 1 << 40 })?;
            (start, end) = (start.min(one.start), end.max(one.end));
        }
        let columns: Vec<_> = series.map(|one| at_step(one, step)).collect();
        end -= (end.saturating_sub(start)).rem_euclid(step);
        let is_empty = columns.is_empty();
        Ok((!is_empty).then_some(Self { steps: Steps { start, end, step }, columns }))
    }

    /// The rows, from the first to that of the longest series.
    pub(crate) fn rows(&self) -> usize {
        self.columns.iter().map(|it| it.len()).max().unwrap_or(0)
    }

    /// The values of a row into a place that is used again.
    pub(crate) fn read_row(&self, nth: usize, row: &mut Vec<f64>) {
        row.clear();
        row.extend(self.columns.iter().map(|it| it.get(nth).copied().unwrap_or(f64::NAN)));
    }

    /// One value for each row.
    pub(crate) fn map(&self, mut one: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
        let mut row = Vec::with_capacity(self.columns.len());
        let mut of_row = |nth| {
            self.read_row(nth, &mut row);
            one(&row)
        };
        (0..self.rows()).map(&mut of_row).collect()
    }
}

/// The values of a series at a multiple of its step.
fn at_step(series: &TimeSeries, step: i64) -> Cow<'_, [f64]> {
    match usize::try_from(step / series.step).unwrap_or(usize::MAX) {
        0 | 1 => Cow::Borrowed(&series.values),
        count => {
            Cow::Owned(series.consolidation.points(&series.values, count, series.x_files_factor))
        }
    }
}

fn least_common_multiple(one: i64, other: i64) -> Option<i64> {
    let (mut larger, mut smaller) = (one, other);
    while smaller != 0 {
        (larger, smaller) = (smaller, larger % smaller);
    }
    (one / larger).checked_mul(other).filter(|it| *it <= 1 << 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_tags() {
        let tags = |name| tags_of(name).into_iter().map(|(a, b)| format!("{a}={b}")).collect();
        let tags = |name| -> Vec<String> { tags(name) };
        assert_eq!(tags("a.b;c=d;e=f=g"), ["c=d", "e=f=g", "name=a.b"]);
        assert_eq!(tags("a;b"), ["name=a;b"]);
        assert_eq!(tags("sum(a;b=c)"), ["name=sum(a;b=c)"]);
    }

    #[test]
    fn steps_become_their_least_common_multiple() {
        let series = |start, step, values: &[f64]| {
            let end = start + step * values.len() as i64;
            TimeSeries::new("a".into(), Steps { start, end, step }, values.to_vec(), 0.0)
        };
        let all = [series(0, 20, &[1.0, 2.0, 3.0]), series(0, 30, &[5.0, f64::NAN])];
        let aligned = Aligned::new(all.iter()).unwrap().unwrap();
        assert_eq!(aligned.steps, Steps { start: 0, end: 60, step: 60 });
        assert_eq!(aligned.map(|row| row.iter().sum()), [2.0 + 5.0]);
        assert!(Aligned::new([].iter()).unwrap().is_none());
    }
}
