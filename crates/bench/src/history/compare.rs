//! What changed from one run to another.

use std::collections::HashMap;

use super::Run;
use crate::report::{Better, Row, significant};

/// The spread that is assumed of a figure that was measured once.
const UNKNOWN_SPREAD: f64 = 0.15;

/// A figure that two runs have.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    name: String,
    pub(super) verdict: Verdict,
    old: f64,
    new: f64,
    /// What the figure may differ by though nothing changed, as a share.
    noise: f64,
    unit: String,
    /// Whether the figure is the ratio to a rival's of the same run.
    is_ratio: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// Worse beyond spread and bound.
    Regression,
    /// Worse beyond the spread.
    Worse,
    Better,
    /// Neither good nor bad.
    Other,
    /// Within the spread.
    Same,
}

impl Change {
    /// Compares a figure of two runs; `None` if one of them does not have it.
    fn of(name: String, old: &Row, new: &Row, bound: f64) -> Option<Self> {
        // A run without the rival has no ratio, so the figures themselves are left.
        let is_ratio = old.ratio.is_some() && new.ratio.is_some();
        let pick = |row: &Row| if is_ratio { row.ratio } else { row.ours };
        let (from, to) = (pick(old)?, pick(new)?);
        let better =
            if is_ratio && new.better != Better::Neither { Better::Higher } else { new.better };
        let [before, after] = [old, new].map(|row| row.spread.unwrap_or(UNKNOWN_SPREAD));
        let noise = before + after;
        let verdict = match (from > 0.0 && to > 0.0, better) {
            // Of nothing there are no shares; a target that is missed now tells all the same.
            (false, _) if old.met == Some(true) && new.met == Some(false) => Verdict::Regression,
            (false, _) => Verdict::Same,
            (true, _) if (to / from - 1.0).abs() <= noise => Verdict::Same,
            (true, Better::Neither) => Verdict::Other,
            (true, Better::Higher) => Self::judged(from / to - 1.0, bound),
            (true, Better::Lower) => Self::judged(to / from - 1.0, bound),
        };
        let unit = if is_ratio { "x".into() } else { new.unit.clone() };
        Some(Self { name, verdict, old: from, new: to, noise, unit, is_ratio })
    }

    fn judged(loss: f64, bound: f64) -> Verdict {
        match loss {
            loss if loss > bound => Verdict::Regression,
            loss if loss > 0.0 => Verdict::Worse,
            _ => Verdict::Better,
        }
    }

    /// A line about it.
    pub(super) fn text(&self) -> String {
        let verdict = match self.verdict {
            Verdict::Regression => "REGRESSION",
            Verdict::Worse => "worse",
            Verdict::Better => "better",
            Verdict::Other => "changed",
            Verdict::Same => "same",
        };
        let what = if self.is_ratio { "ratio" } else { self.unit.as_str() };
        format!(
            "{verdict:10}  {:70}  {:>9} -> {:>9} {what:6} {:+.0}%, spread {:.0}%",
            self.name,
            significant(self.old),
            significant(self.new),
            (self.new / self.old - 1.0) * 1e2,
            self.noise * 1e2
        )
    }
}

/// The figures of two runs.
#[derive(Debug, PartialEq)]
pub(super) struct Compared {
    /// The figures that both have, the worst first.
    pub(super) changes: Vec<Change>,
    /// The figures that the old run alone has.
    pub(super) gone: Vec<String>,
    /// The figures that the new run alone has.
    pub(super) added: Vec<String>,
}

impl Compared {
    /// Compares two runs. A figure that is worse by more than `bound`, a share, and beyond its
    /// spread is a regression.
    pub(super) fn of(old: &Run, new: &Run, bound: f64) -> Self {
        let mut olds: HashMap<String, &Row> = old.by_name().into_iter().collect();
        let (mut changes, mut added) = (Vec::new(), Vec::new());
        for (name, row) in new.by_name() {
            match olds.remove(&name) {
                None => added.push(name),
                Some(old) => changes.extend(Change::of(name, old, row, bound)),
            }
        }
        changes.sort_by_key(|change| change.verdict);
        let mut gone: Vec<String> = olds.into_keys().collect();
        gone.sort();
        Self { changes, gone, added }
    }

