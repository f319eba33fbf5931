//! What an answer is made of.

use crate::plot::{Plot, Series, Shape};
use crate::verdict::{Judged, Verdict};

/// One figure: a question, what was tried, what was counted.
pub(super) struct Figure {
    pub(super) question: &'static str,
    pub(super) case: String,
    pub(super) what: &'static str,
    pub(super) value: f64,
}

/// What a part found.
#[derive(Default)]
pub(super) struct Part {
    pub(super) scale: String,
    pub(super) figures: Vec<Figure>,
    pub(super) verdicts: Vec<Verdict>,
    pub(super) not_measured: Vec<String>,
    /// With the ends of their files' names.
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

/// Bars for groups by name, of several kinds: each kind has as many values as there are groups;
/// what has a name that ends in "simulated" is pale.
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

/// The middle one; there is one.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
