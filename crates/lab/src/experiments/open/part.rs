//! The parts of an answer.

use crate::plot::{Plot, Series, Shape};
use crate::verdict::{Judged, Verdict};

/// One figure: the question, the variant, the count.
pub(super) struct Figure {
    pub(super) question: &'static str,
    pub(super) case: String,
    pub(super) what: &'static str,
    pub(super) value: f64,
}

/// The result of a part.
#[derive(Default)]
pub(super) struct Part {
    pub(super) scale: String,
    pub(super) figures: Vec<Figure>,
    pub(super) verdicts: Vec<Verdict>,
    pub(super) not_measured: Vec<String>,
    /// The plots, each with the suffix of its file's name.
    pub(super) plots: Vec<(&'static str, Plot)>,
}

impl Part {
    pub(super) fn figure(
        &mut self,
        question: &'static str,
        case: impl Into<String>,
        what: &'static str,
        value: f64,
    ) {
        self.figures.push(Figure { question, case: case.into(), what, value });
    }

    pub(super) fn judged(&mut self, judged: Judged) {
        match judged {
            Ok(verdict) => self.verdicts.push(verdict),
            Err(why) => self.not_measured.push(why),
        }
    }
}

/// Bars in named groups, of several kinds: each kind has a value for each group. Kinds whose names
/// end in "simulated" are drawn pale.
pub(super) fn bars(
    title: impl Into<String>,
    [x, y]: [&str; 2],
    groups: Vec<String>,
    kinds: Vec<(String, Vec<f64>)>,
) -> Plot {
    let series = |(name, values): (String, Vec<f64>)| {
        assert!(values.len() == groups.len());
        let points = (0..).map(f64::from).zip(values).map(|(nth, value)| [nth, value]);
        Series { is_dashed: name.ends_with("simulated"), points: points.collect(), name }
    };
    let series = kinds.into_iter().map(series).collect();
    let (title, x, y) = (title.into(), x.into(), y.into());
    Plot { title, x, y, shape: Shape::Bars(groups), series }
}

/// The median; `values` must not be empty.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
