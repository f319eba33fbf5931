//! A figure with its target and the peers' figures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::figures::{median, spread};

/// The required value of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// At least this multiple of the rival's figure, or, where less is better, at most that part.
    Times(f64),
}

/// Which way a figure has to move to be better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Better {
    Higher,
    Lower,
    /// A figure that describes, such as a prediction.
    Neither,
}

impl Better {
    /// Rates and multiples are to be high; times, bytes and counts low.
    fn of_unit(unit: &str) -> Self {
        if unit == "x" || unit.ends_with("/s") { Self::Higher } else { Self::Lower }
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The name, which stays the same from run to run.
    pub(crate) what: String,
    pub(crate) unit: String,
    pub(crate) better: Better,
    pub(crate) target: Option<Target>,
    #[serde(rename = "gyre")]
    pub(crate) ours: Option<f64>,
    /// The peer that [`Self::ratio`] is about.
    pub(crate) rival: Option<String>,
    pub(crate) peers: BTreeMap<String, f64>,
    /// How many times as good as the rival's the figure is.
    pub(crate) ratio: Option<f64>,
    /// How far repeated rounds lie from the ratio, or without a rival from the figure, as a share.
    pub(crate) spread: Option<f64>,
    pub(crate) met: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, figure: f64) -> Self {
        Self {
            what: what.into(),
            unit: unit.into(),
            better: Better::of_unit(unit),
            target: None,
            ours: Some(figure).filter(|figure| figure.is_finite()),
            rival: None,
            peers: BTreeMap::new(),
            ratio: None,
            spread: None,
            met: None,
            notes: Vec::new(),
        }
    }

    /// The median of repeated rounds.
    pub(crate) fn of_rounds(what: impl Into<String>, unit: &'static str, figures: &[f64]) -> Self {
        Self { spread: spread(figures), ..Self::new(what, unit, median(figures)) }
    }

    /// The medians of rounds in which a rival and gyre took turns; the spread is that of the
    /// rounds' ratios.
    pub(crate) fn of_turns(
        what: impl Into<String>,
        unit: &'static str,
        rival: &'static str,
        [theirs, ours]: &[Vec<f64>; 2],
    ) -> Self {
        let ratios: Vec<f64> =
            ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        let row = Self::new(what, unit, median(ours)).beside([(rival, median(theirs))]);
        Self { spread: spread(&ratios), ..row }
    }

    pub(crate) fn at_most(mut self, most: f64) -> Self {
        self.better = Better::Lower;
        self.aimed(Target::AtMost(most))
    }

    pub(crate) fn at_least(mut self, least: f64) -> Self {
        self.better = Better::Higher;
        self.aimed(Target::AtLeast(least))
    }

    /// At least so many times as good as the rival.
    pub(crate) fn times(self, times: f64) -> Self {
        self.aimed(Target::Times(times))
    }

    /// A figure that is neither good nor bad: no change of it is a regression.
    pub(crate) fn undirected(mut self) -> Self {
        self.better = Better::Neither;
        self
    }

    /// A count that has no spread, because nothing but a change of the program changes it.
    pub(crate) fn exact(mut self) -> Self {
        self.spread = Some(0.0);
        self
    }

    /// Adds the peers' figures, the rival's first.
    pub(crate) fn beside(mut self, peers: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        for (name, figure) in peers.into_iter().filter(|(_, figure)| figure.is_finite()) {
            self.rival.get_or_insert_with(|| name.into());
            self.peers.insert(name.into(), figure);
        }
        self.concluded()
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(crate) fn notes(mut self, notes: &[String]) -> Self {
        self.notes.extend_from_slice(notes);
        self
    }

    pub(crate) fn rivals_figure(&self) -> Option<f64> {
        self.peers.get(self.rival.as_ref()?).copied()
    }

    fn aimed(mut self, target: Target) -> Self {
        self.target = Some(target);
        self.concluded()
    }

    /// Works out again what follows from the other fields.
    fn concluded(mut self) -> Self {
        self.ratio = self.ours.zip(self.rivals_figure()).and_then(|(ours, theirs)| {
            let (above, below) =
                if self.better == Better::Lower { (theirs, ours) } else { (ours, theirs) };
            (below > 0.0).then(|| above / below)
        });
        let is_met = |target| {
            Some(match target {
                Target::AtMost(most) => self.ours? <= most,
                Target::AtLeast(least) => self.ours? >= least,
                Target::Times(times) => self.ratio? >= times,
            })
        };
        self.met = self.target.and_then(is_met);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::Row;

    #[test]
    fn a_row_tells_whether_its_target_is_met() {
        let row = Row::new("seconds of a cycle", "s", 1.5);
        assert_eq!(row.met, None);
        assert_eq!(row.clone().at_most(2.0).met, Some(true));
        assert_eq!(row.clone().at_most(1.0).met, Some(false));
        assert_eq!(row.clone().at_least(1.5).met, Some(true));
        assert_eq!(row.at_least(2.0).met, Some(false));
        assert_eq!(Row::new("nothing", "s", f64::NAN).at_most(1.0).met, None);
    }

    #[test]
    fn a_multiple_of_the_rivals_is_met_whichever_way_is_better() {
        let rate = Row::new("update", "/s", 30.0).beside([("rrdtool", 10.0), ("other", 1.0)]);
        assert_eq!((rate.ratio, rate.rivals_figure()), (Some(3.0), Some(10.0)));
        assert_eq!(rate.clone().times(3.0).met, Some(true));
        assert_eq!(rate.times(3.1).met, Some(false));
        let time = Row::new("graph", "ms", 2.0).times(4.0).beside([("rrdtool", 10.0)]);
        assert_eq!((time.ratio, time.met), (Some(5.0), Some(true)));
        assert_eq!(Row::new("alone", "/s", 1.0).times(3.0).met, None);
    }

    #[test]
    fn the_spread_of_turns_is_that_of_their_ratios() {
        // The machine became twice as slow for both.
        let row = Row::of_turns("update", "/s", "rrdtool", &[vec![10.0, 5.0], vec![30.0, 15.0]]);
        assert_eq!((row.ratio, row.spread), (Some(3.0), Some(0.0)));
    }

    #[test]
    fn a_row_is_the_same_after_its_way_through_json() {
        let row = Row::of_rounds("update", "us", &[1.0, 2.0, 4.0]);
        let row = row.beside([("rrdtool", 8.0)]).times(3.0).note("by hand");
        let text = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Row>(&text).unwrap(), row);
    }
}
