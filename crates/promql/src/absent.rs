//! `absent` and `absent_over_time`: a sample where there is none.

use promql_parser::label::MatchOp;
use promql_parser::parser::VectorSelector;
use series::{Label, Labels, METRIC_NAME};

use crate::vector::{ABSENT, Vector, is_absent};

/// A series that is 1 where a vector has no sample.
pub(crate) fn absent(vector: &Vector, selector: Option<&VectorSelector>) -> Vector {
    let mut out = Vector::new(vector.width);
    let column = out.push(selector.map(labels).unwrap_or_default());
    column.fill(1.0);
    for nth in 0..vector.len() {
        let present = column.iter_mut().zip(vector.column(nth)).filter(|(_, it)| !is_absent(**it));
        present.for_each(|(value, _)| *value = ABSENT);
    }
    out.drop_last_if_absent();
    out
}

/// The labels that a selector asks for by name and value. One that is asked for twice is left out.
fn labels(selector: &VectorSelector) -> Labels {
    let mut labels = Labels::default();
    let mut asked: Vec<&str> = Vec::new();
    for matcher in selector.matchers.matchers.iter().filter(|it| it.name != METRIC_NAME) {
        let is_new = !asked.contains(&matcher.name.as_str());
        if matches!(matcher.op, MatchOp::Equal) && is_new {
            labels.set(Label::new(matcher.name.as_str(), matcher.value.as_str()));
            asked.push(&matcher.name);
        } else {
            labels.remove(&matcher.name);
        }
    }
    labels
}
