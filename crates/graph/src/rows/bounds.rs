//! Between which numbers a percentile lies whose rows are longer than a step.
//!
//! The rows of archives of MIN and MAX that are as long say between which values each step of a row
//! was. An expression that can only rise with its series keeps that order, and so does a percentile:
//! the one of all steps lies between that of the least and that of the greatest values.

use rrd::Stretch;

use super::RowsPlan;
use crate::Error;
use crate::arguments::DefinitionKind;
use crate::calculated::Calculated;
use crate::summary::Summary;

/// The least and the greatest number that something may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl RowsPlan {
    /// The bounds of a VDEF that is a percentile, from the rows of MIN and of MAX that stand for
    /// the rows of its requests; a row has so many steps. `None` if they show nothing: if its
    /// expression may fall where a series rises, or if other rows are unknown.
    ///
    /// # Errors
    /// As [`RowsPlan::answer`].
    pub fn bounds(
        &self,
        name: &str,
        fetched: &[Stretch],
        least: &[Stretch],
        greatest: &[Stretch],
        steps_per_row: u64,
    ) -> Result<Option<Bounds>, Error> {
        let mut definitions = self.plan.script.definitions.iter();
        let Some(position) = definitions.position(|definition| definition.name == name) else {
            return Ok(None);
        };
        let DefinitionKind::Vdef { summary: Summary::Percentile { percent, known_only }, .. } =
            self.plan.script.definitions[position].kind
        else {
            return Ok(None);
        };
        let of = self.series_behind(position);
        if !self.is_rising(of) || !self.plan.script.shifts.is_empty() {
            return Ok(None);
        }
        let rows = |fetched: &[Stretch]| -> Result<Option<Calculated>, Error> {
            let values = self.values(fetched)?;
            Ok(values.series(of).map(|series| series.without_lead().into_owned()))
        };
        let (Some(own), Some(least), Some(greatest)) =
            (rows(fetched)?, rows(least)?, rows(greatest)?)
        else {
            return Ok(None);
        };
        if !knows_the_same(&own, &least) || !knows_the_same(&own, &greatest) {
            return Ok(None);
        }
        let ranked =
            |series: &Calculated| rank_of_steps(&series.values, percent, known_only, steps_per_row);
        Ok(ranked(&least)
            .zip(ranked(&greatest))
            .map(|(least, greatest)| Bounds { least, greatest }))
    }

    fn is_rising(&self, position: usize) -> bool {
        match self.plan.script.definitions.get(position).map(|it| &it.kind) {
            Some(DefinitionKind::Def { .. }) => true,
            Some(DefinitionKind::Cdef(program)) => {
                program.is_rising() && program.variables().all(|variable| self.is_rising(variable))
            }
            // A number of other rows, whose own bounds are not those of these.
            Some(DefinitionKind::Vdef { .. }) | None => false,
        }
    }
}

fn knows_the_same(a: &Calculated, b: &Calculated) -> bool {
    let same_rows = (a.start_seconds, a.step_seconds, a.values.len())
        == (b.start_seconds, b.step_seconds, b.values.len());
    same_rows && a.values.iter().zip(&b.values).all(|(a, b)| a.is_nan() == b.is_nan())
}

/// The percentile of values each of which stands for so many steps; `None` of nothing.
fn rank_of_steps(
    values: &[f64],
    percent: f64,
    known_only: bool,
    steps_per_row: u64,
) -> Option<f64> {
    let mut sorted = values.to_vec();
    if known_only {
        sorted.retain(|value| !value.is_nan());
    }
    rrd::rpn::sort(&mut sorted);
    let steps = sorted.len() as u64 * steps_per_row;
    // As the percentile of all steps is chosen.
    let position = (percent * steps.saturating_sub(1) as f64 / 100.0).round() as u64;
    let value = sorted.get((position / steps_per_row.max(1)) as usize).copied();
    value.filter(|value| !value.is_nan())
}
