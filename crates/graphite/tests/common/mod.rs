//! What the tests share: series in memory.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use series::{
    Described, Kind, Label, Labels, METRIC_NAME, Matcher, Node, PathPattern, Paths, Rows, Selected,
    SelectedPath, Source, Unanswered, Window,
};

use graphite::api::{Answer, Parameters, answer};
use graphite::{Limits, Setting, Store};

/// Now, in all tests.
pub(crate) const NOW: i64 = 1_768_476_896;

/// A series in memory. One whose path has tags is found by these alone.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) path: String,
    pub(crate) start: i64,
    pub(crate) step: i64,
    pub(crate) values: Vec<f64>,
}

/// Series in memory.
pub(crate) struct Memory(pub(crate) Vec<Stored>);

impl Stored {
    /// The rows whose steps end in a window, as the traits have it.
    fn rows(&self, window: &Window) -> Rows {
        let seconds = |micros: i64| micros.div_euclid(1_000_000);
        let begin = |time: i64| time - time.rem_euclid(self.step);
        let (start, end) = (seconds(window.span.start_micros), seconds(window.span.end_micros));
        let (start, end) = (begin(start), begin(end));
        let value = |nth: i64| {
            let at = (start + nth * self.step - self.start).div_euclid(self.step);
            usize::try_from(at).ok().and_then(|at| self.values.get(at)).copied().unwrap_or(f64::NAN)
        };
        Rows {
            start_micros: start * 1_000_000,
            step_micros: self.step * 1_000_000,
            values: (0..(end - start) / self.step).map(value).collect(),
        }
    }

    fn labels(&self) -> Labels {
        let mut parts = self.path.split(';');
        let name = Label::new(METRIC_NAME, parts.next().unwrap_or_default());
        let tags = parts.filter_map(|it| it.split_once('='));
        Labels::new(std::iter::once(name).chain(tags.map(|(tag, value)| Label::new(tag, value))))
    }

    fn is_tagged(&self) -> bool {
        self.path.contains(';')
    }
}

impl Memory {
    fn tagged<'m>(&'m self, matchers: &'m [Matcher]) -> impl Iterator<Item = &'m Stored> {
        let takes = |it: &&Stored| matchers.iter().all(|matcher| matcher.takes(&it.labels()));
        self.0.iter().filter(|it| it.is_tagged()).filter(takes)
    }

    /// Answers a request.
    pub(crate) fn answer(&self, path: &str, parameters: &[(&str, &str)]) -> Answer {
        self.answer_within(path, parameters, Limits::default())
    }

    pub(crate) fn answer_within(
        &self,
        path: &str,
        pairs: &[(&str, &str)],
        limits: Limits,
    ) -> Answer {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let setting = Setting {
            now_seconds: NOW,
            zone: &TimeZone::UTC,
            zone_named: &|name| TimeZone::get(name).ok(),
            limits,
            goes_on: &|| true,
        };
        let store = Store { paths: self, source: self };
        answer(path, &Parameters::new(pairs), store, &setting).expect("there is such a path")
    }
}

impl Paths for Memory {
    fn find(&self, pattern: &PathPattern) -> Result<Vec<Node>, Unanswered> {
        let parts = pattern.parts().len();
        let mut nodes = BTreeMap::new();
        for stored in self.0.iter().filter(|it| !it.is_tagged()) {
            let all: Vec<&str> = stored.path.split('.').collect();
            let path = all[..parts.min(all.len())].join(".");
            if pattern.matches(&path) {
                let new = Node { path: path.clone(), is_series: false, is_branch: false };
                let node = nodes.entry(path).or_insert(new);
                node.is_series |= all.len() == parts;
                node.is_branch |= all.len() > parts;
            }
        }
        Ok(nodes.into_values().collect())
    }

    fn select_paths(
        &self,
        pattern: &PathPattern,
        window: &Window,
    ) -> Result<Vec<SelectedPath>, Unanswered> {
        let mut found: Vec<SelectedPath> = self
            .0
            .iter()
            .filter(|it| !it.is_tagged() && pattern.matches(&it.path))
            .map(|it| SelectedPath {
                path: it.path.clone(),
                labels: Labels::default(),
                kind: Kind::Gauge,
                rows: it.rows(window),
            })
            .collect();
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }
}

impl Source for Memory {
    fn select(&self, matchers: &[Matcher], window: &Window) -> Result<Vec<Selected>, Unanswered> {
        let selected = |it: &Stored| Selected {
            labels: it.labels(),
            kind: Kind::Gauge,
            rows: it.rows(window),
        };
        Ok(self.tagged(matchers).map(selected).collect())
    }

    fn describe(&self, matchers: &[Matcher]) -> Result<Vec<Described>, Unanswered> {
        let described = |it: &Stored| Described {
            labels: it.labels(),
            kind: Kind::Gauge,
            step_micros: it.step * 1_000_000,
        };
        Ok(self.tagged(matchers).map(described).collect())
    }

    fn label_names(&self, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        let names = self
            .tagged(matchers)
            .flat_map(|it| it.labels().iter().map(|it| it.name.to_string()).collect::<Vec<_>>());
        Ok(names.collect::<BTreeSet<_>>().into_iter().collect())
    }

    fn label_values(&self, label: &str, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        let values = self.tagged(matchers).map(|it| it.labels().get(label).to_owned());
        let values: BTreeSet<_> = values.filter(|it| !it.is_empty()).collect();
        Ok(values.into_iter().collect())
    }
}
