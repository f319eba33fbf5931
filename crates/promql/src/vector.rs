//! Values of an expression: for each series one column, a value for each time.

use series::{Label, Labels, METRIC_NAME};

use crate::error::Failed;
use crate::grouping::Grouping;

/// Stands where a series has no sample. Prometheus tells that from a sample that is NaN; so this is
/// a NaN of our own that no calculation makes.
pub(crate) const ABSENT: f64 = f64::from_bits(0x7ff8_6779_7265_0001);

/// Whether a series has no sample.
pub(crate) fn is_absent(value: f64) -> bool {
    value.to_bits() == ABSENT.to_bits()
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A number for each time.
    Scalar(Vec<f64>),
    /// Series.
    Vector(Vector),
    /// A text.
    Text(String),
}

/// Series whose values lie one behind the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vector {
    /// Each series' labels.
    pub(crate) labels: Vec<Labels>,
    /// `width` values for each series; [`ABSENT`] where there is none.
    pub(crate) values: Vec<f64>,
    /// How many values a series has.
    pub(crate) width: usize,
    /// Whether the order of the series is part of the answer.
    pub(crate) is_ordered: bool,
    /// Whether all are rates: selected from rows that are, and not more than chosen, scaled or
    /// added up since. A subquery hands them to functions that would make rates of counters.
    pub(crate) are_rates: bool,
}

impl Vector {
    /// No series.
    pub(crate) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// How many series there are.
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    /// A series' values.
    pub(crate) fn column(&self, nth: usize) -> &[f64] {
        &self.values[nth * self.width..][..self.width]
    }

    /// A series' values.
    pub(crate) fn column_mut(&mut self, nth: usize) -> &mut [f64] {
        &mut self.values[nth * self.width..][..self.width]
    }

    /// Adds a series that has no value yet, and shows its values.
    pub(crate) fn push(&mut self, labels: Labels) -> &mut [f64] {
        self.labels.push(labels);
        let begin = self.values.len();
        self.values.resize(begin + self.width, ABSENT);
        &mut self.values[begin..]
    }

    /// Takes the series that was added last away again if it has no value.
    pub(crate) fn drop_last_if_absent(&mut self) {
        if let Some(last) = self.len().checked_sub(1)
            && self.column(last).iter().all(|value| is_absent(*value))
        {
            self.labels.pop();
            self.values.truncate(last * self.width);
        }
    }

    /// Changes each value that there is.
    pub(crate) fn map(mut self, change: impl Fn(f64) -> f64) -> Self {
        self.values.iter_mut().filter(|value| !is_absent(**value)).for_each(|value| {
            *value = change(*value);
        });
        self
    }

    /// Changes each value that there is, with the number of its time.
    pub(crate) fn map_at(mut self, change: impl Fn(usize, f64) -> f64) -> Self {
        for column in self.values.chunks_exact_mut(self.width.max(1)) {
            for (nth, value) in column.iter_mut().enumerate().filter(|(_, it)| !is_absent(**it)) {
                *value = change(nth, *value);
            }
        }
        self
    }

    /// Removes the metric's name from all labels.
    ///
    /// # Errors
    ///
    /// Two series have the same labels then, and a value at the same time.
    pub(crate) fn without_names(mut self) -> Result<Self, Failed> {
        let first = self.labels.first().map(|labels| name_of(labels).cloned());
        let mut are_alike = true;
        for labels in &mut self.labels {
            are_alike &= first.as_ref().is_some_and(|it| it.as_ref() == name_of(labels));
            labels.remove(METRIC_NAME);
        }
        // Series of one name differ in what is left.
        if are_alike { Ok(self) } else { self.merged(|_| Failed::SameLabels) }
    }

    /// One series for each set of labels.
    ///
    /// # Errors
    ///
    /// Two series with the same labels have a value at the same time.
    pub(crate) fn merged(self, conflict: impl Fn(&Labels) -> Failed) -> Result<Self, Failed> {
        let groups = Grouping::exact().assign(&[&self.labels]);
        if groups.count == self.len() {
            return Ok(self);
        }
        let mut merged = Self::new(self.width);
        (merged.is_ordered, merged.are_rates) = (self.is_ordered, self.are_rates);
        let mut place_of_group = vec![usize::MAX; groups.count];
        let Self { labels, values, width, .. } = self;
        for (nth, labels) in labels.into_iter().enumerate() {
            let place = &mut place_of_group[groups.of_list[0][nth] as usize];
            if *place == usize::MAX {
                *place = merged.len();
                merged.push(labels);
            }
            let column = merged.column_mut(*place);
            let has_conflict = !fill(column, &values[nth * width..][..width]);
            if has_conflict {
                return Err(conflict(&merged.labels[*place]));
            }
        }
        Ok(merged)
    }
}

/// The label with a metric's name.
fn name_of(labels: &Labels) -> Option<&Label> {
    labels.iter().find(|label| &*label.name == METRIC_NAME)
}

/// Fills a column from another; false if both have a value at some time.
fn fill(column: &mut [f64], from: &[f64]) -> bool {
    let mut is_free = true;
    for (place, value) in column.iter_mut().zip(from).filter(|(_, value)| !is_absent(**value)) {
        is_free &= is_absent(*place);
        *place = *value;
    }
    is_free
}