    pub(super) fn regressions(&self) -> usize {
        self.count(|verdict| verdict == Verdict::Regression)
    }

    pub(super) fn count(&self, is_one: impl Fn(Verdict) -> bool) -> usize {
        self.changes.iter().filter(|change| is_one(change.verdict)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::{Compared, Verdict};
    use crate::history::tests::run;
    use crate::report::Row;

    fn rate(ours: f64) -> Row {
        Row::of_rounds("create", "/s", &[ours * 0.98, ours, ours * 1.02])
    }

    fn verdict(old: Row, new: Row) -> Verdict {
        let compared = Compared::of(&run("old", vec![old]), &run("new", vec![new]), 0.25);
        compared.changes[0].verdict
    }

    #[test]
    fn a_figure_changes_beyond_its_spread_and_regresses_beyond_the_bound() {
        assert_eq!(verdict(rate(100.0), rate(97.0)), Verdict::Same);
        assert_eq!(verdict(rate(100.0), rate(90.0)), Verdict::Worse);
        assert_eq!(verdict(rate(100.0), rate(110.0)), Verdict::Better);
        assert_eq!(verdict(rate(100.0), rate(75.0)), Verdict::Regression);
        let time = |seconds| Row { unit: "s".into(), ..rate(seconds).at_most(9.0) };
        assert_eq!(verdict(time(1.0), time(1.3)), Verdict::Regression);
        assert_eq!(verdict(time(1.3), time(1.0)), Verdict::Better);
        assert_eq!(verdict(time(1.0).undirected(), time(1.3).undirected()), Verdict::Other);
    }

    #[test]
    fn a_wide_spread_hides_a_change_and_none_is_taken_for_some() {
        let wide = |ours: f64| Row::of_rounds("create", "/s", &[ours * 0.7, ours, ours * 1.3]);
        assert_eq!(verdict(wide(100.0), wide(70.0)), Verdict::Same);
        let once = |ours| Row::new("create", "/s", ours);
        assert_eq!(verdict(once(100.0), once(71.0)), Verdict::Same);
        assert_eq!(verdict(once(100.0), once(69.0)), Verdict::Regression);
    }

    #[test]
    fn the_ratio_counts_where_there_is_a_rival() {
        let turns = |theirs: f64, ours: f64| {
            Row::of_turns("create", "/s", "rrdtool", &[vec![theirs; 3], vec![ours; 3]])
        };
        // The machine became slower for both.
        assert_eq!(verdict(turns(10.0, 30.0), turns(5.0, 15.0)), Verdict::Same);
        assert_eq!(verdict(turns(10.0, 30.0), turns(10.0, 15.0)), Verdict::Regression);
        // Without the rival in one of the runs, the figures themselves.
        assert_eq!(verdict(turns(10.0, 100.0), rate(100.0)), Verdict::Same);
    }

    #[test]
    fn from_nothing_a_missed_target_tells() {
        let faults = |count| Row::new("page-ins", "", count);
        assert_eq!(verdict(faults(0.0), faults(3.0)), Verdict::Same);
        let limited = |count| faults(count).at_most(0.0);
        assert_eq!(verdict(limited(0.0), limited(3.0)), Verdict::Regression);
        assert_eq!(verdict(limited(3.0), limited(0.0)), Verdict::Same);
    }

    #[test]
    fn figures_of_one_run_alone_are_told() {
        let named = |what: &str| Row::new(what, "s", 1.0);
        let (old, new) =
            (run("old", vec![named("a"), named("b")]), run("new", vec![named("b"), named("c")]));
        let compared = Compared::of(&old, &new, 0.25);
        assert_eq!(
            (compared.gone, compared.added),
            (vec!["rrdtool: a".into()], vec!["rrdtool: c".into()])
        );
        assert_eq!(compared.changes.len(), 1);
    }
}
